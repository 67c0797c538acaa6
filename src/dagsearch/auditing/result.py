"""What an audit found, and the table after what can be mended safely has been."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagsearch._display import Displayed
from dagsearch.auditing.finding import Finding, printable

# Lines are as wide as the terminal, between these.
_NARROWEST, _WIDEST = 36, 100

# In a narrower terminal findings have no columns of their own.
_LEAST_FOR_COLUMNS = 60


@dataclass(frozen=True, repr=False)
class Audit(Displayed):
    """What one should know about a table before causal discovery.

    Attributes
    ----------
    findings
        The most important first.
    n_rows, n_columns
        Size of the table.
    """

    findings: tuple[Finding, ...]
    n_rows: int
    n_columns: int

    @property
    def n_mended(self) -> int:
        """How many findings ``fix=True`` mends."""
        return sum(finding.mended_by_fix for finding in self.findings)

    def fixed(self, data: Any) -> tuple[pd.DataFrame, list[str]]:
        """Return the table after the safe remedies, and what was done; the table itself is not changed.

        Parameters
        ----------
        data
            The table that was audited.
        """
        from dagsearch.auditing.fix import applied, as_frame  # noqa: PLC0415 - which needs this module

        table, done = applied(self, data)
        return as_frame(table), list(done)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON has."""
        return {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "n_findings": len(self.findings),
            "n_mended_by_fix": self.n_mended,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_text(self, width: int | None = None) -> str:
        """Return the findings as text.

        Parameters
        ----------
        width
            Longest line; by default that of the terminal.
        """
        chosen = shutil.get_terminal_size().columns if width is None else width
        chosen = min(max(chosen, _NARROWEST), _WIDEST)
        return "\n".join([*self._heading(chosen), *(line for each in self.findings for line in _lines(each, chosen))])

    def _heading(self, width: int) -> list[str]:
        size = f"{self.n_rows:,} rows, {self.n_columns:,} columns"
        n_findings = len(self.findings)
        if not n_findings:
            return textwrap.wrap(f"{size}: nothing found that speaks against a search.", width)
        said = f"{size}: {n_findings} {'finding' if n_findings == 1 else 'findings'}"
        mended = f", of which --fix (fix=True) mends {self.n_mended}" if self.n_mended else ""
        return [*textwrap.wrap(f"{said}{mended}", width), ""]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in self.findings))
        return f"Audit({self.n_rows} rows, {self.n_columns} columns, {len(self.findings)} findings: {kinds or 'none'})"


def _lines(finding: Finding, width: int) -> list[str]:
    """A finding in lines: severity, kind, what was found and what helps."""
    message, remedy = (printable(text) for text in (finding.message, finding.remedy))
    if width < _LEAST_FOR_COLUMNS:
        return [
            f"{finding.severity}: {finding.kind}",
            *_wrapped(message, width, "  "),
            *_wrapped(f"-> {remedy}", width, "  ", "     "),
        ]
    head = f"{finding.severity:<7} {finding.kind:<19} "
    blank = " " * len(head)
    return [*_wrapped(message, width, head, blank), *_wrapped(f"-> {remedy}", width, blank, f"{blank}   ")]


def _wrapped(text: str, width: int, first: str, later: str | None = None) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=first if later is None else later)
