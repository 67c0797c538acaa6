"""TPR, FDR, SHD: hand-made cases, a slow twin, and the matching of nodes."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagsearch.errors import InputError
from dagsearch.graph import DAG, PDAG
from dagsearch.metrics import JudgedEdge, aid, classify, compare, sid

KEYS = [
    "tpr",
    "fdr",
    "shd",
    "precision",
    "recall",
    "f1",
    "n_edges",
    "n_true_edges",
    "n_right",
    "n_reversed",
    "n_extra",
    "n_missing",
    "sid",
    "ancestor_aid",
]
TRUTH = DAG.from_edges([("a", "b"), ("b", "c"), ("c", "d")])


def naive_compare(found, truth):
    """Count over all pairs of nodes, straight from the definitions."""
    right = reverse = extra = missing = 0
    for i, j in itertools.combinations(range(len(truth)), 2):
        f, t = (found[i, j], found[j, i]), (truth[i, j], truth[j, i])
        if any(f) and not any(t):
            extra += 1
        elif any(t) and not any(f):
            missing += 1
        elif any(f):
            agrees = all(f) or all(t) or f == t
            right += agrees
            reverse += not agrees
    found_edges, true_edges = right + reverse + extra, right + reverse + missing
    precision, recall = right / max(found_edges, 1), right / max(true_edges, 1)
    return {
        "tpr": recall,
        "fdr": (reverse + extra) / max(found_edges, 1),
        "shd": extra + missing + reverse,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0,
        "n_edges": found_edges,
        "n_true_edges": true_edges,
        "n_right": right,
        "n_reversed": reverse,
        "n_extra": extra,
        "n_missing": missing,
    }


@st.composite
def mixed_matrices(draw, n_nodes=5):
    """Matrices of PDAGs: arrows along a random order, and undirected edges."""
    n_pairs = n_nodes * (n_nodes - 1) // 2
    order = draw(st.permutations(range(n_nodes)))
    states = draw(st.lists(st.sampled_from(["none", "arrow", "line"]), min_size=n_pairs, max_size=n_pairs))
    matrix = np.zeros((n_nodes, n_nodes), dtype=int)
    for (i, j), state in zip(itertools.combinations(order, 2), states, strict=True):
        matrix[i, j], matrix[j, i] = state != "none", state == "line"
    return matrix


@given(mixed_matrices(), mixed_matrices())
def test_metrics_equal_their_slow_twin(found, truth):
    measured = compare(found, truth)
    assert list(measured) == KEYS
    distances = {"sid": sid(found, truth), "ancestor_aid": aid(found, truth, "ancestor")}
    assert measured == pytest.approx(naive_compare(found, truth) | distances)
    assert classify(found, truth).metrics() == pytest.approx(naive_compare(found, truth))


@given(mixed_matrices(), mixed_matrices(), st.permutations(range(5)))
def test_the_order_of_nodes_does_not_matter(found, truth, order):
    names = list("abcde")
    shuffled = PDAG(found[np.ix_(order, order)], [names[k] for k in order])
    assert compare(shuffled, PDAG(truth, names)) == compare(found, truth)


@given(mixed_matrices(), mixed_matrices())
def test_the_distance_is_the_same_both_ways(found, truth):
    assert compare(found, truth)["shd"] == compare(truth, found)["shd"]


@given(mixed_matrices())
def test_a_graph_is_at_no_distance_from_itself(matrix):
    metrics = compare(matrix, matrix)
    assert metrics["shd"] == metrics["fdr"] == 0
    assert metrics["tpr"] == (1 if matrix.any() else 0)


def test_right_reversed_extra_and_missing_edges_are_counted():
    found = DAG.from_edges([("a", "b"), ("c", "b"), ("a", "d")])
    assert compare(found, TRUTH) == {
        "tpr": pytest.approx(1 / 3),
        "fdr": pytest.approx(2 / 3),
        "shd": 3,
        "precision": pytest.approx(1 / 3),
        "recall": pytest.approx(1 / 3),
        "f1": pytest.approx(1 / 3),
        "n_edges": 3,
        "n_true_edges": 3,
        "n_right": 1,
        "n_reversed": 1,
        "n_extra": 1,
        "n_missing": 1,
        "sid": 6,
        "ancestor_aid": 5,
    }


def test_a_reversal_counts_once():
    assert compare([("b", "a"), ("b", "c"), ("c", "d")], TRUTH)["shd"] == 1


def test_an_undirected_edge_is_right_where_the_truth_is_adjacent():
    found = PDAG.from_edges(undirected=[("b", "a"), ("a", "c")], names=list("abcd"))
    metrics = compare(found, TRUTH)
    assert (metrics["n_edges"], metrics["n_right"], metrics["n_extra"], metrics["shd"]) == (2, 1, 1, 3)


def test_any_edge_agrees_with_an_undirected_true_edge():
    truth = PDAG.from_edges(undirected=[("a", "b")])
    assert compare([("b", "a")], truth)["shd"] == 0
    assert compare([("a", "b")], truth)["tpr"] == 1


def test_an_empty_graph_divides_by_one():
    metrics = compare([], TRUTH)
    assert (metrics["tpr"], metrics["fdr"], metrics["precision"], metrics["f1"]) == (0, 0, 0, 0)
    assert (metrics["shd"], metrics["n_missing"]) == (3, 3)
    assert compare(np.zeros((2, 2)), np.zeros((2, 2)))["tpr"] == 0


def test_verdicts_carry_the_direction_of_the_found_graph():
    found = DAG.from_edges([("b", "a"), ("a", "d")], names=list("abcd"))
    assert set(classify(found, TRUTH).edges) == {
        JudgedEdge("b", "a", True, "reversed"),
        JudgedEdge("a", "d", True, "extra"),
        JudgedEdge("b", "c", True, "missing"),
        JudgedEdge("c", "d", True, "missing"),
    }


# --- Matching nodes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        TRUTH.adjacency,
        TRUTH.adjacency.tolist(),
        DAG(TRUTH.adjacency),
        TRUTH.edges,
        TRUTH.to_networkx(),
        pd.DataFrame(TRUTH.adjacency, columns=TRUTH.names),
        DAG.from_edges(TRUTH.edges, names=list("dcba")),
    ],
    ids=["array", "nested list", "unnamed dag", "edges", "networkx", "data frame", "other order"],
)
def test_every_form_of_the_truth_is_the_truth(found):
    assert compare(found, TRUTH)["shd"] == 0
    assert compare(TRUTH, found)["shd"] == 0


def test_nodes_lost_from_an_edge_list_are_isolated():
    truth = DAG.from_edges([("x0", "x1"), ("x1", "x2")], names=["x0", "x1", "x2", "x3"])
    assert compare([("x2", "x1")], truth)["shd"] == 2
    assert compare([("x1", "x2")], truth.adjacency)["shd"] == 1
    assert compare(truth, [("x0", "x1")])["n_extra"] == 1


def test_names_like_the_default_ones_still_match_by_name():
    assert compare([("x0", "x1")], [("x1", "x3")])["shd"] == 2


def test_graphs_without_a_common_name_are_refused():
    with pytest.raises(InputError, match="share none: found has p, q; truth has a, b, c, d"):
        compare([("p", "q")], TRUTH)
    with pytest.raises(InputError, match="share none"):
        compare([("p", "q")], [("a", "b")])


@pytest.mark.parametrize("truth", [np.zeros((4, 4)), DAG(np.zeros((4, 4))), TRUTH])
def test_a_matrix_of_another_size_is_refused(truth):
    with pytest.raises(InputError, match="matrix for 3 nodes and a graph of 4"):
        compare(np.zeros((3, 3)), truth)
    with pytest.raises(InputError, match="matrix for 3 nodes and a graph of 4"):
        compare(truth, np.zeros((3, 3)))


def test_the_skeleton_of_networkx_gives_the_adjacencies():
    rng = np.random.default_rng(0)
    found, truth = (np.triu(rng.integers(0, 2, size=(8, 8)), 1) for _ in range(2))
    skeletons = [set(nx.from_numpy_array(matrix + matrix.T).edges) for matrix in (found, truth)]
    metrics = compare(found, truth)
    assert metrics["n_extra"] == len(skeletons[0] - skeletons[1])
    assert metrics["n_missing"] == len(skeletons[1] - skeletons[0])
