"""Lines that fit a terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap

_NARROWEST = 20


def terminal_width() -> int | None:
    """Columns to wrap text at; None if standard output is no terminal, where a fact stays on one line.

    The environment variable ``COLUMNS`` decides in any case.
    """
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        return None
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def wrapped(lines: list[str], width: int | None) -> str:
    """Lines as text, those that are too long broken between words; what follows is indented further."""
    if width is None:
        return "\n".join(lines)
    fitting = [line for part in lines for each in part.split("\n") for line in _fitted(each, width)]
    return "\n".join(fitting)


def _fitted(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = re.match(r" *", line)[0]  # type: ignore[index]
    # Tables that do not fit are no tables any more: their columns need not stand below each other.
    text = re.sub(r" {2,}", " ", line.strip())
    following = indent + ("    " if indent else "  ")
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
