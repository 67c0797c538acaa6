"""What a search found, for people: pictures and files."""

from dagsearch.report.files import write_graph
from dagsearch.report.picture import draw

__all__ = ["draw", "write_graph"]
