"""A table: its size and gaps, and its first rows."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from dagsearch.data import Dataset, Kind
from dagsearch.report.notebook.cells import Column, aside, block, lead, left_out, line, named, notes, sentence, table
from dagsearch.report.page.markup import Child, Markup, element
from dagsearch.report.page.words import NONE, counted

_MOST_ROWS, _MOST_COLUMNS = 6, 12
_LONGEST_ENTRY = 24
_SMALLEST, _LARGEST = 1e-4, 1e7
"""Numbers between these are written without an exponent."""


def dataset_html(data: Dataset) -> str:
    """What is in it, and how it begins."""
    return block(
        lead("Dataset", f": {counted(data.n_samples, 'row')}, {counted(data.n_nodes, 'variable')} ({_kinds(data)})"),
        line(f"{_gaps(data)}; {_truth(data)}{_experiments(data)}."),
        _beginning(data),
        left_out(data.n_nodes - _MOST_COLUMNS, "variable", element("code", "data.names")),
        aside(sentence(data.citation)) if data.citation else None,
        notes([*data.notes, *data.mended]),
    )


def _kinds(data: Dataset) -> str:
    return ", ".join(f"{data.kinds.count(kind)} {kind}" for kind in get_args(Kind) if kind in data.kinds)


def _gaps(data: Dataset) -> str:
    n_missing = int(np.isnan(data.values).sum())
    if not n_missing:
        return "No cell is missing"
    return f"{counted(n_missing, 'cell')} missing ({_share(n_missing / data.values.size)})"


def _truth(data: Dataset) -> str:
    return "truth not known" if data.truth is None else f"truth known ({counted(data.truth.n_edges, 'edge')})"


def _experiments(data: Dataset) -> str:
    if data.was_set is None:
        return ""
    n_rows, n_variables = data.was_set.any(axis=1).sum(), data.was_set.any(axis=0).sum()
    return f"; {counted(int(n_variables), 'variable')} set by experiments, in {counted(int(n_rows), 'row')}"


def _beginning(data: Dataset) -> Markup:
    """The first variables with kind, gaps, what was set, and their first values."""
    shown = range(min(data.n_nodes, _MOST_COLUMNS))
    columns = [Column("", "right"), *(Column(named(data.names[j], _LONGEST_ENTRY), "right") for j in shown)]
    values = data.values[:, : len(shown)]
    rows: list[list[Child]] = [["kind", *(data.kinds[j] for j in shown)]] if len(set(data.kinds)) > 1 else []
    missing = np.isnan(values).mean(axis=0)
    if missing.any():
        rows.append(["missing", *(_share(share) for share in missing.tolist())])
    if data.was_set is not None:
        counts = data.was_set[:, : len(shown)].sum(axis=0).tolist()
        rows.append(["set in rows", *(f"{count:,}" if count else NONE for count in counts)])
    rows += [[str(row + 1), *(_entry(data, row, j) for j in shown)] for row in range(min(data.n_samples, _MOST_ROWS))]
    return table(columns, rows)


def _entry(data: Dataset, row: int, column: int) -> Markup:
    """A value; one that was set is in bold type."""
    value, labels = float(data.values[row, column]), data.labels[column]
    if math.isnan(value):
        return Markup(NONE)
    text = _number(value) if labels is None else labels[int(value)]
    was_set = data.was_set is not None and data.was_set[row, column]
    shown = named(text, _LONGEST_ENTRY)
    return element("strong", shown, title="set by an experiment") if was_set else shown


def _number(value: float) -> str:
    """A number as people write it: whole ones wholly, others with at most four digits."""
    if value.is_integer() and abs(value) < _LARGEST:
        return f"{value:.0f}"
    if not _SMALLEST <= abs(value) < _LARGEST:
        return f"{value:.3e}"
    n_decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{n_decimals}f}".rstrip("0").rstrip(".") if n_decimals else f"{value:.0f}"


def _share(share: float) -> str:
    return "< 0.1%" if 0.0 < share < 0.001 else f"{share:.1%}"
