"""``dagsearch check``: what is wrong with a table, before any search."""

from __future__ import annotations

import shlex

import click

from dagsearch.cli.destinations import check_destinations
from dagsearch.cli.files import write_json


@click.command()
@click.argument("file")
@click.option("--na", multiple=True, metavar="VALUE", help="Entry that stands for a missing cell, such as -999.")
@click.option("--interventions", metavar="COLUMN", help="Column that names the variable set in each row: no variable.")
@click.option("--json", "json_file", help="File for the findings as JSON, or - for standard output.")
def check(file: str, na: tuple[str, ...], interventions: str | None, json_file: str | None) -> None:
    """Look for what makes causal discovery fail or mislead in FILE (.csv, .tsv, .parquet, .npy), and say what helps.

    The exit code is 0 whatever is found, and 2 if the file cannot be read.
    """
    from dagsearch.auditing import audit  # noqa: PLC0415
    from dagsearch.data.reading import read_file  # noqa: PLC0415

    check_destinations(None, json_file, read=(file,))
    found = audit(read_file(file, na), interventions=interventions)
    given = [f"--na {shlex.quote(value)}" for value in na]
    given += [] if interventions is None else [f"--interventions {shlex.quote(interventions)}"]
    command = " ".join(["dagsearch discover", shlex.quote(file), *given, *(["--fix"] if found.n_mended else [])])
    if json_file != "-":
        click.echo(found)
        click.echo(f"\n{command}")
    write_json({"file": file, **found.to_dict(), "command": command}, json_file)
