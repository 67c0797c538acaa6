"""Kills a search with ``kill -9`` at random moments in a row, and compares its end with that of an uninterrupted one.

    python benchmarks/kills.py --kills 100

Every start goes on from the checkpoint of those before it. The search is made so long that it lives through all kills.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Saves often, so that kills hit writes, too.
_PROGRAM = """
from dagsearch.search.checkpoint import stage
stage.SECONDS_BETWEEN_SAVES = 0.02
stage._LEAST_SHARE_OF_SEARCH = 1
from dagsearch.cli import main
main()
"""
_SAME = ("edges", "pruned_edges", "reward", "n_simulations")
_FIRST_SIMS_PER_NODE = 2_000
_SEARCHED_PER_KILL = 0.5  # seconds, on the average
_SHARE_WHILE_IT_SEARCHES = 0.7  # of the kills; the others hit it anywhere, mostly as it starts


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    n_kills: int
    n_kills_while_it_searched: int
    is_same: bool
    seconds_uninterrupted: float
    n_left_behind: int  # files beside the checkpoint


def killed(n_kills: int, seed: int, data: str = "sachs", options: tuple[str, ...] = ("--edges", "12")) -> Outcome:
    """Kill a search so many times, and then let it come to its end."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ["discover", data, "--method", "cd-uct", "--score", "bic-linear", "--confidence", "none", *options]
        brief, started = _run([*command, "--sims-per-node", str(_FIRST_SIMS_PER_NODE)], folder), time.perf_counter()
        brief = _run([*command, "--sims-per-node", str(_FIRST_SIMS_PER_NODE)], folder)
        to_start = time.perf_counter() - started - brief["seconds"]
        needed = max(1.0, 1.5 * n_kills * _SEARCHED_PER_KILL / max(brief["seconds"], 0.01))
        command += ["--sims-per-node", str(int(needed * _FIRST_SIMS_PER_NODE))]
        whole = _run(command, folder)
        checkpoint = folder / "run" / "checkpoint"
        checkpoint.parent.mkdir()
        command += ["--checkpoint", str(checkpoint)]
        n_hits = 0
        for _ in range(n_kills):
            before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
            process = _start(command, folder)
            if draw.random() < _SHARE_WHILE_IT_SEARCHES:
                while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before):
                    time.sleep(0.005)
                seconds = draw.uniform(0.0, 2 * _SEARCHED_PER_KILL)
            else:
                seconds = draw.uniform(0.0, to_start)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            n_hits += checkpoint.exists() and checkpoint.stat().st_mtime_ns > before
        found = _run(command, folder)
        n_left = len(list(checkpoint.parent.iterdir())) - 1
        same = all(found[key] == whole[key] for key in _SAME)
        return Outcome(n_kills, n_hits, same, whole["seconds"], n_left)


def _start(command: list[str], folder: Path) -> subprocess.Popen[str]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-c", _PROGRAM, *command, "--json", str(folder / "found.json")], **quiet)


def _run(command: list[str], folder: Path) -> dict:
    process = _start(command, folder)
    if process.wait() != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return json.loads((folder / "found.json").read_text())


def main() -> None:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    outcome = killed(given.kills, given.seed)
    print(
        f"{outcome.n_kills} kills, {outcome.n_kills_while_it_searched} of them after a further save; uninterrupted "
        f"{outcome.seconds_uninterrupted:.1f} s; drafts left behind: {outcome.n_left_behind}; "
        f"{'the same graph' if outcome.is_same else 'ANOTHER GRAPH'}"
    )
    if not outcome.is_same:
        sys.exit(1)


if __name__ == "__main__":
    main()
