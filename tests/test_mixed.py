"""The score of mixed tables: against slow twins and all DAGs, its laws, what never pays, and difficult tables."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace
from functools import cache
from itertools import combinations

import naive_evidence
import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, every_dag, make, normal_frame, normal_table, standardised
from scipy.special import logsumexp

import dagsearch as ds
from dagsearch.errors import DataError
from dagsearch.graph.bitset import rows_from_membership
from dagsearch.scores import MODELS, counts, level_models, logistic, mean_models
from dagsearch.scores.mixed import MixedScore
from dagsearch.scores.noise import _mean_log_density


@cache
def mixed_frame(n=120, seed=0):
    """Numbers a, c, and categories b (2 levels), d (3): a -> b, a -> c <- d, b -> d."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = (1.5 * a + rng.logistic(size=n) > 0).astype(int)
    utilities = np.array([[0.0, 0.0], [1.5, -1.0], [-1.0, 1.0]])[:, b] + rng.gumbel(size=(3, n))
    d = utilities.argmax(axis=0)
    c = np.array([0.0, 1.5, -1.5])[d] + np.tanh(2 * a) + 0.5 * rng.laplace(size=n)
    return pd.DataFrame({"a": a, "b": np.array(["no", "yes"])[b], "c": c, "d": np.array(["x", "y", "z"])[d]})


def value(score, node, parents):
    """The value of a node without its penalty."""
    return float(score._term(node, list(parents))[0])


def all_families(n_nodes, most=3):
    for node in range(n_nodes):
        others = [other for other in range(n_nodes) if other != node]
        for size in range(min(most, n_nodes - 1) + 1):
            yield from ((node, parents) for parents in combinations(others, size))


# ---------------------------------------------------------------- continuous variables


def test_a_table_of_numbers_has_the_evidence_of_the_evidence_score_to_the_last_bit():
    table = normal_table(80, 4)
    mixed, evidence = ds.scores.make("mixed", table), ds.scores.make("evidence", table)
    for node, parents in all_families(4):
        assert mixed._term(node, parents)[0] == evidence._term(node, parents)[0]


@pytest.mark.parametrize("min_effect", [0.0, 0.01])
def test_parents_cost_their_prior_and_what_they_explain_less_than_they_should(min_effect):
    score = ds.scores.make("mixed", mixed_frame(), min_effect=min_effect)
    n, values = 120, {family: score._term(*family)[0] for family in all_families(4)}
    least = math.log(n) - 60.0 * math.log(1.0 - min_effect)
    for node, parents in all_families(4):
        missed = [values[node, parents] - values[node, tuple(p for p in parents if p != q)] for q in parents]
        expected = len(parents) * math.log(n) / 8.0 + math.log(math.comb(3, len(parents)))
        expected += sum(max(0.0, least - nats) for nats in missed)
        assert score._term(node, parents)[1] == pytest.approx(expected)


def test_all_of_three_edges_are_often_found_although_two_explain_nearly_as_much():
    # b hardly depends on k alone, so that k -> a <- b has nearly the likelihood of the true graph.
    n_found = 0
    for seed in range(3, 13):
        a, of_k, of_b, e = np.random.default_rng(seed).normal(size=(4, 800))
        is_yes = a + of_k > 0.0
        frame = pd.DataFrame({"a": a, "k": np.where(is_yes, "yes", "no"), "b": 2.0 * is_yes - 1.5 * a + of_b, "e": e})
        found = {frozenset(edge) for edge in ds.ExactSearch(random_state=0).fit(frame).dag_.edges}
        assert found >= {frozenset("ak"), frozenset("ab")}
        n_found += found == {frozenset("ak"), frozenset("ab"), frozenset("kb")}
    assert n_found >= 4  # with the price of edges that `evidence` has, none would be found


def blocks_of(frame):
    """Standardised coordinates, (n_samples, n_coordinates), of each column."""
    blocks = []
    for _, column in frame.items():
        if column.dtype == float:
            blocks.append(standardised(column.to_numpy()[:, None]))
        else:
            ones = pd.get_dummies(column).to_numpy(dtype=float)
            blocks.append((ones - ones.mean(axis=0)) / math.sqrt(ones.var(axis=0).sum()))
    return blocks


