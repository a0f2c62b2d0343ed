"""Work of models that workers share gives what one process gives, and goes on where a killed one stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from endophora.context.context_read import KeptAnswers
from endophora.context.pointwise import ContextCondition, measure_pointwise
from endophora.context.samples import Sample
from endophora.engine import EngineOptions
from endophora.errors import EndophoraError
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding, ModelInput, Sides, Translation, contextual_inputs
from endophora.models.sharing import ModelWork, ModelWorkers, answered, opened, shared_by
from endophora.store import Store

sys.path.append(str(Path(__file__).parent.parent / "context"))
from fake_scorer import FakeScorer

DECODING = Decoding(beam=1)


class Counting(FakeScorer):
    """A model whose probabilities depend on context, and that leaves a file with its process for each call."""

    shard = 3

    def __init__(self, log: Path, seconds: float = 0.0, dies: str = "") -> None:
        super().__init__({"wor": 0.25, "</s>": -0.125})
        self.log, self.seconds, self.dies = log, seconds, dies

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]):
        self._note(inputs)
        return super().score(inputs, targets)

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding = DECODING) -> list[Translation]:
        self._note(inputs)
        return [Translation(f"{one.source[::-1]} {len(one.target_context)}", -1.5) for one in inputs]

    def _note(self, inputs: Sequence[ModelInput]) -> None:
        (self.log / f"{time.time_ns()}.{os.getpid()}").touch()
        time.sleep(self.seconds)
        if self.dies and any(self.dies in one.source for one in inputs):
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class FakeWork(ModelWork):
    """Opens the model of these tests in a worker."""

    log: Path
    seconds: float = 0.0
    dies: str = ""
    signature: str = "fake"

    def load(self):
        return partial(answered, Counting(self.log, self.seconds, self.dies))


class Retrained(FakeWork):
    """In the worker the model is another one."""

    def load(self):
        self.signature = "fake, retrained"
        return super().load()


def texts(count: int) -> tuple[list[ModelInput], list[str]]:
    sources = [f"source {number}" for number in range(count)]
    targets = [f"worte {number}" for number in range(count)]
    return contextual_inputs(sources, targets, 2), targets


def shared(log: Path, workers: int, attempts: int = 3, **given) -> Counting:
    log.mkdir(exist_ok=True)
    model = Counting(log)
    options = EngineOptions(executor="process", workers=workers, attempts=attempts, shards_per_worker=0)
    model.workers = ModelWorkers(FakeWork(log, **given), options, [])
    return model


def test_two_workers_say_what_the_model_itself_says_and_stay_for_what_follows(tmp_path: Path):
    inputs, targets = texts(20)
    log = tmp_path / "log"
    here, there = Counting(log), shared(log, 2, seconds=0.05)
    samples = [Sample("a", number, *pair, ()) for number, pair in enumerate(zip(inputs, targets, strict=True))]
    sizes = [ContextCondition(Sides.BOTH, 1), ContextCondition(Sides.BOTH, 2)]
    with Store() as one, Store() as other:
        found = KeptAnswers(other).translate(there, inputs, DECODING)
        measured = measure_pointwise(samples, sizes, there, other)
        there.workers.close()
        assert len({path.name.rpartition(".")[2] for path in log.iterdir()} - {str(os.getpid())}) == 2
        assert found == KeptAnswers(one).translate(here, inputs, DECODING)
        expected = measure_pointwise(samples, sizes, here, one)
    assert [each.end.tolist() for each in measured] == [each.end.tolist() for each in expected]
    unkept = shared(log, 1)
    measured = measure_pointwise(samples, sizes, unkept)
    unkept.workers.close()
    assert [each.end.tolist() for each in measured] == [each.end.tolist() for each in expected]


def test_a_batch_over_which_workers_die_is_named_and_the_others_are_kept(tmp_path: Path):
    inputs, targets = texts(12)
    model = shared(tmp_path / "log", 1, attempts=1, dies="source 4")
    with Store() as store:
        with pytest.raises(EndophoraError, match=r"E157.*batch 2: workers died over it"):
            KeptAnswers(store).score(model, inputs, targets)
        model.workers.close()
        again = Counting(tmp_path / "log")
        KeptAnswers(store).score(again, inputs, targets)
    assert [one.source for one, _ in again.asked] == ["source 3", "source 4", "source 5"]


def test_answers_of_a_call_that_was_given_up_are_none_of_the_next(tmp_path: Path):
    """The caller stops at the first answer, while others are under way or wait."""
    model = shared(tmp_path / "log", 1)
    calls = [(*texts(3),), (*texts(4),), (*texts(5),)]
    assert next(model.workers.each("score", calls))[0] == 0
    found = {number: len(scored) for number, scored in model.workers.each("score", calls[::-1])}
    model.workers.close()
    assert found == {0: 5, 1: 4, 2: 3}


@pytest.mark.parametrize("named", ["device=cuda:1", "threads=8"])
def test_what_a_worker_has_a_share_of_is_refused_within_a_spec(named: str):
    engine = EngineOptions(executor="process", workers=1)
    made = opened(lambda spec, options: Counting(Path()), {"a": f"hf:x,{named}"}, ModelOptions(), engine)
    with pytest.raises(EndophoraError, match=rf"E272.*--{named.partition('=')[0]}"), made:
        pass


def test_a_worker_with_another_model_refuses(tmp_path: Path):
    model = shared(tmp_path / "log", 1)
    work = Retrained(tmp_path / "log")
    model.workers = ModelWorkers(work, EngineOptions(executor="serial"), [])
    with Store() as store, pytest.raises(EndophoraError, match=r"E357.*“fake, retrained”.*“fake”"):
        KeptAnswers(store).score(model, *texts(2))


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_shared_models import *
if __name__ == "__main__":
    with Store(Path({store!r})) as store:
        KeptAnswers(store).score(shared(Path({log!r}), 2, seconds=0.2), *texts(60))
"""


