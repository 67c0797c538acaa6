"""Directed graphs with a cycle: what they hold, what they refuse, and how they are written and drawn."""

from __future__ import annotations

import copy
import csv
import itertools
import pickle
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest

import dagsearch as ds
from dagsearch.errors import CycleError, DataError, InputError
from dagsearch.graph import DAG, PDAG, CyclicGraph, as_graph
from dagsearch.graph.export import from_file, to_dot, to_edge_csv, to_graphml
from dagsearch.metrics import compare
from dagsearch.report import draw, write_graph
from dagsearch.report.sketch import sketch

NAMES = ["a", "two words", "Größe", 'say "hi"', "e"]
# a -> b -> c -> a, c <-> d; e alone.
MATRIX = np.array([[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]])
GRAPH = CyclicGraph(MATRIX, NAMES)
EDGES = [("a", "two words"), ("two words", "Größe"), ("Größe", "a"), ("Größe", 'say "hi"'), ('say "hi"', "Größe")]


def digraphs(n_nodes):
    """All directed graphs."""
    off_diagonal = ~np.eye(n_nodes, dtype=bool)
    for bits in itertools.product([0, 1], repeat=int(off_diagonal.sum())):
        matrix = np.zeros((n_nodes, n_nodes), dtype=int)
        matrix[off_diagonal] = bits
        yield matrix


# ---------------------------------------------------------------- what it is


def test_of_all_digraphs_of_three_nodes_those_with_a_cycle_are_taken_and_the_dags_are_refused():
    n_dags = 0
    for matrix in digraphs(3):
        if nx.is_directed_acyclic_graph(nx.from_numpy_array(matrix, create_using=nx.DiGraph)):
            n_dags += 1
            with pytest.raises(InputError, match="a CyclicGraph must have a cycle; this graph is a DAG"):
                CyclicGraph(matrix)
        else:
            assert CyclicGraph(matrix).adjacency.tolist() == matrix.tolist()
    assert n_dags == 25


def test_edges_both_ways_are_two_directed_edges():
    graph = CyclicGraph([[0, 1], [1, 0]], ["a", "b"])
    assert graph.edges == graph.directed_edges == [("a", "b"), ("b", "a")]
    assert graph.undirected_edges == []
    assert graph.n_edges == 2
    assert graph.parents("a") == ["b"]
    assert graph.parents("b") == ["a"]


def test_all_edges_are_listed_and_counted():
    assert sorted(GRAPH.edges) == sorted(EDGES)
    assert GRAPH.n_edges == 5
    assert GRAPH.n_nodes == 5
    assert GRAPH.names == tuple(NAMES)
    assert repr(GRAPH) == "CyclicGraph(5 nodes, 5 edges)"
    assert str(GRAPH).splitlines()[:2] == ["a <- Größe", "two words <- a"]


@pytest.mark.parametrize("seed", range(20))
def test_the_cycle_is_one(seed):
    rng = np.random.default_rng(seed)
    matrix = (rng.random((8, 8)) < 0.2).astype(int)
    np.fill_diagonal(matrix, 0)
    matrix[[1, 4, 6], [4, 6, 1]] = 1
    graph = CyclicGraph(matrix)
    assert len(set(graph.cycle)) == len(graph.cycle) >= 2
    assert set(zip(graph.cycle, [*graph.cycle[1:], graph.cycle[0]], strict=True)) <= set(graph.edges)


@pytest.mark.parametrize(
    ("matrix", "names", "message"),
    [
        (np.ones((2, 3)), None, "square"),
        ([[0, 2], [1, 0]], None, "0"),
        ([[0, 1], [1, 0]], ["a"], "names"),
        ([[0, 1], [1, 0]], ["a", "a"], "a"),
    ],
)
def test_a_matrix_or_names_that_do_not_fit_are_refused(matrix, names, message):
    with pytest.raises(InputError, match=message):
        CyclicGraph(matrix, names)


def test_a_loop_is_a_cycle_of_one_node():
    graph = CyclicGraph([[0, 1], [0, 1]], ["a", "b"])
    assert graph.cycle == ["b"]
    assert graph.n_edges == 2


def test_it_is_neither_read_as_a_graph_nor_compared():
    for act in (as_graph, lambda graph: compare(graph, DAG.from_edges([("a", "e")])), DAG.from_networkx):
        with pytest.raises(CycleError, match="a -> two words -> Größe -> a"):
            act(GRAPH.to_networkx() if act == DAG.from_networkx else GRAPH)
    with pytest.raises(CycleError):
        compare(DAG.from_edges([("a", "e")]), GRAPH)


