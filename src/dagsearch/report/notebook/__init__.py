"""What notebooks show of graphs, fits, tables and what is computed of them.

::

    object --(dagsearch._display)--> as_html, as_svg --> one file for each kind of object --> cells, picture

Everything shown is small whatever the object is, holds all that it needs, and runs nothing.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from dagsearch.auditing import Audit
from dagsearch.causal_effects import DirectEffect, TotalEffect
from dagsearch.confidence import Confidence
from dagsearch.confidence.posterior import Posterior
from dagsearch.data import Dataset
from dagsearch.diagnostics import MinEffectPath
from dagsearch.estimators import DagEstimator, Result
from dagsearch.graph.base import NamedGraph
from dagsearch.metrics import Comparison, Metrics
from dagsearch.report.notebook.audit import audit_html
from dagsearch.report.notebook.compared import comparison_html, metrics_html
from dagsearch.report.notebook.confidence import confidence_html, posterior_html
from dagsearch.report.notebook.dataset import dataset_html
from dagsearch.report.notebook.effect import direct_effect_html, total_effect_html
from dagsearch.report.notebook.fit import fit_html
from dagsearch.report.notebook.graph import graph_html, graph_svg
from dagsearch.report.notebook.path import path_html
from dagsearch.report.notebook.record import record_html
from dagsearch.report.notebook.trace import trace_html
from dagsearch.search.trace import Trace

__all__ = ["as_html", "as_svg"]


@singledispatch
def as_html(thing: Any) -> str | None:  # noqa: ARG001 - dispatched on
    """Return what a notebook shows of something as HTML; None if there is nothing to show but text."""
    return None


as_svg = graph_svg

as_html.register(Audit, audit_html)
as_html.register(Comparison, comparison_html)
as_html.register(Confidence, confidence_html)
as_html.register(DagEstimator, fit_html)
as_html.register(Dataset, dataset_html)
as_html.register(DirectEffect, direct_effect_html)
as_html.register(Metrics, metrics_html)
as_html.register(MinEffectPath, path_html)
as_html.register(NamedGraph, graph_html)
as_html.register(Posterior, posterior_html)
as_html.register(Result, record_html)
as_html.register(TotalEffect, total_effect_html)
as_html.register(Trace, trace_html)
