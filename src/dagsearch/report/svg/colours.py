"""Colours that colour-blind people can tell apart, with a contrast of at least 3 to white and to a dark page."""

from __future__ import annotations

from dagsearch.report.sketch import STYLES, Stroke

POSITIVE, NEGATIVE, UNKNOWN = "#2273b5", "#cf5418", "#6f7f93"
BOX, BOX_BORDER, BOX_TEXT = "#f3f6fa", "#6f7f93", "#1d2733"
NOTE = UNKNOWN

# Of groups in a large graph; thin enough to lie behind everything on light and dark.
TINTS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")

SIGNS = {1: "+", -1: "-", None: "?"}
CLASSES = {1: "pos", -1: "neg", None: "none"}
_BY_SIGN = {1: POSITIVE, -1: NEGATIVE, None: UNKNOWN}


def colour_of(stroke: Stroke, by_verdict: bool) -> str:
    """The colour of a stroke: by its verdict, or by the sign of its effect."""
    return STYLES[stroke.kind].colour if by_verdict and stroke.kind != "plain" else _BY_SIGN[stroke.sign]
