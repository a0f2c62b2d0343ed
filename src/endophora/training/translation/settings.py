"""What a training is told, and what it tells."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from endophora.models.presets import Architecture

Precision = Literal["auto", "float32", "bfloat16"]


class TrainingSettings(BaseModel):
    """Settings of a training; all of them, with the data, determine the weights.

    The defaults are those of Mohammed and Niculae (2024), section 3.2, which are those of Fernandes et al. (2021).

    Attributes:
        architecture: how the model takes context.
        preset: its size, a name in ``presets.yaml``.
        context_size: most sentences of context.
        dynamic: draw the number of sentences of context for each example, from 0 to ``context_size``; otherwise as many as
            there are.
        context_loss: learn the target context's tokens as well, of concatenating models; the paper's are trained on all
            that they translate.
        word_dropout: share of the current source's tokens that are made unknown, so that the context has to tell
            (Fernandes et al. 2021, CoWord dropout).
        vocabulary: number of sub-words.
        batch_tokens: most tokens of a batch, source and target together, padding included.
        accumulate: batches for each update.
        peak_learning_rate: reached at the end of the warm-up; the preset's by default.
        warmup: updates of linear warm-up; the rate falls with the inverse square root of the updates after it.
        label_smoothing: share of the probability that goes to all tokens alike.
        dropout: share of units left out; the preset's by default.
        clip: largest norm of the gradient; 0 for any.
        epochs, updates: the training ends after so many of either.
        minutes: the training ends after so many minutes of this run, with a checkpoint to go on from.
        evaluate_every: updates between two looks at the validation text; each is a checkpoint.
        patience: the training ends when so many looks in a row find nothing better.
        longest: examples with more tokens on either side are left out, and counted.
        precision: ``auto`` is bfloat16 on a GPU and float32 elsewhere.
        seed: of the weights, the order, the context sizes and the dropout.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    architecture: Architecture = Architecture.CONCATENATION
    preset: str = "small"
    context_size: int = Field(default=5, ge=0)
    dynamic: bool = True
    context_loss: bool = True
    word_dropout: float = Field(default=0.0, ge=0, lt=1)
    vocabulary: int = Field(default=16_000, ge=300)
    batch_tokens: int = Field(default=8_192, ge=1)
    accumulate: int = Field(default=1, ge=1)
    peak_learning_rate: float | None = Field(default=None, gt=0)
    warmup: int = Field(default=4_000, ge=1)
    label_smoothing: float = Field(default=0.1, ge=0, lt=1)
    dropout: float | None = Field(default=None, ge=0, lt=1)
    clip: float = Field(default=1.0, ge=0)
    epochs: int = Field(default=100, ge=1)
    updates: int = Field(default=1_000_000, ge=1)
    minutes: float | None = Field(default=None, gt=0)
    evaluate_every: int = Field(default=1_000, ge=1)
    patience: int = Field(default=10, ge=1)
    longest: int = Field(default=512, ge=2, le=1024)
    precision: Precision = "auto"
    seed: int = 0
