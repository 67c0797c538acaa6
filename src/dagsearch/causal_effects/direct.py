"""The direct effect along each edge of a graph: what a change of a cause does while the other causes stay as they are.

Each variable is regressed on all its causes. In a graph with undirected edges its neighbours count among them, and each
undirected edge has an effect in both directions: what the effect would be, if it pointed there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from dagsearch._display import Displayed
from dagsearch.causal_effects.family import Family, Influence, usable_rows
from dagsearch.data import Dataset
from dagsearch.graph import DAG, PDAG, CyclicGraph

Graph = DAG | PDAG | CyclicGraph


@dataclass(frozen=True)
class DirectEffect(Displayed):
    """What a change of a cause does to its effect while the other direct causes stay as they are.

    Attributes
    ----------
    cause, effect
        Names.
    coefficient
        The change of the effect, in its units, for one unit more of the cause; from the first level to the second one
        of a cause with two. None if it is more than one number (see `contrasts`), or not determined (see `reason`).
    standardised
        The same with both variables in standard deviations.
    kind
        ``"slope"``, ``"average slope"`` (where the influence is no straight line: the mean over the rows), or
        ``"difference"`` between levels of a categorical cause.
    contrasts
        Level of a categorical cause -> change against the `reference`; for an effect of three and more levels, level
        -> change of its probability, or ``"level of the cause -> level of the effect"``.
    reference
        The level of a categorical cause that others are compared with: the first of two, the most frequent of more.
    outcome
        The level whose probability changes, if the effect has two levels.
    is_open
        Whether the data leave the direction open, so that the effect may be the other way round.
    rising
        Share of the rows in which the slope is positive, for an average slope: far from 0 and 1, the sign of the
        average says little.
    adjusts_for
        The other causes, which are held fixed.
    n_rows
        Number of rows that were used.
    reason
        Why there is no number, if there is none.
    """

    cause: str
    effect: str
    coefficient: float | None
    standardised: float | None
    kind: str
    contrasts: Mapping[str, float] = field(hash=False)
    reference: str | None
    outcome: str | None
    is_open: bool
    rising: float | None
    adjusts_for: tuple[str, ...]
    n_rows: int
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has."""
        return {**asdict(self), "contrasts": dict(self.contrasts), "adjusts_for": list(self.adjusts_for)}


def direct_effects(
    graph: Graph, data: Dataset, additive: bool = True, open_edges: Iterable[Iterable[str]] = ()
) -> tuple[DirectEffect, ...]:
    """The direct effect along each edge: directed edges in their order, then undirected ones in both directions.

    Parameters
    ----------
    graph
        Any graph whose nodes are columns of the table. Around a cycle, coefficients of regressions are no effects.
    data
        The table. Rows that lack a cell of the variable or of one of its causes, and those in which the variable was
        set by an experiment, are left out of its regression.
    additive
        Whether continuous causes may have an influence that is no straight line; a spline is then fitted for each that
        needs one by BIC.
    open_edges
        Pairs whose direction is open, beside undirected ones.
    """
    is_open = {frozenset(pair) for pair in [*open_edges, *graph.undirected_edges]}
    both_ways = [pair for line in graph.undirected_edges for pair in (line, line[::-1])]
    found: dict[tuple[str, str], DirectEffect] = {}
    for effect in graph.names:
        causes = [graph.names[i] for i in np.flatnonzero(graph.adjacency[:, graph.index(effect)])]
        if causes:
            found |= _of_family(data, effect, causes, additive, is_open)
    return tuple(found[edge] for edge in [*graph.directed_edges, *both_ways])


def _of_family(
    data: Dataset, effect: str, causes: list[str], additive: bool, is_open: Collection[frozenset[str]]
) -> dict[tuple[str, str], DirectEffect]:
    """The effects of all causes of one variable."""
    node, nodes = data.names.index(effect), [data.names.index(cause) for cause in causes]
    family = Family(data, node, nodes, usable_rows(data, node, nodes), additive)
    return {
        (cause, effect): _named(family.influence(k), cause, effect, causes, family.n_rows, is_open)
        for cause, k in zip(causes, nodes, strict=True)
    }


def _named(
    influence: Influence, cause: str, effect: str, causes: list[str], n_rows: int, is_open: Collection[frozenset[str]]
) -> DirectEffect:
    return DirectEffect(
        cause=cause,
        effect=effect,
        **{name: getattr(influence, name) for name in Influence.__dataclass_fields__},
        is_open=frozenset((cause, effect)) in is_open,
        adjusts_for=tuple(other for other in causes if other != cause),
        n_rows=n_rows,
    )
