"""The bootstrap: counts by hand, the same whoever carries it out, and nothing that fails is silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

import dagsearch as ds
from dagsearch.confidence import replicates
from dagsearch.confidence.frequencies import FoundGraph, frequencies, graph_of, reachable

module = sys.modules["dagsearch.confidence.bootstrap"]


def uniform_table(n_rows=40, n_columns=3, seed=0):
    return np.random.default_rng(seed).random((n_rows, n_columns))


class ByMeans(BaseEstimator):
    """Columns cause those with a higher mean in the rows at hand; the first two are only compared with the others."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X):
        self.seen_ = X
        mean = np.asarray(X).mean(axis=0)
        adjacency = (mean[:, None] < mean[None, :]).astype(int)
        adjacency[0, 1] = adjacency[1, 0] = 0
        self.dag_ = adjacency
        return self


def rows_by_hand(seed, number, n_rows, how):
    """What a replicate draws, by the children that numpy's own spawn gives."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(number + 1)[number])
    return rng.integers(0, n_rows, n_rows) if how == "rows" else rng.permutation(n_rows)[: n_rows // 2]


def linear_frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 1.2 * a + rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": b + 0.3 * rng.normal(size=n), "d": rng.normal(size=n)})


@pytest.fixture
def processes_at_once(monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_ALONE", 0.0)


def assert_same(one, other):
    assert one.names == other.names
    for name in ("edge_probability", "adjacency_probability", "path_probability"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.notes == other.notes
    assert one.details == other.details
    assert (one.samples is None) == (other.samples is None)
    assert one.samples is None or np.array_equal(one.samples, other.samples)


# ---------------------------------------------------------------- counting


@pytest.mark.parametrize("how", ["rows", "subsample"])
def test_frequencies_are_those_counted_by_hand(how):
    table = uniform_table()
    found = ds.bootstrap(ByMeans(), table, n=25, how=how, random_state=7)
    edges, paths = np.zeros((3, 3)), np.zeros((3, 3))
    for number in range(25):
        mean = table[rows_by_hand(7, number, 40, how)].mean(axis=0)
        graph = nx.DiGraph()
        graph.add_nodes_from(range(3))
        pairs = [(i, j) for i in range(3) for j in range(3) if mean[i] < mean[j] and {i, j} != {0, 1}]
        graph.add_edges_from(pairs)
        for i, j in pairs:
            edges[i, j] += 1 / 25
        for i in range(3):
            for j in nx.descendants(graph, i):
                paths[i, j] += 1 / 25
    assert np.allclose(found.edge_probability, edges, rtol=0, atol=1e-12)
    assert np.allclose(found.path_probability, paths, rtol=0, atol=1e-12)
    assert np.allclose(found.adjacency_probability, edges + edges.T, rtol=0, atol=1e-12)
    assert 0 < edges[0, 2] < 1
    assert found.method == "bootstrap"
    assert found.names == ("x0", "x1", "x2")
    assert found.details["n_replicates"] == found.details["n_asked"] == 25
    assert np.allclose(found.samples.mean(axis=0), edges, rtol=0, atol=1e-12)
    assert len(found.sample(3, random_state=0)) == 3


def test_an_open_edge_counts_half_each_way_and_is_on_no_path():
    graphs = [
        FoundGraph(((0, 1),), ((1, 2),)),  # 0 -> 1 -- 2
        FoundGraph(((0, 1), (1, 2))),
        FoundGraph((), ((0, 1), (1, 2))),
        FoundGraph(((2, 1),)),
    ]
    found = frequencies(graphs, 3)
    assert np.array_equal(found.edges, [[0, 0.625, 0], [0.125, 0, 0.5], [0, 0.5, 0]])
    assert np.array_equal(found.adjacent, [[0, 0.75, 0], [0.75, 0, 1], [0, 1, 0]])
    assert np.array_equal(found.paths, [[0, 0.5, 0.25], [0, 0, 0.25], [0, 0.25, 0]])


def test_both_edges_of_a_cycle_of_two_count_and_nothing_leads_to_itself():
    found = frequencies([FoundGraph(((0, 1), (1, 0)), acyclic=False)], 2)
    assert np.array_equal(found.edges, [[0, 1], [1, 0]])
    assert np.array_equal(found.adjacent, [[0, 1], [1, 0]])
    assert np.array_equal(found.paths, [[0, 1], [1, 0]])


def test_reachable_nodes_are_the_descendants():
    rng = np.random.default_rng(3)
    for density in (0.1, 0.2, 0.4):
        matrix = rng.random((8, 8)) < density
        np.fill_diagonal(matrix, val=False)
        graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
        expected = [[j in nx.descendants(graph, i) for j in range(8)] for i in range(8)]
        assert np.array_equal(reachable(matrix), expected)


class Offers:
    """A fitted estimator, or what is taken for one."""

    def __init__(self, **graphs):
        vars(self).update(graphs)


def test_the_pruned_graph_is_taken_where_there_is_one_and_nodes_are_found_by_name():
    names = ("a", "b", "c")
    full, pruned = ds.DAG.from_edges([("a", "b"), ("b", "c")], names), ds.DAG.from_edges([("b", "c")], ("c", "b"))
    assert graph_of(Offers(dag_=full), names) == FoundGraph(((0, 1), (1, 2)))
    assert graph_of(Offers(dag_=full, pruned_dag_=pruned), names) == FoundGraph(((1, 2),))
    assert graph_of(Offers(dag_=full, pruned_dag_=None), names) == FoundGraph(((0, 1), (1, 2)))
    assert graph_of(Offers(dag_=ds.DAG([[0, 0, 1], [0, 0, 0], [0, 0, 0]])), names) == FoundGraph(((0, 2),))
    open_edge = ds.PDAG([[0, 1, 0], [1, 0, 0], [0, 1, 0]], names)
    assert graph_of(Offers(dag_=open_edge), names) == FoundGraph(((2, 1),), ((0, 1),))
    cyclic = ds.CyclicGraph([[0, 1, 0], [1, 0, 0], [0, 1, 0]], names)
    assert graph_of(Offers(dag_=cyclic), names) == FoundGraph(((0, 1), (1, 0), (2, 1)), acyclic=False)
    assert graph_of(Offers(dag_=[[0, 1, 0], [0, 0, 0], [0, 0, 0]]), names) == FoundGraph(((0, 1),))
    with pytest.raises(ds.DagsearchError, match="node 'z', which is no column"):
        graph_of(Offers(dag_=ds.DAG.from_edges([("a", "z")])), names)
    with pytest.raises(ds.DagsearchError, match="dag_ or pruned_dag_ after fit, Offers has neither"):
        graph_of(Offers(), names)


def test_equivalence_classes_are_counted_as_they_are_found():
    frame = linear_frame()
    found = ds.bootstrap(ds.GES(), frame, n=8, random_state=0)
    classes = [ds.GES().fit(frame.iloc[rows_by_hand(0, number, 200, "rows")]).dag_ for number in range(8)]
    assert any(each.undirected_edges for each in classes)
    assert any(each.directed_edges for each in classes)
    for i, j in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 3)):
        pair = (frame.columns[i], frame.columns[j])
        n_directed = sum(pair in each.directed_edges for each in classes)
        n_open = sum(pair in each.undirected_edges or pair[::-1] in each.undirected_edges for each in classes)
        assert found.edge_probability[i, j] == (n_directed + n_open / 2) / 8
    assert found.adjacency_probability[0, 1] == 1.0
    assert found.samples is None
    n_open = sum(bool(each.undirected_edges) for each in classes)
    assert f"{n_open} of 8 graphs leave directions open" in found.notes[0]


# ---------------------------------------------------------------- the same wherever


def test_one_seed_repeats_two_differ_and_more_replicates_begin_with_the_same():
    table = linear_frame(60)
    model = ds.GreedySearch(score="bic-linear")
    one, again, other = (ds.bootstrap(model, table, n=10, random_state=seed) for seed in (1, 1, 2))
    assert_same(one, again)
    assert not np.array_equal(one.samples, other.samples)
    more = ds.bootstrap(model, table, n=15, random_state=1)
    assert np.array_equal(more.samples[:10], one.samples)
    assert not hasattr(model, "dag_")


@pytest.mark.usefixtures("processes_at_once")
@pytest.mark.parametrize("model", [ds.RandomSampling(score="bic-linear", n_jobs=2), ds.GES()])
def test_processes_change_nothing(model):
    table = linear_frame(80)
    alone = ds.bootstrap(model, table, n=9, random_state=3)
    assert_same(ds.bootstrap(model, table, n=9, random_state=3, n_jobs=2), alone)


def test_processes_take_over_when_replicates_take_longer_than_starting_them(monkeypatch):
    handed_on = []

    class Noted(module.LocalEngine):
        def run_all(self, tasks):
            handed_on.extend(tasks)
            return iter(module.attempt(self.work, task) for task in tasks)

    monkeypatch.setattr(module, "LocalEngine", Noted)
    ds.bootstrap(ByMeans(), uniform_table(), n=5, random_state=0, n_jobs=2)
    assert handed_on == []
    monkeypatch.setattr(module, "_SECONDS_ALONE", 0.0)
    ds.bootstrap(ByMeans(), uniform_table(), n=5, random_state=0, n_jobs=2)
    assert [task.number for task in handed_on] == [0, 1, 2, 3, 4]


@pytest.mark.long
def test_a_cluster_changes_nothing():
    distributed = pytest.importorskip("distributed")
    table = linear_frame(80)
    options = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as running:
        far = ds.bootstrap(ds.GES(), table, n=6, random_state=3, engine=running.scheduler_address)
    assert_same(far, ds.bootstrap(ds.GES(), table, n=6, random_state=3))


class Settings(BaseEstimator):
    """Notes how it was set."""

    noted: ClassVar[list] = []

    def __init__(self, random_state=None, n_jobs=4):
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X):
        self.noted.append((self.random_state, self.n_jobs, type(X)))
        self.dag_ = np.zeros((3, 3), dtype=int)
        return self


def test_each_replicate_has_a_random_state_of_its_own_and_one_thread_beside_others(monkeypatch):
    monkeypatch.setattr(Settings, "noted", [])
    ds.bootstrap(Settings(random_state=5), uniform_table(), n=4, random_state=0)
    ds.bootstrap(Settings(random_state=5), uniform_table(), n=4, random_state=0, n_jobs=2)
    states = [state for state, _, _ in Settings.noted]
    assert states[:4] == states[4:]
    assert len(set(states)) == 4
    assert [n_jobs for _, n_jobs, _ in Settings.noted] == [4] * 4 + [1] * 4


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, lambda x: pl.DataFrame(x, schema=["a", "b", "c"])])
def test_an_estimator_of_a_user_is_given_rows_of_what_the_user_gave(make, monkeypatch):
    monkeypatch.setattr(Settings, "noted", [])
    table = make(uniform_table())
    found = ds.bootstrap(Settings(), table, n=2, random_state=0)
    assert [kind for _, _, kind in Settings.noted] == [type(table)] * 2
    assert found.edge_probability.sum() == 0


def test_an_object_without_get_params_is_copied():
    class Plain:
        n_fits = 0

        def fit(self, X):
            self.n_fits += 1
            self.dag_ = np.eye(len(X[0]), k=self.n_fits, dtype=int)

    model = Plain()
    found = ds.bootstrap(model, uniform_table(), n=3, random_state=0)
    assert model.n_fits == 0
    assert found.edge_probability[0, 1] == 1.0


# ---------------------------------------------------------------- what goes wrong


def rare_level_frame():
    """A level that many replicates lose."""
    rng = np.random.default_rng(2)
    return pd.DataFrame({"a": rng.choice(["x", "y"], 30), "b": ["rare"] + ["common"] * 29, "c": rng.normal(size=30)})


class NeedsLevels(BaseEstimator):
    """Refuses a column that is constant, as many methods do."""

    def fit(self, X):
        for name in X.columns:
            if X[name].nunique() < 2:
                raise ds.DataError(f"column {name!r} is constant")
        self.dag_ = np.zeros((X.shape[1],) * 2, dtype=int)


def refusals_by_hand(seed, number):
    """How many of the draws of a replicate lose the rare level, up to the first that does not or the fourth."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(number + 1)[number])
    for n_redraws in range(4):
        rows = rng.integers(0, 30, 30)
        rng.integers(2**31)
        if 0 in rows:
            return n_redraws
    return 4


