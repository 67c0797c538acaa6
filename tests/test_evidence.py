"""The evidence score against scikit-learn and a slow twin, its laws, its settings and what it is for."""

from __future__ import annotations

import math
import pickle
import warnings
from functools import cache
from itertools import combinations

import naive_evidence as naive
import numpy as np
import pytest
from common import matrices, normal_table, standardised
from hypothesis import given, settings
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

import dagsearch as ds
from dagsearch.errors import InputError, UnknownNameError
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.scores import MODELS, NOISES, evidence, mean_models
from dagsearch.scores.mean_models import MeanModels, log_evidence
from dagsearch.scores.noise import _mean_log_density

FORTH, BACK = [[0, 1], [0, 0]], [[0, 0], [1, 0]]
SUBSETS = [subset for size in (1, 2, 3) for subset in combinations(MODELS, size)]


@pytest.fixture
def nearly_exact(monkeypatch):
    """Factors of kernel matrices that leave nothing out but rounding."""
    monkeypatch.setattr(mean_models, "LEFT_OUT", 1e-12)
    monkeypatch.setattr(mean_models, "MAX_RANK", 200)


def value(score, node, parents):
    """The value of a node without its penalty."""
    return float(score._term(node, list(parents))[0])


def all_families(n_nodes, most=3):
    """Every (node, parents) of at most so many parents."""
    for node in range(n_nodes):
        others = [other for other in range(n_nodes) if other != node]
        for size in range(min(most, n_nodes - 1) + 1):
            yield from ((node, parents) for parents in combinations(others, size))


# ---------------------------------------------------------------- tables


FAMILIES = [(0, ()), (1, (0,)), (3, (2,)), (0, (1,)), (3, (1, 2)), (2, (0, 3)), (3, (0, 1, 2))]


@cache
def table_of(kind, n=70):
    return naive.TABLES[kind](np.random.default_rng(0), n)


@cache
def twin_pieces(kind, node, parents, models=MODELS):
    return naive.pieces(standardised(table_of(kind)), node, parents, models, _mean_log_density)


# ---------------------------------------------------------------- against scikit-learn


def kernel_of_scikit_learn(model, lengths):
    """The kernel of a model of the mean over two parents, made of scikit-learn's own."""
    if model == "linear":
        return DotProduct(sigma_0=0.0, sigma_0_bounds="fixed")
    if model == "joint":
        return RBF(lengths[0])
    return RBF([lengths[0], 1e9]) + RBF([1e9, lengths[1]])


def best_likelihood(x, y, kernel, ratio):
    """Marginal likelihood of a Gaussian process with an intercept of almost any size, at the best overall scale.

    Its prior of variance 1e6 stands for none; what remains of it is the same with and without parents.
    """

    def minus_likelihood(log_scale):
        scale = math.exp(log_scale)
        whole = ConstantKernel(1e6)
        if kernel is not None:
            whole += ConstantKernel(scale / ratio) * kernel
        model = GaussianProcessRegressor(whole, alpha=scale, optimizer=None)
        return -model.fit(x, y).log_marginal_likelihood_value_

    return -minimize_scalar(minus_likelihood, bounds=(-8, 2), options={"xatol": 1e-6}).fun


@pytest.mark.usefixtures("nearly_exact", "one_thread")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_evidence_is_the_marginal_likelihood_of_scikit_learn_above_that_of_no_parents(model, quarter):
    which_ratio = quarter * len(mean_models.RATIOS) // 4
    z = standardised(table_of("curved", 60))
    parents, node = (0, 1), 3
    models = MeanModels(np.ascontiguousarray(z.T), (model,))
    basis = models.on(parents)._basis(0)
    found = log_evidence(basis.values, basis.products, models.totals, 60)[which_ratio, node]
    smallest = mean_models.LENGTHS[0]
    together = smallest * naive.median_distance(z, [0, 1])
    lengths = [smallest * naive.median_distance(z, [parent]) for parent in parents]
    kernel = kernel_of_scikit_learn(model, [together] if model == "joint" else lengths)
    x, y, ratio = z[:, parents], z[:, node], mean_models.RATIOS[which_ratio]
    expected = best_likelihood(x, y, kernel, ratio) - best_likelihood(x, y, None, ratio)
    assert found == pytest.approx(expected, abs=1e-3)


