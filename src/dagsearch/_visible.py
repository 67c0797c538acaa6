"""Names as people see them: what cannot be seen, or would change how the rest is seen, gets a sign of its own."""

from __future__ import annotations

import re

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Characters that turn the direction of what follows them, across the end of a name, too.
_TURNING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_TURNING}\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufeff]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def visible(text: str) -> str:
    """Return text on one line without control characters: each is replaced by a sign for it.

    A line break becomes ⏎, other control characters become their picture (␀ for NUL), and what has none becomes �:
    marks that turn the direction of text, halves of surrogate pairs and code points that are no characters. XML and
    HTML can hold what is returned; it still has to be escaped.
    """
    return _UNSEEN.sub(lambda found: _sign(found[0]), text)


def _sign(character: str) -> str:
    code = ord(character)
    if character in "\n\r\u2028\u2029":
        return "\N{RETURN SYMBOL}"
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else _REPLACEMENT


def clipped(text: str, longest: int) -> str:
    """Return at most so many characters of a text; the last one is … if some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def shortened(text: str, longest: int) -> str:
    """Return at most so many characters of a name: its beginning and its end, where long names differ, about an …."""
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"


def not_in_xml(text: str) -> str | None:
    """Return the first character that XML 1.0 cannot hold, escaped or not; None if there is none."""
    found = _NOT_IN_XML.search(text)
    return found[0] if found else None


def half_of_a_pair(text: str) -> str | None:
    """Return the first half of a surrogate pair that stands alone, which no file can hold; None if there is none."""
    found = _SURROGATE.search(text)
    return found[0] if found else None
