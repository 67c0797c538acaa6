"""How sure edges are, in files and pictures: files can be read back, and open directions have no arrowheads."""

from __future__ import annotations

import csv
import io
import sys
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from common import succeed

import dagsearch as ds
from dagsearch.confidence.result import Confidence
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.export import from_file, to_dot, to_edge_csv, to_graphml
from dagsearch.report import draw, write_graph
from dagsearch.report.directions import class_open_edges, marks_of, open_edges
from dagsearch.report.sketch import sketch

NAMES = ("a", 'say "b"', "c,d", "Größe", "alone")
FOUND = DAG.from_edges([(0, 1), (1, 2), (3, 2), (0, 3)], NAMES)
TRUTH = DAG.from_edges([(0, 1), (2, 1), (0, 4)], NAMES)


def sure(forward, backward, names=NAMES):
    """Probabilities of single edges, by their positions."""
    edges = np.zeros((len(names), len(names)))
    for (cause, effect), value in forward.items():
        edges[cause, effect] = value
    for (cause, effect), value in backward.items():
        edges[effect, cause] = value
    return Confidence(tuple(names), edges, edges, "made up")


# One is sure, one is likely but open, one is likely to point the other way, one is unlikely.
SURE = sure({(0, 1): 0.97, (1, 2): 0.6, (3, 2): 0.02, (0, 3): 0.2}, {(1, 2): 0.3, (3, 2): 0.95})
OPEN = [(NAMES[1], NAMES[2]), (NAMES[3], NAMES[2])]
CLASS = [OPEN[0]]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


# ---------------------------------------------------------------- which directions are open


def test_a_direction_is_open_unless_it_has_more_than_nine_tenths_of_the_probability_of_the_edge():
    marks = marks_of(FOUND, SURE)
    assert [edge for edge, mark in marks.items() if mark.is_open] == OPEN
    just = sure({(0, 1): 0.90}, {(0, 1): 0.10})
    assert marks_of(DAG.from_edges([(0, 1)], NAMES), just)[FOUND.edges[0]].is_open
    above = sure({(0, 1): 0.46}, {(0, 1): 0.04})
    assert not marks_of(DAG.from_edges([(0, 1)], NAMES), above)[FOUND.edges[0]].is_open


@pytest.mark.parametrize("seed", range(10))
def test_likely_edges_are_open_exactly_where_the_consensus_leaves_them_so(seed):
    rng = np.random.default_rng(seed)
    order = np.triu(rng.random((6, 6)), 1)
    share = rng.choice([0.3, 0.85, 0.95, 1.0], (6, 6))
    edges = order * share + (order * (1.0 - share)).T
    found = Confidence(tuple("abcdef"), edges, edges, "made up")
    dag = DAG(np.triu(np.ones((6, 6), dtype=int), 1), tuple("abcdef"))
    drawn = found.graph(threshold=0.0)
    arrows = set(drawn.directed_edges)
    assert {edge for edge, mark in marks_of(dag, found).items() if not mark.is_open} == arrows & set(dag.edges)


def test_what_the_class_leaves_open_is_open_however_sure_a_method_is_of_it():
    marks = marks_of(FOUND, SURE, [FOUND.edges[0][::-1]])
    assert [edge for edge, mark in marks.items() if mark.is_open] == [FOUND.edges[0], *OPEN]
    assert marks_of(FOUND) == {}
    assert not any(mark.is_open for mark in marks_of(FOUND, open_edges=[]).values())


def test_probabilities_are_those_of_the_edge_as_it_is_written():
    mark = marks_of(FOUND, SURE)[NAMES[3], NAMES[2]]
    assert mark[:4] == (True, pytest.approx(0.97), 0.02, 0.95)


def test_probabilities_of_other_variables_are_refused_before_anything_is_written(tmp_path):
    other = DAG.from_edges([("a", "z")])
    with pytest.raises(ds.InputError, match="confidence must be about the nodes of the graph, it knows no 'z'"):
        write_graph(other, tmp_path, confidence=SURE)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("confidence", [None, SURE])
@pytest.mark.parametrize(("suffix", "write"), [(".csv", to_edge_csv), (".graphml", to_graphml)])
def test_the_graph_that_is_read_back_is_the_same_with_marks(tmp_path, suffix, write, confidence):
    mixed = PDAG.from_edges([(0, 2), (1, 2)], [(2, 3)], NAMES)
    for graph in (FOUND, mixed):
        path = tmp_path / f"graph{suffix}"
        path.write_text(write(graph, marks_of(graph, confidence, CLASS)), encoding="utf-8")
        read = from_file(path)
        assert type(read) is type(graph)
        assert sorted(read.directed_edges) == sorted(graph.directed_edges)
        assert sorted(read.undirected_edges) == sorted(graph.undirected_edges)


