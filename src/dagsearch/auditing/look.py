"""Look at a table before causal discovery."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dagsearch.auditing.finding import SEVERITIES, Finding
from dagsearch.auditing.registry import CHECKS
from dagsearch.auditing.result import Audit
from dagsearch.auditing.table import RawTable, raw_table


def audit(data: Any, *, interventions: str | None = None) -> Audit:
    """Look for what makes causal discovery fail or mislead, in any table, also one that methods would refuse.

    Parameters
    ----------
    data
        Whatever estimators take: a pandas or polars table, a 2-D array, a path, or a `Dataset`. It is not
        changed.
    interventions
        Name of the column that says what was set by experiments, which is no variable.

    Returns
    -------
    Audit
        Its ``findings`` say what was found, where, and what helps; printed, it is a table of them.

    Raises
    ------
    DataError
        If there is no table in `data`.

    Examples
    --------
    >>> import pandas as pd
    >>> audit(pd.DataFrame({"row": range(60), "x": [0.5, 1.25, 0.75] * 20, "site": "Rome"}))
    Audit(60 rows, 3 columns, 3 findings: size, identifiers, constants)
    """
    return audit_of(raw_table(data, left_out=() if interventions is None else (interventions,)))


def audited(data: Any, kept: Collection[str] = (), left_out: Collection[str] = ()) -> Audit:
    """Audit a table some of whose columns must not be dropped, and some are no variables."""
    return audit_of(raw_table(data, kept, left_out))


def audit_of(table: RawTable) -> Audit:
    """Audit a table whose columns have been read."""
    findings: list[Finding] = [finding for check in CHECKS for finding in check.find(table)]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))  # stable: otherwise as they were found
    return Audit(tuple(findings), table.n_rows, len(table.columns))
