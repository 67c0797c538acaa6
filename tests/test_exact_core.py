"""The parts of exact search against slow twins: families, subsets, components, programs, separation, orders."""

import time
from contextlib import suppress
from functools import partial

import naive
import naive_exact
import networkx as nx
import numpy as np
import pytest
from common import discrete_frame, normal_table
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch import scores
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.search.exact import families as families_module
from dagsearch.search.exact import program, scip, subsets
from dagsearch.search.exact.components import components
from dagsearch.search.exact.families import TIE, Families, Objective, enumerate_families
from dagsearch.search.exact.highs import solve_by_highs
from dagsearch.search.exact.orders import OrderSearch
from dagsearch.search.exact.program import Clusters, EdgeLimit, Incumbent, Relaxation, Remainder, solve_relaxation
from dagsearch.search.exact.ranking import neighbours
from dagsearch.search.exact.scip import has_scip, solve_by_scip
from dagsearch.search.exact.separation import clusters_on_cycles, violated_clusters
from dagsearch.search.exact.solve import Solution
from dagsearch.search.exact.subsets import best_by_subset
from dagsearch.search.monitor import OutOfTimeError
from dagsearch.search.protocol import Problem

SEEDS = st.integers(0, 2**32)
INTEGER_SOLVERS = {"highs": solve_by_highs, **({"scip": solve_by_scip} if has_scip() else {})}
CLUSTERS = [members for members in naive.subsets(range(6)) if len(members) > 1]


class Watch:
    """Lets a solution run, or ends it once its seconds are over; solvers may be told another number of seconds."""

    def __init__(self, seconds=np.inf, told=None):
        self.end = time.perf_counter() + seconds
        self.told = told

    @property
    def seconds_left(self):
        return max(self.end - time.perf_counter(), 0.0) if self.told is None else self.told

    def __call__(self, _):
        if time.perf_counter() > self.end:
            raise OutOfTimeError


def quiet(_):
    """Hear of progress and do nothing."""


def is_acyclic(adjacency):
    return nx.is_directed_acyclic_graph(nx.DiGraph(adjacency))


def random_families(seed, n_nodes, n_sets, most, possible=None, empty=True, per_parent=0.5):
    """Families with scores in steps of which sums have no rounding; all parents are ``possible`` (a matrix)."""
    rng = np.random.default_rng(seed)
    possible = ~np.eye(n_nodes, dtype=bool) if possible is None else possible
    rows = []
    for node in range(n_nodes):
        choices = np.flatnonzero(possible[:, node])
        sets = {frozenset(rng.permutation(choices)[: rng.integers(1, most + 1)].tolist()) for _ in range(n_sets)}
        for parents in sets | ({frozenset()} if empty else set()):
            rows.append((node, -np.round(1024 * (rng.normal() + per_parent * len(parents))) / 1024, sorted(parents)))
    rows.sort()
    members = np.array([[node in parents for node in range(n_nodes)] for _, _, parents in rows])
    return Families(n_nodes, np.array([row[0] for row in rows]), np.array([-row[1] for row in rows]), members)


