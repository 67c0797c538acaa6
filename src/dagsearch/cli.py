"""The command ``dagsearch``.

Only click is imported at the top, so that help and errors of usage come at once.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dagsearch._version import __version__
from dagsearch.errors import DagsearchError, InputError, UnknownNameError

if TYPE_CHECKING:
    from dagsearch.data import Dataset, Kind
    from dagsearch.graph import Knowledge

EXIT_WRONG_USE = 2


class _WrongUse(click.ClickException):
    """One clear message and exit code 2."""

    exit_code = EXIT_WRONG_USE


class _Group(click.Group):
    """A group of commands whose errors on purpose are messages, not tracebacks."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DagsearchError as error:
            raise _WrongUse(_in_words_of_the_command(str(error))) from error


def _in_words_of_the_command(message: str) -> str:
    """A message that names a Python argument, naming the option instead."""
    for argument, option in _OPTION_OF.items():
        message = re.sub(rf"^{argument}\b", option, message)
    return message


_OPTION_OF = {
    "score": "--score",
    "variances": "--variances",
    "penalty": "--penalty",
    "edge_budget": "--edges",
    "sims_per_node": "--sims-per-node",
    "horizon": "--horizon",
    "exploration": "--exploration",
    "n_restarts": "--restarts",
    "alpha": "--alpha",
    "neighbour_selection": "--no-selection",
    "max_parents": "--max-parents",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "time_limit": "--time-limit",
}


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dagsearch")
def main() -> None:
    """Causal discovery: from a table to the graph of which variable causes which."""


