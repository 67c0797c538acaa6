"""For which graphs a bound holds: all that a problem allows, or those with few parents if more cannot be afforded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagsearch.search.exact.program import EdgeLimit
from dagsearch.search.protocol import Problem


class NarrowedError(Exception):
    """Raised inside a search whose scope got narrower, as what it found so far may lie outside; never leaves it."""


class NoGraphError(Exception):
    """Raised inside a search when no graph is in its scope, though there are others; never leaves it."""


@dataclass(frozen=True)
class Scope:
    """The DAGs that are compared.

    Attributes
    ----------
    problem
        Required edges (its start graph), allowed ones, and the most parents.
    limit
        A limit on the number of edges.
    max_free_parents
        The most parents of a node beside required ones, as larger sets were not looked at; None: no such limit.
    """

    problem: Problem
    limit: EdgeLimit | None
    max_free_parents: int | None = None

    @property
    def free(self) -> NDArray[np.bool_]:
        """Edges that a graph may have or not, (n_nodes, n_nodes)."""
        n_nodes = self.problem.n_nodes
        return self.problem.allowed & ~self.problem.start & ~np.eye(n_nodes, dtype=bool)

    def has(self, adjacency: NDArray[np.int8]) -> bool:
        """Whether a DAG is in the scope."""
        edges = adjacency.astype(bool)
        required = self.problem.start
        if (required & ~edges).any() or (edges & ~required & ~self.free).any():
            return False
        most = np.maximum(self.problem.max_parents, required.sum(axis=0))
        fits = (edges.sum(axis=0) <= most).all() and (self.limit is None or self.limit.allows(int(edges.sum())))
        return bool(fits) and self.has_few_parents(edges & ~required)

    def has_few_parents(self, free_edges: NDArray[np.bool_]) -> bool:
        """Whether no node has more parents than were looked at, given a graph without its required edges."""
        return self.max_free_parents is None or bool(free_edges.sum(axis=0).max(initial=0) <= self.max_free_parents)

    def narrowed(self, max_free_parents: int) -> Scope:
        """The scope with fewer parents."""
        return replace(self, max_free_parents=max_free_parents)

    def reachable(self, start: NDArray[np.bool_] | None = None) -> Problem | None:
        """The decision process whose graphs are in the scope if they have enough edges; None if they cannot have.

        ``start`` is the graph that it starts from, instead of the required edges. Where edges are required it leaves
        some graphs of the scope out.
        """
        start = self.problem.start if start is None else start
        if self.max_free_parents is None:
            return replace(self.problem, start=start)
        most = min(self.max_free_parents, self.problem.max_parents)
        narrow = replace(self.problem, start=start, max_parents=most, edge_budget=None)
        budget = self.problem.edge_budget
        if budget is None:
            return narrow
        if self.limit is not None and self.limit.exactly and budget > narrow.max_edges:
            return None
        return replace(narrow, edge_budget=min(budget, narrow.max_edges))
