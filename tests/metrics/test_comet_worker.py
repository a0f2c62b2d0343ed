"""COMET's side of the line, with a model of a few lines in COMET's place."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from endophora.metrics import comet_worker  # noqa: E402
from endophora.metrics.comet_worker import Embeddings, Refusal, Scorer, Worker, reference_use, with_context  # noqa: E402


class Tokenizer:
    sep_token = "</s>"

    def __call__(self, text: str, truncation: bool) -> dict[str, list[str]]:
        assert not truncation
        return {"input_ids": ["<s>", *text.split(), "</s>"]}


class Model:
    """Scores a segment by the words of its translation, divided by three; remembers what it was asked."""

    def __init__(self, reads_context: bool = True) -> None:
        self.use_context = False
        self.encoder = SimpleNamespace(max_positions=11, tokenizer=Tokenizer())
        self.batches: list[list[dict[str, str]]] = []
        self.embedded: list[list[list[int]]] = []
        self.placed: list[Any] = []
        self.device, self.evaluated, self._reads = "", False, reads_context

    def to(self, device: str) -> Model:
        self.device = device
        return self

    def eval(self) -> Model:
        self.evaluated = True
        return self

    def enable_context(self) -> None:
        self.use_context = self._reads

    def get_sentence_embedding(self, ids: Any, mask: Any) -> Any:
        self.embedded.append(ids.tolist())
        return torch.stack([(ids * mask).sum(dim=1), mask.sum(dim=1)], dim=1)

    def prepare_sample(self, samples: list[dict[str, str]], stage: str) -> Any:
        assert stage == "predict"
        self.batches.append(samples)
        lengths = torch.tensor([len(one["mt"].split()) for one in samples], dtype=torch.float64)
        return {"lengths": lengths, "more": (lengths, "text")}

    def predict_step(self, inputs: Any) -> dict[str, Any]:
        assert torch.is_inference_mode_enabled()
        self.placed.append(inputs)
        return {"scores": inputs["lengths"] / 3}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The model that a library called comet loads, from a folder that is not asked for over the network."""
    made, library = Model(), ModuleType("comet")
    made.loaded = []  # type: ignore[attr-defined]

    def load(path: str, local_files_only: bool) -> Model:
        made.loaded.append((path, local_files_only))  # type: ignore[attr-defined]
        return made

    library.load_from_checkpoint = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", library)
    monkeypatch.setenv("ENDOPHORA_COMET_THREADS", str(torch.get_num_threads()))
    monkeypatch.delenv("ENDOPHORA_COMET_DEVICE", raising=False)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    (tmp_path / "hparams.yaml").write_text("class_identifier: regression_metric\npool: cls\n", "utf-8")
    return tmp_path


def segment(mt: str, *before: str) -> dict[str, list[str]]:
    return {"src": ["source"], "mt": [*before, mt]}


@pytest.mark.parametrize(
    ("settings", "use"),
    [
        ({"class_identifier": "regression_metric"}, "needed"),
        ({"class_identifier": "ranking_metric"}, "needed"),
        ({"class_identifier": "referenceless_regression_metric"}, "unused"),
        ({"class_identifier": "unified_metric"}, "used"),
        ({"class_identifier": "xcomet_metric", "input_segments": ["mt", "src"]}, "unused"),
        ({"class_identifier": "unified_metric", "input_segments": ["mt", "ref"]}, "needed"),
        ({"class_identifier": "xcomet_metric", "input_segments": ["mt", "src", "ref"]}, "used"),
    ],
)
def test_what_a_model_does_with_references_is_read_from_its_settings(settings: dict[str, Any], use: str):
    assert reference_use(settings) == use


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("longest", "expected"),
    [(9, "a b </s> c d </s> e f"), (8, "a b </s> c d </s> e f"), (7, "c d </s> e f"), (4, "e f"), (1, "e f")],
)
def test_the_sentences_furthest_back_are_left_out_until_the_rest_fits(longest: int, expected: str):
    assert with_context(["a b", "c d", "e f"], "</s>", longest, words) == expected


def test_a_separator_that_stands_in_a_text_is_a_space():
    assert with_context(["a</s>b", "c"], "</s>", 9, words) == "a b </s> c"
    assert with_context(["abc", "de"], "|", 8) == "abc | de"
    assert with_context(["abc", "de"], "|", 7) == "de"


