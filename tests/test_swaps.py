"""Swaps of edges: against brute force over all DAGs, what they keep to, and how they end."""

import itertools
import signal

import naive
import networkx as nx
import numpy as np
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import fits, problem_of, problems, some_graph
from stopping import Acting, interrupt, press_ctrl_c

from dagsearch import scores
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.protocol import FINISHED, INTERRUPTED, TIME_LIMIT, pays
from dagsearch.search.swaps import Swaps, reachable

DAGS = {n_edges: [edges for edges in naive.all_dags(4) if len(edges) == n_edges] for n_edges in range(7)}


def swapped(problem, score, edges, seed=0, n_kicks=5, monitor=None):
    """The edges that swaps lead to."""
    monitor = monitor or Monitor()
    before = naive.adjacency_of(edges, problem.n_nodes)

    def check(reward):
        monitor.check(lambda seconds: Progress(0.0, 0, None, 0, reward, seconds))

    swaps = Swaps(problem, score, before, np.random.default_rng(seed), check)
    with monitor.guard():
        swaps.run(n_kicks)
    assert naive.edges_of(before) == edges
    return naive.edges_of(swaps.best)


def all_single_swaps(problem, edges):
    """Every graph within the problem that has another edge in place of one."""
    pairs = set(itertools.permutations(range(problem.n_nodes), 2)) - edges
    graphs = (edges - {old} | {new} for old in edges for new in pairs)
    return [graph for graph in graphs if fits(problem, graph)]


def check_no_swap_pays(problem, reward, edges):
    best = max(map(reward, all_single_swaps(problem, edges)), default=-np.inf)
    assert not pays(best, reward(edges))


def maximal_graphs(rules):
    """Graphs to which no edge may be added, in a fixed order."""
    orders = itertools.permutations(range(rules.n_nodes))
    graphs = {frozenset(edge for edge in itertools.combinations(order, 2) if rules.allowed[edge]) for order in orders}
    return sorted((edges for edges in graphs if not rules.legal(edges)), key=sorted)


# ---------------------------------------------------------------- against brute force


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10_000), n_nodes=st.integers(2, 9), density=st.floats(0.0, 1.0))
def test_what_can_be_reached_is_what_networkx_says(seed, n_nodes, density):
    upper = np.triu(np.random.default_rng(seed).random((n_nodes, n_nodes)) < density, 1).astype(np.int8)
    shuffled = np.random.default_rng(seed).permutation(n_nodes)
    adjacency = upper[np.ix_(shuffled, shuffled)]
    closure = nx.transitive_closure(nx.from_numpy_array(adjacency, create_using=nx.DiGraph), reflexive=True)
    np.testing.assert_array_equal(reachable(adjacency), nx.to_numpy_array(closure, nodelist=range(n_nodes)) > 0)


@pytest.mark.parametrize("n_edges", range(1, 7))
@pytest.mark.parametrize("max_parents", [3, 2])
def test_among_all_dags_of_four_nodes_no_swap_of_the_result_pays(n_edges, max_parents):
    problem = problem_of(4, max_parents=max_parents)
    within = [edges for edges in DAGS[n_edges] if fits(problem, edges)]
    n_better = n_best = 0
    for seed in range(6 if within else 0):
        own = naive.TableScore(seed, 4)
        score, best = scores.adapt(own, 4), max(map(own.reward_of_edges, within))
        before = within[seed * 13 % len(within)]
        for n_kicks in (0, 5):
            after = swapped(problem, score, before, seed, n_kicks)
            assert after in within
            assert own.reward_of_edges(before) <= own.reward_of_edges(after) <= best
            check_no_swap_pays(problem, own.reward_of_edges, after)
        n_better += own.reward_of_edges(before) < own.reward_of_edges(after)
        n_best += own.reward_of_edges(after) == best
    assert not within or n_better >= 3
    assert not within or n_best >= 2


@pytest.mark.parametrize("variances", ["different", "equal"])
@pytest.mark.parametrize("name", ["bic-linear", "bic-quadratic"])
def test_by_scores_of_tables_no_swap_of_the_result_pays(name, variances):
    n_best = 0
    for seed, n_edges in itertools.product(range(3), (2, 3, 5)):
        score = scores.make(name, normal_table(80, 4, seed), variances=variances)
        rewards = {edges: score.reward(naive.adjacency_of(edges, 4)) for edges in DAGS[n_edges]}
        before = DAGS[n_edges][seed * 7]
        after = swapped(problem_of(4), score, before, seed)
        assert rewards[after] >= rewards[before]
        check_no_swap_pays(problem_of(4), rewards.get, after)
        n_best += rewards[after] == pytest.approx(max(rewards.values()), abs=1e-9)
    assert n_best >= 7


def test_discrete_scores_are_swapped_as_well():
    score, problem = scores.make("bic-discrete", discrete_frame(200, 5)), problem_of(5)
    before = frozenset({(4, 0), (0, 2), (4, 2), (1, 3)})
    after = swapped(problem, score, before)
    assert len(after) == 4
    assert score.reward(naive.adjacency_of(after, 5)) > score.reward(naive.adjacency_of(before, 5))
    check_no_swap_pays(problem, lambda edges: score.reward(naive.adjacency_of(edges, 5)), after)


