"""The table of data sets and one loader per layout of files.

Graphs come in two directions: most files store ``adjacency[i, j]`` for i -> j; the Erdős-Rényi sets store
weights of j -> i and are turned here, on loading.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset, Kind, read_dataset, read_table
from dagsearch.datasets.networks import CITATIONS, network
from dagsearch.errors import DataError, InputError, UnknownNameError
from dagsearch.graph import DAG

FOLDER_VARIABLE = "DAGSEARCH_DATA"
BUNDLED = "bundled with dagsearch"

# Weights below this are numerical noise of the generator, not edges.
SMALLEST_WEIGHT = 1e-3


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a data set before it is loaded.

    Parameters
    ----------
    name
        The name that `load` takes.
    kind
        Kind of all its variables.
    n_samples, n_nodes
        Size of the table.
    n_true_edges
        Edges of the graph that is taken to be true; None where only the file tells.
    citation
        Who published it.
    where
        Whether it is bundled, or its file in the folder named by ``DAGSEARCH_DATA``.
    """

    name: str
    kind: Kind
    n_samples: int
    n_nodes: int
    n_true_edges: int | None
    citation: str
    where: str


@dataclass(frozen=True)
class Entry:
    """A line of the table: the data set, its loader, and the file of its true graph."""

    info: DatasetInfo
    load: Callable[[Entry], Dataset]
    truth_file: str = ""


def load(name: str) -> Dataset:
    """Load a data set with its true graph.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    DataError
        If it is not bundled and its files are not in the folder named by ``DAGSEARCH_DATA``.
    """
    entry = _entry(name)
    return entry.load(entry)


def names() -> list[str]:
    """Return the names of all data sets."""
    return list(ENTRIES)


def describe(name: str) -> DatasetInfo:
    """Return what is known about a data set without loading it.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    """
    return _entry(name).info


def _entry(name: str) -> Entry:
    if name not in ENTRIES:
        raise UnknownNameError("data set", name, _abridged(ENTRIES))
    return ENTRIES[name]


def _abridged(names: Iterable[str]) -> list[str]:
    """Mention numbered names once, as in ``syntren-1..10``."""
    last_number: dict[str, str] = {}
    for name in names:
        stem, _, number = name.rpartition("-")
        last_number.update({stem: number} if number.isdigit() else {name: ""})
    return [f"{stem}-1..{number}" if number else stem for stem, number in last_number.items()]


# ---------------------------------------------------------------- loaders, one per layout


def _load_sachs(entry: Entry) -> Dataset:
    """Read the bundled table."""
    with resources.as_file(resources.files("dagsearch.datasets") / "bundled" / "sachs.csv") as path:
        data = read_dataset(path)
    return _completed(entry.info, data, DAG.from_edges(SACHS_EDGES, names=data.names))


def _load_causes_in_rows(entry: Entry) -> Dataset:
    """Read a table whose graph is stored as adjacency[i, j] for i -> j."""
    data = read_dataset(_local_path(entry.info.name, entry.info.where))
    adjacency = _read_matrix(entry)
    return _completed(entry.info, data, DAG.from_adjacency(adjacency, names=data.names))


def _load_bayesian_network(entry: Entry) -> Dataset:
    """Read a sample of a bundled network, which declares the levels of its variables."""
    data = _load_causes_in_rows(entry)
    n_levels = network(entry.info.name).n_levels
    try:
        return replace(data, declared_levels=tuple(map(n_levels.get, data.names)))
    except InputError as error:
        raise DataError(f"data set {entry.info.name!r} does not fit its network: {error}") from error


def _load_effects_in_rows(entry: Entry) -> Dataset:
    """Read a table whose graph is stored as weights[i, j] for j -> i."""
    data = read_dataset(_local_path(entry.info.name, entry.info.where))
    adjacency = np.abs(_read_matrix(entry).T) > SMALLEST_WEIGHT
    return _completed(entry.info, data, DAG.from_adjacency(adjacency.astype(np.int8), names=data.names))


def _completed(info: DatasetInfo, data: Dataset, truth: DAG) -> Dataset:
    """Add what the table's file does not say."""
    return replace(data, kinds=(info.kind,) * data.n_nodes, truth=truth, citation=info.citation)


def _read_matrix(entry: Entry) -> NDArray[Any]:
    return np.asarray(read_table(_local_path(entry.info.name, entry.truth_file)))


