"""How well the model fits: residuals, what they still depend on, and how far confidence can be trusted."""

from __future__ import annotations

from typing import Any

from dagsearch.confidence.calibration import calibration_study
from dagsearch.diagnostics import Dependence, VariableResiduals
from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Markup, bullets, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.rounding import as_drawn
from dagsearch.report.page.words import NONE, brief, counted, p_value

_MOST_PAIRS = 100


def checks_section(material: Material) -> Section:
    """Residuals, left-over dependence, calibration."""
    body = joined(
        element("h3", "What the causes leave unexplained"),
        _residuals(material),
        element("h3", "What residuals still depend on"),
        _dependence(material.dependence),
        element("h3", "How far the probabilities can be trusted"),
        _trust(material),
    )
    return Section("checks", "Does the model fit?", body)


def checks_data(material: Material) -> dict[str, Any]:
    """What the program draws."""
    return {
        "residuals": [
            as_drawn(each.to_dict(), ("fitted_values",), ("fitted_residuals",)) for each in material.residuals
        ],
        "shape": _shape(material),
        "calibration": _reliability(material),
    }


def _shape(material: Material) -> str:
    """What the shape of residuals is to the method."""
    result = material.model.result_
    settings = result.settings
    if settings["score"] in ("evidence", "mixed") and settings.get("noise") != "gaussian":
        return "The score takes no shape for granted; shapes that are not normal help to find directions."
    if result.method == "lingam":
        return "The method finds directions where shapes are not normal."
    return ""


def _residuals(material: Material) -> Markup:
    chooser = element(
        "label",
        "Variable ",
        element(
            "select",
            [element("option", brief(each.name), value=place) for place, each in enumerate(material.residuals)],
            id="residual-of",
        ),
    )
    numbers = ("Causes", "Explained", "Skewness", "Kurtosis")
    columns = [("Variable", None), *((title, "number") for title in numbers), ("Normal, p", "number small-first")]
    head = [
        element(
            "th",
            element("button", title, type="button"),
            scope="col",
            aria_sort="none",
            class_=kind,
        )
        for title, kind in columns
    ]
    return joined(
        element("div", chooser, class_="controls"),
        element("div", data_figure="residuals", class_="figures"),
        element(
            "details",
            element("summary", "All variables"),
            element(
                "div",
                element(
                    "table",
                    element("thead", element("tr", head)),
                    element("tbody", [_line(each) for each in material.residuals]),
                    class_="sortable",
                ),
                class_="scroll",
                tabindex="0",
                role="region",
                aria_label="Residuals of all variables",
            ),
        ),
    )


def _line(fit: VariableResiduals) -> Markup:
    numbers = (
        (str(fit.n_causes), fit.n_causes),
        (NONE if fit.explained is None or not fit.n_causes else f"{fit.explained:.0%}", fit.explained),
        (NONE if fit.skewness is None else f"{fit.skewness:+.2f}", fit.skewness),
        (NONE if fit.kurtosis is None else f"{fit.kurtosis:+.2f}", fit.kurtosis),
        (p_value(fit.normality_p_value), fit.normality_p_value),
    )
    cells = [element("td", text, class_="number", data_key=key) for text, key in numbers]
    return element("tr", element("th", brief(fit.name), scope="row"), cells)


def _dependence(dependence: Dependence) -> Markup:
    if not dependence.found:
        return element("p", dependence.summary)
    head = [
        element("th", title, scope="col", class_="number" if is_number else None)
        for title, is_number in (
            ("The residual of", False),
            ("still depends on", False),
            ("p-value", True),
            ("which explains", True),
        )
    ]
    lines = [
        element(
            "tr",
            element("th", brief(each.variable), scope="row"),
            element("td", brief(each.other)),
            element("td", p_value(each.p_value), class_="number"),
            element("td", f"{each.share:.1%}", class_="number"),
        )
        for each in dependence.found[:_MOST_PAIRS]
    ]
    left_out = len(dependence.found) - len(lines)
    return joined(
        element("p", dependence.summary),
        element(
            "div",
            element("table", element("thead", element("tr", head)), element("tbody", lines)),
            class_="scroll tall",
            tabindex="0",
            role="region",
            aria_label="Pairs that are still dependent",
        ),
        element("p", f"And {counted(left_out, 'more pair')}.") if left_out else None,
    )


def _trust(material: Material) -> Markup:
    confidence = material.model.confidence_
    if confidence is None:
        return element(
            "p",
            material.asking(
                "There are no probabilities here; confidence='bootstrap' or confidence='posterior' asks for them."
            ),
        )
    result = material.model.result_
    said = calibration_study().in_words(
        confidence.method, material.model.data_.n_samples, str(result.settings["score"]), result.settings
    )
    figure = element("div", data_figure="calibration") if _reliability(material) else None
    return joined(element("p", said), figure, bullets(material.asking(note) for note in confidence.notes))


def _reliability(material: Material) -> dict[str, Any] | None:
    """Claims and what came of them in the study, for the score and the way in which probabilities were found here."""
    confidence = material.model.confidence_
    if confidence is None:
        return None
    settings = material.model.result_.settings
    curve = calibration_study().comparable(confidence.method, str(settings["score"]), settings, kind="edges")
    if curve is None:
        return None
    return {"claimed": curve.claimed, "observed": curve.observed, "count": curve.count}
