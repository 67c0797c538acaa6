"""HTML that cannot be broken by what stands in it: text is escaped unless it is markup already."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

from dagsearch._visible import visible

_VOID = frozenset({"input", "meta", "br", "hr"})
_DIGITS = 4
_BETWEEN_NAMES = re.compile(" ([→←—]) ")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


class Exact(float):
    """A number that is written with all its digits."""

    __slots__ = ()


Child = str | Iterable[str] | None


def element(name: str, /, *children: Child, **attributes: Any) -> Markup:
    """An element with its children; text among them is escaped.

    Parameters
    ----------
    name
        Of the element.
    children
        Text, `Markup`, or several of them; None is left out.
    attributes
        By name, with ``class_`` for class and ``data_edge`` for data-edge. True is written without a value; None and
        False are left out.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Children one behind the other."""
    return Markup("".join(_child(child) for child in children))


def bullets(lines: Iterable[str]) -> Markup:
    """A list of lines; nothing where there is none."""
    items = [element("li", line) for line in lines]
    return element("ul", items) if items else Markup()


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return escape(_shown(child), quote=False) if isinstance(child, str) else joined(*child)


def _shown(text: str) -> str:
    """Text of which all can be seen; causes stand before effects, also where names are written from right to left."""
    return _BETWEEN_NAMES.sub(" \N{LEFT-TO-RIGHT MARK}\\1\N{LEFT-TO-RIGHT MARK} ", visible(text))


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(visible(str(value)))}"'


def as_data(value: Any) -> Markup:
    """A value as JSON that may stand in a script element, to be shown.

    Numbers have four digits unless they are `Exact`, what is not finite is null, and of texts all can be seen.
    """
    text = json.dumps(_in_json(value), separators=(",", ":"), allow_nan=False)
    # Neither the end of the element nor a comment can begin without this sign.
    return Markup(text.replace("<", "\\u003c"))


def _in_json(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _in_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(each) for each in value]
    if isinstance(value, str):
        return _shown(value)
    return _short(value) if isinstance(value, float) else value


def _short(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    rounded = float(value) if isinstance(value, Exact) else float(f"{value:.{_DIGITS}g}")
    if not math.isfinite(rounded):  # of the largest numbers that there are
        return value
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
