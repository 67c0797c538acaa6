"""Search over orders: against a slow twin and brute force, what it keeps to, how it repeats, and how it ends."""

import functools
import itertools
import math
import signal
import threading

import naive
import naive_orders
import networkx as nx
import numpy as np
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch import scores
from dagsearch.kernels.moves import ARRANGING, DONE, PAUSED, search_orders
from dagsearch.search import forest
from dagsearch.search.forest import ParentTrees
from dagsearch.search.monitor import Monitor
from dagsearch.search.orders import OrderClimb, OrderSettings, order_search
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT, Problem, pays


def problem_of(n_nodes, start=frozenset(), allowed=None, max_parents=None, edge_budget=None):
    return Problem(
        start=naive.adjacency_of(start, n_nodes).astype(bool),
        allowed=np.ones((n_nodes, n_nodes), dtype=bool) if allowed is None else allowed,
        edge_budget=edge_budget,
        max_parents=n_nodes - 1 if max_parents is None else max_parents,
    )


@st.composite
def problems(draw, sizes=(4, 7)):
    """Any required edges, any forbidden ones, any limit on parents, without an edge budget."""
    n_nodes = draw(st.integers(*sizes))
    choose = draw(st.randoms(use_true_random=False))
    order = choose.sample(range(n_nodes), n_nodes)
    pairs = [(order[a], order[b]) for a in range(n_nodes) for b in range(a + 1, n_nodes)]
    max_parents = draw(st.sampled_from([None, 1, 2]))
    drawn = choose.sample(pairs, draw(st.integers(0, min(3, len(pairs)))))
    start = frozenset({effect: (cause, effect) for cause, effect in drawn}.values() if max_parents else drawn)
    density = draw(st.sampled_from([0.4, 0.7, 1.0]))
    allowed = np.array([[choose.random() < density for _ in range(n_nodes)] for _ in range(n_nodes)])
    return problem_of(n_nodes, start, allowed | naive.adjacency_of(start, n_nodes).astype(bool), max_parents)


def fits(problem, edges):
    """Whether a graph is a DAG that the problem allows."""
    adjacency = naive.adjacency_of(edges, problem.n_nodes).astype(bool)
    return (
        nx.is_directed_acyclic_graph(nx.DiGraph(edges))
        and adjacency[problem.start].all()
        and not (adjacency & ~problem.allowed).any()
        and adjacency.sum(axis=0).max() <= problem.max_parents
    )


def some_graph(problem, rng):
    """A random DAG within the problem: its required edges and others that may be added."""
    rules = naive.NaiveRules(problem.n_nodes, problem.allowed, problem.max_parents)
    edges = naive.edges_of(problem.start)
    for _ in range(int(rng.integers(2 * problem.n_nodes))):
        legal = list(naive.legal_pairs(rules, edges))
        if not legal:
            break
        edges |= {legal[rng.integers(len(legal))]}
    return edges


def some_order(problem, rng):
    """A random order in which required causes come before their effects."""
    graph = nx.DiGraph(naive.edges_of(problem.start))
    graph.add_nodes_from(range(problem.n_nodes))
    ranks = rng.permutation(problem.n_nodes)
    return list(nx.lexicographical_topological_sort(graph, key=lambda node: ranks[node]))


def found_by(problem, score, seed=0, monitor=None, **chosen):
    chosen = {"n_restarts": 2, "n_kicks": 5, **chosen}
    return order_search(problem, score, OrderSettings(**chosen), np.random.default_rng(seed), monitor or Monitor())


# ---------------------------------------------------------------- the parents in an order


class Twin:
    """Parents and rewards of orders from scratch, by a score's local scores."""

    def __init__(self, problem, local, exchanges=False):
        self.problem = problem
        self.local = functools.cache(lambda node, parents: local(node, tuple(sorted(parents))))
        self.exchanges = exchanges

    @functools.cache  # noqa: B019 - a twin lives no longer than its test
    def parents(self, node, before):
        candidates = frozenset(c for c in before if self.problem.allowed[c, node])
        required = frozenset(np.flatnonzero(self.problem.start[:, node]).tolist())
        return naive_orders.climbed_parents(
            lambda parents: self.local(node, parents), candidates, required, self.problem.max_parents, self.exchanges
        )

    def edges(self, order):
        return frozenset(
            (cause, node) for k, node in enumerate(order) for cause in self.parents(node, frozenset(order[:k]))
        )

    def reward(self, order):
        return math.fsum(self.local(node, self.parents(node, frozenset(order[:k]))) for k, node in enumerate(order))

    def keeps_required_edges(self, order):
        return all(order.index(cause) < order.index(effect) for cause, effect in naive.edges_of(self.problem.start))

    def best_move(self, order, node):
        """The highest reward of orders in which one variable is elsewhere."""
        return max(map(self.reward, filter(self.keeps_required_edges, naive_orders.orders_with_one_moved(order, node))))


