"""Records of finished runs, one line each, appended to a file as they come in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dagsearch.errors import DataError
from dagsearch.experiments.task import Record, Task


class RecordStore:
    """A file of records that is only ever appended to.

    A line that was cut off, by a crash or a full disk, is the last one: it does not count, so that its run is repeated,
    and is removed before the next record is appended. Of two records of a task the first one counts.

    Parameters
    ----------
    path
        The file (JSON lines); made with its folder when the first record comes.

    Raises
    ------
    DataError
        If the file holds anything but records.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._records: dict[str, Record] = {}
        self._n_bytes_complete: int | None = None
        if path.exists():
            for record in self._read():
                self._records.setdefault(record.task.key, record)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def find(self, task: Task) -> Record | None:
        """The record of a task, if it was run."""
        return self._records.get(task.key)

    def missing(self, tasks: Iterable[Task]) -> list[Task]:
        """Tasks without a record, each once, in the order given."""
        return list({task.key: task for task in tasks if task.key not in self._records}.values())

    def append(self, record: Record) -> None:
        """Keep a record, on the disk before this returns."""
        if record.task.key in self._records:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_cut_off_line()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(record.to_line() + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._records[record.task.key] = record

    def _drop_cut_off_line(self) -> None:
        if self._n_bytes_complete is not None:
            os.truncate(self.path, self._n_bytes_complete)
            self._n_bytes_complete = None

    def _read(self) -> Iterator[Record]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{self.path}: cannot be read ({error})") from error
        complete, newline, cut_off = text.rpartition("\n")
        if cut_off:
            self._n_bytes_complete = len((complete + newline).encode())
        for number, line in enumerate(complete.splitlines(), start=1):
            try:
                yield Record.from_line(line)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DataError(f"{self.path}, line {number}: is not a record ({error!r})") from error
