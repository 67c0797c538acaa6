"""What it costs to record a search: the time with ``trace=True`` over that without.

    python benchmarks/trace.py [--seconds 60]

Fits with and without, in turn; one seed, one thread, and a score that knows nothing in each fit. Times are those of
the processor; of each kind the least counts, since other work on the machine only ever adds to it. Beside the ratio
stands that of two halves of the fits without: the noise.
"""

from __future__ import annotations

import argparse
import time

import dagsearch as ds

SETTINGS = {
    "Sachs, paper, bic-linear": {"score": "bic-linear", "edge_budget": 49, "sims_per_node": 1178},
    "Sachs, default, bic-linear": {"score": "bic-linear"},
    "child, default, bic-discrete": {},
}
"""Cheap scores, beside which recording would show most."""


def seconds_of(data: ds.Dataset, settings: dict, trace: bool) -> float:
    """Processor time of a fit."""
    started = time.process_time()
    ds.CDUCT(**settings, random_state=0, trace=trace).fit(data)
    return time.process_time() - started


def times(data: ds.Dataset, settings: dict, seconds: float) -> dict[str, list[float]]:
    """Times of fits of each kind, as many as the time allows; four at least."""
    found: dict[str, list[float]] = {"with": [], "without": [], "without, again": []}
    started = time.perf_counter()
    while len(found["with"]) < 4 or time.perf_counter() - started < seconds:
        for kind, known in found.items():
            known.append(seconds_of(data, settings, trace=kind == "with"))
    return found


def main() -> None:
    """Print a line for each of the settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each of the settings")
    seconds = parser.parse_args().seconds
    print(f"dagsearch {ds.__version__}, seed 0")
    tables = {"Sachs": ds.datasets.load("sachs"), "child": ds.datasets.network("child").sample(1000, random_state=0)}
    for name, settings in SETTINGS.items():
        data = tables[name.split(",")[0]]
        for trace in (False, True):
            seconds_of(data, settings, trace)  # compile first
        found = times(data, settings, seconds)
        least = {kind: min(known) for kind, known in found.items()}
        print(
            f"{name}: {least['without']:.3f} s without; with trace x {least['with'] / least['without']:.3f}, "
            f"without again x {least['without, again'] / least['without']:.3f}; {len(found['with'])} fits of each kind",
            flush=True,
        )


if __name__ == "__main__":
    main()
