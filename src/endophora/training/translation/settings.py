"""What a training is told, from options and from a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.layout import Architecture, preset
from endophora.signature import keyed

Precision = Literal["auto", "float32", "bfloat16"]

LIMITS = frozenset({"epochs", "updates", "minutes", "patience", "checkpoint_minutes"})
"""Settings that say when a training ends or is kept: a training that is taken up again may have others."""

_LIBRARIES = ("torch", "transformers", "safetensors", "sentencepiece")


@keyed(irrelevant=dict.fromkeys(LIMITS, "when a training ends or is kept, not what its weights are"))
class TrainingSettings(BaseModel):
    """Settings of a training; all of them, with the data, determine the weights.

    The defaults are those of Mohammed and Niculae (2024), section 3.2, which are those of Fernandes et al. (2021).

    Attributes:
        dynamic: draw the number of sentences of context for each example, from 0 to ``context_size``; otherwise as many
            as there are.
        context_loss: learn the target context's tokens as well, of concatenating models; the paper's are trained on all
            that they translate.
        word_dropout: share of the current source's tokens that are made unknown, so that the context has to tell
            (Fernandes et al. 2021, CoWord dropout).
        batch_tokens: most tokens of a batch, source and target together, padding included.
        accumulate: batches for each update, of all devices together.
        peak_learning_rate: reached at the end of the warm-up; the preset's by default.
        warmup: updates of linear warm-up; the rate falls with the inverse square root of the updates after it.
        dropout: share of units left out; the preset's by default.
        clip: largest norm of the gradient; 0 for any.
        minutes: the training ends after so many minutes of this run, with a checkpoint to go on from.
        evaluate_every: updates between two looks at the validation text; each is a checkpoint.
        patience: the training ends when so many looks in a row find nothing better.
        longest: most tokens of a side; a longer segment is left out, and counted.
        window: most tokens of a side with its context; sentences of context that do not fit are left out, the oldest
            first. ``longest`` by default. The model keeps to it afterwards too: a small one is quickly trained well on
            windows that are not long, and harmed by longer ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    architecture: Architecture = Architecture.CONCATENATION
    preset: str = "small"
    context_size: int = Field(default=5, ge=0)
    dynamic: bool = True
    context_loss: bool = True
    word_dropout: float = Field(default=0.0, ge=0, lt=1)
    vocabulary_size: int = Field(default=16_000, ge=300)
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
    checkpoint_minutes: float = Field(default=10.0, gt=0)
    patience: int = Field(default=10, ge=1)
    longest: int = Field(default=512, ge=2, le=1024)
    window: int | None = Field(default=None, ge=2, le=1024)
    precision: Precision = "auto"
    seed: int = Field(default=0, ge=0)

    @property
    def most_with_context(self) -> int:
        """The most tokens of a side with its context."""
        return min(self.longest, self.window or self.longest)


def make_settings(given: Mapping[str, Any], file: Path | None = None) -> TrainingSettings:
    """Return settings from a file and from options, which win; a sentence-level model has no context.

    Raises: InputError (E290, E270).
    """
    read = {} if file is None else _table(file)
    try:
        settings = TrainingSettings.model_validate({**read, **given})
    except ValidationError as error:
        faults: list[Fault] = []
        for each in error.errors():
            name = ".".join(map(str, each["loc"]))
            place = f"--{name.replace('_', '-')}" if name in given else str(file)
            what = "unknown setting" if each["type"] == "extra_forbidden" else f"{each['input']!r}: {each['msg']}"
            faults.append(Fault("E290", f"{name}: {what}", f"known: {', '.join(TrainingSettings.model_fields)}", place))
        raise InputError(faults) from error
    preset(settings.preset)
    if settings.architecture is Architecture.SENTENCE:
        return settings.model_copy(update={"context_size": 0})
    return settings


def need_libraries() -> None:
    """Check that what training needs is installed, without loading it.

    Raises: MissingModelError: something is not (E291).
    """
    if missing := [name for name in _LIBRARIES if find_spec(name) is None]:
        cause = f"training a translation model needs {' and '.join(missing)}"
        raise MissingModelError(Fault("E291", cause, "pip install 'endophora[train]'"))


def _table(file: Path) -> dict[str, Any]:
    try:
        table = load_yaml(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, TreeError) as error:
        cause = f"cannot be read ({str(error).splitlines()[0]})"
        raise InputError(Fault("E290", cause, "a YAML file with a value for each setting", str(file))) from error
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise InputError(Fault("E290", "is no table", "write name: value, one a line", str(file)))
    return {str(name): value for name, value in cast("dict[Any, Any]", table).items()}