def climb_from(trees, order, seed=0, n_kicks=0):
    return OrderClimb(trees, np.array(order), seed, n_kicks, len(order), lambda _reward: None)


def look_at(climb, n_looks):
    """Let a search look at so many variables (at none: learn the parents in its order); returns whether it goes on."""
    search, trees = climb._search, climb._trees
    search.state["n_target"] = search.state["n_looks"] + n_looks
    while (status := search_orders(trees.growth, trees.forest, search)) not in (DONE, PAUSED):
        trees.supply(status)
    return status == PAUSED


def edges_in(climb):
    """The edges of the order that a search is at."""
    return naive.edges_of(climb.graphs()[1])


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


def tables(name, seed, n_nodes=7):
    """A table that suits a score."""
    if name in ("bic-discrete", "bdeu"):
        return discrete_frame(300, n_nodes, seed)
    return normal_table(100, n_nodes, seed)


COMPILED = ["bic-linear", "bic-quadratic", "bic-discrete", "bdeu"]
EQUAL = [(name, {"variances": "equal"}) for name in ("bic-linear", "bic-quadratic")]
COMPILED_OR_EQUAL = [*((name, {}) for name in COMPILED), *EQUAL]


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


def test_a_forest_that_is_often_full_finds_the_same(monkeypatch):
    for score in (scores.make("bic-linear", normal_table(100, 9)), scores.adapt(naive.TableScore(1, 9), 9)):
        roomy = found_by(problem_of(9), score)
        with monkeypatch.context() as patch:
            patch.setattr(forest, "_FIRST_TREE_NODES", 1)
            patch.setattr(forest, "_FIRST_BRANCHES", 1)
            tight = found_by(problem_of(9), score)
        np.testing.assert_array_equal(roomy.adjacency, tight.adjacency)


# ---------------------------------------------------------------- all DAGs of a few nodes


def best_of_all_dags(own, n_nodes):
    sets = [tuple(p for p in range(n_nodes) if chosen >> p & 1) for chosen in range(2**n_nodes)]
    table = np.array([[-math.inf if v in s else own.local(v, s) for s in sets] for v in range(n_nodes)])
    return table[np.arange(n_nodes), naive.parents_in_all_dags(n_nodes)].sum(axis=1).max()


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


class Weights:
    """A number for every edge: in a given order, growing finds the best parents of all."""

    def __init__(self, seed, n_nodes):
        self.of_edge = np.round(np.random.default_rng(seed).normal(size=(n_nodes, n_nodes)), 1) / 8

    def local(self, node, parents):
        return float(self.of_edge[list(parents), node].sum())


def test_weights_of_five_nodes_are_maximised_over_all_dags():
    for seed in range(20):
        own = Weights(seed, 5)
        outcome = found_by(problem_of(5), scores.adapt(own, 5), seed)
        assert outcome.reward == pytest.approx(best_of_all_dags(own, 5), abs=1e-9)


# ---------------------------------------------------------------- what it keeps to


def check_outcome(problem, own, seed):
    outcome = found_by(problem, scores.adapt(own, problem.n_nodes), seed, n_kicks=3)
    edges = naive.edges_of(outcome.adjacency)
    assert fits(problem, edges)
    assert outcome.reward == own.reward_of_edges(edges)
    assert outcome.status == FINISHED


@settings(max_examples=200, deadline=None)
@given(problem=problems((2, 7)), seed=st.integers(0, 10_000))
def test_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed):
    check_outcome(problem, naive.TableScore(seed, problem.n_nodes), seed)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(problem=problems((2, 8)), seed=st.integers(0, 2**40))
def test_ten_thousand_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed):
    check_outcome(problem, naive.TableScore(seed, problem.n_nodes), seed)


