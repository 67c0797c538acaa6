"""From a partially directed graph to a DAG that it stands for, or to an error where there is none."""

import itertools
import time

import naive_classes
import numpy as np
import pytest
from common import every_dag
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch.errors import InputError
from dagsearch.graph import DAG, PDAG
from dagsearch.graph.equivalence import cpdag
from dagsearch.graph.extension import consistent_extension


def colliders(mixed):
    """All (a, b, c) with a -> b <- c where a and c are not adjacent."""
    arrows = (mixed & ~mixed.T).astype(bool)
    joined = (mixed | mixed.T).astype(bool)
    nodes = range(len(mixed))
    return {
        (a, b, c) for a, b, c in itertools.permutations(nodes, 3) if arrows[a, b] and arrows[c, b] and not joined[a, c]
    }


def agrees(mixed, dag):
    """Whether a DAG is a consistent extension, from the definition."""
    same_pairs = np.array_equal(mixed | mixed.T, dag | dag.T)
    return same_pairs and not (mixed & ~mixed.T & ~dag).any() and colliders(mixed) == colliders(dag)


@st.composite
def random_dags(draw):
    n_nodes = draw(st.integers(8, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    upper = np.triu(rng.random((n_nodes, n_nodes)) < draw(st.floats(0.05, 0.9)), 1).astype(np.int8)
    shuffled = rng.permutation(n_nodes)
    return DAG(upper[np.ix_(shuffled, shuffled)])


FOUR = every_dag(4)
BY_PAIRS = {}
for each in FOUR:
    BY_PAIRS.setdefault((each.adjacency | each.adjacency.T).tobytes(), []).append(each)


def same_pairs(matrix):
    return BY_PAIRS[(matrix | matrix.T).tobytes()]


def test_each_of_the_543_classes_of_four_nodes_gives_one_of_its_members():
    assert len(FOUR) == 543
    for dag in FOUR:
        assert dag.to_cpdag().to_dag().to_cpdag() == dag.to_cpdag()


@given(random_dags())
@settings(max_examples=60, deadline=None)
def test_the_class_of_a_larger_dag_gives_one_of_its_members(dag):
    member = dag.to_cpdag().to_dag()
    assert member.to_cpdag() == dag.to_cpdag()
    assert agrees(dag.to_cpdag().adjacency, member.adjacency)


@pytest.mark.long
def test_of_all_mixed_graphs_of_four_nodes_exactly_those_with_an_extension_get_one():
    pairs = list(itertools.combinations(range(4), 2))
    n_without = 0
    for marks in itertools.product(range(4), repeat=6):
        matrix = np.zeros((4, 4), dtype=np.int8)
        for (i, j), mark in zip(pairs, marks, strict=True):
            matrix[i, j], matrix[j, i] = mark & 1, mark >> 1
        try:
            mixed = PDAG(matrix)
        except InputError:
            continue
        if any(agrees(matrix, dag.adjacency) for dag in same_pairs(matrix)):
            assert agrees(matrix, mixed.to_dag().adjacency)
        else:
            n_without += 1
            with pytest.raises(InputError, match="no DAG has the edges and v-structures"):
                mixed.to_dag()
    assert n_without > 100


def test_a_graph_that_is_directed_already_stays_as_it_is():
    for dag in FOUR[::7]:
        assert PDAG(dag.adjacency, dag.names).to_dag() == dag


def test_names_stay_and_free_edges_point_from_earlier_to_later_names():
    chain = PDAG.from_edges([], [("c", "b"), ("b", "a")], names=list("cbaz"))
    assert chain.to_dag() == DAG.from_edges([("c", "b"), ("b", "a")], names=list("cbaz"))


@pytest.mark.parametrize(
    ("directed", "undirected", "names", "among"),
    [
        ([], ["ab", "bc", "cd", "da"], "abcd", "a, b, c, d"),
        (["ab", "dc"], ["bc"], "abcd", "a, b, c, d"),
        (["ea", "ab", "dc", "ef"], ["bc"], "abcdef", "a, b, c, d, e"),
    ],
    ids=["square without a diagonal", "arrows from both ends", "with a tail"],
)
def test_a_graph_without_a_dag_is_refused_by_name(directed, undirected, names, among):
    mixed = PDAG.from_edges([tuple(edge) for edge in directed], [tuple(edge) for edge in undirected], list(names))
    with pytest.raises(InputError, match=f"undirected edges among {among} are directed"):
        mixed.to_dag()


def test_v_structures_of_the_result_are_those_of_the_graph():
    mixed = DAG.from_edges([("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")]).to_cpdag()
    assert colliders(mixed.to_dag().adjacency) == {(0, 1, 2), (2, 1, 0)}


# ---------------------------------------------------------------- sets against matrices


@given(random_dags(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_classes_and_extensions_are_those_of_slow_twins_on_matrices(dag, choose):
    mixed = naive_classes.cpdag(dag.adjacency)
    np.testing.assert_array_equal(cpdag(dag.adjacency), mixed)
    np.testing.assert_array_equal(consistent_extension(mixed).adjacency, naive_classes.extension(mixed)[0])
    # Lines in place of any arrows: often there is no DAG, and several nodes are stuck.
    for cause, effect in np.argwhere(dag.adjacency):
        if choose.random() < 0.3:
            mixed[[cause, effect], [effect, cause]] = 1
    found, (expected, stuck) = consistent_extension(mixed), naive_classes.extension(mixed)
    assert found.stuck == stuck
    assert stuck or np.array_equal(found.adjacency, expected)


def test_a_thousand_nodes_take_tenths_of_a_second_at_most():
    """Products of matrices took nine seconds, sets take hundredths."""
    rng = np.random.default_rng(0)
    adjacency = np.zeros((1000, 1000), dtype=np.int8)
    causes, effects = np.sort(rng.integers(1000, size=(2000, 2)), axis=1).T
    adjacency[causes[causes < effects], effects[causes < effects]] = 1
    began = time.thread_time()  # on a busy machine, of this thread alone
    mixed = cpdag(adjacency)
    member = consistent_extension(mixed).adjacency
    assert time.thread_time() - began < 1.0
    np.testing.assert_array_equal(cpdag(member), mixed)
