"""Searches that are saved, ended by whatever, and gone on with."""

from __future__ import annotations

import itertools
import json
import logging
import os
import signal
from contextlib import suppress

import kills
import naive
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import dagsearch as ds
from dagsearch import scores
from dagsearch.cli import main
from dagsearch.data import as_dataset
from dagsearch.errors import InputError
from dagsearch.graph.bitset import row_of
from dagsearch.search import order_climb, simulator
from dagsearch.search.checkpoint import file as checkpoint_file
from dagsearch.search.checkpoint import stage

N_NODES = 6


def table(seed=0, n_rows=200):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, N_NODES))
    for cause, effect in [(0, 1), (1, 2), (0, 2), (3, 4), (2, 4), (4, 5)]:
        values[:, effect] += values[:, cause]
    return pd.DataFrame(values, columns=list("abcdef"))


class OwnReward:
    """A function of the whole graph."""

    def reward(self, adjacency):
        local = naive.TableScore(1, N_NODES).local
        return sum(local(node, tuple(np.flatnonzero(adjacency[:, node]).tolist())) for node in range(N_NODES))


def facts(model):
    """All that must be the same; threads are saved one by one, so that what two of them know may be learnt again."""
    found = model.result_
    in_threads = isinstance(model, ds.OrderSearch) and model.n_jobs > 1
    n_evaluations = None if in_threads else found.n_score_evaluations
    counts = found.n_simulations, found.n_calibration_simulations, n_evaluations
    return found.reward.hex(), found.edges, counts, found.status


LINEAR = {"score": "bic-linear", "random_state": 1}
EQUAL = {**LINEAR, "variances": "equal"}
FEW = {"sims_per_node": 5, "n_restarts": 2}
SEARCHES = {
    "paper": lambda **given: ds.CDUCT(**LINEAR, edge_budget=4, sims_per_node=5, **given),
    "paper, highest mean": lambda **given: ds.CDUCT(
        **EQUAL, edge_budget=3, sims_per_node=5, horizon=2, final_move="highest-mean", exploration_scale="none", **given
    ),
    "budget, refined": lambda **given: ds.CDUCT(
        **LINEAR, sims_per_node=1, n_restarts=2, edge_budget=4, refine="on", **given
    ),
    "guided": lambda **given: ds.CDUCT(**LINEAR, **FEW, **given),
    "guided, equal variances": lambda **given: ds.CDUCT(**EQUAL, **FEW, **given),
    "uniform": lambda **given: ds.CDUCT(**LINEAR, **FEW, rollout="uniform", **given),
    "local scores of one's own": lambda **given: ds.CDUCT(
        score=naive.TableScore(1, N_NODES), random_state=1, sims_per_node=1, horizon=3, n_restarts=1, **given
    ),
    "rewards of one's own": lambda **given: ds.CDUCT(
        score=OwnReward(), random_state=1, sims_per_node=1, horizon=2, n_restarts=1, **given
    ),
    "fitted": lambda **given: ds.CDUCT(score="bic-gp", random_state=1, sims_per_node=2, n_jobs=2, horizon=2, **given),
    "orders": lambda **given: ds.OrderSearch(**LINEAR, n_restarts=3, n_kicks=4, **given),
    "orders in threads": lambda **given: ds.OrderSearch(**LINEAR, n_restarts=3, n_kicks=4, n_jobs=2, **given),
    "orders, equal variances": lambda **given: ds.OrderSearch(**EQUAL, n_restarts=2, n_kicks=4, **given),
    "rollouts": lambda **given: ds.RandomSearch(**LINEAR, edge_budget=4, sims_per_node=5, **given),
    "greedy": lambda **given: ds.GreedySearch(**LINEAR, **given),
    "greedy, budget": lambda **given: ds.GreedySearch(**LINEAR, edge_budget=9, **given),
}
CHEAP = {name: make for name, make in SEARCHES.items() if name not in ("fitted", "rewards of one's own")}


@pytest.fixture
def saving_always(monkeypatch):
    """Saves wherever a search can be saved, which is after few simulations."""
    monkeypatch.setattr(stage, "SECONDS_BETWEEN_SAVES", 0.0)
    monkeypatch.setattr(stage, "_LEAST_SHARE_OF_SEARCH", 0)
    monkeypatch.setattr(simulator, "_FIRST_CHUNK", 7)
    monkeypatch.setattr(order_climb, "_FIRST_CHUNK", 2)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


