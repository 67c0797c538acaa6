"""What is made of records: cells, differences from the paper, and tables."""

import csv
import io
import re
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from experiment_output import (
    PRUNED_SHD,
    REWARD,
    SHD,
    TABLE1,
    TIME,
    cells_of,
    entries_of,
    record,
    study,
    table_of,
    tasks,
)
from scipy import stats

from dagsearch.experiments.output import text
from dagsearch.experiments.output.difference import compare
from dagsearch.experiments.output.notes import differences, notes
from dagsearch.experiments.output.published import Published, _all_cells, published
from dagsearch.experiments.output.summary import Cell
from dagsearch.experiments.output.table_formats import latex, to_csv, to_latex, to_markdown
from dagsearch.experiments.output.tables import build_table
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.study import Experiment, Row

# ---------------------------------------------------------------- the paper's numbers


def test_published_tables_are_complete():
    per_table = Counter(name for name, _, _ in _all_cells())
    expected = {"table1": 14 * 8, "table2a": 12 * 5, "table2b": 4 * 8, "table3": 2 * 8, "table4": 2 * 8}
    assert per_table == {**expected, "table5": 14 * 8}


def test_every_published_cell_has_a_place_in_our_tables():
    ours = {
        (each.name, row, method)
        for each in EXPERIMENTS.values()
        for row, method in product(each.rows, each.columns)
        if published(each.name, row, method)
    }
    assert ours == set(_all_cells())


@pytest.mark.parametrize(
    ("name", "row", "method", "expected"),
    [
        ("table1", REWARD, "cd-uct", Published(43.834, 0.044, "", 0.0005)),
        ("table1", Row("Prune", "SynTReN", "pruned_fdr"), "lingam-as-published", Published(0.809, None, "", 0.0005)),
        ("table1", Row("Prune", "SynTReN", "pruned_shd"), "notears", Published(None, None, "\N{MULTIPLICATION SIGN}")),
        ("table1", REWARD, "cam", Published(None, None, "---")),
        ("table2a", Row("", "Child", "reward"), "exact", Published(-12.972, None, "", 0.0005)),
        ("table2a", Row("", "Insurance", "shd"), "random-sampling", Published(92.080, 1.080, "", 0.0005)),
        ("table2b", Row("", "d=50", "reward"), "random-search", Published(81.903, 1.281, "", 0.0005)),
        ("table2b", Row("", "d=50", "tpr"), "rl-bic", Published(None, None, "∞")),
        ("table3", TIME, "rl-bic", Published(1 * 3600 + 43 * 60 + 33, None, "", 0.5)),
        ("table4", Row("", "SynTReN", "seconds"), "rl-bic", Published(35 * 3600 + 50 * 60 + 42, None, "", 0.5)),
        ("table5", Row("Construct", "SynTReN", "reward"), "cd-uct", Published(-0.296, 0.011, "", 0.0005)),
        ("table5", Row("Prune", "SynTReN", "pruned_shd"), "random-sampling", Published(47.715, 0.946, "", 0.0005)),
    ],
)
def test_published_numbers(name, row, method, expected):
    assert published(name, row, method) == expected


def test_what_the_paper_does_not_have_is_none():
    assert published("table1", REWARD, "ges") is None
    assert published("another", REWARD, "cd-uct") is None


# ---------------------------------------------------------------- means, intervals, marks


def test_means_and_intervals_are_those_of_scipy(store_of):
    values = [43.1, 42.7, 44.9, 41.0, 43.3]
    store = store_of(
        *(record(task, reward=value) for task, value in zip(tasks(TABLE1, "Sachs", "cd-uct", 5), values, strict=True))
    )
    cell = cells_of(TABLE1, store)[REWARD, "cd-uct"]
    low, high = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert cell.mean == pytest.approx(np.mean(values))
    assert (cell.mean - cell.half_width, cell.mean + cell.half_width) == pytest.approx((low, high))
    assert (cell.n_runs, cell.n_planned, cell.mark, cell.random) == (5, 100, "", True)


def test_one_run_has_no_interval(store_of):
    cell = cells_of(TABLE1, store_of(record(tasks(TABLE1, "Sachs", "cd-uct", 1)[0])))[SHD, "cd-uct"]
    assert (cell.mean, cell.half_width, cell.n_runs) == (40.0, None, 1)


def test_one_run_on_each_data_set_has_no_interval(store_of):
    store = store_of(*(record(task, shd=float(k)) for k, task in enumerate(tasks(TABLE1, "SynTReN", "greedy"))))
    cell = cells_of(TABLE1, store)[Row("Construct", "SynTReN", "shd"), "greedy"]
    assert cell == Cell(4.5, None, 10, 10, "", "", random=False)


