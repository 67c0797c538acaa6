"""Pictures by matplotlib, for papers and notebooks: axes in, axes out.

::

    fit --> graph, comparison       boxes and arrows, as in graph.svg
        --> confidence, calibration how sure, and how far that can be trusted
        --> relation, residuals     along an edge; of a variable
        --> rewards, min_effect_path what the search did; what hangs on a setting

Each function draws into the axes given as ``ax``, or into those of a new figure, and returns them. None shows anything,
or changes settings of matplotlib. Colours can be told apart by colour-blind people, and what they tell, dashes, markers
or hatches tell too. Names are written as text, cut where they are long. The extra ``plot`` brings matplotlib.
"""

from dagsearch.report.plot.calibration import calibration
from dagsearch.report.plot.comparison import comparison
from dagsearch.report.plot.confidence import confidence
from dagsearch.report.plot.graph import graph
from dagsearch.report.plot.min_effect import min_effect_path
from dagsearch.report.plot.relation import relation
from dagsearch.report.plot.residuals import residuals
from dagsearch.report.plot.rewards import rewards

__all__ = [
    "calibration",
    "comparison",
    "confidence",
    "graph",
    "min_effect_path",
    "relation",
    "residuals",
    "rewards",
]
