"""What is to be known of the table."""

from __future__ import annotations

from dagsearch.auditing.finding import SEVERITIES, Finding
from dagsearch.report.page.document import Section
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.words import counted

_MEANING = {
    "high": "the graph would be wrong, or the table is refused",
    "medium": "the graph may be wrong",
    "low": "worth knowing",
}


def audit_section(material: Material) -> Section:
    """Findings by severity, and what was mended."""
    audit, data = material.audit, material.model.data_
    kinds = {kind: data.kinds.count(kind) for kind in dict.fromkeys(data.kinds)}
    size = f"{counted(audit.n_rows, 'row')}, {counted(audit.n_columns, 'column')}"
    of_kinds = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    body = joined(
        element("p", f"{size}; {of_kinds}."),
        [_list("Mended before the search", list(map(_item, material.model.result_.fixed)))],
        _findings(audit.findings),
    )
    return Section("data", "The data", body)


def _findings(findings: tuple[Finding, ...]) -> Markup:
    if not findings:
        return element("p", "The audit found nothing that speaks against a search.")
    lists = [
        _list(
            f"{severity.capitalize()}: {_MEANING[severity]}",
            [_finding(each) for each in findings if each.severity == severity],
        )
        for severity in SEVERITIES
    ]
    return joined(lists)


def _list(title: str, items: list[Markup]) -> Markup:
    return joined(element("h3", title), element("ul", items, class_="findings")) if items else joined()


def _item(text: str) -> Markup:
    return element("li", text)


def _finding(finding: Finding) -> Markup:
    return element("li", finding.message, ". ", element("span", f"What to do: {finding.remedy}.", class_="remedy"))
