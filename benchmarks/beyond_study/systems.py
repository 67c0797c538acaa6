"""What a user of dagsearch would run: on the paper's terms, by default, and where the graph should be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import dagsearch as ds
from beyond_study.blocks import Block

Graph = ds.DAG | ds.PDAG


@dataclass(frozen=True)
class System:
    """Something to run.

    Attributes
    ----------
    title
        What it is, in a table.
    fit
        From a block, data, a seed and a number of threads to the graph that was constructed and the one to be judged.
    on
        Whether it makes sense on a block.
    """

    title: str
    fit: Callable[[Block, ds.Dataset, int, int], tuple[Graph, Graph]]
    on: Callable[[Block], bool] = lambda _block: True


def _refined(block: Block, data: ds.Dataset, seed: int, n_jobs: int) -> tuple[Graph, Graph]:
    budget = block.edge_budget or data.truth.n_edges
    model = ds.CDUCT(
        score=block.score, edge_budget=budget, prune=block.prune, refine="on", random_state=seed, n_jobs=n_jobs
    ).fit(data)
    return model.dag_, model.pruned_dag_


def _default(_block: Block, data: ds.Dataset, seed: int, n_jobs: int) -> tuple[Graph, Graph]:
    model = ds.CDUCT(random_state=seed, n_jobs=n_jobs).fit(data)
    return model.dag_, model.pruned_dag_


def _exact(_block: Block, data: ds.Dataset, seed: int, n_jobs: int) -> tuple[Graph, Graph]:
    model = ds.ExactSearch(random_state=seed, n_jobs=n_jobs).fit(data)
    return model.dag_, model.pruned_dag_


def _consensus(block: Block, data: ds.Dataset, seed: int, n_jobs: int) -> tuple[Graph, Graph]:
    specifications = None if block.is_discrete else "auto"
    believed = ds.posterior(data, specifications=specifications, random_state=seed, n_jobs=n_jobs)
    return believed.best_dag(), believed.graph()


def is_discrete(block: Block) -> bool:
    """Where all columns have levels."""
    return block.is_discrete


def is_continuous(block: Block) -> bool:
    """Where all columns are numbers."""
    return not block.is_discrete


SYSTEMS = {
    "cd-uct-refined": System("CD-UCT, the paper's score and budget, refined by swaps", _refined),
    "cd-uct": System(
        "CD-UCT by default: `evidence`, no budget, refined", _default, lambda block: not block.is_discrete
    ),
    "cd-uct-discrete": System("CD-UCT by default: no budget, refined", _default, lambda block: block.is_discrete),
    "exact": System("exact search by default, with a proof", _exact, lambda block: block.is_discrete),
    "consensus": System("consensus over specifications", _consensus, lambda block: not block.is_discrete),
    "posterior": System("consensus of the posterior", _consensus, lambda block: block.is_discrete),
}
"""By the names that the command line takes."""
