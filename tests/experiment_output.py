"""What the tests of the output of experiments share: invented records, rows, and ways to cells and tables."""

from __future__ import annotations

from dagsearch.experiments.output.summary import cells, findings
from dagsearch.experiments.output.tables import build_table
from dagsearch.experiments.paper import EXPERIMENTS
from dagsearch.experiments.study import Row
from dagsearch.experiments.task import Record

REWARD = Row("Construct", "Sachs", "reward")
SHD = Row("Construct", "Sachs", "shd")
PRUNED_SHD = Row("Prune", "Sachs", "pruned_shd")
TIME = Row("", "Sachs", "seconds")


def record(task, reward=40.0, shd=40.0, pruned_shd=11.0, seconds=1.5, tpr=0.5):
    """A record with the given values; None for a graph with a cycle, or for one that was not pruned."""
    metrics = None if shd is None else {"tpr": tpr, "fdr": 0.5, "shd": shd, "n_edges": 49.0}
    pruned = None if pruned_shd is None else {"tpr": tpr, "fdr": 0.5, "shd": pruned_shd, "n_edges": 12.0}
    return Record(
        task=task,
        reward=reward,
        metrics=metrics,
        pruned_metrics=pruned,
        edges="0>1",
        pruned_edges="0>1",
        status="finished",
        seconds=seconds,
        cpu_seconds=2 * seconds,
        n_simulations=0,
        n_score_evaluations=0,
        finished="2026-11-16T09:42:40+00:00",
        versions="dagsearch 0.1.0, python 3.11.7",
    )


def study(experiment, block, method):
    return next(each for each in experiment.studies if (each.block, each.column) == (block, method))


def tasks(experiment, block, method, n_seeds=None):
    """Tasks with the first configuration of the grid, which is chosen where nothing was tuned."""
    found = study(experiment, block, method)
    return list(found.tasks(found.tuning.grid[0] if found.tuning else (), n_seeds))


def cells_of(experiment, store):
    return cells(experiment, findings(experiment, store))


def table_of(experiment, store):
    return build_table(experiment, findings(experiment, store))


TABLE1 = EXPERIMENTS["table1"]


def entries_of(table):
    return {(entry.row, entry.method): entry for entry in table.entries}