# ---------------------------------------------------------------- against the slow twin


@pytest.mark.usefixtures("nearly_exact")
@pytest.mark.parametrize("kind", naive.TABLES)
@pytest.mark.parametrize("noise", NOISES)
def test_values_equal_those_of_the_slow_twin_if_factors_leave_nothing_out(kind, noise):
    score = ds.scores.make("evidence", table_of(kind), noise=noise)
    for node, parents in FAMILIES:
        expected = twin_pieces(kind, node, parents).value(noise)
        assert value(score, node, parents) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def changes_by_what_factors_leave_out(monkeypatch, noise):
    """Differences in nats between values by default and with factors that leave nothing out, on 12 tables."""
    tables = [make(np.random.default_rng(seed), 70) for make in naive.TABLES.values() for seed in range(3)]
    found = []
    for left_out, rank in ((mean_models.LEFT_OUT, mean_models.MAX_RANK), (1e-12, 200)):
        monkeypatch.setattr(mean_models, "LEFT_OUT", left_out)
        monkeypatch.setattr(mean_models, "MAX_RANK", rank)
        scores = [ds.scores.make("evidence", table, noise=noise) for table in tables]
        found.append([value(score, *family) for score in scores for family in FAMILIES[1:]])
    return np.abs(np.subtract(*found))


def test_what_factors_leave_out_changes_the_evidence_by_little(monkeypatch):
    # Over the smallest ratio, what is left out is about one row's worth of signal among 70: it matters to joint models
    # of three parents with hardly any noise (2 nats at most here), and to nothing else.
    changes = changes_by_what_factors_leave_out(monkeypatch, "gaussian")
    assert np.median(changes) < 0.05
    assert np.mean(changes < 0.5) > 0.9
    assert changes.max() < 2.5


def test_what_factors_leave_out_seldom_changes_which_residuals_the_noise_is_judged_by(monkeypatch):
    # Residuals are those of the best member and ratio alone. Where two are equally good a small change takes the other,
    # and the shape of its residuals may differ by several nats: a few values may be that far away.
    changes = changes_by_what_factors_leave_out(monkeypatch, "any")
    assert np.median(changes) < 0.05
    assert np.mean(changes < 1.0) > 0.9


@pytest.mark.usefixtures("nearly_exact")
@pytest.mark.parametrize("models", SUBSETS)
def test_all_choices_of_models_equal_the_slow_twin(models):
    score = ds.scores.make("evidence", table_of("curved"), models=models)
    for node, parents in ((1, (0,)), (3, (1, 2))):
        expected = twin_pieces("curved", node, parents, models).value("any")
        assert value(score, node, parents) == pytest.approx(expected, rel=1e-6)


@pytest.mark.usefixtures("nearly_exact")
@pytest.mark.parametrize(("node", "parents"), [(1, (0,)), (3, (0, 2))])
def test_values_given_a_parent_that_mostly_holds_one_value_equal_the_slow_twin(node, parents):
    x = table_of("curved").copy()
    x[:, 0] = np.where(x[:, 0] > 1.0, x[:, 0], 0.0)
    assert np.mean(x[:, 0] == 0.0) > 0.8  # so most pairs of rows are no distance apart
    expected = naive.pieces(standardised(x), node, parents, MODELS, _mean_log_density).value("any")
    assert value(ds.scores.make("evidence", x), node, parents) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.usefixtures("nearly_exact")
