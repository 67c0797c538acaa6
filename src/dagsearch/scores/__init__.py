"""What is good: scores of DAGs, one family per file, all memoised per (node, parents)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from dagsearch import checks
from dagsearch.data import Dataset, as_dataset
from dagsearch.data.missing import Missing, without_gaps
from dagsearch.errors import InputError
from dagsearch.scores.base import Score
from dagsearch.scores.custom import CustomGraphScore, CustomLocalScore
from dagsearch.scores.discrete import BDeuScore, DiscreteBICScore
from dagsearch.scores.evidence import DEFAULT_MIN_EFFECT, EvidenceScore
from dagsearch.scores.gam import GAMScore
from dagsearch.scores.gp import GPScore
from dagsearch.scores.levels import Levels, cardinalities, known_levels, require_levels
from dagsearch.scores.mean_models import MODELS, Model
from dagsearch.scores.mixed import MixedScore, require_information
from dagsearch.scores.noise import NOISES, Noise
from dagsearch.scores.regression import LinearScore, QuadraticScore
from dagsearch.scores.rows import PartialScore

__all__ = [
    "CONTINUOUS",
    "DEFAULT_MIN_EFFECT",
    "DISCRETE",
    "MIXED",
    "MODELS",
    "NOISES",
    "REGRESSIONS",
    "Score",
    "adapt",
    "check_settings",
    "make",
    "names",
]

REGRESSIONS = ("bic-linear", "bic-quadratic", "bic-gp", "bic-gam")
"""BIC scores of continuous data."""
CONTINUOUS = ("evidence", *REGRESSIONS)
MIXED = ("mixed",)
"""Scores of tables of continuous and discrete columns."""
DISCRETE = ("bic-discrete", "bdeu")

# The scores that a setting is for; given to another one, it would be ignored.
_MEANT_FOR = {
    "variances": REGRESSIONS,
    "penalty": REGRESSIONS,
    "min_effect": (*CONTINUOUS, *MIXED),
    "models": ("evidence", *MIXED),
    "noise": ("evidence", *MIXED),
    "sample_size": ("bdeu",),
    "levels": DISCRETE,
}
# Scores that handle missing cells themselves: one matrix of moments serves all local scores.
_TAKE_GAPS = ("bic-linear",)
_EVIDENCE = {"evidence": EvidenceScore, "mixed": MixedScore}
_IDLE: dict[str, Any] = {"variances": "different", "sample_size": 1.0, "levels": "seen"}


def names() -> list[str]:
    """Names that `make` takes."""
    return [*CONTINUOUS, *MIXED, *DISCRETE]


def make(
    name: str,
    data: Any,
    variances: Literal["different", "equal"] = "different",
    penalty: Literal["edges", "parameters", "extended"] | None = None,
    n_jobs: int = 1,
    sample_size: float = 1.0,
    levels: Levels = "seen",
    models: Sequence[Model] | None = None,
    noise: Noise | None = None,
    min_effect: float | None = None,
    missing: Missing = "local",
    interventions: Any = None,
) -> Score:
    """Make the score ``name`` for a table.

    Parameters
    ----------
    name
        One of `names()`.
    data
        Data frame, array or `Dataset`; continuous columns are standardised.
    variances
        Residual variances of BIC scores of continuous data: ``"different"`` (F_HV of the paper) or ``"equal"`` (F_EV).
    penalty
        What these count: ``"edges"`` (the paper's, and the default), ``"parameters"``, or ``"extended"``: parameters,
        and for each edge three times the logarithm of the number of variables more (extended BIC, Foygel and Drton
        2010), since among many candidates some fit well by chance. Discrete BIC always counts parameters; BDeu,
        ``evidence`` and ``mixed`` have no separate penalty.
    n_jobs
        Threads for ``evidence``, ``mixed``, ``bic-gp`` and ``bic-gam``; values do not depend on it.
    sample_size
        Equivalent sample size of the prior of ``bdeu``.
    levels
        How many levels columns have to discrete scores, whose penalty or prior depends on it: ``"seen"`` in the rows,
        ``"declared"`` by the table (`Dataset.declared_levels`), or numbers by column name. Where nothing is declared or
        given, those seen count.
    models
        Models that ``evidence`` and ``mixed`` average: any of ``"linear"``, ``"additive"`` and ``"joint"``; None: all.
    noise
        What these take the noise of continuous variables to be: ``"any"`` (its shape is fitted, its scale may
        depend on the parents; what None stands for), ``"shape"`` (its shape is fitted) or ``"gaussian"``.
    min_effect
        Share of the variation that the other parents leave unexplained which an edge must explain, from 0 to below 1;
        for ``evidence``, ``mixed`` and BIC that does not count edges alone. None: 0.01 for the first two, 0 for others.
    missing
        What to do where cells are missing: ``"local"``: each local score goes by the rows in which the variable and its
        parents were seen; ``"drop"``: rows with a missing cell are left out; ``"impute"``: cells are filled by one draw
        from a model of all columns; ``"refuse"``.
    interventions
        What was set by experiments, as `dagsearch.as_dataset` takes it: a variable's local scores leave out the rows
        in which it was set.

    Raises
    ------
    InputError
        If the name or an option is not known, or the table does not suit the score.
    """
    checks.one_of("score", name, names())
    checks.one_of("variances", variances, ("different", "equal"))
    if penalty is not None:
        checks.one_of("penalty", penalty, ("edges", "parameters", "extended"))
    require_levels(levels)
    checks.integer("n_jobs", n_jobs, 1, most=checks.MOST_JOBS)
    given = {
        "variances": variances,
        "penalty": penalty,
        "min_effect": min_effect,
        "models": models,
        "noise": noise,
        "sample_size": sample_size,
        "levels": levels,
    }
    _require_meant(name, given)
    dataset = without_gaps(as_dataset(data, interventions=interventions, may_miss=True), missing).data
    takes_gaps = name in _TAKE_GAPS
    if dataset.all_rows_count or (takes_gaps and dataset.was_set is None):
        return _made(name, given, dataset, n_jobs)
    if name in DISCRETE:
        given["levels"] = _levels_of_whole(dataset, levels)
    if name == "mixed":
        require_information(dataset)
    return PartialScore(dataset, partial(_made, name, given), n_jobs, takes_gaps)


def _made(name: str, settings: dict[str, Any], data: Dataset, n_jobs: int = 1) -> Score:
    """Make a score on a table in which all rows count, or of a kind that handles missing cells itself."""
    min_effect = settings["min_effect"]
    if name in _EVIDENCE:
        return _EVIDENCE[name](
            data,
            _checked_models(settings["models"]),
            _checked_noise(settings["noise"]),
            DEFAULT_MIN_EFFECT if min_effect is None else _checked_effect(min_effect),
            n_jobs,
        )
    levels = settings["levels"]
    if isinstance(levels, Mapping):  # those of the columns of this part of a table
        levels = {column: n_levels for column, n_levels in levels.items() if column in data.names or data.is_whole}
    if name == "bdeu":
        return BDeuScore(data, settings["sample_size"], levels)
    if name == "bic-discrete":
        return DiscreteBICScore(data, levels)
    penalty = settings["penalty"] or "edges"
    return _regression(name, data, settings["variances"], penalty, n_jobs, _checked_effect(min_effect or 0.0))


def _levels_of_whole(data: Dataset, levels: Levels) -> dict[str, int]:
    """How many levels each column has, for parts of the table that may lack some."""
    counts = cardinalities(data, known_levels(data, levels))
    return dict(zip(data.names, counts.tolist(), strict=True))


def _regression(name: str, data: Dataset, variances: str, penalty: str, n_jobs: int, min_effect: float) -> Score:
    """A BIC score of continuous data."""
    if min_effect and penalty == "edges":
        raise InputError(f"min_effect is for penalty='parameters' or 'extended', {name} counts edges")
    if name == "bic-gp":
        return GPScore(data, variances, penalty, n_jobs, min_effect)
    if name == "bic-gam":
        return GAMScore(data, variances, penalty, n_jobs, min_effect)
    kind = LinearScore if name == "bic-linear" else QuadraticScore
    return kind(data, variances, penalty, min_effect)


def _require_meant(name: str, given: dict[str, Any]) -> None:
    """Refuse settings that a score would ignore."""
    for setting, value in given.items():
        if name not in _MEANT_FOR[setting] and value != _IDLE.get(setting):
            meant = ", ".join(_MEANT_FOR[setting])
            raise InputError(f"{setting}={value!r} is for {meant}; {name} does not take it")


def check_settings(models: Any, noise: Any, min_effect: Any) -> None:
    """Raise `InputError` for a setting of `make` that is out of range, whatever the table; None is always right."""
    _checked_models(models)
    _checked_noise(noise)
    if min_effect is not None:
        _checked_effect(min_effect)


def _checked_models(models: Any) -> tuple[Model, ...]:
    """Names of models, each once, in a fixed order."""
    if models is None:
        return MODELS
    if isinstance(models, bytes) or not isinstance(models, str | Iterable):
        raise InputError(f"models must be a list of names, any of {', '.join(MODELS)}, got {checks.shown(models)}")
    given = [models] if isinstance(models, str) else list(models)
    for model in given:
        checks.one_of("models", model, MODELS)
    if not given:
        raise InputError(f"models must name at least one of {', '.join(MODELS)}, got none")
    return tuple(model for model in MODELS if model in given)


def _checked_noise(noise: Noise | None) -> Noise:
    if noise is None:
        return "any"
    checks.one_of("noise", noise, NOISES)
    return noise


def _checked_effect(min_effect: float) -> float:
    checks.real("min_effect", min_effect, 0.0)
    if not min_effect < 1.0:
        raise InputError(f"min_effect must be a number of at least 0 and below 1, got {min_effect!r}")
    return float(min_effect)


def adapt(score: Any, n_nodes: int) -> Score:
    """Make a score object usable by every search: one of ours, or a user's own.

    Parameters
    ----------
    score
        A score of `make`, or any object with ``local(node, parents)`` (decomposable; the reward is the sum) or
        ``reward(adjacency)`` (any function of the DAG).
    n_nodes
        Number of variables of the table it is used on.

    Raises
    ------
    InputError
        If the object has neither method, or was made for another number of variables.
    """
    if isinstance(score, Score):
        if score.n_nodes != n_nodes:
            raise InputError(f"the score was made for {score.n_nodes} variables, the data have {n_nodes}")
        return score
    if callable(getattr(score, "local", None)):
        return CustomLocalScore(score, n_nodes)
    if callable(getattr(score, "reward", None)):
        return CustomGraphScore(score, n_nodes)
    raise InputError(
        "score must be a name, a score made by dagsearch.scores.make, or an object with local(node, parents) or "
        f"reward(adjacency), got {score!r}"
    )
