"""Wrong input to the command line: exit code 2, one message, and nothing written."""

from __future__ import annotations

import pytest
from common import FEW, files_in, good_table, run

# ---------------------------------------------------------------- wrong input


def with_column(**columns):
    return good_table().assign(**columns).to_csv(index=False)


def with_entry(entry):
    table = good_table().astype(object)
    table.loc[3, "b"] = entry
    return table.to_csv(index=False)


BAD_TABLES = {
    "a column without a value": (with_column(c=None), "all cells are missing in 'c'"),
    "an infinite value": (with_entry("inf"), "column 'b': row 4 holds inf"),
    "a constant column": (with_column(c=1.0), "column 'c' is constant"),
    "text among numbers": (with_entry("oops"), "column 'b': row 4 holds 'oops'"),
    "one column": (good_table()[["a"]].to_csv(index=False), "at least 2 columns"),
    "two rows": (good_table()[:2].to_csv(index=False), "at least 3 rows, got 2"),
    "no rows": (good_table()[:0].to_csv(index=False), "bad.csv"),
    "nothing": ("", "bad.csv: is empty"),
    "bytes": (bytes(range(256)) * 9, "bad.csv: is not a text file"),
    "a name twice": ("a,a\n1,2\n3,5\n4,4\n", "2 columns have the name 'a'"),
    "ragged rows": ("a,b\n1,2\n3,4,5\n6,7\n8,9\n", "bad.csv"),
}


