"""How sure the edges of a fit are, as ``confidence`` asks; what the search draws does not depend on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dagsearch import scores
from dagsearch.data import Dataset
from dagsearch.data.missing import without_gaps
from dagsearch.errors import InputError, TimeLimitError
from dagsearch.graph import Knowledge
from dagsearch.search.protocol import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagsearch.confidence import Confidence
    from dagsearch.confidence.weights import Restrictions
    from dagsearch.estimators.base import DagEstimator, Judgement

# The confidence package is imported where it is needed: most fits do not ask for it.


class Sureness(NamedTuple):
    """How sure edges are, if that is known, and what to say of it."""

    confidence: Confidence | None = None
    notes: tuple[str, ...] = ()


def require(model: DagEstimator, score: scores.Score, data: Dataset) -> None:
    """Say before the search rather than after it what there cannot be: a posterior, or a bootstrap."""
    if model.confidence == "posterior":
        from dagsearch.confidence.posterior import require_log_probability  # noqa: PLC0415

        try:
            require_log_probability(score)
        except InputError as error:
            raise InputError(f"confidence='posterior': {error}, or confidence='bootstrap'") from None
    elif model.confidence == "bootstrap":
        from dagsearch.confidence.bootstrap import require_repeatable  # noqa: PLC0415

        require_repeatable(model)
    elif model.confidence == "specifications":
        from dagsearch.confidence.posterior import require_specifications  # noqa: PLC0415

        require_specifications(data)


def of(
    model: DagEstimator, judgement: Judgement, data: Dataset, rng: np.random.Generator, status: str, seconds: float
) -> Sureness:
    """How sure the edges are.

    Parameters
    ----------
    model
        The estimator, which has its graph.
    judgement, data
        The score of the fit with its table, and the table as it was given.
    rng
        The generator of the fit, of which others are spawned.
    status
        How the search ended. One that was interrupted is not followed by more work.
    seconds
        How long it took: ``"auto"`` takes no more of the time limit than is left.
    """
    if model.confidence == "none":
        return Sureness()
    if status == INTERRUPTED:
        return Sureness(notes=("confidence: none, since the search was interrupted",))
    try:
        if model.confidence == "auto":
            return _where_it_takes_seconds(model, judgement, data, rng, seconds)
        return Sureness(_as_asked(model, judgement, data, rng))
    except TimeLimitError as error:
        return Sureness(notes=(f"confidence: none, since {error}",))
    except KeyboardInterrupt:
        return Sureness(notes=("confidence: none, since it was interrupted; the graph is that of the whole search",))


def _as_asked(model: DagEstimator, judgement: Judgement, data: Dataset, rng: np.random.Generator) -> Confidence:
    (own_rng,) = rng.spawn(1)
    if model.confidence == "bootstrap":
        return _bootstrap(model, data, own_rng)
    if model.confidence == "specifications":
        return _over_specifications(model, judgement, own_rng)
    return _posterior(model, judgement, own_rng, exact=False)


def _where_it_takes_seconds(
    model: DagEstimator, judgement: Judgement, data: Dataset, rng: np.random.Generator, seconds: float
) -> Sureness:
    """What ``"auto"`` stands for."""
    from dagsearch.confidence.exact import PrecisionError  # noqa: PLC0415

    reason = _reason_against(model, judgement, data, seconds)
    if not reason:
        (own_rng,) = rng.spawn(1)
        try:
            return Sureness(_posterior(model, judgement, own_rng, exact=True))
        except PrecisionError as error:
            reason = str(error)
    return Sureness(notes=(f"confidence: none, since {reason}{_way_out(model, judgement.score)}",))


def _reason_against(model: DagEstimator, judgement: Judgement, data: Dataset, seconds: float) -> str:
    """Why ``"auto"`` computes nothing; nothing if it does."""
    from dagsearch.confidence.affordable import MOST_SECONDS, reason_against_exact  # noqa: PLC0415

    if getattr(model, "edge_budget", None) is not None:
        return "a posterior knows no edge budget"
    if model.missing == "impute" and not data.is_complete:
        return "a posterior would take filled cells for seen ones"
    if not model.by_score:
        return f"{model.method} does not construct its graph by a score"
    if model.time_limit is not None and seconds > model.time_limit:
        return "the time limit was over"
    most_seconds = min(MOST_SECONDS, MOST_SECONDS if model.time_limit is None else model.time_limit - seconds)
    return reason_against_exact(judgement.score, _restrictions(model, judgement.data), most_seconds)


def _way_out(model: DagEstimator, score: scores.Score) -> str:
    """How to ask for it all the same."""
    from dagsearch.confidence.posterior import reason_against  # noqa: PLC0415

    ways = []
    if isinstance(model.score, str):
        ways.append(f"confidence='bootstrap', {model.n_replicates} more fits")
    if model.by_score and not reason_against(score):
        ways.append("confidence='posterior'")
    return f"; ask for it by {', or by '.join(ways)}" if ways else ""


def _restrictions(model: DagEstimator, data: Dataset) -> Restrictions:
    """Which graphs the posterior is over, as `dagsearch.Posterior` takes them."""
    from dagsearch.confidence.weights import Restrictions  # noqa: PLC0415

    knowledge = getattr(model, "knowledge", None) or Knowledge()
    required, allowed = knowledge.required_edges(data.names), knowledge.allowed_edges(data.names)
    return Restrictions(required, allowed, getattr(model, "max_parents", None))


def _bootstrap(model: DagEstimator, data: Dataset, rng: np.random.Generator) -> Confidence:
    from dagsearch import confidence  # noqa: PLC0415

    return confidence.bootstrap(
        model, data, n=model.n_replicates, random_state=rng, n_jobs=model.n_jobs, progress=bool(model.progress)
    )


def _over_specifications(model: DagEstimator, judgement: Judgement, rng: np.random.Generator) -> Confidence:
    """The mean of posteriors over scales and models, whatever the score of the fit."""
    from dagsearch.confidence.posterior import Posterior  # noqa: PLC0415

    asked = Posterior(specifications="auto", random_state=rng, **_shared(model))
    found: Confidence = asked.fit(judgement.data).confidence_
    return replace(found, notes=(*found.notes, *_note_on_budget(model)))


def _shared(model: DagEstimator) -> dict[str, Any]:
    """Settings that a posterior shares with the method."""
    return {
        "knowledge": getattr(model, "knowledge", None),
        "max_parents": getattr(model, "max_parents", None),
        "n_jobs": model.n_jobs,
        "progress": bool(model.progress),
        "time_limit": model.time_limit,
    }


def _posterior(model: DagEstimator, judgement: Judgement, rng: np.random.Generator, *, exact: bool) -> Confidence:
    """The posterior by the score of the fit; `PrecisionError` if it must be exact and cannot."""
    from dagsearch.confidence.affordable import ExactPosterior  # noqa: PLC0415
    from dagsearch.confidence.posterior import Posterior  # noqa: PLC0415

    asked = (ExactPosterior if exact else Posterior)(score=judgement.score, random_state=rng, **_shared(model))
    found: Confidence = asked.fit(judgement.data).confidence_
    said = without_gaps(judgement.data, "local").notes  # by the fit itself
    notes = [note for note in found.notes if note not in said]
    return replace(found, notes=(*notes, *_notes_on_posterior(model, judgement.score)))


def _notes_on_posterior(model: DagEstimator, score: scores.Score) -> Iterator[str]:
    """What the posterior does not share with the method."""
    if not model.by_score:
        yield f"the posterior is that of {score.name}, by which {model.method} does not construct its graph"
    yield from _note_on_budget(model)


def _note_on_budget(model: DagEstimator) -> Iterator[str]:
    if getattr(model, "edge_budget", None) is not None:
        yield "the posterior knows no edge budget"
