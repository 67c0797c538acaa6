"""How figures look, and the files that they become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

STYLE = {"svg.hashsalt": "dagsearch", "font.family": "DejaVu Sans", "font.size": 10}
"""Settings of matplotlib with which the same numbers give the same files."""


def save(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG, and return their paths; to be called under `STYLE`."""
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], dpi=130)
    return paths
