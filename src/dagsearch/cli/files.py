"""Where the commands read tables from and write results to."""

from __future__ import annotations

import json
import os
import shlex
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dagsearch.errors import InputError

if TYPE_CHECKING:
    from dagsearch.data import Dataset, DeclaredKind
    from dagsearch.graph import DAG, Knowledge

_MOST_SAID = 3  # of what an audit found


def load(
    data: str,
    kinds: dict[str, DeclaredKind] | None = None,
    truth: Path | None = None,
    interventions: str | None = None,
    na: Sequence[str] = (),
    fix: bool = False,
    knowledge: Knowledge | None = None,
) -> Dataset:
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
        return table if truth is None else replace(table, truth=_truth_over(known.names, table, truth))
    raw = read_file(data, na)
    # A table that is refused is so with all its problems: nothing is said twice.
    table = _checked(raw, data, kinds, interventions, fix, knowledge)
    announce_findings(raw, data, interventions, fix)
    return table if truth is None else replace(table, truth=_truth_over(_names(raw, interventions), table, truth))


def _is_file(data: str) -> bool:
    return bool(Path(data).suffix or os.sep in data or Path(data).exists())


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


def announce_findings(raw: Any, data: str, interventions: str | None, fix: bool) -> None:
    """Say the most important findings of an audit on standard error, those that are mended apart."""
    from dagsearch.auditing import audit  # noqa: PLC0415

    worth_saying = [
        finding
        for finding in audit(raw, interventions=interventions).findings
        if finding.severity != "low" and not (fix and finding.mended_by_fix)
    ]
    for finding in worth_saying[:_MOST_SAID]:
        click.echo(f"check: {finding.on_one_line}", err=True)
    n_more = len(worth_saying) - _MOST_SAID
    if n_more > 0:
        click.echo(f"check: and {n_more} more: dagsearch check {shlex.quote(data)}", err=True)


def _truth_over(names: Sequence[str], table: Dataset, truth: Path) -> Any:
    """The true graph from a file, over the columns that are left of those with some names.

    Nodes are columns by name, or by position if the file has no names of its own.
    """
    from dagsearch.graph import DAG, read_graph  # noqa: PLC0415
    from dagsearch.graph.checks import default_names  # noqa: PLC0415

    graph = read_graph(truth)
    if not isinstance(graph, DAG):
        raise InputError(f"{truth}: the true graph must be a DAG, this one has undirected edges")
    has_names = truth.suffix.lower() != ".npy" and graph.names != default_names(graph.n_nodes)
    if not has_names and not set(graph.names) <= set(names):
        if graph.n_nodes != len(names):
            raise InputError(f"{truth}: has {graph.n_nodes} nodes without names, the table has {len(names)} columns")
        return _left(graph.with_names(names), table)
    in_edges = {name for edge in graph.edges for name in edge}
    unknown = [name for name in graph.names if name in in_edges and name not in names]
    if unknown:
        raise InputError(f"{truth}: nodes must be columns of the table, got {_some(unknown)}; it has {_some(names)}")
    return _left(DAG.from_edges(graph.edges, names=names), table)


def _left(whole: DAG, table: Dataset) -> DAG:
    """A true graph without columns that were dropped from the table."""
    from dagsearch.auditing.fix import truth_over  # noqa: PLC0415

    return whole if whole.names == table.names else truth_over(whole, table.names)


def _some(names: Sequence[str], most: int = 8) -> str:
    """The first of some names."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def check_destinations(out: Path | None, json_file: str | None, option: str = "--out") -> None:
    """Complain about places that cannot be written to before the search rather than after it."""
    for folder in [] if out is None else [out, *out.parents]:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{option} must be a folder, {folder} is a file")
    if json_file not in (None, "-"):
        parent = Path(str(json_file)).resolve().parent
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            raise InputError(f"--json must be a file in a folder that can be written to, got {json_file}")
        if Path(str(json_file)).is_dir():
            raise InputError(f"--json must be a file, {json_file} is a folder")


def deliver(
    model: Any, dataset: Dataset, data: str, out: Path | None, json_file: str | None, certificate: Any = None
) -> None:
    """Print the result of a fit and write the files that were asked for."""
    from dagsearch.report.terminal import as_text, terminal_width, wrapped  # noqa: PLC0415
    from dagsearch.report.terminal.next_steps import next_steps  # noqa: PLC0415
    from dagsearch.report.text import as_json  # noqa: PLC0415

    if json_file != "-":
        click.echo(as_text(model, dataset, data, certificate, terminal_width()))
    write_json(as_json(model, dataset, data, certificate), json_file)
    if out is not None:
        write_graphs(model, dataset, out)
    proposed = next_steps(model, dataset, out)
    if json_file != "-" and proposed is not None:
        click.echo("\n" + wrapped([proposed], terminal_width()))


def write_json(record: dict[str, Any], json_file: str | None) -> None:
    """Write an object to a file, to standard output if that is ``-``, or nowhere if it is None."""
    text = json.dumps(record, indent=2)
    if json_file == "-":
        click.echo(text)
    elif json_file is not None:
        Path(json_file).write_text(text + "\n", encoding="utf-8")


def write_graphs(model: Any, dataset: Dataset, out: Path) -> None:
    """Write the constructed graph and, if it differs, the pruned one; graphs of an earlier run are removed."""
    from dagsearch.report.directions import class_open_edges  # noqa: PLC0415
    from dagsearch.report.files import remove_older, write_graph  # noqa: PLC0415

    known = {"truth": dataset.truth, "confidence": model.confidence_, "open_edges": class_open_edges(model)}
    known["p_values"] = model.result_.p_values
    with warnings.catch_warnings(record=True) as caught:
        files = write_graph(model.dag_, out, effects=model.effects_along(model.dag_), **known)
        if model.pruned_dag_ != model.dag_:
            files += write_graph(model.pruned_dag_, out, stem="pruned", effects=model.effects_, **known)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        click.echo(f"note: {message}", err=True)
    click.echo(f"\nwrote {', '.join(path.name for path in files)} to {out}", err=True)
    older = remove_older(out, files)
    if older:
        click.echo(f"removed {', '.join(path.name for path in older)} of an earlier run from {out}", err=True)
