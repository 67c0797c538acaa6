"""The answer in three sentences, and what they do not mean."""

from __future__ import annotations

from dagsearch.confidence.result import SURE_DIRECTION
from dagsearch.graph import CyclicGraph
from dagsearch.graph.marks import short_number
from dagsearch.report.page.edges import EdgeRow
from dagsearch.report.page.markup import Markup, element, joined
from dagsearch.report.page.material import Material
from dagsearch.report.page.words import counted, probability, some

_LIKELY = 0.9
_MOST_EXAMPLES = 3
_FEW_ROWS_PER_VARIABLE = 20


def answer(material: Material) -> Markup:
    """What stands at the top of the page."""
    sentences = [what_was_found(material), how_sure(material), how_well_it_fits(material)]
    return joined(
        element("div", [element("p", sentence) for sentence in sentences], class_="answer"),
        element(
            "details",
            element("summary", "What this does not mean"),
            element("ul", [element("li", element("strong", lead), " ", text) for lead, text in caveats(material)]),
            open=True,
            class_="caveats",
        ),
    )


def what_was_found(material: Material) -> str:
    """How many influences, and the strongest of them."""
    data, found = material.model.data_, material.shown.found
    size = f"{counted(data.n_samples, 'row')} and {counted(data.n_nodes, 'variable')}"
    if isinstance(material.model.dag_, CyclicGraph):
        return f"In {material.data_name} ({size}) the method ended with a graph that has a cycle, which is no answer."
    if not found:
        return f"In {material.data_name} ({size}) no variable was found to influence another one."
    strongest = sorted((row for row in found if row.strength is not None), key=lambda row: -(row.strength or 0.0))
    examples = [_example(row) for row in strongest[:_MOST_EXAMPLES]]
    named = ""
    if examples:
        named = f": {some(examples)}" if len(examples) == len(found) else f"; the strongest: {some(examples)}"
    return f"In {material.data_name} ({size}) {counted(len(found), 'direct influence')} {_were(found)} found{named}."


def _were(found: list[EdgeRow]) -> str:
    return "was" if len(found) == 1 else "were"


def _part(number: int, of: list[EdgeRow]) -> str:
    """The beginning of a sentence on some of the edges."""
    if number == len(of):
        return "it is" if number == 1 else f"all {number} are"
    return f"{number} of the {len(of)} {'is' if number == 1 else 'are'}"


def _example(row: EdgeRow) -> str:
    assert row.effect is not None
    assert row.effect.standardised is not None
    return f"{row.in_words} ({short_number(row.effect.standardised)} standard deviations)"


def how_sure(material: Material) -> str:
    """How many edges and directions can be relied on."""
    found, confidence = material.shown.found, material.model.confidence_
    if not found:
        return (
            "With so few signs of dependence there is nothing to be more or less sure of."
            if confidence is None
            else "The likeliest edge that was not drawn has a probability of "
            f"{probability(float(confidence.adjacency_probability.max(initial=0.0)))}."
        )
    n_open = sum(not row.stroke.directed for row in found)
    if confidence is None:
        known = (
            f"; by this score the data leave {counted(n_open, 'direction')} open, drawn without arrowhead"
            if n_open
            else ""
        )
        asking = material.asking("ask for it with confidence='bootstrap'")
        return f"How sure each of them is was not computed ({asking}){known}."
    n_likely = sum((row.mark.adjacent or 0.0) > _LIKELY for row in found)
    n_sure = len(found) - n_open
    said = (
        f"{_part(n_likely, found)} there with a probability above {_LIKELY:.0%}, and {_part(n_sure, found)} directed "
        f"with more than {SURE_DIRECTION:.0%} of that ({confidence.method})"
        f"{'; the others are drawn without arrowhead' if n_open else ''}."
    )
    return said[0].upper() + said[1:]


def how_well_it_fits(material: Material) -> str:
    """What the model explains, and what its own test finds left over."""
    explained = [each.explained for each in material.residuals if each.explained is not None and each.n_causes]
    if not explained:
        return "No variable has a cause, so there is nothing that the graph explains."
    span = f"{min(explained):.0%}" if len(explained) == 1 else f"between {min(explained):.0%} and {max(explained):.0%}"
    said = f"Of what varies in a variable its causes explain {span}"
    n_left = len(material.dependence.found)
    if n_left:
        return (
            f"{said}; {counted(n_left, 'pair')} of variables {'is' if n_left == 1 else 'are'} still dependent though "
            "the graph says otherwise, so an influence or a common cause may be missing."
        )
    return f"{said}; a test finds no dependence that the graph does not account for."


def caveats(material: Material) -> list[tuple[str, str]]:
    """What the graph must not be taken for."""
    data = material.model.data_
    rows_per_variable = data.n_samples / max(data.n_nodes, 1)
    few = (
        f"There are {rows_per_variable:.0f} rows for each variable, which is few: weak influences are missed, and some "
        "of what is drawn may be chance."
        if rows_per_variable < _FEW_ROWS_PER_VARIABLE
        else f"{data.n_samples:,} rows show strong influences; weak ones may be missed, and no edge does not mean no "
        "influence."
    )
    return [
        (
            "Hidden causes.",
            "The method takes every common cause to be among the columns. Where one is not, an arrow may stand for it.",
        ),
        (
            "Measurement error.",
            "A variable that is measured badly looks as if it had no causes of its own, and noise can turn an arrow.",
        ),
        _scale(material),
        ("Small samples.", few),
        (
            "Feedback.",
            "A DAG has no cycles: two variables that influence each other appear with one arrow, or with none.",
        ),
    ]


def _scale(material: Material) -> tuple[str, str]:
    """What hangs on how the columns were written down."""
    model = material.model
    if "continuous" not in model.data_.kinds:
        return (
            "Levels.",
            "What depends on what is told by counts of levels: to merge or split levels, or to cut a number elsewhere, "
            "can bring edges, take them away and turn them.",
        )
    if model.is_linear and model.result_.method != "lingam":
        return (
            "Scale.",
            "Influences are taken for straight lines: a logarithm, or another unit of measurement that is no straight "
            "line, can bring edges, take them away and turn them.",
        )
    return (
        "Scale.",
        "Directions are told by shapes of relations and of noise, which a logarithm or another unit of measurement "
        "that is no straight line can change.",
    )
