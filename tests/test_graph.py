"""DAG and PDAG: ways in, ways out, and what is refused."""

import copy
import itertools
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagsearch.graph
from dagsearch.errors import CycleError, DataError, InputError, UnknownNameError
from dagsearch.graph import DAG, PDAG, as_graph
from dagsearch.graph.export import from_file, to_dot, to_edge_csv, to_graphml

AWKWARD_NAMES = ['say "hi"', "back\\slash\\", "two words", "Größe 分", "a,b;c", "<b>&amp;", "$x$", "->"]


@st.composite
def square_matrices(draw, max_nodes=7):
    n_nodes = draw(st.integers(1, max_nodes))
    cells = draw(st.lists(st.booleans(), min_size=n_nodes**2, max_size=n_nodes**2))
    matrix = np.array(cells).reshape(n_nodes, n_nodes).astype(int)
    np.fill_diagonal(matrix, 0)
    return matrix


@st.composite
def dags(draw, max_nodes=7):
    upper = np.triu(draw(square_matrices(max_nodes)))
    shuffled = draw(st.permutations(range(len(upper))))
    return DAG(upper[np.ix_(shuffled, shuffled)], [f"node {i}" for i in range(len(upper))])


@pytest.fixture
def garden():
    edges = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]
    return DAG.from_edges(edges, names=["rain", "sprinkler", "wet", "slippery", "moon"])


# --- Reading a DAG ---------------------------------------------------------------------------------


def test_a_dag_answers_simple_questions(garden):
    assert garden.names == ("rain", "sprinkler", "wet", "slippery", "moon")
    assert garden.edges == [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]
    assert (garden.n_nodes, garden.n_edges) == (5, 3)
    assert garden.parents("wet") == garden.parents(2) == ["rain", "sprinkler"]
    assert garden.children("wet") == ["slippery"]
    assert garden.index("wet") == garden.index(2) == garden.index(np.int64(2)) == 2
    assert garden.undirected_edges == []


def test_a_dag_shows_itself_in_one_line_or_one_line_per_effect(garden):
    assert repr(garden) == "DAG(5 nodes, 3 edges)"
    assert str(garden).splitlines() == ["wet <- rain, sprinkler", "slippery <- wet", "moon"]


def test_an_entry_of_the_matrix_points_from_row_to_column():
    assert DAG([[0, 1], [0, 0]]).edges == [("x0", "x1")]


def test_edges_are_ordered_by_cause_then_effect():
    dag = DAG.from_edges([("c", "a"), ("b", "a"), ("c", "b")], names=["a", "b", "c"])
    assert dag.edges == [("b", "a"), ("c", "a"), ("c", "b")]


def test_names_are_inferred_in_order_of_appearance():
    assert DAG.from_edges([("z", "a"), ("a", "m")]).names == ("z", "a", "m")


def test_edges_may_hold_positions():
    assert DAG.from_edges([(0, 2)]).names == ("x0", "x1", "x2")
    assert DAG.from_edges([(0, 1), ("b", 2)], names=["a", "b", "c"]).edges == [("a", "b"), ("b", "c")]


def test_a_data_frame_brings_its_names():
    frame = pd.DataFrame([[0, 1], [0, 0]], columns=["a", "b"])
    assert DAG.from_adjacency(frame).edges == [("a", "b")]
    assert DAG.from_adjacency(frame.set_axis(["a", "b"])).edges == [("a", "b")]


def test_a_dag_cannot_be_changed(garden):
    with pytest.raises(ValueError, match="read-only"):
        garden.adjacency[0, 1] = 1
    with pytest.raises(AttributeError):
        garden.names = ("a",)


def test_a_dag_does_not_follow_changes_of_the_matrix_it_came_from():
    matrix = np.array([[0, 1], [0, 0]], dtype=np.int8)
    dag = DAG(matrix)
    matrix[0, 1] = 0
    assert dag.n_edges == 1


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda dag: pickle.loads(pickle.dumps(dag))])
def test_copies_are_equal_and_still_read_only(garden, copied):
    assert copied(garden) == garden
    assert not copied(garden).adjacency.flags.writeable


def test_graphs_are_equal_where_names_and_edges_are(garden):
    twin = DAG.from_edges(garden.edges[::-1], names=garden.names)
    assert twin == garden
    assert hash(twin) == hash(garden)
    assert garden != garden.with_names(list("abcde"))
    assert garden != DAG.from_edges(garden.edges[1:], names=garden.names)
    assert garden != PDAG(garden.adjacency, garden.names)


def test_an_empty_graph_is_a_graph():
    assert repr(DAG.from_edges([])) == "DAG(0 nodes, 0 edges)"
    assert DAG.from_edges([]).to_cpdag().n_edges == 0


