"""Text and lines whose size is in units of the axes: they grow and shrink with the picture."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.patches import FancyBboxPatch, Patch, PathPatch
from matplotlib.text import Text

from dagsearch.report.plot.canvas import AS_TEXT, POINTS_PER_INCH, legible

_CHANGE = 1e-6  # of a size; what is smaller would only have the picture drawn again


def points_per_unit(axes: Any) -> float:
    """Points that a unit of the axes takes, in the direction in which it takes fewer."""
    (left, bottom), (right, top) = axes.transData.transform([(0.0, 0.0), (1.0, 1.0)])
    return float(min(abs(right - left), abs(top - bottom)) * POINTS_PER_INCH / axes.figure.dpi)


class ScaledText(Text):
    """Text of some height in units of its axes, as text: no character starts a formula.

    Parameters
    ----------
    x, y, text
        As `matplotlib.text.Text` has them.
    units
        Size of the letters.
    most
        Their most size in points.
    """

    def __init__(self, x: float, y: float, text: str, units: float, most: float = math.inf, **look: Any) -> None:
        super().__init__(x, y, legible(text), **{**AS_TEXT, **look})
        self._units, self._most = units, most

    def draw(self, renderer: Any) -> None:
        """Draw it in the size that the axes have now."""
        self.fit()
        super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Any:
        """Where it lies, in pixels."""
        self.fit()
        return super().get_window_extent(renderer, dpi)

    def fit(self) -> None:
        """Take the size that the axes have room for now."""
        size = min(self._units * points_per_unit(self.axes), self._most)
        if size > 0 and abs(size - float(self.get_fontsize())) > _CHANGE:
            self.set_fontsize(size)


class _ScaledWidth(Patch):
    """A patch whose lines have some width in units of its axes, and a least one in points."""

    _units, _least = 1.0, 0.0

    def set_units(self, units: float, least: float) -> None:
        """Say how wide its lines are."""
        self._units, self._least = units, least

    def draw(self, renderer: Any) -> None:
        """Draw it with lines of the width that the axes have room for now."""
        self.fit()
        super().draw(renderer)

    def fit(self) -> None:
        """Take the width that the axes have room for now."""
        width = max(self._units * points_per_unit(self.axes), self._least)
        if abs(width - self.get_linewidth()) > _CHANGE:
            self.set_linewidth(width)


class ScaledLine(_ScaledWidth, PathPatch):
    """A line along a path; arguments as `matplotlib.patches.PathPatch` has them."""


class ScaledBox(_ScaledWidth, FancyBboxPatch):
    """A box; arguments as `matplotlib.patches.FancyBboxPatch` has them."""
