"""Data sets by name: loading and describing them, and one loader per layout of files."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagsearch.data import Dataset, read_dataset, read_table
from dagsearch.datasets.catalogue import ENTRIES, SACHS_EDGES, DatasetInfo, Entry, Layout, families
from dagsearch.datasets.files import FOLDER_VARIABLE, base_url, changed_files, local_path, path_of
from dagsearch.datasets.networks import network
from dagsearch.errors import DataError, InputError, UnknownNameError
from dagsearch.graph import DAG

Status = Literal["bundled", "on this machine", "changed on this machine", "to be downloaded"]

# Weights below this are numerical noise of the generator, not edges.
SMALLEST_WEIGHT = 1e-3

_logger = logging.getLogger(__name__)


def load(name: str) -> Dataset:
    """Load a data set with its true graph; what is not on this machine is downloaded.

    Files in the folder named by ``DAGSEARCH_DATA`` are used as they are. Where they are not the published ones, the
    table's notes, and those of every fit on it, say so.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    DataError
        If it is not bundled, its files are not in the folder named by ``DAGSEARCH_DATA``, and they cannot be
        downloaded.
    """
    download(name)
    entry = _entry(name)
    data = _LOADERS[entry.layout](entry)
    notes = tell_of_changes(name)
    return replace(data, notes=(*data.notes, *notes)) if notes else data


def tell_of_changes(name: str) -> tuple[str, ...]:
    """Log, and return, a note if files of a data set are not the published ones.

    Parameters
    ----------
    name
        One of `names`.
    """
    changed = changed_files(_entry(name).files)
    if not changed:
        return ()
    note = (
        f"data set {name}: {' and '.join(map(str, changed))}, in the folder that {FOLDER_VARIABLE} names, "
        f"{'is not the published file' if len(changed) == 1 else 'are not the published files'} "
        f"({'its SHA-256 sum differs' if len(changed) == 1 else 'their SHA-256 sums differ'}); used all the same"
    )
    _logger.info(note)
    return (note,)


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


def status(name: str) -> Status:
    """Tell whether a data set is bundled, on this machine in whole, or to be downloaded on first use.

    ``"changed on this machine"``: it is in the folder named by ``DAGSEARCH_DATA``, with a file that is not the
    published one.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    """
    files = _entry(name).files
    if not files:
        return "bundled"
    if not all(map(local_path, files)):
        return "to be downloaded"
    return "changed on this machine" if changed_files(files) else "on this machine"


def download(name: str) -> None:
    """Download a data set now, as before work without a network; nothing is done if it is on this machine.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    DataError
        If the download fails.
    """
    if status(name) != "to be downloaded":
        return
    _logger.info("downloading data set %s from %s", name, base_url())
    for file in _entry(name).files:
        path_of(name, file)


def _entry(name: str) -> Entry:
    if not isinstance(name, str) or name not in ENTRIES:
        raise UnknownNameError("data set", name, families(ENTRIES))
    return ENTRIES[name]


# ---------------------------------------------------------------- loaders, one per layout


def _load_sachs(entry: Entry) -> Dataset:
    """Read the bundled table."""
    with resources.as_file(resources.files("dagsearch.datasets") / "bundled" / "sachs.csv") as path:
        data = read_dataset(path)
    return _completed(entry.info, data, DAG.from_edges(SACHS_EDGES, names=data.names))


def _load_causes_in_rows(entry: Entry) -> Dataset:
    """Read a table whose graph is stored as adjacency[i, j] for i -> j."""
    data = read_dataset(path_of(entry.info.name, entry.info.where))
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
    data = read_dataset(path_of(entry.info.name, entry.info.where))
    adjacency = np.abs(_read_matrix(entry).T) > SMALLEST_WEIGHT
    return _completed(entry.info, data, DAG.from_adjacency(adjacency.astype(np.int8), names=data.names))


def _completed(info: DatasetInfo, data: Dataset, truth: DAG) -> Dataset:
    """Add what the table's file does not say."""
    return replace(data, kinds=(info.kind,) * data.n_nodes, truth=truth, citation=info.citation)


def _read_matrix(entry: Entry) -> NDArray[Any]:
    return np.asarray(read_table(path_of(entry.info.name, entry.truth_file)))


_LOADERS: dict[Layout, Callable[[Entry], Dataset]] = {
    "bundled": _load_sachs,
    "causes in rows": _load_causes_in_rows,
    "effects in rows": _load_effects_in_rows,
    "sample of a network": _load_bayesian_network,
}
