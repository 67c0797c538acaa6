"""The layout of a whole picture: parts that no line joins lie side by side, what stands alone below them."""

from __future__ import annotations

from collections.abc import Sequence

from dagsearch.report.layout.board import Board
from dagsearch.report.layout.downward import downward
from dagsearch.report.layout.packing import packed
from dagsearch.report.layout.part import BOX_HEIGHT, GAP, Part, layered_part
from dagsearch.report.layout.parts import parts_of
from dagsearch.report.layout.ranks import Edge
from dagsearch.report.layout.result import Box, GraphLayout
from dagsearch.report.layout.text import label_of, text_width
from dagsearch.report.sketch import Sketch

FONT_SIZE = 13.0
_PADDING = 12.0  # within boxes
_LEAST_BOX = 44.0
_GAP_OF_PARTS = 36.0
_WIDEST_ROW_ALONE = 900.0  # of nodes without a line


def layout_of(sketch: Sketch) -> GraphLayout:
    """Lay a sketch out: causes above effects, few crossings, the same layout for the same sketch.

    Minor strokes do not shape it: they are curves between the boxes.
    """
    widths = [max(text_width(label_of(name), FONT_SIZE) + 2 * _PADDING, _LEAST_BOX) for name in sketch.names]
    index = {name: node for node, name in enumerate(sketch.names)}
    ends = [(index[stroke.cause], index[stroke.effect]) for stroke in sketch.strokes]
    edges = _downward_edges(sketch, ends)
    parts, alone = parts_of(len(widths), list(edges.values()))
    board = Board(ends)
    _place_parts(board, parts, widths, edges)
    _place_alone(board, alone, widths)
    return board.finished()


def _downward_edges(sketch: Sketch, ends: Sequence[Edge]) -> dict[int, Edge]:
    """By stroke, minor ones apart: the upper node and the lower one."""
    arranged = downward(sketch)
    major = [number for number, stroke in enumerate(sketch.strokes) if not stroke.minor]
    return {number: ends[number] if arranged[ends[number]] else ends[number][::-1] for number in major}


def _place_parts(board: Board, parts: Sequence[Sequence[int]], widths: Sequence[float], edges: dict[int, Edge]) -> None:
    """Lay each part out, and all of them side by side."""
    laid = [_laid_out(nodes, widths, edges) for nodes in parts]
    rows = packed([(part.width, part.height) for part, _ in laid], _GAP_OF_PARTS)
    for nodes, (part, strokes), corner in zip(parts, laid, rows.corners, strict=True):
        board.put(nodes, part.boxes, strokes, part.routes, corner)


def _laid_out(nodes: Sequence[int], widths: Sequence[float], edges: dict[int, Edge]) -> tuple[Part, list[int]]:
    """The layout of a part, and the strokes whose routes it has."""
    place = {node: position for position, node in enumerate(nodes)}
    inside = {stroke: edge for stroke, edge in edges.items() if edge[0] in place and edge[1] in place}
    local = [(place[upper], place[lower]) for upper, lower in inside.values()]
    return layered_part([widths[node] for node in nodes], local), list(inside)


def _place_alone(board: Board, alone: Sequence[int], widths: Sequence[float]) -> None:
    """Put the nodes without a line in rows below all others."""
    boxes = board.boxes.values()
    down = max((box.bottom + _GAP_OF_PARTS for box in boxes), default=0.0)
    widest = max((box.right for box in boxes), default=_WIDEST_ROW_ALONE)
    rows = packed([(widths[node], BOX_HEIGHT) for node in alone], GAP, widest)
    placed = [Box(x, y, widths[node], BOX_HEIGHT) for node, (x, y) in zip(alone, rows.corners, strict=True)]
    board.put(alone, placed, (), (), (0.0, down))
