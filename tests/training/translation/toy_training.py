"""Small trainings on the toy language: a second or so each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toy_text import toy_documents

from endophora.training.translation.card import TranslationCard
from endophora.training.translation.loop import Watch
from endophora.training.translation.settings import make_settings
from endophora.training.translation.train import TrainingRun, TrainingText, train_translation

TOY: dict[str, Any] = {
    "preset": "tiny",
    "context_size": 1,
    "vocabulary_size": 420,
    "batch_tokens": 600,
    "warmup": 40,
    "peak_learning_rate": 0.008,
}


def train_toy(
    folder: Path, run: TrainingRun | None = None, watch: Watch | None = None, seed: int = 0, **settings: Any
) -> TranslationCard:
    """Train on 100 documents of the toy language, unless ``documents`` says how many."""
    count = settings.pop("documents", 100)
    return train_translation(
        TrainingText(toy_documents(count, seed)),
        TrainingText(toy_documents(20, seed=1, name="v")),
        ("en", "de"),
        folder,
        make_settings({**TOY, **settings}),
        run or TrainingRun(device="cpu", threads=1),
        watch,
    )
