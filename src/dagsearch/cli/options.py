"""The options of ``dagsearch discover``, and the estimators that they ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dagsearch.cli.completion import completing
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.parameters import HEADINGS, METHODS, Group, Parameter, declared, every_parameter, methods_that_take

if TYPE_CHECKING:
    from dagsearch.data import DeclaredKind
    from dagsearch.graph import Knowledge

_PARAMETERS = {name: known for name, known in every_parameter().items() if known.option is not None}

OPTION_OF = {
    **{name: str(known.option) for name, known in _PARAMETERS.items()},
    "knowledge": "--knowledge, --tiers, --require, --forbid",
}
"""The option that sets each argument of the estimators, as messages call it, or the options that do so together."""

# An option that few methods take names them.
_FEW = 2


def in_words_of_the_command(message: str, option_of: Mapping[str, str] = OPTION_OF) -> str:
    """A message that names a Python argument, naming the option instead."""
    message = re.sub(r"\b(confidence|missing)='(\w+)'", r"--\1 \2", message)
    message = re.sub(r"\bfix=True\b", "--fix", message)
    for argument, option in option_of.items():
        if argument == "knowledge":
            continue  # the word says what all of its options together are
        message = re.sub(rf"^{argument}(?=[ =])", option, message)
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


_NAME_IN_TIERS = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,;"]+?))\s*([,;]|$)')


def tiers_from_text(_: click.Context, parameter: click.Parameter, value: str | None) -> list[list[str]]:
    """Tiers written as ``a,b;c``; names that hold a comma, a semicolon or a quote are quoted as in CSV files."""
    if value is None:
        return []
    tiers: list[list[str]] = [[]]
    place, between = 0, ","
    while between:
        found = _NAME_IN_TIERS.match(value, place)
        if found is None:
            raise click.BadParameter(f"write tiers as 'a,b;c', from early to late, got {value!r}", param=parameter)
        quoted, plain, between = found.groups()
        tiers[-1].append(plain or quoted.replace('""', '"'))
        tiers += [[]] * (between == ";")
        place = found.end()
    return tiers


KNOWLEDGE_FILE = "dagsearch.knowledge-file"
"""Where the context of a command keeps the path that knowledge was read from."""


def knowledge_from_file(context: click.Context, _: click.Parameter, path: Path | None) -> Knowledge | None:
    """What is known beforehand, from a file."""
    from dagsearch.graph import Knowledge  # noqa: PLC0415

    context.meta[KNOWLEDGE_FILE] = path
    return None if path is None else Knowledge.read(path)


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


def spellings(name: str, known: Parameter) -> list[str]:
    """The names of a parameter's option: as the argument of Python is called, and shorter where there is such a one."""
    in_python = "--" + ("no-" if known.value_type is bool and known.default else "") + name.replace("_", "-")
    return list(dict.fromkeys([in_python, str(known.option)]))


