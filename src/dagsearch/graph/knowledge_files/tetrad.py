"""Knowledge in the text format of Tetrad.

::

    /knowledge
    addtemporal             tiers, from early to late; 2*: without edges within
    1 age sex
    2* smoking diet
    forbiddirect            an edge on each line: cause effect
    tar age
    requiredirect
    smoking tar

There are also ``forbiddengroup`` and ``requiredgroup``: a line of causes, a line of effects, and an edge for each pair.
Names with spaces are between double quotes; what is behind ``//`` is a remark.
"""

from __future__ import annotations

import re

from dagsearch.errors import InputError
from dagsearch.graph.knowledge import Knowledge
from dagsearch.graph.knowledge_files.tables import Tiers, labelled, names_only

_FIRST = "/knowledge"
# What is documented as "requireddirect" in places is read as "requiredirect".
_SECTIONS = {
    "addtemporal": "tiers",
    "forbiddirect": "forbidden",
    "requiredirect": "required",
    "requireddirect": "required",
    "forbiddengroup": "forbidden groups",
    "requiredgroup": "required groups",
}
# Not all that Python takes for one, which names may hold.
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')


def is_such(text: str) -> bool:
    """Whether a text begins as the files of Tetrad do."""
    return text.lstrip().lower().startswith(_FIRST)


def parsed(text: str) -> Knowledge:
    """Read knowledge from the text of a file of Tetrad."""
    if not text.strip():
        raise InputError("it is empty")
    edges: dict[str, list[tuple[str, str]]] = {"required": [], "forbidden": []}
    tiers, section = Tiers(), ""
    causes: list[str] = []  # of a group whose effects are on the next line
    for number, line in enumerate(_LINE_END.split(text), start=1):
        content, where = line.split("//")[0].strip(), f"line {number}"
        if not content or content.lower() == _FIRST:
            continue
        if content.lower() in _SECTIONS or not section:
            _refuse_half_a_group(causes, where)
            section = _section(content, where)
            continue
        tokens = [quoted or plain for quoted, plain in _TOKEN.findall(content)]
        if section == "tiers":
            tiers.add(tokens[0], tokens[1:], where)
        elif section in edges:
            edges[section].append(_edge(tokens, where))
        elif causes:
            edges[section.split()[0]] += [(cause, effect) for cause in causes for effect in tokens]
            causes = []
        else:
            causes = tokens
    _refuse_half_a_group(causes, "the end")
    return tiers.knowledge(edges["required"], edges["forbidden"])


def written(knowledge: Knowledge) -> str:
    """Return the text of a file of Tetrad."""
    names_only(knowledge, "Tetrad's")
    lines = [_FIRST, "", "addtemporal"]
    lines += [" ".join([label, *map(_quoted, tier)]) for label, tier in labelled(knowledge)]
    for section, edges in (("forbiddirect", knowledge.forbidden), ("requiredirect", knowledge.required)):
        lines += ["", section, *(" ".join(_quoted(str(node)) for node in edge) for edge in edges)]
    return "\n".join(lines) + "\n"


def _section(content: str, where: str) -> str:
    if content.lower() not in _SECTIONS:
        sections = ", ".join(name for name in _SECTIONS if name != "requireddirect")
        raise InputError(f"{where}: a section must begin with one of {sections}; got {content!r}")
    return _SECTIONS[content.lower()]


def _edge(tokens: list[str], where: str) -> tuple[str, str]:
    if len(tokens) != 2:
        raise InputError(f"{where}: an edge must be two names, cause and effect, got {' '.join(tokens)!r}")
    return tokens[0], tokens[1]


def _refuse_half_a_group(causes: list[str], where: str) -> None:
    if causes:
        raise InputError(f"{where}: a group must be two lines, causes and effects; the effects of {causes} are missing")


def _quoted(name: str) -> str:
    """A name as the format can hold it."""
    if '"' in name or "//" in name or "\n" in name or "\r" in name:
        raise InputError(f"knowledge in Tetrad's files cannot have the name {name!r}; write .json")
    is_plain = _TOKEN.fullmatch(name) is not None and name.lower() not in {*_SECTIONS, _FIRST}
    return name if is_plain else f'"{name}"'
