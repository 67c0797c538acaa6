"""Carries out all cases, or some families, and prints the figures."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from hostile.case import REFUSED, RIGHT
from hostile.families import FAMILIES, cases_of
from hostile.run import Verdict, carried_out

_OUTCOMES = (RIGHT, REFUSED, "traceback", "hang", "memory", "wrong", "message")


def main() -> None:
    """Exit with 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m hostile", description=__doc__)
    parser.add_argument("families", nargs="*", choices=[[], *FAMILIES], default=[], metavar="FAMILY")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th case of a family")
    parser.add_argument("--only", default="", help="only cases whose names hold this")
    parser.add_argument("--slow", type=float, default=5.0, help="tell of cases that took longer, in seconds")
    given = parser.parse_args()
    cases = [case for family in given.families or FAMILIES for case in cases_of(family)[:: given.every]]
    cases = [case for case in cases if given.only in case.name]
    verdicts = carried_out(cases, given.jobs, lambda verdict: _tell(verdict, given.slow))
    _print_figures(verdicts)
    if not all(verdict.is_good for verdict in verdicts):
        sys.exit(1)


def _say(line: str, flush: bool = False) -> None:
    print(line, flush=flush)  # noqa: T201


def _tell(verdict: Verdict, slow: float) -> None:
    what = f"{verdict.case.family}: {verdict.case.name[:100]!r}"
    if not verdict.is_good:
        _say(f"{verdict.outcome.upper()} {what}: {verdict.fault}", flush=True)
    elif verdict.seconds > slow:
        _say(f"slow: {what}: {verdict.seconds:.1f} s", flush=True)


def _print_figures(verdicts: list[Verdict]) -> None:
    _say(f"{'family':<12} {'cases':>6} {'good':>6} " + " ".join(f"{name:>10}" for name in _OUTCOMES))
    families = list(dict.fromkeys(verdict.case.family for verdict in verdicts))
    for family in [*families, "all"]:
        own = [verdict for verdict in verdicts if family in (verdict.case.family, "all")]
        counts = Counter(verdict.outcome for verdict in own)
        n_good = sum(verdict.is_good for verdict in own)
        cells = " ".join(f"{counts[name]:>10}" for name in _OUTCOMES)
        _say(f"{family:<12} {len(own):>6} {n_good:>6} {cells}")
