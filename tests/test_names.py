"""Whatever variables are called: what we write is read back equal, pictures are well-formed, or the door refuses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from common import run
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch._visible import visible
from dagsearch.errors import DataError, InputError
from dagsearch.graph import DAG, PDAG, Knowledge
from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml

LONG = "x" * 16_384
ODD = [
    *(
        "\x00",
        "\x01",
        "\x08",
        "\x0b",
        "\x0c",
        "\x1b[2J",
        "\x1c",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ufffe",
        "\uffff",
    ),
    *("\r", "\n", "\r\n", "\t", " a", "a ", "a\rb", "\\", "\\N", "\\G", '"', '\\"', "'", ",", ";", "``", "|"),
    *("&", "&amp;", "&amp;amp;", "&lt;", "&#65;", "&#x41;", "<b>", "</title>", "]]>", "%n", "%", "{", "[", "->", "--"),
    *(
        "\u202eabc",
        "\u05d0\u05d1",
        "e\u0301",
        "\u00e9",
        "\U0001f600",
        "\ud7ff",
        "1",
        "-1.5",
        "1e5",
        "NaN",
        "nan",
        "None",
    ),
    *("cause", "effect", "type", "node", "graph", "digraph", "strict", "edge", "subgraph", "exact_name", "#", "# a"),
    *("Unnamed: 0", "index", "true", "null", "~", "yes", "- a", "a: b", "!tag", "*a", "&a", "a//b", "/knowledge"),
    *("addtemporal", "forbiddirect", "1*", "x" * 3_999, "x" * 4_001, LONG, "\u00e4" * 16_384),
]
CHARACTERS = st.characters(exclude_categories=["Cs"])
NAMES = st.one_of(
    st.sampled_from(ODD),
    st.text(CHARACTERS, min_size=1, max_size=6),
    st.lists(st.sampled_from(ODD[:60]), min_size=1, max_size=3).map("".join),
)
SEVERAL = st.lists(NAMES, min_size=2, max_size=4, unique=True)
WRITERS = {".csv": to_edge_csv, ".graphml": to_graphml, ".dot": to_dot, ".gv": to_dot}


def over(names):
    """A graph in which every node has an edge, one of them undirected if there are three."""
    edges = [(k, k + 1) for k in range(len(names) - 1)]
    return PDAG.from_edges(edges[1:], edges[:1], names) if len(names) > 2 else DAG.from_edges(edges, names)


def read_back(folder, suffix, text):
    path = folder / f"g{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    return ds.read_graph(path)


def message_of(kind, act):
    """What an error says; None if there is none."""
    try:
        act()
    except kind as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("names")


def every_odd_name(test):
    """Beside random names, each odd one for itself."""
    for name in ODD:
        test = example(names=[name, "other"])(test)
    return test


@settings(deadline=None, max_examples=60)
@every_odd_name
@given(names=SEVERAL)
def test_graphs_in_all_formats_are_read_back_equal(names, folder):
    graph = over(names)
    for suffix, write in WRITERS.items():
        read = read_back(folder, suffix, write(graph))
        assert set(read.names) == set(graph.names)
        assert set(read.directed_edges) == set(graph.directed_edges)
        assert {*map(frozenset, read.undirected_edges)} == {*map(frozenset, graph.undirected_edges)}
        if suffix != ".csv":
            assert read == graph
    plain = {"names": graph.names, "edges": graph.directed_edges, "undirected_edges": graph.undirected_edges}
    assert read_back(folder, ".json", json.dumps(plain)).directed_edges == graph.directed_edges
    assert read_back(folder, ".json", json.dumps(plain, ensure_ascii=False)).names == graph.names


@settings(deadline=None, max_examples=40)
@every_odd_name
@given(names=SEVERAL)
def test_networkx_reads_our_graphml(names, folder):
    graph = over(names)
    (folder / "g.graphml").write_text(to_graphml(graph), encoding="utf-8", newline="")
    read = nx.read_graphml(folder / "g.graphml")
    assert (len(read), read.number_of_edges()) == (graph.n_nodes, graph.n_edges)
    exact = [json.loads(said["exact_name"]) if "exact_name" in said else node for node, said in read.nodes(data=True)]
    assert exact == list(graph.names)


def of_graphviz(source):
    """What Graphviz makes of a source."""
    made = subprocess.run(["dot", "-Tjson"], input=source.encode(), capture_output=True, timeout=60, check=False)
    assert (made.returncode, made.stderr) == (0, b"")
    return json.loads(made.stdout, strict=False)


def drawn_texts(shape):
    return [mark["text"] for mark in shape.get("_ldraw_", []) if mark["op"] == "T"]


@pytest.mark.skipif(which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_our_source_and_shows_names_as_they_are():
    names = [name for name in ODD if name.strip()]
    shapes = of_graphviz(to_dot(DAG(np.zeros((len(names),) * 2), names)))["objects"]
    assert len(shapes) == len(names)
    for name, shape in zip(names, shapes, strict=True):
        shown = "\n".join(drawn_texts(shape))
        if "\n" not in name and "\r" not in name and len(name) < 1_000 and visible(name) == name:
            assert shown == name
        else:
            assert shown


@pytest.mark.long
@pytest.mark.skipif(which("dot") is None, reason="Graphviz is not installed")
@settings(deadline=None, max_examples=300)
@given(names=SEVERAL)
def test_graphviz_reads_our_source_whatever_nodes_are_called(names):
    graph = over(names)
    made = of_graphviz(to_dot(graph))
    assert (len(made["objects"]), len(made["edges"])) == (graph.n_nodes, graph.n_edges)


@settings(deadline=None, max_examples=25)
@given(names=SEVERAL)
@example(names=ODD)
@example(names=["\x00", "  "])
def test_pictures_are_xml_with_every_name_in_a_title(names, folder):
    picture = ds.report.draw(over(names), folder / "g.svg")
    titles = [element.text for element in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}title")]
    # Graphviz writes what has line breaks on several lines, and every second of several blanks as one that stays.
    shown = "".join(ElementTree.parse(picture).getroot().itertext()).replace("\xa0", " ")
    titles = [title.replace("\xa0", " ") for title in titles if title]
    for name in names:
        name = name.replace("\xa0", " ")  # noqa: PLW2901
        lines = [visible(line)[:20] for line in name.splitlines()]
        assert visible(name)[:20] in shown or name in titles or all(line in shown for line in lines)


# ---------------------------------------------------------------- knowledge


def knowledge_over(names):
    return Knowledge(
        required=[(names[0], names[1])], forbidden=[(names[1], names[0])][:0], tiers=[[name] for name in names]
    )


@settings(deadline=None, max_examples=60)
@every_odd_name
@given(names=SEVERAL)
def test_knowledge_in_all_formats_is_read_back_equal_or_not_written(names, folder):
    known = knowledge_over(names)
    for suffix in (".csv", ".json", ".yaml", ".txt"):
        path = folder / f"known{suffix}"
        path.unlink(missing_ok=True)
        refused = message_of(InputError, lambda path=path: known.write(path))
        if refused is None:
            assert Knowledge.read(path) == known
        else:
            assert suffix in (".csv", ".txt")
            assert "\n" not in refused
            assert not path.exists()


# ---------------------------------------------------------------- tables, results and the command


@settings(deadline=None, max_examples=15)
@given(names=SEVERAL)
@example(names=["\x00a", "b\r", LONG])
@example(names=["cause", "effect", "type"])
@example(names=["&amp;", "\uffff", "\u202eabc"])
def test_results_in_files_have_the_names_of_the_table(names, folder):
    x = np.random.default_rng(0).normal(size=(40, len(names))).cumsum(axis=1)
    table = pd.DataFrame(x, columns=names)
    refused = message_of(DataError, lambda: ds.as_dataset(table))
    if refused is not None:
        assert "empty name" in refused
        return
    model = ds.GreedySearch(score="bic-linear").fit(table)
    for suffix, write in WRITERS.items():
        assert set(read_back(folder, suffix, write(model.dag_)).directed_edges) == set(model.dag_.edges)
    files = ds.report.write_graph(model.dag_, folder / "out", effects=model.effects_)
    for path in files:
        if path.suffix != ".svg":
            assert set(ds.read_graph(path).directed_edges) == set(model.dag_.edges)
    ElementTree.parse(next(path for path in files if path.suffix == ".svg"))


@pytest.mark.long
@settings(deadline=None, max_examples=25)
@every_odd_name
@given(names=SEVERAL)
def test_simulated_tables_are_read_back_with_their_names_or_not_written(names, folder):
    graph = folder / "graph.json"
    graph.write_text(json.dumps({"names": names, "edges": [names[:2]]}))
    out = folder / "simulated"
    result = run("simulate", "--graph", graph, "--rows", 5, "--out", out)
    if result.exit_code == 0:
        assert list(ds.read_dataset(out / "data.csv").names) == names
        assert ds.read_graph(out / "truth.csv").edges == [tuple(names[:2])]
        for file in out.iterdir():
            file.unlink()
        out.rmdir()
    else:
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert not out.exists()


BROKEN = "half\ud800"


def test_half_a_surrogate_pair_is_refused_at_every_door(tmp_path):
    x = np.random.default_rng(0).normal(size=(20, 2))
    for make in (
        lambda: DAG(np.zeros((2, 2)), ["a", BROKEN]),
        lambda: DAG.from_edges([("a", BROKEN)]),
        lambda: ds.as_dataset({"a": x[:, 0], BROKEN: x[:, 1]}),
        lambda: ds.as_dataset(x, names=["a", BROKEN]),
        lambda: Knowledge([("a", BROKEN)]).write(tmp_path / "k.json"),
        lambda: Knowledge([("a", BROKEN)]).write(tmp_path / "k.yaml"),
    ):
        with pytest.raises(InputError, match="half a surrogate pair"):
            make()
    graph = tmp_path / "g.json"
    graph.write_text(json.dumps([["a", BROKEN]]))
    result = run("compare", graph, "sachs")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert list(Path(tmp_path).iterdir()) == [graph]


def test_empty_names_are_refused():
    with pytest.raises(InputError, match="names must not be empty, the one at position 1 is"):
        DAG(np.zeros((2, 2)), ["a", ""])


def test_an_attribute_of_ours_that_holds_something_else_is_refused(tmp_path):
    for text in ("[]", "a", "1", '"a'):
        source = f'digraph {{ "a" [exact_name={json.dumps(text)}]; }}'
        with pytest.raises(DataError, match="the attribute exact_name must be a name"):
            read_back(tmp_path, ".dot", source)
    with pytest.raises(DataError, match="of different nodes must be different"):
        read_back(tmp_path, ".dot", 'digraph { "a"; "b" [exact_name="\\"a\\""]; }')


FORGING = ["\x1b[2Ja", "b\nError: no", "c\rd", "\u202ee"]


def test_no_name_moves_the_cursor_or_begins_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=(60, 4)).cumsum(axis=1)
    pd.DataFrame(x, columns=FORGING).to_parquet("t.parquet")
    Path("other.csv").write_text('cause,effect\n"\x1b[2Jz\nline","y"\n', newline="")
    Path("cycle.csv").write_text('cause,effect\n"\x1b[2Jz\nline","y"\n"y","\x1b[2Jz\nline"\n', newline="")
    discover = ("discover", "t.parquet", "--method", "greedy", "--score", "bic-linear")
    shown = run(*discover)
    assert shown.exit_code == 0
    wrong = [
        run(*discover, *more)
        for more in (["--truth", "other.csv"], ["--require", "p->q"], ["--focus", "p"], ["--discrete", "p"])
    ]
    wrong += [run("compare", "other.csv", "sachs"), run("compare", "cycle.csv", "sachs")]
    for result in wrong:
        assert result.exit_code == 2
        assert len([line for line in result.stderr.splitlines() if not line.startswith("check: ")]) == 1, result.stderr
    for text in (shown.stdout, *(result.stderr for result in wrong)):
        assert "\x1b" not in text
        assert "\r" not in text
        assert "\u202e" not in text
        assert "\nError: no" not in text