def saved_at_every_point(make, data, path, monkeypatch):
    """The model, and all that its checkpoint was on the way."""
    points = []
    write = stage.write_checkpoint

    def keep(where, saved):
        write(where, saved)
        points.append(where.read_bytes())

    monkeypatch.setattr(stage, "write_checkpoint", keep)
    model = make(checkpoint=path).fit(data)
    monkeypatch.setattr(stage, "write_checkpoint", write)
    monkeypatch.setattr(stage, "SECONDS_BETWEEN_SAVES", 60.0)
    return model, points


def some_of(points, n):
    return [points[k] for k in np.unique(np.linspace(0, len(points) - 1, n).astype(int))]


def require_same_from_points(make, path, monkeypatch, n):
    data = table()
    whole = facts(make().fit(data))
    model, points = saved_at_every_point(make, data, path, monkeypatch)
    assert facts(model) == whole
    assert len(points) > 3
    for point in some_of(points, n):
        path.write_bytes(point)
        assert facts(make(checkpoint=path).fit(data)) == whole


@pytest.mark.usefixtures("saving_always")
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_goes_on_from_many_points_to_the_same_end(name, tmp_path, monkeypatch):
    require_same_from_points(SEARCHES[name], tmp_path / "saved", monkeypatch, 9)


@pytest.mark.long
@pytest.mark.usefixtures("saving_always")
@pytest.mark.parametrize("name", CHEAP)
def test_a_search_goes_on_from_every_point_to_the_same_end(name, tmp_path, monkeypatch):
    monkeypatch.setattr(simulator, "_SECONDS_PER_CHUNK", 1e-9)
    monkeypatch.setattr(order_climb, "_SECONDS_PER_CHUNK", 1e-9)
    require_same_from_points(CHEAP[name], tmp_path / "saved", monkeypatch, 150)


@pytest.mark.usefixtures("saving_always")
def test_a_search_that_is_ended_again_and_again_comes_to_the_same_end(tmp_path, monkeypatch):
    """Each start is ended at its third save, so that it goes on from what others have gone on from."""
    make, data, path = SEARCHES["guided"], table(), tmp_path / "saved"
    whole = facts(make().fit(data))
    write, n_writes = stage.write_checkpoint, []

    class Ended(BaseException):
        pass

    def end_soon(where, saved):
        write(where, saved)
        n_writes.append(where)
        if len(n_writes) % 3 == 0:
            raise Ended

    monkeypatch.setattr(stage, "write_checkpoint", end_soon)
    model, n_starts = None, 0
    while model is None:
        n_starts += 1
        with suppress(Ended):
            model = make(checkpoint=path).fit(data)
    assert n_starts > 10
    assert facts(model) == whole


def test_a_finished_search_gives_its_result_again_without_searching(tmp_path):
    make, data, path = SEARCHES["guided"], table(), tmp_path / "saved"
    first = make(checkpoint=path).fit(data)
    again = make(checkpoint=str(path)).fit(data)
    assert facts(again) == facts(first)
    assert again.result_.seconds >= json.loads(head_of(path))["facts"]["seconds"]
    assert any("holds the finished search" in note for note in again.result_.notes)
    assert not any("checkpoint" in note for note in first.result_.notes)
    assert os.listdir(tmp_path) == ["saved"]


@pytest.mark.parametrize("name", ["paper", "guided", "orders", "orders in threads", "greedy", "fitted"])
def test_a_time_limit_counts_what_was_used_and_a_later_one_goes_on(name, tmp_path):
    make, data, path = SEARCHES[name], table(), tmp_path / "saved"
    whole = make().fit(data)
    first = make(checkpoint=path, time_limit=1e-9).fit(data)
    assert first.result_.status == "time-limit"
    assert any("it goes on" in note for note in first.result_.notes)
    again = make(checkpoint=path, time_limit=1e-9).fit(data)
    assert again.result_.status == "time-limit"
    assert again.result_.reward >= first.result_.reward
    assert again.result_.seconds >= json.loads(head_of(path))["facts"]["seconds"] > 0.0
    later = make(checkpoint=path, time_limit=1000).fit(data)
    assert facts(later) == facts(whole)


