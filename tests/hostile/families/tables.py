"""Tables in memory: of any type, scale and shape, with cells that mean nothing or too much."""

from __future__ import annotations

import datetime
import decimal
import fractions
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hostile.case import NAMES, REFUSED, RIGHT, Case, discrete_table, good_table, require_clean

FAMILY = "tables"
_NAMELESS = tuple(f"x{k}" for k in range(5))
_N = 120


def fitted(table: Any, **settings: Any) -> Any:
    """The model of a table that may be anything."""
    import dagsearch as ds

    return ds.GreedySearch(**{"score": "bic-linear", "random_state": 0, **settings}).fit(table)


def same(make: Callable[[], Any], names: tuple[str, ...] = NAMES) -> None:
    """Require the edges of the good table, and that the table is not changed."""
    table = make()
    before = make()
    require_clean(fitted(table).dag_.edges, names)
    if type(table) is pd.DataFrame:
        pd.testing.assert_frame_equal(table, before)
    elif isinstance(table, np.ndarray):
        np.testing.assert_array_equal(table, before)


def any_model(make: Callable[[], Any], **settings: Any) -> None:
    """Fit what may be fitted or refused; a result must be finite."""
    found = fitted(make(), **settings)
    assert np.isfinite(found.reward_), found.reward_


def cases() -> Iterator[Case]:
    """All of this family."""
    for what, make, names in _right():
        yield Case(FAMILY, f"right: {what}", partial(same, make, names), (RIGHT,))
    for what, make in _refused():
        yield Case(FAMILY, f"refused: {what}", partial(any_model, make), (REFUSED,))
    for what, make in _either():
        yield Case(FAMILY, f"either: {what}", partial(any_model, make), (RIGHT, REFUSED))
    for score in ("evidence", "bic-quadratic", "bic-gp", "bic-gam", "mixed"):
        for what, make in _numbers():
            act = partial(any_model, make, score=score)
            yield Case(FAMILY, f"{score}: {what}", act, (RIGHT, REFUSED), seconds=150.0)
    for score in ("bic-discrete", "bdeu", "mixed"):
        for what, make in _categories():
            yield Case(FAMILY, f"{score}, categories: {what}", partial(any_model, make, score=score), (RIGHT, REFUSED))


