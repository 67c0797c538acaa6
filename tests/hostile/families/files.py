"""Files as users have them: every format whole, cut off, damaged, misnamed, and files that are no tables."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from hostile.case import NAMES, REFUSED, RIGHT, SECONDS, Case, any_result, good_table, same_as_clean

FAMILY = "files"
_NAMELESS = tuple(f"x{k}" for k in range(5))


@cache
def contents() -> dict[str, bytes]:
    """The good table in every format, by suffix."""
    frame = good_table()
    text = frame.to_csv(index=False).encode()
    found = {".csv": text, ".tsv": frame.to_csv(index=False, sep="\t").encode(), ".txt": text.replace(b",", b" ")}
    for suffix, write in (
        (".parquet", frame.to_parquet),
        (".feather", frame.to_feather),
        (".xlsx", partial(frame.to_excel, index=False)),
        (".dta", partial(frame.to_stata, write_index=False)),
    ):
        buffer = io.BytesIO()
        write(buffer)
        found[suffix] = buffer.getvalue()
    found[".npy"] = npy(frame.to_numpy())
    found[".csv.gz"] = gzip.compress(text, mtime=0)
    found[".csv.bz2"] = bz2.compress(text)
    found[".csv.xz"] = lzma.compress(text)
    found[".csv.zip"] = zipped({"table.csv": text})
    return found


def npy(array: np.ndarray, **settings: bool) -> bytes:
    """An array as numpy writes it."""
    buffer = io.BytesIO()
    np.save(buffer, array, **settings)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    """An archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def cases() -> Iterator[Case]:
    """All of this family."""
    yield from _whole()
    yield from _damaged()
    yield from _misnamed()
    yield from _texts()
    yield from _arrays()
    yield from _archives()
    yield from _sheets()
    yield from _places()


def _file(name: str, content: bytes, act: Callable[..., None] = same_as_clean, **more: tuple[str, ...]) -> None:
    Path(name).write_bytes(content)
    act(name, **more)


def _one(
    what: str, name: str, content: bytes, expected: tuple[str, ...], act: Callable[..., None] = same_as_clean, **more
) -> Case:
    seconds = more.pop("seconds", SECONDS)
    words = more.pop("words", "")
    return Case(FAMILY, what, partial(_file, name, content, act, **more), expected, words, seconds=seconds)


def _names_of(suffix: str) -> tuple[str, ...]:
    return _NAMELESS if suffix == ".npy" else NAMES


def _whole() -> Iterator[Case]:
    for suffix, content in contents().items():
        yield _one(f"whole {suffix}", f"table{suffix}", content, (RIGHT,), names=_names_of(suffix))
        yield _one(f"whole {suffix.upper()}", f"TABLE{suffix.upper()}", content, (RIGHT,), names=_names_of(suffix))
        if not suffix.startswith(".csv."):
            packed = gzip.compress(content, mtime=0)
            yield _one(f"{suffix}, packed", f"table{suffix}.gz", packed, (RIGHT, REFUSED), names=_names_of(suffix))


def _damaged() -> Iterator[Case]:
    for suffix, content in contents().items():
        is_text = suffix in (".csv", ".tsv", ".txt")
        draw = random.Random(suffix)
        yield _one(f"empty {suffix}", f"t{suffix}", b"", (REFUSED,), any_result)
        for share in (0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999):
            cut = content[: int(share * len(content))]
            # A text that is cut off is a shorter table; all other formats know their length.
            expected = (RIGHT, REFUSED) if is_text or suffix == ".dta" else (REFUSED,)
            yield _one(f"{suffix} cut off at {share:.1%}", f"t{suffix}", cut, expected, any_result)
        for number in range(10):
            spoilt = bytearray(content)
            for _ in range(1 + number):
                spoilt[draw.randrange(len(spoilt))] ^= 1 << draw.randrange(8)
            yield _one(
                f"{suffix} with flipped bits {number}", f"t{suffix}", bytes(spoilt), (RIGHT, REFUSED), any_result
            )
        for number in range(3):
            start = draw.randrange(len(content))
            spoilt = content[:start] + draw.randbytes(50) + content[start + draw.randrange(60) :]
            yield _one(f"{suffix} with foreign bytes {number}", f"t{suffix}", spoilt, (RIGHT, REFUSED), any_result)
        yield _one(
            f"{suffix} with more at the end", f"t{suffix}", content + b"\0garbage" * 9, (RIGHT, REFUSED), any_result
        )
        yield _one(f"{suffix} twice", f"t{suffix}", content + content, (RIGHT, REFUSED), any_result)
        yield _one(f"{suffix} of zeros", f"t{suffix}", bytes(len(content)), (REFUSED,), any_result)
        yield _one(f"{suffix} of noise", f"t{suffix}", draw.randbytes(len(content)), (REFUSED,), any_result)