def as_lists(families, numbers=None):
    """(parents, score) of each node, or other numbers in place of scores, for slow twins."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in families.parents]
    pairs = list(zip(sets, families.scores.tolist() if numbers is None else numbers, strict=True))
    return [pairs[families.of(node)] for node in range(families.n_nodes)]


# --- Families --------------------------------------------------------------------------------------


class Table(naive.TableScore):
    """Rounded scores, so that many are tied, less a penalty, so that most sets lose to a subset."""

    digits, penalty = 9, 0.0

    def local(self, node, parents):
        return round(super().local(node, parents), self.digits) - self.penalty * len(parents)


def problem_of(n_nodes, required=(), forbidden=()):
    start, barred = (naive.adjacency_of(frozenset(edges), n_nodes).astype(bool) for edges in (required, forbidden))
    return Problem(start, ~barred, None, n_nodes - 1)


def assert_families(families, score, problem, slack, most=64, nodes=None):
    """They are all that lose less than ``slack`` to their best subset, or that win if it is zero, and no others."""
    for node in range(problem.n_nodes) if nodes is None else nodes:
        required = frozenset(np.flatnonzero(problem.start[:, node]).tolist())
        candidates = set(np.flatnonzero(problem.allowed[:, node]).tolist()) - required - {node}
        losses = naive_exact.losses_to_subsets(partial(score.local, node), candidates, required, most)
        kept = {parents: score.local(node, parents) for parents, loss in losses.items() if loss < (slack or -TIE)}
        found = as_lists(families)[node]
        assert dict(found) == kept
        assert [own for _, own in found] == sorted(kept.values(), reverse=True)


@pytest.mark.parametrize("slack", [0.0, 0.3, np.inf])
@pytest.mark.parametrize("chunk", [1, 1 << 9])
@pytest.mark.parametrize(("digits", "penalty"), [(9, 0.0), (9, 0.75), (0, 0.0)])
def test_families_are_all_parent_sets_that_do_not_lose_to_a_subset(monkeypatch, digits, penalty, chunk, slack):
    monkeypatch.setattr(families_module, "_CHUNK_FROM_OUTSIDE", chunk)
    monkeypatch.setattr(Table, "digits", digits)
    monkeypatch.setattr(Table, "penalty", penalty)
    score = scores.adapt(Table(4, 6), 6)
    for problem in (problem_of(6), problem_of(6, [(0, 1), (2, 1), (5, 0)], [(3, 1), (4, 0), (5, 2)])):
        for most in (None, 3):
            survey = enumerate_families(problem, score, Objective(slack=slack), most, quiet)
            assert survey.max_parents is None
            assert_families(survey.families, score, problem, slack, most or 64)


def made(name, n_nodes, **options):
    table = discrete_frame(25, n_nodes, seed=3) if name in scores.DISCRETE else normal_table(40, n_nodes, seed=3)
    return scores.make(name, table, **options)


@pytest.mark.parametrize("slack", [0.0, 0.02])
@pytest.mark.parametrize("name", ["bic-discrete", "bdeu", "bic-linear"])
def test_families_by_our_scores_are_those_of_all_parent_sets_though_few_are_looked_at(name, slack):
    score = made(name, 6)
    evaluated = []
    survey = enumerate_families(problem_of(6), score, Objective(slack=slack), None, evaluated.append)
    assert (survey.max_parents, evaluated[-1] < 6 * 2**5) == (None, True)
    assert_families(survey.families, score, problem_of(6), slack)


CONTINUOUS = [("bic-linear", "edges"), ("bic-quadratic", "parameters"), ("bic-gp", "edges"), ("bic-gp", "parameters")]


@pytest.mark.parametrize(("name", "penalty"), [("bic-discrete", None), ("bdeu", None), *CONTINUOUS])
def test_no_superset_has_a_score_above_the_bound(name, penalty):
    for variances, weight in (("different", 1.0), ("equal", -2.0))[: 1 if penalty is None else 2]:
        score = made(name, 5, penalty=penalty, variances=variances)
        for node, best_value in enumerate(score.best_values()):
            sets = list(naive.subsets(set(range(5)) - {node}))
            rows = rows_from_membership(np.array([[p in members for p in range(5)] for members in sets]))
            terms, values, penalties = score.survey(node, rows, best_value)
            own, bounds = weight * terms[:, 0] - terms[:, 1], weight * values - penalties
            for members, bound in zip(sets, bounds, strict=True):
                assert max(own[k] for k, other in enumerate(sets) if other >= members) <= bound + 1e-12


def test_enumeration_stops_at_the_size_that_can_be_afforded(monkeypatch):
    score, problem, objective = scores.adapt(naive.TableScore(0, 6), 6), problem_of(6), Objective(slack=np.inf)
    for affordable, most in ((35, 0), (36, 1), (95, 1), (96, 2), (10**6, None)):  # 6 + 6 * 5 + 6 * 10 + ...
        monkeypatch.setattr(type(score), "affordable", affordable)
        for asked, expected, largest in ((None, most, 5 if most is None else most), (3, None, 3)):
            survey = enumerate_families(problem, score, objective, asked, quiet)
            assert (survey.max_parents, survey.families.sizes.max()) == (expected, largest)


@pytest.mark.parametrize("required", [[], [(69, 3), (2, 67)]])
def test_families_of_more_nodes_than_a_word_has_bits(required):
    x = np.random.default_rng(0).normal(size=(120, 70))
    x[:, 3] += x[:, 69] - x[:, 10] + x[:, 65]
    x[:, 67] += x[:, 66] + x[:, 2] - x[:, 63]
    score = scores.make("bic-linear", x)
    problem = problem_of(70, required, {(i, j) for i in range(70) for j in range(70) if j not in (3, 67)})
    for slack in (0.0, 0.01):
        families = enumerate_families(problem, score, Objective(slack=slack), 2, quiet).families
        assert_families(families, score, problem, slack, most=2, nodes=[3, 67])
        assert {families.sizes[families.of(node)].max() for node in (3, 67)} == {2}


# --- Dynamic programming ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n_nodes", "least", "n_bytes"), [(6, 1, 0), (6, 4, 1 << 18), (7, 3, 1 << 11), (9, 2, 0)])
@pytest.mark.parametrize("empty", [True, False])
def test_the_best_rewards_over_all_subsets_are_those_of_the_slow_twin(monkeypatch, n_nodes, least, n_bytes, empty):
    monkeypatch.setattr(subsets, "_MIN_LOW", least)
    monkeypatch.setattr(subsets, "_BLOCK_BYTES", n_bytes)
    possible = ~np.eye(n_nodes, dtype=bool)
    possible[:, 2] = False  # some node is without parents, or there is no DAG
    families = random_families(n_nodes, n_nodes, 6, 3, possible, empty)
    slow = naive_exact.best_by_edges(as_lists(families))
    free = best_by_subset(families, None, quiet)
    counted = {most: best_by_subset(families, most, quiet) for most in (0, 1, 5, 11)}
    for nodes, by_edges in slow.items():
        number = sum(1 << node for node in nodes)
        assert free.rewards[number] == max(by_edges.values(), default=-np.inf)
        for most, table in counted.items():
            assert table.rewards[number].tolist() == [by_edges.get(k, -np.inf) for k in range(most + 1)]
    for table in (free, *counted.values()):
        for n_edges in np.flatnonzero(np.isfinite(table.by_edges)):
            chosen = table.choice(int(n_edges))
            adjacency = families.adjacency(chosen)
            assert is_acyclic(adjacency)
            assert families.scores[chosen].sum() == table.by_edges[n_edges]
            assert table is free or adjacency.sum() == n_edges


# --- Components ------------------------------------------------------------------------------------


def agreed_reward(families, limit):
    """The reward of the best DAG, which all solvers find and prove."""
    rewards = set()
    for solver in ("dynamic", *INTEGER_SOLVERS):
        solution = Solution(families, limit)
        solution.solve(solver, Watch(), np.random.default_rng(0))
        rewards.add(solution.reward)
        assert solution.bound == solution.reward
        if solution.reward > -np.inf:
            assert is_acyclic(solution.adjacency())
            assert families.scores[solution.chosen()].sum() == solution.reward
            assert limit is None or limit.allows(int(solution.adjacency().sum()))
    assert len(rewards) == 1
    return rewards.pop()


@given(SEEDS)
@settings(max_examples=8, deadline=None, derandomize=True)
def test_components_are_solved_apart_and_make_up_the_whole(seed):
    rng = np.random.default_rng(seed)
    tiers = rng.integers(0, 3, 9)
    possible = (tiers[:, np.newaxis] <= tiers) & ~np.eye(9, dtype=bool) & (rng.random((9, 9)) < 0.7)
    families = random_families(seed, 9, 8, 3, possible)
    graph = nx.DiGraph((p, v) for v, sets in enumerate(as_lists(families)) for parents, _ in sets for p in parents)
    graph.add_nodes_from(range(9))
    parts = list(components(families))
    assert {frozenset(part.members) for part in parts} == set(map(frozenset, nx.strongly_connected_components(graph)))
    for part in parts:
        same, inside = families.only(np.isin(np.arange(len(families)), part.origins)), part.families
        assert np.array_equal(same.nodes, part.members[inside.nodes])
        assert np.array_equal(same.parents[:, part.members], inside.parents)
        assert np.array_equal(same.scores, inside.scores)
    rewards = [best_by_subset(part.families, None, quiet).by_edges[0] for part in parts]
    assert sum(rewards) == best_by_subset(families, None, quiet).by_edges[0] == agreed_reward(families, None)


# --- Separation ------------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_only_clusters_that_are_violated_are_found(seed):
    rng = np.random.default_rng(seed)
    families = random_families(seed, 6, 4, 3)
    weights = rng.random(len(families)) * (rng.random(len(families)) < 0.5) + 1e-9
    for node in range(6):
        weights[families.of(node)] /= weights[families.of(node)].sum()
    found, left_side = violated_clusters(families, weights), partial(naive_exact.left_side, as_lists(families, weights))
    assert all(left_side(np.flatnonzero(cluster)) < 1.0 - 1e-4 for cluster in found)
    assert len(found) or min(map(left_side, CLUSTERS)) > 0.95  # growing from each node may miss what is hardly violated


@given(SEEDS, st.sampled_from([0.1, 0.2, 0.4]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_clusters_on_cycles_are_shortest_cycles_through_each_node_that_is_on_one(seed, density):
    adjacency = (np.random.default_rng(seed).random((7, 7)) < density).astype(np.int8)
    np.fill_diagonal(adjacency, 0)
    cycles = list(nx.simple_cycles(nx.DiGraph(adjacency)))
    found = [frozenset(np.flatnonzero(cluster).tolist()) for cluster in clusters_on_cycles(adjacency)]
    assert set(found) <= set(map(frozenset, cycles))
    assert len(set(found)) == len(found)
    for node in range(7):
        through = [len(cycle) for cycle in cycles if node in cycle]
        assert min((len(cluster) for cluster in found if node in cluster), default=0) == min(through, default=0)


# --- Orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("required", [False, True])
def test_order_search_gives_dags_that_are_seldom_worse_than_the_optimum(required):
    n_optimal = 0
    for seed in range(20):
        families = random_families(seed, 8, 6, 3)
        if required:  # a chain from 0 to 4 is in all sets
            for cause in range(4):
                families.parents[np.ix_(families.nodes <= cause, np.arange(8) > cause)] = False
                families.parents[families.nodes == cause + 1, cause] = True
        optimum = best_by_subset(families, None, quiet).by_edges[0]
        search, rng = OrderSearch(families), np.random.default_rng(seed)
        near_weights = search.from_weights(rng.random(len(families)))
        best = search.best_of(2, 5, rng, lambda: None)
        for reward, chosen in (search.improved(rng.permutation(8)), near_weights, best):
            assert families.nodes[chosen].tolist() == list(range(8))
            assert is_acyclic(families.adjacency(chosen))
            assert reward == families.scores[chosen].sum() <= optimum
        n_optimal += reward == optimum
    assert n_optimal >= 12


def test_order_search_where_no_dag_is_possible_has_no_reward():
    families = Families(2, np.arange(2), np.zeros(2), ~np.eye(2, dtype=bool))
    assert OrderSearch(families).improved(np.arange(2))[0] == -np.inf


# --- Integer programming ---------------------------------------------------------------------------


LIMITS = [None, EdgeLimit(9), EdgeLimit(9, exactly=True), EdgeLimit(14, exactly=True)]


@pytest.mark.parametrize(("n_nodes", "n_first"), [(9, 1), (14, 20)])
@pytest.mark.parametrize("limit", LIMITS)
def test_dynamic_and_integer_programming_agree(monkeypatch, n_nodes, n_first, limit):
    monkeypatch.setattr(program, "_FIRST_FAMILIES", n_first)
    monkeypatch.setattr(program, "_MORE_FAMILIES", n_first)
    agreed_reward(random_families(1, n_nodes, 12, 3), limit)
    agreed_reward(random_families(2, n_nodes, 8, 2, empty=False, per_parent=0.0), limit)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("n_nodes", [8, 10])
def test_cycles_that_separation_left_are_cut_off_in_the_integer_program(monkeypatch, n_nodes, limit):
    for module in (program, scip):
        monkeypatch.setattr(module, "violated_clusters", lambda given, _: np.zeros((0, given.n_nodes), dtype=bool))
    agreed_reward(random_families(5, n_nodes, 6, 3, per_parent=1.0), limit)


def test_losses_stay_within_what_solvers_can_tell_apart_whatever_is_known():
    families = random_families(0, 4, 5, 2)
    best = sum(families.scores[families.of(node)].max() for node in range(4))
    for reward in (best, np.nextafter(best, np.inf), np.nextafter(best, -np.inf), best - 1e-13, best - 1.0, -np.inf):
        relaxation = Relaxation.of(families, None, reward)
        assert relaxation.losses.min() == 0.0
        assert 1e3 < relaxation.losses.max() < 1e6
        assert relaxation.reward_of(relaxation.scale) == best - 1.0


def test_an_incumbent_takes_better_graphs_and_lower_bounds_but_none_below_its_reward():
    incumbent = Incumbent()
    for reward, bound, expected in ((1.0, 5.0, 5.0), (0.5, 7.0, 5.0), (2.0, 3.0, 3.0), (2.0, -np.inf, 2.0)):
        incumbent.offer(reward, reward)
        incumbent.lower_bound_to(bound)
        assert incumbent.bound == expected
        assert incumbent.reward == incumbent.chosen >= reward


@pytest.mark.parametrize("solve", INTEGER_SOLVERS.values())
@pytest.mark.parametrize("limit", [None, EdgeLimit(12, exactly=True)])
def test_whenever_time_is_up_the_optimum_lies_between_reward_and_bound(solve, limit):
    families = random_families(3, 14, 30, 4)
    optimum = best_by_subset(families, None if limit is None else limit.n_edges, quiet).by_edges[-1]
    for seconds in (0.0, 0.02, 0.05):
        incumbent, every = Incumbent(), np.ones(len(families), dtype=bool)
        left = Remainder(Relaxation.of(families, limit, -np.inf), every, Clusters.to_begin_with(families))
        with suppress(OutOfTimeError):
            solve(left, incumbent, Watch(seconds, seconds))
        assert incumbent.bound >= optimum >= incumbent.reward


def test_a_linear_program_that_is_out_of_time_waits_for_the_search_to_end():
    families = random_families(0, 6, 5, 2)
    clusters, rng = Clusters.to_begin_with(families), np.random.default_rng(0)
    with pytest.raises(OutOfTimeError):
        solve_relaxation(families, EdgeLimit(4), Incumbent(), clusters, Watch(0.05, 0.0), rng)


def test_every_dag_satisfies_the_relaxation_and_every_cycle_violates_its_cluster():
    families = random_families(2, 6, 5, 3)
    clusters = Clusters(np.array([[node in members for node in range(6)] for members in CLUSTERS]))
    every, rng, n_dags = np.ones(len(families), dtype=bool), np.random.default_rng(0), 0
    for _ in range(100):
        chosen = np.array([rng.choice(np.flatnonzero(families.nodes == node)) for node in range(6)])
        weights, adjacency = np.zeros(len(families)), families.adjacency(chosen)
        weights[chosen] = 1.0
        n_edges, is_dag = int(adjacency.sum()), is_acyclic(adjacency)
        for limit, fits in ((None, is_dag), (EdgeLimit(n_edges), is_dag), (EdgeLimit(n_edges - 1), False)):
            matrix, right = Relaxation.of(families, limit, -np.inf).inequalities(every, clusters)
            assert (matrix @ weights <= right + 1e-9).all() == fits
        for at in (n_edges - 1, n_edges, n_edges + 1):
            matrix, right = Relaxation.of(families, EdgeLimit(at, exactly=True), -np.inf).equalities(every)
            assert np.allclose(matrix @ weights, right) == (at == n_edges)
        n_dags += is_dag
    assert 10 < n_dags < 90


# --- Ranking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, EdgeLimit(3), EdgeLimit(3, exactly=True)])
def test_neighbours_are_all_dags_with_one_edge_more_or_less_or_elsewhere(limit):
    allowed = ~np.eye(4, dtype=bool)
    allowed[0, 3] = allowed[2, 1] = False
    edges = frozenset({(0, 1), (1, 2), (0, 3)})
    found = neighbours(naive.adjacency_of(edges, 4), allowed, limit)
    within = [other for other in naive.all_dags(4) if limit is None or limit.allows(len(other))]
    changed = {other: edges ^ other for other in within if all(allowed[edge] for edge in edges ^ other)}
    expected = {other for other in changed if len(changed[other]) == (2 if limit and limit.exactly else 1)}
    assert sorted(map(sorted, map(naive.edges_of, found))) == sorted(map(sorted, expected))