class GroupedOption(click.Option):
    """An option that help shows under a heading: that of its group, or of the methods that alone take it."""

    def __init__(self, *declarations: Any, group: Group, heading: str = "", **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.heading: str = heading or HEADINGS[group]


class GroupedCommand(click.Command):
    """A command whose help has a heading for each group of options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group, and where methods have some of their own, method by method."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if row is not None:
                # --help itself has no group.
                rows.setdefault(getattr(option, "heading", HEADINGS["output"]), []).append(row)
        for heading in sorted(rows, key=_place_of_heading):
            with formatter.section(heading):
                formatter.write_dl(rows[heading])


def _place_of_heading(heading: str) -> int:
    """Headings in the order of their groups; those of single methods stand where settings of methods do."""
    order = list(HEADINGS.values())
    return order.index(heading if heading in order else HEADINGS["method"])


def _option(*names: str, group: Group, **attributes: Any) -> Callable[..., Any]:
    return click.option(*names, cls=GroupedOption, group=group, **attributes)


def _option_of(name: str, known: Parameter) -> Callable[..., Any]:
    """The option of a parameter; its value is None where it is not given, unless it has a default of its own."""
    attributes: dict[str, Any] = {"group": known.group, "help": _help(name, known), "default": known.option_default}
    if known.group == "method":
        attributes["heading"] = f"Only for {', '.join(methods_that_take(name))}"
    if known.suggestions:
        attributes["shell_complete"] = completing(known.suggestions)
    names = spellings(name, known)
    if known.value_type is bool:
        return _option(*names, name, is_flag=True, flag_value=not known.default, **attributes)
    if known.read is None:
        attributes["type"] = known.value_type
    else:
        attributes["callback"] = _reader(known.read)
    if known.option_default is not None:
        attributes["show_default"] = True
    elif known.default is not None:
        attributes["show_default"] = str(known.default)
    return _option(*names, name, **attributes)


def _reader(read: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """What click calls to read the text of an option."""

    def callback(_: click.Context, parameter: click.Parameter, text: str | None) -> Any:
        try:
            return None if text is None else read(text)
        except ValueError as error:
            raise click.BadParameter(str(error), param=parameter) from error

    return callback


def _help(name: str, known: Parameter) -> str:
    """What the help of an option says, with the methods that take it if they are few."""
    text = known.on_command_line or _in_plain_words(known.text)
    takers = methods_that_take(name)
    if len(takers) > _FEW or known.group == "method":
        return text
    return f"{', '.join(takers)}: {text[0].lower()}{text[1:]}"


def _in_plain_words(text: str) -> str:
    """A text of Python's documentation without its marks, naming options for arguments."""

    def plain(marked: re.Match[str]) -> str:
        name, _equals, value = marked[1].partition("=")
        return f"{OPTION_OF.get(name, name)} {value}".strip().replace('"', "")

    return re.sub(r"`+([^`]+)`+", plain, text)


FOCUS_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--focus",),
        {
            "multiple": True,
            "metavar": "NAME",
            "help": "Show only this variable, its causes and effects (repeat for more); files of edges stay complete.",
        },
    ),
    (
        ("--focus-distance",),
        {
            "type": click.IntRange(min=1),
            "default": 1,
            "show_default": True,
            "metavar": "N",
            "help": "With --focus: show what is up to so many edges away.",
        },
    ),
)
"""Names and attributes of the options that say what to look at."""

DISCOVER_OPTIONS: list[Callable[..., Any]] = [
    _option(
        "--method",
        group="score",
        default="auto",
        show_default=True,
        shell_complete=completing(("auto", *METHODS, "all")),
        help=f"{', '.join(METHODS)}, or all of them: all; auto: exact where that takes seconds, cd-uct otherwise. See "
        "dagsearch methods.",
    ),
    *(_option_of(name, known) for name, known in _PARAMETERS.items()),
    _option(
        "--knowledge",
        group="restrictions",
        type=click.Path(path_type=Path),
        metavar="FILE",
        callback=knowledge_from_file,
        help="Required and forbidden edges and tiers in a file: .csv, .json, .yaml, or Tetrad's .txt.",
    ),
    _option(
        "--tiers",
        group="restrictions",
        callback=tiers_from_text,
        metavar="'a,b;c'",
        help="Groups of variables from early to late: no edge leads from a later group to an earlier one.",
    ),
    _option(
        "--require",
        group="restrictions",
        multiple=True,
        callback=edges_from_text,
        help="Edge that must be there: 'cause->effect'.",
    ),
    _option(
        "--forbid",
        group="restrictions",
        multiple=True,
        callback=edges_from_text,
        help="Edge that must not be there: 'cause->effect'.",
    ),
    _option(
        "--certify",
        group="proof",
        is_flag=True,
        help="Report the optimum (or a bound) and the gap of the graph that was found.",
    ),
    _option("--discrete", group="data", callback=listed_names, help="Columns to take as discrete, comma-separated."),
    _option(
        "--continuous", group="data", callback=listed_names, help="Columns to take as continuous, comma-separated."
    ),
    _option(
        "--interventions",
        group="data",
        metavar="COLUMN",
        help="Column that names the variable set by an experimenter in each row (several: a;b; none: empty).",
    ),
    _option(
        "--na", group="data", multiple=True, metavar="VALUE", help="Entry that stands for a missing cell, such as -999."
    ),
    _option(
        "--ordered",
        group="data",
        callback=listed_names,
        help="Columns to take as discrete whose levels have an order, that of their numbers, comma-separated.",
    ),
    _option(
        "--truth", group="data", type=click.Path(path_type=Path), help="File with the true graph, to compare with."
    ),
    _option(
        "--out", group="output", type=click.Path(path_type=Path), help="Folder for graph.dot, .graphml, .csv and .svg."
    ),
    _option(
        "--report",
        group="output",
        type=click.Path(path_type=Path),
        metavar="FILE.html",
        help="One page to look at and to send: graph, edges, relations, checks, how it was made.",
    ),
    _option("--json", "json_file", group="output", help="File for the result as JSON, or - for standard output."),
    *(_option(*names, group="output", **attributes) for names, attributes in FOCUS_OPTIONS),
]


