"""What notebooks show: everything is escaped, small, self-contained and the same each time."""

import base64
import copy
import json
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from browser import chromium
from hypothesis import given, settings
from hypothesis import strategies as st
from notebook_cells import (
    HOSTILE,
    PICTURE,
    SVG,
    Shown,
    all_things,
    complete_dag,
    fitted,
    lines_of,
    shown,
    simulated,
    sure,
    traced,
)
from sklearn.base import BaseEstimator

import dagsearch as ds
from dagsearch._visible import clipped, visible
from dagsearch.diagnostics import MinEffectPath, PathEdge
from dagsearch.graph.marks import EdgeMark
from dagsearch.report.notebook import as_html, dataset, fit
from dagsearch.report.notebook.cells import bar
from dagsearch.report.notebook.picture import MOST_EDGES
from dagsearch.report.page.words import NONE, probability
from dagsearch.report.sketch import STYLES
from dagsearch.report.svg.colours import NEGATIVE, POSITIVE
from dagsearch.search.trace import Improvement, Trace

# ---------------------------------------------------------------- names


@pytest.mark.parametrize("first", range(len(HOSTILE)))
def test_hostile_names_are_shown_as_text(first):
    names = [*HOSTILE[first:], *HOSTILE[:first]][:3]
    for thing in all_things(names):
        assert len(shown(thing).html) < 20_000


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=3, max_size=3, unique=True))
@settings(max_examples=25)
def test_no_name_breaks_out(names):
    for thing in all_things(names):
        shown(thing)
    table = shown(ds.as_dataset(simulated(names)))
    assert table.rows[0][1:] == [clipped(visible(name), 24) for name in names]


def test_a_name_stands_where_it_is_written_whatever_its_direction():
    result = replace(fitted().result_, edges=[("\u05d0", "\u05d1")])
    assert "<bdi>\u05d0</bdi> \u200e→\u200e <bdi>\u05d1</bdi>" in as_html(result)


@pytest.mark.long
def test_a_browser_shows_names_as_text_and_arrows_from_left_to_right(tmp_path):
    cells = "".join(as_html(thing) for thing in all_things([*HOSTILE[:1], "\u05d0\u05d1", "\u05d2\u05d3"]))
    (tmp_path / "cells.html").write_text(f"<!doctype html><meta charset=utf-8>{cells}", encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page()
        asked = []
        page.on("dialog", lambda _: pytest.fail("a name was run as a program"))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "cells.html").as_uri())
        places = page.evaluate(
            "[...document.querySelectorAll('th')].map(e => [...e.querySelectorAll('bdi')]"
            ".map(each => each.getBoundingClientRect().left))"
        )
        assert all(left == sorted(left) for left in places)
        assert any(len(left) == 2 for left in places)
        assert [url for url in asked if not url.startswith("data:")] == [page.url]


# ---------------------------------------------------------------- small, alone, and the same each time


def test_a_graph_with_thousands_of_edges_is_told_rather_than_drawn():
    dag = complete_dag(200, 2000)
    seen = shown(dag)
    assert dag._repr_svg_() is None
    assert seen.pictures == []
    assert len(seen.html) < 5000
    assert "200 variables, 2,000 edges" in seen.text
    assert "more than 150 edges" in seen.text
    assert "focus='NAME'" in seen.text
    assert seen.rows[1] == ["variable 0", "0", "199"]


def test_the_largest_picture_is_small():
    dag = ds.DAG.from_edges([(f"variable {k}", f"variable {k // 2 + 500}") for k in range(MOST_EDGES)])
    assert len(dag._repr_svg_()) < 100_000
    assert len(shown(dag).pictures) == 1


def test_very_long_names_are_no_reason_for_a_large_picture():
    names = [f"{i}{'<' * 50_000}" for i in range(3)]
    for thing in all_things(names):
        assert len(shown(thing).html) < 50_000
    assert "the picture would be large" in shown(ds.DAG.from_edges([names[:2]])).text


