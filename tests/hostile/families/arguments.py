"""Arguments of the Python interface with values of any type."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hostile.case import REFUSED, RIGHT, Case, good_table

FAMILY = "arguments"
VALUES: tuple[tuple[str, Any], ...] = (
    ("None", None),
    ("True", True),
    ("-1", -1),
    ("0", 0),
    ("10^30", 10**30),
    ("1.5", 1.5),
    ("nan", float("nan")),
    ("inf", float("inf")),
    ("text", "text"),
    ("no text", ""),
    ("bytes", b"x"),
    ("a list", []),
    ("a list of lists", [[1, 2], [3]]),
    ("a dictionary", {"a": 1}),
    ("an object", object()),
    ("an array", np.arange(3)),
    ("a function", len),
    ("a class", int),
)
# Whose parameters are tried; each parameter with the first that has it.
_LIGHT = {
    "GreedySearch": {"score": "bic-linear"},
    "CDUCT": {"score": "bic-linear", "sims_per_node": 5, "time_limit": 2},
    "OrderSearch": {"score": "bic-linear", "time_limit": 2},
    "ExactSearch": {"score": "bic-linear", "time_limit": 2},
    "NOTEARS": {"time_limit": 2},
    "LiNGAM": {"time_limit": 2},
    "PC": {"time_limit": 2},
    "GES": {"score": "bic-linear", "time_limit": 2},
    "CAM": {"time_limit": 2},
    "RLBIC": {"score": "bic-linear", "n_iterations": 1, "batch_size": 2, "time_limit": 2},
}


def cases() -> Iterator[Case]:
    """All of this family."""
    import dagsearch as ds

    seen: set[str] = set()
    for kind, light in _LIGHT.items():
        yield Case(FAMILY, f"{kind} as it should be", partial(_fit, kind, light), (RIGHT,), seconds=150.0)
        for name in getattr(ds, kind)().get_params():
            if name not in seen:
                seen.add(name)
                for what, value in VALUES:
                    act = partial(_fit, kind, {**light, name: value})
                    yield Case(FAMILY, f"{kind}({name}={what})", act, (RIGHT, REFUSED), seconds=150.0)
    for function, given in _functions():
        yield Case(FAMILY, f"ds.{function} as it should be", partial(_call, function, given), (RIGHT,))
        for name in given:
            for what, value in VALUES:
                act = partial(_call, function, {**given, name: value})
                yield Case(FAMILY, f"ds.{function}({name}={what})", act, (RIGHT, REFUSED), seconds=150.0)


def _fit(kind: str, settings: dict[str, Any]) -> None:
    import dagsearch as ds

    with contextlib.redirect_stderr(io.StringIO()):
        model = getattr(ds, kind)(**settings).fit(good_table())
    assert model.reward_ is None or np.isfinite(model.reward_) or model.result_.status != "finished", model.reward_


def _functions() -> Iterator[tuple[str, dict[str, Callable[[], Any] | Any]]]:
    """Functions, with arguments that are fine; those that are callable here are called first."""
    yield "as_dataset", {"X": good_table, "kinds": None, "names": None, "interventions": None}
    yield "read_graph", {"path": _graph_file}
    yield "datasets.load", {"name": "sachs"}
    yield "datasets.network", {"name_or_path": "asia"}
    yield (
        "datasets.simulate",
        {"n_nodes": 4, "n_samples": 30, "n_edges": 3, "mechanism": "linear", "noise": "gaussian", "random_state": 0},
    )
    yield "metrics.compare", {"found": _dag, "truth": _dag}
    yield "Knowledge", {"required": (), "forbidden": (), "tiers": (), "forbid_within": ()}
    yield "DAG.from_edges", {"edges": [("a", "b")], "names": ["a", "b"]}
    yield "DAG.from_adjacency", {"adjacency": lambda: np.array([[0, 1], [0, 0]]), "names": ["a", "b"]}
    yield "scores.make", {"name": "bic-linear", "data": good_table, "variances": "different", "penalty": "edges"}
    yield "audit", {"data": good_table}


def _dag() -> Any:
    import dagsearch as ds

    return ds.DAG.from_edges([("a", "b")], names=["a", "b"])


def _graph_file() -> str:
    Path("graph.csv").write_text("cause,effect\na,b\n", encoding="utf-8")
    return "graph.csv"


def _call(function: str, given: dict[str, Any]) -> None:
    import dagsearch as ds

    target: Any = ds
    for part in function.split("."):
        target = getattr(target, part)
    fine = {good_table, _dag, _graph_file}
    made = {}
    for name, value in given.items():
        is_made = callable(value) and (value in fine or getattr(value, "__name__", "") == "<lambda>")
        made[name] = value() if is_made else value
    target(**made)
