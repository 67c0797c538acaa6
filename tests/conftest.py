"""Fixtures that several test files use."""

from __future__ import annotations

import common
import pytest

from dagsearch.blas import one_blas_thread


@pytest.fixture(autouse=True)
def _no_internet(monkeypatch, tmp_path_factory):
    """Downloads are tested with a server of their own; nothing else may depend on one, or on what a user has cached."""
    monkeypatch.setenv("DAGSEARCH_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("DAGSEARCH_CACHE", str(tmp_path_factory.getbasetemp() / "no-cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def data_folder(monkeypatch):
    """The folder of data sets that are not bundled; the test is skipped where there is none."""
    if not common.DATA.is_dir():
        pytest.skip("there is no folder of data sets")
    monkeypatch.setenv("DAGSEARCH_DATA", str(common.DATA))
    return common.DATA


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for each test of the command, which is also where it runs, with one good table."""
    monkeypatch.chdir(tmp_path)
    common.good_table().to_csv("good.csv", index=False)
    return tmp_path


@pytest.fixture
def one_thread():
    """One BLAS thread, as in fits: on a busy machine several wait for each other longer than small matrices take."""
    with one_blas_thread():
        yield
