"""The decision process: which edges are legal, in every order of insertion, and what knowledge rules out."""

import itertools
import random

import naive
import networkx as nx
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch.errors import CycleError, InputError, UnknownNameError
from dagsearch.graph import Knowledge
from dagsearch.graph.bitset import membership_from_rows
from dagsearch.kernels.bits import words_for
from dagsearch.kernels.process import add_edge, insert_edge, restore
from dagsearch.search.process import (
    adjacency_from_parents,
    copy_partial,
    empty_partial,
    legal_edges,
    rules_of,
    start_partial,
)
from dagsearch.search.protocol import Problem

ALL_DAGS = naive.all_dags(4)
NAMES = ("age", "smoking", "tar", "cancer")
SIZES_OF_SEVERAL_WORDS = [64, 65, 128, 129, 130]


class Process:
    """A partial DAG of the kernels that grows edge by edge."""

    def __init__(self, n_nodes, allowed=None, max_parents=None, incremental=True):
        self.n_nodes = n_nodes
        self.problem = Problem(
            start=np.zeros((n_nodes, n_nodes), dtype=bool),
            allowed=np.ones((n_nodes, n_nodes), dtype=bool) if allowed is None else allowed,
            edge_budget=None,
            max_parents=n_nodes - 1 if max_parents is None else max_parents,
            incremental=incremental,
        )
        self.rules = rules_of(self.problem)
        self.graph = start_partial(self.problem, self.rules)
        self.words = words_for(n_nodes)[1]

    def insert(self, cause, effect):
        add_edge(self.graph, cause, effect, self.rules, self.words)

    @property
    def adjacency(self):
        return adjacency_from_parents(self.graph.parents, self.n_nodes)

    @property
    def legal(self):
        return legal_edges(self.graph, self.n_nodes)

    @property
    def stubs(self):
        return membership_from_rows(self.graph.stubs, self.n_nodes)[0]

    @property
    def ancestors(self):
        return membership_from_rows(self.graph.ancestors, self.n_nodes)

    @property
    def descendants(self):
        return membership_from_rows(self.graph.descendants, self.n_nodes)

    def insert_at_random(self, choose, n_edges):
        """Insert up to ``n_edges`` random legal edges; yields after each."""
        for _ in range(n_edges):
            candidates = np.argwhere(self.legal)
            if not len(candidates):
                return
            cause, effect = (int(node) for node in choose.choice(candidates))
            self.insert(cause, effect)
            yield cause, effect


def legal_by_networkx(adjacency):
    """Absent edges with which the graph stays acyclic, each tried on its own."""
    legal = np.zeros(adjacency.shape, dtype=bool)
    graph = nx.from_numpy_array(adjacency, create_using=nx.DiGraph)
    for i, j in np.argwhere(adjacency == 0):
        graph.add_edge(i, j)
        legal[i, j] = nx.is_directed_acyclic_graph(graph)
        graph.remove_edge(i, j)
    return legal


def descendants_by_networkx(adjacency):
    """[v, w]: w is v or lies on a directed path from v."""
    closure = nx.transitive_closure(nx.from_numpy_array(adjacency, create_using=nx.DiGraph), reflexive=True)
    return nx.to_numpy_array(closure, nodelist=range(len(adjacency))).astype(bool)


@numba.njit
def insert_and_restore(graph, root, causes, effects, rules, words):
    for k in range(causes.shape[0]):
        insert_edge(graph, causes[k], effects[k], rules, words)
    restore(graph, root, words)


# --- All DAGs of four nodes ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def legal_of_dags():
    return {edges: legal_by_networkx(naive.adjacency_of(edges, 4)) for edges in ALL_DAGS}


def test_there_are_543_dags_on_four_nodes():
    assert len(set(ALL_DAGS)) == 543


