"""What is made of records: cells, differences from the paper, tables, figures and the report."""

import csv
import io
import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dagsearch.errors import InputError, MissingExtraError
from dagsearch.experiments.output import figures, text, write_output, write_report
from dagsearch.experiments.output.claims import claims
from dagsearch.experiments.output.curves import Drawing, drawings, points_csv
from dagsearch.experiments.output.difference import compare
from dagsearch.experiments.output.notes import differences, figure_notes, notes
from dagsearch.experiments.output.published import Published, _all_cells, published
from dagsearch.experiments.output.sections import overview, sections
from dagsearch.experiments.output.summary import Cell, Curve, Point, cells, curves, findings
from dagsearch.experiments.output.table_formats import latex, to_csv, to_latex, to_markdown
from dagsearch.experiments.output.tables import build_table
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment, Panel, Row, Study, Tuning
from dagsearch.experiments.task import Record, Task, settings

REWARD = Row("Construct", "Sachs", "reward")
SHD = Row("Construct", "Sachs", "shd")
PRUNED_SHD = Row("Prune", "Sachs", "pruned_shd")
TIME = Row("", "Sachs", "seconds")


def record(task, reward=40.0, shd=40.0, pruned_shd=11.0, seconds=1.5, tpr=0.5):
    """A record with the given values; None for a graph with a cycle, or for one that was not pruned."""
    metrics = None if shd is None else {"tpr": tpr, "fdr": 0.5, "shd": shd, "n_edges": 49.0}
    pruned = None if pruned_shd is None else {"tpr": tpr, "fdr": 0.5, "shd": pruned_shd, "n_edges": 12.0}
    return Record(
        task=task,
        reward=reward,
        metrics=metrics,
        pruned_metrics=pruned,
        edges="0>1",
        pruned_edges="0>1",
        status="finished",
        seconds=seconds,
        cpu_seconds=2 * seconds,
        n_simulations=0,
        n_score_evaluations=0,
        finished="2026-11-16T09:42:40+00:00",
        versions="dagsearch 0.1.0, python 3.11.7",
    )


@pytest.fixture
def store_of(tmp_path):
    def make(*records):
        path = tmp_path / "records" / "records.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(each.to_line() + "\n" for each in records), encoding="utf-8")
        return RecordStore(path)

    return make


def study(experiment, block, method):
    return next(each for each in experiment.studies if (each.block, each.method) == (block, method))


def tasks(experiment, block, method, n_seeds=None):
    """Tasks with the first configuration of the grid, which is chosen where nothing was tuned."""
    found = study(experiment, block, method)
    return list(found.tasks(found.tuning.grid[0] if found.tuning else (), n_seeds))


def cells_of(experiment, store):
    return cells(experiment, findings(experiment, store))


def table_of(experiment, store):
    return build_table(experiment, findings(experiment, store))


TABLE1 = EXPERIMENTS["table1"]


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
        ("table1", Row("Prune", "SynTReN", "pruned_fdr"), "lingam", Published(0.809, None, "", 0.0005)),
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


@pytest.fixture
def partial_store(store_of):
    """A store with some of everything: agreement, difference, one run, a cycle."""
    uct = tasks(TABLE1, "Sachs", "cd-uct", 3)
    first, *others = tasks(TABLE1, "SynTReN", "notears")
    timed = tasks(EXPERIMENTS["table3"], "Sachs", "cd-uct")
    return store_of(
        *(record(task, reward=43.83 + k / 100, pruned_shd=5.0 + k / 100) for k, task in enumerate(uct)),
        record(tasks(TABLE1, "Sachs", "rl-bic", 1)[0], reward=39.0),
        record(tasks(TABLE1, "Sachs", "greedy")[0], reward=37.8671, shd=39.0, pruned_shd=14.0),
        record(first, reward=None, shd=None, pruned_shd=None),
        *map(record, others),
        *(record(task, seconds=6.8 + k / 100) for k, task in enumerate(timed)),
    )


def entries_of(table):
    return {(entry.row, entry.method): entry for entry in table.entries}


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
        "Not run: Sachs, Random Search, Random Sampling, CAM, LiNGAM, NOTEARS, GES, PC, Exact; SynTReN, CD-UCT," in said
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
    assert titles[5:] == ("CAM", "LiNGAM", "NOTEARS", "GES", "PC", "Exact")
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


# ---------------------------------------------------------------- figures


def small_figure():
    grid = (settings(exploration=0.05), settings(exploration=0.1))
    studies = []
    for method, x in product(("cd-uct", "greedy"), (1.0, 10.0, 100.0)):
        base = Task("toy", method, "bic-linear", settings=settings(sims_per_node=x))
        tuning = Tuning(base, ("toy",), grid) if method == "cd-uct" else None
        studies.append(Study("toys", base, ("toy",), 4, tuning=tuning, x=x))
    panels = (Panel("toys", "shd", "budget", "SHD", log_x=True), Panel("toys", "seconds", "budget", "s", log_y=True))
    return Experiment("figure9", "Toys <& others>", tuple(studies), panels=panels)


