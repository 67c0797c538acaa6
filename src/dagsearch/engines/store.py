"""Records of finished runs, one line each, appended to a file as they come in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from dagsearch.engines.base import Failure
from dagsearch.errors import DataError


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
    """A file of records that is only ever appended to.

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
        if path.exists():
            for record in self._read():
                self._records.setdefault(record.task.key, record)

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

    def append(self, record: AnyRecord) -> None:
        """Keep a record, on the disk before this returns."""
        if record.task.key in self._records:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            _drop_cut_off_line(file)
            file.write(record.to_line().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._records[record.task.key] = record

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

    def _read(self) -> Iterator[AnyRecord]:
        try:
            *complete, _cut_off = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read ({error})") from error
        for number, line in enumerate(complete, start=1):
            try:
                yield self._from_line(line)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DataError(f"{self.path}, line {number}: is not a record ({error!r})") from error


def _drop_cut_off_line(file: BinaryIO) -> None:
    """Shorten a file to its complete lines, as they are now: the last write may have been ours, or another's."""
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(n_bytes - 1, 0))
    if file.read() not in (b"", b"\n"):
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
