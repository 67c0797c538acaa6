"""Text among numbers: a few entries that keep a column from being one of numbers."""

from __future__ import annotations

from collections.abc import Iterator

from dagsearch.auditing.finding import Finding, Kind, clipped, listed
from dagsearch.auditing.table import RawTable

KIND = Kind(
    "text-among-numbers",
    "high",
    "text in a column that is numbers for the most part",
    "correct the entries; make them missing: --na TEXT; or take all as labels: --discrete NAME",
)


def find(table: RawTable) -> Iterator[Finding]:
    """Yield one finding for each such column, with the first of its rows."""
    for column in table.columns:
        if column.form != "text among numbers":
            continue
        texts = list(dict.fromkeys(clipped(text) for _, text in column.wrong))
        n_rows = "1 row holds" if column.n_wrong == 1 else f"{column.n_wrong} rows hold"
        message = (
            f"{column.name!r} is numbers but for {listed(texts)}: {n_rows} text, the first is row {column.wrong[0][0]}"
        )
        remedy = f"correct the entries; make them missing: --na {texts[0]!r}; or take all as labels: --discrete NAME"
        yield Finding((column.name,), KIND.name, KIND.severity, message, remedy.replace("NAME", repr(column.name)))
