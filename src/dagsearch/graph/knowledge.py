"""What a user knows beforehand about the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph.checks import Edge, as_pairs, matrix_of, position, positions, refuse_cycle


@dataclass(frozen=True)
class Knowledge:
    """Edges that must or must not be there, and the order of groups of variables in time.

    Parameters
    ----------
    required
        Edges (cause, effect), by name or index, that every graph has. They count towards an edge budget, and
        pruning leaves them alone.
    forbidden
        Edges that no graph has.
    tiers
        Groups of variables from early to late: no edge leads from a later group to an earlier one. Variables that
        are in no group are not restricted.

    Examples
    --------
    >>> Knowledge(required=[("smoking", "tar")], forbidden=[("cancer", "smoking")], tiers=[["age"], ["smoking", "tar"]])
    Knowledge(required=[('smoking', 'tar')], forbidden=[('cancer', 'smoking')], tiers=[['age'], ['smoking', 'tar']])
    """

    required: Sequence[Edge] = ()
    forbidden: Sequence[Edge] = ()
    tiers: Sequence[Sequence[str | int]] = ()

    def required_edges(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Matrix of the required edges.

        Raises
        ------
        InputError
            If a name is unknown, the edges form a cycle, or one of them is forbidden too.
        """
        required = matrix_of(positions(as_pairs(self.required), names), len(names))
        refuse_cycle(required, names)
        clash = np.argwhere(required.astype(bool) & ~self.allowed_edges(names))
        if len(clash):
            cause, effect = clash[0]
            raise InputError(f"knowledge both requires and rules out the edge {names[cause]} -> {names[effect]}")
        return required.astype(bool)

    def allowed_edges(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Matrix of the edges that are not ruled out."""
        allowed = np.ones((len(names), len(names)), dtype=bool)
        for cause, effect in positions(as_pairs(self.forbidden), names):
            allowed[cause, effect] = False
        tier_of = self._tier_of(names)
        for cause, cause_tier in tier_of.items():
            for effect, effect_tier in tier_of.items():
                if effect_tier < cause_tier:
                    allowed[cause, effect] = False
        return allowed

    def _tier_of(self, names: Sequence[str]) -> dict[int, int]:
        """The tier of each variable that is in one."""
        tier_of: dict[int, int] = {}
        for tier, members in enumerate(self.tiers):
            for member in members:
                node = position(member, names)
                if node in tier_of:
                    raise InputError(f"tiers must not share variables: {names[node]!r} is in two of them")
                tier_of[node] = tier
        return tier_of
