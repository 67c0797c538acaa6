"""Options of the commands with values that nobody should give: a result that is one, or a line that says why not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hostile.case import FAST, REFUSED, RIGHT, Case, dagsearch, discovered, good_table

FAMILY = "options"
# fmt: off
BAD = (
    "", " ", "abc", "nan", "inf", "-inf", "-1", "0", "1e400", "1e-400", "1" + "0" * 30, "\u0663", "0x10", "1.5", "None",
    "[]", "\U0001f600", "x" * 10_000, "a\nb", "../..", "%s",
)
# fmt: on
# fmt: off
_METHOD_OF = {
    "--l1": "notears", "--threshold": "notears", "--max-iter": "lingam", "--variant": "lingam",
    "--ci-test": "pc", "--ci-level": "pc",
    "--n-kicks": "order", "--n-best": "exact", "--solver": "exact", "--budget": "exact", "--levels": "greedy",
    "--sims-per-node": "cd-uct", "--n-restarts": "cd-uct", "--horizon": "cd-uct", "--exploration": "cd-uct",
    "--exploration-scale": "cd-uct", "--final-move": "cd-uct", "--refine": "cd-uct", "--rollout": "cd-uct",
    "--tree-policy": "cd-uct", "--temperature": "cd-uct", "--n-iterations": "rl-bic", "--batch-size": "rl-bic",
    "--input-dimension": "rl-bic", "--learning-rate": "rl-bic",
}
# fmt: on
_LIMIT = ("--time-limit", "2")


def cases() -> Iterator[Case]:
    """All of this family."""
    for method in dict.fromkeys(("greedy", *_METHOD_OF.values())):
        yield Case(FAMILY, f"discover by {method}", partial(_discover, "--random-state", "1", method), (RIGHT,))
    for option in _options_of("discover"):
        bad = (
            BAD
            if option in ("--edge-budget", "--time-limit", "--n-jobs", "--random-state", "--alpha")
            else BAD[:16:2] + BAD[16:19]
        )
        for value in bad:
            yield Case(FAMILY, f"discover {option} {value!r:.30}", partial(_discover, option, value), (RIGHT, REFUSED))
    for option in _options_of("simulate"):
        for value in BAD[:14]:
            yield Case(FAMILY, f"simulate {option} {value!r:.30}", partial(_simulate, option, value), (RIGHT, REFUSED))
    yield from _together()
    yield from _commands()


def _options_of(command: str) -> list[str]:
    """The longest name of each option that takes a value."""
    from dagsearch.cli import main

    found = main.commands[command].params
    return [option.opts[0] for option in found if option.param_type_name == "option" and not option.is_flag]


def _discover(option: str, value: str, method: str = "") -> None:
    good_table().to_csv("table.csv", index=False)
    method = method or _METHOD_OF.get(option, "greedy")
    chosen = () if option == "--method" else ("--method", method)
    score = () if option == "--score" or method in ("notears", "lingam", "pc", "rl-bic") else ("--score", "bic-linear")
    limit = () if option == "--time-limit" else _LIMIT
    if option in ("--json", "--out", "--report", "--checkpoint"):
        dagsearch("discover", "table.csv", *chosen, *score, *limit, option, value)
    else:
        discovered("table.csv", *chosen, *score, *limit, option, value)


def _simulate(option: str, value: str) -> None:
    out = () if option == "--out" else ("--out", "made")
    small = {"--nodes": "4", "--rows": "30", "--edges": "3"}
    small.pop(option, None)
    dagsearch("simulate", *[part for pair in small.items() for part in pair], *out, option, value)
    if not out:
        return
    assert (Path("made") / "data.csv").stat().st_size > 0
    assert (Path("made") / "truth.csv").is_file()


def _together() -> Iterator[Case]:
    """Options that contradict each other or mean nothing together."""
    for what, given, expected in (
        ("an option twice", ("--edges", "2", "--edges", "3"), (RIGHT, REFUSED)),
        ("edges and too few pairs", ("--edges", "11"), (REFUSED,)),
        ("no causes at all", ("--max-parents", "0", "--edges", "2"), (REFUSED,)),
        ("an edge required and forbidden", ("--require", "a->b", "--forbid", "a->b"), (REFUSED,)),
        ("a cycle required", ("--require", "a->b", "--require", "b->c", "--require", "c->a"), (REFUSED,)),
        ("an edge to itself", ("--require", "a->a"), (REFUSED,)),
        ("an edge of an unknown variable", ("--require", "a->z"), (REFUSED,)),
        ("an edge without an arrow", ("--require", "ab"), (REFUSED,)),
        ("more required than budgeted", ("--require", "a->b", "--require", "a->c", "--edges", "1"), (REFUSED,)),
        ("required against tiers", ("--require", "b->a", "--tiers", "a;b"), (REFUSED,)),
        ("a variable in two tiers", ("--tiers", "a;b;a"), (REFUSED,)),
        (
            "all forbidden",
            tuple(part for x in "abcde" for y in "abcde" if x != y for part in ("--forbid", f"{x}->{y}")),
            (RIGHT,),
        ),
        ("an unknown truth", ("--truth", "none.csv"), (REFUSED,)),
        ("a truth of other names", ("--truth", "asia"), (REFUSED,)),
        ("JSON to a folder", ("--json", "."), (REFUSED,)),
        ("JSON below a file", ("--json", "table.csv/x.json"), (REFUSED,)),
        ("JSON over the table", ("--json", "table.csv"), (REFUSED,)),
        ("JSON over the table by another name", ("--json", "./none/../table.csv"), (REFUSED,)),
        ("JSON and the page at one place", ("--json", "page.html", "--report", "page.html"), (REFUSED,)),
        ("JSON and the checkpoint at one place", ("--json", "c", "--checkpoint", "./c"), (REFUSED,)),
        ("JSON at the place of a graph", ("--json", "out/graph.csv", "--out", "out"), (REFUSED,)),
        ("JSON and the page to nowhere", ("--json", "/dev/null", "--checkpoint", "c"), (RIGHT,)),
        ("folders in folders in folders", ("--out", "x/" * 2_000), (REFUSED,)),
        ("JSON to a name that is too long", ("--json", "x" * 300), (REFUSED,)),
        ("JSON to a full device", ("--json", "/dev/full"), (REFUSED,)),
        ("a folder that is a file", ("--out", "table.csv"), (REFUSED,)),
        ("a folder below a file", ("--out", "table.csv/x"), (REFUSED,)),
        ("a page of another suffix", ("--report", "page.pdf"), (REFUSED,)),
        ("a page in no folder", ("--report", "none/page.html"), (REFUSED,)),
        ("a checkpoint that is a table", ("--checkpoint", "table.csv"), (REFUSED,)),
        ("a checkpoint and a trace", ("--checkpoint", "c", "--trace"), (REFUSED,)),
        ("focus on nobody", ("--focus", "z"), (REFUSED,)),
        ("an unknown option", ("--edgez", "3"), (REFUSED,)),
        ("an option without its value", ("--edges",), (REFUSED,)),
        ("a flag with a value", ("--repair=maybe",), (REFUSED,)),
        ("two tables", ("table.csv",), (REFUSED,)),
        ("interventions of no column", ("--interventions", "z"), (REFUSED,)),
        ("interventions of a column of numbers", ("--interventions", "a"), (REFUSED,)),
        ("a discrete score", ("--score", "bdeu"), (REFUSED,)),
        ("a kind of an unknown column", ("--discrete", "z"), (REFUSED,)),
        ("continuous and discrete at once", ("--discrete", "a", "--continuous", "a"), (REFUSED,)),
    ):
        act = partial(_with, given)
        yield Case(FAMILY, f"together: {what}", act, expected, prints="/dev/full" in given)


def _with(given: tuple[str, ...]) -> None:
    good_table().to_csv("table.csv", index=False)
    dagsearch("discover", "table.csv", *FAST, *given)


def _commands() -> Iterator[Case]:
    """Commands that are not there, or lack what they need."""
    for arguments, expected in (
        (("discovr", "x"), (REFUSED,)),
        (("discover",), (REFUSED,)),
        (("compare", "sachs"), (REFUSED,)),
        (("compare", "sachs", "asia"), (REFUSED,)),
        (("compare", "none.csv", "sachs"), (REFUSED,)),
        (("check",), (REFUSED,)),
        (("check", "none.csv"), (REFUSED,)),
        (("check", "/dev/zero"), (REFUSED,)),
        (("methods", "cd-uctt"), (REFUSED,)),
        (("methods", "cd-uct"), (RIGHT,)),
        (("datasets", "sachss"), (REFUSED,)),
        (("datasets", "sachs"), (RIGHT,)),
        (("datasets", "syntren-999"), (REFUSED,)),
        (("paper", "table9"), (REFUSED,)),
        (("paper", "table1", "--seeds", "-1"), (REFUSED,)),
        (("paper", "table1", "--jobs", "1" + "0" * 30), (REFUSED,)),
        (("paper", "table1", "--only", "nobody"), (REFUSED,)),
        (("paper", "table1", "--set", "horizon=many", "--seeds", "1"), (REFUSED,)),
        (("paper", "table1", "--out", "/proc/none"), (REFUSED,)),
        (("paper", "table1", "--cluster", "tcp://127.0.0.1:1"), (REFUSED,)),
        (("completion", "tcsh"), (REFUSED,)),
        (("completion", "bash"), (RIGHT,)),
        (("simulate",), (REFUSED,)),
        (("simulate", "--nodes", "1000000", "--out", "x"), (REFUSED,)),
        (("simulate", "--network", "nowhere.bif", "--out", "x"), (REFUSED,)),
        (("simulate", "--edges", "46", "--out", "x"), (REFUSED,)),
        (("demo", "--report", "no/where.html"), (REFUSED,)),
        (("--version",), (RIGHT,)),
        (("--versio",), (REFUSED,)),
        ((), (RIGHT,)),
        (("",), (REFUSED,)),
        (("discover", "--help", "x"), (RIGHT,)),
    ):
        yield Case(FAMILY, f"command: {arguments!r:.60}", partial(dagsearch, *arguments), expected)
