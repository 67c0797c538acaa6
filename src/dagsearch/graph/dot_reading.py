"""The part of Graphviz' language that graphs need: nodes, edges and their attributes.

No subgraphs, ports or HTML: a file that has them gets an error, rather than a graph that lacks something.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from dagsearch.errors import InputError
from dagsearch.graph.stand_ins import exact_names

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)\#[^\n]*)
      |"(?P<quoted>(?:[^"\\]|\\.)*)"
      |(?P<name>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
      |(?P<mark>->|--|[{}\[\];,=+])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n", "\\\n": ""}
_DEFAULTS = ("graph", "node", "edge")
_DIRECTIONS = ("forward", "back", "none")


class _Token(NamedTuple):
    text: str
    is_name: bool  # rather than a mark
    is_quoted: bool
    line: int


class _Parser:
    """Reads statements one by one; nodes are kept in the order in which they appear."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.nodes: dict[str, dict[str, str]] = {}  # with their attributes
        self.edges: list[tuple[str, str, str]] = []

    def parse(self) -> None:
        """Read the whole source."""
        if self._is_word("strict"):
            self._take()
        if not (self._is_word("digraph") or self._is_word("graph")):
            raise self._refused("digraph or graph")
        self.joint = "->" if self._take().text == "digraph" else "--"
        if self._peek().is_name:
            self._take()
        self._expect("{")
        while not self._skips("}"):
            if not self._skips(";"):
                self._statement()
        if self.at < len(self.tokens):
            raise self._refused("nothing after the graph")

    def _statement(self) -> None:
        """Read defaults, an attribute of the graph, a node, or a chain of edges."""
        if any(self._is_word(word) for word in _DEFAULTS):
            kind = self._take().text
            if "dir" in self._attributes() and kind == "edge":
                raise InputError("a default for dir is not understood; write it beside each edge")
            return
        chain = [self._name()]
        if self._skips("="):
            self._name()
            return
        while self._peek().text in ("->", "--") and not self._peek().is_name:
            self._expect(self.joint)
            chain.append(self._name())
        attributes = self._attributes()
        for node in chain:
            self.nodes.setdefault(node, {})
        if len(chain) == 1:
            self.nodes[chain[0]].update(attributes)
        self._add_edges(chain, attributes)

    def _add_edges(self, chain: list[str], attributes: dict[str, str]) -> None:
        """Keep the edges between each node of a chain and the next."""
        direction = attributes.get("dir", "forward" if self.joint == "->" else "none")
        if direction not in _DIRECTIONS:
            raise InputError(f"dir of an edge must be one of {', '.join(_DIRECTIONS)}, got {direction!r}")
        kind = "undirected" if direction == "none" else "directed"
        for first, second in itertools.pairwise(chain):
            self.edges.append((second, first, kind) if direction == "back" else (first, second, kind))

    def _attributes(self) -> dict[str, str]:
        """Read any number of lists such as ``[dir=none, color="red"]``."""
        found: dict[str, str] = {}
        while self._skips("["):
            while not self._skips("]"):
                key = self._name()
                self._expect("=")
                found[key] = self._name()
                if not self._skips(","):
                    self._skips(";")
        return found

    def _name(self) -> str:
        if not self._peek().is_name:
            raise self._refused("a name")
        if self._is_word("subgraph"):
            raise InputError("subgraphs are not understood; list all nodes and edges in one graph")
        first = self._take()
        pieces = [first.text]
        while first.is_quoted and self._skips("+"):
            if not (self._peek().is_name and self._peek().is_quoted):
                raise self._refused("a quoted text")
            pieces.append(self._take().text)
        return "".join(pieces)

    def _peek(self) -> _Token:
        if self.at == len(self.tokens):
            raise InputError("the source ends before the graph does")
        return self.tokens[self.at]

    def _take(self) -> _Token:
        token = self._peek()
        self.at += 1
        return token

    def _is_word(self, word: str) -> bool:
        token = self._peek()
        return token.is_name and not token.is_quoted and token.text.lower() == word

    def _skips(self, mark: str) -> bool:
        """Step over a mark if it is next."""
        found = self._peek().text == mark and not self._peek().is_name
        self.at += found
        return found

    def _expect(self, mark: str) -> None:
        if not self._skips(mark):
            raise self._refused(repr(mark))

    def _refused(self, wanted: str) -> InputError:
        token = self.tokens[self.at] if self.at < len(self.tokens) else _Token("the end", True, False, 0)
        return InputError(f"line {token.line}: {wanted} is needed, got {token.text[:40]!r}")


def parse_dot(text: str) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Read nodes and edges from Graphviz source.

    Returns
    -------
    names, edges
        Nodes in order of appearance; (cause, effect, "directed" or "undirected") of each edge.

    Raises
    ------
    InputError
        Where the source is wrong or beyond this part of the language; the message names the line.
    """
    parser = _Parser(text)
    parser.parse()
    names = exact_names(parser.nodes)
    return list(names.values()), [(names[one], names[other], kind) for one, other, kind in parser.edges]


def _tokens(text: str) -> list[_Token]:
    """Split source into names and marks, without spaces and comments."""
    found, at, line = [], 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(f"line {line}: {text[at : at + 20]!r} is not understood (HTML and ports are not)")
        if match["quoted"] is not None:
            found.append(_Token(_unescaped(match["quoted"]), True, True, line))
        elif match["space"] is None:
            found.append(_Token(match.group(), match["name"] is not None, False, line))
        line += match.group().count("\n")
        at = match.end()
    return found


def _unescaped(quoted: str) -> str:
    """What a quoted text stands for: the reverse of how we quote."""
    return re.sub(r"\\.", lambda match: _ESCAPES.get(match.group(), match.group()), quoted, flags=re.DOTALL)
