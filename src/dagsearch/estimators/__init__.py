"""The scikit-learn face: an estimator composes a score, a search and pruning."""

from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.cam import CAM
from dagsearch.estimators.result import Result
from dagsearch.estimators.searches import CDUCT, GreedySearch, RandomSampling, RandomSearch

__all__ = [
    "CAM",
    "CDUCT",
    "METHODS",
    "SEARCHES",
    "DagEstimator",
    "GreedySearch",
    "RandomSampling",
    "RandomSearch",
    "Result",
]

SEARCHES: dict[str, type[DagEstimator]] = {
    kind.method: kind for kind in (CDUCT, GreedySearch, RandomSearch, RandomSampling)
}
"""Estimators that take any score and an edge budget, by name."""

METHODS: dict[str, type[DagEstimator]] = {**SEARCHES, CAM.method: CAM}
"""All estimators by the names that the command line takes."""
