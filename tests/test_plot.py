"""Pictures by matplotlib: axes in, axes out, and in them what was computed."""

from __future__ import annotations

import inspect
import itertools
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from picture_cases import (
    COLUMN,
    FOUND,
    SURE,
    TRUTH,
    confidence_of,
    drawn,
    fitted,
    mixed_model,
    mixed_table,
    new_axes,
    of_kind,
    texts_in,
)

import dagsearch as ds
from dagsearch import diagnostics, plot
from dagsearch._visible import clipped, visible
from dagsearch.confidence import Confidence, calibration_study
from dagsearch.errors import InputError, MissingExtraError, UnknownNameError
from dagsearch.graph import DAG
from dagsearch.report.layout.text import label_of
from dagsearch.search.trace import Improvement, Trace

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
pytestmark = pytest.mark.filterwarnings("error::UserWarning")

NAMES = ["<b>&amp;", "a\nb\x00c", "\u202eturned", "$\\frac{1}{2}$ 5%_^", "_" + "x" * 500]
PATH = diagnostics.MinEffectPath(
    (0.0, 0.01, 0.1),
    0.01,
    (diagnostics.PathEdge("a", "b", (1, 1, 1)), diagnostics.PathEdge("b", "c", (-1, 1, 0))),
)
TRACE = Trace(
    improvements=tuple(
        Improvement(n, n / 100.0, reward, 3, phase, 0)
        for n, reward, phase in ((1, 5.0, "greedy"), (10, 7.5, "rollouts"), (50, 8.0, "rollouts"))
    )
)

PICTURES = {
    "graph": lambda _, ax: plot.graph(FOUND, truth=TRUTH, title="A", ax=ax),
    "graph of a model": lambda model, ax: plot.graph(model, ax=ax),
    "comparison": lambda _, ax: plot.comparison(FOUND, TRUTH, ax=ax),
    "confidence": lambda _, ax: plot.confidence(SURE, ax=ax),
    "curve": lambda model, ax: plot.relation(model, "x", "y", ax=ax),
    "boxes": lambda model, ax: plot.relation(model, "group", "x", ax=ax),
    "probabilities": lambda model, ax: plot.relation(model, "x", "sick", ax=ax),
    "table": lambda model, ax: plot.relation(model, "sick", "place", ax=ax),
    "rewards": lambda _, ax: plot.rewards(TRACE, ax=ax),
    "path": lambda _, ax: plot.min_effect_path(PATH, ax=ax),
    "calibration": lambda _, ax: plot.calibration(ax=ax),
    "residuals": lambda model, ax: plot.residuals(model, "y", ax=ax),
    "levels": lambda model, ax: plot.residuals(model, "sick", ax=ax),
}


@pytest.fixture(scope="module")
def mixed():
    return mixed_model(trace=True)


def settings_in_force():
    """Those of matplotlib, but for the backend, which it settles itself when it is first needed."""
    return {name: value for name, value in dict(matplotlib.rcParams).items() if "backend" not in name}


# ---------------------------------------------------------------- what all pictures have in common


@pytest.mark.parametrize("kind", PICTURES)
def test_axes_that_are_given_come_back_and_pyplot_is_left_alone(mixed, kind):
    from matplotlib import pyplot as plt

    ax = new_axes()
    before, settings = plt.get_fignums(), settings_in_force()
    assert PICTURES[kind](mixed, ax) is ax
    drawn(ax)
    assert len(ax.get_children()) > 10
    assert plt.get_fignums() == before
    assert settings_in_force() == settings


@pytest.mark.parametrize("kind", PICTURES)
def test_without_axes_there_is_a_new_figure_that_notebooks_show(mixed, kind):
    from matplotlib import pyplot as plt

    before, settings = plt.get_fignums(), settings_in_force()
    ax = PICTURES[kind](mixed, None)
    try:
        assert ax.figure.number in set(plt.get_fignums()) - set(before)
        assert settings_in_force() == settings
        drawn(ax)
    finally:
        plt.close(ax.figure)


