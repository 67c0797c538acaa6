"""Settings as the command line calls them."""

from __future__ import annotations

import re


def in_options(note: str) -> str:
    """A note that names values of ``confidence`` or ``trace``, naming the option instead."""
    return re.sub(r"confidence='(\w+)'", r"--confidence \1", note).replace("trace=True", "--trace")
