"""Pictures and files of graphs, and the table that compares them."""

import errno
import itertools
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagsearch as ds
from dagsearch.errors import InputError, MissingExtraError
from dagsearch.graph import DAG, PDAG, CyclicGraph
from dagsearch.graph.export import from_file
from dagsearch.report import draw, write_graph
from dagsearch.report.layout import layout_of
from dagsearch.report.layout.spacing import COMPACT, ROOMY
from dagsearch.report.sketch import STYLES, sketch
from dagsearch.report.text import as_json, comparison_table

TRUTH = DAG.from_edges([("a", "b"), ("b", "c"), ("d", "c")], names=[*"abcd", "alone"])
FOUND = DAG.from_edges([("a", "b"), ("c", "b"), ("a", "d")], names=TRUTH.names)
MIXED = PDAG.from_edges([("a", "c"), ("b", "c")], [("c", "d"), ("a", "e")], names=[*"abcde", "alone"])


def hide(monkeypatch, *modules):
    """Make modules look as if they were not installed."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture(params=["pygraphviz", "matplotlib"])
def back_end(request, monkeypatch):
    pytest.importorskip(request.param)
    if request.param == "matplotlib":
        hide(monkeypatch, "pygraphviz")
    return request.param


@pytest.mark.usefixtures("back_end")
@pytest.mark.parametrize("graph", [FOUND, MIXED, DAG([[0]]), DAG.from_edges([])], ids=repr)
def test_pictures_are_files_of_their_kind(tmp_path, graph):
    picture = draw(graph, tmp_path / "g.svg")
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert draw(graph, tmp_path / "g.PNG").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("back_end")
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_graph_gives_the_same_picture(tmp_path, suffix):
    first = draw(FOUND, tmp_path / f"1.{suffix}", title="Found", truth=TRUTH)
    second = draw(FOUND, tmp_path / f"2.{suffix}", title="Found", truth=TRUTH)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.usefixtures("back_end")
def test_a_known_truth_colours_the_edges(tmp_path):
    picture = draw(FOUND, tmp_path / "g.svg", truth=TRUTH).read_text(encoding="utf-8").lower()
    assert all(STYLES[kind].colour in picture for kind in ("right", "reversed", "extra", "missing"))
    assert STYLES["plain"].colour not in picture


@pytest.mark.usefixtures("back_end")
def test_awkward_names_and_titles_can_be_drawn(tmp_path):
    names = ['say "hi"', "back\\slash\\", "<b>&", "$x$ costs $", "Größe"]
    picture = draw(DAG.from_edges(itertools.pairwise(names)), tmp_path / "g.svg", title="<found> & $true$")
    ET.parse(picture)


@pytest.mark.usefixtures("back_end")
def test_a_truth_that_contradicts_the_found_order_can_be_drawn(tmp_path):
    chain, back = DAG.from_edges([("a", "b"), ("b", "c")]), DAG.from_edges([("c", "a")], names=list("abc"))
    assert draw(chain, tmp_path / "g.svg", truth=back).stat().st_size > 0


def test_graphviz_shows_every_node_once(tmp_path):
    pytest.importorskip("pygraphviz")
    picture = draw(FOUND, tmp_path / "g.svg").read_text(encoding="utf-8")
    assert all(picture.count(f">{name}</text>") == 1 for name in FOUND.names)


def test_graphviz_draws_lines_without_arrowheads(tmp_path):
    pytest.importorskip("pygraphviz")
    root = ET.parse(draw(MIXED, tmp_path / "g.svg")).getroot()
    edges = [group for group in root.iter() if group.get("class") == "edge"]
    n_heads = sum(child.tag.endswith("polygon") for edge in edges for child in edge)
    assert (len(edges), n_heads) == (4, 2)


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.svg or \.png, got .*g\.gif"):
        draw(FOUND, tmp_path / "g.gif")


def test_a_picture_without_a_place_is_refused(tmp_path):
    with pytest.raises(InputError, match="can be written"):
        draw(FOUND, tmp_path / "nowhere" / "g.svg")


def test_a_bitmap_without_a_library_names_the_extra(tmp_path, monkeypatch):
    hide(monkeypatch, "pygraphviz", "matplotlib")
    with pytest.raises(MissingExtraError, match=r"drawing a bitmap.*\.\[plot\]"):
        draw(FOUND, tmp_path / "g.png")


def test_the_legend_counts_verdicts():
    legend = [text for text, _ in sketch(FOUND, truth=TRUTH).legend]
    assert legend == ["1 right", "1 reversed", "1 extra", "1 missing"]
    assert sketch(FOUND).legend == []


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_causes_lie_above_effects_and_nothing_on_top_of_another(n_nodes, seed):
    adjacency = np.triu(np.random.default_rng(seed).integers(0, 2, (n_nodes, n_nodes)), 1).astype(np.int8)
    drawn = sketch(DAG(adjacency))
    for spacing in (ROOMY, COMPACT):
        layout = layout_of(drawn, spacing)
        box_of = dict(zip(drawn.names, layout.boxes, strict=True))
        assert all(box_of[each.cause].bottom < box_of[each.effect].top for each in drawn.strokes)
        for first, second in itertools.combinations(layout.boxes, 2):
            beside = first.right < second.left or second.right < first.left
            assert beside or first.bottom < second.top or second.bottom < first.top


# --- Files -----------------------------------------------------------------------------------------


def test_a_graph_is_written_in_four_formats(tmp_path):
    pytest.importorskip("pygraphviz")
    folder = tmp_path / "deep" / "er"
    written = write_graph(FOUND, folder, stem="found", truth=TRUTH)
    assert [path.name for path in written] == ["found.dot", "found.graphml", "found.csv", "found.svg"]
    assert sorted(folder.iterdir()) == sorted(written)
    assert from_file(folder / "found.graphml") == FOUND
    assert set(from_file(folder / "found.csv").edges) == set(FOUND.edges)
    assert (folder / "found.dot").read_text(encoding="utf-8") == FOUND.to_dot()


def test_writing_again_replaces_the_files(tmp_path):
    write_graph(FOUND, tmp_path)
    write_graph(TRUTH, tmp_path)
    assert from_file(tmp_path / "graph.graphml") == TRUTH


def test_a_failure_leaves_older_files_as_they_were(tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in write_graph(FOUND, tmp_path)}
    monkeypatch.setattr("dagsearch.report.files.to_edge_csv", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_graph(TRUTH, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_picture_that_fails_leaves_new_texts_and_no_picture_of_another_graph(tmp_path, monkeypatch):
    write_graph(FOUND, tmp_path)
    monkeypatch.setattr("dagsearch.report.files.picture_of", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_graph(TRUTH, tmp_path)
    assert from_file(tmp_path / "graph.graphml") == TRUTH
    assert not (tmp_path / "graph.svg").exists()


def test_files_can_be_read_by_whoever_may_read_new_files(tmp_path):
    (tmp_path / "new").touch()
    modes = {path.stat().st_mode for path in [tmp_path / "new", *write_graph(FOUND, tmp_path)]}
    assert len(modes) == 1


def test_without_a_drawing_library_all_files_are_written(tmp_path, monkeypatch):
    hide(monkeypatch, "pygraphviz", "matplotlib")
    written = write_graph(FOUND, tmp_path)
    assert [path.suffix for path in written] == [".dot", ".graphml", ".csv", ".svg"]
    assert ET.parse(written[-1]).getroot().tag.endswith("svg")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match=r"folder must be a folder, got the file .*taken"):
        write_graph(FOUND, tmp_path / "taken")
    with pytest.raises(InputError, match=r"folder must be a folder, got the file .*taken"):
        write_graph(FOUND, tmp_path / "taken" / "below")


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("dagsearch._writing.os.fsync", refuse)
    with pytest.raises(InputError, match=r"folder must be writable, got .*: Permission denied"):
        write_graph(FOUND, tmp_path)


# --- Numbers ---------------------------------------------------------------------------------------


def test_the_table_marks_the_metrics_of_a_graph_with_a_cycle():
    mixed = PDAG.from_edges(undirected=[("a", "b"), ("b", "c")], names=TRUTH.names)
    cyclic = CyclicGraph([[0, 1], [1, 0]], ["a", "b"])
    table = comparison_table({"found": FOUND, "mixed": mixed, "cyclic": cyclic}, TRUTH).splitlines()
    assert [line[22:].split() for line in table] == [
        ["TPR", "FDR", "SHD", "precision", "F1"],
        ["0.333", "0.667", "3", "0.333", "0.333"],
        ["0.667", "0.000", "1", "1.000", "0.800"],
        ["\u00d7"] * 5,
    ]
    assert [line[:22].rstrip() for line in table] == ["against the true graph", "found", "mixed", "cyclic"]


def test_the_record_of_a_fit_has_the_distances_of_causal_effects():
    data = ds.datasets.load("sachs")
    model = ds.RandomSampling(edge_budget=12, score="bic-linear", random_state=0).fit(data)
    record = as_json(model, data, "sachs")
    for key, graph in (("metrics", model.dag_), ("pruned_metrics", model.pruned_dag_)):
        assert record[key]["sid"] == ds.metrics.sid(graph, data.truth)
        assert record[key]["ancestor_aid"] == ds.metrics.aid(graph, data.truth, "ancestor")
