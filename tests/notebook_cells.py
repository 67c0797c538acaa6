"""What tests of notebooks share: a strict reader of what is shown, and one of each kind of thing to show."""

import base64
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd

import dagsearch as ds
from dagsearch.diagnostics import MinEffectPath, PathEdge
from dagsearch.report.notebook import as_html
from dagsearch.search.trace import Decision, Improvement, Trace

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "\"quotes\" & 'more' `ticks` onerror=alert(1)",
    "line\nbreak",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "x" * 500,
    "&amp;",
    "</td></div><img src=x onerror=alert(1)>",
)
# Those that front ends keep in notebooks that nobody trusts yet.
TAGS = {"div", "strong", "bdi", "span", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
TAGS |= {"ul", "li", "img", "br"}
ATTRIBUTES = {"class", "style", "title", "scope", "aria-hidden", "src", "alt"}
PICTURE = "data:image/svg+xml;base64,"


class Shown(HTMLParser):
    """HTML as a front end reads it; complains about all that does not belong into a notebook."""

    def __init__(self, html):
        super().__init__()
        self.html, self.texts, self.pictures, self.open = html, [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS
        assert {name for name, _ in attributes} <= ATTRIBUTES
        told = dict(attributes)
        assert "url(" not in told.get("style", "")
        if tag == "img":
            assert told["src"].startswith(PICTURE)
            self.pictures.append(ET.fromstring(base64.b64decode(told["src"].removeprefix(PICTURE))))
            check_picture(self.pictures[-1])
        elif tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.replace("\N{LEFT-TO-RIGHT MARK}", ""))  # which cannot be seen

    @property
    def text(self):
        return "".join(self.texts)

    @property
    def rows(self):
        """The cells of all tables, row by row, as text."""
        rows = re.findall(r"<tr.*?</tr>", self.html)
        cells = [re.findall(r"<t[hd].*?</t[hd]>", row) for row in rows]
        return [[Shown(f"<table><tr>{cell}</tr></table>").text for cell in row] for row in cells]


def check_picture(root):
    for each in root.iter():
        assert each.tag.removeprefix(SVG) in {"svg", "g", "rect", "path", "text", "title"}
        assert not {"id", "href", "style"} & set(each.attrib)
        assert not any(name.startswith("on") for name in each.attrib)


def shown(thing):
    html = as_html(thing)
    assert html == as_html(thing)
    return Shown(html)


def lines_of(picture):
    """Colour and whether there is an arrowhead, of each edge."""
    edges = [each for each in picture.iter(f"{SVG}g") if "ds-edge" in each.get("class", "").split()]
    return [(edge.find(f"{SVG}path").get("stroke"), len(edge.findall(f"{SVG}path")) == 2) for edge in edges]


def simulated(names, n=60, seed=0):
    """A chain with alternating signs."""
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, len(names)))
    for j in range(1, len(names)):
        x[:, j] += (-1) ** j * 2 * x[:, j - 1]
    return pd.DataFrame(x, columns=list(names))


def fitted(names=("a", "b", "c"), n=60, **settings):
    return ds.GreedySearch(score="bic-linear", random_state=0, **{"confidence": "none", **settings}).fit(
        simulated(names, n)
    )


def complete_dag(n_nodes, n_edges):
    """The first so many edges of the complete DAG."""
    pairs = np.argwhere(np.triu(np.ones((n_nodes, n_nodes)), 1))[:n_edges]
    return ds.DAG.from_edges([tuple(map(int, pair)) for pair in pairs], names=[f"variable {i}" for i in range(n_nodes)])


def sure(names, forward=0.9, backward=0.05):
    edges = np.triu(np.full((len(names), len(names)), forward), 1)
    edges += np.tril(np.full((len(names), len(names)), backward), -1)
    return ds.Confidence(tuple(names), edges, edges, "made up", notes=tuple(names))


def traced(names):
    edges = (tuple(names[:2]),)
    decision = Decision(0, 1, names[0], 1, (), 3, names[1], 10, 0.1, 1.0, True, edges, edges)
    return Trace((decision,), (Improvement(1, 0.1, 1.0, 1, names[0], 0),), tuple(names), 1)


def all_things(names):
    """One of each kind, in which all names occur."""
    a, b, c = names[:3]
    dag = ds.DAG.from_edges([(a, b), (b, c)], names=names)
    model = fitted(names)
    finding = ds.Finding((a,), b, "high", f"{a} is wrong", f"drop {b}")
    table = replace(ds.as_dataset(simulated(names)), truth=dag, citation=a, notes=tuple(names))
    return [
        dag,
        ds.PDAG.from_edges([(a, b)], [(b, c)], names=names),
        ds.CyclicGraph([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [a, b, c]),
        model,
        replace(model.result_, notes=tuple(names), settings={a: b}),
        table,
        sure(names),
        ds.Audit((finding,), 10, 3),
        ds.metrics.compare(dag, dag),
        ds.metrics.Metrics({a: 1.0, b: None, c: a}),
        ds.metrics.classify(dag, ds.DAG.from_edges([(b, a), (a, c)], names=names)),
        traced(names),
        model.effects_[0],
        ds.effects(model, a, c, n_bootstrap=0),
        MinEffectPath((0.0, 0.1), 0.1, (PathEdge(a, b, (1, 0)), PathEdge(b, c, (-1, 1)))),
        MinEffectPath(reason=a),
    ]
