"""What is computed beside a fit: residuals and F tests against statsmodels, relations, paths, stability."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm

import dagsearch as ds
from dagsearch import diagnostics
from dagsearch.confidence import Confidence
from dagsearch.diagnostics.f_test import FTest

LINEAR = {"score": "bic-linear", "prune": "none", "random_state": 0}


def required(edges, others=()):
    """Knowledge that leaves no choice: these edges and no other."""
    return ds.Knowledge(required=edges, forbidden=others)


def chain(n=500, seed=0):
    """a -> b -> c in straight lines, and d alone."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 2.0 * a + rng.normal(size=n)
    c = -1.0 * b + rng.laplace(size=n)
    return pd.DataFrame({"a": 100.0 * a + 7.0, "b": b, "c": c, "d": rng.normal(size=n)})


def fitted(table, edges, linear=True, **settings):
    """A model with exactly these edges."""
    names = list(table.columns)
    others = [(x, y) for x in names for y in names if x != y and (x, y) not in edges]
    given = LINEAR if linear else {"random_state": 0, "prune": "none", "score": "evidence"}
    return ds.OrderSearch(**{**given, "knowledge": required(edges, others), **settings}).fit(table)


def mixed_table(n=600, seed=1):
    rng = np.random.default_rng(seed)
    group = rng.choice(["low", "mid", "high"], size=n, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=n) + np.select([group == "low", group == "mid"], [0.0, 1.0], 3.0)
    sick = np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-x)), "yes", "no")
    return pd.DataFrame({"group": group, "x": x, "sick": sick})


# ------------------------------------------------------------------ residuals


def test_residuals_are_those_of_least_squares():
    table = chain()
    found = diagnostics.residuals(fitted(table, [("a", "b"), ("b", "c"), ("a", "c")]), most_points=10_000)
    of_c = next(each for each in found if each.name == "c")
    fit = sm.OLS(table["c"], sm.add_constant(table[["a", "b"]])).fit()
    assert of_c.fitted_values == pytest.approx(fit.fittedvalues.to_numpy())
    assert of_c.fitted_residuals == pytest.approx(fit.resid.to_numpy())
    assert of_c.explained == pytest.approx(fit.rsquared_adj)
    assert of_c.skewness == pytest.approx(scipy.stats.skew(fit.resid))
    assert of_c.normality_p_value == pytest.approx(scipy.stats.normaltest(fit.resid).pvalue)
    assert of_c.n_causes == 2


def test_the_histogram_of_residuals_has_the_area_one_and_holds_all_of_them():
    for each in diagnostics.residuals(fitted(chain(), [("a", "b")])):
        widths = np.diff(each.edges)
        assert (each.density * widths).sum() == pytest.approx(1.0)
        assert each.edges[0] <= each.residual_quantiles.min()
        assert each.edges[-1] >= each.residual_quantiles.max()
        assert (np.diff(each.residual_quantiles) >= 0).all()


def test_a_variable_without_causes_is_explained_by_nothing():
    found = {each.name: each for each in diagnostics.residuals(fitted(chain(), [("a", "b")]))}
    assert found["a"].explained == 0.0
    assert found["a"].fitted_values == pytest.approx(chain()["a"].mean())


def test_few_points_stand_for_many_rows():
    table = chain(n=60_000)
    of_c = diagnostics.residuals(fitted(table, [("b", "c")]), most_points=50)[2]
    assert len(of_c.fitted_values) == 50
    assert len(of_c.density) <= 40
    assert of_c.n_rows == 60_000


def test_residuals_of_levels_say_how_likely_the_causes_make_what_was_seen():
    table = mixed_table()
    model = fitted(table, [("group", "x"), ("x", "sick")], linear=False, score="mixed")
    sick = diagnostics.residuals(model)[2]
    share = (table["sick"] == "yes").mean()
    assert sick.levels == ("no", "yes")
    assert sick.observed == pytest.approx([1 - share, share])
    assert (sick.predicted > sick.observed).all()  # seen where it is likely
    assert sick.edges is None


def test_a_variable_that_is_a_function_of_another_has_no_shape_of_residuals():
    table = chain()
    table["e"] = 3.0 * table["a"]
    of_e = diagnostics.residuals(fitted(table, [("a", "e")]))[4]
    assert of_e.explained == pytest.approx(1.0)
    assert of_e.density is None
    assert np.abs(of_e.fitted_residuals).max() < 1e-6


