"""Graphs as SVG without any drawing library."""

import xml.etree.ElementTree as ET

import pytest

from dagsearch import DAG, PDAG
from dagsearch.graph.marks import EdgeMark
from dagsearch.report.sketch import Sketch, Stroke, sketch
from dagsearch.report.svg import graph_svg

SVG = "{http://www.w3.org/2000/svg}"
CHAIN = DAG.from_edges([("a", "b"), ("b", "c"), ("a", "c")])


def parsed(svg):
    return ET.fromstring(svg)


def of_class(root, name):
    return [each for each in root.iter() if name in each.get("class", "").split()]


@pytest.mark.parametrize("embedded", [True, False])
def test_every_edge_and_node_is_found_by_its_position(embedded):
    root = parsed(graph_svg(sketch(CHAIN), embedded=embedded))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Graph of 3 variables and 3 edges"
    assert [child.get("class") for child in root if child.tag == f"{SVG}g"] == ["ds-viewport"]
    ends = [(edge.get("data-edge"), edge.get("data-from"), edge.get("data-to")) for edge in of_class(root, "ds-edge")]
    assert ends == [("0", "0", "1"), ("1", "0", "2"), ("2", "1", "2")]
    assert [node.find(f"{SVG}title").text for node in of_class(root, "ds-node")] == ["a", "b", "c"]
    assert len(of_class(root, "ds-hit")) == len(of_class(root, "ds-line")) == len(of_class(root, "ds-head")) == 3


def test_a_page_with_a_strict_policy_can_hold_it():
    svg = graph_svg(sketch(CHAIN), embedded=True)
    assert "style=" not in svg
    assert "<style" not in svg
    assert " id=" not in svg


def test_only_directed_edges_have_a_head():
    root = parsed(graph_svg(sketch(PDAG.from_edges([("a", "b")], [("b", "c")]))))
    heads = {edge.get("data-edge"): len(of_class(edge, "ds-head")) for edge in of_class(root, "ds-edge")}
    assert heads == {"0": 1, "1": 0}


def test_signs_and_probabilities_are_seen():
    marks = {
        ("a", "b"): EdgeMark(adjacent=1.0, coefficient=2.0, standardised=0.5),
        ("b", "c"): EdgeMark(adjacent=0.2, coefficient=-1.0),
        ("a", "c"): EdgeMark(adjacent=0.2),
    }
    edges = of_class(parsed(graph_svg(sketch(CHAIN, marks=marks))), "ds-edge")
    seen = {(edge.get("data-from"), edge.get("data-to")): edge for edge in edges}
    assert {key: edge.get("data-sign") for key, edge in seen.items()} == {
        ("0", "1"): "+", ("1", "2"): "-", ("0", "2"): "?"
    }  # fmt: skip
    assert "pos" in seen["0", "1"].get("class")
    lines = {key: of_class(edge, "ds-line")[0] for key, edge in seen.items()}
    assert float(lines["0", "1"].get("stroke-width")) > float(lines["1", "2"].get("stroke-width"))
    assert seen["0", "1"].get("opacity") is None
    assert float(seen["1", "2"].get("opacity")) < 0.5
    assert len({line.get("stroke") for line in lines.values()}) == 3


def test_minor_strokes_do_not_move_the_boxes():
    main = (Stroke("a", "b", True, "plain"), Stroke("b", "c", True, "plain"))
    minor = Stroke("c", "a", True, "missing", minor=True)
    without = parsed(graph_svg(Sketch(("a", "b", "c"), main)))
    with_it = parsed(graph_svg(Sketch(("a", "b", "c"), (*main, minor))))

    def places(root):
        rects = [node.find(f"{SVG}rect") for node in of_class(root, "ds-node")]
        first = rects[0]
        return [(float(r.get("x")) - float(first.get("x")), r.get("y")) for r in rects]

    assert places(with_it) == places(without)
    assert [edge.get("data-kind") for edge in of_class(with_it, "ds-edge")] == ["plain", "plain", "missing"]
