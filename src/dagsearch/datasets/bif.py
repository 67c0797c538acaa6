"""Reading networks in the Bayesian Interchange Format (.bif, .bif.gz), as in the Bayesian Network Repository.

::

    variable lung { type discrete [ 2 ] { yes, no }; }
    probability ( lung | smoke ) { (yes) 0.1, 0.9;  (no) 0.01, 0.99; }

A table without parents is written as ``table 0.5, 0.5;``, and ``default 0.5, 0.5;`` stands for all rows not given.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dagsearch import contents
from dagsearch.datasets.bayesian_network import BayesianNetwork, require_distinct_labels
from dagsearch.errors import DataError, InputError, as_place, in_brief
from dagsearch.graph import DAG

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Labels may hold nearly anything, such as <5, 12+ or Asy/Patch; those with other marks are quoted.
_TOKEN = re.compile(r'"[^"]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+')
_MARKS = frozenset("{}()[];,|")

_LONGEST = 1_000  # of a message

_GZIP = b"\x1f\x8b"  # what compressed files begin with
MOST_BYTES = 200_000_000
"""A compressed file may hold so much text: forty times the largest network of the repository."""
MOST_ROWS = 2_000_000
"""Of a table of probabilities: fifty times as many as the largest network of the repository has."""


@dataclass(frozen=True)
class _Table:
    """The rows of a probability block by the labels of the parents; the row of no labels stands for all others."""

    parents: tuple[str, ...]
    rows: dict[tuple[str, ...], tuple[float, ...]]


def read_bif(path: str | Path, citation: str = "") -> BayesianNetwork:
    """Read a Bayesian network from a file.

    Parameters
    ----------
    path
        A ``.bif`` file, or one compressed by gzip (``.bif.gz``).
    citation
        Who published it.

    Raises
    ------
    DataError
        If the file cannot be read, is damaged or holds more text than `MOST_BYTES` when it is unpacked, is not in the
        format, or describes no valid network. The message names the file and the variable.
    """
    try:
        text = _unpacked(Path(path)).decode("utf-8")
        return _Reader(text).network(citation)
    except OSError as error:
        raise DataError(f"{as_place(path)}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{as_place(path)}: is not a text file in UTF-8") from error
    except InputError as error:
        raise DataError(f"{as_place(path)}: {in_brief(error, _LONGEST)}") from error


def _unpacked(path: Path) -> bytes:
    """The bytes of a file, those within if it is compressed."""
    content = contents.of(path)
    if not content.startswith(_GZIP) and path.suffix.lower() != ".gz":
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            text = file.read(MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"is not a complete gzip file ({error})") from error
    if len(text) > MOST_BYTES:
        raise DataError(f"holds more than {MOST_BYTES // 10**6} MB of text when it is unpacked, too much for a network")
    return text


class _Reader:
    """A pass through the tokens of a file; what it has read so far is in `levels` and `tables`."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(_COMMENT.sub(" ", text))
        self._next = 0
        self.levels: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, _Table] = {}

    def network(self, citation: str) -> BayesianNetwork:
        """Read all blocks and put them together."""
        blocks = {"network": self._skip_block, "variable": self._variable, "probability": self._probability}
        while self._next < len(self._tokens):
            keyword = self._take()
            if keyword not in blocks:
                raise DataError(f"expected network, variable or probability, found {keyword!r}")
            blocks[keyword]()
        if not self.levels:
            raise DataError("describes no discrete variable, as in  variable Age { type discrete [ 3 ] ...")
        return _assembled(self.levels, self.tables, citation)

    def _variable(self) -> None:
        """Read  NAME { type discrete [ 3 ] { a, b, c }; property ...; }."""
        name = self._name()
        if name in self.levels:
            raise DataError(f"variable {name!r}: is described twice")
        self._expect("{")
        while (keyword := self._take()) != "}":
            if keyword == "type":
                self.levels[name] = self._labels(name)
            elif keyword == "property":
                self._skip_statement()
            else:
                raise DataError(f"variable {name!r}: expected type or property, found {keyword!r}")
        if name not in self.levels:
            raise DataError(f"variable {name!r}: has no type")

    def _labels(self, name: str) -> tuple[str, ...]:
        """Read  discrete [ 3 ] { a, b, c };  after the word type."""
        kind = self._take()
        if kind != "discrete":
            raise DataError(f"variable {name!r}: must be discrete, found {kind!r}")
        self._expect("[")
        n_levels = self._take()
        self._expect("]")
        self._expect("{")
        labels = tuple(self._list_up_to("}"))
        self._expect(";")
        if n_levels != str(len(labels)):
            raise DataError(f"variable {name!r}: must have {n_levels} levels, found {len(labels)}")
        require_distinct_labels(name, labels)
        return labels

    def _probability(self) -> None:
        """Read  ( NAME | PARENT, PARENT ) { rows }."""
        self._expect("(")
        name = self._name()
        if name in self.tables:
            raise DataError(f"variable {name!r}: has two tables")
        mark = self._take()
        if mark not in {"|", ")"}:
            raise DataError(f"variable {name!r}: expected '|' or ')' after it, found {mark!r}")
        parents = tuple(self._list_up_to(")")) if mark == "|" else ()
        self._expect("{")
        rows: dict[tuple[str, ...], tuple[float, ...]] = {}
        for given, row in self._rows(name, parents):
            if given in rows:
                raise DataError(f"variable {name!r}: has two rows for ({', '.join(given)})")
            rows[given] = row
        self.tables[name] = _Table(parents, rows)

    def _rows(self, name: str, parents: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[float, ...]]]:
        while (keyword := self._take()) != "}":
            if keyword == "property":
                self._skip_statement()
            elif keyword == "(":
                given = tuple(self._list_up_to(")"))
                yield given, self._numbers(name)
            elif keyword == "default" or (keyword == "table" and not parents):
                yield (), self._numbers(name)
            elif keyword == "table":
                # Programs disagree on the order of the numbers in it.
                raise DataError(
                    f"variable {name!r}: with parents, rows must be given one by one, as in  (yes) 0.1, 0.9;"
                )
            else:
                raise DataError(f"variable {name!r}: expected a row of its table, found {keyword!r}")

    def _numbers(self, name: str) -> tuple[float, ...]:
        entries = self._list_up_to(";")
        try:
            return tuple(map(float, entries))
        except ValueError as error:
            raise DataError(f"variable {name!r}: probabilities must be numbers, found {', '.join(entries)}") from error

    def _list_up_to(self, end: str) -> list[str]:
        """Read entries between commas; an entry may consist of several words."""
        entries: list[list[str]] = [[]]
        while (token := self._take()) != end:
            if token == ",":
                entries.append([])
            elif token in _MARKS:
                raise DataError(f"expected {end!r} after {' '.join(entries[-1])!r}, found {token!r}")
            else:
                entries[-1].append(token.strip('"'))
        return [" ".join(words) for words in entries]

    def _name(self) -> str:
        token = self._take()
        if token in _MARKS:
            raise DataError(f"expected the name of a variable, found {token!r}")
        return token.strip('"')

    def _take(self) -> str:
        if self._next == len(self._tokens):
            raise DataError("ends in the middle of a block")
        self._next += 1
        token: str = self._tokens[self._next - 1]
        return token

    def _expect(self, mark: str) -> None:
        token = self._take()
        if token != mark:
            before = " ".join(self._tokens[max(self._next - 4, 0) : self._next - 1])
            raise DataError(f"expected {mark!r} after {before!r}, found {token!r}")

    def _skip_statement(self) -> None:
        while self._take() != ";":
            pass

    def _skip_block(self) -> None:
        while self._take() != "{":
            pass
        while self._take() != "}":
            pass