def test_every_public_picture_is_tried_here_and_takes_axes_by_keyword():
    assert {kind.split()[0] for kind in PICTURES} | {"relation", "min_effect_path"} >= set(plot.__all__)
    for name in plot.__all__:
        ax = inspect.signature(getattr(plot, name)).parameters["ax"]
        assert (ax.default, ax.kind) == (None, ax.KEYWORD_ONLY)


@pytest.mark.long
def test_neither_importing_nor_drawing_into_axes_imports_what_it_does_not_need():
    script = (
        "import sys, dagsearch\n"
        "from dagsearch import plot\n"
        "assert plot is dagsearch.plot and 'plot' in dagsearch.__all__\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from matplotlib.figure import Figure\n"
        "plot.graph(dagsearch.DAG.from_edges([('a', 'b')]), ax=Figure().add_subplot())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", plot.__all__)
def test_without_matplotlib_the_error_says_what_to_install(name, monkeypatch):
    for module in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, module, None)
    n_needed = {"relation": 3, "residuals": 2, "comparison": 2}.get(name, 1)
    with pytest.raises(MissingExtraError, match=r"drawing plots needs the extra 'plot': .*pip install"):
        getattr(plot, name)(*[FOUND] * n_needed)


@pytest.mark.parametrize("name", plot.__all__)
def test_what_is_no_axes_is_refused(name):
    n_needed = {"relation": 3, "residuals": 2, "comparison": 2}.get(name, 1)
    with pytest.raises(InputError, match="ax must be the matplotlib Axes to draw into, or None, got 3"):
        getattr(plot, name)(*[FOUND] * n_needed, ax=3)


def test_names_are_text_whatever_characters_they_have():
    model = mixed_model(NAMES)
    a, b, c, d, e = NAMES
    shown = [label_of(name).replace("\N{SYMBOL FOR NULL}", "\ufffd") for name in NAMES]
    ax = drawn(plot.graph(DAG.from_edges([(a, b), (b, c), (d, e)]), title=d, ax=new_axes()))
    assert sorted(texts_in(ax)) == sorted(shown)
    assert ax.get_title() == d
    for cause, effect in ((a, b), (b, c), (b, d), (d, e)):
        ax = drawn(plot.relation(model, cause, effect, ax=new_axes()))
        assert visible(effect)[:3].replace("\N{SYMBOL FOR NULL}", "\ufffd") in ax.get_xlabel() + ax.get_ylabel()
        assert len(ax.get_xlabel() + ax.get_ylabel()) < 80
    ax = drawn(plot.confidence(confidence_of(NAMES), ax=new_axes()))
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        clipped(visible(name), 16).replace("\N{SYMBOL FOR NULL}", "\ufffd") for name in NAMES
    ]
    path = diagnostics.MinEffectPath((0.0, 0.1), 0.1, tuple(diagnostics.PathEdge(d, name, (1, 0)) for name in NAMES))
    for ax in (plot.min_effect_path(path, ax=new_axes()), plot.residuals(model, d, ax=new_axes())):
        written = [*drawn(ax).get_yticklabels(), ax.xaxis.label, ax._left_title, *ax.texts]
        assert not any(text.get_parse_math() for text in written if "frac" in text.get_text())


def test_levels_that_begin_with_an_underscore_have_their_place_in_legends():
    table = mixed_table()
    table["sick"] = table["sick"].map({"yes": "_$yes$", "no": "_no"})
    model = fitted(table, [("x", "sick")], score="auto")
    legend = drawn(plot.relation(model, "x", "sick", ax=new_axes())).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["_$yes$", "_no"]
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_names_with_the_same_beginning_are_told_apart_by_their_ends():
    names = [f"concentration of substance {k}" for k in range(5)]
    labels = [text.get_text() for text in plot.confidence(confidence_of(names), ax=new_axes()).get_yticklabels()]
    assert labels == [f"concentr…tance {k}" for k in range(5)]
    table = mixed_table()[["x", "y"]].set_axis(names[:2], axis="columns")
    model = fitted(table, [(names[0], names[1])])
    ax = plot.relation(model, *names[:2], ax=new_axes((COLUMN, 2.0)))
    assert ax.get_xlabel() == names[0]
    assert ax.get_ylabel() == "concentration of su…"  # in less room


