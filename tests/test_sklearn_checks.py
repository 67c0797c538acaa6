"""scikit-learn's own checks of estimators: all pass but those that are listed here, each with its reason."""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils import estimator_checks

import dagsearch as ds

HIDES_SCORE = "the parameter score stands where scikit-learn has a method; docs/scores.md says what to use"
OTHER_WORDS = "it is refused with a message of our own, which names columns and what to do"

EXCEPTIONS = {
    "check_fit_score_takes_y": HIDES_SCORE,
    "check_n_features_in_after_fitting": HIDES_SCORE,
    "check_pipeline_consistency": HIDES_SCORE,
    "check_complex_data": OTHER_WORDS,
    "check_estimators_empty_data_messages": OTHER_WORDS,
    "check_fit2d_1sample": OTHER_WORDS,
    "check_fit2d_1feature": OTHER_WORDS,
}
NUMBERS_ONLY = {"check_dtype_object": OTHER_WORDS}
COMPLETE_ONLY = {"check_estimators_nan_inf": OTHER_WORDS}

ESTIMATORS = [
    ds.CDUCT(score="bic-linear", sims_per_node=1, n_restarts=1),
    ds.OrderSearch(score="bic-linear"),
    ds.GreedySearch(score="bic-linear"),
    ds.RandomSearch(score="bic-linear", sims_per_node=1),
    ds.RandomSampling(score="bic-linear"),
    ds.ExactSearch(score="bic-linear"),
    ds.CAM(),
    ds.NOTEARS(),
    ds.LiNGAM(),
    ds.LiNGAM(variant="direct"),
    ds.GES(),
    ds.PC(),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(estimator_checks, "estimator_checks_generator"), reason="scikit-learn before 1.6")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda model: model.method)
def test_all_checks_pass_but_those_with_a_reason(estimator):
    expected = {
        **EXCEPTIONS,
        **({} if "discrete" in estimator.data_kinds else NUMBERS_ONLY),
        **({} if estimator.takes_gaps else COMPLETE_ONLY),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = estimator_checks.check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {check["check_name"]: check["exception"] for check in done if check["status"] == "failed"}
    assert failed.keys() == expected.keys(), failed
    assert len(done) > 30


def test_a_score_of_other_data_is_told_as_the_documentation_says():
    data = ds.datasets.simulate(4, 200, n_edges=4, random_state=0)
    model = ds.GreedySearch(score="bic-linear").fit(data.take(range(100)))
    others = ds.scores.make("bic-linear", data.take(range(100, 200))).reward(model.dag_)
    assert others != model.reward_
    assert model.score_.reward(model.dag_) == pytest.approx(model.reward_)
