"""Knowledge as a CSV table: a row for each edge (kind, cause, effect), or for each variable of a tier (tier, variable).

The kind of an edge is ``required`` or ``forbidden``, that of a variable in a tier is ``tier``, or empty. Tiers are
numbered from early to late; a star behind a number forbids edges within the tier.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from dagsearch.errors import InputError, as_named
from dagsearch.graph.csv_text import csv_line
from dagsearch.graph.knowledge import Knowledge

_COLUMNS = ("kind", "cause", "effect", "tier", "variable")
_EDGES = {"cause", "effect", "kind"}
_TIERS = {"tier", "variable"}
_NUMBER = re.compile(r"(\d+)(\*?)")


def parsed(text: str) -> Knowledge:
    """Read knowledge from the text of a CSV file."""
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    header = [name.strip().lower() for name in next(rows, [])]
    _check_header(header)
    edges: dict[str, list[tuple[str, str]]] = {"required": [], "forbidden": []}
    tiers = Tiers()
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        cells = _cells(header, row, f"line {rows.line_num}")
        kind = cells["kind"].lower() or "tier"
        if kind in edges:
            _refuse_others(cells, ("cause", "effect"), f"line {rows.line_num}")
            edges[kind].append((cells["cause"], cells["effect"]))
        elif kind == "tier":
            _refuse_others(cells, ("tier", "variable"), f"line {rows.line_num}")
            tiers.add(cells["tier"], [cells["variable"]], f"line {rows.line_num}")
        else:
            raise InputError(f"line {rows.line_num}: kind must be required, forbidden or tier, got {kind!r}")
    return tiers.knowledge(edges["required"], edges["forbidden"])


def written(knowledge: Knowledge) -> str:
    """Return the text of a CSV file."""
    names_only(knowledge, "CSV")
    rows: list[Iterable[Any]] = [_COLUMNS]
    for kind, edges in (("required", knowledge.required), ("forbidden", knowledge.forbidden)):
        rows += [[kind, cause, effect, "", ""] for cause, effect in edges]
    for label, tier in labelled(knowledge):
        rows += [["tier", "", "", label, variable] for variable in tier]
    return "".join(map(csv_line, rows))


class Tiers:
    """Tiers by their numbers, as they are read."""

    def __init__(self) -> None:
        self._members: dict[int, list[str]] = {}
        self._within: set[int] = set()

    def add(self, label: str, variables: list[str], where: str) -> None:
        """Put variables into a tier, labelled by its number and perhaps a star."""
        found = _NUMBER.fullmatch(label)
        if found is None:
            raise InputError(
                f"{where}: a tier must be a whole number, with a * if it has no edges within, got {label!r}"
            )
        number = int(found[1])
        self._members.setdefault(number, []).extend(variables)
        if found[2]:
            self._within.add(number)

    def knowledge(self, required: list[tuple[str, str]], forbidden: list[tuple[str, str]]) -> Knowledge:
        """Return the knowledge that they are part of; numbers that nothing has leave no gap."""
        numbers = sorted(number for number, members in self._members.items() if members)
        tiers = [self._members[number] for number in numbers]
        within = [place for place, number in enumerate(numbers) if number in self._within]
        return Knowledge(required, forbidden, tiers, forbid_within=within)


def labelled(knowledge: Knowledge) -> list[tuple[str, tuple[str, ...]]]:
    """Return tiers with their numbers from 1, and a star at those without edges within."""
    stars = ["*" if tier in knowledge.forbid_within else "" for tier in range(len(knowledge.tiers))]
    members = [tuple(map(str, tier)) for tier in knowledge.tiers]
    return [(f"{k + 1}{star}", tier) for k, (star, tier) in enumerate(zip(stars, members, strict=True))]


def names_only(knowledge: Knowledge, kind: str) -> None:
    """Raise where a file of text would not be read back as what it was written from."""
    for group in (*knowledge.required, *knowledge.forbidden, *knowledge.tiers):
        for node in group:
            if not isinstance(node, str):
                raise InputError(f"knowledge in {kind} files goes by names, got the position {node!r}")
            if not node or node != node.strip():
                raise InputError(f"knowledge in {kind} files cannot have the name {node!r}; write .json")
    if not all(knowledge.tiers):
        raise InputError(f"knowledge in {kind} files cannot have an empty tier; write .json")


def _check_header(header: list[str]) -> None:
    given, shown = set(header), ", ".join(map(as_named, header))[:200] or "nothing"
    if not given >= _EDGES and not given >= _TIERS:
        raise InputError(f"its header must have kind, cause and effect, or tier and variable, got {shown}")
    if not given <= set(_COLUMNS) or len(given) < len(header):
        raise InputError(f"its header must have each of {', '.join(_COLUMNS)} at most once, and no other; got {shown}")


def _cells(header: list[str], row: list[str], where: str) -> dict[str, str]:
    """The cells of a row by column, empty where the table lacks the column or the row is short."""
    if len(row) > len(header):
        raise InputError(f"{where}: more cells than columns; put names with commas between quotes")
    cells = dict.fromkeys(_COLUMNS, "")
    return {**cells, **{name: cell.strip() for name, cell in zip(header, row, strict=False)}}


def _refuse_others(cells: dict[str, str], wanted: tuple[str, str], where: str) -> None:
    """Raise unless exactly the wanted cells are filled, beside the kind."""
    for name in _COLUMNS[1:]:
        if (name in wanted) != bool(cells[name]):
            what = "must have" if name in wanted else "must not have"
            raise InputError(f"{where}: a row of {' and '.join(wanted)} {what} a {name}")
