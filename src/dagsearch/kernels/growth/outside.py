"""Scores that are fitted outside compiled code: gains are entered in the trees as they are asked for."""

from __future__ import annotations

from typing import NamedTuple


class OutsideGrowth(NamedTuple):
    """Nothing is needed to grow, as the trees are told."""

    n_nodes: int
