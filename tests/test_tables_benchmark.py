"""The benchmark of tables in practice: its parts, its rivals' score, and its report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tables
from tables_study import parts, run, summary
from tables_study.degenerate_gaussian import DegenerateGaussian
from tables_study.part import Method
from tables_study.task import MEASURES, TablesRecord, TablesTask

import dagsearch as ds

MIXED = parts.PARTS["mixed"]


def test_tables_of_the_mixed_part_are_half_categories_of_two_to_five_levels():
    for seed in range(3):
        data = MIXED.table("strong", 300, seed)
        assert (data.n_nodes, data.truth.n_edges) == (10, 15)
        levels = [n for n, kind in zip(data.n_levels(), data.kinds, strict=True) if kind == "discrete"]
        assert len(levels) == 5
        assert 2 <= min(levels) <= max(levels) <= 5


def test_the_degenerate_gaussian_score_of_numbers_is_bic_with_parameters():
    data = ds.datasets.simulate(4, 200, random_state=0)
    score, bic = DegenerateGaussian(data), ds.scores.make("bic-linear", data, penalty="parameters")
    for node, parents in ((0, (1,)), (2, (0, 1)), (3, (0, 1, 2))):
        found = score.local(node, parents) - score.local(node, ())
        expected = bic.nats * (bic.local(node, parents) - bic.local(node, ()))
        assert found == pytest.approx(expected, abs=1e-3)


def test_the_degenerate_gaussian_score_is_the_same_for_both_directions():
    score = DegenerateGaussian(MIXED.table("strong", 300, 0))
    for one, other in ((0, 1), (3, 7), (2, 9)):
        forth = score.local(one, ()) + score.local(other, (one,))
        assert forth == pytest.approx(score.local(other, ()) + score.local(one, (other,)))


def test_a_run_is_judged_and_can_be_read_again():
    record = run.run(TablesTask("mixed", "strong", 80, 0, "dg"), 60.0)
    assert set(record.metrics) == set(MEASURES)
    assert TablesRecord.from_line(record.to_line()) == record


def made_up(method, seed, f1):
    metrics = {**dict.fromkeys(MEASURES, 1.0), "skeleton_f1": f1}
    return TablesRecord(TablesTask("mixed", "strong", 500, seed, method), metrics, "0>1", "finished", 2.0, "now", "v")


def test_the_report_has_means_and_standard_errors_of_each_method():
    runs = summary.frame_of([made_up("mixed", 0, 0.8), made_up("mixed", 1, 1.0), made_up("dg", 0, 0.5)])
    report = summary.report(MIXED, runs, "python benchmarks/tables.py mixed", ["v"])
    assert "0.900 ± 0.100" in report
    assert "| mixed  |    2/2 |" in report
    assert "| dg     |    1/2 |" in report
    assert "pgmpy  |" not in report


def test_what_is_not_installed_is_left_out_with_a_word(capsys):
    rival = Method(MIXED.methods["dg"].fit, "rival", ("no_such_module",), "pip install it")
    part = replace(MIXED, methods={"x": rival})
    assert tables.installed(part, ["x"]) == []
    assert "x is left out, since its package is not installed: pip install it" in capsys.readouterr().out


def test_tasks_are_those_of_all_sizes_seeds_and_methods():
    tasks = run.tasks_of("mixed", [2000, 500], 3, ["mixed", "dg"])
    assert len(tasks) == len({task.key for task in tasks}) == 36
    assert np.array_equal([task.n_rows for task in tasks], [500] * 18 + [2000] * 18)
