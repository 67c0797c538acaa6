r"""From a graph and a table to numbers with signs.

::

    table --> design (columns of each cause) --> regression --> direct (per edge)
                       \___ family: one variable and its causes    total (cause to effect), told in words

Each effect is a linear function of the coefficients of one regression. Which causes are adjusted for is the graph's
business (`dagsearch.graph`); what a fitted model is, the estimators'.
"""

from dagsearch.causal_effects.direct import DirectEffect, direct_effects
from dagsearch.causal_effects.total import TotalEffect, total_effect

__all__ = ["DirectEffect", "TotalEffect", "direct_effects", "total_effect"]
