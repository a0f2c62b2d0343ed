"""What COMET's worker finds of a model and how it keeps embeddings, with files of a few bytes and no library."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from endophora.metrics.comet_worker import Embeddings, Refusal, Scorer, Worker, digest, reference_use, with_context


def model(folder: Path, *checkpoints: str, settings: str = "class_identifier: regression_metric\n") -> Path:
    (folder / "checkpoints").mkdir(parents=True)
    for name in checkpoints:
        (folder / "checkpoints" / name).write_bytes(b"weights")
    (folder / "hparams.yaml").write_text(settings, "utf-8")
    return folder


def test_a_digest_is_the_sha_256_of_the_bytes(tmp_path: Path):
    path = tmp_path / "x"
    path.write_bytes(b"abc" * 2_000_000)
    assert digest(path) == hashlib.sha256(b"abc" * 2_000_000).hexdigest()


@pytest.mark.parametrize("inner", ["", "checkpoints/model.ckpt"])
def test_a_model_is_opened_by_its_folder_or_its_file(inner: str, tmp_path: Path):
    folder = model(tmp_path / "m", "model.ckpt", settings="class_identifier: ranking_metric\npool: cls\n")
    assert Worker().answer({"request": "open", "model": str(folder / inner)}) == {
        "checkpoint": str(folder / "checkpoints/model.ckpt"),
        "hash": hashlib.sha256(b"weights").hexdigest(),
        "class": "ranking_metric",
        "pooling": "cls",
        "references": "needed",
    }


def test_the_usual_pooling_is_the_average(tmp_path: Path):
    folder = model(tmp_path / "m", "a.ckpt", settings="class_identifier: referenceless_regression_metric\n")
    reply = Worker().answer({"request": "open", "model": str(folder)})
    assert (reply["pooling"], reply["references"]) == ("avg", "unused")


@pytest.mark.parametrize("checkpoints", [(), ("a.ckpt", "b.ckpt")])
def test_a_folder_has_one_checkpoint(checkpoints: tuple[str, ...], tmp_path: Path):
    with pytest.raises(Refusal, match=f"{len(checkpoints)} checkpoints") as raised:
        Worker().answer({"request": "open", "model": str(model(tmp_path / "m", *checkpoints))})
    assert raised.value.kind == "missing"


def test_a_checkpoint_without_settings_is_missing(tmp_path: Path):
    folder = model(tmp_path / "m", "a.ckpt")
    (folder / "hparams.yaml").unlink()
    with pytest.raises(Refusal, match=r"no hparams\.yaml") as raised:
        Worker().answer({"request": "open", "model": str(folder)})
    assert raised.value.kind == "missing"


def test_a_score_needs_an_open_model_and_a_request_a_known_name():
    for request, said in (({"request": "score"}, "no model is open"), ({"request": "x"}, "no request “x”")):
        with pytest.raises(Refusal, match=said) as raised:
            Worker().answer(request)
        assert raised.value.kind == "failed"


@pytest.mark.parametrize(
    ("settings", "use"),
    [
        ({"class_identifier": "unified_metric"}, "used"),
        ({"class_identifier": "xcomet_metric", "input_segments": ["mt", "src"]}, "unused"),
        ({"class_identifier": "unified_metric", "input_segments": ["mt", "ref"]}, "needed"),
        ({"class_identifier": "regression_metric", "input_segments": ["mt", "src"]}, "needed"),
    ],
)
def test_a_class_of_model_decides_over_references(settings: dict[str, Any], use: str):
    assert reference_use(settings) == use


@pytest.mark.parametrize(
    ("texts", "longest", "joined"),
    [
        (["a", "b", "c"], 14, "b </s> c"),
        (["a", "b", "c"], 15, "a </s> b </s> c"),
        (["a", "b"], 8, "a </s> b"),
        (["a", "b"], 7, "b"),
        (["long"], 1, "long"),
        (["a</s>b", "c"], 99, "a b </s> c"),
    ],
)
def test_context_that_is_too_long_loses_its_first_sentences(texts: list[str], longest: int, joined: str):
    assert with_context(texts, "</s>", longest) == joined


class Model:
    """A model that says what it is asked, and scores a text by its letters."""

    def __init__(self, reads: bool = True) -> None:
        self.use_context = False
        self.batches: list[list[dict[str, str]]] = []
        self._reads = reads

    def enable_context(self) -> None:
        self.use_context = self._reads

    def prepare_sample(self, samples: list[dict[str, str]], stage: str) -> dict[str, Any]:
        assert stage == "predict"
        self.batches.append(samples)
        return {"texts": (samples,)}

    def predict_step(self, inputs: dict[str, Any]) -> dict[str, Any]:
        import torch

        return {"scores": torch.tensor([len(each["mt"]) + 1 / 3 for each in inputs["texts"][0]])}


def scorer(made: Model, kind: str = "regression_metric") -> Scorer:
    one = Scorer(Path("x"), {"class_identifier": kind})
    one._model, one._torch = made, pytest.importorskip("torch")
    return one


def test_segments_are_scored_from_short_to_long_and_come_back_in_order():
    made = Model()
    segments = [{"mt": [text]} for text in ("aaa", "a", "aaaa", "aa")]
    assert scorer(made).score(segments, False, 3) == [3.333333, 1.333333, 4.333333, 2.333333]
    assert [[each["mt"] for each in batch] for batch in made.batches] == [["a", "aa", "aaa"], ["aaaa"]]


def test_without_context_the_sentence_alone_is_read():
    made = Model()
    made.use_context = True
    assert scorer(made).score([{"mt": ["before", "a"]}], False, 1) == [1.333333]
    assert not made.use_context


def test_a_model_that_reads_no_context_is_refused():
    with pytest.raises(Refusal, match="class unified_metric reads no context") as raised:
        scorer(Model(reads=False), "unified_metric").score([], True, 1)
    assert raised.value.kind == "refused"


def test_embeddings_are_made_once_and_the_oldest_forgotten():
    torch = pytest.importorskip("torch")
    asked: list[list[list[int]]] = []

    class Encoder:
        use_context = False

        def get_sentence_embedding(self, ids: Any, mask: Any) -> Any:
            asked.append(ids.tolist())
            return (ids * mask).sum(dim=1, keepdim=True).float()

    encoder = Encoder()
    made = Embeddings(encoder, most=2)

    def embed(*rows: list[int]) -> list[list[float]]:
        longest = max(map(len, rows))
        ids = torch.tensor([row + [9] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        return made(ids, mask).tolist()

    assert embed([1, 2], [4]) == [[3], [4]]
    assert embed([4], [1, 2], [4]) == [[4], [3], [4]]
    assert asked == [[[1, 2], [4, 9]]]  # [1, 2] and then [4] were asked for last
    assert embed([5, 5, 5], [4]) == [[15], [4]]
    assert asked[1:] == [[[5, 5, 5]]]
    assert embed([1, 2]) == [[3]]  # it was the oldest of three
    assert asked[2:] == [[[1, 2]]]
    encoder.use_context = True
    assert embed([1, 2]) == [[3]]
    assert len(asked) == 4


def test_the_worker_answers_with_scores_and_device():
    worker = Worker()
    worker._scorer = scorer(Model())
    request = {"request": "score", "segments": [{"mt": ["a"]}, {"mt": ["bb"]}], "context": False, "batch": 1}
    assert worker.answer(request) == {"scores": [1.333333, 2.333333], "device": "cpu"}


def test_the_worker_holds_the_model_that_was_opened(tmp_path: Path):
    worker = Worker()
    worker.answer({"request": "open", "model": str(model(tmp_path / "m", "a.ckpt"))})
    assert worker._scorer is not None
    assert worker._scorer.checkpoint == tmp_path / "m/checkpoints/a.ckpt"
    assert worker._scorer.settings == {"class_identifier": "regression_metric"}
    assert not worker._scorer._fetch