def test_missing_cells_are_left_out_of_residuals():
    table = chain()
    table.loc[:99, "a"] = np.nan
    of_b = diagnostics.residuals(fitted(table, [("a", "b")]))[1]
    assert of_b.n_rows == 400


# ------------------------------------------------------------------ dependence


def test_blocks_that_are_tested_at_once_have_the_results_of_each_alone(monkeypatch):
    monkeypatch.setattr("dagsearch.diagnostics.f_test._MOST_NUMBERS", 500)  # of 100 rows: a few columns at once
    rng = np.random.default_rng(4)
    known, targets = rng.normal(size=(100, 3)), rng.normal(size=(100, 2))
    blocks = [rng.normal(size=(100, width)) for width in (1, 3, 1, 0, 2, 3, 1, 1, 1, 1)]
    blocks[2] = known[:, :1] * 2.0  # tells nothing
    blocks[5][:, 2] = known[:, 1]  # tells less than it is wide
    test = FTest(targets, [known])
    found = test.of_each(blocks)
    assert [each is None for each in found] == [place in (2, 3) for place in range(len(blocks))]
    for block, each in zip(blocks, found, strict=True):
        alone = test.of(block)
        assert (alone is None) == (each is None)
        assert each is None or each == pytest.approx(alone, rel=1e-12)
    assert found[5] == pytest.approx(test.of(blocks[5][:, :2]), rel=1e-9)


def test_f_tests_are_those_of_statsmodels():
    rng = np.random.default_rng(0)
    known, added = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    y = known @ [1.0, 0.5, -1.0] + 0.2 * added[:, 0] + rng.normal(size=80)
    small = sm.OLS(y, sm.add_constant(known)).fit()
    large = sm.OLS(y, sm.add_constant(np.hstack([known, added]))).fit()
    _, p_value, _ = large.compare_f_test(small)
    found = FTest(y[:, None], [known]).of(added)
    assert found.p_value == pytest.approx(p_value)
    assert found.share == pytest.approx(1.0 - large.ssr / small.ssr)


def test_columns_that_are_there_already_tell_nothing():
    rng = np.random.default_rng(0)
    known, y = rng.normal(size=(80, 3)), rng.normal(size=(80, 1))
    assert FTest(y, [known]).of(known[:, :1] + 1e-9 * known[:, 1:2]) is None
    added = y + rng.normal(size=(80, 1))
    assert FTest(y, [known, known]).of(added).p_value == pytest.approx(FTest(y, [known]).of(added).p_value)


def test_levels_are_tested_one_by_one_with_a_correction():
    rng = np.random.default_rng(3)
    targets, x = rng.integers(0, 2, size=(200, 3)).astype(float), rng.normal(size=(200, 1))
    single = [FTest(targets[:, [k]], []).of(x).p_value for k in range(3)]
    assert FTest(targets, []).of(x).p_value == pytest.approx(min(1.0, 3 * min(single)))


def test_a_missing_edge_is_seen_in_the_residuals():
    found = diagnostics.dependence(fitted(chain(), [("a", "b")]))
    assert {frozenset((each.variable, each.other)) for each in found.found} == {
        frozenset("ac"),
        frozenset("bc"),
    }
    assert found.found[0].share > 0.1
    assert "tests object" in found.summary


def test_the_true_graph_leaves_nothing_and_says_so():
    found = diagnostics.dependence(fitted(chain(), [("a", "b"), ("b", "c")]))
    assert found.found == ()
    assert "No test objects" in found.summary
    # a: d; b: d; c: a, d; d: a, b, c - a is not tested against b, which comes after it.
    assert found.n_tested == 7


def test_effects_of_a_variable_are_not_held_against_it():
    model = fitted(chain(), [("a", "b"), ("b", "c")])
    assert not {("a", "c"), ("a", "b"), ("b", "c")} & {
        (x.variable, x.other) for x in diagnostics.dependence(model).found
    }


def test_false_alarms_are_as_rare_as_the_level_says():
    alarms = sum(
        bool(diagnostics.dependence(fitted(chain(n=200, seed=seed), [("a", "b"), ("b", "c")]), level=0.2).found)
        for seed in range(60)
    )
    assert alarms <= 21  # at most 20% of 60; more than 21 has a probability of 0.3%


