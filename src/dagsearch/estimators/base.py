"""What all estimators share: reading the table, choosing the score, pruning, and the record of the fit."""

from __future__ import annotations

import importlib
import logging
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from dagsearch import checks, scores
from dagsearch._display import DisplayedWhenFitted
from dagsearch.auditing import mended_dataset
from dagsearch.causal_effects import DirectEffect, direct_effects
from dagsearch.data import Dataset, as_dataset
from dagsearch.data.missing import without_gaps
from dagsearch.errors import DataError, InputError, UnknownNameError
from dagsearch.estimators import sureness
from dagsearch.estimators.directions import open_edges
from dagsearch.estimators.result import Construction, Graph, Result
from dagsearch.estimators.table_notes import any_of, notes_on, some_of
from dagsearch.gam import max_parents_for
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.parameters import (
    CheckpointParameters,
    CommonParameters,
    ContinuousScoreParameters,
    ScoreParameters,
    TimeParameters,
    declared,
    with_parameters,
)
from dagsearch.pruning import METHODS as PRUNING_METHODS
from dagsearch.pruning import EdgeEvidence, evidence
from dagsearch.scores.choose import Choice, choose
from dagsearch.scores.levels import require_levels
from dagsearch.search.checkpoint import Checkpoint
from dagsearch.search.monitor import Monitor, OutOfTimeError
from dagsearch.search.progress import progress_bar
from dagsearch.search.protocol import TIME_LIMIT
from dagsearch.search.recorder import Recorder
from dagsearch.search.trace import Trace

logger = logging.getLogger("dagsearch")

_PRUNING_OF = {
    "bic-linear": "coefficients",
    "bic-quadratic": "coefficients",
    "bic-gp": "cam",
    "bic-gam": "cam",
    "evidence": "cam",
}
_PRUNE_DEGREE = {"bic-linear": 1, "bic-quadratic": 2}

# What messages recommend, rather than all that could be.
TAKE_INTERVENTIONS = ("cd-uct", "order", "greedy", "exact")
TAKE_GAPS = (*TAKE_INTERVENTIONS, "pc")

ANY_DATA = ("continuous", "discrete")
CONTINUOUS_DATA = ("continuous",)


class Judgement(NamedTuple):
    """A score, the table that it judges by (columns may have been cut into bins), and what was decided about it."""

    score: scores.Score
    data: Dataset
    notes: tuple[str, ...]


