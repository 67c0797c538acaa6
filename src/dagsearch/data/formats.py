"""Numbers and dates as people write them: amounts of money, shares, thousands, units, days.

Nothing here is applied to a table unless somebody asks for it: what looks like a number may be a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# So many texts tell whether the rest is worth reading.
_FIRST_TEXTS = 50

_SPACES = " \u00a0\u202f\u2009"
_APOSTROPHES = "'\u2019"
_CURRENCY = r"US\$|R\$|A\$|C\$|[$€£¥₹₩₽₺₪₫₱฿]|[A-Z]{3}|kr\.?|zł|Kč|Fr\.?"
_AROUND_A_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-\u2212])?\s*(?P<prefix>{_CURRENCY})?\s*(?P<later_sign>[+\-\u2212])?\s*"
    rf"(?P<body>[\d.][\d.,{_APOSTROPHES}{_SPACES}]*?(?:[eE][+\-]?\d+)?)\s*(?P<suffix>{_CURRENCY}|%|‰|[A-Za-zµ°][\w°/²³]{{0,11}})?\s*"
    r"(?P<close>\))?"
)
_WITH_POINT = re.compile(
    rf"(?:[1-9]\d{{0,2}}(?:([,{_APOSTROPHES}{_SPACES}])\d{{3}})(?:\1\d{{3}})*|\d+)?(?:\.\d*)?(?:[eE][+\-]?\d+)?"
)
_WITH_COMMA = re.compile(
    rf"(?:[1-9]\d{{0,2}}(?:([.{_APOSTROPHES}{_SPACES}])\d{{3}})(?:\1\d{{3}})*|\d+)?(?:,\d*)?(?:[eE][+\-]?\d+)?"
)

# Years come first or last; which of day and month comes first is told by entries beyond the twelfth.
_DAYS = (
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d.%m.%y",
    "%d-%b-%y",
)
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f")
_ISO_DAY = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?\s?(Z|UTC|[+\-]\d{2}:?\d{2})?)?)?")
_COMPACT_DAY = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_SWAPPED = {
    "%d/%m/%Y": "%m/%d/%Y",
    "%m/%d/%Y": "%d/%m/%Y",
    "%d-%m-%Y": "%m-%d-%Y",
    "%m-%d-%Y": "%d-%m-%Y",
    "%d/%m/%y": "%m/%d/%y",
    "%m/%d/%y": "%d/%m/%y",
}

_A_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Written:
    """What texts mean.

    Attributes
    ----------
    values
        One number for each text; NaN where it has no such meaning.
    what
        What they are, in a few words: ``"amounts in $"``, ``"days since 2020-01-01"``.
    is_certain
        Whether there is only one way to read them.
    """

    values: NDArray[np.float64]
    what: str
    is_certain: bool = True

    @property
    def n_read(self) -> int:
        """How many texts have a meaning."""
        return int((~np.isnan(self.values)).sum())


# ---------------------------------------------------------------- numbers


def plain_numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Numbers that are written plainly; NaN for all other texts."""
    numbers = pd.to_numeric(pd.Series(list(texts), dtype=object), errors="coerce")
    return np.asarray(numbers, dtype=np.float64)


def written_numbers(texts: Sequence[str]) -> Written | None:
    """Read numbers with signs of money, percent signs, units or separated thousands.

    Texts with different currencies or units, or with percent signs in some of them alone, are not read: one column
    would then hold numbers on different scales.

    Parameters
    ----------
    texts
        Different texts, without those that stand for missing cells.

    Returns
    -------
    Written or None
        None if (nearly) none of the first of them is such a number.
    """
    if not any(map(_parts, texts[:_FIRST_TEXTS])):
        return None
    parts = [_parts(text) for text in texts]
    marks = {mark for part in parts if part is not None and (mark := part["prefix"] or part["suffix"])}
    bodies = ["" if part is None else part["body"] for part in parts]
    values, decimal = max(
        ((_by_convention(bodies, _WITH_POINT, ","), "."), (_by_convention(bodies, _WITH_COMMA, "."), ",")),
        key=lambda read: int((~np.isnan(read[0])).sum()),
    )
    is_negative = [part is not None and _is_negative(part) for part in parts]
    values = np.where(is_negative, -values, values)
    if len(marks) > 1 or not _on_one_scale(parts, marks):
        return Written(np.full(len(texts), np.nan), f"numbers with different marks ({', '.join(sorted(marks)[:4])})")
    return Written(values, _what(next(iter(marks), ""), decimal))


def _parts(text: str) -> dict[str, str] | None:
    """The number and what stands around it; None if that is something else."""
    found = _AROUND_A_NUMBER.fullmatch(text.strip())
    if found is None or bool(found["open"]) != bool(found["close"]) or (found["prefix"] and found["suffix"]):
        return None
    return {name: part or "" for name, part in found.groupdict().items()}


