"""Numbers beside edges, where they cover neither boxes nor each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagsearch.report.layout import GraphLayout
from dagsearch.report.layout.arrows import point_at
from dagsearch.report.layout.text import text_width
from dagsearch.report.sketch import Sketch
from dagsearch.report.svg.element import content, element, number

LABEL_SIZE = 10.5
_HEIGHT = 10.0
_AWAY = 5.0  # from the line
_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # along the line
_COST_OF_BOX, _COST_OF_LABEL, _COST_OF_LINE = 10.0, 6.0, 1.0

Corners = npt.NDArray[np.float64]
"""Left, top, right and bottom of rectangles, shape (n, 4)."""


class Label(NamedTuple):
    """Text with its place: the left end of its base line."""

    text: str
    x: float
    y: float

    def drawn(self, colour: str) -> str:
        """Return it as SVG."""
        place: dict[str, str | float] = {"x": number(self.x), "y": number(self.y), "font_size": LABEL_SIZE}
        return element("text", {"class": "ds-label", **place, "fill": colour}, [content(self.text)])


def labels(
    sketch: Sketch, layout: GraphLayout, measure: Callable[[str, float], float] = text_width
) -> dict[int, Label]:
    """Return the labels of strokes that have one, each where it covers least; `measure` as in `layout_of`."""
    texts = {place: stroke.label for place, stroke in enumerate(sketch.strokes) if stroke.label}
    if not texts:
        return {}
    boxes = np.array([(box.left, box.top, box.right, box.bottom) for box in layout.boxes])
    lines = {place: _sampled(route) for place, route in enumerate(layout.routes)}
    taken: list[tuple[float, float, float, float]] = []
    found = {}
    for place, text in texts.items():
        others = np.concatenate([points for other, points in lines.items() if other != place] or [np.zeros((0, 2))])
        corners = min(
            _candidates(layout.routes[place], measure(text, LABEL_SIZE)),
            key=lambda rectangle: _cost(rectangle, boxes, np.array(taken).reshape(-1, 4), others),
        )
        taken.append(corners)
        found[place] = Label(text, corners[0], corners[3] - 1.5)
    return found


def _sampled(route: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.array([point_at(route, part)[0] for part in np.linspace(0, 1, 5 * (len(route) - 1) // 3 + 1)])


def _candidates(route: npt.NDArray[np.float64], width: float) -> list[tuple[float, float, float, float]]:
    """Rectangles right and left of the line, the best ones first."""
    found = []
    for part in _PLACES:
        (x, y), _ = point_at(route, part)
        top = float(y) - _HEIGHT / 2
        for left in (float(x) + _AWAY, float(x) - _AWAY - width):
            found.append((left, top, left + width, top + _HEIGHT))
    return found


def _cost(
    rectangle: tuple[float, float, float, float], boxes: Corners, taken: Corners, points: npt.NDArray[np.float64]
) -> float:
    """How much a label would cover."""
    left, top, right, bottom = rectangle
    inside = (points[:, 0] > left - 2) & (points[:, 0] < right + 2) & (points[:, 1] > top) & (points[:, 1] < bottom)
    return (
        _COST_OF_BOX * _n_overlaps(rectangle, boxes)
        + _COST_OF_LABEL * _n_overlaps(rectangle, taken)
        + _COST_OF_LINE * float(inside.sum())
    )


def _n_overlaps(rectangle: tuple[float, float, float, float], others: Corners) -> float:
    left, top, right, bottom = rectangle
    apart = (others[:, 0] >= right) | (others[:, 2] <= left) | (others[:, 1] >= bottom) | (others[:, 3] <= top)
    return float((~apart).sum())
