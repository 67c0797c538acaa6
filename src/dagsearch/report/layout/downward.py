"""Which way each stroke of a sketch leads downwards in a layered picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagsearch.graph.order import find_cycle, topological_order
from dagsearch.report.sketch import Sketch


def downward(sketch: Sketch) -> npt.NDArray[np.int8]:
    """Return an acyclic graph to arrange by, in which each stroke that is not a minor one has one edge."""
    index = {name: node for node, name in enumerate(sketch.names)}
    arranged = np.zeros((len(index), len(index)), dtype=np.int8)
    others = np.zeros_like(arranged)
    for stroke in sketch.strokes:
        if stroke.minor:
            continue
        # Undirected edges have no direction of their own, and missing ones could close a cycle.
        matrix = arranged if stroke.directed and stroke.kind != "missing" else others
        matrix[index[stroke.cause], index[stroke.effect]] = 1
    while (cycle := find_cycle(arranged)) is not None:
        upward = cycle[-1], cycle[0]
        arranged[upward], others[upward] = 0, 1
    in_order = np.ix_(*[topological_order(arranged)] * 2)
    arranged[in_order] |= np.triu((others | others.T)[in_order])
    return arranged
