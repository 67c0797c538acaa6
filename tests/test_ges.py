"""Greedy equivalence search: the package's own result, the best class where that is known, and stopping."""

import itertools

import equivalence
import naive
import numpy as np
import pytest
from common import discrete_table, every_dag, linear_table
from naive_ges import class_of_the_package, restricted_class, score_of, search_by, total

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.search.ges import PHASES, equivalence_search

FOUR = every_dag(4)


def gaussian(x):
    """The score that is, up to a constant, the one of the package."""
    score = ds.scores.make("bic-linear", x)
    return lambda node, parents: len(x) / 2 * score.local(node, parents)


def fitted(x, **settings):
    return equivalence_search(ds.scores.make("bic-linear", x), unit=len(x) / 2, **settings)


# ---------------------------------------------------------------- the package's own result


@pytest.mark.parametrize("seed", range(16))
def test_with_gaussian_bic_the_class_is_that_of_the_package(seed):
    ges = pytest.importorskip("ges")
    x = linear_table((20, 60, 300, 1000)[seed % 4], 3 + seed % 6, seed)
    np.testing.assert_array_equal(fitted(x).adjacency, ges.fit_bic(x)[0])


@pytest.mark.parametrize("n_phases", [1, 2, 3])
def test_each_phase_ends_where_that_of_the_package_ends(n_phases):
    ges = pytest.importorskip("ges")
    # With seed 33 each phase takes a step, with the others one of the last two does not.
    for seed in (33, 9, 52):
        x = linear_table(60, 7, seed)
        expected, total_score = ges.fit_bic(ds.as_dataset(x).standardised(), phases=list(PHASES[:n_phases]))
        found = fitted(x, phases=PHASES[:n_phases])
        np.testing.assert_array_equal(found.adjacency, expected)
        constant = 0.5 * 7 * (len(x) + np.log(len(x)))
        assert found.score == pytest.approx(total_score + constant, abs=1e-4)


def assert_same_class(score, unit, **settings):
    """Ours is the package's. Gains that are the same but for rounding may lead elsewhere: then to the same score."""
    found = equivalence_search(score, unit=unit, **settings)
    expected = class_of_the_package(score, unit, **settings)
    if not np.array_equal(found.adjacency, expected):
        assert found.score == pytest.approx(total(score, unit, expected), rel=1e-12)
    return found.adjacency


@pytest.mark.parametrize("block", range(10))
def test_on_random_linear_models_the_class_is_that_of_the_package(block):
    for seed in range(100 + 12 * block, 112 + 12 * block):
        x = linear_table((20, 60, 300, 1000)[seed % 4], 3 + seed % 7, seed)
        assert_same_class(ds.scores.make("bic-linear", x), len(x) / 2)


@pytest.mark.parametrize("order", list(itertools.permutations(PHASES)))
def test_phases_in_any_order_lead_where_those_of_the_package_lead(order):
    for seed in range(4):
        x = linear_table(60, 7, seed)
        assert_same_class(ds.scores.make("bic-linear", x), len(x) / 2, phases=order)


@pytest.mark.parametrize("name", ["bic-discrete", "bdeu"])
@pytest.mark.parametrize("seed", range(8))
def test_on_random_discrete_models_the_class_is_that_of_the_package(name, seed):
    rng = np.random.default_rng(seed)
    truth = ds.DAG.from_adjacency(np.triu(rng.random((6, 6)) < 0.5, 1).astype(np.int8))
    codes = discrete_table(truth, 500, seed)[:, rng.permutation(6)]
    assert_same_class(ds.scores.make(name, codes), len(codes))