# --- Laws and oracles ------------------------------------------------------------------------------


@given(square_matrices())
def test_exactly_the_acyclic_graphs_of_networkx_are_accepted(matrix):
    oracle = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    if nx.is_directed_acyclic_graph(oracle):
        assert np.array_equal(DAG(matrix).adjacency, matrix)
    else:
        with pytest.raises(CycleError):
            DAG(matrix)


@given(square_matrices())
def test_the_message_shows_a_cycle_that_is_there(matrix):
    try:
        DAG(matrix)
    except CycleError as error:
        cycle = [int(name[1:]) for name in re.findall(r"x\d+", str(error))]
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(matrix[cause, effect] for cause, effect in itertools.pairwise(cycle))


@given(dags())
def test_the_topological_order_is_that_of_networkx_with_ties_broken_by_position(dag):
    oracle = nx.lexicographical_topological_sort(dag.to_networkx(), key=dag.index)
    assert dag.topological_order() == list(oracle)


@given(dags())
def test_parents_and_children_are_those_of_networkx(dag):
    oracle = dag.to_networkx()
    for name in dag.names:
        assert set(dag.parents(name)) == set(oracle.predecessors(name))
        assert set(dag.children(name)) == set(oracle.successors(name))


@given(dags())
def test_no_node_precedes_its_ancestors(dag):
    place = {name: rank for rank, name in enumerate(dag.topological_order())}
    for name in dag.names:
        assert all(place[ancestor] < place[name] for ancestor in nx.ancestors(dag.to_networkx(), name))


@given(dags())
def test_every_form_leads_back_to_the_same_dag(dag):
    frame = pd.DataFrame(dag.adjacency, index=dag.names, columns=dag.names)
    assert DAG.from_adjacency(dag.adjacency, dag.names) == dag
    assert DAG.from_edges(dag.edges, dag.names) == dag
    assert DAG.from_networkx(dag.to_networkx()) == dag
    assert as_graph(frame) == dag
    assert as_graph(dag.to_networkx()) == dag
    assert as_graph(dag) is dag


@given(dags())
def test_every_file_format_leads_back_to_the_same_edges(tmp_path_factory, dag):
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "g.graphml").write_text(to_graphml(dag), encoding="utf-8")
    (folder / "g.csv").write_text(to_edge_csv(dag), encoding="utf-8")
    (folder / "g.json").write_text(json.dumps({"edges": dag.edges, "names": dag.names}), encoding="utf-8")
    np.save(folder / "g.npy", dag.adjacency)
    assert from_file(folder / "g.graphml") == dag
    assert from_file(folder / "g.json") == dag
    assert from_file(folder / "g.npy").with_names(dag.names) == dag
    assert set(from_file(folder / "g.csv").edges) == set(dag.edges)


@given(dags())
def test_a_class_leads_back_from_every_file_format(tmp_path_factory, dag):
    pdag = dag.to_cpdag()
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "g.graphml").write_text(to_graphml(pdag), encoding="utf-8")
    (folder / "g.csv").write_text(to_edge_csv(pdag), encoding="utf-8")
    np.save(folder / "g.npy", pdag.adjacency)
    assert np.array_equal(from_file(folder / "g.graphml").adjacency, pdag.adjacency)
    assert np.array_equal(from_file(folder / "g.npy").adjacency, pdag.adjacency)
    assert set(from_file(folder / "g.csv").directed_edges) == set(pdag.directed_edges)
    assert from_file(folder / "g.csv").n_edges == pdag.n_edges


# --- Equivalence classes ---------------------------------------------------------------------------


def all_dags(n_nodes):
    """Every DAG, by trying the three states of every pair."""
    pairs = list(itertools.combinations(range(n_nodes), 2))
    for states in itertools.product(("none", "forward", "backward"), repeat=len(pairs)):
        matrix = np.zeros((n_nodes, n_nodes), dtype=int)
        for (i, j), state in zip(pairs, states, strict=True):
            matrix[i, j], matrix[j, i] = state == "forward", state == "backward"
        if nx.is_directed_acyclic_graph(nx.from_numpy_array(matrix, create_using=nx.DiGraph)):
            yield DAG(matrix)


def fingerprint(dag):
    """Skeleton and v-structures, which tell equivalence classes apart."""
    skeleton = frozenset(frozenset(edge) for edge in dag.edges)
    colliders = frozenset(
        (frozenset(causes), effect)
        for effect in dag.names
        for causes in itertools.combinations(dag.parents(effect), 2)
        if frozenset(causes) not in skeleton
    )
    return skeleton, colliders


