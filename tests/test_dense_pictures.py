"""Pictures of graphs with more lines than layers can show, which must not keep anybody waiting."""

import time

import numpy as np
import pytest

import dagsearch as ds
from dagsearch.errors import InputError
from dagsearch.report import draw, files, picture, write_graph
from dagsearch.report.layout import layout_of
from dagsearch.report.sketch import sketch


def complete(n_nodes):
    order = np.random.default_rng(0).permutation(n_nodes)
    edges = np.triu(np.ones((n_nodes, n_nodes), dtype=np.int8), 1)[np.ix_(order, order)]
    return ds.DAG.from_adjacency(edges, names=[f"x{node}" for node in range(n_nodes)])


def test_a_complete_graph_of_sixty_variables_is_written_and_drawn_in_seconds(tmp_path):
    started = time.thread_time()
    written = write_graph(complete(60), tmp_path)
    assert time.thread_time() - started < 10.0
    assert [path.suffix for path in written] == [".dot", ".graphml", ".csv", ".svg"]
    assert (tmp_path / "graph.svg").read_text().count("<path") >= 1_770


def test_texts_are_there_whatever_becomes_of_the_picture(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise InputError("no picture")

    monkeypatch.setattr(files, "picture_of", fail)
    with pytest.raises(InputError, match="no picture"):
        write_graph(complete(4), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.csv", "graph.dot", "graph.graphml"]


def test_graphviz_which_cannot_be_stopped_is_not_asked_for_dense_graphs(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("asked Graphviz")

    monkeypatch.setattr(picture.with_graphviz, "render", refuse)
    draw(complete(40), tmp_path / "graph.svg")


@pytest.mark.parametrize("n_nodes", [60, 70])
def test_nodes_in_a_circle_do_not_cover_each_other_and_lines_lead_from_cause_to_effect(n_nodes):
    graph = complete(n_nodes)
    drawn = sketch(graph, None, None, None, None)
    layout = layout_of(drawn)
    place = dict(zip(drawn.names, layout.boxes, strict=True))
    for stroke, route in zip(drawn.strokes, layout.routes, strict=True):
        for name, (x, y) in ((stroke.cause, route[0]), (stroke.effect, route[-1])):
            box = place[name]
            assert box.left - 1e-6 <= x <= box.right + 1e-6
            assert box.top - 1e-6 <= y <= box.bottom + 1e-6
    corners = np.array([(box.left, box.top, box.right, box.bottom) for box in layout.boxes])
    apart = (corners[:, None, 0] >= corners[None, :, 2]) | (corners[:, None, 1] >= corners[None, :, 3])
    assert (apart | apart.T)[~np.eye(len(corners), dtype=bool)].all()


def test_sparse_graphs_keep_their_layers():
    chain = ds.DAG.from_edges([("a", "b"), ("b", "c"), ("a", "c")])
    tops = [box.top for box in layout_of(sketch(chain, None, None, None, None)).boxes]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3
