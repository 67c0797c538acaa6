"""Deletions in equivalence classes: against brute force over all DAGs of a class, slow twins and the package ges."""

import itertools
import math

import naive
import naive_classes
import numpy as np
import pytest
from common import normal_table
from hypothesis import given, settings
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch import scores
from dagsearch.graph.equivalence import class_of
from dagsearch.search import deletions
from dagsearch.search.deletions import Deletions, delete, valid_deletions
from dagsearch.search.protocol import Problem


class EquivalentScore:
    """s(Y | P) = f(P and Y) - f(P), f any number for any set: the same for equivalent DAGs, and exact in binary."""

    def __init__(self, seed, n_nodes):
        self.of_set = np.random.default_rng(seed).integers(-2048, 2048, 2**n_nodes) / 1024
        self.asked = []

    def local(self, node, parents):
        self.asked.append((node, parents))
        without = sum(1 << parent for parent in parents)
        return float(self.of_set[without | 1 << node] - self.of_set[without])

    def reward_of_edges(self, edges, n_nodes):
        return math.fsum(self.local(node, naive.parents_of(edges, node)) for node in range(n_nodes))


def problem_of(n_nodes, **changes):
    free = {
        "start": np.zeros((n_nodes, n_nodes), dtype=bool),
        "allowed": ~np.eye(n_nodes, dtype=bool),
        "edge_budget": None,
        "max_parents": n_nodes - 1,
    }
    return Problem(**{**free, **changes})


def random_dag(n_nodes, density, rng):
    upper = np.triu(rng.random((n_nodes, n_nodes)) < density, 1).astype(np.int8)
    shuffled = rng.permutation(n_nodes)
    return upper[np.ix_(shuffled, shuffled)]


def after(own, adjacency, check=lambda: None, **changes):
    """The DAG after all deletions that pay."""
    n_nodes = len(adjacency)
    run = Deletions(problem_of(n_nodes, **changes), scores.adapt(own, n_nodes), adjacency, check)
    run.run()
    return run.best


def all_valid(around):
    return [deletion for effect in range(around.n_nodes) for deletion in valid_deletions(around, effect)]


def gain_of(own, deletion):
    (node, parents), (_, fewer) = deletion.before, deletion.after
    return own.local(node, tuple(sorted(fewer))) - own.local(node, tuple(sorted(parents)))


def classes_below(edges):
    """The classes of all DAGs with an edge less than one that is equivalent to the given one, with one DAG of each."""
    fewer = (member - {edge} for member in naive_classes.members(edges) for edge in member)
    return {naive_classes.fingerprint(dag): dag for dag in fewer}


def one_of_each_class(dags):
    return list({naive_classes.fingerprint(edges): edges for edges in dags}.values())


FOUR = one_of_each_class(naive.all_dags(4))
FIVE = [naive.edges_of(random_dag(5, 0.2 * (1 + seed % 5), np.random.default_rng(seed))) for seed in range(25)]


# ---------------------------------------------------------------- operators


@pytest.mark.long
@pytest.mark.parametrize(("dags", "n_nodes"), [(FOUR, 4), (FIVE, 5)], ids=["all of four nodes", "some of five"])
def test_valid_deletions_lead_to_exactly_the_classes_below_and_gain_what_they_differ_by(dags, n_nodes):
    n_turned = 0
    for seed, edges in enumerate(dags):
        own, adjacency = EquivalentScore(seed, n_nodes), naive.adjacency_of(edges, n_nodes)
        reward, below, found = own.reward_of_edges(edges, n_nodes), classes_below(edges), set()
        for deletion in all_valid(class_of(adjacency)):
            around = class_of(adjacency)
            member = naive.edges_of(delete(around, adjacency, deletion).member)
            found.add(naive_classes.fingerprint(member))
            assert own.reward_of_edges(below[naive_classes.fingerprint(member)], n_nodes) == reward + gain_of(
                own, deletion
            )
            agreed = naive.adjacency_of(frozenset().union(*naive_classes.members(member)), n_nodes)
            np.testing.assert_array_equal(around.adjacency(), agreed)
            n_turned += bool(deletion.turned)
        assert found == set(below)
    assert n_turned > len(dags) / 2


@pytest.mark.parametrize("name", ["bic-linear", "bic-discrete", "bdeu"])
def test_our_scores_gain_what_deletions_promise(name):
    # The logarithm of bic-linear has a floor, which makes equivalent DAGs differ in the ninth decimal.
    for seed in range(10):
        adjacency, table = random_dag(6, 0.6, np.random.default_rng(seed)), normal_table(40, 6, seed)
        score = scores.make(name, table if name == "bic-linear" else (table > 0).astype(int))
        for deletion in all_valid(class_of(adjacency)):
            member = delete(class_of(adjacency), adjacency, deletion).member
            assert score.reward_of(member) - score.reward_of(adjacency) == pytest.approx(
                gain_of(score, deletion), abs=1e-6
            )


