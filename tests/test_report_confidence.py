"""What the terminal and JSON say of open directions and of how sure edges are."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import dagsearch as ds
from dagsearch.cli import main
from dagsearch.report.text import as_json, as_text, open_edges


def chain_table(n_rows=400):
    """Linear Gaussian a -> b -> c and a collider c -> e <- d: only the collider's directions can be told."""
    rng = np.random.default_rng(4)
    a, d = rng.normal(size=(2, n_rows))
    b = a + 0.5 * rng.normal(size=n_rows)
    c = b + 0.5 * rng.normal(size=n_rows)
    e = c + d + 0.5 * rng.normal(size=n_rows)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


def fitted(**chosen):
    return ds.OrderSearch(score="bic-linear", random_state=0, **chosen).fit(chain_table())


def test_open_edges_are_those_that_the_equivalence_class_leaves_undirected():
    model = fitted()
    assert {frozenset(pair) for pair in open_edges(model)} == {frozenset("ab"), frozenset("bc")}
    text = as_text(model, ds.as_dataset(chain_table()), "chain")
    assert "The data decide 2 of 4 directions" in text
    assert text.count("?") == 3  # the two edges, and the sentence that explains the mark
    record = as_json(model, ds.as_dataset(chain_table()), "chain")
    assert {frozenset(pair) for pair in record["open_edges"]} == {frozenset("ab"), frozenset("bc")}
    assert "confidence" not in record


def test_a_score_that_tells_directions_leaves_none_open():
    model = ds.GreedySearch(score="evidence", random_state=0).fit(chain_table(120))
    assert open_edges(model) == []
    assert "?" not in as_text(model, ds.as_dataset(chain_table(120)), "chain")


def test_with_knowledge_nothing_is_said_of_open_directions():
    model = fitted(knowledge=ds.Knowledge(required=[("a", "b")]))
    assert open_edges(model) == []


def test_what_a_method_leaves_undirected_is_open():
    model = ds.GES(score="bic-linear").fit(chain_table())
    assert {frozenset(pair) for pair in open_edges(model)} == {frozenset("ab"), frozenset("bc")}
    assert "The data decide" not in as_text(model, ds.as_dataset(chain_table()), "chain")


def test_confidence_is_shown_and_in_json():
    model = fitted(confidence="posterior")
    data = ds.as_dataset(chain_table())
    assert "How sure, by posterior, exact" in as_text(model, data, "chain")
    record = json.loads(json.dumps(as_json(model, data, "chain")))
    assert len(record["confidence"]) == 10
    pair = next(each for each in record["confidence"] if {each["a"], each["b"]} == {"d", "e"})
    forward = pair["forward"] if pair["a"] == "d" else pair["backward"]
    assert forward == pytest.approx(model.confidence_.edge_probability[3, 4], abs=1e-12)
    assert forward > 0.9
    assert ["d", "e"] in record["likely_graph"]["edges"]
    assert record["confidence_details"]["method"] == "posterior, exact"


def test_the_command_takes_confidence_and_says_what_it_knows_not(tmp_path):
    file = tmp_path / "chain.csv"
    chain_table().to_csv(file, index=False)
    options = ["discover", str(file), "--score", "bic-linear", "--method", "order", "--confidence"]
    good = CliRunner().invoke(main, [*options, "bootstrap", "--jobs", "1", "--json", "-"])
    assert good.exit_code == 0
    assert json.loads(good.stdout)["confidence_details"]["n_replicates"] == 100
    wrong = CliRunner().invoke(main, [*options, "very"])
    assert wrong.exit_code == 2
    assert "confidence" in wrong.output
