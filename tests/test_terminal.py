"""What people see in a terminal of any width, and what lies in the folder afterwards."""

import csv
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import run, succeed

import dagsearch as ds
from dagsearch.graph import DAG
from dagsearch.graph.export import from_file, to_dot
from dagsearch.graph.marks import MOST_LABELLED, EdgeMark, short_number
from dagsearch.report import write_graph
from dagsearch.report.directions import marks_of
from dagsearch.report.sketch import sketch
from dagsearch.report.terminal import as_text, terminal_width, wrapped
from dagsearch.report.terminal.next_steps import next_steps

QUICK = ("--method", "order", "--score", "bic-linear", "--confidence", "none")


def table(n_rows=400, n_alone=3):
    """y = -0.8 x + noise, its effect on w, and columns that have nothing to do with it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n_rows)
    y = -0.8 * x + rng.normal(size=n_rows)
    w = y + rng.normal(size=n_rows)
    alone = {f"alone{k}": rng.normal(size=n_rows) for k in range(n_alone)}
    return pd.DataFrame({"x": x, "y": y, "w": w, **alone})


@pytest.fixture(scope="module")
def model():
    known = ds.Knowledge(required=[("x", "y"), ("y", "w")])
    return ds.OrderSearch(score="bic-linear", random_state=0, knowledge=known).fit(table())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    table().to_csv("table.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("width", [40, 80])
def test_text_fits_the_width_and_says_the_same(model, width):
    data = ds.as_dataset(table())
    plain, narrow = (as_text(model, data, "table.csv", width=each) for each in (None, width))
    assert max(map(len, narrow.splitlines())) <= width
    assert narrow.split() == plain.split()


@pytest.mark.parametrize("width", [40, 80])
def test_the_comparison_with_a_truth_and_probabilities_fit_the_width(width):
    data = ds.datasets.load("sachs")
    fit = ds.OrderSearch(score="bic-linear", random_state=0, confidence="bootstrap", n_replicates=2).fit(data)
    text = as_text(fit, data, "sachs", width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "SHD" in text
    assert "How sure" in text


def test_causes_have_signed_effects_and_the_numbers_are_explained(model):
    lines = as_text(model, ds.as_dataset(table()), "table.csv").split("After pruning")[-1].splitlines()
    effects = {each.effect: each for each in model.effects_}
    expected = f"  y <- x ({short_number(effects['y'].coefficient)}, {short_number(effects['y'].standardised)} sd)"
    assert expected in lines
    assert effects["y"].coefficient < 0
    assert "  without causes: x" in lines
    assert "  not connected: alone0, alone1, alone2" in lines
    assert any(line.startswith("In brackets: what one unit more of the cause changes") for line in lines)
    assert any(line.startswith("reward: higher is better") for line in lines)


def test_many_isolated_variables_take_one_line():
    data = ds.as_dataset(table(n_alone=60))
    fit = ds.OrderSearch(score="bic-linear", random_state=0).fit(data)
    (line,) = [line for line in as_text(fit, data, "t").splitlines() if line.startswith("  not connected:")][-1:]
    assert "alone0, " in line
    assert line.endswith(" more")
    assert len(line) < 250


def test_lines_are_broken_where_a_terminal_or_the_environment_says_so(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert terminal_width() is None
    monkeypatch.setenv("COLUMNS", "52")
    assert terminal_width() == 52
    assert wrapped(["  y <- first (1.0), second (2.0)"], 24) == "  y <- first (1.0),\n      second (2.0)"
    assert wrapped(["averyveryverylongname"], 10) == "averyveryverylongname"


def test_categories_and_curves_are_listed_in_words():
    rng = np.random.default_rng(3)
    z, smokes = rng.uniform(-2, 2, 800), rng.choice(["no", "yes"], 800)
    group = rng.choice(["p", "q", "r"], 800)
    w = z**2 + 1.5 * (smokes == "yes") + 3.0 * (group == "q") + 0.3 * rng.normal(size=800)
    data = ds.as_dataset(pd.DataFrame({"z": z, "smokes": smokes, "group": group, "w": w}))
    known = ds.Knowledge(required=[("z", "w"), ("smokes", "w"), ("group", "w")])
    fit = ds.OrderSearch(score="mixed", random_state=0, knowledge=known).fit(data)
    text = as_text(fit, data, "t")
    assert "smokes (yes +1.5, " in text
    assert "group (q +3.0, ...)" in text
    assert " sd, bends)" in text
    assert "bends: rises in some rows, falls in others." in text


def test_only_what_was_not_done_is_proposed(model, tmp_path):
    data = ds.as_dataset(table())
    assert next_steps(model, data, None) == (
        "next: --confidence bootstrap (how sure each edge is), --report FILE.html (a page to look at and to send), "
        "--out FOLDER (files and a picture), --truth FILE (compare with a known graph)"
    )
    assert f"dagsearch compare {tmp_path / 'graph.csv'} TRUTH" in next_steps(model, data, tmp_path)
    known = ds.datasets.load("sachs")
    fit = ds.OrderSearch(score="bic-linear", random_state=0, confidence="bootstrap", n_replicates=1).fit(known)
    assert next_steps(fit, known, tmp_path, tmp_path / "page.html") is None


# ---------------------------------------------------------------- JSON and files


@pytest.mark.usefixtures("folder")
def test_json_has_the_effects_with_their_signs():
    table()[["x", "y"]].to_csv("two.csv", index=False)
    record = json.loads(succeed("discover", "two.csv", *QUICK, "--json", "-"))
    assert [[each["cause"], each["effect"]] for each in record["effects"]] == record["pruned_edges"]
    assert record["effects"][0]["coefficient"] < 0
    assert record["effects"][0]["standardised"] == pytest.approx(np.corrcoef(table()["x"], table()["y"])[0, 1])


def test_files_have_effects_and_can_be_read_back(folder):
    text = succeed("discover", "table.csv", *QUICK, "--prune", "cam", "--out", "out")
    assert text.rstrip().splitlines()[-1].startswith("next: --confidence bootstrap")
    with (folder / "out" / "graph.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"coefficient", "standardised", "p_value"} <= set(rows[0])
    graph = from_file(folder / "out" / "graph.graphml")
    attributes = nx.read_graphml(folder / "out" / "graph.graphml").edges
    for row in rows:
        assert (row["cause"], row["effect"]) in graph.edges
        told = attributes[row["cause"], row["effect"]]
        assert float(row["coefficient"]) == pytest.approx(told["coefficient"], rel=1e-5)
        assert float(row["p_value"]) == pytest.approx(told["p_value"], rel=1e-5, abs=1e-300)
        assert f'label=" {short_number(told["coefficient"])} "' in (folder / "out" / "graph.dot").read_text()


def test_files_of_an_earlier_run_are_removed_and_others_are_not(folder):
    rng = np.random.default_rng(1)
    pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc")).to_csv("noise.csv", index=False)
    options = ("--method", "random-sampling", "--score", "bic-linear", "--edges", 2, "--confidence", "none")
    succeed("discover", "noise.csv", *options, "--out", "out")
    names = {path.name for path in (folder / "out").iterdir()}
    assert {"graph.csv", "pruned.csv"} <= names
    (folder / "out" / "notes.csv").write_text("mine")
    (folder / "out" / "pruned.txt").write_text("mine")
    result = run("discover", "noise.csv", *options, "--prune", "none", "--out", "out")
    assert result.exit_code == 0
    left = {path.name for path in (folder / "out").iterdir()}
    assert left == {name for name in names if name.startswith("graph.")} | {"notes.csv", "pruned.txt"}
    assert "removed pruned.dot, pruned.graphml, pruned.csv" in result.stderr
    assert "of an earlier run" in result.stderr


def test_pictures_have_numbers_only_where_they_can_be_read(model, tmp_path):
    marks = marks_of(model.dag_, effects=model.effects_along(model.dag_))
    drawn = sketch(model.dag_, marks=marks)
    assert [each.label for each in drawn.strokes] == [marks[each.cause, each.effect].label for each in drawn.strokes]
    assert drawn.caption == "numbers: change of the effect per unit of the cause"
    pytest.importorskip("matplotlib")
    picture = write_graph(model.dag_, tmp_path, effects=model.effects_)[-1]
    assert drawn.strokes[0].label in picture.read_text(encoding="utf-8").replace("\u2212", "-").replace("&#45;", "-")
    many = DAG(np.triu(np.ones((9, 9), dtype=int), 1))
    assert many.n_edges > MOST_LABELLED
    crowded = {edge: EdgeMark(coefficient=-0.8) for edge in many.edges}
    assert "label" not in to_dot(many, crowded)
    assert not any(each.label for each in sketch(many, marks=crowded).strokes)


def test_numbers_have_two_digits_and_a_sign():
    values = [-0.8, 0.8, 1.0, 12.3, -1234.0, 0.0123, 1e-7, 3e6, 0.0]
    shown = ["-0.80", "+0.80", "+1.0", "+12", "-1234", "+0.012", "+1.0e-07", "+3.0e+06", "0"]
    assert [short_number(value) for value in values] == shown
