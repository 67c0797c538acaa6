"""Local scores shared by all runs on the same table: within a process by one score object, between processes by files.

Only regressions that take long to fit are worth a file. A run writes what it has fitted to a file of its own, under a
temporary name until it is complete, and reads what others have written before it begins: no locks, and whatever else
happens, every file is complete.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from pathlib import Path
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np

from dagsearch import datasets, scores
from dagsearch._version import __version__
from dagsearch._writing import write_all
from dagsearch.data import Dataset
from dagsearch.experiments.task import Task
from dagsearch.scores.fitted import FittedScore

logger = logging.getLogger("dagsearch")

_TABLES_KEPT = 2  # a score of 20 variables may hold a gigabyte of fits
_MOST_KEPT = 1_000_000  # local scores that take microseconds are not worth the memory, which makes joblib nervous
_MOST_WRITTEN = 100_000  # fits of one run; a random search makes millions that nobody asks for again


class SharedScores:
    """The scores of a process, by table.

    Parameters
    ----------
    folder
        Where fits are exchanged with other processes; None: nowhere.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._tables: OrderedDict[str, SharedTable] = OrderedDict()

    def table(self, task: Task) -> SharedTable:
        """The table of a task, with its scores: one of its own if the task asks for that."""
        if task.own_cache:
            return SharedTable(task, None)
        name = _table_name(task)
        if name not in self._tables:
            self._tables[name] = SharedTable(task, None if self._folder is None else self._folder / name)
        self._tables.move_to_end(name)
        while len(self._tables) > _TABLES_KEPT:
            self._tables.popitem(last=False)
        return self._tables[name]


class SharedTable:
    """A table and its scores, whose fits come from and go to files.

    Parameters
    ----------
    task
        Any task on this table.
    folder
        Where fits of this table are exchanged; None: nowhere.
    """

    def __init__(self, task: Task, folder: Path | None) -> None:
        self.data = _data_of(task)
        # A data set may be made anew under its name, and then its old fits are those of another table.
        self._folder = None if folder is None else folder / _digest(self.data)
        self._scores: dict[tuple[str, str], scores.Score] = {}
        self._files_read: set[str] = set()
        self._n_exchanged: dict[tuple[str, str], int] = {}

    def score(self, task: Task) -> scores.Score:
        """The score of a task, knowing all that was fitted so far."""
        name = (task.score, task.variances)
        if name not in self._scores:
            self._scores[name] = scores.make(task.score, self.data, task.variances)
        score = self._scores[name]
        if isinstance(score, FittedScore):
            self._read_files(score)
            for other in self._scores.values():
                if isinstance(other, FittedScore) and other.name == score.name and other is not score:
                    score.learn_fits(other.known_fits())
            self._n_exchanged[name] = score.n_fits
        return score

    def exchange(self, task: Task) -> None:
        """Write what a run has fitted, for other processes to read, and forget what is quickly evaluated again."""
        name = (task.score, task.variances)
        score = self._scores[name]
        if not isinstance(score, FittedScore):
            if len(score.cache) > _MOST_KEPT:
                del self._scores[name]
            return
        if self._folder is None:
            return
        # Fits are in the order in which they were made; of too many, those of few parents are asked for again.
        new = list(score.known_fits().items())[self._n_exchanged[name] :]
        new = sorted(new, key=lambda item: len(item[0]))[:_MOST_WRITTEN]
        if new:
            try:
                self._write(score.name, [key for key, _ in new], np.array([fit for _, fit in new]))
            except OSError as error:  # a full disk, say, must not cost the run
                logger.warning("local scores are not exchanged: %s", error)
        self._n_exchanged[name] = score.n_fits

    def _write(self, score_name: str, keys: list[tuple[int, ...]], fits: np.ndarray) -> None:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        lengths = np.array([len(key) for key in keys], dtype=np.int64)
        members = np.array([member for key in keys for member in key], dtype=np.int64)
        name = f"{score_name}-{uuid4().hex}.npz"
        write_all({self._folder / name: lambda file: np.savez(file, lengths=lengths, members=members, fits=fits)})
        self._files_read.add(name)

    def _read_files(self, score: FittedScore) -> None:
        if self._folder is None or not self._folder.is_dir():
            return
        for path in sorted(self._folder.glob(f"{score.name}-*.npz")):
            if path.name in self._files_read:
                continue
            self._files_read.add(path.name)
            try:
                score.learn_fits(_read_fits(path))
            except (OSError, EOFError, BadZipFile, KeyError, TypeError, ValueError):
                path.unlink(missing_ok=True)  # a disk that was full; the fits will be made again


def _read_fits(path: Path) -> dict[tuple[int, ...], np.ndarray]:
    with np.load(path) as stored:
        lengths, members, fits = stored["lengths"], stored["members"].tolist(), stored["fits"]
    ends = np.cumsum(lengths).tolist()
    keys = [tuple(members[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]
    return dict(zip(keys, fits, strict=True))


def _digest(data: Dataset) -> str:
    """Whatever decides a fit: the table, and the program."""
    return hashlib.sha256(__version__.encode() + np.ascontiguousarray(data.values).tobytes()).hexdigest()[:12]


def _table_name(task: Task) -> str:
    """Runs with the same name see the same rows."""
    return task.data if task.n_rows is None else f"{task.data}-n{task.n_rows}-seed{task.seed}"


def _data_of(task: Task) -> Dataset:
    """The table of a task."""
    data = datasets.load(task.data)
    if task.n_rows is None:
        return data
    rng = np.random.default_rng([task.seed, task.n_rows])
    return data.take(np.sort(rng.choice(data.n_samples, task.n_rows, replace=False)))
