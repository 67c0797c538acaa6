"""Knowledge as JSON or YAML: an object with the entries of `Knowledge.to_dict`."""

from __future__ import annotations

import json
import re
from typing import Any

from dagsearch.errors import InputError, MissingExtraError, in_brief
from dagsearch.graph.checks import as_pairs, is_index
from dagsearch.graph.knowledge import Knowledge

# What PyYAML lets through of its own for !!bool x, !!int x, !!timestamp x.
_WRONG_SCALARS = (KeyError, ValueError, AttributeError, TypeError)


def parsed_json(text: str) -> Knowledge:
    """Read knowledge from the text of a JSON file."""
    return _knowledge(json.loads(text, object_pairs_hook=_without_repeats))


def written_json(knowledge: Knowledge) -> str:
    """Return the text of a JSON file."""
    return json.dumps(knowledge.to_dict(), indent=2, ensure_ascii=False) + "\n"


def parsed_yaml(text: str) -> Knowledge:
    """Read knowledge from the text of a YAML file; tags that would make Python objects are refused."""
    yaml = _yaml()

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """The safe loader, which would let the last of several equal keys win."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            """Build a mapping whose keys are text and all differ."""
            keys = [str(key.value) for key, _ in node.value]
            _without_repeats([(key, None) for key in keys])
            entries: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            return entries

    try:
        entries = yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise InputError(in_brief(error)) from error
    except InputError:
        raise
    except _WRONG_SCALARS as error:
        raise InputError(f"a scalar is not of the type that its tag says ({in_brief(repr(error))})") from error
    return _knowledge(entries)


def written_yaml(knowledge: Knowledge) -> str:
    """Return the text of a YAML file."""
    entries = knowledge.to_dict()
    # PyYAML writes rare ends of lines so that it reads others, unless every letter beyond ASCII is escaped.
    is_plain = not re.search("[\x85\u2028\u2029]", json.dumps(entries, ensure_ascii=False))
    text: str = _yaml().safe_dump(entries, sort_keys=False, allow_unicode=is_plain, default_flow_style=None)
    return text


def _yaml() -> Any:
    try:
        import yaml  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("knowledge in YAML", "yaml") from error
    return yaml


def _without_repeats(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    entries: dict[Any, Any] = {}
    for key, value in pairs:
        if key in entries:
            raise InputError(f"it has the entry {key!r} twice")
        entries[key] = value
    return entries


def _knowledge(given: Any) -> Knowledge:
    """Knowledge from what a parser returned."""
    if given is None:
        raise InputError("it is empty")
    knowledge = Knowledge.from_dict(given)
    for group in (*as_pairs(knowledge.required), *as_pairs(knowledge.forbidden), *knowledge.tiers):
        for node in group:
            if not isinstance(node, str) and not is_index(node):
                raise InputError(f"variables must be names or positions, got {node!r}; put names between quotes")
    return knowledge
