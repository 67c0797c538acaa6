"""The posterior over DAGs: from a table and a score to probabilities of edges, directions and paths.

The prior over DAGs is uniform but for what the score itself says (``evidence`` prices edges), not uniform over orders
of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from dagsearch import checks, scores
from dagsearch._display import DisplayedWhenFitted
from dagsearch.confidence.by_chains import sample_posterior
from dagsearch.confidence.exact import MOST_NODES, PrecisionError, sum_over_dags
from dagsearch.confidence.result import Confidence
from dagsearch.confidence.sampling import ExactSampler
from dagsearch.confidence.specifications import (
    AUTO,
    Specification,
    SpecificationResult,
    average,
    chosen_specifications,
)
from dagsearch.confidence.weights import Report, Restrictions, weigh
from dagsearch.data import Dataset, DeclaredKind, as_dataset
from dagsearch.data.missing import Missing, without_gaps
from dagsearch.errors import DataError, InputError, TimeLimitError, UnknownNameError
from dagsearch.graph import Knowledge
from dagsearch.scores.choose import choose
from dagsearch.search.monitor import Monitor, Progress
from dagsearch.search.progress import progress_bar
from dagsearch.search.protocol import INTERRUPTED, TIME_LIMIT

METHOD = "posterior, exact"
_MOST_NODES_KEPT = 18
"""Up to here the tables for drawing more DAGs, some 100 megabytes at most, are kept with the result."""


class _Judge(NamedTuple):
    """A score, the table that it judges by, and what was decided about it."""

    score: scores.Score
    data: Dataset
    notes: tuple[str, ...]


@dataclass(eq=False, repr=False, kw_only=True)
class Posterior(DisplayedWhenFitted, BaseEstimator):  # type: ignore[misc]
    """The posterior over DAGs of a decomposable score whose rewards are log probabilities.

    Parameters
    ----------
    score
        ``"auto"`` (as searches choose it), a name of `dagsearch.scores.names()`, a score made by
        `dagsearch.scores.make`, or an object of your own with ``local(node, parents)`` in nats. BIC scores are taken as
        the approximation that they are, and ``notes`` says so.
    score_settings
        Settings of a score given by name, as `dagsearch.scores.make` takes them.
    specifications
        None: one analysis, as said by score and settings; ``"auto"``, for continuous columns: the average over a grid
        that is fixed beforehand, scales (as measured, logarithms where positive, normal scores) times models of the
        mean (linear, additive, joint) of ``evidence`` with Gaussian noise and no least effect; or a list of
        `Specification`. ``confidence_.specifications`` then has what each says.
    knowledge
        Edges that are required or forbidden.
    max_parents
        The most causes of a variable; None: as many as the score can afford, which ``notes`` tells if it is not all.
    n_samples
        Number of DAGs that are drawn, independently of each other; 0: none.
    random_state
        Seed or generator of the draws.
    n_jobs
        Threads; -1 stands for all cores. Results do not depend on it.
    time_limit
        Seconds after which chains end with what they have, and sums over all graphs, which have nothing, with an error.
    progress
        Whether to draw a bar on standard error.
    kinds
        Kinds of columns, as `dagsearch.as_dataset` takes them.
    missing
        What to do where cells are missing, as `dagsearch.scores.make` takes it.
    interventions
        What was set by experiments, as `dagsearch.as_dataset` takes it.

    Attributes
    ----------
    confidence_ : Confidence
        The result of `fit`.
    score_ : Score
        The score in force; None with specifications, which have one each.

    Examples
    --------
    >>> import dagsearch as ds
    >>> sure = ds.Posterior(score="bdeu", random_state=0).fit(ds.datasets.load("asia")).confidence_
    >>> sure.graph().n_edges
    8
    """

    score: Any = "auto"
    score_settings: Mapping[str, Any] | None = None
    specifications: Any = None
    knowledge: Knowledge | None = None
    max_parents: int | None = None
    n_samples: int = 1000
    random_state: Any = None
    n_jobs: int = 1
    time_limit: float | None = None
    progress: bool = False
    kinds: Mapping[str, DeclaredKind] | None = None
    missing: Missing = "local"
    interventions: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Find the posterior.

        Parameters
        ----------
        X
            pandas or polars data frame (names are kept), 2-D array, or `Dataset`; never changed.
        y
            Ignored.

        Raises
        ------
        InputError
            If a setting or the table is wrong, or the score's rewards are no log probabilities.
        TimeLimitError
            If the time limit was over before there was a result.
        """
        self._check()
        rng, seed = checks.generator(self.random_state)
        data = as_dataset(X, kinds=self.kinds, interventions=self.interventions, may_miss=True)
        data, notes_on_gaps = without_gaps(data, self.missing, rng)
        if self.specifications is not None:
            _require_all_rows(data)
            self.confidence_, self.score_ = self._over_specifications(data, rng, seed), None
            return self
        judge = self._judge(data)
        require_log_probability(judge.score)
        restrictions = self._restrictions(judge.data)
        with self._watching() as watch:
            found = self._posterior(judge, restrictions, rng, watch)
        notes = (*notes_on_gaps, *found.notes)
        self.confidence_ = replace(found, notes=notes, details={**found.details, "seed": seed})
        self.score_ = judge.score
        return self

    def _over_specifications(self, data: Dataset, rng: np.random.Generator, seed: int) -> Confidence:
        """The average over specifications, as many samples of each."""
        chosen = chosen_specifications(self.specifications, data, self.score, self.score_settings)
        n_samples = -(-self.n_samples // len(chosen))
        clock = Monitor(self.time_limit)
        found = [
            self._under(specification, data, n_samples, own_rng, clock)
            for specification, own_rng in zip(chosen, rng.spawn(len(chosen)), strict=True)
        ]
        return average(found, {"seed": seed})

    def _under(
        self, specification: Specification, data: Dataset, n_samples: int, rng: np.random.Generator, clock: Monitor
    ) -> SpecificationResult:
        """What one specification says, in the time that is left."""
        left = None if self.time_limit is None else self.time_limit - clock.seconds
        if left is not None and left <= 0.0:
            raise TimeLimitError(
                f"time_limit of {self.time_limit:.3g} seconds was over before specification {specification.name!r} had "
                "begun; allow more, or fewer specifications"
            )
        model = replace(
            self,
            specifications=None,
            score=specification.score,
            score_settings=specification.settings or None,
            n_samples=n_samples,
            random_state=rng,
            time_limit=left,
            kinds=None,
        )
        return SpecificationResult(specification, model.fit(specification.table(data)).confidence_)

    def _posterior(
        self, judge: _Judge, restrictions: Restrictions, rng: np.random.Generator, watch: _Watch
    ) -> Confidence:
        """The one place where the way is chosen: exactly, or by chains where that cannot be done."""
        if judge.score.n_nodes > MOST_NODES:
            return self._by_chains(judge, restrictions, rng, watch, f"more than {MOST_NODES} variables")
        try:
            return self._exactly(judge, restrictions, rng, watch)
        except PrecisionError as error:
            return self._by_chains(judge, restrictions, rng, watch, str(error))

    def _by_chains(
        self, judge: _Judge, restrictions: Restrictions, rng: np.random.Generator, watch: _Watch, reason: str
    ) -> Confidence:
        found = sample_posterior(
            judge.score,
            judge.data.names,
            restrictions,
            self.n_samples,
            rng,
            watch.monitor,
            watch,
            checks.jobs(self.n_jobs),
        )
        watch.has_result = True
        why = f"sampled by Markov chains, since sums over all graphs are out of reach: {reason}"
        return replace(found, notes=(*judge.notes, why, *self._approximation(judge.score), *found.notes))

    def _exactly(
        self, judge: _Judge, restrictions: Restrictions, rng: np.random.Generator, report: Report
    ) -> Confidence:
        score, n_nodes = judge.score, judge.score.n_nodes
        weights = weigh(score, restrictions, report)
        sums = sum_over_dags(weights.log_weights, checks.jobs(self.n_jobs), report)
        sampler = ExactSampler(sums)
        return Confidence(
            names=judge.data.names,
            edge_probability=sums.edge_probability,
            path_probability=sums.path_probability,
            method=METHOD,
            notes=(*judge.notes, *self._notes(score, weights.max_parents)),
            samples=sampler(self.n_samples, rng, report) if self.n_samples else None,
            sampler=sampler if n_nodes <= _MOST_NODES_KEPT else None,
            details={
                "score": score.name,
                "max_parents": weights.max_parents,
                "log_evidence": sums.log_total,
                "error": sums.error,
            },
        )

    def _notes(self, score: scores.Score, max_parents: int) -> Iterator[str]:
        yield from self._approximation(score)
        if self.max_parents is not None or max_parents == score.n_nodes - 1:
            return
        if max_parents == score.max_parents:
            yield f"at most {max_parents} causes of a variable, as {score.name} can tell no more apart on so few rows"
        else:
            yield f"at most {max_parents} causes of a variable: larger sets are too many; set max_parents to go further"

    def _approximation(self, score: scores.Score) -> Iterator[str]:
        if score.approximates:
            yield f"{score.name} approximates the log probability of the data; so are these probabilities"

    def _check(self) -> None:
        checks.knowledge(self.knowledge)
        checks.integer("max_parents", self.max_parents, 1, optional=True)
        checks.integer("n_samples", self.n_samples, 0)
        checks.real("time_limit", self.time_limit, 0.0, strict=True, optional=True)
        checks.jobs(self.n_jobs)
        checks.boolean("progress", self.progress)
        if isinstance(self.score, str):
            if self.score not in ("auto", *scores.names()):
                raise UnknownNameError("score", self.score, ("auto", *scores.names()))
        elif self.score_settings:
            raise InputError("score_settings are for scores given by name, got a score of your own beside them")

    def _judge(self, data: Dataset) -> _Judge:
        """The score of the fit."""
        if not isinstance(self.score, str):
            return _Judge(scores.adapt(self.score, data.n_nodes), data, ())
        name, settings = self.score, dict(self.score_settings or {})
        notes: tuple[str, ...] = ()
        if name == "auto":
            choice = choose(data, chooses_models="models" not in settings)
            name, data = choice.score, choice.data
            settings, notes = {**choice.settings, **settings}, (f"score: {name}, since {choice.reason}",)
        if name in scores.REGRESSIONS:
            settings.setdefault("penalty", "parameters")  # what BIC approximates a probability with
        try:
            score = scores.make(name, data, n_jobs=checks.jobs(self.n_jobs), **settings)
        except TypeError as error:
            raise InputError(f"score_settings must be settings of dagsearch.scores.make: {error}") from None
        return _Judge(score, data, notes)

    def _restrictions(self, data: Dataset) -> Restrictions:
        knowledge = self.knowledge or Knowledge()
        names = data.names
        return Restrictions(knowledge.required_edges(names), knowledge.allowed_edges(names), self.max_parents)

    @contextmanager
    def _watching(self) -> Iterator[_Watch]:
        """What time limit, Ctrl-C and progress bar hear of."""
        if not self.progress:
            with _guarded(Monitor(self.time_limit)) as watch:
                yield watch
            return
        with progress_bar("posterior") as listener, _guarded(Monitor(self.time_limit, listener)) as watch:
            yield watch


class _Watch:
    """A report to a monitor, and whether there is a result although that ended the work."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self.has_result = False

    def __call__(self, share: float, what: str) -> None:
        self.monitor.check(lambda seconds: Progress(share, 0, None, 0, float("nan"), seconds, what))


@contextmanager
def _guarded(monitor: Monitor) -> Iterator[_Watch]:
    """Let the time limit and Ctrl-C end what is enclosed, with an error if that leaves nothing: half a sum is none."""
    watch = _Watch(monitor)
    with monitor.guard():
        yield watch
    if watch.has_result:
        return
    if monitor.status == TIME_LIMIT:
        raise TimeLimitError(
            f"time_limit of {monitor.time_limit:.3g} seconds was over before the posterior was there; allow more, or "
            "fewer max_parents"
        )
    if monitor.status == INTERRUPTED:
        raise KeyboardInterrupt


def require_specifications(data: Dataset) -> None:
    """Refuse tables that ``specifications="auto"`` is not for."""
    _require_all_rows(data)
    chosen_specifications(AUTO, data, "auto", None)


def _require_all_rows(data: Dataset) -> None:
    """Refuse specifications, which change the scale of whole columns, on tables with gaps."""
    if not data.all_rows_count:
        raise DataError(
            "specifications need complete rows in which nothing was set: set missing='drop' or missing='impute'"
        )


def reason_against(score: scores.Score) -> str:
    """Say why no posterior can be made of a score; nothing if one can."""
    if score.equal_variances:
        return "with variances='equal' rewards do not split into one number per variable and its causes"
    return score.no_probability


def require_log_probability(score: scores.Score) -> None:
    """Refuse scores that no posterior can be made of."""
    reason = reason_against(score)
    if reason:
        raise InputError(
            f"score must be a sum of log probabilities for a posterior, got {score.name!r}: {reason}; use "
            "evidence, mixed, bdeu, bic-linear or bic-discrete"
        )


def posterior(
    data: Any,
    score: Any = "auto",
    specifications: Any = None,
    knowledge: Knowledge | None = None,
    max_parents: int | None = None,
    n_samples: int = 1000,
    random_state: Any = None,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool = False,
    kinds: Mapping[str, DeclaredKind] | None = None,
    missing: Missing = "local",
    interventions: Any = None,
    **score_settings: Any,
) -> Confidence:
    """The posterior over DAGs; parameters are those of `Posterior`, settings of the score given by their names.

    Examples
    --------
    >>> import dagsearch as ds
    >>> sure = ds.posterior(ds.datasets.load("asia"), score="bdeu", sample_size=1.0, random_state=0)
    >>> sure
    Confidence(posterior, exact: 8 variables, 8 edges more likely than not)
    """
    model = Posterior(
        score=score,
        score_settings=score_settings or None,
        specifications=specifications,
        knowledge=knowledge,
        max_parents=max_parents,
        n_samples=n_samples,
        random_state=random_state,
        n_jobs=n_jobs,
        time_limit=time_limit,
        progress=progress,
        kinds=kinds,
        missing=missing,
        interventions=interventions,
    )
    return model.fit(data).confidence_
