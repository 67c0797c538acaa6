"""Files that appear complete or not at all."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from dagsearch import _writing
from dagsearch._writing import require_writable_file, require_writable_folder, write_all, write_whole
from dagsearch.errors import InputError

on_posix = pytest.mark.skipif(os.name != "posix", reason="devices and modes are POSIX's")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")


@pytest.fixture
def full_disk(monkeypatch):
    """Drafts cannot be written to the disk."""

    def fail(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_writing.os, "fsync", fail)


@pytest.mark.parametrize("content", ["ä\r\n", "ä\r\n".encode(), lambda file: file.write("ä\r\n".encode())])
def test_text_bytes_and_writers_are_written_as_they_are(tmp_path, content):
    assert write_whole(tmp_path / "a.txt", content) == tmp_path / "a.txt"
    assert (tmp_path / "a.txt").read_bytes() == "ä\r\n".encode()
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.usefixtures("full_disk")
def test_on_a_full_disk_an_older_file_stays_and_nothing_is_left_behind(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(InputError, match=r"--json must be a file that can be written, got .*a.txt: No space left"):
        write_whole(tmp_path / "a.txt", "new", "--json")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_of_some_files_none_appears_before_all_are_complete(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(OSError, match="Input/output error"):
        write_all({tmp_path / "a.txt": "a", tmp_path / "b.txt": fail})
    assert os.listdir(tmp_path) == []


def test_an_interrupted_writer_leaves_nothing_behind(tmp_path):
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.txt", interrupted)
    assert os.listdir(tmp_path) == []


@on_posix
def test_files_have_the_mode_of_any_other_and_keep_it(tmp_path):
    path = write_whole(tmp_path / "a.txt", "a")
    (tmp_path / "other.txt").write_text("")
    assert path.stat().st_mode == (tmp_path / "other.txt").stat().st_mode
    path.chmod(0o640)
    write_whole(path, "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@on_posix
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "a.txt")
    write_whole(tmp_path / "link", "a")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "a.txt").read_text() == "a"


@on_posix
def test_devices_are_written_to_and_not_replaced():
    write_whole(os.devnull, "a")
    require_writable_file(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@on_linux
def test_a_full_device_is_one_message():
    with pytest.raises(InputError, match="got /dev/full: No space left on device"):
        write_whole("/dev/full", "a")


def test_a_file_that_must_not_be_written_to_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("old")
    monkeypatch.setattr(_writing.os, "access", lambda *_: False)  # root may write to any
    for refuse in (require_writable_file, lambda path: write_whole(path, "new")):
        with pytest.raises(InputError, match="Permission denied"):
            refuse(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is a folder"),
        ("none/a.txt", "in a folder that can be written to"),
        ("file/a.txt", "in a folder that can be written to"),
        ("x" * 300, "File name too long|can be written"),
    ],
)
def test_files_that_cannot_be_written_are_known_before(tmp_path, name, message):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=f"^--json must be a file.*({message})") as caught:
        require_writable_file(tmp_path / name, "--json")
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["file", "file/below/it", "x" * 300, "new/" + "x" * 300])
def test_folders_that_cannot_be_written_to_are_known_before(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^--out must be a folder"):
        require_writable_folder(tmp_path / name, "--out")
    assert os.listdir(tmp_path) == ["file"]


def test_what_can_be_written_passes_and_leaves_nothing(tmp_path):
    require_writable_file(tmp_path / "a.txt")
    require_writable_folder(tmp_path)
    require_writable_folder(tmp_path / "some" / "new" / "folder")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_known_before(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fail)
    for require in (lambda: require_writable_file(tmp_path / "a"), lambda: require_writable_folder(tmp_path / "b")):
        with pytest.raises(InputError, match="No space left"):
            require()


@on_posix
def test_a_deleted_working_directory_is_one_message(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for refuse in (
        lambda: require_writable_file("a.txt"),
        lambda: require_writable_folder("out"),
        lambda: write_whole("a.txt", "a"),
    ):
        with pytest.raises(InputError, match="No such file or directory"):
            refuse()