def test_a_plain_grid_of_shapes_gives_the_same_value():
    z = standardised(table_of("exponential"))
    by_grid = naive.pieces(z, 1, (0,), MODELS, lambda v: naive.best_mean_log_density(v, n_modes=49, n_shapes=29))
    score = ds.scores.make("evidence", table_of("exponential"))
    assert value(score, 1, (0,)) == pytest.approx(by_grid.value("any"), abs=0.3)


def test_each_piece_of_the_value_decides_somewhere():
    pieces = [twin_pieces(kind, *family) for kind in naive.TABLES for family in FAMILIES if family[1]]
    assert any(each.prediction < each.gain for each in pieces)
    assert any(each.prediction > each.gain for each in pieces)
    assert any(each.scale > each.shape + 5 for each in pieces)
    assert any(each.scale < each.shape - 5 for each in pieces)


# ---------------------------------------------------------------- difficult tables


def checked_values(table, noise="any"):
    """Values of all families, after they were found to be finite and no larger than they can be, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = ds.scores.make("evidence", table, noise=noise)
        best = score.best_values()
        values = {}
        for node, parents in all_families(score.n_nodes, min(3, score.max_parents)):
            values[node, parents] = value(score, node, parents)
            assert math.isfinite(values[node, parents]), (node, parents)
            assert values[node, parents] <= best[node] + 1e-9, (node, parents)
    return values


@pytest.mark.parametrize("kind", naive.DIFFICULT)
@pytest.mark.parametrize(("n", "noise"), [(10, "any"), (60, "any"), (60, "gaussian")])
def test_values_of_difficult_tables_are_finite_and_bounded(kind, n, noise):
    checked_values(naive.DIFFICULT[kind](n), noise)


@pytest.mark.parametrize("noise", NOISES)
def test_three_rows_are_enough_for_a_value(noise):
    checked_values(normal_table(3, 4), noise)


@settings(max_examples=25, deadline=None)
@given(table=matrices())
def test_values_of_any_table_are_finite_and_bounded(table):
    checked_values(table)


def test_beyond_the_most_parents_values_are_still_finite():
    score = ds.scores.make("evidence", normal_table(10, 6))
    assert score.max_parents < 5
    assert all(math.isfinite(value(score, *family)) for family in all_families(6, 5))


@pytest.mark.parametrize(("n_times", "n_more", "most"), [(0, 3, 1), (2, -1, 1), (2, 0, 2), (50, 0, 50)])
def test_rows_limit_the_number_of_parents(n_times, n_more, most):
    table = normal_table(n_times * evidence.ROWS_PER_PARENT + n_more, 3)
    assert ds.scores.make("evidence", table, models=["linear"]).max_parents == most


def test_a_parent_that_repeats_what_another_says_is_not_paid_for():
    x = table_of("laplace").copy()
    rng = np.random.default_rng(1)
    x = np.column_stack([x, x[:, 0] + 1e-6 * rng.normal(size=len(x))])
    score = ds.scores.make("evidence", x)
    assert score.local(1, [0, 4]) < score.local(1, [0])


# ---------------------------------------------------------------- invariances


@pytest.mark.parametrize(("factor", "offset"), [(1e6, 1e9), (1e-9, 0.0), (1e9, -1e6), (-1.0, 0.0), (-1e6, 1e9)])
@pytest.mark.parametrize("column", [0, 3])
def test_units_do_not_matter(factor, offset, column):
    x = table_of("curved")
    moved = x.copy()
    moved[:, column] = factor * x[:, column] + offset
    here, there = ds.scores.make("evidence", x), ds.scores.make("evidence", moved)
    for node, parents in FAMILIES:
        # An offset a thousand times the spread costs three digits of sixteen; fits multiply what is left by about n.
        assert value(there, node, parents) == pytest.approx(value(here, node, parents), abs=1e-6)


def test_an_offset_a_billion_times_the_spread_costs_no_more_than_its_digits():
    x = table_of("curved")
    here, there = ds.scores.make("evidence", x), ds.scores.make("evidence", x + 1e9)
    for node, parents in FAMILIES:
        assert value(there, node, parents) == pytest.approx(value(here, node, parents), abs=1e-2)


def test_order_of_parents_and_columns_is_irrelevant():
    x, order = table_of("curved"), [2, 0, 3, 1]
    here, there = ds.scores.make("evidence", x), ds.scores.make("evidence", x[:, order])
    for node, parents in all_families(4):
        moved = [order.index(parent) for parent in parents]
        found = value(there, order.index(node), moved)
        assert found == value(there, order.index(node), moved[::-1])
        assert found == pytest.approx(value(here, node, parents), abs=1e-6)


def test_order_of_rows_matters_by_the_sample_of_pairs_only(monkeypatch):
    x = table_of("laplace")
    monkeypatch.setattr(MeanModels, "_median_distance", lambda _self, parents: float(len(parents)))
    monkeypatch.setattr(mean_models, "LEFT_OUT", 1e-12)
    here, there = ds.scores.make("evidence", x), ds.scores.make("evidence", x[::-1])
    for node, parents in FAMILIES:
        assert value(there, node, parents) == pytest.approx(value(here, node, parents), abs=1e-6)


def _asked(n_nodes):
    families = list(all_families(n_nodes))
    nodes = np.array([node for node, _ in families])
    members = np.zeros((len(families), n_nodes), dtype=bool)
    for row, (_, parents) in enumerate(families):
        members[row, list(parents)] = True
    return nodes, members


def test_two_jobs_give_the_same_bits_as_one():
    nodes, members = _asked(5)
    terms = []
    for n_jobs in (1, 2):
        score = ds.scores.make("evidence", normal_table(80, 5), n_jobs=n_jobs)
        with score.session():
            terms.append(score.terms(nodes, rows_from_membership(members)))
    assert np.array_equal(terms[0], terms[1])


def test_a_survey_of_all_nodes_gives_the_same_bits_as_one_by_one():
    table = normal_table(80, 5)
    nodes, members = _asked(5)
    surveyed, single = ds.scores.make("evidence", table), ds.scores.make("evidence", table)
    for node in range(5):
        of_node = members[nodes == node]
        terms = surveyed.survey(node, rows_from_membership(of_node), np.inf)[0]
        for row, found in zip(of_node, terms, strict=True):
            assert np.array_equal(found, single._term(node, np.flatnonzero(row).tolist()))
    assert len(surveyed.known_fits()) < len(single.known_fits())


def test_a_pickled_score_goes_on_with_its_settings():
    score = ds.scores.make("evidence", table_of("curved"), models=["joint"], noise="shape", min_effect=0.1)
    before = score.local(3, [1, 2])
    twin = pickle.loads(pickle.dumps(score))
    assert (twin.models, twin.noise, twin.min_effect) == (("joint",), "shape", 0.1)
    assert twin.local(3, [1, 2]) == before
    assert twin.local(1, [0, 3]) == score.local(1, [0, 3])


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize("min_effect", [0.0, 0.01, 0.3])
def test_penalties_are_minus_the_log_prior_of_a_parent_set(min_effect):
    score = ds.scores.make("evidence", normal_table(100, 6), noise="gaussian", min_effect=min_effect)
    for n_parents in range(6):
        expected = naive.penalty(6, 100, n_parents, min_effect)
        assert score._term(0, range(1, n_parents + 1))[1] == pytest.approx(expected, rel=1e-12)


def test_penalties_by_hand():
    score = ds.scores.make("evidence", normal_table(100, 4), noise="gaussian", min_effect=0.5)
    # 3 sets of two parents; half of the variance is log(2) / 2 nats a row.
    expected = 2 * (evidence.EDGE_PRIOR / 2 * math.log(100) + 100 * math.log(2) / 2) + math.log(3)
    assert score._term(0, [1, 2])[1] == pytest.approx(expected, rel=1e-12)
    value_alone = ds.scores.make("evidence", normal_table(100, 4), noise="gaussian", min_effect=0.0)
    assert value(score, 0, [1, 2]) == value(value_alone, 0, [1, 2])


def test_none_stands_for_the_default_settings():
    table = table_of("curved")
    plain = ds.scores.make("evidence", table)
    told = ds.scores.make("evidence", table, models=MODELS, noise="any", min_effect=evidence.DEFAULT_MIN_EFFECT)
    assert [plain.local(*family) for family in FAMILIES] == [told.local(*family) for family in FAMILIES]


def test_no_superset_has_a_smaller_penalty_than_a_survey_says(monkeypatch):
    # An edge is then so cheap that all six parents cost less than five of them.
    monkeypatch.setattr(evidence, "EDGE_PRIOR", 1.0)
    score = ds.scores.make("evidence", normal_table(3, 7), models=["linear"], noise="gaussian")
    members = np.tril(np.ones((7, 7), dtype=bool), -1)  # sets of 0 to 6 parents of the last node
    terms, _, least = score.survey(6, rows_from_membership(members), np.inf)
    assert terms[5, 1] > terms[6, 1]
    for size in range(7):
        assert least[size] <= terms[size:, 1].min() + 1e-9
    assert least[0] == 0.0 < least[1]


def test_the_models_are_averaged_not_maximised():
    table = table_of("curved")
    together = ds.scores.make("evidence", table, noise="gaussian")
    alone = [ds.scores.make("evidence", table, models=[model], noise="gaussian") for model in MODELS]
    for node, parents in FAMILIES[1:]:
        expected = logsumexp([value(score, node, parents) for score in alone]) - math.log(len(MODELS))
        assert value(together, node, parents) == pytest.approx(expected, abs=1e-9)


def test_models_are_named_once_in_any_order_or_alone():
    table = table_of("curved")
    assert ds.scores.make("evidence", table, models=["joint", "linear", "joint"]).models == ("linear", "joint")
    assert ds.scores.make("evidence", table, models="joint").models == ("joint",)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"models": ["cubic"]}, UnknownNameError, "unknown models 'cubic': choose from linear, additive, joint"),
        ({"models": "aditive"}, UnknownNameError, r"unknown models 'aditive'.*Did you mean 'additive'\?"),
        ({"models": []}, InputError, "models must name at least one of linear, additive, joint, got none"),
        ({"noise": "normal"}, UnknownNameError, "unknown noise 'normal': choose from any, shape, gaussian"),
        ({"min_effect": 1.0}, InputError, r"min_effect must be .*at least 0 and below 1, got 1\.0"),
        ({"min_effect": -0.1}, InputError, r"min_effect must be .*at least 0.*, got -0\.1"),
        ({"min_effect": math.nan}, InputError, "min_effect must be .*at least 0.*, got nan"),
        ({"min_effect": "5%"}, InputError, "min_effect must be .*at least 0.*, got '5%'"),
        ({"variances": "equal"}, InputError, "variances='equal' is for bic-linear, .*; evidence does not take it"),
        ({"penalty": "edges"}, InputError, "penalty='edges' is for bic-linear, .*; evidence does not take it"),
        ({"sample_size": 3.0}, InputError, r"sample_size=3\.0 is for bdeu; evidence does not take it"),
        ({"levels": "declared"}, InputError, "levels='declared' is for bic-discrete, bdeu; evidence does not take it"),
    ],
)
def test_wrong_settings_are_named(options, error, message):
    with pytest.raises(error, match=message):
        ds.scores.make("evidence", normal_table(30, 3), **options)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bic-gam", {"models": ["linear"]}, r"models=\['linear'\] is for evidence, mixed; bic-gam does not take it"),
        ("bic-linear", {"noise": "any"}, "noise='any' is for evidence, mixed; bic-linear does not take it"),
        ("bdeu", {"min_effect": 0.1}, r"min_effect=0\.1 is for evidence, bic-linear, .*; bdeu does not take it"),
        ("bic-gp", {"min_effect": 0.1}, "min_effect is for penalty='parameters' or 'extended', bic-gp counts edges"),
    ],
)
def test_settings_of_other_scores_are_refused(name, options, message):
    with pytest.raises(InputError, match=message):
        ds.scores.make(name, normal_table(30, 3), **options)


def test_tables_that_would_need_too_much_memory_are_refused_unless_the_model_is_linear(monkeypatch):
    monkeypatch.setattr(mean_models, "_MAX_GRAM_BYTES", 2**14)
    with pytest.raises(InputError, match=r"would need .* for 5 variables; use models=\('linear',\)"):
        ds.scores.make("evidence", normal_table(60, 5))
    ds.scores.make("evidence", normal_table(60, 5), models=["linear"])


@pytest.mark.parametrize("variances", ["different", "equal"])
@pytest.mark.parametrize("name", ds.scores.REGRESSIONS)
def test_the_price_of_an_edge_lowers_the_reward_of_bic_scores_by_edge(name, variances):
    x, share = normal_table(60, 4), 0.2
    dag = ds.DAG.from_edges([(0, 1), (0, 3), (2, 3)], names=range(4))
    free, priced = (ds.scores.make(name, x, variances, "parameters", min_effect=s) for s in (None, share))
    expected = 3 * -math.log(1 - share) / (4 if variances == "equal" else 1)
    assert free.reward(dag) - priced.reward(dag) == pytest.approx(expected, rel=1e-9)
    if variances == "different":
        assert free.local(3, [0, 2]) - priced.local(3, [0, 2]) == pytest.approx(-2 * math.log(1 - share), rel=1e-9)
        assert free.local(3, []) == priced.local(3, [])


# ---------------------------------------------------------------- what it is for


def advantage(cause, effect, **options):
    """By how much the true direction of a pair is better."""
    score = ds.scores.make("evidence", np.column_stack([cause, effect]), **options)
    return score.reward(FORTH) - score.reward(BACK)


@pytest.mark.parametrize("kind", ["laplace", "uniform", "exponential"])
def test_the_noise_of_a_linear_pair_tells_its_direction(kind):
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cause = getattr(rng, kind)(size=300)
        found.append(advantage(cause, cause + 0.8 * getattr(rng, kind)(size=300)))
    assert sum(each > 0 for each in found) >= 18


def test_a_curve_tells_the_direction_of_a_pair():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cause = rng.normal(size=300)
        found.append(advantage(cause, 2 * np.tanh(2 * cause) + 0.5 * rng.normal(size=300)))
    assert sum(each > 0 for each in found) >= 18


def test_the_direction_of_a_linear_gaussian_pair_stays_open():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cause = rng.normal(size=300)
        found.append(advantage(cause, cause + 0.8 * rng.normal(size=300)))
    assert abs(np.mean(found)) < 1.0
    assert np.mean(np.abs(found)) < 3.0


def test_noise_whose_scale_depends_on_the_parent_is_better_told_by_any():
    gains = []
    for seed in range(10):
        data = ds.datasets.simulate(2, 300, n_edges=1, scale_dependence=1.0, random_state=seed)
        (parent,), (child,) = np.nonzero(data.truth.adjacency)
        by_noise = [value(ds.scores.make("evidence", data, noise=noise), child, [parent]) for noise in ("any", "shape")]
        gains.append(by_noise[0] - by_noise[1])
    assert sum(gain > 0 for gain in gains) >= 9
    assert np.mean(gains) > 10


def test_a_variable_that_has_nothing_to_do_with_another_is_no_parent():
    for seed in range(10):
        x = np.random.default_rng(seed).laplace(size=(200, 2))
        score = ds.scores.make("evidence", x)
        assert score.local(1, [0]) < score.local(1, [])
