"""Figures, files and the report of experiments."""

import csv
import io
import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product

import pytest
from experiment_output import (
    TABLE1,
    record,
    study,
    table_of,
    tasks,
)
from scipy import stats

from dagsearch.errors import InputError, MissingExtraError
from dagsearch.experiments.output import figures, write_output, write_report
from dagsearch.experiments.output.claims import claims
from dagsearch.experiments.output.curves import Drawing, drawings, points_csv
from dagsearch.experiments.output.notes import figure_notes
from dagsearch.experiments.output.sections import overview, sections
from dagsearch.experiments.output.summary import Curve, Point, curves, findings
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment, Panel, Study, Tuning
from dagsearch.experiments.task import Task, settings

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
    with pytest.raises(MissingExtraError, match=r"drawing figures needs .* pip install '\.\[plot\]'"):
        write_output([small_figure(), TABLE1], partial_store, tmp_path / "out")
    written = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert written == {"table1.md", "table1.tex", "table1.csv", "figure9.csv"}


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_report_says_so(partial_store, tmp_path):
    written = write_report([small_figure()], partial_store, tmp_path / "out")
    assert [path.name for path in written] == ["report.md", "report.html"]
    assert "pip install &#x27;.[plot]&#x27;" in written[1].read_text(encoding="utf-8")
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


def test_each_version_is_named_once(store_of):
    first, second = tasks(TABLE1, "Sachs", "cd-uct", 2)
    store = store_of(record(first), replace(record(second), versions="dagsearch 0.1.0, python 3.12.1"))
    (said,) = [fact for fact in overview(sections([TABLE1], store), store) if fact.startswith("Versions")]
    assert said == "Versions: dagsearch 0.1.0, python 3.11.7, python 3.12.1."