def test_a_run_that_is_killed_goes_on_with_the_same_batches(tmp_path: Path):
    store, log = tmp_path / "store", tmp_path / "log"
    script = tmp_path / "killed.py"
    script.write_text(KILLED.format(here=str(Path(__file__).parent), store=str(store), log=str(log)))
    process = subprocess.Popen([sys.executable, script])
    while not log.is_dir() or len(list(log.iterdir())) < 8:
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    inputs, targets = texts(60)
    rest = Counting(log)
    with Store(store) as kept, Store() as fresh:
        found = KeptAnswers(kept).score(rest, inputs, targets)
        whole = Counting(log)
        expected = KeptAnswers(fresh).score(whole, inputs, targets)
    # 20 batches of 3: at least the first 8 less the two that were under way are not asked for again.
    assert 0 < len(rest.asked) <= 60 - 3 * 6
    # What is asked for together is what would have been, without the kill.
    batches = {tuple(whole.asked[at : at + 3]) for at in range(0, 60, 3)}
    assert {tuple(rest.asked[at : at + 3]) for at in range(0, len(rest.asked), 3)} <= batches
    assert [one.logprobs.tolist() for one in found] == [one.logprobs.tolist() for one in expected]


@pytest.mark.parametrize(
    ("device", "asked", "workers", "gpus"),
    [
        ("auto", 0, 3, (0, 1, 2)),
        ("cuda", 6, 6, (0, 1, 2)),
        ("cuda:1", 0, 1, (1,)),
        ("cpu", 0, 1, ()),
        ("cpu", 2, 2, ()),
    ],
)
def test_a_machine_has_a_worker_for_each_gpu(
    monkeypatch: pytest.MonkeyPatch, device: str, asked: int, workers: int, gpus: tuple[int, ...]
):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    found = shared_by(EngineOptions(workers=asked), ModelOptions(device=device))
    assert (found.workers, found.gpus) == (workers, gpus)


def test_what_has_no_workers_is_refused():
    class Service(Counting):
        def estimate(self) -> None: ...

    asked = {"a": "openai:x"}, ModelOptions(), EngineOptions()
    with (
        pytest.raises(EndophoraError, match=r"E272.*has no workers"),
        opened(lambda spec, options: Service(Path()), *asked),
    ):
        pass
