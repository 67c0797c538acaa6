"""The command ``dagsearch``.

Only click is imported at the top, so that help and errors of usage come at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from dagsearch._version import __version__
from dagsearch.cli.check import check
from dagsearch.cli.completion import completion_command, tables
from dagsearch.cli.destinations import check_destinations, files_of_graphs
from dagsearch.cli.files import COMMAND_LINE, deliver, focus_asked_for, load_audited, write_json
from dagsearch.cli.options import (
    DISCOVER_OPTIONS,
    FOCUS_OPTIONS,
    KNOWLEDGE_FILE,
    GroupedCommand,
    certificate_of,
    fitting,
    in_words_of_the_command,
    kinds,
    known_beforehand,
    settings_from_text,
    with_options,
)
from dagsearch.cli.refusals import refuse
from dagsearch.cli.simulate import simulate
from dagsearch.cli.streams import ensure_streams
from dagsearch.errors import DagsearchError, with_long_words_cut

EXIT_WRONG_USE = 2
REPORT_OF_DEMO = "dagsearch-demo.html"


class _WrongUse(click.ClickException):
    """One clear message and exit code 2."""

    exit_code = EXIT_WRONG_USE


class _Group(click.Group):
    """A group of commands whose errors on purpose are messages, not tracebacks."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        given = list(args)  # which parsing empties
        with _long_words_cut():
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[COMMAND_LINE] = given
        return context

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command; what the system refuses, such as output to a full disk, is one message, too."""
        ensure_streams()
        # Where it finds no room for what processes share, which these commands do not need.
        warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
        try:
            return super().main(*args, **settings)
        except OSError as error:
            if not settings.get("standalone_mode", True):
                raise
            refuse(error)
            sys.exit(EXIT_WRONG_USE)

    def invoke(self, ctx: click.Context) -> Any:
        from dagsearch.cli.messages import compilation_announced, news_announced  # noqa: PLC0415

        try:
            with news_announced(), compilation_announced(), _long_words_cut():
                return super().invoke(ctx)
        except DagsearchError as error:
            raise _WrongUse(with_long_words_cut(in_words_of_the_command(str(error)))) from error


@contextmanager
def _long_words_cut() -> Iterator[None]:
    """Have errors of usage, which repeat what was given, fit on a screen."""
    try:
        yield
    except click.UsageError as error:
        message = error.format_message()
        if with_long_words_cut(message) == message:
            raise
        raise _WrongUse(with_long_words_cut(message)) from error


_FIRST_STEPS = """dagsearch: from a table to the graph of which variable causes which. To start with:

  dagsearch demo                        search for a protein network, about half a minute
  dagsearch check FILE                  what a table has that will matter, and what to do about it
  dagsearch discover FILE --out FOLDER  the graph behind a table, with pictures

