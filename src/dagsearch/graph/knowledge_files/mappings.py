"""Knowledge as JSON or YAML: an object with the entries of `Knowledge.to_dict`."""

from __future__ import annotations

import json
import re
from typing import Any

from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph.checks import as_pairs, is_index
from dagsearch.graph.knowledge import Knowledge


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
        return _knowledge(yaml.load(text, Loader=Loader))
    except yaml.YAMLError as error:
        raise InputError(" ".join(str(error).split())) from error


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