@pytest.mark.parametrize("order_seed", range(4))
@pytest.mark.parametrize("incremental", [True, False])
def test_legal_edges_of_every_dag_on_four_nodes_are_those_that_close_no_cycle(order_seed, incremental, legal_of_dags):
    shuffle = random.Random(order_seed).shuffle
    for edges in ALL_DAGS:
        order = sorted(edges)
        shuffle(order)
        process = Process(4, incremental=incremental)
        for edge in order:
            assert process.legal[edge], (order, edge)
            process.insert(*edge)
        np.testing.assert_array_equal(process.legal, legal_of_dags[edges], err_msg=str(order))
        np.testing.assert_array_equal(process.stubs, legal_of_dags[edges].any(axis=1), err_msg=str(order))


@pytest.mark.parametrize("order_seed", range(3))
def test_ancestors_and_descendants_of_every_dag_on_four_nodes_are_those_of_networkx(order_seed):
    shuffle = random.Random(order_seed).shuffle
    for edges in ALL_DAGS:
        order = sorted(edges)
        shuffle(order)
        process = Process(4)
        for edge in order:
            process.insert(*edge)
        expected = descendants_by_networkx(naive.adjacency_of(edges, 4))
        np.testing.assert_array_equal(process.descendants, expected, err_msg=str(order))
        np.testing.assert_array_equal(process.ancestors, expected.T, err_msg=str(order))


def test_a_start_graph_equals_the_same_edges_inserted_one_by_one():
    for edges in ALL_DAGS[::7]:
        start = naive.adjacency_of(edges, 4).astype(bool)
        problem = Problem(start, np.ones((4, 4), dtype=bool), edge_budget=None, max_parents=3)
        started = start_partial(problem, rules_of(problem))
        process = Process(4)
        for edge in edges:
            process.insert(*edge)
        for field in ("parents", "legal", "ancestors", "descendants", "stubs"):
            np.testing.assert_array_equal(getattr(started, field), getattr(process.graph, field))


def test_the_naive_twin_offers_the_edges_that_networkx_offers(legal_of_dags):
    rules = naive.NaiveRules(4)
    for edges in ALL_DAGS:
        offered = set(naive.legal_pairs(rules, edges))
        assert offered == naive.edges_of(legal_of_dags[edges])


# --- Random orders, one to three words -------------------------------------------------------------


def check_that_trackings_agree(n_nodes, choose, n_edges):
    incremental, traversal = Process(n_nodes), Process(n_nodes, incremental=False)
    for edge in incremental.insert_at_random(choose, n_edges):
        traversal.insert(*edge)
        np.testing.assert_array_equal(incremental.legal, traversal.legal)
        np.testing.assert_array_equal(incremental.stubs, traversal.stubs)
    adjacency = incremental.adjacency
    np.testing.assert_array_equal(adjacency, traversal.adjacency)
    assert nx.is_directed_acyclic_graph(nx.from_numpy_array(adjacency, create_using=nx.DiGraph))
    descendants = descendants_by_networkx(adjacency)
    np.testing.assert_array_equal(incremental.descendants, descendants)
    np.testing.assert_array_equal(incremental.legal, ~descendants.T & (adjacency == 0))


@settings(max_examples=40, deadline=None)
@given(n_nodes=st.integers(2, 12), choose=st.randoms(use_true_random=False))
def test_incremental_and_traversal_tracking_agree_until_the_graph_is_full(n_nodes, choose):
    check_that_trackings_agree(n_nodes, choose, n_edges=n_nodes**2)


@settings(max_examples=12, deadline=None)
@given(n_nodes=st.integers(13, 130), seed=st.integers(0, 2**32))
def test_incremental_and_traversal_tracking_agree_on_graphs_of_any_number_of_words(n_nodes, seed):
    check_that_trackings_agree(n_nodes, random.Random(seed), n_edges=25)


@pytest.mark.parametrize("n_nodes", SIZES_OF_SEVERAL_WORDS)
def test_trackings_agree_where_words_begin_and_end(n_nodes):
    check_that_trackings_agree(n_nodes, random.Random(n_nodes), n_edges=60)