def test_dependence_of_categories_and_with_missing_cells():
    table = mixed_table()
    left = diagnostics.dependence(fitted(table, [], linear=False, score="mixed"))
    pairs = {frozenset((each.variable, each.other)) for each in left.found}
    assert {frozenset(("group", "x")), frozenset(("x", "sick"))} <= pairs
    gappy = chain()
    gappy.loc[:49, "d"] = np.nan
    found = diagnostics.dependence(fitted(gappy, [("a", "b")]))
    assert found.n_tested > 0
    assert found.n_rows == 500


# ------------------------------------------------------------------ relations


def test_points_and_curve_are_partial_residuals_and_mean_of_least_squares():
    table = chain()
    model = fitted(table, [("a", "c"), ("b", "c")])
    found = diagnostics.relation(model, "a", "c", most_points=10_000)
    fit = sm.OLS(table["c"], sm.add_constant(table[["a", "b"]])).fit()
    partial = table["c"] - fit.params["b"] * (table["b"] - table["b"].mean())
    assert found.y == pytest.approx(partial.to_numpy())
    at = sm.add_constant(pd.DataFrame({"a": found.grid, "b": table["b"].mean()}), has_constant="add")
    band = fit.get_prediction(at).summary_frame(alpha=0.05)
    assert found.fit == pytest.approx(band["mean"].to_numpy())
    assert found.lower == pytest.approx(band["mean_ci_lower"].to_numpy())
    assert found.upper == pytest.approx(band["mean_ci_upper"].to_numpy())
    assert found.p_value == pytest.approx(fit.pvalues["a"], rel=1e-6)
    assert found.adjusts_for == ("b",)


def test_a_bent_relation_is_followed():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=800)
    table = pd.DataFrame({"x": x, "y": x**2 + 0.1 * rng.normal(size=800)})
    found = diagnostics.relation(fitted(table, [("x", "y")], linear=False), "x", "y")
    assert np.abs(found.fit - found.grid**2).max() < 0.15


@pytest.mark.parametrize(
    ("cause", "effect", "kind"),
    [("group", "x", "boxes"), ("x", "sick", "probabilities"), ("group", "sick", "table")],
)
def test_categories_have_boxes_probabilities_and_tables(cause, effect, kind):
    table = mixed_table()
    found = diagnostics.relation(fitted(table, [(cause, effect)], linear=False, score="mixed"), cause, effect)
    assert found.kind == kind
    if kind == "boxes":
        by_level = table.groupby("group")["x"]
        assert found.means == pytest.approx([by_level.mean()[level] for level in found.levels])
        assert found.quantiles[:, 2] == pytest.approx([by_level.median()[level] for level in found.levels])
        assert found.counts.tolist() == [by_level.size()[level] for level in found.levels]
    elif kind == "probabilities":
        assert found.curves.sum(axis=0) == pytest.approx(1.0)
        assert found.bin_shares.sum(axis=1) == pytest.approx(1.0)
        assert found.curves[1, -1] > found.curves[1, 0]
    else:
        seen = pd.crosstab(table["group"], table["sick"], normalize="index")
        expected = [[seen.loc[a, b] for b in found.effect_levels] for a in found.levels]
        assert found.shares == pytest.approx(np.array(expected))
        assert found.counts.sum() == len(table)


def test_relations_stand_in_the_order_of_effects():
    model = fitted(chain(), [("a", "b"), ("b", "c")])
    assert [(each.cause, each.effect) for each in diagnostics.relations(model)] == [
        (each.cause, each.effect) for each in model.effects_
    ]


def test_what_is_no_edge_is_refused():
    model = fitted(chain(), [("a", "b")])
    with pytest.raises(ds.InputError, match="'a' to 'c'"):
        diagnostics.relation(model, "a", "c")
    with pytest.raises(ds.InputError, match="nothing like it"):
        diagnostics.relation(model, "nothing like it", "c")
    with pytest.raises(ds.InputError, match="must be fitted"):
        diagnostics.residuals(ds.OrderSearch())
    with pytest.raises(ds.InputError, match="fitted estimator"):
        diagnostics.dependence(7)


def test_everything_becomes_json():
    model = fitted(mixed_table(), [("group", "x"), ("x", "sick")], linear=False, score="mixed")
    parts = [*diagnostics.relations(model), *diagnostics.residuals(model), diagnostics.dependence(model)]
    for each in parts:
        assert json.loads(json.dumps(each.to_dict(), allow_nan=False)) == each.to_dict()


# ------------------------------------------------------------------ other settings, other rows