def _misnamed() -> Iterator[Case]:
    for suffix, content in contents().items():
        for other in (*contents(), ".csv.gz.gz", ""):
            if other != suffix:
                names = _names_of(suffix)
                both = (RIGHT, REFUSED)
                yield _one(f"{suffix} called {other or 'nothing'}", f"table{other}", content, both, names=names)
    for suffix in (
        ".exe",
        ".json",
        ".md",
        ".html",
        ".pickle",
        ".pkl",
        ".npz",
        ".xls",
        ".ods",
        ".sav",
        ".rds",
        ".h5",
        ".py",
        ".",
    ):
        yield _one(
            f"unknown suffix {suffix}",
            f"table{suffix}",
            contents()[".csv"],
            (REFUSED,),
            words="suffix" if suffix != "." else "",
        )


def _texts() -> Iterator[Case]:
    frame, text = good_table(), contents()[".csv"].decode()
    header, *rows = text.splitlines()
    right = {
        "CRLF": text.replace("\n", "\r\n").encode(),
        "CR": text.replace("\n", "\r").encode(),
        "byte order mark": text.encode("utf-8-sig"),
        "UTF-16": text.encode("utf-16"),
        "UTF-16 big endian": b"\xfe\xff" + text.encode("utf-16-be"),
        "no newline at the end": text.rstrip("\n").encode(),
        "blank lines at the end": (text + "\n\n\n").encode(),
        "blank lines in between": text.replace("\n", "\n\n").encode(),
        "quoted": frame.to_csv(index=False, quoting=1).encode(),
        "semicolons": frame.to_csv(index=False, sep=";").encode(),
        "semicolons and decimal commas": frame.to_csv(index=False, sep=";", decimal=",").encode(),
        "bars": frame.to_csv(index=False, sep="|").encode(),
        "tabs": frame.to_csv(index=False, sep="\t").encode(),
        "spaces after commas": text.replace(",", ", ").encode(),
        "comment lines": ("# made by hand\n# twice\n" + text).encode(),
        "row numbers": frame.to_csv().encode(),
        "separator at the end of rows": text.replace("\n", ",\n").encode(),
        "exponents": frame.to_csv(index=False, float_format="%.17e").encode(),
        "plus signs": "\n".join(
            [header, *(",".join(f"{float(x):+}" for x in row.split(",")) for row in rows)]
        ).encode(),
        "many zeros": "\n".join([header, *(",".join(x + "0" * 300 for x in row.split(",")) for row in rows)]).encode(),
        "sep= line of Excel": ("sep=,\n" + text).encode(),
    }
    for what, content in right.items():
        expected = (
            (RIGHT, REFUSED)
            if what in ("many zeros", "sep= line of Excel", "separator at the end of rows")
            else (RIGHT,)
        )
        yield _one(f"text: {what}", "table.csv", content, expected)
    refused = {
        "only a newline": "\n",
        "only blanks": "   \n  \n",
        "only a header": header,
        "header and a row": f"{header}\n{rows[0]}\n",
        "byte order mark alone": "\ufeff",
        "a word": "hello",
        "a sentence": "This is a letter, not a table.\nYours\n",
        "JSON": '{"a": [1, 2, 3]}',
        "HTML": "<html><body><table><tr><td>1</td></tr></table></body></html>",
        "Python": "import os\nos.system('true')\n",
        "one column": "a\n" + "\n".join(row.split(",")[0] for row in rows),
        "more fields than names": "\n".join([header, *(f"{row},1,2" for row in rows)]),
        "a row with more fields": "\n".join([header, *rows, rows[0] + ",9,9,9"]),
        "text in a column of numbers": "\n".join([header, *rows[:-1], "abc" + rows[-1]]),
        "infinite": "\n".join([header, *rows[:-1], "inf,1,1,1,1"]),
        "1e400": "\n".join([header, *rows[:-1], "1e400,1,1,1,1"]),
        "a one and 400 zeros": "\n".join([header, *rows[:-1], "1" + "0" * 400 + ",1,1,1,1"]),
        "the same name twice": text.replace("a,b,c", "a,a,c", 1),
        "an empty name": text.replace("a,b,c", "a,,c", 1),
        "a million commas": "," * 1_000_000 + "\n",
        "a million names": ",".join(f"c{k}" for k in range(1_000_000)) + "\n",
    }
    for what, content in refused.items():
        one_of = ("text in a column of numbers", "more fields than names", "an empty name", "a row with more fields")
        expected = (RIGHT, REFUSED) if what in one_of else (REFUSED,)
        yield _one(f"text: {what}", "table.csv", content.encode(), expected, any_result)
    either = {
        "no header": "\n".join(rows).encode(),
        "Latin-1 names": text.replace("a,b", "\u00e4,b", 1).encode("latin-1"),
        "NUL bytes": text.replace("1", "\0").encode(),
        "an unclosed quote": text.replace("\n", '\n"', 1).encode(),
        "quotes within": text.replace("1", '1"').encode(),
        "UTF-32": text.encode("utf-32"),
        "invalid UTF-8": text.encode() + b"\xff\xfe\xfd",
        "a field of a megabyte": (text + "x" * 1_000_000 + ",1,1,1,1\n").encode(),
        "a name of a megabyte": ("x" * 1_000_000 + text[1:]).encode(),
        "a line of ten thousand fields": (text + ",".join("1" * 10_000) + "\n").encode(),
        "five thousand columns": (
            ",".join(f"c{k}" for k in range(5000)) + "\n" + (",".join("12345" * 1000) + "\n") * 3
        ).encode(),
        "a header alone of a hundred thousand names": ",".join(f"c{k}" for k in range(100_000)).encode(),
        "ragged": "\n".join([header, *(row.rsplit(",", k % 3)[0] for k, row in enumerate(rows))]).encode(),
        "formulas": text.replace("\n", "\n=1+1,", 1).encode(),
        "thousands separators": "a;b\n" + "".join(f"1,{k:03d};{k}\n" for k in range(100)),
        "dates": "a,b\n" + "".join(f"2020-01-{1 + k % 28:02d},{k}\n" for k in range(60)),
        "currency": "a,b\n" + "".join(f"${k}.50,{k * k % 17}\n" for k in range(60)),
        "Arabic digits": "a,b\n" + "".join(f"{chr(0x660 + k % 10)},{k * k % 17}\n" for k in range(60)),
        "full-width digits": "a,b\n" + "".join(f"{chr(0xFF10 + k % 10)},{k * k % 17}\n" for k in range(60)),
        "underscores in numbers": "a,b\n" + "".join(f"1_{k:03d},{k * k % 17}\n" for k in range(60)),
        "hexadecimal": "a,b\n" + "".join(f"0x{k:x},{k * k % 17}\n" for k in range(60)),
        "whole numbers beyond 2^53": "a,b\n" + "".join(f"{2**53 + k},{k * k % 17}\n" for k in range(60)),
        "a thousand quotes": '"' * 1000 + "\n" + text,
        "separators only": ",,,,\n" * 50,
        "every line a comment": "# x\n" * 50,
    }
    for what, content in either.items():
        data = content if isinstance(content, bytes) else content.encode()
        yield _one(f"text: {what}", "table.csv", data, (RIGHT, REFUSED), any_result)


