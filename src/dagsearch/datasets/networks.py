"""The Bayesian networks that come with the package, and those in users' files."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from dagsearch.datasets.bayesian_network import BayesianNetwork
from dagsearch.datasets.bif import read_bif
from dagsearch.errors import UnknownNameError

#: Who published the bundled networks.
CITATIONS = {
    "asia": "Lauritzen and Spiegelhalter 1988, J. R. Stat. Soc. B 50:157-224",
    "child": "Spiegelhalter and Cowell 1992, Bayesian Statistics 4:447-466",
    "insurance": "Binder et al. 1997, Machine Learning 29:213-244",
}


def network(name_or_path: str | Path) -> BayesianNetwork:
    """Return a Bayesian network, of which samples of any size can be drawn.

    Parameters
    ----------
    name_or_path
        One of `network_names`, or a file in the Bayesian Interchange Format (``.bif``, or ``.bif.gz``).

    Raises
    ------
    UnknownNameError
        If there is no such network.
    DataError
        If the file cannot be read or describes no valid network.

    Examples
    --------
    >>> import dagsearch as ds
    >>> ds.datasets.network("asia").sample(5000, random_state=0).values.shape
    (5000, 8)
    """
    name = str(name_or_path)
    if name in CITATIONS:
        with resources.as_file(resources.files("dagsearch.datasets") / "bundled" / f"{name}.bif") as path:
            return read_bif(path, CITATIONS[name])
    if Path(name).suffix or os.sep in name or os.path.exists(name):
        return read_bif(name)
    raise UnknownNameError("network", name, CITATIONS)


def network_names() -> list[str]:
    """Return the names of the bundled networks."""
    return list(CITATIONS)
