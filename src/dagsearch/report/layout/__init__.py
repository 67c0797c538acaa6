"""Where the boxes of a picture lie and its lines run, without any drawing library."""

from dagsearch.report.layout.result import Box, GraphLayout, Group
from dagsearch.report.layout.whole import layout_of

__all__ = ["Box", "GraphLayout", "Group", "layout_of"]