def small_records(figure, n_seeds=4):
    for each in figure.studies:
        chosen = each.tuning.grid[0] if each.tuning else ()
        for k, task in enumerate(each.tasks(chosen, n_seeds)):
            yield record(task, shd=each.x + k, seconds=each.x * (k + 1))


def test_curves_have_means_and_intervals(store_of):
    figure = small_figure()
    store = store_of(*small_records(figure))
    of_uct, of_greedy = curves(figure.panels[0], findings(figure, store))
    assert (of_uct.label, of_greedy.label) == ("cd-uct", "greedy")
    assert [point.x for point in of_uct.points] == [1.0, 10.0, 100.0]
    assert [point.mean for point in of_greedy.points] == [2.5, 11.5, 101.5]
    expected = stats.t.ppf(0.975, 3) * stats.sem([0, 1, 2, 3])
    assert of_uct.points[1].half_width == pytest.approx(expected)
    assert (of_uct.points[1].n_runs, of_uct.points[1].n_planned) == (4, 4)


def test_panels_show_their_own_block(store_of):
    figure4 = EXPERIMENTS["figure4"]
    first = next(each for each in figure4.studies if each.block == "samples" and each.method == "greedy")
    found = findings(figure4, store_of(record(next(first.tasks()))))
    n_points = {panel.block: 0 for panel in figure4.panels}
    for panel in figure4.panels:
        n_points[panel.block] += sum(len(curve.points) for curve in curves(panel, found))
    assert n_points == {"density": 0, "samples": 3}


def test_studies_with_paired_data_sets_plan_one_run_each(store_of):
    figure4 = EXPERIMENTS["figure4"]
    found = findings(figure4, store_of())
    assert {each.n_planned for each in found} == {20}


def test_points_are_written_as_csv(store_of):
    figure = small_figure()
    found = findings(figure, store_of(*small_records(figure, 1)))
    lines = list(csv.DictReader(io.StringIO(points_csv(figure, drawings(figure, found)))))
    assert len(lines) == 2 * 2 * 3
    assert lines[0] == {
        "experiment": "figure9",
        "block": "toys",
        "measure": "shd",
        "curve": "cd-uct",
        "x": "1.0",
        "mean": "1.0",
        "half_width": "",
        "n_runs": "1",
        "n_planned": "4",
    }


def test_the_same_records_give_the_same_pictures(store_of):
    figure = small_figure()
    of_panels = drawings(figure, findings(figure, store_of(*small_records(figure))))
    pictures = []
    for _ in range(2):
        figures.render.cache_clear()
        pictures.append((figures.render(of_panels, "svg"), figures.render(of_panels, "png")))
    assert pictures[0] == pictures[1]
    assert pictures[0][0].startswith(b"<?xml")
    assert b"dc:date" not in pictures[0][0]
    assert pictures[0][1].startswith(b"\x89PNG")


def test_wide_intervals_are_cut_off_by_the_axis_and_everything_else_is_within_it():
    panel = Panel("Sachs", "reward", "x", "y")
    few_runs = Curve("cd-uct", (Point(1.0, 0.4, 9.0, 2, 2), Point(2.0, 0.6, None, 1, 2)))
    low, high = figures._limits(Drawing(panel, (few_runs,)))
    assert 0.2 < low < 0.4
    assert 0.6 < high < 0.8
    low, high = figures._limits(Drawing(panel, (few_runs,), level=-3.0, marks=((1.0, 7.0),)))
    assert low < -3.0
    assert high > 7.0
    (same,) = (Curve("cd-uct", (Point(1.0, 0.0, None, 1, 2),)),)
    low, high = figures._limits(Drawing(panel, (same,)))
    assert low < 0.0 < high
    rates = Curve("cd-uct", (Point(1.0, 0.0, 0.9, 2, 2), Point(2.0, 1.0, 0.9, 2, 2)))
    low, high = figures._limits(Drawing(Panel("Sachs", "pruned_fdr", "x", "y"), (rates,)))
    assert -0.1 < low < 0.0
    assert 1.0 < high < 1.1


def test_rl_bic_of_the_paper_is_a_line_in_the_figure_of_budgets(store_of):
    figure2 = EXPERIMENTS["figure2"]
    levels = [each.level for each in drawings(figure2, findings(figure2, store_of()))]
    assert levels == [39.807, 41.910, 13.210, 6213]
    assert {each.level for each in drawings(replace(figure2, name="figure9"), ())} == {None}


