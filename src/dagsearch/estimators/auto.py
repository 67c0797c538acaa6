"""What ``method="auto"`` stands for: a proof of the optimum where that takes seconds, CD-UCT otherwise."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import comb
from typing import Any

from dagsearch.data import Dataset
from dagsearch.data.missing import without_gaps
from dagsearch.errors import InputError
from dagsearch.estimators.base import DagEstimator, table_for
from dagsearch.estimators.exact import ExactSearch
from dagsearch.estimators.searches import CDUCT
from dagsearch.parameters import declared

logger = logging.getLogger("dagsearch")

# Sets of parents that take a few seconds to look at all: by counts and sums of squares, or by fits of milliseconds.
MOST_SETS = 30_000
MOST_FITTED_SETS = 1_000


def discover(data: Any, **settings: Any) -> DagEstimator:
    """Learn a graph from a table by the method that suits it.

    That is exact search where it proves the optimum within seconds, and CD-UCT with refinement otherwise; the first of
    ``result_.notes`` says which and why. The choice depends on the table and the settings alone, not on the time. How
    sure edges are is told where that takes seconds, too: the default of ``confidence`` is ``"auto"`` here.

    Parameters
    ----------
    data
        pandas or polars data frame, 2-D array, the path of a file, or `Dataset`.
    settings
        Those of `CDUCT` and `ExactSearch`; one that only one of them has decides for it.

    Returns
    -------
    DagEstimator
        A fitted `ExactSearch` or `CDUCT`.

    Raises
    ------
    InputError
        If a setting or the table is wrong; the message names it.
    """
    settings = {"confidence": "auto", **settings}
    dataset = table_for(data, settings)
    settings.pop("interventions", None)  # the table has them now
    method, reason = _choice(without_gaps(dataset, settings.get("missing", "local")).data, settings)
    model = method(**{**settings, "fix": False}).fit(dataset)  # which has been mended, if that was asked for
    model.set_params(fix=settings.get("fix", False))
    note = f"method: {model.method}, since {reason}"
    logger.info(note)
    model.result_ = replace(model.result_, notes=(note, *model.result_.notes))
    return model


def _choice(data: Dataset, settings: dict[str, Any]) -> tuple[type[DagEstimator], str]:
    """The estimator, and why it is taken."""
    own = {
        method: settings.keys() - declared(other).keys()
        for method, other in ((CDUCT, ExactSearch), (ExactSearch, CDUCT))
    }
    for name in sorted(own[CDUCT] & own[ExactSearch]):
        raise InputError(f"neither cd-uct nor exact has a setting {name!r}")
    if own[CDUCT] and own[ExactSearch]:
        raise InputError(
            f"{min(own[CDUCT])} is a setting of cd-uct, {min(own[ExactSearch])} one of exact: name a method"
        )
    for method, names in own.items():
        if names:
            return method, f"{min(names)} is a setting of it"
    if not isinstance(settings.get("score", "auto"), str):
        return CDUCT, "the score is of your own"
    score = CDUCT(**settings)._judgement(data).score
    limit = MOST_FITTED_SETS if score.is_fitted else MOST_SETS
    most = min(settings.get("max_parents") or data.n_nodes - 1, data.n_nodes - 1)
    n_sets = data.n_nodes * sum(comb(data.n_nodes - 1, k) for k in range(most + 1))
    if n_sets <= limit:
        return ExactSearch, f"{n_sets:,} sets of causes can all be looked at within seconds, which proves the optimum"
    return CDUCT, f"there are more sets of causes than can be looked at within seconds, {_roughly(n_sets)}"


def _roughly(number: int) -> str:
    """A number in few signs, even if it is too large for a float."""
    try:
        return f"{number:.3g}"
    except OverflowError:
        return f"about 1e+{len(str(number)) - 1}"
