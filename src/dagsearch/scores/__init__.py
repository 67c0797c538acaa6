"""What is good: scores of DAGs, one family per file, all memoised per (node, parents)."""

from __future__ import annotations

from typing import Any, Literal

from dagsearch.data import as_dataset
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.scores.base import Score
from dagsearch.scores.custom import CustomGraphScore, CustomLocalScore
from dagsearch.scores.discrete import BDeuScore, DiscreteBICScore
from dagsearch.scores.gam import GAMScore
from dagsearch.scores.gp import GPScore
from dagsearch.scores.levels import Levels, require_levels
from dagsearch.scores.regression import LinearScore, QuadraticScore

__all__ = ["CONTINUOUS", "DISCRETE", "Score", "adapt", "make", "names"]

CONTINUOUS = ("bic-linear", "bic-quadratic", "bic-gp", "bic-gam")
DISCRETE = ("bic-discrete", "bdeu")


def names() -> list[str]:
    """Names that `make` takes."""
    return [*CONTINUOUS, *DISCRETE]


def make(
    name: str,
    data: Any,
    variances: Literal["different", "equal"] = "different",
    penalty: Literal["edges", "parameters"] | None = None,
    n_jobs: int = 1,
    sample_size: float = 1.0,
    levels: Levels = "seen",
) -> Score:
    """Make the score ``name`` for a table.

    Parameters
    ----------
    name
        One of `names()`.
    data
        Data frame, array or `Dataset`; continuous columns are standardised.
    variances
        Residual variances of continuous scores: ``"different"`` (F_HV of the paper) or ``"equal"`` (F_EV).
    penalty
        What continuous scores count: ``"edges"`` (the paper's, and the default) or ``"parameters"``. Discrete BIC
        always counts parameters, and BDeu has no separate penalty.
    n_jobs
        Threads for ``bic-gp`` and ``bic-gam``.
    sample_size
        Equivalent sample size of the prior of ``bdeu``.
    levels
        How many levels columns have to discrete scores, whose penalty or prior depends on it: ``"seen"`` in the rows,
        ``"declared"`` by the table (`Dataset.declared_levels`), or numbers by column name. Where nothing is declared or
        given, those seen count.

    Raises
    ------
    InputError
        If the name or an option is not known, or the table does not suit the score.
    """
    if name not in names():
        raise UnknownNameError("score", name, names())
    if variances not in ("different", "equal"):
        raise UnknownNameError("variances", variances, ("different", "equal"))
    if penalty not in (None, "edges", "parameters"):
        raise UnknownNameError("penalty", penalty, ("edges", "parameters"))
    require_levels(levels)
    if not isinstance(n_jobs, int) or n_jobs < 1:
        raise InputError(f"n_jobs must be a whole number of at least 1, got {n_jobs!r}")
    dataset = as_dataset(data)
    if name in DISCRETE:
        if variances == "equal":
            raise InputError(f"variances='equal' is for continuous scores, {name} is discrete")
        if penalty == "edges":
            raise InputError(f"penalty='edges' is for continuous scores, {name} is discrete")
        if name == "bdeu":
            return BDeuScore(dataset, sample_size, levels)
        return DiscreteBICScore(dataset, levels)
    if levels != "seen":
        raise InputError(f"levels={levels!r} is for discrete scores, {name} is continuous")
    if name in ("bic-gp", "bic-gam"):
        fitted = GPScore if name == "bic-gp" else GAMScore
        return fitted(dataset, variances, penalty or "edges", n_jobs)
    kind = LinearScore if name == "bic-linear" else QuadraticScore
    return kind(dataset, variances, penalty or "edges")


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
