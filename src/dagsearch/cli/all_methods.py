"""``--method all``: every method on the same table, side by side."""

from __future__ import annotations

import math
from typing import Any

import click

from dagsearch._version import __version__
from dagsearch.cli.files import Deliveries, Loaded, focus_asked_for, write_graphs, write_json, write_page
from dagsearch.cli.options import arguments, in_words_of_the_command
from dagsearch.data import Dataset
from dagsearch.errors import DagsearchError, InputError
from dagsearch.estimators import METHODS, Certificate, DagEstimator, ExactSearch
from dagsearch.estimators.among import Among
from dagsearch.estimators.base import reward_of
from dagsearch.estimators.certificate import Proof, prove
from dagsearch.graph import DAG
from dagsearch.parameters import declared
from dagsearch.report.page.sections.agreement import agreement_section
from dagsearch.report.text import as_json, certificate_as_json, metric_cells
from dagsearch.scores import Score
from dagsearch.search.protocol import FINISHED, INTERRUPTED

_COLUMNS = (
    ("method", 15),
    ("edges", 7),
    ("reward", 12),
    ("gap", 11),
    ("pruned", 8),
    ("TPR", 8),
    ("FDR", 8),
    ("SHD", 6),
    ("s", 9),
)
_BY_CHANCE = {"random-sampling"}  # methods whose graphs say nothing of which edges others agree on
_METRICS = ("TPR", "FDR", "SHD")
# A proof may take for ever; among other methods it gets no longer than this, unless the user says how long.
_SECONDS_OF_PROOFS = 60.0


def discover_by_all(loaded: Loaded, data_name: str, options: dict[str, Any]) -> None:
    """Fit every method with the options that it takes, and print one table.

    The first method's score judges the graphs of all others, so that rewards can be compared. A method that cannot be
    used on the table, or is not installed, has its reason in its row.
    """
    data = loaded.table
    _check_settings(options)
    if options["confidence"] == "auto":
        options = {**options, "confidence": "none"}  # one table of methods has no room for it
    as_text = options["json_file"] != "-"
    records: list[dict[str, Any]] = []
    models: dict[str, DagEstimator] = {}
    judge: Score | None = None
    proofs = _Proofs(options)
    deliveries = Deliveries()
    for method in METHODS:
        try:
            model = _model(method, options, data, judge).fit(data)
        except DagsearchError as error:
            if judge is None:
                raise
            message = in_words_of_the_command(str(error))
            records.append({"method": method, "error": message})
            _say(as_text, f"{method:<15} {message}")
            continue
        except KeyboardInterrupt:
            # A method without a best graph so far was interrupted; what the others found is kept.
            if judge is None:
                raise
            records.append({"method": method, "error": INTERRUPTED})
            _say(as_text, f"{method:<15} {INTERRUPTED}")
            break
        models[method] = model
        if judge is None:
            judge = model.score_
            _say(as_text, _heading(data, data_name, model, options))
        record = {**as_json(model, data, data_name), "common_reward": _common_reward(model, judge)}
        certificate = proofs.certificate(model, judge, record["common_reward"]) if options["certify"] else None
        if certificate is not None:
            record["certificate"] = certificate_as_json(certificate)
        records.append(record)
        _say(as_text, _row(model, record, data, options))
        if options["out"] is not None:
            with deliveries.one():
                write_graphs(model, data, options["out"] / method, focus_asked_for(options))
        if model.result_.status == INTERRUPTED:
            break
    for line in proofs.in_words():
        _say(as_text, line)
    with deliveries:
        with deliveries.one():
            write_json(
                {"data": data_name, "names": list(data.names), "methods": records, "version": __version__},
                options["json_file"],
            )
        if options["report"] is not None:
            with deliveries.one():
                _write_page(models, records, loaded, data_name, options)


def _write_page(
    models: dict[str, DagEstimator],
    records: list[dict[str, Any]],
    loaded: Loaded,
    data_name: str,
    options: dict[str, Any],
) -> None:
    """The page about the first method, with what all of them agree on."""
    left_out = {record["method"]: record["error"] for record in records if "error" in record}
    left_out |= {
        method: f"ended early ({model.result_.status}), so that its graph is not its answer"
        for method, model in models.items()
        if model.result_.status != FINISHED
    }
    left_out |= dict.fromkeys(_BY_CHANCE & models.keys(), "draws its graph by chance")
    graphs = {method: model.pruned_dag_ for method, model in models.items() if method not in left_out}
    agreement = agreement_section(graphs, left_out, loaded.table.truth)
    first = next(iter(models.values()))
    write_page(first, loaded, data_name, options["report"], further=(agreement,), focus=focus_asked_for(options))


