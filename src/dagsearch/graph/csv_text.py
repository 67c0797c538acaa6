"""CSV as text."""

from __future__ import annotations

import re
from collections.abc import Iterable


def csv_line(cells: Iterable[str]) -> str:
    """Return cells as a line of CSV; unlike the standard library, with quotes around single carriage returns, too."""
    return ",".join(_quoted(cell) if re.search(r'[,"\r\n]', cell) else cell for cell in cells) + "\n"


def _quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
