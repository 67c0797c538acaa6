"""The cases, a family per file: each has a function ``cases`` that makes them anew, the same every time."""

from __future__ import annotations

from importlib import import_module

from hostile.case import Case

FAMILIES = (
    "files",
    "tables",
    "frames",
    "names",
    "options",
    "arguments",
    "knowledge",
    "graphs",
    "networks",
    "records",
    "environment",
    "faults",
)


def cases_of(family: str) -> list[Case]:
    """The cases of a family, whose names differ."""
    found = list(import_module(f"hostile.families.{family}").cases())
    names = [case.name for case in found]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"cases of {family} that are called the same: {sorted(repeated)}")
    return found
