"""Greedy equivalence search: the best insertion, deletion or turning of an edge, from class to class of DAGs."""

from __future__ import annotations

from dagsearch.search.ges.climb import PHASES, GesFit, GesStep, equivalence_search

__all__ = ["PHASES", "GesFit", "GesStep", "equivalence_search"]