def test_replicates_that_lose_a_level_are_drawn_anew_and_those_that_still_fail_are_counted():
    expected = [refusals_by_hand(1, number) for number in range(200)]
    n_redrawn, n_failed = sum(0 < n < 4 for n in expected), expected.count(4)
    assert n_redrawn > 20
    assert n_failed > 0
    found = ds.bootstrap(NeedsLevels(), rare_level_frame(), n=200, random_state=1)
    assert found.details["n_redrawn"] == n_redrawn
    assert found.details["n_failed"] == n_failed
    assert found.details["n_replicates"] == 200 - n_failed
    said = "the first: DataError: column 'b' is constant"
    assert found.notes == (
        f"{n_redrawn} of 200 replicates were drawn anew, since the method refused them; {said}",
        f"{n_failed} of 200 replicates failed and do not count; {said}",
    )


def test_a_method_of_ours_that_refuses_a_constant_column_is_given_other_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "spike": [5.5] + [0.0] * 39})
    found = ds.bootstrap(ds.GreedySearch(score="bic-linear"), frame, n=30, random_state=0)
    assert found.details["n_redrawn"] > 0
    assert "column 'spike' is constant" in found.notes[0]


def test_replicates_keep_the_kinds_and_declared_levels_of_the_whole_table(monkeypatch):
    seen = []
    taken = replicates.taken

    def noted(table, rows):
        seen.append(taken(table, rows))
        return seen[-1]

    monkeypatch.setattr(replicates, "taken", noted)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 12, 60), "b": pd.Categorical(rng.choice(["u", "v"], 60), ["u", "v", "w"])}
    )
    model = ds.GreedySearch(score="bic-discrete", kinds={"a": "discrete"}, levels="declared")
    ds.bootstrap(model, frame, n=5, random_state=0)
    assert {table.kinds for table in seen} == {("discrete", "discrete")}
    assert {table.declared_levels for table in seen} == {(None, 3)}