def assert_refused(result, message, folder, before):
    """Exit code 2, one message on standard error, and nothing written."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert result.stderr.strip().splitlines()[-1].startswith("Error: ")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert files_in(folder) == before
    assert not (folder / "results").exists()


def test_a_missing_cell_is_refused_if_that_is_asked_for(folder):
    (folder / "bad.csv").write_text(with_entry(None))
    before = files_in(folder)
    result = run("discover", "bad.csv", *FEW, "--missing", "refuse", "--json", "result.json", "--out", "results")
    assert_refused(result, "cells are missing: 1 in column 'b'", folder, before)


@pytest.mark.parametrize("what", BAD_TABLES)
def test_a_bad_table_ends_with_one_message(folder, what):
    content, message = BAD_TABLES[what]
    (folder / "bad.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    before = files_in(folder)
    for score in ("bic-linear", "auto"):
        result = run("discover", "bad.csv", *FEW, "--score", score, "--json", "result.json", "--out", "results")
        assert_refused(result, message, folder, before)


BAD_ARGUMENTS = [
    (["missing.csv"], "missing.csv: there is no such file"),
    (["table.xls"], "the suffix must be one of .csv"),
    (["sach"], "Did you mean 'sachs'?"),
    (["."], "suffix"),
    (["good.csv", "--edges", "11"], "must be between 0 and 10 for 5 variables, got 11"),
    (["good.csv", "--edges", "-1"], "got -1"),
    (["good.csv", "--edges", "many"], "'--edges': 'many' is not a valid integer"),
    (["good.csv", "--method", "gredy"], "unknown method 'gredy'"),
    (["good.csv", "--method", "gredy"], "Did you mean 'greedy'?"),
    (["good.csv", "--score", "bic-linaer"], "Did you mean 'bic-linear'?"),
    (["good.csv", "--score", "bic-discrete"], "has 120 levels in 120 rows"),
    (["good.csv", "--variances", "same"], "choose from different, equal"),
    (["good.csv", "--exploration", "-1"], "exploration must be a number of at least 0, got -1"),
    (["good.csv", "--exploration", "nan"], "exploration must be a number of at least 0, got nan"),
    (["good.csv", "--sims-per-node", "0"], "--sims-per-node must be a number above 0"),
    (["good.csv", "--horizon", "0"], "horizon must be a whole number of at least 1"),
    (["good.csv", "--seed", "-1"], "must be a whole number of at least 0, got -1"),
    (["good.csv", "--jobs", "0"], "must be a whole number of at least 1, got 0"),
    (["good.csv", "--time-limit", "0"], "must be a number above 0"),
    (["good.csv", "--prune", "coeficients"], "Did you mean 'coefficients'?"),
    (["good.csv", "--alpha", "0"], "--alpha must be a number above 0 and at most 1, got 0.0"),
    (["good.csv", "--alpha", "1.5"], "--alpha must be a number above 0 and at most 1, got 1.5"),
    (["good.csv", "--alpha", "nan"], "--alpha must be a number above 0 and at most 1, got nan"),
    (["good.csv", "--alpha", "small"], "'--alpha': 'small' is not a valid float"),
    (["good.csv", "--prune", "cam", "--max-parents", "0"], "--max-parents must be a whole number of at least 1"),
    (["good.csv", "--require", "a-b"], "write an edge as 'cause->effect', got 'a-b'"),
    (["good.csv", "--require", "->b"], "write an edge as 'cause->effect', got '->b'"),
    (["good.csv", "--forbid", "a->"], "write an edge as 'cause->effect', got 'a->'"),
    (["good.csv", "--require", "a->z"], "unknown node 'z'"),
    (["good.csv", "--require", "a->b", "--require", "b->a"], "cycle"),
    (["good.csv", "--require", "a->b", "--forbid", "a->b"], "both requires and rules out the edge a -> b"),
    (["good.csv", "--discrete", "z"], "unknown column 'z'"),
    (["good.csv", "--discrete", "a", "--continuous", "a"], "both --discrete and --continuous"),
    (["good.csv", "--truth", "missing.csv"], "missing.csv: there is no such file"),
    (["good.csv", "--truth", "good.csv"], "good.csv"),
    (["good.csv", "--out", "good.csv"], "--out must be a folder, good.csv is a file"),
    (["good.csv", "--json", "missing/result.json"], "--json must be a file in a folder that can be written to"),
    (["good.csv", "--json", "."], "--json must be a file, . is a folder"),
    (["good.csv", "--nosuch", "1"], "No such option"),
    ([], "Missing argument 'DATA'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_a_bad_argument_ends_with_one_message(folder, arguments, message):
    before = files_in(folder)
    defaults = [] if "--json" in arguments else ["--json", "result.json"]
    defaults += [] if "--out" in arguments else ["--out", "results"]
    assert_refused(run("discover", *FEW, *defaults, *arguments), message, folder, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "missing.csv", "sachs"], "missing.csv: there is no such file"),
        (["compare", "good.csv", "sachs"], "its header must name the columns cause and effect"),
        (["compare", "good.csv", "nosuch"], "unknown data set 'nosuch'"),
        (["compare", "good.csv", "good.csv", "--json", "missing/m.json"], "--json must be a file in a folder"),
        (["datasets", "sach"], "Did you mean 'sachs'?"),
        (["nosuch"], "No such command 'nosuch'"),
    ],
)
def test_other_commands_refuse_bad_arguments_too(folder, arguments, message):
    assert_refused(run(*arguments), message, folder, files_in(folder))


def test_a_data_set_that_is_not_at_hand_says_how_to_get_it(folder, monkeypatch):
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)
    assert_refused(run("discover", "asia"), "DAGSEARCH_DATA", folder, files_in(folder))


def test_a_folder_inside_a_file_is_refused_before_the_search(folder):
    before = files_in(folder)
    result = run("discover", "good.csv", *FEW, "--json", "result.json", "--out", "good.csv/results")
    assert_refused(result, "good.csv", folder, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["good.csv", "--alpha", "0"], "--alpha must be a number above 0 and at most 1, got 0.0"),
        (["good.csv", "--alpha", "2"], "--alpha must be a number above 0 and at most 1, got 2.0"),
        (["good.csv", "--prune", "cems"], "choose from auto, cam, coefficients, none"),
        (
            ["short.csv", "--max-parents", "4"],
            "--max-parents must be at most 3: bic-gam can tell no more causes of a variable apart on so few rows, "
            "got 4",
        ),
        (["text.csv"], "column 'c' holds text"),
        (["constant.csv"], "column 'c' is constant"),
    ],
)
def test_cam_refuses_what_it_cannot_use(folder, arguments, message):
    good_table()[:5].to_csv("short.csv", index=False)
    good_table().assign(c=["low", "high"] * 60).to_csv("text.csv", index=False)
    good_table().assign(c=1.0).to_csv("constant.csv", index=False)
    before = files_in(folder)
    result = run("discover", "--method", "cam", "--json", "result.json", "--out", "results", *arguments)
    assert_refused(result, message, folder, before)