def figure2_records():
    figure2 = EXPERIMENTS["figure2"]
    for each in figure2.studies:
        task = next(each.tasks(each.tuning.grid[0] if each.tuning else ()))
        if each.x == 6.624:
            yield record(task, reward=0.0)
        if each.x == 11.78:
            yield record(task, reward=41.0 if each.method == "cd-uct" else 38.0, shd=40.0, pruned_shd=13.0)


def test_claims_about_budgets_are_held_against_ours(store_of):
    figure2 = EXPERIMENTS["figure2"]
    found = findings(figure2, store_of(*figure2_records()))
    said = claims("figure2", drawings(figure2, found))
    assert any("CD-UCT 41.000 (better); Random Search 38.000 (not better)" in each for each in said)
    assert any("SHD, pruned (RL-BIC in the paper: 13.210): CD-UCT 13.000 (better)" in each for each in said)
    assert figure_notes(found)[0].startswith("Fewer runs than planned: CD-UCT, Sachs: 0 to 1 of 100 for each point")


def test_the_ratio_of_both_ways_to_track_cycles_is_shown(store_of):
    figure3 = EXPERIMENTS["figure3"]
    runs = [
        record(task, seconds=each.x * (1.0 if dict(task.settings)["cycle_tracking"] == "incremental" else each.x / 5))
        for each in figure3.studies
        if each.x in (10, 50)
        for task in each.tasks(n_seeds=2)
    ]
    times, ratio = drawings(figure3, findings(figure3, store_of(*runs)))
    assert [(point.x, point.mean) for point in ratio.curves[0].points] == [(10, 2.0), (50, 10.0)]
    assert ratio.marks == ((10, 1.25), (50, 13.25))
    assert times.marks == ()
    said = claims("figure3", (times, ratio))
    assert "1.25 at 10 variables and 13.25 at 50 variables" in said[0]
    assert said[1] == "Ours: 2.00 at 10, 10.00 at 50."


# ---------------------------------------------------------------- files


@pytest.fixture
def without_matplotlib(monkeypatch):
    figures.render.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_every_experiment_has_its_files(partial_store, tmp_path):
    written = write_output([TABLE1, small_figure()], partial_store, tmp_path / "out")
    names = {str(path.relative_to(tmp_path / "out")) for path in written}
    tables = {f"tables/table1.{suffix}" for suffix in ("md", "tex", "csv")}
    assert names == tables | {f"figures/figure9.{suffix}" for suffix in ("csv", "svg", "png")}
    assert {path for path in (tmp_path / "out").rglob("*") if path.is_file()} == set(written)


def test_all_panels_of_a_figure_are_in_its_file(store_of, tmp_path):
    figure = small_figure()
    written = {path.name: path for path in write_output([figure], store_of(*small_records(figure)), tmp_path / "out")}
    lines = csv.DictReader(written["figure9.csv"].read_text(encoding="utf-8").splitlines())
    assert Counter(line["measure"] for line in lines) == {"shd": 6, "seconds": 6}


def test_files_are_written_over_older_ones_and_repeat(partial_store, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "table1.md").write_text("of yesterday")
    first = {path: path.read_bytes() for path in write_output([TABLE1], partial_store, tmp_path)}
    second = {path: path.read_bytes() for path in write_output(iter([TABLE1]), partial_store, tmp_path)}
    assert first == second
    assert b"yesterday" not in first[tmp_path / "tables" / "table1.md"]


