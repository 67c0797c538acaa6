"""What is to be said about a table in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dagsearch.experiments.output import text
from dagsearch.experiments.output.summary import CYCLIC, NOT_APPLICABLE, Findings
from dagsearch.experiments.output.tables import CANNOT_TELL, EXCEEDS, NOT_RUN, Entry, Table


def notes(table: Table) -> list[str]:
    """How to read a table, what it lacks, what was tuned, and what has no counterpart in the paper."""
    if not any(entry.cell.n_runs for entry in table.entries):
        return ["Nothing was run yet."]
    studies = list(_one_entry_per_study(table))
    partial = [(each, _runs(each)) for each in studies if 0 < each.cell.n_runs < each.cell.n_planned]
    found = [
        _legend(table),
        _listed("Fewer runs than planned", _by_block(partial)),
        _listed("Not run", _by_block([(each, "") for each in studies if each.ours_text == NOT_RUN])),
        _listed("Settings", _by_block([(each, each.cell.settings) for each in studies if each.cell.settings])),
        _listed(f"{CYCLIC} Graphs with a cycle", list(dict.fromkeys(_cyclic_texts(table)))),
        _listed("Only one has a number", [_one_sided(each) for each in table.entries if _is_one_sided(each)]),
    ]
    return [note for note in found if note]


def figure_notes(found: Iterable[Findings]) -> list[str]:
    """What a figure lacks, and what was tuned for it."""
    of_curves: dict[str, list[Findings]] = {}
    for each in found:
        of_curves.setdefault(f"{text.title(each.study.column)}, {each.study.block}", []).append(each)
    ran = {name: points for name, points in of_curves.items() if any(point.records for point in points)}
    partial = [f"{name}: {_runs_per_point(points)}" for name, points in of_curves.items() if _is_partial(points)]
    settings = {
        name: dict.fromkeys(point.settings for point in points if point.settings) for name, points in ran.items()
    }
    tuned = [f"{name}: {'; '.join(texts)}" for name, texts in settings.items() if texts]
    return [note for note in (_listed("Fewer runs than planned", partial), _listed("Settings", tuned)) if note]


def _is_partial(points: list[Findings]) -> bool:
    return any(len(point.records) < point.n_planned for point in points)


def _runs_per_point(points: list[Findings]) -> str:
    made, planned = [len(point.records) for point in points], max(point.n_planned for point in points)
    if not any(made):
        return NOT_RUN
    return (
        f"{min(made)} to {max(made)} of {planned} for each point"
        if min(made) < max(made)
        else (f"{made[0]} of {planned} for each point")
    )


def differences(table: Table) -> list[str]:
    """The cells that differ from the paper by more than their intervals, in words."""
    return [_difference(each) for each in table.entries if each.difference and each.difference.exceeds]


def _legend(table: Table) -> str:
    if table.has_times:
        return (
            "Each cell: our time, the paper's, and the paper's divided by ours. Times depend on the machine. "
            "Bold: the shortest of ours in the row."
        )
    return (
        "Each cell: ours ± half the 95% interval, the paper's, and ours minus the paper's. "
        f"{EXCEEDS}: they differ by more than their intervals (or, without intervals, than rounding). "
        f"{CANNOT_TELL}: this cannot be told from so few runs. Bold: the best of ours in the row. "
        f"{NOT_APPLICABLE}: there is no such number."
    )


def _one_entry_per_study(table: Table) -> Iterator[Entry]:
    """The first entry of every block and method that has a study."""
    seen = set()
    for entry in table.entries:
        study = entry.row.block, entry.method
        if study not in seen and entry.cell.n_planned:
            seen.add(study)
            yield entry


def _by_block(said: list[tuple[Entry, str]]) -> list[str]:
    """What is said of studies, once for all methods of a block of which it is said."""
    methods: dict[tuple[str, str], list[str]] = {}
    for entry, words in said:
        methods.setdefault((entry.row.block, words), []).append(text.title(entry.method))
    return [
        f"{block}, {', '.join(names)}" + (f": {words}" if words else "") for (block, words), names in methods.items()
    ]


def _runs(entry: Entry) -> str:
    not_tuned = ", not tuned" if entry.cell.settings.endswith("not tuned") else ""
    return f"{entry.cell.n_runs} of {entry.cell.n_planned} runs{not_tuned}"


def _cyclic_texts(table: Table) -> Iterator[str]:
    for entry in table.entries:
        if entry.cell.n_cyclic:
            after = " after pruning" if entry.row.phase == "Prune" else ""
            yield f"{entry.row.block}, {text.title(entry.method)}{after}: {entry.cell.n_cyclic} of {entry.cell.n_runs}"


def _is_one_sided(entry: Entry) -> bool:
    """Whether one has a number and the other failed; what the paper merely does not show is not worth a word."""
    if entry.paper is None or not entry.cell.n_runs or entry.paper.mark == NOT_APPLICABLE:
        return False
    return (entry.cell.mean is None) != (entry.paper.mean is None)


def _one_sided(entry: Entry) -> str:
    return f"{text.where(entry.row, entry.method)}: ours {entry.ours_text}, the paper's {entry.paper_text}"


def _difference(entry: Entry) -> str:
    assert entry.difference is not None
    return (
        f"{text.where(entry.row, entry.method)}: {entry.ours_text}, the paper's {entry.paper_text} ({_verdict(entry)})"
    )


def _verdict(entry: Entry) -> str:
    assert entry.difference is not None
    is_higher = entry.difference.value > 0
    if entry.row.measure == "seconds" and entry.difference.ratio:
        times = text.brief(max(entry.difference.ratio, 1 / entry.difference.ratio))
        return f"{times} times {'slower' if is_higher else 'faster'}"
    better = "better" if is_higher == text.is_better_high(entry.row.measure) else "worse"
    return (
        f"{text.number(abs(entry.difference.value), entry.row.measure)} {'higher' if is_higher else 'lower'}: {better}"
    )


def _listed(what: str, items: list[str]) -> str:
    return f"{what}: {'; '.join(items)}." if items else ""
