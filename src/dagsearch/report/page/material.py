"""All that a page is made of, gathered before anything is written."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dagsearch import diagnostics
from dagsearch.auditing import Audit, audit
from dagsearch.diagnostics import Dependence, MinEffectPath, Stability, VariableResiduals
from dagsearch.estimators import Certificate, DagEstimator
from dagsearch.report.options import in_options
from dagsearch.report.page.edges import ShownGraph, shown_graph

# Beyond so many edges their pictures would make the page heavy: each has fewer points.
_POINTS_OF_ALL = 12_000
_POINTS = (40, 250)
_SECONDS_OF_PATH = 10.0  # or as many as the search itself took


@dataclass(frozen=True)
class Material:
    """What a page tells of a fit.

    Attributes
    ----------
    model
        The fitted estimator.
    data_name
        What the table is called.
    shown
        The graph and its edges.
    residuals, dependence, path
        See `dagsearch.diagnostics`.
    stability
        The same; None where neither specifications nor replicates were tried.
    audit
        What is to be known of the table.
    certificate
        What is proven about the graph, if anything.
    command
        What repeats the fit.
    by_command
        Whether that is a command of the terminal rather than Python code.
    focus
        Variables that the page opens with.
    seconds
        What took how long, by what was done.
    """

    model: DagEstimator
    data_name: str
    shown: ShownGraph
    residuals: tuple[VariableResiduals, ...]
    dependence: Dependence
    path: MinEffectPath
    stability: Stability | None
    audit: Audit
    certificate: Certificate | None
    command: str
    by_command: bool = False
    focus: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def asking(self, note: str) -> str:
        """A note that names settings of Python, in the words of whoever made the fit."""
        return in_options(note) if self.by_command else note


def gather(
    model: DagEstimator,
    data_name: str,
    command: str | None = None,
    certificate: Certificate | None = None,
    findings: Audit | None = None,
    focus: Sequence[str] = (),
) -> Material:
    """Compute what the page shows beside the fit itself.

    Parameters
    ----------
    model
        A fitted estimator.
    data_name
        What the table is called.
    command
        What repeats the fit; by default Python code.
    certificate
        What is proven about the graph, if anything.
    findings
        The audit of the table as it was read; by default that of the table that the method saw.
    focus
        Variables that the page opens with.
    """
    clock = _Clock()
    shown = _with_relations(model, shown_graph(model))
    clock.note("relations along the edges")
    residuals = diagnostics.residuals(model)
    dependence = diagnostics.dependence(model)
    clock.note("residuals and what they still depend on")
    path = diagnostics.min_effect_path(model, time_limit=max(_SECONDS_OF_PATH, model.result_.seconds))
    clock.note("the graph for other values of min_effect")
    findings = audit(model.data_) if findings is None else findings
    clock.note("audit of the table")
    return Material(
        model=model,
        data_name=data_name,
        shown=shown,
        residuals=residuals,
        dependence=dependence,
        path=path,
        stability=diagnostics.stability(model),
        audit=findings,
        certificate=certificate,
        command=command or _in_python(model),
        by_command=command is not None,
        focus=tuple(focus),
        seconds={"search": model.result_.seconds, **clock.seconds},
    )


def _with_relations(model: DagEstimator, shown: ShownGraph) -> ShownGraph:
    least, most = _POINTS
    n_points = max(least, min(most, _POINTS_OF_ALL // max(len(shown.found), 1)))
    return shown.with_relations(partial(diagnostics.relation, model, most_points=n_points))


def _in_python(model: DagEstimator) -> str:
    """Code that repeats the fit, given the table."""
    defaults = type(model)().get_params()
    given: dict[str, Any] = {
        name: value
        for name, value in model.get_params().items()
        if name != "random_state" and repr(value) != repr(defaults.get(name))
    }
    settings = ", ".join(f"{name}={_in_code(value)}" for name, value in given.items())
    seed = f"random_state={model.result_.seed}"
    return f"ds.{type(model).__name__}({', '.join(filter(None, (settings, seed)))}).fit(data)"


def _in_code(value: Any) -> str:
    """A setting as one writes it; objects of dagsearch stand in its name space."""
    return f"ds.{value!r}" if type(value).__module__.startswith("dagsearch") else repr(value)


class _Clock:
    """How long each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, what: str) -> None:
        """End of a step."""
        now = time.perf_counter()
        self.seconds[what], self._last = now - self._last, now
