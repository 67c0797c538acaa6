"""Tasks that can be told apart on every machine, and the records that they leave, one line of JSON each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, ClassVar, Self

EXCEEDED = "time limit exceeded"
"""Status of a run that was ended from outside."""


class StudyTask:
    """Base of frozen dataclasses whose fields are everything that decides the outcome of a run.

    Attributes
    ----------
    method
        What is run.
    given_up_after
        The seconds after which a run was ended; None: it was not. With more time it is another task.
    """

    method: str
    given_up_after: float | None

    @property
    def key(self) -> str:
        """Identifier of the task: the same in every process and on every machine."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def wanted(self) -> Self:
        """The task as it was asked for, whatever came of it."""
        return replace(self, given_up_after=None)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The task whose fields were written."""
        return cls(**stored)


class StudyRecord:
    """Base of frozen dataclasses of what came of a run.

    Attributes
    ----------
    task_type
        The class of the task.
    task
        What was run.
    status
        How it ended.
    """

    task_type: ClassVar[type[StudyTask]]
    task: StudyTask
    status: str

    @property
    def is_final(self) -> bool:
        """Whether the task need not be tried again with as much time."""
        return True

    def to_line(self) -> str:
        """The record as one line of JSON."""
        stored = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "task"}
        return json.dumps({"key": self.task.key, "task": asdict(self.task), **stored}, allow_nan=False)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The record that `to_line` wrote; ValueError, KeyError or TypeError if it is none."""
        stored = json.loads(line)
        stored.pop("key")
        return cls(**{**stored, "task": cls.task_type.from_json(stored["task"])})
