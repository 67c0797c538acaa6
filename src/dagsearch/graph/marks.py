"""What is known of how sure an edge is, as files and pictures show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class EdgeMark(NamedTuple):
    """How sure an edge is; None stands for what nobody knows.

    Attributes
    ----------
    is_open
        Whether the data leave the direction open.
    adjacent
        Probability that there is an edge between the two.
    forward, backward
        Probabilities of the direction in which the edge is written, and of the other one.
    """

    is_open: bool | None = None
    adjacent: float | None = None
    forward: float | None = None
    backward: float | None = None

    def known(self) -> dict[str, bool | float]:
        """What is known, by the names that files have for it."""
        values = {"open": self.is_open, "adjacent": self.adjacent, "forward": self.forward, "backward": self.backward}
        return {name: value for name, value in values.items() if value is not None}


UNMARKED = EdgeMark()

Marks = Mapping[tuple[str, str], EdgeMark]
"""By (cause, effect), as the graph has the edge; for an undirected edge in the order in which the graph lists it."""


def width_of(probability: float) -> float:
    """How thick an edge is drawn, in points."""
    return 0.5 + 1.4 * probability


def opacity_of(probability: float) -> float:
    """How opaque an edge is drawn, up to 1."""
    return 0.35 + 0.65 * probability


def with_opacity(colour: str, probability: float) -> str:
    """A colour such as ``#3d4b5c`` with the opacity of an edge, as two further digits."""
    return f"{colour}{round(255 * opacity_of(probability)):02x}"
