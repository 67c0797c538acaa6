"""How wide text is, without a font library: the widths of Helvetica, which Arial and Liberation Sans share."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from dagsearch._visible import shortened, visible

LONGEST_LABEL = 22
"""Characters of a name that a box shows."""

# Thousandths of the font's size, from Adobe's metrics of Helvetica.
_CHARACTERS_OF_WIDTH = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[]\\ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1015: "@",
}
_WIDTHS = {character: width for width, characters in _CHARACTERS_OF_WIDTH.items() for character in characters}
_WIDE, _OTHER = 1000, 620  # such as Chinese ones; such as Greek, Hebrew or accented ones

# Where none of the three fonts is installed, the one that stands in may be wider.
_ALLOWANCE = 1.04


def text_width(text: str, size: float) -> float:
    """Width of a line of text in the unit of the font's size."""
    return sum(map(_character_width, text)) * size * _ALLOWANCE / 1000


def _character_width(character: str) -> int:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" or character == "…" else _OTHER


def label_of(name: str) -> str:
    """A name as a box shows it: on one line, and of a long one the beginning and the end."""
    return shortened(visible(name), LONGEST_LABEL)


def broken(text: str, size: float, width: float, measure: Callable[[str, float], float] = text_width) -> list[str]:
    """Text in lines of at most some width; a word that is longer has a line of its own."""
    lines: list[str] = []
    for word in visible(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
