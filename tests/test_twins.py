"""Columns that cannot be told apart: what scores, searches, pruning and notes make of them."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from common import normal_table, succeed
from estimator_cases import name_of, with_scores

import dagsearch as ds
from dagsearch._twins import Twins, proportional
from dagsearch.baselines.neighbours import possible_causes
from dagsearch.data import as_dataset
from dagsearch.estimators import METHODS
from dagsearch.estimators.table_notes import note_on_coinciding_columns

SCORES = ["evidence", "bic-linear", "bic-quadratic", "bic-gp", "bic-gam"]
COPIES = {"equal": lambda a: a, "in another unit": lambda a: 273.15 - 1.8 * a}
TWINS = ({"a", "copy", "copy2"}, {"c", "echo"})


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Other packages' own business.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def frame(n_samples=150, copy=COPIES["equal"], seed=0):
    """Columns a, b, c that depend on each other, and a copy of a."""
    x = normal_table(n_samples, 3, seed)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "copy": copy(x[:, 0])})


def many_copies(n_samples=150, seed=0):
    table = frame(n_samples, seed=seed)
    return table.assign(copy2=-3.0 * table.a, echo=table.c)


A, B, C, COPY = range(4)


# ---------------------------------------------------------------- what is needed


def test_one_of_each_group_of_twins_is_needed_and_a_twin_of_the_node_alone():
    twins = Twins(7, [[0, 3, 5], [2, 6]])
    assert twins.needed(1, (0, 2, 3, 4, 5, 6)) == (0, 2, 4)
    assert twins.needed(1, (3, 5)) == (3,)
    assert twins.needed(0, (1, 3, 5)) == (3,)
    assert twins.needed(6, (0, 1, 4)) == (0, 1, 4)
    assert twins.needed(1, ()) == ()


def test_proportional_columns_are_those_with_a_correlation_of_one():
    x = normal_table(200, 3)
    near = x[:, 0] + 1e-4 * np.random.default_rng(0).normal(size=200)
    table = np.column_stack([x, -5 * x[:, 0] + 1e3, near, x[:, 0] + x[:, 1], x[:, 2].astype(np.float32), 1e6 * x[:, 0]])
    assert proportional(as_dataset(table).standardised(), table) == [[0, 3, 7], [2, 6]]


# ---------------------------------------------------------------- scores


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("variances", ["different", "equal"])
@pytest.mark.parametrize("penalty", ["edges", "parameters"])
@pytest.mark.parametrize("name", SCORES)
def test_a_copy_beside_the_original_explains_nothing_and_costs_something(name, penalty, variances, copy):
    settings = {} if name == "evidence" else {"penalty": penalty, "variances": variances}
    score = ds.scores.make(name, frame(copy=COPIES[copy]), **settings)
    for node, parents in ((C, (A,)), (C, (A, B)), (B, (A, C)), (A, (COPY,)), (COPY, (A,)), (COPY, (A, B))):
        value, cost = score._term(node, parents)
        for more in {A, B, C, COPY} - {node, *parents}:
            if COPY in (node, *parents, more) and {node, *parents, more} >= {A, COPY}:
                larger_value, larger_cost = score._term(node, (*parents, more))
                assert larger_value == pytest.approx(value, rel=1e-6)
                assert larger_cost > cost


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", SCORES)
def test_a_copy_as_a_cause_gains_much_and_no_direction_is_better(name, copy):
    score = ds.scores.make(name, frame(copy=COPIES[copy]), penalty=None if name == "evidence" else "parameters")
    gains = [score.local(node, [other]) - score.local(node, []) for node, other in ((A, COPY), (COPY, A))]
    assert all(map(math.isfinite, gains))
    assert gains[0] == pytest.approx(gains[1], rel=1e-6)
    assert gains[0] > 2 * max(score.local(node, [other]) - score.local(node, []) for node, other in ((C, A), (B, A)))
    # Kernel matrices of bic-gp are so close to singular that rounding shows in the fourth digit.
    assert score.local(C, [COPY]) == pytest.approx(score.local(C, [A]), rel=1e-3 if name == "bic-gp" else 1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_all_local_scores_of_linearly_dependent_columns_are_finite(name):
    x = normal_table(60, 3)
    x = np.column_stack([x, x[:, 0], 2 * x[:, 1] - x[:, 2], x.sum(axis=1)])
    score = ds.scores.make(name, x)
    for node in range(6):
        others = [other for other in range(6) if other != node]
        for size in range(min(5, score.max_parents or 5) + 1):
            for parents in itertools.combinations(others, size):
                assert np.isfinite(score._term(node, parents)).all()


@pytest.mark.parametrize("name", ["evidence", "bic-gp", "bic-gam"])
def test_a_pickled_score_still_knows_the_copies(name):
    score = ds.scores.make(name, frame())
    again = pickle.loads(pickle.dumps(score))
    assert again._term(C, (A, B, COPY))[0] == score._term(C, (A, B))[0]


# ---------------------------------------------------------------- methods


def needless(edges, twins=TWINS):
    """Edges beside which another one to the same effect says all."""
    causes = {}
    for cause, effect in edges:
        causes.setdefault(effect, set()).add(cause)
    for effect, found in causes.items():
        for group in twins:
            if len(found & group) > 1 or (effect in group and found & group and len(found) > 1):
                yield effect, found


@pytest.mark.parametrize(
    ("search", "score"), with_scores([ds.CDUCT, ds.GreedySearch, ds.ExactSearch], SCORES), ids=name_of
)
def test_searches_join_copies_and_use_one_of_them(search, score):
    table = many_copies(100)
    model = search(score=score, random_state=0).fit(table)
    assert math.isfinite(model.reward_)
    assert not list(needless(model.result_.edges))
    joined = {frozenset(edge) for edge in model.result_.edges}
    assert frozenset(("c", "echo")) in joined
    assert sum(pair < TWINS[0] for pair in joined) == 2


@pytest.mark.parametrize("prune", ["auto", "cam", "coefficients"])
@pytest.mark.parametrize("method", ["cd-uct", "random-search", "cam", "notears", "ges", "pc"])
def test_every_method_has_a_result_and_says_that_columns_coincide(method, prune):
    score = {} if method in {"cam", "notears"} else {"score": "bic-linear"}
    model = METHODS[method](random_state=0, prune=prune, **score).fit(many_copies())
    assert math.isfinite(model.reward_)
    assert sum("columns that hold the same information: 'a' = 'copy', 'c' = 'echo'; " in n for n in model.result_.notes)
    if model.evidence_ is not None:
        assert not np.isnan(list(model.evidence_.by_edge().values())).any()
        assert not list(needless(model.result_.pruned_edges))


def test_lingam_names_the_columns_to_drop():
    with pytest.raises(ds.errors.DataError, match="the same up to their units: 'a', 'copy'; drop all but one of them"):
        ds.LiNGAM().fit(frame())


@pytest.mark.parametrize("score", ["bic-discrete", "bdeu"])
def test_discrete_copies_with_other_labels_are_joined(score):
    a = np.random.default_rng(0).integers(0, 3, 300)
    b = np.where(np.random.default_rng(1).random(300) < 0.8, a, 0)
    table = pd.DataFrame({"a": a, "b": b, "text": np.array(["z", "x", "y"])[a]})
    model = ds.ExactSearch(score=score).fit(table)
    assert frozenset(("a", "text")) in map(frozenset, model.result_.edges)
    assert [note for note in model.result_.notes if "'a' = 'text'" in note]


def test_neighbour_selection_looks_beyond_copies():
    x = normal_table(200, 4)
    alone = possible_causes(as_dataset(x).standardised())
    chosen = possible_causes(as_dataset(np.column_stack([x, 7 - x])).standardised())
    np.testing.assert_array_equal(chosen[:4, :4], alone)
    np.testing.assert_array_equal(chosen[:4, 4:], alone | np.eye(4, dtype=bool))
    np.testing.assert_array_equal(chosen[4:, :4], np.eye(4, dtype=bool))
    assert possible_causes(as_dataset(np.column_stack([x[:, 0], x[:, 0]])).standardised()).tolist() == [
        [False, True],
        [True, False],
    ]


# ---------------------------------------------------------------- pruning


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("method", ["cam", "coefficients"])
def test_pruning_keeps_the_first_of_copies_and_drops_what_a_copy_makes_needless(method, copy):
    table = frame(copy=COPIES[copy])
    edges = [("a", "b"), ("copy", "b"), ("a", "copy"), ("c", "copy")]
    without = ds.prune(ds.DAG.from_edges([("a", "b")], names=table.columns), table, method)
    pruned = ds.prune(ds.DAG.from_edges(edges, names=table.columns), table, method)
    assert without.edges == [("a", "b")]
    assert pruned.edges == [("a", "b"), ("a", "copy")]


# ---------------------------------------------------------------- the note


def test_a_table_without_copies_has_no_note():
    assert note_on_coinciding_columns(as_dataset(normal_table(50, 3))) == ()


def test_a_note_shows_the_first_of_many_groups_and_of_many_columns():
    x = normal_table(40, 7)
    table = {f"x{j}": x[:, j] for j in range(7)} | {f"y{j}": x[:, j] for j in range(5)}
    note = note_on_coinciding_columns(as_dataset(pd.DataFrame(table)))[0]
    assert note == (
        "columns that hold the same information: 'x0' = 'y0', 'x1' = 'y1', 'x2' = 'y2', 'x3' = 'y3' and 1 more group; "
        "the data cannot tell which of such columns is the cause of others, nor the direction between them"
    )
    table |= {f"z{j}": x[:, 0] for j in range(5)} | {"w": x[:, 6]}
    note = note_on_coinciding_columns(as_dataset(pd.DataFrame(table)))[0]
    assert "'x0' = 'y0' = 'z0' = 'z1' and 3 more columns, 'x1' = 'y1', " in note
    assert " and 2 more groups; " in note


@pytest.mark.usefixtures("folder")
def test_the_command_shows_the_note():
    frame().to_csv("copies.csv", index=False)
    text = succeed("discover", "copies.csv", "--score", "bic-linear")
    assert "columns that hold the same information: 'a' = 'copy'; the data cannot tell" in text


def test_columns_in_other_units_are_not_said_to_hold_the_same_values():
    a, b = normal_table(60, 2).T
    table = pd.DataFrame({"inch": a, "b": b, "cm": 2.54 * a + 7.0, "minus": -a, "constant": 1.0})
    (note,) = note_on_coinciding_columns(as_dataset(table))
    assert note.startswith("columns that are the same but for scale and offset: 'inch' ~ 'cm' ~ 'minus'; ")
    assert as_dataset(table).proportional_columns() == (("inch", "cm", "minus"),)


def test_equal_columns_are_not_told_of_as_proportional_again():
    a, b = normal_table(60, 2).T
    both = note_on_coinciding_columns(as_dataset(pd.DataFrame({"a": a, "b": b, "copy": a, "double": 2.0 * b})))
    assert len(both) == 2
    assert "'a' = 'copy';" in both[0]
    assert "'b' ~ 'double';" in both[1]


def test_columns_with_missing_cells_or_levels_are_never_proportional():
    a = normal_table(60, 1)[:, 0]
    gappy = pd.DataFrame({"a": a, "twice": 2.0 * a})
    gappy.loc[3, "twice"] = np.nan
    assert as_dataset(gappy, may_miss=True).proportional_columns() == ()
    levels = pd.DataFrame({"a": np.arange(60) % 3, "twice": np.arange(60) % 3 * 2, "b": a})
    assert as_dataset(levels).proportional_columns() == ()
