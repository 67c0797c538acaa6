"""The parts of exact search against slow twins: families, subsets, components, programs, separation, orders."""

import time
from functools import partial
from importlib.util import find_spec

import naive
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
from dagsearch.search.exact.program import Clusters, EdgeLimit, Incumbent, Relaxation, solve_relaxation
from dagsearch.search.exact.ranking import neighbours
from dagsearch.search.exact.separation import clusters_on_cycles, violated_clusters
from dagsearch.search.exact.solve import Solution
from dagsearch.search.exact.subsets import best_by_subset
from dagsearch.search.monitor import OutOfTimeError
from dagsearch.search.protocol import Problem

SEEDS = st.integers(0, 2**32)
INTEGER_SOLVERS = ("highs", "scip") if find_spec("pyscipopt") else ("highs",)
CLUSTERS = np.array([[v in members for v in range(6)] for members in naive.subsets(range(6)) if len(members) > 1])


class Watch:
    """Lets a solution run, or ends it once its seconds are over."""

    def __init__(self, seconds=np.inf):
        self.end = time.perf_counter() + seconds

    @property
    def seconds_left(self):
        return max(self.end - time.perf_counter(), 0.0)

    def __call__(self, _):
        if self.seconds_left == 0.0:
            raise OutOfTimeError


def quiet(_):
    """Hear of progress and do nothing."""


def is_acyclic(adjacency):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(adjacency, create_using=nx.DiGraph))


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


def as_lists(families):
    """(parents, score) of each node, for the slow twin."""
    lists = [[] for _ in range(families.n_nodes)]
    for node, score, parents in zip(families.nodes, families.scores.tolist(), families.parents, strict=True):
        lists[node].append((frozenset(np.flatnonzero(parents).tolist()), score))
    return lists


# --- Families --------------------------------------------------------------------------------------


class Penalised(naive.TableScore):
    def local(self, node, parents):
        return super().local(node, parents) - 0.75 * len(parents)


def problem_of(n_nodes, required=(), forbidden=()):
    start, allowed = np.zeros((n_nodes, n_nodes), dtype=bool), np.ones((n_nodes, n_nodes), dtype=bool)
    for edge in required:
        start[edge] = True
    for edge in forbidden:
        allowed[edge] = False
    return Problem(start, allowed, None, n_nodes - 1)


def assert_families(families, score, problem, slack, most=64, nodes=None):
    """They are all that lose less than ``slack`` to their best subset, or that win if it is zero, and no others."""
    for node in range(problem.n_nodes) if nodes is None else nodes:
        required = frozenset(np.flatnonzero(problem.start[:, node]).tolist())
        candidates = set(np.flatnonzero(problem.allowed[:, node]).tolist()) - required - {node}
        losses = naive.losses_to_subsets(partial(score.local, node), candidates, required, most)
        kept = {parents: score.local(node, parents) for parents, loss in losses.items() if loss < (slack or -TIE)}
        found = as_lists(families)[node]
        assert dict(found) == kept
        assert [own for _, own in found] == sorted(kept.values(), reverse=True)


@pytest.mark.parametrize("slack", [0.0, 0.3, np.inf])
@pytest.mark.parametrize("chunk", [1, 3, 1 << 9])
@pytest.mark.parametrize("kind", [naive.TableScore, Penalised])
def test_families_are_those_of_all_parent_sets_that_do_not_lose_to_a_subset(monkeypatch, kind, chunk, slack):
    monkeypatch.setattr(families_module, "_CHUNK_FROM_OUTSIDE", chunk)
    score = scores.adapt(kind(4, 6), 6)
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
    assert evaluated[-1] < 6 * 2**5
    assert survey.max_parents is None
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
    score = scores.adapt(naive.TableScore(0, 6), 6)
    for affordable, most in ((35, 0), (36, 1), (95, 1), (96, 2), (10**6, None)):  # 6 + 6 * 5 + 6 * 10 + ...
        monkeypatch.setattr(type(score), "affordable", affordable)
        survey = enumerate_families(problem_of(6), score, Objective(slack=np.inf), None, quiet)
        assert survey.max_parents == most
        assert survey.families.sizes.max() == (5 if most is None else most)
        within = enumerate_families(problem_of(6), score, Objective(slack=np.inf), 3, quiet)
        assert (within.max_parents, within.families.sizes.max()) == (None, 3)


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
    slow = naive.best_by_edges(as_lists(families))
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


