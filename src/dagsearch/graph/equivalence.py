"""The equivalence class of a DAG: its v-structures, then what Meek's rules make of them.

C. Meek, "Causal inference and causal explanation with background knowledge", UAI 1995, figure 1. Rule 4
is needed only with background knowledge, so it is absent here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BoolMatrix = npt.NDArray[np.bool_]


def cpdag(adjacency: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return the completed PDAG of a DAG, both of shape (n_nodes, n_nodes)."""
    dag = adjacency.astype(bool)
    mixed = v_structures(dag)
    mixed |= (dag | dag.T) & ~mixed.T
    while (compelled := meek_rules(mixed)).any():
        mixed &= ~compelled.T
    return mixed.astype(np.int8)


def v_structures(dag: BoolMatrix) -> BoolMatrix:
    """Edges i -> j that meet another edge k -> j where i and k are not adjacent."""
    return dag & (_apart(dag) @ dag)


def meek_rules(mixed: BoolMatrix) -> BoolMatrix:
    """Undirected edges a - b that rules 1 to 3 turn into a -> b."""
    directed, undirected = mixed & ~mixed.T, mixed & mixed.T
    apart = _apart(mixed)
    away_from_collider = directed.T @ apart
    away_from_cycle = directed @ directed
    return undirected & (away_from_collider | away_from_cycle | _two_colliding_paths(directed, undirected, apart))


def _two_colliding_paths(directed: BoolMatrix, undirected: BoolMatrix, apart: BoolMatrix) -> BoolMatrix:
    """Rule 3: pairs (a, b) with a - c -> b and a - d -> b where c and d are not adjacent."""
    found = np.zeros_like(directed)
    for a, b in np.argwhere(undirected):
        between = undirected[a] & directed[:, b]
        found[a, b] = apart[np.ix_(between, between)].any()
    return found


def _apart(graph: BoolMatrix) -> BoolMatrix:
    """Pairs of different nodes without an edge between them."""
    return ~(graph | graph.T | np.eye(len(graph), dtype=bool))
