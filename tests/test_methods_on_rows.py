"""Every method on tables with missing cells and with interventions: handled, or refused with methods that do."""

import re

import numpy as np
import pytest
from common import normal_frame
from estimator_cases import every_method

import dagsearch as ds
from dagsearch.errors import DataError
from dagsearch.estimators import METHODS
from dagsearch.estimators.base import TAKE_GAPS, TAKE_INTERVENTIONS

BY_SCORE = {"cd-uct", "greedy", "random-search", "random-sampling", "order", "exact"}
"""Methods that look at nothing but scores."""
QUICK = {"cd-uct": {"sims_per_node": 2}, "random-search": {"sims_per_node": 2}}
"""Settings that keep searches short."""


def table(n_samples=120):
    """Five numeric columns; nothing is missing."""
    return normal_frame(n_samples, 5)


def holed(frame):
    return frame.mask(np.random.default_rng(0).random(frame.shape) < 0.05)


def settings_for(kind):
    by_score = {"score": "bic-linear"} if kind.method in BY_SCORE else {}
    return {**by_score, **QUICK.get(kind.method, {}), "random_state": 0}


@every_method
def test_missing_cells_are_handled_or_methods_are_named_that_do(kind):
    model, frame = kind(**settings_for(kind)), holed(table())
    if kind.takes_gaps:
        fitted = model.fit(frame)
        assert np.isfinite(fitted.reward_)
        assert any("missing cells" in note for note in fitted.result_.notes)
        return
    with pytest.raises(DataError, match=f"{kind.method} needs complete rows: set missing='drop'") as caught:
        model.fit(frame)
    assert all(name in str(caught.value) for name in TAKE_GAPS)
    assert re.search(r"\d+ in column 'a'", str(caught.value))


@every_method
def test_interventions_are_handled_or_methods_are_named_that_do(kind):
    frame = table()
    was_set = ["b" if row < 30 else "" for row in range(len(frame))]
    model = kind(**settings_for(kind), interventions=was_set)
    if kind.takes_interventions:
        fitted = model.fit(frame)
        assert np.isfinite(fitted.reward_)
        assert any("'b' in 30 rows" in note for note in fitted.result_.notes)
        return
    with pytest.raises(DataError, match=f"{kind.method} cannot learn from interventions; use cd-uct") as caught:
        model.fit(frame)
    assert all(name in str(caught.value) for name in TAKE_INTERVENTIONS)


def test_methods_that_messages_name_can_do_it():
    assert all(METHODS[name].takes_gaps for name in TAKE_GAPS)
    assert all(METHODS[name].takes_interventions for name in TAKE_INTERVENTIONS)


def test_searches_go_by_scores_that_count_rows_and_methods_that_fit_whole_tables_do_not():
    assert {name for name, kind in METHODS.items() if kind.takes_interventions} == BY_SCORE
    assert {name for name, kind in METHODS.items() if kind.takes_gaps} == {*BY_SCORE, "pc"}


def test_dropping_or_filling_cells_makes_every_table_complete():
    frame = holed(table())
    for missing in ("drop", "impute"):
        assert ds.CAM(missing=missing, random_state=0).fit(frame).dag_.n_edges > 0
