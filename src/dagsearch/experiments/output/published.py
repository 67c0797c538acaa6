"""The paper's numbers, as its tables print them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from dagsearch.experiments.study import Row

CPU_DAYS = 1736
"""The paper's time on single cores: 43 days for Sachs, 1,660 for SynTReN and 33 for discrete data."""

SPEED_UPS: Mapping[float, float] = {10: 1.25, 50: 13.25}
"""By tracking cycles incrementally, for numbers of variables: the two ends of the paper's figure 3."""


@dataclass(frozen=True)
class Published:
    """A cell of one of the paper's tables.

    Attributes
    ----------
    mean
        Times in seconds; None if there is a mark instead.
    half_width
        Of the 95% interval; None if the paper gives none.
    mark
        A cross: some graphs have a cycle; ``"∞"``: not feasible; ``"---"``: not given; empty if there is a mean.
    resolution
        Half a unit of the last printed digit.
    """

    mean: float | None
    half_width: float | None = None
    mark: str = ""
    resolution: float = 0.0


def published(experiment_name: str, row: Row, method: str) -> Published | None:
    """The paper's cell of a row and a method; None if its table has no such cell."""
    return _all_cells().get((experiment_name, row, method))


@cache
def _all_cells() -> dict[tuple[str, Row, str], Published]:
    file = resources.files("dagsearch.experiments.output") / "published.csv"
    lines = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return {
        (line["experiment"], Row(line["phase"], line["block"], line["measure"]), line["method"]): _cell(line)
        for line in lines
    }


def _cell(line: Mapping[str, str]) -> Published:
    mean, half_width = line["mean"], line["half_width"]
    if not mean:
        return Published(None, mark=line["mark"])
    n_decimals = len(mean.partition(".")[2])
    return Published(float(mean), float(half_width) if half_width else None, resolution=0.5 * 10**-n_decimals)