def test_copies_are_equal_and_cannot_be_changed():
    for twin in (pickle.loads(pickle.dumps(GRAPH)), copy.deepcopy(GRAPH), CyclicGraph(MATRIX, NAMES)):
        assert twin == GRAPH
        assert hash(twin) == hash(GRAPH)
        assert type(twin) is CyclicGraph
        with pytest.raises(ValueError, match="read-only"):
            twin.adjacency[0, 0] = 1


def test_graphs_that_differ_in_names_edges_or_type_are_not_equal():
    other = MATRIX.copy()
    other[4, 0] = 1
    both_ways = [[0, 1], [1, 0]]
    assert CyclicGraph(other, NAMES) != GRAPH
    assert GRAPH.with_names(list("abcde")) != GRAPH
    assert GRAPH.with_names(list("abcde")).edges[0] == ("a", "b")
    assert CyclicGraph(both_ways) != PDAG(both_ways)


# ---------------------------------------------------------------- how it is written


def test_networkx_has_each_edge_in_its_direction():
    graph = GRAPH.to_networkx()
    assert sorted(graph.edges) == sorted(EDGES)
    assert list(graph.nodes) == NAMES


def test_dot_has_an_arrow_for_each_edge():
    lines = to_dot(GRAPH).splitlines()
    assert GRAPH.to_dot() == to_dot(GRAPH)
    assert sum(" -> " in line for line in lines) == 5
    assert '  "two words" -> "Größe";' in lines
    assert '  "e";' in lines
    assert "dir=" not in to_dot(GRAPH).replace("rankdir=", "")


def test_csv_has_a_row_for_each_edge():
    rows = list(csv.reader(to_edge_csv(GRAPH).splitlines()))
    assert rows[0] == ["cause", "effect"]
    assert sorted(map(tuple, rows[1:])) == sorted(EDGES)


def test_graphml_has_each_edge_in_its_direction(tmp_path):
    (tmp_path / "graph.graphml").write_text(to_graphml(GRAPH), encoding="utf-8")
    read = nx.read_graphml(tmp_path / "graph.graphml")
    assert sorted(read.edges) == sorted(EDGES)
    assert sorted(read.nodes) == sorted(NAMES)


@pytest.mark.parametrize("graph", [GRAPH, CyclicGraph([[0, 1], [1, 0]], ["a", "b"])], ids=["long", "both ways"])
@pytest.mark.parametrize(("suffix", "write"), [(".csv", to_edge_csv), (".graphml", to_graphml)])
def test_its_files_are_not_read_as_another_graph(tmp_path, graph, suffix, write):
    (tmp_path / f"graph{suffix}").write_text(write(graph), encoding="utf-8")
    with pytest.raises(DataError, match="cannot read a graph"):
        from_file(tmp_path / f"graph{suffix}")


@pytest.mark.parametrize("truth", [None, DAG.from_edges([("a", "e")], names=NAMES)])
def test_a_folder_gets_every_format(tmp_path, truth):
    files = write_graph(GRAPH, tmp_path, truth=truth)
    assert sorted(path.suffix for path in files) == [".csv", ".dot", ".graphml", ".svg"]
    assert ET.parse(tmp_path / "graph.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_it_is_drawn_without_verdicts_as_it_has_none(tmp_path, suffix):
    plain = draw(GRAPH, tmp_path / f"plain{suffix}").read_bytes()
    assert draw(GRAPH, tmp_path / f"judged{suffix}", truth=DAG.from_edges([("a", "e")])).read_bytes() == plain
    assert sketch(GRAPH, truth=DAG.from_edges([("a", "e")])).legend == []
    assert len(sketch(GRAPH).strokes) == 5


def test_without_graphviz_boxes_lie_apart_and_each_edge_joins_its_own():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = ds.plot.graph(GRAPH, ax=figure.add_subplot())
    boxes = [patch.get_bbox() for patch in axes.patches if hasattr(patch, "get_bbox")]
    lines = [patch.get_path().vertices for patch in axes.patches if type(patch).__name__ == "ScaledLine"]
    assert len(boxes) == len(lines) == 5
    for first, second in itertools.combinations(boxes, 2):
        assert first.x1 < second.x0 or second.x1 < first.x0 or first.y1 < second.y0 or second.y1 < first.y0
    place = {name: (box.x0 + box.width / 2, box.y0 + box.height / 2) for name, box in zip(NAMES, boxes, strict=True)}
    for (cause, effect), line in zip(GRAPH.directed_edges, lines, strict=True):
        assert np.sign(line[-1, 1] - line[0, 1]) == np.sign(place[effect][1] - place[cause][1])
    upward = sum(line[-1, 1] < line[0, 1] for line in lines)
    assert upward == 2