class Breaks(BaseEstimator):
    def __init__(self, often=True, random_state=None):
        self.often = often
        self.random_state = random_state

    def fit(self, X):
        if self.often or X[:, 0].mean() > 0.5:
            raise RuntimeError("out of order")
        self.dag_ = np.zeros((3, 3), dtype=int)


def test_any_other_error_is_counted_without_another_draw_and_if_all_fail_raised():
    found = ds.bootstrap(Breaks(often=False), uniform_table(), n=20, random_state=0)
    n_bad = sum(uniform_table()[rows_by_hand(0, k, 40, "rows"), 0].mean() > 0.5 for k in range(20))
    assert 0 < n_bad < 20
    assert found.details["n_failed"] == n_bad
    assert found.notes == (f"{n_bad} of 20 replicates failed and do not count; the first: RuntimeError: out of order",)
    with pytest.raises(ds.DagsearchError, match=r"all 6 replicates .* failed; the first: RuntimeError: out of order"):
        ds.bootstrap(Breaks(), uniform_table(), n=6, random_state=0)


class StopsAfter(BaseEstimator):
    """Presses Ctrl-C, or dawdles, at its third fit."""

    n_fits = 0

    def __init__(self, how="interrupt"):
        self.how = how

    def fit(self, X):
        type(self).n_fits += 1
        if self.n_fits == 3 and self.how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        if self.n_fits == 3 and self.how == "dawdle":
            time.sleep(0.3)
        self.dag_ = np.array([[0, int(X[:, 0].mean() > 0.5), 0], [0, 0, 0], [0, 0, 0]])


