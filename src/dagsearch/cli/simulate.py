"""``dagsearch simulate``: a table and the graph that made it, in one folder."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from dagsearch._version import __version__
from dagsearch._writing import reason_of, write_whole
from dagsearch.cli.destinations import check_destinations, files_of_graphs
from dagsearch.cli.files import write_json
from dagsearch.cli.options import in_words_of_the_command, with_options
from dagsearch.errors import DataError, InputError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from dagsearch.data import Dataset

OPTION_OF = {
    "n_nodes": "--nodes",
    "n_samples": "--rows",
    "n_edges": "--edges",
    "graph": "--graph",
    "mechanism": "--mechanism",
    "noise": "--noise",
    "scale_dependence": "--scale-dependence",
    "rescale": "--rescale",
    "measurement_error": "--measurement-error",
    "standardise": "--standardise",
    "interventions": "--interventions",
    "intervention_share": "--intervention-share",
    "network": "--network",
    "random_state": "--seed",
}
"""The option that sets each argument of `dagsearch.datasets.simulate`, and the network in place of most of them."""

# Tables of probabilities have no scale, and a network also brings its own graph.
_NOT_WITH_TABLES = ("noise", "scale_dependence", "rescale", "measurement_error", "standardise")
_NOT_WITH_NETWORK = ("n_nodes", "n_edges", "graph", "mechanism", *_NOT_WITH_TABLES)

# From here on the order by variance is taken to give the causal order away; below one minus this, its reverse does.
GIVEN_AWAY = 0.8

INTERVENTION_COLUMN = "intervention"
"""Name of the column that says what was set, unless a variable has it."""

SIMULATE_OPTIONS: list[Callable[..., Any]] = [
    click.option("--nodes", "n_nodes", type=int, help="Number of variables; 10 by default."),
    click.option("--rows", "n_samples", type=int, default=1000, show_default=True, help="Number of rows."),
    click.option("--edges", "n_edges", type=int, help="Exact number of edges; by default 2 per variable."),
    click.option(
        "--graph",
        show_default="erdos-renyi",
        help="erdos-renyi, scale-free (hubs are causes), a graph file, or a data set whose graph to take.",
    ),
    click.option(
        "--mechanism",
        show_default="linear",
        help="linear, quadratic, gp, additive, saturating, bump, interaction, network (neural), discrete or mixed.",
    ),
    click.option("--noise", show_default="gaussian", help="gaussian, uniform, laplace, exponential or gumbel."),
    click.option(
        "--scale-dependence",
        type=float,
        show_default="0",
        help="Let the scale of the noise depend on the causes: at 0.5 it is 1.6 times larger or smaller at one "
        "standard deviation of a random function of them.",
    ),
    click.option("--rescale", is_flag=True, default=None, help="Give each function variance 1 before noise is added."),
    click.option(
        "--measurement-error",
        type=float,
        show_default="0",
        help="Share of each column's variance, below 1, that is error of measurement.",
    ),
    click.option("--standardise", is_flag=True, default=None, help="Give each column mean 0 and variance 1."),
    click.option(
        "--interventions",
        help="Set variables in some of the rows, whatever their causes: how many, or their names separated by commas. "
        "A column of data.csv says what was set where.",
    ),
    click.option(
        "--intervention-share",
        type=float,
        show_default="0.1",
        help="Share of the rows in which each of them is set.",
    ),
    click.option(
        "--network",
        help="In place of a random model: asia, child, insurance, or a .bif or .bif.gz file to sample from.",
    ),
    click.option("--seed", "random_state", type=int, default=0, show_default=True, help="Same seed, same data."),
    click.option(
        "--out", type=click.Path(path_type=Path), required=True, help="Folder for data.csv, truth.csv and their like."
    ),
    click.option("--json", "json_file", help="File for a description as JSON, or - for standard output."),
]


@click.command()
@with_options(SIMULATE_OPTIONS)
def simulate(out: Path, json_file: str | None, **options: Any) -> None:
    """Draw a graph and data that it generates: FOLDER/data.csv and FOLDER/truth.csv."""
    names = ["data.csv", *files_of_graphs(["truth"])]
    check_destinations(out, json_file, read=(options["network"],), names=names)
    given = {name: value for name, value in options.items() if value is not None}
    if "interventions" in given:
        given["interventions"] = _number_or_names(given["interventions"])
    try:
        data = _simulated(given)
    except InputError as error:
        raise InputError(in_words_of_the_command(str(error), OPTION_OF)) from error
    _require_names_of_a_table(data)
    files = _write(data, out)
    record = _described(data, given["random_state"])
    if json_file != "-":
        click.echo(_in_words(record))
    write_json(record, json_file)
    click.echo(f"\nwrote {', '.join(files)} to {out}", err=True)


def _simulated(given: dict[str, Any]) -> Dataset:
    """Data as the options say."""
    from dagsearch import datasets  # noqa: PLC0415

    if given.get("mechanism") in ("discrete", "mixed"):
        _refuse(_NOT_WITH_TABLES, given, f"--mechanism {given['mechanism']}")
    if "network" not in given:
        return datasets.simulate(**{**given, "graph": _graph(given.get("graph", "erdos-renyi"))})
    _refuse(_NOT_WITH_NETWORK, given, "--network")
    network = datasets.network(given["network"])
    experiments = {name: given[name] for name in ("interventions", "intervention_share") if name in given}
    data = network.sample(given["n_samples"], given["random_state"], **experiments)
    story = f"sampled by dagsearch {__version__} with seed {given['random_state']}: network {given['network']}"
    return replace(data, citation=f"{story}; {network.citation}" if network.citation else story)


def _number_or_names(text: str) -> int | list[str]:
    """How many variables are set, or which."""
    try:
        return int(text)
    except ValueError:
        return [name.strip() for name in text.split(",")]


def _refuse(idle: tuple[str, ...], given: dict[str, Any], by: str) -> None:
    """Refuse options that would be ignored, even where they ask for what is the default elsewhere."""
    for name in idle:
        if name in given:
            raise InputError(f"{OPTION_OF[name]} does not apply to {by}")


def _graph(name: str) -> Any:
    """The name of a kind of random graph as it is, otherwise a graph from a file or of a data set."""
    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.datasets.random_graphs import RANDOM_GRAPHS  # noqa: PLC0415
    from dagsearch.graph import read_graph  # noqa: PLC0415

    if name in RANDOM_GRAPHS:
        return name
    if Path(name).suffix or os.sep in name or os.path.exists(name):
        return read_graph(name)
    try:
        return datasets.load(name).truth
    except UnknownNameError as error:
        kinds = ", ".join(RANDOM_GRAPHS)
        raise InputError(f"graph must be {kinds}, a graph file or the name of a data set; {error}") from error


# ---------------------------------------------------------------- what is written


def _write(data: Dataset, out: Path) -> list[str]:
    """Write the table and its graph; files appear in the folder when all of them are complete."""
    is_new = not os.path.exists(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".writing-") as workshop:
            drafts = _write_drafts(data, Path(workshop))
            for draft in drafts:
                os.replace(draft, out / draft.name)
    except (OSError, InputError) as error:
        if is_new:
            shutil.rmtree(out, ignore_errors=True)
        cause = error if isinstance(error, OSError) else error.__cause__
        reason = reason_of(cause) if isinstance(cause, OSError) else cause
        raise InputError(f"--out must be a folder that can be written to, got {out}: {reason}") from error
    return [draft.name for draft in drafts]


def _write_drafts(data: Dataset, workshop: Path) -> list[Path]:
    """Write all files into a temporary folder."""
    from dagsearch.graph.csv_text import csv_line  # noqa: PLC0415
    from dagsearch.report.files import write_graph  # noqa: PLC0415

    assert data.truth is not None
    frame = _frame(data)

    def write_table(file: IO[bytes]) -> None:
        # pandas would leave a single carriage return in a name without quotes.
        file.write(csv_line(frame.columns).encode("utf-8"))
        frame.to_csv(file, index=False, header=False, lineterminator="\n", encoding="utf-8", mode="wb")

    table = write_whole(workshop / "data.csv", write_table)
    return [table, *write_graph(data.truth, workshop, stem="truth")]


def _require_names_of_a_table(data: Dataset) -> None:
    """Raise where a table in a file would not have these names when it is read again."""
    from dagsearch.data.reading.text import read_delimited  # noqa: PLC0415
    from dagsearch.graph.csv_text import csv_line  # noqa: PLC0415

    rows = [[str(row)] * data.n_nodes for row in range(3)]  # as if the first column numbered the rows
    content = "".join(map(csv_line, [data.names, *rows])).encode()
    try:
        names: list[object] = list(read_delimited("data.csv", content, (), ",").frame.columns)
    except DataError as error:
        raise InputError(f"--graph must have names that a table in a file can have: {error}") from error
    if names != list(data.names):
        lost = next(name for name in data.names if name not in names)
        raise InputError(f"--graph must have names that a table in a file can have, got {lost[:80]!r}")


def _frame(data: Dataset) -> pd.DataFrame:
    """The table, with a last column that says what was set where, if anything was."""
    from dagsearch.data.interventions import entries_of  # noqa: PLC0415

    frame = data.to_pandas()
    if data.was_set is not None:
        frame[_intervention_column(data)] = entries_of(data.was_set, data.names)
    return frame


def _intervention_column(data: Dataset) -> str:
    """A name that no variable has."""
    name, k = INTERVENTION_COLUMN, 1
    while name in data.names:
        k += 1
        name = f"{INTERVENTION_COLUMN}_{k}"
    return name


# ---------------------------------------------------------------- what is said


def _described(data: Dataset, seed: int) -> dict[str, Any]:
    """The data in types that JSON has; sortabilities are null where there is nothing to sort by."""
    from dagsearch import metrics  # noqa: PLC0415

    truth = data.truth
    assert truth is not None
    is_sortable = truth.n_edges > 0 and all(kind == "continuous" for kind in data.kinds)
    return {
        "n_samples": data.n_samples,
        "n_nodes": data.n_nodes,
        "n_edges": truth.n_edges,
        "names": list(data.names),
        "edges": [list(edge) for edge in truth.edges],
        "kinds": list(data.kinds),
        "intervention_column": None if data.was_set is None else _intervention_column(data),
        "n_set": _n_set(data),
        "varsortability": metrics.varsortability(data) if is_sortable else None,
        "r2_sortability": metrics.r2_sortability(data) if is_sortable else None,
        "description": data.citation,
        "seed": seed,
        "version": __version__,
    }


def _n_set(data: Dataset) -> dict[str, int]:
    """In how many rows each variable was set, if in any."""
    if data.was_set is None:
        return {}
    counts = data.was_set.sum(axis=0)
    return {data.names[j]: int(counts[j]) for j in counts.nonzero()[0]}


def _in_words(record: dict[str, Any]) -> str:
    lines = [
        f"{record['n_samples']} rows, {record['n_nodes']} variables, {record['n_edges']} edges",
        record["description"],
    ]
    if record["intervention_column"] is not None:
        column = record["intervention_column"]
        listed = ", ".join(f"{name} in {n_rows} rows" for name, n_rows in record["n_set"].items())
        lines += ["", f"set: {listed}; column {column!r} says where, for dagsearch discover --interventions {column}"]
    if record["varsortability"] is not None:
        lines += [
            "",
            f"varsortability {record['varsortability']:.3f}: {_meaning(record['varsortability'])}",
            f"R2-sortability {record['r2_sortability']:.3f}: the same by R squared given all others, in any units",
        ]
    return "\n".join(lines)


def _meaning(varsortability: float) -> str:
    """What a varsortability says to those who benchmark methods on such data."""
    if math.isclose(varsortability, 0.5):
        return "variances say nothing about the causal order"
    if varsortability >= GIVEN_AWAY:
        return "variance grows along causal paths; sorting by it alone gives the order away, consider --standardise"
    if 1 - varsortability >= GIVEN_AWAY:
        return "variance shrinks along causal paths; sorting by it alone gives the order away, consider --standardise"
    return "variances alone do not give the causal order away"
