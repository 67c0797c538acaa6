"""Partially directed graphs as text, files and pictures, and in comparisons: whatever a DAG can do, they can."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from common import succeed

from dagsearch.graph import DAG, PDAG
from dagsearch.graph.export import from_file, to_dot, to_edge_csv, to_graphml
from dagsearch.metrics import compare
from dagsearch.report import draw, write_graph

NAMES = ["p44/42", "two words", 'say "hi"', "Größe", "a,b", "$x$"]
MIXED = PDAG.from_edges([(0, 2), (1, 2), (2, 3)], [(4, 3), (1, 5)], NAMES)
TRUTH = DAG.from_edges([(0, 2), (2, 1), (3, 4), (0, 5)], NAMES)


def to_json(graph):
    return json.dumps({"edges": graph.directed_edges, "undirected_edges": graph.undirected_edges, "names": graph.names})


@pytest.mark.parametrize(("suffix", "write"), [(".csv", to_edge_csv), (".graphml", to_graphml), (".json", to_json)])
def test_both_kinds_of_edges_survive_files(tmp_path, suffix, write):
    path = tmp_path / f"graph{suffix}"
    path.write_text(write(MIXED), encoding="utf-8")
    read = from_file(path)
    order = [read.index(name) for name in NAMES]
    assert PDAG(read.adjacency[np.ix_(order, order)], NAMES) == MIXED
    assert type(read) is PDAG


def test_matrices_survive_files_with_both_kinds_of_edges(tmp_path):
    np.save(tmp_path / "graph.npy", MIXED.adjacency)
    assert from_file(tmp_path / "graph.npy").with_names(NAMES) == MIXED


@pytest.mark.parametrize(("suffix", "write"), [(".csv", to_edge_csv), (".graphml", to_graphml), (".json", to_json)])
def test_a_pdag_stays_one_in_files_though_all_its_edges_are_directed(tmp_path, suffix, write):
    directed = PDAG.from_edges([("a", "b"), ("b", "c")])
    (tmp_path / f"graph{suffix}").write_text(write(directed), encoding="utf-8")
    assert from_file(tmp_path / f"graph{suffix}") == directed


def test_text_lists_causes_then_undirected_edges():
    assert str(PDAG.from_edges([("a", "c"), ("b", "c")], [("c", "d")], names=list("abcde"))) == "c <- a, b\nc -- d\ne"


@pytest.mark.parametrize("truth", [None, TRUTH])
def test_a_folder_gets_every_format(tmp_path, truth):
    files = write_graph(MIXED, tmp_path, truth=truth)
    assert sorted(path.suffix for path in files) == [".csv", ".dot", ".graphml", ".svg"]
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == to_dot(MIXED)
    for name in ("graph.csv", "graph.graphml"):
        assert compare(from_file(tmp_path / name), MIXED)["shd"] == 0


def arrowheads_and_lines(path):
    """Numbers of arrowheads and of edges in a picture by Graphviz."""
    edges = [group for group in ET.parse(path).iter() if group.get("class") == "edge"]
    return sum(child.tag.endswith("polygon") for edge in edges for child in edge), len(edges)


def test_beside_a_truth_too_only_directed_edges_have_an_arrowhead(tmp_path):
    pytest.importorskip("pygraphviz")
    # One edge of the truth joins a pair that is not joined here.
    assert arrowheads_and_lines(draw(MIXED, tmp_path / "judged.svg", truth=TRUTH)) == (4, 6)


def test_the_command_compares_files_of_partially_directed_graphs(tmp_path):
    (tmp_path / "found.csv").write_text(to_edge_csv(MIXED), encoding="utf-8")
    (tmp_path / "class.json").write_text(to_json(TRUTH.to_cpdag()), encoding="utf-8")
    (tmp_path / "truth.graphml").write_text(to_graphml(TRUTH), encoding="utf-8")
    found = json.loads(succeed("compare", tmp_path / "found.csv", tmp_path / "truth.graphml", "--json", "-"))
    assert found == compare(MIXED, TRUTH)
    assert (found["n_right"], found["n_reversed"], found["n_extra"], found["n_missing"]) == (2, 1, 2, 1)
    for left, right in [("class.json", "truth.graphml"), ("truth.graphml", "class.json")]:
        assert json.loads(succeed("compare", tmp_path / left, tmp_path / right, "--json", "-"))["shd"] == 0
    assert "shd" in succeed("compare", tmp_path / "found.csv", tmp_path / "class.json")
