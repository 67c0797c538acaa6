"""The report for people: Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from study_runs.markdown import NOTHING, number, table

from calibration_study.bins import Reliability
from calibration_study.summary import Cell

NOTES = """\
- **Calibration error**: pairs are put into ten bins by their probability; the mean over pairs of how far the mean
  probability of a bin is from the share of it that is true. ± is a standard error, from drawing the tables anew. Most
  pairs are in the lowest bin, which flatters the mean: `above 10%` is the error of all other bins alone.
- **Brier score**: mean squared difference of probability and truth; beside it that of knowing only how many edges
  there are.
- **Above 90%**: the share of these edges that is there, with that direction; in brackets the share that their
  probabilities promise, and their number. (Of adjacencies whatever the direction.)
- *edges* are ordered pairs, P(a -> b) against the true graph; *adjacent* are unordered ones. In linear Gaussian data,
  and in discrete data, only the equivalence class can be told: probabilities near a half for both directions are right.
- Tables: 8 to 12 variables, 1 to 1.5 edges per variable, at most 4 causes of each, continuous columns standardised.
  Linear: weights from 0.1 to 1.5 with random signs; non-Gaussian: Laplace, uniform, exponential or Gumbel noise;
  Gaussian processes: one function of all causes; discrete: 2 to 4 levels, rows of tables uniform (Dirichlet, 1).
- *any DAG*: graphs uniform over all DAGs with at most 6 causes of a variable, as `bic-linear` and `bdeu` have it in
  their posteriors, which are denser: half of all pairs are adjacent. *from the prior*: so are graphs, and tables are
  from the prior of `bdeu` itself (sample size 10): what is wrong there is wrong in the sums, not in assumptions.
- Measurement error: a tenth of the variance of every column. Hidden cause: one more variable that causes 2 to 4 of the
  others and is not in the table; edges among the others are the truth.
- Scores are as `dagsearch.posterior` has them by default, but for two: *extended penalty* is what searches take for
  `bic-linear`, and so `--confidence posterior`; *prior as good as 10 rows* is `sample_size=10`, else 1. `evidence` has
  at most 4 causes of a variable; `evidence (linear)` is with linear models and Gaussian noise. Bootstrap: order search
  with one start, or greedy search with `evidence`."""


def report(cells: Sequence[Cell], command: str, versions: Iterable[str]) -> str:
    """The whole report."""
    modelled = [cell for cell in cells if cell.family.is_modelled]
    others = [cell for cell in cells if not cell.family.is_modelled]
    parts = ["# Can the probabilities be trusted?", _origin(cells, command, versions)]
    parts += ["![Reliability of edges](calibration.svg)", "![Reliability of adjacencies](adjacency.svg)", NOTES]
    for title, chosen in (("Where the score's assumptions hold", modelled), ("Where they do not", others)):
        if chosen:
            parts += [f"## {title}", "Edges:", table_of(chosen, "edges")]
            parts += ["Adjacent or not:", table_of(chosen, "adjacencies")]
    return "\n\n".join(parts) + "\n"


def _origin(cells: Sequence[Cell], command: str, versions: Iterable[str]) -> str:
    n_tables = len({(cell.family.name, cell.n_rows, record.task.table) for cell in cells for record in cell.records})
    n_runs = sum(len(cell.records) for cell in cells)
    lines = [f"Made by `{command}`: {n_runs} runs on {n_tables} tables. All measures: `calibration.csv`."]
    return "\n\n".join([*lines, f"Code: {', '.join(versions)}."])


def table_of(cells: Sequence[Cell], what: str) -> str:
    """A row per condition and system."""
    titles = ["data", "score", "rows", "by", "tables", "calibration error", "above 10%", "Brier", "base rate's"]
    return table([*titles, "right, above 90%"], [_line(cell, what) for cell in cells])


def _line(cell: Cell, what: str) -> list[str]:
    total = cell.total(what)
    error = f"{total.calibration_error:.3f} ± {number(cell.standard_error(what), '.3f')}"
    measures = [number(value, ".3f") for value in (total.error_above_lowest, total.brier, total.base_brier)]
    condition = [cell.family.title, _score(cell), str(cell.n_rows), _system(cell), str(len(cell.records))]
    return [*condition, error, *measures, _sure(total)]


def _score(cell: Cell) -> str:
    is_linear = cell.family.settings.get("models") == ("linear",)
    return cell.family.score + (" (linear)" if is_linear else "")


def _system(cell: Cell) -> str:
    """The system; with the number of replicates, and of tables on which chains do not agree."""
    settings, n_tables = cell.settings, len(cell.records)
    if cell.system == "bootstrap":
        return f"bootstrap ({settings['replicates']})"
    n_disagreeing = n_tables - settings.get("agree", n_tables)
    return cell.system + (f" ({n_disagreeing} disagree)" if n_disagreeing else "")


def _sure(total: Reliability) -> str:
    if not total.n_sure:
        return NOTHING
    return f"{total.right_of_sure:.3f} ({total.claimed_of_sure:.3f}, {total.n_sure:.0f})"
