"""What an audit finds: a kind of trouble, one case of it, and how it can be mended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
"""High: the table is refused, or the graph would be wrong. Medium: the graph may be. Low: worth knowing."""


@dataclass(frozen=True)
class Kind:
    """A kind of trouble.

    Attributes
    ----------
    name
        What findings of this kind are called.
    severity
        How bad it is at its worst.
    what
        What is found, in a few words.
    remedy
        What helps against it.
    mended_by_fix
        Whether ``fix=True`` mends it.
    """

    name: str
    severity: Severity
    what: str
    remedy: str
    mended_by_fix: bool = False


@dataclass(frozen=True)
class Repair:
    """What ``fix=True`` does about a finding.

    Attributes
    ----------
    done
        What was done, as a sentence.
    dropped
        Positions of columns that are left out.
    converted
        Positions of columns whose entries are replaced by the numbers that they mean.
    """

    done: str
    dropped: tuple[int, ...] = ()
    converted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Something about a table that one should know before causal discovery.

    Attributes
    ----------
    columns
        The columns that it is about; none if it is about the rows.
    kind
        What kind of trouble it is, see `dagsearch.auditing.KINDS`.
    severity
        ``"high"``, ``"medium"`` or ``"low"``.
    message
        What was found.
    remedy
        What helps, with the option or argument that does it.
    repair
        What ``fix=True`` does about it; None if that leaves it alone.
    """

    columns: tuple[str, ...]
    kind: str
    severity: Severity
    message: str
    remedy: str
    repair: Repair | None = field(default=None, repr=False)

    @property
    def mended_by_fix(self) -> bool:
        """Whether ``fix=True`` (``--fix``) mends it."""
        return self.repair is not None

    @property
    def on_one_line(self) -> str:
        """What was found and what helps, without characters that would move the cursor."""
        return printable(f"{self.message}; {self.remedy}")

    def to_dict(self) -> dict[str, Any]:
        """Return the finding in types that JSON has; ``column`` has all names in one text."""
        return {
            "columns": list(self.columns),
            "column": ", ".join(self.columns),
            "kind": self.kind,
            "severity": self.severity,
            "message": self.message,
            "remedy": self.remedy,
            "mended_by_fix": self.mended_by_fix,
        }


# What a sentence lists before it says how many more there are.
_MOST_LISTED = 4


def listed(items: Any, most: int = _MOST_LISTED) -> str:
    """The first of several names or numbers in words, and how many more there are."""
    shown = [repr(item) if isinstance(item, str) else str(item) for item in items]
    n_more = len(shown) - most
    if n_more > 1:
        return f"{', '.join(shown[:most])} and {n_more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def printable(text: str) -> str:
    """A text without characters that would move the cursor; names come from files of others."""
    return "".join(character if character.isprintable() else " " for character in text)


def clipped(text: str, width: int = 24) -> str:
    """A short version of a text from a table."""
    return text if len(text) <= width else f"{text[: width - 1]}…"