@pytest.mark.parametrize(("name", "chosen"), COMPILED_OR_EQUAL)
def test_graphs_of_tables_stay_within_the_problem_and_have_the_reward_that_is_reported(name, chosen):
    rng = np.random.default_rng(6)
    for seed in range(6):
        start = some_graph(problem_of(7, max_parents=1), rng)
        allowed = (rng.random((7, 7)) < 0.7) | naive.adjacency_of(start, 7).astype(bool)
        problem = problem_of(7, start, allowed, max_parents=2)
        outcome = found_by(problem, scores.make(name, tables(name, seed), **chosen), seed)
        assert fits(problem, naive.edges_of(outcome.adjacency))
        afresh = scores.make(name, tables(name, seed), **chosen)
        assert outcome.reward == pytest.approx(afresh.reward(outcome.adjacency), abs=1e-12)


@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_equal_variances_end_where_no_dag_of_four_nodes_is_much_better(name):
    dags = np.array([naive.adjacency_of(edges, 4) for edges in naive.all_dags(4)])
    n_best = 0
    for seed in range(10):
        score = scores.make(name, normal_table(60, 4, seed), variances="equal")
        outcome, best = found_by(problem_of(4), score, seed), score.rewards_of(dags).max()
        assert score.reward_of(np.zeros((4, 4), dtype=np.int8)) < outcome.reward <= best + 1e-12
        n_best += outcome.reward == pytest.approx(best, abs=1e-9)
    assert n_best >= 9


@pytest.mark.parametrize("seed", [1, 2])
def test_large_rewards_whose_sums_are_rounded_do_not_keep_a_search_from_ending(seed):
    """Rewards in nats of a hundred thousand rows: sums in another order differ by more than a negligible gain."""
    rng = np.random.default_rng(seed)
    alone, gains = np.abs(rng.normal(size=10)) * 1e6, rng.normal(size=(10, 10))

    class Large:
        def local(self, node, parents):
            return float(alone[node] + sum(gains[p, node] for p in parents) - 0.5 * len(parents) ** 1.5)

    assert found_by(problem_of(10), scores.adapt(Large(), 10), monitor=Monitor(time_limit=20.0)).status == FINISHED


# ---------------------------------------------------------------- seeds and threads


def test_one_seed_repeats_and_two_seeds_differ():
    problem = problem_of(9)
    found = [
        found_by(problem, scores.adapt(naive.TableScore(1, 9), 9), seed, n_restarts=1, n_kicks=0)
        for seed in (0, 0, 1, 2, 3, 4)
    ]
    assert naive.edges_of(found[0].adjacency) == naive.edges_of(found[1].adjacency)
    assert found[0].reward == found[1].reward
    assert len({naive.edges_of(each.adjacency) for each in found}) > 1


@pytest.mark.parametrize(("name", "chosen"), COMPILED_OR_EQUAL)
def test_the_number_of_threads_changes_nothing(name, chosen):
    """Some restarts end at worse graphs, others at equivalent ones, whose rewards differ by rounding."""
    table, problem = tables(name, 3, 10), problem_of(10)

    def found(seed, n_restarts, n_jobs=1):
        return found_by(
            problem, scores.make(name, table, **chosen), seed, None, n_restarts=n_restarts, n_kicks=0, n_jobs=n_jobs
        )

    alone = [found(seed, 1) for seed in range(12)]
    assert len({naive.edges_of(each.adjacency) for each in alone}) > 1
    assert len({round(each.reward, 9) for each in alone}) > 1
    for seed in range(5):
        each = [found(seed, 6, n_jobs) for n_jobs in (1, 2, 3)]
        assert len({naive.edges_of(one.adjacency) for one in each}) == 1
        assert len({one.reward for one in each}) == 1
        assert {one.n_steps for one in each} == {6}


def test_more_kicks_and_restarts_never_do_worse():
    own = naive.TableScore(1, 9)
    rewards = [
        found_by(problem_of(9), scores.adapt(own, 9), 1, n_restarts=n_restarts, n_kicks=n_kicks).reward
        for n_restarts, n_kicks in ((1, 0), (1, 30), (8, 30))
    ]
    assert rewards == sorted(rewards)
    assert rewards[0] < rewards[-1]


