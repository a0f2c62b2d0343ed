"""Trains a translation model from parallel documents and writes it as ``transformers`` and ours read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from endophora.corpus import Document
from endophora.corpus.streams import REFERENCE
from endophora.models.presets import Architecture
from endophora.models.vocabulary import Vocabulary, train_vocabulary
from endophora.training.translation.checkpoint import TrainingState
from endophora.training.translation.loop import Progress, Training
from endophora.training.translation.model import layout_of, new_model, warm_start
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.text import Examples, tokenised


def train_translation(
    train: Sequence[Document],
    validation: Sequence[Document],
    languages: tuple[str, str],
    folder: Path,
    settings: TrainingSettings,
    *,
    vocabulary: Path | None = None,
    start: Path | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
    device: str = "cpu",
) -> TrainingState:
    """Train a model, or go on where an interrupted run of the same command stopped.

    Args:
        train, validation: parallel documents; the target is each segment's reference.
        languages: ISO 639-1 codes of source and target.
        folder: where the best model is written, and ``last``, the checkpoint to go on from.
        settings: all else.
        vocabulary: a SentencePiece model to use; by default one is trained.
        start: a trained model to begin with.
        tell: told how far it is.
        device: where it is trained.
    """
    if settings.architecture is Architecture.SENTENCE:
        settings = settings.model_copy(update={"context_size": 0})
    folder.mkdir(parents=True, exist_ok=True)
    words = _vocabulary(train, folder, settings, vocabulary)
    layout = layout_of(settings, words)
    model = new_model(settings, words)
    if start is not None:
        warm_start(model, start)

    def keep(model: Any, state: TrainingState) -> None:
        """Write the best model so far."""
        model.save_pretrained(folder)
        words.save(folder, *languages)
        (folder / "training.json").write_text(
            json.dumps({"settings": settings.model_dump(mode="json"), "history": state.history}, indent=1) + "\n"
        )

    sides = [Examples(tokenised(documents, words), layout, settings) for documents in (train, validation)]
    training = Training(model, words, sides[0], sides[1], settings, folder, keep, torch.device(device))
    return training.run(tell)


def _vocabulary(
    documents: Iterable[Document], folder: Path, settings: TrainingSettings, given: Path | None
) -> Vocabulary:
    path = folder / "source.spm"
    if given is not None:
        return Vocabulary(given)
    if path.is_file():
        return Vocabulary(path)
    texts = (
        text
        for document in documents
        for segment in document.segments
        for text in (segment.source, segment.references[REFERENCE])
    )
    return train_vocabulary(texts, path, settings.vocabulary)
