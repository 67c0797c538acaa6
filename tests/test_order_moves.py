"""Search over orders, look by look: parents in an order, moves and kicks against a slow twin, and all DAGs."""

import itertools

import naive
import numpy as np
import pytest
from common import normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_orders import Twin, best_of_all_dags
from order_climbs import COMPILED, Weights, climb_from, edges_in, found_by, look_at, tables
from search_problems import problem_of, problems, some_order

from dagsearch import scores
from dagsearch.kernels.forest import NO_CHILD, UNKNOWN
from dagsearch.kernels.moves import ARRANGING
from dagsearch.search import forest
from dagsearch.search.forest import ParentTrees, Seed
from dagsearch.search.protocol import pays

# ---------------------------------------------------------------- the parents in an order


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_parents_in_an_order_equal_those_of_a_slow_twin(problem, seed):
    own, rng = naive.TableScore(seed, problem.n_nodes), np.random.default_rng(seed)
    twin, trees = Twin(problem, own.local), ParentTrees(problem, scores.adapt(own, problem.n_nodes))
    for _ in range(4):  # what one order has taught is used for the next
        order = some_order(problem, rng)
        climb = climb_from(trees, order)
        look_at(climb, 0)
        assert edges_in(climb) == twin.edges(order)
        assert climb._search.state["reward"][0] == twin.reward(order)


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("max_parents", [6, 2])
def test_parents_by_scores_of_tables_equal_those_of_a_slow_twin(name, max_parents):
    """Only counts let one parent take the place of another; all drop parents."""
    problem = problem_of(7, frozenset({(6, 0), (5, 1)}), max_parents=max_parents)
    for seed in range(3):
        score = scores.make(name, tables(name, seed))
        twin = Twin(problem, score.local, exchanges=name in ("bic-discrete", "bdeu"))
        trees, rng = ParentTrees(problem, score), np.random.default_rng(seed)
        for _ in range(5):
            order = some_order(problem, rng)
            climb = climb_from(trees, order)
            look_at(climb, 0)
            assert edges_in(climb) == twin.edges(order)
            assert climb._search.state["reward"][0] == pytest.approx(twin.reward(order), abs=1e-9)


def test_a_parent_that_others_make_needless_is_dropped_but_a_required_one_is_not():
    values = {(): 0.0, (0,): 2.0, (1,): 1.0, (2,): 1.0, (0, 1): 3.0, (0, 2): 2.5, (1, 2): 5.0, (0, 1, 2): 4.0}

    class Own:
        def local(self, node, parents):
            return values[parents] if node == 3 else 0.0

    for start, parents, value in ((set(), {1, 2}, 5.0), ({(0, 3)}, {0, 1, 2}, 4.0)):
        climb = climb_from(ParentTrees(problem_of(4, frozenset(start)), scores.adapt(Own(), 4)), [0, 1, 2, 3])
        look_at(climb, 0)
        assert edges_in(climb) == {(parent, 3) for parent in parents}
        assert climb._search.state["reward"][0] == value


# ---------------------------------------------------------------- moves


def check_moves(problem, score, twin, order, seed, tolerance):
    """Each look at a variable takes it to the best of all places, and at the end no move of any pays."""
    climb = climb_from(ParentTrees(problem, score), order, seed)
    search = climb._search
    goes_on, n_moves = look_at(climb, 0), 0
    assert goes_on
    while goes_on:
        before, node = search.order[0].tolist(), int(search.turns[search.state["turn"][0]])
        goes_on = look_at(climb, 1)
        after, best = search.order[0].tolist(), twin.best_move(before, node)
        if pays(best, twin.reward(before)):
            n_moves += 1
            assert twin.reward(after) == pytest.approx(best, abs=tolerance)
            assert search.state["reward"][0] == pytest.approx(best, abs=tolerance)
            assert [v for v in after if v != node] == [v for v in before if v != node]
            assert twin.keeps_required_edges(after)
        else:
            assert after == before
    last = search.order[0].tolist()
    assert twin.edges(last) == edges_in(climb) == naive.edges_of(climb.graphs()[0])
    for node in range(problem.n_nodes):
        assert not pays(twin.best_move(last, node), twin.reward(last) + tolerance)
    return n_moves


@settings(max_examples=40, deadline=None)
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_each_variable_goes_to_the_best_of_all_places_from_scratch_until_no_move_pays(problem, seed):
    own = naive.TableScore(seed, problem.n_nodes)
    order = some_order(problem, np.random.default_rng(seed))
    check_moves(problem, scores.adapt(own, problem.n_nodes), Twin(problem, own.local), order, seed, 0.0)


@pytest.mark.parametrize("name", COMPILED)
def test_moves_by_scores_of_tables_are_the_best_of_all_places_too(name):
    problem = problem_of(7, frozenset({(6, 0)}), max_parents=3)
    n_moves = 0
    for seed in range(3):
        score = scores.make(name, tables(name, seed))
        twin = Twin(problem, score.local, exchanges=name in ("bic-discrete", "bdeu"))
        order = some_order(problem, np.random.default_rng(seed))
        n_moves += check_moves(problem, score, twin, order, seed, 1e-9)
    assert n_moves > 5