def test_a_sentence_is_embedded_once_and_without_its_padding():
    model = Model()
    embed = Embeddings(model)
    ids = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0], [1, 2, 3, 0]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 0]])
    assert embed(ids, mask).tolist() == [[6, 3], [9, 2], [6, 3]]
    (first,) = model.embedded
    assert sorted(first) == [[1, 2, 3], [4, 5, 0]]
    assert embed(ids[1:2, :2], mask[1:2, :2]).tolist() == [[9, 2]]
    assert len(model.embedded) == 1
    assert embed(torch.tensor([[4, 5], [7, 8]]), torch.ones((2, 2), dtype=torch.int64)).tolist() == [[9, 2], [15, 2]]
    assert model.embedded[1:] == [[[7, 8]]]


def test_with_context_a_sentence_is_embedded_anew():
    model = Model()
    embed, ids, mask = Embeddings(model), torch.tensor([[1, 2]]), torch.tensor([[1, 1]])
    embed(ids, mask)
    model.use_context = True
    embed(ids, mask)
    assert model.embedded == [[[1, 2]], [[1, 2]]]


def test_the_embeddings_that_were_not_asked_for_longest_are_forgotten():
    model = Model()
    embed = Embeddings(model, most=2)

    def ask(token: int) -> int:
        embed(torch.tensor([[token]]), torch.tensor([[1]]))
        return len(model.embedded)

    assert [ask(token) for token in (1, 2, 1, 3, 1, 2)] == [1, 2, 2, 3, 3, 4]


def test_scores_are_those_of_the_segments_in_their_order(model: Model):
    scorer = Scorer(Path("m.ckpt"), {"class_identifier": "unified_metric"})
    found = scorer.score([segment("a b c d"), segment("a"), segment("a b"), segment("b")], False, 2)
    assert found == [1.333333, 0.333333, 0.666667, 0.333333]
    # The shortest first, two at a time; of equals the first.
    assert [[one["mt"] for one in batch] for batch in model.batches] == [["a", "b"], ["a b", "a b c d"]]
    assert model.batches[0][0] == {"src": "source", "mt": "a"}
    assert (model.device, model.evaluated, scorer.device) == (scorer.device, True, model.device)
    assert model.loaded == [("m.ckpt", True)]  # type: ignore[attr-defined]
    lengths, text = model.placed[0]["more"]
    assert (lengths.tolist(), text) == ([1, 1], "text")
    scorer.score([segment("a")], False, 2)
    assert len(model.loaded) == 1  # type: ignore[attr-defined]


def test_only_models_that_embed_sentences_alone_keep_embeddings(model: Model):
    for name, keeps in (("regression_metric", True), ("ranking_metric", True), ("unified_metric", False)):
        model.__dict__.pop("get_sentence_embedding", None)
        Scorer(Path("m.ckpt"), {"class_identifier": name}).build()
        assert isinstance(model.get_sentence_embedding, Embeddings) == keeps
    referenceless = {"class_identifier": "referenceless_regression_metric"}
    Scorer(Path("m.ckpt"), referenceless, fetch=True).build()
    assert isinstance(model.get_sentence_embedding, Embeddings)
    assert model.loaded[-1] == ("m.ckpt", False)  # type: ignore[attr-defined]


def test_context_goes_before_the_sentence_as_far_as_it_fits(model: Model):
    scorer = Scorer(Path("m.ckpt"), {"class_identifier": "regression_metric"})
    # 11 positions less two: with the two marks of a text, seven words and separators.
    scorer.score([segment("e f", "a b", "c d"), segment("h", "g")], True, 8)
    assert {one["mt"] for one in model.batches[0]} == {"c d </s> e f", "g </s> h"}
    assert model.use_context
    scorer.score([segment("e f", "a b", "c d")], False, 8)
    assert model.batches[1] == [{"src": "source", "mt": "e f"}]
    assert not model.use_context


def test_a_model_that_reads_no_context_refuses_it(model: Model):
    model._reads = False
    with pytest.raises(Refusal, match="class unified_metric reads no context") as raised:
        Scorer(Path("m.ckpt"), {"class_identifier": "unified_metric"}).score([segment("a")], True, 1)
    assert raised.value.kind == "refused"


