"""The layout of a whole picture: parts that no line joins lie side by side, what stands alone below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dagsearch.report.layout.board import Board
from dagsearch.report.layout.circle import circular_part
from dagsearch.report.layout.downward import downward
from dagsearch.report.layout.effort import MOST_EFFORT, effort, n_lanes
from dagsearch.report.layout.framed import FramedPart, heading_of
from dagsearch.report.layout.packing import packed
from dagsearch.report.layout.part import BOX_HEIGHT, layered_part
from dagsearch.report.layout.parts import MOST_UNGROUPED, groups_of, parts_of
from dagsearch.report.layout.ranks import Edge
from dagsearch.report.layout.result import Box, GraphLayout
from dagsearch.report.layout.spacing import ROOMY, Spacing
from dagsearch.report.layout.text import label_of, text_width
from dagsearch.report.sketch import Sketch

FONT_SIZE = 13.0
_GAP_OF_PARTS = 36.0
_WIDEST_ROW_ALONE = 900.0  # of nodes without a line


def layout_of(
    sketch: Sketch, spacing: Spacing = ROOMY, measure: Callable[[str, float], float] = text_width
) -> GraphLayout:
    """Lay a sketch out: causes above effects, few crossings, the same layout for the same sketch.

    Minor strokes do not shape it: they are curves between the boxes. Where so many edges join nodes that layers would
    take many seconds, and show nothing but lines, the nodes stand in a circle. In a graph of more than 60 nodes that
    have a line, groups of nodes that many lines join are laid out each on its own, with a frame around them.

    Parameters
    ----------
    sketch
        What is to be laid out.
    spacing
        How much room there is.
    measure
        Gives the width of text in letters of some size, in the font that the picture is drawn with.
    """
    texts = [measure(label_of(name), FONT_SIZE) for name in sketch.names]
    widths = [max(width + 2 * spacing.padding, spacing.least_box) for width in texts]
    index = {name: node for node, name in enumerate(sketch.names)}
    ends = [(index[stroke.cause], index[stroke.effect]) for stroke in sketch.strokes]
    edges = _downward_edges(sketch, ends)
    parts, alone = parts_of(len(widths), list(edges.values()))
    board = Board(ends)
    grouped = sum(map(len, parts)) > MOST_UNGROUPED
    if grouped:
        parts = groups_of(parts, list(edges.values()))
    laid = [_laid_out(nodes, widths, edges, spacing) for nodes in parts]
    if grouped and len(laid) > 1:
        laid = [each._replace(heading=heading_of(each.nodes, edges.values(), sketch.names)) for each in laid]
    _place_parts(board, laid)
    _place_alone(board, alone, widths, spacing)
    return board.finished()


def lanes_of(sketch: Sketch) -> int:
    """Places where edges would pass layers on their way: a measure of how long other programs draw, too."""
    index = {name: node for node, name in enumerate(sketch.names)}
    ends = [(index[stroke.cause], index[stroke.effect]) for stroke in sketch.strokes]
    return n_lanes(len(sketch.names), list(_downward_edges(sketch, ends).values()))


def _downward_edges(sketch: Sketch, ends: Sequence[Edge]) -> dict[int, Edge]:
    """By stroke, minor ones apart: the upper node and the lower one."""
    arranged = downward(sketch)
    major = [number for number, stroke in enumerate(sketch.strokes) if not stroke.minor]
    return {number: ends[number] if arranged[ends[number]] else ends[number][::-1] for number in major}


def _place_parts(board: Board, parts: Sequence[FramedPart]) -> None:
    """Put all parts side by side, with their frames."""
    rows = packed([(each.width, each.height) for each in parts], _GAP_OF_PARTS)
    for each, (x, y) in zip(parts, rows.corners, strict=True):
        right, down = each.inside
        board.put(each.nodes, each.part.boxes, each.strokes, each.part.routes, (x + right, y + down))
        if each.heading is not None:
            board.frame(Box(x, y, each.width, each.height), each.nodes, each.heading)


def _laid_out(nodes: Sequence[int], widths: Sequence[float], edges: dict[int, Edge], spacing: Spacing) -> FramedPart:
    """The layout of a part, without a frame so far."""
    place = {node: position for position, node in enumerate(nodes)}
    inside = {stroke: edge for stroke, edge in edges.items() if edge[0] in place and edge[1] in place}
    local = [(place[upper], place[lower]) for upper, lower in inside.values()]
    lay_out = layered_part if effort(len(nodes), local) <= MOST_EFFORT else circular_part
    return FramedPart(nodes, list(inside), lay_out([widths[node] for node in nodes], local, spacing))


def _place_alone(board: Board, alone: Sequence[int], widths: Sequence[float], spacing: Spacing) -> None:
    """Put the nodes without a line in rows below all others."""
    boxes = [*board.boxes.values(), *board.frames]
    down = max((box.bottom + _GAP_OF_PARTS for box in boxes), default=0.0)
    widest = max((box.right for box in boxes), default=min(_WIDEST_ROW_ALONE, spacing.widest_layer))
    rows = packed([(widths[node], BOX_HEIGHT) for node in alone], spacing.gap, widest)
    placed = [Box(x, y, widths[node], BOX_HEIGHT) for node, (x, y) in zip(alone, rows.corners, strict=True)]
    board.put(alone, placed, (), (), (0.0, down))
