"""Effects of one variable on another one, in words."""

from __future__ import annotations

from dagsearch.causal_effects import DirectEffect, TotalEffect
from dagsearch.causal_effects.words import in_words
from dagsearch.report.notebook.cells import block, chain, lead, line, sentence
from dagsearch.report.page.words import effect_sentences


def total_effect_html(effect: TotalEffect) -> str:
    """Estimate, interval and what was adjusted for."""
    return block(
        lead("Total effect", ": ", chain([effect.cause, effect.effect])),
        [line(sentence(each)) for each in in_words(effect).split("\n")],
    )


def direct_effect_html(effect: DirectEffect) -> str:
    """What goes along an edge."""
    said = [*effect_sentences(effect), *(["The data leave the direction open."] if effect.is_open else [])]
    return block(
        lead("Direct effect", ": ", chain([effect.cause, effect.effect], not effect.is_open)),
        [line(sentence(each)) for each in said],
    )
