"""The options of ``dagsearch discover``, and the estimators that they ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dagsearch.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from dagsearch.data import Kind
    from dagsearch.graph import Knowledge

OPTION_OF = {
    "score": "--score",
    "variances": "--variances",
    "penalty": "--penalty",
    "levels": "--levels",
    "edge_budget": "--edges",
    "budget": "--budget",
    "sims_per_node": "--sims-per-node",
    "horizon": "--horizon",
    "exploration": "--exploration",
    "exploration_scale": "--exploration-scale",
    "final_move": "--final-move",
    "n_restarts": "--restarts",
    "max_parents": "--max-parents",
    "n_best": "--best",
    "solver": "--solver",
    "knowledge": "--require and --forbid",
    "prune": "--prune",
    "alpha": "--alpha",
    "neighbour_selection": "--no-selection",
    "max_iter": "--max-iter",
    "l1": "--l1",
    "threshold": "--threshold",
    "repair": "--repair",
    "ci_test": "--ci-test",
    "ci_level": "--ci-level",
    "n_iterations": "--iterations",
    "batch_size": "--batch-size",
    "input_dimension": "--input-dimension",
    "learning_rate": "--learning-rate",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "time_limit": "--time-limit",
}
"""The option that sets each argument of the estimators."""


def in_words_of_the_command(message: str, option_of: Mapping[str, str] = OPTION_OF) -> str:
    """A message that names a Python argument, naming the option instead."""
    for argument, option in option_of.items():
        message = re.sub(rf"^{argument}\b", option, message)
    return message


def listed_names(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """A comma-separated list."""
    return [name.strip() for name in value.split(",") if name.strip()] if value else []


def edges_from_text(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Edges written as ``cause->effect``."""
    edges = []
    for value in values:
        cause, arrow, effect = value.partition("->")
        if not arrow or not cause.strip() or not effect.strip():
            raise click.BadParameter(f"write an edge as 'cause->effect', got {value!r}", param=parameter)
        edges.append((cause.strip(), effect.strip()))
    return edges


def levels_from_text(_: click.Context, parameter: click.Parameter, value: str | None) -> str | dict[str, int] | None:
    """``seen``, ``declared``, or numbers of levels by column, written as ``name=count,name=count``."""
    if value is None or value in ("seen", "declared"):
        return value
    levels: dict[str, int] = {}
    for part in value.split(","):
        name, _equals, count = (word.strip() for word in part.rpartition("="))
        if not name or not count.isdecimal():
            message = f"write 'seen', 'declared', or levels of columns as 'name=count,name=count', got {value!r}"
            raise click.BadParameter(message, param=parameter)
        if name in levels:
            raise click.BadParameter(f"column {name!r} is there twice, got {value!r}", param=parameter)
        levels[name] = int(count)
    return levels


def settings_from_text(
    _: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, int | float | str], ...]:
    """Settings written as ``name=value``, with dashes or underscores; numbers are read as such."""
    settings = []
    for text in values:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise click.BadParameter(f"write a setting as 'name=value', got {text!r}", param=parameter)
        settings.append((name.replace("-", "_"), _number_or_text(value)))
    return tuple(settings)