def test_classes_of_all_543_dags_on_four_nodes_are_those_of_brute_force():
    classes = {}
    for dag in all_dags(4):
        classes.setdefault(fingerprint(dag), []).append(dag)
    assert sum(map(len, classes.values())) == 543
    assert len(classes) == 185
    for members in classes.values():
        agreed = set.intersection(*[set(dag.edges) for dag in members])
        for dag in members:
            cpdag = dag.to_cpdag()
            assert set(cpdag.directed_edges) == agreed
            assert cpdag.n_edges == dag.n_edges
            assert cpdag.names == dag.names


def test_a_chain_is_undirected_and_a_collider_is_not():
    assert DAG.from_edges([("a", "b"), ("b", "c")]).to_cpdag().directed_edges == []
    assert DAG.from_edges([("a", "b"), ("c", "b")]).to_cpdag().undirected_edges == []


# --- PDAG ------------------------------------------------------------------------------------------


def test_a_pdag_tells_arrows_from_lines():
    pdag = PDAG.from_edges([("a", "c")], [("b", "a"), ("c", "d")], names=list("abcde"))
    assert pdag.directed_edges == [("a", "c")]
    assert pdag.undirected_edges == [("a", "b"), ("c", "d")]
    assert pdag.n_edges == 3
    assert pdag.parents("c") == ["a"]
    assert pdag.children("a") == ["c"]
    assert pdag.neighbours("a") == ["b"]
    assert repr(pdag) == "PDAG(5 nodes, 1 directed and 2 undirected edges)"
    assert str(pdag).splitlines() == ["c <- a", "a -- b", "c -- d", "e"]
    assert set(pdag.to_networkx().edges) == {("a", "c"), ("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")}
    assert PDAG.from_networkx(pdag.to_networkx()) == pdag
    assert PDAG.from_adjacency(pdag.adjacency, pdag.names) == pdag


def test_a_pdag_refuses_directed_cycles_and_self_loops():
    with pytest.raises(CycleError, match="a -> b -> c -> a"):
        PDAG.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
    with pytest.raises(CycleError, match="x0 -> x0"):
        PDAG([[1]])


def test_a_pdag_refuses_a_pair_that_is_listed_twice():
    with pytest.raises(InputError, match=r"more than once: \('a', 'b'\)"):
        PDAG.from_edges([("a", "b")], [("b", "a")])


# --- as_graph --------------------------------------------------------------------------------------


def test_as_graph_reads_matrices_and_edges():
    assert as_graph([[0, 1], [0, 0]]) == DAG([[0, 1], [0, 0]])
    assert as_graph(np.array([[0, 1], [1, 0]])) == PDAG([[0, 1], [1, 0]])
    assert as_graph([("a", "b")]) == DAG.from_edges([("a", "b")])
    assert as_graph([["a", "b"], ["b", "c"]]) == DAG.from_edges([("a", "b"), ("b", "c")])
    assert as_graph([(0, 1), (1, 2)]).n_nodes == 3
    assert as_graph(np.eye(2)[::-1], names=list("ab")).undirected_edges == [("a", "b")]


@pytest.mark.parametrize("nonsense", ["a -> b", 7, None])
def test_as_graph_refuses_what_is_no_graph(nonsense):
    with pytest.raises(InputError, match=f"got {nonsense!r}"):
        as_graph(nonsense)


# --- What is refused -------------------------------------------------------------------------------