@given(SEEDS)
@settings(max_examples=15, deadline=None, derandomize=True)
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
        inside, members = part.families, part.members
        assert np.array_equal(families.nodes[part.origins], members[inside.nodes])
        assert np.array_equal(families.scores[part.origins], inside.scores)
        assert np.array_equal(families.parents[part.origins][:, members], inside.parents)
    whole = best_by_subset(families, None, quiet).by_edges[0]
    assert sum(best_by_subset(part.families, None, quiet).by_edges[0] for part in parts) == whole
    solution = Solution(families, None)
    solution.solve("auto", Watch(), rng)
    assert solution.reward == solution.bound == whole == families.scores[solution.chosen()].sum()
    assert is_acyclic(solution.adjacency())


# --- Integer programming ---------------------------------------------------------------------------


def assert_all_solvers_agree(families, limit):
    rewards = set()
    for solver in ("dynamic", *INTEGER_SOLVERS):
        solution = Solution(families, limit)
        solution.solve(solver, Watch(), np.random.default_rng(0))
        rewards.add(solution.reward)
        assert solution.bound == solution.reward
        if solution.reward > -np.inf:
            adjacency = solution.adjacency()
            assert is_acyclic(adjacency)
            assert families.scores[solution.chosen()].sum() == solution.reward
            assert limit is None or limit.allows(int(adjacency.sum()))
    assert len(rewards) == 1


LIMITS = [None, EdgeLimit(9), EdgeLimit(9, exactly=True), EdgeLimit(14, exactly=True)]


@pytest.mark.parametrize("n_nodes", [8, 11, 14])
@pytest.mark.parametrize("limit", LIMITS)
def test_dynamic_and_integer_programming_agree(n_nodes, limit):
    for seed in range(2):
        assert_all_solvers_agree(random_families(seed, n_nodes, 12, 3), limit)
        assert_all_solvers_agree(random_families(seed, n_nodes, 8, 2, empty=seed == 0, per_parent=0.0), limit)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("n_nodes", [8, 10])
def test_cycles_that_separation_left_are_cut_off_in_the_integer_program(monkeypatch, n_nodes, limit):
    for module in (program, scip):
        monkeypatch.setattr(module, "violated_clusters", lambda given, _: np.zeros((0, given.n_nodes), dtype=bool))
    assert_all_solvers_agree(random_families(5, n_nodes, 6, 3, per_parent=1.0), limit)


def test_a_loss_that_is_only_rounding_does_not_spoil_the_program():
    parents = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    families = Families(3, np.array([0, 0, 1, 1, 2]), np.array([0.1, -5.0, 0.2, -5.0, 0.3]), parents)
    assert (0.1 + 0.2) + 0.3 > (0.3 + 0.2) + 0.1
    for limit in (None, EdgeLimit(2)):
        incumbent, rng = Incumbent(), np.random.default_rng(0)
        left = solve_relaxation(families, limit, incumbent, Clusters.to_begin_with(families), Watch(), rng)
        if left is not None:
            solve_by_highs(left, incumbent, Watch())
        assert incumbent.chosen.tolist() == [0, 2, 4]
        assert incumbent.bound == incumbent.reward


@pytest.mark.parametrize("solver", INTEGER_SOLVERS)
@pytest.mark.parametrize("limit", [None, EdgeLimit(12, exactly=True)])
def test_whenever_time_is_up_the_optimum_lies_between_reward_and_bound(solver, limit):
    families = random_families(3, 13, 30, 4)
    table = best_by_subset(families, None if limit is None else limit.n_edges, quiet)
    for seconds in (0.0, 0.01, 0.05):
        solution = Solution(families, limit)
        try:
            solution.solve(solver, Watch(seconds), np.random.default_rng(0))
        except OutOfTimeError:
            assert solution.bound >= table.by_edges[-1] >= solution.reward
        else:
            assert solution.bound == table.by_edges[-1] == solution.reward


