"""What is made of the records: tables and figures beside the paper's numbers, and one page of all.

::

    summary (means, intervals) --+--> difference --> tables --> markdown, latex, long_csv --+--> write
    published (the paper's) -----+--> figures (curves, pictures), claims -------------------+--> page

Means, intervals and pictures depend on nothing but the records: made again, every file has the same bytes.
"""

from __future__ import annotations

from dagsearch.experiments.output.page import write_report
from dagsearch.experiments.output.write import write_output

__all__ = ["write_output", "write_report"]
