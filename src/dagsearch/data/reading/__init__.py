"""Tables from outside turned into columns of numbers.

::

    file --unpacked, formats--> frame or array --tables--> Table --columns--> Column
          (files: which one)    (text, sheets, binary)

What reading decides on the user's behalf is said in `Table.notes`.
"""

from __future__ import annotations

from dagsearch.data.reading.columns import MISSING_ENTRIES, Column, become_the_same, read_column
from dagsearch.data.reading.files import FORMATS, read_file, read_table
from dagsearch.data.reading.tables import Table, as_table

__all__ = [
    "FORMATS",
    "MISSING_ENTRIES",
    "Column",
    "Table",
    "as_table",
    "become_the_same",
    "read_column",
    "read_file",
    "read_table",
]
