"""Trains a translation model from parallel documents and writes it as ``transformers`` and ours read it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import torch
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from endophora.corpus.records import Document
from endophora.corpus.streams import REFERENCE
from endophora.errors import Fault, InputError, refuse
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding, translate_documents
from endophora.models.specs import open_translator
from endophora.models.tokenization import Vocabulary, train_vocabulary
from endophora.signature import fields_of, keyed
from endophora.training import reproducible
from endophora.training.translation.card import SourceList, TestScore, TextPart, TranslationCard, card_files
from endophora.training.translation.examples import Examples, summarised, tokenised
from endophora.training.translation.loop import Devices, Training, Watch, open_devices
from endophora.training.translation.model import (
    WEIGHTS,
    ModelFolder,
    TrainingState,
    freeze_sentence_model,
    layout_of,
    new_model,
    warm_start,
)
from endophora.training.translation.settings import TrainingSettings, TrainingStart
from endophora.version import __version__

_LIBRARIES = ("torch", "transformers", "sentencepiece", "safetensors")


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A text, and what its card says of it."""

    documents: Iterable[Document]  # can be gone through again and again; the target is each segment's reference
    files: tuple[str, ...] = ()
    # What the readers have left out → how often; known after the first reading.
    left_out: Callable[[], dict[str, int]] = field(default=dict[str, int])

    def summary(self) -> TextPart:
        """Read the text, count it and hash it."""
        found = summarised(self.documents)
        return found.model_copy(update={"files": self.files, "left_out": self.left_out()})


@keyed(
    irrelevant={
        "sources": "for the card",
        "test": "looked at when the weights are made",
    }
)
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun(TrainingStart):
    """What a training is to be done with, besides its settings and its text."""

    sources: SourceList = field(default_factory=lambda: SourceList(sources=()))
    test: TrainingText | None = None  # for BLEU and chrF at the end

    def vocabulary_path(self, folder: Path) -> Path:
        """Return where the vocabulary is, or will be if one is trained."""
        if self.vocabulary is not None:
            return self.vocabulary
        trained = self.start is None or self.new_vocabulary
        return folder / "work" / "source.spm" if trained else cast("Path", self.start) / "source.spm"


@keyed()
@dataclass(frozen=True, slots=True)
class _Beginning:
    """What decides the weights at any update."""

    settings: TrainingSettings
    run: TrainingRun
    languages: tuple[str, str]
    training_text: str
    validation_text: str


def train_translation(
    train: TrainingText,
    validation: TrainingText,
    languages: tuple[str, str],
    folder: Path,
    settings: TrainingSettings,
    run: TrainingRun | None = None,
    watch: Watch | None = None,
) -> TranslationCard:
    """Train a model, or go on where an interrupted run of the same command stopped."""
    run, watch = run or TrainingRun(), watch or Watch()
    devices = open_devices(run.device)
    if devices.count > settings.accumulate:
        cause = f"{devices.count} devices, and {settings.accumulate} batches for each update"
        raise InputError(Fault("E290", cause, "give each device at least one", "--accumulate"))
    if devices.rank:
        watch = Watch(stop=watch.stop)
    # The first process alone writes, and so holds the lock.
    place = ModelFolder(folder) if not devices.rank else None
    # Without it, matrix products on a GPU are not the same each time (torch's notes on reproducibility).
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    computing = reproducible(run.threads, warn_only=True, fork=devices.count == 1)
    with place.lock if place else nullcontext(), computing:
        texts = {"train": train.summary(), "validation": validation.summary()}
        if place is not None:
            usual = fields_of(_Beginning(TrainingSettings(), TrainingRun(), languages, "", ""))
            place.begin(_identity(settings, languages, texts, run), usual, fresh=run.fresh)
            _make_vocabulary(place, train, settings, run)
        devices.wait()
        words = Vocabulary(run.vocabulary_path(folder))
        model: Any = new_model(settings, words)
        missing = warm_start(model, words, run.start) if run.start is not None else []
        if settings.freeze:
            freeze_sentence_model(model)
        if missing:
            watch.note(f"{len(missing)} weights are not in {run.start} and begin at random: {', '.join(missing[:6])} …")
        layout = layout_of(settings, words)
        sides = {
            name: Examples(tokenised(text.documents, words), layout, settings, texts[name].target_words)
            for name, text in (("train", train), ("validation", validation))
        }
        for name, examples in sides.items():
            texts[name] = _without_long(texts[name], name, examples, settings, watch)
        card = TranslationCard(
            source_language=languages[0],
            target_language=languages[1],
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            settings=settings.model_dump(mode="json"),
            texts=texts,
            sources=run.sources.sources,
            source_notes=run.sources.notes,
            start=run.start.name if run.start else "",
            start_missing=tuple(missing),
            machine=_machine(devices),
            versions={"endophora": __version__, **{name: version(name) for name in _LIBRARIES}},
        )

        def keep(model: Any, state: TrainingState) -> None:
            """Write the best model so far."""
            _note(card, state)
            if place is not None:
                place.keep(model, card_files(card), lambda new: words.save(new, *languages))

        checkpoint = folder / "work" / "checkpoint.safetensors"
        halves = sides["train"], sides["validation"]
        training = Training(model, words.pad, halves, settings, checkpoint, replace(watch, keep=keep), devices)
        if training.state.update:
            watch.note(f"taken up again after update {training.state.update}")
        card.ended = training.run()
        _note(card, training.state)
        if place is not None and (folder / WEIGHTS).exists():
            place.write(card_files(card))
            if run.test is not None and card.ended != "stopped":
                _score(card, run.test, folder, run.device, watch)
                place.write(card_files(card))
    return card