def test_a_table_of_edges_has_columns_for_what_is_known():
    first, second, third, last = rows_of(to_edge_csv(FOUND, marks_of(FOUND, SURE)))
    assert list(first) == ["cause", "effect", "open", "adjacent", "forward", "backward"]
    assert first == {
        "cause": "a",
        "effect": 'say "b"',
        "open": "no",
        "adjacent": "0.9700",
        "forward": "0.9700",
        "backward": "0.0000",
    }
    by_edge = {(row["cause"], row["effect"]): row for row in (second, third, last)}
    assert [by_edge[edge]["open"] for edge in OPEN] == ["yes", "yes"]
    assert by_edge[OPEN[1]]["backward"] == "0.9500"
    without = rows_of(to_edge_csv(FOUND, marks_of(FOUND, open_edges=CLASS)))
    assert [list(row.values()) for row in without] == [
        [*edge, "yes" if edge in CLASS else "no"] for edge in FOUND.edges
    ]
    assert to_edge_csv(FOUND, {}) == to_edge_csv(FOUND)
    assert to_edge_csv(FOUND).splitlines()[0] == "cause,effect"


def test_graphml_has_attributes_that_networkx_reads_as_truth_values_and_numbers(tmp_path):
    (tmp_path / "g.graphml").write_text(to_graphml(FOUND, marks_of(FOUND, SURE)), encoding="utf-8")
    read = nx.read_graphml(tmp_path / "g.graphml")
    assert set(read) == set(NAMES)
    assert {edge for edge, is_open in nx.get_edge_attributes(read, "open").items() if is_open} == set(OPEN)
    for (cause, effect), value in nx.get_edge_attributes(read, "forward").items():
        assert value == SURE.edge_probability[NAMES.index(cause), NAMES.index(effect)]
        assert read[cause][effect]["adjacent"] == pytest.approx(value + read[cause][effect]["backward"])


def test_dot_takes_the_arrowheads_off_open_edges_and_draws_likely_ones_thicker():
    pygraphviz = pytest.importorskip("pygraphviz")
    read = pygraphviz.AGraph(string=to_dot(FOUND, marks_of(FOUND, SURE)))
    assert {tuple(edge) for edge in read.edges() if edge.attr["dir"] == "none"} == set(OPEN)
    widths = [float(read.get_edge(*edge).attr["penwidth"]) for edge in FOUND.edges]
    adjacent = [float(read.get_edge(*edge).attr["adjacent"]) for edge in FOUND.edges]
    assert np.argsort(widths, stable=True).tolist() == np.argsort(adjacent, stable=True).tolist()
    assert adjacent == pytest.approx([marks_of(FOUND, SURE)[edge].adjacent for edge in FOUND.edges])
    assert to_dot(FOUND, {}) == to_dot(FOUND)


def test_a_graph_with_cycles_has_marks_as_well(tmp_path):
    ring = CyclicGraph(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]]), NAMES[:3])
    files = write_graph(ring, tmp_path, confidence=SURE)
    assert [row["open"] for row in rows_of((tmp_path / "graph.csv").read_text(encoding="utf-8"))] == [
        "no",
        "yes",
        "yes",
    ]
    assert len(files) == 4


# ---------------------------------------------------------------- pictures


def test_strokes_lose_the_arrowheads_that_are_open_and_missing_edges_keep_theirs():
    strokes = sketch(FOUND, truth=TRUTH, marks=marks_of(FOUND, SURE)).strokes
    assert {(each.cause, each.effect) for each in strokes if not each.directed} == set(OPEN)
    assert {each.kind for each in strokes if each.probability is None} == {"missing"}
    plain = sketch(FOUND)
    assert plain.caption is None
    assert all(each.directed and each.probability is None for each in plain.strokes)


def test_the_caption_says_what_there_is_to_see():
    assert sketch(FOUND, marks=marks_of(FOUND, SURE)).caption == "thick: a likely edge; no arrowhead: direction open"
    assert sketch(FOUND, marks=marks_of(FOUND, open_edges=CLASS)).caption == "no arrowhead: direction open"
    assert sketch(FOUND, marks=marks_of(FOUND, open_edges=[])).caption is None


def test_pictures_by_graphviz_have_arrowheads_where_the_direction_is_not_open(tmp_path):
    pytest.importorskip("pygraphviz")
    for confidence, n_heads in ((None, 3), (SURE, 2)):
        picture = draw(FOUND, tmp_path / "g.svg", confidence=confidence, open_edges=CLASS)
        edges = [group for group in ET.parse(picture).iter() if group.get("class") == "edge"]
        assert len(edges) == 4
        assert sum(child.tag.endswith("polygon") for edge in edges for child in edge) == n_heads
        assert "direction open" in picture.read_text(encoding="utf-8")


