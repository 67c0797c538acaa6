"""How long the audit of a large table takes.

Run  python benchmarks/audit.py [--rows 100000] [--columns 50]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd

import dagsearch as ds


def table(n_rows: int, n_columns: int) -> pd.DataFrame:
    """Numbers, some with gaps, and among them labels, dates, amounts of money and text without any pattern."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=n_rows) for j in range(n_columns - 10)}
    columns["x1"][rng.random(n_rows) < 0.05] = np.nan
    for j in range(4):
        columns[f"label{j}"] = rng.choice(["low", "medium", "high", "none"], n_rows)
    for j in range(2):
        moments = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 10**8, n_rows), unit="s")
        columns[f"date{j}"] = moments.strftime("%Y-%m-%d %H:%M:%S")
    columns["day"] = (pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n_rows), "D")).strftime(
        "%d.%m.%Y"
    )
    columns["price"] = [f"${value:,.2f}" for value in rng.gamma(2, 500, n_rows)]
    columns["name"] = [f"person {k}" for k in rng.integers(0, n_rows, n_rows)]
    columns["id"] = np.arange(n_rows)
    return pd.DataFrame(columns)


def main() -> None:
    """Print the seconds of the best of three audits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    options = parser.parse_args()
    data = table(options.rows, options.columns)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        audit = ds.audit(data)
        seconds.append(time.perf_counter() - start)
    print(audit)
    print(f"\n{options.rows:,} rows, {options.columns} columns: {min(seconds):.2f} s (best of {len(seconds)})")


if __name__ == "__main__":
    main()
