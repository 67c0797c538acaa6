"""Knowledge from files and back: CSV, JSON, YAML and Tetrad's format; hostile files; what documentation shows."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import common
import pytest
from common import run, succeed
from hypothesis import given
from hypothesis import strategies as st
from knowledge_cases import assert_obeys, random_knowledge, ruled_out_by_tiers

import dagsearch as ds
from dagsearch.errors import DataError, InputError, MissingExtraError
from dagsearch.estimators import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "knowledge.md"
SUFFIXES = (".csv", ".json", ".yaml", ".yml", ".txt", ".knowledge", ".prior")
SAMPLE = ds.Knowledge(
    required=[("smoking", "tar")],
    forbidden=[("tar", "age")],
    tiers=[["age", "sex"], ["smoking", "tar"]],
    forbid_within=[0],
)
# From the documentation of Tetrad's causal-cmd.
OF_TETRAD = """/knowledge

addtemporal
1 spending_per_stdt fac_salary stdt_tchr_ratio
2 rjct_rate stdt_accept_rate
3 tst_scores stdt_clss_stndng
4* grad_rate

forbiddirect
x3 x4

requiredirect
x1 x2
"""


def read(folder, name, text):
    """What a file with this text says."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ds.Knowledge.read(path)


# ---------------------------------------------------------------- round trips