def test_only_one_end_of_an_undirected_edge_offers_its_deletion():
    around = class_of(naive.adjacency_of(frozenset({(2, 1), (1, 0), (0, 3), (4, 3)}), 5))
    assert [(deletion.cause, deletion.effect) for deletion in all_valid(around)] == [(0, 1), (1, 2), (0, 3), (4, 3)]


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(n_nodes=st.integers(6, 14), density=st.floats(0.05, 0.9), seed=st.integers(0, 2**32 - 1))
def test_a_class_updated_time_and_again_is_that_of_its_member_from_scratch(n_nodes, density, seed):
    rng = np.random.default_rng(seed)
    member = random_dag(n_nodes, density, rng)
    around = class_of(member)
    while member.any():
        possible = [list(valid_deletions(around, node)) for node in range(n_nodes)]
        chosen = [deletion for each in possible for deletion in each]
        pairs = member | member.T
        deletion = chosen[rng.integers(len(chosen))]
        member, touched = delete(around, member, deletion)
        np.testing.assert_array_equal(around.adjacency(), naive_classes.cpdag(member))
        pairs[[deletion.cause, deletion.effect], [deletion.effect, deletion.cause]] = 0
        np.testing.assert_array_equal(member | member.T, pairs)
        for node in set(range(n_nodes)) - touched:
            assert list(valid_deletions(around, node)) == possible[node]


def test_the_sets_of_an_updated_class_are_those_of_its_matrix():
    rng = np.random.default_rng(3)
    member = random_dag(10, 0.5, rng)
    around = class_of(member)
    for _ in range(15):
        possible = all_valid(around)
        member, _ = delete(around, member, possible[rng.integers(len(possible))])
        assert vars(around) == vars(class_of(member))


def test_the_given_dag_is_not_changed_in_place():
    adjacency = random_dag(8, 0.7, np.random.default_rng(0))
    before = adjacency.copy()
    found = after(EquivalentScore(1, 8), adjacency)
    assert not np.array_equal(found, before)
    np.testing.assert_array_equal(adjacency, before)


# ---------------------------------------------------------------- cliques


@settings(max_examples=100, deadline=None)
@given(n_nodes=st.integers(4, 12), density=st.floats(0.1, 1), seed=st.integers(0, 2**32 - 1))
def test_what_a_valid_deletion_keeps_is_a_clique_and_all_of_them_are_kept_once(n_nodes, density, seed):
    around = class_of(random_dag(n_nodes, min(density, 4 / n_nodes), np.random.default_rng(seed)))
    for effect in range(n_nodes):
        by_cause = {}
        for deletion in valid_deletions(around, effect):
            shared = around.neighbours[effect] & around.adjacent[deletion.cause]
            kept = shared - deletion.turned
            assert deletion.turned <= shared
            assert all(two in around.adjacent[one] for one, two in itertools.combinations(kept, 2))
            assert deletion.parents == (kept | around.parents[effect]) - {deletion.cause}
            by_cause.setdefault(deletion.cause, []).append(kept)
        for cause, all_kept in by_cause.items():
            shared = around.neighbours[effect] & around.adjacent[cause]
            n_cliques = sum(
                all(two in around.adjacent[one] for one, two in itertools.combinations(subset, 2))
                for subset in naive.subsets(shared)
            )
            assert len(set(map(frozenset, all_kept))) == len(all_kept) == n_cliques


def test_a_large_clique_does_not_offer_all_its_subsets():
    """Of 28 nodes NA has 26, which have 67 million subsets."""
    around = class_of(np.triu(np.ones((28, 28), dtype=np.int8), 1))
    offered = list(valid_deletions(around, 3))
    assert len(offered) == 3 * deletions.MOST_CLIQUES
    assert {len(deletion.turned) for deletion in offered} == {0, 1, 2}
    small = class_of(np.triu(np.ones((10, 10), dtype=np.int8), 1))
    assert len(list(valid_deletions(small, 1))) == 2**8 == deletions.MOST_CLIQUES


# ---------------------------------------------------------------- the whole phase


def naive_phase(own, edges, n_nodes):
    """The best class below, as long as one is better, by trying every edge of every DAG of a class."""
    while edges:
        best = max(classes_below(edges).values(), key=lambda dag: own.reward_of_edges(dag, n_nodes))
        if own.reward_of_edges(best, n_nodes) <= own.reward_of_edges(edges, n_nodes):
            break
        edges = best
    return edges