def _is_negative(parts: dict[str, str]) -> bool:
    return bool(parts["open"]) or (parts["sign"] or parts["later_sign"]) in ("-", "\u2212")


def _by_convention(bodies: list[str], pattern: re.Pattern[str], thousands: str) -> NDArray[np.float64]:
    """Numbers with one kind of decimal mark; NaN where a body does not fit it."""
    gone = str.maketrans("", "", f"{thousands}{_APOSTROPHES}{_SPACES}")
    plain = [
        body.translate(gone).replace(",", ".") if body and pattern.fullmatch(body) is not None else None
        for body in bodies
    ]
    return np.asarray(pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce"), dtype=np.float64)


def _on_one_scale(parts: list[dict[str, str] | None], marks: set[str]) -> bool:
    """Whether a mark that changes the scale stands at all numbers or at none; money may be left unmarked."""
    if not marks or re.fullmatch(_CURRENCY, next(iter(marks))):
        return True
    return all(part["suffix"] for part in parts if part is not None)


def _what(mark: str, decimal: str) -> str:
    if mark in ("%", "‰"):
        return "shares in percent" if mark == "%" else "shares in per mille"
    if mark and re.fullmatch(_CURRENCY, mark):
        return f"amounts in {mark}"
    if mark:
        return f"numbers in {mark}"
    return "numbers with decimal commas" if decimal == "," else "numbers with separated thousands"


# ---------------------------------------------------------------- dates


def written_dates(texts: Sequence[str]) -> Written | None:
    """Read dates, times of the day, or both, as days.

    Parameters
    ----------
    texts
        Different texts, without those that stand for missing cells.

    Returns
    -------
    Written or None
        None if (nearly) none of the first of them is a date. The values are days since the earliest date, or since
        midnight. They are not certain if day and month can be told apart nowhere.
    """
    first = [text.strip() for text in texts[:_FIRST_TEXTS]]
    way = _way(first)
    if way is None:
        return None
    all_texts = pd.Series(list(texts), dtype=object).str.strip()
    dates = _read_dates(all_texts, way)
    swapped = _swapped(way)
    if swapped is not None:
        # The first texts may fit both ways, and a later one only the other.
        other = _read_dates(all_texts, swapped)
        if other.notna().sum() > dates.notna().sum():
            dates, way = other, swapped
    certain = swapped is None or bool((other.notna() != dates.notna()).any() or other.isna().all())
    return _as_days(dates, is_clock=way in _CLOCKS, is_certain=certain)


def days_of(moments: pd.Series[pd.Timestamp]) -> Written:
    """Days since the earliest of some moments."""
    return _as_days(moments, is_clock=False, is_certain=True)


def _way(texts: list[str]) -> str | None:
    """How most of some texts are written; None if they are no dates."""
    if _mostly(bool(_ISO_DAY.fullmatch(text)) for text in texts):
        return "ISO8601"
    if _mostly(bool(_COMPACT_DAY.fullmatch(text)) for text in texts):
        return "%Y%m%d"
    # Reading is slow where it fails; digits with marks between them are few.
    if not _mostly(any(mark in text for mark in "/.-: ") and any(map(str.isdigit, text)) for text in texts):
        return None
    series = pd.Series(texts, dtype=object)
    with_clocks = (f"{day}{gap}{clock}" for clock in _CLOCKS for gap in (" ", "T") for day in _DAYS)
    for way in (*_DAYS, *_CLOCKS, *with_clocks):
        if _mostly(_read_dates(series, way).notna()):
            return way
    return None


def _swapped(way: str) -> str | None:
    """The same with day and month the other way round, if that can be meant as well."""
    for day, other in _SWAPPED.items():
        if way.startswith(day):
            return other + way[len(day) :]
    return None


def _mostly(answers: Iterable[Any]) -> bool:
    """Whether at least nine of ten answers are yes."""
    given = list(answers)
    return bool(given) and 10 * sum(map(bool, given)) >= 9 * len(given)


def _read_dates(texts: pd.Series[str], way: str) -> pd.Series[pd.Timestamp]:
    """Moments, without time zones; nothing where a text is written otherwise."""
    kept = texts.where(texts.str.fullmatch(_ISO_DAY.pattern)) if way == "ISO8601" else texts
    moments = pd.to_datetime(kept, format=way, errors="coerce", utc=True)
    return moments.dt.tz_localize(None)


def _as_days(moments: pd.Series[pd.Timestamp], *, is_clock: bool, is_certain: bool) -> Written:
    stamps = moments.to_numpy(dtype="datetime64[ns]")
    seen = ~np.isnat(stamps)
    values = np.full(len(stamps), np.nan)
    if not seen.any():
        return Written(values, "days", is_certain)
    start = stamps[seen].min().astype("datetime64[D]")
    values[seen] = (stamps[seen] - start.astype("datetime64[ns]")) / _A_DAY
    return Written(values, "days since midnight" if is_clock else f"days since {start}", is_certain)
