"""What the page says: conditions, units, names of any length, numbers as fine as eyes can tell, where it opens."""

import html
import json

import numpy as np
import pandas as pd
import pytest
from common import run
from hypothesis import given
from hypothesis import strategies as st
from test_page import read, table

import dagsearch as ds
from dagsearch._visible import shortened
from dagsearch.causal_effects import DirectEffect
from dagsearch.graph.focus import Focus
from dagsearch.report.layout.text import label_of
from dagsearch.report.page.compared import write_comparison
from dagsearch.report.page.markup import as_data
from dagsearch.report.page.rounding import as_drawn
from dagsearch.report.page.words import brief, unit_of


def said_by(model, path, **settings):
    _, outline, data = read(model.report(path, **settings))
    return " ".join(outline.text), outline, data


@pytest.fixture(scope="module")
def linear():
    """A chain of three names, two of which differ at their ends alone; the data leave its directions open."""
    names = [f"{'concentration of a substance in the blood, ' * 2}{unit}" for unit in ("mg/dl", "mmol/l")]
    values = np.random.default_rng(0).normal(size=(200, 3))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 1]
    return ds.GES(score="bic-linear").fit(pd.DataFrame(values, columns=["age", *names]))


# ------------------------------------------------------------------ sentences


def test_an_effect_along_an_open_edge_is_said_on_condition(linear, tmp_path):
    _, _, data = said_by(linear, tmp_path / "page.html")
    for edge in data["graph"]["edges"]:
        assert not edge["directed"]
        assert edge["sentences"][0].startswith("The direction is open; this holds if it is")
        assert edge["sentences"][1].startswith("One unit more of")


def test_the_slider_reaches_the_strongest_effect(linear, tmp_path):
    _, outline, data = said_by(linear, tmp_path / "page.html")
    slider = next(each for tag, each in outline.elements if tag == "input" and each.get("id") == "threshold")
    strongest = max(edge["strength"] for edge in data["graph"]["edges"])
    assert strongest <= float(slider["max"]) <= strongest + 0.1


def test_shapes_of_residuals_are_called_of_use_where_the_score_uses_them(linear, tmp_path):
    assert said_by(linear, tmp_path / "a.html")[2]["shape"] == ""
    assert "help to find directions" in said_by(ds.OrderSearch().fit(table()), tmp_path / "b.html")[2]["shape"]


def test_what_hangs_on_the_scale_is_said_of_numbers_and_what_hangs_on_levels_of_categories(linear, tmp_path):
    levels = pd.DataFrame(np.random.default_rng(0).integers(0, 2, size=(60, 3)).astype(str), columns=list("abc"))
    of_levels, _, _ = said_by(ds.GreedySearch().fit(levels), tmp_path / "page.html")
    of_lines, _, _ = said_by(linear, tmp_path / "lines.html")
    of_numbers, _, _ = said_by(ds.OrderSearch().fit(table()), tmp_path / "numbers.html")
    assert "Levels." in of_levels
    assert "Scale." not in of_levels
    assert "Scale." in of_numbers
    assert "told by shapes" in of_numbers
    assert "Influences are taken for straight lines" in of_lines


def test_a_graph_without_edges_has_no_key_and_no_probability_of_zero(tmp_path):
    noise = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=list("abc"))
    said, _, _ = said_by(ds.ExactSearch(score="bic-linear", confidence="posterior").fit(noise), tmp_path / "page.html")
    assert "more of the effect" not in said
    assert "has a probability of 0%" not in said


def test_the_unit_of_the_largest_change_names_both_levels():
    known = {"coefficient": None, "standardised": None, "kind": "difference", "outcome": None, "is_open": False}
    known |= {"rising": None, "adjusts_for": (), "n_rows": 9}
    both = DirectEffect("diet", "mood", contrasts={"fish -> good": 0.2, "meat -> bad": -0.4}, reference="none", **known)
    assert unit_of(both) == "of P(mood = bad), for diet = meat instead of none; the largest of 2 changes"
    number = DirectEffect("diet", "weight", contrasts={"fish": -2.0, "meat": 1.0}, reference="none", **known)
    assert unit_of(number) == "of weight, for diet = fish instead of none; the largest of 2 changes"
    level = DirectEffect("dose", "mood", contrasts={"good": 0.1, "bad": -0.2, "so": 0.1}, reference=None, **known)
    assert unit_of(level) == "of P(mood = bad), per unit of dose; the largest of 3 changes"


# ------------------------------------------------------------------ names


@given(st.text(max_size=80), st.integers(1, 30))
def test_a_shortened_name_fits_and_keeps_both_ends(name, longest):
    short = shortened(name, longest)
    assert len(short) <= max(longest, 1)
    assert (short == name) == (len(name) <= longest)
    if len(name) > longest >= 3:
        assert (short[0], short[-1]) == (name[0], name[-1])