class DagEstimator(CommonParameters, DisplayedWhenFitted, BaseEstimator):  # type: ignore[misc]
    """Base of all methods.

    After `fit`: ``dag_``, ``pruned_dag_``, ``evidence_``, ``reward_``, ``score_`` (the score object, whose cache
    further fits on the same table may share), ``confidence_`` and ``trace_`` (None unless they were asked for),
    ``result_``, ``data_`` (the table as it was learnt from), ``effects_`` (computed when it is first asked for),
    ``feature_names_in_`` and ``n_features_in_``.

    The parameter ``score`` stands where scikit-learn has a method of that name. How good a fit is tells ``reward_``;
    how good its graph is on other data, ``ds.scores.make(name, other).reward(model.dag_)``.
    """

    method: ClassVar[str] = ""
    """Name on the command line."""
    summary: ClassVar[str] = ""
    """What the method does, in a few words."""
    data_kinds: ClassVar[tuple[str, ...]] = ANY_DATA
    """Kinds of columns that the method takes."""
    extra: ClassVar[str | None] = None
    """The extra of dagsearch that brings what the method needs."""
    any_score: ClassVar[bool] = True
    """Whether any score will do; otherwise it must be the same for equivalent graphs."""
    by_score: ClassVar[bool] = True
    """Whether the score constructs the graph; otherwise it only judges it."""
    takes_gaps: ClassVar[bool] = False
    """Whether the method goes by the rows that have what it needs, so that cells may be missing."""
    takes_interventions: ClassVar[bool] = False
    """Whether the method leaves rows in which a variable was set out of what it learns about its causes."""
    pruned_by_significance: ClassVar[bool] = False
    """Whether ``prune="auto"`` is CAM pruning with any continuous score, as the score does not construct the graph."""

    of_linear_models: ClassVar[bool] = False
    """Whether the method takes all influences for straight lines, whatever the score."""

    # What most methods take as a parameter; the others have it as an attribute of the class.
    score: Any
    levels = ScoreParameters.levels
    variances = ContinuousScoreParameters.variances
    penalty = ContinuousScoreParameters.penalty
    models = ContinuousScoreParameters.models
    noise = ContinuousScoreParameters.noise
    min_effect = ContinuousScoreParameters.min_effect
    time_limit = TimeParameters.time_limit
    checkpoint = CheckpointParameters.checkpoint

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Let the docstring of a method tell of its parameters."""
        super().__init_subclass__(**keywords)
        if cls.method and cls.__doc__:
            cls.__doc__ = with_parameters(cls.__doc__, cls)

    @abstractmethod
    def _construct(self, judgement: Judgement, rng: np.random.Generator, monitor: Monitor) -> Construction:
        """Find the graph."""

    def _check_settings(self) -> None:
        """Raise `InputError` for a setting of the method that is out of range."""

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn is told: that text is welcome, and missing cells where the method goes by rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = "discrete" in self.data_kinds
        tags.input_tags.categorical = "discrete" in self.data_kinds
        tags.input_tags.allow_nan = self.takes_gaps
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn a graph from a table.

        Parameters
        ----------
        X
            pandas or polars data frame (names are kept), 2-D array, the path of a file, or `Dataset`; never changed.
        y
            Ignored.

        Raises
        ------
        InputError
            If a setting or the table is wrong; the message names it.
        MissingExtraError
            If the method needs a package that is not installed; the message says how to install it.
        """
        self.check()
        saved = None if self.checkpoint is None else Checkpoint(self.checkpoint)
        rng, seed = checks.generator(self.random_state if saved is None else saved.seed_for(self.random_state))
        given = table_for(X, self.get_params())
        data, notes_on_gaps = without_gaps(given, self.missing, rng)
        self._require_rows(data)
        self._require_kinds(data)
        with self._monitor(data.names, saved) as monitor:
            with monitor.preparing("the score was prepared"):
                judgement = self._judgement(data)
            score = judgement.score
            sureness.require(self, score, data)
            n_before = score.n_evaluations
            pruning, notes_on_pruning = self._pruning(score, data)
            if saved is not None:
                saved.seed = seed
            found = self._construct(judgement, rng, monitor)
        self.data_ = data
        self.trace_ = self._traced(monitor)
        self._known_effects: dict[Graph, tuple[DirectEffect, ...]] = {}
        self.dag_ = found.graph
        found = self._judged(found, judgement, pruning, monitor)
        self.pruned_dag_ = self._pruned(found)
        self.score_ = score
        n_evaluations = score.n_evaluations - n_before + found.n_score_evaluations
        sure = sureness.of(self, judgement, given, rng, found.status, monitor.seconds)
        self.confidence_ = sure.confidence
        self.n_features_in_ = data.n_nodes
        self.feature_names_in_ = np.array(data.names, dtype=object)
        self.result_ = Result(
            method=self.method,
            edges=self.dag_.directed_edges,
            pruned_edges=self.pruned_dag_.directed_edges,
            undirected_edges=self.dag_.undirected_edges,
            pruned_undirected_edges=self.pruned_dag_.undirected_edges,
            p_values=self.evidence_.by_edge() if self.evidence_ and self.evidence_.measure == "p-value" else {},
            reward=self.reward_,
            n_edges=self.dag_.n_edges,
            n_simulations=found.n_simulations,
            n_calibration_simulations=found.n_calibration_simulations,
            n_score_evaluations=n_evaluations,
            seconds=monitor.seconds,
            status=found.status,
            seed=seed,
            settings={**self._common_settings(score, pruning), **found.settings},
            fixed=given.mended,
            notes=(
                *given.notes,
                *(f"fixed: {done}" for done in given.mended),
                *judgement.notes,
                *notes_on_gaps,
                *notes_on(data, judgement.data),
                *notes_on_pruning,
                *found.notes,
                *sure.notes,
            ),
        )
        return self

    @property
    def effects_(self) -> tuple[DirectEffect, ...]:
        """The direct effect along each edge of the graph after pruning, with its sign; computed when first asked for.

        Undirected edges have one in each direction. See `DirectEffect`; `dagsearch.effects` gives total effects.
        """
        return self.effects_along(self._fitted_graph())

    @property
    def knows_effects(self) -> bool:
        """Whether ``effects_`` has been computed already; for many rows and edges that takes a while."""
        return self._fitted_graph() in self._known_effects

    def effects_along(self, graph: Graph) -> tuple[DirectEffect, ...]:
        """The direct effect along each edge of a graph over the same variables, such as ``dag_``."""
        self._fitted_graph()
        if graph not in self._known_effects:
            additive = not self.is_linear
            self._known_effects[graph] = direct_effects(graph, self.data_, additive, open_edges(self))
        return self._known_effects[graph]

    def report(self, path: str | Path, name: str = "the table", focus: str | Iterable[str] | None = None) -> Path:
        """Write one HTML page about the fit, to look at and to send; it needs no other file and no network.

        Parameters
        ----------
        path
            Where to write, ``.html``.
        name
            What the table is called on the page.
        focus
            A variable that the page opens with, or several.

        Returns
        -------
        Path
            The file written, which appears complete or not at all.

        Raises
        ------
        InputError
            If the file cannot be written, or the table has no variable of that name.
        """
        self._fitted_graph()
        # Whatever shows results stands above estimators, which know of it only when they are asked.
        page = importlib.import_module("dagsearch.report.page")
        written: Path = page.write_report(self, path, name, focus=focus)
        return written

    @property
    def is_linear(self) -> bool:
        """Whether the fitted model takes influences for straight lines: effects are then computed so, too."""
        self._fitted_graph()
        return self.of_linear_models or self.score_.name == "bic-linear"

    def _fitted_graph(self) -> Graph:
        """The graph after pruning; an error, which scikit-learn knows, where there is none yet."""
        if "pruned_dag_" not in self.__dict__:
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(data) first")
        return self.pruned_dag_

    def check(self) -> None:
        """Raise `InputError` for a setting that is out of range, whatever the table; `fit` does so itself."""
        self._check_common()
        self._check_settings()

    def _check_common(self) -> None:
        if self.kinds is not None and not isinstance(self.kinds, Mapping):
            raise InputError(f"kinds must be a mapping from column to kind, or None, got {self.kinds!r}")
        # Messages call this one by another name than the others, to which the same rule applies.
        checks.one_of("pruning method", self.prune, ("auto", *PRUNING_METHODS))
        for name, known in declared(type(self)).items():
            if known.choices:
                checks.one_of(name, getattr(self, name), known.choices)
        require_levels(self.levels)
        checks.real("alpha", self.alpha, 0.0, 1.0, strict=True)
        checks.real("time_limit", self.time_limit, 0.0, strict=True, optional=True)
        checks.integer("n_replicates", self.n_replicates, 1)
        checks.jobs(self.n_jobs)
        checks.boolean("progress", self.progress)
        checks.boolean("trace", self.trace)
        checks.path("checkpoint", self.checkpoint, optional=True)
        if self.trace and self.checkpoint is not None:
            raise InputError("checkpoint and trace exclude each other: what was recorded is not saved")
        scores.check_settings(self.models, self.noise, self.min_effect)
        if isinstance(self.score, str) and self.score not in ("auto", *scores.names()):
            raise UnknownNameError("score", self.score, ("auto", *scores.names()))

    def _require_rows(self, data: Dataset) -> None:
        """Refuse missing cells or interventions that the method cannot learn from, and name methods that can."""
        if data.was_set is not None and not self.takes_interventions:
            raise DataError(
                f"{self.method} cannot learn from interventions; use {any_of(TAKE_INTERVENTIONS)}, or leave the rows "
                "in which something was set out"
            )
        if data.is_complete or self.takes_gaps:
            return
        n_missing = np.isnan(data.values).sum(axis=0)
        where = some_of(
            [f"{n_missing[j]} in column {data.names[j]!r}" for j in np.flatnonzero(n_missing)], ", ", "column"
        )
        raise DataError(
            f"cells are missing: {where}; {self.method} needs complete rows: set missing='drop' or missing='impute', "
            f"or use a method that goes by the rows that it can use, such as {any_of(TAKE_GAPS)}"
        )

    def _require_kinds(self, data: Dataset) -> None:
        """Refuse text where the method needs numbers, and point to methods that do not."""
        if "discrete" in self.data_kinds:
            return
        for name, labels in zip(data.names, data.labels, strict=True):
            if labels is not None:
                raise DataError(
                    f"column {name!r} holds text/categories, {self.method} needs numbers; encode it, or use a method "
                    "that takes discrete data, such as cd-uct, greedy, ges or pc"
                )
        data.standardised()

    @contextmanager
    def _monitor(self, names: tuple[str, ...], saved: Checkpoint | None) -> Iterator[Monitor]:
        """Clock of the fit, with a progress bar and a recorder if these are wanted."""
        recorder = Recorder(names) if self.trace else None
        if not self.progress:
            yield Monitor(self.time_limit, recorder=recorder, checkpoint=saved)
            return
        goes_on = saved is not None and saved.goes_on
        with progress_bar(f"{self.method}, from checkpoint" if goes_on else self.method) as listener:
            yield Monitor(self.time_limit, listener, recorder=recorder, checkpoint=saved)

    def _traced(self, monitor: Monitor) -> Trace | None:
        """What was recorded; None if that was not asked for."""
        if monitor.recorder is None:
            return None
        if self.by_score:
            return monitor.recorder.trace()
        return monitor.recorder.trace(
            f"{self.method} does not go from graph to better graph: there is nothing to record"
        )

    def _judgement(self, data: Dataset) -> Judgement:
        """The score of the fit."""
        if not isinstance(self.score, str):
            for name in ("models", "noise", "min_effect"):
                if getattr(self, name) is not None:
                    raise InputError(f"{name} is a setting of scores given by name, got a score of your own beside it")
            return Judgement(scores.adapt(self.score, data.n_nodes), data, ())
        name, notes = self.score, []
        settings: dict[str, Any] = {"models": self.models, "noise": self.noise, "min_effect": self.min_effect}
        if name == "auto":
            choice = self._choose(data)
            name, data = choice.score, choice.data
            settings = {**choice.settings, **{key: value for key, value in settings.items() if value is not None}}
            notes.append(f"score: {name}, since {choice.reason}")
            logger.info(notes[0])
        score = scores.make(
            name, data, self.variances, self._penalty(name), checks.jobs(self.n_jobs), levels=self.levels, **settings
        )
        return Judgement(score, data, (*notes, *self._note_on_levels(data)))

    def _note_on_levels(self, data: Dataset) -> tuple[str, ...]:
        """Say for how many columns the levels are not simply those seen, if that was asked for."""
        if self.levels == "seen":
            return ()
        if self.levels == "declared":
            n_declared = sum(n_levels is not None for n_levels in data.declared_levels)
            return (f"levels: declared for {n_declared} of {data.n_nodes} columns",)
        return (f"levels: given for {len(self.levels)} of {data.n_nodes} columns",)

    def _choose(self, data: Dataset) -> Choice:
        """What ``score="auto"`` stands for; settings that only regressions have ask for one."""
        regression = self.variances != "different" or self.penalty != "auto"
        return choose(data, regression, chooses_models=self.models is None)

    def _penalty(self, score_name: str) -> Any:
        """What the score counts; parameters by default, where the penalty has to decide the number of edges."""
        if score_name not in scores.REGRESSIONS:
            return None if self.penalty == "auto" else self.penalty
        return "parameters" if self.penalty == "auto" else self.penalty

    def _pruning(self, score: scores.Score, data: Dataset) -> tuple[str, tuple[str, ...]]:
        """The pruning method in force, and what to say of it.

        What would make pruning fail is said before the search rather than after it.
        """
        method = self._auto_pruning(score) if self.prune == "auto" else self.prune
        if method == "none":
            return method, ()
        if not data.all_rows_count:
            message = "tests of edges need complete rows in which nothing was set"
            if self.prune == "auto":
                return "none", (f"not pruned: {message}",)
            raise InputError(f"prune={method!r}: {message}; set prune='none', or missing='drop' or 'impute'")
        data.standardised()
        testable, possible = max_parents_for(data.n_samples), self._possible_parents(score, data)
        if method == "coefficients" or possible <= testable:
            return method, ()
        message = (
            f"{data.n_samples} rows can test at most {max(testable, 0)} causes of a variable together, "
            f"{possible} are possible"
        )
        has_limit = "max_parents" in self.get_params()
        if self.prune == "auto":
            return "none", (f"not pruned: {message}" + ("; set max_parents" if has_limit else ""),)
        raise InputError(f"prune='cam': {message}; set {'max_parents, or ' if has_limit else ''}prune='none'")

    def _auto_pruning(self, score: scores.Score) -> str:
        """What ``prune="auto"`` stands for: by the score if that constructs the graph."""
        if self.pruned_by_significance and score.name in scores.CONTINUOUS:
            return "cam"
        return _PRUNING_OF.get(score.name, "none")

    def _possible_parents(self, score: scores.Score, data: Dataset) -> int:  # noqa: ARG002 - searches go by it
        """The most causes that a variable can get."""
        return data.n_nodes - 1

    def _judged(self, found: Construction, judgement: Judgement, pruning: str, monitor: Monitor) -> Construction:
        """Set reward and evidence of the graph, as far as that takes no longer than the time limit and a moment."""
        self.reward_, self.evidence_ = math.nan, None
        missing = "no reward"
        try:
            with monitor.aftermath():
                self.reward_ = reward_of(judgement.score, found.graph)
                missing = "not pruned"
                self.evidence_ = self._evidence(self.data_, judgement.score, pruning)
        except OutOfTimeError:
            return replace(found, status=TIME_LIMIT, notes=(*found.notes, f"{missing}: time was up"))
        return found

    def _evidence(self, data: Dataset, score: scores.Score, method: str) -> EdgeEvidence | None:
        """What the data say about each edge of the constructed graph, if it is to be pruned."""
        if method == "none" or isinstance(self.dag_, CyclicGraph):
            return None
        degree = _PRUNE_DEGREE.get(score.name, 1)
        return evidence(self.dag_, data, method, self.alpha, degree=degree, n_jobs=checks.jobs(self.n_jobs))

    def _pruned(self, found: Construction) -> Graph:
        """The graph after pruning; required edges stay."""
        if self.evidence_ is None:
            return found.graph
        supported = self.evidence_.supported
        if found.required is None:
            return supported
        kept = (supported.adjacency | found.required).astype(np.int8)
        return type(supported)(kept, names=supported.names)

    def _common_settings(self, score: scores.Score, pruning: str) -> dict[str, Any]:
        """Settings in force that every method has."""
        return {
            "score": score.name,
            "variances": "equal" if score.equal_variances else "different",
            "penalty": score.penalty,
            "levels": score.levels,
            **score.settings,
            "prune": pruning,
            "alpha": self.alpha if pruning == "cam" else None,
            "time_limit": self.time_limit,
            "n_jobs": self.n_jobs,
        }


def table_for(X: Any, settings: Mapping[str, Any]) -> Dataset:
    """The table that a method with such settings sees, mended if they say so; cells may be missing."""
    told = {"kinds": settings.get("kinds"), "interventions": settings.get("interventions")}
    if not checks.boolean("fix", settings.get("fix", False)):
        return as_dataset(X, **told, may_miss=True)
    levels = settings.get("levels")
    return mended_dataset(
        X, **told, knowledge=settings.get("knowledge"), spoken_of=levels if isinstance(levels, Mapping) else ()
    )


def reward_of(score: scores.Score, graph: Graph) -> float:
    """Reward of a graph; that of one member for an equivalence class, NaN where there is none.

    Searches add differences up; this is summed afresh.
    """
    if isinstance(graph, DAG):
        return score.reward(graph)
    return score.reward(graph.to_dag()) if isinstance(graph, PDAG) and graph.has_member else math.nan
