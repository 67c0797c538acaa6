"""The calibration study: what is counted, which tables are drawn, what is left to run, and the report."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import dagsearch as ds
from dagsearch.engines import Failure, LineStore

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import calibration
from calibration_study import from_prior, study
from calibration_study.bins import N_BINS, Reliability
from calibration_study.families import FAMILIES, sparse_dag, with_hidden_cause, without_last
from calibration_study.run import run
from calibration_study.summary import cells_of, frame_of
from calibration_study.systems import SYSTEMS
from calibration_study.tables import report
from calibration_study.task import CalibrationRecord, CalibrationTask


def reliability(pairs):
    """Of (probability, truth)."""
    probabilities, truths = zip(*pairs, strict=True)
    return Reliability.of(np.array(probabilities, dtype=float), np.array(truths, dtype=bool))


def drawn_from(probabilities, seed=0):
    """Truths that come true as often as probabilities say."""
    truths = np.random.default_rng(seed).random(len(probabilities)) < probabilities
    return Reliability.of(probabilities, truths)


def made_up(task, pairs=((0.95, 1), (0.05, 0)), **settings):
    counted = reliability(pairs)
    return CalibrationRecord(task, counted, counted, settings, 1.0, "dagsearch 0")


# ---------------------------------------------------------------- what is counted


def test_measures_of_four_pairs_by_hand():
    found = reliability([(0.02, 0), (0.64, 1), (0.66, 0), (0.95, 1)])
    # The bin from 0.6 to 0.7 promises 1.3 true pairs and has 1.
    assert found.calibration_error == pytest.approx((0.02 + 0.3 + 0.05) / 4)
    assert found.error_above_lowest == pytest.approx((0.3 + 0.05) / 3)
    assert found.brier == pytest.approx((0.02**2 + 0.36**2 + 0.66**2 + 0.05**2) / 4)
    assert found.base_rate == 0.5
    assert found.base_brier == 0.25
    assert (found.n_sure, found.right_of_sure, found.claimed_of_sure) == (1, 1.0, 0.95)


def test_above_90_percent_does_not_include_90_percent():
    found = reliability([(90 / 100, 1), (0.900001, 0)])
    assert (found.n_sure, found.right_of_sure) == (1, 0.0)


def test_every_frequency_of_100_replicates_is_in_the_bin_whose_upper_bound_is_the_next_tenth():
    for hundredths in range(101):
        filled = int(np.flatnonzero(reliability([(hundredths / 100, 0)]).counts)[0])
        assert filled == max(-(-hundredths // 10) - 1, 0)


def test_nothing_above_90_percent_has_no_share_that_is_right():
    assert np.isnan(reliability([(0.5, 1)]).right_of_sure)
    assert np.isnan(reliability([(0.05, 0)]).error_above_lowest)


def test_probabilities_that_come_true_have_no_calibration_error_but_for_chance():
    probabilities = np.random.default_rng(1).random(200_000)
    assert drawn_from(probabilities).calibration_error < 0.005
    overconfident = Reliability.of(
        np.where(probabilities > 0.5, 1.0, 0.0), np.random.default_rng(0).random(200_000) < probabilities
    )
    assert overconfident.calibration_error == pytest.approx(0.25, abs=0.01)


def test_ordered_pairs_have_directions_and_unordered_ones_have_not():
    adjacency = np.zeros((3, 3), dtype=np.int8)
    adjacency[2, 0] = 1
    wrong_way = np.zeros((3, 3))
    wrong_way[0, 2] = 0.97
    edges = Reliability.of_edges(wrong_way, adjacency)
    assert (edges.n_pairs, edges.n_sure, edges.right_of_sure) == (6, 1, 0.0)
    adjacent = Reliability.of_adjacencies(wrong_way + wrong_way.T, adjacency)
    assert (adjacent.n_pairs, adjacent.n_sure, adjacent.right_of_sure) == (3, 1, 1.0)


def test_sums_over_tables_are_those_of_all_pairs_together():
    rng = np.random.default_rng(3)
    tables = [(rng.random(size), rng.random(size) < 0.3) for size in (56, 72, 132)]
    total = Reliability.total([Reliability.of(*each) for each in tables])
    together = Reliability.of(*(np.concatenate(part) for part in zip(*tables, strict=True)))
    for name in ("calibration_error", "brier", "base_rate", "n_pairs", "right_of_sure"):
        assert getattr(total, name) == pytest.approx(getattr(together, name))
    twice = Reliability.total([Reliability.of(*each) for each in tables[:2]], np.array([0.0, 2.0]))
    assert twice.n_pairs == 2 * 72


def test_a_record_is_read_as_it_was_written():
    task = CalibrationTask("gp", 100, 7, "chains")
    record = made_up(task, [(0.3, 0), (0.31, 1), (1.0, 1), (0.0, 0)], agree=True)
    read = CalibrationRecord.from_line(record.to_line())
    assert (read.task, read.settings, read.seconds, read.versions) == (task, {"agree": True}, 1.0, "dagsearch 0")
    for name in ("counts", "probabilities", "truths", "squares"):
        assert getattr(read.edges, name) == pytest.approx(getattr(record.edges, name), abs=1e-3)
    assert len(read.edges.counts) == N_BINS


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())
def test_a_number_gives_the_same_table_again_and_another_number_another(family):
    table, again, other = (family.table(100, number) for number in (4, 4, 5))
    assert np.array_equal(table.values, again.values)
    assert table.truth == again.truth
    assert not np.array_equal(table.values[:50, :8], other.values[:50, :8])
    assert table.n_samples == 100
    assert 8 <= table.n_nodes <= 12
    assert table.truth.n_nodes == table.n_nodes


def test_families_of_sparse_graphs_share_them_and_they_have_1_to_one_and_a_half_edges_per_variable():
    sparse = [family for family in FAMILIES.values() if family.graphs == "sparse" and family.mechanism != "gp"]
    for number in range(5):
        truths = {family.table(100, number).truth for family in sparse}
        assert len(truths) == 1
        truth = truths.pop()
        assert truth.n_nodes <= truth.n_edges <= 1.5 * truth.n_nodes


def test_no_sparse_graph_has_more_causes_of_a_variable_than_posteriors_of_evidence_consider():
    rng = np.random.default_rng(0)
    most = [int(sparse_dag(12, rng).sum(axis=0).max()) for _ in range(200)]
    assert max(most) == FAMILIES["gp"].max_parents == 4


def test_a_hidden_cause_has_children_that_depend_on_each_other_and_leaves_no_trace_in_the_truth():
    empty = np.zeros((6, 6), dtype=np.int8)
    graph = with_hidden_cause(empty, np.random.default_rng(0))
    children = np.flatnonzero(graph[-1])
    assert 2 <= len(children) <= 4
    assert not graph[:, -1].any()
    whole = ds.datasets.simulate(graph=graph, n_samples=2000, random_state=0)
    seen = without_last(whole)
    assert seen.truth.n_edges == 0
    assert np.array_equal(seen.values, whole.values[:, :-1])
    correlation = np.abs(np.corrcoef(seen.values.T))
    assert correlation[children[0], children[1]] > 0.1
    others = [node for node in range(6) if node not in children]
    assert correlation[others[0], children[0]] < 0.1


def test_tables_of_the_prior_have_graphs_that_are_uniform_over_all_dags():
    rng = np.random.default_rng(0)
    graphs = from_prior.uniform_dags(3).sampler(5000, rng)
    _, counts = np.unique(graphs.reshape(5000, -1), axis=0, return_counts=True)
    assert len(counts) == 25
    assert ((counts - 200) ** 2 / 200).sum() < 60  # chi-squared with 24 degrees of freedom: 60 has p = 0.0001


def test_graphs_uniform_over_all_dags_are_dense():
    shares = [t.n_edges / (t.n_nodes * (t.n_nodes - 1) / 2) for t in _truths("gaussian-any")]
    assert np.mean(shares) == pytest.approx(0.53, abs=0.05)


def _truths(family, n_tables=30):
    return [FAMILIES[family].table(100, number).truth for number in range(n_tables)]


def test_measurement_error_changes_rows_and_not_the_graph():
    exact, wrong = FAMILIES["gaussian"].table(500, 2), FAMILIES["gaussian-error"].table(500, 2)
    assert exact.truth == wrong.truth
    for one, other in zip(exact.values.T, wrong.values.T, strict=True):
        assert 0.9 < np.corrcoef(one, other)[0, 1] < 0.99


# ---------------------------------------------------------------- systems


@pytest.mark.long
def test_on_tables_of_the_prior_the_exact_posterior_is_calibrated():
    records = [run(CalibrationTask("prior", 100, number, "exact")) for number in range(60)]
    total = Reliability.total([record.edges for record in records])
    assert total.calibration_error < 0.025
    assert total.right_of_sure == pytest.approx(total.claimed_of_sure, abs=0.02)
    assert total.brier < 0.5 * total.base_brier


@pytest.mark.long
def test_all_systems_tell_edges_from_others_and_chains_say_what_exact_sums_say():
    exact, chains, bootstrap = (run(CalibrationTask("gaussian", 500, 1, system)) for system in SYSTEMS)
    for record in (exact, chains, bootstrap):
        assert record.adjacencies.brier < 0.5 * record.adjacencies.base_brier
    assert bootstrap.settings["replicates"] == 100
    assert chains.settings["agree"]
    assert chains.edges.probabilities.sum() == pytest.approx(exact.edges.probabilities.sum(), abs=0.3)
    assert chains.edges.brier == pytest.approx(exact.edges.brier, abs=0.01)


# ---------------------------------------------------------------- what is left to run


class MadeUpEngine:
    """Ends every run at once, and notes it; runs of the system ``broken`` fail."""

    def __init__(self, broken=""):
        self.broken, self.ran = broken, []

    def run_all(self, tasks):
        for task in tasks:
            self.ran.append(task)
            yield Failure(task, "ValueError: no", "") if task.system == self.broken else made_up(task)


def tasks_of(n_tables, names=("gaussian", "prior", "gp-error")):
    return study.tasks_of([FAMILIES[name] for name in names], [100, 500], n_tables)


def carry_out(tasks, path, engine):
    store = LineStore(path, CalibrationRecord.from_line)
    return study.carry_out(tasks, store, engine, lambda *_: None), store


def test_what_has_a_record_is_not_run_again(tmp_path):
    tasks = tasks_of(2)
    carry_out(tasks[:3], tmp_path / "records.jsonl", MadeUpEngine())
    engine = MadeUpEngine()
    carry_out(tasks, tmp_path / "records.jsonl", engine)
    assert engine.ran == tasks[3:]


def test_failures_leave_no_record_and_are_tried_again(tmp_path):
    failures, store = carry_out(tasks_of(1), tmp_path / "records.jsonl", MadeUpEngine(broken="chains"))
    assert {failure.task.system for failure in failures} == {"chains"}
    assert {record.task.system for record in store} == {"exact", "bootstrap"}
    assert all(task.system == "chains" for task in store.missing(tasks_of(1)))


def test_every_condition_gets_its_first_tables_before_any_gets_more():
    tasks = tasks_of(200)
    exact = [task for task in tasks if task.system == "exact"]
    later = next(k for k, task in enumerate(tasks) if task.table >= 50)
    early = {(task.family, task.n_rows, task.table) for task in tasks[:later] if task.system == "exact"}
    assert {("gaussian", 100, number) for number in range(50)} <= early
    assert {("gp-error", 500, number) for number in range(25)} <= early
    for family, n_tables in (("gaussian", 200), ("gp-error", 100)):
        numbers = [task.table for task in exact if task.family == family and task.n_rows == 100]
        assert sorted(numbers) == list(range(n_tables))
    assert len(set(tasks)) == len(tasks)


@pytest.mark.parametrize("n_tables", [1, 25, 26, 60])
def test_with_few_tables_there_is_no_other_table(n_tables):
    exact = [task for task in tasks_of(n_tables) if task.system == "exact" and task.n_rows == 100]
    assert {task.table for task in exact if task.family == "prior"} == set(range(n_tables))
    assert {task.table for task in exact if task.family == "gp-error"} == set(range(-(-n_tables // 2)))


def test_chains_follow_the_exact_posterior_of_the_same_table_whose_local_scores_they_use():
    tasks = tasks_of(10)
    followed = [(one, other) for one, other in pairwise(tasks) if other.system == "chains"]
    assert followed
    assert all((one.family, one.n_rows, one.table) == (two.family, two.n_rows, two.table) for one, two in followed)


def test_the_prior_has_no_bootstrap_and_expensive_systems_have_fewer_tables():
    tasks = tasks_of(200)
    assert not any(task.family == "prior" and task.system == "bootstrap" for task in tasks)
    assert {system: max(task.table for task in tasks if task.system == system) for system in SYSTEMS} == {
        "exact": 199, "chains": 24, "bootstrap": 49
    }  # fmt: skip


# ---------------------------------------------------------------- report


def records_of(family="gaussian", n_tables=4, system="exact", **settings):
    pairs = [(0.95, 1), (0.97, 1), (0.99, 0), (0.02, 0), (0.5, 1)]
    return [made_up(CalibrationTask(family, 100, number, system), pairs, **settings) for number in range(n_tables)]


def test_the_report_has_a_line_per_condition_and_system_with_its_tables():
    records = [*records_of(), *records_of(system="bootstrap", n_tables=2, replicates=30), *records_of("gp-hidden")]
    text = report(cells_of(records), "python x", ["dagsearch 0"])
    holds, fails = text.split("## Where they do not")
    assert "bootstrap (30) |      2" in holds
    assert "hidden cause |" in fails
    assert "hidden cause |" not in holds
    assert "0.667 (0.970, 12)" in holds
    assert "10 runs on 8 tables" in text


def test_chains_that_disagree_are_counted():
    records = [*records_of(system="chains", agree=True), *records_of(system="chains", agree=False)[:1]]
    cell = cells_of(records)[0]
    assert "chains (1 disagree)" in report([cell], "python x", ["dagsearch 0"])


def test_the_standard_error_is_that_of_tables_not_of_pairs():
    alike = cells_of(records_of(n_tables=20))[0]
    assert alike.standard_error("edges") == pytest.approx(0.0, abs=1e-12)
    differing = [made_up(CalibrationTask("gp", 100, k, "exact"), [(0.8, k % 2)] * 50) for k in range(20)]
    # The share that is true is that of 20 tables, whose standard error is sqrt(0.25 / 20).
    assert cells_of(differing)[0].standard_error("edges") == pytest.approx((0.25 / 20) ** 0.5, rel=0.15)


def test_the_csv_has_measures_of_edges_and_of_adjacencies():
    frame = frame_of(cells_of(records_of()))
    assert frame.loc[0, ["family", "score", "n_rows", "system", "tables"]].tolist() == [
        "gaussian", "bic-linear", 100, "exact", 4
    ]  # fmt: skip
    assert frame.loc[0, "edges_right_of_sure"] == frame.loc[0, "adjacencies_right_of_sure"] == pytest.approx(0.6667)


# ---------------------------------------------------------------- the command


@pytest.mark.long
def test_the_command_writes_everything_and_goes_on_where_it_stopped(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(calibration, "run", lambda task: made_up(task, replicates=100))
    arguments = ["--tables", "1", "--rows", "100", "--only", "gaussian", "--out", str(tmp_path)]
    assert calibration.main(arguments) == 0
    assert "[3/3]" in capsys.readouterr().out
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        "records.jsonl", "records.jsonl.lock",
        "calibration.md", "calibration.csv", "calibration.svg", "calibration.png", "adjacency.svg",
        "adjacency.png",
    }  # fmt: skip
    assert calibration.main([*arguments, "--report"]) == 0
    assert calibration.main(arguments) == 0
    assert "[1/" not in capsys.readouterr().out


def test_an_unknown_family_is_named_with_those_there_are(tmp_path, capsys):
    assert calibration.main(["--only", "cauchy", "--out", str(tmp_path)]) == 2
    assert "gp-hidden" in capsys.readouterr().err
