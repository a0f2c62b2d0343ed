"""COMET's side of the line: run by the python of COMET's own environment, it reads requests and writes scores.

This file is run as a script and imports nothing of endophora, since COMET's requirements conflict with endophora's.
One JSON object a line goes each way, requests on standard input and answers on standard output; what libraries print
goes to standard error. ``docs/comet.md`` describes the messages.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

PROTOCOL = 1
"""Number of the protocol; both sides must have the same."""
LIBRARIES = ("unbabel-comet", "torch", "transformers")
EMBEDDINGS = 50_000
"""Sentences whose embeddings are kept: 200 MB for an encoder of 1,024 dimensions."""

_SEPARATE = ("regression_metric", "referenceless_regression_metric", "ranking_metric")
_DECIMALS = 6  # what single precision holds; the last digits depend on which sentences were embedded together


class Refusal(Exception):  # noqa: N818 - it is an answer
    """A request that cannot be met: a model is ``missing``, it cannot do that (``refused``), or it ``failed``."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries; one that is not installed is left out."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    state = hashlib.sha256()  # hashlib.file_digest needs Python 3.11, and COMET's may be 3.10
    with path.open("rb") as stream:
        while block := stream.read(1 << 22):
            state.update(block)
    return state.hexdigest()


def reference_use(settings: dict[str, Any]) -> str:
    """Return whether references are ``needed``, ``used`` where they are given, or ``unused`` by a model."""
    name = settings["class_identifier"]
    if name in ("unified_metric", "xcomet_metric"):
        inputs = settings.get("input_segments", ["mt", "src", "ref"])
        return "unused" if "ref" not in inputs else "used" if "src" in inputs else "needed"
    return "unused" if name == "referenceless_regression_metric" else "needed"


def with_context(texts: Sequence[str], separator: str, longest: int, count: Callable[[str], int] = len) -> str:
    """Return a sentence with the sentences before it, separated as the model separates sentences.

    The model cuts what is too long at its end, where the sentence itself stands. So the sentences furthest back are
    left out until the rest fits.

    ``separator``: the model's separator; one that is in a text is read as a space.
    """
    clean = [text.replace(separator, " ") for text in texts]
    while len(clean) > 1 and count(f" {separator} ".join(clean)) > longest:
        clean = clean[1:]
    return f" {separator} ".join(clean)


