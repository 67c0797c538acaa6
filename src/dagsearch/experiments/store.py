"""Records of the paper's experiments, one line each, appended to a file as they come in."""

from __future__ import annotations

from pathlib import Path

from dagsearch.engines.store import LineStore
from dagsearch.experiments.task import Record

__all__ = ["LineStore", "RecordStore"]


class RecordStore(LineStore[Record]):
    """The records of the paper's experiments, see `LineStore`.

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
        super().__init__(path, Record.from_line)
