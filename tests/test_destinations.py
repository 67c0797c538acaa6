"""Results go to places of their own: never over what the command reads, nor over each other."""

import os

import numpy as np
import pytest
from click.testing import CliRunner

from dagsearch._writing import write_all, write_whole
from dagsearch.cli import main
from dagsearch.cli.destinations import check_destinations
from dagsearch.errors import InputError

SEARCH = ("discover", "table.csv", "--method", "greedy", "--score", "bic-linear")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(30, 3)).round(3).tolist()
    (tmp_path / "table.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    (tmp_path / "truth.csv").write_text("cause,effect\na,b\n")
    (tmp_path / "known.json").write_text('{"required": [["a", "b"]]}')
    return tmp_path


def refusal(*options):
    done = CliRunner().invoke(main, [*SEARCH, *options])
    assert done.exit_code == 2, done.output
    assert not done.stdout
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("read", ["table.csv", "truth.csv", "known.json"])
@pytest.mark.parametrize("option", ["--json", "--checkpoint"])
def test_what_is_read_is_never_written_over(place, read, option):
    before = (place / read).read_bytes()
    os.symlink(read, "link")
    os.mkdir("folder")
    for path in (read, "link", f"folder/../{read}", str(place / read)):
        said = refusal("--truth", "truth.csv", "--knowledge", "known.json", option, path)
        assert said.startswith(f"Error: {option} ")
        assert option == "--checkpoint" or f"must not be written over {read}" in said
    assert (place / read).read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--json", "p.html", "--report", "./p.html"), "--json and --report must be different files, both are p.html"),
        (("--json", "c", "--checkpoint", "c"), "--json and --checkpoint must be different files, both are c"),
        (("--out", "o", "--json", "o/graph.csv"), "--out and --json must be different files, both are o/graph.csv"),
    ],
)
def test_two_results_never_go_to_one_file(options, message):
    os.mkdir("o")
    assert refusal(*options) == f"Error: {message}"
    assert os.listdir("o") == []


def test_of_devices_nothing_is_lost():
    check_destinations(None, os.devnull, checkpoint=os.devnull, read=[os.devnull])


@pytest.mark.parametrize("spoil", [os.mkdir, lambda path: os.symlink("none/x", path)])
@pytest.mark.parametrize("name", ["graph.csv", "pruned.svg"])
def test_what_stands_in_place_of_a_graph_is_known_before_the_search(spoil, name):
    os.mkdir("o")
    spoil(f"o/{name}")
    assert refusal("--out", "o").startswith("Error: --out must be a file")
    assert os.listdir("o") == [name]


def test_of_some_files_none_appears_where_one_would_take_the_place_of_a_folder(place):
    (place / "b").mkdir()
    with pytest.raises(IsADirectoryError):
        write_all({place / "a": "1", place / "b": "2"})
    assert not (place / "a").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_that_nobody_reads_from_is_not_waited_for(place):
    os.mkfifo("pipe")
    with pytest.raises(InputError, match="is a pipe that nobody reads from"):
        write_whole(place / "pipe", "x")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(place / "pipe", "x")
    assert os.read(reader, 9) == b"x"
    os.close(reader)


def test_folders_are_not_made_a_thousand_deep():
    assert "at most 100 new folders deep, got 1000" in refusal("--out", "x/" * 1000)
