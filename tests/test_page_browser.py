"""The page in a real browser: what people click, type and see."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from browser import AXE, Shown, chromium, violations

import dagsearch as ds
from dagsearch.report.page import write_report
from dagsearch.report.page.compared import write_comparison
from dagsearch.report.page.sections.agreement import agreement_section

pytestmark = pytest.mark.long

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quotes\" & 'more' `ticks`",
    "line\nbreak",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "x" * 500,
)


def simulated(names, n=200, seed=0):
    """A chain with a fork: 0 -> 1 -> 2, 0 -> 3, 2 -> 4."""
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, len(names)))
    x[:, 1] += 0.9 * np.sin(2 * x[:, 0])
    x[:, 2] -= 1.2 * x[:, 1]
    x[:, 3] += 0.8 * x[:, 0]
    x[:, 4] += 0.12 * x[:, 2]
    return pd.DataFrame(x, columns=list(names))


def truth(names):
    return ds.DAG.from_edges(
        [(names[0], names[1]), (names[1], names[2]), (names[0], names[3]), (names[3], names[4])], names=names
    )


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    names = ("smoking", "tar", "cancer", "yellow fingers", "fatigue")
    table = ds.as_dataset(simulated(names))
    known = replace(table, truth=truth(names))
    model = ds.OrderSearch(confidence="posterior", trace=True, random_state=0).fit(known)
    return model.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory):
    model = ds.OrderSearch(confidence="posterior", random_state=0).fit(simulated(HOSTILE))
    return model.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="module")
def report_of_categories(tmp_path_factory):
    """Numbers and categories, causes of each other in all ways, by several methods."""
    rng = np.random.default_rng(0)
    group = rng.choice(["low", "mid", "high"], size=500)
    dose = rng.normal(size=500) + 2.0 * (group == "high")
    sick = np.where(rng.uniform(size=500) < 1 / (1 + np.exp(-2 * dose)), "yes", "no")
    treated = np.where((sick == "yes") ^ (rng.uniform(size=500) < 0.1), "treated", "not treated")
    table = pd.DataFrame({"group": group, "dose": dose, "sick": sick, "treated": treated})
    known = ds.Knowledge(required=[("group", "dose"), ("dose", "sick"), ("sick", "treated")])
    model = ds.OrderSearch(knowledge=known, confidence="bootstrap", n_replicates=5, random_state=0).fit(table)
    other = ds.GreedySearch(random_state=0).fit(table)
    agreement = agreement_section({"order": model.dag_, "greedy": other.dag_}, {"cam": "is for numbers"}, None)
    return write_report(model, tmp_path_factory.mktemp("page") / "report.html", further=(agreement,))


@pytest.fixture(scope="module")
def wide_report(tmp_path_factory):
    """Ninety variables, which no screen shows as a whole; numbers that differ by little beside their size."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 90))
    for j in range(2, 90):
        values[:, j] += 1.5 * values[:, rng.integers(j)]
    table = pd.DataFrame(values + 1e6, columns=[f"gene {k}" for k in range(90)])
    model = ds.GreedySearch(score="bic-linear").fit(table)
    return model.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def shown(browser, report):
    opened = Shown(browser, report)
    yield opened
    opened.close()


@pytest.fixture
def page(shown):
    return shown.page


def visible_edges(page):
    return page.locator(".ds-edge:not(.off)").count()


def test_the_console_is_silent_and_nothing_is_fetched(shown):
    assert shown.complaints == []
    assert len(shown.requests) == 1


def test_the_slider_takes_edges_away_and_brings_others(page):
    before = visible_edges(page)
    page.locator("#threshold").fill("1")
    none = visible_edges(page)
    page.locator("#threshold").fill("0")
    everything = visible_edges(page)
    assert none < before <= everything
    assert page.locator("#threshold-value").inner_text() == "0%"


def test_a_click_on_a_variable_shows_its_causes(page):
    page.locator(".ds-node", has_text="cancer").first.click()
    details = page.locator("#details")
    assert details.locator("h3").first.inner_text() == "cancer"
    assert "tar" in details.inner_text()


def test_a_click_on_an_edge_shows_its_relation(page):
    page.locator("#edge-table button[data-edge]").first.click()
    assert page.locator("#details svg.chart path.curve").count() == 1
    assert page.locator("#details svg.chart circle").count() > 50


def test_an_edge_of_the_picture_can_be_clicked(page):
    page.locator(".ds-edge:not(.off) .ds-hit").first.dispatch_event("click")
    assert (
        "→" in page.locator("#details h3").first.inner_text() or "—" in page.locator("#details h3").first.inner_text()
    )


