"""Pictures of graphs with many nodes, most of them without an edge."""

from __future__ import annotations

import re

import pytest

from dagsearch.graph import DAG
from dagsearch.report import draw
from dagsearch.report.sketch import MOST_ISOLATED, sketch


def sparse_graph(n_nodes, n_edges):
    """Edges between neighbours 0 -> 1, 2 -> 3, ..., and nodes without one."""
    names = [f"gene_{node}" for node in range(n_nodes)]
    return DAG.from_edges([(names[2 * k], names[2 * k + 1]) for k in range(n_edges)], names=names)


def test_an_almost_empty_graph_of_200_variables_gives_a_picture_that_fits_a_page(tmp_path):
    pytest.importorskip("pygraphviz")
    for n_edges in (0, 2, 30):
        text = draw(sparse_graph(200, n_edges), tmp_path / "wide.svg").read_text(encoding="utf-8")
        width = float(re.search(r'<svg width="(\d+)pt"', text)[1])
        assert width < 1_500
        assert all(f">gene_{node}<" in text for node in range(2 * n_edges))


def test_more_than_a_few_isolated_nodes_are_left_out_and_told_of():
    shown = sketch(sparse_graph(15, 3))
    assert shown.names == tuple(f"gene_{node}" for node in range(6))
    assert shown.caption == "not shown: 9 without an edge (gene_6, gene_7, gene_8, gene_9 and 5 more)"


def test_a_few_isolated_nodes_are_shown():
    assert sketch(sparse_graph(14, 3)).names == sparse_graph(14, 3).names
    assert sketch(sparse_graph(14, 3)).caption is None


def test_a_graph_without_edges_shows_some_of_its_nodes():
    shown = sketch(sparse_graph(200, 0))
    assert len(shown.names) == MOST_ISOLATED
    assert shown.caption.endswith("and 188 more)")


def test_nodes_of_missing_edges_are_shown():
    truth = DAG.from_edges([("gene_12", "gene_13")], names=sparse_graph(15, 3).names)
    assert {"gene_12", "gene_13"} < set(sketch(sparse_graph(15, 3), truth=truth).names)
