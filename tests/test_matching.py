"""Nodes of two graphs are matched by name, by position only where one has no names, and refused otherwise."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from common import run

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.graph import DAG
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
from dagsearch.metrics import aid, classify, compare, sid

CHAIN = np.eye(3, k=1, dtype=int)  # each node causes the next
COLUMNS = {"letters": list("abc"), "from one": ["x1", "x2", "x3"], "shuffled": ["x1", "x0", "x2"]}
MEASURES = {"compare": compare, "classify": classify, "sid": sid, "aid": aid}


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Writes a table with the names given, whose first column is at the start of a chain; nothing is pruned away."""
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=(100, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]

    def write(names):
        pd.DataFrame(x, columns=list(names)).to_csv("t.csv", index=False)
        return "t.csv"

    return write


def discovered(table, truth):
    """What the command finds in the table, and what it says of the truth."""
    return run("discover", table, "--method", "greedy", "--score", "bic-linear", "--truth", truth, "--json", "-")


def found_in(record, names):
    return DAG.from_edges([tuple(edge) for edge in record["edges"]], names=names)


# ---------------------------------------------------------------- --truth

BY_NAME = {
    "edges.csv": "cause,effect\nc,b\nb,a\n",
    "names_in_another_order.json": json.dumps({"edges": [["c", "b"], ["b", "a"]], "names": ["c", "a", "b"]}),
    "pairs.json": '[["c", "b"], ["b", "a"]]',
    "matrix.csv": "c,b,a\n0,1,0\n0,0,1\n0,0,0\n",
    "graph.dot": to_dot(DAG(CHAIN, list("cba"))),
    "graph.graphml": to_graphml(DAG(CHAIN, list("cba"))),
    "tetrad.txt": "Graph Nodes:\nc;b;a\n\nGraph Edges:\n1. c --> b\n2. b --> a\n",
}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_truth_with_the_names_of_the_table_is_matched_by_them(table, name, tmp_path):
    truth = written(tmp_path / name, BY_NAME[name])
    result = discovered(table("abc"), truth)
    record = json.loads(result.stdout)
    assert record["metrics"] == compare(found_in(record, list("abc")), DAG(CHAIN, list("cba")))
    assert "note" not in result.stderr


