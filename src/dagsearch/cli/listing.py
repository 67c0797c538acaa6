"""What ``dagsearch methods`` prints."""

from __future__ import annotations

import inspect
from importlib.util import find_spec

from dagsearch.cli.options import OPTION_OF
from dagsearch.errors import UnknownNameError, how_to_install
from dagsearch.estimators import METHODS, DagEstimator
from dagsearch.parameters import declared, methods_that_take

_NEEDED_BY = {"rl": ("jax", "optax"), "baselines": ("causallearn",), "exact": ("pyscipopt",)}
_FOR_ALL = [name for name in OPTION_OF if len(methods_that_take(name)) == len(METHODS)]


def listed() -> str:
    """All methods: name, estimator, data, extra, what they do; then the options of each."""
    rows = [("method", "in Python", "data", "extra", "what it does")]
    for name, kind in METHODS.items():
        rows.append((name, f"ds.{kind.__name__}", " or ".join(kind.data_kinds), kind.extra or "-", kind.summary))
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)) + "  " + row[4] for row in rows
    ]
    lines += ["", f"Options of all methods: {', '.join(OPTION_OF[name] for name in _FOR_ALL)}. Further options:"]
    lines += [f"  {name:<{widths[0]}}  {', '.join(_options(kind))}" for name, kind in METHODS.items()]
    missing = [extra for extra in _NEEDED_BY if not is_installed(extra)]
    lines += ["", *(f"Extra {extra} is not installed: {how_to_install(extra)}" for extra in missing)]
    return "\n".join(lines).rstrip()


def described(name: str) -> str:
    """One method: what it does, and its options with their defaults."""
    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    kind = METHODS[name]
    lines = [f"{name} (ds.{kind.__name__}): {' or '.join(kind.data_kinds)} data", "", inspect.getdoc(kind) or "", ""]
    if kind.extra is not None:
        state = "installed" if is_installed(kind.extra) else f"not installed: {how_to_install(kind.extra)}"
        lines += [f"Extra {kind.extra}: {state}", ""]
    lines.append("Options, with the defaults of the Python arguments:")
    for argument, known in declared(kind).items():
        if argument in OPTION_OF:
            lines.append(f"  {OPTION_OF[argument]:<23} {argument}={known.default!r}")
    return "\n".join(lines)


def is_installed(extra: str) -> bool:
    """Whether the packages of an extra can be imported."""
    return all(find_spec(package) is not None for package in _NEEDED_BY[extra])


def _options(kind: type[DagEstimator]) -> list[str]:
    """Options of a method beyond those that all have."""
    taken = declared(kind)
    return [option for name, option in OPTION_OF.items() if name in taken and name not in _FOR_ALL]
