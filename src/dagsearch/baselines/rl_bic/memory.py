"""Memory that a compiled step needs again and again."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's numbers
_KEPT = 2**30
_USUAL = 2**25  # what glibc's own adaptation arrives at


@contextmanager
def large_blocks_kept() -> Iterator[None]:
    """Keep freed blocks of up to a gigabyte in the process while the context is open.

    A step of training needs 35 MB of scratch. glibc hands blocks of that size back to the system, and the next step
    would begin by faulting every page in again, which takes a quarter of its time. Does nothing without glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        yield
        return
    mallopt(_MMAP_THRESHOLD, _KEPT)
    mallopt(_TRIM_THRESHOLD, _KEPT)
    try:
        yield
    finally:
        mallopt(_MMAP_THRESHOLD, _USUAL)
        mallopt(_TRIM_THRESHOLD, 2 * _USUAL)
