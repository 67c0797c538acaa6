"""Known directions in equivalence classes: Meek's rules against all DAGs of four nodes, and GES that goes by them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from common import every_dag, linear_table
from knowledge_cases import random_knowledge
from naive_ges import restricted_class, search_by

import dagsearch as ds
from dagsearch.graph.background import with_directions
from dagsearch.search.ges import equivalence_search

CLASSES: dict[bytes, list[np.ndarray]] = {}
for dag in every_dag(4):
    CLASSES.setdefault(dag.to_cpdag().adjacency.tobytes(), []).append(dag.adjacency.astype(bool))


def random_directions(rng, n_nodes):
    """Each pair perhaps in one direction, with or without a cycle."""
    known = np.triu(rng.random((n_nodes, n_nodes)) < rng.choice([0.1, 0.3, 0.7]), 1)
    turned = rng.random((n_nodes, n_nodes)) < 0.5
    return (known & turned) | (known & ~turned).T


def expected_graph(members, known):
    """The edges of all members that have the known directions, both ways where members differ; None without any."""
    fitting = [member for member in members if not (member & known.T).any()]
    return np.any(fitting, axis=0).astype(np.int8) if fitting else None


@pytest.mark.parametrize("seed", range(4))
def test_every_class_of_four_nodes_is_directed_as_its_members_that_fit_agree(seed):
    rng, n_none = np.random.default_rng(seed), 0
    for key, members in CLASSES.items():
        known = random_directions(rng, 4)
        found = with_directions(np.frombuffer(key, dtype=np.int8).reshape(4, 4), known)
        expected = expected_graph(members, known)
        n_none += expected is None
        assert (found is None) == (expected is None)
        assert found is None or np.array_equal(found, expected)
    assert 0 < n_none < len(CLASSES)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_classes_of_five_nodes_are_directed_as_their_members_that_fit_agree(seed):
    rng = np.random.default_rng(seed)
    classes: dict[bytes, list[np.ndarray]] = {}
    for dag in every_dag(5):
        classes.setdefault(dag.to_cpdag().adjacency.tobytes(), []).append(dag.adjacency.astype(bool))
    for key, members in classes.items():
        known = random_directions(rng, 5)
        found = with_directions(np.frombuffer(key, dtype=np.int8).reshape(5, 5), known)
        expected = expected_graph(members, known)
        assert (found is None) == (expected is None)
        assert found is None or np.array_equal(found, expected)


# ---------------------------------------------------------------- greedy equivalence search


def score_of(table):
    score = ds.scores.make("bic-linear", table, penalty="parameters")
    return lambda node, parents: len(table) * score.local(node, parents)


def total(local, adjacency):
    return sum(local(node, tuple(np.flatnonzero(adjacency[:, node]).tolist())) for node in range(len(adjacency)))


@pytest.mark.parametrize("seed", range(5))
def test_knowledge_that_restricts_nothing_changes_no_step(seed):
    local, steps = score_of(linear_table(100, 6, seed)), {}
    for name, restrictions in {"without": {}, "with": {"allowed": np.ones((6, 6), dtype=bool)}}.items():
        steps[name] = []
        search_by(local, 6, on_step=steps[name].append, **restrictions)
    assert [step.score for step in steps["without"]] == [step.score for step in steps["with"]]
    for without, restricted in zip(steps["without"], steps["with"], strict=True):
        assert np.array_equal(without.adjacency, restricted.adjacency)


@pytest.mark.parametrize("seed", range(6))
def test_with_tiers_and_many_rows_ges_is_as_good_as_the_best_graph_that_obeys(seed):
    local, names = score_of(linear_table(3000, 4, seed)), ("a", "b", "c", "d")
    order = np.random.default_rng(seed).permutation(names).tolist()
    knowledge = ds.Knowledge(tiers=[order[:2], order[2:]])
    allowed = knowledge.allowed_edges(names)
    fit = search_by(local, 4, allowed=allowed)
    best = max(total(local, dag.adjacency) for dag in every_dag(4) if not (dag.adjacency.astype(bool) & ~allowed).any())
    assert fit.score == pytest.approx(best, abs=0.01)  # in units of log-likelihood


@pytest.mark.parametrize("seed", range(12))
def test_every_class_on_the_way_obeys_and_scores_as_its_member(seed):
    names = tuple("abcde")
    local, knowledge = score_of(linear_table(80, 5, seed)), random_knowledge(seed, list(names))
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
    steps = []
    fit = search_by(local, 5, on_step=steps.append, allowed=allowed, required=required)
    scores = [total(local, required), *(step.score for step in steps)]
    assert all(after > before for before, after in pairwise(scores))
    for adjacency, score in [*((step.adjacency, step.score) for step in steps), (fit.adjacency, fit.score)]:
        member = ds.PDAG(adjacency, names).to_dag().adjacency.astype(bool)
        assert not (member & ~allowed).any()
        assert (member >= required).all()
        assert score == pytest.approx(total(local, member), abs=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_of_all_steps_the_best_that_obeys_is_taken(seed):
    names = tuple("abcdef")
    table = linear_table((80, 1000)[seed % 2], 6, seed)
    score = ds.scores.make("bic-linear", table, penalty="parameters")
    knowledge = random_knowledge(seed, list(names))
    allowed, required = knowledge.allowed_edges(names), knowledge.required_edges(names)
    found = equivalence_search(score, unit=len(table), allowed=allowed, required=required)
    assert np.array_equal(found.adjacency, restricted_class(score, len(table), allowed, required))
