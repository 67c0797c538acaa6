"""Long searches that go on where they were: what is saved, when, and in which form."""

from dagsearch.search.checkpoint.file import Arrays
from dagsearch.search.checkpoint.stage import NOT_KEPT, Checkpoint, Stage
from dagsearch.search.checkpoint.state import array_of_generator, arrays_of, set_generator, with_arrays

__all__ = [
    "NOT_KEPT",
    "Arrays",
    "Checkpoint",
    "Stage",
    "array_of_generator",
    "arrays_of",
    "set_generator",
    "with_arrays",
]