def _right() -> Iterator[tuple[str, Callable[[], Any], tuple[str, ...]]]:
    """What holds the same as the good table."""
    frame, x = good_table, lambda: good_table().to_numpy()
    named: dict[str, Callable[[], Any]] = {
        "a data frame": frame,
        "objects": lambda: frame().astype(object),
        "text": lambda: frame().astype(str),
        "single precision": lambda: frame().astype(np.float32),
        "nullable": lambda: frame().astype("Float64"),
        "decimals": lambda: frame().map(lambda value: decimal.Decimal(repr(value))),
        "fractions": lambda: frame().map(lambda value: fractions.Fraction(value).limit_denominator(10**9)),
        "another index": lambda: frame().set_axis([f"row {k}" for k in range(_N)]),
        "an index with repeats": lambda: frame().set_axis([0] * _N),
        "an index of dates": lambda: frame().set_axis(pd.date_range("2020", periods=_N)),
        "an index of two levels": lambda: frame().set_axis(pd.MultiIndex.from_product([range(12), range(10)])),
        "rows in another order": lambda: frame().sample(frac=1, random_state=0),
        "columns of a class of its own": lambda: frame().rename(columns=str),
        "a subclass": lambda: type("Own", (pd.DataFrame,), {})(frame()),
        "a view": lambda: pd.concat([frame(), frame()], axis=1).iloc[:, :5],
        "every other row of twice as many": lambda: pd.DataFrame(np.repeat(x(), 2, axis=0)[::2], columns=list(NAMES)),
        "a dictionary": lambda: dict(frame().items()),
        "a dictionary of lists": lambda: {name: list(column) for name, column in frame().items()},
        "a dictionary of arrays": lambda: {name: column.to_numpy() for name, column in frame().items()},
        "a read-only dictionary": lambda: types.MappingProxyType(dict(frame().items())),
        "structured": lambda: frame().to_records(index=False).view(np.ndarray),
        "records": lambda: frame().to_records(index=False),
        "big endian": lambda: frame().astype(">f8"),
        "scaled by 1e-12": lambda: frame() * 1e-12,
        "scaled by 1e12": lambda: frame() * 1e12,
        "scaled by 1e-150": lambda: frame() * 1e-150,
        "scaled by 1e150": lambda: frame() * 1e150,
        "each column on another scale": lambda: frame() * np.array([1e-9, 1e9, 1, 1e3, 1e-3]),
        "shifted by a million": lambda: frame() + 1e6,
        "shifted by a milliard": lambda: frame() + 1e9,
        "negated": lambda: -frame(),
        "whole numbers": lambda: (frame() * 10**6).round().astype(int),
        "whole numbers, nullable": lambda: (frame() * 10**6).round().astype("Int64"),
        "whole numbers as objects": lambda: (frame() * 10**6).round().astype(int).astype(object),
        "polars": lambda: _polars().DataFrame(dict(frame().items())),
        "polars, lazy": lambda: _polars().DataFrame(dict(frame().items())).lazy(),
        "pyarrow": lambda: _arrow().table({name: column.to_numpy() for name, column in frame().items()}),
        "a pyarrow batch": lambda: _arrow().table({n: c.to_numpy() for n, c in frame().items()}).to_batches()[0],
        "pyarrow types in pandas": lambda: frame().convert_dtypes(dtype_backend="pyarrow"),
        "sparse columns": lambda: frame().astype(pd.SparseDtype(float, 0.0)),
    }
    nameless: dict[str, Callable[[], Any]] = {
        "an array": x,
        "Fortran order": lambda: np.asfortranarray(x()),
        "backwards and back": lambda: x()[::-1][::-1],
        "read-only": lambda: _frozen(x()),
        "a list of lists": lambda: x().tolist(),
        "a list of tuples": lambda: [tuple(row) for row in x().tolist()],
        "a tuple of arrays": lambda: tuple(x()),
        "an array of objects": lambda: x().astype(object),
        "long double": lambda: x().astype(np.longdouble),
        "a masked array without masks": lambda: np.ma.MaskedArray(x()),
        "a memory view": lambda: memoryview(x()),
        "an own array": lambda: _OwnArray(x()),
    }
    yield from ((what, make, NAMES) for what, make in named.items())
    yield from ((what, make, _NAMELESS) for what, make in nameless.items())
    yield "named by numbers", lambda: frame().set_axis(range(5), axis=1), tuple("01234")
    pairs = pd.MultiIndex.from_tuples([("p", name) for name in NAMES])
    yield "a header of two lines", lambda: frame().set_axis(pairs, axis=1), tuple(map(str, pairs))


class _OwnArray:
    """What numpy can turn into an array."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values.astype(dtype or float)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _polars() -> Any:
    import polars

    return polars


def _arrow() -> Any:
    import pyarrow

    return pyarrow


def _refused() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is no table, or none that can be analysed."""
    frame, x = good_table, lambda: good_table().to_numpy()
    for value in (
        None,
        0,
        1.5,
        True,
        "",
        b"",
        "a,b\n1,2\n",
        [],
        (),
        {},
        set(),
        [[]],
        [1, 2, 3],
        [[1], [2, 3]],
        {"a": 1},
    ):
        yield f"the value {value!r}", lambda value=value: value
    for value in (object(), type, len, iter([1]), range(10), {1, 2}, {"a": "text", "b": "text"}, Ellipsis, 10**400):
        yield f"a {type(value).__name__} {str(value)[:9]!r}", lambda value=value: value
    for what, make in {
        "a date": lambda: datetime.date.today(),
        "a series": lambda: frame()["a"],
        "no rows": lambda: frame().iloc[:0],
        "no columns": lambda: frame()[[]],
        "one column": lambda: frame()[["a"]],
        "one row": lambda: frame().iloc[:1],
        "two rows": lambda: frame().iloc[:2],
        "three axes": lambda: x().reshape(5, 24, 5),
        "four axes": lambda: x().reshape(5, 4, 6, 5),
        "a number in an array": lambda: np.array(3.0),
        "complex numbers": lambda: x() + 1j,
        "complex numbers without imaginary parts": lambda: x().astype(complex),
        "a complex column": lambda: frame().assign(a=1j),
        "infinite": lambda: frame().assign(a=np.inf),
        "minus infinite in a cell": lambda: _with_cell(-np.inf),
        "10^400 in a cell": lambda: _with_cell(10**400),
        "lists in cells": lambda: frame().assign(a=[[1, 2]] * _N),
        "dictionaries in cells": lambda: frame().assign(a=[{}] * _N),
        "arrays in cells": lambda: frame().assign(a=[np.zeros(3)] * _N),
        "functions in cells": lambda: frame().assign(a=[len] * _N),
        "frames in cells": lambda: frame().assign(a=[frame()] * _N),
        "bytes in cells": lambda: frame().assign(a=[b"x"] * _N),
        "dates": lambda: frame().assign(a=pd.date_range("2020", periods=_N)),
        "time spans": lambda: frame().assign(a=pd.to_timedelta(np.arange(_N), unit="s")),
        "periods": lambda: frame().assign(a=pd.period_range("2020", periods=_N)),
        "intervals": lambda: frame().assign(a=pd.interval_range(0, _N)),
        "names twice": lambda: frame().set_axis(list("aacde"), axis=1),
        "an empty name": lambda: frame().set_axis(["", *"bcde"], axis=1),
        "names that are the same as text": lambda: frame().set_axis([1, "1", *"cde"], axis=1),
        "a dictionary of unequal lengths": lambda: {"a": [1, 2, 3], "b": [1, 2]},
        "a dictionary of numbers": lambda: {"a": 1, "b": 2},
        "a sparse matrix": lambda: __import__("scipy.sparse").sparse.csr_matrix(x()),
        "whole numbers beyond 2^53": lambda: frame().assign(a=2**53 + np.arange(_N)),
        "a matrix of text": lambda: np.full((20, 3), "x"),
    }.items():
        yield what, make