def test_large_tables_and_long_lists_are_cut():
    names = [f"variable {i}" for i in range(300)]
    rng = np.random.default_rng(0)
    data = ds.as_dataset(rng.normal(size=(100_000, 20)))
    findings = tuple(ds.Finding((name,), "kind", "low", name * 100, name * 100) for name in names)
    metrics = ds.metrics.Metrics(dict.fromkeys(names, 1.0))
    decisions = traced(names).decisions * 1000
    improvements = tuple(Improvement(k, 0.1, float(k), 1, "orders", 0) for k in range(1000))
    path = MinEffectPath((0.0, 0.1), 0.1, tuple(PathEdge(name, "a", (1, 0)) for name in names))
    result = replace(fitted().result_, edges=[(name, "a") for name in names], notes=tuple(names))
    compared = ds.metrics.classify(complete_dag(200, 2000), complete_dag(200, 100))
    trace = Trace(decisions, improvements, (), 1000)
    things = [data, sure(names, 0.4, 0.3), ds.Audit(findings, 10, 300), metrics, trace, path, result, compared]
    sizes = {type(thing).__name__: len(shown(thing).html) for thing in things}
    assert all(size < 60_000 for size in sizes.values()), sizes
    assert "and 8 variables more" in shown(data).text
    assert [row[0] for row in shown(trace).rows[1:9]] == ["0", "143", "285", "428", "571", "714", "856", "999"]
    assert shown(compared).rows[1] == ["variable 1", "1", "0", "198", "0"]


def test_neither_graphviz_nor_matplotlib_is_needed(monkeypatch):
    for module in ("pygraphviz", "graphviz", "matplotlib"):
        monkeypatch.setitem(sys.modules, module, None)
    for thing in all_things(["a", "b", "c"]):
        shown(thing)


def test_a_picture_alone_is_the_one_in_html():
    dag = ds.DAG.from_edges([("a", "b")], names=["a", "b", "c"])
    svg = dag._repr_svg_()
    assert f'src="{PICTURE}{base64.b64encode(svg.encode()).decode()}"' in dag._repr_html_()
    assert ET.fromstring(svg).find(f"{SVG}rect").get("fill") == "white"
    assert svg == copy.deepcopy(dag)._repr_svg_()


def test_a_graph_without_nodes_or_edges_is_shown():
    assert "0 variables, 0 edges" in shown(ds.DAG(np.zeros((0, 0), dtype=int))).text
    assert ds.DAG(np.zeros((0, 0), dtype=int))._repr_svg_() is None
    alone = ds.DAG(np.zeros((2, 2), dtype=int))
    assert len(list(shown(alone).pictures[0].iter(f"{SVG}text"))) == 2
    assert "Neither graph has an edge." in shown(ds.metrics.classify(alone, alone)).text


@pytest.mark.long
def test_nothing_is_loaded_before_it_is_shown():
    look = "print('dagsearch.report' in sys.modules)"
    program = f"import sys, dagsearch; dag = dagsearch.DAG.from_edges([(0, 1)]); {look}; dag._repr_html_(); {look}"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "True"]


def test_graphs_stay_without_a_dictionary_of_their_own():
    assert not hasattr(ds.DAG.from_edges([("a", "b")]), "__dict__")


# ---------------------------------------------------------------- estimators


@pytest.mark.parametrize("unfitted", [ds.GreedySearch(random_state=3), ds.Posterior()])
def test_what_is_not_fitted_has_the_diagram_of_scikit_learn(unfitted):
    assert as_html(unfitted) is None
    wanted = BaseEstimator._repr_mimebundle_(unfitted)
    got = unfitted._repr_mimebundle_(include=None, exclude=None)
    numbered = re.compile(r"sk-container-id-\d+|sk-estimator-id-\d+")
    assert got["text/plain"] == wanted["text/plain"]
    assert numbered.sub("", got["text/html"]) == numbered.sub("", wanted["text/html"])
    assert numbered.sub("", unfitted._repr_html_()) == numbered.sub("", wanted["text/html"])


def test_what_is_fitted_has_its_graph_unless_people_want_text():
    model = fitted()
    assert model._repr_mimebundle_(include=None) == {"text/plain": repr(model), "text/html": as_html(model)}
    assert model._repr_html_() == as_html(model)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_fit_shows_signs_and_open_directions():
    seen = shown(ds.GreedySearch(score="bic-linear", random_state=0).fit(simulated("abc")))
    assert sorted(lines_of(seen.pictures[0])) == sorted([(POSITIVE, False), (NEGATIVE, False)])
    assert "no arrowhead: direction open" in "".join(seen.pictures[0].itertext())
    assert seen.rows[0] == ["Edge", "Effect", "in sd"]
    assert {tuple(sorted(row[0].split(" — "))) for row in seen.rows[1:]} == {("a", "b"), ("b", "c")}