def test_a_mean_over_some_data_sets_is_no_mean_over_all(store_of):
    row = Row("Construct", "SynTReN", "shd")
    runs = [record(task) for task in tasks(TABLE1, "SynTReN", "lingam")]
    assert cells_of(TABLE1, store_of(*runs[:10]))[row, "lingam"].all_data
    assert not cells_of(TABLE1, store_of(*runs[:9], runs[10]))[row, "lingam"].all_data


def test_a_cycle_in_one_run_is_marked_wherever_it_hides_a_value(store_of):
    first, *others = tasks(TABLE1, "SynTReN", "notears")
    cyclic = record(first, reward=None, shd=None, pruned_shd=None)
    found = cells_of(TABLE1, store_of(cyclic, *map(record, others)))
    for row in TABLE1.rows:
        if row.block == "SynTReN":
            cell = found[row, "notears"]
            assert (cell.mean, cell.mark, cell.n_cyclic) == (None, "\N{MULTIPLICATION SIGN}", 1)


def test_a_graph_that_pruning_made_acyclic_has_values_after_pruning(store_of):
    (task,) = tasks(TABLE1, "Sachs", "notears")
    found = cells_of(TABLE1, store_of(record(task, reward=None, shd=None)))
    assert found[SHD, "notears"].mark == "\N{MULTIPLICATION SIGN}"
    assert (found[PRUNED_SHD, "notears"].mean, found[PRUNED_SHD, "notears"].mark) == (11.0, "")


def test_a_cycle_does_not_hide_the_time(store_of):
    table3 = EXPERIMENTS["table3"]
    task = tasks(table3, "Sachs", "notears")[0]
    cell = cells_of(table3, store_of(record(task, reward=None, shd=None, pruned_shd=None)))[TIME, "notears"]
    assert (cell.mean, cell.mark) == (1.5, "")


def test_open_directions_have_no_reward_and_no_cycle(store_of):
    (task,) = tasks(TABLE1, "Sachs", "ges")
    found = cells_of(TABLE1, store_of(record(task, reward=None)))
    assert (found[REWARD, "ges"].mean, found[REWARD, "ges"].mark) == (None, "---")
    assert found[SHD, "ges"].mean == 40.0


def test_what_was_not_pruned_has_no_values_after_pruning(store_of):
    (task,) = tasks(TABLE1, "Sachs", "cam")
    found = cells_of(TABLE1, store_of(replace(record(task, pruned_shd=None), pruned_edges=None)))
    assert (found[PRUNED_SHD, "cam"].mark, found[PRUNED_SHD, "cam"].n_cyclic) == ("---", 0)


def test_without_records_cells_are_empty_unless_nothing_is_to_be_run(store_of):
    assert cells_of(TABLE1, store_of())[REWARD, "cd-uct"] == Cell(n_planned=100, random=True, all_data=False)
    assert cells_of(TABLE1, store_of())[Row("Construct", "SynTReN", "shd"), "exact"] == Cell(mark="---")
    d50 = cells_of(EXPERIMENTS["table2b"], store_of())[Row("", "d=50", "shd"), "rl-bic"]
    assert (d50.mark, d50.mean, d50.n_runs) == ("∞", None, 0)


def test_settings_tell_whether_they_were_tuned(store_of):
    of_study = study(TABLE1, "Sachs", "cd-uct")
    untuned = store_of(record(tasks(TABLE1, "Sachs", "cd-uct", 1)[0]))
    assert cells_of(TABLE1, untuned)[REWARD, "cd-uct"].settings == "exploration 0.05, not tuned"
    grid = of_study.tuning.grid
    trials = [record(next(of_study.tuning.tasks(each)), reward=float(each == grid[2])) for each in grid]
    tuned = store_of(*trials, record(next(of_study.tasks(grid[2]))))
    assert cells_of(TABLE1, tuned)[REWARD, "cd-uct"].settings == "exploration 0.075"


# ---------------------------------------------------------------- differences


@pytest.mark.parametrize(
    ("cell", "paper", "exceeds"),
    [
        (Cell(10.49, 0.3, 100, 100, random=True), Published(10.0, 0.4, resolution=0.0005), False),
        (Cell(10.51, 0.3, 100, 100, random=True), Published(10.0, 0.4, resolution=0.0005), True),
        (Cell(9.49, 0.3, 100, 100, random=True), Published(10.0, 0.4, resolution=0.0005), True),
        (Cell(10.31, 0.3, 100, 100, random=True), Published(10.0, None, resolution=0.0005), True),
        (Cell(0.2355, None, 1, 1), Published(0.235, None, resolution=0.0005), False),
        (Cell(0.2356, None, 1, 1), Published(0.235, None, resolution=0.0005), True),
        (Cell(0.2354, 0.0, 100, 100, random=True), Published(0.235, None, resolution=0.0005), False),
        (Cell(99.0, 0.1, 60, 200, random=True, all_data=False), Published(10.0, 0.4, resolution=0.0005), None),
        (Cell(99.0, None, 1, 100, random=True), Published(10.0, 0.4, resolution=0.0005), None),
        (Cell(99.0, None, 9, 10, all_data=False), Published(10.0, None, resolution=0.0005), None),
    ],
)
def test_a_difference_is_weighed_by_both_intervals(cell, paper, exceeds):
    difference = compare(cell, paper)
    assert difference.exceeds is exceeds
    assert difference.value == pytest.approx(cell.mean - paper.mean)
    assert difference.ratio == pytest.approx(paper.mean / cell.mean)
    assert bool(difference.why_open) == (exceeds is None)


