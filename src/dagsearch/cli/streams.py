"""The three streams that a command starts with, any of which whoever starts it may have closed."""

from __future__ import annotations

import os
import sys
from typing import TextIO

_N_STREAMS = 3


def ensure_streams() -> None:
    """Let a closed stream lead nowhere: Python has None in its place, and its number would be that of the next file."""
    _fill_numbers()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(number))


def _fill_numbers() -> None:
    """Open something in place of what is closed: the system gives the lowest number that is free."""
    number = 0
    while number < _N_STREAMS:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)


def _nowhere(number: int) -> TextIO:
    return open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)