def test_a_fit_shows_how_sure_it_is_and_how_near_the_truth():
    table = replace(ds.as_dataset(simulated("abc", n=300)), truth=ds.DAG.from_edges([("a", "b"), ("a", "c")]))
    model = ds.OrderSearch(random_state=0, confidence="posterior", prune="cam").fit(table)
    seen = shown(model)
    assert seen.rows[0] == ["Edge", "Edge there", "Direction", "Effect", "in sd", "p-value", "Known graph"]
    by_edge = {row[0]: row for row in seen.rows[1:]}
    assert by_edge["a → b"][-1] == "right"
    assert by_edge["a → b"][1] == probability(float(model.confidence_.adjacency_probability[0, 1]))
    assert by_edge["a → b"][2] == "> 99% →"
    assert "Against the known graph: 1 right" in seen.text
    assert (NEGATIVE, True) in lines_of(seen.pictures[0])


def test_a_fit_says_when_it_ended_early_or_with_a_cycle():
    model = fitted()
    model.result_ = replace(model.result_, status="time-limit")
    assert "stopped by the time limit" in shown(model).text
    model.pruned_dag_ = model.dag_ = ds.CyclicGraph([[0, 1, 0], [0, 0, 1], [1, 0, 0]], ["a", "b", "c"])
    assert "It has a cycle: a → b → c → a" in shown(model).text


def test_pruned_edges_are_counted_and_marked():
    model = fitted()
    kept = replace(model.result_, pruned_edges=model.result_.edges[:1], settings={"prune": "cam", "score": "x"})
    seen = shown(kept)
    assert "1 of 2 edges kept by pruning" in seen.text
    assert [row[1] for row in seen.rows] == ["After pruning", "kept", "dropped"]


def test_effects_that_take_long_are_not_computed_for_show(monkeypatch):
    monkeypatch.setattr(fit, "_MOST_STEPS_LINEAR", 0)
    model = fitted()
    assert shown(model).rows[0] == ["Edge"]
    assert "model.effects_" in shown(model).text
    assert not model.knows_effects
    assert len(model.effects_) == 2
    assert model.knows_effects
    assert shown(model).rows[0] == ["Edge", "Effect", "in sd"]


def test_a_large_fit_has_the_strongest_edges():
    names = [f"v{i}" for i in range(30)]
    model = fitted(names, n=200)
    model.pruned_dag_ = complete_dag(30, 300).with_names(names)
    seen = shown(model)
    assert seen.pictures == []
    sizes = [row[-1] for row in seen.rows[seen.rows.index(["Edge", "Effect", "in sd"]) + 1 :]]
    strongest = sorted((effect.standardised for effect in model.effects_), key=abs, reverse=True)[:12]
    assert sizes == [f"{effect:+.2f}" for effect in strongest]
    assert "and 288 edges more" in seen.text


def test_a_posterior_shows_its_confidence():
    posterior = ds.Posterior(score="bic-linear", random_state=0).fit(simulated("abc"))
    assert as_html(posterior) == as_html(posterior.confidence_)


# ---------------------------------------------------------------- tables and results


def test_a_table_shows_its_beginning():
    frame = pd.DataFrame({"x": [24977.3, 0.5, np.nan, 3, 5e-9, 7, 8, 9], "sex": ["f", "m", "f", "m"] * 2})
    data = ds.as_dataset(frame, may_miss=True)
    was_set = np.zeros((8, 2), dtype=bool)
    was_set[1, 1] = True
    seen = shown(replace(data, was_set=was_set))
    assert seen.rows == [
        ["", "x", "sex"],
        ["kind", "continuous", "discrete"],
        ["missing", "12.5%", "0.0%"],
        ["set in rows", NONE, "1"],
        ["1", "24977", "f"],
        ["2", "0.5", "m"],
        ["3", NONE, "f"],
        ["4", "3", "m"],
        ["5", "5.000e-09", "f"],
        ["6", "7", "m"],
    ]
    assert "1 cell missing (6.2%); truth not known; 1 variable set by experiments, in 1 row." in seen.text
    assert '<strong title="set by an experiment"><bdi>m</bdi></strong>' in seen.html
    assert "truth known (1 edge)" in shown(replace(data, truth=ds.DAG.from_edges([("x", "sex")]))).text


@pytest.mark.parametrize(
    ("value", "said"), [(0.0, "0"), (-1234567.0, "-1234567"), (12345.678, "12346"), (-0.00012346, "-0.0001235")]
)
def test_numbers_are_written_as_people_write_them(value, said):
    assert dataset._number(value) == said