@pytest.mark.usefixtures("saving_always")
@pytest.mark.parametrize("name", ["guided", "orders", "orders in threads", "budget, refined", "fitted", "greedy"])
def test_when_time_is_up_already_the_best_graph_so_far_is_not_lost(name, tmp_path, monkeypatch):
    make, data, path = SEARCHES[name], table(), tmp_path / "saved"
    _, points = saved_at_every_point(make, data, path, monkeypatch)
    rewards = []
    for point in some_of(points[:-1], 6):
        path.write_bytes(point)
        rewards.append(make(checkpoint=path, time_limit=1e-9).fit(data).reward_)
    assert rewards[-1] > rewards[0] or rewards[0] == pytest.approx(max(rewards))
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(rewards))


@pytest.mark.parametrize("name", ["local scores of one's own", "rewards of one's own"])
def test_after_ctrl_c_the_search_goes_on_to_the_same_end(name, tmp_path, monkeypatch):
    class Interrupted(OwnReward, naive.TableScore):
        n_left = 60

        def local(self, node, parents):
            Interrupted.n_left -= 1
            if Interrupted.n_left == 0:
                signal.raise_signal(signal.SIGINT)
            return super().local(node, parents)

        def reward(self, adjacency):
            return sum(self.local(node, tuple(np.flatnonzero(adjacency[:, node]).tolist())) for node in range(N_NODES))

    if name == "local scores of one's own":
        monkeypatch.delattr(Interrupted, "reward")
        monkeypatch.delattr(OwnReward, "reward")
    else:
        monkeypatch.setattr(naive.TableScore, "local", naive.TableScore.local)
    settings = {"random_state": 1, "sims_per_node": 2, "horizon": 4, "n_restarts": 2}
    own = Interrupted(1, N_NODES)
    if name == "rewards of one's own":
        own = type("Whole", (), {"reward": staticmethod(own.reward)})()
    path = tmp_path / "saved"
    stopped = ds.CDUCT(score=own, checkpoint=path, **settings).fit(table())
    assert stopped.result_.status == "interrupted"
    model = ds.CDUCT(score=own, checkpoint=path, **settings).fit(table())
    assert facts(model) == facts(ds.CDUCT(score=own, **settings).fit(table()))


# --- Files that are refused ------------------------------------------------------------------------


def head_of(path):
    content = path.read_bytes()[len(checkpoint_file._FIRST_LINE) :]
    n = int.from_bytes(content[:8], "little")
    return content[8 : 8 + n]


@pytest.fixture
def finished(tmp_path):
    path = tmp_path / "saved"
    SEARCHES["greedy"](checkpoint=path).fit(table())
    return path


def test_a_file_with_any_part_changed_or_cut_off_is_refused(finished):
    content = finished.read_bytes()
    places = np.unique(np.linspace(0, len(content) - 1, 60).astype(int)).tolist()
    damaged = [content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :] for k in places]
    damaged += [content[:k] for k in places] + [content + b"\0", b"", b"\x80\x04K\x01.", content + content]
    for each in damaged:
        finished.write_bytes(each)
        with pytest.raises(InputError, match=r"^checkpoint (is damaged|must be a file that dagsearch wrote)") as error:
            SEARCHES["greedy"](checkpoint=finished).fit(table())
        assert "\n" not in str(error.value)
        assert finished.read_bytes() == each


@pytest.mark.parametrize(
    ("words", "shape"), [("|O", [1]), ([["a", "|O"]], [1]), ("<f8", [10**12]), ("<f8", [-1]), ("<M8[s]", [1]), (3, [1])]
)
def test_what_somebody_made_up_is_refused_though_its_checksum_fits(words, shape, finished):
    head = json.dumps({"facts": {}, "arrays": [["memory/x", words, shape]]}).encode()
    content = checkpoint_file._FIRST_LINE + len(head).to_bytes(8, "little") + head + b"\0" * 8
    digest = checkpoint_file.hashlib.blake2b(content, digest_size=32).digest()
    finished.write_bytes(content + digest)
    with pytest.raises(InputError, match=r"^checkpoint is damaged"):
        SEARCHES["greedy"](checkpoint=finished).fit(table())


