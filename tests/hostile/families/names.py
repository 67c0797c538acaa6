"""Variables of any name: what is written is read back equal, what is drawn is well-formed, or the door refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from hostile.case import FAST, REFUSED, RIGHT, Case, discovered, good_table, require_clean

FAMILY = "names"
# fmt: off
ODD = (
    "\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b[2J", "\x1b]0;x\x07", "\x1c", "\x7f", "\x80", "\x85", "\u2028", "\u2029",
    "\ufeff", "\ufffe", "\uffff", "\ufdd0", "\U0001ffff", "\r", "\n", "\r\n", "\t", " a", "a ", "a\rb", "a\nb", "a\tb", "\\", "\\N",
    "\\G", "\\n", "\\u0041", '"', '\\"', "'", "''", '""', ",", ";", "|", "``", "`", "&", "&amp;", "&amp;amp;", "&lt;", "&#65;",
    "&#x41;", "&nosuch;", "<b>", "</b>", "<", ">", "<script>alert(1)</script>", "</script>", "<!--", "-->", "]]>", "<![CDATA[", "<?x",
    "</title>", "</style>", "<svg/onload=alert(1)>", "javascript:alert(1)", "%n", "%s", "%", "%00", "{", "}", "{}", "{0}", "{name}", "[",
    "]", "(", ")", "->", "--", "a->b", "a--b", "<-", "a -> b", "=", "=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "#", "# a", "#a",
    "!", "?", "*", "**", "~", "^", "$", "$HOME", "$(ls)", "\u202eabc", "\u202dabc", "\u2066abc", "\u200b", "\u200d", "\u00ad", "\u00a0",
    "\u3000", "\u05d0\u05d1", "\u0627\u0644", "e\u0301", "\u00e9", "\u212b", "\u00c5", "\u00df", "\u0130", "\ufb01", "\u4e2d\u6587",
    "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\ud7ff", "1", "01", "1.0", "-1.5", "1e5", "0x1", "1_000", "NaN", "nan",
    "inf", "None", "NA", "null", "true", "True", "yes", "~null", "0", "", " ", "  ", "a  b", "cause", "effect", "type", "node",
    "graph", "digraph", "strict", "edge", "subgraph", "exact_name", "id", "source", "target", "names", "edges", "Unnamed: 0", "index",
    "level_0", "X1", "x0", "- a", "a: b", "!tag", "*a", "&a", "a//b", "/knowledge", "addtemporal", "forbiddirect", "../up", "a/b",
    "C:\\x", "con", "constructor", "__proto__", "toString", "hasOwnProperty", "self", "lambda", "__class__", "x" * 500, "x" * 3_999,
    "x" * 16_384, "\u00e4" * 16_384, "\U0001f600" * 500, "a b " * 300, "\u202e" * 100, "line\n" * 100,
)
# fmt: on


def cases() -> Iterator[Case]:
    """All of this family."""
    for number, name in enumerate(ODD):
        what = f"{number} {ascii(name)[:24]}"
        yield Case(FAMILY, f"api: {what}", partial(written_and_read, name), (RIGHT, REFUSED))
        yield Case(FAMILY, f"command: {what}", partial(all_outputs, name), (RIGHT, REFUSED))
    pairs = {
        "composed and decomposed": ("\u00e9", "e\u0301"),
        "capitals": ("A", "a"),
        "blank at the end": ("x", "x "),
        "wide and narrow": ("1", "\uff11"),
        "escaped and not": ("&amp;", "&"),
        "cut off alike": ("x" * 500 + "1", "x" * 500 + "2"),
        "one within the other": ("a", "a,b"),
        "zero-width": ("ab", "a\u200bb"),
        "number and text": ("1", "1.0"),
    }
    for what, (first, second) in pairs.items():
        yield Case(FAMILY, f"two names: {what}", partial(written_and_read, first, second), (RIGHT, REFUSED))


def frame_of(first: str, second: str = "b") -> pd.DataFrame:
    """The good table, two of whose columns have other names."""
    return good_table().set_axis([first, second, "c", "d", "e"], axis=1)


def written_and_read(first: str, second: str = "b") -> None:
    """Fit, write all files of a graph, and read them back."""
    import dagsearch as ds
    from dagsearch.graph.export import to_dot, to_edge_csv, to_graphml
    from dagsearch.report import page  # noqa: F401

    model = ds.GreedySearch(score="bic-linear", random_state=0).fit(frame_of(first, second))
    names = (first, second, "c", "d", "e")
    assert model.dag_.names == names
    require_clean(model.dag_.edges, names)
    for suffix, write in ((".csv", to_edge_csv), (".graphml", to_graphml), (".dot", to_dot)):
        path = Path(f"graph{suffix}")
        path.write_text(write(model.dag_), encoding="utf-8", newline="")
        found = ds.read_graph(path)
        assert set(found.edges) == set(model.dag_.edges), suffix
    known = ds.Knowledge(required=[(first, second)], tiers=[[first], ["c", "d"]])
    known.write("known.json")
    assert ds.Knowledge.read("known.json") == known
    ElementTree.fromstring(model.dag_._repr_svg_())


def all_outputs(name: str) -> None:
    """What the command writes about a table with such a name, which is read back."""
    frame_of(name).to_csv("table.csv", index=False)
    found = discovered("table.csv", *FAST, "--out", "out", "--report", "page.html")
    names = tuple(json.loads(Path("found.json").read_text())["names"]) if "names" in found else None
    first = names[0] if names else next((n for edge in found["edges"] for n in edge if n not in "bcde"), name)
    allowed = (name, name.strip(), " ".join(name.split()), name.lstrip("# "))  # a header may be a comment
    assert first in allowed, (first, name)
    require_clean(found["edges"], (first, "b", "c", "d", "e"))
    edges = {tuple(edge) for edge in found["edges"]}
    import dagsearch as ds

    for suffix in ("csv", "graphml", "dot"):
        assert _pairs(ds.read_graph(f"out/graph.{suffix}")) == set(map(frozenset, edges)), suffix
    ElementTree.parse("out/graph.svg")
    page = Path("page.html").read_text(encoding="utf-8")
    reader = _Tags()
    reader.feed(page)
    assert reader.n_scripts <= 3, "a name became a script"
    assert not reader.handlers, reader.handlers


def _pairs(graph: Any) -> set[frozenset[str]]:
    """The pairs of nodes with an edge, whatever its direction."""
    return {frozenset((graph.names[i], graph.names[j])) for i, j in np.argwhere(graph.adjacency)}


class _Tags(HTMLParser):
    """Counts scripts and event handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.n_scripts, self.handlers = 0, []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.n_scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
