"""Graphs by matplotlib: boxes, lines and arrowheads are those of the layout, and letters fit."""

from __future__ import annotations

import io
import itertools
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from picture_cases import COLUMN, FOUND, SURE, TRUTH, drawn, edges_in, mixed_model, new_axes, of_kind, texts_in

import dagsearch as ds
from dagsearch import plot
from dagsearch.errors import CycleError, InputError, UnknownNameError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.report.layout import layout_of
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.sketch import sketch

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
pytestmark = pytest.mark.filterwarnings("error::UserWarning")


def test_a_graph_has_a_box_for_each_variable_a_line_for_each_edge_and_heads_on_directed_ones():
    mixed = PDAG.from_edges([("a", "c"), ("b", "c")], [("c", "d"), ("a", "e")], names=[*"abcde", "alone"])
    cyclic = CyclicGraph([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    for graph, n_heads in ((FOUND, 4), (mixed, 2), (cyclic, 3), (DAG([[0]]), 0)):
        ax = plot.graph(graph, ax=new_axes())
        assert sorted(texts_in(ax)) == sorted(graph.names)
        assert len(of_kind(ax, "ScaledBox")) == len(graph.names)
        assert len(edges_in(ax)) == len(graph.directed_edges) + len(graph.undirected_edges)
        assert len(of_kind(ax, "Polygon")) == n_heads


def test_edges_lead_from_the_box_of_the_cause_to_that_of_the_effect():
    ax = plot.graph(FOUND, ax=new_axes())
    box_of = {name: box.get_bbox() for name, box in zip(FOUND.names, of_kind(ax, "ScaledBox"), strict=True)}
    for (cause, effect), line, head in zip(FOUND.edges, edges_in(ax), of_kind(ax, "Polygon"), strict=True):
        (x, y), tip = line.get_path().vertices[0], head.get_xy()[0]
        assert y == pytest.approx(box_of[cause].y1)
        assert box_of[cause].x0 < x < box_of[cause].x1
        assert tip[1] == pytest.approx(box_of[effect].y0)
        assert box_of[effect].x0 < tip[0] < box_of[effect].x1


def test_a_model_brings_its_confidence_its_open_directions_and_its_effects():
    rng = np.random.default_rng(0)
    a, d = rng.normal(size=(2, 400))
    b = a + 0.5 * rng.normal(size=400)
    e = -b + d + 0.5 * rng.normal(size=400)
    model = ds.OrderSearch(score="bic-linear", prune="none", random_state=0, confidence="posterior").fit(
        pd.DataFrame({"a": a, "b": b, "d": d, "e": e})
    )
    ax = plot.graph(model, ax=new_axes())
    assert {frozenset(edge) for edge in model.dag_.edges} == {frozenset("ab"), frozenset("be"), frozenset("de")}
    assert len(of_kind(ax, "Polygon")) == 2  # a and b are of one class either way
    assert {"+", "-"} == {text[0] for text in texts_in(ax) if text[0] in "+-"}
    assert {"raises the effect", "lowers the effect"} <= set(texts_in(ax))
    assert len({line.get_linestyle() for line in edges_in(ax)}) == 2
    assert len(of_kind(plot.graph(model.dag_, ax=new_axes()), "Polygon")) == 3


def test_a_threshold_leaves_unlikely_edges_out_and_adds_likely_pairs_as_dots():
    threshold = 0.45
    ax = plot.graph(FOUND, confidence=SURE, threshold=threshold, ax=new_axes())
    adjacent = {
        frozenset((SURE.names[i], SURE.names[j])): SURE.adjacency_probability[i, j]
        for i, j in itertools.combinations(range(6), 2)
    }
    own = {frozenset(edge) for edge in FOUND.edges}
    likely = {pair for pair, value in adjacent.items() if value >= threshold}
    dots = [line for line in edges_in(ax) if line.get_linestyle() not in ("-", "solid")]
    assert (len(edges_in(ax)), len(dots)) == (len(likely), len(likely - own))
    assert 0 < len(likely & own) < len(own)
    assert dots
    assert "not in the graph" in texts_in(ax)
    with pytest.raises(InputError, match="threshold is of the probability of edges, which needs confidence=; got none"):
        plot.graph(FOUND, threshold=0.5)
    with pytest.raises(InputError, match="threshold"):
        plot.graph(FOUND, confidence=SURE, threshold=1.5)


def test_a_focus_shows_what_is_near():
    ax = plot.graph(FOUND, focus="e", ax=new_axes())
    assert {"d", "e"} <= set(texts_in(ax))
    assert not {"a", "b", "c"} & set(texts_in(ax))
    with pytest.raises(UnknownNameError, match="variable to focus on"):
        plot.graph(FOUND, focus="z")


def test_verdicts_are_told_apart_by_colour_and_by_dashes_and_are_counted():
    ax = plot.comparison(FOUND, TRUTH, ax=new_axes())
    counts = ds.metrics.compare(FOUND, TRUTH)
    verdicts = ("right", "reversed", "extra", "missing")
    assert {f"{counts[f'n_{verdict}']} {verdict}" for verdict in verdicts} <= set(texts_in(ax))
    looks = Counter((line.get_edgecolor(), str(line._unscaled_dash_pattern)) for line in edges_in(ax))
    assert sorted(looks.values()) == sorted(counts[f"n_{verdict}"] for verdict in verdicts)
    assert len({colour for colour, _ in looks}) == len({dashes for _, dashes in looks}) == 4


def test_a_comparison_takes_models_and_matrices_and_refuses_cycles():
    mixed = mixed_model()
    ax = plot.comparison(mixed, mixed.dag_.adjacency, ax=new_axes())
    assert f"{mixed.dag_.n_edges} right" in texts_in(ax)
    with pytest.raises(CycleError):
        plot.comparison(CyclicGraph([[0, 1], [1, 0]], ["a", "b"]), TRUTH)
    with pytest.raises(InputError, match="share none"):
        plot.comparison(DAG.from_edges([("u", "v")]), TRUTH)


def test_what_is_no_graph_and_no_fit_is_refused():
    for given in (3, None, "graph.csv"):
        with pytest.raises(InputError, match="a fitted estimator, DAG, PDAG or CyclicGraph can be drawn, got"):
            plot.graph(given)
    with pytest.raises(InputError, match="must be fitted"):
        plot.graph(ds.OrderSearch())


@pytest.mark.parametrize("family", ["sans-serif", "monospace"])
def test_letters_grow_with_the_axes_and_stay_in_their_boxes(family):
    long = [f"a rather long name {k}" for k in range(9)]
    graph = DAG.from_edges([(long[0], name) for name in long[1:]])
    sizes = []
    with matplotlib.rc_context({"font.family": family}):
        for inches in ((COLUMN, 3.0), (2 * COLUMN, 6.0)):
            ax = drawn(plot.graph(graph, ax=new_axes(inches, dpi=300)))
            for text, box in zip(ax.texts, of_kind(ax, "ScaledBox"), strict=True):
                inner, outer = text.get_window_extent(), box.get_window_extent()
                assert outer.x0 < inner.x0
                assert inner.x1 < outer.x1
                assert outer.y0 < inner.y0
                assert inner.y1 < outer.y1
            sizes.append(ax.texts[0].get_fontsize())
    assert sizes[1] > 1.5 * sizes[0]
    ax.figure.set_size_inches(COLUMN, 3.0)
    assert drawn(ax).texts[0].get_fontsize() < 0.7 * sizes[1]


def test_twenty_variables_stand_closer_in_a_column_so_that_their_letters_are_larger():
    rng = np.random.default_rng(0)
    names = [f"Variable{k}" for k in range(20)]
    graph = DAG.from_edges([(names[int(rng.integers(max(k - 6, 0), k))], names[k]) for k in range(1, 20)])
    ax = drawn(plot.graph(graph, ax=new_axes((COLUMN, 2 * COLUMN))))
    size = min(text.get_fontsize() for text in ax.texts)
    in_usual_layout = FONT_SIZE * 72 * 0.775 * COLUMN / layout_of(sketch(graph)).width
    assert size > 1.15 * in_usual_layout
    assert size > 5.0


def test_two_hundred_variables_are_drawn_in_groups():
    import networkx as nx

    pairs = [sorted(edge) for edge in nx.barabasi_albert_graph(200, 2, seed=0).edges]
    graph = DAG.from_edges([(f"v{a}", f"v{b}") for a, b in pairs])
    ax = plot.graph(graph, ax=new_axes((7.0, 7.0)))
    assert len(edges_in(ax)) == len(of_kind(ax, "Polygon")) == graph.n_edges
    assert sum("variables around" in text for text in texts_in(ax)) == len(of_kind(ax, "ScaledBox")) - 200 > 3
    assert any(text.startswith("frames: groups") for text in texts_in(ax))


def test_a_bitmap_without_graphviz_is_that_of_the_same_layout_whatever_the_user_has_set(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    first = ds.report.draw(FOUND, tmp_path / "1.png", title="Found $x$", truth=TRUTH).read_bytes()
    chosen = {"font.size": 20, "font.family": "serif", "lines.linewidth": 7, "savefig.dpi": 30, "savefig.bbox": "tight"}
    # Which backend there is, matplotlib finds out when it is asked, which must not pass for a change of settings.
    matplotlib.get_backend()
    with matplotlib.rc_context({**chosen, "figure.facecolor": "red", "axes.facecolor": "red", "text.color": "red"}):
        settings = matplotlib.rcParams.copy()
        assert ds.report.draw(FOUND, tmp_path / "2.png", title="Found $x$", truth=TRUTH).read_bytes() == first
        assert matplotlib.rcParams == settings
    pixels = matplotlib.image.imread(io.BytesIO(first))
    colours = {tuple(np.round(255 * pixel[:3]).astype(int)) for pixel in pixels.reshape(-1, 4)}
    wanted = {style.colour for text, style in sketch(FOUND, truth=TRUTH).legend if "missing" not in text}
    assert {tuple(bytes.fromhex(colour[1:])) for colour in wanted} <= colours
