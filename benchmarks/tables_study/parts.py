"""All parts of the study."""

from __future__ import annotations

from tables_study import interventions, missing, mixed, wide
from tables_study.part import Part

PARTS: dict[str, Part] = {
    "interventions": interventions.PART,
    "missing": missing.PART,
    "mixed": mixed.PART,
    "wide": wide.PART,
}
"""By the names that the command takes."""