def _without_long(part: TextPart, name: str, examples: Examples, settings: TrainingSettings, watch: Watch) -> TextPart:
    """Return a part with what is too long counted as left out, and say it."""
    drawn = examples.draw(None)
    most = settings.most_with_context
    counts = {
        f"segments of more than {settings.longest} tokens": drawn.left_out,
        f"examples whose whole context has more than {most} tokens, and is cut": drawn.shortened,
    }
    counts = {what: count for what, count in counts.items() if count}
    for what, count in counts.items():
        watch.note(f"{name}: {count} {what}")
    return part.model_copy(update={"left_out": {**part.left_out, **counts}})


def _score(card: TranslationCard, test: TrainingText, folder: Path, device: str, watch: Watch) -> None:
    """Add BLEU and chrF on the test text to the card: without context, and with all that the model was trained with.

    They are of a greedy search: they say what was learned, and take little time.
    """
    part = test.summary()
    card.texts = {**card.texts, "test": part}
    sizes = tuple(dict.fromkeys((0, int(card.settings["context_size"]))))
    sentences = " and with ".join(map(str, sizes))
    watch.note(f"the {part.segments} segments of the test text are translated, with {sentences} of context")
    documents = [document.segments for document in test.documents]
    references = [[segment.references[REFERENCE] for segments in documents for segment in segments]]
    sources = [[segment.source for segment in segments] for segments in documents]
    translator = open_translator(str(folder), ModelOptions(device=device))
    scores: list[TestScore] = []
    for size in sizes:
        translated = translate_documents(translator, sources, size, decoding=Decoding(beam=1))
        outputs = [translation.text for document in translated for translation in document]
        for metric in (BLEU(trg_lang=card.target_language), CHRF()):
            score = metric.corpus_score(outputs, references)
            signature = str(metric.get_signature())
            scores.append(TestScore(metric=score.name, context=size, value=score.score, signature=signature))
    card.scores = tuple(scores)


def _note(card: TranslationCard, state: TrainingState) -> None:
    card.update, card.tokens, card.minutes = state.update, state.tokens, state.seconds / 60
    card.best_update, card.history = state.best_update, state.history
    card.perplexity = state.best if state.history else None
    card.date = datetime.now(UTC).date().isoformat()


def _identity(
    settings: TrainingSettings, languages: tuple[str, str], texts: dict[str, TextPart], run: TrainingRun
) -> dict[str, Any]:
    """Return what decides the weights, as the folder compares it."""
    start = run.start / WEIGHTS if run.start else None
    if settings.freeze and start is None:
        cause = "freeze: there is no sentence-level model that stays as it is"
        raise InputError(Fault("E290", cause, "name one: --start DIR", "--freeze"))
    refuse(
        Fault("E295", "there is no such file", advice, str(path))
        for path, advice in ((start, "name a trained model"), (run.vocabulary, "name a SentencePiece model"))
        if path is not None and not path.is_file()
    )
    return fields_of(_Beginning(settings, run, languages, texts["train"].digest, texts["validation"].digest))


def _make_vocabulary(place: ModelFolder, train: TrainingText, settings: TrainingSettings, run: TrainingRun) -> None:
    """See to it that there is a vocabulary."""
    path = run.vocabulary_path(place.path)
    if run.start is not None and not (run.start / "source.spm").is_file():
        cause = "the model to begin with has no vocabulary of ours (source.spm)"
        raise InputError(Fault("E295", cause, "name a model that was trained here", str(run.start)))
    if path == place.vocabulary and not path.is_file():
        texts = (
            text
            for document in train.documents
            for segment in document.segments
            for text in (segment.source, segment.references[REFERENCE])
        )
        train_vocabulary(texts, path, settings.vocabulary_size)
    try:
        Vocabulary(path)
    except (OSError, RuntimeError) as error:
        raise InputError(Fault("E295", "is no SentencePiece model", "name another", str(path))) from error


def _machine(devices: Devices) -> str:
    if devices.device.type == "cuda":
        return f"{devices.count} × {torch.cuda.get_device_name(devices.device)}"
    threads = torch.get_num_threads() * devices.count
    return f"{threads} thread{'s' if threads > 1 else ''} of a processor ({platform.machine()})"