def _with_cell(value: Any) -> pd.DataFrame:
    frame = good_table().astype(object)
    frame.iloc[7, 2] = value
    return frame


def _either() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What may be a table, depending on how one looks at it."""
    frame = good_table
    yield from _numbers()
    for k, value in enumerate(
        (
            None,
            np.nan,
            pd.NA,
            pd.NaT,
            "",
            " ",
            "x",
            "1,5",
            "1 000",
            "\u0663",
            "\uff11",
            True,
            1j,
            b"1",
            [],
            2**70,
            -0.0,
            5e-324,
            1.7e308,
            decimal.Decimal("NaN"),
            decimal.Decimal("1e999999"),
            fractions.Fraction(1, 3),
            np.float16(1),
            np.str_("1"),
            datetime.date(2020, 1, 1),
        )
    ):
        yield f"a cell with {k} {value!r:.20}", partial(_with_cell, value)
    for what, make in {
        "all cells missing": lambda: frame() * np.nan,
        "a column missing": lambda: frame().assign(a=np.nan),
        "half of the cells missing": lambda: frame().mask(np.random.default_rng(0).random((_N, 5)) < 0.5),
        "all but two rows with gaps": lambda: frame().assign(a=[1.0, 2.0] + [np.nan] * (_N - 2)),
        "never seen together": _never_together,
        "a masked array": lambda: np.ma.MaskedArray(frame().to_numpy(), frame().to_numpy() > 1),
        "booleans": lambda: frame() > 0,
        "booleans and None": lambda: (frame() > 0).astype(object).mask(frame() > 1, None),
        "categories": lambda: frame().assign(a=pd.Categorical(["x", "y"] * 60)),
        "categories of which most are not used": lambda: frame().assign(
            a=pd.Categorical(["x", "y"] * 60, list("xyzuvw"))
        ),
        "a thousand categories declared": lambda: frame().assign(a=pd.Categorical([0, 1] * 60, range(1000))),
        "ordered categories": lambda: frame().assign(a=pd.Categorical(["x", "y"] * 60, ordered=True)),
        "another category in each row": lambda: frame().assign(a=[f"id {k}" for k in range(_N)]),
        "text of a megabyte": lambda: frame().assign(a=["x" * 1_000_000, "y"] * 60),
        "a row ten times": lambda: pd.concat([frame()] * 10),
        "the same row": lambda: pd.concat([frame().iloc[:1]] * 50),
        "text that looks like code": lambda: frame().assign(a=["__import__('os')", "y"] * 60),
        "surrogates": lambda: frame().assign(a=pd.Series(["\ud800", "y"] * 60, dtype=object)),
        "three rows": lambda: frame().iloc[:3],
        "as many rows as columns": lambda: frame().iloc[:5],
        "more columns than rows": lambda: pd.DataFrame(np.random.default_rng(0).normal(size=(10, 30))),
        "two hundred columns": lambda: pd.DataFrame(np.random.default_rng(0).normal(size=(50, 200))),
        "unsigned and huge": lambda: frame().assign(a=(np.arange(_N, dtype=np.uint64) << np.uint64(57))),
        "half precision": lambda: frame().astype(np.float16),
        "subnormal": lambda: frame() * 1e-310,
        "as large as can be": lambda: frame() * 1e307,
        "a text column of numbers and words": lambda: frame().assign(a=["1", "2", "word", "4"] * 30),
    }.items():
        yield what, make


def _never_together() -> pd.DataFrame:
    frame = good_table()
    frame.loc[:59, "a"] = np.nan
    frame.loc[60:, "b"] = np.nan
    return frame


def _numbers() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Numbers on which arithmetic may stumble."""
    frame = good_table
    rng = np.random.default_rng(0)
    noise = rng.normal(size=_N)
    for what, make in {
        "constant": lambda: frame().assign(a=1.0),
        "all constant": lambda: frame() * 0 + 3,
        "constant but for a cell": lambda: frame().assign(a=[1.0] * (_N - 1) + [2.0]),
        "constant but for rounding": lambda: frame().assign(a=1.0 + 1e-16 * noise),
        "two columns the same": lambda: frame().assign(b=frame()["a"]),
        "all columns the same": lambda: frame().apply(lambda _: frame()["a"]),
        "nearly the same": lambda: frame().assign(b=frame()["a"] + 1e-9 * noise),
        "nearly the same, 1e-6": lambda: frame().assign(b=frame()["a"] + 1e-6 * noise),
        "a sum of others": lambda: frame().assign(e=frame()[list("abcd")].sum(axis=1)),
        "a product": lambda: frame().assign(e=frame()["a"] * frame()["b"]),
        "an outlier of 1e15": lambda: frame().assign(a=[1e15, *frame()["a"][1:]]),
        "an outlier of 1e300": lambda: frame().assign(a=[1e300, *frame()["a"][1:]]),
        "heavy tails": lambda: frame().assign(a=np.random.default_rng(1).standard_cauchy(_N) ** 3),
        "a counter": lambda: frame().assign(a=range(_N)),
        "mostly zeros": lambda: frame() * (np.random.default_rng(2).random((_N, 5)) < 0.05),
        "two values": lambda: np.sign(frame()),
        "shifted by 1e15": lambda: frame() + 1e15,
        "scaled by 1e-300": lambda: frame() * 1e-300,
        "scaled by 1e300": lambda: frame() * 1e300,
    }.items():
        yield what, make