OTHER_NAMES = {
    "edges.csv": ("cause,effect\nx0,x1\nx1,x2\n", "letters"),
    "edges_of_numbers.csv": ("cause,effect\n0,1\n1,2\n", "letters"),
    "shifted.csv": ("cause,effect\nx0,x1\nx1,x2\n", "from one"),
    "matrix.csv": ("x0,x1,x2\n0,1,0\n0,0,1\n0,0,0\n", "letters"),
    "pairs.json": ('[["x0", "x1"], ["x1", "x2"]]', "from one"),
    "named.json": ('{"edges": [["x0", "x1"]], "names": ["x0", "x1", "x2"]}', "letters"),
    "upper_case.csv": ("cause,effect\nA,B\nB,C\n", "letters"),
    "one_in_upper_case.csv": ("cause,effect\na,B\nB,c\n", "letters"),
    "blank.csv": ("cause,effect\na ,b\nb,c\n", "letters"),
    "more.csv": ("cause,effect\na,b\nb,c\nc,d\n", "letters"),
    "more.graphml": (to_graphml(DAG.from_edges([("a", "b")], list("abcd"))), "letters"),
    "no_edge.graphml": (to_graphml(DAG(np.zeros((3, 3)), list("pqr"))), "letters"),
    "default.dot": (to_dot(DAG(CHAIN)), "letters"),
    "pair_of_positions.json": ("[[0, 1]]", "letters"),
    "numbers_as_names.json": ('{"edges": [[1, 2]], "names": [1, 2, 3]}', "letters"),
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_truth_with_other_names_is_refused_in_one_line(table, name, tmp_path):
    content, columns = OTHER_NAMES[name]
    truth = written(tmp_path / name, content)
    result = discovered(table(COLUMNS[columns]), truth)
    assert (result.exit_code, result.stdout) == (2, "")
    errors = [line for line in result.stderr.splitlines() if not line.startswith("check: ")]
    assert len(errors) == 1
    assert str(truth) in errors[0]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", ["truth.npy", "truth.json"])
def test_a_truth_without_names_is_matched_by_position_whatever_columns_are_called(table, columns, name, tmp_path):
    names = COLUMNS[columns]
    np.save(tmp_path / "truth.npy", CHAIN)
    written(tmp_path / "truth.json", "[[0, 1], [1, 2]]")
    record = json.loads(discovered(table(names), name).stdout)
    assert record["metrics"] == compare(found_in(record, names), DAG(CHAIN, names))


@pytest.mark.parametrize("n_nodes", [2, 4])
def test_a_truth_without_names_must_have_as_many_nodes(table, n_nodes, tmp_path):
    np.save(tmp_path / "truth.npy", np.eye(n_nodes, k=1))
    result = discovered(table("abc"), "truth.npy")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"truth.npy: has {n_nodes} nodes without names, the table has 3 columns" in result.stderr


def test_columns_that_the_truth_lacks_are_named(table, tmp_path):
    written(tmp_path / "truth.csv", "cause,effect\na,b\n")
    result = discovered(table("abc"), "truth.csv")
    assert json.loads(result.stdout)["metrics"]["n_true_edges"] == 1
    assert "note: truth.csv lacks c: taken as nodes without edges" in result.stderr


# ---------------------------------------------------------------- the command compare


def test_files_with_names_are_never_compared_by_position(tmp_path):
    named = written(tmp_path / "named.csv", "cause,effect\nc,b\nb,a\n")
    numbered = written(tmp_path / "numbered.csv", "cause,effect\nx0,x1\nx1,x2\n")
    result = run("compare", numbered, named, "--json", "-")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "share no name: it has x0, x1, x2; the other one has c, b, a" in result.stderr


def test_a_matrix_is_not_compared_with_edges_in_order_of_appearance(tmp_path):
    np.save(tmp_path / "found.npy", CHAIN)
    listed = written(tmp_path / "listed.csv", "cause,effect\nc,b\nb,a\n")
    for files in ([tmp_path / "found.npy", listed], [listed, tmp_path / "found.npy"]):
        result = run("compare", *files)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "share no name" in result.stderr


def test_edges_of_numbered_nodes_are_compared_with_a_matrix_by_their_numbers(tmp_path):
    np.save(tmp_path / "found.npy", CHAIN)
    listed = written(tmp_path / "listed.csv", "cause,effect\nx1,x2\nx0,x1\n")
    assert json.loads(run("compare", tmp_path / "found.npy", listed, "--json", "-").stdout)["shd"] == 0
    assert json.loads(run("compare", listed, tmp_path / "found.npy", "--json", "-").stdout)["shd"] == 0


def test_a_graph_that_lists_its_nodes_is_compared_with_a_matrix_by_position(tmp_path):
    np.save(tmp_path / "found.npy", CHAIN)
    for name, content in (
        ("t.graphml", to_graphml(DAG(CHAIN, list("cab")))),
        ("t.csv", "c,a,b\n0,1,0\n0,0,1\n0,0,0\n"),
    ):
        truth = written(tmp_path / name, content)
        assert json.loads(run("compare", tmp_path / "found.npy", truth, "--json", "-").stdout)["shd"] == 0
    np.save(tmp_path / "small.npy", CHAIN[:2, :2])
    assert run("compare", tmp_path / "small.npy", truth).exit_code == 2


def test_names_that_differ_in_case_or_blanks_alone_are_refused(tmp_path):
    truth = written(tmp_path / "truth.csv", to_edge_csv(DAG(CHAIN, list("abc"))))
    for name, content in {
        "case.csv": "cause,effect\na,B\nB,c\n",
        "blank.csv": 'cause,effect\na,"b "\n"b ",c\n',
        "wide.csv": "cause,effect\na,\uff42\n\uff42,c\n",
    }.items():
        result = run("compare", written(tmp_path / name, content), truth)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "truth has 'b'" in result.stderr


# ---------------------------------------------------------------- in Python


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("found", "truth"),
    [
        (DAG(CHAIN), [("c", "b"), ("b", "a")]),
        ([("x0", "x1"), ("x1", "x2")], [("c", "b"), ("b", "a")]),
        (CHAIN, [("c", "b"), ("b", "a")]),
        (CHAIN, [("x1", "x2"), ("x2", "x3")]),
        (CHAIN, DAG(CHAIN, ["x1", "x0", "x2"])),
        (DAG(CHAIN), DAG(np.zeros((4, 4)), list("abcd"))),
        (CHAIN, DAG(np.zeros((2, 2)), list("ab"))),
        ([("a", "B")], [("a", "b")]),
        ([("a", " b")], [("a", "b")]),
        ([("a", "b")], DAG(CHAIN, list("aBc"))),
    ],
)
def test_graphs_whose_nodes_cannot_be_told_are_refused(measure, found, truth):
    for pair in ((found, truth), (truth, found)):
        with pytest.raises(InputError, match="found and truth must"):
            MEASURES[measure](*pair)


def test_a_matrix_goes_by_position_though_some_names_look_like_numbers():
    truth = DAG(CHAIN, ["x1", "x2", "x3"])
    assert compare(CHAIN, truth)["shd"] == 0
    assert compare(truth, CHAIN)["shd"] == 0
    assert ds.metrics.varsortability(
        pd.DataFrame([[1, 4, 2.0], [2, 1, 1], [3, 9, 2]], columns=["x1", "x0", "x2"]), CHAIN
    ) == (ds.metrics.varsortability(pd.DataFrame([[1, 4, 2.0], [2, 1, 1], [3, 9, 2]], columns=["a", "b", "c"]), CHAIN))


def test_the_truth_of_a_data_set_must_have_its_names():
    data = ds.as_dataset(np.random.default_rng(0).normal(size=(20, 3)), names=list("abc"))
    for names in ("abd", "acb", "aBc", "ab"):
        with pytest.raises(InputError, match="truth must be a graph over the columns of the data, in the same order"):
            ds.Dataset(data.values, data.names, data.kinds, data.labels, DAG(np.zeros((len(names),) * 2), list(names)))
