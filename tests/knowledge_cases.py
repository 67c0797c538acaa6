"""Random knowledge over small tables, and what it means for a graph to obey it, in terms of sets and networkx."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
from common import linear_table

import dagsearch as ds


def random_frame(seed, n_nodes, n_samples=80):
    """A linear model over a random DAG, columns a, b, ..."""
    return pd.DataFrame(linear_table(n_samples, n_nodes, seed), columns=list("abcdef"[:n_nodes]))


def random_knowledge(seed, names):
    """Required edges without a cycle, tiers over some variables, and forbidden edges; never a contradiction."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(names).tolist()
    tiers, within = _random_tiers(rng, order)
    ruled_out = ruled_out_by_tiers(tiers, within)
    forwards = [(a, b) for a, b in product(order, order) if order.index(a) < order.index(b) and (a, b) not in ruled_out]
    required = [edge for edge in forwards if rng.random() < rng.choice([0.0, 0.15, 0.4])]
    others = [(a, b) for a, b in product(names, names) if a != b and (a, b) not in required]
    forbidden = [edge for edge in others if rng.random() < rng.choice([0.0, 0.2, 0.5])]
    return ds.Knowledge(required, forbidden, tiers, forbid_within=within)


def _random_tiers(rng, order):
    """Consecutive parts of an order, some of whose members are in none."""
    if rng.random() < 0.3:
        return [], []
    cuts = sorted(rng.choice(np.arange(1, len(order)), size=rng.integers(0, 3), replace=False).tolist())
    parts = [order[i:j] for i, j in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    tiers = [[name for name in part if rng.random() < 0.8] for part in parts]
    return tiers, [k for k in range(len(tiers)) if rng.random() < 0.2]


def ruled_out_by_tiers(tiers, within):
    tier_of = {name: k for k, tier in enumerate(tiers) for name in tier}
    return {
        (a, b)
        for (a, of_a), (b, of_b) in product(tier_of.items(), tier_of.items())
        if of_a > of_b or (of_a == of_b and of_a in within and a != b)
    }


def assert_obeys(graph, knowledge):
    """Directed edges are none of the forbidden, required ones are there, undirected ones may point either way."""
    ruled_out = set(knowledge.forbidden) | ruled_out_by_tiers(knowledge.tiers, knowledge.forbid_within)
    directed = set(graph.directed_edges)
    assert not directed & ruled_out
    assert set(knowledge.required) <= directed
    for a, b in graph.undirected_edges:
        assert not {(a, b), (b, a)} & ruled_out
    assert nx.is_directed_acyclic_graph(nx.DiGraph(sorted(directed)))