def test_long_names_are_short_in_tables_and_still_told_apart(linear, tmp_path):
    _, outline, data = said_by(linear, tmp_path / "page.html")
    names = data["graph"]["names"]
    assert max(map(len, names)) > 80
    listed = [text for text in outline.text if "\u2014" in text and "concentration" in text]
    cells = [text for text in listed if not text.startswith("In the table")]
    assert cells
    assert all(len(cell) <= 140 for cell in cells)
    assert {"mg/dl", "mmol/l"} <= {brief(name).rsplit(", ", 1)[-1] for name in names}
    assert len({label_of(name) for name in names}) == 3
    titles = [each["title"] for tag, each in outline.elements if tag == "th" and "title" in each]
    assert any(all(name in title for name in names[1:]) for title in titles)


# ------------------------------------------------------------------ numbers


def test_values_that_differ_by_little_still_differ_in_the_picture():
    """A year, a pressure or a time has more digits before its differences than other numbers have in all."""
    noise = np.random.default_rng(0).normal(size=200)
    record = {"x": list(1.6e9 + noise), "grid": [1.6e9 - 2, 1.6e9 + 2], "y": [None, *noise], "kind": "curve"}
    drawn = json.loads(as_data(as_drawn(record, ("x", "grid"), ("y", "fit"))))
    np.testing.assert_allclose(drawn["x"], record["x"], rtol=0, atol=1e-3)
    assert drawn["grid"] == [1.6e9 - 2, 1.6e9 + 2]
    assert drawn["y"][0] is None
    assert drawn["kind"] == "curve"
    assert len(as_data(drawn["y"])) < 9 * 201


@pytest.mark.parametrize("values", [[], [3.0], [7.0, 7.0], [None], [0.0, 1e-310], [-1.7e308, 1.7e308], [[1.0, 2.0]]])
def test_numbers_of_any_size_can_be_drawn(values):
    assert len(json.loads(as_data(as_drawn({"x": values}, ("x",))))["x"]) == len(values)


def test_rewards_of_the_search_keep_their_last_digits(tmp_path):
    model = ds.OrderSearch(random_state=0, trace=True).fit(table())
    _, _, data = said_by(model, tmp_path / "page.html")
    assert [each["reward"] for each in data["trace"]["improvements"]] == [
        pytest.approx(each.reward, abs=1e-9) for each in model.trace_.improvements
    ]


# ------------------------------------------------------------------ where it opens, and what it is called


def test_the_page_opens_with_the_variable_that_was_asked_for(linear, tmp_path):
    _, _, data = said_by(linear, tmp_path / "page.html", focus="age")
    assert [data["graph"]["names"][node] for node in data["graph"]["focus"]] == ["age"]
    assert said_by(linear, tmp_path / "page.html")[2]["graph"]["focus"] == []
    with pytest.raises(ds.UnknownNameError, match="variable to focus on"):
        linear.report(tmp_path / "page.html", focus="aeg")


def test_the_heading_has_the_name_of_the_file_and_not_its_folder(tmp_path):
    source, target = tmp_path / "data.csv", tmp_path / "page.html"
    table().to_csv(source, index=False)
    outcome = run("discover", source, "--score", "bic-linear", "--focus", "dose", "--report", target)
    assert outcome.exit_code == 0, outcome.output
    _, outline, data = read(target)
    assert "Causal graph of data.csv" in outline.text
    assert [text for text in outline.text if str(tmp_path) in text] == [
        text for text in outline.text if text.startswith("dagsearch discover")
    ]
    assert [data["graph"]["names"][node] for node in data["graph"]["focus"]] == ["dose"]


def test_two_graphs_are_shown_around_a_variable_and_judged_as_a_whole(tmp_path):
    files = {"found": [("a", "b"), ("b", "c"), ("d", "e")], "true": [("a", "b"), ("e", "d"), ("c", "d")]}
    for name, edges in files.items():
        pd.DataFrame(edges, columns=["cause", "effect"]).to_csv(tmp_path / f"{name}.csv", index=False)
    target = tmp_path / "page.html"
    outcome = run("compare", tmp_path / "found.csv", tmp_path / "true.csv", "--focus", "b", "--report", target)
    assert outcome.exit_code == 0, outcome.output
    _, outline, _ = read(target)
    said = html.unescape(" ".join(outline.text))
    assert "Focus on b: 3 of 5 variables and 2 of 4 edges are shown." in said
    assert "found.csv has 3 edges" in said
    assert sum((each.get("class") or "").split()[:1] == ["ds-node"] for _, each in outline.elements) == 6


def test_a_focus_on_nobody_is_refused_before_a_page_is_written(tmp_path):
    graph = ds.DAG.from_edges([("a", "b")], names=("a", "b"))
    with pytest.raises(ds.UnknownNameError, match="variable to focus on"):
        write_comparison(graph, graph, tmp_path / "page.html", focus=Focus(("z",)))
    assert list(tmp_path.iterdir()) == []