def test_without_two_means_there_is_no_difference():
    assert compare(Cell(1.0, n_runs=1, n_planned=1), None) is None
    assert compare(Cell(1.0, n_runs=1, n_planned=1), Published(None, mark="∞")) is None
    assert compare(Cell(), Published(1.0)) is None
    assert compare(Cell(0.0, n_runs=1, n_planned=1), Published(1.0)).ratio is None


# ---------------------------------------------------------------- words and numbers


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.04, "0:00:00.04"),
        (1.26, "0:00:01.3"),
        (59.94, "0:00:59.9"),
        (59.96, "0:01:00"),
        (6213, "1:43:33"),
        (127940, "35:32:20"),
        (3599.7, "1:00:00"),
    ],
)
def test_times_are_shown_as_the_paper_does(seconds, expected):
    assert text.clock(seconds) == expected


def test_curves_are_called_as_in_the_paper():
    labels = ("cd-uct", "traversal", "incremental")
    assert [text.title(label) for label in labels] == ["CD-UCT", "naive (traversal)", "incremental"]


def test_numbers_have_a_sign_only_if_it_shows():
    assert text.number(-2.1714, "reward") == "\N{MINUS SIGN}2.171"
    assert text.number(-0.0001, "tpr", signed=True) == "+0.000"
    assert text.number(0.5, "tpr", signed=True) == "+0.500"
    assert text.with_interval(75.0, 2.5, "seconds") == "0:01:15 ±2.5 s"


# ---------------------------------------------------------------- tables


def test_entries_show_ours_the_papers_and_the_difference(partial_store):
    entries = entries_of(table_of(TABLE1, partial_store))
    entry = entries[REWARD, "cd-uct"]
    assert (entry.ours_text, entry.paper_text) == ("43.840 ±0.025", "43.834 ±0.044")
    assert (entry.difference_text, entry.is_best) == ("+0.006", True)
    assert entries[PRUNED_SHD, "cd-uct"].difference_text == "\N{MINUS SIGN}5.590 ≠"
    assert entries[REWARD, "rl-bic"].difference_text == "\N{MINUS SIGN}0.807 ?"
    assert entries[REWARD, "greedy"].difference_text == "+0.000"
    assert entries[REWARD, "pc"].ours_text == "not run"
    assert entries[REWARD, "pc"].paper_text == ""


def test_the_best_is_the_highest_reward_and_the_lowest_distance(partial_store):
    table = table_of(TABLE1, partial_store)
    best = {
        (entry.row.measure, entry.method) for entry in table.entries if entry.is_best and entry.row.block == "Sachs"
    }
    assert {method for measure, method in best if measure == "reward"} == {"cd-uct"}
    assert {method for measure, method in best if measure == "shd"} == {"greedy"}
    assert {method for measure, method in best if measure == "tpr"} == {"cd-uct", "rl-bic", "greedy"}


def test_times_are_compared_by_their_ratio(partial_store):
    table = table_of(EXPERIMENTS["table3"], partial_store)
    entry = entries_of(table)[TIME, "cd-uct"]
    assert (entry.ours_text, entry.paper_text) == ("0:00:06.8 ±0.025 s", "1:53:24")
    assert entry.difference_text == "999 : 1"
    assert entries_of(table)[TIME, "random-sampling"].paper_text == "0:00:04"
    assert differences(table) == ["CD-UCT on Sachs, Time: 0:00:06.8 ±0.025 s, the paper's 1:53:24 (999 times faster)"]


def test_notes_tell_what_is_missing_and_what_differs(partial_store):
    table = table_of(TABLE1, partial_store)
    said = "\n".join(notes(table))
    assert "Sachs, CD-UCT: 3 of 100 runs, not tuned" in said
    assert "Sachs, RL-BIC: 1 of 100 runs, not tuned" in said
    assert "Sachs, CD-UCT: exploration 0.05, not tuned" in said
    assert (
        "Not run: Sachs, Random Search, Random Sampling, CAM, "
        "LiNGAM as published (edges reversed), DirectLiNGAM, ICA-LiNGAM, NOTEARS, GES, PC, Exact; SynTReN, CD-UCT,"
        in said
    )
    assert "SynTReN, NOTEARS: 1 of 10; SynTReN, NOTEARS after pruning: 1 of 10." in said
    in_words = differences(table)
    assert (
        "CD-UCT on Sachs, SHD after pruning: 5.010 ±0.025, the paper's 10.600 ±0.183 (5.590 lower: better)" in in_words
    )
    assert not any(each.startswith(("RL-BIC", "Greedy Search on Sachs, Reward")) for each in in_words)


