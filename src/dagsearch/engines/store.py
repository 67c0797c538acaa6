"""Records of finished runs, one line each, appended to a file as they come in.

Several processes may work at the same file: appending is locked, and who runs a task claims it, by locks that end with
the process that holds them. The locks are those of an empty file beside the records.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from dagsearch.engines.base import Failure
from dagsearch.engines.locks import N_LOCKS, locks_of
from dagsearch.errors import DagsearchError, DataError, in_brief

LOCKS_SUFFIX = ".lock"
"""Of the file of locks beside that of records."""

_APPENDING = 0  # the lock of whoever appends; all others are claims
_SECONDS_BETWEEN_LOOKS = 0.5  # at what other processes have finished


class Keyed(Protocol):
    """A task: whatever has an identifier."""

    @property
    def key(self) -> str:
        """The same in every process and on every machine."""


class Kept(Protocol):
    """A record: what came of a task, as a line of text."""

    @property
    def task(self) -> Keyed:
        """What was run."""

    def to_line(self) -> str:
        """The record as one line."""


AnyTask = TypeVar("AnyTask", bound=Keyed)
AnyRecord = TypeVar("AnyRecord", bound=Kept)


class LineStore(Generic[AnyRecord]):
    """A file of records that is only ever appended to, by one process or several.

    A line that was cut off, by a crash or a full disk, is the last one: it does not count, so that its run is repeated,
    and is removed before the next record is appended. Of two records of a task the first one counts.

    Parameters
    ----------
    path
        The file (JSON lines); made with its folder when the first record comes.
    from_line
        Reads what ``to_line`` of a record wrote; ValueError, KeyError, TypeError or AttributeError if it is none.

    Raises
    ------
    DataError
        If the file holds anything but records.
    """

    def __init__(self, path: Path, from_line: Callable[[bytes], AnyRecord]) -> None:
        self.path = path
        self._from_line = from_line
        self._records: dict[str, AnyRecord] = {}
        self._n_bytes = self._n_lines = 0  # that have been read
        self._locks = locks_of(path.with_name(path.name + LOCKS_SUFFIX))
        self._guard = threading.RLock()  # engines ask for tasks in threads of their own
        self.refresh()

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[AnyRecord]:
        return iter(self._records.values())

    def find(self, task: Keyed) -> AnyRecord | None:
        """The record of a task, if it was run."""
        return self._records.get(task.key)

    def missing(self, tasks: Iterable[AnyTask]) -> list[AnyTask]:
        """Tasks without a record, each once, in the order given."""
        return list({task.key: task for task in tasks if task.key not in self._records}.values())

    def refresh(self) -> None:
        """Read what other processes have appended since."""
        with self._guard:
            try:
                if self._n_bytes and os.path.getsize(self.path) == self._n_bytes:
                    return
                with self.path.open("rb") as file:
                    content = file.read() if self._n_bytes == 0 else self._unread(file)
            except FileNotFoundError:
                return
            except OSError as error:
                raise DataError(f"{self.path}: cannot be read ({error})") from error
            *complete, _cut_off = content.split(b"\n")
            for line in complete:
                record = self._read(line, self._n_lines + 1)
                self._records.setdefault(record.task.key, record)
                self._n_lines += 1
                self._n_bytes += len(line) + 1

    def append(self, record: AnyRecord) -> None:
        """Keep a record, on the disk before this returns; its task is no longer claimed.

        Raises
        ------
        DagsearchError
            If the disk is full, say.
        """
        if record.task.key in self._records:
            self.release(record.task)
            return
        try:
            with self._guard, self._locks.holding(_APPENDING):
                self.refresh()
                if record.task.key not in self._records:
                    self._write(record.to_line().encode() + b"\n")
                    self._records[record.task.key] = record
        except OSError as error:
            reason = error.strerror or in_brief(error)
            message = f"{self.path}: a record cannot be written ({reason}); what was written before is kept"
            raise DagsearchError(message) from error
        self.release(record.task)

    def shared(
        self, tasks: Iterable[AnyTask], run_all: Callable[[Iterator[AnyTask]], Iterator[AnyRecord | Failure]]
    ) -> Generator[AnyRecord | Failure, None, None]:
        """Run what has no record, each task in one process only, however many work at this file.

        Tasks that other processes have claimed are waited for: their records are yielded, too, and if a process ends
        without one, its tasks are run here.

        Parameters
        ----------
        tasks
            What is to be run.
        run_all
            An engine's; it asks for a task when it has a place for it.

        Yields
        ------
        Records, which the caller appends, and failures, whose tasks are not tried again.
        """
        left = {task.key: task for task in self.missing(tasks)}
        try:
            while left:
                claimed = self._claimed(list(left.values()))
                first = next(claimed, None)
                if first is not None:
                    with closing(_closable(run_all(chain([first], claimed)))) as outcomes:
                        for outcome in outcomes:
                            yield outcome
                            left.pop(outcome.task.key, None)
                            self.release(outcome.task)
                for record in [self._records[key] for key in left if key in self._records]:
                    del left[record.task.key]
                    yield record
                if left and first is None:
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
                    self.refresh()
        finally:
            for task in left.values():
                self.release(task)

    def _claimed(self, tasks: Iterable[AnyTask]) -> Iterator[AnyTask]:
        """Tasks without a record that no other process is at, each claimed when it is asked for."""
        for task in tasks:
            if task.key not in self._records and self._locks.take(_claim_of(task)):
                self.refresh()  # who has just released the claim has appended before
                if task.key not in self._records:
                    yield task
                else:
                    self.release(task)

    def release(self, task: Keyed) -> None:
        """Give up the claim on a task, if this process has it."""
        self._locks.release(_claim_of(task))

    def append_all(
        self, outcomes: Iterable[AnyRecord | Failure], n_all: int, listener: Callable[[int, int, Any], object]
    ) -> list[Failure]:
        """Keep every record as it comes in; returns the runs that failed, which have none and would be tried again.

        Parameters
        ----------
        outcomes
            Records and failures.
        n_all
            How many there will be.
        listener
            Called after each with the number of outcomes so far, ``n_all`` and the outcome.
        """
        failures: list[Failure] = []
        for n_done, outcome in enumerate(outcomes, start=1):
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                self.append(outcome)
            listener(n_done, n_all, outcome)
        return failures

    def _unread(self, file: BinaryIO) -> bytes:
        """What follows the lines that were read; everything again if somebody has made the file shorter."""
        if file.seek(0, os.SEEK_END) < self._n_bytes:
            self._n_bytes = self._n_lines = 0
        file.seek(self._n_bytes)
        return file.read()

    def _read(self, line: bytes, number: int) -> AnyRecord:
        try:
            return self._from_line(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{self.path}, line {number}: is not a record ({error!r})") from error

    def _write(self, line: bytes) -> None:
        """Write a line behind those that were read, in the place of what was cut off there."""
        with self.path.open("ab") as file:
            file.truncate(self._n_bytes)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._n_bytes += len(line)
        self._n_lines += 1


def _claim_of(task: Keyed) -> int:
    """The number of the lock on a task; two tasks that happen to share one wait for each other."""
    return 1 + int.from_bytes(hashlib.sha256(task.key.encode()).digest()[:8], "big") % (N_LOCKS - 1)


def _closable(outcomes: Iterator[AnyRecord | Failure]) -> Generator[AnyRecord | Failure, None, None]:
    """Outcomes whose engine stops when nobody asks for more, and not only when the last reference is gone."""
    try:
        yield from outcomes
    finally:
        if isinstance(outcomes, Generator):
            outcomes.close()
