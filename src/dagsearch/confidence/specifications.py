"""Ways to set an analysis up that nobody can decide between beforehand, and the average of what they say.

A direction that holds under one specification only is no knowledge: the average over all leaves it open. The automatic
grid is fixed before the data are seen: scales of the columns times models of the mean, each model alone, since a
flexible model would outvote the linear one, which knows that it knows no directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks, scores
from dagsearch._scales import SCALES, different_scales, rescaled
from dagsearch.confidence.result import Confidence
from dagsearch.data import Dataset
from dagsearch.errors import InputError

AUTO = "auto"
_GRID_SCORE = "evidence"
_GRID_SETTINGS: dict[str, Any] = {"noise": "gaussian", "min_effect": 0.0}


@dataclass(frozen=True, kw_only=True)
class Specification:
    """One way to set an analysis up.

    Parameters
    ----------
    name
        What it is called.
    scale
        Of continuous columns: ``"measured"``: as they are; ``"log"``: logarithms where all values of a column are
        positive; ``"normal-scores"``: by ranks alone.
    models, noise, min_effect
        As `dagsearch.scores.make` takes them; None: the score's default.
    score
        A name of `dagsearch.scores.names()`.

    Raises
    ------
    InputError
        If a part is none of these.
    """

    name: str
    scale: str = "measured"
    models: Sequence[str] | None = None
    noise: str | None = None
    min_effect: float | None = None
    score: str = _GRID_SCORE

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"name of a specification must be a text, got {self.name!r}")
        checks.one_of("scale", self.scale, SCALES)
        checks.one_of("score", self.score, scores.names())
        scores.check_settings(self.models, self.noise, self.min_effect)
        if self.models is not None:
            models = (self.models,) if isinstance(self.models, str) else tuple(self.models)
            object.__setattr__(self, "models", models)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the score that are not left to it."""
        given = {"models": self.models, "noise": self.noise, "min_effect": self.min_effect}
        return {name: value for name, value in given.items() if value is not None}

    def table(self, data: Dataset) -> Dataset:
        """The table on the scale; discrete columns stay as they are."""
        continuous = _continuous(data)
        values = data.values.copy()
        values[:, continuous] = rescaled(values[:, continuous], self.scale)
        return replace(data, values=values)


@dataclass(frozen=True)
class SpecificationResult:
    """What one specification says."""

    specification: Specification
    confidence: Confidence

    @property
    def name(self) -> str:
        """What the specification is called."""
        return self.specification.name

    @property
    def edge_probability(self) -> NDArray[np.float64]:
        """(n_nodes, n_nodes): ``[i, j]`` is P(i -> j)."""
        return self.confidence.edge_probability

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about it, in words."""
        return self.confidence.notes

    def to_dict(self) -> dict[str, Any]:
        """Everything but samples as plain numbers, lists and text."""
        spec = self.specification
        return {"name": spec.name, "scale": spec.scale, "settings": spec.settings, **self.confidence.to_dict()}


@dataclass(frozen=True, eq=False, repr=False)
class AveragedConfidence(Confidence):
    """The average over specifications, each with the same weight, and what each of them says.

    Attributes
    ----------
    specifications
        Results of the specifications.
    """

    specifications: tuple[SpecificationResult, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything but samples as plain numbers, lists and text."""
        return {**super().to_dict(), "specifications": [each.to_dict() for each in self.specifications]}

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *self._beside_each_other()])

    def _beside_each_other(self) -> list[str]:
        """P(cause -> effect) of the likelier direction by each specification, whose names stand below."""
        pairs = sorted(self._likely_pairs(), key=lambda pair: (-self.adjacency_probability[pair], pair))
        if not pairs:
            return []
        width = max(12, 2 * max(map(len, self.names)) + 4)
        numbers = "".join(f"{k:>6}" for k in range(1, len(self.specifications) + 1))
        lines = [f"{'by specification':<{width}}{numbers}"]
        for i, j in pairs:
            own = "".join(f"{each.edge_probability[i, j]:6.2f}" for each in self.specifications)
            lines.append(f"{f'{self.names[i]} -> {self.names[j]}':<{width}}{own}")
        return [*lines, "; ".join(f"{k} {each.name}" for k, each in enumerate(self.specifications, start=1))]