@pytest.mark.parametrize("n_nodes", [2, 7, 64, 65, 130])
def test_a_full_graph_has_no_legal_edge_and_no_stub(n_nodes):
    process = Process(n_nodes)
    order = np.random.default_rng(n_nodes).permutation(n_nodes)
    for cause, effect in itertools.pairwise(order):
        process.insert(int(cause), int(effect))
    assert process.legal.sum() == (n_nodes - 1) * (n_nodes - 2) // 2
    for cause, effect in np.argwhere(process.legal):
        process.insert(int(cause), int(effect))
    assert process.adjacency.sum() == n_nodes * (n_nodes - 1) // 2
    assert not process.legal.any()
    assert not process.stubs.any()


def check_that_restore_undoes(n_nodes, choose, n_root, n_added, **rules):
    process = Process(n_nodes, **rules)
    for _ in process.insert_at_random(choose, n_root):
        pass
    process.graph.touched[:] = 0
    root = copy_partial(process.graph)
    own = copy_partial(root)
    for _ in range(3):  # what one simulation leaves behind must not spoil the next one
        edges = list(process.insert_at_random(choose, n_added))
        for row, row_of_root in zip(process.graph, root, strict=True):
            row[:] = row_of_root
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2).T.copy()
        insert_and_restore(own, root, ends[0], ends[1], process.rules, process.words)
        for field in ("parents", "legal", "ancestors", "descendants", "stubs"):
            np.testing.assert_array_equal(getattr(own, field), getattr(root, field), err_msg=field)


@settings(max_examples=25, deadline=None)
@given(
    n_nodes=st.integers(2, 130),
    seed=st.integers(0, 2**32),
    n_root=st.integers(0, 12),
    n_added=st.integers(0, 20),
    max_parents=st.sampled_from([None, 1, 2]),
)
def test_restore_undoes_any_sequence_of_insertions(n_nodes, seed, n_root, n_added, max_parents):
    check_that_restore_undoes(n_nodes, random.Random(seed), n_root, n_added, max_parents=max_parents)


@pytest.mark.parametrize("n_nodes", [5, *SIZES_OF_SEVERAL_WORDS])
@pytest.mark.parametrize("incremental", [True, False])
def test_restore_undoes_insertions_under_both_trackings(n_nodes, incremental):
    check_that_restore_undoes(n_nodes, random.Random(n_nodes), 10, 15, incremental=incremental)


# --- Restrictions ----------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    n_nodes=st.integers(2, 9),
    choose=st.randoms(use_true_random=False),
    max_parents=st.integers(1, 4),
    density=st.sampled_from([0.3, 0.7, 1.0]),
    incremental=st.booleans(),
)
def test_limits_on_parents_and_forbidden_edges_leave_what_the_naive_twin_leaves(
    n_nodes, choose, max_parents, density, incremental
):
    allowed = np.array([[choose.random() < density for _ in range(n_nodes)] for _ in range(n_nodes)])
    process = Process(n_nodes, allowed, max_parents, incremental)
    rules = naive.NaiveRules(n_nodes, allowed, max_parents)
    edges = frozenset()
    assert set(naive.legal_pairs(rules, edges)) == naive.edges_of(process.legal)
    for edge in process.insert_at_random(choose, n_nodes**2):
        edges |= {edge}
        assert set(naive.legal_pairs(rules, edges)) == naive.edges_of(process.legal)
        assert set(rules.legal(edges)) == set(np.flatnonzero(process.stubs))
    adjacency = process.adjacency
    assert adjacency.sum(axis=0).max() <= max_parents
    assert allowed[adjacency == 1].all()


@pytest.mark.parametrize("n_nodes", [70, 130])
def test_limits_on_parents_hold_with_several_words(n_nodes):
    process = Process(n_nodes, max_parents=2)
    choose = random.Random(n_nodes)
    for _ in process.insert_at_random(choose, 3 * n_nodes):
        full = process.adjacency.sum(axis=0) >= 2
        assert not process.legal[:, full].any()
    assert process.adjacency.sum(axis=0).max() == 2