def kernels_of_blocks(blocks):
    """Kernel matrices by blocks, in the place of `naive_evidence.kernel_matrices`."""

    def rbf(parents, length):
        together = np.hstack([blocks[parent] for parent in parents])
        return naive_evidence.rbf(together, list(range(together.shape[1])), length)

    def kernel_matrices(_, parents, models):
        for model in models:
            if model == "linear":
                yield 1 / len(models), sum(blocks[parent] @ blocks[parent].T for parent in parents)
                continue
            for length in mean_models.LENGTHS:
                together = [parents] if model == "joint" else [[parent] for parent in parents]
                yield 0.5 / len(models), sum(rbf(group, length) for group in together)

    return kernel_matrices


@pytest.mark.parametrize("noise", ["gaussian", "any"])
@pytest.mark.parametrize(("node", "parents"), [(2, (3,)), (0, (1,)), (2, (0, 3)), (2, (1, 3)), (0, (1, 2, 3))])
def test_a_number_on_categories_and_numbers_equals_the_slow_twin_on_blocks_of_coordinates(
    monkeypatch, node, parents, noise
):
    monkeypatch.setattr(mean_models, "LEFT_OUT", 1e-12)
    monkeypatch.setattr(mean_models, "MAX_RANK", 200)
    frame = mixed_frame(70)
    blocks = blocks_of(frame)
    z = np.column_stack([block[:, 0] for block in blocks])
    pieces = naive_evidence.pieces(z, node, parents, MODELS, _mean_log_density, kernels_of_blocks(blocks))
    score = ds.scores.make("mixed", frame, noise=noise)
    assert value(score, node, parents) == pytest.approx(pieces.value(noise), rel=1e-6, abs=1e-6)


# ---------------------------------------------------------------- discrete variables


def test_a_category_alone_is_where_gains_start_and_a_single_category_speaks_by_counts():
    score = ds.scores.make("mixed", mixed_frame())
    codes = [np.unique(column, return_inverse=True)[1] for _, column in mixed_frame().items()]
    assert value(score, 1, ()) == value(score, 3, ()) == 0.0
    assert value(score, 3, (1,)) == pytest.approx(counts.counts_gain(codes[3], [codes[1]]), abs=1e-12)
    assert value(score, 1, (3,)) == pytest.approx(value(score, 3, (1,)), abs=1e-9)


def test_the_models_of_a_category_are_averaged_not_maximised():
    frame = mixed_frame().assign(e=list("pqr") * 40)
    together = ds.scores.make("mixed", frame)
    alone = [ds.scores.make("mixed", frame, models=[model]) for model in MODELS]
    for node, parents in ((1, (0,)), (3, (0, 2)), (3, (0, 1)), (3, (1, 4)), (1, (0, 2, 3))):
        each = [value(score, node, parents) for score in alone]
        assert value(together, node, parents) == pytest.approx(logsumexp(each) - math.log(3), abs=1e-6)
        assert max(each) - min(each) > 0.01


def test_the_linear_model_of_a_category_is_logistic_regression_on_coordinates():
    frame = mixed_frame()
    blocks = blocks_of(frame)
    target = logistic.Target(np.unique(frame["d"], return_inverse=True)[1])
    score = ds.scores.make("mixed", frame, models=["linear"])
    for parents in ((0,), (0, 2), (0, 1)):
        features = np.hstack([blocks[parent] for parent in parents]).T
        gains = logistic.multinomial_gains(target, features)
        # The coordinates of a category are as many as its levels here, one fewer in the score: the prior is the same.
        expected = logsumexp(gains) - math.log(len(gains))
        assert value(score, 3, parents) == pytest.approx(expected, abs=1e-3)


def test_smooth_functions_find_what_is_not_linear():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = (np.abs(x) + 0.3 * rng.normal(size=300) > 0.7).astype(str)
    table = pd.DataFrame({"x": x, "y": y})
    by_model = {model: value(ds.scores.make("mixed", table, models=[model]), 1, (0,)) for model in MODELS}
    assert by_model["linear"] + 50 < by_model["additive"]
    assert by_model["joint"] == by_model["additive"]


def test_joint_models_find_what_is_not_additive():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = (x[:, 0] * x[:, 1] + 0.2 * rng.normal(size=300) > 0).astype(str)
    table = pd.DataFrame({"u": x[:, 0], "v": x[:, 1], "y": y})
    by_model = {model: value(ds.scores.make("mixed", table, models=[model]), 2, (0, 1)) for model in MODELS}
    assert max(by_model["linear"], by_model["additive"]) + 50 < by_model["joint"]
    discrete = pd.DataFrame({"u": (x[:, 0] > 0).astype(str), "v": (x[:, 1] > 0).astype(str), "y": y})
    by_model = {model: value(ds.scores.make("mixed", discrete, models=[model]), 2, (0, 1)) for model in MODELS}
    assert by_model["linear"] == by_model["additive"] < by_model["joint"] - 50


