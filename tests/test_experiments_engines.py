"""Engines: the same outcomes wherever runs take place, and one run at most is lost when something breaks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
import uuid
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from experiment_tables import quick_task, quick_tasks, slow_tasks, without_times

from dagsearch.engines import cluster, local
from dagsearch.errors import DagsearchError, InputError, MissingExtraError
from dagsearch.experiments.engines import ClusterEngine, Failure, LocalEngine
from dagsearch.experiments.run import run
from dagsearch.experiments.task import Record


def keys(outcomes):
    assert all(isinstance(outcome, Record) for outcome in outcomes), outcomes
    return Counter(outcome.task.key for outcome in outcomes)


def once_each(tasks):
    return Counter(task.key for task in tasks)


# ---------------------------------------------------------------- this machine


def test_one_job_runs_in_this_process_and_in_order(monkeypatch):
    monkeypatch.setattr("dagsearch.engines.local.LocalEngine._begin", None)
    tasks = quick_tasks(3)
    outcomes = list(LocalEngine(1).run_all(tasks))
    assert [outcome.task for outcome in outcomes] == tasks
    assert without_times(outcomes[1]) == without_times(run(tasks[1]))


def test_one_job_begins_a_run_only_when_it_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr("dagsearch.engines.local.attempt", lambda _work, task: asked.append(task))
    outcomes = LocalEngine(1).run_all(quick_tasks(3))
    assert asked == []
    next(outcomes)
    assert len(asked) == 1


def test_a_failing_run_does_not_end_the_others():
    bad = quick_task(data="sacks")
    outcomes = list(LocalEngine(1).run_all([bad, quick_task()]))
    assert isinstance(outcomes[0], Failure)
    assert isinstance(outcomes[1], Record)


@pytest.mark.long
def test_processes_yield_every_outcome_once_and_end_quietly_when_closed():
    tasks = [quick_task(data="sacks"), *quick_tasks(4)]
    outcomes = list(LocalEngine(2).run_all(tasks))
    assert Counter(outcome.task for outcome in outcomes) == Counter(tasks)
    assert [outcome.task.data for outcome in outcomes if isinstance(outcome, Failure)] == ["sacks"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = LocalEngine(2).run_all(slow_tasks(20))
        next(rest)
        started = time.perf_counter()
        rest.close()
    assert time.perf_counter() - started < 10


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no masks of signals")
def test_processes_do_not_hear_ctrl_c_and_this_one_does_again(monkeypatch):
    monkeypatch.setattr(
        "dagsearch.engines.local.attempt", lambda *_arguments: signal.pthread_sigmask(signal.SIG_BLOCK, ())
    )
    handler = signal.getsignal(signal.SIGINT)
    assert list(LocalEngine(2).run_all(quick_tasks(2))) == [{signal.SIGINT}] * 2
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_while_processes_start_is_heard_afterwards():
    seen = []

    def start():
        with local._deaf_children():
            signal.raise_signal(signal.SIGINT)
            seen.append("not yet")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert seen == ["not yet"]


KILLED = """
    import psutil
    from experiment_tables import quick_task, slow_tasks
    from dagsearch.errors import DagsearchError
    from dagsearch.experiments.engines import LocalEngine

    outcomes = LocalEngine(2).run_all([quick_task(), *slow_tasks(20)])
    next(outcomes)
    workers = [p for p in psutil.Process().children(recursive=True) if "LokyProcess" in " ".join(p.cmdline())]
    workers[0].kill()
    try:
        list(outcomes)
    except DagsearchError as error:
        print(error)
"""


def script(code):
    """A program that finds the modules of the tests."""
    path = os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])
    return [sys.executable, "-c", textwrap.dedent(code)], {**os.environ, "PYTHONPATH": path}


@pytest.mark.long
def test_a_killed_process_is_an_error_that_says_how_to_go_on():
    pytest.importorskip("psutil")
    command, environment = script(KILLED)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.startswith("a process that ran a task was killed")
    assert "Finished runs are kept" in done.stdout


INTERRUPTED = """
    import sys
    from pathlib import Path
    from experiment_tables import slow_tasks
    from dagsearch.experiments.campaign import Limits, carry_out
    from dagsearch.experiments.engines import LocalEngine
    from dagsearch.experiments.store import RecordStore
    from dagsearch.experiments.study import Experiment, Study

    def say(n_done, n_tasks, outcome):
        print(n_done, flush=True)

    experiment = Experiment("e", "E", (Study("b", slow_tasks(1)[0], ("sachs",), n_seeds=50),))
    try:
        carry_out([experiment], RecordStore(Path(sys.argv[1])), LocalEngine(int(sys.argv[2])), Limits(), say)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")