@pytest.fixture
def no_fits_yet(monkeypatch):
    monkeypatch.setattr(StopsAfter, "n_fits", 0)


@pytest.mark.usefixtures("no_fits_yet")
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others")
def test_ctrl_c_keeps_what_is_finished_and_the_store_goes_on_from_there(tmp_path):
    table, path = uniform_table(), tmp_path / "runs" / "replicates.jsonl"
    cut = ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=path)
    assert cut.details["n_replicates"] == 3
    assert cut.details["status"] == "interrupted"
    assert cut.notes == ("3 replicates of the 10 asked for: interrupted",)
    assert len(path.read_text().splitlines()) == 3
    whole = ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=str(path))
    assert StopsAfter.n_fits == 10
    assert len(path.read_text().splitlines()) == 10
    assert_same(whole, ds.bootstrap(StopsAfter(), table, n=10, random_state=4))
    assert StopsAfter.n_fits == 20
    assert_same(ds.bootstrap(StopsAfter(), table, n=10, random_state=4, store=path), whole)
    assert StopsAfter.n_fits == 20


@pytest.mark.usefixtures("no_fits_yet")
def test_the_time_limit_keeps_what_is_finished():
    found = ds.bootstrap(StopsAfter("dawdle"), uniform_table(), n=1000, random_state=4, time_limit=0.25)
    assert found.details["n_replicates"] == 3
    assert found.notes == ("3 replicates of the 1000 asked for: the time limit was over",)


