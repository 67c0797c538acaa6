"""How much room boxes and lines have."""

from __future__ import annotations

from typing import NamedTuple


class Spacing(NamedTuple):
    """Room in a picture, in pixels.

    Attributes
    ----------
    padding
        Between the name of a variable and the border of its box.
    least_box
        Width of a box whose name is short.
    gap
        Between boxes side by side.
    widest_layer
        Layers that are wider are broken into several where that is possible.
    """

    padding: float = 12.0
    least_box: float = 44.0
    gap: float = 20.0
    widest_layer: float = 1400.0


ROOMY = Spacing()
COMPACT = Spacing(padding=5.0, least_box=30.0, gap=9.0, widest_layer=420.0)
"""For narrow columns, where letters are the larger the narrower everything else is."""
