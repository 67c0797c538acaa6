"""What would need more memory than there is, or comes from a file without end, is refused before it is taken."""

import gzip
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import dagsearch as ds
from dagsearch import contents, memory
from dagsearch.cli import main
from dagsearch.data.reading import packed, read_table
from dagsearch.datasets import simulate
from dagsearch.datasets.bif import read_bif
from dagsearch.errors import DataError, InputError
from dagsearch.graph.reading import read_graph

GIB = 2**30


@pytest.fixture
def four_gib(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 4 * GIB)


def test_what_is_free_is_the_least_that_system_containers_and_limits_leave(monkeypatch):
    monkeypatch.setattr(memory, "_of_system", lambda: 16 * GIB)
    monkeypatch.setattr(memory, "_of_containers", lambda: iter([2 * GIB, 8 * GIB]))
    monkeypatch.setattr(memory, "_of_process", lambda: None)
    assert memory.free_bytes() == int(0.9 * 2 * GIB)
    monkeypatch.setattr(memory, "_of_containers", lambda: iter([]))
    monkeypatch.setattr(memory, "_of_system", lambda: None)
    assert memory.free_bytes() == memory.MOST_WITHOUT_KNOWING
    monkeypatch.setattr(memory, "_of_process", lambda: -5)
    assert memory.free_bytes() == 0


@pytest.mark.parametrize(
    ("limit", "used", "stat", "left"),
    [("1000", "600", "inactive_file 100", [500]), ("max", "600", "", []), (str(2**63), "600", "", [])],
)
def test_a_container_leaves_its_limit_less_what_it_uses_but_for_files_that_were_read(tmp_path, limit, used, stat, left):
    group = tmp_path / "pod" / "box"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(f"{limit}\n")
    (group / "memory.current").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"anon 1\n{stat}\n")
    assert list(memory._left_in(tmp_path, "/pod/box", "memory.max", "memory.current", "inactive_file")) == left
    assert list(memory._left_in(tmp_path, "/not/seen/here", "memory.max", "memory.current", "inactive_file")) == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process takes")
def test_a_limit_on_the_process_counts():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, resource.RLIM_INFINITY));"
        "from dagsearch import memory; print(memory.free_bytes())"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert 0 < int(said.stdout) < 3 * GIB


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(5, "5 bytes"), (3 * 2**20, "3 MiB"), (7.3 * 2**40, "7.3 TiB"), (2.0**90, "1.1e+15 TiB")]
)
def test_bytes_are_said_in_the_unit_that_suits(n_bytes, words):
    assert memory.in_words(n_bytes) == words


@pytest.mark.usefixtures("four_gib")
def test_gaussian_processes_on_a_million_rows_are_refused_with_the_number_and_a_way_out():
    table = np.random.default_rng(0).normal(size=(1_000_000, 2))
    with pytest.raises(
        InputError, match=r"bic-gp on 1,000,000 rows would need 8\.\d+ TiB .* 4 GiB are free: use fewer"
    ):
        ds.scores.make("bic-gp", table)


@pytest.mark.usefixtures("four_gib")
def test_the_selection_of_neighbours_of_two_thousand_columns_is_refused():
    table = np.random.default_rng(0).normal(size=(30, 2_000))
    with pytest.raises(InputError, match=r"2,000 columns would need 1\d\.\d GiB .*--no-selection"):
        ds.CAM().fit(table)


@pytest.mark.parametrize("text", ["[[0, 300000000]]", '{"edges": [[0, 300000000]]}', "[[0, 1" + "0" * 30 + "]]"])
def test_a_graph_file_with_a_huge_position_is_refused(tmp_path, text):
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(DataError, match=r"a graph of [\d,]+ nodes would need"):
        read_graph(tmp_path / "graph.json")


