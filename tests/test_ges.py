"""Greedy equivalence search: the package's own result, the best class where that is known, and stopping."""

import itertools
import subprocess
import sys

import naive
import numpy as np
import pytest
from common import discrete_table, every_dag, linear_table

import dagsearch as ds
from dagsearch.baselines.ges import PHASES, equivalence_search
from dagsearch.errors import InputError, MissingExtraError, UnknownNameError

ges = pytest.importorskip("ges")

FOUR = every_dag(4)


def gaussian(x):
    """The score that is, up to a constant, the one of the package."""
    score = ds.scores.make("bic-linear", x)
    return lambda node, parents: len(x) / 2 * score.local(node, parents)


def fitted(x, **settings):
    return equivalence_search(x.shape[1], gaussian(x), **settings)


# ---------------------------------------------------------------- the package's own result


@pytest.mark.parametrize("seed", range(16))
def test_with_gaussian_bic_the_class_is_that_of_the_package(seed):
    x = linear_table((20, 60, 300, 1000)[seed % 4], 3 + seed % 6, seed)
    np.testing.assert_array_equal(fitted(x).adjacency, ges.fit_bic(x)[0])


@pytest.mark.parametrize("n_phases", [1, 2, 3])
def test_each_phase_ends_where_that_of_the_package_ends(n_phases):
    # With seed 33 each phase takes a step, with the others one of the last two does not.
    for seed in (33, 9, 52):
        x = linear_table(60, 7, seed)
        expected, total = ges.fit_bic(ds.as_dataset(x).standardised(), phases=list(PHASES[:n_phases]))
        found = fitted(x, phases=PHASES[:n_phases])
        np.testing.assert_array_equal(found.adjacency, expected)
        constant = 0.5 * 7 * (len(x) + np.log(len(x)))
        assert found.score == pytest.approx(total + constant, abs=1e-4)


def test_sachs_gives_the_class_that_the_package_gives():
    data = ds.datasets.load("sachs")
    score = ds.scores.make("bic-linear", data)
    found = equivalence_search(11, lambda node, parents: data.n_samples / 2 * score.local(node, parents))
    np.testing.assert_array_equal(found.adjacency, ges.fit_bic(data.standardised())[0])


# ---------------------------------------------------------------- the truth, where it is known


def test_edges_point_from_cause_to_effect():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 4))
    x[:, 3] += x[:, 0] + x[:, 1]
    x[:, 2] += x[:, 3]
    graph = ds.PDAG(fitted(x).adjacency)
    assert graph.directed_edges == [("x0", "x3"), ("x1", "x3"), ("x3", "x2")]
    assert graph.undirected_edges == []


def test_a_discrete_network_is_found_up_to_equivalence():
    edges = [("a", "c"), ("b", "c"), ("c", "d"), ("e", "d"), ("e", "f")]
    truth = ds.DAG.from_edges(edges, names=list("abcdefg"))
    codes = discrete_table(truth, 20_000, seed=4)
    score = ds.scores.make("bic-discrete", codes)
    found = equivalence_search(7, lambda node, parents: 20_000 * score.local(node, parents))
    assert ds.PDAG(found.adjacency, truth.names) == truth.to_cpdag()


@pytest.mark.parametrize("seed", range(6))
def test_of_all_dags_of_four_nodes_none_scores_better(seed):
    truth = FOUR[90 * seed + 40]
    codes = discrete_table(truth, 10_000, seed)
    score = ds.scores.make("bic-discrete", codes)
    found = equivalence_search(4, score.local, least_gain=1e-10)
    best = max(score.reward(dag) for dag in FOUR)
    assert found.score == pytest.approx(best, abs=1e-9)
    assert score.reward(ds.PDAG(found.adjacency).to_dag()) == pytest.approx(best, abs=1e-9)


# ---------------------------------------------------------------- the way there


