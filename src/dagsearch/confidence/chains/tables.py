"""Weights of parent sets as the chains take them: sums over subsets, and sets by falling weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.kernels.partition_sums import ParentTables, sum_over_subsets

MOST_CANDIDATES = 20


def parent_tables(candidates: NDArray[np.int64], log_weights: NDArray[np.float64]) -> ParentTables:
    """Check candidates and weights and prepare them for the chains.

    Parameters
    ----------
    candidates
        (n_nodes, n_candidates) possible parents of each node; rows that have fewer end in -1.
    log_weights
        (n_nodes, 2^n_candidates) logarithms of the weights of parent sets, in nats: bit c of a column's number stands
        for candidate c. Sets that are not allowed have -inf.

    Raises
    ------
    InputError
        If shapes or values do not fit, or a node has no parent set at all.
    """
    _check(candidates, log_weights)
    # Weights relative to the best of the node: sums then lose no digits to a large common part.
    best = log_weights.max(axis=1, keepdims=True)
    relative = np.where(np.isfinite(log_weights), log_weights - best, -np.inf)
    sums = relative.copy()
    sum_over_subsets(sums)
    order = np.argsort(-relative, axis=1, kind="stable")
    return ParentTables(
        candidates=np.ascontiguousarray(candidates, dtype=np.int64),
        sums=sums,
        sets=order.astype(np.int32),
        weights=np.take_along_axis(relative, order, axis=1),
        n_sets=np.isfinite(relative).sum(axis=1),
    )


def _check(candidates: NDArray[np.int64], log_weights: NDArray[np.float64]) -> None:
    n_nodes, n_candidates = candidates.shape
    if n_candidates > MOST_CANDIDATES:
        raise InputError(f"candidates must have at most {MOST_CANDIDATES} columns, got {n_candidates}")
    if log_weights.shape != (n_nodes, 2**n_candidates):
        raise InputError(
            f"log_weights must have the shape ({n_nodes}, {2**n_candidates}) for {n_nodes} nodes and "
            f"{n_candidates} candidates, got {log_weights.shape}"
        )
    if np.isnan(log_weights).any() or (log_weights == np.inf).any():
        raise InputError("log_weights must be numbers or -inf, got NaN or inf")
    for node, row in enumerate(candidates):
        _check_node(node, row, log_weights[node], n_nodes)


def _check_node(node: int, row: NDArray[np.int64], log_weights: NDArray[np.float64], n_nodes: int) -> None:
    given = row[row >= 0]
    if (row[: len(given)] < 0).any() or (given >= n_nodes).any() or (given == node).any():
        raise InputError(
            f"candidates of node {node} must be other nodes from 0 to {n_nodes - 1}, then -1, got {row.tolist()}"
        )
    if len(np.unique(given)) < len(given):
        raise InputError(f"candidates of node {node} must be distinct, got {row.tolist()}")
    if np.isfinite(log_weights[2 ** len(given) :]).any():
        raise InputError(f"log_weights of node {node} must be -inf for sets of candidates that it does not have")
    if not np.isfinite(log_weights).any():
        raise InputError(f"log_weights must be finite for at least one parent set of node {node}, got none")
