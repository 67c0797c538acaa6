"""Every exception dagsearch raises on purpose.

::

    DagsearchError
    ├── InputError (also a ValueError)      a wrong argument; the message names it, what is allowed, what was given
    │   ├── DataError                       the table itself: missing values, constant columns, unreadable files
    │   ├── CycleError                      edges that were meant to form a DAG do not
    │   └── UnknownNameError                a name that is not on a list; the nearest one is suggested
    ├── TimeLimitError                  the time limit was over before there was anything to return
    └── MissingExtraError (also an ImportError)   an optional dependency is absent; the message says how to install it
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_LONGEST_PLACE = 200
_LONG_WORD = re.compile(r"\S{250,}")
_MOST_NAMED = 40  # of names that would have worked


def as_named(name: str) -> str:
    """Return a name as messages show it: between quotes, with signs for what cannot be printed, if there is such."""
    return name if name.isprintable() else repr(name)


def as_place(path: object) -> str:
    """Return a path as messages show it: on one line, and shortened in the middle where it is long."""
    shown = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(path))
    half = _LONGEST_PLACE // 2
    return shown if len(shown) <= _LONGEST_PLACE else f"{shown[:half]}...{shown[-half:]}"


def in_brief(error: object, longest: int = 200) -> str:
    """Return what an error of another package says as part of one line, cut where it is long."""
    said = " ".join(str(error).split()) or type(error).__name__
    shown = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in said[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def with_long_words_cut(message: str) -> str:
    """Return a message whose words fit on a screen: what was given may be of any length."""
    return _LONG_WORD.sub(lambda found: f"{found[0][:100]}...{found[0][-20:]}", message)


class DagsearchError(Exception):
    """Base of all errors raised on purpose by dagsearch."""


class InputError(DagsearchError, ValueError):
    """An argument is wrong; the message names it, what is allowed and what was given."""


class DataError(InputError):
    """The table of observations cannot be used as it is."""


class CycleError(InputError):
    """Edges that were meant to form a directed acyclic graph contain a cycle."""


class UnknownNameError(InputError):
    """A name is not one of those allowed.

    Parameters
    ----------
    what
        What the name stands for, such as ``"score"``.
    given
        The name that was asked for.
    allowed
        All names that would have worked.
    """

    def __init__(self, what: str, given: object, allowed: Iterable[str]) -> None:
        names = list(allowed)
        in_small_letters = {name.lower(): name for name in reversed(names)}
        nearest = difflib.get_close_matches(str(given).lower(), in_small_letters, n=1, cutoff=0.5)
        hint = f" Did you mean {in_small_letters[nearest[0]]!r}?" if nearest else ""
        n_more = len(names) - _MOST_NAMED
        listed = ", ".join(map(as_named, names[:_MOST_NAMED])) + (f" and {n_more} more" if n_more > 0 else "")
        shown = repr(given) if isinstance(given, str) else in_brief(repr(given))
        super().__init__(f"unknown {what} {shown}: choose from {listed}.{hint}")


class TimeLimitError(DagsearchError):
    """The time limit was over before there was anything to return."""


class MissingExtraError(DagsearchError, ImportError):
    """An optional dependency is absent.

    Parameters
    ----------
    feature
        What needs it, such as ``"reading .parquet files"``.
    extra
        The extra of dagsearch that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}: {how_to_install(extra)}")


def how_to_install(extra: str) -> str:
    """Return how an extra is installed, by dagsearch's own folder or by the packages that it stands for."""
    by_folder = f"install dagsearch with it, e.g. pip install '.[{extra}]' in its folder"
    packages = _packages_of(extra)
    return f"{by_folder}, or pip install {' '.join(map(repr, packages))}" if packages else by_folder


def _packages_of(extra: str) -> list[str]:
    """The packages of an extra as the installed metadata lists them; none where dagsearch runs from its source."""
    from importlib import metadata  # noqa: PLC0415

    try:
        listed = metadata.requires("dagsearch") or []
    except metadata.PackageNotFoundError:
        return []
    parts = [requirement.partition(";") for requirement in listed]
    is_of_extra = re.compile(rf"""extra == ['"]{re.escape(extra)}['"]""")
    return [package.strip() for package, _, condition in parts if is_of_extra.search(condition)]
