"""Graphs as SVG, written without any drawing library."""

from dagsearch.report.svg.graph import graph_svg

__all__ = ["graph_svg"]
