"""All parts of the study."""

from __future__ import annotations

from tables_study import mixed
from tables_study.part import Part

PARTS: dict[str, Part] = {"mixed": mixed.PART}
"""By the names that the command takes."""