def test_kicks_keep_required_causes_before_their_effects_and_all_variables():
    problem = problem_of(7, frozenset({(6, 0), (0, 3), (5, 1)}))
    own = naive.TableScore(2, 7)
    twin = Twin(problem, own.local)
    climb = climb_from(ParentTrees(problem, scores.adapt(own, 7)), some_order(problem, np.random.default_rng(0)), 1, 50)
    orders = set()
    while look_at(climb, 1):
        order = climb._search.order[0].tolist()
        orders.add(tuple(order))
        assert sorted(order) == list(range(7))
        assert twin.keeps_required_edges(order)
        was_kicked = climb._search.state["about"][0] == ARRANGING  # parents are not looked for yet
        assert was_kicked or edges_in(climb) == twin.edges(order)
    assert len(orders) > 20


def known_branches(trees, tree_node):
    """Variables that branches of a tree node add or drop, and to what value; None where nobody asked."""
    return [
        None if start == UNKNOWN else trees.forest.branches[["added", "dropped", "value"]][start : start + n].tolist()
        for start, n in trees.forest.lists[tree_node].tolist()
    ]


def test_a_forest_that_is_often_full_finds_the_same(monkeypatch):
    for score in (scores.make("bic-linear", normal_table(100, 9)), scores.adapt(naive.TableScore(1, 9), 9)):
        roomy = found_by(problem_of(9), score)
        with monkeypatch.context() as patch:
            patch.setattr(forest, "_FIRST_TREE_NODES", 1)
            patch.setattr(forest, "_FIRST_BRANCHES", 1)
            tight = found_by(problem_of(9), score)
        np.testing.assert_array_equal(roomy.adjacency, tight.adjacency)


@pytest.mark.parametrize("name", [*COMPILED, "own"])
def test_trees_that_forget_between_looks_find_the_same_look_by_look(name):
    score = scores.adapt(naive.TableScore(1, 9), 9) if name == "own" else scores.make(name, tables(name, 2, 9))
    pair = Seed(4, np.isin(np.arange(9), [1, 7]))
    roomy, tight = (ParentTrees(problem_of(9), score, seeds=[pair], most_bytes=most) for most in (2**30, 0))
    climbs = [climb_from(trees, np.arange(9), n_kicks=20) for trees in (roomy, tight)]
    n_crowded = n_looks = 0
    goes_on = True
    while goes_on:
        goes_on, also = (look_at(climb, 1) for climb in climbs)
        assert goes_on == also
        n_crowded += tight.forest.books["n_branches"][0] < roomy.forest.books["n_branches"][0]
        n_looks += 1
        states = [climb._search for climb in climbs]
        for what in ("order", "is_due", "random"):
            np.testing.assert_array_equal(*(getattr(state, what) for state in states))
        assert states[0].state["reward"] == states[1].state["reward"]
        for graph, other in zip(climbs[0].graphs(), climbs[1].graphs(), strict=True):
            np.testing.assert_array_equal(graph, other)
    assert n_crowded > n_looks / 2


def test_what_trees_keep_is_what_they_knew_of_it():
    trees = ParentTrees(problem_of(9), scores.make("bic-linear", normal_table(100, 9)))
    climb = climb_from(trees, np.arange(9), n_kicks=3)
    climb.run()
    before, ends = trees.forest, climb._search.at.copy()
    paths = [[trees.parents(end), trees.values(end), known_branches(trees, end)] for end in ends.ravel()]
    kept = trees.forget(but=ends)
    assert paths == [[trees.parents(end), trees.values(end), known_branches(trees, end)] for end in kept.ravel()]
    n_tree_nodes, n_branches = (int(trees.forest.books[what][0]) for what in ("n_tree_nodes", "n_branches"))
    assert len(trees.forest.nodes) == n_tree_nodes < len(before.nodes)
    assert len(trees.forest.branches) == n_branches < len(before.branches)
    children = trees.forest.branches["child"]
    assert sorted(children[children != NO_CHILD]) == list(range(9, n_tree_nodes))


# ---------------------------------------------------------------- all DAGs of a few nodes


@pytest.mark.parametrize(("n_nodes", "n_found"), [(4, 12), (5, 4)])
def test_the_best_of_all_orders_is_found_and_nothing_better_than_the_best_dag(n_nodes, n_found):
    """Numbers are random: where no single parent pays, climbs do not meet the pair that would."""
    n_best_orders = n_best_dags = 0
    for seed in range(30):
        own, problem = naive.TableScore(seed, n_nodes), problem_of(n_nodes)
        outcome = found_by(problem, scores.adapt(own, n_nodes), seed, n_restarts=5, n_kicks=20)
        of_orders = max(map(Twin(problem, own.local).reward, itertools.permutations(range(n_nodes))))
        of_dags = best_of_all_dags(own, n_nodes)
        assert outcome.reward <= of_orders <= of_dags
        n_best_orders += outcome.reward == of_orders
        n_best_dags += outcome.reward == of_dags
    assert n_best_orders == 30
    assert n_best_dags >= n_found


def test_weights_of_five_nodes_are_maximised_over_all_dags():
    for seed in range(20):
        own = Weights(seed, 5)
        outcome = found_by(problem_of(5), scores.adapt(own, 5), seed)
        assert outcome.reward == pytest.approx(best_of_all_dags(own, 5), abs=1e-9)