def round_trip(knowledge, folder, suffix):
    path = folder / f"known{suffix}"
    knowledge.write(path)
    return ds.Knowledge.read(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_back(tmp_path, suffix):
    if suffix in (".yaml", ".yml"):
        pytest.importorskip("yaml")
    assert round_trip(SAMPLE, tmp_path, suffix) == SAMPLE
    assert round_trip(ds.Knowledge(), tmp_path, suffix) == ds.Knowledge()
    awkward = ds.Knowledge(
        required=[("a, b", "c d"), ("1", "yes")], tiers=[["#x", "null"], ["1*"], ["é", "addtemporal"]]
    )
    assert round_trip(awkward, tmp_path, suffix) == awkward


@given(st.integers(0, 10**6))
def test_random_knowledge_is_read_back_from_every_format(tmp_path_factory, seed):
    knowledge = random_knowledge(seed, list("abcdef"))
    keep = [k for k, tier in enumerate(knowledge.tiers) if tier]
    whole = ds.Knowledge(
        knowledge.required,
        knowledge.forbidden,
        [knowledge.tiers[k] for k in keep],
        forbid_within=[place for place, k in enumerate(keep) if k in knowledge.forbid_within],
    )
    for suffix in (".csv", ".json", ".txt"):
        assert round_trip(whole, tmp_path_factory.getbasetemp(), suffix) == whole
    assert ds.Knowledge.from_dict(knowledge.to_dict()) == knowledge


def test_positions_are_kept_in_json_and_refused_where_there_are_names_only(tmp_path):
    by_position = ds.Knowledge(required=[(0, 1)])
    assert round_trip(by_position, tmp_path, ".json") == by_position
    for suffix in (".csv", ".txt"):
        with pytest.raises(InputError, match="goes by names, got the position 0"):
            by_position.write(tmp_path / f"known{suffix}")


@pytest.mark.parametrize(
    ("knowledge", "name", "message"),
    [
        (SAMPLE, "known.xml", "its suffix must be one of .csv, .json"),
        (ds.Knowledge(required=[('a"b', "c")]), "known.txt", "cannot have the name 'a\"b'; write .json"),
        (ds.Knowledge(required=[("a//b", "c")]), "known.txt", "cannot have the name 'a//b'; write .json"),
        (ds.Knowledge(required=[("a ", "c")]), "known.csv", "cannot have the name 'a '; write .json"),
        (ds.Knowledge(tiers=[[], ["c"]]), "known.csv", "cannot have an empty tier; write .json"),
    ],
)
def test_what_a_format_cannot_hold_is_not_written(tmp_path, knowledge, name, message):
    with pytest.raises(InputError, match=re.escape(message)):
        knowledge.write(tmp_path / name)
    assert not (tmp_path / name).exists()


# ---------------------------------------------------------------- formats


def test_a_file_of_tetrad_is_read(tmp_path):
    knowledge = read(tmp_path, "known.txt", OF_TETRAD)
    assert knowledge == ds.Knowledge(
        required=[("x1", "x2")],
        forbidden=[("x3", "x4")],
        tiers=[
            ["spending_per_stdt", "fac_salary", "stdt_tchr_ratio"],
            ["rjct_rate", "stdt_accept_rate"],
            ["tst_scores", "stdt_clss_stndng"],
            ["grad_rate"],
        ],
        forbid_within=[3],
    )
    assert read(tmp_path, "known.anything", OF_TETRAD) == knowledge
    assert read(tmp_path, "known.txt", OF_TETRAD.replace("\n", "\r\n")) == knowledge
    assert read(tmp_path, "known.txt", OF_TETRAD.removeprefix("/knowledge\n")) == knowledge


def test_groups_numbers_remarks_and_quotes_of_tetrad(tmp_path):
    text = """// a remark
/knowledge
requireddirect
"a b" c  // quoted
forbiddengroup
c d
e f
requiredgroup
x y
z
addtemporal
7* late
2 early "a b"
2 c
"""
    assert read(tmp_path, "known.txt", text) == ds.Knowledge(
        required=[("a b", "c"), ("x", "z"), ("y", "z")],
        forbidden=[("c", "e"), ("c", "f"), ("d", "e"), ("d", "f")],
        tiers=[["early", "a b", "c"], ["late"]],
        forbid_within=[1],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cause,effect,kind\na,b,required\nb,a,forbidden\n", ds.Knowledge([("a", "b")], [("b", "a")])),
        ("\ufeffTier , Variable\r\n2,b\r\n1,a\r\n1,c\r\n", ds.Knowledge(tiers=[["a", "c"], ["b"]])),
        ('kind,cause,effect\nREQUIRED, "a, x", b \n\n', ds.Knowledge([("a, x", "b")])),
        (
            "kind,cause,effect,tier,variable\nforbidden,a,b\ntier,,,1*,a\n,,,3,b\n",
            ds.Knowledge(forbidden=[("a", "b")], tiers=[["a"], ["b"]], forbid_within=[0]),
        ),
        ("tier,variable\n", ds.Knowledge()),
    ],
)
def test_tables_of_edges_and_of_tiers_are_read(tmp_path, text, expected):
    assert read(tmp_path, "known.csv", text) == expected


def test_yaml_and_json_are_read(tmp_path):
    pytest.importorskip("yaml")
    text = "required:\n- [smoking, tar]\nforbidden: [[tar, age]]\ntiers:\n- [age, sex]\n- [smoking, tar]\n"
    text += "forbid_within: [0]\n"
    assert read(tmp_path, "known.yaml", text) == SAMPLE
    assert read(tmp_path, "known.json", '{"tiers": [["a"], ["b"]]}') == ds.Knowledge(tiers=[["a"], ["b"]])


def test_without_the_package_yaml_is_refused_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"needs the extra 'yaml'"):
        read(tmp_path, "known.yaml", "tiers: []\n")


# ---------------------------------------------------------------- hostile files