def test_what_only_one_has_is_told(store_of):
    whole = store_of(*map(record, tasks(TABLE1, "SynTReN", "notears")))
    cross = "\N{MULTIPLICATION SIGN}"
    said = "\n".join(notes(table_of(TABLE1, whole)))
    assert f"NOTEARS on SynTReN, SHD after pruning: ours 11.000, the paper's {cross}" in said
    assert "NOTEARS on SynTReN, SHD as constructed: ours" not in said


def test_a_line_names_its_block_again_in_another_phase():
    rows = (Row("Construct", "A", "tpr"), Row("Construct", "A", "shd"), Row("Prune", "A", "pruned_shd"))
    heads = list(build_table(Experiment("mini", "Mini", (), rows, ("cd-uct",)), ()).heads)
    assert heads == [("Construct", "A", "TPR ↑"), ("", "", "SHD ↓"), ("Prune", "A", "SHD ↓")]


def test_columns_have_the_papers_titles_and_ours():
    titles = build_table(TABLE1, ()).titles
    assert titles[:5] == ("CD-UCT", "RL-BIC", "Greedy Search", "Random Search", "Random Sampling")
    assert titles[5] == "CAM"
    assert titles[6:9] == ("LiNGAM as published (edges reversed)", "DirectLiNGAM", "ICA-LiNGAM")
    assert titles[9:] == ("NOTEARS", "GES", "PC", "Exact")
    assert build_table(EXPERIMENTS["table2a"], ()).titles[-1] == "GOBNILP (ours: Exact)"


@pytest.mark.parametrize("name", [name for name, each in EXPERIMENTS.items() if each.kind == "table"])
def test_markdown_tables_are_rectangular(name, partial_store):
    table = table_of(EXPERIMENTS[name], partial_store)
    lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(table.lines)
    assert {line.count("|") for line in lines} == {len(table.titles) + len(table.head_titles) + 1}


def test_markdown_shows_all_three_numbers(partial_store):
    markdown = to_markdown(table_of(TABLE1, partial_store))
    assert "| **43.840 ±0.025**<br>paper 43.834 ±0.044<br>+0.006 |" in markdown
    assert "| Construct | Sachs | Reward ↑ |" in markdown
    assert "- CD-UCT on Sachs, SHD after pruning: 5.010" in markdown


@pytest.mark.parametrize("name", [name for name, each in EXPERIMENTS.items() if each.kind == "table"])
def test_latex_tables_are_balanced(name, partial_store):
    table = table_of(EXPERIMENTS[name], partial_store)
    source = to_latex(table)
    assert source.isascii()
    assert re.findall(r"\\(begin|end)\{tabular\}", source) == ["begin", "end"]
    assert source.count("{") == source.count("}")
    assert source.count("$") % 2 == 0
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", source)
    rows = [line for line in source.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + 3 * len(table.lines)
    assert source.count(r"\midrule") == len({(row.phase, row.block) for row in table.experiment.rows})
    assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}


def test_latex_takes_no_text_for_a_command():
    assert latex(r"a_b & 50% #1 {x} $y$ \z ^ ~") == (
        r"a\_b \& 50\% \#1 \{x\} \$y\$ \textbackslash{}z \textasciicircum{} \textasciitilde{}"
    )


def test_csv_gives_back_every_cell(partial_store):
    table = table_of(TABLE1, partial_store)
    lines = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert len(lines) == len(TABLE1.rows) * len(TABLE1.columns)
    for line, entry in zip(lines, table.entries, strict=True):
        assert (line["block"], line["measure"], line["method"]) == (entry.row.block, entry.row.measure, entry.method)
        assert (float(line["mean"]) if line["mean"] else None) == entry.cell.mean
        assert (int(line["n_runs"]), int(line["n_planned"])) == (entry.cell.n_runs, entry.cell.n_planned)
        assert (float(line["paper_mean"]) if line["paper_mean"] else None) == (entry.paper and entry.paper.mean)
    of_uct = next(line for line in lines if (line["measure"], line["method"]) == ("pruned_shd", "cd-uct"))
    assert (of_uct["exceeds"], of_uct["settings"]) == ("yes", "exploration 0.05, not tuned")
    assert float(of_uct["difference"]) == pytest.approx(5.01 - 10.6)
    assert {line["exceeds"] for line in lines if line["method"] == "rl-bic"} == {""}
