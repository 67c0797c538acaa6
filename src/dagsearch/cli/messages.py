"""What the package tells while a command runs, on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from dagsearch import compilation

_DATASETS = "dagsearch.datasets"


class _Echo(logging.Handler):
    """Prints messages as they are; what is said of data sets once, however often they are loaded."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.name.startswith(_DATASETS):
            if message in self._said:
                return
            self._said.add(message)
        click.echo(message, err=True)


@contextmanager
def news_announced() -> Iterator[None]:
    """Announce downloads, changed files and searches that go on from a checkpoint, which are silent in Python."""
    loggers, handler = [logging.getLogger(name) for name in (_DATASETS, "dagsearch.checkpoint")], _Echo()
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
