"""Where the commands read tables from and write results to."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import click

from dagsearch._writing import write_whole
from dagsearch.errors import InputError, as_named

if TYPE_CHECKING:
    from dagsearch.auditing import Audit
    from dagsearch.data import Dataset, DeclaredKind
    from dagsearch.graph import DAG, Knowledge
    from dagsearch.graph.focus import Focus

COMMAND_LINE = "dagsearch.command-line"
"""Where the context of a command keeps the arguments that it was given."""

_MOST_SAID = 3  # of what an audit found


class Loaded(NamedTuple):
    """A table, and the audit of the file that it was read from, if it was."""

    table: Dataset
    findings: Audit | None


def load_audited(
    data: str,
    kinds: dict[str, DeclaredKind] | None = None,
    truth: Path | None = None,
    interventions: str | None = None,
    na: Sequence[str] = (),
    fix: bool = False,
    knowledge: Knowledge | None = None,
) -> Loaded:
    """A table from a file or by its name, with its true graph if that is known; cells may be missing.

    A file is audited: the most important findings go to standard error, and ``fix`` mends what can be mended safely.
    """
    from dataclasses import replace  # noqa: PLC0415

    from dagsearch import datasets  # noqa: PLC0415
    from dagsearch.auditing import mended_dataset  # noqa: PLC0415
    from dagsearch.data import as_dataset  # noqa: PLC0415
    from dagsearch.data.reading import read_file  # noqa: PLC0415

    if not _is_file(data):
        known = datasets.load(data)
        told: dict[str, Any] = {"kinds": kinds, "interventions": interventions}
        table = mended_dataset(known, **told, knowledge=knowledge) if fix else as_dataset(known, **told)
        return Loaded(
            table if truth is None else replace(table, truth=_truth_over(known.names, table, truth)), findings=None
        )
    raw = read_file(data, na)
    # A table that is refused is so with all its problems: nothing is said twice.
    table = _checked(raw, data, kinds, interventions, fix, knowledge)
    findings = announce_findings(raw, data, interventions, fix)
    if truth is not None:
        table = replace(table, truth=_truth_over(_names(raw, interventions), table, truth))
    return Loaded(table, findings)


def _is_file(data: str) -> bool:
    return bool(Path(data).suffix or os.sep in data or os.path.exists(data))


def _names(raw: Any, interventions: str | None) -> list[str]:
    """The variables of a raw table."""
    from dagsearch.auditing.table import table_of  # noqa: PLC0415

    return [str(name) for name in table_of(raw).names if str(name) != interventions]


def _checked(
    raw: Any,
    data: str,
    kinds: dict[str, DeclaredKind] | None,
    interventions: str | None,
    fix: bool,
    knowledge: Knowledge | None,
) -> Dataset:
    """The table of a file, mended if that is asked for; the message of an error starts with the path."""
    from dagsearch.auditing import mended_dataset  # noqa: PLC0415
    from dagsearch.data import as_dataset  # noqa: PLC0415
    from dagsearch.errors import DataError  # noqa: PLC0415

    try:
        if fix:
            return mended_dataset(raw, kinds, interventions, knowledge)
        return as_dataset(raw, kinds, interventions=interventions, may_miss=True)
    except DataError as error:
        raise DataError(f"{data}: {error}") from error


def announce_findings(raw: Any, data: str, interventions: str | None, fix: bool) -> Audit:
    """Say the most important findings of an audit on standard error, those that are mended apart; returns all."""
    from dagsearch.auditing import audit  # noqa: PLC0415

    found = audit(raw, interventions=interventions)
    worth_saying = [
        finding for finding in found.findings if finding.severity != "low" and not (fix and finding.mended_by_fix)
    ]
    for finding in worth_saying[:_MOST_SAID]:
        click.echo(f"check: {finding.on_one_line}", err=True)
    n_more = len(worth_saying) - _MOST_SAID
    if n_more > 0:
        click.echo(f"check: and {n_more} more: dagsearch check {shlex.quote(data)}", err=True)
    return found


def _truth_over(names: Sequence[str], table: Dataset, truth: Path) -> Any:
    """The true graph from a file, over the columns that are left of those with some names.

    Nodes are columns by name, or by position if the file has no names of its own.
    """
    from dagsearch.graph import DAG  # noqa: PLC0415
    from dagsearch.graph.reading import read_graph_file  # noqa: PLC0415

    graph, has_names, _ = read_graph_file(truth)
    if not isinstance(graph, DAG):
        raise InputError(f"{truth}: the true graph must be a DAG, this one has undirected edges")
    if not has_names:
        if graph.n_nodes != len(names):
            raise InputError(f"{truth}: has {graph.n_nodes} nodes without names, the table has {len(names)} columns")
        return _left(graph.with_names(names), table)
    unknown = [name for name in graph.names if name not in names]
    if unknown:
        in_edges = {name for edge in graph.edges for name in edge}
        unknown = [name for name in unknown if name in in_edges] or unknown
        raise InputError(f"{truth}: nodes must be columns of the table, got {some(unknown)}; it has {some(names)}")
    lacking = [name for name in names if name not in graph.names]
    if lacking:
        click.echo(f"note: {truth} lacks {some(lacking)}: taken as nodes without edges", err=True)
    return _left(DAG.from_edges(graph.edges, names=names), table)


def _left(whole: DAG, table: Dataset) -> DAG:
    """A true graph without columns that were dropped from the table."""
    from dagsearch.auditing.fix import truth_over  # noqa: PLC0415

    return whole if whole.names == table.names else truth_over(whole, table.names)


def some(names: Sequence[str], most: int = 8) -> str:
    """The first of some names."""
    return ", ".join(map(as_named, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def focus_asked_for(options: dict[str, Any]) -> Focus | None:
    """What ``--focus`` and ``--focus-distance`` ask to look at; None: everything."""
    from dagsearch.graph.focus import focus_of  # noqa: PLC0415

    return focus_of(options["focus"], options["focus_distance"])


class Deliveries:
    """The places that a result goes to: where one cannot be written to, the others still get theirs.

    What went wrong is raised at the end, so that no result of a long search is lost with a place for another part of
    it.
    """

    def __init__(self) -> None:
        self._failures: list[OSError | InputError] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        refused = [failure for failure in self._failures if isinstance(failure, InputError)]
        if kind is not None or not self._failures:
            return
        if refused:
            raise InputError("; ".join(map(str, refused))) from refused[0]
        raise self._failures[0]

    @contextmanager
    def one(self) -> Iterator[None]:
        """Deliver to one place."""
        try:
            yield
        except (OSError, InputError) as failure:
            self._failures.append(failure)


def deliver(model: Any, loaded: Loaded, data: str, options: dict[str, Any], certificate: Any = None) -> None:
    """Print the result of a fit and write the files that were asked for."""
    from dagsearch.report.terminal import as_text, terminal_width, wrapped  # noqa: PLC0415
    from dagsearch.report.terminal.next_steps import next_steps  # noqa: PLC0415
    from dagsearch.report.text import as_json  # noqa: PLC0415

    dataset, out, json_file, report = loaded.table, options["out"], options["json_file"], options["report"]
    focus = focus_asked_for(options)
    with Deliveries() as deliveries:
        if json_file != "-":
            with deliveries.one():
                click.echo(as_text(model, dataset, data, certificate, terminal_width(), focus))
        with deliveries.one():
            write_json(as_json(model, dataset, data, certificate), json_file)
        if out is not None:
            with deliveries.one():
                write_graphs(model, dataset, out, focus)
        if report is not None:
            with deliveries.one():
                write_page(model, loaded, data, report, certificate, focus=focus)
    proposed = next_steps(model, dataset, out, report)
    if json_file != "-" and proposed is not None:
        click.echo("\n" + wrapped([proposed], terminal_width()))


def write_page(
    model: Any,
    loaded: Loaded,
    data: str,
    report: Path,
    certificate: Any = None,
    further: tuple[Any, ...] = (),
    focus: Focus | None = None,
) -> None:
    """Write the page about a fit, and say where it is."""
    from dagsearch.report.page import write_report  # noqa: PLC0415

    command = shlex.join(["dagsearch", *click.get_current_context().meta[COMMAND_LINE]])
    # The page is sent to others; in which folder the file lies stands in the command alone.
    looked_at = None if focus is None else focus.names
    write_report(model, report, Path(data).name, command, certificate, loaded.findings, further, looked_at)
    click.echo(f"\nwrote the report {report}", err=True)


def write_json(record: dict[str, Any], json_file: str | None) -> None:
    """Write an object to a file, to standard output if that is ``-``, or nowhere if it is None."""
    text = json.dumps(record, indent=2)
    if json_file == "-":
        click.echo(text)
    elif json_file is not None:
        write_whole(json_file, text + "\n", "--json")


def write_graphs(model: Any, dataset: Dataset, out: Path, focus: Focus | None = None) -> None:
    """Write the constructed graph and, if it differs, the pruned one; graphs of an earlier run are removed."""
    from dagsearch.report.directions import class_open_edges  # noqa: PLC0415
    from dagsearch.report.files import remove_older, write_graph  # noqa: PLC0415

    known = {"truth": dataset.truth, "confidence": model.confidence_, "open_edges": class_open_edges(model)}
    known["p_values"] = model.result_.p_values
    if focus is not None:
        known |= {"focus": focus.names, "focus_distance": focus.distance}
    files = write_graph(model.dag_, out, effects=model.effects_along(model.dag_), **known)
    if model.pruned_dag_ != model.dag_:
        files += write_graph(model.pruned_dag_, out, stem="pruned", effects=model.effects_, **known)
    click.echo(f"\nwrote {', '.join(path.name for path in files)} to {out}", err=True)
    older = remove_older(out, files)
    if older:
        click.echo(f"removed {', '.join(path.name for path in older)} of an earlier run from {out}", err=True)
