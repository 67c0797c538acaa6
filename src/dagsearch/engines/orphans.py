"""Processes that end soon after the one that started them, however that ended.

A process that is killed cannot tell those that it has started, which would finish what nobody waits for any more, and
then wait for more of it.
"""

from __future__ import annotations

import os
import sys
import threading
import time

_SECONDS_BETWEEN_LOOKS = 1.0


def end_with(parent: int) -> None:
    """Let this process end within seconds when its parent does; returns at once.

    Parameters
    ----------
    parent
        The number of the process that has started this one. On Windows, where orphans keep their parent's number,
        nothing is done.
    """
    if sys.platform != "win32":
        threading.Thread(target=_end_without, args=(parent,), daemon=True).start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)  # at once, whatever the other threads are at
