"""Readers of files: whatever bytes they get, they return what they should or raise an error of ours."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch.data import Dataset
from dagsearch.data.door import read_dataset
from dagsearch.datasets.bayesian_network import BayesianNetwork
from dagsearch.datasets.bif import read_bif
from dagsearch.errors import DagsearchError
from dagsearch.experiments.store import RecordStore
from dagsearch.graph import DAG, PDAG, Knowledge
from dagsearch.search.checkpoint.file import Saved, read_checkpoint
from hostile.families import files, graphs, knowledge, networks, records

# What each reader returns, and files that it can read.
READERS = {
    "table": (read_dataset, Dataset, files.contents),
    "graph": (ds.read_graph, DAG | PDAG, graphs.whole),
    "knowledge": (Knowledge.read, Knowledge, knowledge.whole),
    "network": (read_bif, BayesianNetwork, lambda: {".bif": networks.bundled()}),
    "records": (RecordStore, RecordStore, lambda: {".jsonl": records.whole() * 3}),
    "checkpoint": (read_checkpoint, Saved, lambda: {".checkpoint": _checkpoint()}),
}
KINDS = [
    (name, suffix)
    for name, (_, _, whole) in READERS.items()
    for suffix in (whole() if name != "checkpoint" else [".checkpoint"])
]


def _checkpoint():
    import tempfile
    from pathlib import Path

    from hostile.case import good_table

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved"
        ds.GreedySearch(score="bic-linear", random_state=0, checkpoint=path).fit(good_table())
        return path.read_bytes()


@pytest.fixture(scope="module")
def seeds():
    """Files that can be read, by reader and suffix."""
    return {name: whole() for name, (_, _, whole) in READERS.items()}


@st.composite
def changes(draw):
    """Where to cut a file, and what to put there: a share of its length, how much is left out, new bytes."""
    return draw(
        st.lists(
            st.tuples(
                st.floats(0, 1),
                st.integers(0, 40),
                st.one_of(st.binary(max_size=12), st.text(max_size=6).map(str.encode)),
            ),
            min_size=1,
            max_size=4,
        )
    )


def changed(content, edits):
    for share, n_left_out, inserted in edits:
        place = int(share * len(content))
        content = content[:place] + inserted + content[place + n_left_out :]
    return content


def require_answer(name, suffix, content, folder):
    read, kind, _ = READERS[name]
    path = folder / f"f{suffix}"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that read damaged files
        try:
            answer = read(path)
        except DagsearchError as error:
            answer = str(error)
    assert isinstance(answer, kind) or 0 < len(answer) < 20_000


QUICKLY = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
AT_LENGTH = settings(QUICKLY, max_examples=500, print_blob=False)


@pytest.mark.parametrize(("name", "suffix"), KINDS)
@QUICKLY
@given(edits=changes())
@example(edits=[(0.0, 0, b"")])
def test_changed_files_are_read_or_refused(name, suffix, seeds, folder, edits):
    require_answer(name, suffix, changed(seeds[name][suffix], edits), folder)


@pytest.mark.parametrize(("name", "suffix"), KINDS)
@QUICKLY
@given(content=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_any_bytes_are_read_or_refused(name, suffix, folder, content):
    require_answer(name, suffix, content, folder)


@pytest.mark.long
@pytest.mark.parametrize(("name", "suffix"), KINDS)
@AT_LENGTH
@given(edits=changes())
def test_many_changed_files_are_read_or_refused(name, suffix, seeds, folder, edits):
    require_answer(name, suffix, changed(seeds[name][suffix], edits), folder)


@pytest.mark.parametrize(("name", "suffix"), KINDS)
def test_files_that_nobody_changed_are_read(name, suffix, seeds, folder):
    read, kind, _ = READERS[name]
    (folder / f"f{suffix}").write_bytes(seeds[name][suffix])
    assert isinstance(read(folder / f"f{suffix}"), kind)