@pytest.mark.parametrize(("dags", "n_nodes"), [(FOUR, 4), (FIVE, 5)], ids=["all of four nodes", "some of five"])
def test_the_best_deletion_is_made_until_none_pays(dags, n_nodes):
    n_changed = 0
    for seed, edges in enumerate(dags):
        own = EquivalentScore(seed, n_nodes)
        found = naive.edges_of(after(own, naive.adjacency_of(edges, n_nodes)))
        expected = naive_phase(own, edges, n_nodes)
        assert naive_classes.fingerprint(found) == naive_classes.fingerprint(expected)
        n_changed += found != edges
    assert n_changed > len(dags) / 2


def phase_from_scratch(own, adjacency):
    """The same from class to class, with all deletions and gains of each class from scratch."""
    while True:
        around = class_of(adjacency)
        gain, deletion = max(((gain_of(own, each), each) for each in all_valid(around)), default=(0, None))
        if gain <= 0:
            return around.adjacency()
        adjacency = delete(around, adjacency, deletion).member


@pytest.mark.parametrize("density", [0.2, 0.5, 0.9])
def test_what_is_kept_from_step_to_step_changes_nothing(density):
    for seed in range(12):
        own, adjacency = EquivalentScore(seed, 11), random_dag(11, density, np.random.default_rng(seed))
        found = class_of(after(own, adjacency)).adjacency()
        np.testing.assert_array_equal(found, phase_from_scratch(own, adjacency))


@pytest.mark.parametrize("seed", range(12))
def test_the_backward_phase_ends_where_that_of_the_package_ges_does(seed):
    ges = pytest.importorskip("ges")
    pdag_to_cpdag = pytest.importorskip("ges.utils").pdag_to_cpdag
    rng = np.random.default_rng(seed)
    adjacency = random_dag(10, (0.3, 0.5, 0.7)[seed % 3], rng)
    score = scores.make("bic-linear", normal_table((50, 500)[seed % 2], 10, seed))

    class Local:
        def local_score(self, node, parents):
            return score.local(node, sorted(map(int, parents)))

    expected = class_of(adjacency).adjacency()
    while True:
        gain, changed = ges.backward_step(expected.astype(int), Local())
        if gain <= 1e-10:
            break
        expected = pdag_to_cpdag(changed).astype(np.int8)
    found = after(score, adjacency)
    assert found.sum() < adjacency.sum()
    np.testing.assert_array_equal(class_of(found).adjacency(), expected)


def test_wrong_edges_of_a_large_sparse_graph_are_deleted():
    simulated = ds.datasets.simulate(n_nodes=200, n_edges=400, n_samples=2000, mechanism="linear", random_state=0)
    truth = simulated.truth
    names = truth.topological_order()
    rng, adjacency = np.random.default_rng(0), truth.adjacency.copy()
    for _ in range(20):
        cause, effect = (truth.index(names[place]) for place in np.sort(rng.choice(200, 2, replace=False)))
        adjacency[cause, effect] = 1
    found = after(scores.make("bic-linear", simulated), adjacency)
    n_wrong = ((found | found.T) > (truth.adjacency | truth.adjacency.T)).sum() // 2
    assert n_wrong <= 1
    assert found.sum() >= 395


# ---------------------------------------------------------------- what holds for any graph


@settings(max_examples=60, deadline=None)
@given(n_nodes=st.integers(2, 9), density=st.floats(0, 1), seed=st.integers(0, 10_000))
def test_the_reward_never_falls_not_even_by_a_score_that_tells_equivalent_dags_apart(n_nodes, density, seed):
    adjacency = random_dag(n_nodes, density, np.random.default_rng(seed))
    for own in (EquivalentScore(seed, n_nodes), naive.TableScore(seed, n_nodes)):
        score, found = scores.adapt(own, n_nodes), after(own, adjacency)
        assert score.reward_of(found) >= score.reward_of(adjacency)
        assert naive.is_acyclic(naive.edges_of(found))
        assert not ((found | found.T) > (adjacency | adjacency.T)).any()


def test_a_deletion_that_does_not_pay_after_all_is_left_out_and_others_are_made():
    """The lines 0 - 1 - 2 promise gains by DAGs other than the given 2 -> 1 -> 0 and than those that there would be."""
    values = {(1, (0,)): -10.0, (2, (1,)): -5.0, (4, (3,)): -0.5}

    class Own:
        def local(self, node, parents):
            return values.get((node, parents), 0.0)

    found = after(Own(), naive.adjacency_of(frozenset({(2, 1), (1, 0), (3, 4)}), 5))
    assert naive.edges_of(found) == {(2, 1), (1, 0)}


class Edges:
    """The reward grows by so much with every edge."""

    def __init__(self, each):
        self.each = each

    def local(self, _node, parents):
        return self.each * len(parents)