class Embeddings:
    """Embeds sentences once, however many systems are scored against them; the oldest are forgotten."""

    def __init__(self, model: Any, most: int = EMBEDDINGS) -> None:
        self._model = model
        self._embed = model.get_sentence_embedding
        self._most = most
        self._known: OrderedDict[tuple[bool, tuple[int, ...]], Any] = OrderedDict()

    def __call__(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:  # noqa: ARG002
        """Return the embeddings of a batch instead of the model's method, (batch, length) twice → (batch, size)."""
        torch = import_module("torch")
        lengths = attention_mask.sum(dim=1).tolist()
        context = bool(self._model.use_context)
        keys = [(context, tuple(row[:length])) for row, length in zip(input_ids.tolist(), lengths, strict=True)]
        rows = {key: row for row, key in enumerate(keys) if key not in self._known}
        found = {key: self._known[key] for key in keys if key not in rows}
        if rows:
            longest = max(lengths[row] for row in rows.values())
            chosen = torch.tensor(list(rows.values()), device=input_ids.device)
            new = self._embed(input_ids[chosen, :longest], attention_mask[chosen, :longest])
            found.update(zip(rows, new, strict=True))
        for key in keys:
            self._known[key] = found[key]
            self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return torch.stack([found[key] for key in keys])


class Scorer:
    """A COMET model, built when it scores for the first time."""

    def __init__(self, checkpoint: Path, settings: dict[str, Any], fetch: bool = False) -> None:
        self.checkpoint = checkpoint
        self.settings = settings
        self._fetch = fetch
        self._model: Any = None
        self._torch: Any = None
        self.device = "cpu"

    def build(self) -> None:
        """Load the weights and put the model on its device."""
        if self._model is not None:
            return
        self._torch = torch = import_module("torch")
        torch.set_num_threads(int(os.environ.get("ENDOPHORA_COMET_THREADS") or _cores()))
        load = import_module("comet").load_from_checkpoint
        model = load(str(self.checkpoint), local_files_only=not self._fetch)
        self.device = os.environ.get("ENDOPHORA_COMET_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
        self._model = model.to(self.device).eval()
        if self.settings["class_identifier"] in _SEPARATE:
            self._model.get_sentence_embedding = Embeddings(self._model)

    def score(self, segments: Sequence[dict[str, list[str]]], context: bool, batch: int) -> list[float]:
        """Return the scores of segments; with context only the tokens of the last sentence of each text are pooled."""
        self.build()
        self._set_context(context)
        samples = [{name: self._text(texts, context) for name, texts in segment.items()} for segment in segments]
        # Texts of like length are embedded together, so that little is padded.
        order = sorted(range(len(samples)), key=lambda k: (sum(map(len, samples[k].values())), k))
        scores = [math.nan] * len(samples)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            inputs = self._model.prepare_sample([samples[k] for k in chosen], stage="predict")
            with self._torch.inference_mode():
                found = self._model.predict_step(self._placed(inputs))["scores"]
            for k, value in zip(chosen, found.float().cpu().tolist(), strict=True):
                scores[k] = round(value, _DECIMALS)
        return scores

    def _set_context(self, context: bool) -> None:
        if context:
            self._model.enable_context()
            if not getattr(self._model, "use_context", False):
                raise Refusal("refused", f"a model of class {self.settings['class_identifier']} reads no context")
        else:
            self._model.use_context = False

    def _text(self, texts: Sequence[str], context: bool) -> str:
        if not context:
            return texts[-1]
        encoder = self._model.encoder
        longest = encoder.max_positions - 2
        return with_context(
            texts,
            encoder.tokenizer.sep_token,
            longest,
            lambda text: len(encoder.tokenizer(text, truncation=False)["input_ids"]),
        )

    def _placed(self, inputs: Any) -> Any:
        """Return the tensors of a batch on the model's device, in the shape in which they came."""
        if self._torch.is_tensor(inputs):
            return inputs.to(self.device)
        if hasattr(inputs, "items"):
            return {name: self._placed(value) for name, value in inputs.items()}
        if isinstance(inputs, tuple):
            return tuple(self._placed(value) for value in cast("tuple[Any, ...]", inputs))
        return inputs


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


class Worker:
    """Answers requests, one after the other; holds one model."""

    def __init__(self) -> None:
        self._scorer: Scorer | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, without its number."""
        kind = request["request"]
        if kind == "open":
            return self._open(str(request["model"]), bool(request.get("fetch", False)))
        if kind == "score":
            if self._scorer is None:
                raise Refusal("failed", "no model is open")
            scores = self._scorer.score(request["segments"], bool(request["context"]), int(request["batch"]))
            return {"scores": scores, "device": self._scorer.device}
        raise Refusal("failed", f"there is no request “{kind}”")

    def _open(self, model: str, fetch: bool) -> dict[str, Any]:
        checkpoint = _checkpoint(model, fetch)
        settings_file = checkpoint.parent.parent / "hparams.yaml"
        if not settings_file.is_file():
            raise Refusal("missing", f"there is no hparams.yaml in {settings_file.parent}")
        settings: dict[str, Any] = import_module("yaml").safe_load(settings_file.read_text(encoding="utf-8"))
        self._scorer = Scorer(checkpoint, settings, fetch)
        if fetch:
            # Building fetches the encoder's tokenizer and configuration as well.
            self._scorer.build()
        return {
            "checkpoint": str(checkpoint),
            "hash": digest(checkpoint),
            "class": settings["class_identifier"],
            "pooling": settings.get("pool", "avg"),
            "references": reference_use(settings),
        }


def _checkpoint(model: str, fetch: bool) -> Path:
    """Return the file of a model's weights: the path itself, that in a folder, or that of a model on the Hub."""
    path = Path(model).expanduser()
    if path.is_file():
        return path.resolve()
    if path.is_dir():
        return _only_checkpoint(path)
    if fetch:
        try:
            return Path(import_module("comet").download_model(model))
        except Exception as error:  # the library raises what it meets on the way, and hides what came first
            raise Refusal("missing", f"the model “{model}” cannot be fetched ({_first_cause(error)})") from error
    try:
        folder = import_module("huggingface_hub").snapshot_download(repo_id=model, local_files_only=True)
    except Exception as error:  # the library raises errors of many classes for what is not there
        raise Refusal("missing", f"the model “{model}” is neither a path nor fetched") from error
    return _only_checkpoint(Path(folder))


def _first_cause(error: BaseException) -> str:
    """Return the first line of the error that others were raised over."""
    while error.__context__ is not None:
        error = error.__context__
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _only_checkpoint(folder: Path) -> Path:
    found = sorted((folder / "checkpoints").glob("*.ckpt"))
    if len(found) != 1:
        raise Refusal("missing", f"{len(found)} checkpoints in {folder / 'checkpoints'}, and one is needed")
    return found[0]


def main() -> None:
    """Say hello, then answer every line until the input ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    # What a library prints must not come between the answers, nor may it read the requests.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def send(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    send({"protocol": PROTOCOL, "versions": versions()})
    worker = Worker()
    for line in requests:
        request = json.loads(line)
        try:
            reply = worker.answer(request)
        except Refusal as refusal:
            reply = {"error": str(refusal), "kind": refusal.kind}
        except Exception as error:  # sent to the other side, which decides
            import traceback

            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}", "kind": "failed"}
        send({"id": request["id"], **reply})


def _end_with_parent() -> None:
    # A parent that was killed is noticed at the next request only, and scoring may take an hour.
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
