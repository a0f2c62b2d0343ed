"""Ray gives the bytes of the serial executor, on one node and on two, and when a node is lost in the middle."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("ray")
from toy_task import Brief, CountWords, FromFile, document, documents

import endophora
from command import run as command
from endophora.engine import EngineError, EngineOptions, Progress, run
from endophora.engine.shards import cut
from endophora.errors import InputError, MissingModelError
from endophora.stopping import Stopped, watch_signals

SERIAL = EngineOptions(executor="serial", shard_segments=40)
STORE = 80 * 1024 * 1024
PACKAGE = Path(endophora.__file__).parent
sys.path.append(str(Path(__file__).parent.parent / "models"))


@pytest.fixture(scope="module")
def ray() -> Iterator[object]:
    """A cluster of one head node without cores, to which tests add nodes."""
    # Workers of Ray import the toy task, too, and the package that is tested.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{PACKAGE.parent}{os.pathsep}{Path(__file__).parent}"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    # Without what shows or enlarges a cluster, processes that take seconds to begin.
    bare = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE, **bare})
    yield cluster
    cluster.shutdown()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def nodes(ray) -> list:
    """Two nodes of one core each."""
    found = [ray.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
    ray.wait_for_nodes()
    return found


@pytest.fixture
def options(ray) -> EngineOptions:
    return EngineOptions(executor="ray", shard_segments=40, address=ray.address)


def test_two_nodes_give_the_bytes_of_the_serial_executor(tmp_path: Path, nodes, options: EngineOptions):
    serial = run(CountWords(), partial(documents, 200), tmp_path / "a", SERIAL)
    (tmp_path / "log").mkdir()
    # Each document takes a moment: both nodes get work before the other has done all of it.
    task = CountWords(log=str(tmp_path / "log"), seconds=0.02)
    on_ray = run(task, partial(documents, 200), tmp_path / "b", options)
    assert on_ray.path.read_bytes() == serial.path.read_bytes()
    assert len({path.name.rpartition(".")[2] for path in (tmp_path / "log").iterdir()}) == 2


def test_a_node_that_is_killed_in_the_middle_changes_nothing(tmp_path: Path, ray, nodes, options: EngineOptions):
    serial = run(CountWords(), partial(documents, 200), tmp_path / "a", SERIAL)
    log = tmp_path / "log"
    log.mkdir()
    third = ray.add_node(num_cpus=1, object_store_memory=STORE)
    ray.wait_for_nodes()

    def kill(progress: Progress) -> None:
        at_work = {path.name.rpartition(".")[2] for path in log.iterdir()}
        if len(at_work) == 3 and third in ray.worker_nodes:
            ray.remove_node(third, allow_graceful=False)

    task = CountWords(log=str(log), seconds=0.05)
    on_ray = run(task, partial(documents, 200), tmp_path / "b", options, kill)
    assert third not in ray.worker_nodes
    assert on_ray.path.read_bytes() == serial.path.read_bytes()
    assert on_ray.lost == 1
    assert on_ray.shards <= len(list(log.iterdir())) <= on_ray.shards + 1


def test_the_loss_of_a_machine_is_no_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from endophora.engine.workers import Cause, Failure, JobOutcome, SerialExecutor

    work = SerialExecutor.work

    def unlucky(self, task, jobs):
        for outcome in work(self, task, jobs):
            gone = outcome.job.moves < 5
            yield JobOutcome(outcome.job, Failure(Cause.GONE, "gone")) if gone else outcome

    monkeypatch.setattr(SerialExecutor, "work", unlucky)
    summary = run(CountWords(), partial(documents, 10), tmp_path, replace(SERIAL, attempts=1))
    assert summary.lost == 5 * summary.shards


@pytest.mark.parametrize(("piece", "stored"), [(64 * 1024, False), (10**9, True)])
def test_the_text_of_shards_is_in_the_object_store_only_where_it_is_sent_in_one_piece(
    tmp_path: Path, nodes, options: EngineOptions, monkeypatch: pytest.MonkeyPatch, piece: int, stored: bool
):
    # Letters at random: compressed, the shard is still longer than what Ray sends in one argument.
    letters = random.Random(1)
    some = [document(f"d{n}", ["".join(letters.choices("abcdefghijklmnop", k=4000))]) for n in range(1000)]
    payload = next(cut(some, 500)).payload()
    assert 800 * 1024 < len(payload) < STORE
    monkeypatch.setattr("endophora.engine.ray_actors.PIECE", piece)
    used = [0.0]
    ended = threading.Event()

    def look() -> None:
        import ray

        name = "object_store_memory"
        while not ended.wait(0.05):
            if ray.is_initialized():
                missing = ray.cluster_resources().get(name, 0) - ray.available_resources().get(name, 0)
                # A node that has just come or gone is in one of the two figures alone.
                used.append(missing % STORE)

    thread = threading.Thread(target=look)

    def begin(progress: Progress) -> None:
        if not thread.is_alive() and not ended.is_set():
            thread.start()
        if progress.shards == 2:
            ended.set()
            thread.join()

    slow = Brief(seconds=0.002)
    run(slow, lambda: iter(some), tmp_path, replace(options, shard_segments=500, workers=1), begin)
    assert len(used) > 10
    assert (max(used) > 100 * 1024) == stored, used


def test_documents_over_which_workers_die_and_fail_are_named(tmp_path: Path, nodes, options: EngineOptions):
    some = [document(f"d{n}", [{7: "die", 15: "raise"}.get(n, "text")]) for n in range(20)]
    with pytest.raises(EngineError, match=r"“d5” to “d9”.*2 workers died") as error:
        run(CountWords(), lambda: iter(some), tmp_path, replace(options, attempts=2, shard_segments=5))
    assert sorted(fault.code for fault in error.value.faults) == ["E156", "E157"]


def test_what_load_raises_is_told(tmp_path: Path, nodes, options: EngineOptions):
    with pytest.raises(MissingModelError, match="E040"):
        run(CountWords(load_fault="coded"), partial(documents, 3), tmp_path, options)
    with pytest.raises(EngineError, match="no such thing") as error:
        run(CountWords(load_fault="bug"), partial(documents, 3), tmp_path, options)
    assert error.value.faults[0].code == "E158"


def test_a_signal_stops_a_run_on_ray(tmp_path: Path, nodes, options: EngineOptions, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.stopping.GRACE", 60.0)

    def stop(progress: Progress) -> None:
        if progress.shards == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    give_back = watch_signals()
    try:
        with pytest.raises(Stopped) as stopped:
            run(CountWords(), partial(documents, 200), tmp_path / "a", options, stop)
    finally:
        give_back()
    assert stopped.value.number == signal.SIGTERM
    after = run(CountWords(), partial(documents, 200), tmp_path / "a", SERIAL)
    assert after.worked_shards < after.shards


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(EngineError) as error:
        run(
            CountWords(),
            partial(documents, 3),
            tmp_path,
            EngineOptions(executor="ray", address="127.0.0.1:1"),
        )
    assert error.value.faults[0].code == "E163"


def test_nodes_in_other_directories_have_the_files_of_the_run(
    tmp_path: Path, ray, nodes, options: EngineOptions, monkeypatch: pytest.MonkeyPatch
):
    """The nodes were started elsewhere; there, one has another file of the same name, the other none."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "words.txt").write_text(name)
    monkeypatch.chdir(tmp_path / "there")
    third = ray.add_node(num_cpus=1, object_store_memory=STORE)
    try:
        ray.wait_for_nodes()
        monkeypatch.chdir(tmp_path / "here")
        serial = run(FromFile(), partial(documents, 100), tmp_path / "a", SERIAL)
        log = tmp_path / "log"
        log.mkdir()
        on_ray = run(FromFile(log=str(log), seconds=0.02), partial(documents, 100), tmp_path / "b", options)
        assert len({path.name.rpartition(".")[2] for path in log.iterdir()}) == 3
        assert on_ray.path.read_bytes() == serial.path.read_bytes()
    finally:
        ray.remove_node(third)


