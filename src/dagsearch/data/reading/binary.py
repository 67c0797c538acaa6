"""Tables in binary formats: NumPy, parquet, feather and Stata."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from dagsearch._npy import array_from_npy
from dagsearch.data.reading import packed
from dagsearch.data.reading.tables import from_arrow
from dagsearch.data.reading.text import Read
from dagsearch.errors import DataError, MissingExtraError, in_brief

_ARROW = b"ARROW1"


def read_npy(where: str, content: bytes) -> NDArray[Any]:
    """Read one array; pickled objects are refused."""
    try:
        return array_from_npy(content)
    except ValueError as error:
        raise DataError(f"{where}: is not an .npy file with plain numbers ({in_brief(error)})") from error


def read_parquet(where: str, content: bytes) -> Read:
    """Read a parquet file with pyarrow."""
    try:
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading .parquet files", "parquet") from error
    try:
        with parquet.ParquetFile(io.BytesIO(content)) as file:
            packed.require_cells(where, file.metadata.num_rows, file.metadata.num_columns)
            packed.require_unpacked(where, _unpacked_size(file.metadata))
        return Read(from_arrow(parquet.read_table(io.BytesIO(content))))
    except DataError:
        raise
    except Exception as error:  # damaged metadata make pandas raise whatever its parts raise
        raise DataError(f"{where}: is not a parquet file ({in_brief(error)})") from error


def read_feather(where: str, content: bytes) -> Read:
    """Read a feather file with pyarrow."""
    try:
        from pyarrow import feather  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading .feather files", "parquet") from error
    try:
        _require_feather_size(where, content)
        return Read(from_arrow(feather.read_table(io.BytesIO(content))))
    except DataError:
        raise
    except Exception as error:  # damaged metadata make pandas raise whatever its parts raise
        raise DataError(f"{where}: is not a feather file ({in_brief(error)})") from error


def _unpacked_size(metadata: Any) -> int:
    """How many bytes the columns of a parquet file say that they unpack to."""
    return sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))


def _require_feather_size(where: str, content: bytes) -> None:
    """Unpack a feather file part by part, and refuse it before it is too large."""
    from pyarrow import ipc  # noqa: PLC0415

    if not content.startswith(_ARROW):  # the first version of the format compresses nothing
        return
    with ipc.open_file(io.BytesIO(content)) as file:
        n_bytes = n_rows = 0
        for part in range(file.num_record_batches):
            batch = file.get_batch(part)
            n_bytes, n_rows = n_bytes + batch.nbytes, n_rows + batch.num_rows
            packed.require_unpacked(where, n_bytes)
            packed.require_cells(where, n_rows, batch.num_columns)


def read_stata(where: str, content: bytes) -> Read:
    """Read a Stata file; value labels are categories without an order, as Stata knows of none."""
    try:
        frame = pd.read_stata(io.BytesIO(content), convert_categoricals=True, order_categoricals=False)
    except Exception as error:  # a damaged file makes pandas raise whatever its parts raise
        raise DataError(f"{where}: is not a Stata file that can be read ({in_brief(error)})") from error
    return Read(frame)
