"""Where the boxes of a picture lie and its lines run, without any drawing library."""

from dagsearch.report.layout.result import Box, GraphLayout
from dagsearch.report.layout.whole import layout_of

__all__ = ["Box", "GraphLayout", "layout_of"]
