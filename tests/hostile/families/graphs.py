"""Graph files: read as what they are, or refused; truths are matched by name or refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from hostile.case import FAST, REFUSED, RIGHT, Case, dagsearch, discovered, good_table
from hostile.spoilt import file_cases

FAMILY = "graphs"
EDGES = (("a", "b"), ("b", "c"), ("d", "e"))
_HEAD = '<?xml version="1.0"?>'
_OPEN = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
_CLOSE = "</graph></graphml>"
_NODES = "".join(f'<node id="{name}"/>' for name in "abcde")
_LAUGHS = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))


def cases() -> Iterator[Case]:
    """All of this family."""
    for suffix, content in whole().items():
        yield Case(FAMILY, f"{suffix}: as it should be", partial(_same, suffix, content), (RIGHT,))
        yield Case(FAMILY, f"{suffix}: truth", partial(_truth, suffix, content), (RIGHT,))
    yield from file_cases(FAMILY, whole(), _REFUSED, 30, _any)
    for number, array in enumerate(_arrays()):
        yield Case(FAMILY, f".npy: refused {number}", partial(_any, ".npy", _npy(array)), (REFUSED,))
    for what, path in {"a folder": ".", "no file": "none.csv", "zeros": "/dev/zero", "no suffix": "graph"}.items():
        yield Case(FAMILY, what, partial(dagsearch, "compare", path, path), (REFUSED,))
    yield from _matching()


def whole() -> dict[str, bytes]:
    """The same graph in every format."""
    import dagsearch as ds
    from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml

    graph = ds.DAG.from_edges(EDGES, names=list("abcde"))
    texts = {".csv": to_edge_csv(graph), ".graphml": to_graphml(graph), ".dot": to_dot(graph)}
    texts[".json"] = json.dumps({"names": list("abcde"), "edges": EDGES})
    texts[".txt"] = "Graph Nodes:\na;b;c;d;e\n\nGraph Edges:\n1. a --> b\n2. b --> c\n3. d --> e\n"
    matrix = ",".join("abcde") + "\n" + "\n".join(",".join(map(str, row)) for row in graph.adjacency)
    return {**{suffix: text.encode() for suffix, text in texts.items()}, ".tsv": matrix.replace(",", "\t").encode()}


def _same(suffix: str, content: bytes) -> None:
    import dagsearch as ds

    Path(f"graph{suffix}").write_bytes(content)
    found = ds.read_graph(f"graph{suffix}")
    assert set(found.names) == set("abcde")
    assert set(found.directed_edges) == set(EDGES)


def _any(suffix: str, content: bytes) -> None:
    """What is read has a size that its file can have, and comparing it with itself finds no difference."""
    Path(f"graph{suffix}").write_bytes(content)
    dagsearch("compare", f"graph{suffix}", f"graph{suffix}", "--json", "found.json")
    found = json.loads(Path("found.json").read_text())
    assert found["shd"] == 0, found


def _truth(suffix: str, content: bytes) -> None:
    good_table()[list("edcba")].to_csv("table.csv", index=False)  # another order than the graph's
    Path(f"graph{suffix}").write_bytes(content)
    metrics = discovered("table.csv", *FAST, "--truth", f"graph{suffix}")["metrics"]
    assert metrics["shd"] <= 3, metrics  # all edges are found, some the other way round


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def _arrays() -> list[np.ndarray]:
    cycle = np.roll(np.eye(3), 1, axis=1)
    # fmt: off
    return [
        np.zeros(3), np.zeros((2, 3)), np.zeros((2, 2, 2)), np.float64(1), np.eye(3), cycle, np.full((3, 3), np.nan),
        np.full((3, 3), np.inf), np.full((3, 3), "x"), np.array([[0, 0.5], [0, 0]]) * 1j, np.array([[0, {}], [0, 0]], dtype=object),
    ]
    # fmt: on


def _matching() -> Iterator[Case]:
    """A truth over other variables is no truth."""

    def compared(names: str, expected_shd: int | None = None) -> None:
        good_table().to_csv("table.csv", index=False)
        edges = "\n".join(f"{names[i]},{names[j]}" for i, j in ((0, 1), (1, 2), (3, 4)))
        Path("truth.csv").write_text(f"cause,effect\n{edges}\n")
        metrics = discovered("table.csv", *FAST, "--truth", "truth.csv")["metrics"]
        assert expected_shd is None or metrics["shd"] <= expected_shd

    yield Case(FAMILY, "truth: the same names", partial(compared, "abcde", 3), (RIGHT,))
    for names in ("vwxyz", "ABCDE", "abcdz", "abxyz"):
        yield Case(FAMILY, f"truth: over {names}", partial(compared, names), (REFUSED,))


_REFUSED = {
    ".csv": (
        "", "\n", "x", "a,b", "cause,effect\na\n", "cause,effect\na,b,c\n", "cause,effect\na,a\n", "cause,effect\na,b\nb,a\n",
        "cause,effect\na,b\na,b\n", "cause,effect\na,b\nb,c\nc,a\n", 'cause,effect\n"a,b\n', "cause,effect\n,b\n", "\x00", "cause;effect\na;b;c\n",
        "cause,effect,type\na,b,sideways\n", "a,b\n0,1\n", "a,b\n0,1\n1,0,0\n", "a,b\n0,2\n0,0\n", "a,b\n0,x\n0,0\n", "a,a\n0,1\n0,0\n", "a,b\n1,0\n0,1\n",
    ),
    ".json": (
        "", " ", "null", "1", '"a"', "true", "[", "{", "[" * 100_000, '{"a":' * 5_000, "[1, 2]", "[[1]]", "[[1, 2, 3]]", '[["a", null]]',
        '[["a", ["b"]]]', "[[0, 1.5]]", "[[0, -1]]", "[[0, 300000000]]", "[[0, 1" + "0" * 30 + "]]", "[[0, 1e9]]", '[["a", "a"]]',
        '[["a", "b"], ["b", "a"]]', '[["a", "b"], ["a", "b"]]', '[["a", 1]]', '{"edges": null}', '{"edges": 3}', '{"edges": {"a": "b"}}', "{}",
        '{"edges": [], "names": 3}', '{"edges": [["a", "b"]], "names": ["a"]}', '{"edges": [], "names": ["a", "a"]}', "NaN", "{}{}",
        '{"edges": [], "names": [null]}', '{"edges": [["\\ud800", "b"]]}', '{"names": ["a"], "edges": [[0, 1]]}',
    ),
    ".graphml": (
        "", "x", "<", "<a>", "<graphml>", _HEAD, _HEAD + "<svg/>", _HEAD + _OPEN, _HEAD + _OPEN + _NODES + '<edge source="a" target="z"/>' + _CLOSE,
        _HEAD + _OPEN + _NODES + '<edge source="a"/>' + _CLOSE, _HEAD + _OPEN + _NODES + '<edge source="a" target="a"/>' + _CLOSE,
        _HEAD + _OPEN + '<node id="a"/>' * 2 + _CLOSE, _HEAD + _OPEN + "<node/>" + _CLOSE,
        _HEAD + '<graphml><key id="k" for="edge" attr.name="x" attr.type="nonsense"/><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="k">1</data></edge></graph></graphml>',
        _HEAD + f"<!DOCTYPE x [<!ENTITY l0 \"ha\">{_LAUGHS}]>" + _OPEN + '<node id="&l9;"/>' + _CLOSE,
        _HEAD + '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>' + _OPEN + '<node id="a">&f;</node>' + _CLOSE, "<a>" * 50_000,
        _HEAD + _OPEN + _NODES + '<edge source="a" target="b"/><edge source="b" target="a"/>' + _CLOSE + "x", '<?xml version="1.0" encoding="nonsense"?><graphml/>',
    ),
    ".dot": (
        "", "x", "digraph", "digraph {", "digraph { a -> }", "digraph { -> b }", "digraph { a -> b", "graph { a - b }", "digraph { a -> a }",
        "digraph { a -> b; b -> a }", "digraph { a -> b -> c -> a }", "digraph { " + "{ " * 10_000, 'digraph { "a -> b }', "digraph { a [label=", "\x00",
        "digraph { a -> b; a -> b }", "/* digraph { a -> b }", "digraph { a -> { b c }",
    ),
    ".txt": ("", "x", "Graph Nodes:", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a ==> b\n", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> z\n", "Graph Edges:\n", "\x00"),
    ".tsv": ("", "a\tb", "a\tb\n0\t1\n", "cause\teffect\na\n"),
    ".exe": ("cause,effect\na,b\n",),
}  # fmt: skip