def test_kicks_lead_further_than_swaps_alone():
    """The sum over a few graphs: a kick may lead nowhere, but never back."""
    problem, rng = problem_of(8), np.random.default_rng(0)
    rewards = np.zeros(2)
    for seed in range(5):
        own, before = naive.TableScore(seed, 8), some_graph(problem, rng)
        found = [swapped(problem, scores.adapt(own, 8), before, seed, n_kicks) for n_kicks in (0, 15)]
        without, with_kicks = map(own.reward_of_edges, found)
        assert without <= with_kicks
        rewards += without, with_kicks
    assert rewards[0] < rewards[1]


# ---------------------------------------------------------------- what they keep to


@pytest.mark.parametrize("n_kicks", [0, 5])
def test_graphs_that_end_short_of_their_budget_are_swapped_for_others_that_must(n_kicks):
    """Without it, a swap would make room for an edge that the budget asks for, and leave it empty."""
    allowed = ~np.eye(5, dtype=bool)
    allowed[0, 1] = allowed[2, 1] = allowed[4, 3] = False
    problem = problem_of(5, allowed=allowed, edge_budget=9)
    rules = naive.NaiveRules(5, allowed, 4)
    short = [edges for edges in maximal_graphs(rules) if len(edges) == 8]
    n_better = 0
    for seed in range(20):
        own, before = naive.TableScore(seed, 5), short[seed * 31 % len(short)]
        after = swapped(problem, scores.adapt(own, 5), before, seed, n_kicks)
        assert after in short
        n_better += own.reward_of_edges(after) > own.reward_of_edges(before)
    assert n_better >= 5


def check_swaps(problem, seed):
    own = naive.TableScore(seed, problem.n_nodes)
    before = some_graph(problem, np.random.default_rng(seed))
    after = swapped(problem, scores.adapt(own, problem.n_nodes), before, seed, n_kicks=2)
    assert len(after) == len(before)
    assert fits(problem, after)
    assert own.reward_of_edges(after) >= own.reward_of_edges(before)


@settings(max_examples=60, deadline=None)
@given(problem=problems((2, 7)), seed=st.integers(0, 10_000))
def test_graphs_keep_their_number_of_edges_stay_within_the_problem_and_never_get_worse(problem, seed):
    check_swaps(problem, seed)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(problem=problems((2, 8)), seed=st.integers(0, 2**40))
def test_ten_thousand_graphs_keep_their_number_of_edges_and_never_get_worse(problem, seed):
    check_swaps(problem, seed)


def test_a_graph_of_required_edges_alone_stays_as_it_is():
    required = frozenset({(0, 1), (2, 1), (3, 2)})
    assert swapped(problem_of(4, required), scores.adapt(naive.TableScore(0, 4), 4), required) == required


def test_a_graph_without_edges_stays_as_it_is():
    assert swapped(problem_of(4), scores.adapt(naive.TableScore(0, 4), 4), frozenset()) == frozenset()


def test_where_no_other_edge_is_allowed_the_graph_stays_as_it_is():
    edges = frozenset({(0, 1), (2, 1), (3, 2)})
    problem = problem_of(4, allowed=naive.adjacency_of(edges, 4).astype(bool))
    assert swapped(problem, scores.adapt(naive.TableScore(0, 4), 4), edges) == edges


def test_one_seed_repeats_and_two_seeds_differ():
    problem = problem_of(9)
    before = some_graph(problem, np.random.default_rng(1))
    score = scores.adapt(naive.TableScore(1, 9), 9)
    found = [swapped(problem, score, before, seed, n_kicks=0) for seed in (0, 0, 1, 2, 3, 4)]
    assert found[0] == found[1]
    assert len(set(found)) > 1


@pytest.mark.parametrize("seed", [1, 2])
def test_large_rewards_whose_sums_are_rounded_do_not_keep_swaps_from_ending(seed):
    rng = np.random.default_rng(seed)
    alone, gains = np.abs(rng.normal(size=8)) * 1e6, rng.normal(size=(8, 8))

    class Large:
        def local(self, node, parents):
            return float(alone[node] + sum(gains[p, node] for p in parents))

    monitor, problem = Monitor(time_limit=20.0), problem_of(8)
    swapped(problem, scores.adapt(Large(), 8), some_graph(problem, rng), seed, monitor=monitor)
    assert monitor.status == FINISHED


# ---------------------------------------------------------------- ending early


def ended_early(act_of):
    """Swaps that something ends after a third of their local scores: the graph before, after, and at their end."""
    problem, counted = problem_of(8), Acting(5, 8, -1, interrupt)
    before = some_graph(problem, np.random.default_rng(2))
    at_end = swapped(problem, scores.adapt(counted, 8), before)
    monitor = Monitor(time_limit=60.0)
    own = Acting(5, 8, counted.n_calls // 3, lambda: act_of(monitor))
    after = swapped(problem, scores.adapt(own, 8), before, monitor=monitor)
    assert fits(problem, after)
    assert len(after) == len(before)
    assert own.n_calls < counted.n_calls
    rewards = [naive.TableScore(5, 8).reward_of_edges(edges) for edges in (before, after, at_end)]
    assert rewards[0] < rewards[1] <= rewards[2]
    return monitor.status


@pytest.mark.parametrize("act", [interrupt, press_ctrl_c])
def test_ctrl_c_leaves_the_best_graph_so_far(act):
    handler = signal.getsignal(signal.SIGINT)
    assert ended_early(lambda _monitor: act()) == INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is handler


def test_the_time_limit_leaves_the_best_graph_so_far():
    def let_time_pass(monitor):
        monitor.time_limit = 0.0

    assert ended_early(let_time_pass) == TIME_LIMIT