def chosen_specifications(
    given: Any, data: Dataset, score: Any, score_settings: Mapping[str, Any] | None
) -> tuple[Specification, ...]:
    """The specifications that a user asks for.

    Parameters
    ----------
    given
        ``"auto"`` or a list.
    data
        The table.
    score, score_settings
        What was asked for beside them.

    Raises
    ------
    InputError
        If it is neither, or does not fit the table or what stands beside it.
    """
    settings = dict(score_settings or {})
    if isinstance(given, str):
        checks.one_of("specifications", given, (AUTO,))
        return _automatic(data, score, settings)
    if not isinstance(given, Sequence) or not all(isinstance(each, Specification) for each in given) or not given:
        raise InputError(f"specifications must be 'auto' or a list of dagsearch.Specification, got {given!r}")
    names = [each.name for each in given]
    if len(set(names)) < len(names):
        raise InputError(f"specifications must have names of their own, got {names}")
    if settings:
        raise InputError(f"{min(settings)} is a setting of each specification of a list, got it beside the list")
    if score != "auto" and any(each.score != score for each in given):
        raise InputError(f"score is said by each specification of a list, got {score!r} beside the list")
    return tuple(given)


def _automatic(data: Dataset, score: Any, settings: dict[str, Any]) -> tuple[Specification, ...]:
    """Scales times models of the mean."""
    if score not in ("auto", _GRID_SCORE):
        raise InputError(f"score for specifications='auto' must be {_GRID_SCORE!r}, got {score!r}")
    if "models" in settings:
        raise InputError("models are what specifications='auto' varies; give a list of dagsearch.Specification instead")
    unknown = settings.keys() - _GRID_SETTINGS.keys()
    if unknown:
        raise InputError(f"specifications='auto' takes {' and '.join(_GRID_SETTINGS)} beside it, got {min(unknown)}")
    for name, kind in zip(data.names, data.kinds, strict=True):
        if kind != "continuous":
            raise InputError(
                f"specifications='auto' is for continuous columns, column {name!r} is {kind}; give a list of "
                "dagsearch.Specification, or none"
            )
    return tuple(
        Specification(
            name=f"{scale}, {model}", scale=scale, models=(model,), score=_GRID_SCORE, **{**_GRID_SETTINGS, **settings}
        )
        for scale in different_scales(data.values)
        for model in scores.MODELS
    )


def average(results: Sequence[SpecificationResult], details: dict[str, Any]) -> AveragedConfidence:
    """The average over specifications with equal weights; their samples, as many of each, are pooled."""
    each = [result.confidence for result in results]
    samples = [one.samples for one in each if one.samples is not None]
    return AveragedConfidence(
        names=each[0].names,
        edge_probability=np.mean([one.edge_probability for one in each], axis=0),
        path_probability=np.mean([one.path_probability for one in each], axis=0),
        adjacency_probability=np.mean([one.adjacency_probability for one in each], axis=0),
        method=f"{each[0].method}, {len(each)} specifications",
        notes=_common_notes(results),
        samples=np.concatenate(samples) if samples else None,
        details=details,
        # Tables for further draws are too large to be kept for each.
        specifications=tuple(
            replace(result, confidence=replace(one, sampler=None)) for result, one in zip(results, each, strict=True)
        ),
    )


def _common_notes(results: Sequence[SpecificationResult]) -> tuple[str, ...]:
    """What all say once, and the rest by name."""
    shared = [note for note in results[0].notes if all(note in result.notes for result in results)]
    own = [f"{result.name}: {note}" for result in results for note in result.notes if note not in shared]
    return (f"average over {len(results)} specifications, each of the same weight", *shared, *own)


def _continuous(data: Dataset) -> list[int]:
    return [place for place, kind in enumerate(data.kinds) if kind == "continuous"]