@pytest.fixture(scope="module")
def by_evidence():
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    table = pd.DataFrame({"x": x, "y": np.tanh(2 * x) + 0.3 * rng.normal(size=300)})
    table["z"] = 0.25 * table["y"] + rng.normal(size=300)
    return ds.OrderSearch(random_state=0).fit(table)


def test_the_path_goes_through_the_fit_and_gets_sparser(by_evidence):
    path = diagnostics.min_effect_path(by_evidence)
    own = path.values.index(path.own)
    at_own = {(e.cause, e.effect) for e in path.edges if e.presence[own] == 1}
    assert at_own == set(by_evidence.dag_.edges)
    sizes = [sum(bool(edge.presence[k]) for edge in path.edges) for k in range(len(path.values))]
    assert sizes == sorted(sizes, reverse=True)
    assert list(path.values) == sorted(path.values)


def test_graphs_of_the_path_are_those_of_fits(by_evidence):
    path = diagnostics.min_effect_path(by_evidence, values=(0.3,))
    other = ds.OrderSearch(random_state=0, min_effect=0.3).fit(by_evidence.data_)
    k = path.values.index(0.3)
    found = {(e.cause, e.effect)[:: e.presence[k]] for e in path.edges if e.presence[k]}
    assert found == set(other.dag_.edges)


def test_the_path_keeps_to_what_is_known(by_evidence):
    knowledge = ds.Knowledge(forbidden=[("x", "y")], required=[("z", "x")])
    model = ds.OrderSearch(random_state=0, knowledge=knowledge).fit(by_evidence.data_)
    for edge in diagnostics.min_effect_path(model).edges:
        if {edge.cause, edge.effect} == {"z", "x"}:
            assert edge.cause == "z"
            assert set(edge.presence) == {1}
        assert (edge.cause, edge.effect) != ("x", "y")


def test_there_is_a_reason_where_there_is_no_path():
    assert "bic-linear" in diagnostics.min_effect_path(fitted(chain(), [("a", "b")])).reason
    budget = ds.GreedySearch(edge_budget=2, score="bic-linear", random_state=0).fit(chain())
    assert "number of edges" in diagnostics.min_effect_path(budget).reason
    assert "pc" in diagnostics.min_effect_path(ds.PC().fit(chain())).reason
    limited = ds.CDUCT(time_limit=1e-3, random_state=0).fit(chain())
    assert "ended early (time-limit)" in diagnostics.min_effect_path(limited).reason
    with pytest.raises(ds.InputError, match="below 1"):
        diagnostics.min_effect_path(budget, values=(1.0,))


def test_a_path_ends_in_time_or_not_at_all(by_evidence):
    assert "more than 1e-06 seconds" in diagnostics.min_effect_path(by_evidence, time_limit=1e-6).reason
    assert diagnostics.min_effect_path(by_evidence, time_limit=600.0) == diagnostics.min_effect_path(by_evidence)


def test_stability_over_replicates_counts_them(by_evidence):
    found = ds.bootstrap(ds.OrderSearch(score="bic-linear"), by_evidence.data_, n=8, random_state=0)
    stable = diagnostics.stability(found)
    assert "8 tables" in stable.summary
    for pair in stable.pairs:
        i, j = found.names.index(pair.cause), found.names.index(pair.effect)
        assert pair.values == (
            found.adjacency_probability[i, j],
            found.edge_probability[i, j],
            found.edge_probability[j, i],
        )
        assert pair.values[1] >= pair.values[2]


def test_stability_over_specifications_has_a_column_for_each(by_evidence):
    found = ds.posterior(by_evidence.data_, specifications="auto", random_state=0)
    stable = diagnostics.stability(found)
    assert stable.columns == tuple(each.name for each in found.specifications)
    for pair in stable.pairs:
        i, j = found.names.index(pair.cause), found.names.index(pair.effect)
        for one, adjacent, forward in zip(found.specifications, pair.values, pair.forward, strict=True):
            assert adjacent == pytest.approx(one.confidence.adjacency_probability[i, j])
            assert forward * adjacent == pytest.approx(one.edge_probability[i, j], abs=1e-9)


def test_there_is_no_stability_where_nothing_was_tried(by_evidence):
    assert diagnostics.stability(ds.OrderSearch(confidence="none").fit(by_evidence.data_)) is None
    plain = Confidence(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2)), "posterior, exact")
    assert diagnostics.stability(plain) is None
    with pytest.raises(ds.InputError, match="fitted estimator"):
        diagnostics.stability(SimpleNamespace())
