"""What ``dagsearch demo`` does while it compiles: as much as can be done on another core."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dagsearch import compilation

# Numba compiles one kernel at a time in a process, and keeps it on disk, where other processes find it.
_LAST_KERNELS_FIRST = """
import numpy as np
import dagsearch as ds
table = np.random.default_rng(0).laplace(size=(40, 4))
ds.OrderSearch(score="evidence", random_state=0).fit(table)
"""


@contextmanager
def compiled_by_two() -> Iterator[None]:
    """Let another process compile the kernels that a search ends with, as soon as this one begins to compile."""
    others: list[subprocess.Popen[bytes]] = []

    def help_out(begins: bool) -> None:
        if begins and not others:
            none = subprocess.DEVNULL
            program = [sys.executable, "-c", _LAST_KERNELS_FIRST]
            others.append(subprocess.Popen(program, stdin=none, stdout=none, stderr=none))

    try:
        with compilation.listening(help_out):
            yield
    finally:
        for other in others:
            # What it has not compiled by now, this process has.
            other.terminate()
            other.wait()