def with_options(options: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Decorate a command with a list of options, in order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def fitting(method: str, options: dict[str, Any]) -> Callable[[Any], Any]:
    """What fits the estimator of a method to a table, with the options that it takes; says which it does not take."""
    if method not in (*METHODS, "auto"):
        raise UnknownNameError("method", method, ["auto", *METHODS, "all"])
    from dagsearch import estimators  # noqa: PLC0415 - imports scikit-learn and numba

    chosen = _taken(method, options)
    chosen.pop("fix", None)  # the table has been mended as it was read
    if method == "auto":
        return partial(estimators.discover, **chosen, progress=True)
    return estimators.METHODS[method](**chosen, progress=True).fit


def _taken(method: str, options: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a method takes; says which options it does not take."""
    from dagsearch.estimators.certificate import check_proof  # noqa: PLC0415

    given = arguments(options)
    kinds = [METHODS[name] for name in (("cd-uct", "exact") if method == "auto" else (method,))]
    taken = {name: known for kind in kinds for name, known in declared(kind).items()}
    if "checkpoint" in given and "checkpoint" not in taken:
        raise InputError(
            f"--checkpoint is for {', '.join(methods_that_take('checkpoint'))}: {method} cannot go on where it was"
        )
    of_proof = {"solver", "time_limit"} if options["certify"] else set()
    if options["certify"]:
        check_proof(options["time_limit"], options["solver"] or "auto")
    for name in sorted(given.keys() - taken.keys() - of_proof):
        click.echo(f"note: {method} takes no {OPTION_OF[name]}, which is ignored", err=True)
    # A solver for the proof alone does not ask for exact search.
    unasked = of_proof if method == "auto" else set()
    return {name: value for name, value in given.items() if name in taken and name not in unasked - {"time_limit"}}


def certificate_of(model: Any, options: dict[str, Any]) -> Any:
    """How far from the optimum a fitted estimator is; exact search knows already."""
    from dagsearch.estimators import ExactSearch, certify  # noqa: PLC0415

    if isinstance(model, ExactSearch):
        return model.certificate_
    return certify(model, options["time_limit"], options["solver"] or "auto", progress=True)


def arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of estimators that were given as options."""
    given = {**{name: options[name] for name in _PARAMETERS}, "knowledge": known_beforehand(options)}
    if given["n_replicates"] is not None and given["confidence"] != "bootstrap":
        raise InputError(f"--replicates is for --confidence bootstrap, got --confidence {given['confidence']}")
    return {name: value for name, value in given.items() if value is not None}


def known_beforehand(options: dict[str, Any]) -> Knowledge | None:
    """What all options together say of edges; None if nothing."""
    from dagsearch.graph import Knowledge  # noqa: PLC0415

    from_file = options["knowledge"] or Knowledge()
    known = from_file.combined(Knowledge(options["require"], options["forbid"], options["tiers"]))
    return None if known.is_empty else known


def kinds(options: dict[str, Any]) -> dict[str, DeclaredKind]:
    """Kinds of columns that the user declared."""
    declared: dict[str, DeclaredKind] = {}
    for kind in ("discrete", "continuous", "ordered"):
        for name in options[kind]:
            if declared.setdefault(name, kind) != kind:
                raise InputError(f"column {name!r} is declared both --{declared[name]} and --{kind}")
    return declared