def _header(text: str, version: bytes = b"\x01\x00") -> bytes:
    width = 2 if version == b"\x01\x00" else 4
    return b"\x93NUMPY" + version + len(text).to_bytes(width, "little") + text.encode()


def _arrays() -> Iterator[Case]:
    x = good_table().to_numpy()
    right = {
        "Fortran order": npy(np.asfortranarray(x)),
        "big endian": npy(x.astype(">f8")),
        "single precision": npy(x.astype(np.float32)),
        "long double": npy(x.astype(np.longdouble)),
        "a slice of a larger one": npy(np.repeat(x, 2, axis=1)[:, ::2]),
    }
    for what, content in right.items():
        yield _one(f"npy: {what}", "table.npy", content, (RIGHT,), names=_NAMELESS)
    records = np.array([tuple(row) for row in x[:20]], dtype=[(name, "<f8") for name in NAMES])
    refused = {
        "objects": npy(x.astype(object), allow_pickle=True),
        "code in a pickle": npy(np.array([os], dtype=object)[:0], allow_pickle=True),
        "complex": npy(x + 1j),
        "three axes": npy(x.reshape(5, 24, 5)),
        "one axis": npy(x[:, 0]),
        "a number": npy(np.float64(3)),
        "no rows": npy(x[:0]),
        "no columns": npy(x[:, :0]),
        "not a number": npy(np.where(x > 2, np.inf, x)),
        "header of parentheses": _header("(" * 60_000),
        "header of brackets": _header("[" * 10_000 + "]" * 10_000),
        "header with a call": _header("__import__('os').system('touch hacked')"),
        "no header": b"\x93NUMPY\x01\x00",
        "header longer than the file": b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + b"{}",
        "version 9": _header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)}\n", b"\x09\x00"),
        "shape beyond the file": _header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 5)}\n"),
        "negative shape": _header("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 5)}\n") + bytes(120),
        "shape of text": _header("{'descr': '<f8', 'fortran_order': False, 'shape': ('a', 5)}\n"),
        "descr of nothing": _header("{'descr': '', 'fortran_order': False, 'shape': (3, 5)}\n") + bytes(120),
        "descr of objects": _header("{'descr': '|O', 'fortran_order': False, 'shape': (3, 5)}\n") + bytes(120),
        "descr of bytes of no length": _header("{'descr': '|S0', 'fortran_order': False, 'shape': (3, 5)}\n"),
        "a pickle": b"\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06getpid\x94\x93\x94)R\x94.",
    }
    for what, content in refused.items():
        yield _one(f"npy: {what}", "table.npy", content, (REFUSED,), any_result)
    either = {
        "booleans": npy(x > 0),
        "bytes": npy((x * 20).astype(np.int8)),
        "half precision": npy(x.astype(np.float16)),
        "huge whole numbers": npy((x * 2.0**60).astype(np.int64)),
        "unsigned": npy(((x + 10) * 2.0**59).astype(np.uint64)),
        "text": npy(x.astype(str)),
        "dates": npy(x.astype("datetime64[s]")),
        "durations": npy(x.astype("timedelta64[s]")),
        "records": npy(records),
        "empty cells": npy(np.where(x > 2, np.nan, x)),
    }
    for what, content in either.items():
        yield _one(f"npy: {what}", "table.npy", content, (RIGHT, REFUSED), any_result)