def _categories() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Categories on which counting may stumble."""
    frame = discrete_table
    for what, make in {
        "thirds": frame,
        "constant": lambda: frame().assign(a=0),
        "all constant": lambda: frame() * 0,
        "two columns the same": lambda: frame().assign(b=frame()["a"]),
        "another level in each row": lambda: frame().assign(a=[f"id {k}" for k in range(_N)]),
        "all columns ids": lambda: frame().apply(lambda column: [f"{column.name} {k}" for k in range(_N)]),
        "text": lambda: frame().map(lambda value: f"level {value}"),
        "levels that differ by blanks": lambda: frame().map(lambda value: " " * value + "x"),
        "levels that differ by capitals": lambda: frame().map(lambda value: ("x", "X", "y")[value]),
        "levels of every script": lambda: frame().map(lambda value: ("\u05d0", "\u4e2d", "\U0001f600")[value]),
        "gaps": lambda: frame().mask(np.random.default_rng(0).random((_N, 5)) < 0.2),
        "levels -1, 0 and 10^9": lambda: frame().map(lambda value: (-1, 0, 10**9)[value]),
        "levels as floats": lambda: frame().astype(float),
        "booleans": lambda: frame() > 0,
        "numbers beside": lambda: frame().assign(a=good_table()["a"]),
        "three rows": lambda: frame().iloc[:3],
        "fifty columns": lambda: pd.DataFrame(np.random.default_rng(0).integers(0, 3, (40, 50)).astype(str)),
    }.items():
        yield what, make