def test_a_node_with_another_version_of_the_package_gives_no_rows(tmp_path: Path, ray, nodes, options: EngineOptions):
    other = tmp_path / "other" / "endophora"
    other.mkdir(parents=True)
    for path in PACKAGE.iterdir():
        (other / path.name).symlink_to(path)
    (other / "version.py").unlink()
    (other / "version.py").write_text('__version__ = "0.0.9"')
    path = f"{other.parent}{os.pathsep}{os.environ['PYTHONPATH']}"
    third = ray.add_node(num_cpus=1, object_store_memory=STORE, env_vars={"PYTHONPATH": path})
    try:
        ray.wait_for_nodes()
        task = CountWords(seconds=0.05)
        with pytest.raises(InputError, match=rf"E357.*{other}.*“package:0.0.9”"):
            run(task, partial(documents, 200), tmp_path / "a", options)
    finally:
        ray.remove_node(third)
    # What the other nodes have done is kept.
    task = CountWords()
    done = run(task, partial(documents, 200), tmp_path / "a", options)
    assert done.path.read_bytes() == run(task, partial(documents, 200), tmp_path / "b", SERIAL).path.read_bytes()


def test_without_an_address_ray_is_started_on_this_machine_and_ended(tmp_path: Path):
    """In a process of its own, with a task that only that process knows."""
    program = Path(__file__).parent.parent / "crash" / "toy_run.py"
    log = tmp_path / "log"
    log.mkdir()
    ended = subprocess.run(
        [sys.executable, program, tmp_path / "out", log, "--executor", "ray", "--seconds", "0"],
        env={**os.environ, "PYTHONPATH": f"{PACKAGE.parent}{os.pathsep}{Path(__file__).parent}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    serial = run(CountWords(), partial(documents, 200), tmp_path / "a", SERIAL)
    assert (tmp_path / "out" / "rows.parquet").read_bytes() == serial.path.read_bytes()


PAIRS = (
    "It is on the table.\tEs steht auf dem Tisch.",
    "She saw the lamp.\tSie sah die Lampe.",
    "It was new.\tSie war neu.",
)


def extract_command(folder: Path, output: str, executor: str, *options: str) -> list[str]:
    names = ("--languages", "en-de", "--phenomenon", "gender", "--shard-size", "3", "--workers", "1", "--quiet")
    places = ("--input", str(folder / "pairs.tsv"), "--output", str(folder / output))
    return ["extract", *names, *places, "--executor", executor, *options]


PROGRAM = (sys.executable, "-m", "endophora")
"""Before a command that is to be killed; others run in this process, which has loaded what they need."""


def actors() -> list[int]:
    """Processes of this module's cluster, whose raylets are our children, that do work for a run."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            parents[path.name] = (parent, (path / "cmdline").read_bytes().startswith(b"ray::_Actor"))
        except OSError:
            continue
    ours = str(os.getpid())
    return [int(name) for name, (up, works) in parents.items() if works and parents.get(up, ("",))[0] == ours]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_an_extraction_whose_driver_is_killed_leaves_no_worker_and_is_resumed(
    tmp_path: Path, nodes, options: EngineOptions
):
    rows = [f"d{number}\t{pair}\n" for number in range(60) for pair in PAIRS]
    (tmp_path / "pairs.tsv").write_text("".join(["document\tsource\ttarget\n", *rows]), encoding="utf-8")
    assert command(*extract_command(tmp_path, "whole", "serial")) == 0
    on_ray = extract_command(tmp_path, "out", "ray", "--address", options.address)
    driver = subprocess.Popen([*PROGRAM, *on_ray], stdout=subprocess.DEVNULL, start_new_session=True)
    while not list((tmp_path / "out").glob("work/shards/*/*.parquet")):
        assert driver.poll() is None
        time.sleep(0.01)
    assert actors()
    driver.kill()
    driver.wait()
    assert not (tmp_path / "out" / "rows.parquet").exists()
    end = time.monotonic() + 10
    while actors() and time.monotonic() < end:
        time.sleep(0.05)
    assert not actors()
    # The lock is free, though its file names the killed process.
    assert f'"pid": {driver.pid}' in (tmp_path / "out" / "work" / "lock").read_text()
    assert command(*on_ray) == 0
    made = ["rows.parquet", "statistics.json", "suites/jsonl/gender.en-de.test.jsonl"]
    assert [(tmp_path / "out" / name).read_bytes() for name in made] == [
        (tmp_path / "whole" / name).read_bytes() for name in made
    ]


def scoring(folder: Path, output: str, *options: str) -> list[str]:
    """Return the command that scores two texts of 600 lines; batches are small, so that all workers get some."""
    texts = ("-s", "source", "-r", "target", "-d", "ids", "-k", "2", "--threads", "1", "--shard-size", "20")
    kept = ("--store", f"{output}.sqlite", "-f", "jsonl", "-o", output)
    return ["score", "-l", "en-de", "-M", str(folder / "model"), *texts, *kept, *options]


def kept_answers(store: Path) -> int:
    """Return how many answers a store has that another process writes."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM entry").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_model_on_two_nodes_scores_as_in_one_process_and_after_its_driver_was_killed(
    tmp_path: Path, nodes, options: EngineOptions, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("torch")
    from tiny_models import Architecture, make_own

    make_own(tmp_path / "model", Architecture.CONCATENATION)
    pairs = [pair.split("\t") for pair in PAIRS]
    lines = [[f"{number} {text}" for text in pairs[number % 3]] for number in range(600)]
    for name, texts in zip(("source", "target"), zip(*lines, strict=True), strict=True):
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    (tmp_path / "ids").write_text("".join(f"d{number // 8}\n" for number in range(600)))
    monkeypatch.chdir(tmp_path)
    assert command(*scoring(tmp_path, "whole")) == 0
    on_ray = scoring(tmp_path, "out", "--executor", "ray", "--address", options.address)
    driver = subprocess.Popen([*PROGRAM, *on_ray], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    # Each node has one core, and each worker takes one: two are on two nodes.
    while most < 2 or not kept_answers(tmp_path / "out.sqlite"):
        assert driver.poll() is None
        most = max(most, len(actors()))
        time.sleep(0.2)
    driver.kill()
    driver.wait()
    assert not (tmp_path / "out").exists()
    before = kept_answers(tmp_path / "out.sqlite")
    assert before % 20 == 0
    assert command(*on_ray) == 0
    assert kept_answers(tmp_path / "out.sqlite") == 600
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
    assert 0 < before < 600
