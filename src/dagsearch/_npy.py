"""Arrays from ``.npy`` files, without believing what their headers say about their size."""

from __future__ import annotations

import io
import math
import warnings
from tokenize import TokenError
from typing import Any

from numpy.lib import format as npy_format
from numpy.typing import NDArray


def array_from_npy(content: bytes) -> NDArray[Any]:
    """Read one array; pickled objects are refused.

    Raises
    ------
    ValueError
        If the content is no such array, or less than its header promises.
    """
    file = io.BytesIO(content)
    try:
        version = npy_format.read_magic(file)
        read_header = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # Python 2 wrote other headers, which numpy says each time
            shape, _, dtype = read_header(file)
        n_bytes = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or (not dtype.hasobject and n_bytes > len(content) - file.tell()):
            raise ValueError(f"its header promises {n_bytes:,} bytes, more than there are")
        file.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            array: NDArray[Any] = npy_format.read_array(file, allow_pickle=False)
    except (TypeError, OverflowError, MemoryError, RecursionError, SyntaxError, EOFError, TokenError) as error:
        raise ValueError(f"its header cannot be read: {type(error).__name__}") from error
    except ValueError as error:  # may quote a long header
        raise ValueError(" ".join(str(error).split())[:200]) from error
    return array
