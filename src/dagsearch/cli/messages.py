"""What the package tells while a command runs, on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from dagsearch import compilation


class _Echo(logging.Handler):
    """Prints messages as they are."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(record.getMessage(), err=True)


@contextmanager
def downloads_announced() -> Iterator[None]:
    """Announce downloads, which are silent in Python."""
    logger, handler = logging.getLogger("dagsearch.datasets"), _Echo()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def compilation_announced() -> Iterator[None]:
    """Say once that kernels are compiled; on a terminal the progress bar says so."""
    said = False

    def tell(begins: bool) -> None:
        nonlocal said
        if begins and not said:
            said = True
            click.echo("compiling the search, once for this installation ...", err=True)

    if sys.stderr.isatty():
        yield
        return
    with compilation.listening(tell):
        yield