def test_the_device_and_the_threads_are_those_named(model: Model, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENDOPHORA_COMET_DEVICE", "meta")
    threads = list[int]()
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    for named in ("3", ""):
        monkeypatch.setenv("ENDOPHORA_COMET_THREADS", named)
        scorer = Scorer(Path("m.ckpt"), {"class_identifier": "unified_metric"})
        scorer.build()
        assert (scorer.device, model.device) == ("meta", "meta")
    assert threads == [3, comet_worker._cores()]
    monkeypatch.delenv("ENDOPHORA_COMET_DEVICE")
    for there, device in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        scorer = Scorer(Path("m.ckpt"), {"class_identifier": "unified_metric"})
        scorer.build()
        assert scorer.device == device


def test_a_model_is_opened_and_scores(model: Model, folder: Path):
    worker, checkpoint = Worker(), folder / "checkpoints" / "model.ckpt"
    for named in (folder, checkpoint):
        assert worker.answer({"request": "open", "model": str(named)}) == {
            "checkpoint": str(checkpoint),
            "hash": hashlib.sha256(b"weights").hexdigest(),
            "class": "regression_metric",
            "pooling": "cls",
            "references": "needed",
        }
    assert model.loaded == []  # type: ignore[attr-defined]
    request = {"request": "score", "segments": [segment("a b c")], "context": False, "batch": 4}
    assert worker.answer(request) == {"scores": [1.0], "device": model.device}
    (folder / "hparams.yaml").write_text("class_identifier: unified_metric\n", "utf-8")
    opened = worker.answer({"request": "open", "model": str(folder), "fetch": True})
    assert (opened["pooling"], opened["references"]) == ("avg", "used")
    assert model.loaded[-1] == (str(checkpoint), False)  # type: ignore[attr-defined]


def refused(request: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(Refusal) as raised:
        Worker().answer(request)
    return raised.value.kind, str(raised.value)


def test_what_is_not_there_is_refused(folder: Path):
    assert refused({"request": "score"}) == ("failed", "no model is open")
    assert refused({"request": "sing"}) == ("failed", "there is no request “sing”")
    (folder / "hparams.yaml").unlink()
    assert refused({"request": "open", "model": str(folder)}) == ("missing", f"there is no hparams.yaml in {folder}")
    (folder / "checkpoints" / "other.ckpt").write_bytes(b"")
    kind, reason = refused({"request": "open", "model": str(folder)})
    assert (kind, reason[:13]) == ("missing", "2 checkpoints")


def test_a_model_of_the_hub_is_fetched_only_if_asked_for(model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch):
    asked, hub = list[Any](), ModuleType("huggingface_hub")

    def snapshot(repo_id: str, local_files_only: bool) -> str:
        asked.append((repo_id, local_files_only))
        if repo_id == "lost":
            raise OSError("no such model")
        return str(folder)

    def download(name: str) -> str:
        if name == "lost":
            try:
                raise OSError("no route to the hub\nat all")
            except OSError:
                raise KeyError(name)  # noqa: B904
        return str(folder / "checkpoints" / "model.ckpt")

    hub.snapshot_download = snapshot  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setattr(sys.modules["comet"], "download_model", download, raising=False)
    expected = hashlib.sha256(b"weights").hexdigest()
    assert Worker().answer({"request": "open", "model": "name"})["hash"] == expected
    assert asked == [("name", True)]
    assert Worker().answer({"request": "open", "model": "name", "fetch": True})["hash"] == expected
    assert len(asked) == 1
    assert refused({"request": "open", "model": "lost"}) == (
        "missing",
        "the model “lost” is neither a path nor fetched",
    )
    assert refused({"request": "open", "model": "lost", "fetch": True}) == (
        "missing",
        "the model “lost” cannot be fetched (no route to the hub)",
    )


def test_libraries_that_are_not_there_have_no_version(monkeypatch: pytest.MonkeyPatch):
    def version(name: str) -> str:
        if name == "transformers":
            raise PackageNotFoundError(name)
        return f"{name} 1"

    monkeypatch.setattr(comet_worker, "version", version)
    found = comet_worker.versions()
    assert found.pop("python").startswith("3.")
    assert found == {"unbabel-comet": "unbabel-comet 1", "torch": "torch 1"}