# Random numbers reach graphs, cliques and turnings that no data do. They have few bits: what ties does so exactly.
@pytest.mark.parametrize("seed", range(40))
def test_with_random_scores_each_tie_is_broken_as_by_the_package(seed):
    n_nodes = 4 + seed % 3
    local = naive.TableScore(seed, n_nodes, scale=(1, 4)[seed % 2]).local
    anything = np.ones((n_nodes, n_nodes), dtype=bool)
    found = search_by(local, n_nodes)
    expected = restricted_class(score_of(local, n_nodes), 1.0, anything, ~anything)
    np.testing.assert_array_equal(found.adjacency, expected)


def test_on_sachs_the_class_is_that_of_the_package():
    data = ds.datasets.load("sachs")
    assert_same_class(ds.scores.make("bic-linear", data), data.n_samples)


@pytest.mark.parametrize(("name", "score"), [("asia", "bic-discrete"), ("asia", "bdeu"), ("child", "bic-discrete")])
def test_on_samples_of_networks_the_class_is_that_of_the_package(name, score):
    data = ds.datasets.network(name).sample(1000, random_state=0)
    assert_same_class(ds.scores.make(score, data), data.n_samples)


@pytest.mark.long
def test_on_insurance_the_class_is_that_of_the_package():
    data = ds.datasets.network("insurance").sample(1000, random_state=0)
    assert_same_class(ds.scores.make("bic-discrete", data), data.n_samples)


@pytest.mark.parametrize("seed", range(2))
def test_on_dense_models_of_fourteen_variables_the_class_is_that_of_the_package(seed):
    x = linear_table(500, 14, seed)
    assert_same_class(ds.scores.make("bic-linear", x), len(x))


def test_sachs_gives_the_class_that_was_recorded():
    found = ds.PDAG(ds.GES(prune="none").fit(ds.datasets.load("sachs")).dag_.adjacency)
    index = {name: k for k, name in enumerate(found.names)}
    assert {(index[a], index[b]) for a, b in found.directed_edges} == {(9, 8), (10, 8)}
    lines = {tuple(sorted((index[a], index[b]))) for a, b in found.undirected_edges}
    assert lines == {(0, 1), (2, 4), (3, 4), (5, 6), (5, 7), (6, 7)}


@pytest.mark.parametrize("limit", [0, 60])
def test_the_benchmark_says_whether_classes_are_the_same(limit, capsys):
    pytest.importorskip("ges")
    equivalence.compare("sachs", limit)
    words = capsys.readouterr().out.split()
    assert words[:5] == ["sachs", "11", "853", "8", "275"]
    assert words[-1] == "same" if limit else len(words) == 6


# ---------------------------------------------------------------- sets of more than one word, and scores of any kind


@pytest.mark.parametrize("seed", range(6))
def test_variables_beyond_the_first_word_are_as_good_as_others(seed):
    local = naive.TableScore(seed, 6).local
    places = np.sort(np.random.default_rng(seed).permutation(140)[:6])
    at = {place: k for k, place in enumerate(places.tolist())}

    def spread(node, parents):
        known = tuple(at[parent] for parent in parents if parent in at and node in at)
        return (local(at[node], known) if node in at else 0.0) - 100.0 * (len(parents) - len(known))

    few, many = search_by(local, 6, phases=PHASES[:2]), search_by(spread, 140, phases=PHASES[:2])
    assert few.n_steps == many.n_steps > 3
    np.testing.assert_array_equal(many.adjacency[np.ix_(places, places)], few.adjacency)
    assert many.adjacency.sum() == few.adjacency.sum()


@pytest.mark.parametrize("n_nodes", [9, 70])
def test_a_score_from_outside_leads_where_the_compiled_one_leads(n_nodes):
    x = np.random.default_rng(5).normal(size=(200, n_nodes))
    x[:, 1:] += 0.8 * x[:, :-1]
    x[:, 5:] += 0.8 * x[:, :-5]
    compiled, outside = [], []
    fitted(x, on_step=compiled.append, least_gain=6.0)
    search_by(gaussian(x), n_nodes, on_step=outside.append, least_gain=6.0)
    assert len(compiled) > 5
    for one, other in zip(compiled, outside, strict=True):
        np.testing.assert_array_equal(one.adjacency, other.adjacency)