def _archives() -> Iterator[Case]:
    text = contents()[".csv"]
    zeros = gzip.compress(b"a,b\n" + b"1,2\n" * 10_000_000, 1, mtime=0)
    right = {
        "a folder and a table": zipped({"folder/": b"", "folder/table.csv": text}),
        "what a Mac adds": zipped({"table.csv": text, "__MACOSX/._table.csv": b"\0\5"}),
    }
    for what, content in right.items():
        yield _one(f"zip: {what}", "table.csv.zip", content, (RIGHT, REFUSED))
    for what, content in {
        "no member": zipped({}),
        "two tables": zipped({"a.csv": text, "b.csv": text}),
        "a member that is no table": zipped({"a.exe": text}),
        "an archive within": zipped({"a.zip": zipped({"a.csv": text})}),
        "encrypted": _encrypted(zipped({"a.csv": text})),
        "of an unknown compression": zipped({"a.csv": text}).replace(b"\x08\x00", b"\x63\x00"),
    }.items():
        yield _one(f"zip: {what}", "table.zip", content, (REFUSED,), any_result)
    outside = zipped({"../../outside.csv": text})
    yield Case(FAMILY, "zip: a member outside", partial(_stays_inside, outside), (RIGHT, REFUSED))
    yield _one("gz: packed twice", "t.csv.gz", gzip.compress(gzip.compress(text)), (REFUSED,), any_result)
    yield _one("gz: forty megabytes of the same", "t.csv.gz", zeros, (RIGHT, REFUSED), any_result, seconds=120.0)
    yield _one("gz: several parts", "t.csv.gz", gzip.compress(text[:500]) + gzip.compress(text[500:]), (RIGHT,))
    yield _one("gz: no text at all", "t.csv.gz", gzip.compress(b""), (REFUSED,), any_result)


