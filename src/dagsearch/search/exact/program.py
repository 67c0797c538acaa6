"""Integer programming over families with cluster cutting planes, as in GOBNILP (Bartlett and Cussens 2017).

One binary variable per family; each node has one family; every cluster has a node without parents inside it. Clusters
are too many to write down, so those that a solution violates are added in rounds: first to the linear relaxation, whose
reduced costs then rule out most families, at last to the integer program, until its solution is acyclic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from dagsearch.search.exact.background import INFEASIBLE, OUT_OF_TIME, Program, solved, wait_for_the_end
from dagsearch.search.exact.families import Families
from dagsearch.search.exact.orders import OrderSearch
from dagsearch.search.exact.separation import clusters_on_cycles, violated_clusters

PROVEN = 1e-9
"""A graph is optimal if no bound is higher by more than this share of its loss."""

_SCALE = 1e4  # of the incumbent's loss: solvers stop at absolute gaps of 1e-6
_RESTARTS = 20
_KICKS_PER_NODE = 20
_SLOW = 0.01  # rounds that close less than this share of the gap are too slow
_PATIENCE = 10
_CELLS_AT_A_TIME = 1 << 26  # of the matrix of clusters and families
_MANY_FAMILIES = 50_000  # with which all pairs of nodes would make too large a matrix
_FIRST_FAMILIES = 20  # per node, in the first linear program
_MORE_FAMILIES = 200  # that join at least, if so many have a negative reduced cost
_NEGATIVE = 1e-6


@dataclass(frozen=True)
class EdgeLimit:
    """At most, or exactly, so many edges."""

    n_edges: int
    exactly: bool = False

    def allows(self, n_edges: int) -> bool:
        """Whether a graph with so many edges will do."""
        return n_edges == self.n_edges or (n_edges < self.n_edges and not self.exactly)


@dataclass
class Incumbent:
    """The best DAG so far, one family per node, and an upper bound of all rewards.

    ``chosen`` is None as long as there is none, or only one that is known from elsewhere.
    """

    reward: float = -np.inf
    chosen: NDArray[np.int64] | None = None
    bound: float = np.inf

    def offer(self, reward: float, chosen: NDArray[np.int64]) -> None:
        """Take a DAG if it is better."""
        if reward > self.reward:
            self.reward, self.chosen = reward, chosen

    def lower_bound_to(self, bound: float) -> None:
        """Take a bound if it is lower; no bound is below the reward of a DAG."""
        self.bound = max(min(self.bound, bound), self.reward)


@dataclass
class Clusters:
    """Clusters met so far: they hold for any families over the same nodes, so later programs start with them."""

    rows: NDArray[np.bool_]

    @classmethod
    def to_begin_with(cls, families: Families) -> Clusters:
        """All pairs of nodes, so that there is no cycle of two edges; the first one only, if families are many."""
        n_nodes = families.n_nodes
        i, j = np.triu_indices(n_nodes, 1)
        if len(families) > _MANY_FAMILIES:
            i, j = i[:1], j[:1]
        rows = np.zeros((len(i), n_nodes), dtype=bool)
        rows[np.arange(len(i)), i] = rows[np.arange(len(i)), j] = True
        return cls(rows)

    def add(self, rows: NDArray[np.bool_]) -> None:
        """Add new ones."""
        self.rows = np.concatenate([self.rows, rows])


class Watch(Protocol):
    """How a long solution reports, and when it has to end."""

    def __call__(self, incumbent: Incumbent) -> None:
        """Report; may raise to end the work."""

    @property
    def seconds_left(self) -> float:
        """Seconds that are left; infinite if there is no limit."""


@dataclass
class Relaxation:
    """The linear relaxation: losses against each node's best family, in the solver's scale, and the fixed rows."""

    families: Families
    limit: EdgeLimit | None
    scale: float
    best_sum: float
    losses: NDArray[np.float64]
    _cuts: list[csc_array] = field(default_factory=list)
    _n_clusters: int = 0

    @classmethod
    def of(cls, families: Families, limit: EdgeLimit | None, reward: float) -> Relaxation:
        """The relaxation of a problem for which a DAG with this reward is known (-inf: none)."""
        starts = np.searchsorted(families.nodes, np.arange(families.n_nodes))
        best = families.scores[starts]
        loss, spread = float(best.sum()) - reward, max(float(np.ptp(families.scores)), 1e-12)
        # A loss that is nothing but rounding would scale all others to infinity.
        if not PROVEN * max(spread, abs(reward)) < loss < np.inf:
            loss = spread
        scale = _SCALE / loss
        losses = (best[families.nodes] - families.scores) * scale
        return cls(families, limit, scale, float(best.sum()), losses)

    def reward_of(self, loss: float) -> float:
        """The reward that belongs to a loss in the solver's scale."""
        return self.best_sum - loss / self.scale

    def equalities(self, alive: NDArray[np.bool_]) -> tuple[csr_array, NDArray[np.float64]]:
        """One family per node, and the number of edges if it is fixed."""
        nodes = self.families.nodes[alive]
        n = len(nodes)
        matrix = csr_array((np.ones(n), (nodes, np.arange(n))), shape=(self.families.n_nodes, n))
        right = np.ones(self.families.n_nodes)
        if self.limit is not None and self.limit.exactly:
            matrix = vstack([matrix, self._edge_row(alive)], format="csr")
            right = np.append(right, self.limit.n_edges)
        return matrix, right

    def inequalities(self, alive: NDArray[np.bool_], clusters: Clusters) -> tuple[csr_array, NDArray[np.float64]]:
        """Cluster inequalities as ``matrix @ x <= right``, and a limit on the edges."""
        while self._n_clusters < len(clusters.rows):
            more = clusters.rows[self._n_clusters : self._n_clusters + 1 + _CELLS_AT_A_TIME // len(self.families)]
            inside = more[:, self.families.nodes]
            hit = more.astype(np.float32) @ self.families.parents.T.astype(np.float32) > 0.5
            self._cuts.append(csc_array(-(inside & ~hit).astype(float)))
            self._n_clusters += len(more)
        if len(self._cuts) > 1:
            self._cuts = [vstack(self._cuts, format="csc")]
        matrix, right = self._cuts[0][:, np.flatnonzero(alive)].tocsr(), -np.ones(self._n_clusters)
        if self.limit is not None and not self.limit.exactly:
            matrix = vstack([matrix, self._edge_row(alive)], format="csr")
            right = np.append(right, self.limit.n_edges)
        return matrix, right

    def _edge_row(self, alive: NDArray[np.bool_]) -> csr_array:
        return csr_array(self.families.sizes[alive][np.newaxis].astype(float))


@dataclass(frozen=True)
class Remainder:
    """What the relaxation leaves to be decided: the families that may still be in an optimal DAG, and the clusters."""

    relaxation: Relaxation
    alive: NDArray[np.bool_]
    clusters: Clusters


def solve_relaxation(
    families: Families,
    limit: EdgeLimit | None,
    incumbent: Incumbent,
    clusters: Clusters,
    watch: Watch,
    rng: np.random.Generator,
) -> Remainder | None:
    """Add clusters to the linear relaxation until no more are found, or the incumbent is proven optimal on the way.

    Returns the integer program that is left; None if the incumbent is proven.

    Parameters
    ----------
    families
        Families of all nodes.
    limit
        A limit on the number of edges.
    incumbent
        The best DAG known, if any; changed in place.
    clusters
        Cluster inequalities to start with; more are added.
    watch
        Hears about progress; may raise to end the work, and ``incumbent`` then has what was reached.
    rng
        Where the local search starts.
    """
    search = OrderSearch(families)
    if limit is None:
        n_kicks = _KICKS_PER_NODE * families.n_nodes
        incumbent.offer(*search.best_of(_RESTARTS, n_kicks, rng, lambda: watch(incumbent)))
    relaxation = Relaxation.of(families, limit, incumbent.reward)
    program = _LinearProgram(relaxation)
    alive = np.ones(len(families), dtype=bool)
    recent: list[float] = []
    while True:
        watch(incumbent)
        weights, costs, loss = program.solve(alive, clusters, incumbent, watch)
        incumbent.lower_bound_to(relaxation.reward_of(loss))
        if weights is None or is_proven(incumbent, relaxation):
            return None
        if limit is None:
            incumbent.offer(*search.from_weights(weights))
        else:
            _offer_rounded(families, limit, weights, incumbent)
        if is_proven(incumbent, relaxation):
            return None
        alive &= costs <= (relaxation.best_sum - incumbent.reward) * relaxation.scale - loss + 1e-6
        violated = violated_clusters(families, weights)
        recent = [*recent[-_PATIENCE:], incumbent.bound - incumbent.reward]
        clusters.add(violated)
        if len(violated) == 0 or (len(recent) > _PATIENCE and recent[-1] > (1.0 - _SLOW) * recent[0]):
            return Remainder(relaxation, alive, clusters)


def is_proven(incumbent: Incumbent, relaxation: Relaxation) -> bool:
    """Whether the bound has come down to the incumbent."""
    tolerance = PROVEN * max(_SCALE / relaxation.scale, abs(incumbent.reward))
    if not incumbent.bound <= incumbent.reward + tolerance:
        return False
    incumbent.bound = incumbent.reward
    return True


def _offer_rounded(families: Families, limit: EdgeLimit, weights: NDArray[np.float64], incumbent: Incumbent) -> None:
    """Offer the graph of each node's family of largest weight, if it will do."""
    chosen = np.array([of.start + int(weights[of].argmax()) for of in map(families.of, range(families.n_nodes))])
    adjacency = families.adjacency(chosen)
    if limit.allows(int(adjacency.sum())) and len(clusters_on_cycles(adjacency)) == 0:
        incumbent.offer(float(families.scores[chosen].sum()), chosen)


class _LinearProgram:
    """The linear relaxation with the few families that it needs: others join when their reduced cost is negative.

    Parameters
    ----------
    relaxation
        What is relaxed.
    """

    def __init__(self, relaxation: Relaxation) -> None:
        self._relaxation = relaxation
        families = relaxation.families
        rank = np.arange(len(families)) - np.searchsorted(families.nodes, np.arange(families.n_nodes))[families.nodes]
        # Families without parents come last: with them every cluster inequality can be satisfied.
        is_last = np.append(families.nodes[1:] != families.nodes[:-1], True)
        self._active: NDArray[np.bool_] = (rank < _FIRST_FAMILIES) | is_last

    def solve(
        self, alive: NDArray[np.bool_], clusters: Clusters, incumbent: Incumbent, watch: Watch
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.float64], float]:
        """Weights, reduced costs and least loss; no weights and an infinite loss if there is no solution."""
        while True:
            active = self._active & alive
            found = solved(self._program(active, clusters), watch.seconds_left, lambda: watch(incumbent))
            if found.status == OUT_OF_TIME:
                wait_for_the_end(lambda: watch(incumbent))
            if found.status == INFEASIBLE and active.sum() < alive.sum():
                self._active |= True
                continue
            if found.status == INFEASIBLE:
                return None, np.zeros(len(alive)), np.inf
            costs = self._reduced_costs(alive, clusters, found)
            missing = np.flatnonzero(alive & ~active & (costs < -_NEGATIVE))
            if len(missing) == 0:
                weights = np.zeros(len(alive))
                weights[active] = found.x
                return weights, np.maximum(costs, 0.0), float(found.fun)
            most_negative = missing[np.argsort(costs[missing])[: max(_MORE_FAMILIES, len(missing) // 4)]]
            self._active[most_negative] = True

    def _program(self, active: NDArray[np.bool_], clusters: Clusters) -> Program:
        equal, equal_right = self._relaxation.equalities(active)
        at_most, right = self._relaxation.inequalities(active, clusters)
        return Program(
            "linprog",
            {
                "c": self._relaxation.losses[active],
                "A_ub": at_most,
                "b_ub": right,
                "A_eq": equal,
                "b_eq": equal_right,
                "bounds": (0.0, None),
                "method": "highs",
            },
            {},
        )

    def _reduced_costs(self, alive: NDArray[np.bool_], clusters: Clusters, found: Any) -> NDArray[np.float64]:
        """Losses minus what the duals of all rows pay for; of families that are not alive, infinite."""
        equal, _ = self._relaxation.equalities(alive)
        at_most, _ = self._relaxation.inequalities(alive, clusters)
        costs = np.full(len(alive), np.inf)
        paid = equal.T @ found.eqlin.marginals + at_most.T @ found.ineqlin.marginals
        costs[alive] = self._relaxation.losses[alive] - paid
        return costs