class _Proofs:
    """Optima by the score that judges all methods, one for each set of restrictions that methods are under."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._settings: dict[str, Any] = {
            "time_limit": options["time_limit"] or _SECONDS_OF_PROOFS,
            "solver": options["solver"] or "auto",
            "progress": True,
        }
        self._known: dict[tuple[Any, ...], Proof] = {}

    def certificate(self, model: DagEstimator, judge: Score, reward: float | None) -> Certificate:
        """What is proven about the graph of a method."""
        among = Among.of(model, judge, model.dag_)
        key = (among.in_words(), repr(getattr(model, "knowledge", None)))
        if key not in self._known:
            self._known[key] = prove(among, judge, model.dag_, **self._settings)
        return self._known[key].of(model.dag_, math.nan if reward is None else reward)

    def in_words(self) -> list[str]:
        """The optima, without saying how far a single method is from them."""
        distinct = dict.fromkeys(proof.in_words() for proof in self._known.values())
        return ["", *distinct] if distinct else []


def _check_settings(options: dict[str, Any]) -> None:
    """Refuse a wrong value of an option before any method is run, though only the last one takes it."""
    given = arguments(options)
    if "checkpoint" in given:
        raise InputError("--checkpoint is of one search: name a method")
    for kind in METHODS.values():
        names = declared(kind).keys() - (set() if kind.any_score else {"score"})
        kind(**{name: value for name, value in given.items() if name in names}).check()


def _model(method: str, options: dict[str, Any], data: Dataset, judge: Score | None) -> DagEstimator:
    """The estimator of a method; options that it does not take are for others."""
    kind = METHODS[method]
    given = arguments(options)
    taken = declared(kind)
    if "discrete" not in kind.data_kinds and all(k == "discrete" for k in data.kinds):
        raise InputError("needs continuous columns")
    chosen = {name: value for name, value in given.items() if name in taken and name not in ("score", "fix")}
    if kind is ExactSearch:
        chosen.setdefault("time_limit", _SECONDS_OF_PROOFS)
    if kind.any_score and "score" in taken:
        chosen["score"] = judge if judge is not None else given.get("score", "auto")
    return kind(**chosen, progress=True)


def _common_reward(model: DagEstimator, judge: Score) -> float | None:
    """Reward of the graph by the score that judges all; None if members of its class differ in it."""
    same_score = model.result_.settings["score"] == judge.name and not judge.equal_variances
    if not isinstance(model.dag_, DAG) and not same_score:
        return None
    reward = reward_of(judge, model.dag_)
    return None if math.isnan(reward) else reward


def _heading(data: Dataset, data_name: str, first: DagEstimator, options: dict[str, Any]) -> str:
    """What is compared, and the titles of the columns."""
    lines = [
        f"{data_name}: {data.n_samples} rows, {data.n_nodes} variables",
        *first.result_.notes,
        f"reward: {first.result_.settings['score']}" + ("; metrics after pruning" if data.truth is not None else ""),
        "",
        _cells([title for title, _ in _columns(data, options)], data, options),
    ]
    return "\n".join(lines)


def _row(model: DagEstimator, record: dict[str, Any], data: Dataset, options: dict[str, Any]) -> str:
    reward = record["common_reward"]
    gap = record["certificate"]["gap"] if options["certify"] else None
    metrics = [] if data.truth is None else metric_cells(model.pruned_dag_, data.truth)[:3]
    cells = [
        model.method,
        str(record["n_edges"]),
        "-" if reward is None else f"{reward:.4f}",
        *([("-" if gap is None else f"{gap:.4f}")] if options["certify"] else []),
        str(record["n_pruned_edges"]),
        *metrics,
        f"{record['seconds']:.1f}",
    ]
    remark = "" if record["status"] == FINISHED else f"  {record['status']}"
    return _cells(cells, data, options) + remark


def _columns(data: Dataset, options: dict[str, Any]) -> list[tuple[str, int]]:
    """Titles and widths; metrics only where the truth is known, gaps only where they are asked for."""
    left_out = {*(() if data.truth is not None else _METRICS), *(() if options["certify"] else ("gap",))}
    return [column for column in _COLUMNS if column[0] not in left_out]


def _cells(cells: list[str], data: Dataset, options: dict[str, Any]) -> str:
    widths = [width for _, width in _columns(data, options)]
    return cells[0].ljust(widths[0]) + "".join(
        cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)
    )


def _say(as_text: bool, line: str) -> None:
    if as_text:
        click.echo(line)
