r"""Causal discovery by Monte Carlo tree search in the space of directed acyclic graphs.

::

    table --> Dataset --> score --> search --> DAG --> pruning --> metrics, pictures
              data       scores    search     graph    pruning    metrics, report
                              \_______|________________/
                                   estimators: CDUCT, OrderSearch, GreedySearch, RandomSearch, RandomSampling,
                                               CAM, RLBIC, NOTEARS, LiNGAM, GES, PC, ExactSearch
                                   confidence: posterior, bootstrap
                                   causal_effects: direct ones, of each edge; total ones, by effects
                                   experiments: the paper's tables and figures, run by estimators

Names are imported when they are first used, so that ``import dagsearch`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dagsearch._version import __version__
from dagsearch.errors import (
    CycleError,
    DagsearchError,
    DataError,
    InputError,
    MissingExtraError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from dagsearch import datasets, diagnostics, metrics, report, scores
    from dagsearch.auditing import Audit, Finding, audit
    from dagsearch.causal_effects import DirectEffect, TotalEffect
    from dagsearch.confidence import Confidence, Specification
    from dagsearch.confidence.bootstrap import bootstrap
    from dagsearch.confidence.posterior import Posterior, posterior
    from dagsearch.data import Dataset, as_dataset, read_dataset
    from dagsearch.estimators import (
        CAM,
        CDUCT,
        GES,
        NOTEARS,
        PC,
        RLBIC,
        Certificate,
        ExactSearch,
        GreedySearch,
        LiNGAM,
        OrderSearch,
        RandomSampling,
        RandomSearch,
        RankedDAG,
        Result,
        certify,
        discover,
        effects,
    )
    from dagsearch.gam import gam_pvalues
    from dagsearch.graph import DAG, PDAG, CyclicGraph, Knowledge, read_graph
    from dagsearch.pruning import prune
    from dagsearch.report import plot

__all__ = [
    "CAM",
    "CDUCT",
    "DAG",
    "GES",
    "NOTEARS",
    "PC",
    "PDAG",
    "RLBIC",
    "Audit",
    "Certificate",
    "Confidence",
    "CycleError",
    "CyclicGraph",
    "DagsearchError",
    "DataError",
    "Dataset",
    "DirectEffect",
    "ExactSearch",
    "Finding",
    "GreedySearch",
    "InputError",
    "Knowledge",
    "LiNGAM",
    "MissingExtraError",
    "OrderSearch",
    "Posterior",
    "RandomSampling",
    "RandomSearch",
    "RankedDAG",
    "Result",
    "Specification",
    "TotalEffect",
    "UnknownNameError",
    "__version__",
    "as_dataset",
    "audit",
    "bootstrap",
    "certify",
    "datasets",
    "diagnostics",
    "discover",
    "effects",
    "gam_pvalues",
    "metrics",
    "plot",
    "posterior",
    "prune",
    "read_dataset",
    "read_graph",
    "report",
    "scores",
]

_HOMES = {
    "Audit": "dagsearch.auditing",
    "Finding": "dagsearch.auditing",
    "audit": "dagsearch.auditing",
    "CAM": "dagsearch.estimators",
    "CDUCT": "dagsearch.estimators",
    "GES": "dagsearch.estimators",
    "LiNGAM": "dagsearch.estimators",
    "NOTEARS": "dagsearch.estimators",
    "PC": "dagsearch.estimators",
    "RLBIC": "dagsearch.estimators",
    "Certificate": "dagsearch.estimators",
    "ExactSearch": "dagsearch.estimators",
    "GreedySearch": "dagsearch.estimators",
    "OrderSearch": "dagsearch.estimators",
    "RandomSampling": "dagsearch.estimators",
    "RandomSearch": "dagsearch.estimators",
    "RankedDAG": "dagsearch.estimators",
    "Result": "dagsearch.estimators",
    "certify": "dagsearch.estimators",
    "discover": "dagsearch.estimators",
    "effects": "dagsearch.estimators",
    "DirectEffect": "dagsearch.causal_effects",
    "TotalEffect": "dagsearch.causal_effects",
    "Confidence": "dagsearch.confidence",
    "Posterior": "dagsearch.confidence",
    "Specification": "dagsearch.confidence",
    "bootstrap": "dagsearch.confidence",
    "posterior": "dagsearch.confidence",
    "DAG": "dagsearch.graph",
    "PDAG": "dagsearch.graph",
    "CyclicGraph": "dagsearch.graph",
    "Knowledge": "dagsearch.graph",
    "read_graph": "dagsearch.graph",
    "Dataset": "dagsearch.data",
    "as_dataset": "dagsearch.data",
    "read_dataset": "dagsearch.data",
    "gam_pvalues": "dagsearch.gam",
    "prune": "dagsearch.pruning",
}
_MODULES = {
    "datasets": "dagsearch.datasets",
    "diagnostics": "dagsearch.diagnostics",
    "metrics": "dagsearch.metrics",
    "plot": "dagsearch.report.plot",
    "report": "dagsearch.report",
    "scores": "dagsearch.scores",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'dagsearch' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
