"""Runs of the paper's systems, from the records of ``dagsearch paper``, judged like ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dagsearch as ds
from beyond_study.blocks import BLOCKS
from beyond_study.judge import graph_of, judged
from dagsearch.experiments.campaign import records_of
from dagsearch.experiments.output.text import title
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.rules import by_rules
from dagsearch.experiments.store import RecordStore


@dataclass(frozen=True)
class Judged:
    """A run of one of the paper's systems: where, what, and how it was judged; None for a graph with a cycle."""

    block: str
    system: str
    reward: float | None
    metrics: dict[str, float | None] | None
    seconds: float


def judged_runs(store: RecordStore) -> Iterator[Judged]:
    """All runs on the blocks of this study, after the paper's pruning, by the rules of the paper's runs."""
    for name, block in BLOCKS.items():
        tables = {data: ds.datasets.load(data) for data in block.data}
        for study in by_rules(EXPERIMENTS[block.experiment], "runs").studies:
            if study.block != block.title:
                continue
            for record in records_of(study, store):
                truth: Any = tables[record.task.data].truth
                graph = graph_of(record.edges if record.pruned_edges is None else record.pruned_edges, truth.names)
                metrics = None if graph is None else judged(graph, truth)
                yield Judged(name, title(study.column), record.reward, metrics, record.seconds)
