"""CAM pruning: an edge stays if the smooth effect of the cause is significant in an additive model of the effect."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from dagsearch.blas import one_blas_thread
from dagsearch.errors import InputError
from dagsearch.gam import AdditiveModels, max_parents_for
from dagsearch.interruption import current


def p_values_of_edges(
    adjacency: NDArray[np.int8], x: NDArray[np.float64], names: Sequence[str], n_jobs: int = 1
) -> NDArray[np.float64]:
    """P-value of each edge, (n_nodes, n_nodes), NaN where there is none.

    Parameters
    ----------
    adjacency
        (n_nodes, n_nodes), [i, j] == 1 means that i explains j: i -> j, or i - j, which has both entries.
    x
        Standardised table (n_samples, n_nodes).
    names
        Of the nodes, for messages.
    n_jobs
        Nodes treated at a time.

    Raises
    ------
    InputError
        If a node has too many parents for the number of rows.
    """
    n_parents = adjacency.sum(axis=0)
    most = max_parents_for(len(x))
    for node in np.flatnonzero(n_parents > most).tolist():
        raise InputError(
            f"{names[node]!r} has {n_parents[node]} causes, of which {len(x)} rows can test at most {most} together; "
            "set max_parents, or prune='none'"
        )
    models = AdditiveModels(x, x, many=_pays_to_reduce(n_parents))
    p_values = np.full(adjacency.shape, np.nan)

    check = current()

    def test(node: int) -> None:
        check()
        parents = np.flatnonzero(adjacency[:, node])
        p_values[parents, node] = models.fit(node, parents.tolist()).p_values

    # The nodes with most parents take longest, so they go first.
    nodes = [int(node) for node in np.argsort(-n_parents, kind="stable") if n_parents[node]]
    with one_blas_thread(), ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(test, nodes))
    return p_values


def _pays_to_reduce(n_parents: NDArray[np.integer]) -> bool:
    """Whether one factorisation of all columns costs less than one of each node's parents."""
    return bool(np.square(n_parents.astype(float)).sum() > len(n_parents) ** 2)
