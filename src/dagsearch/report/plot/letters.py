"""Letters as matplotlib draws them: their fonts, and how wide text is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from dagsearch._visible import clipped
from dagsearch.report.plot.canvas import legible

# It comes with matplotlib, and has signs for characters that cannot be seen.
_ALWAYS_THERE = "DejaVu Sans"


@dataclass(frozen=True)
class Letters:
    """Fonts in order; a character that one lacks is taken from the next.

    Attributes
    ----------
    families
        Names of the fonts.
    """

    families: tuple[str, ...] = (_ALWAYS_THERE,)

    @classmethod
    def of_user(cls) -> Self:
        """Those that the user has chosen for all figures."""
        return cls((*rcParams["font.family"], _ALWAYS_THERE))

    def font(self, bold: bool = False) -> Any:
        """The fonts as matplotlib has them, without a size."""
        upright: dict[str, Any] = {"style": "normal", "variant": "normal", "stretch": "normal"}
        return FontProperties(family=list(self.families), weight="bold" if bold else "normal", **upright)

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Width of a line of text in the unit of the letters' size."""
        font = self.font(bold)
        font.set_size(size)
        return float(text_to_path.get_text_width_height_descent(legible(text), font, ismath=False)[0])

    def cut(self, text: str, size: float, room: float) -> str:
        """As many characters of a text as fit into a room; the last one is … if some are left out."""
        longest = len(text)
        while longest > 1 and self.width(clipped(text, longest), size) > room:
            longest -= 1
        return clipped(text, longest)
