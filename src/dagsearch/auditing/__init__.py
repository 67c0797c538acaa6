"""What is wrong with a table, and its remedy: a look before causal discovery.

::

    table --columns--> RawTable --findings--> Audit --fix--> table, and what was done

A finding per file in ``findings``; ``registry`` lists them. The package is not called ``audit`` since that is the
function: ``dagsearch.audit``.
"""

from __future__ import annotations

from dagsearch.auditing.finding import SEVERITIES, Finding, Kind, Severity
from dagsearch.auditing.fix import Mended, mended_dataset
from dagsearch.auditing.look import audit
from dagsearch.auditing.registry import KINDS
from dagsearch.auditing.result import Audit

__all__ = ["KINDS", "SEVERITIES", "Audit", "Finding", "Kind", "Mended", "Severity", "audit", "mended_dataset"]
