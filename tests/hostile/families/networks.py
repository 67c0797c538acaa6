"""Bayesian networks in .bif files, sampled by the command; damaged ones are refused."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from hostile.case import REFUSED, RIGHT, Case, dagsearch
from hostile.spoilt import cut_off, damaged

FAMILY = "networks"
_TWO = "variable a { type discrete [ 2 ] { x, y }; }\nvariable b { type discrete [ 2 ] { x, y }; }\n"
_ROOT = "probability ( a ) { table 0.5, 0.5; }\n"
_LEAF = "probability ( b | a ) { (x) 0.1, 0.9; (y) 0.9, 0.1; }\n"


def cases() -> Iterator[Case]:
    """All of this family."""
    whole = bundled()
    yield Case(FAMILY, "as it should be", partial(_sampled, "net.bif", whole, "asia"), (RIGHT,))
    yield Case(FAMILY, "packed", partial(_sampled, "net.bif.gz", gzip.compress(whole, mtime=0), "asia"), (RIGHT,))
    yield Case(FAMILY, "two variables", partial(_sampled, "net.bif", (_TWO + _ROOT + _LEAF).encode()), (RIGHT,))
    for what, content in (*cut_off(whole), *damaged(whole, "network", 60)):
        yield Case(FAMILY, what, partial(_sampled, "net.bif", content), (RIGHT, REFUSED))
    packed = gzip.compress(whole, mtime=0)
    for what, content in (*cut_off(packed), *damaged(packed, "packed network", 20)):
        yield Case(FAMILY, f"packed, {what}", partial(_sampled, "net.bif.gz", content), (RIGHT, REFUSED))
    for number, text in enumerate(_refused()):
        yield Case(FAMILY, f"refused {number} {text[-24:]!r}", partial(_sampled, "net.bif", text.encode()), (REFUSED,))
    for path in (".", "none.bif", "/dev/zero", "asiaa", "", "x" * 300):
        yield Case(FAMILY, f"place {path[:20]!r}", partial(_of, path), (REFUSED,))


def bundled() -> bytes:
    from importlib import resources

    return (resources.files("dagsearch.datasets") / "bundled" / "asia.bif").read_bytes()


def _of(network: str) -> None:
    dagsearch("simulate", "--network", network, "--rows", "30", "--out", "made")


def _sampled(name: str, content: bytes, same_as: str = "") -> None:
    Path(name).write_bytes(content)
    _of(name)
    data = pd.read_csv("made/data.csv", dtype=str)
    assert len(data) == 30
    if same_as:
        dagsearch("simulate", "--network", same_as, "--rows", "30", "--out", "same")
        assert Path("same/data.csv").read_bytes() == Path("made/data.csv").read_bytes()


def _refused() -> Iterator[str]:
    yield from (
        "",
        "x",
        "network x {",
        "{",
        "}",
        "variable",
        "variable a",
        "variable a {",
        "probability ( a ) {",
        "network x { }",
        "// only this",
        "/*",
    )
    yield from (_TWO, _TWO + _ROOT, _ROOT + _LEAF, _TWO + _TWO + _ROOT + _LEAF, _TWO + _ROOT + _ROOT + _LEAF)
    for levels in (
        "[ 0 ] { }",
        "[ 3 ] { x, y }",
        "[ -1 ] { x }",
        "[ x ] { x }",
        "[ 2 ] { x, x }",
        "[ 1" + "0" * 30 + " ] { x, y }",
        "2 { x, y }",
        "[ 2 ] x, y",
    ):
        yield _TWO.replace("[ 2 ] { x, y }", levels, 1) + _ROOT + _LEAF
    for table in (
        "0.5",
        "0.5, 0.6",
        "0.5, -0.5",
        "nan, 0.5",
        "inf, 0.5",
        "0.5, 0.5, 0.0",
        "1e400, 0",
        "a, b",
        "",
        "0.5 0.5 0.5",
        "1,5",
    ):
        yield _TWO + _ROOT.replace("0.5, 0.5", table) + _LEAF
    for rows in (
        "(x) 0.1, 0.9;",
        "(x) 0.1, 0.9; (x) 0.1, 0.9;",
        "(x) 0.1, 0.9; (z) 0.1, 0.9;",
        "(x, y) 0.1, 0.9;",
        "table 0.1, 0.9;",
        "(x 0.1, 0.9;",
        "default 0.5;",
    ):
        yield _TWO + _ROOT + "probability ( b | a ) { " + rows + " }\n"
    for parents in ("b | z", "b | b", "b | a, a", "z | a", "b |", "| a", "b | a | a", ""):
        yield _TWO + _ROOT + _LEAF.replace("b | a", parents)
    yield _TWO + "probability ( a | b ) { (x) 0.1, 0.9; (y) 0.9, 0.1; }\n" + _LEAF
    names = [f"p{k}" for k in range(25)]
    many = "".join(
        f"variable {name} {{ type discrete [ 2 ] {{ x, y }}; }}\nprobability ( {name} ) {{ table 0.5, 0.5; }}\n"
        for name in names
    )
    child = "variable c { type discrete [ 2 ] { x, y }; }\n"
    yield many + child + f"probability ( c | {', '.join(names)} ) {{ default 0.5, 0.5; }}\n"
    yield many + child + f"probability ( c | {', '.join(names)} ) {{ table 0.5, 0.5; }}\n"
    yield "variable a { type discrete [ 2 ] { x, y }; " + "{ " * 20_000
    yield "network x { " + "property y ; " * 3 + "{ } } variable"
