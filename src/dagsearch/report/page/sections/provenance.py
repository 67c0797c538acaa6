"""How the page came about: command, settings, versions, times, and what is proven."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from dagsearch._version import __version__
from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Markup, bullets, element, joined
from dagsearch.report.page.material import Material

_PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn")


def proof_section(material: Material) -> Section | None:
    """What is proven about the graph, if anything was asked."""
    certificate = material.certificate
    if certificate is None:
        return None
    facts = [
        ("Reward of this graph", _number(certificate.reward)),
        (
            "Best possible reward" if certificate.is_among else "Best reward of those compared",
            _number(certificate.optimum),
        ),
        ("Gap", _number(certificate.gap)),
    ]
    return Section(
        "proof",
        "What is proven",
        joined(
            [element("p", f"{line[:1].upper()}{line[1:]}") for line in str(certificate).split("\n")], definitions(facts)
        ),
    )


def provenance_section(material: Material) -> Section:
    """All that is needed to repeat the fit."""
    result = material.model.result_
    reward = "undefined" if math.isnan(result.reward) else f"{result.reward:.6f}"
    facts = [
        ("Method", result.method),
        ("Score", str(result.settings["score"])),
        ("Reward", reward),
        ("Ended", result.status),
        ("Seed", str(result.seed)),
    ]
    body = joined(
        element("p", "The same table, settings and seed give the same graph:"),
        element("pre", element("code", material.command), tabindex="0"),
        definitions(facts),
        element("h3", "Notes"),
        bullets(material.asking(note) for note in result.notes) or element("p", "None."),
        _folded("Settings in force", definitions((name, _setting(value)) for name, value in result.settings.items())),
        _folded("Versions", definitions(_versions())),
        _folded("Times", definitions((what, f"{seconds:.2f} s") for what, seconds in material.seconds.items())),
    )
    return Section("provenance", "How this was made", body)


def definitions(facts: Iterable[tuple[str, str | Markup]]) -> Markup:
    """Terms and what they are."""
    return element("dl", [element("div", element("dt", term), element("dd", said)) for term, said in facts])


def _folded(title: str, body: Markup) -> Markup:
    return element("details", element("summary", title), body)


def _number(value: float | None) -> str:
    return "unknown" if value is None or not math.isfinite(value) else f"{value:.6f}"


def _setting(value: Any) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _versions() -> list[tuple[str, str]]:
    return [
        ("dagsearch", __version__),
        ("Python", platform.python_version()),
        *((name, metadata.version(name)) for name in _PACKAGES),
        ("System", f"{platform.system()} {platform.machine()}"),
    ]