def _names(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """A comma-separated list."""
    return [name.strip() for name in value.split(",") if name.strip()] if value else []


def _edges(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Edges written as ``cause->effect``."""
    edges = []
    for value in values:
        cause, arrow, effect = value.partition("->")
        if not arrow or not cause.strip() or not effect.strip():
            raise click.BadParameter(f"write an edge as 'cause->effect', got {value!r}", param=parameter)
        edges.append((cause.strip(), effect.strip()))
    return edges


_DISCOVER_OPTIONS: list[Callable[..., Any]] = [
    click.option(
        "--method",
        default="cd-uct",
        show_default=True,
        help="cd-uct, greedy, random-search, random-sampling, cam.",
    ),
    click.option(
        "--score",
        show_default="auto",
        help="auto, bic-linear, bic-quadratic, bic-gp, bic-gam, bic-discrete, bdeu.",
    ),
    click.option("--variances", show_default="different", help="different or equal residual variances."),
    click.option(
        "--penalty",
        show_default="auto",
        help="edges, parameters; auto: edges if --edges is given.",
    ),
    click.option("--edges", type=int, help="Number of edges to construct; by default the score decides."),
    click.option("--sims-per-node", type=float, help="Simulations per decision, times the number of variables."),
    click.option("--horizon", type=int, help="A simulation adds at most so many edges."),
    click.option("--exploration", type=float, help="Weight of exploration in the tree."),
    click.option("--exploration-scale", help="root-mean (as in the paper's runs) or none."),
    click.option("--final-move", help="most-visits or highest-mean."),
    click.option("--restarts", type=int, help="Independent searches; the best graph is kept."),
    click.option("--max-parents", type=int, help="No variable gets more causes."),
    click.option("--require", multiple=True, callback=_edges, help="Edge that must be there: 'cause->effect'."),
    click.option("--forbid", multiple=True, callback=_edges, help="Edge that must not be there: 'cause->effect'."),
    click.option("--discrete", callback=_names, help="Columns to take as discrete, comma-separated."),
    click.option("--continuous", callback=_names, help="Columns to take as continuous, comma-separated."),
    click.option("--prune", show_default="auto", help="auto, cam, coefficients or none."),
    click.option("--alpha", type=float, help="Significance level of --prune cam; 0.001 by default."),
    click.option("--no-selection", is_flag=True, help="cam: search without preliminary neighbour selection."),
    click.option("--truth", type=click.Path(path_type=Path), help="File with the true graph, to compare with."),
    click.option("--seed", type=int, default=0, show_default=True, help="Same data, settings and seed: same graph."),
    click.option("--jobs", type=int, default=-1, help="Threads; by default all cores. Changes no result."),
    click.option("--time-limit", type=float, help="Seconds; the best graph so far is then returned."),
    click.option("--out", type=click.Path(path_type=Path), help="Folder for graph.dot, .graphml, .csv and .svg."),
    click.option("--json", "json_file", help="File for the result as JSON, or - for standard output."),
]


def _with_options(options: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Decorate a command with a list of options, in order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@main.command()
@click.argument("data")
@_with_options(_DISCOVER_OPTIONS)
def discover(data: str, **options: Any) -> None:
    """Find the graph behind DATA: a file (.csv, .tsv, .parquet, .npy) or the name of a data set."""
    _check_destinations(options["out"], options["json_file"])
    estimator = _estimator(options)
    dataset = _load(data, _kinds(options), options["truth"])
    estimator.fit(dataset)
    _deliver(estimator, dataset, data, options["out"], options["json_file"])


def _estimator(options: dict[str, Any]) -> Any:
    """The estimator of the chosen method, with the options that it takes."""
    from dagsearch.estimators import METHODS  # noqa: PLC0415 - see the module's docstring

    method = options["method"]
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    parameters = {
        "score": options["score"],
        "variances": options["variances"],
        "penalty": options["penalty"],
        "edge_budget": options["edges"],
        "sims_per_node": options["sims_per_node"],
        "horizon": options["horizon"],
        "exploration": options["exploration"],
        "exploration_scale": options["exploration_scale"],
        "final_move": options["final_move"],
        "n_restarts": options["restarts"],
        "max_parents": options["max_parents"],
        "knowledge": _knowledge(options),
        "prune": options["prune"],
        "alpha": options["alpha"],
        "neighbour_selection": False if options["no_selection"] else None,
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
        "time_limit": options["time_limit"],
        "progress": True,
    }
    taken = METHODS[method]().get_params()
    given = {name: value for name, value in parameters.items() if value is not None}
    for name in sorted(given.keys() - taken.keys()):
        click.echo(f"note: {method} takes no {_OPTION_OF.get(name, name)}, which is ignored", err=True)
    return METHODS[method](**{name: value for name, value in given.items() if name in taken})


def _knowledge(options: dict[str, Any]) -> Knowledge | None:
    from dagsearch.graph import Knowledge  # noqa: PLC0415

    if not options["require"] and not options["forbid"]:
        return None
    return Knowledge(required=options["require"], forbidden=options["forbid"])


def _kinds(options: dict[str, Any]) -> dict[str, Kind]:
    """Kinds that the user declared."""
    both = set(options["discrete"]) & set(options["continuous"])
    if both:
        raise InputError(f"column {sorted(both)[0]!r} is declared both --discrete and --continuous")
    kinds: dict[str, Kind] = dict.fromkeys(options["discrete"], "discrete")
    return {**kinds, **dict.fromkeys(options["continuous"], "continuous")}


def _load(data: str, kinds: dict[str, Kind] | None = None, truth: Path | None = None) -> Dataset:
    """A table from a file or by its name, with its true graph if that is known."""
    from dataclasses import replace  # noqa: PLC0415

    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.data import as_dataset, read_dataset  # noqa: PLC0415

    is_file = Path(data).suffix or os.sep in data or Path(data).exists()
    table = read_dataset(data, kinds) if is_file else as_dataset(datasets.load(data), kinds)
    return table if truth is None else replace(table, truth=_truth_over(table, truth))


def _truth_over(table: Dataset, truth: Path) -> Any:
    """The true graph from a file, over the table's columns."""
    from dagsearch.graph import DAG  # noqa: PLC0415
    from dagsearch.graph.export import from_file  # noqa: PLC0415

    graph = from_file(truth)
    if not isinstance(graph, DAG):
        raise InputError(f"{truth}: the true graph must be a DAG, this one has undirected edges")
    if graph.n_nodes == table.n_nodes and not set(graph.names) & set(table.names):
        return DAG.from_adjacency(graph.adjacency, names=table.names)
    return DAG.from_edges(graph.edges, names=table.names)


def _check_destinations(out: Path | None, json_file: str | None) -> None:
    """Complain about places that cannot be written to before the search rather than after it."""
    for folder in [] if out is None else [out, *out.parents]:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"--out must be a folder, {folder} is a file")
    if json_file not in (None, "-"):
        parent = Path(str(json_file)).resolve().parent
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            raise InputError(f"--json must be a file in a folder that can be written to, got {json_file}")
        if Path(str(json_file)).is_dir():
            raise InputError(f"--json must be a file, {json_file} is a folder")


def _deliver(estimator: Any, dataset: Dataset, data: str, out: Path | None, json_file: str | None) -> None:
    """Print the result and write the files that were asked for."""
    from dagsearch.report.files import write_graph  # noqa: PLC0415
    from dagsearch.report.text import as_json, as_text  # noqa: PLC0415

    if json_file == "-":
        click.echo(json.dumps(as_json(estimator, dataset, data), indent=2))
    else:
        click.echo(as_text(estimator, dataset, data))
    if json_file not in (None, "-"):
        Path(str(json_file)).write_text(
            json.dumps(as_json(estimator, dataset, data), indent=2) + "\n", encoding="utf-8"
        )
    if out is not None:
        with warnings.catch_warnings(record=True) as caught:
            files = write_graph(estimator.dag_, out, truth=dataset.truth)
            if estimator.pruned_dag_ != estimator.dag_:
                files += write_graph(estimator.pruned_dag_, out, stem="pruned", truth=dataset.truth)
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            click.echo(f"note: {message}", err=True)
        click.echo(f"\nwrote {', '.join(path.name for path in files)} to {out}", err=True)


@main.command()
@click.argument("found", type=click.Path(path_type=Path))
@click.argument("truth", type=click.Path(path_type=Path))
@click.option("--json", "json_file", help="File for the metrics as JSON, or - for standard output.")
def compare(found: Path, truth: Path, json_file: str | None) -> None:
    """Compare the graph FOUND with the graph TRUTH: files (.csv, .graphml, .npy, .json) or names of data sets."""
    from dagsearch import datasets, metrics  # noqa: PLC0415
    from dagsearch.graph.export import from_file  # noqa: PLC0415

    _check_destinations(None, json_file)

    def graph(path: Path) -> Any:
        return from_file(path) if path.suffix or path.exists() else datasets.load(str(path)).truth

    true_graph = graph(truth)
    result = metrics.compare(graph(found), true_graph)
    if json_file == "-":
        click.echo(json.dumps(result, indent=2))
        return
    for name, value in result.items():
        click.echo(f"{name:>14}  {value:.4f}" if isinstance(value, float) else f"{name:>14}  {value}")
    if json_file is not None:
        Path(json_file).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


@main.command("datasets")
@click.argument("name", required=False)
def datasets_command(name: str | None) -> None:
    """List the data sets that can be named in place of a file, or describe one."""
    from dagsearch import datasets  # noqa: PLC0415

    for each in [name] if name else datasets.names():
        info = datasets.describe(each)
        edges = "?" if info.n_true_edges is None else info.n_true_edges
        line = f"{info.name:<18} {info.n_samples:>6} x {info.n_nodes:<3} {info.kind:<11} {edges:>4} true edges"
        click.echo(line)
        if name:
            click.echo(f"{info.citation}\n{info.where}")


@main.command()
@click.option("--seed", type=int, default=0, show_default=True)
def demo(seed: int) -> None:
    """Search for the protein signalling network of Sachs et al. (2005), and compare with the accepted one."""
    from dagsearch.estimators import CDUCT  # noqa: PLC0415
    from dagsearch.report.text import as_text  # noqa: PLC0415

    click.echo("Sachs et al. (2005): 11 proteins and phospholipids measured in 853 single human immune cells.")
    click.echo("(The first run compiles the search loop, which takes a while; later runs start at once.)\n")
    data = _load("sachs")
    estimator = CDUCT(random_state=seed, n_jobs=-1, progress=True).fit(data)
    click.echo(as_text(estimator, data, "sachs"))


if __name__ == "__main__":
    main()
