"""Knowledge in files: CSV, JSON, YAML, and the text format of Tetrad, one format per file."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from dagsearch import contents
from dagsearch._visible import half_of_a_pair
from dagsearch._writing import write_whole
from dagsearch.errors import DataError, InputError, MissingExtraError, as_place, in_brief
from dagsearch.graph.checks import checked_names, is_index
from dagsearch.graph.knowledge import Knowledge
from dagsearch.graph.knowledge_files import mappings, tables, tetrad

__all__ = ["read_knowledge", "write_knowledge"]

_READERS: dict[str, Callable[[str], Knowledge]] = {
    ".csv": tables.parsed,
    ".json": mappings.parsed_json,
    ".yaml": mappings.parsed_yaml,
    ".yml": mappings.parsed_yaml,
    ".txt": tetrad.parsed,
    ".knowledge": tetrad.parsed,
    ".prior": tetrad.parsed,
}
_WRITERS: dict[str, Callable[[Knowledge], str]] = {
    ".csv": tables.written,
    ".json": mappings.written_json,
    ".yaml": mappings.written_yaml,
    ".yml": mappings.written_yaml,
    ".txt": tetrad.written,
    ".knowledge": tetrad.written,
    ".prior": tetrad.written,
}
_LONGEST = 1_000  # of a message


def read_knowledge(path: str | Path) -> Knowledge:
    """Read a file; see `Knowledge.read`."""
    path = Path(path)
    try:
        # "utf-8-sig": spreadsheets put a mark before the first letter. Line ends within names are kept.
        text = contents.of(path).decode("utf-8-sig")
        reader = tetrad.parsed if tetrad.is_such(text) else _READERS.get(path.suffix.lower())
        if reader is None:
            raise InputError(f"its suffix must be one of {', '.join(_READERS)}, or its first line /knowledge")
        knowledge = reader(text)
        _refuse_contradictions(knowledge)
    except FileNotFoundError as error:
        raise DataError(f"cannot read knowledge from {as_place(path)}: there is no such file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"cannot read knowledge from {as_place(path)}: it is no text in UTF-8") from error
    except RecursionError as error:
        raise DataError(f"cannot read knowledge from {as_place(path)}: it is nested too deeply") from error
    except MissingExtraError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"cannot read knowledge from {as_place(path)}: {in_brief(error, _LONGEST)}") from error
    return knowledge


def write_knowledge(knowledge: Knowledge, path: str | Path) -> None:
    """Write a file; see `Knowledge.write`."""
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"cannot write knowledge to {as_place(path)}: its suffix must be one of {', '.join(_WRITERS)}")
    for group in (*knowledge.required, *knowledge.forbidden, *knowledge.tiers):
        for node in group:
            if half_of_a_pair(str(node)):
                reason = f"the name {node!r} has half a surrogate pair"
                raise InputError(f"cannot write knowledge to {as_place(path)}: {reason}")
    write_whole(path, writer(knowledge))


def _refuse_contradictions(knowledge: Knowledge) -> None:
    """Raise where the knowledge contradicts itself, whatever the table; positions tell nothing without one."""
    edges = [*knowledge.required, *knowledge.forbidden]
    nodes = dict.fromkeys(node for group in (*edges, *knowledge.tiers) for node in group)
    if not any(is_index(node) for node in nodes):
        knowledge.required_edges(checked_names(nodes))