def test_a_cycle_is_shown():
    with pytest.raises(CycleError, match=r"a -> b -> c -> a$"):
        DAG.from_edges([("root", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "leaf")])
    with pytest.raises(CycleError, match=r"a -> b -> a$"):
        DAG.from_edges([("a", "b"), ("b", "a")])
    with pytest.raises(CycleError, match=r"a -> a$"):
        DAG.from_edges([("a", "a")])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: DAG.from_edges([("a", "b"), ("a", "b")]), r"more than once: \('a', 'b'\)"),
        (lambda: DAG.from_edges([("a", "bb")], names=["a", "bbb"]), "unknown node 'bb'.*Did you mean 'bbb'"),
        (lambda: DAG.from_edges([(0, 5)], names=list("ab")), "between 0 and 1, got 5"),
        (lambda: DAG.from_edges([(0, -1)]), "got -1"),
        (lambda: DAG.from_edges([(0, "a")]), "give names"),
        (lambda: DAG.from_edges(["ab"]), "pairs .cause, effect., got 'ab'"),
        (lambda: DAG.from_edges([("a", "b", "c")]), "pairs .cause, effect., got"),
        (lambda: DAG.from_edges([], names=["a", "a"]), "more than once: 'a'"),
        (lambda: DAG([[0, 0.7], [0, 0]]), "threshold"),
        (lambda: DAG([[0, 2], [0, 0]]), "threshold"),
        (lambda: DAG([[0, float("nan")], [0, 0]]), "threshold"),
        (lambda: DAG([["0", "1"], ["0", "0"]]), "threshold"),
        (lambda: DAG([[0, 1, 0], [0, 0, 0]]), r"square matrix, got shape \(2, 3\)"),
        (lambda: DAG([[0, 1], [0]]), "rows of different lengths"),
        (lambda: DAG([[0, 1], [0, 0]], names=["a"]), "must hold 2 names.* got 1"),
        (lambda: DAG([[0]], names="a b c"), "single string"),
        (lambda: DAG(pd.DataFrame(np.zeros((2, 2)), ["a", "b"], ["b", "a"])), "rows and its columns"),
        (lambda: DAG.from_networkx(nx.Graph([("a", "b")])), "DiGraph, got an undirected graph"),
        (lambda: DAG.from_networkx(nx.DiGraph([(1, "1")])), "more than once: '1'"),
    ],
)
def test_wrong_input_is_named(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_an_unknown_name_suggests_the_nearest(garden):
    with pytest.raises(UnknownNameError, match=r"unknown node 'rian'.*Did you mean 'rain'"):
        garden.parents("rian")


# --- Text formats ----------------------------------------------------------------------------------


def test_dot_has_all_nodes_and_lines_without_arrowheads():
    text = PDAG.from_edges([("a", "b")], [("b", "c")], names=list("abcd")).to_dot()
    assert '"a" -> "b";' in text
    assert '"b" -> "c" [dir="none"];' in text
    assert '"d";' in text


@pytest.mark.parametrize("write", [to_dot, DAG.to_dot])
def test_awkward_names_are_shown_by_graphviz_as_they_are(write):
    pygraphviz = pytest.importorskip("pygraphviz")
    chain = DAG.from_edges(itertools.pairwise(AWKWARD_NAMES[:5]))
    graph = pygraphviz.AGraph(string=write(chain))
    assert [node.replace("\\\\", "\\") for node in graph.nodes()] == list(chain.names)
    assert len(graph.edges()) == chain.n_edges


@pytest.mark.parametrize(("suffix", "write"), [(".csv", to_edge_csv), (".graphml", to_graphml)])
def test_awkward_names_survive_files(tmp_path, suffix, write):
    chain = DAG.from_edges(itertools.pairwise(AWKWARD_NAMES))
    path = tmp_path / f"chain{suffix}"
    path.write_text(write(chain), encoding="utf-8")
    assert from_file(path) == chain


def test_edge_lists_say_what_their_columns_are(garden):
    assert to_edge_csv(garden).splitlines()[:2] == ["cause,effect", "rain,wet"]
    pdag = PDAG.from_edges([("a", "b")], [("b", "c")])
    assert to_edge_csv(pdag).splitlines() == ["cause,effect,type", "a,b,directed", "b,c,undirected"]


def test_json_is_read_with_or_without_names(tmp_path):
    path = tmp_path / "g.json"
    path.write_text('[["a", "b"]]')
    assert from_file(path).edges == [("a", "b")]
    path.write_text('{"edges": [["a", "b"]], "nodes": ["c", "b", "a"], "method": "cd-uct"}')
    assert from_file(path).names == ("c", "b", "a")
    path.write_text('{"edges": [["a", "b"]], "undirected_edges": [["b", "c"]]}')
    assert from_file(path).undirected_edges == [("b", "c")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.csv", "from,to\na,b\n", "cause and effect, got from, to"),
        ("g.csv", "", "cause and effect"),
        ("g.csv", "cause,effect\na\n", "every row"),
        ("g.csv", "cause,effect\na,b\nb,a\n", "a -> b -> a"),
        ("g.csv", "cause,effect,type\na,b,maybe\n", "directed or undirected, got maybe"),
        ("g.json", "{", "cannot read"),
        ("g.json", '{"nodes": []}', '"edges"'),
        ("g.json", '{"edges": 5}', "cannot read"),
        ("g.graphml", "<graphml>", "cannot read"),
        ("g.graphml", "<other/>", "cannot read"),
        ("g.npy", "no array", "cannot read"),
        ("g.svg", "<svg/>", ".csv, .tsv, .graphml, .npy, .json, .dot, .gv, .txt"),
    ],
)
def test_unreadable_files_are_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        from_file(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv: there is no such file"):
        from_file(tmp_path / "nowhere.csv")


def test_importing_graphs_is_cheap():
    """The package around it may import more, so an empty one takes its place."""
    package = str(Path(dagsearch.graph.__file__).parents[1])
    code = f"""
import sys, types
sys.modules["dagsearch"] = types.ModuleType("dagsearch")
sys.modules["dagsearch"].__path__ = [{package!r}]
import dagsearch.graph.export
assert not {{"networkx", "pandas", "matplotlib", "pygraphviz"}} & set(sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
