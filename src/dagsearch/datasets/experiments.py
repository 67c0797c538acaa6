"""Experiments in simulated tables: some variables are set in some of the rows, whatever their causes say.

At most one variable is set in a row. What is set comes from streams of its own, so that the rows in which nothing was
set stay what they are without experiments, but for functions that are rescaled over all rows.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagsearch import checks
from dagsearch.errors import InputError, UnknownNameError

Interventions = int | tuple[str, ...]

DEFAULT_SHARE = 0.1


class Plan(NamedTuple):
    """What is to be set: so many variables, or those of these names, each in a share of the rows."""

    variables: Interventions = 0
    share: float = DEFAULT_SHARE

    def in_words(self) -> str:
        """Say it; nothing if nothing is set."""
        if not self.variables:
            return ""
        who = f"{self.variables} variables" if isinstance(self.variables, int) else ", ".join(self.variables)
        return f", {who} set by experiments in {100 * self.share:g}% of the rows each"


NOTHING_SET = Plan()


class Experiments(NamedTuple):
    """What is set where."""

    was_set: NDArray[np.bool_]
    """(n_samples, n_nodes)"""
    streams: list[np.random.Generator]
    """For the values of each node; none if nothing is set."""

    def set_numbers(self, values: NDArray[np.float64], node: int) -> None:
        """Set a column of (n_samples, n_nodes), in place, to normal draws of its own mean and standard deviation."""
        rows, column = self.was_set[:, node], values[:, node]
        if rows.any():
            values[rows, node] = self.streams[node].normal(column.mean(), column.std(), int(rows.sum()))

    def set_levels(self, codes: NDArray[Any], node: int, n_levels: int) -> None:
        """Set a row of codes, (n_nodes, n_samples), in place, to levels that are all equally likely."""
        rows = self.was_set[:, node]
        if rows.any():
            codes[node, rows] = self.streams[node].integers(n_levels, size=int(rows.sum()))


def checked_plan(interventions: Any, share: Any) -> Plan:
    """Return what is to be set.

    Parameters
    ----------
    interventions
        A number of variables, or names.
    share
        Of the rows.

    Raises
    ------
    InputError
        If one of them is wrong, or if there is a share but nothing to set.
    """
    part = checks.between("intervention_share", share, 0.0, 1.0)
    if isinstance(interventions, numbers.Integral):
        variables: Interventions = checks.integer("interventions", interventions, 0)
    elif isinstance(interventions, Iterable) and not isinstance(interventions, str):
        variables = tuple(map(str, interventions))
    else:
        raise InputError(f"interventions must be a number of variables, or a list of names, got {interventions!r}")
    if not variables and part != DEFAULT_SHARE:
        raise InputError(f"intervention_share does not apply without interventions, got {share!r}")
    return Plan(variables, part)


def drawn(plan: Plan, names: Sequence[str], n_samples: int, rng: np.random.Generator) -> Experiments:
    """Draw which variables are set, if it is not said, and in which rows.

    Parameters
    ----------
    plan
        What is to be set.
    names
        All variables.
    n_samples
        Number of rows.
    rng
        Left as it is if nothing is set.

    Raises
    ------
    InputError
        If a variable is unknown or listed twice, or if the rows do not suffice.
    """
    was_set = np.zeros((n_samples, len(names)), dtype=bool)
    if not plan.variables:
        return Experiments(was_set, [])
    of_choice, *streams = rng.spawn(len(names) + 1)
    nodes = _nodes(plan, names, of_choice)
    n_rows = round(plan.share * n_samples)
    if not 1 <= n_rows <= n_samples // len(nodes):
        raise InputError(
            f"intervention_share must be from {1 / n_samples:g} to {1 / len(nodes):g} for {len(nodes)} variables, of "
            f"which one at most is set in each of {n_samples} rows, got {plan.share:g}"
        )
    rows = of_choice.permutation(n_samples)
    for k, node in enumerate(nodes):
        was_set[rows[k * n_rows : (k + 1) * n_rows], node] = True
    return Experiments(was_set, streams)


def _nodes(plan: Plan, names: Sequence[str], rng: np.random.Generator) -> list[int]:
    """Positions of the variables that are set."""
    if isinstance(plan.variables, int):
        if plan.variables > len(names):
            raise InputError(f"interventions must be at most {len(names)}, all variables, got {plan.variables}")
        return sorted(rng.permutation(len(names))[: plan.variables].tolist())
    for name in plan.variables:
        if name not in names:
            raise UnknownNameError("interventions: variable", name, names)
    if len(set(plan.variables)) < len(plan.variables):
        raise InputError(f"interventions must name each variable once, got {', '.join(plan.variables)}")
    return [names.index(name) for name in plan.variables]