# ---------------------------------------------------------------- directions and what never pays


def test_two_columns_of_different_kinds_get_comparable_values_in_both_directions():
    for rng in np.random.default_rng(0).spawn(5):
        x = rng.normal(size=400)
        y = (x + rng.logistic(size=400) > 0).astype(str)
        score = ds.scores.make("mixed", pd.DataFrame({"x": x, "y": y}), noise="gaussian")
        forth, back = score.reward([[0, 1], [0, 0]]), score.reward([[0, 0], [1, 0]])
        neither = score.reward(np.zeros((2, 2), dtype=int))
        assert min(forth, back) > neither + 10
        assert abs(forth - back) < 0.3 * (max(forth, back) - neither)


def test_a_mixture_of_far_clusters_is_caused_by_the_category_and_a_threshold_by_the_number():
    for rng in np.random.default_rng(1).spawn(5):
        group = rng.integers(0, 3, 400)
        x = np.array([-4.0, 0.0, 5.0])[group] + rng.normal(size=400)
        clusters = ds.scores.make("mixed", pd.DataFrame({"x": x, "g": group.astype(str)}))
        assert clusters.reward([[0, 0], [1, 0]]) > clusters.reward([[0, 1], [0, 0]]) + 5
        x = rng.normal(size=400)
        over = (x + 0.2 * rng.logistic(size=400) > 0.5).astype(str)
        threshold = ds.scores.make("mixed", pd.DataFrame({"x": x, "g": over}))
        assert threshold.reward([[0, 1], [0, 0]]) > threshold.reward([[0, 0], [1, 0]]) + 5


