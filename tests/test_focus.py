"""Looking at what is near some variables: in Python, in pictures, in the terminal."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import run, succeed
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch import DAG, PDAG, InputError, UnknownNameError
from dagsearch.graph import CyclicGraph, neighbourhood, read_graph
from dagsearch.graph.focus import Focus, focus_of
from dagsearch.graph.marks import EdgeMark
from dagsearch.report import draw, write_graph
from dagsearch.report.sketch import sketch
from dagsearch.report.svg import graph_svg

SVG = "{http://www.w3.org/2000/svg}"
CHAIN = DAG.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "c")], names=[*"abcde", "alone"])
NEAR_B = "focus on b: 3 of 6 variables and 3 of 5 edges are shown"


# ---------------------------------------------------------------- graphs


def test_a_neighbourhood_has_direct_causes_and_effects():
    assert CHAIN.neighbourhood("b") == ["a", "b", "c"]
    assert CHAIN.neighbourhood(["a", "e"]) == ["a", "b", "c", "d", "e"]
    assert CHAIN.neighbourhood("e", distance=2) == ["c", "d", "e"]
    assert CHAIN.neighbourhood("alone", distance=9) == ["alone"]
    assert neighbourhood(CHAIN, "b") == {0, 1, 2}
    assert neighbourhood(CHAIN, 4, 0) == {4}


def test_undirected_edges_and_cycles_lead_to_neighbours_too():
    assert PDAG.from_edges([("a", "b")], [("b", "c"), ("c", "d")]).neighbourhood("b") == ["a", "b", "c"]
    cycle = CyclicGraph([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    assert cycle.neighbourhood("x0") == ["x0", "x1", "x2"]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), n_nodes=st.integers(1, 12), distance=st.integers(0, 4))
def test_distances_are_those_of_networkx(seed, n_nodes, distance):
    rng = np.random.default_rng(seed)
    graph = DAG(np.triu(rng.random((n_nodes, n_nodes)) < 0.25, 1).astype(int))
    start = int(rng.integers(n_nodes))
    undirected = graph.to_networkx().to_undirected()
    near = nx.single_source_shortest_path_length(undirected, graph.names[start], cutoff=distance)
    assert set(graph.neighbourhood(start, distance)) == set(near)


@pytest.mark.parametrize(
    ("names", "distance", "error", "message"),
    [
        ("bb", 1, UnknownNameError, "unknown node 'bb': choose from a, b, c, d, e, alone. Did you mean 'b'?"),
        ("b", -1, InputError, "distance must be a whole number from 0 on, got -1"),
        ("b", 1.5, InputError, "distance must be a whole number from 0 on, got 1.5"),
        (9, 1, InputError, "node index must be between 0 and 5, got 9"),
    ],
)
def test_wrong_neighbourhoods_are_refused(names, distance, error, message):
    with pytest.raises(error) as caught:
        CHAIN.neighbourhood(names, distance)
    assert str(caught.value) == message


def test_a_focus_is_none_one_name_or_several():
    assert focus_of(None) is None
    assert focus_of(()) is None
    assert focus_of("a") == focus_of(["a", "a"]) == Focus(("a",), 1)
    with pytest.raises(InputError, match="focus_distance must be a whole number from 1 on, got 0"):
        focus_of("a", 0)
    with pytest.raises(InputError, match=r"focus must be a name or several, got \[1\]"):
        focus_of([1])


def test_a_message_on_an_unknown_name_among_many_stays_short():
    graph = DAG(np.zeros((200, 200)), [f"gene_{k}" for k in range(200)])
    with pytest.raises(UnknownNameError, match=r"gene_39 and 160 more\. Did you mean 'gene_150'\?") as caught:
        graph.neighbourhood("Gene_150")
    assert len(str(caught.value)) < 600


# ---------------------------------------------------------------- pictures


def test_a_sketch_with_a_focus_has_all_edges_among_near_variables_and_says_so():
    drawn = sketch(CHAIN, focus=Focus(("b",)))
    assert drawn.names == ("a", "b", "c")
    assert [(stroke.cause, stroke.effect) for stroke in drawn.strokes] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert drawn.caption == drawn.left_out == NEAR_B
    assert NEAR_B in ET.fromstring(graph_svg(drawn)).get("aria-label")


def test_a_focus_on_a_variable_without_edges_shows_it_alone():
    drawn = sketch(CHAIN, focus=Focus(("alone",), 3))
    assert drawn.names == ("alone",)
    assert drawn.caption == "focus on alone (up to 3 edges away): 1 of 6 variables and 0 of 5 edges are shown"
    assert len(ET.fromstring(graph_svg(drawn)).findall(f".//{SVG}rect")) == 1


def test_missing_edges_count_as_near():
    truth = DAG.from_edges([("e", "a")], names=CHAIN.names)
    drawn = sketch(CHAIN, truth=truth, focus=Focus(("a",)))
    assert drawn.names == ("a", "b", "c", "e")
    assert ("e", "a", "missing") in {(stroke.cause, stroke.effect, stroke.kind) for stroke in drawn.strokes}


def test_effects_are_written_beside_the_few_edges_of_a_focus():
    n_nodes = 60
    graph = DAG.from_edges([(f"v{k}", f"v{k + 1}") for k in range(n_nodes)])
    marks = {edge: EdgeMark(coefficient=0.5) for edge in graph.edges}
    assert not any(stroke.label for stroke in sketch(graph, marks=marks).strokes)
    assert all(stroke.label == "+0.50" for stroke in sketch(graph, marks=marks, focus=Focus(("v3",))).strokes)


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_pictures_take_a_focus(tmp_path, suffix):
    pytest.importorskip("pygraphviz")
    whole = draw(CHAIN, tmp_path / f"whole{suffix}").read_bytes()
    part = draw(CHAIN, tmp_path / f"part{suffix}", focus="b").read_bytes()
    wider = draw(CHAIN, tmp_path / f"wider{suffix}", focus=["b"], focus_distance=2).read_bytes()
    assert len({whole, part, wider}) == 3
    if suffix == ".svg":
        assert NEAR_B.encode() in part
        assert b">d<" not in part
        assert b">d<" in wider
        assert b">e<" not in wider


def test_the_variable_in_focus_has_a_thick_border():
    root = ET.fromstring(graph_svg(sketch(CHAIN, focus=Focus(("b",)))))
    thick = [node.find(f"{SVG}title").text for node in root.iter(f"{SVG}g") if node.get("class") == "ds-node focus"]
    assert thick == ["b"]


def test_graphviz_draws_every_variable_once_when_one_is_in_focus(tmp_path):
    pytest.importorskip("pygraphviz")
    name = 'a\n"b" \\ & &lt;'
    text = draw(DAG.from_edges([(name, "c")]), tmp_path / "g.svg", focus=name).read_text(encoding="utf-8")
    assert text.count('class="node"') == 2


def test_a_long_hostile_name_in_focus_is_cut_and_escaped():
    name = "<script>\n" + "x" * 500
    drawn = sketch(DAG.from_edges([(name, "b")]), focus=Focus((name,)))
    assert len(drawn.caption) < 120
    assert "\n" not in drawn.caption
    assert not list(ET.fromstring(graph_svg(drawn)).iter(f"{SVG}script"))


def test_an_unknown_focus_is_refused_with_a_suggestion(tmp_path):
    with pytest.raises(UnknownNameError, match=r"unknown variable to focus on 'alon'.* Did you mean 'alone'\?"):
        draw(CHAIN, tmp_path / "g.svg", focus=["a", "alon"])
    assert list(tmp_path.iterdir()) == []


def test_only_the_picture_of_written_files_has_the_focus(tmp_path):
    for path in write_graph(CHAIN, tmp_path, focus="b"):
        if path.suffix != ".svg":
            assert set(read_graph(path).edges) == set(CHAIN.edges)
    assert NEAR_B in (tmp_path / "graph.svg").read_text(encoding="utf-8")


# ---------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=400)}
    for cause, effect in ("ab", "bc", "cd", "de"):
        columns[effect] = 1.5 * columns[cause] + rng.normal(size=400)
    path = tmp_path_factory.mktemp("focus") / "table.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


FAST = ("--method", "greedy", "--score", "bic-linear", "--confidence", "none", "--seed", "1")


def test_the_command_lists_what_is_near_and_saves_everything(table, tmp_path):
    whole = json.loads(succeed("discover", table, *FAST, "--json", "-"))
    printed = succeed("discover", table, *FAST, "--focus", "b", "--out", tmp_path, "--json", tmp_path / "result.json")
    n_edges = len(whole["edges"])
    near = {name for edge in whole["edges"] if "b" in edge for name in edge}
    n_near = sum(set(edge) <= near for edge in whole["edges"])
    assert 0 < n_near < n_edges
    assert f"  focus on b: {n_near} of {n_edges} edges" in printed.splitlines()
    listed = [line for line in printed.splitlines() if " <- " in line]
    assert sum(line.count(" sd)") for line in listed) == n_near
    assert {line.split()[0] for line in listed} <= near
    assert json.loads((tmp_path / "result.json").read_text())["edges"] == whole["edges"]
    assert read_graph(tmp_path / "graph.csv").n_edges == n_edges
    assert "focus on b" in (tmp_path / "graph.svg").read_text(encoding="utf-8")


def test_a_larger_distance_lists_more(table):
    near, far = (succeed("discover", table, *FAST, "--focus", "a", "--focus-distance", n) for n in (1, 2))
    assert "  focus on a: 1 of 4 edges" in near
    assert "  focus on a (up to 2 edges away): 2 of 4 edges" in far


@pytest.mark.parametrize("method", ["greedy", "all"])
def test_an_unknown_variable_is_refused_before_the_fit(table, monkeypatch, method):
    monkeypatch.setattr("dagsearch.estimators.GreedySearch.fit", lambda *_: pytest.fail("was fitted"))
    result = run("discover", table, "--method", method, "--focus", "a", "--focus", "B")
    assert result.exit_code == 2
    assert "unknown variable to focus on 'B': choose from a, b, c, d, e. Did you mean 'b'?" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_distance_below_one_is_wrong_use(table):
    result = run("discover", table, "--focus", "a", "--focus-distance", "0")
    assert result.exit_code == 2
    assert "--focus-distance" in result.stderr


def test_compare_lists_the_edges_near_a_variable_with_their_verdicts(tmp_path):
    found, truth = tmp_path / "found.csv", tmp_path / "truth.csv"
    found.write_text("cause,effect\na,b\nc,b\nd,e\n", encoding="utf-8")
    truth.write_text("cause,effect\na,b\nb,c\nb,d\nd,e\n", encoding="utf-8")
    printed = succeed("compare", found, truth, "--focus", "b")
    assert printed.splitlines()[-4:] == [
        "focus on b: 4 of 5 variables and 3 of 4 edges are shown",
        "  a -> b  right",
        "  c -> b  reversed",
        "  b -> d  missing",
    ]
    plain = succeed("compare", found, truth)
    assert printed.startswith(plain)
    assert "focus" not in succeed("compare", found, truth, "--focus", "b", "--json", "-")
    refused = run("compare", found, truth, "--focus", "bb")
    assert refused.exit_code == 2
    assert "Did you mean 'b'?" in refused.stderr
    assert refused.stdout == ""
