"""Pictures of graphs with up to 200 variables stay legible."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagsearch import DAG
from dagsearch.report import draw
from dagsearch.report.layout import Box, layout_of
from dagsearch.report.layout.curves import points_of
from dagsearch.report.layout.packing import packed
from dagsearch.report.layout.parts import MOST_UNGROUPED
from dagsearch.report.layout.text import label_of, text_width
from dagsearch.report.layout.whole import FONT_SIZE
from dagsearch.report.placed import placed_source
from dagsearch.report.sketch import Sketch, Stroke, sketch
from dagsearch.report.svg import graph_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "a\nb\x00c", '"quoted" & \u202eturned', "x" * 500, "$\\frac{1}{2}$"]


def random_dag(n_nodes, n_edges, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.argwhere(np.triu(np.ones((n_nodes, n_nodes)), 1))
    adjacency = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    adjacency[tuple(upper[rng.choice(len(upper), n_edges, replace=False)].T)] = 1
    shuffled = rng.permutation(n_nodes)
    return DAG(adjacency[np.ix_(shuffled, shuffled)], [f"gene_{node}" for node in range(n_nodes)])


def scale_free_dag(n_nodes, n_causes, seed=0):
    import networkx as nx

    edges = nx.barabasi_albert_graph(n_nodes, n_causes, seed=seed).edges
    return DAG.from_edges([(f"v{min(edge)}", f"v{max(edge)}") for edge in edges])


def blocks_dag(n_blocks, size, seed=0):
    """Trees of equal size, each with some more edges, in a ring."""
    rng = np.random.default_rng(seed)
    edges = set()
    for block in range(n_blocks):
        first = block * size
        edges |= {(first + int(rng.integers(k)), first + k) for k in range(1, size)}
        edges |= {(first + k, first + k + step) for step in (1, 3) for k in range(size - step)}
        edges |= {(first, first + size)} if block < n_blocks - 1 else set()
    return DAG.from_edges([(f"v{a}", f"v{b}") for a, b in sorted(edges)])


LARGE = {
    "sparse": random_dag(200, 200),
    "denser": random_dag(200, 400),
    "hubs": scale_free_dag(200, 2),
    "mostly isolated": random_dag(200, 45),
    "pairs": DAG.from_edges([(f"a{k}", f"b{k}") for k in range(80)]),
    "blocks": blocks_dag(9, 14),
}


def overlap(first, second):
    apart = first.right <= second.left or second.right <= first.left
    return not (apart or first.bottom <= second.top or second.bottom <= first.top)


def holds(frame, box):
    return frame.left < box.left and box.right < frame.right and frame.top < box.top and box.bottom < frame.bottom


def check_layout(drawn, layout):
    assert len(layout.boxes) == len(drawn.names)
    assert not any(overlap(*pair) for pair in combinations(layout.boxes, 2))
    for name, box in zip(drawn.names, layout.boxes, strict=True):
        assert text_width(label_of(name), FONT_SIZE) < box.width
    # Frames hold their members and nothing else.
    assert not any(overlap(*pair) for pair in combinations(layout.frames, 2))
    members = [node for group in layout.groups for node in group.nodes]
    assert len(members) == len(set(members))
    for frame, group in zip(layout.frames, layout.groups, strict=True):
        for node, box in enumerate(layout.boxes):
            assert holds(frame, box) if node in group.nodes else not overlap(frame, box)
    # Edges lead from box to box.
    group_of = {node: number for number, group in enumerate(layout.groups) for node in group.nodes}
    index = {name: node for node, name in enumerate(drawn.names)}
    for number, (stroke, route) in enumerate(zip(drawn.strokes, layout.routes, strict=True)):
        ends = index[stroke.cause], index[stroke.effect]
        for point, node in zip((route[0], route[-1]), ends, strict=True):
            box = layout.boxes[node]
            assert box.left - 0.01 <= point[0] <= box.right + 0.01
            assert box.top - 0.01 <= point[1] <= box.bottom + 0.01
        assert (number in layout.between) == (group_of.get(ends[0]) != group_of.get(ends[1]))


@pytest.mark.parametrize("kind", LARGE)
def test_boxes_and_frames_lie_apart_and_hold_what_belongs_in_them(kind):
    drawn = sketch(LARGE[kind])
    check_layout(drawn, layout_of(drawn))


@settings(max_examples=20, deadline=None)
@given(n_nodes=st.integers(2, 120), per_node=st.floats(0.2, 2.0), seed=st.integers(0, 1000))
def test_graphs_of_any_size_are_laid_out_by_the_same_laws(n_nodes, per_node, seed):
    n_edges = min(int(per_node * n_nodes), n_nodes * (n_nodes - 1) // 2)
    drawn = sketch(random_dag(n_nodes, n_edges, seed))
    layout = layout_of(drawn)
    check_layout(drawn, layout)
    assert bool(layout.frames) <= (len(drawn.names) > MOST_UNGROUPED)


@pytest.mark.parametrize("kind", LARGE)
def test_every_edge_and_variable_is_drawn_once_in_letters_that_can_be_read(kind):
    drawn = sketch(LARGE[kind])
    root = ET.fromstring(graph_svg(drawn))
    assert sorted(int(each.get("data-edge")) for each in root.iter(f"{SVG}g") if each.get("data-edge")) == list(
        range(LARGE[kind].n_edges)
    )
    assert [each.find(f"{SVG}title").text for each in root.iter(f"{SVG}g") if each.get("data-node")] == list(
        drawn.names
    )
    sizes = {float(text.get("font-size", root.get("font-size"))) for text in root.iter(f"{SVG}text")}
    assert min(sizes) >= 8
    assert root.get("width") == root.get("viewBox").split()[2]  # at its natural size a pixel is a pixel


def test_edges_between_groups_are_paler():
    root = ET.fromstring(graph_svg(sketch(LARGE["blocks"])))
    edges = [each for each in root.iter(f"{SVG}g") if "ds-edge" in each.get("class", "").split()]
    opacity = {True: set(), False: set()}
    for edge in edges:
        opacity["between" in edge.get("class").split()].add(float(edge.get("opacity") or 1))
    assert len(opacity[True]) == 1
    assert max(opacity[True]) < 0.5
    assert opacity[False] == {1.0}


def test_communities_that_are_there_are_found():
    drawn = sketch(LARGE["blocks"])
    layout = layout_of(drawn)
    found = {frozenset(drawn.names[node] for node in group.nodes) for group in layout.groups}
    blocks = {frozenset(f"v{node}" for node in range(14 * block, 14 * (block + 1))) for block in range(9)}
    assert found == blocks
    assert len(layout.between) == 8


def test_frames_are_called_by_the_variable_with_most_edges():
    edges = [(f"hub{k}", f"leaf{k}_{j}") for k in range(8) for j in range(9)]
    layout = layout_of(sketch(DAG.from_edges(edges)))
    assert {group.heading for group in layout.groups} == {f"10 variables around hub{k}" for k in range(8)}
    svg = graph_svg(sketch(DAG.from_edges(edges)))
    assert svg.count('class="ds-heading"') == len(layout.frames) == 8
    assert "in 8 groups" in ET.fromstring(svg).get("aria-label")
    assert "frames: groups that many edges join<" in svg


def test_a_single_group_has_no_frame():
    star = sketch(DAG.from_edges([("hub", f"leaf{k}") for k in range(99)]))
    assert layout_of(star).frames == ()
    assert "frames" not in graph_svg(star)


def test_lines_stay_in_the_picture():
    layout = layout_of(sketch(LARGE["denser"]))
    points = np.concatenate([points_of(route) for route in layout.routes])
    assert (points >= -0.01).all()
    assert (points <= np.array([layout.width, layout.height]) + 0.01).all()


def test_pairs_that_stand_apart_have_no_frames():
    assert layout_of(sketch(LARGE["pairs"])).frames == ()


def test_a_graph_that_is_not_large_has_no_groups():
    layout = layout_of(sketch(random_dag(50, 80)))
    assert layout.frames == layout.groups == ()
    assert layout.between == frozenset()


def test_isolated_variables_are_counted_and_named_instead_of_drawn():
    graph = random_dag(200, 45)
    n_isolated = sum(not graph.parents(name) and not graph.children(name) for name in graph.names)
    drawn = sketch(graph)
    assert len(drawn.names) == 200 - n_isolated > 0
    said = f"not shown: {n_isolated} without an edge (gene_"
    assert said in drawn.caption
    svg = graph_svg(drawn)
    assert said in ET.fromstring(svg).get("aria-label")
    assert said in ET.fromstring(graph_svg(drawn, embedded=True)).get("aria-label")
    assert said in "".join(ET.fromstring(svg).itertext())


def test_above_forty_variables_even_one_isolated_variable_is_told_of_instead():
    chain = [(f"v{k}", f"v{k + 1}") for k in range(39)]
    with_few, with_many = (DAG.from_edges(chain[:n], names=[f"v{k}" for k in range(n + 2)]) for n in (38, 39))
    assert sketch(with_few).left_out is None
    assert sketch(with_many).left_out == "not shown: 1 without an edge (v40)"


def test_minor_strokes_within_a_group_are_not_paler():
    graph = LARGE["blocks"]
    plain = sketch(graph)
    minor = Stroke("v0", "v13", True, "missing", minor=True)
    layout = layout_of(Sketch(plain.names, (*plain.strokes, minor)))
    assert len(plain.strokes) not in layout.between


def test_a_layout_of_more_strokes_than_are_drawn_tells_edges_between_groups():
    whole = sketch(LARGE["blocks"])
    layout = layout_of(whole)
    kept = [place for place in range(len(whole.strokes)) if place % 3]
    part = Sketch(whole.names, tuple(whole.strokes[place] for place in kept))
    svg = graph_svg(part, layout=layout._replace(routes=tuple(layout.routes[place] for place in kept)))
    assert svg.count(' between"') == len(layout.between & set(kept)) > 0


def test_names_that_break_other_pictures_do_not_break_large_ones(tmp_path):
    names = [*HOSTILE, *(f"v{k}" for k in range(95))]
    edges = [(names[k % 5], names[k]) for k in range(5, 100)]
    drawn = sketch(DAG.from_edges(edges, names=names), title="</svg><script>")
    root = ET.fromstring(graph_svg(drawn))
    assert not list(root.iter(f"{SVG}script"))
    check_layout(drawn, layout_of(drawn))
    pytest.importorskip("pygraphviz")
    picture = draw(DAG.from_edges(edges, names=names).with_names([name.replace("\0", "") for name in names]),
                   tmp_path / "g.png")  # fmt: skip
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_graphviz_shows_names_with_entities_as_they_are():
    names = ["a &lt; b", *(f"v{k}" for k in range(70))]
    drawn = sketch(DAG.from_edges([(names[0], name) for name in names[1:]]))
    source = placed_source(drawn, layout_of(drawn), lambda _: {}, ())
    assert 'label="a &amp;lt; b"' in source
    assert source.count(" -> ") == source.count('pos="e,') == 70


# ---------------------------------------------------------------- files


@pytest.mark.long
def test_the_same_large_graph_gives_the_same_bytes_in_every_process(tmp_path):
    pytest.importorskip("pygraphviz")
    script = (
        "import networkx as nx\n"
        "from dagsearch import DAG\n"
        "from dagsearch.report import draw\n"
        "edges = nx.barabasi_albert_graph(90, 2, seed=1).edges\n"
        "graph = DAG.from_edges([(f'v{min(edge)}', f'v{max(edge)}') for edge in edges])\n"
        "draw(graph, 'picture.svg')\n"
        "draw(graph, 'picture.png')\n"
    )
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, check=True)
        written.append([(folder / f"picture.{suffix}").read_bytes() for suffix in ("svg", "png")])
    assert written[0] == written[1]


def test_large_pictures_are_in_groups_in_both_formats(tmp_path):
    text = draw(LARGE["hubs"], tmp_path / "g.svg", title="Hubs").read_text(encoding="utf-8")
    assert text.count('class="ds-frame"') > 3
    assert ">Hubs<" in text
    pytest.importorskip("pygraphviz")
    image = draw(LARGE["hubs"], tmp_path / "g.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    width = int.from_bytes(image[16:20])
    layout = layout_of(sketch(LARGE["hubs"]))
    assert width == pytest.approx(layout.width * 96 / 72, rel=0.05)  # places are those of the layout


def test_two_hundred_variables_are_laid_out_and_drawn_in_less_than_two_seconds():
    drawn = sketch(random_dag(200, 300))
    graph_svg(sketch(random_dag(70, 80)))  # imports what it needs
    start = time.thread_time()  # on a busy machine, of this thread alone
    graph_svg(drawn)
    assert time.thread_time() - start < 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(1, 500), st.floats(1, 500)), max_size=15))
def test_parts_are_packed_without_overlap_and_without_being_spread(sizes):
    rows = packed(sizes, 10)
    boxes = [Box(*corner, *size) for corner, size in zip(rows.corners, sizes, strict=True)]
    grown = [box._replace(width=box.width + 9.99, height=box.height + 9.99) for box in boxes]
    assert not any(overlap(*pair) for pair in combinations(grown, 2))
    assert rows.width == pytest.approx(max((box.right for box in boxes), default=0))
    assert rows.height == pytest.approx(max((box.bottom for box in boxes), default=0))
    in_one_column = sum(height + 10 for _, height in sizes)
    assert rows.height <= in_one_column