All commands: dagsearch --help"""


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="dagsearch")
@click.pass_context
def main(context: click.Context) -> None:
    """Causal discovery: from a table to the graph of which variable causes which."""
    if context.invoked_subcommand is None:
        click.echo(_FIRST_STEPS)


@main.command(cls=GroupedCommand)
@click.argument("data", shell_complete=tables)
@with_options(DISCOVER_OPTIONS)
def discover(data: str, **options: Any) -> None:
    """Find the graph behind DATA: a file or the name of a data set.

    Files: .csv, .tsv, .txt, .parquet, .feather, .xlsx, .dta, .npy, also with .gz, .bz2 or .xz behind it or in a .zip.
    """
    check_destinations(
        options["out"],
        options["json_file"],
        report=options["report"],
        checkpoint=options["checkpoint"],
        read=(data, options["truth"], click.get_current_context().meta.get(KNOWLEDGE_FILE)),
        names=files_of_graphs(),
    )
    if options["method"] == "all":
        from dagsearch.cli.all_methods import discover_by_all  # noqa: PLC0415

        discover_by_all(_table(data, options), data, options)
        return
    fit = fitting(options["method"], options)
    loaded = _table(data, options)
    model = fit(loaded.table)
    certificate = certificate_of(model, options) if options["certify"] or model.method == "exact" else None
    deliver(model, loaded, data, options, certificate)


def _table(data: str, options: dict[str, Any]) -> Any:
    """The table that `discover` is asked about, and its audit."""
    loaded = load_audited(
        data,
        kinds(options),
        options["truth"],
        options["interventions"],
        options["na"],
        fix=bool(options["fix"]),
        knowledge=known_beforehand(options),
    )
    focus = focus_asked_for(options)
    if focus is not None:
        focus.check(loaded.table.names)
    return loaded


@main.command()
@click.argument("found", type=click.Path(path_type=Path))
@click.argument("truth", type=click.Path(path_type=Path))
@click.option("--json", "json_file", help="File for the metrics as JSON, or - for standard output.")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE.html", help="A page with both graphs side by side."
)
@with_options([click.option(*names, **attributes) for names, attributes in FOCUS_OPTIONS])
def compare(found: Path, truth: Path, json_file: str | None, report: Path | None, **options: Any) -> None:
    """Compare the graph FOUND with the graph TRUTH: files or names of data sets.

    Files: .csv, .tsv, .graphml, .dot, .json, .txt (Tetrad) or .npy. Nodes are matched by name; by position where one
    of the graphs has no names. With --focus the edges around a variable are listed, too,
    and the page shows these alone.
    """
    from dagsearch import metrics  # noqa: PLC0415
    from dagsearch.cli.graphs import graphs_of, judged_edges, labels_of, note_on_nodes  # noqa: PLC0415

    check_destinations(None, json_file, report=report, read=(found, truth))
    found_graph, true_graph = graphs_of(found, truth)
    focus = focus_asked_for(options)
    listed = [] if focus is None else judged_edges(found_graph, true_graph, focus)
    result = metrics.compare(found_graph, true_graph)
    note_on_nodes(found_graph, true_graph)
    if json_file != "-":
        for name, value in result.items():
            shown = "-" if value is None else f"{value:.4f}" if isinstance(value, float) else value
            click.echo(f"{name:>14}  {shown}")
        for line in listed:
            click.echo(line)
    write_json(result, json_file)
    if report is not None:
        from dagsearch.report.page.compared import write_comparison  # noqa: PLC0415

        write_comparison(found_graph, true_graph, report, labels_of(found, truth), focus)
        click.echo(f"wrote the report {report}", err=True)


@main.command()
@click.argument("name", required=False)
def methods(name: str | None) -> None:
    """List the methods with the data and options that they take, or describe one."""
    from dagsearch.cli.listing import described, listed  # noqa: PLC0415

    click.echo(described(name) if name else listed())


@main.command("datasets")
@click.argument("name", required=False)
@click.option("--download", is_flag=True, help="Download now what is not on this machine: NAME, or all.")
@click.option("--json", "json_file", help="File for the list as JSON, or - for standard output.")
def datasets_command(name: str | None, download: bool, json_file: str | None) -> None:
    """List the data sets that can be named in place of a file, or describe one, such as syntren-3."""
    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.cli.datasets import chosen, described, listed, record  # noqa: PLC0415

    check_destinations(None, json_file)
    names = chosen(name)
    for each in names if download else []:
        datasets.download(each)
    if json_file != "-":
        click.echo(described(names) if name else listed())
    write_json(record(name, names), json_file)


@main.command("paper")
@click.argument("what", nargs=-1, metavar="TABLE_OR_FIGURE...")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of records and results; those there are resumed.")
@click.option("--seeds", type=click.IntRange(min=1), help="At most so many seeds of each study.")
@click.option("--sets", type=click.IntRange(min=1), help="At most so many data sets of each family.")
@click.option(
    "--tuning-seeds",
    type=click.IntRange(min=0),
    help="At most so many held-out seeds; 0: tune nothing.",
    show_default="as many as --seeds",
)
@click.option("--only", "methods", multiple=True, metavar="METHOD", help="Only this method (repeat for more).")
@click.option("--data", "blocks", multiple=True, metavar="NAME", help="Only these data, such as Sachs or SynTReN.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    callback=settings_from_text,
    help="Another setting than the paper's, such as horizon=8, wherever the experiment states one.",
)
@click.option(
    "--rules",
    type=click.Choice(["runs", "text"]),
    default="runs",
    show_default=True,
    help="Rules of the searches: those of the paper's published runs, or those that its text describes.",
)
@click.option("--quick", "is_quick", is_flag=True, help="Everything in minutes: few seeds, few simulations.")
@click.option("--jobs", type=int, default=-1, show_default=True, help="Processes on this machine; -1: one per core.")
@click.option("--cluster", default="", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler instead.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    show_default="OUT/cache; none on a cluster",
    help="Folder where processes exchange expensive local scores.",
)
def paper_command(what: tuple[str, ...], out: Path | None, **options: Any) -> None:
    """Carry out tables and figures of the paper: table1 ... figure4, all, or report; without a name, list them.

    Every finished run is recorded at once. The same command goes on where it was stopped.
    """
    from dagsearch.cli.paper import carry_out_paper, listed  # noqa: PLC0415
    from dagsearch.experiments.campaign import Limits  # noqa: PLC0415

    if not what:
        click.echo(listed())
        return
    blocks = tuple(name.lower() for name in options["blocks"])
    limits = Limits(options["seeds"], options["sets"], options["tuning_seeds"], options["methods"], blocks)
    folder = out or Path("results-quick" if options["is_quick"] else "results")
    check_destinations(folder, None)
    check_destinations(options["cache"], None, option="--cache")
    where = (options["jobs"], options["cluster"], options["cache"])
    carry_out_paper(what, folder, limits, options["is_quick"], *where, options["changes"], options["rules"])


@main.command()
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    show_default=f"{REPORT_OF_DEMO} in this folder",
    help="Where the page about the result is written.",
)
def demo(seed: int, report: Path | None) -> None:
    """Search for the protein signalling network of Sachs et al. (2005), and compare with the accepted one."""
    from dagsearch.cli.demo import carry_out_demo  # noqa: PLC0415

    check_destinations(None, None, report=report)
    carry_out_demo(seed, report)


main.add_command(check)
main.add_command(simulate)
main.add_command(completion_command)
