"""Names in files whose format cannot hold every character: another name stands in, the exact one is beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dagsearch._visible import clipped, visible
from dagsearch.errors import InputError

EXACT_NAME = "exact_name"
"""The attribute of a node that holds its name, as a text of JSON without any unusual character."""

_LONGEST = 100


def stand_ins(names: Iterable[str], is_plain: Callable[[str], bool]) -> dict[str, str]:
    """What each name is called in a file: plain ones as they are, others by a short name like them; all differ.

    Parameters
    ----------
    names
        Different names.
    is_plain
        Whether the format can hold a name.
    """
    every = list(names)
    taken = set(filter(is_plain, every))
    called = {}
    for name in every:
        short = name if is_plain(name) else _free(_like(name), taken)
        taken.add(short)
        called[name] = short
    return called


def _like(name: str) -> str:
    """A short name without any mark that Graphviz or XML knows."""
    return clipped(visible(name), _LONGEST).lstrip("%").replace("&", "+")


def _free(name: str, taken: set[str]) -> str:
    """A name that nothing has, such as it or with a number behind it."""
    found, number = name, 1
    while found in taken or not found:
        number += 1
        found = f"{name} ({number})"
    return found


def as_ascii(name: str) -> str:
    """Return a name as `exact_names` reads it."""
    return json.dumps(name)


def exact_names(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The names of nodes from what a file calls them and their attributes.

    Raises
    ------
    InputError
        If an attribute that we write holds something else, or two nodes have the same name.
    """
    names = {node: _exact(node, said.get(EXACT_NAME)) for node, said in attributes.items()}
    if len(set(names.values())) < len(names):
        raise InputError(f"the attribute {EXACT_NAME} of different nodes must be different names")
    return names


def _exact(node: str, text: Any) -> str:
    if text is None:
        return node
    try:
        name = json.loads(text)
    except (TypeError, ValueError):
        name = None
    if not isinstance(name, str):
        raise InputError(f'the attribute {EXACT_NAME} must be a name between quotes, as in "a", got {str(text)[:80]!r}')
    return name