def _number_or_text(value: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(value)
        except ValueError:
            continue
    return value


DISCOVER_OPTIONS: list[Callable[..., Any]] = [
    click.option(
        "--method",
        default="cd-uct",
        show_default=True,
        help="cd-uct, greedy, random-search, random-sampling, cam, notears, lingam, ges, pc, exact, rl-bic, or all of "
        "them: all. See dagsearch methods.",
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
    click.option(
        "--levels",
        show_default="seen",
        callback=levels_from_text,
        help="Levels of columns for discrete scores: seen, declared (by the table), or name=count,name=count.",
    ),
    click.option("--edges", type=int, help="Number of edges to construct; by default the score decides."),
    click.option("--budget", help="exact: --edges means exactly (default) or at-most so many."),
    click.option("--sims-per-node", type=float, help="Simulations per decision, times the number of variables."),
    click.option("--horizon", type=int, help="A simulation adds at most so many edges."),
    click.option("--exploration", type=float, help="Weight of exploration in the tree."),
    click.option("--exploration-scale", help="root-mean (as in the paper's runs) or none."),
    click.option("--final-move", help="most-visits or highest-mean."),
    click.option("--restarts", type=int, help="Independent searches; the best graph is kept."),
    click.option("--max-parents", type=int, help="No variable gets more causes."),
    click.option(
        "--require", multiple=True, callback=edges_from_text, help="Edge that must be there: 'cause->effect'."
    ),
    click.option(
        "--forbid", multiple=True, callback=edges_from_text, help="Edge that must not be there: 'cause->effect'."
    ),
    click.option("--discrete", callback=listed_names, help="Columns to take as discrete, comma-separated."),
    click.option("--continuous", callback=listed_names, help="Columns to take as continuous, comma-separated."),
    click.option("--prune", show_default="auto", help="auto, cam, coefficients or none."),
    click.option("--alpha", type=float, help="Significance level of --prune cam; 0.001 by default."),
    click.option("--no-selection", is_flag=True, help="cam: search without preliminary neighbour selection."),
    click.option("--l1", type=float, help="notears: weight of the L1 penalty; 0.1 by default."),
    click.option("--threshold", type=float, help="notears: smallest weight that is an edge; 0.3 by default."),
    click.option("--repair", is_flag=True, help="notears: drop the smallest weights on cycles if there are any."),
    click.option("--max-iter", type=int, help="lingam: most iterations of FastICA; 1000 by default."),
    click.option("--ci-test", help="pc: fisherz, gsq or chisq; by default by the kinds of the columns."),
    click.option("--ci-level", type=float, help="pc: level of the tests of independence; 0.05 by default."),
    click.option("--iterations", type=int, help="rl-bic: steps of training; 20000 by default."),
    click.option("--batch-size", type=int, help="rl-bic: graphs sampled in each step; 64 by default."),
    click.option("--input-dimension", type=int, help="rl-bic: observations that describe a variable; 64 by default."),
    click.option("--learning-rate", type=float, help="rl-bic: of Adam at the start; 0.001 by default."),
    click.option("--best", type=int, help="exact: find so many of the best graphs; 1 by default."),
    click.option("--solver", help="exact, --certify: auto, dynamic, highs or scip."),
    click.option(
        "--certify", is_flag=True, help="Report the optimum (or a bound) and the gap of the graph that was found."
    ),
    click.option("--truth", type=click.Path(path_type=Path), help="File with the true graph, to compare with."),
    click.option("--seed", type=int, default=0, show_default=True, help="Same data, settings and seed: same graph."),
    click.option("--jobs", type=int, default=-1, help="Threads; by default all cores. Changes no result."),
    click.option("--time-limit", type=float, help="Seconds; the best graph so far is then returned."),
    click.option("--out", type=click.Path(path_type=Path), help="Folder for graph.dot, .graphml, .csv and .svg."),
    click.option("--json", "json_file", help="File for the result as JSON, or - for standard output."),
]


def with_options(options: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Decorate a command with a list of options, in order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def estimator(method: str, options: dict[str, Any]) -> Any:
    """The estimator of a method, with the options that it takes; says which ones it does not take."""
    from dagsearch.estimators import METHODS  # noqa: PLC0415 - imports scikit-learn and numba
    from dagsearch.estimators.certificate import check_proof  # noqa: PLC0415

    if method not in METHODS:
        raise UnknownNameError("method", method, [*METHODS, "all"])
    given = arguments(options)
    taken = METHODS[method]().get_params()
    of_proof = {"solver", "time_limit"} if options["certify"] else set()
    if options["certify"]:
        check_proof(options["time_limit"], options["solver"] or "auto")
    for name in sorted(given.keys() - taken.keys() - of_proof):
        if name == "knowledge":
            raise InputError(f"{method} cannot be told what is known beforehand: it takes no --require and --forbid")
        click.echo(f"note: {method} takes no {OPTION_OF[name]}, which is ignored", err=True)
    return METHODS[method](**{name: value for name, value in given.items() if name in taken}, progress=True)


def certificate_of(model: Any, options: dict[str, Any]) -> Any:
    """How far from the optimum a fitted estimator is; exact search knows already."""
    from dagsearch.estimators import ExactSearch, certify  # noqa: PLC0415

    if isinstance(model, ExactSearch):
        return model.certificate_
    return certify(model, options["time_limit"], options["solver"] or "auto", progress=True)


def arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of estimators that were given as options."""
    by_argument = {
        "score": options["score"],
        "variances": options["variances"],
        "penalty": options["penalty"],
        "levels": options["levels"],
        "edge_budget": options["edges"],
        "budget": options["budget"],
        "sims_per_node": options["sims_per_node"],
        "horizon": options["horizon"],
        "exploration": options["exploration"],
        "exploration_scale": options["exploration_scale"],
        "final_move": options["final_move"],
        "n_restarts": options["restarts"],
        "max_parents": options["max_parents"],
        "n_best": options["best"],
        "solver": options["solver"],
        "knowledge": _knowledge(options),
        "prune": options["prune"],
        "alpha": options["alpha"],
        "neighbour_selection": False if options["no_selection"] else None,
        "max_iter": options["max_iter"],
        "l1": options["l1"],
        "threshold": options["threshold"],
        "repair": options["repair"] or None,
        "ci_test": options["ci_test"],
        "ci_level": options["ci_level"],
        "n_iterations": options["iterations"],
        "batch_size": options["batch_size"],
        "input_dimension": options["input_dimension"],
        "learning_rate": options["learning_rate"],
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
        "time_limit": options["time_limit"],
    }
    return {name: value for name, value in by_argument.items() if value is not None}


def _knowledge(options: dict[str, Any]) -> Knowledge | None:
    from dagsearch.graph import Knowledge  # noqa: PLC0415

    if not options["require"] and not options["forbid"]:
        return None
    return Knowledge(required=options["require"], forbidden=options["forbid"])


def kinds(options: dict[str, Any]) -> dict[str, Kind]:
    """Kinds of columns that the user declared."""
    both = set(options["discrete"]) & set(options["continuous"])
    if both:
        raise InputError(f"column {sorted(both)[0]!r} is declared both --discrete and --continuous")
    declared: dict[str, Kind] = dict.fromkeys(options["discrete"], "discrete")
    return {**declared, **dict.fromkeys(options["continuous"], "continuous")}
