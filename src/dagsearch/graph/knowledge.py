"""What a user knows beforehand about the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagsearch.errors import InputError
from dagsearch.graph.checks import Edge, Node, as_pairs, is_index, matrix_of, position, positions, refuse_cycle


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
    forbid_within
        Positions of tiers, from 0, whose members have no edge between each other.

    Raises
    ------
    InputError
        If an argument is no list, or a tier is no list. What depends on the columns of a table is checked when
        there is one.

    Examples
    --------
    >>> Knowledge(required=[("smoking", "tar")], tiers=[["age"], ["smoking", "tar"]])
    Knowledge(required=(('smoking', 'tar'),), forbidden=(), tiers=(('age',), ('smoking', 'tar')), forbid_within=())
    """

    required: Sequence[Edge] = ()
    forbidden: Sequence[Edge] = ()
    tiers: Sequence[Sequence[Node]] = ()
    forbid_within: Sequence[int] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Keep what was given as tuples, so that equal knowledge compares equal, and is what it was ever after."""
        for name in ("required", "forbidden"):
            edges = _listed(name, getattr(self, name), "a list of edges (cause, effect)")
            object.__setattr__(self, name, tuple(_frozen(edge) for edge in edges))
        tiers = _listed("tiers", self.tiers, "a list of lists of variables")
        members = [_listed("each of the tiers", tier, "a list of variables") for tier in tiers]
        object.__setattr__(self, "tiers", tuple(members))
        within = _listed("forbid_within", self.forbid_within, "a list of positions of tiers, from 0")
        object.__setattr__(self, "forbid_within", tuple(_tier_position(tier, len(tiers)) for tier in within))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return not (self.required or self.forbidden or any(self.tiers))

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
                is_within = effect_tier == cause_tier and effect_tier in self.forbid_within and cause != effect
                if effect_tier < cause_tier or is_within:
                    allowed[cause, effect] = False
        return allowed

    def combined(self, other: Knowledge) -> Knowledge:
        """Return what both say together.

        Where both have tiers, those of ``other`` become forbidden edges, which say the same.

        Raises
        ------
        InputError
            If one puts a variable before another, and the other one after it.
        """
        forbidden = (*self.forbidden, *other.forbidden)
        if not self.tiers or not other.tiers or (self.tiers, self.forbid_within) == (other.tiers, other.forbid_within):
            richer = self if self.tiers else other
            tiers, within = richer.tiers, richer.forbid_within
        else:
            _refuse_opposite(self.tiers, other.tiers)
            tiers, within = self.tiers, self.forbid_within
            forbidden += other._ruled_out_by_tiers()
        required = dict.fromkeys((*self.required, *other.required))
        return Knowledge(tuple(required), tuple(dict.fromkeys(forbidden)), tiers, forbid_within=within)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the same in lists and text, for JSON and YAML; `Knowledge.from_dict` reads it."""
        edges = {name: [list(edge) for edge in getattr(self, name)] for name in ("required", "forbidden")}
        return {**edges, "tiers": [list(tier) for tier in self.tiers], "forbid_within": list(self.forbid_within)}

    @classmethod
    def from_dict(cls, given: Any) -> Knowledge:
        """Read what `to_dict` returned; any of its entries may be missing.

        Raises
        ------
        InputError
            If it is no such dictionary, or has other entries.
        """
        if not isinstance(given, dict):
            raise InputError(f"knowledge must have entries such as required and tiers, got {type(given).__name__}")
        entries = ("required", "forbidden", "tiers", "forbid_within")
        for name in given:
            if name not in entries:
                raise InputError(f"knowledge has the entries {', '.join(entries)}, got {name!r}")
        return cls(**given)

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read knowledge from a file; the suffix says how.

        Parameters
        ----------
        path
            ``.csv``: columns kind, cause, effect, or kind, tier, variable; ``.json``, ``.yaml``, ``.yml``: what
            `to_dict` returns; ``.txt``, ``.knowledge``, ``.prior``, or any file that begins with ``/knowledge``: the
            format of Tetrad. See the page on knowledge in the documentation.

        Raises
        ------
        DataError
            If the file is missing, unreadable, or holds something else; the message says in which line.
        MissingExtraError
            If it is a YAML file and PyYAML is not installed.
        """
        from dagsearch.graph.knowledge_files import read_knowledge  # noqa: PLC0415

        return read_knowledge(path)

    def write(self, path: str | Path) -> None:
        """Write a file that `read` reads back as the same knowledge; the suffix says how.

        Raises
        ------
        InputError
            If the suffix is unknown, the format cannot hold a name, or the file cannot be written.
        MissingExtraError
            If it is a YAML file and PyYAML is not installed.
        """
        from dagsearch.graph.knowledge_files import write_knowledge  # noqa: PLC0415

        write_knowledge(self, path)

    def _ruled_out_by_tiers(self) -> tuple[Edge, ...]:
        """The edges that tiers forbid, by the names that were given."""
        edges: list[Edge] = []
        for late, members in enumerate(self.tiers):
            earlier = [node for tier in self.tiers[:late] for node in tier]
            edges += [(cause, effect) for cause in members for effect in earlier]
            if late in self.forbid_within:
                edges += [(cause, effect) for cause in members for effect in members if cause != effect]
        return tuple(edges)

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


def _listed(name: str, given: Any, what: str) -> tuple[Any, ...]:
    """The entries of a list; anything else is refused."""
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise InputError(f"{name} must be {what}, got {given!r}")
    return tuple(given)


def _frozen(edge: Any) -> Any:
    """A pair that was given as a list or an array as a tuple."""
    return edge if isinstance(edge, str) or not isinstance(edge, Iterable) else tuple(edge)


def _tier_position(tier: Any, n_tiers: int) -> int:
    if not is_index(tier) or not 0 <= tier < n_tiers:
        allowed = f"between 0 and {n_tiers - 1}" if n_tiers else "none, as there are no tiers"
        raise InputError(f"forbid_within must hold positions of tiers: {allowed}; got {tier!r}")
    return int(tier)


def _refuse_opposite(first: Sequence[Sequence[Node]], second: Sequence[Sequence[Node]]) -> None:
    """Raise where two lists of tiers have two variables in opposite orders."""
    place, other = ({node: k for k, tier in enumerate(tiers) for node in tier} for tiers in (first, second))
    shared = [node for node in place if node in other]
    for early in shared:
        for late in shared:
            if place[early] < place[late] and other[early] > other[late]:
                raise InputError(
                    f"tiers contradict each other: {early!r} is before {late!r} in one, after it in the other"
                )