HOSTILE = [
    ("known.csv", "", "its header must have kind, cause and effect, or tier and variable, got nothing"),
    ("known.csv", "a,b\n1,2\n", "or tier and variable, got a, b"),
    ("known.csv", "kind,cause,effect,weight\n", "at most once, and no other; got kind, cause, effect, weight"),
    ("known.csv", "kind,cause,cause,effect\n", "at most once"),
    ("known.csv", "kind,cause,effect\nmaybe,a,b\n", "line 2: kind must be required, forbidden or tier, got 'maybe'"),
    ("known.csv", "kind,cause,effect\nrequired,a,\n", "line 2: a row of cause and effect must have a effect"),
    ("known.csv", "kind,cause,effect\nrequired,a,b,c\n", "line 2: more cells than columns"),
    ("known.csv", "tier,variable\nfirst,a\n", "line 2: a tier must be a whole number"),
    ("known.csv", "tier,variable\n1,a\n2,a\n", "tiers must not share variables: 'a' is in two of them"),
    ("known.csv", 'kind,cause,effect\nrequired,"a,b\n', "unexpected end of data"),
    ("known.csv", "kind,cause,effect\nrequired,a,b\nrequired,b,a\n", "the edges must not form a cycle"),
    ("known.csv", "kind,cause,effect\nrequired,a,b\nforbidden,a,b\n", "both requires and rules out the edge a -> b"),
    ("known.csv", "kind,cause,effect\nrequired,a,a\n", "the edges must not form a cycle"),
    ("known.csv", b"\xff\xfe\x00\x01binary", "it is no text in UTF-8"),
    ("known.csv", b"PK\x03\x04\x00\x00\x00", "or tier and variable, got"),
    ("known.txt", "", "it is empty"),
    ("known.txt", "a b\n", "line 1: a section must begin with one of addtemporal, forbiddirect, requiredirect"),
    ("known.txt", "/knowledge\naddedges\na b\n", "line 2: a section must begin with one of addtemporal"),
    (
        "known.txt",
        "/knowledge\nforbiddirect\na b c\n",
        "line 3: an edge must be two names, cause and effect, got 'a b c'",
    ),
    ("known.txt", "/knowledge\naddtemporal\n1- a\n", "line 3: a tier must be a whole number, with a * if"),
    ("known.txt", "/knowledge\naddtemporal\n1 a\n2 a\n", "tiers must not share variables: 'a'"),
    ("known.txt", "/knowledge\nforbiddengroup\na b\n", "a group must be two lines"),
    ("known.txt", "/knowledge\nforbiddengroup\na b\nrequiredirect\n", "line 4: a group must be two lines"),
    ("known.json", "", "Expecting value"),
    ("known.json", "[]", "knowledge must have entries such as required and tiers, got list"),
    (
        "known.json",
        '{"require": []}',
        "knowledge has the entries required, forbidden, tiers, forbid_within, got 'require'",
    ),
    ("known.json", '{"tiers": [], "tiers": []}', "it has the entry 'tiers' twice"),
    ("known.json", '{"tiers": [0, 1]}', "each of the tiers must be a list of variables, got 0"),
    ("known.json", '{"required": [["a", null]]}', "variables must be names or positions, got None"),
    ("known.json", '{"required": ["ab"]}', "edges must be pairs (cause, effect), got 'ab'"),
    ("known.json", '{"required": [["a", "b", "c"]]}', "edges must be pairs"),
    ("known.json", '{"forbid_within": [0]}', "forbid_within must hold positions of tiers: none, as there are no tiers"),
    ("known.json", "[" * 100_000, "nested too deeply"),
    ("known.xlsx", "kind,cause,effect\n", "its suffix must be one of .csv, .json, .yaml, .yml, .txt"),
    ("known.csv", None, "there is no such file"),
]
HOSTILE_YAML = [
    ("known.yaml", "", "it is empty"),
    ("known.yaml", "tiers: [[a], [b]\n", "expected"),
    ("known.yaml", "tiers: []\ntiers: []\n", "it has the entry 'tiers' twice"),
    (
        "known.yaml",
        "required: [[yes, no]]\n",
        "variables must be names or positions, got True; put names between quotes",
    ),
    ("known.yaml", "? [a, b]\n: 1\n", "unhashable"),
    ("known.yaml", "- a\n", "knowledge must have entries such as required and tiers, got list"),
    ("known.yaml", "required: &a [*a]\n", "edges must be pairs (cause, effect), got"),
    ("known.yaml", "!!python/object/apply:os.system ['touch ran']\n", "could not determine a constructor"),
    ("known.yml", "tiers: !!python/object/new:type [x, [], {}]\n", "could not determine a constructor"),
]