def test_search_finds_a_variable_by_a_part_of_its_name(page):
    page.locator("#search").fill("yellow")
    assert page.locator(".ds-node.match").count() == 1
    page.locator("#search").press("Enter")
    assert page.locator("#details h3").first.inner_text() == "yellow fingers"


def test_headings_sort_the_table(page):
    column = page.locator("#edge-table thead th").filter(has_text="in sd")
    place = page.locator("#edge-table thead th").all_inner_texts().index(column.inner_text())
    column.locator("button").click()

    def numbers():
        cells = page.locator("#edge-table tbody tr").locator(f"xpath=./*[{place + 1}]").all_inner_texts()
        return [float(cell) for cell in cells if re.fullmatch(r"[+-]?[\d.]+", cell)]

    assert numbers() == sorted(numbers(), reverse=True)
    column.locator("button").click()
    assert numbers() == sorted(numbers())
    assert column.get_attribute("aria-sort") == "ascending"


def test_the_smallest_p_values_stand_first_and_names_are_in_the_order_of_their_numbers(page):
    page.locator("#edge-table thead button", has_text="p-value").click()
    assert page.locator("#edge-table th[aria-sort=ascending]").count() == 1
    page.evaluate(
        "document.querySelectorAll('#edge-table tbody th').forEach((th, k) => { th.dataset.key = `x${12 - k}`; })"
    )
    page.locator("#edge-table thead button", has_text="Edge").first.click()
    order = page.locator("#edge-table tbody th").evaluate_all(
        "cells => cells.map((cell) => Number(cell.dataset.key.slice(1)))"
    )
    assert order == sorted(order)
    assert len(order) == len(set(order)) > 3


def test_the_filter_leaves_rows_that_hold_the_text(page):
    page.locator("#edge-filter").fill("fatigue")
    rows = page.locator("#edge-table tbody tr:visible").all_inner_texts()
    assert rows
    assert all("fatigue" in row for row in rows)


def test_the_known_graph_can_be_laid_over(page):
    assert page.locator('.ds-edge[data-kind="missing"]:not(.off)').count() == 0
    page.locator("#truth").check()
    assert page.locator('.ds-edge[data-kind="missing"]:not(.off)').count() >= 1
    assert page.locator(".verdicts").is_visible()


