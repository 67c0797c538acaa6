"""How sure edges are: the likely graph, and a line for each likely pair."""

from __future__ import annotations

import numpy as np

from dagsearch.confidence import Confidence
from dagsearch.confidence.posterior import Posterior
from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.graph import PDAG
from dagsearch.graph.marks import EdgeMark
from dagsearch.report.directions import marks_of
from dagsearch.report.notebook.cells import (
    Column,
    aside,
    bar,
    block,
    chain,
    code,
    lead,
    left_out,
    line,
    notes,
    sentence,
    table,
)
from dagsearch.report.notebook.fit import direction
from dagsearch.report.notebook.picture import is_drawn, not_drawn, picture
from dagsearch.report.page.markup import Child, Markup, joined
from dagsearch.report.page.words import counted, probability
from dagsearch.report.sketch import sketch

_MOST_ROWS = 15
_LEAST_LIKELY = 0.1


def confidence_html(sure: Confidence) -> str:
    """The graph of what is more likely than not, and the likely pairs."""
    likely = sure.consensus()
    graph = likely.graph
    n_open = len(graph.undirected_edges)
    said = f"{counted(sure.n_nodes, 'variable')}, {counted(graph.n_edges, 'edge')} more likely than not"
    drawn = picture(sketch(graph, marks=marks_of(graph, sure))) if is_drawn(graph.n_edges) else None
    return block(
        lead("Confidence", f": {said}", f", the direction of {n_open} open" if n_open else None),
        aside(sentence(sure.method)),
        drawn or not_drawn(graph, "ds.report.draw(confidence.graph(), 'graph.svg')", "confidence.graph()"),
        _pairs(sure, graph),
        notes([*sure.notes, *likely.notes]),
    )


def posterior_html(posterior: Posterior) -> str | None:
    """What a fitted posterior is for; None if it is not fitted."""
    return confidence_html(posterior.confidence_) if "confidence_" in vars(posterior) else None


def _pairs(sure: Confidence, likely: PDAG) -> Markup:
    adjacent = sure.adjacency_probability
    pairs = np.argwhere(np.triu(adjacent >= _LEAST_LIKELY, 1)).tolist()
    if not pairs:
        likeliest = probability(float(adjacent.max(initial=0.0)))
        return line(f"No pair of variables is likely to be joined: the likeliest has {likeliest}.")
    pairs.sort(key=lambda pair: (-adjacent[pair[0], pair[1]], pair))
    rows = [_cells(sure, likely, *pair) for pair in pairs[:_MOST_ROWS]]
    columns = _COLUMNS if any(row[-1] for row in rows) else _COLUMNS[:-1]
    return joined(
        table(columns, [row[: len(columns)] for row in rows]),
        left_out(len(pairs) - len(rows), "pair", code("print(confidence)")),
    )


def _cells(sure: Confidence, likely: PDAG, i: int, j: int) -> list[Child]:
    if sure.edge_probability[j, i] > sure.edge_probability[i, j]:
        i, j = j, i
    adjacent = float(sure.adjacency_probability[i, j])
    forward, backward = float(sure.edge_probability[i, j]), float(sure.edge_probability[j, i])
    # The graph leaves likely directions open, too, where they make a cycle.
    is_open = bool(likely.adjacency[j, i]) or not forward > SURE_DIRECTION * adjacent
    return [
        chain([sure.names[i], sure.names[j]], not is_open),
        bar(adjacent),
        direction(EdgeMark(is_open, adjacent, forward, backward)),
        "open" if is_open else None,
    ]


_COLUMNS = (
    Column("Edge", tip="The likelier cause and its effect; a line instead of an arrow: direction open"),
    Column("Edge there", "right", "Probability that the two are joined at all"),
    Column("Direction", "right", "Share of that for the direction in which the edge is written"),
    Column("", tip=f"Open: neither direction has more than {SURE_DIRECTION:.0%} of that, or it closes a cycle"),
)
