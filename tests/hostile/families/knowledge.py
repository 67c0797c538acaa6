"""Files of knowledge: valid ones in every format obey, all others are refused in one line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hostile.case import FAST, REFUSED, RIGHT, Case, dagsearch, discovered, good_table
from hostile.spoilt import file_cases

FAMILY = "knowledge"
_DEEP = 100_000
SUFFIXES = (".csv", ".json", ".yaml", ".txt")


def cases() -> Iterator[Case]:
    """All of this family."""
    for suffix, content in whole().items():
        yield Case(FAMILY, f"{suffix}: as it should be", partial(_obeyed, suffix, content), (RIGHT,))
    yield from file_cases(FAMILY, whole(), _REFUSED, 24, _any)
    for what, path in {"a folder": ".", "no file": "none.json", "zeros": "/dev/zero", "no suffix": "knowledge"}.items():
        yield Case(FAMILY, what, partial(_given, path), (REFUSED,))


def whole() -> dict[str, bytes]:
    """The same knowledge in every format, by our own writer."""
    import dagsearch as ds

    known = ds.Knowledge(required=[("b", "a")], forbidden=[("c", "a")], tiers=[["d", "e"], ["a"]])
    found = {}
    with TemporaryDirectory() as folder:
        for suffix in SUFFIXES:
            path = Path(folder) / f"known{suffix}"
            known.write(path)
            found[suffix] = path.read_bytes()
    return found


def _given(path: str) -> list[tuple[str, str]]:
    good_table().to_csv("table.csv", index=False)
    found = discovered("table.csv", *FAST, "--knowledge", path)
    return [tuple(edge) for edge in found["edges"]]


def _any(suffix: str, content: bytes) -> None:
    Path(f"known{suffix}").write_bytes(content)
    _given(f"known{suffix}")


def _obeyed(suffix: str, content: bytes) -> None:
    Path(f"known{suffix}").write_bytes(content)
    edges = _given(f"known{suffix}")
    assert ("b", "a") in edges
    assert ("c", "a") not in edges
    assert not set(edges) & {("a", "d"), ("a", "e")}
    dagsearch("discover", "table.csv", *FAST, "--knowledge", f"known{suffix}", "--report", "page.html")


_REFUSED = {
    ".json": (
        "", " ", "null", "1", "true", '"a"', "[]", "[[1, 2]]", "{", "}", "{}{}", "[" * _DEEP, '{"a":' * 5_000, "NaN", "\ufeff", "'a'",
        '{"required": null}', '{"required": 1}', '{"required": "ab"}', '{"required": {"a": "b"}}', '{"required": ["a"]}',
        '{"required": [["a"]]}', '{"required": [["a", "b", "c"]]}', '{"required": [["a", "a"]]}', '{"required": [["a", "z"]]}',
        '{"required": [["a", 1.5]]}', '{"required": [["a", null]]}', '{"required": [["a", true]]}', '{"required": [["a", ["b"]]]}',
        '{"required": [[0, 99]]}', '{"required": [[0, -1]]}', '{"required": [[0, 1' + "0" * 30 + "]]}", '{"tiers": [0, 1]}',
        '{"tiers": "ab"}', '{"tiers": [["a"], ["a"]]}', '{"tiers": [["z"]]}', '{"tiers": null}', '{"forbid_within": [0]}',
        '{"forbid_within": [5], "tiers": [["a"]]}', '{"forbid_within": [-1], "tiers": [["a"]]}', '{"forbid_within": "x"}',
        '{"required": [["a", "b"], ["b", "a"]]}', '{"required": [["a", "b"]], "forbidden": [["a", "b"]]}', '{"requird": []}',
        '{"required": [["a", "b"]], "required": []}', '{"required": [["b", "a"]], "tiers": [["a"], ["b"]]}', '{"\\ud800": 1}',
    ),
    ".yaml": (
        "", "a", "- a", "required", "required: a", "required: [[a]]", "{", "[" * 2_000, "required: !!python/object/apply:os.getpid []",
        "!!python/name:os.system", "&a [*a]", "required: &x [[a, b], *x]", "a: b: c", "\t- a", "required: [[a, z]]", "%YAML 9", "--- \n--- \n",
        "required: [[yes, no]]", "required: [[1.5, a]]", "tiers: {a: 1}", "required: [[a, b]]\nrequired: []", "\x00",
        "a: !!bool x", "a: !!int x", "a: !!float x", "a: !!timestamp x", "required: !!set {a, b}", "required: !!binary aGVsbG8=", "*a", "&a " * 5,
        "required: &r [[a, b]]\nforbidden: *r", "<<: 3", "required: [[~, a]]", "{" * 5_000, "- " * 20_000 + "a",
    ),
    ".csv": ("", "\n", "a,b", "required,a", "required,a,z\n", 'required,"a', "tier,x,a", "\x00", "," * 1000, "required,a,b\nforbidden,a,b\n"),
    ".txt": (
        "", "\n", "hello", "/knowledge\nnonsense\n", "/knowledge\nrequiredirect\na\n", "/knowledge\nrequiredirect\na z\n",
        "/knowledge\naddtemporal\nx a\n", "/knowledge\naddtemporal\n1 a\n2 a\n", "/knowledge\nrequiredgroup\na\n", "\x00",
        "/knowledge\nrequiredirect\na b\nb a\n",
    ),
}  # fmt: skip