def irrelevant_columns(rng, n):
    """Columns that have nothing to do with any other."""
    yield "binary", rng.integers(0, 2, n).astype(str)
    yield "rare", (np.append(rng.random(n - 1), 0.0) < 0.02).astype(str)
    yield "levels", rng.choice(list("abcde"), n, p=[0.5, 0.3, 0.1, 0.07, 0.03])
    yield "many", [f"level {k}" for k in rng.integers(0, n // 5, n)]
    yield "normal", rng.normal(size=n)
    yield "heavy", rng.standard_t(2, size=n)


def changes_by_irrelevant_columns(n, seed, n_seeds):
    """What one more parent that has nothing to do with a variable changes, by kind of column and family."""
    for rng in np.random.default_rng(seed).spawn(n_seeds):
        frame = mixed_frame(n, int(rng.integers(1000)))
        for kind, column in irrelevant_columns(rng, n):
            score = ds.scores.make("mixed", frame.assign(e=column))
            for node, parents in ((0, ()), (1, ()), (3, ()), (1, (0,)), (2, (0, 3)), (3, (1,)), (3, (0, 1)), (4, ())):
                further = 0 if node == 4 else 4
                change = score.local(node, (*parents, further)) - score.local(node, parents)
                yield (kind, node, parents), change


def test_an_irrelevant_column_never_pays():
    for family, change in changes_by_irrelevant_columns(300, 2, 8):
        assert change < 0, family


def test_an_irrelevant_column_hardly_ever_pays_in_a_hundred_rows():
    # An edge costs 2 to 3 nats there: evidence that is right is misled that far in less than one case of ten.
    pays = [change > 0 for _, change in changes_by_irrelevant_columns(100, 2, 8)]
    assert np.mean(pays) < 0.01


# ---------------------------------------------------------------- difficult tables


def _levels_once(frame, n):
    frame["b"] = ["once", *["often"] * (n - 1)]
    frame["d"] = ["p", *["q", "r"] * ((n - 1) // 2), *["q"] * ((n - 1) % 2)]


def _one_row_apart(frame, n):
    # Laplace's approximation makes more of such a level than there is to know.
    frame["b"] = ["once", *["often"] * (n - 1)]
    frame.loc[0, "a"] = 1000.0


def _separable(frame, _):
    frame["b"] = (frame["a"] > 0).astype(str)
    frame["d"] = np.digitize(frame["a"], [-0.5, 0.5]).astype(str)


def _many_levels(frame, n):
    frame["d"] = [f"level {k}" for k in np.random.default_rng(0).permutation(n) % max(n // 5, 2)]
    frame["b"] = [f"level {k}" for k in np.arange(n) % max(n // 3, 2)]


def _twins(frame, _):
    frame["d"] = frame["b"].map({"no": "left", "yes": "right"})


def _outliers(frame, _):
    frame.loc[0, "a"], frame.loc[1, "c"] = 1e12, -1e12


def _determined(frame, _):
    frame["c"] = frame["d"].map({"x": 0.0, "y": 1.0, "z": 5.0}) + 1e-9 * frame["a"]


def _codes(frame, _):
    frame["b"], frame["d"] = frame["b"].map({"no": 0, "yes": 1}), frame["d"].map({"x": 3, "y": 7, "z": 9})


DIFFICULT = [_levels_once, _one_row_apart, _separable, _many_levels, _twins, _outliers, _determined, _codes]


def checked_values(score):
    """Values of all families, after they were found to be finite and no larger than they can be, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best = score.best_values()
        values = {}
        for node, parents in all_families(score.n_nodes):
            values[node, parents] = value(score, node, parents)
            assert math.isfinite(values[node, parents]), (node, parents)
            assert values[node, parents] <= best[node] + 1e-9, (node, parents)
    return values


@pytest.mark.parametrize("change", DIFFICULT)
@pytest.mark.parametrize("n", [11, 61, 200])
def test_values_of_difficult_tables_are_finite_and_bounded(change, n):
    frame = mixed_frame(n).copy()
    change(frame, n)
    for ordered in (False, True):
        data = ds.as_dataset(frame, kinds=dict.fromkeys("bd", "discrete"))
        score = MixedScore(replace(data, ordered=tuple(ordered and kind == "discrete" for kind in data.kinds)))
        checked_values(score)


def test_no_level_is_more_than_certain():
    # By Laplace's approximation, a row that stands apart would say more about a level seen once than there is to know.
    x = np.append(1.0, 1e-6 * np.random.default_rng(0).normal(size=999))
    table = pd.DataFrame({"x": x, "y": ["once", *["often"] * 999]})
    score = ds.scores.make("mixed", table, models=["linear"])
    gains = logistic.multinomial_gains(score._level_models.targets[1], standardised(x)[None])
    assert logsumexp(gains) - math.log(len(gains)) > score.best_values()[1]
    assert value(score, 1, (0,)) == score.best_values()[1]


def test_two_hundred_levels_in_a_thousand_rows_are_judged_like_any_other():
    rng = np.random.default_rng(0)
    frame = mixed_frame(1000).assign(e=[f"level {k}" for k in rng.integers(0, 200, 1000)])
    values = checked_values(ds.scores.make("mixed", frame))
    assert values[4, (0, 1)] < 5


def test_constant_columns_and_columns_that_never_repeat_are_refused_by_name():
    frame = mixed_frame()
    for column in (1.0, "same"):
        with pytest.raises(DataError, match="column 'e' is constant"):
            ds.scores.make("mixed", frame.assign(e=column))
    with pytest.raises(DataError, match="column 'e' has 120 levels in 120 rows; a category needs values that repeat"):
        ds.scores.make("mixed", frame.assign(e=[f"row {k}" for k in range(120)]))


def test_a_part_of_a_table_has_the_prior_of_the_whole_and_may_lack_levels():
    whole = ds.as_dataset(mixed_frame())
    rows = np.flatnonzero(whole.values[:, 1] == 0)[:30]
    part = whole.part(rows, range(3))
    score = MixedScore(part)
    assert score._penalties[2] == MixedScore(whole.take(range(30)))._penalties[2]
    values = checked_values(score)
    assert values[1, (0,)] == 0.0
    assert values[0, (1,)] == pytest.approx(values[0, ()], abs=2.0)
    assert values[2, (0, 1)] == pytest.approx(MixedScore(part.take(range(30)))._term(2, [0, 1])[0])


# ---------------------------------------------------------------- laws


def test_names_of_levels_units_and_the_order_of_columns_do_not_matter():
    frame = mixed_frame()
    order = ["d", "c", "a", "b"]
    changed = frame.assign(a=1e6 * frame["a"] - 5, b=frame["b"].map({"no": "z", "yes": "a"}))
    changed["d"] = frame["d"].map({"x": "2", "y": "9", "z": "1"})
    here, there = ds.scores.make("mixed", frame), ds.scores.make("mixed", changed[order])
    for node, parents in all_families(4):
        moved = order.index(frame.columns[node]), [order.index(frame.columns[parent]) for parent in parents]
        assert value(there, *moved) == pytest.approx(value(here, node, parents), abs=1e-2)


def _asked(n_nodes):
    families = list(all_families(n_nodes))
    members = np.zeros((len(families), n_nodes), dtype=bool)
    for row, (_, parents) in enumerate(families):
        members[row, list(parents)] = True
    return np.array([node for node, _ in families]), members


def test_two_jobs_and_surveys_give_the_same_bits_as_one_by_one():
    nodes, members = _asked(4)
    single, double, surveyed = (ds.scores.make("mixed", mixed_frame(), n_jobs=n_jobs) for n_jobs in (1, 2, 1))
    expected = single.terms(nodes, rows_from_membership(members))
    with double.session():
        assert np.array_equal(double.terms(nodes, rows_from_membership(members)), expected)
    for node in range(4):
        terms = surveyed.survey(node, rows_from_membership(members[nodes == node]), np.inf)[0]
        assert np.array_equal(terms, expected[nodes == node])


def test_a_pickled_score_goes_on_with_its_settings():
    score = ds.scores.make("mixed", mixed_frame(), models=["joint"], noise="shape", min_effect=0.1)
    before = score.local(3, [0, 1])
    twin = pickle.loads(pickle.dumps(score))
    assert twin.settings == {"models": ["joint"], "noise": "shape", "min_effect": 0.1}
    assert twin.local(3, [0, 1]) == before
    assert twin.local(2, [0, 3]) == score.local(2, [0, 3])


def test_twins_among_categories_are_told_once():
    frame = mixed_frame().assign(e=mixed_frame()["d"].map({"x": "u", "y": "v", "z": "w"}))
    score = ds.scores.make("mixed", frame)
    assert value(score, 2, (0, 3, 4)) == value(score, 2, (0, 3))
    assert score.local(2, (0, 3, 4)) < score.local(2, (0, 3))


def test_coefficients_are_limited_by_leaving_out_what_varies_least(monkeypatch):
    frame = mixed_frame().assign(e=list("pqrstu") * 20)
    plenty = value(ds.scores.make("mixed", frame, models=["linear"]), 3, (0, 4))
    monkeypatch.setattr(level_models, "MOST_COEFFICIENTS", 4)
    few = ds.scores.make("mixed", frame, models=["linear"])
    assert len(few._level_models._features((0, 4), "linear", 2)) == 2
    assert value(few, 3, (0, 4)) != plenty


# ---------------------------------------------------------------- searches, proofs and posteriors


def test_exact_search_and_certificate_agree_with_all_dags():
    frame = mixed_frame(100)
    score = ds.scores.make("mixed", frame)
    best = max(every_dag(4), key=score.reward)
    exact = ds.ExactSearch(score="mixed").fit(frame)
    assert exact.reward_ == pytest.approx(score.reward(best), abs=1e-9)
    assert exact.result_.settings["prune"] == "none"
    found = make(ds.GreedySearch, score="mixed").fit(frame)
    assert found.reward_ <= exact.reward_ + 1e-9


def test_the_posterior_agrees_with_all_dags():
    frame = mixed_frame(60)
    score = ds.scores.make("mixed", frame)
    dags = every_dag(4)
    rewards = np.array([score.reward(dag) for dag in dags])
    weights = np.exp(rewards - logsumexp(rewards))
    expected = sum(weight * dag.adjacency for weight, dag in zip(weights, dags, strict=True))
    sure = ds.posterior(frame, score="mixed", n_samples=0)
    np.testing.assert_allclose(sure.edge_probability, expected, rtol=0, atol=1e-9)


def test_the_default_of_a_mixed_table_finds_its_graph():
    frame = mixed_frame(600)
    model = ds.CDUCT(random_state=0).fit(frame)
    assert model.score_.name == "mixed"
    assert "2 columns are continuous and 2 discrete" in model.result_.notes[0]
    skeleton = {frozenset(edge) for edge in model.dag_.edges}
    assert skeleton == {frozenset("ab"), frozenset("ac"), frozenset("cd"), frozenset("bd")}


@pytest.mark.parametrize("table", [normal_frame(60, 3), discrete_frame(60, 3)])
def test_tables_of_one_kind_can_be_judged_as_well(table):
    assert np.isfinite(make(ds.GreedySearch, score="mixed").fit(table).reward_)
