"""The scikit-learn face of all methods.

::

    DagEstimator                      table, score, pruning, record of the fit
    |-- ScoreSearch                   a search over DAGs by a score, restricted by knowledge
    |   |-- CDUCT, GreedySearch, RandomSearch, RandomSampling
    |   |-- OrderSearch               without a budget
    |   |-- ExactSearch               with a proof; certify gives one for any method
    |   |-- CAM
    |   `-- RLBIC
    |-- NOTEARS, LiNGAM               linear models; a score only judges the result
    `-- EquivalenceMethod             partially directed results
        `-- GES, PC

    discover: exact search where that takes seconds, CDUCT otherwise
    effects: the total effect of one variable on another one, by a fitted model
"""

from dagsearch.estimators.auto import discover
from dagsearch.estimators.base import DagEstimator
from dagsearch.estimators.cam import CAM
from dagsearch.estimators.certificate import Certificate, certify
from dagsearch.estimators.exact import ExactSearch, RankedDAG
from dagsearch.estimators.ges import GES
from dagsearch.estimators.influence import effects
from dagsearch.estimators.lingam import LiNGAM
from dagsearch.estimators.notears import NOTEARS
from dagsearch.estimators.pc import PC
from dagsearch.estimators.result import Result
from dagsearch.estimators.rl_bic import RLBIC
from dagsearch.estimators.searches import CDUCT, GreedySearch, OrderSearch, RandomSampling, RandomSearch

__all__ = [
    "CAM",
    "CDUCT",
    "GES",
    "METHODS",
    "NOTEARS",
    "PC",
    "RLBIC",
    "SEARCHES",
    "Certificate",
    "DagEstimator",
    "ExactSearch",
    "GreedySearch",
    "LiNGAM",
    "OrderSearch",
    "RandomSampling",
    "RandomSearch",
    "RankedDAG",
    "Result",
    "certify",
    "discover",
    "effects",
]

SEARCHES: dict[str, type[DagEstimator]] = {
    kind.method: kind for kind in (CDUCT, GreedySearch, RandomSearch, RandomSampling)
}
"""Estimators that take any score and an edge budget, by name."""

METHODS: dict[str, type[DagEstimator]] = {
    **SEARCHES,
    **{kind.method: kind for kind in (OrderSearch, CAM, NOTEARS, LiNGAM, GES, PC, ExactSearch, RLBIC)},
}
"""All estimators by the names that the command line takes; the slowest last."""
