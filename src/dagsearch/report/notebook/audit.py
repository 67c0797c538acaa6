"""What an audit found, by severity, with the remedies."""

from __future__ import annotations

from dagsearch.auditing import Audit
from dagsearch.auditing.finding import SEVERITIES, Finding
from dagsearch.report.notebook.cells import Column, block, code, lead, left_out, line, sentence, table
from dagsearch.report.page.markup import Child, Markup, element, joined
from dagsearch.report.page.words import counted
from dagsearch.report.svg.colours import NEGATIVE, POSITIVE, UNKNOWN

_MOST_ROWS = 30
_COLOURS = {"high": NEGATIVE, "medium": POSITIVE, "low": UNKNOWN}


def audit_html(audit: Audit) -> str:
    """Size of the table, and a line for each finding."""
    size = f"{counted(audit.n_rows, 'row')}, {counted(audit.n_columns, 'column')}"
    if not audit.findings:
        return block(lead("Audit", f": {size}"), line("Nothing found that speaks against a search."))
    counts = [
        f"{number} {severity}"
        for severity in SEVERITIES
        if (number := sum(each.severity == severity for each in audit.findings))
    ]
    said = f": {size}; {counted(len(audit.findings), 'finding')} ({', '.join(counts)})"
    return block(
        lead("Audit", said),
        line(code("fix=True"), f" mends {audit.n_mended} of them.") if audit.n_mended else None,
        _findings(audit.findings),
    )


def _findings(findings: tuple[Finding, ...]) -> Markup:
    columns = [Column("Severity"), Column("Kind"), Column("What was found, and what helps", wraps=True)]
    rows = [_cells(each) for each in findings[:_MOST_ROWS]]
    return joined(table(columns, rows), left_out(len(findings) - len(rows), "finding", code("print(audit)")))


def _cells(finding: Finding) -> list[Child]:
    sign = element("span", "●", style=f"color:{_COLOURS[finding.severity]}", aria_hidden="true")
    remedy = element("span", sentence(finding.remedy), style="opacity:.75")
    return [
        joined(sign, f" {finding.severity}"),
        sentence(finding.kind),
        joined(sentence(finding.message), Markup("<br>"), remedy),
    ]