def _assembled(levels: dict[str, tuple[str, ...]], tables: dict[str, _Table], citation: str) -> BayesianNetwork:
    """Check that variables and tables fit together, and build the network."""
    for name in tables:
        if name not in levels:
            raise DataError(f"variable {name!r}: has a table, yet is not described")
    for name in levels:
        if name not in tables:
            raise DataError(f"variable {name!r}: has no table")
        _require_known_parents(name, tables[name].parents, levels)
    edges = [(parent, name) for name in levels for parent in tables[name].parents]
    dag = DAG.from_edges(edges, names=levels)
    arrays = tuple(_array(name, tables[name], levels) for name in levels)
    return BayesianNetwork(dag, tuple(levels.values()), arrays, citation)


def _require_known_parents(name: str, parents: tuple[str, ...], levels: dict[str, tuple[str, ...]]) -> None:
    for parent in parents:
        if parent not in levels:
            raise DataError(f"variable {name!r}: its parent {parent!r} is not described")
    if len(set(parents)) < len(parents):
        raise DataError(f"variable {name!r}: a parent is listed twice, got {', '.join(parents)}")


def _array(name: str, table: _Table, levels: dict[str, tuple[str, ...]]) -> NDArray[np.float64]:
    """Put the rows in an array whose axes are the parents, in the order of all variables, and the variable itself."""
    rows = dict(table.rows)
    default = rows.pop((), None)
    n_rows = math.prod(len(levels[parent]) for parent in table.parents)
    if n_rows > MOST_ROWS:
        raise DataError(
            f"variable {name!r}: its {len(table.parents)} parents have {n_rows:,} combinations of levels, at most "
            f"{MOST_ROWS:,} are read; leave out parents, or join levels"
        )
    array = np.empty((*(len(levels[parent]) for parent in table.parents), len(levels[name])))
    for given in product(*(levels[parent] for parent in table.parents)):
        row = rows.pop(given, default)
        if row is None:
            raise DataError(f"variable {name!r}: there is no row for ({', '.join(given)})")
        if len(row) != len(levels[name]):
            raise DataError(f"variable {name!r}: a row must have {len(levels[name])} probabilities, got {len(row)}")
        array[tuple(levels[parent].index(label) for parent, label in zip(table.parents, given, strict=True))] = row
    if rows:
        raise DataError(f"variable {name!r}: its parents have no such levels: ({', '.join(next(iter(rows)))})")
    order = list(levels)
    axes = sorted(range(len(table.parents)), key=lambda axis: order.index(table.parents[axis]))
    return array.transpose(*axes, len(table.parents))
