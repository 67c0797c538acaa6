"""The paper's settings still give the graphs that were recorded when its tables were made.

Linear algebra rounds differently on different processors, in the last bits of a Gaussian process's score, and a tree
search takes other branches where two of them all but tie. The records were made with OpenBLAS's routines for AVX2,
which also processors with wider registers can be told to use.
"""

import json
import multiprocessing
import platform
from pathlib import Path

import pytest

import dagsearch as ds

RECORDS = Path(__file__).parents[1] / "results" / "records.jsonl"
TABLE1_ON_SACHS = {
    "data": "sachs",
    "method": "cd-uct",
    "score": "bic-gp",
    "variances": "different",
    "settings": {"edge_budget": 49, "exploration": 0.05, "prune": "cam", "sims_per_node": 1178},
    "n_rows": None,
    "own_cache": False,
}


def first_records(n_records):
    """The first records of one setting, in the order of their seeds."""
    if not RECORDS.is_file():
        pytest.skip("there are no records")
    with RECORDS.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    alike = [record for record in records if TABLE1_ON_SACHS.items() <= record["task"].items()]
    return sorted(alike, key=lambda record: record["task"]["seed"])[:n_records]


def in_numbers(dag):
    """Edges as they are recorded."""
    number = {name: k for k, name in enumerate(dag.names)}
    pairs = sorted((number[cause], number[effect]) for cause, effect in dag.edges)
    return " ".join(f"{cause}>{effect}" for cause, effect in pairs)


def repeat(records):
    """Fit each record's task again: edges, pruned edges, reward and number of simulations."""
    data = ds.datasets.load("sachs")
    score, repeated = "bic-gp", []
    for record in records:
        task = record["task"]
        model = ds.CDUCT(score=score, random_state=task["seed"], **task["settings"]).fit(data)
        graphs = (in_numbers(model.dag_), in_numbers(model.pruned_dag_))
        repeated.append((*graphs, model.reward_, model.result_.n_simulations))
        score = model.score_  # which knows most local scores that the next run will ask for
    return repeated


@pytest.mark.long
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the records were made on x86")
def test_the_papers_settings_give_the_recorded_graphs(monkeypatch):
    records = first_records(2)
    assert len(records) == 2
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")  # read when a process loads the library: a new one must
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        repeated = pool.apply(repeat, (records,))
    for record, (edges, pruned_edges, reward, n_simulations) in zip(records, repeated, strict=True):
        assert edges == record["edges"]
        assert pruned_edges == record["pruned_edges"]
        assert reward == pytest.approx(record["reward"], rel=1e-9)
        assert n_simulations == record["n_simulations"]
