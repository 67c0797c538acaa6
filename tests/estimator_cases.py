"""Marks by which tests run for every method, and the table that they are fitted to."""

from __future__ import annotations

import pytest
from common import normal_frame

import dagsearch as ds
from dagsearch.estimators import METHODS, SEARCHES


def name_of(value):
    return getattr(value, "method", None)


def with_policies_marked(*cases):
    """Cases of a parametrised test; compiling the networks of RL-BIC takes as long as hundreds of other fits."""
    return [pytest.param(*case, marks=pytest.mark.long) if ds.RLBIC in case else pytest.param(*case) for case in cases]


def with_scores(kinds, scores):
    """Pairs of a method and a score; compiling a search for monomials takes tens of seconds, so that these are long."""
    return [
        pytest.param(kind, score, marks=[pytest.mark.long] * (kind in _COMPILED and score == "bic-quadratic"))
        for kind in kinds
        for score in scores
    ]


_COMPILED = (ds.CDUCT, ds.OrderSearch)

every_method = pytest.mark.parametrize("kind", with_policies_marked(*zip(METHODS.values())), ids=name_of)
every_search = pytest.mark.parametrize("kind", SEARCHES.values(), ids=name_of)
with_and_without_a_budget = pytest.mark.parametrize(
    ("kind", "edge_budget"),
    [*((kind, edge_budget) for kind in SEARCHES.values() for edge_budget in (8, None)), (ds.CAM, None)],
    ids=name_of,
)

TABLE = normal_frame()
