"""Tables in Excel workbooks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pandas as pd

from dagsearch.data.reading.packed import require_size
from dagsearch.data.reading.text import Read, require_names, without_row_names
from dagsearch.errors import DataError, MissingExtraError, in_brief


def read_excel(where: str, content: bytes) -> Read:
    """Read the first sheet of a workbook: names in its first row that is not blank, values of formulas as stored."""
    try:
        import openpyxl  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading .xlsx files", "excel") from error
    require_size(where, content)
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = book.worksheets
        rows = [list(row) for row in sheets[0].iter_rows(values_only=True)] if sheets else []
    except Exception as error:  # a damaged file makes openpyxl raise whatever its parts raise
        raise DataError(f"{where}: is not an Excel workbook that can be read ({in_brief(error)})") from error
    read = without_row_names(_as_frame(where, [row for row in rows if not _is_blank(row)]))
    if len(sheets) > 1:
        return Read(read.frame, (f"sheet {sheets[0].title!r}, the first of {len(sheets)}", *read.notes))
    return read


def _as_frame(where: str, rows: list[list[Any]]) -> pd.DataFrame:
    """Cells below a row of names; columns to the right that are all blank are none."""
    if not rows:
        raise DataError(f"{where}: is empty")
    # Rows that end early are shorter than others.
    width = max(k + 1 for row in rows for k, cell in enumerate(row) if cell is not None)
    header, *cells = [[*row, *[None] * (width - len(row))][:width] for row in rows]
    names = ["" if name is None else str(name).strip() for name in header]
    require_names(where, names)
    return pd.DataFrame(cells, columns=pd.Index(names), dtype=object).infer_objects()


def _is_blank(row: Sequence[Any]) -> bool:
    return all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in row)
