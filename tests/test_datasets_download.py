"""Downloads from a local web server that may misbehave: what is used, what is said, what is left behind."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pooch
import pytest
from common import run, succeed

from dagsearch import datasets
from dagsearch.datasets import files, registry
from dagsearch.datasets.catalogue import ENTRIES
from dagsearch.errors import DataError

VALUES = np.random.default_rng(0).normal(size=(20, 3))
DATA_FILE, TRUTH_FILE = "syntren/1/data.npy", "syntren/1/DAG.npy"
SECOND_DATA_FILE, SECOND_TRUTH_FILE = "syntren/2/data.npy", "syntren/2/DAG.npy"


def as_bytes(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


PUBLISHED = {
    DATA_FILE: as_bytes(VALUES),
    TRUTH_FILE: as_bytes(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])),
    SECOND_DATA_FILE: as_bytes(VALUES + 1),
    SECOND_TRUTH_FILE: as_bytes(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]])),
}
CHECKSUMS = {path: hashlib.sha256(content).hexdigest() for path, content in PUBLISHED.items()}


class Handler(BaseHTTPRequestHandler):
    """Serves the files, each in the manner that the server's `manners` tell."""

    def do_GET(self):
        path = self.path.removeprefix("/mirror/")
        self.server.requests.append(path)
        content, manner = PUBLISHED.get(path, b""), self.server.manners.get(path, "good")
        if manner == "together":
            self.server.barrier.wait(timeout=60)
        if manner == "slow":
            time.sleep(2)
        self.send_response(404 if manner == "absent" or not content else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write({"tampered": content[:-1] + b"?", "truncated": content[:100]}.get(manner, content))

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.requests, server.manners, server.barrier = [], {}, threading.Barrier(2)
        # Threads of answers that are too slow must not hold up the end of a test.
        server.daemon_threads, server.block_on_close = True, False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(server, tmp_path, monkeypatch):
    """The cache of a user without a folder of data, who downloads from the local server."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(files, "checksums", lambda: CHECKSUMS)
    monkeypatch.delenv("DAGSEARCH_DATA", raising=False)
    monkeypatch.setenv("DAGSEARCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DAGSEARCH_URL", f"http://127.0.0.1:{server.server_port}/mirror")
    yield tmp_path / "cache"
    assert not list((tmp_path / "temporary").iterdir()), "temporary files are left behind"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# ---------------------------------------------------------------- what is used


def test_the_first_use_downloads_and_later_ones_do_not(server, cache):
    assert datasets.status("syntren-1") == "to be downloaded"
    for _ in range(2):
        data = datasets.load("syntren-1")
        assert np.array_equal(data.values, VALUES)
        assert data.truth.edges == [("x0", "x1"), ("x1", "x2")]
        assert sorted(server.requests) == files_below(cache) == [TRUTH_FILE, DATA_FILE]
    assert datasets.status("syntren-1") == "on this machine"


def test_the_folder_of_data_comes_first_and_what_it_lacks_is_downloaded(server, cache, tmp_path, monkeypatch):
    own = tmp_path / "own" / "syntren" / "1"
    own.mkdir(parents=True)
    np.save(own / "data.npy", 2 * VALUES)
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path / "own"))
    assert np.array_equal(datasets.load("syntren-1").values, 2 * VALUES)
    assert server.requests == files_below(cache) == [TRUTH_FILE]
    np.save(own / "DAG.npy", np.zeros((3, 3)))
    assert datasets.load("syntren-1").truth.n_edges == 0
    assert server.requests == [TRUTH_FILE]


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", PUBLISHED[DATA_FILE][:-1], PUBLISHED[TRUTH_FILE]])
def test_a_file_that_was_damaged_in_the_cache_is_downloaded_again(server, cache, damage):
    datasets.load("syntren-1")
    (cache / DATA_FILE).write_bytes(damage)
    assert datasets.status("syntren-1") == "to be downloaded"
    assert np.array_equal(datasets.load("syntren-1").values, VALUES)
    assert server.requests.count(DATA_FILE) == 2
    assert server.requests.count(TRUTH_FILE) == 1


def test_a_download_in_advance_needs_no_network_later(cache, monkeypatch):
    datasets.download("syntren-1")
    monkeypatch.setenv("DAGSEARCH_URL", f"http://127.0.0.1:{refused_port()}")
    datasets.download("syntren-1")
    assert datasets.load("syntren-1").n_samples == 20
    assert (cache / DATA_FILE).stat().st_mode & 0o077 == (cache.stat().st_mode & 0o066), "others may read as usual"


@pytest.mark.usefixtures("cache")
def test_bundled_data_are_never_downloaded(server):
    datasets.download("sachs")
    datasets.load("sachs")
    datasets.network("asia").sample(1000, random_state=0)
    assert datasets.status("sachs") == "bundled"
    assert not server.requests


# ---------------------------------------------------------------- failures

FAILURES = {
    "absent": "404 Client Error",
    "tampered": "not the published file",
    "truncated": r"\(100 bytes read, \d+ more expected\)",
    "slow": "timed out",
}


@pytest.mark.parametrize("file", [DATA_FILE, TRUTH_FILE])
@pytest.mark.parametrize("manner", FAILURES)
def test_a_failed_download_says_why_and_leaves_nothing_behind(server, cache, monkeypatch, manner, file):
    monkeypatch.setattr(files, "SECONDS_TO_ANSWER", 0.3)
    server.manners[file] = manner
    with pytest.raises(DataError, match=FAILURES[manner]) as caught:
        datasets.load("syntren-1")
    for part in (
        "'syntren-1'",
        f"127.0.0.1:{server.server_port}/mirror/{file}",
        "DAGSEARCH_DATA is not set",
        str(cache),
    ):
        assert part in str(caught.value)
    if file == TRUTH_FILE:
        assert not cache.exists()
    else:
        assert files_below(cache) == [TRUTH_FILE]
    server.manners.clear()
    assert np.array_equal(datasets.load("syntren-1").values, VALUES)


def test_a_failed_repair_keeps_the_damaged_file_unused(server, cache):
    datasets.load("syntren-1")
    (cache / DATA_FILE).write_bytes(b"damaged")
    server.manners[DATA_FILE] = "absent"
    with pytest.raises(DataError, match="404 Client Error"):
        datasets.load("syntren-1")


def test_without_a_network_the_message_says_so(cache, monkeypatch):
    monkeypatch.setenv("DAGSEARCH_URL", f"http://127.0.0.1:{refused_port()}")
    with pytest.raises(DataError, match=r"'syntren-1'.*could not be downloaded to .*: .*[Rr]efused"):
        datasets.load("syntren-1")
    assert not cache.exists()


@pytest.mark.parametrize("url", ["nonsense", "file:///tmp", "http://", "http://256.0.0.1:1/"])
def test_an_address_that_is_none_is_a_failure_like_others(cache, monkeypatch, url):
    monkeypatch.setenv("DAGSEARCH_URL", url)
    with pytest.raises(DataError, match=r"'syntren-1'.*could not be downloaded") as caught:
        datasets.load("syntren-1")
    assert "SHA-256" not in str(caught.value)
    assert not cache.exists()


def test_a_folder_of_data_without_the_file_is_mentioned_too(server, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSEARCH_DATA", str(tmp_path))
    server.manners[TRUTH_FILE] = "absent"
    with pytest.raises(DataError) as caught:
        datasets.load("syntren-1")
    assert f"{tmp_path / TRUTH_FILE} does not exist" in str(caught.value)
    assert f"DAGSEARCH_DATA to a folder that holds {TRUTH_FILE}" in str(caught.value)
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_to_is_named(cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(DataError, match=rf"could not be downloaded to {cache}: .*{cache}"):
        datasets.load("syntren-1")


def test_a_full_disk_leaves_no_partial_file(cache, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dagsearch._writing.os.fsync", fail)
    with pytest.raises(DataError, match="No space left on device"):
        datasets.load("syntren-1")
    assert files_below(cache) == []


# ---------------------------------------------------------------- processes and standard output

SCRIPT = """
import json, sys
from dagsearch import datasets
from dagsearch.datasets import files
sums = json.loads(sys.argv[1])
files.checksums = lambda: sums
assert datasets.load("syntren-1").n_samples == 20
"""


@pytest.mark.long
def test_two_processes_that_download_at_once_both_end_well_and_quietly(server, cache):
    server.manners = {TRUTH_FILE: "together", DATA_FILE: "together"}
    command = [sys.executable, "-c", SCRIPT, json.dumps(CHECKSUMS)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    outcomes = [(*process.communicate(timeout=120), process.returncode) for process in both]
    assert outcomes == [(b"", b"", 0)] * 2
    assert sorted(server.requests) == sorted(2 * [TRUTH_FILE, DATA_FILE]), "they should have met"
    assert files_below(cache) == [TRUTH_FILE, DATA_FILE]


@pytest.mark.usefixtures("cache")
def test_the_level_of_poochs_log_is_left_as_it_was(server, monkeypatch):
    monkeypatch.setattr(pooch.get_logger(), "level", logging.INFO)
    datasets.download("syntren-1")
    assert pooch.get_logger().level == logging.INFO
    assert server.requests


@pytest.mark.usefixtures("cache")
def test_the_command_downloads_with_a_line_on_standard_error(server):
    result = run("datasets", "syntren-1", "--download", "--json", "-")
    assert result.exit_code == 0
    (entry,) = json.loads(result.stdout)["datasets"]
    assert (entry["name"], entry["status"]) == ("syntren-1", "on this machine")
    assert result.stderr == f"downloading data set syntren-1 from http://127.0.0.1:{server.server_port}/mirror/\n"
    again = run("datasets", "syntren-1", "--download")
    assert (again.exit_code, again.stderr) == (0, "")


def test_the_command_downloads_all(server, cache, monkeypatch):
    monkeypatch.setattr(registry, "ENTRIES", {name: ENTRIES[name] for name in ("sachs", "syntren-1", "syntren-2")})
    assert "syntren-1..2" in succeed("datasets", "--download")
    assert sorted(server.requests) == files_below(cache) == sorted(PUBLISHED)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("arguments", [["datasets", "syntren-1", "--download"], ["discover", "syntren-1"]])
def test_the_command_ends_with_2_where_a_download_fails(server, arguments):
    server.manners[TRUTH_FILE] = "tampered"
    result = run(*arguments, "--json", "-")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is not the published file" in result.stderr
    assert "Traceback" not in result.stderr


# ---------------------------------------------------------------- the committed sums


def test_every_file_has_a_sum_that_pooch_can_read(tmp_path):
    source = pooch.create(tmp_path, "https://example.org/")
    source.load_registry(files.__file__.replace("files.py", "checksums.txt"))
    assert source.registry == files.checksums()
    assert set(files.checksums()) == {file for entry in ENTRIES.values() for file in entry.files}
    assert all(len(checksum) == 64 for checksum in files.checksums().values())


def test_committed_sums_are_those_of_the_published_files(data_folder):
    for file, checksum in files.checksums().items():
        assert pooch.file_hash(data_folder / file) == checksum, file