def test_pictures_by_matplotlib_have_arrowheads_and_widths_as_well(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = ds.plot.graph(FOUND, confidence=SURE, ax=figure.add_subplot())
    marks = [marks_of(FOUND, SURE)[edge] for edge in FOUND.edges]
    # An arrowhead follows its line.
    kinds = [type(patch).__name__ for patch in axes.patches if type(patch).__name__ in ("ScaledLine", "Polygon")]
    assert kinds == [kind for mark in marks for kind in ["ScaledLine"] + ["Polygon"] * (not mark.is_open)]
    widths = [patch.get_linewidth() for patch in axes.patches if type(patch).__name__ == "ScaledLine"]
    assert (
        np.argsort(widths, stable=True).tolist() == np.argsort([mark.adjacent for mark in marks], stable=True).tolist()
    )
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert draw(FOUND, tmp_path / "g.png", confidence=SURE).read_bytes().startswith(b"\x89PNG")
    assert ET.parse(draw(FOUND, tmp_path / "g.svg", confidence=SURE)).getroot().tag.endswith("svg")


# ---------------------------------------------------------------- of fits, by the command


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """A file of linear Gaussian a -> b -> c -> e <- d: only the collider's directions can be told."""
    rng = np.random.default_rng(4)
    a, d = rng.normal(size=(2, 400))
    b = a + 0.5 * rng.normal(size=400)
    c = b + 0.5 * rng.normal(size=400)
    table = np.column_stack([a, b, c, d, c + d + 0.5 * rng.normal(size=400)])
    path = tmp_path_factory.mktemp("chain") / "chain.csv"
    np.savetxt(path, table, delimiter=",", header="a,b,c,d,e", comments="")
    return path


@pytest.mark.parametrize("confidence", ["none", "auto"])
def test_the_command_writes_open_edges_and_reads_its_files_again(chain, tmp_path, confidence):
    succeed("discover", chain, "--score", "bic-linear", "--out", tmp_path, "--confidence", confidence)
    rows = rows_of((tmp_path / "graph.csv").read_text(encoding="utf-8"))
    is_open = {frozenset((row["cause"], row["effect"])): row["open"] for row in rows}
    assert is_open == {
        frozenset("ab"): "yes",
        frozenset("bc"): "yes",
        frozenset("ce"): "no",
        frozenset("de"): "no",
    }
    assert ("forward" in rows[0]) is (confidence == "auto")
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8").count('dir="none"') == 2
    for name in ("graph.csv", "graph.graphml"):
        assert isinstance(from_file(tmp_path / name), DAG)
        shown = succeed("discover", chain, "--score", "bic-linear", "--truth", tmp_path / name, "--confidence", "none")
        assert shown.split("\n\nnext: ")[0].splitlines()[-1].split()[:4] == ["constructed", "1.000", "0.000", "0"]
    assert "shd  0" in succeed("compare", tmp_path / "graph.csv", tmp_path / "graph.graphml")


def test_a_score_that_tells_directions_says_nothing_of_them_without_confidence(chain, tmp_path):
    succeed("discover", chain, "--score", "evidence", "--out", tmp_path, "--confidence", "none")
    assert (tmp_path / "graph.csv").read_text(encoding="utf-8").splitlines()[0].startswith("cause,effect,coefficient")


def test_the_pruned_graph_is_marked_like_the_constructed_one(chain, tmp_path):
    options = ("--method", "greedy", "--score", "bic-linear", "--edges", "6", "--confidence", "posterior")
    succeed("discover", chain, *options, "--out", tmp_path)
    constructed, pruned = (
        {(row["cause"], row["effect"]): row for row in rows_of((tmp_path / name).read_text(encoding="utf-8"))}
        for name in ("graph.csv", "pruned.csv")
    )
    assert len(pruned) < len(constructed) == 6
    columns = ("open", "adjacent", "forward", "backward")
    assert all(constructed[edge][name] == row[name] for edge, row in pruned.items() for name in columns)


def test_open_edges_of_a_fit_are_those_of_its_class_and_those_that_are_not_sure():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 3)) @ np.array([[1, 0.4, 0], [0, 1, 0.6], [0, 0, 1]])
    model = ds.ExactSearch(score="evidence", confidence="posterior", random_state=0).fit(table)
    assert class_open_edges(model) is None
    marks = marks_of(model.dag_, model.confidence_)
    unsure = [edge for edge, mark in marks.items() if mark.forward <= 0.9 * mark.adjacent]
    assert open_edges(model) == unsure
    plain = ds.ExactSearch(score="evidence", random_state=0).fit(table)
    assert open_edges(plain) == []
