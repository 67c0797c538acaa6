"""What a part of the study is made of."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import dagsearch as ds


@dataclass(frozen=True)
class Method:
    """A method under test.

    Attributes
    ----------
    fit
        From a table and a seed to a graph.
    in_words
        What it is.
    modules
        What must be installed.
    install
        The command that does so.
    takes
        Whether it suits a condition.
    """

    fit: Callable[[ds.Dataset, int], Any]
    in_words: str
    modules: tuple[str, ...] = ()
    install: str = ""
    takes: Callable[[str], bool] = lambda _: True

    @property
    def installed(self) -> bool:
        """Whether it can be run."""
        return all(importlib.util.find_spec(module) is not None for module in self.modules)


@dataclass(frozen=True)
class Part:
    """A difficulty that tables have.

    Attributes
    ----------
    title
        What it is, for the report.
    in_words
        How its tables are made.
    table
        From a condition, the number of rows and a seed to a table with its truth.
    conditions
        Names of what varies, the number of rows and the seed apart.
    rows
        Numbers of rows by default.
    methods
        Those under test, by name.
    """

    title: str
    in_words: str
    table: Callable[[str, int, int], ds.Dataset]
    conditions: tuple[str, ...]
    rows: tuple[int, ...]
    methods: Mapping[str, Method]