def test_each_step_is_told_with_its_class_and_its_score():
    x = linear_table(60, 7, seed=33)
    local, steps = gaussian(x), []
    found = equivalence_search(7, local, on_step=steps.append)
    assert [step.step for step in steps] == list(range(1, found.n_steps + 1))
    assert list(dict.fromkeys(step.phase for step in steps)) == list(PHASES)
    assert all(before.score < after.score for before, after in itertools.pairwise(steps))
    for step in steps:
        dag = ds.PDAG(step.adjacency).to_dag()
        np.testing.assert_array_equal(dag.to_cpdag().adjacency, step.adjacency)
        total = sum(local(j, tuple(np.flatnonzero(dag.adjacency[:, j]).tolist())) for j in range(7))
        assert step.score == pytest.approx(total, abs=1e-9)
    np.testing.assert_array_equal(steps[-1].adjacency, found.adjacency)
    assert steps[-1].score == found.score


def test_a_watcher_may_stop_the_search_and_keeps_what_it_saw():
    x, seen = linear_table(300, 6, seed=1), []

    def stop_after_three(step):
        seen.append(step)
        if step.step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fitted(x, on_step=stop_after_three)
    steps = []
    fitted(x, on_step=steps.append)
    assert len(seen) == 3 < len(steps)
    for early, late in zip(seen, steps, strict=False):
        np.testing.assert_array_equal(early.adjacency, late.adjacency)


def test_a_class_that_was_told_cannot_be_changed():
    found = fitted(linear_table(300, 4, seed=1))
    with pytest.raises(ValueError, match="read-only"):
        found.adjacency[0, 1] = 1


def test_each_family_is_asked_for_once_with_parents_in_ascending_order():
    local, asked = gaussian(linear_table(300, 6, seed=3)), []

    def noted(node, parents):
        asked.append((node, parents))
        return local(node, parents)

    equivalence_search(6, noted)
    assert len(set(asked)) == len(asked)
    assert all(type(index) is int for node, parents in asked for index in (node, *parents))
    assert all(parents == tuple(sorted(parents)) for _, parents in asked)


# With seeds 29 and 37 turning comes back to where it was.
@pytest.mark.parametrize("seed", [0, 1, 2, 29, 37])
def test_a_score_that_tells_equivalent_dags_apart_still_comes_to_an_end(seed):
    found = equivalence_search(5, naive.TableScore(seed, 5).local)
    ds.PDAG(found.adjacency).to_dag()


def test_steps_that_gain_too_little_are_not_taken():
    x = linear_table(300, 6, seed=3)
    assert fitted(x, least_gain=np.inf).n_steps == 0
    assert 0 < fitted(x, least_gain=20.0).n_steps < fitted(x).n_steps


def test_one_variable_has_nothing_to_search():
    found = equivalence_search(1, lambda _node, _parents: 2.5)
    assert (found.score, found.n_steps, found.adjacency.tolist()) == (2.5, 0, [[0]])


# ---------------------------------------------------------------- what is refused


def test_unknown_phases_and_none_are_refused():
    with pytest.raises(UnknownNameError, match=r"unknown phase 'foward'.*Did you mean 'forward'"):
        equivalence_search(3, lambda *_: 0.0, phases=["foward"])
    with pytest.raises(InputError, match="at least one phase"):
        equivalence_search(3, lambda *_: 0.0, phases=())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_local_score_that_is_not_finite_is_refused(value):
    with pytest.raises(InputError, match=r"must be finite, got -?(nan|inf) for node 1 with parents \[0\]"):
        equivalence_search(3, lambda node, parents: value if (node, parents) == (1, (0,)) else 0.0)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ges", None)
    with pytest.raises(MissingExtraError, match=r"GES needs .* pip install '\.\[baselines\]'"):
        equivalence_search(3, lambda *_: 0.0)


def test_importing_the_module_does_not_import_the_package():
    code = "import sys, dagsearch.baselines.ges; sys.exit('ges' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