@pytest.mark.parametrize(
    ("model", "data", "told"),
    [
        (ds.GreedySearch(**LINEAR), table(seed=1), "other table"),
        (ds.GreedySearch(**LINEAR), table().rename(columns={"a": "z"}), "other table"),
        (ds.GreedySearch(score="bic-linear", random_state=2), table(), "seed was 1 and is 2"),
        (ds.GreedySearch(**LINEAR, edge_budget=3), table(), "edge_budget was None and is 3"),
        (ds.GreedySearch(**EQUAL), table(), "variances was 'different' and is 'equal'"),
        (ds.GreedySearch(score="bic-quadratic", random_state=1), table(), "score was 'bic-linear' and is"),
        (ds.GreedySearch(**LINEAR, max_parents=2), table(), "other restrictions"),
        (ds.GreedySearch(**LINEAR, knowledge=ds.Knowledge(forbidden=[("a", "b")])), table(), "other restrictions"),
        (ds.CDUCT(**LINEAR), table(), "method was 'greedy' and is 'cd-uct'"),
    ],
)
def test_the_checkpoint_of_another_search_is_refused(model, data, told, finished):
    before = finished.read_bytes()
    with pytest.raises(InputError, match=r"^checkpoint is of another search") as error:
        model.set_params(checkpoint=finished).fit(data)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert finished.read_bytes() == before


def test_settings_of_the_search_and_another_version_are_told(tmp_path, monkeypatch):
    path = tmp_path / "saved"
    ds.CDUCT(**LINEAR, edge_budget=2, sims_per_node=2, checkpoint=path).fit(table())
    with pytest.raises(InputError, match=r"exploration was 0.05 and is 0.1"):
        ds.CDUCT(**LINEAR, edge_budget=2, sims_per_node=2, exploration=0.1, checkpoint=path).fit(table())
    monkeypatch.setattr("dagsearch.estimators.scored.__version__", "0.0")
    with pytest.raises(InputError, match=r"version was '.*' and is '0.0'"):
        ds.CDUCT(**LINEAR, edge_budget=2, sims_per_node=2, checkpoint=path).fit(table())


def test_another_score_of_ones_own_is_known_by_its_rewards(tmp_path):
    path = tmp_path / "saved"
    ds.GreedySearch(score=naive.TableScore(1, N_NODES), random_state=1, checkpoint=path).fit(table())
    with pytest.raises(InputError, match=r"other rewards"):
        ds.GreedySearch(score=naive.TableScore(2, N_NODES), random_state=1, checkpoint=path).fit(table())


def test_without_a_seed_the_search_goes_on_with_that_of_the_file(tmp_path):
    path = tmp_path / "saved"
    first = ds.CDUCT(score="bic-linear", sims_per_node=5, checkpoint=path).fit(table())
    again = ds.CDUCT(score="bic-linear", sims_per_node=5, checkpoint=path).fit(table())
    assert first.result_.seed == again.result_.seed
    assert facts(first) == facts(again)


