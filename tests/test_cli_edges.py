"""The command line on single edges: p-values and coefficients, what pruning keeps, and CAM."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from common import FEW, discovered, good_table, run, succeed

import dagsearch as ds
from dagsearch.estimators import METHODS
from dagsearch.graph.marks import short_number

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("options", [[], ["--no-selection"]])
def test_cam_runs_by_its_name_with_and_without_selection(options):
    record = discovered("good.csv", "--method", "cam", *options)
    model = ds.CAM(neighbour_selection=not options, random_state=0).fit(good_table())
    assert record["method"] == "cam"
    assert record["score"] == "bic-gam"
    assert record["settings"]["neighbour_selection"] is not bool(options)
    assert record["edges"] == [list(edge) for edge in model.dag_.edges]
    assert record["pruned_edges"] == [list(edge) for edge in model.pruned_dag_.edges]
    assert ["b", "c"] in record["pruned_edges"]
    assert not options or record["n_edges"] == 10


@pytest.mark.parametrize("method", ["cam", "greedy"])
def test_alpha_decides_which_edges_stay(method):
    options = () if method == "cam" else ("--score", "bic-gp", "--edges", 8)
    kept = []
    for alpha in (1e-12, 0.001, 0.5):
        record = discovered("good.csv", "--method", method, *options, "--alpha", alpha)
        assert (record["settings"]["prune"], record["settings"]["alpha"]) == ("cam", alpha)
        kept.append([[cause, effect] for cause, effect, p in record["p_values"] if p < alpha])
        assert record["pruned_edges"] == kept[-1]
        assert record["n_pruned_edges"] == len(kept[-1])
    assert len(kept[0]) < len(kept[2])


def test_json_holds_the_p_value_of_each_constructed_edge():
    record = discovered("good.csv", "--method", "cam")
    model = ds.CAM(random_state=0).fit(good_table())
    assert "coefficients" not in record
    assert record["p_values"] == [[*edge, p] for edge, p in model.result_.p_values.items()]
    assert sorted([cause, effect] for cause, effect, _ in record["p_values"]) == sorted(record["edges"])


def test_json_holds_the_largest_coefficient_of_each_edge_of_a_linear_score():
    record = discovered("good.csv", *FEW, "--score", "bic-linear", "--edges", 6)
    assert "p_values" not in record
    assert sorted([cause, effect] for cause, effect, _ in record["coefficients"]) == sorted(record["edges"])
    assert [[cause, effect] for cause, effect, size in record["coefficients"] if size > 0.3] == record["pruned_edges"]


@pytest.mark.parametrize("options", [["--score", "bic-linear", "--prune", "none"], ["--continuous", ""]])
def test_json_without_pruning_holds_neither(options):
    rng = np.random.default_rng(3)
    pd.DataFrame(rng.integers(0, 3, (150, 3)), columns=list("abc")).to_csv("few.csv", index=False)
    record = discovered("few.csv", *FEW, *options)
    assert record["settings"]["prune"] == "none"
    assert not {"p_values", "coefficients"} & set(record)
    assert record["pruned_edges"] == record["edges"]


def test_text_shows_the_p_value_behind_each_cause():
    record = discovered("good.csv", "--method", "cam")
    text = succeed("discover", "good.csv", "--method", "cam")
    constructed, pruned = text.split("\n\n")[1:3]
    assert constructed.startswith(f"Constructed graph, {record['n_edges']} edges, p-values:")
    assert pruned.startswith(f"After pruning (cam, p < 0.001), {record['n_pruned_edges']} edges:")
    for cause, effect, p in record["p_values"]:
        entry = f"{cause} ({p:.2g})"
        assert entry in line_of(constructed, effect)
    assert constructed.count("(") == record["n_edges"]
    for each in record["effects"]:
        assert f"{each['cause']} ({short_number(each['coefficient'])}, " in line_of(pruned, each["effect"])
    assert pruned.count(" sd") - pruned.count("; sd:") == len(record["effects"]) == record["n_pruned_edges"]


def line_of(text, effect):
    """The line that lists the causes of a variable."""
    (line,) = [line for line in text.splitlines() if line.split("<-")[0].strip() == effect]
    return line


def test_text_says_less_than_the_smallest_number_for_a_p_value_that_is_zero():
    text = succeed("discover", "sachs", "--method", "cam")
    assert "pakts473 (< 1e-300)" in line_of(text.split("\n\n")[1], "p44/42")


def test_options_that_a_method_does_not_take_are_noted_and_ignored():
    plain = discovered("good.csv", "--method", "cam")
    result = run("discover", "good.csv", "--method", "cam", "--edges", 3, *FEW, "--score", "bic-gp", "--json", "-")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "note: cam takes no --edges, which is ignored",
        "note: cam takes no --score, which is ignored",
        "note: cam takes no --sims-per-node, which is ignored",
    ]
    assert json.loads(result.stdout)["edges"] == plain["edges"]
    result = run("discover", "good.csv", "--method", "greedy", "--no-selection", "--json", "-")
    assert result.stderr == "note: greedy takes no --no-selection, which is ignored\n"


@pytest.mark.parametrize("method", [method for method in METHODS if method != "rl-bic"])  # which would take hours
def test_nothing_is_noted_when_nothing_was_given(method):
    result = run("discover", "good.csv", "--method", method, "--json", "-")
    assert result.exit_code == 0
    assert result.stderr == ""


def test_too_few_rows_to_test_all_causes_are_said_in_the_text():
    good_table()[:5].to_csv("short.csv", index=False)
    text = succeed("discover", "short.csv", *FEW, "--score", "bic-gp", "--edges", 4)
    assert "not pruned: 5 rows can test at most 3 causes of a variable together, 4 are possible" in text
    assert "After pruning" not in text