@pytest.mark.parametrize(("name", "text", "message"), [*HOSTILE, *HOSTILE_YAML])
def test_hostile_files_are_refused_with_their_name_and_one_line(tmp_path, monkeypatch, name, text, message):
    if name.endswith((".yaml", ".yml")):
        pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as refusal:
        read(tmp_path, name, text) if text is not None else ds.Knowledge.read(tmp_path / name)
    said = str(refusal.value)
    assert message in said
    assert said.startswith(f"cannot read knowledge from {tmp_path / name}: ")
    assert "\n" not in said
    assert not (tmp_path / "ran").exists()


def test_a_folder_is_no_file_of_knowledge(tmp_path):
    with pytest.raises(DataError, match="cannot read knowledge from"):
        ds.Knowledge.read(tmp_path)


# ---------------------------------------------------------------- what Python is given


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"required": None}, r"required must be a list of edges \(cause, effect\), got None"),
        ({"forbidden": 3}, "forbidden must be a list of edges"),
        ({"required": "a->b"}, "required must be a list of edges .* got 'a->b'"),
        ({"required": {"a": "b"}}, "required must be a list of edges"),
        ({"tiers": None}, "tiers must be a list of lists of variables, got None"),
        ({"tiers": "a,b;c"}, "tiers must be a list of lists of variables, got 'a,b;c'"),
        ({"tiers": [0, 1]}, "each of the tiers must be a list of variables, got 0"),
        ({"tiers": ["ab", "c"]}, "each of the tiers must be a list of variables, got 'ab'"),
        ({"forbid_within": 0}, "forbid_within must be a list of positions of tiers, from 0, got 0"),
        ({"tiers": [["a"]], "forbid_within": [1]}, "positions of tiers: between 0 and 0; got 1"),
        ({"tiers": [["a"]], "forbid_within": [True]}, "positions of tiers: between 0 and 0; got True"),
    ],
)
def test_what_is_no_list_is_refused_at_once(arguments, message):
    with pytest.raises(InputError, match=message):
        ds.Knowledge(**arguments)


def test_what_is_given_is_kept_and_compared_by_its_content():
    edges = [["a", "b"]]
    knowledge = ds.Knowledge(required=edges, tiers=(tier for tier in (["a"], ["b"])))
    edges.append(["b", "a"])
    assert knowledge == ds.Knowledge([("a", "b")], tiers=[["a"], ["b"]])
    assert hash(knowledge) == hash(ds.Knowledge([("a", "b")], tiers=[["a"], ["b"]]))


def test_members_of_a_tier_can_be_kept_apart():
    allowed = ds.Knowledge(tiers=[["a", "b"], ["c", "d"]], forbid_within=[1]).allowed_edges(list("abcd"))
    ruled_out = {("c", "d"), ("d", "c"), ("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")}
    assert {(a, b) for i, a in enumerate("abcd") for j, b in enumerate("abcd") if not allowed[i, j]} == ruled_out
    with pytest.raises(InputError, match="knowledge both requires and rules out the edge c -> d"):
        ds.Knowledge([("c", "d")], tiers=[["c", "d"]], forbid_within=[0]).required_edges(list("abcd"))


def test_two_kinds_of_tiers_say_together_what_each_of_them_says():
    names = list("abcd")
    first = ds.Knowledge([("a", "b")], tiers=[["a"], ["b", "c"]], forbid_within=[1])
    second = ds.Knowledge(forbidden=[("d", "a")], tiers=[["b"], ["d", "c"]], forbid_within=[1])
    both = first.combined(second)
    expected = first.allowed_edges(names) & second.allowed_edges(names)
    assert (both.allowed_edges(names) == expected).all()
    assert both.required == first.required
    assert first.combined(ds.Knowledge()) == first == ds.Knowledge().combined(first) == first.combined(first)
    with pytest.raises(
        InputError, match="tiers contradict each other: 'a' is before 'b' in one, after it in the other"
    ):
        first.combined(ds.Knowledge(tiers=[["b"], ["a"]]))


