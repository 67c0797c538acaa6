"""How sure: from a table and a score, or a method, to probabilities of edges, directions and paths.

::

    score --> log weights of parent sets --> sums over all DAGs --> edges, paths, sampled DAGs --> Confidence
              weights                        exact                  exact, sampling                result, consensus

    method --> replicates of the table --> graphs --> how often: edges, paths --> Confidence
               replicates                             frequencies                 bootstrap
"""

from dagsearch.confidence.bootstrap import bootstrap
from dagsearch.confidence.calibration import CalibrationStudy, calibration_study
from dagsearch.confidence.consensus import BestDag, Consensus
from dagsearch.confidence.posterior import Posterior, posterior
from dagsearch.confidence.result import Confidence
from dagsearch.confidence.specifications import AveragedConfidence, Specification, SpecificationResult

__all__ = [
    "AveragedConfidence",
    "BestDag",
    "CalibrationStudy",
    "Confidence",
    "Consensus",
    "Posterior",
    "Specification",
    "SpecificationResult",
    "bootstrap",
    "calibration_study",
    "posterior",
]
