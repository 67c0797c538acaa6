"""Graphs from files: what we write is read back, whatever nodes are called; what is no graph is refused."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import good_table, run, succeed
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch.errors import DataError
from dagsearch.graph import DAG, PDAG
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
from dagsearch.metrics import compare

NASTY = [
    '"',
    "'",
    ",",
    ";",
    "\n",
    "\t",
    "->",
    "--",
    "<script>",
    "\\",
    "\\n",
    "ä",
    "\u2192",
    " ",
    "a",
    "}",
    "[",
    "#",
    "=",
]
# Characters that XML has no place for, and a line end that CSV files of ours do not quote, are left out.
NAMES = st.lists(st.sampled_from(NASTY), min_size=1, max_size=4).map("".join).filter(lambda name: name.strip())


@st.composite
def graphs(draw):
    """A DAG or PDAG over nodes with nasty names."""
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    kinds = draw(st.lists(st.sampled_from(["none", "arrow", "line"]), min_size=len(pairs), max_size=len(pairs)))
    arrows = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind == "arrow"]
    lines = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind == "line"]
    return PDAG.from_edges(arrows, lines, names) if lines else DAG.from_edges(arrows, names)


def to_json(graph):
    return json.dumps(
        {"edges": graph.directed_edges, "undirected_edges": graph.undirected_edges, "names": graph.names}
        if isinstance(graph, PDAG)
        else {"edges": graph.edges, "names": graph.names}
    )


def to_matrix_csv(graph):
    return pd.DataFrame(graph.adjacency, index=graph.names, columns=graph.names).to_csv()


def written(folder, name, text):
    (folder / name).write_bytes(text.encode())
    return folder / name


@settings(deadline=None, max_examples=60)
@given(graph=graphs())
@example(graph=DAG.from_edges([(" a", "b ")], names=[" a", "b ", "-> c", 'say "hi"', "x\ny"]))
def test_what_we_write_is_read_back_equal_whatever_nodes_are_called(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    for suffix, write in [(".graphml", to_graphml), (".json", to_json), (".dot", to_dot), (".gv", to_dot)]:
        assert ds.read_graph(written(folder, f"g{suffix}", write(graph))) == graph
    edges = ds.read_graph(written(folder, "g.csv", to_edge_csv(graph)))
    assert set(edges.directed_edges) == set(graph.directed_edges)
    assert set(map(frozenset, edges.undirected_edges)) == set(map(frozenset, graph.undirected_edges))
    np.save(folder / "g.npy", graph.adjacency)
    assert ds.read_graph(folder / "g.npy").with_names(graph.names) == graph


@pytest.mark.parametrize("index", [True, False])
def test_matrices_with_names_are_read_with_and_without_names_of_rows(tmp_path, index):
    graph = PDAG.from_edges([("a", "b c"), ("b c", "d")], [("d", "e")], names=["e", "d", "b c", "a", "z"])
    frame = pd.DataFrame(graph.adjacency, index=graph.names, columns=graph.names)
    frame.to_csv(tmp_path / "g.csv", index=index)
    frame.to_csv(tmp_path / "g.tsv", index=index, sep="\t")
    frame.astype(float).to_csv(tmp_path / "f.csv", index=index, sep=";")
    for name in ("g.csv", "g.tsv", "f.csv"):
        assert ds.read_graph(tmp_path / name) == graph


@pytest.mark.parametrize(
    "text", ["cause,effect\na,b\nb,c\n", "cause, effect\na, b\nb, c\n", "cause\teffect\na\tb\nb\tc\n"]
)
def test_edge_lists_are_read_whatever_their_separator(tmp_path, text):
    assert ds.read_graph(written(tmp_path, "g.csv", text)).edges == [("a", "b"), ("b", "c")]


def test_further_columns_of_edge_lists_are_ignored(tmp_path):
    text = "p_value,effect,open,cause,forward\n0.1,b,yes,a,0.5\n,c,no,b,\n"
    assert ds.read_graph(written(tmp_path, "g.csv", text)).edges == [("a", "b"), ("b", "c")]


def test_results_of_discover_are_read_as_their_constructed_graph(tmp_path):
    good_table().to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    for method in ("greedy", "ges"):
        options = ("--method", method, "--score", "bic-linear", "--json", tmp_path / "r.json", "--out", out)
        succeed("discover", tmp_path / "t.csv", *options)
        found = ds.read_graph(tmp_path / "r.json")
        assert found.names == ("a", "b", "c", "d", "e")
        assert compare(found, ds.read_graph(out / "graph.graphml"))["shd"] == 0
        assert type(found) is (DAG if method == "greedy" else PDAG)
        for name in ("graph.csv", "graph.dot", "graph.graphml"):
            assert "shd" in succeed("compare", tmp_path / "r.json", out / name)
    plain = ds.read_graph(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["edges"] == [list(edge) for edge in plain.directed_edges]


def test_graphviz_of_others_is_read(tmp_path):
    text = """// made by hand
    strict digraph "my graph" { rankdir=LR; node [shape=box]
      /* a chain */ a -> b -> "c d" [color="red", weight=2];
      e; f -> a [dir=back] b -> e [dir="none"]
# done
    }
    """
    graph = ds.read_graph(written(tmp_path, "g.dot", text))
    assert graph.names == ("a", "b", "c d", "e", "f")
    assert sorted(graph.directed_edges) == [("a", "b"), ("a", "f"), ("b", "c d")]
    assert graph.undirected_edges == [("b", "e")]
    undirected = ds.read_graph(written(tmp_path, "u.gv", "graph { 1 -- 2 -- 3; 4 }"))
    assert (undirected.undirected_edges, undirected.n_nodes) == ([("1", "2"), ("2", "3")], 4)


@settings(deadline=None, max_examples=30)
@given(graph=graphs())
def test_graphviz_itself_finds_the_same_nodes_and_edges(graph):
    pygraphviz = pytest.importorskip("pygraphviz")
    if any("\\" in name for name in graph.names):
        return  # pygraphviz returns escapes as they are written
    from dagsearch.graph.dot_reading import parse_dot

    theirs = pygraphviz.AGraph(string=to_dot(graph))
    names, edges = parse_dot(to_dot(graph))
    assert [name.replace("\\n", "\n") for name in theirs.nodes()] == names
    assert len(theirs.edges()) == len(edges)


def test_graphs_of_tetrad_are_read(tmp_path):
    edges = "1. a --> b\n2. b --- c d\n3. e --> b dd nl\n"
    text = f"Graph Nodes:\na;b;c d;e\n\nGraph Edges:\n{edges}\nGraph Attributes:\nBIC: 3\n"
    graph = ds.read_graph(written(tmp_path, "g.txt", text))
    assert graph == PDAG.from_edges([("a", "b"), ("e", "b")], [("b", "c d")], names=["a", "b", "c d", "e"])
    with pytest.raises(DataError, match=r"got '1\. a o-> b'"):
        ds.read_graph(written(tmp_path, "p.txt", "Graph Nodes:\na;b\nGraph Edges:\n1. a o-> b\n"))


HOSTILE = {
    "deep.json": "[" * 100_000,
    "null.json": '[[null, "a"]]',
    "dict.json": '[{"cause": "a", "effect": "b"}]',
    "three.json": '[["a", "b", "c"]]',
    "number.json": '{"edges": [["a", 1.5]]}',
    "cycle.json": '{"edges": [["a", "b"], ["b", "a"]], "pruned_edges": [], "undirected_edges": []}',
    "text.dot": "hello",
    "open.dot": 'digraph { "a -> b',
    "end.dot": "digraph { a -> b",
    "more.dot": "digraph { } x",
    "arrow.dot": "digraph { a -> ; }",
    "line.dot": "digraph { a -- b }",
    "sub.dot": "digraph { subgraph x { a -> b } }",
    "group.dot": "digraph { a -> { b c } }",
    "port.dot": "digraph { a:n -> b }",
    "html.dot": "digraph { a [label=<b>]; }",
    "both.dot": "digraph { a -> b [dir=both] }",
    "default.dot": "digraph { edge [dir=none]; a -> b }",
    "cycle.dot": "digraph { a -> b -> a }",
    "twice.dot": "digraph { a -> b; a -> b }",
    "empty.dot": "",
    "weights.csv": "a,b\n0,0.7\n0,0\n",
    "rows.csv": ",a,b\nb,0,1\na,0,0\n",
    "ragged.csv": "a,b\n0,1\n0\n",
    "none.csv": "a,b,c\n1,2,3\n",
    "several.graphml": "\n".join(nx.generate_graphml(nx.MultiDiGraph([("a", "b"), ("a", "b")]))),
    "table.txt": "a,b\n1,2\n",
    "lies.npy": "\x93NUMPY",
    "bytes.csv": b"\xff\xfe\xfd",
    "bytes.dot": b"\xff\xfe\xfd",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_that_hold_no_graph_end_with_one_message(tmp_path, name):
    content = HOSTILE[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match="cannot read a graph from"):
        ds.read_graph(tmp_path / name)
    result = run("compare", tmp_path / name, "sachs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.strip().splitlines()) == 1


# ---------------------------------------------------------------- which node is which


TRUTH = DAG.from_edges([("a", "b"), ("b", "c")], names=list("abcde"))


def test_comparing_takes_nodes_that_a_list_of_edges_lacks_as_isolated_and_says_so(tmp_path):
    truth = written(tmp_path, "truth.graphml", to_graphml(TRUTH))
    found = written(tmp_path, "found.csv", to_edge_csv(TRUTH))
    for left, right, lacking in [(found, truth, "FOUND"), (truth, found, "TRUTH")]:
        result = run("compare", left, right, "--json", "-")
        assert json.loads(result.stdout)["shd"] == 0
        assert result.stderr == f"note: {lacking} lacks d, e: taken as nodes without edges\n"
    assert run("compare", truth, truth).stderr == ""


def test_comparing_matches_by_position_only_what_has_no_names(tmp_path):
    truth = written(tmp_path, "truth.json", to_json(TRUTH))
    np.save(tmp_path / "found.npy", TRUTH.adjacency)
    np.save(tmp_path / "small.npy", TRUTH.adjacency[:4, :4])
    assert json.loads(succeed("compare", tmp_path / "found.npy", truth, "--json", "-"))["shd"] == 0
    other = written(tmp_path, "other.json", to_json(TRUTH.with_names(list("vwxyz"))))
    for found in (other, tmp_path / "small.npy"):
        assert run("compare", found, truth).exit_code == 2


def test_a_truth_with_other_names_is_refused_and_one_without_names_is_taken_by_position(tmp_path):
    good_table().to_csv(tmp_path / "t.csv", index=False)
    options = ("discover", tmp_path / "t.csv", "--method", "greedy", "--score", "bic-linear", "--json", "-", "--truth")
    np.save(tmp_path / "truth.npy", TRUTH.adjacency)
    np.save(tmp_path / "small.npy", TRUTH.adjacency[:4, :4])
    named = written(tmp_path, "truth.csv", to_edge_csv(TRUTH))
    by_name, by_position = (json.loads(succeed(*options, path)) for path in (named, tmp_path / "truth.npy"))
    assert by_name["metrics"] == by_position["metrics"]
    other = written(tmp_path, "other.graphml", to_graphml(TRUTH.with_names(list("vwxyz"))))
    result = run(*options, other)
    assert result.exit_code == 2
    assert "nodes must be columns of the table, got v, w, x; it has a, b, c, d, e" in result.stderr
    result = run(*options, tmp_path / "small.npy")
    assert "has 4 nodes without names, the table has 5 columns" in result.stderr