def test_every_dag_satisfies_the_relaxation_and_every_cycle_violates_its_cluster():
    families = random_families(2, 6, 5, 3)
    every = np.ones(len(families), dtype=bool)
    rng, n_dags = np.random.default_rng(0), 0
    for _ in range(100):
        chosen = np.array([rng.integers(*families.of(v).indices(len(families))[:2]) for v in range(6)])
        weights = np.zeros(len(families))
        weights[chosen] = 1.0
        adjacency = families.adjacency(chosen)
        n_edges = int(adjacency.sum())
        for limit, fits in ((None, True), (EdgeLimit(n_edges), True), (EdgeLimit(n_edges - 1), False)):
            matrix, right = Relaxation.of(families, limit, -np.inf).inequalities(every, Clusters(CLUSTERS))
            assert (matrix @ weights <= right + 1e-9).all() == (fits and is_acyclic(adjacency))
        for at, fits in ((n_edges, True), (n_edges - 1, False), (n_edges + 1, False)):
            matrix, right = Relaxation.of(families, EdgeLimit(at, exactly=True), -np.inf).equalities(every)
            assert np.allclose(matrix @ weights, right) == fits
        n_dags += is_acyclic(adjacency)
    assert 10 < n_dags < 90


# --- Separation ------------------------------------------------------------------------------------


def left_side(families, weights, cluster):
    """Weight of the families of nodes in the cluster that have no parent in it."""
    free = cluster[families.nodes] & ~(families.parents & cluster).any(axis=1)
    return weights[free].sum()


@given(SEEDS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_only_clusters_that_are_violated_are_found(seed):
    rng = np.random.default_rng(seed)
    families = random_families(seed, 6, 4, 3)
    weights = rng.random(len(families)) * (rng.random(len(families)) < 0.5) + 1e-9
    for node in range(6):
        weights[families.of(node)] /= weights[families.of(node)].sum()
    found = violated_clusters(families, weights)
    assert all(left_side(families, weights, cluster) < 1.0 - 1e-4 for cluster in found)
    worst = min(left_side(families, weights, cluster) for cluster in CLUSTERS)
    assert len(found) or worst > 0.95  # growing from each node may miss what is hardly violated


@given(SEEDS, st.sampled_from([0.1, 0.2, 0.4]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_clusters_on_cycles_are_shortest_cycles_through_each_node_that_is_on_one(seed, density):
    adjacency = (np.random.default_rng(seed).random((7, 7)) < density).astype(np.int8)
    np.fill_diagonal(adjacency, 0)
    cycles = list(nx.simple_cycles(nx.from_numpy_array(adjacency, create_using=nx.DiGraph)))
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
        if required:  # node 0 is in all sets of two others
            families.parents[np.isin(families.nodes, [1, 2]), 0] = True
            families.parents[np.ix_(families.nodes == 0, [1, 2])] = False
        optimum = best_by_subset(families, None, quiet).by_edges[0]
        search, rng = OrderSearch(families), np.random.default_rng(seed)
        near_weights = search.from_weights(rng.random(len(families)))
        for reward, chosen in (
            search.improved(rng.permutation(8)),
            near_weights,
            search.best_of(5, 5, rng, lambda: None),
        ):
            assert families.nodes[chosen].tolist() == list(range(8))
            assert is_acyclic(families.adjacency(chosen))
            assert reward == families.scores[chosen].sum() <= optimum
        n_optimal += reward == optimum
    assert n_optimal >= 12


def test_order_search_where_no_dag_is_possible_has_no_reward():
    parents = np.array([[0, 1], [1, 0]], dtype=bool)
    reward, _ = OrderSearch(Families(2, np.arange(2), np.zeros(2), parents)).improved(np.arange(2))
    assert reward == -np.inf


# --- Ranking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, EdgeLimit(3), EdgeLimit(3, exactly=True)])
def test_neighbours_are_all_dags_with_one_edge_more_or_less_or_elsewhere(limit):
    allowed = ~np.eye(4, dtype=bool)
    allowed[0, 3] = allowed[2, 1] = False
    edges = frozenset({(0, 1), (1, 2), (0, 3)})
    found = neighbours(naive.adjacency_of(edges, 4), allowed, limit)
    expected = set()
    for other in naive.all_dags(4):
        changed = edges ^ other
        one_moved = len(edges - other) == len(other - edges) == 1
        near = one_moved if limit and limit.exactly else len(changed) == 1
        if near and all(allowed[edge] for edge in changed) and (limit is None or limit.allows(len(other))):
            expected.add(other)
    assert {naive.edges_of(graph) for graph in found} == expected
    assert len(found) == len(expected) > 1