def _data_folder(name: str, relative: str) -> Path:
    """Find the folder that is to hold a file of a data set."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise DataError(
            f"data set {name!r} is not bundled with dagsearch: "
            f"set the environment variable {FOLDER_VARIABLE} to a folder that holds {relative}"
        )
    return Path(folder).expanduser()


def _local_path(name: str, relative: str) -> Path:
    """Find a file of a data set on this machine."""
    path = _data_folder(name, relative) / relative
    if not path.is_file():
        raise DataError(
            f"data set {name!r} is not bundled with dagsearch and {path} does not exist: "
            f"set the environment variable {FOLDER_VARIABLE} to a folder that holds {relative}"
        )
    return path


# ---------------------------------------------------------------- the table

SACHS = "Sachs et al. 2005, Science 308:523-529"
SYNTREN = "Van den Bulcke et al. 2006, BMC Bioinformatics 7:43; released by Lachapelle et al. 2020, ICLR"
GAUSSIAN_PROCESS = "Erdős-Rényi graphs with Gaussian processes, generator of Lachapelle et al. 2020, ICLR"
ERDOS_RENYI = "Erdős-Rényi graphs with equal Gaussian noise, generator of Zhu et al. 2020, ICLR"

# The consensus network as used for benchmarks: 17 edges, acyclic.
SACHS_EDGES = [
    ("praf", "pmek"),
    ("pmek", "p44/42"),
    ("plcg", "PIP2"),
    ("plcg", "PIP3"),
    ("PIP3", "PIP2"),
    ("p44/42", "pakts473"),
    ("PKA", "praf"),
    ("PKA", "pmek"),
    ("PKA", "p44/42"),
    ("PKA", "pakts473"),
    ("PKA", "P38"),
    ("PKA", "pjnk"),
    ("PKC", "praf"),
    ("PKC", "pmek"),
    ("PKC", "PKA"),
    ("PKC", "P38"),
    ("PKC", "pjnk"),
]

# name, n_nodes, n_true_edges
BAYESIAN_NETWORKS = [("asia", 8, 8), ("child", 20, 25), ("insurance", 27, 52)]

SYNTREN_EDGES = {1: 24, 2: 22, 3: 26, 4: 34, 5: 23, 6: 22, 7: 20, 8: 19, 9: 23, 10: 22}

# name, folder, n_samples, n_nodes, n_true_edges
ERDOS_RENYI_SETS = [
    ("er10-linear", "10nodeslr", 5000, 10, 4),
    ("er15-linear", "15nodeslr", 5000, 15, 14),
    ("er20-linear", "20nodeslr", 5000, 20, 17),
    ("er25-linear", "25nodeslr", 5000, 25, 25),
    ("er30-linear", "30nodeslr", 5000, 30, 38),
    ("er35-linear", "35nodeslr", 5000, 35, 63),
    ("er40-linear", "40nodeslr", 5000, 40, 80),
    ("er45-linear", "45nodeslr", 5000, 45, 98),
    ("er50-linear", "50nodeslr", 5000, 50, 118),
    ("er50-quadratic", "50nodesqr", 3000, 50, 113),
]

# name up to the number of the graph, expected edges, n_samples, graphs
GAUSSIAN_PROCESS_SETS = [
    *((f"gp10-e{n_edges}", n_edges, 1000, 40) for n_edges in range(15, 50, 5)),
    ("gp10-e30-n10000", 30, 10000, 1),
]


def _sachs_entries() -> Iterator[Entry]:
    yield Entry(DatasetInfo("sachs", "continuous", 853, 11, len(SACHS_EDGES), SACHS, BUNDLED), _load_sachs)


def _syntren_entries() -> Iterator[Entry]:
    for k, n_edges in SYNTREN_EDGES.items():
        info = DatasetInfo(f"syntren-{k}", "continuous", 500, 20, n_edges, SYNTREN, f"syntren/{k}/data.npy")
        yield Entry(info, _load_causes_in_rows, f"syntren/{k}/DAG.npy")


def _bayesian_network_entries() -> Iterator[Entry]:
    for name, n_nodes, n_edges in BAYESIAN_NETWORKS:
        stem = f"bnlearn/processed/{name}-1000"
        info = DatasetInfo(name, "discrete", 1000, n_nodes, n_edges, CITATIONS[name], f"{stem}.csv")
        yield Entry(info, _load_bayesian_network, f"{stem}-gt.npy")


def _erdos_renyi_entries() -> Iterator[Entry]:
    for name, folder, n_samples, n_nodes, n_edges in ERDOS_RENYI_SETS:
        stem = f"synthetic/{folder}/gauss_same_noise/1"
        info = DatasetInfo(name, "continuous", n_samples, n_nodes, n_edges, ERDOS_RENYI, f"{stem}/data.npy")
        yield Entry(info, _load_effects_in_rows, f"{stem}/DAG.npy")


def _gaussian_process_entries() -> Iterator[Entry]:
    for prefix, n_edges, n_samples, n_graphs in GAUSSIAN_PROCESS_SETS:
        folder = f"gpgen/data_er_p10_e{n_edges}_n{n_samples}_GP"
        for k in range(1, n_graphs + 1):
            where = f"{folder}/data{k}.npy"
            info = DatasetInfo(f"{prefix}-{k}", "continuous", n_samples, 10, None, GAUSSIAN_PROCESS, where)
            yield Entry(info, _load_causes_in_rows, f"{folder}/DAG{k}.npy")


ENTRIES: dict[str, Entry] = {
    entry.info.name: entry
    for entries in (
        _sachs_entries(),
        _syntren_entries(),
        _bayesian_network_entries(),
        _erdos_renyi_entries(),
        _gaussian_process_entries(),
    )
    for entry in entries
}
