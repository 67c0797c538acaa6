r"""What a fitted model looks like beside its table: what pages and pictures show, as numbers.

::

    model --> relation         along an edge, given the other causes
          --> residuals        what the causes of each variable leave unexplained
          --> dependence       what residuals still depend on, though the graph says that they do not
          --> min_effect_path  the graph for other values of min_effect
          --> stability        the graph over specifications or replicates, where the fit has tried them

Nothing here changes a model. Results are small, whatever the number of rows, and the same each time.
"""

from dagsearch.diagnostics.dependence import Dependence, LeftOver, dependence
from dagsearch.diagnostics.min_effect import MinEffectPath, PathEdge, min_effect_path
from dagsearch.diagnostics.relation import Relation, relation, relations
from dagsearch.diagnostics.residuals import VariableResiduals, residuals
from dagsearch.diagnostics.stability import PairProbabilities, Stability, stability

__all__ = [
    "Dependence",
    "LeftOver",
    "MinEffectPath",
    "PairProbabilities",
    "PathEdge",
    "Relation",
    "Stability",
    "VariableResiduals",
    "dependence",
    "min_effect_path",
    "relation",
    "relations",
    "residuals",
    "stability",
]
