"""A run gives the same bytes however it is done, goes on where it stopped, and says what is wrong."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from toy_task import CountWords, document, documents

from endophora.corpus.records import Document
from endophora.engine import EngineError, EngineOptions, Progress, RunSummary, run
from endophora.errors import EndophoraError, Fault, InputError, MissingModelError

SERIAL = EngineOptions(executor="serial", shard_segments=20)
PROCESSES = EngineOptions(executor="process", workers=2, shard_segments=20)


def code(error: pytest.ExceptionInfo[EndophoraError]) -> list[str]:
    return [fault.code for fault in error.value.faults]


def texts(count: int, **special: str):
    """Documents d0 …, of one segment each; ``d3="raise"`` gives a text."""
    return [document(f"d{n}", [special.get(f"d{n}", f"text {n}")]) for n in range(count)]


def test_the_output_holds_the_rows_of_all_documents_in_order(tmp_path: Path):
    summary = run(CountWords(), partial(documents, 60), tmp_path, SERIAL)
    expected = list(CountWords().load()(list(documents(60))))
    assert pq.read_table(summary.path).to_pylist() == expected
    assert summary.rows == len(expected) == summary.segments
    assert summary.documents == 60


@pytest.mark.parametrize("segments", [1, 7, 64, 10**6])
def test_the_size_of_shards_has_no_part_in_the_bytes(tmp_path: Path, segments: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.engine.shards.ROW_GROUP", 16)
    first = run(CountWords(), partial(documents, 50), tmp_path / "a", SERIAL)
    other = run(CountWords(), partial(documents, 50), tmp_path / "b", replace(SERIAL, shard_segments=segments))
    assert first.path.read_bytes() == other.path.read_bytes()
    assert first.checksum == other.checksum
    assert first.input_hash == other.input_hash
    assert pq.ParquetFile(first.path).metadata.num_row_groups == -(-first.rows // 16)


def test_processes_give_the_bytes_of_the_serial_executor(tmp_path: Path):
    serial = run(CountWords(), partial(documents, 60), tmp_path / "a", SERIAL)
    processes = run(CountWords(), partial(documents, 60), tmp_path / "b", PROCESSES)
    assert serial.path.read_bytes() == processes.path.read_bytes()


def test_a_worker_is_replaced_after_its_number_of_shards(tmp_path: Path):
    log = tmp_path / "log"
    log.mkdir()
    serial = run(CountWords(), partial(documents, 60), tmp_path / "a", SERIAL)
    options = replace(PROCESSES, shards_per_worker=3)
    processes = run(CountWords(log=str(log)), partial(documents, 60), tmp_path / "b", options)
    workers = Counter(path.name.rpartition(".")[2] for path in log.iterdir())
    assert workers.total() == processes.shards
    assert max(workers.values()) == 3
    assert len(workers) >= processes.shards / 3
    assert processes.lost == 0
    assert serial.path.read_bytes() == processes.path.read_bytes()


@pytest.mark.parametrize("pieces", [1, 3, 1000])
def test_how_many_shards_are_joined_at_once_has_no_part_in_the_bytes(
    tmp_path: Path, pieces: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("endophora.engine.shards.ROW_GROUP", 16)
    whole = run(CountWords(), partial(documents, 50), tmp_path / "a", replace(SERIAL, shard_segments=10**6))
    monkeypatch.setattr("endophora.engine.shards.PIECES", pieces)
    other = run(CountWords(), partial(documents, 50), tmp_path / "b", replace(SERIAL, shard_segments=5))
    assert whole.path.read_bytes() == other.path.read_bytes()


def test_nothing_is_left_but_the_output_its_settings_and_the_lock(tmp_path: Path):
    run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"rows.parquet", "work/run.json", "work/lock", ".endophora-files"}


def test_a_complete_run_does_nothing_again(tmp_path: Path):
    first = run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    again = run(CountWords(load_fault="bug"), partial(documents, 30), tmp_path, SERIAL)
    assert again.worked_shards == 0
    assert (again.checksum, again.rows, again.shards) == (first.checksum, first.rows, first.shards)


def test_a_lost_output_is_made_again(tmp_path: Path):
    first = run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    before = first.path.read_bytes()
    first.path.unlink()
    again = run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    assert again.worked_shards == first.shards
    assert again.path.read_bytes() == before


@pytest.mark.parametrize("name", ["rows.parquet", "work/notes.txt", "work/shards/00000/00000000.parquet"])
@pytest.mark.parametrize("fresh", [False, True])
def test_files_of_others_in_the_way_are_an_error_before_the_work(tmp_path: Path, name: str, fresh: bool):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"mine")
    with pytest.raises(InputError, match=rf"E356.*{name}"):
        run(CountWords(load_fault="bug"), partial(documents, 3), tmp_path, replace(SERIAL, fresh=fresh))
    assert path.read_bytes() == b"mine"
    # The advice works.
    path.rename(tmp_path / "moved.txt")
    run(CountWords(), partial(documents, 3), tmp_path, replace(SERIAL, fresh=fresh))


def test_an_output_that_was_changed_is_not_replaced(tmp_path: Path):
    first = run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    first.path.write_bytes(b"changed")
    for fresh in (False, True):
        with pytest.raises(InputError, match="E356"):
            run(CountWords(), partial(documents, 30), tmp_path, replace(SERIAL, fresh=fresh))
    assert first.path.read_bytes() == b"changed"


def test_other_files_in_the_directory_stay(tmp_path: Path):
    for name in ("film.zip.part", "suites/mine.txt", "x.parquet.part", "rows.parquet.part"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    for fresh in (False, True):
        run(CountWords(), partial(documents, 30), tmp_path, replace(SERIAL, fresh=fresh))
        (tmp_path / "work" / "mine.txt").write_text("put there meanwhile")
    found = {path.name for path in tmp_path.rglob("*")}
    assert {"film.zip.part", "mine.txt", "x.parquet.part", "rows.parquet.part"} <= found


def test_what_comes_after_a_run_is_done_under_its_lock(tmp_path: Path):
    def after(summary: RunSummary) -> None:
        assert summary.path.is_file()
        with pytest.raises(EngineError, match="E151"):
            run(CountWords(), partial(documents, 3), tmp_path, replace(SERIAL, fresh=True))
        called.append(summary)

    called: list[RunSummary] = []
    assert run(CountWords(), partial(documents, 3), tmp_path, SERIAL, after=after) is called[0]


def test_no_documents_give_an_output_without_rows(tmp_path: Path):
    summary = run(CountWords(), partial(documents, 0), tmp_path, SERIAL)
    assert (summary.rows, summary.shards) == (0, 0)
    assert pq.read_table(summary.path).schema.names == CountWords().schema.names


def test_an_input_that_breaks_off_loses_nothing(tmp_path: Path):
    def broken():
        yield from texts(50)
        raise InputError(())

    with pytest.raises(InputError):
        run(CountWords(), broken, tmp_path, SERIAL)
    summary = run(CountWords(), lambda: iter(texts(60)), tmp_path, SERIAL)
    assert summary.worked_shards == 1
    assert summary.documents == 60


CHANGED = {
    "a text": texts(90, d3="other"),
    "a document less": texts(89),
    "an id": [*texts(89), document("new", ["text 89"])],
    "shards less": texts(60),
}


@pytest.mark.parametrize("changed", [*CHANGED.values(), texts(100)], ids=[*CHANGED, "shards more"])
def test_another_input_than_that_of_a_complete_output_is_refused(tmp_path: Path, changed: list[Document]):
    run(CountWords(), lambda: iter(texts(90)), tmp_path, SERIAL)
    with pytest.raises(EngineError) as error:
        run(CountWords(), lambda: iter(changed), tmp_path, SERIAL)
    assert code(error) == ["E153"]
    fresh = run(CountWords(), lambda: iter(changed), tmp_path, replace(SERIAL, fresh=True))
    assert fresh.documents == len(changed)


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_another_input_than_that_of_a_run_begun_is_refused(tmp_path: Path, changed: list[Document]):
    def begin():
        yield from texts(101)
        raise KeyError

    with pytest.raises(KeyError):
        run(CountWords(), begin, tmp_path, SERIAL)
    with pytest.raises(EngineError) as error:
        run(CountWords(), lambda: iter(changed), tmp_path, SERIAL)
    assert code(error) == ["E153"]


def test_another_setup_is_refused(tmp_path: Path):
    run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    with pytest.raises(EngineError, match="begun with “count words 1”, and this is “count words 2”") as error:
        run(CountWords(version=2), partial(documents, 30), tmp_path, SERIAL)
    assert code(error) == ["E152"]


def test_fresh_leaves_what_is_not_the_engines(tmp_path: Path):
    run(CountWords(), partial(documents, 30), tmp_path, SERIAL)
    (tmp_path / "report.html").write_text("mine")
    run(CountWords(version=2), partial(documents, 30), tmp_path, replace(SERIAL, fresh=True))
    assert (tmp_path / "report.html").read_text() == "mine"


@pytest.mark.parametrize("options", [SERIAL, PROCESSES], ids=["serial", "process"])
def test_documents_on_which_the_task_fails_are_named_and_the_rest_is_done(tmp_path: Path, options: EngineOptions):
    some = texts(100, d30="raise", d71="raise")
    with pytest.raises(EngineError, match=r"“d20” to “d39”.*ValueError: cannot do this") as error:
        run(CountWords(), lambda: iter(some), tmp_path, options)
    assert code(error) == ["E156", "E156"]
    assert not (tmp_path / "rows.parquet").exists()
    again = run(_Deaf(), lambda: iter(some), tmp_path, SERIAL)
    assert again.worked_shards == 2
    assert again.rows == 100


class _Deaf(CountWords):
    """The same task, which now works."""

    def _obey(self, text: str) -> None:
        pass


def test_a_run_gives_up_when_every_shard_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.engine.resumable_run.MOST_FAILURES", 3)
    with pytest.raises(EngineError) as error:
        run(CountWords(), lambda: iter([document(f"d{n}", ["raise"] * 20) for n in range(50)]), tmp_path, SERIAL)
    assert code(error) == ["E156"] * 3


def test_a_worker_that_dies_is_replaced_and_its_shard_done(tmp_path: Path):
    mark = tmp_path / "mark"
    summary = run(CountWords(), lambda: iter(texts(100, d50=f"die once {mark}")), tmp_path / "out", PROCESSES)
    assert (summary.lost, summary.rows) == (1, 100)


def test_documents_over_which_workers_keep_dying_are_named(tmp_path: Path):
    with pytest.raises(EngineError, match=r"“d40” to “d59”.*2 workers died.*SIGKILL") as error:
        run(CountWords(), lambda: iter(texts(100, d50="die")), tmp_path, replace(PROCESSES, attempts=2))
    assert code(error) == ["E157"]
    assert run(_Deaf(), lambda: iter(texts(100, d50="die")), tmp_path, SERIAL).worked_shards == 1


@pytest.mark.parametrize("options", [SERIAL, PROCESSES], ids=["serial", "process"])
def test_a_missing_model_is_told_as_the_task_tells_it(tmp_path: Path, options: EngineOptions):
    with pytest.raises(MissingModelError) as error:
        run(CountWords(load_fault="coded"), partial(documents, 30), tmp_path, options)
    assert code(error) == ["E040"]


@pytest.mark.parametrize(
    ("options", "fault"), [(SERIAL, "bug"), (PROCESSES, "bug"), (replace(PROCESSES, attempts=2), "die")]
)
def test_workers_that_cannot_start_are_told(tmp_path: Path, options: EngineOptions, fault: str):
    with pytest.raises(EngineError, match=r"no such thing|exit status 7") as error:
        run(CountWords(load_fault=fault), partial(documents, 30), tmp_path, options)
    assert code(error) == ["E158"]


def test_rows_with_other_columns_are_refused(tmp_path: Path):
    class Misspelt(CountWords):
        def _work(self, batch):
            for row in super()._work(batch):
                yield {("lien" if key == "line" else key): value for key, value in row.items()}

    with pytest.raises(EngineError, match="a row has the columns") as error:
        run(Misspelt(), partial(documents, 3), tmp_path, SERIAL)
    assert code(error) == ["E156"]


def test_progress_counts_up_and_tells_what_an_earlier_run_had_done(tmp_path: Path):
    def broken():
        yield from texts(50)
        raise KeyError

    with pytest.raises(KeyError):
        run(CountWords(), broken, tmp_path, SERIAL)
    heard: list[Progress] = []
    run(CountWords(), lambda: iter(texts(100)), tmp_path, SERIAL, heard.append)
    assert [p.segments for p in heard] == [20, 40, 60, 80, 100, 100]
    assert heard[-1].merging
    assert heard[-1].earlier_segments == 40
    assert heard[2].rate == 20 / heard[2].seconds
    assert heard[2].seconds_left(100) == pytest.approx(40 / heard[2].rate)
    assert heard[0].seconds_left(100) is None


def test_options_out_of_range_are_all_told(tmp_path: Path):
    with pytest.raises(InputError) as error:
        run(
            CountWords(),
            partial(documents, 3),
            tmp_path,
            EngineOptions(workers=-1, shard_segments=0, attempts=0, gpus_per_worker=-1),
        )
    assert code(error) == ["E162"] * 4
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("library", "executor"), [("pyarrow", "serial"), ("ray", "ray")])
def test_a_missing_library_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, executor: str
):
    from importlib.util import find_spec

    monkeypatch.setattr("endophora.engine.shards.find_spec", lambda name: None if name == library else find_spec(name))
    with pytest.raises(MissingModelError, match="pip install 'endophora") as error:
        run(CountWords(), partial(documents, 3), tmp_path, EngineOptions(executor=executor))
    assert code(error) == ["E150"]


class Environment(CountWords):
    """Rows that say in which surroundings the worker works; not pure, and so only for this test."""

    def _work(self, batch):
        time.sleep(0.05)
        names = ("CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
        words = [str(os.getpid()), *(os.environ.get(name, "") for name in names)]
        yield {"document": batch[0].id, "line": 0, "source": "", "words": words}


def test_each_worker_sees_one_gpu_and_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    # Of those that this process may use, which are numbered from 0.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6,7")
    options = EngineOptions(gpus=(1, 3), shard_segments=1)
    done = run(Environment(), lambda: iter(texts(60)), tmp_path, options)
    found = {tuple(row["words"]) for row in pq.read_table(done.path).to_pylist()}
    assert {words[1:] for words in found} == {("5", "1"), ("7", "1")}
    assert len(found) == 2
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4,5,6,7"
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.parametrize("options", [SERIAL, PROCESSES], ids=["serial", "process"])
def test_a_coded_error_of_the_work_reaches_the_caller_as_it_is(tmp_path: Path, options: EngineOptions):
    with pytest.raises(InputError) as error:
        run(CountWords(), lambda: iter(texts(50, d30="coded")), tmp_path, options)
    assert error.value.faults == (Fault("E014", "no such language", "name another", "x.tsv", 3),)


def test_the_task_of_the_documentation_does_what_it_says(tmp_path: Path):
    page = Path(__file__).resolve().parent.parent.parent / "docs" / "engine.md"
    example = page.read_text("utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict = {"__name__": "example"}
    # A dataclass looks for its module.
    exec("import sys, types; sys.modules['example'] = types.ModuleType('example')\n" + example, names)
    some = [document("d", ["one two three", "one two", "one two three four"])]
    done = run(names["LongSegments"](2), lambda: iter(some), tmp_path, SERIAL)
    assert [row["line"] for row in pq.read_table(done.path).to_pylist()] == [1, 3]
