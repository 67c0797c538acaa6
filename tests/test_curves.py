"""Edges that are drawn around boxes: they begin and end at the borders, however close and wide the boxes are."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from dagsearch.report.layout.arrows import arrow_along
from dagsearch.report.layout.curves import around, straight
from dagsearch.report.layout.result import Box

_PLACES = st.floats(0, 400)
_BOXES = st.builds(Box, _PLACES, _PLACES, st.floats(20, 250), st.floats(20, 60))


def depth(box, point):
    """How far a point lies in a box; negative outside."""
    (x, y), (middle_x, middle_y) = point, box.centre
    return min(box.width / 2 - abs(x - middle_x), box.height / 2 - abs(y - middle_y))


def gap(a, b):
    return max(b.left - a.left - a.width, a.left - b.left - b.width, b.top - a.top - a.height, a.top - b.top - b.height)


@given(_BOXES, _BOXES, st.booleans())
def test_an_edge_begins_and_ends_at_the_borders_of_its_boxes(start, end, avoids):
    assume(gap(start, end) > 15)
    route = around(start, end, np.empty((0, 4))) if avoids else straight(start, end)
    np.testing.assert_allclose(depth(start, route[0]), 0.0, atol=1e-6)
    np.testing.assert_allclose(depth(end, route[-1]), 0.0, atol=1e-6)


@given(_BOXES, _BOXES)
def test_an_arrowhead_can_be_seen_between_boxes(start, end):
    assume(gap(start, end) > 15)
    head = arrow_along(straight(start, end), 2.0, directed=True).head
    assert depth(end, head[1:].mean(axis=0)) < 0
    forward = np.array(end.centre) - np.array(start.centre)
    assert (head[0] - head[1:].mean(axis=0)) @ forward > 0