INTERRUPTED = """
    import sys, time
    import numpy as np
    import dagsearch as ds

    ds.bootstrap  # imports the module
    sys.modules["dagsearch.confidence.bootstrap"]._SECONDS_ALONE = 0.0

    class Slow:
        def fit(self, X):
            time.sleep(0.5)
            self.dag_ = np.zeros((2, 2), dtype=int)

    print("begun", flush=True)
    found = ds.bootstrap(Slow(), np.random.default_rng(0).random((20, 2)), n=1000, random_state=0, n_jobs=2)
    print(found.details["n_replicates"], found.details["status"], found.notes)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")
def test_ctrl_c_ends_processes_and_keeps_what_they_have_finished():
    program = textwrap.dedent(INTERRUPTED)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True, **pipes)
    assert process.stdout.readline() == "begun\n"
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=30)
    assert errors == ""
    n_found = int(printed.split()[0])
    assert 0 < n_found < 100
    assert printed.split(maxsplit=1)[1].startswith(f"interrupted ('{n_found} replicates of the 1000 asked for")


def test_a_store_holds_several_bootstraps_and_never_mistakes_one_for_another(tmp_path):
    table = uniform_table()
    first = ds.bootstrap(ByMeans(), table, n=4, random_state=0, store=tmp_path)
    for change in ({"how": "subsample"}, {"random_state": 1}, {"data": uniform_table(seed=1)}):
        arguments = {"data": table, "n": 4, "random_state": 0, **change}
        kept = ds.bootstrap(ByMeans(), store=tmp_path, **arguments)
        assert_same(kept, ds.bootstrap(ByMeans(), **arguments))
        assert not np.array_equal(kept.samples, first.samples)
    settings = [ds.GreedySearch(score="bic-linear"), ds.GreedySearch(score="bic-linear", edge_budget=1)]
    for model in settings:
        kept = ds.bootstrap(model, table, n=4, random_state=0, store=tmp_path)
        assert_same(kept, ds.bootstrap(model, table, n=4, random_state=0))
    assert len((tmp_path / "bootstrap.jsonl").read_text().splitlines()) == 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"how": "columns"}, "unknown how 'columns': choose from rows, subsample"),
        ({"estimator": ds.GES}, "estimator must be an object with fit"),
        ({"estimator": "ges"}, "estimator must be an object with fit"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"engine": 3}, "engine must be the address of a Dask cluster or None, got 3"),
        ({"store": "x.jsonl"}, "store needs a random_state"),
        ({"store": 3}, "store must be a folder, a file or None, got 3"),
        ({"estimator": ds.GreedySearch(score="bik")}, "unknown score 'bik'"),
        ({"data": [[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]}, "missing values"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_fitted(arguments, message):
    with pytest.raises(ds.InputError, match=message):
        ds.bootstrap(**{"estimator": ByMeans(), "data": uniform_table(), **arguments})


def test_a_score_that_was_made_of_the_whole_table_is_refused():
    score = ds.scores.make("bic-linear", linear_frame())
    with pytest.raises(ds.InputError, match=r"score must be a name for a bootstrap, got .* knows no replicate"):
        ds.bootstrap(ds.GreedySearch(score=score), linear_frame())


# ---------------------------------------------------------------- estimators


def test_an_estimator_tells_how_sure_it_is_by_the_bootstrap_and_finds_the_same_graph():
    frame = linear_frame()
    plain = ds.RandomSearch(score="bic-linear", sims_per_node=5, random_state=0).fit(frame)
    assert plain.confidence_ is None
    unsure = ds.RandomSearch(score="bic-linear", sims_per_node=5, random_state=0, confidence="bootstrap").fit(frame)
    assert unsure.dag_ == plain.dag_
    assert unsure.result_.edges == plain.result_.edges
    assert unsure.confidence_.method == "bootstrap"
    assert unsure.confidence_.details["n_replicates"] == 100
    assert unsure.confidence_.adjacency_probability[0, 1] > 0.5


@pytest.mark.parametrize("confidence", ["bootstrap", "posterior"])
def test_the_seed_of_the_fit_repeats_the_confidence_too(confidence):
    frame = linear_frame()
    settings = {"score": "bic-linear", "confidence": confidence}
    fresh = ds.GreedySearch(**settings).fit(frame)
    again = ds.GreedySearch(**settings, random_state=fresh.result_.seed).fit(frame)
    assert_same(again.confidence_, fresh.confidence_)


def test_an_estimator_tells_how_sure_it_is_by_the_posterior_of_its_own_score_and_knowledge():
    frame = linear_frame()
    knowledge = ds.Knowledge(forbidden=[("b", "a")])
    settings = {"score": "bic-linear", "penalty": "parameters", "min_effect": 0.02, "knowledge": knowledge}
    model = ds.GreedySearch(**settings, random_state=0, confidence="posterior").fit(frame)
    score = ds.scores.make("bic-linear", frame, penalty="parameters", min_effect=0.02)
    expected = ds.posterior(frame, score, knowledge=knowledge, n_samples=0)
    assert np.allclose(model.confidence_.edge_probability, expected.edge_probability, rtol=0, atol=1e-12)
    assert model.confidence_.edge_probability[1, 0] == 0.0
    assert model.confidence_.method.startswith("posterior")


def test_what_the_posterior_does_not_share_with_the_method_is_said():
    frame = linear_frame()
    notes = ds.LiNGAM(score="bic-linear", random_state=0, confidence="posterior").fit(frame).confidence_.notes
    assert "the posterior is that of bic-linear, by which lingam does not construct its graph" in notes
    notes = ds.GreedySearch(score="bic-linear", edge_budget=2, confidence="posterior").fit(frame).confidence_.notes
    assert "the posterior knows no edge budget" in notes


def test_confidence_that_cannot_be_is_refused_before_the_search(monkeypatch):
    monkeypatch.setattr(ds.GreedySearch, "_construct", None)
    with pytest.raises(ds.InputError, match=r"confidence='posterior': .*'bic-gp'.*or confidence='bootstrap'"):
        ds.GreedySearch(score="bic-gp", confidence="posterior").fit(linear_frame())
    score = ds.scores.make("bic-linear", linear_frame())
    with pytest.raises(ds.InputError, match="score must be a name for a bootstrap"):
        ds.GreedySearch(score=score, confidence="bootstrap").fit(linear_frame())
    with pytest.raises(ds.UnknownNameError, match="unknown confidence 'high': choose from none, posterior, bootstrap"):
        ds.GreedySearch(confidence="high").fit(linear_frame())