# ---------------------------------------------------------------- ending early


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        *((name, {}) for name in COMPILED),
        *EQUAL,
    ],
)
def test_progress_is_reported_with_rewards_of_graphs(name, chosen):
    heard = []

    class Listening(Monitor):
        def check(self, report):
            heard.append(report(0.0).best_reward)

    outcome = found_by(problem_of(7), scores.make(name, tables(name, 0), **chosen), monitor=Listening(), n_kicks=200)
    rewards = [reward for reward in heard if math.isfinite(reward)]
    assert rewards == sorted(rewards)
    assert rewards[-1] == pytest.approx(outcome.reward, abs=1e-9)


class Acting(naive.TableScore):
    """Does something before the given answer, and goes on to answer."""

    def __init__(self, seed, n_nodes, at_call, act):
        super().__init__(seed, n_nodes)
        self.n_calls, self.at_call, self.act = 0, at_call, act

    def local(self, node, parents):
        self.n_calls += 1
        if self.n_calls == self.at_call:
            self.act()
        return super().local(node, parents)


def interrupt():
    raise KeyboardInterrupt


def press_ctrl_c():
    """What the terminal does: the main thread hears of it, whichever asks."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_ctrl_c_leaves_the_best_graph_so_far(act, share):
    problem, handler = problem_of(7, frozenset({(6, 0)})), signal.getsignal(signal.SIGINT)
    counted = Acting(5, 7, -1, interrupt)
    whole = found_by(problem, scores.adapt(counted, 7))
    monitor, own = Monitor(), Acting(5, 7, 8 + int(share * counted.n_calls), act)
    outcome = found_by(problem, scores.adapt(own, 7), monitor=monitor)
    assert outcome.status == monitor.status == INTERRUPTED
    assert own.n_calls < counted.n_calls
    edges = naive.edges_of(outcome.adjacency)
    assert fits(problem, edges)
    assert outcome.reward == naive.TableScore(5, 7).reward_of_edges(edges) <= whole.reward
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_time_limit_leaves_the_best_graph_so_far():
    problem, monitor = problem_of(7), Monitor(time_limit=60.0)
    counted = Acting(5, 7, -1, interrupt)
    found_by(problem, scores.adapt(counted, 7))

    def let_time_pass():
        monitor.time_limit = 0.0

    own = Acting(5, 7, counted.n_calls // 2, let_time_pass)
    outcome = found_by(problem, scores.adapt(own, 7), monitor=monitor)
    assert outcome.status == TIME_LIMIT
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert own.reward_of_edges(frozenset()) < outcome.reward == own.reward_of_edges(naive.edges_of(outcome.adjacency))


@pytest.mark.parametrize("time_limit", [1e-9, 0.3])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_time_limit_is_heard_in_all_threads(n_jobs, time_limit):
    score, problem = scores.make("bic-linear", normal_table(200, 12)), problem_of(12, frozenset({(11, 0)}))
    found_by(problem, score)  # compiles
    monitor = Monitor(time_limit=time_limit)
    outcome = found_by(problem, score, monitor=monitor, n_restarts=20, n_kicks=10**9, n_jobs=n_jobs)
    assert outcome.status == TIME_LIMIT
    assert monitor.seconds < 10
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert outcome.reward == pytest.approx(score.reward(outcome.adjacency), abs=1e-12)
    if time_limit < 1e-6:
        np.testing.assert_array_equal(outcome.adjacency, problem.start)
    else:
        assert outcome.reward > score.reward(problem.start.astype(np.int8))


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_ctrl_c_is_heard_in_all_threads(n_jobs, act):
    score, problem = scores.make("bic-discrete", discrete_frame(200, 7)), problem_of(7, frozenset({(6, 0)}))
    found_by(problem, score)
    handler, heard = signal.getsignal(signal.SIGINT), []

    def listen(progress):
        heard.append(progress.best_reward)
        if math.isfinite(progress.best_reward):
            act()

    monitor = Monitor(listener=listen, time_limit=30.0)
    outcome = found_by(problem, score, monitor=monitor, n_restarts=20, n_kicks=10**9, n_jobs=n_jobs)
    assert outcome.status == INTERRUPTED
    assert monitor.seconds < 10
    assert fits(problem, naive.edges_of(outcome.adjacency))
    assert outcome.reward == pytest.approx(score.reward(outcome.adjacency), abs=1e-12)
    assert heard[-1] <= outcome.reward + 1e-9
    assert signal.getsignal(signal.SIGINT) is handler
