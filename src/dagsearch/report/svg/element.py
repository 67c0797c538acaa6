"""SVG elements as text, with everything in them escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from dagsearch._visible import visible
from dagsearch.report.layout import Box


def element(tag: str, attributes: Mapping[str, str | float | None], children: Iterable[str] | None = None) -> str:
    """Return an element; children are elements or escaped text, attributes that are None are left out.

    Parameters
    ----------
    tag
        Its name.
    attributes
        By name, with ``_`` where SVG has ``-``, and a ``_`` at the end where Python has a word of its own.
    children
        What is inside; None: it is closed at once.
    """
    said = "".join(
        f" {name.rstrip('_').replace('_', '-')}={quoteattr(_text(value))}"
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{said}/>" if children is None else f"<{tag}{said}>{''.join(children)}</{tag}>"


def content(text: str) -> str:
    """Return text as the content of an element."""
    return escape(visible(text))


def number(value: float) -> str:
    """Return a number with at most one decimal, which is a tenth of a pixel."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def place_of(box: Box) -> dict[str, str]:
    """Return the attributes of a rectangle."""
    sides = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
    return {name: number(value) for name, value in sides.items()}


def _text(value: str | float) -> str:
    return visible(value) if isinstance(value, str) else f"{value:.4g}"