def _encrypted(archive: bytes) -> bytes:
    """The same archive, whose member claims to be encrypted."""
    spoilt = bytearray(archive)
    spoilt[6] |= 1
    spoilt[archive.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(spoilt)


def _stays_inside(content: bytes) -> None:
    Path("folder").mkdir()
    os.chdir("folder")
    try:
        _file("table.zip", content)
    finally:
        assert sorted(os.listdir("..")) == ["folder"]


def _sheets() -> Iterator[Case]:
    frame = good_table()

    def workbook(**sheets: pd.DataFrame) -> bytes:
        buffer = io.BytesIO()
        with pd.ExcelWriter(buffer) as writer:
            for name, each in sheets.items():
                each.to_excel(writer, sheet_name=name, index=False)
        return buffer.getvalue()

    def with_part(name: str, content: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(contents()[".xlsx"])) as archive:
            members = {member: archive.read(member) for member in archive.namelist()}
        return zipped({**members, name: content})

    laughs = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><sst><si><t>&l9;</t></si></sst>'.encode()
    outside = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><worksheet>&f;</worksheet>'
    for what, content in {
        "an empty sheet": workbook(one=pd.DataFrame()),
        "a sheet of text": workbook(one=frame.astype(object).map(lambda x: f"about {x}")),
        "a billion laughs": with_part("xl/sharedStrings.xml", bomb),
        "a sheet from outside": with_part("xl/worksheets/sheet1.xml", outside),
        "a sheet that is no XML": with_part("xl/worksheets/sheet1.xml", b"<<<"),
        "no workbook within": zipped({"a.txt": b"x"}),
        "two sheets": workbook(one=frame, two=frame),
        "two sheets, the first one empty": workbook(one=pd.DataFrame(), two=frame),
        "dates": workbook(one=frame.assign(a=pd.Timestamp("2020-01-01"))),
    }.items():
        yield _one(f"xlsx: {what}", "table.xlsx", content, (RIGHT, REFUSED), any_result)


def _places() -> Iterator[Case]:
    text = contents()[".csv"]

    def named(name: str, argument: str | None = None) -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        same = Path(name)
        same.write_bytes(text)
        same_as_clean(*([argument] if argument else [name]))

    for name in (
        "a b.csv",
        "\u00e4\u2603.csv",
        "a\nb.csv",
        "folder/sub folder/t.csv",
        "'t'.csv",
        '"t".csv',
        "$HOME.csv",
        "t;ls.csv",
        "*.csv",
        "t.2020.csv",
        "x" * 250 + ".csv",
        ".csv.csv",
        "%s.csv",
        "{}.csv",
    ):
        yield Case(FAMILY, f"place: {name[:20]!r}", partial(named, name), (RIGHT,))
    yield Case(
        FAMILY,
        "place: a name of bytes that are no text",
        partial(named, os.fsdecode(b"\xff\xfe.csv")),
        (RIGHT, REFUSED),
    )
    yield Case(FAMILY, "place: a name that begins with a dash", partial(named, "-t.csv", "./-t.csv"), (RIGHT,))
    for what, argument in {
        "nothing": "",
        "a blank": " ",
        "this folder": ".",
        "the root": "/",
        "no file": "none.csv",
        "no folder": "none/none.csv",
        "below a file": "/etc/passwd/t.csv",
        "a NUL": "a\0b.csv",
        "a name that is too long": "x" * 300 + ".csv",
        "a path that is too long": "x/" * 3000 + "t.csv",
        "zeros without end": "/dev/zero",
        "nothing at all": "/dev/null",
        "chance without end": "/dev/urandom",
        "standard input": "-",
        "an address": "https://127.0.0.1:1/t.csv",
        "a data set that is not there": "sachss",
        "a set that is not there": "syntren-0",
        "a range where one is needed": "syntren-1..3",
        "another suffix of a data set": "sachs.csv",
    }.items():
        yield Case(FAMILY, f"place: {what}", partial(any_result, argument), (REFUSED,))

    def pipe() -> None:
        os.mkfifo("pipe.csv")
        any_result("pipe.csv")

    def socket_file() -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s.csv")
            any_result("s.csv")

    def loop() -> None:
        os.symlink("loop.csv", "loop.csv")
        any_result("loop.csv")

    def link(target: str) -> None:
        os.symlink(target, "link.csv")
        any_result("link.csv")

    def linked() -> None:
        Path("real.csv").write_bytes(text)
        os.symlink("real.csv", "link.csv")
        same_as_clean("link.csv")

    def folder() -> None:
        Path("folder.csv").mkdir()
        any_result("folder.csv")

    yield Case(FAMILY, "place: a pipe that nobody writes to", pipe, (REFUSED,), seconds=30.0)
    yield Case(FAMILY, "place: a socket", socket_file, (REFUSED,))
    yield Case(FAMILY, "place: a link to itself", loop, (REFUSED,))
    yield Case(FAMILY, "place: a link to nothing", partial(link, "none"), (REFUSED,))
    yield Case(FAMILY, "place: a link to zeros without end", partial(link, "/dev/zero"), (REFUSED,))
    yield Case(FAMILY, "place: a link", linked, (RIGHT,))
    yield Case(FAMILY, "place: a folder with the suffix of a table", folder, (REFUSED,))