# ---------------------------------------------------------------- how sure


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [("edges", "edge_probability"), ("adjacency", "adjacency_probability"), ("paths", "path_probability")],
)
def test_the_matrix_has_causes_in_rows_and_effects_in_columns(kind, attribute):
    ax = drawn(plot.confidence(SURE, kind=kind, ax=new_axes()))
    expected = np.array(getattr(SURE, attribute))
    shades = ax.collections[0].get_array().reshape(6, 6)
    assert shades.mask.tolist() == np.eye(6, dtype=bool).tolist()
    off = ~np.eye(6, dtype=bool)
    assert shades.data[off] == pytest.approx(expected[off])
    numbers = {text.get_position(): text.get_text() for text in ax.texts}
    assert set(numbers) == {(j, i) for i, j in np.argwhere(expected > 0).tolist()}
    assert all(text in (f"{100 * expected[i, j]:.0f}", "<1") for (j, i), text in numbers.items())
    assert [text.get_text() for text in ax.get_yticklabels()] == list(SURE.names)
    assert (ax.get_ylabel(), ax.get_xlabel()) == (("", "") if kind == "adjacency" else ("cause", "effect"))
    assert ax.get_ylim() == (5.5, -0.5)  # the first row is the uppermost


def test_what_is_not_certain_is_not_called_so():
    edges = np.array([[0.0, 0.999], [0.001, 0.0]])
    assert set(texts_in(plot.confidence(Confidence(("a", "b"), edges, edges, "made up"), ax=new_axes()))) == {
        ">99",
        "<1",
    }


def test_a_large_matrix_has_no_numbers_and_names_that_do_not_cover_each_other():
    ax = drawn(plot.confidence(confidence_of([f"v{k}" for k in range(60)]), ax=new_axes()))
    assert not ax.texts
    extents = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert 5 < len(extents) < 60
    assert all(upper.y0 >= lower.y1 for upper, lower in itertools.pairwise(extents))


def test_a_model_without_confidence_is_refused(mixed):
    for picture in (plot.confidence, plot.calibration):
        with pytest.raises(InputError, match="without confidence: fit with confidence='posterior' or 'bootstrap'"):
            picture(mixed)
    with pytest.raises(InputError, match="kind"):
        plot.confidence(SURE, kind="cycles")


def test_calibration_is_that_of_the_study():
    from dagsearch.report.plot.calibration import _IN_WORDS

    for method, systems in ((None, list(_IN_WORDS)), ("exact", ["exact"]), (SURE, ["bootstrap"])):
        ax = drawn(plot.calibration(method, ax=new_axes()))
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [
            *(_IN_WORDS[system] for system in systems),
            "as promised",
        ]
        diagonal, *curves = ax.lines
        assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
        for system, curve in zip(systems, curves, strict=True):
            expected = calibration_study().reliability(system, "edges")
            assert curve.get_xydata() == pytest.approx(np.column_stack([expected.claimed, expected.observed]))
        assert len({str(curve._unscaled_dash_pattern) for curve in curves}) == len(systems)
    with pytest.raises(InputError, match="system"):
        plot.calibration("guess")
    with pytest.raises(InputError, match="family"):
        plot.calibration(family="guess")


def test_calibration_of_a_model_is_that_of_its_score():
    table, edges = mixed_table()[["x", "y"]], [("x", "y")]
    model = fitted(table, edges, confidence="posterior")
    expected = calibration_study().comparable("posterior, exact", "bic-linear", model.result_.settings, "edges")
    curve = plot.calibration(model, ax=new_axes()).lines[1]
    assert curve.get_xydata() == pytest.approx(np.column_stack([expected.claimed, expected.observed]))
    assert len(curve.get_xydata()) != 0
    with pytest.raises(InputError, match="n_rows and family are not for an estimator"):
        plot.calibration(model, n_rows=100)


