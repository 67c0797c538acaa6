"""The best DAG over given families: which way to take, part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagsearch.errors import InputError
from dagsearch.search.exact.components import Component, components, whole
from dagsearch.search.exact.families import Families
from dagsearch.search.exact.highs import solve_by_highs
from dagsearch.search.exact.program import Clusters, EdgeLimit, Incumbent, Watch, solve_relaxation
from dagsearch.search.exact.scip import has_scip, solve_by_scip
from dagsearch.search.exact.subsets import best_by_subset, bytes_needed

Solver = Literal["auto", "dynamic", "highs", "scip"]
SOLVERS: tuple[Solver, ...] = ("auto", "dynamic", "highs", "scip")

DYNAMIC = "dynamic programming"
BY_CUTS = "cutting planes (HiGHS)"
BY_HIGHS = "integer programming (HiGHS)"
BY_SCIP = "integer programming (SCIP)"

MEMORY = 2 * 2**30
"""Dynamic programming takes no more bytes than this."""

_QUICK_BYTES = 8 * 2**20  # dynamic programming takes about a tenth of a second
_MANY_FAMILIES = 20_000  # linear programs of this size take seconds


@dataclass
class Part:
    """A component and what is known of its best DAG."""

    component: Component
    incumbent: Incumbent
    way: str = ""

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the component."""
        return len(self.component.members)

    def chosen(self) -> NDArray[np.int64]:
        """Positions of the families in the whole problem."""
        assert self.incumbent.chosen is not None
        return self.component.origins[self.incumbent.chosen]


class Solution:
    """The best DAG over families, found part by part; it can be read off at any time.

    Parameters
    ----------
    families
        Families of all nodes.
    limit
        A limit on the number of edges.
    known
        Reward of a DAG within the limit that is known already.
    """

    def __init__(self, families: Families, limit: EdgeLimit | None, known: float = -np.inf) -> None:
        self.families = families
        self.limit = limit
        self.parts: list[Part] = []
        for component in components(families) if limit is None else [whole(families)]:
            starts = np.searchsorted(component.families.nodes, np.arange(len(component.members)))
            bound = float(component.families.scores[starts].sum())
            self.parts.append(Part(component, Incumbent(known if limit else -np.inf, None, bound)))

    @property
    def reward(self) -> float:
        """Reward of the best DAG so far; -inf if there is none."""
        return sum(part.incumbent.reward for part in self.parts)

    @property
    def bound(self) -> float:
        """No DAG over the families within the limit has a higher reward."""
        return sum(part.incumbent.bound for part in self.parts)

    @property
    def ways(self) -> tuple[str, ...]:
        """How the parts of more than one node were solved."""
        return tuple(dict.fromkeys(part.way for part in self.parts if part.way))

    def chosen(self) -> NDArray[np.int64] | None:
        """One family per node, by position; None if no DAG (or none better than the known one) was found."""
        if any(part.incumbent.chosen is None for part in self.parts):
            return None
        chosen = np.concatenate([part.chosen() for part in self.parts])
        return chosen[np.argsort(self.families.nodes[chosen])]

    def adjacency(self) -> NDArray[np.int8] | None:
        """The graph of the chosen families."""
        chosen = self.chosen()
        return None if chosen is None else self.families.adjacency(chosen)

    def solve(self, solver: Solver, watch: Watch, rng: np.random.Generator) -> None:
        """Solve all parts; `watch` may raise to end this early."""
        for part in self.parts:
            if part.n_nodes == 1:
                part.incumbent.offer(part.incumbent.bound, np.zeros(1, dtype=np.int64))
            else:
                solve_part(part, self.limit, solver, watch, rng)


def solve_part(part: Part, limit: EdgeLimit | None, solver: Solver, watch: Watch, rng: np.random.Generator) -> None:
    """Find the best DAG of one part by the way that suits it, or the one that the user wants."""
    families = part.component.families
    most_edges = None if limit is None else limit.n_edges
    fits = bytes_needed(part.n_nodes, most_edges) <= MEMORY
    if solver == "dynamic" and not fits:
        raise InputError(
            f"solver='dynamic' needs {bytes_needed(part.n_nodes, most_edges) / 2**30:.0f} GiB for {part.n_nodes} "
            f"variables that may lie on common cycles, at most {MEMORY / 2**30:.0f} are allowed; use solver='auto'"
        )
    quick = bytes_needed(part.n_nodes, most_edges) <= _QUICK_BYTES or len(families) > _MANY_FAMILIES
    if solver == "dynamic" or (solver == "auto" and fits and quick):
        part.way = DYNAMIC
        _solve_dynamically(part, limit, watch)
    else:
        by_scip = solver == "scip" or (solver == "auto" and has_scip())
        part.way = BY_CUTS
        remainder = solve_relaxation(families, limit, part.incumbent, Clusters.to_begin_with(families), watch, rng)
        if remainder is not None:
            part.way = BY_SCIP if by_scip else BY_HIGHS
            (solve_by_scip if by_scip else solve_by_highs)(remainder, part.incumbent, watch)


def _solve_dynamically(part: Part, limit: EdgeLimit | None, watch: Watch) -> None:
    incumbent = part.incumbent
    table = best_by_subset(
        part.component.families, None if limit is None else limit.n_edges, lambda _: watch(incumbent)
    )
    n_edges = 0
    if limit is not None:
        n_edges = limit.n_edges if limit.exactly else int(table.by_edges.argmax())
    reward = float(table.by_edges[n_edges])
    if reward > incumbent.reward:
        incumbent.offer(reward, table.choice(n_edges))
    incumbent.bound = incumbent.reward
