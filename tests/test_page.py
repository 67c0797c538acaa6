"""The page as a file: what it holds, what it must not hold, how it is asked for; `test_page_browser` looks at it."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from common import run
from hypothesis import given
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch.report.page.markup import Markup, as_data, element
from dagsearch.report.page.words import probability

VOID = {"meta", "input", "br", "hr"}
SVG_TEXT = "{http://www.w3.org/2000/svg}text"


class Outline(HTMLParser):
    """What a browser would find: elements in the order of their ends, and text outside of programs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        last = self.open[-1] if self.open else ""
        {"script": self.scripts, "style": self.styles}.get(last, self.text).append(data)

    def ids(self):
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


def read(path):
    page = path.read_text(encoding="utf-8")
    outline = Outline(page)
    assert outline.open == []
    ids = outline.ids()
    assert len(ids) == len(set(ids)), "an identifier stands for two things"
    return page, outline, json.loads(outline.scripts[0])


def policy(outline):
    found = [each for tag, each in outline.elements if tag == "meta" and each.get("http-equiv")]
    return dict(part.strip().split(" ", 1) for part in found[0]["content"].split(";"))


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, 3))
    x[:, 1] += np.sin(2 * x[:, 0])
    x[:, 2] -= x[:, 1]
    return pd.DataFrame(x, columns=["dose", "level", "pain"])


@pytest.fixture(scope="module")
def model():
    return ds.OrderSearch(random_state=0, trace=True).fit(table())


@pytest.fixture(scope="module")
def page(model, tmp_path_factory):
    return model.report(tmp_path_factory.mktemp("page") / "page.html", name="my <table>")


# ------------------------------------------------------------------ markup


@given(st.text(), st.text())
def test_text_stays_text_whatever_it_holds(text, value):
    made = Outline(element("p", text, title=value))
    assert [tag for tag, _ in made.elements] == ["p"]
    assert set(made.elements[0][1]) == {"title"}
    assert not re.search(r"[\x00-\x08\u202a-\u202e]", "".join(made.text))


@given(st.recursive(st.none() | st.booleans() | st.text() | st.floats(), lambda each: st.lists(each, max_size=3)))
def test_data_never_end_the_element_they_stand_in(value):
    written = as_data(value)
    assert "<" not in written
    read_back = json.loads(written)
    assert type(read_back) is type(value) or isinstance(value, float)


def test_arrows_point_from_left_to_right_whatever_names_are_written_in():
    """Between two Hebrew names an arrow without marks would be shown behind the effect, before the cause."""
    assert element("p", "\u05d0 → \u05d1") == "<p>\u05d0 \u200e→\u200e \u05d1</p>"
    assert json.loads(as_data(["\u05d0 — \u05d1"])) == ["\u05d0 \u200e—\u200e \u05d1"]


def test_markup_is_not_escaped_twice_and_attributes_are_left_out():
    assert element("p", element("b", "1 < 2"), hidden=None, open=True, class_="a") == (
        '<p open class="a"><b>1 &lt; 2</b></p>'
    )
    assert isinstance(element("p"), Markup)
    assert as_data({"a": np.float64("nan"), "b": np.arange(2), "c": 1 / 3}) == '{"a":null,"b":[0,1],"c":0.3333}'


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "\N{EN DASH}"),
        (0.0, "0%"),
        (0.001, "< 1%"),
        (0.005, "< 1%"),
        (0.006, "1%"),
        (0.995, "> 99%"),
        (1.0, "100%"),
    ],
)
def test_only_what_is_certain_is_called_so(share, said):
    assert probability(share) == said


# ------------------------------------------------------------------ the file