def test_the_simulation_of_a_million_variables_is_refused_in_words_of_the_command(tmp_path):
    done = CliRunner().invoke(main, ["simulate", "--nodes", "1000000", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "a random graph of 1,000,000 variables would need" in done.output
    with pytest.raises(InputError, match="TiB of memory"):
        simulate(1_000_000)


@pytest.mark.long
def test_a_table_of_more_rows_than_memory_holds_is_not_simulated():
    with pytest.raises(InputError, match=r"1,000,000,000 rows of 10,000 variables would need"):
        simulate(10_000, 1_000_000_000, n_edges=5)


def test_a_network_with_twenty_five_parents_is_refused(tmp_path):
    names = [f"p{k}" for k in range(25)]
    variables = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in [*names, "x"])
    roots = "".join(f"probability ( {name} ) {{ table 0.5, 0.5; }}\n" for name in names)
    last = f"probability ( x | {', '.join(names)} ) {{ default 0.5, 0.5; }}\n"
    (tmp_path / "wide.bif").write_text(variables + roots + last)
    with pytest.raises(DataError, match=r"'x': its 25 parents have 33,554,432 combinations of levels"):
        read_bif(tmp_path / "wide.bif")


def test_a_parquet_file_that_expands_a_thousandfold_is_refused_before_it_is_read(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(
        pyarrow.table({name: pyarrow.array(np.zeros(2_000_000)) for name in "ab"}), tmp_path / "z.parquet"
    )
    assert (tmp_path / "z.parquet").stat().st_size < 100_000
    monkeypatch.setattr(packed, "MOST_BYTES", 10_000_000)
    monkeypatch.setattr(parquet, "read_table", lambda *_: pytest.fail("was read"))
    with pytest.raises(DataError, match=r"has 2,000,000 rows of 2 columns, 30\.5 MiB as numbers"):
        read_table(tmp_path / "z.parquet")


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_feather_file_that_expands_is_refused(tmp_path, monkeypatch, compression):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    table = pyarrow.table({"a": pyarrow.array(np.zeros(500_000)), "b": pyarrow.array(np.zeros(500_000))})
    feather.write_feather(table, tmp_path / "z.feather", compression=compression)
    assert len(read_table(tmp_path / "z.feather")) == 500_000
    monkeypatch.setattr(packed, "MOST_BYTES", 1_000_000)
    with pytest.raises(DataError, match="unpacks to more than 1,000,000 bytes"):
        read_table(tmp_path / "z.feather")


def test_a_compressed_file_that_expands_is_refused(tmp_path, monkeypatch):
    (tmp_path / "z.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 500_000))
    monkeypatch.setattr(packed, "MOST_BYTES", 1_000_000)
    with pytest.raises(DataError, match="unpacks to more than 1,000,000 bytes"):
        read_table(tmp_path / "z.csv.gz")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files on this system")
@pytest.mark.parametrize("kind", ["device", "silent pipe"])
def test_files_without_end_are_refused_at_once(tmp_path, kind):
    started = time.monotonic()
    for name, read in (
        ("t.csv", read_table),
        ("g.json", read_graph),
        ("n.bif", read_bif),
        ("k.json", ds.Knowledge.read),
    ):
        path = tmp_path / name
        if kind == "device":
            path.symlink_to("/dev/zero")
        else:
            os.mkfifo(path)
        with pytest.raises(DataError, match="is no regular file but a pipe or a device"):
            read(path)
    assert time.monotonic() - started < 60.0


def test_a_file_larger_than_what_is_free_is_refused_without_reading_it(tmp_path, monkeypatch):
    with (tmp_path / "t.csv").open("wb") as file:
        file.truncate(50_000_000)  # takes no room on the disk
    monkeypatch.setattr(memory, "free_bytes", lambda: 40_000_000)
    with pytest.raises(DataError, match=r"holds 47\.7 MiB, 38\.1 MiB of memory are free"):
        read_table(tmp_path / "t.csv")


def test_a_file_of_the_system_without_a_size_is_read():
    if not Path("/proc/self/status").exists():
        pytest.skip("no such file on this system")
    assert contents.of(Path("/proc/self/status")).startswith(b"Name:")


def test_free_memory_is_not_more_than_there_is():
    assert 0 < memory.free_bytes() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert resource.getrlimit(resource.RLIMIT_AS)
