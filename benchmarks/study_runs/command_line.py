"""Arguments and ends of the commands that run a study."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dagsearch.errors import UnknownNameError
from dagsearch.experiments.engines import Failure
from study_runs.origin import versions
from study_runs.resume import Store

STOPPED = 130
"""Exit code after Ctrl-C."""


def command_of(script: str, arguments: Sequence[str] | None = None) -> str:
    """The command as it was typed; without arguments, those of this process."""
    return shlex.join(["python", script, *(sys.argv[1:] if arguments is None else arguments)])


def positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text!r}")
    return int(text)


def chosen(what: str, names: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    """Those of the known names that are to be run, in the order in which they are known; all if none is named.

    Raises
    ------
    UnknownNameError
        If there is no such method, part or whatever ``what`` says.
    """
    wanted = list(names) or list(known)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return [name for name in known if name in wanted]


def warn_of_other_versions(records: Iterable[Any], store: Store) -> None:
    """Say if some of these records of the store were made by other versions of our code: means would mix them."""
    n_other = sum(record.versions != versions() for record in records)
    if n_other:
        print(f"{n_other} of {len(store)} records in {store.path} were made by other versions; --out starts afresh")


def conclude(
    store: Store, folder: Path, write: Callable[[], str], failures: Sequence[Failure], was_stopped: bool
) -> int:
    """Write what there is, say how the runs ended, and return the exit code.

    Parameters
    ----------
    store
        Without records nothing is written.
    folder
        Of the results.
    write
        Writes reports into the folder, and returns what the terminal shows.
    failures
        Runs that raised an exception.
    was_stopped
        Whether Ctrl-C ended the runs.
    """
    if len(store):
        print(f"\n{write()}\nWritten to {os.fspath(folder)}/")
    if was_stopped:
        print("Stopped. Finished runs are kept: the same command goes on from here.", file=sys.stderr)
        return STOPPED
    for failure in failures:
        print(f"failed: {failure.task}: {failure.message}", file=sys.stderr)
    return 1 if failures else 0
