"""What is known of an edge, as files and pictures show it: how sure it is, and what goes along it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

MOST_LABELLED = 30
"""Edges of a picture up to which each has its effect beside it; more numbers would cover each other."""

PROBABILITIES = ("adjacent", "forward", "backward")


class EdgeMark(NamedTuple):
    """How sure an edge is, and its effect; None stands for what nobody knows.

    Attributes
    ----------
    is_open
        Whether the data leave the direction open.
    adjacent
        Probability that there is an edge between the two.
    forward, backward
        Probabilities of the direction in which the edge is written, and of the other one.
    coefficient, standardised
        The direct effect in the direction in which the edge is written, in the original units and in standard
        deviations.
    p_value
        Of the test that pruning went by.
    """

    is_open: bool | None = None
    adjacent: float | None = None
    forward: float | None = None
    backward: float | None = None
    coefficient: float | None = None
    standardised: float | None = None
    p_value: float | None = None

    def known(self) -> dict[str, bool | float]:
        """What is known, by the names that files have for it."""
        values = {"open" if name == "is_open" else name: value for name, value in self._asdict().items()}
        return {name: value for name, value in values.items() if value is not None}

    def known_as_text(self) -> dict[str, str]:
        """The numbers that are known, as tables and Graphviz have them."""
        numbers = {name: value for name, value in self.known().items() if name != "open"}
        return {name: f"{value:.4f}" if name in PROBABILITIES else f"{value:.6g}" for name, value in numbers.items()}

    @property
    def label(self) -> str | None:
        """The effect in few characters, to be written beside the edge."""
        return None if self.coefficient is None else short_number(self.coefficient)


UNMARKED = EdgeMark()

Marks = Mapping[tuple[str, str], EdgeMark]
"""By (cause, effect), as the graph has the edge; for an undirected edge in the order in which the graph lists it."""


def short_number(value: float) -> str:
    """A number with its sign and two significant digits, such as ``-0.80``."""
    if value == 0.0 or not 0.001 <= abs(value) < 10_000:
        return f"{value:+.1e}" if value else "0"
    return f"{value:+.{max(0, 1 - math.floor(math.log10(abs(value))))}f}"


def width_of(probability: float) -> float:
    """How thick an edge is drawn, in points."""
    return 0.5 + 1.4 * probability


def opacity_of(probability: float) -> float:
    """How opaque an edge is drawn, up to 1."""
    return 0.35 + 0.65 * probability


def with_opacity(colour: str, probability: float) -> str:
    """A colour such as ``#3d4b5c`` with the opacity of an edge, as two further digits."""
    return f"{colour}{round(255 * opacity_of(probability)):02x}"
