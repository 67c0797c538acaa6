"""Which methods agree on which edge, as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagsearch.estimators.result import Graph
from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Markup, bullets, element, joined
from dagsearch.report.page.words import brief, counted

_FORWARD, _BACKWARD, _OPEN, _NONE = "→", "←", "—", ""
_IN_WORDS = {_FORWARD: "as written", _BACKWARD: "the other way", _OPEN: "direction open", _NONE: "no edge"}
_MOST_ROWS = 400


def agreement_section(graphs: Mapping[str, Graph], left_out: Mapping[str, str], truth: Graph | None) -> Section:
    """Pairs of variables in rows, methods in columns; the pairs that most methods join stand first.

    Parameters
    ----------
    graphs
        By method, after pruning.
    left_out
        Why other methods have no column.
    truth
        The known graph, if there is one; it has a column of its own.
    """
    columns = {**graphs, **({"known graph": truth} if truth is not None else {})}
    rows = sorted(_pairs(list(graphs.values()), columns), key=lambda row: (-row[2], row[:2]))
    head = element("tr", element("th", "Pair", scope="col"), [_head(name) for name in (*columns, "methods")])
    lines = [_line(a, b, n, columns) for a, b, n in rows[:_MOST_ROWS]]
    notes = [f"{name}: {why}" for name, why in left_out.items()]
    if len(rows) > _MOST_ROWS:
        notes.append(f"{len(rows) - _MOST_ROWS} more pairs, each joined by few methods, are left out")
    unanimous = sum(n == len(graphs) for _, _, n in rows)
    body = joined(
        element(
            "p",
            f"{counted(unanimous, 'pair')} of {len(rows)} {'is' if unanimous == 1 else 'are'} joined by all of "
            f"{counted(len(graphs), 'method')}. {_FORWARD} as written, {_BACKWARD} the other way, {_OPEN} direction "
            "open.",
        ),
        element(
            "div",
            element("table", element("thead", head), element("tbody", lines), class_="matrix"),
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label="Methods and the edges that they find",
        ),
        bullets(notes),
    )
    return Section("agreement", "Which methods agree", body)


def _head(name: str) -> Markup:
    return element("th", element("span", name), scope="col")


def _pairs(by_methods: Sequence[Graph], columns: Mapping[str, Graph]) -> list[tuple[str, str, int]]:
    """Pairs that some graph joins, the direction that most methods take first, and how many methods join them."""
    joined_pairs = {frozenset(edge) for graph in columns.values() for edge in _edges(graph)}
    rows = []
    for pair in joined_pairs:
        a, b = sorted(pair)
        signs = [_sign(graph, a, b) for graph in by_methods]
        if signs.count(_BACKWARD) > signs.count(_FORWARD):
            a, b = b, a
        rows.append((a, b, sum(sign != _NONE for sign in signs)))
    return rows


def _edges(graph: Graph) -> list[tuple[str, str]]:
    return [*graph.directed_edges, *graph.undirected_edges]


def _sign(graph: Graph, a: str, b: str) -> str:
    i, j = (graph.index(name) if name in graph.names else None for name in (a, b))
    if i is None or j is None:
        return _NONE
    forward, backward = bool(graph.adjacency[i, j]), bool(graph.adjacency[j, i])
    if forward and backward:
        return _OPEN
    return _FORWARD if forward else _BACKWARD if backward else _NONE


def _line(a: str, b: str, n_methods: int, columns: Mapping[str, Graph]) -> Markup:
    cells = []
    for name, graph in columns.items():
        sign = _sign(graph, a, b)
        kind = {_FORWARD: "forward", _BACKWARD: "backward", _OPEN: "open"}.get(sign)
        said = element("span", _IN_WORDS[sign], class_="hidden")
        cells.append(element("td", element("span", sign, aria_hidden="true"), said, class_=kind, title=name))
    return element("tr", element("th", f"{brief(a)} · {brief(b)}", scope="row"), cells, element("td", str(n_methods)))
