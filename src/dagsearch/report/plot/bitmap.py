"""A graph as the bytes of a PNG file, for where Graphviz is not installed."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dagsearch.report.plot.arrangement import arranged
from dagsearch.report.plot.drawing import draw
from dagsearch.report.plot.letters import Letters
from dagsearch.report.sketch import Sketch

_PIXELS_PER_INCH = 96.0  # of the layout
_DOTS_PER_INCH = 160.0
_ANY_ROOM = (float("inf"), float("inf"))


def png(sketch: Sketch) -> bytes:
    """Return the picture; the same sketch gives the same bytes, whatever fonts and sizes the user has set."""
    letters = Letters()
    picture = arranged(sketch, letters.width, _ANY_ROOM)
    inches = picture.width / _PIXELS_PER_INCH, picture.height / _PIXELS_PER_INCH
    figure = Figure(figsize=inches, dpi=_DOTS_PER_INCH, facecolor="white", edgecolor="none")
    draw(figure.add_axes((0.0, 0.0, 1.0, 1.0)), picture, letters)
    written = io.BytesIO()
    # Without the version of the library, files differ only if the pictures do.
    FigureCanvasAgg(figure).print_png(written, metadata={"Software": None})
    return written.getvalue()