def test_confidence_shows_likely_pairs_and_open_directions():
    names = ("a", "b", "c")
    edges = np.array([[0, 0.999, 0.02], [0, 0, 0.3], [0.03, 0.3, 0]])
    seen = shown(ds.Confidence(names, edges, edges, "made up"))
    assert seen.rows == [
        ["Edge", "Edge there", "Direction", ""],
        ["a → b", "> 99%", "> 99% →", ""],
        ["b — c", "60%", "50% →", "open"],
    ]
    assert sorted(directed for _, directed in lines_of(seen.pictures[0])) == [False, True]
    assert "2 edges more likely than not, the direction of 1 open" in seen.text
    nothing = np.zeros((3, 3))
    assert "No pair of variables" in shown(ds.Confidence(names, nothing, nothing, "made up")).text


@pytest.mark.parametrize(
    ("forward", "backward", "said"),
    [(0.9, 0.0, "> 99% →"), (1.0, 0.0, "100% →"), (0.3, 0.6, "33% →"), (0.5, 1e-20, "> 99% →")],
)
def test_a_direction_is_certain_only_if_the_edge_is(forward, backward, said):
    mark = EdgeMark(adjacent=forward + backward, forward=forward, backward=backward)
    assert Shown(fit.direction(mark)).text == said


def test_a_bar_is_as_long_as_the_probability():
    assert "width:28px" in bar(0.5)
    assert bar(0.999).startswith("&gt; 99%")


def test_an_audit_shows_remedies_by_severity():
    frame = simulated("abc").assign(constant=1.0, twin=lambda table: 2 * table["a"])
    seen = shown(ds.audit(frame))
    severities = [row[0].removeprefix("● ") for row in seen.rows[1:]]
    assert severities == sorted(severities, key=["high", "medium", "low"].index)
    assert any("'constant' holds one value only" in row[2] and "drop the column" in row[2] for row in seen.rows[1:])
    assert "Nothing found" in shown(ds.Audit((), 10, 3)).text


def test_a_comparison_is_a_dictionary_like_any_other():
    compared = ds.metrics.compare([("a", "b")], [("a", "b"), ("b", "c")])
    plain = dict(compared)
    assert type(plain) is dict
    assert isinstance(compared, dict)
    assert compared == plain
    assert repr(compared) == repr(plain)
    assert json.loads(json.dumps(compared)) == plain
    for twin in (pickle.loads(pickle.dumps(compared)), copy.deepcopy(compared)):
        assert twin == plain
        assert as_html(twin) == as_html(compared)
    assert {**compared, "more": 1} == {**plain, "more": 1}
    rows = shown(compared).rows
    assert dict(zip(*rows[:2], strict=True)) | dict(zip(*rows[2:], strict=True)) == {
        "TPR": "0.500", "FDR": "0.000", "SHD": "1", "precision": "1.000", "recall": "0.500", "F1": "0.667",
        "SID": "2", "ancestor AID": "2", "edges": "1", "true edges": "2", "right": "1", "reversed": "0", "extra": "0",
        "missing": "1",
    }  # fmt: skip


def test_verdicts_have_their_colours():
    found = ds.DAG.from_edges([("a", "b"), ("c", "b"), ("a", "d")], names=list("abcde"))
    seen = shown(ds.metrics.classify(found, [("a", "b"), ("b", "c"), ("c", "d")]))
    wanted = [STYLES[verdict].colour for verdict in ("right", "reversed", "extra", "missing")]
    assert sorted(colour for colour, _ in lines_of(seen.pictures[0])) == sorted(wanted)
    assert "1 right, 1 reversed, 1 extra, 1 missing" in seen.text
    assert "not shown: 1 variable without an edge" in "".join(seen.pictures[0].itertext())


def test_a_trace_shows_changes_of_mind():
    seen = shown(traced(["a", "b"]))
    assert seen.rows[-1] == ["1", "2", "a → b", "\N{MINUS SIGN} a → b; + a → b"]
    assert "1 decision, 1 change of mind, 1 improvement" in seen.text


def test_effects_are_told_in_words():
    model = fitted()
    cause, effect = model.dag_.edges[0]
    said = shown(ds.effects(model, cause, effect, n_bootstrap=0)).text
    assert f"One unit more of {cause} changes {effect} by" in said
    assert "One unit more of" in shown(model.effects_[0]).text


def test_ipython_finds_what_is_shown():
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    display = formatters.DisplayFormatter()
    for thing in [*all_things(["a", "b", "c"]), fitted(), ds.GreedySearch()]:
        bundle, _ = display.format(thing)
        assert bundle["text/html"] == (as_html(thing) or bundle["text/html"])
        assert ("image/svg+xml" in bundle) == isinstance(thing, ds.DAG | ds.PDAG | ds.CyclicGraph)
    bundle, _ = display.format(complete_dag(200, 2000))
    assert set(bundle) == {"text/plain", "text/html"}