# ---------------------------------------------------------------- documentation


@pytest.mark.parametrize("name", ["known.csv", "known.json", "known.yaml", "known.txt"])
def test_the_files_that_documentation_shows_all_say_the_same(tmp_path, name):
    if name.endswith(".yaml"):
        pytest.importorskip("yaml")
    shown = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert read(tmp_path, name, shown[1]) == SAMPLE


def test_documentation_says_of_every_method_what_it_does_with_knowledge():
    rows = PAGE.read_text(encoding="utf-8").split("| method |")[1].split("\n\n")[0]
    assert set(re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE)))) == set(METHODS)


# ---------------------------------------------------------------- the command


def found_by(*options):
    return json.loads(succeed("discover", "good.csv", "--method", "greedy", *options, "--json", "-"))["edges"]


def test_files_tiers_and_edges_combine_on_the_command_line(folder):
    (folder / "known.txt").write_text("/knowledge\nrequiredirect\ne a\n", encoding="utf-8")
    options = ("--knowledge", "known.txt", "--tiers", "e,a; b", "--forbid", "a->e", "--require", "d->c", "--edges", 8)
    knowledge = ds.Knowledge([("e", "a"), ("d", "c")], [("a", "e")], [["e", "a"], ["b"]])
    assert_obeys(ds.DAG.from_edges(found_by(*options), names=list("abcde")), knowledge)


def test_names_in_tiers_are_quoted_by_the_rules_of_tables(folder):
    columns = {"a": "a, old", "b": "b;new", "c": 'c "x"'}
    common.good_table().rename(columns=columns).to_csv(folder / "good.csv", index=False)
    found = found_by("--tiers", '"c ""x""";"b;new" , d;"a, old"', "--edges", 10)
    assert len(found) == 10
    tiers = [['c "x"'], ["b;new", "d"], ["a, old"]]
    assert not {tuple(edge) for edge in found} & ruled_out_by_tiers(tiers, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tiers", "a,,b"], "write tiers as 'a,b;c', from early to late, got 'a,,b'"),
        (["--tiers", "a;"], "write tiers as 'a,b;c'"),
        (["--tiers", ""], "write tiers as 'a,b;c'"),
        (["--tiers", 'a;"b'], "write tiers as 'a,b;c'"),
        (["--tiers", "a;b;a"], "tiers must not share variables: 'a' is in two of them"),
        (["--tiers", "a;z"], "unknown node 'z'"),
        (["--tiers", "a;b", "--require", "b->a"], "knowledge both requires and rules out the edge b -> a"),
        (["--knowledge", "known.csv", "--forbid", "a->b"], "knowledge both requires and rules out the edge a -> b"),
        (["--knowledge", "known.csv", "--require", "b->a"], "the edges must not form a cycle, got a -> b -> a"),
        (["--knowledge", "tiers.csv", "--tiers", "b;a"], "tiers contradict each other: 'a' is before 'b' in one"),
        (["--knowledge", "missing.csv"], "cannot read knowledge from missing.csv: there is no such file"),
        (["--knowledge", "good.csv"], "its header must have kind, cause and effect, or tier and variable, got a, b"),
    ],
)
@pytest.mark.parametrize("method", ["auto", "all", "ges"])
def test_wrong_knowledge_on_the_command_line_ends_with_one_message(folder, method, options, message):
    (folder / "known.csv").write_text("kind,cause,effect\nrequired,a,b\n", encoding="utf-8")
    (folder / "tiers.csv").write_text("tier,variable\n1,a\n2,b\n", encoding="utf-8")
    result = run("discover", "good.csv", "--method", method, *options, "--json", "-")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