@pytest.mark.parametrize("n_nodes", [1, 3, 64, 65])
def test_the_empty_graph_allows_every_edge_but_loops(n_nodes):
    graph = empty_partial(n_nodes, np.ones((n_nodes, n_nodes), dtype=bool))
    np.testing.assert_array_equal(legal_edges(graph, n_nodes), ~np.eye(n_nodes, dtype=bool))


def test_a_node_without_an_allowed_endpoint_is_no_stub():
    allowed = np.ones((3, 3), dtype=bool)
    allowed[1] = False
    assert Process(3, allowed).stubs.tolist() == [True, False, True]


# --- Knowledge -------------------------------------------------------------------------------------


def test_required_edges_may_be_given_by_name_or_by_index():
    by_name = Knowledge(required=[("smoking", "tar"), ("tar", "cancer")])
    by_index = Knowledge(required=[(1, 2), (2, 3)])
    expected = np.zeros((4, 4), dtype=bool)
    expected[1, 2] = expected[2, 3] = True
    np.testing.assert_array_equal(by_name.required_edges(NAMES), expected)
    np.testing.assert_array_equal(by_index.required_edges(NAMES), expected)


def test_no_knowledge_requires_nothing_and_allows_everything():
    assert not Knowledge().required_edges(NAMES).any()
    assert Knowledge().allowed_edges(NAMES).all()


def test_forbidden_edges_are_forbidden_in_their_direction_only():
    allowed = Knowledge(forbidden=[("cancer", "age")]).allowed_edges(NAMES)
    assert not allowed[3, 0]
    assert allowed.sum() == 15


def test_tiers_forbid_edges_from_later_to_earlier_groups_only():
    allowed = Knowledge(tiers=[["age"], ["smoking", "tar"], ["cancer"]]).allowed_edges(NAMES)
    assert naive.edges_of(~allowed) == {(1, 0), (2, 0), (3, 0), (3, 1), (3, 2)}


def test_variables_outside_the_tiers_are_not_restricted():
    allowed = Knowledge(tiers=[["age"], ["cancer"]]).allowed_edges(NAMES)
    assert naive.edges_of(~allowed) == {(3, 0)}


@pytest.mark.parametrize(
    ("knowledge", "error", "message"),
    [
        (
            Knowledge(required=[("age", "tar")], forbidden=[("age", "tar")]),
            InputError,
            "knowledge both requires and rules out the edge age -> tar",
        ),
        (
            Knowledge(required=[("tar", "age")], tiers=[["age"], ["tar"]]),
            InputError,
            "knowledge both requires and rules out the edge tar -> age",
        ),
        (
            Knowledge(required=[("age", "tar"), ("tar", "cancer"), ("cancer", "age")]),
            CycleError,
            "the edges must not form a cycle, got ",
        ),
        (Knowledge(required=[("age", "tarr")]), UnknownNameError, "Did you mean 'tar'?"),
        (
            Knowledge(required=[(0, 4)]),
            InputError,
            "node index must be between 0 and 3, got 4",
        ),
        (
            Knowledge(required=["age"]),
            InputError,
            "edges must be pairs (cause, effect), got 'age'",
        ),
        (
            Knowledge(tiers=[["age", "tar"], ["tar"]]),
            InputError,
            "tiers must not share variables: 'tar' is in two of them",
        ),
    ],
)
def test_contradictory_or_misspelt_knowledge_is_refused_with_the_culprit(knowledge, error, message):
    with pytest.raises(error) as refusal:
        knowledge.required_edges(NAMES)
    assert message in str(refusal.value)


@pytest.mark.parametrize("edge_budget", [-1, 1, 7])
def test_a_budget_out_of_range_names_the_range_and_the_value(edge_budget):
    start = np.zeros((4, 4), dtype=bool)
    start[0, 1] = start[1, 2] = True
    with pytest.raises(InputError) as refusal:
        Problem(start, np.ones((4, 4), dtype=bool), edge_budget, max_parents=3)
    expected = f"edge_budget must be between 2 and 6 for 4 variables, got {edge_budget}"
    assert str(refusal.value) == expected
