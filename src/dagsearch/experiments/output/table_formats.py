"""Tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from dagsearch.experiments.output.notes import differences, notes
from dagsearch.experiments.output.tables import Entry, Table

CSV_HEAD = (
    "experiment",
    "phase",
    "block",
    "measure",
    "method",
    "mean",
    "half_width",
    "n_runs",
    "n_planned",
    "paper_mean",
    "paper_half_width",
    "difference",
    "exceeds",
    "mark",
    "settings",
    "paper_mark",
    "paper_divided_by_ours",
)

# Whatever LaTeX would take for a command, and what is not in its fonts.
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "\N{MINUS SIGN}": "$-$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≠": r"$\neq$",
}


def to_markdown(table: Table) -> str:
    """A table with its notes, below a heading."""
    heading = f"## {table.experiment.name}: {table.experiment.title}"
    return "\n\n".join([heading, markdown_table(table), *_markdown_notes(table)]) + "\n"


def markdown_table(table: Table) -> str:
    """A table alone."""
    lines = [[*table.head_titles, *table.titles], ["---"] * len(table.head_titles) + ["--:"] * len(table.titles)]
    for names, line in zip(table.heads, table.lines, strict=True):
        lines.append([*names, *(_markdown_cell(entry) for entry in line)])
    return "\n".join(_piped(line) for line in lines)


def _markdown_notes(table: Table) -> list[str]:
    """What is said below a table, as paragraphs and a list."""
    found = differences(table)
    heading = ["Cells that differ from the paper by more than their intervals:"] if found else []
    return [*notes(table), *heading, *(["\n".join(f"- {each}" for each in found)] if found else [])]


def _piped(texts: Iterable[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _markdown_cell(entry: Entry) -> str:
    ours = f"**{entry.ours_text}**" if entry.is_best else entry.ours_text
    paper = f"paper {entry.paper_text}" if entry.paper_text else ""
    return "<br>".join(part for part in (ours, paper, entry.difference_text) if part)


def to_latex(table: Table) -> str:
    r"""A ``tabular`` to be taken in by ``\input``; it needs the package booktabs."""
    titles = [*table.head_titles, "", *(latex(title) for title in table.titles)]
    lines = [
        f"% {table.experiment.name}: {table.experiment.title}. Needs \\usepackage{{booktabs}}.",
        rf"\begin{{tabular}}{{{'l' * (len(table.head_titles) + 1)}{'r' * len(table.titles)}}}",
        r"\toprule",
        _ampersands(titles),
    ]
    for names, line in zip(table.heads, table.lines, strict=True):
        lines.append(r"\midrule" if names[-2] else r"\addlinespace")
        lines += _latex_lines(names, line, "paper/ours" if table.has_times else "difference")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _latex_lines(names: tuple[str, ...], line: tuple[Entry, ...], third: str) -> list[str]:
    blank = [""] * len(names)
    ours = [_small_interval(each.ours_text) for each in line]
    ours = [rf"\textbf{{{shown}}}" if each.is_best else shown for shown, each in zip(ours, line, strict=True)]
    return [
        _ampersands([*map(latex, names), "ours", *ours]),
        _ampersands([*blank, "paper", *(_small_interval(entry.paper_text) for entry in line)]),
        _ampersands([*blank, third, *(latex(entry.difference_text) for entry in line)]),
    ]


def _small_interval(text: str) -> str:
    """A number with its interval in the paper's small type."""
    mean, plus_minus, half_width = text.partition(" ±")
    return latex(mean) + (rf"{{\tiny $\pm${latex(half_width)}}}" if plus_minus else "")


def _ampersands(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"


def latex(text: str) -> str:
    """A text in which nothing is a command."""
    return "".join(_LATEX.get(character, character) for character in text)


def to_csv(table: Table) -> str:
    """One line per row and method; empty where there is no number, and ``exceeds`` where it cannot be told."""
    return csv_text(CSV_HEAD, (_csv_line(table.experiment.name, entry) for entry in table.entries))


def csv_text(head: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    """Lines of values as CSV; None is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return file.getvalue()


def _csv_line(name: str, entry: Entry) -> list[object]:
    row, cell, paper, difference = entry.row, entry.cell, entry.paper, entry.difference
    weight = {True: "yes", False: "no", None: ""}[difference.exceeds if difference else None]
    return [
        *(name, row.phase, row.block, row.measure, entry.method),
        *(cell.mean, cell.half_width, cell.n_runs, cell.n_planned),
        *((paper.mean, paper.half_width) if paper else (None, None)),
        *(difference.value if difference else None, weight, cell.mark, cell.settings),
        *(paper.mark if paper else "", difference.ratio if difference and row.measure == "seconds" else None),
    ]
