"""What ``dagsearch datasets`` prints and downloads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from dagsearch import datasets
from dagsearch.datasets.catalogue import families
from dagsearch.errors import InputError

_HEADER = ("name", "rows x variables", "kind", "true edges", "where", "source")


def chosen(name: str | None) -> list[str]:
    """All data sets, or those that a name such as ``syntren-3`` or a range such as ``syntren-1..3`` stands for."""
    if name is None:
        return datasets.names()
    return [datasets.describe(each).name for each in families(datasets.names()).get(name) or _in_range(name)]


def _in_range(name: str) -> list[str]:
    """The names that ``stem-first..last`` stands for; any other name stands for itself."""
    numbers = re.fullmatch(r"(.*-)(\d{1,6})\.\.(\d{1,6})", name)
    if numbers is None:
        return [name]
    stem, first, last = numbers[1], int(numbers[2]), int(numbers[3])
    if first > last:
        raise InputError(f"a range of data sets must go upwards, such as {stem}{last}..{first}, got {name!r}")
    return [f"{stem}{number}" for number in range(first, last + 1)]


def listed() -> str:
    """All data sets, numbered ones in one line, and the networks."""
    rows = [_HEADER, *(_row(family, members) for family, members in families(datasets.names()).items())]
    lines = [*_aligned(rows), "", 'Networks, of which ds.datasets.network("asia").sample(1000) draws samples:']
    return "\n".join([*lines, *_aligned([_network_row(name) for name in datasets.network_names()])])


def described(names: Iterable[str]) -> str:
    """Each data set in full."""
    return "\n\n".join(_description(name) for name in names)


def record(name: str | None, names: Iterable[str]) -> dict[str, Any]:
    """The data sets, and the networks or the one of that name, for JSON."""
    networks = [each for each in datasets.network_names() if name in {None, each}]
    return {
        "datasets": [{**asdict(datasets.describe(each)), "status": datasets.status(each)} for each in names],
        "networks": [_network_record(each) for each in networks],
    }


def _row(family: str, members: list[str]) -> tuple[str, ...]:
    infos = [datasets.describe(name) for name in members]
    n_edges = [info.n_true_edges for info in infos]
    edges = str(n_edges[0]) if min(n_edges) == max(n_edges) else f"{min(n_edges)}..{max(n_edges)}"
    first = infos[0]
    size = f"{first.n_samples:>6} x {first.n_nodes}"
    return family, size, first.kind, edges, _status(members), first.citation


def _status(members: list[str]) -> str:
    """Where the members of a family are, counted if they are in different places."""
    counts = Counter(map(datasets.status, members))
    return ", ".join(status if len(counts) == 1 else f"{count} {status}" for status, count in counts.items())


def _network_row(name: str) -> tuple[str, ...]:
    network = datasets.network(name)
    size = f"{network.dag.n_nodes} variables"
    return name, size, "discrete", str(network.dag.n_edges), "bundled", network.citation


def _network_record(name: str) -> dict[str, Any]:
    network = datasets.network(name)
    sizes = {"n_nodes": network.dag.n_nodes, "n_edges": network.dag.n_edges, "n_levels": network.n_levels}
    return {"name": name, **sizes, "citation": network.citation, "status": "bundled"}


def _description(name: str) -> str:
    info = datasets.describe(name)
    lines = [
        f"{name}: {info.n_samples} x {info.n_nodes} {info.kind}, {info.n_true_edges} true edges",
        info.citation,
        info.where if datasets.status(name) == "bundled" else f"{info.where} ({datasets.status(name)})",
    ]
    if name in datasets.network_names():
        lines.append(f'further samples: ds.datasets.network("{name}").sample(1000), of the bundled network')
    return "\n".join(lines)


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns of equal width, but for the last."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    return ["  ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows]
