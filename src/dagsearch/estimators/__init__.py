"""The scikit-learn face: an estimator composes a score, a search and pruning."""

from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.result import Result
from dagsearch.estimators.searches import CDUCT, GreedySearch, RandomSampling, RandomSearch

__all__ = ["CDUCT", "METHODS", "DagEstimator", "GreedySearch", "RandomSampling", "RandomSearch", "Result"]

METHODS: dict[str, type[DagEstimator]] = {
    kind.method: kind for kind in (CDUCT, GreedySearch, RandomSearch, RandomSampling)
}
"""Estimators by the names that the command line takes."""
