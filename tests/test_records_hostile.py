"""Records from files are checked part by part, and no text in them is markup of a report."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from common import run
from experiment_output import TABLE1, record, tasks

from dagsearch.errors import DataError
from dagsearch.experiments.output.page import write_report
from dagsearch.experiments.output.page_markdown import without_markup
from dagsearch.experiments.store import RecordStore

GOOD = record(tasks(TABLE1, "Sachs", "cd-uct", 1)[0])
WRONG = {
    "reward": ["40", True, [], {}, 10**400, "<b>"],
    "metrics": [
        [],
        "x",
        3,
        {},
        {"tpr": 1, "fdr": 0},
        {"tpr": "1", "fdr": 0, "shd": 3},
        {"tpr": None, "fdr": 0, "shd": 3},
    ],
    "pruned_metrics": [{"tpr": 1, "fdr": 0, "shd": 3, "more": "x"}, {"tpr": True, "fdr": 0, "shd": 3}],
    "edges": [None, 3, ["0>1"]],
    "pruned_edges": [3, ["0>1"]],
    "status": [None, 3, {}],
    "seconds": ["1.5", None, True, [], 10**400],
    "cpu_seconds": ["1.5", None, 10**400],
    "n_simulations": ["3", 1.5, None, True],
    "n_score_evaluations": ["3", 1.5, None],
    "finished": [None, 3, "yesterday", "", "<b>2026</b>"],
    "versions": [None, 3, ["dagsearch"]],
    "task": [None, [], {}, "x", 3],
    "more": [1],
}
WRONG_IN_TASK = {
    "data": [None, 3],
    "method": [None, ["cd-uct"]],
    "score": [None, 3],
    "variances": [3],
    "settings": [None, [], "x", {"a": [1]}, {"a": {}}],
    "seed": ["0", 1.5, None, True],
    "n_rows": ["10", 1.5, True],
    "own_cache": [None, 0, "yes"],
    "more": [1],
}


def refused(tmp_path, line):
    path = tmp_path / "records.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"records.jsonl, line 1: is not a record") as caught:
        RecordStore(path)
    assert "\n" not in str(caught.value)
    result = run("paper", "report", "--out", tmp_path)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_part_of_another_kind_is_refused(tmp_path, name, value):
    refused(tmp_path, json.dumps({**json.loads(GOOD.to_line()), name: value}))


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG_IN_TASK.items() for value in values]
)
def test_a_part_of_a_task_of_another_kind_is_refused(tmp_path, name, value):
    stored = json.loads(GOOD.to_line())
    refused(tmp_path, json.dumps({**stored, "task": {**stored["task"], name: value}}))


@pytest.mark.parametrize("name", json.loads(GOOD.to_line()))
def test_a_part_that_is_missing_is_refused(tmp_path, name):
    stored = json.loads(GOOD.to_line())
    del stored[name]
    refused(tmp_path, json.dumps(stored))


@pytest.mark.parametrize(
    "line",
    [
        GOOD.to_line().replace("40.0", "NaN"),
        GOOD.to_line().replace("40.0", "Infinity"),
        GOOD.to_line().replace("40.0", "1" + "0" * 5000),
        "[" * 100_000,
        '{"a":' * 100_000,
        "null",
        "3",
        "[]",
        '"key"',
        "\x00",
        GOOD.to_line()[:-5],
        GOOD.to_line() * 2,
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path, line):
    refused(tmp_path, line)


HOSTILE = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://example.org/x.png)",
    "**bold** _soft_ `code` ~~gone~~ $x$",
    "<img src=x onerror=alert(1)>",
    "a\n\n# Heading\n\n- item",
    "a\r\n| b | c |",
    "&lt;b&gt; &amp;",
    "https://example.org www.example.org a@example.org",
    "\x1b[2J\u202e\x00",
    "\\<b\\>",
]


@pytest.mark.parametrize("versions", HOSTILE)
def test_no_text_of_a_record_is_markup_of_a_report(tmp_path, store_of, versions):
    store = store_of(replace(GOOD, versions=versions))
    write_report([TABLE1], store, tmp_path)
    plain = store_of(replace(GOOD, versions="dagsearch"))
    (tmp_path / "plain").mkdir()
    write_report([TABLE1], plain, tmp_path / "plain")
    for name in ("report.md", "report.html"):
        shown = (tmp_path / name).read_text(encoding="utf-8")
        expected = (tmp_path / "plain" / name).read_text(encoding="utf-8")
        assert len(shown.splitlines()) == len(expected.splitlines())
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", shown)
        if name == "report.html":
            assert re.findall("<[^>]*>", shown) == re.findall("<[^>]*>", expected)
        else:
            (said,) = [line for line in shown.splitlines() if "Versions" in line]
            said = said.replace("&#64;", "")
            assert re.search(r"(?<!\\)[`*\[\]<>|~$#!]", said) is None
            assert re.search(r"(?<![\\\w])_|(?<!\\)_(?!\w)|(?<!\\)&|(?<!\\)://|www\.e|@", said) is None


def test_plain_text_stays_as_it_is():
    text = "Versions: dagsearch 0.1.0 (2d6a1a0+changes), scikit-learn 1.9.1, sims_per_node=5; 50%."
    assert without_markup(text) == text