def test_the_policy_allows_this_program_and_this_style_alone(page):
    _, outline, _ = read(page)
    rules = policy(outline)
    assert rules["default-src"] == "'none'"
    for rule, content in (("script-src", outline.scripts[1]), ("style-src", outline.styles[0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert not any("unsafe" in rule for rule in rules.values())
    assert not [each for _, each in outline.elements if "style" in each or any(name.startswith("on") for name in each)]


def test_nothing_is_loaded_from_elsewhere(page):
    text, outline, _ = read(page)
    for tag, attributes in outline.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    assert set(re.findall(r"https?://[^\s\"'<>)]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_page_has_all_its_parts(page):
    text, outline, data = read(page)
    headings = {each["id"] for tag, each in outline.elements if tag == "section"}
    assert headings >= {"graph-section", "edges", "checks", "changes", "inside", "provenance"}
    said = " ".join(outline.text)
    for caveat in ("Hidden causes", "Measurement error", "Scale", "Small samples"):
        assert caveat in said
    assert "my <table>" in said
    assert "my <table>" not in text
    assert "ds.OrderSearch(" in said
    assert [each["name"] for each in data["residuals"]] == ["dose", "level", "pain"]


def test_edges_of_the_data_are_those_of_the_fit(page, model):
    _, outline, data = read(page)
    names = data["graph"]["names"]
    found = {(names[each["from"]], names[each["to"]]) for each in data["graph"]["edges"] if each["found"]}
    assert found == {tuple(edge) for edge in model.pruned_dag_.directed_edges} | {
        tuple(edge) for edge in model.pruned_dag_.undirected_edges
    }
    for edge in data["graph"]["edges"]:
        if edge["found"]:
            assert edge["relation"]["kind"] == "curve"
            assert edge["relation"]["p_value"] is not None
    drawn = [attributes for _, attributes in outline.elements if "ds-edge" in (attributes.get("class") or "").split()]
    assert len(drawn) == len(data["graph"]["edges"])


def test_probabilities_of_the_page_are_those_of_the_fit(tmp_path):
    model = ds.OrderSearch(random_state=0, confidence="posterior").fit(table())
    _, outline, data = read(model.report(tmp_path / "page.html"))
    names, sure = data["graph"]["names"], model.confidence_
    for edge in data["graph"]["edges"]:
        i, j = (sure.names.index(names[edge[end]]) for end in ("from", "to"))
        assert edge["adjacent"] == pytest.approx(sure.adjacency_probability[i, j], abs=1e-3)
        assert edge["forward"] == pytest.approx(sure.edge_probability[i, j], abs=1e-3)
    assert data["calibration"]["claimed"]
    assert "In simulations where the model holds" in " ".join(outline.text)


def test_many_rows_do_not_go_into_the_page(tmp_path):
    model = ds.OrderSearch(random_state=0, score="bic-linear").fit(table(n=50_000))
    path = model.report(tmp_path / "page.html")
    assert path.stat().st_size < 300_000
    _, _, data = read(path)
    assert max(len(edge["relation"]["x"]) for edge in data["graph"]["edges"] if edge["found"]) <= 300


def test_thirty_variables_stay_below_a_megabyte(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 30))
    for j in range(2, 30):
        values[:, j] += values[:, j - 1] - values[:, j - 2]
    model = ds.GreedySearch(random_state=0, score="bic-linear").fit(values)
    assert model.dag_.n_edges >= 40
    path = model.report(tmp_path / "page.html")
    assert path.stat().st_size < 1_000_000


def test_the_same_fit_gives_the_same_page_but_for_times(model, tmp_path):
    once, again = (
        re.sub(r"\d+\.\d\d s", "", model.report(tmp_path / name).read_text()) for name in ("a.html", "b.html")
    )
    assert once == again


# ------------------------------------------------------------------ all kinds of fits


def test_a_graph_without_edges(tmp_path):
    noise = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 3)), columns=list("abc"))
    _, outline, data = read(ds.OrderSearch(random_state=0).fit(noise).report(tmp_path / "page.html"))
    assert data["graph"]["edges"] == []
    assert "no variable was found to influence another one" in " ".join(outline.text)


def test_each_specification_has_its_column(tmp_path):
    fit = ds.OrderSearch(random_state=0, confidence="specifications").fit(table())
    _, outline, _ = read(fit.report(tmp_path / "page.html"))
    assert {each.name for each in fit.confidence_.specifications} <= set(outline.text)
    assert any(re.fullmatch(r"(> )?\d+% [→←—]", text) for text in outline.text)


def test_probabilities_that_the_study_does_not_cover_have_no_curve(tmp_path):
    fit = ds.GreedySearch(random_state=0, score="bic-quadratic", confidence="bootstrap", n_replicates=3).fit(table())
    _, outline, data = read(fit.report(tmp_path / "page.html"))
    assert data["calibration"] is None
    assert not [each for _, each in outline.elements if each.get("data-figure") == "calibration"]
    assert "not of bic-quadratic" in " ".join(outline.text)


def test_categories_have_pictures_of_their_own(tmp_path):
    rng = np.random.default_rng(0)
    group = rng.choice(["<b>", "mid", "high"], size=500)
    x = rng.normal(size=500) + 2.0 * (group == "high")
    sick = np.where(rng.uniform(size=500) < 1 / (1 + np.exp(-2 * x)), "yes", "no")
    mixed = pd.DataFrame({"group": group, "x": x, "sick": sick})
    text, _, data = read(ds.OrderSearch(random_state=0).fit(mixed).report(tmp_path / "page.html"))
    kinds = {edge["relation"]["kind"] for edge in data["graph"]["edges"] if edge["found"]}
    assert kinds & {"boxes", "probabilities", "table"}
    assert "<b>" not in text


@pytest.mark.parametrize("method", [ds.PC, ds.GES, ds.LiNGAM])
def test_methods_that_go_by_no_score_or_leave_directions_open(method, tmp_path):
    _, _, data = read(method().fit(table()).report(tmp_path / "page.html"))
    assert data["path"] is None
    assert data["graph"]["edges"]


def test_missing_cells_and_interventions(tmp_path):
    gappy = table()
    gappy.loc[:20, "level"] = np.nan
    _, _, data = read(ds.OrderSearch(random_state=0).fit(gappy).report(tmp_path / "page.html"))
    assert data["path"] is None
    set_by_hand = ds.OrderSearch(random_state=0, interventions=[{"dose"}] * 50 + [set()] * 150)
    _, outline, _ = read(set_by_hand.fit(table()).report(tmp_path / "page.html"))
    assert "set by experiments" in " ".join(outline.text)


def test_the_known_graph_is_laid_over(tmp_path):
    truth = ds.DAG.from_edges([("dose", "pain"), ("dose", "level")], names=("dose", "level", "pain"))
    known = replace(ds.as_dataset(table()), truth=truth)
    _, outline, data = read(ds.OrderSearch(random_state=0).fit(known).report(tmp_path / "page.html"))
    kinds = {each["kind"] for each in data["graph"]["edges"]}
    assert kinds <= {"right", "reversed", "extra", "missing"}
    assert "missing" in kinds
    assert "truth" in outline.ids()


# ------------------------------------------------------------------ asking for it


def test_the_command_writes_the_page_with_the_command_that_repeats_it(tmp_path):
    source, target = tmp_path / "data.csv", tmp_path / "page.html"
    table().to_csv(source, index=False)
    outcome = run("discover", source, "--seed", 3, "--report", target)
    assert outcome.exit_code == 0, outcome.output
    assert f"wrote the report {target}" in outcome.stderr
    _, outline, _ = read(target)
    said = " ".join(outline.text)
    assert f"--report {target}" in said
    assert "--seed 3" in said
    assert "853" not in said


def test_the_command_with_a_proof(tmp_path):
    source, target = tmp_path / "data.csv", tmp_path / "page.html"
    table().to_csv(source, index=False)
    outcome = run("discover", source, "--certify", "--report", target)
    assert outcome.exit_code == 0, outcome.output
    _, outline, _ = read(target)
    assert "proof" in outline.ids()


@pytest.mark.long
def test_all_methods_are_a_matrix(tmp_path):
    source, target = tmp_path / "data.csv", tmp_path / "page.html"
    table(n=120).to_csv(source, index=False)
    outcome = run("discover", source, "--method", "all", "--time-limit", 2, "--report", target)
    assert outcome.exit_code == 0, outcome.output
    _, outline, _ = read(target)
    assert "agreement" in outline.ids()
    assert {"pc", "ges", "lingam"} <= {text.strip() for text in outline.text}
    assert "random-sampling: draws its graph by chance" in outline.text


@pytest.mark.parametrize(
    ("name", "message"),
    [("page.pdf", r"\.html"), ("nowhere/page.html", "nowhere"), ("", "must end in")],
)
def test_a_place_that_will_not_do_is_refused_before_the_search(tmp_path, name, message):
    source = tmp_path / "data.csv"
    table().to_csv(source, index=False)
    before = sorted(tmp_path.iterdir())
    outcome = run("discover", source, "--report", tmp_path / name)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert re.search(message, outcome.stderr)
    assert "Traceback" not in outcome.stderr
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(ds.InputError, match=message):
        ds.OrderSearch(random_state=0, score="bic-linear").fit(table()).report(tmp_path / name)


def test_a_model_that_is_not_fitted_has_no_page(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        ds.OrderSearch().report(tmp_path / "page.html")


def test_two_graphs_side_by_side(tmp_path):
    found, truth, target = tmp_path / "found.csv", tmp_path / "true.csv", tmp_path / "page.html"
    for path, edges in ((found, [("a", "b"), ("c", "b")]), (truth, [("a", "b"), ("b", "c"), ("a", "d")])):
        pd.DataFrame(edges, columns=["cause", "effect"]).to_csv(path, index=False)
    outcome = run("compare", found, truth, "--report", target)
    assert outcome.exit_code == 0, outcome.output
    text, outline, _ = read(target)
    assert sum(tag == "svg" for tag, _ in outline.elements) >= 2
    said = html.unescape(" ".join(outline.text))
    assert "1 are in both in the same way, 1 directed otherwise, 0 only in found.csv and 1 only" in said
    assert "Content-Security-Policy" in text


def test_the_demo_ends_with_the_path_of_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run("demo")
    assert outcome.exit_code == 0, outcome.output
    written = list(tmp_path.glob("*.html"))
    assert len(written) == 1
    assert written[0].name in (outcome.stdout + outcome.stderr).strip().splitlines()[-1]
    read(written[0])
