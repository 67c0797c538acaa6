"""The safe remedies: what ``fix=True`` (``--fix``) does to a table.

Columns that tell nothing are dropped, texts that mean numbers are read as such, and of columns that hold the same one
is kept. Columns that somebody speaks of elsewhere, in ``kinds``, in what is known beforehand, or since they were set by
experiments, are never dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dagsearch.auditing.columns import raw_column
from dagsearch.auditing.look import audited
from dagsearch.auditing.result import Audit
from dagsearch.auditing.table import table_of
from dagsearch.data import Dataset, DeclaredKind, as_dataset
from dagsearch.data.interventions import settings_from
from dagsearch.data.reading import Table
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph import DAG, Knowledge


@dataclass(frozen=True, eq=False)
class Mended:
    """A table after the safe remedies.

    Attributes
    ----------
    table
        What is left.
    done
        What was done, in sentences.
    interventions
        What was set by experiments, for the columns that are left; None if nothing is said about it.
    """

    table: Table
    done: tuple[str, ...]
    interventions: pd.DataFrame | None = None


def applied(found: Audit, data: Any) -> tuple[Table, tuple[str, ...]]:
    """Apply what an audit of a table found and can be mended; the table itself is not changed."""
    table = table_of(data)
    repairs = [finding.repair for finding in found.findings if finding.repair is not None]
    dropped = {position for repair in repairs for position in repair.dropped}
    # What another finding drops need not be read.
    converted = {position for repair in repairs for position in repair.converted} - dropped
    done = tuple(r.done for r in repairs if r.dropped or converted & set(r.converted))
    kept = [k for k in range(len(table.columns)) if k not in dropped]
    columns = [_as_numbers(table, k) if k in converted else table.columns[k] for k in kept]
    categories = [None if k in converted else table.categories[k] for k in kept]
    ordered = [k not in converted and table.ordered[k] for k in kept]
    return Table([table.names[k] for k in kept], columns, categories, ordered, table.notes), done


def _as_numbers(table: Table, position: int) -> pd.Series[Any]:
    """The numbers that the entries of a column mean."""
    read = raw_column(str(table.names[position]), position, table.columns[position])
    return pd.Series(read.values)


def mend(
    data: Any, kinds: Mapping[str, DeclaredKind] | None = None, interventions: Any = None, spoken_of: Iterable[str] = ()
) -> Mended:
    """Audit a table and apply the safe remedies.

    Parameters
    ----------
    data
        A raw table.
    kinds
        Columns whose kind is declared, which are not dropped. Labels that are declared so are not read as numbers.
    interventions
        As `dagsearch.as_dataset` takes it; what was set is not dropped.
    spoken_of
        Further columns that are not dropped.

    Raises
    ------
    UnknownNameError
        If `kinds` or `interventions` names a column that the table has not.
    """
    table = table_of(data)
    names = tuple(map(str, table.names))
    for name in kinds or {}:
        if str(name) not in names:
            raise UnknownNameError("column", str(name), names)
    marker = interventions if isinstance(interventions, str) else None
    was_set = _what_was_set(interventions, names, table)
    kept = {*map(str, kinds or {}), *map(str, spoken_of), *_any_set(was_set)}
    labels = {str(name) for name, kind in (kinds or {}).items() if kind != "continuous"}
    found = audited(table, kept, left_out=() if marker is None else (marker,))
    found = replace(found, findings=tuple(f for f in found.findings if not _reads(f.repair, labels, names)))
    mended, done = applied(found, table)
    if was_set is not None:
        mended = _without(mended, marker)
        was_set = was_set[[str(name) for name in mended.names]]
    return Mended(mended, done, was_set)


def _reads(repair: Any, labels: Collection[str], names: tuple[str, ...]) -> bool:
    """Whether a repair would read as numbers what is declared to be labels."""
    return repair is not None and any(names[position] in labels for position in repair.converted)


def _what_was_set(interventions: Any, names: tuple[str, ...], table: Table) -> pd.DataFrame | None:
    """What was set in which row, with a column for each variable."""
    if interventions is None:
        return None
    n_rows = len(table.columns[0]) if table.columns else 0
    if not isinstance(interventions, str):
        return pd.DataFrame(settings_from(interventions, names, n_rows), columns=list(names))
    if interventions not in names:
        raise UnknownNameError("interventions: column", interventions, names)
    variables = [name for name in names if name != interventions]
    entries = table.columns[names.index(interventions)]
    return pd.DataFrame(settings_from(entries, variables, n_rows), columns=variables)


def _any_set(was_set: pd.DataFrame | None) -> list[str]:
    return [] if was_set is None else [str(name) for name in was_set.columns if bool(was_set[name].any())]


def _without(table: Table, name: str | None) -> Table:
    """The table without a column."""
    kept = [k for k, each in enumerate(table.names) if name is None or str(each) != name]
    return Table(
        [table.names[k] for k in kept],
        [table.columns[k] for k in kept],
        [table.categories[k] for k in kept],
        [table.ordered[k] for k in kept],
        table.notes,
    )


def as_frame(table: Table) -> pd.DataFrame:
    """A pandas table of the same columns, with the labels that they declare."""
    columns = []
    for series, labels, ordered in zip(table.columns, table.categories, table.ordered, strict=True):
        fresh = series.reset_index(drop=True)
        is_other = labels is not None and not isinstance(fresh.dtype, pd.CategoricalDtype)
        columns.append(pd.Series(pd.Categorical(fresh, labels, ordered=ordered)) if is_other else fresh)
    frame = pd.concat(columns, axis=1, ignore_index=True) if columns else pd.DataFrame()
    frame.columns = pd.Index(table.names)
    return frame


# ---------------------------------------------------------------- the way in


def mended_dataset(
    X: Any,
    kinds: Mapping[str, DeclaredKind] | None = None,
    interventions: Any = None,
    knowledge: Knowledge | None = None,
    spoken_of: Iterable[str] = (),
) -> Dataset:
    """Turn a table into a `Dataset` after the safe remedies; what was done is its ``mended``.

    A `Dataset` that has been mended is not mended again: days since a date would be taken for row numbers.

    Parameters
    ----------
    X
        A pandas or polars table, anything array-like, or a `Dataset`.
    kinds, interventions
        As `dagsearch.as_dataset` takes them.
    knowledge
        What is known beforehand; columns that it names are not dropped.
    spoken_of
        Further columns that are not dropped.

    Raises
    ------
    DataError
        If what is left cannot be used either.
    InputError
        If the true graph of a `Dataset` has a column as a cause that would be dropped.
    """
    if isinstance(X, Dataset) and X.mended:
        return as_dataset(X, kinds, interventions=interventions, may_miss=True)
    kept = {*spoken_of, *_named_by(knowledge)}
    if isinstance(X, Dataset):
        return _mended_again(X, kinds, interventions, kept)
    mended = mend(X, kinds, interventions, kept)
    data = as_dataset(mended.table, kinds, interventions=mended.interventions, may_miss=True)
    return replace(data, mended=mended.done)


def _mended_again(
    data: Dataset, kinds: Mapping[str, DeclaredKind] | None, interventions: Any, spoken_of: Collection[str]
) -> Dataset:
    """A `Dataset` after the safe remedies; one that needs none stays as it is."""
    given = as_dataset(data, kinds, interventions=interventions, may_miss=True)
    was_set = None if given.was_set is None else pd.DataFrame(given.was_set, columns=list(given.names))
    mended = mend(given, kinds, was_set, spoken_of)
    if not mended.done:
        return given
    names = [str(name) for name in mended.table.names]
    at = [given.names.index(name) for name in names]
    is_read = [given.labels[j] is not None and mended.table.categories[k] is None for k, j in enumerate(at)]
    known: dict[str, DeclaredKind] = {
        given.names[j]: "ordered" if given.ordered[j] else given.kinds[j]
        for j, read in zip(at, is_read, strict=True)
        if not read
    }
    left = as_dataset(mended.table, known, interventions=mended.interventions, may_miss=True)
    levels = tuple(None if read else given.declared_levels[j] for j, read in zip(at, is_read, strict=True))
    truth = None if given.truth is None else truth_over(given.truth, names)
    return replace(
        left,
        declared_levels=levels,
        truth=truth,
        citation=given.citation,
        notes=given.notes,
        mended=mended.done,
    )


def _named_by(knowledge: Knowledge | None) -> set[str]:
    """Columns that somebody knows something about."""
    if knowledge is None:
        return set()
    members = [*knowledge.required, *knowledge.forbidden, *knowledge.tiers]
    return {name for group in members for name in group if isinstance(name, str)}


def truth_over(truth: DAG, names: Collection[str]) -> DAG:
    """The true graph without columns that were dropped.

    Raises
    ------
    InputError
        If one of them has effects: what it is a common cause of would then be confounded.
    """
    gone = [name for name in truth.names if name not in names]
    for cause, effect in truth.edges:
        if cause in gone and effect not in gone:
            raise InputError(
                f"truth: {cause!r} causes {effect!r}, and fix=True drops the column {cause!r}; leave fix out, or give "
                "a true graph over the columns that are left"
            )
    edges = [(cause, effect) for cause, effect in truth.edges if effect not in gone]
    return DAG.from_edges(edges, names=list(names))