def test_the_graph_is_saved_as_svg_and_png(page, tmp_path):
    with page.expect_download() as event:
        page.locator("#save-svg").click()
    event.value.save_as(tmp_path / "graph.svg")
    root = ET.fromstring((tmp_path / "graph.svg").read_text(encoding="utf-8"))
    assert "smoking" in "".join(root.itertext())
    with page.expect_download() as event:
        page.locator("#save-png").click()
    event.value.save_as(tmp_path / "graph.png")
    picture = (tmp_path / "graph.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000


def test_everything_can_be_reached_by_keyboard(page):
    page.locator("#graph").focus()
    page.keyboard.press("ArrowDown")
    first = page.locator("#details h3").first.inner_text()
    page.keyboard.press("ArrowDown")
    assert page.locator("#details h3").first.inner_text() != first
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('#details button')")
    page.keyboard.press("Enter")
    assert page.locator("#details figure").count() == 1
    assert page.evaluate("document.activeElement.id") == "details"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "graph"
    page.locator("#graph").focus()
    before = page.locator(".ds-viewport").get_attribute("transform")
    page.keyboard.press("+")
    assert page.locator(".ds-viewport").get_attribute("transform") != before
    page.keyboard.press("0")
    page.keyboard.press("Escape")
    assert page.locator(".chosen").count() == 0


def test_zoom_buttons_enlarge_and_fit(page):
    page.locator("#zoom-in").click()
    assert "scale(1.4" in page.locator(".ds-viewport").get_attribute("transform")
    page.locator("#zoom-reset").click()
    assert "scale(1.0000)" in page.locator(".ds-viewport").get_attribute("transform")


def letters(page, picture="#graph svg"):
    """Height of the letters of variables on the screen, in pixels."""
    scale = "node => node.getScreenCTM().a * Number(getComputedStyle(node).fontSize.replace('px', ''))"
    return page.locator(f"{picture} .ds-node text").first.evaluate(scale)


def test_a_graph_that_is_too_large_to_be_read_is_enlarged_by_a_click(browser, wide_report):
    opened = Shown(browser, wide_report, width=360)
    page = opened.page
    assert "a click enlarges" in page.locator("#details").inner_text()
    assert letters(page) < 6
    page.locator(".ds-node").nth(40).click()
    assert letters(page) > 9
    page.locator("#zoom-reset").click()
    assert letters(page) < 6
    page.locator("#edge-table button[data-edge]").nth(3).click()
    assert letters(page) > 9
    box, edge = page.locator("#graph").bounding_box(), page.locator(".ds-edge.chosen .ds-line").bounding_box()
    assert box["x"] < edge["x"] + edge["width"] / 2 < box["x"] + box["width"]
    assert box["y"] < edge["y"] + edge["height"] / 2 < box["y"] + box["height"]
    assert opened.complaints == []
    opened.close()


def test_ticks_differ_where_numbers_differ_by_little(browser, wide_report):
    opened = Shown(browser, wide_report)
    opened.page.locator("#edge-table button[data-edge]").first.click()
    ticks = opened.page.locator("#details svg.chart text.tick").all_text_contents()
    places = opened.page.locator("#details svg.chart circle").evaluate_all(
        "dots => dots.map((dot) => dot.cx.baseVal.value)"
    )
    assert len(ticks) >= 5
    assert len(set(ticks)) >= len(ticks) - 2  # both axes may have a tick of the same number
    assert len(set(places)) > 30
    assert opened.complaints == []
    opened.close()


def test_the_panel_of_details_is_scrolled_by_keyboard(page):
    page.locator("#details").focus()
    assert page.evaluate("document.activeElement.id") == "details"


def overhang(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


REPORTS = ("report", "report_of_categories", "hostile_report", "comparison")


@pytest.mark.parametrize("which", REPORTS)
@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_small_and_large_screens(browser, request, which, width, scheme):
    opened = Shown(browser, request.getfixturevalue(which), width=width, scheme=scheme)
    for button in opened.page.locator("#edge-table button[data-edge]").all():
        button.click()
        assert overhang(opened.page) <= 0
    opened.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert overhang(opened.page) <= 0
    assert opened.complaints == []
    opened.close()


@pytest.mark.skipif(not AXE, reason="DAGSEARCH_AXE does not name axe.min.js (npm install axe-core)")
@pytest.mark.parametrize("which", REPORTS)
@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_against_it(browser, request, which, width, scheme):
    opened = Shown(browser, request.getfixturevalue(which), width=width, scheme=scheme)
    if which != "comparison":
        opened.page.locator("#edge-table button[data-edge]").first.click()
    opened.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert violations(opened.page) == []
    opened.close()


def test_each_kind_of_variables_has_its_picture(browser, report_of_categories):
    opened = Shown(browser, report_of_categories)
    seen = set()
    for button in opened.page.locator("#edge-table button[data-edge]").all():
        button.click()
        for kind, mark in {"boxes": "rect.box", "shares": "path.series", "table": "figure table"}.items():
            if opened.page.locator(f"#details {mark}").count():
                seen.add(kind)
    assert seen == {"boxes", "shares", "table"}
    opened.page.locator("#residual-of").select_option(label="sick")
    assert opened.page.locator('[data-figure="residuals"] table').count() == 1
    opened.close()


def test_hostile_names_are_shown_as_text(browser, hostile_report):
    opened = Shown(browser, hostile_report)
    page = opened.page
    page.on("dialog", lambda _: pytest.fail("a name was run as a program"))
    page.locator("#threshold").fill("0")
    for number in range(page.locator("#edge-table button[data-edge]").count()):
        page.locator("#edge-table button[data-edge]").nth(number).click()
    assert opened.complaints == []
    assert page.evaluate("document.scripts.length") == 2
    assert "<script>alert(1)</script>" in page.locator("#graph svg").text_content()
    opened.close()


def test_the_policy_stops_foreign_programs(page):
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)"
    )
    assert page.evaluate("window.ran") is None


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    names = ("a", "b", "c", "d")
    found = ds.DAG.from_edges([("a", "b"), ("b", "c"), ("d", "c")], names=names)
    true = ds.DAG.from_edges([("a", "b"), ("c", "b"), ("a", "d")], names=names)
    return write_comparison(found, true, tmp_path_factory.mktemp("page") / "both.html")


def test_two_graphs_stand_side_by_side(browser, comparison):
    opened = Shown(browser, comparison)
    pictures = opened.page.locator("svg.ds-graph")
    assert pictures.count() == 2
    assert [pictures.nth(k).locator(".ds-edge").count() for k in range(2)] == [3, 3]
    places = [pictures.nth(k).locator(".ds-node rect").first.get_attribute("x") for k in range(2)]
    assert places[0] == places[1]
    assert opened.complaints == []
    opened.close()


def test_graphs_side_by_side_scroll_where_they_are_too_large_to_be_read(browser, tmp_path):
    names = [f"v{k}" for k in range(70)]
    edges = [(names[k // 3], names[k]) for k in range(1, 70)]
    graph = ds.DAG.from_edges(edges, names=names)
    opened = Shown(browser, write_comparison(graph, graph, tmp_path / "both.html"), width=360)
    assert letters(opened.page, ".pair svg") > 6
    assert overhang(opened.page) <= 0
    assert opened.complaints == []
    opened.close()
