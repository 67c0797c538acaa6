"""Steps between equivalence classes: against all DAGs of four nodes, graphs from scratch, and searches from scratch."""

import time

import naive_classes
import numpy as np
import pytest
from common import every_dag, linear_table
from naive_ges import score_of
from stopping import Acting, press_ctrl_c

import dagsearch as ds
from dagsearch.graph.bitset import membership_from_rows
from dagsearch.graph.equivalence import cpdag
from dagsearch.graph.extension import consistent_extension
from dagsearch.kernels.classes.operators import DELETE, INSERT, TURN
from dagsearch.search.ges import equivalence_search
from dagsearch.search.ges.classes import EquivalenceClass, parents_in_a_member
from dagsearch.search.ges.steps import Steps
from dagsearch.search.monitor import OutOfTimeError

CLASSES: dict[bytes, list[np.ndarray]] = {}
for dag in every_dag(4):
    CLASSES.setdefault(cpdag(dag.adjacency).tobytes(), []).append(dag.adjacency)


def random_dag(rng, n_nodes, n_edges):
    order = rng.permutation(n_nodes)
    dag = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for _ in range(n_edges):
        low, high = np.sort(rng.choice(n_nodes, size=2, replace=False))
        dag[order[low], order[high]] = 1
    return dag


def steps_of(score, phase, unit=1.0):
    steps = Steps(score, unit, lambda: None)
    steps.begin(phase, None)
    return steps


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize("n_nodes", [7, 64, 65, 130])
def test_the_class_of_a_dag_is_that_of_the_other_algorithm(n_nodes):
    rng = np.random.default_rng(n_nodes)
    for n_edges in (0, n_nodes // 2, n_nodes, 3 * n_nodes, 10 * n_nodes):
        dag = random_dag(rng, n_nodes, n_edges)
        place = EquivalenceClass(dag)
        np.testing.assert_array_equal(place.adjacency, cpdag(dag))
        np.testing.assert_array_equal(EquivalenceClass(place.adjacency).adjacency, place.adjacency)
        parents = membership_from_rows(parents_in_a_member(place.adjacency), n_nodes)
        np.testing.assert_array_equal(parents.T, consistent_extension(place.adjacency).adjacency)


def test_each_dag_of_four_nodes_has_its_class():
    for key, members in CLASSES.items():
        for member in members:
            assert EquivalenceClass(member).adjacency.tobytes() == key
            assert naive_classes.cpdag(member).tobytes() == key


def test_a_graph_that_stands_for_no_dag_is_refused():
    circle = np.roll(np.eye(4, dtype=np.int8), 1, axis=1)
    with pytest.raises(RuntimeError, match="stands for no DAG"):
        EquivalenceClass(circle | circle.T)


# ---------------------------------------------------------------- where steps lead


def neighbours(members, phase):
    """Classes of the DAGs that differ by one edge from a member."""
    found = set()
    for member in members:
        for i, j in np.argwhere(~np.eye(4, dtype=bool)).tolist():
            changed = member.copy()
            if phase == INSERT and not member[i, j] and not member[j, i]:
                changed[i, j] = 1
            elif phase != INSERT and member[i, j]:
                changed[i, j], changed[j, i] = 0, phase == TURN
            else:
                continue
            if is_acyclic(changed):
                found.add(cpdag(changed).tobytes())
    return found


def is_acyclic(adjacency):
    power = adjacency.astype(int)
    for _ in range(len(adjacency)):
        if np.trace(power):
            return False
        power = power @ adjacency
    return True


@pytest.mark.parametrize("phase", [INSERT, DELETE, TURN])
def test_steps_lead_to_the_classes_that_one_edge_of_a_member_leads_to(phase):
    steps = steps_of(score_of(lambda *_: 0.0, 4), phase)
    for key, members in CLASSES.items():
        place = EquivalenceClass(members[0])
        steps.begin(phase, None)
        reached = [place.after(step).adjacency.tobytes() for step in steps.gaining(place, -np.inf)]
        assert set(reached) == neighbours(members, phase) - {key}


@pytest.mark.parametrize("phase", [INSERT, DELETE, TURN])
@pytest.mark.parametrize("n_nodes", [6, 9])
def test_a_step_gains_the_difference_of_the_scores_of_the_classes(phase, n_nodes):
    rng, table = np.random.default_rng(n_nodes), linear_table(200, n_nodes, seed=n_nodes)
    score, n_steps = ds.scores.make("bic-linear", table), 0
    steps = steps_of(score, phase, unit=200)
    for n_edges in (0, 4, 8, 12, 20):
        place = EquivalenceClass(random_dag(rng, n_nodes, n_edges))
        steps.begin(phase, None)
        before = score.reward(ds.PDAG(place.adjacency).to_dag())
        for step in steps.gaining(place, -np.inf):
            after = score.reward(ds.PDAG(place.after(step).adjacency).to_dag())
            assert step.gain == pytest.approx(
                200 * (after - before), abs=1e-5
            )  # the floor of logarithms tells members apart
            n_steps += 1
    assert n_steps > 20


# ---------------------------------------------------------------- what is kept from step to step


@pytest.mark.parametrize("seed", range(4))
def test_the_best_step_is_that_of_a_search_from_scratch_at_each_class(seed):
    score, n_steps = ds.scores.make("bic-linear", linear_table(150, 14, seed)), 0
    place = EquivalenceClass(np.zeros((14, 14), dtype=np.int8))
    for phase in (INSERT, DELETE, TURN):
        kept = steps_of(score, phase, unit=150)
        while True:
            best, fresh = kept.best(place, 1e-6), steps_of(score, phase, unit=150)
            expected = fresh.best(place, 1e-6)
            listed = fresh.gaining(place, 1e-6)
            assert (best is None) == (expected is None) == (not listed)
            if best is None:
                break
            for other in (expected, listed[0]):
                assert best[:4] == other[:4]
                np.testing.assert_array_equal(best.clique, other.clique)
            entered = place.after(best)
            kept.note_change(place, entered)
            place, n_steps = entered, n_steps + 1
    assert n_steps > 10


# ---------------------------------------------------------------- the clock


def raising_after(n_calls):
    left = [n_calls]

    def check():
        left[0] -= 1
        if left[0] < 0:
            raise OutOfTimeError

    return check


def test_the_clock_is_looked_at_within_a_step():
    score, steps = ds.scores.make("bic-linear", linear_table(100, 120, seed=0)), []
    with pytest.raises(OutOfTimeError):
        equivalence_search(score, on_step=steps.append, check=raising_after(10))
    assert steps == []


def test_many_cliques_at_one_pair_do_not_hold_the_clock_up():
    # All of 18 neighbours of a node are neighbours of each other: a pair has a quarter of a million steps.
    n_nodes, calls = 20, []
    place = EquivalenceClass(np.triu(np.ones((n_nodes, n_nodes), dtype=np.int8), 1) * (np.arange(n_nodes) < 19))
    steps = Steps(ds.scores.make("bic-linear", linear_table(100, n_nodes, seed=0)), 100, lambda: calls.append(0))
    legal = np.zeros((n_nodes, n_nodes), dtype=bool)
    legal[19, 0] = True
    steps.begin(INSERT, legal)
    steps.best(place, 1e-6)
    assert len(calls) > 50


@pytest.mark.parametrize("limit", [0.5, 1.0])
def test_a_time_limit_holds_on_a_hundred_dense_variables(limit):
    table = linear_table(300, 100, seed=1)
    ds.GES(prune="none", time_limit=limit).fit(linear_table(300, 100, seed=0))  # whatever is read or compiled first
    started = time.process_time()
    model = ds.GES(prune="none", time_limit=limit).fit(table)
    assert model.result_.status == "time-limit"
    assert time.process_time() - started < limit + 2.0
    assert model.dag_.n_edges > 0
    assert model.reward_ == pytest.approx(model.score_.reward(model.dag_.to_dag()))


def test_ctrl_c_in_a_score_ends_the_search_with_the_last_class():
    score = Acting(1, 10, at_call=250, act=press_ctrl_c)
    model = ds.GES(score=score, prune="none").fit(np.random.default_rng(0).normal(size=(30, 10)))
    assert model.result_.status == "interrupted"
    assert model.dag_.n_edges > 0
    assert score.n_calls < 400  # nothing was begun after that
