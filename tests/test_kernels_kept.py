"""Compiled kernels are kept where they can be, and otherwise compiled anew, which is said once."""

import errno
import os
import stat
import subprocess
import sys

import numba
import pytest
from numba import config
from numba.core.caching import IndexDataCacheFile

from dagsearch.kernels import keeping
from dagsearch.kernels.compile import OPTIONS
from dagsearch.kernels.keeping import keep, temporary_folder


def twice(x):
    return 2 * x


class Homeless:
    """A kernel that numba finds a folder for only if it is told of one."""

    def __init__(self):
        self._cache = None

    def enable_caching(self):
        if not config.CACHE_DIR:
            raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")
        self._cache = config.CACHE_DIR


@pytest.fixture(autouse=True)
def _nothing_said_yet(monkeypatch, tmp_path):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(keeping, "_said", set())
    monkeypatch.setattr(keeping.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    monkeypatch.setattr(config, "CACHE_DIR", "")


@pytest.fixture
def kept_in(monkeypatch, tmp_path):
    """A kernel that is kept in a folder, as a new process would declare it."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    return lambda: keep(numba.njit(**OPTIONS)(twice))


def test_kernels_are_kept_where_numba_keeps_them(kept_in, tmp_path, caplog):
    assert kept_in()(4) == 8
    again = kept_in()
    assert again(4) == 8
    assert sum(again.stats.cache_hits.values()) == 1
    assert again.stats.cache_path.startswith(str(tmp_path / "kept"))
    assert not caplog.records


def test_without_a_usual_place_kernels_are_kept_in_a_temporary_folder_of_the_user(tmp_path, caplog):
    kernels = [keep(Homeless()) for _ in range(3)]
    folder = temporary_folder()
    assert folder.parent == tmp_path / "temporary"
    assert all(kernel._cache._files == str(folder) for kernel in kernels)
    assert not config.CACHE_DIR  # other packages keep their kernels where they did
    assert os.name != "posix" or stat.S_IMODE(folder.stat().st_mode) == 0o700
    (note,) = caplog.messages
    assert note.startswith(f"compiled kernels are kept in {folder}")


def test_without_any_place_kernels_are_not_kept(monkeypatch, caplog):
    def nowhere():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(keeping.tempfile, "gettempdir", nowhere)
    assert [keep(Homeless())._cache for _ in range(3)] == [None] * 3
    assert len(caplog.messages) == 1
    assert "cannot be kept" in caplog.messages[0]
    assert "NUMBA_CACHE_DIR" in caplog.messages[0]


@pytest.mark.skipif(os.name != "posix", reason="Windows has a folder of temporary files for each user")
def test_nothing_is_run_from_a_folder_that_others_can_write_to(tmp_path):
    folder = temporary_folder()
    folder.chmod(0o777)
    assert temporary_folder() is None
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert temporary_folder() is None


def test_on_a_full_disk_kernels_run_and_leave_no_index_of_what_was_not_written(kept_in, monkeypatch, tmp_path, caplog):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", fail)
    assert kept_in()(4) == 8
    assert kept_in()(4.0) == 8.0
    assert not list((tmp_path / "kept").rglob("*.nb?"))
    (note,) = caplog.messages
    assert "No space left on device" in note


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_are_compiled_anew(kept_in, suffix, tmp_path, caplog):
    kept_in()(4)
    (damaged,) = (tmp_path / "kept").rglob(f"*{suffix}")
    damaged.write_bytes(damaged.read_bytes()[:50])
    assert kept_in()(4) == 8
    (note,) = caplog.messages
    assert "cannot be read" in note
    again = kept_in()
    assert again(4) == 8
    assert sum(again.stats.cache_hits.values()) == 1


def test_processes_that_others_start_say_nothing(monkeypatch, caplog):
    monkeypatch.setattr(keeping.multiprocessing, "parent_process", object)
    monkeypatch.setattr(keeping, "temporary_folder", lambda: None)
    keep(Homeless())
    assert not caplog.records


def test_without_compilation_there_is_one_message(folder):
    command = [sys.executable, "-m", "dagsearch.cli", "discover", "good.csv"]
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: NUMBA_DISABLE_JIT is set")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("NUM_THREADS", "0", "must be > 0"), ("NUM_THREADS", "abc", "could not be parsed"), ("OPT", "x", "be parsed")],
)
def test_what_numba_cannot_start_with_is_one_message(name, value, said):
    command = [sys.executable, "-c", "import dagsearch.kernels"]
    variables = {**os.environ, f"NUMBA_{name}": value}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("dagsearch.errors.DagsearchError: ")
    assert said in last
    assert "Unset" in last
