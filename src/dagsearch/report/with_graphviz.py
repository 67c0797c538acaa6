"""Drawing with Graphviz, whose layered layout is the best one for DAGs."""

from __future__ import annotations

import html

from dagsearch.graph import dot
from dagsearch.report.layout import GraphLayout
from dagsearch.report.placed import ENGINE, placed_source
from dagsearch.report.sketch import Sketch, Stroke

# Parts of larger graphs that no edge joins are packed together; those of smaller ones read better side by side.
_MOST_IN_A_ROW = 30


def render(sketch: Sketch, file_format: str) -> bytes:
    """Return the picture of a graph that is neither large nor dense as the bytes of an SVG or PNG file."""
    import pygraphviz  # noqa: PLC0415

    # A bitmap at Graphviz' own 96 dots per inch is coarse on today's screens.
    dots_per_inch = ["dpi=160"] if file_format == "png" else []
    edges = [(stroke.cause, stroke.effect, _attributes(stroke)) for stroke in sketch.strokes]
    packed = ["pack=16", 'packmode="graph"'] if len(sketch.names) > _MOST_IN_A_ROW else []
    called = dot.names_in_source(sketch.names)
    in_focus = [f"{dot.quote(called[name])} [penwidth=2.5]" for name in sketch.focus]
    source = dot.source(sketch.names, edges, [*packed, *_heading(sketch), *dots_per_inch, *in_focus])
    return bytes(pygraphviz.AGraph(string=source).draw(format=file_format, prog="dot"))


def render_placed(sketch: Sketch, layout: GraphLayout) -> bytes:
    """Return the picture of a graph that is laid out already as the bytes of a PNG file."""
    import pygraphviz  # noqa: PLC0415

    captioned = sketch.grouped(bool(layout.between)) if layout.frames else sketch
    source = placed_source(sketch, layout, _attributes, [*_heading(captioned), "dpi=96"])
    return bytes(pygraphviz.AGraph(string=source).draw(format="png", prog=ENGINE))


def _attributes(stroke: Stroke) -> dict[str, str]:
    """Graphviz' words for the look of a stroke."""
    look = {"color": stroke.style.colour}
    if stroke.style.dashed:
        # Missing edges belong to the truth: they do not shape the picture.
        look |= {"style": "dashed", "constraint": "false"}
    if stroke.probability is not None:
        look |= dot.look_of(stroke.probability, stroke.style.colour)
    if stroke.label is not None:
        look |= dot.label_of(stroke.label)
    if not stroke.directed:
        look["dir"] = "none"
    return look


def _heading(sketch: Sketch) -> list[str]:
    """Title, legend and caption as an HTML-like label above the graph."""
    title = [f"<b>{html.escape(sketch.title)}</b>"] if sketch.title else []
    entries = [f'<font color="{style.colour}">{text}</font>' for text, style in sketch.legend]
    lines = title + (["   ".join(entries)] if entries else [])
    if sketch.caption:
        lines.append(f'<font point-size="10" color="#5b6b7f">{html.escape(sketch.caption)}</font>')
    return [f"label=<{'<br/>'.join(lines)}<br/> >", "labelloc=t"] if lines else []