@pytest.mark.parametrize(("n_jobs", "wait_for", "delay"), [(1, "1", 0.3), (2, "0", 0.1), (2, "0", 1.0), (2, "2", 0.5)])
def test_ctrl_c_ends_everything_soon_and_quietly(tmp_path, n_jobs, wait_for, delay):
    """At whatever moment: while processes start, while they import, and while they run."""
    path = tmp_path / "records.jsonl"
    command, environment = script(INTERRUPTED)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*command, str(path), str(n_jobs)], env=environment, start_new_session=True, **pipes)
    while process.stdout.readline().strip() != wait_for:
        assert process.poll() is None, process.stderr.read()
    time.sleep(delay)
    started = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert time.perf_counter() - started < 15
    assert errors == ""
    assert printed.splitlines()[-1] == "interrupted"
    lines = path.read_text().splitlines() if path.exists() else []
    assert len(lines) >= int(wait_for)
    assert all('"status": "finished"' in line for line in lines)


# ---------------------------------------------------------------- a cluster


@pytest.fixture(scope="module")
def local_cluster():
    """Two workers of one thread each."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as running:
        yield running


def worker_pids(running):
    return {nanny.pid for nanny in running.workers.values()}


@pytest.mark.long
def test_a_cluster_leaves_the_records_that_one_process_does(local_cluster, tmp_path):
    tasks = [*quick_tasks(5), quick_task(data="sacks")]
    outcomes = list(ClusterEngine(local_cluster.scheduler_address, tmp_path).run_all(tasks))
    assert Counter(outcome.task for outcome in outcomes) == Counter(tasks)
    found = {outcome.task: outcome for outcome in outcomes}
    for task in tasks[:5]:
        assert without_times(found[task]) == without_times(run(task))
    failure = found[tasks[5]]
    assert failure.message.startswith("UnknownNameError: unknown data set 'sacks'")
    assert "Traceback" in failure.details


@pytest.mark.long
def test_the_same_task_is_run_again_when_it_is_asked_for_again(local_cluster, monkeypatch):
    monkeypatch.setattr(cluster, "_attempt_alike", lambda *_arguments: uuid.uuid4())
    engine = ClusterEngine(local_cluster.scheduler_address)
    outcomes = [*engine.run_all([quick_task()] * 3), *engine.run_all([quick_task()])]
    assert len(set(outcomes)) == 4


@pytest.mark.long
def test_a_killed_worker_costs_only_its_run_which_is_run_again(local_cluster):
    tasks = slow_tasks(5)
    outcomes = ClusterEngine(local_cluster.scheduler_address).run_all(tasks)
    found = [next(outcomes)]
    time.sleep(0.5)
    before = worker_pids(local_cluster)
    os.kill(min(before), signal.SIGKILL)
    found += outcomes
    assert keys(found) == once_each(tasks)
    assert worker_pids(local_cluster) != before


@pytest.mark.long
def test_closing_cancels_what_is_left(local_cluster):
    outcomes = ClusterEngine(local_cluster.scheduler_address).run_all(slow_tasks(30))
    next(outcomes)
    assert len(local_cluster.scheduler.tasks) <= 3
    started = time.perf_counter()
    outcomes.close()
    assert time.perf_counter() - started < 5
    time.sleep(0.3)
    assert not local_cluster.scheduler.tasks
    assert not [name for name in local_cluster.scheduler.clients if name.startswith("dagsearch")]


@pytest.mark.long
def test_a_task_that_kills_its_workers_becomes_a_failure(local_cluster, monkeypatch):
    monkeypatch.setattr(local_cluster.scheduler, "allowed_failures", 0)

    def deadly(_work, task, *_more):
        if task.seed == 42:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(task)

    monkeypatch.setattr(cluster, "_attempt_alike", deadly)
    tasks = slow_tasks(4)
    outcomes = list(ClusterEngine(local_cluster.scheduler_address).run_all(tasks))
    (failure,) = (outcome for outcome in outcomes if isinstance(outcome, Failure))
    assert failure.task == tasks[1]
    assert failure.message.startswith("KilledWorker: 1 workers died while they ran this")
    assert keys([outcome for outcome in outcomes if outcome != failure]) == once_each([tasks[0], *tasks[2:]])


@pytest.mark.long
def test_an_exception_that_is_no_outcome_is_a_failure_all_the_same(local_cluster, monkeypatch):
    def broken(*_arguments):
        raise SystemError("out of order")

    monkeypatch.setattr(cluster, "_attempt_alike", broken)
    (failure,) = ClusterEngine(local_cluster.scheduler_address).run_all([quick_task()])
    assert failure.message == "SystemError: out of order"


@pytest.mark.long
def test_a_worker_of_another_version_is_refused_before_anything_is_run(local_cluster, monkeypatch):
    monkeypatch.setattr(cluster, "__version__", "99.0")
    outcomes = ClusterEngine(local_cluster.scheduler_address).run_all(quick_tasks(2))
    with pytest.raises(InputError, match=r"--cluster: worker tcp://.* has dagsearch .*, this command dagsearch 99\.0"):
        next(outcomes)


class PretendClient:
    """A cluster of one worker that says what it is told to."""

    def __init__(self, python="", dagsearch=cluster.__version__, n_threads=1):
        self.python = python or cluster.platform.python_version()
        self.dagsearch = dagsearch
        self.n_threads = n_threads

    def wait_for_workers(self, *_arguments, **_more):
        pass

    def run(self, _ask, *arguments, on_error):
        assert on_error == "return"
        return {"tcp://w:1": self.dagsearch if arguments else self.python}

    def nthreads(self):
        return {"tcp://w:1": self.n_threads}


def test_a_worker_of_another_python_is_refused():
    ours = ".".join(map(str, sys.version_info[:2]))
    with pytest.raises(InputError, match=rf"--cluster: worker tcp://w:1 has Python 3\.4, this command Python {ours}"):
        cluster._require_workers(PretendClient(python="3.4.1"), "tcp://s:1")
    cluster._require_workers(PretendClient(python=f"{ours}.99"), "tcp://s:1")


def test_a_worker_without_dagsearch_is_refused():
    client = PretendClient(dagsearch=ModuleNotFoundError("No module named 'dagsearch'"))
    with pytest.raises(InputError, match=r"worker tcp://w:1 cannot tell its version of dagsearch .*No module"):
        cluster._require_workers(client, "tcp://s:1")


def test_workers_of_several_threads_are_told_that_they_waste_them(caplog):
    cluster._require_workers(PretendClient(), "tcp://s:1")
    assert caplog.text == ""
    cluster._require_workers(PretendClient(n_threads=4), "tcp://s:1")
    assert "--nthreads 1" in caplog.text


def test_threads_of_a_worker_run_one_task_at_a_time(monkeypatch):
    under_way, most = [], []

    def noted(_work, task):
        under_way.append(task)
        time.sleep(0.02)
        most.append(len(under_way))
        under_way.remove(task)

    monkeypatch.setattr(cluster, "attempt", noted)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda task: cluster._attempt_alike(run, task, cluster.__version__), quick_tasks(4)))
    assert most == [1] * 4


def test_a_worker_that_joins_late_with_another_version_runs_nothing():
    failure = cluster._attempt_alike(run, quick_task(), "99.0")
    assert isinstance(failure, Failure)
    assert "has dagsearch" in failure.message
    assert "99.0" in failure.message


# ---------------------------------------------------------------- clusters that are not there


def no_longer_bound_port():
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))
        return unbound.getsockname()[1]


def refusal(address):
    started = time.perf_counter()
    with pytest.raises(InputError) as caught:
        next(ClusterEngine(address).run_all(quick_tasks(1)))
    assert time.perf_counter() - started < 15
    return str(caught.value)


@pytest.mark.parametrize("address", ["nonsense", "", "foo://x:1"])
def test_what_is_no_address_is_refused(address):
    pytest.importorskip("distributed")
    assert f"--cluster: there is no Dask scheduler at {address!r}" in refusal(address)


def test_an_address_where_nothing_listens_is_refused_within_seconds(monkeypatch):
    pytest.importorskip("distributed")
    assert cluster._SECONDS_TO_CONNECT <= 10
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1)
    address = f"tcp://127.0.0.1:{no_longer_bound_port()}"
    assert f"--cluster: there is no Dask scheduler at {address!r}" in refusal(address)


def test_an_address_where_something_else_listens_is_refused_within_seconds(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert "--cluster: there is no Dask scheduler" in refusal(address)


def test_a_scheduler_without_workers_is_refused(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1)
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as running:
        message = refusal(running.scheduler_address)
        assert "has no workers; start some with: dask worker" in message
        assert running.scheduler_address in message


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"\.\[cluster\]"):
        next(ClusterEngine("tcp://127.0.0.1:1").run_all(quick_tasks(1)))


@pytest.fixture
def dask_processes():
    """A scheduler and a worker, started as users start them."""
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{no_longer_bound_port()}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*dask, "scheduler", "--port", address.rpartition(":")[2], "--no-dashboard"], **quiet)
    worker = subprocess.Popen([*dask, "worker", address, "--nthreads", "1", "--no-dashboard"], **quiet)
    yield address, scheduler, worker
    for process in (worker, scheduler):
        process.terminate()
        process.wait(timeout=20)


@pytest.mark.long
def test_losing_the_scheduler_is_an_error_that_says_how_to_go_on(dask_processes, monkeypatch):
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 30)
    address, scheduler, _ = dask_processes
    outcomes = ClusterEngine(address).run_all(slow_tasks(20))
    assert isinstance(next(outcomes), Record)
    scheduler.kill()
    started = time.perf_counter()
    with pytest.raises(DagsearchError, match=rf"the Dask scheduler at {address} was lost .*Finished runs are kept"):
        list(outcomes)
    assert time.perf_counter() - started < 15