def test_a_file_that_cannot_be_finished_leaves_the_older_one(partial_store, tmp_path, monkeypatch):
    (older, *_) = write_output([TABLE1], partial_store, tmp_path / "out")
    before = older.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match=r"folder must be writable, got .*: No space left on device"):
        write_output([TABLE1], RecordStore(tmp_path / "none.jsonl"), tmp_path / "out")
    assert older.read_bytes() == before
    assert list(older.parent.glob(".writing-*")) == []


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_all_else_is_written_before_the_error(partial_store, tmp_path):
    with pytest.raises(MissingExtraError, match=r"drawing figures needs .* pip install 'dagsearch\[plot\]'"):
        write_output([small_figure(), TABLE1], partial_store, tmp_path / "out")
    written = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert written == {"table1.md", "table1.tex", "table1.csv", "figure9.csv"}


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_report_says_so(partial_store, tmp_path):
    written = write_report([small_figure()], partial_store, tmp_path / "out")
    assert [path.name for path in written] == ["report.md", "report.html"]
    assert "pip install &#x27;dagsearch[plot]&#x27;" in written[1].read_text(encoding="utf-8")
    assert "![" not in written[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("write", [write_output, write_report])
def test_a_folder_that_is_a_file_is_refused(write, partial_store, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="folder must be a folder, got the file"):
        write([TABLE1], partial_store, tmp_path / "taken")


# ---------------------------------------------------------------- the report


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects what refers to something."""

    def __init__(self, source):
        super().__init__()
        self.open, self.ids, self.links, self.sources, self.texts = [], [], [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.sources += [found["src"]] if "src" in found else []
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def report(partial_store, tmp_path):
    written = write_report([TABLE1, EXPERIMENTS["table3"], small_figure()], partial_store, tmp_path / "out")
    return {path.name: path for path in written}


def test_the_page_is_well_formed_and_needs_no_other_file(report):
    page = Page(report["report.html"].read_text(encoding="utf-8"))
    assert page.open == []
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    assert len(page.sources) == 1
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert {"table1", "table3", "figure9", "differences"} <= set(page.ids)


def test_the_page_lists_what_differs_and_leaves_times_aside(report):
    source = report["report.html"].read_text(encoding="utf-8")
    assert "<h2>Figure 9: Toys &lt;&amp; others&gt;</h2>" in source
    said = "\n".join(Page(source).texts)
    assert "CD-UCT on Sachs, SHD after pruning: 5.010" in said[: said.index("Times are of other machines")]
    assert "times faster" not in said
    assert "Figure 9: Toys <& others>" in said


def test_the_markdown_report_has_the_same_and_links_to_pictures(report, tmp_path):
    markdown = report["report.md"].read_text(encoding="utf-8")
    (picture,) = re.findall(r"!\[.*\]\((.*)\)", markdown)
    assert (tmp_path / "out" / picture).read_bytes().startswith(b"\x89PNG")
    assert "- CD-UCT on Sachs, SHD after pruning: 5.010" in markdown
    assert "times faster" not in markdown
    assert "](#table-1-construction-and-pruning-different-variances)" in markdown


def test_the_overview_counts_runs_once_and_tells_their_time(store_of):
    uct = study(TABLE1, "Sachs", "cd-uct")
    trials = [record(next(uct.tuning.tasks(each))) for each in uct.tuning.grid]
    # The full budget of figure 2 is that of table 1.
    runs = [record(task, seconds=3600.0) for task in uct.tasks(uct.tuning.grid[0], 2)]
    of_report = sections([TABLE1, EXPERIMENTS["figure2"]], store_of(*trials, *runs))
    said = overview(of_report, store_of(*trials, *runs))
    assert said[0] == "Runs: 2 for the tables and figures, and 4 to choose settings."
    assert said[1] == "Made from 2026-11-16 09:42 to 2026-11-16 09:42 UTC."
    assert said[2].startswith("Time on processors: 4:00:12 (h:mm:ss), which is 0.167 days; ")
    assert "1,736 days" in said[2]
    assert "dagsearch 0.1.0, python 3.11.7" in said[3]


def test_the_overview_counts_agreement(partial_store):
    of_report = sections([TABLE1, EXPERIMENTS["table3"]], partial_store)
    table = of_report[0].table
    verdicts = Counter(entry.difference.exceeds for entry in table.entries if entry.difference)
    said = overview(of_report, partial_store)[-1]
    assert said.startswith(f"Of {verdicts.total()} cells")
    assert f"{verdicts[False]} agree" in said
    assert f"{verdicts[True]} differ" in said
    assert verdicts[None] == 7


def test_sections_tell_runs_and_seeds(partial_store):
    (section,) = sections([TABLE1], partial_store)
    n_planned = sum(len(list(each.tasks())) for each in TABLE1.studies)
    assert section.what_was_run.startswith(f"15 of {n_planned:,} runs, seeds 0 to 4,158 in steps of 42; tuned")


def test_an_empty_store_gives_a_report_of_what_was_not_run(store_of, tmp_path, monkeypatch):
    # Empty panels of all figures: drawn once by the next test.
    monkeypatch.setattr("dagsearch.experiments.output.page.render", lambda *_: b"picture")
    written = write_report(EXPERIMENTS.values(), store_of(), tmp_path / "out")
    page = Page(written[-1].read_text(encoding="utf-8"))
    said = Counter(page.texts)
    n_studied = sum(
        entry.cell.mark == "" for each in EXPERIMENTS.values() for entry in table_of(each, store_of()).entries
    )
    assert said["not run"] == n_studied > 300
    assert said["Nothing was run yet."] == 6
    assert "Nothing was run yet: all numbers below are the paper's." in said
    assert "None so far." in said


def test_empty_panels_can_be_drawn(store_of):
    figure3 = EXPERIMENTS["figure3"]
    of_panels = drawings(figure3, findings(figure3, store_of()))
    assert b"not run" in figures.render(of_panels, "svg")