@pytest.mark.long  # kernels of this score take a quarter of a minute to compile
def test_a_score_that_the_study_does_not_have_is_refused():
    other = fitted(mixed_table()[["x", "y"]], [("x", "y")], score="bic-quadratic", confidence="posterior")
    with pytest.raises(InputError, match="no posterior, exact of the score bic-quadratic"):
        plot.calibration(other)


# ---------------------------------------------------------------- relations and residuals


def test_a_curve_shows_points_fit_and_band_of_the_relation(mixed):
    ax, found = plot.relation(mixed, "x", "y", ax=new_axes()), diagnostics.relation(mixed, "x", "y")
    points, band = ax.collections
    assert np.asarray(points.get_offsets()) == pytest.approx(np.column_stack([found.x, found.y]))
    assert ax.lines[0].get_xydata() == pytest.approx(np.column_stack([found.grid, found.fit]))
    corners = {tuple(vertex) for vertex in band.get_paths()[0].vertices.tolist()}
    assert set(zip(found.grid.tolist(), found.lower.tolist(), strict=True)) <= corners
    assert set(zip(found.grid.tolist(), found.upper.tolist(), strict=True)) <= corners
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("x", "y", "300 rows")


def test_boxes_probabilities_and_tables_are_those_of_the_relation(mixed):
    ax, found = plot.relation(mixed, "group", "x", ax=new_axes()), diagnostics.relation(mixed, "group", "x")
    boxes = of_kind(ax, "PathPatch")
    assert [box.get_path().vertices[:, 1].min() for box in boxes] == pytest.approx(found.quantiles[:, 1])
    assert any(len(line.get_ydata()) == 3 and np.allclose(line.get_ydata(), found.means) for line in ax.lines)
    assert [text.get_text() for text in ax.get_xticklabels()] == list(found.levels)
    ax, found = plot.relation(mixed, "x", "sick", ax=new_axes()), diagnostics.relation(mixed, "x", "sick")
    curves, shares = ax.lines[::2], ax.lines[1::2]
    assert [line.get_ydata() for line in curves] == [pytest.approx(curve.clip(0, 1)) for curve in found.curves]
    assert [line.get_ydata() for line in shares] == [pytest.approx(column) for column in found.bin_shares.T]
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in curves}) == len(curves) == 2
    ax, found = plot.relation(mixed, "sick", "place", ax=new_axes()), diagnostics.relation(mixed, "sick", "place")
    assert np.asarray(ax.collections[0].get_array()) == pytest.approx(found.shares.clip(0, 1))
    with pytest.raises(InputError, match="the graph must have an edge"):
        plot.relation(mixed, "y", "x")


def test_what_cannot_be_drawn_is_said_in_its_place():
    table = pd.DataFrame({"a": np.arange(30.0), "b": np.sin(np.arange(30.0))})
    table["twin"] = table["a"] * 2.0
    model = fitted(table, [("a", "b"), ("twin", "b")])
    assert diagnostics.relation(model, "a", "b").reason
    ax = drawn(plot.relation(model, "a", "b", ax=new_axes()))
    assert texts_in(ax) == [f"No picture: {diagnostics.relation(model, 'a', 'b').reason}."]
    assert texts_in(plot.residuals(model, "a", kind="fitted", ax=new_axes())) == [
        "There are no causes to predict it from."
    ]


