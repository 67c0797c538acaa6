"""What notebooks ask objects for: one base for each class; `dagsearch.report.notebook` writes the rest."""

from __future__ import annotations

import importlib
from typing import Any


class Displayed:
    """Base of what a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return as_html(self)


class DisplayedGraph(Displayed):
    """Base of what a notebook shows as a picture, for those that take HTML and those that take pictures alone."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        picture: str | None = _notebook().as_svg(self)
        return picture


class DisplayedWhenFitted:
    """Base of estimators, before scikit-learn's: fitted, they show what they found, and else scikit-learn's diagram.

    ``sklearn.set_config(display="text")`` holds for both.
    """

    # Any scikit-learn from 1.4 on asks these two; what they call in turn has changed.
    def _repr_html_inner(self) -> str:
        diagram: str = as_html(self) or super()._repr_html_inner()  # type: ignore[misc] # of scikit-learn
        return diagram

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        # scikit-learn has no such attribute where people want text.
        html = as_html(self) if hasattr(self, "_repr_html_") else None
        if html is None:
            bundle: dict[str, Any] = super()._repr_mimebundle_(**wanted)  # type: ignore[misc] # of scikit-learn
            return bundle
        return {"text/plain": repr(self), "text/html": html}


def as_html(thing: Any) -> str | None:
    """What a notebook shows of something; None: there is nothing to show but text."""
    html: str | None = _notebook().as_html(thing)
    return html


def _notebook() -> Any:
    # Whatever shows results stands above them; they know of it only when they are asked.
    return importlib.import_module("dagsearch.report.notebook")
