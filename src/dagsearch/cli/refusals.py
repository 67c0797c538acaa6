"""What the operating system refuses while a command runs, in one line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import click

from dagsearch.errors import in_brief


def refuse(error: OSError) -> None:
    """Say what the system refused: a full disk behind standard output, or a file that nothing else has words for."""
    reason = error.strerror or in_brief(error)
    place = "output cannot be written" if error.filename is None else in_brief(error.filename)
    with suppress(OSError):  # standard error may be on the same full disk
        click.echo(f"Error: {place}: {reason}", err=True)
    _forget_output()


def _forget_output() -> None:
    """Let output that did not arrive go nowhere: Python would try again when it ends, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
            stream.flush()
    os.close(nowhere)