# --- Places, disks, other methods ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "no folder/saved", "n" * 300, "folder", "pipe"])
def test_places_where_nothing_can_be_saved_are_told_before_the_search(name, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / name if name else name
    with pytest.raises(InputError, match=r"^checkpoint must be"):
        SEARCHES["greedy"](checkpoint=path).fit(table())


@pytest.mark.parametrize("value", [3, True, b"name", ["name"]])
def test_what_is_no_path_is_refused(value):
    with pytest.raises(InputError, match=r"^checkpoint must be the path of a file, or None"):
        SEARCHES["greedy"](checkpoint=value).fit(table())


def test_a_disk_that_is_full_later_costs_no_search(tmp_path, monkeypatch, caplog):
    path, make, data = tmp_path / "saved", SEARCHES["guided"], table()
    whole = facts(make().fit(data))
    write, n_writes = stage.write_checkpoint, []

    def fill_up(where, saved):
        n_writes.append(where)
        if len(n_writes) > 1:
            raise InputError("checkpoint must be a file that can be written: No space left on device")
        write(where, saved)

    monkeypatch.setattr(stage, "write_checkpoint", fill_up)
    with caplog.at_level(logging.WARNING):
        model = make(checkpoint=path).fit(data)
    assert facts(model) == whole
    assert "No space left" in caplog.text
    assert any("not written" in note and "No space left" in note for note in model.result_.notes)


def test_drafts_of_killed_processes_are_removed_and_nothing_else(tmp_path):
    line = checkpoint_file._FIRST_LINE
    others = {".writing-1": b"a table", ".writing-2": line, "writing-3": line, ".writing-4": line}
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
    for name in (".writing-1", "writing-3", ".writing-4"):
        os.utime(tmp_path / name, (0, 0))
    SEARCHES["greedy"](checkpoint=tmp_path / "saved").fit(table())
    assert sorted(os.listdir(tmp_path)) == [".writing-1", ".writing-2", "saved", "writing-3"]


def test_what_was_recorded_is_not_saved_and_both_together_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"^checkpoint and trace exclude each other"):
        SEARCHES["guided"](checkpoint=tmp_path / "saved", trace=True).fit(table())


def test_replicates_of_a_bootstrap_do_not_write_to_the_checkpoint_of_the_search(tmp_path):
    path = tmp_path / "saved"
    SEARCHES["greedy"](checkpoint=path, confidence="bootstrap", n_replicates=2).fit(table())
    model = SEARCHES["greedy"](checkpoint=path, confidence="bootstrap", n_replicates=2).fit(table())
    assert model.result_.edges == SEARCHES["greedy"]().fit(table()).result_.edges


def test_discover_takes_a_method_that_can_go_on(tmp_path):
    model = ds.discover(table(), score="bic-linear", checkpoint=tmp_path / "saved", random_state=0)
    assert model.method == "cd-uct"
    assert "checkpoint is a setting of it" in model.result_.notes[0]


@pytest.mark.parametrize("name", ["bic-linear", "bdeu", "evidence", "bic-gp", "mixed"])
def test_what_a_score_has_learnt_another_one_of_the_kind_learns(name):
    data = as_dataset(table() if name != "bdeu" else (table() > 0).astype(int))
    one, other = (scores.make(name, data) for _ in range(2))
    values = [one.local(node, parents) for node, parents in [(0, []), (1, [0]), (4, [2, 3])]]
    other.recall(one.memory())
    assert other.n_evaluations == one.n_evaluations == 3
    _, known = other.cache.look_up(other.family, np.array([4]), row_of([2, 3], N_NODES))
    assert known.all()
    assert [other.local(node, parents) for node, parents in [(0, []), (1, [0]), (4, [2, 3])]] == values
    assert other.n_evaluations == 3


# --- The command -----------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(main, ["discover", *map(str, arguments)])


@pytest.fixture
def csv(tmp_path):
    table().to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_command_says_that_it_goes_on(csv, tmp_path):
    given = (csv, "--method", "greedy", "--score", "bic-linear", "--checkpoint", tmp_path / "saved", "--json", "-")
    stopped = run(*given, "--time-limit", "1e-9")
    assert json.loads(stopped.stdout)["status"] == "time-limit"
    again = run(*given)
    assert "goes on from" in again.stderr
    assert json.loads(again.stdout)["status"] == "finished"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--method", "exact"), "--checkpoint is for cd-uct, greedy, random-search, random-sampling, order"),
        (("--method", "lingam"), "--checkpoint is for cd-uct"),
        (("--method", "all"), "--checkpoint is of one search"),
        (("--method", "greedy"), "--checkpoint is damaged"),
        (("--method", "greedy", "--trace"), "--checkpoint and trace exclude each other"),
    ],
)
def test_the_command_refuses_in_one_line_with_exit_code_2(given, told, csv, finished):
    finished.write_bytes(finished.read_bytes() + b"\0")
    result = run(csv, "--checkpoint", finished, *given)
    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


# --- Kills -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_search_that_is_killed_again_and_again_comes_to_the_same_end():
    outcome = kills.killed(12, seed=0)
    assert outcome.is_same
    assert outcome.n_kills_while_it_searched >= 3