def test_residuals_are_those_of_the_diagnostics(mixed):
    (found,) = diagnostics.residuals(mixed, variables=["y"])
    assert found.density == pytest.approx(
        next(each for each in diagnostics.residuals(mixed) if each.name == "y").density
    )
    bars = plot.residuals(mixed, "y", ax=new_axes()).patches
    assert [bar.get_height() for bar in bars] == pytest.approx(found.density)
    line = plot.residuals(mixed, "y", kind="quantiles", ax=new_axes()).lines[-1]
    assert line.get_xydata() == pytest.approx(np.column_stack([found.normal_quantiles, found.residual_quantiles]))
    points = plot.residuals(mixed, "y", kind="fitted", ax=new_axes()).collections[0].get_offsets()
    assert np.asarray(points) == pytest.approx(np.column_stack([found.fitted_values, found.fitted_residuals]))
    (levels,) = diagnostics.residuals(mixed, variables=["sick"])
    heights = [bar.get_height() for bar in plot.residuals(mixed, "sick", ax=new_axes()).patches]
    assert heights == pytest.approx([*levels.observed, *levels.predicted])
    with pytest.raises(UnknownNameError, match="'z'"):
        plot.residuals(mixed, "z")


# ---------------------------------------------------------------- the search, and what hangs on a setting


@pytest.mark.parametrize(("against", "x"), [("simulations", [1, 10, 50]), ("seconds", [0.01, 0.1, 0.5])])
def test_rewards_are_steps_by_what_found_them(against, x):
    ax = plot.rewards(TRACE, against=against, ax=new_axes())
    steps, marks = ax.lines[:2], ax.lines[2:]
    assert [step.get_xydata().tolist() for step in steps] == [
        [[x[0], 5.0], [x[1], 5.0], [x[1], 7.5]],
        [[x[1], 7.5], [x[2], 7.5], [x[2], 8.0]],
    ]
    assert [mark.get_xydata().tolist() for mark in marks] == [[[x[0], 5.0]], [[x[1], 7.5], [x[2], 8.0]]]
    assert len({mark.get_marker() for mark in marks}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["greedy", "rollouts"]


def test_without_a_trace_the_error_says_how_to_get_one():
    model = ds.GreedySearch(score="bic-linear", trace=True).fit(mixed_table()[["x", "y"]] + [0.0, 1.0])
    assert len(plot.rewards(model, against="seconds", ax=new_axes()).lines) == len(model.trace_.improvements)
    with pytest.raises(InputError, match="fitted without a trace: fit with trace=True"):
        plot.rewards(fitted(mixed_table()[["x", "y"]], [("x", "y")]))
    with pytest.raises(InputError, match="the trace has no rewards: nothing to see"):
        plot.rewards(Trace(notes=("nothing to see",)))
    with pytest.raises(InputError, match="makes no simulations: draw it against='seconds'"):
        plot.rewards(Trace(improvements=(Improvement(0, 0.1, 1.0, 1, "proof", 0),)))
    with pytest.raises(InputError, match="against"):
        plot.rewards(TRACE, against="edges")


def test_the_path_has_a_bar_where_there_is_an_edge_and_a_thin_hatched_one_where_it_is_reversed():
    ax = drawn(plot.min_effect_path(PATH, ax=new_axes()))
    bars = {
        (round(bar.get_x() + bar.get_width() / 2), round(bar.get_y() + bar.get_height() / 2)): bar for bar in ax.patches
    }
    assert set(bars) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)}
    assert {place for place, bar in bars.items() if bar.get_hatch()} == {(0, 1)}
    assert bars[0, 1].get_height() < bars[1, 1].get_height()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a → b", "b → c"]
    assert [text.get_text() for text in ax.get_xticklabels() if text.get_fontweight() == "bold"] == ["0.01"]
    assert ax.lines[0].get_xdata() == [1, 1]
    with pytest.raises(InputError, match="there is no path to draw: the path is that of"):
        plot.min_effect_path(fitted(mixed_table()[["x", "y"]], [("x", "y")]))


def test_a_path_of_many_edges_says_how_many_are_left_out():
    path = PATH.__class__(PATH.values, PATH.own, PATH.edges * 40)
    names = [text.get_text() for text in plot.min_effect_path(path, ax=new_axes()).get_yticklabels()]
    assert 5 < len(names) < 30
    assert names[-1] == f"and {80 - len(names) + 1} more"
