"""Tables for people: Markdown."""

from __future__ import annotations

import pandas as pd

NOTHING = "-"
"""The cell of what is not defined."""


def number(value: float, form: str) -> str:
    """A number as a cell."""
    return NOTHING if pd.isna(value) else format(value, form)


def table(titles: list[str], rows: list[list[str]]) -> str:
    """A table whose columns line up as plain text, too."""
    lines = [titles, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(titles))]
    rule = "|" + "|".join("-" * (width + 1) + (":" if k else "-") for k, width in enumerate(widths)) + "|"
    texts = [
        "| " + " | ".join(cell.rjust(width) if k else cell.ljust(width) for k, (cell, width) in enumerate(pairs)) + " |"
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    ]
    return "\n".join([texts[0], rule, *texts[1:]])
