"""Where the runs of experiments are carried out: engines whose work is a `Task` of the paper's tables and figures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dagsearch import engines
from dagsearch.engines import Failure
from dagsearch.experiments.run import run
from dagsearch.experiments.task import Record, Task

__all__ = ["ClusterEngine", "Engine", "Failure", "LocalEngine"]

Engine = engines.Engine[Task, Record]


class LocalEngine(engines.LocalEngine[Task, Record]):
    """The cores of this machine, see `dagsearch.engines.LocalEngine`.

    Parameters
    ----------
    n_jobs
        Processes; with 1 everything happens in this one.
    cache_folder
        Where the processes exchange expensive local scores.
    """

    def __init__(self, n_jobs: int = 1, cache_folder: Path | None = None) -> None:
        super().__init__(partial(run, cache_folder=cache_folder), n_jobs)


class ClusterEngine(engines.ClusterEngine[Task, Record]):
    """A Dask cluster that is already running, see `dagsearch.engines.ClusterEngine`.

    Workers load data sets themselves: DAGSEARCH_DATA is set where they start. Local scores stay in the memory of each
    worker, unless there is a folder that all of them see.

    Parameters
    ----------
    address
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    cache_folder
        Where workers exchange expensive local scores, on a file system that all of them see; None: nowhere.
    """

    def __init__(self, address: str, cache_folder: Path | None = None) -> None:
        super().__init__(partial(run, cache_folder=cache_folder), address)