def test_a_costly_score_is_asked_for_valid_steps_only():
    x = linear_table(100, 9, seed=2)
    score = ds.scores.make("bic-linear", x)
    equivalence_search(score, unit=len(x))
    asked = set()
    local = gaussian(x)
    search_by(lambda node, parents: asked.add((node, parents)) or local(node, parents), 9)
    assert len(asked) <= score.n_evaluations


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
    found = equivalence_search(ds.scores.make("bic-discrete", codes), unit=20_000)
    assert ds.PDAG(found.adjacency, truth.names) == truth.to_cpdag()


@pytest.mark.parametrize("seed", range(6))
def test_of_all_dags_of_four_nodes_none_scores_better(seed):
    truth = FOUR[90 * seed + 40]
    codes = discrete_table(truth, 10_000, seed)
    score = ds.scores.make("bic-discrete", codes)
    found = equivalence_search(score, least_gain=1e-10)
    best = max(score.reward(dag) for dag in FOUR)
    assert found.score == pytest.approx(best, abs=1e-9)
    assert score.reward(ds.PDAG(found.adjacency).to_dag()) == pytest.approx(best, abs=1e-9)


# ---------------------------------------------------------------- the way there


def test_each_step_is_told_with_its_class_and_its_score():
    x = linear_table(60, 7, seed=33)
    local, steps = gaussian(x), []
    found = search_by(local, 7, on_step=steps.append)
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

    search_by(noted, 6)
    assert len(set(asked)) == len(asked)
    assert all(type(index) is int for node, parents in asked for index in (node, *parents))
    assert all(parents == tuple(sorted(parents)) for _, parents in asked)


# With seeds 29 and 37 turning comes back to where it was.
@pytest.mark.parametrize("seed", [0, 1, 2, 29, 37])
def test_a_score_that_tells_equivalent_dags_apart_still_comes_to_an_end(seed):
    found = search_by(naive.TableScore(seed, 5).local, 5)
    ds.PDAG(found.adjacency).to_dag()


def test_steps_that_gain_too_little_are_not_taken():
    x = linear_table(300, 6, seed=3)
    assert fitted(x, least_gain=np.inf).n_steps == 0
    assert 0 < fitted(x, least_gain=20.0).n_steps < fitted(x).n_steps


def test_one_variable_has_nothing_to_search():
    found = search_by(lambda _node, _parents: 2.5, 1)
    assert (found.score, found.n_steps, found.adjacency.tolist()) == (2.5, 0, [[0]])


# ---------------------------------------------------------------- what is refused


def test_unknown_phases_and_none_are_refused():
    with pytest.raises(UnknownNameError, match=r"unknown phase 'foward'.*Did you mean 'forward'"):
        search_by(lambda *_: 0.0, 3, phases=["foward"])
    with pytest.raises(InputError, match="at least one phase"):
        search_by(lambda *_: 0.0, 3, phases=())


def test_a_score_that_is_no_sum_is_refused():
    data = ds.datasets.load("sachs")
    score = ds.scores.make("bic-linear", data, variances="equal")
    with pytest.raises(InputError, match="variances='equal' the reward does not split"):
        ds.GES(score=score).fit(data)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_local_score_that_is_not_finite_is_refused(value):
    with pytest.raises(InputError, match=r"must return a finite number, got -?(nan|inf)"):
        search_by(lambda node, parents: value if (node, parents) == (1, (0,)) else 0.0, 3)
    score = ds.scores.make("bic-linear", linear_table(50, 3, seed=0))
    score.cache.store(score.family, np.array([1]), np.array([1], dtype=np.uint64), np.array([[value, 0.0]]))
    with pytest.raises(InputError, match=r"must be finite, got -?(nan|inf) for node 1 with parents \[0\]"):
        equivalence_search(score)
