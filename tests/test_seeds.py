"""Sets of parents that climbs from none do not reach: pairs that pay together, parents of a graph that is refined."""

import itertools
import math

import naive
import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_orders import Twin, best_of_all_dags, climbed_parents
from order_climbs import climb_from, edges_in, found_by, look_at, refined
from search_problems import fits, problem_of, problems, some_graph, some_order
from stopping import interrupt, press_ctrl_c

import dagsearch as ds
from dagsearch import scores
from dagsearch.graph.order import topological_order
from dagsearch.kernels.forest import MOST_SEEDS, NO_CHILD
from dagsearch.search import forest, seeds
from dagsearch.search.forest import ParentTrees, Seed
from dagsearch.search.monitor import Monitor
from dagsearch.search.orders import OrderClimber
from dagsearch.search.protocol import INTERRUPTED, TIME_LIMIT, pays
from dagsearch.search.seeds import interacting_pairs


def exclusive_or(n_samples=400, n_others=3, seed=0):
    """Column c is almost a xor b; others are noise, or follow c."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 2, (n_samples, 2 + n_others)), columns=list("abdefghij"[: 2 + n_others]))
    table["c"] = np.where(rng.random(n_samples) < 0.95, table["a"] ^ table["b"], rng.integers(0, 2, n_samples))
    table["d"] = np.where(rng.random(n_samples) < 0.8, table["c"], table["d"])
    return table


def without_a_survey(monkeypatch):
    monkeypatch.setattr(seeds, "MOST_VISITED_ROWS", 0)


def mask(parents, n_nodes):
    return np.isin(np.arange(n_nodes), list(parents))


# ---------------------------------------------------------------- an exclusive or


@pytest.mark.parametrize("score", ["bic-discrete", "bdeu"])
@pytest.mark.parametrize("method", [ds.OrderSearch, ds.CDUCT])
def test_causes_that_pay_only_together_are_found_and_not_without_a_survey_of_pairs(monkeypatch, method, score):
    """Any of a, b and c is the exclusive or of the others. CD-UCT may add one edge at a time, so as not to meet two."""
    options = {"horizon": 1, "n_restarts": 1} if method is ds.CDUCT else {"n_restarts": 1, "n_kicks": 50}

    def found(seed):
        model = method(score=score, random_state=seed, **options).fit(exclusive_or(n_others=6, seed=seed))
        parents = {node: {cause for cause, effect in model.dag_.edges if effect == node} for node in "abc"}
        return any(set("abc") - {node} <= parents[node] for node in "abc"), model.reward_

    for seed in range(4):
        is_found, reward = found(seed)
        with monkeypatch.context() as patch:
            without_a_survey(patch)
            is_met_by_chance, blind_reward = found(seed)
        assert is_found
        assert not is_met_by_chance
        assert blind_reward < reward - 0.2


# ---------------------------------------------------------------- the survey of pairs


def brute_force_pairs(problem, local, most):
    """The best pairs of each node that pay together while neither pays alone, by trying all of them."""
    found = set()
    for node in range(problem.n_nodes):
        required = frozenset(np.flatnonzero(problem.start[:, node]).tolist())
        base = local(node, required)
        others = [c for c in range(problem.n_nodes) if c != node and c not in required and problem.allowed[c, node]]
        pairs = [
            (local(node, required | set(pair)), required | set(pair))
            for pair in itertools.combinations(others, 2)
            if not any(pays(local(node, required | {cause}), base) for cause in pair)
            and len(required) + 2 <= problem.max_parents
        ]
        best = sorted((pair for pair in pairs if pays(pair[0], base)), key=lambda pair: -pair[0])[:most]
        found |= {(node, parents) for _, parents in best}
    return found


def pairs_by(problem, score):
    return [
        (seed.node, frozenset(np.flatnonzero(seed.parents).tolist()))
        for seed in interacting_pairs(problem, score, lambda: None)
    ]


@pytest.mark.parametrize("most", [2, MOST_SEEDS])
@pytest.mark.parametrize("max_parents", [None, 1, 2, 3])
def test_pairs_are_those_of_brute_force_whatever_is_required_and_forbidden(monkeypatch, max_parents, most):
    monkeypatch.setattr(seeds, "MOST_SEEDS", most)
    n_found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        # With few rows and a large prior many a pair pays by chance.
        table = pd.DataFrame(rng.integers(0, 2, (12, 7)), columns=list("abcdefg"))
        start = some_graph(problem_of(7, max_parents=1), rng) if seed % 2 else frozenset()
        allowed = (rng.random((7, 7)) < 0.8) | naive.adjacency_of(start, 7).astype(bool)
        problem = problem_of(7, start, allowed, max_parents)
        score, afresh = (scores.make("bdeu", table, sample_size=20.0) for _ in range(2))
        found = pairs_by(problem, score)
        assert len(set(found)) == len(found)
        assert set(found) == brute_force_pairs(problem, lambda node, parents, s=afresh: s.local(node, parents), most)
        n_found += len(found)
    assert (n_found == 0) is (max_parents == 1)
    assert max_parents == 1 or n_found > 10


def test_there_is_no_survey_where_it_takes_too_long_or_the_reward_is_no_sum_of_compiled_scores(monkeypatch):
    score, problem = scores.make("bic-discrete", exclusive_or()), problem_of(6)
    n_rows = 6 * math.comb(5, 2) * 400
    for most, n_found in ((n_rows, 3), (n_rows - 1, 0)):
        monkeypatch.setattr(seeds, "MOST_VISITED_ROWS", most)
        assert len(pairs_by(problem, score)) >= n_found
        assert n_found > 0 or not pairs_by(problem, score)
    monkeypatch.undo()
    assert not pairs_by(problem, scores.adapt(naive.TableScore(0, 6), 6))
    assert not pairs_by(problem, scores.make("bic-linear", normal_table(60, 6), variances="equal"))


# ---------------------------------------------------------------- climbs from seeds


class SeededTwin(Twin):
    """Parents are the best end of climbs from the required ones and from each seed, the first of equals."""

    def __init__(self, problem, local, planted=()):
        super().__init__(problem, local)
        self.planted = planted

    def parents(self, node, before):
        best = super().parents(node, before)
        candidates = frozenset(c for c in before if self.problem.allowed[c, node])
        required = frozenset(np.flatnonzero(self.problem.start[:, node]).tolist())
        for owner, start in self.planted:
            if owner == node and start - required <= before:
                end = climbed_parents(
                    lambda parents: self.local(node, parents),
                    candidates,
                    required,
                    self.problem.max_parents,
                    start=start,
                )
                if self.local(node, end) > self.local(node, best) + naive.NEGLIGIBLE:
                    best = end
        return best


def planted_with(problem, own, rng):
    """Trees with the parents of a few random graphs for seeds, and their twin."""
    d, graphs = problem.n_nodes, [some_graph(problem, rng) for _ in range(4)]
    planted = [(node, frozenset(naive.parents_of(edges, node))) for edges in graphs for node in range(d)]
    sets = [Seed(node, mask(parents, d)) for node, parents in planted]
    return ParentTrees(problem, scores.adapt(own, d), seeds=sets), SeededTwin(problem, own.local, planted)


@settings(max_examples=30, deadline=None)
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_parents_in_an_order_are_the_best_that_climbs_from_any_seed_reach(problem, seed):
    own, rng = naive.TableScore(seed, problem.n_nodes), np.random.default_rng(seed)
    trees, twin = planted_with(problem, own, rng)
    for _ in range(4):
        order = some_order(problem, rng)
        climb = climb_from(trees, order)
        look_at(climb, 0)
        assert edges_in(climb) == twin.edges(order)
        assert climb._search.state["reward"][0] == twin.reward(order)
        assert twin.reward(order) >= Twin(problem, own.local).reward(order)


@settings(max_examples=30, deadline=None)
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_moves_of_variables_with_seeds_never_lose_and_leave_the_parents_of_their_order(problem, seed):
    own, rng = naive.TableScore(seed, problem.n_nodes), np.random.default_rng(seed)
    trees, twin = planted_with(problem, own, rng)
    climb = climb_from(trees, some_order(problem, rng), seed)
    goes_on, reward = look_at(climb, 0), -math.inf
    while goes_on:
        goes_on = look_at(climb, 1)
        order = climb._search.order[0].tolist()
        assert edges_in(climb) == twin.edges(order)
        assert reward <= climb._search.state["reward"][0] == twin.reward(order)
        reward = twin.reward(order)


@pytest.mark.parametrize("tight", [False, True])
def test_a_set_is_planted_once_and_no_more_sets_than_there_is_room_for(monkeypatch, tight):
    if tight:
        monkeypatch.setattr(forest, "_FIRST_TREE_NODES", 1)
        monkeypatch.setattr(forest, "_FIRST_BRANCHES", 1)
    own, problem = naive.TableScore(1, 9), problem_of(9, frozenset({(8, 0)}))
    trees = ParentTrees(problem, scores.adapt(own, 9))
    assert not trees.plant(Seed(0, mask([8], 9)))  # the root of its tree
    assert not trees.plant(Seed(1, mask([], 9)))
    sets = [[8, *pair] for pair in itertools.combinations(range(1, 8), 2)]
    for k, parents in enumerate(sets):
        assert trees.plant(Seed(0, mask(parents, 9))) is (k < MOST_SEEDS)
        assert not trees.plant(Seed(0, mask(parents, 9)))
    roots = trees.forest.seeds[0]
    assert [trees.parents(int(root)) for root in roots] == [sorted(parents) for parents in sets[:MOST_SEEDS]]
    assert trees.values(roots).tolist() == [own.local(0, tuple(sorted(parents))) for parents in sets[:MOST_SEEDS]]


# ---------------------------------------------------------------- refinement


class Pair:
    """Node 2 has two causes that pay only together; node 5 has one that pays, and a second one after it."""

    def local(self, node, parents):
        if node == 2 and parents[:2] == (0, 1):
            return 1.0 - 0.1 * (len(parents) - 2)
        worth = {3: 0.25, 4: 0.125} if node == 5 else {}
        return math.fsum(worth.get(parent, -1.0) for parent in parents)


def test_refinement_keeps_parents_that_climbs_do_not_reach_and_improves_the_others():
    pair, others = frozenset({(0, 2), (1, 2)}), frozenset({(3, 5), (4, 5)})
    problem = problem_of(6)
    assert refined(problem, Pair(), frozenset()) == others
    for before in (pair, pair | {(3, 5)}, pair | {(4, 5), (0, 3)}):
        assert refined(problem, Pair(), before) == pair | others


def test_climbs_in_an_order_of_the_graph_that_is_refined_reach_no_worse_parents():
    problem, rng = problem_of(7), np.random.default_rng(0)
    n_planted = 0
    for seed in range(20):
        own = naive.TableScore(seed, 7)
        edges = max((some_graph(problem, rng) for _ in range(10)), key=own.reward_of_edges)
        climber = OrderClimber(problem, scores.adapt(own, 7), lambda _reward: None)
        climber.keep(naive.adjacency_of(edges, 7))
        best = naive.edges_of(climber.best)  # the empty graph, if that is better
        climber.search_from_best(0, 0)
        climb = climb_from(climber._trees, topological_order(naive.adjacency_of(best, 7)))
        look_at(climb, 0)
        assert climb._search.state["reward"][0] >= own.reward_of_edges(best)
        n_planted += int((climber._trees.forest.seeds != NO_CHILD).sum())
    assert n_planted > 5


@pytest.mark.long
def test_the_best_of_all_dags_is_not_left_and_reached_from_more_graphs_than_none():
    """Random tables: the best graph often has parents of which none pays alone."""
    n_unreached = 0
    for n_nodes, n_tables in ((4, 20), (5, 10)):
        all_dags = naive.all_dags(n_nodes) if n_nodes == 4 else None
        for seed in range(n_tables):
            own, problem = naive.TableScore(seed, n_nodes), problem_of(n_nodes)
            best = best_of_all_dags(own, n_nodes)
            from_none = own.reward_of_edges(refined(problem, own, frozenset(), seed))
            assert from_none <= best
            n_unreached += from_none < best
            if all_dags:
                optimum = max(all_dags, key=own.reward_of_edges)
                assert refined(problem, own, optimum, seed) == optimum
    assert n_unreached > 5


def test_with_compiled_scores_a_refined_graph_never_gets_worse():
    rng = np.random.default_rng(1)
    n_better = 0
    for seed in range(6):
        score = scores.make("bdeu", exclusive_or(seed=seed, n_samples=120))
        before = some_graph(problem_of(6, max_parents=3), rng)
        after = refined(problem_of(6, max_parents=3), score, before, seed, n_kicks=3)
        assert fits(problem_of(6, max_parents=3), after)
        gained = score.reward(naive.adjacency_of(after, 6)) - score.reward(naive.adjacency_of(before, 6))
        assert gained >= 0.0
        n_better += gained > 0.0
    assert n_better > 0


# ---------------------------------------------------------------- what searches with seeds keep to


@settings(max_examples=40, deadline=None)
@given(problem=problems((6, 6)), seed=st.integers(0, 3))
def test_graphs_stay_within_the_problem_and_have_the_reward_that_is_reported(problem, seed):
    table = exclusive_or(120, seed=seed)
    outcome = found_by(problem, scores.make("bdeu", table), seed, n_kicks=3)
    edges = naive.edges_of(outcome.adjacency)
    assert fits(problem, edges)
    afresh = scores.make("bdeu", table)
    expected = math.fsum(afresh.local(node, naive.parents_of(edges, node)) for node in range(6))
    assert outcome.reward == pytest.approx(expected, abs=1e-9)


def test_one_seed_repeats_and_the_number_of_threads_changes_nothing():
    table = exclusive_or(120)
    for seed in range(3):
        found = [
            found_by(problem_of(6), scores.make("bdeu", table), seed, n_restarts=5, n_kicks=3, n_jobs=n_jobs)
            for n_jobs in (1, 1, 2, 3)
        ]
        assert len({naive.edges_of(each.adjacency) for each in found}) == 1
        assert len({each.reward for each in found}) == 1


@pytest.mark.parametrize("ends", [interrupt, press_ctrl_c, None])
def test_an_early_end_while_pairs_are_surveyed_leaves_the_start(monkeypatch, ends):
    monitor, problem, looked_at = Monitor(time_limit=60.0), problem_of(5, frozenset({(4, 0)})), []
    survey = seeds._pairs_of

    def surveyed(node, *rest):
        looked_at.append(node)
        if node == 2:
            (ends or (lambda: setattr(monitor, "time_limit", 0.0)))()
        return survey(node, *rest)

    monkeypatch.setattr(seeds, "_pairs_of", surveyed)
    outcome = found_by(problem, scores.make("bic-discrete", discrete_frame()), monitor=monitor)
    assert outcome.status == (TIME_LIMIT if ends is None else INTERRUPTED)
    assert looked_at == [0, 1, 2]
    np.testing.assert_array_equal(outcome.adjacency, problem.start)
