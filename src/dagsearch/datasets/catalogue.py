"""The table of data sets: what is known about each before it is loaded, and which files it consists of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from dagsearch.data import Kind
from dagsearch.datasets.networks import CITATIONS

BUNDLED = "bundled with dagsearch"

# Graphs are stored in two directions: adjacency[i, j] for i -> j, or weights[i, j] for j -> i.
Layout = Literal["bundled", "causes in rows", "effects in rows", "sample of a network"]


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
        Edges of the graph that is taken to be true.
    citation
        Who published it.
    where
        That it is bundled, or its file below the folder named by ``DAGSEARCH_DATA`` or the address of downloads.
    """

    name: str
    kind: Kind
    n_samples: int
    n_nodes: int
    n_true_edges: int
    citation: str
    where: str


@dataclass(frozen=True)
class Entry:
    """A line of the table: the data set, how its files are laid out, and the file of its true graph."""

    info: DatasetInfo
    layout: Layout
    truth_file: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are not bundled, the small one of the graph first."""
        return () if self.layout == "bundled" else (self.truth_file, self.info.where)


def families(names: Iterable[str]) -> dict[str, list[str]]:
    """Group numbered names, as in ``syntren-1..10``; other names are groups of their own.

    Parameters
    ----------
    names
        Names of data sets, those of a group numbered from 1.
    """
    members: dict[str, list[str]] = {}
    for name in names:
        stem, _, number = name.rpartition("-")
        members.setdefault(stem if number.isdigit() else name, []).append(name)
    return {_family_name(stem, group): group for stem, group in members.items()}


def _family_name(stem: str, group: list[str]) -> str:
    return f"{stem}-1..{len(group)}" if len(group) > 1 else group[0]


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

# expected edges: edges of each of the 40 graphs
# fmt: off
GAUSSIAN_PROCESS_EDGES = {
    15: (10, 15, 12, 12, 14, 17, 18, 16, 13, 12, 20, 11, 16, 20, 15, 17, 20, 16, 18, 21,
         11, 14, 13, 16, 16, 12, 15, 18, 16, 9, 15, 20, 11, 15, 17, 13, 14, 15, 13, 11),
    20: (18, 17, 19, 10, 13, 19, 21, 20, 20, 18, 22, 24, 21, 10, 15, 21, 18, 27, 19, 18,
         21, 24, 23, 17, 27, 17, 25, 19, 17, 22, 23, 13, 22, 17, 22, 17, 18, 23, 16, 20),
    25: (26, 23, 25, 21, 25, 26, 29, 20, 26, 24, 25, 26, 24, 22, 26, 28, 23, 22, 23, 24,
         30, 21, 24, 16, 28, 26, 14, 26, 30, 29, 27, 24, 23, 26, 22, 24, 28, 24, 27, 30),
    30: (30, 28, 31, 28, 32, 30, 34, 31, 30, 28, 29, 35, 29, 30, 36, 31, 23, 32, 32, 31,
         31, 30, 39, 35, 23, 27, 34, 31, 29, 36, 29, 31, 30, 32, 31, 32, 29, 36, 28, 28),
    35: (37, 37, 36, 29, 35, 35, 34, 38, 32, 33, 39, 32, 35, 35, 38, 36, 40, 29, 32, 35,
         35, 35, 34, 36, 39, 37, 37, 34, 35, 38, 31, 34, 37, 35, 33, 36, 37, 39, 35, 35),
    40: (43, 40, 39, 41, 39, 37, 41, 42, 41, 36, 40, 41, 39, 36, 39, 43, 40, 39, 41, 41,
         43, 37, 34, 41, 42, 42, 40, 36, 40, 41, 39, 40, 36, 41, 37, 41, 40, 42, 41, 37),
    45: (45,) * 40,  # ten variables have no more pairs
}
# fmt: on

# name up to the number of the graph, expected edges, n_samples, edges of each graph
GAUSSIAN_PROCESS_SETS = [
    *((f"gp10-e{expected}", expected, 1000, edges) for expected, edges in GAUSSIAN_PROCESS_EDGES.items()),
    ("gp10-e30-n10000", 30, 10000, (24,)),
]


def _sachs_entries() -> Iterator[Entry]:
    yield Entry(DatasetInfo("sachs", "continuous", 853, 11, len(SACHS_EDGES), SACHS, BUNDLED), "bundled")


def _syntren_entries() -> Iterator[Entry]:
    for k, n_edges in SYNTREN_EDGES.items():
        info = DatasetInfo(f"syntren-{k}", "continuous", 500, 20, n_edges, SYNTREN, f"syntren/{k}/data.npy")
        yield Entry(info, "causes in rows", f"syntren/{k}/DAG.npy")


def _bayesian_network_entries() -> Iterator[Entry]:
    for name, n_nodes, n_edges in BAYESIAN_NETWORKS:
        stem = f"bnlearn/processed/{name}-1000"
        info = DatasetInfo(name, "discrete", 1000, n_nodes, n_edges, CITATIONS[name], f"{stem}.csv")
        yield Entry(info, "sample of a network", f"{stem}-gt.npy")


def _erdos_renyi_entries() -> Iterator[Entry]:
    for name, folder, n_samples, n_nodes, n_edges in ERDOS_RENYI_SETS:
        stem = f"synthetic/{folder}/gauss_same_noise/1"
        info = DatasetInfo(name, "continuous", n_samples, n_nodes, n_edges, ERDOS_RENYI, f"{stem}/data.npy")
        yield Entry(info, "effects in rows", f"{stem}/DAG.npy")


def _gaussian_process_entries() -> Iterator[Entry]:
    for prefix, expected, n_samples, edges in GAUSSIAN_PROCESS_SETS:
        folder = f"gpgen/data_er_p10_e{expected}_n{n_samples}_GP"
        for k, n_edges in enumerate(edges, start=1):
            where = f"{folder}/data{k}.npy"
            info = DatasetInfo(f"{prefix}-{k}", "continuous", n_samples, 10, n_edges, GAUSSIAN_PROCESS, where)
            yield Entry(info, "causes in rows", f"{folder}/DAG{k}.npy")


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
