"""Tables as other packages hold them: Arrow, polars, NumPy's rarer arrays, pandas columns of types that few know."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hostile.case import NAMES, REFUSED, RIGHT, Case, good_table
from hostile.families.tables import any_model, same

FAMILY = "frames"
_NAMELESS = tuple(f"x{k}" for k in range(5))
_N = 120
_BEYOND = 2**53 + 1
_NOBODY_WROTE = 2**31 - 1  # days: in the year 5881580


def cases() -> Iterator[Case]:
    """All of this family."""
    for what, make in _right().items():
        yield Case(FAMILY, f"right: {what}", partial(same, make), (RIGHT,))
    for what, make in _right_arrays().items():
        yield Case(FAMILY, f"right array: {what}", partial(same, make, _NAMELESS), (RIGHT,))
    for what, make in _refused().items():
        yield Case(FAMILY, f"refused: {what}", partial(any_model, make), (REFUSED,))
    for what, make in _either().items():
        yield Case(FAMILY, f"either: {what}", partial(any_model, make), (RIGHT, REFUSED))


def _right() -> dict[str, Callable[[], Any]]:
    frame = good_table
    return {
        "a header of one level": lambda: frame().set_axis(pd.MultiIndex.from_arrays([list(NAMES)]), axis=1),
        "a header of categories": lambda: frame().set_axis(pd.CategoricalIndex(list(NAMES)), axis=1),
        "a header with a name": lambda: frame().rename_axis(columns="variables"),
        "text of Arrow": lambda: frame().astype(str).astype("string[pyarrow]"),
        "columns of different widths": lambda: frame().astype({"a": np.float32, "b": "Float64", "c": object}),
        "long double": lambda: frame().astype(np.longdouble),
        "decimals of polars": lambda: _polars().DataFrame(_decimals()),
        "decimals of Arrow": lambda: _arrow().table(_decimals()),
        "Arrow in chunks": lambda: _arrow().concat_tables([_as_arrow(frame().iloc[:50]), _as_arrow(frame().iloc[50:])]),
        "Arrow with an index": lambda: _arrow().Table.from_pandas(frame().set_axis(range(5, 5 + _N))),
        "a dictionary of Arrow arrays": lambda: {name: _arrow().array(column) for name, column in frame().items()},
        "a dictionary of polars columns": lambda: dict(_polars().DataFrame(dict(frame().items())).to_dict()),
        "a dictionary of memory views": lambda: {
            name: memoryview(column.to_numpy().copy()) for name, column in frame().items()
        },
        "a dictionary of another class": lambda: collections.UserDict(frame().items()),
        "columns with different indices": lambda: {
            name: column.set_axis(range(k, k + _N)) for k, (name, column) in enumerate(frame().items())
        },
        "a masked structured array": lambda: np.ma.array(_structured()),
    }


def _right_arrays() -> dict[str, Callable[[], Any]]:
    x = good_table().to_numpy
    return {
        "mapped from a file": _mapped,
        "a matrix": lambda: np.asmatrix(x()),
        "negative strides": lambda: np.ascontiguousarray(x()[:, ::-1])[:, ::-1],
        "not aligned": _unaligned,
        "within a larger one": lambda: np.pad(x(), 3)[3:-3, 3:-3],
        "text": lambda: x().astype(str),
        "a queue of rows": lambda: collections.deque(x().tolist()),
        "rows of typed arrays": lambda: [array.array("d", row) for row in x()],
    }


def _refused() -> dict[str, Callable[[], Any]]:
    frame = good_table
    return {
        "a lazy table that fails": lambda: _polars().LazyFrame({"a": [1.0]}).with_columns(_polars().col("none")),
        "a lazy table of no file": lambda: _polars().scan_csv("none.csv"),
        "a query of no file": lambda: _polars().scan_parquet("none.parquet"),
        "Arrow text that is none": _invalid_text,
        "an unknown time zone": lambda: _beside(_arrow().array(range(_N), type=_arrow().timestamp("s", "No/Where"))),
        "days beyond the year 9999": lambda: _beside(_arrow().array([_NOBODY_WROTE] * _N, type=_arrow().date32())),
        "Arrow lists": lambda: _beside(_arrow().array([[1.0]] * _N)),
        "Arrow structs": lambda: _beside(_arrow().array([{"x": 1.0}] * _N)),
        "Arrow with a name twice": lambda: _arrow().table([_arrow().array(np.arange(_N) / 7)] * 2, names=["a", "a"]),
        "structured, in two dimensions": lambda: np.zeros((5, 5), dtype=[("a", "f8"), ("b", "f8")]),
        "structured, within each other": lambda: np.zeros(_N, dtype=[("a", [("b", "f8"), ("c", "f8")]), ("d", "f8")]),
        "more columns than anybody has": lambda: np.zeros((3, 100_001)),
        "as wide a frame": lambda: pd.DataFrame(np.zeros((3, 100_001))),
        "polars objects": lambda: _polars().DataFrame({"a": _polars().Series([object()] * 9, dtype=_polars().Object)}),
        "bytes that cannot be hashed": lambda: frame().assign(a=[bytearray(b"x")] * _N),
        "moments of different zones": lambda: frame().assign(a=[_moment(k % 3) for k in range(_N)]),
        "unsigned numbers beyond 2^53": lambda: frame().assign(a=np.arange(_N, dtype=np.uint64) + np.uint64(_BEYOND)),
        "nullable numbers beyond 2^53": lambda: frame().assign(a=pd.array([_BEYOND, None] * 60, dtype="Int64")),
        "Arrow numbers beyond 2^53": lambda: frame().assign(a=pd.array([_BEYOND, None] * 60, dtype="int64[pyarrow]")),
        "columns that are masked": lambda: np.ma.MaskedArray(frame().to_numpy(), mask=True),
    }


def _either() -> dict[str, Callable[[], Any]]:
    frame = good_table
    x = good_table().to_numpy
    pairs = ["x", "y"] * 60
    return {
        "categories with a gap": lambda: frame().assign(a=pd.Categorical(["x", "y", None] * 40)),
        "categories without a member": lambda: frame().assign(a=pd.Categorical([None] * _N, categories=["x", "y"])),
        "categories of intervals": lambda: frame().assign(a=pd.cut(frame()["a"], 3)),
        "categories of 1 and text 1": lambda: frame().assign(a=pd.Categorical([1, "1"] * 60)),
        "categories with signs of control": lambda: frame().assign(a=pd.Categorical(["\x1b[2J", "\r\n"] * 60)),
        "categories of Arrow": lambda: _beside(_arrow().array(pairs).dictionary_encode()),
        "categories of polars": lambda: _polars().DataFrame(
            {"a": _polars().Series(pairs, dtype=_polars().Categorical), "b": x()[:, 1]}
        ),
        "an Enum of polars": lambda: _polars().DataFrame(
            {"a": _polars().Series(pairs, dtype=_polars().Enum(["x", "y", "z"])), "b": x()[:, 1]}
        ),
        "nulls of Arrow": lambda: _beside(_arrow().nulls(_N)),
        "halves of Arrow": lambda: _beside(_arrow().array(np.arange(_N, dtype=np.float16))),
        "booleans with gaps": lambda: frame().assign(a=pd.array([True, None, False] * 40, dtype="boolean")),
        "decimals with gaps": lambda: _beside(_arrow().array([decimal.Decimal("1.5"), None] * 60)),
        "a sparse frame of gaps": lambda: frame().mask(frame() > 1).astype(pd.SparseDtype(float, np.nan)),
        "infinite below a mask": lambda: np.ma.MaskedArray(np.where(x() > 1, np.inf, x()), x() > 1),
        "masked whole numbers": lambda: np.ma.MaskedArray((x() * 10).astype(int), x() > 1),
        "the largest numbers": lambda: frame().assign(a=[1.7976931348623157e308, -1.7976931348623157e308] * 60),
        "one subnormal number": lambda: frame().assign(a=[5e-324] + [0.0] * (_N - 1)),
        "steps of one rounding": lambda: frame().assign(a=1 + np.finfo(float).eps * (np.arange(_N) % 2)),
        "a Hilbert matrix": lambda: 1.0 / (np.arange(40)[:, np.newaxis] + np.arange(8) + 1.0),
        "powers": lambda: np.vander(np.linspace(0, 1, 60), 12),
        "an identity": lambda: np.eye(12),
        "as many orthogonal columns as rows": lambda: np.linalg.qr(np.random.default_rng(0).normal(size=(10, 10)))[0],
        "one cell seen in each row": lambda: np.where(np.eye(50) > 0, 1.0, np.nan),
        "names of tuples": lambda: frame().set_axis(
            pd.Index([("a", 1), ("b",), (), "d", "e"], tupleize_cols=False), axis=1
        ),
        "a name that is missing": lambda: frame().set_axis([np.nan, *"bcde"], axis=1),
        "names True and 1": lambda: frame().set_axis([True, False, 1, "d", "e"], axis=1),
    }


def _polars() -> Any:
    import polars

    return polars


def _arrow() -> Any:
    import pyarrow

    return pyarrow


def _as_arrow(frame: pd.DataFrame) -> Any:
    return _arrow().Table.from_pandas(frame, preserve_index=False)


def _beside(column: Any) -> Any:
    """An Arrow table of a column and one that is fine."""
    return _arrow().table({"a": column, "b": good_table()["b"].to_numpy()})


def _decimals() -> dict[str, list[decimal.Decimal]]:
    return {name: [decimal.Decimal(repr(value)) for value in column] for name, column in good_table().items()}


def _structured() -> np.ndarray:
    return np.array([tuple(row) for row in good_table().to_numpy()], dtype=[(name, "<f8") for name in NAMES])


def _invalid_text() -> Any:
    pa = _arrow()
    offsets = pa.py_buffer(np.arange(_N + 1, dtype=np.int32).tobytes())
    return _beside(pa.StringArray.from_buffers(_N, offsets, pa.py_buffer(b"\xff" * _N)))


def _moment(hours: int) -> datetime.datetime:
    return datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=hours)))


def _mapped() -> np.ndarray:
    np.save("mapped.npy", good_table().to_numpy())
    return np.load("mapped.npy", mmap_mode="r")


def _unaligned() -> np.ndarray:
    x = good_table().to_numpy()
    found = np.frombuffer(bytearray(x.nbytes + 1), dtype=float, count=x.size, offset=1).reshape(x.shape)
    found[:] = x
    return found
