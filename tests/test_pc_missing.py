"""PC on tables with missing cells: every test by the rows that have what it needs."""

import numpy as np
import pandas as pd
import pytest
from common import discrete_frame, linear_table
from scipy import stats

import dagsearch as ds
from dagsearch.baselines.pc import pc
from dagsearch.baselines.seen_rows import SeenRowsTest
from dagsearch.errors import DataError

cit = pytest.importorskip("causallearn.utils.cit")


def with_gaps(values, share=0.1, seed=0):
    """The same table with some cells missing at random."""
    holes = np.array(values, dtype=float)
    holes[np.random.default_rng(seed).random(holes.shape) < share] = np.nan
    return holes


def sub_table(values, *nodes):
    return values[~np.isnan(values[:, nodes]).any(axis=1)][:, nodes]


def chain(n_samples=2000):
    """x0 -> x1 -> x2."""
    x = np.random.default_rng(0).normal(size=(n_samples, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    return x


def never_together(n_samples=400):
    """x0 -> x2 <- x1, and no row holds both causes."""
    x = np.random.default_rng(0).normal(size=(n_samples, 3))
    x[:, 2] += x[:, 0] + x[:, 1]
    x[::2, 0] = np.nan
    x[1::2, 1] = np.nan
    return x


# ---------------------------------------------------------------- single tests


@pytest.mark.parametrize("given", [(), (2,), (2, 3)])
def test_fisherz_is_that_of_partial_correlations_on_the_rows_that_were_seen(given):
    values = with_gaps(linear_table(80, 5, 0), 0.15)
    table = sub_table(values, 0, 1, *given)
    # Residuals on an intercept and the conditioning set, and their correlation.
    basis = np.column_stack([np.ones(len(table)), table[:, 2:]])
    first, second = (table[:, [k]] - basis @ np.linalg.lstsq(basis, table[:, [k]])[0] for k in (0, 1))
    z = np.arctanh(stats.pearsonr(first.ravel(), second.ravel())[0]) * np.sqrt(len(table) - len(given) - 3)
    p_value = SeenRowsTest(values, "fisherz", cit.CIT)(0, 1, given)
    assert p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-8, abs=1e-14)
    assert len(table) < 80


@pytest.mark.parametrize("test", ["gsq", "chisq"])
def test_counts_are_those_of_the_rows_that_were_seen(test):
    values = with_gaps(discrete_frame(120, 4).to_numpy(), 0.2)
    table = sub_table(values, 0, 2)
    counts = pd.crosstab(table[:, 0], table[:, 1]).to_numpy()
    expected = stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood" if test == "gsq" else None)
    assert SeenRowsTest(values, test, cit.CIT)(0, 2, ()) == pytest.approx(expected.pvalue, rel=1e-8)


@pytest.mark.parametrize("test", ["fisherz", "gsq", "chisq"])
def test_p_values_are_those_of_the_package_on_the_sub_table(test):
    x = linear_table(150, 5, 1) if test == "fisherz" else discrete_frame(150, 5).to_numpy()
    values = with_gaps(x, 0.2)
    by_rows = SeenRowsTest(values, test, cit.CIT)
    for first, second, given in [(0, 1, ()), (0, 1, (2,)), (3, 1, (0, 4)), (2, 4, (0, 1, 3))]:
        table = sub_table(values, first, second, *given)
        expected = cit.CIT(table, test)(0, 1, tuple(range(2, table.shape[1])))
        assert by_rows(first, second, given) == expected


def test_a_conditioning_set_without_rows_separates_nobody():
    values = chain(100)
    values[::2, 0], values[1::2, 2] = np.nan, np.nan
    test = SeenRowsTest(values, "fisherz", cit.CIT)
    assert test(0, 1, (2,)) == 0.0
    assert (test.n_undecided, test.unseen) == (1, set())


def test_conditions_that_are_constant_where_the_others_were_seen_do_not_count():
    values = chain(200)
    values[:100, 2] = 1.0
    values[100:, 0] = np.nan
    test = SeenRowsTest(values, "fisherz", cit.CIT)
    assert test(0, 1, (2,)) == test(0, 1, ())


def test_columns_that_are_the_same_where_both_were_seen_are_dependent():
    values = chain(200)
    values[:, 2] = values[:, 0]
    values[:50, 2], values[150:, 0] = np.nan, np.nan
    assert SeenRowsTest(values, "fisherz", cit.CIT)(0, 2, ()) == 0.0


# ---------------------------------------------------------------- whole runs


@pytest.mark.parametrize("test", ["fisherz", "gsq"])
def test_rows_without_any_cell_change_nothing(test):
    x = linear_table(200, 6, 2) if test == "fisherz" else discrete_frame(200, 5).to_numpy()
    more = np.vstack([x, np.full((30, x.shape[1]), np.nan)])
    complete, with_empty_rows = pc(x, test), pc(more, test)
    assert np.array_equal(complete.adjacency, with_empty_rows.adjacency)
    assert complete.n_tests == with_empty_rows.n_tests


def test_a_chain_is_found_though_few_rows_are_complete():
    values = with_gaps(chain(), 0.4)
    assert np.array_equal(pc(values, "fisherz", 0.01).adjacency, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_columns_never_seen_together_get_no_edge_and_make_no_collider():
    fit = pc(never_together(), "fisherz")
    assert fit.unseen == ((0, 1),)
    assert np.array_equal(fit.adjacency, [[0, 0, 1], [0, 0, 1], [1, 1, 0]])


def test_copies_with_the_same_cells_missing_keep_their_neighbours():
    values = with_gaps(chain(), 0.1)
    fit = pc(np.column_stack([values, -3 * values[:, 1]]), "fisherz", 0.01)
    assert np.array_equal(fit.adjacency[:3, :3], pc(values, "fisherz", 0.01).adjacency)
    assert fit.adjacency[1, 3]


def test_a_column_that_is_constant_where_it_was_seen_is_named():
    values = chain(50)
    values[:, 1] = 2.0
    values[0] = np.nan
    with pytest.raises(DataError, match="constant: 'b'"):
        pc(values, "fisherz", names=list("abc"))


# ---------------------------------------------------------------- the estimator


def test_the_estimator_names_columns_that_were_never_seen_together():
    model = ds.PC().fit(pd.DataFrame(never_together(), columns=list("abc")))
    assert "no edge, since too few rows hold both: a -- b" in model.result_.notes
    assert {frozenset(edge) for edge in model.result_.undirected_edges} == {frozenset("ac"), frozenset("bc")}


def test_the_estimator_counts_levels_where_cells_are_missing():
    frame = discrete_frame(600, 4).astype(object).replace({0: "no", 1: "yes", 2: "maybe"})
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1)
    model = ds.PC().fit(frame)
    assert model.result_.settings["ci_test"] == "gsq"
    assert {frozenset(edge) for edge in [*model.result_.edges, *model.result_.undirected_edges]} == {
        frozenset("ab"),
        frozenset("bc"),
        frozenset("cd"),
    }


def test_cells_stay_missing_where_columns_beside_text_are_cut_into_bins():
    frame = pd.DataFrame(chain(400), columns=list("abc"))
    frame["b"] = np.where(frame["b"] > 0, "yes", "no")
    frame.loc[::2, "a"], frame.loc[1::2, "c"] = np.nan, np.nan
    model = ds.PC().fit(frame)
    assert "no edge, since too few rows hold both: a -- c" in model.result_.notes
    assert np.isnan(ds.as_dataset(frame, may_miss=True).binned(["a"], 5).values[::2, 0]).all()


def test_a_column_seen_in_two_rows_is_named():
    frame = pd.DataFrame(chain(50), columns=list("abc"))
    frame.loc[2:, "b"] = np.nan
    with pytest.raises(DataError, match="column 'b' was seen in 2 rows"):
        ds.PC().fit(frame)
