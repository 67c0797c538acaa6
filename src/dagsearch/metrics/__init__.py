"""How near a graph is to the truth, and how much of the truth the mere scale of the data gives away.

``agreement`` compares the edges of two graphs (TPR, FDR, SHD, ...), ``interventional`` the causal effects that they
imply (SID, AID); ``sortability`` compares the causal order with an order that needs no search: by variance, or by how
well a variable is explained by all others.
"""

from dagsearch.metrics.agreement import Comparison, JudgedEdge, Metrics, Verdict, classify, compare
from dagsearch.metrics.interventional import Strategy, aid, sid
from dagsearch.metrics.sortability import r2_sortability, varsortability

__all__ = [
    "Comparison",
    "JudgedEdge",
    "Metrics",
    "Strategy",
    "Verdict",
    "aid",
    "classify",
    "compare",
    "r2_sortability",
    "sid",
    "varsortability",
]