@pytest.mark.parametrize("each", [1.0, 0.0, -1e-12])
def test_the_very_graph_comes_back_where_nothing_pays_by_more_than_rounding(each):
    adjacency = random_dag(7, 0.5, np.random.default_rng(1))
    assert after(Edges(each), adjacency) is adjacency


def test_all_edges_go_where_each_costs():
    assert not after(Edges(-1.0), random_dag(9, 0.6, np.random.default_rng(1))).any()


def test_large_local_scores_that_differ_by_rounding_only_are_the_same():
    class Large:
        def local(self, node, parents):
            return 1e9 * (node + 1) - 1e-3 * len(parents)

    adjacency = random_dag(7, 0.5, np.random.default_rng(1))
    assert after(Large(), adjacency) is adjacency


@pytest.mark.parametrize("n_nodes", [1, 2])
def test_tiny_graphs_without_edges_come_back(n_nodes):
    empty = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    assert after(Edges(-1.0), empty) is empty


def test_one_run_repeats_another():
    adjacency = random_dag(11, 0.5, np.random.default_rng(4))
    found = [after(EquivalentScore(4, 11), adjacency).tobytes() for _ in range(2)]
    assert found[0] == found[1] != adjacency.tobytes()


def test_each_family_is_asked_for_once():
    own, adjacency = EquivalentScore(4, 9), random_dag(9, 0.5, np.random.default_rng(4))
    after(own, adjacency)
    assert len(own.asked) == len(set(own.asked)) > 25


# ---------------------------------------------------------------- within the problem


def test_with_required_or_forbidden_edges_or_a_number_of_them_the_graph_stays():
    adjacency = random_dag(6, 0.6, np.random.default_rng(2))
    first, second = np.argwhere(adjacency)[0], np.argwhere(adjacency == 0)[1]
    required, allowed = np.zeros((6, 6), dtype=bool), np.ones((6, 6), dtype=bool)
    required[tuple(first)] = True
    allowed[tuple(second)] = False
    for changes in ({"start": required}, {"allowed": allowed}, {"edge_budget": int(adjacency.sum())}):
        assert after(Edges(-1.0), adjacency, **changes) is adjacency
    assert not after(Edges(-1.0), adjacency, allowed=~np.eye(6, dtype=bool)).any()


def most_parents(edges):
    return max((sum(effect == node for _, effect in edges) for _, node in edges), default=0)


def test_all_dags_of_a_class_have_the_same_largest_number_of_parents():
    for edges in FOUR + FIVE:
        assert len({most_parents(member) for member in naive_classes.members(edges)}) == 1


@settings(max_examples=60, deadline=None)
@given(n_nodes=st.integers(3, 10), density=st.floats(0.1, 1), seed=st.integers(0, 10_000))
def test_no_more_parents_than_the_graph_had_arise_or_are_asked_for(n_nodes, density, seed):
    own, adjacency = EquivalentScore(seed, n_nodes), random_dag(n_nodes, density, np.random.default_rng(seed))
    most = int(adjacency.sum(axis=0).max())
    found = after(own, adjacency, max_parents=max(most, 1))
    assert found.sum(axis=0).max() <= most
    assert max(len(parents) for _, parents in own.asked) <= most


# ---------------------------------------------------------------- ending early


class EnoughError(Exception):
    """Raised by a check."""


def test_a_check_that_raises_leaves_the_best_graph_so_far():
    adjacency = random_dag(10, 0.6, np.random.default_rng(5))
    own, rewards = EquivalentScore(5, 10), []
    score = scores.adapt(own, 10)
    for n_checks in itertools.count():
        left = iter(range(n_checks))

        def check(left=left):
            if next(left, None) is None:
                raise EnoughError

        run = Deletions(problem_of(10), score, adjacency, check)
        try:
            run.run()
        except EnoughError:
            rewards.append(score.reward_of(run.best))
        else:
            break
    assert rewards == sorted(rewards)
    assert rewards[0] == score.reward_of(adjacency)
    assert len(set(rewards)) > 5
    np.testing.assert_array_equal(run.best, after(own, adjacency))


def test_no_more_than_a_batch_is_asked_for_between_two_checks(monkeypatch):
    monkeypatch.setattr(deletions, "_BATCH", 32)
    own, asked_at = EquivalentScore(5, 9), []
    after(own, random_dag(9, 1.0, np.random.default_rng(5)), check=lambda: asked_at.append(len(own.asked)))
    assert len(own.asked) > 300
    # A whole graph, whose reward is asked for after a deletion, has another 9.
    assert max(np.diff([*asked_at, len(own.asked)])) <= 32 + 9
