"""Where the boxes of a picture lie and its lines run, without any drawing library."""

from dagsearch.report.layout.result import Box, GraphLayout, Group
from dagsearch.report.layout.whole import lanes_of, layout_of

__all__ = ["Box", "GraphLayout", "Group", "lanes_of", "layout_of"]
