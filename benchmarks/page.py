"""What the page about a result takes beyond the fit: seconds, and the size of the file.

    python benchmarks/page.py

Sachs with everything that can be asked for, then simulated tables: 30 variables with probabilities, 100 variables, and
many rows. Seconds are of a page that was not the first: imports and compilation are left out, as in long use.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import dagsearch as ds


def simulated(n_nodes: int, n_samples: int, n_edges: int) -> ds.Dataset:
    """A linear table; the same one in every run."""
    return ds.datasets.simulate(n_nodes, n_samples, n_edges=n_edges, noise="laplace", random_state=0)


FITS = {
    "Sachs, trace, bootstrap of 5": (
        lambda: ds.datasets.load("sachs"),
        lambda: ds.CDUCT(trace=True, confidence="bootstrap", n_replicates=5, random_state=0),
    ),
    "30 variables, 45 edges, posterior": (
        lambda: simulated(30, 500, 45),
        lambda: ds.OrderSearch(score="bic-linear", confidence="posterior", random_state=0),
    ),
    "100 variables, 150 edges": (
        lambda: simulated(100, 500, 150),
        lambda: ds.OrderSearch(score="bic-linear", random_state=0),
    ),
    "10 variables, 50,000 rows": (
        lambda: simulated(10, 50_000, 15),
        lambda: ds.OrderSearch(score="bic-linear", random_state=0),
    ),
}


def main() -> None:
    """Print a line for each fit."""
    print(f"dagsearch {ds.__version__}, seed 0")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        for name, (load, method) in FITS.items():
            started = time.perf_counter()
            model = method().fit(load())
            fitted = time.perf_counter() - started
            seconds = []
            for _ in range(3):
                started = time.perf_counter()
                model.report(path)
                seconds.append(time.perf_counter() - started)
            print(
                f"{name}: fit {fitted:.1f} s, page {min(seconds):.2f} s (best of 3), {path.stat().st_size / 1e3:.0f} kB"
            )


if __name__ == "__main__":
    main()
