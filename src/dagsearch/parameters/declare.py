"""How a parameter is declared, and how a docstring tells of those that a class has."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

Group = Literal["score", "restrictions", "search", "method", "proof", "pruning", "confidence", "data", "run", "output"]

HEADINGS: dict[Group, str] = {
    "score": "Method and score",
    "restrictions": "Restrictions",
    "search": "Search",
    "method": "Settings of other methods",
    "proof": "Proof of optimality",
    "pruning": "Pruning",
    "confidence": "How sure",
    "data": "Data",
    "run": "Run",
    "output": "Output",
}
"""What options are grouped under, in this order; documentation has parameters in the same order."""

_KEY = "parameter"
_WIDTH = 108

T = TypeVar("T")


@dataclass(frozen=True)
class Parameter:
    """What is known of a parameter beyond its name and type.

    Attributes
    ----------
    default
        Of the argument in Python.
    text
        What it means, in the words of Python: names and values between double backquotes. The command line turns them
        into options and plain words.
    group
        What it is for.
    option
        Its option on the command line; None if there is none.
    value_type
        What the option's text is turned into. A parameter that is True or False has a flag, which sets the opposite of
        the default.
    choices
        All values that there are, if they are names.
    suggestions
        Names among the values that shells may complete, if there are others too.
    read
        Turns the option's text into a value in place of ``value_type``; raises `ValueError` if it cannot.
    in_python
        Further sentences for Python only.
    on_command_line
        What the help of the option says in place of ``text``.
    option_default
        Default of the option, if it is not that of Python.
    """

    default: Any
    text: str
    group: Group
    option: str | None = None
    value_type: type = str
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    read: Callable[[str], Any] | None = None
    in_python: str = ""
    on_command_line: str = ""
    option_default: Any = None

    @property
    def documentation(self) -> str:
        """All that Python's documentation says."""
        return f"{self.text} {self.in_python}".rstrip()


def parameter(
    default: T,
    text: str,
    option: str | None = None,
    *,
    group: Group,
    value_type: type | None = None,
    choices: tuple[str, ...] = (),
    suggestions: tuple[str, ...] = (),
    read: Callable[[str], Any] | None = None,
    in_python: str = "",
    on_command_line: str = "",
    option_default: Any = None,
) -> T:
    """Declare a parameter: the field of a dataclass that carries a `Parameter`, whose attributes the arguments are.

    The type of the option's values is that of the default unless it is given.
    """
    known = Parameter(
        default=default,
        text=text,
        group=group,
        option=option,
        value_type=value_type or (str if default is None else type(default)),
        choices=choices,
        suggestions=suggestions or choices,
        read=read,
        in_python=in_python,
        on_command_line=on_command_line,
        option_default=option_default,
    )
    return field(default=default, metadata={_KEY: known})


def declared(kind: type[Any]) -> dict[str, Parameter]:
    """Return the parameters of a class by name, by purpose, as they were declared."""
    return by_purpose({each.name: each.metadata[_KEY] for each in fields(kind) if _KEY in each.metadata})


def described(kind: type[Any]) -> dict[str, Parameter]:
    """Return the parameters of a class with its own words for what it inherits: ``in_other_words``, text by name."""
    found = declared(kind)
    words: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        words |= vars(each).get("in_other_words", {})
    for name, text in words.items():
        found[name] = replace(found[name], text=text, in_python="")
    return found


def by_purpose(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Return the same parameters in the order of their groups."""
    place = {group: k for k, group in enumerate(HEADINGS)}
    return dict(sorted(parameters.items(), key=lambda item: place[item[1].group]))


def with_parameters(docstring: str, kind: type[Any]) -> str:
    """Return a docstring with numpydoc's section on the parameters of a class, before its other sections.

    One that has such a section stays as it is.
    """
    text = inspect.cleandoc(docstring)
    headings = re.search(r"^(\w+)\n-{3,}$", text, re.MULTILINE)
    if headings is not None and headings[1] == "Parameters":
        return docstring
    head, tail = (text, "") if headings is None else (text[: headings.start()], text[headings.start() :])
    return "\n\n".join(part for part in (head.rstrip(), _section(kind), tail) if part)


def _section(kind: type[Any]) -> str:
    lines = ["Parameters", "----------"]
    for name, known in described(kind).items():
        lines.append(name)
        lines += textwrap.indent(_wrapped(known.documentation), "    ").splitlines()
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    """A text in lines that leave what is between backquotes in one piece."""
    whole = re.sub(r"``.+?``", lambda found: found[0].replace(" ", "\xa0"), text)
    lines = textwrap.wrap(whole, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")
