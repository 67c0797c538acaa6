"""Every table and figure in files of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dagsearch.experiments.output.curves import drawings, points_csv
from dagsearch.experiments.output.figures import render
from dagsearch.experiments.output.files import write_file
from dagsearch.experiments.output.summary import findings
from dagsearch.experiments.output.table_formats import to_csv, to_latex, to_markdown
from dagsearch.experiments.output.tables import build_table
from dagsearch.experiments.store import RecordStore
from dagsearch.experiments.study import Experiment


def write_output(experiments: Iterable[Experiment], store: RecordStore, folder: Path) -> list[Path]:
    """Write ``tables/NAME.{md,tex,csv}`` and ``figures/NAME.{csv,svg,png}``, over older ones.

    Parameters
    ----------
    experiments
        Whose tables and figures are wanted.
    store
        The records; whatever has none is shown as not run.
    folder
        Where to write; made if it does not exist.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    MissingExtraError
        If there are figures and matplotlib is not installed; all other files are written before.
    InputError
        If the folder cannot be written to.
    """
    wanted = list(experiments)
    written = [path for each in wanted if each.kind == "table" for path in _write_table(each, store, folder / "tables")]
    figures = {each.name: (each, drawings(each, findings(each, store))) for each in wanted if each.kind == "figure"}
    for name, (experiment, of_panels) in figures.items():
        written.append(write_file(folder / "figures" / f"{name}.csv", points_csv(experiment, of_panels)))
    for name, (_, of_panels) in figures.items():
        written.append(write_file(folder / "figures" / f"{name}.svg", render(of_panels, "svg")))
        written.append(write_file(folder / "figures" / f"{name}.png", render(of_panels, "png")))
    return written


def _write_table(experiment: Experiment, store: RecordStore, folder: Path) -> list[Path]:
    table = build_table(experiment, findings(experiment, store))
    contents = {"md": to_markdown(table), "tex": to_latex(table), "csv": to_csv(table)}
    return [write_file(folder / f"{experiment.name}.{suffix}", content) for suffix, content in contents.items()]
