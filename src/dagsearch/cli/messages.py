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
def news_announced() -> Iterator[None]:
    """Announce downloads, and searches that go on from a checkpoint, which are silent in Python."""
    loggers, handler = [logging.getLogger(f"dagsearch.{name}") for name in ("datasets", "checkpoint")], _Echo()
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
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
