"""Independent DAGs from the exact posterior (`kernels.dag_sampling` has the formulas)."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagsearch.confidence.exact import DagSums, PrecisionError, new_products
from dagsearch.confidence.weights import Report, unsqueezed
from dagsearch.kernels.dag_sampling import RankedSets, draw_parents, next_layers

_PIECE = 64  # DAGs between two reports


class ExactSampler:
    """Draws independent DAGs.

    Parameters
    ----------
    sums
        Sums over all DAGs.
    """

    def __init__(self, sums: DagSums) -> None:
        self._sums = sums

    def __call__(self, n: int, rng: np.random.Generator, report: Report | None = None) -> NDArray[np.int8]:
        """Adjacency matrices of ``n`` DAGs, (n, n_nodes, n_nodes)."""
        n_nodes = self._sums.n_nodes
        of_layers, of_parents = rng.random((n_nodes, n)), rng.random((n, n_nodes))
        members, last = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        layers, parents = np.zeros(n, dtype=np.int64), np.zeros((n, n_nodes), dtype=np.int64)
        products = new_products(n_nodes)
        for depth in range(n_nodes):
            unfinished = np.flatnonzero(members != 2**n_nodes - 1)
            order = unfinished[np.lexsort((last[unfinished], members[unfinished]))]
            for first in range(0, len(order), _PIECE):
                piece = order[first : first + _PIECE]
                next_layers(self._sums.problem, piece, members, last, of_layers[depth], layers, products)
                draw_parents(self._sums.problem.sums, self._ranked, piece, members, last, layers, of_parents, parents)
                if report is not None:
                    report(float(np.bitwise_count(members).mean()) / n_nodes, "sampled graphs")
            members[order] |= layers[order]
            last[order] = layers[order]
        if (members != 2**n_nodes - 1).any():
            raise PrecisionError("some sampled graphs could not be completed")
        return (parents[:, np.newaxis, :] >> np.arange(n_nodes)[:, np.newaxis] & 1).astype(np.int8)

    @cached_property
    def _ranked(self) -> RankedSets:
        """Parent sets of all nodes by falling weight, so that those that are likely are met first."""
        sets, log_weights = [], []
        for node, logs in enumerate(self._sums.log_weights):
            finite = np.flatnonzero(logs > -np.inf)
            ranked = finite[np.argsort(-logs[finite], kind="stable")]
            sets.append(unsqueezed(ranked, node))
            log_weights.append(logs[ranked])
        starts = np.concatenate([[0], np.cumsum([len(each) for each in sets])])
        return RankedSets(starts.astype(np.int64), np.concatenate(sets), np.concatenate(log_weights))
