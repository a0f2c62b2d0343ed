"""The settings of a training, from options and from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import Field, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError, first_line
from endophora.models.layout import Architecture, preset
from endophora.options import Option, option
from endophora.record import Fixed
from endophora.signature import keyed

Precision = Literal["auto", "float32", "bfloat16"]

LIMITS = frozenset({"epochs", "updates", "minutes", "patience", "checkpoint_minutes"})
"""Settings that say when a training ends or is kept: a training that is taken up again may have others."""


@keyed(irrelevant=dict.fromkeys(LIMITS, "when a training ends or is kept, not what its weights are"))
class TrainingSettings(Fixed):
    """Settings of a training; all of them, with the data, determine the weights.

    The defaults are those of Mohammed and Niculae (2024), section 3.2, which are those of Fernandes et al. (2021).

    Attributes:
        dynamic: the number of sentences of context is drawn for each example, from 0 to ``context_size``; otherwise it
            is as many as there are.
        context_loss: of concatenating models; the paper's are trained on all that they translate.
        gates: of Zhang et al. (2018); each layer of encoder and decoder attends to the context by itself.
        freeze: the second step of Zhang et al. (2018): the sentence-level model stays as it was trained in the first.
        word_dropout: these tokens are made unknown, so that the context has to tell (Fernandes et al. 2021).
        minutes: the training ends with a checkpoint to go on from.
        evaluate_every: each look is a checkpoint.
        window: sentences of context that do not fit are left out, the oldest first. The model keeps to it afterwards
            too: a small one is quickly trained well on windows that are not long, and harmed by longer ones.
    """

    architecture: Annotated[Architecture, Option(help=f"How context is taken: {', '.join(Architecture)}.")] = (
        Architecture.CONCATENATION
    )
    preset: Annotated[str, Option(help="Size: tiny, mini, small or large.")] = "small"
    context_size: Annotated[int, Option(help="Most sentences of context."), Field(ge=0)] = 5
    dynamic: Annotated[
        bool,
        Option(
            help="Draw the size of the context for each example, or give all there is.",
            flags=("--dynamic/--static",),
            show_default="draw",
        ),
    ] = True
    context_loss: Annotated[
        bool,
        Option(
            help="Learn the target context as well.", flags=("--context-loss/--no-context-loss",), show_default="yes"
        ),
    ] = True
    gates: Annotated[
        bool,
        Option(
            help="Of a multi-encoder: each layer attends to the context, and a gate mixes it in.",
            flags=("--gates/--no-gates",),
            show_default="no",
        ),
    ] = False
    freeze: Annotated[
        bool,
        Option(
            help="Of a multi-encoder that begins with --start, only what reads context learns.",
            flags=("--freeze/--no-freeze",),
            show_default="no",
        ),
    ] = False
    word_dropout: Annotated[
        float, Option(help="Share of the current source that is made unknown (CoWord dropout)."), Field(ge=0, lt=1)
    ] = 0.0
    vocabulary_size: Annotated[int, Option(help="Sub-words of a vocabulary that is trained."), Field(ge=300)] = 16_000
    batch_tokens: Annotated[int, Option(help="Most tokens of a batch: both sides, with padding."), Field(ge=1)] = 8_192
    accumulate: Annotated[int, Option(help="Batches for each update, of all devices together."), Field(ge=1)] = 1
    peak_learning_rate: Annotated[
        float | None, Option(help="Learning rate at the end of the warm-up.", show_default="the preset's"), Field(gt=0)
    ] = None
    warmup: Annotated[int, Option(help="Updates of linear warm-up; then the inverse square root."), Field(ge=1)] = 4_000
    label_smoothing: Annotated[
        float, Option(help="Share of the probability that goes to all tokens alike."), Field(ge=0, lt=1)
    ] = 0.1
    dropout: Annotated[
        float | None, Option(help="Share of units left out.", show_default="the preset's"), Field(ge=0, lt=1)
    ] = None
    clip: Annotated[float, Option(help="Largest norm of the gradient; 0 for any."), Field(ge=0)] = 1.0
    epochs: Annotated[int, Option(help="Most passes over the text."), Field(ge=1)] = 100
    updates: Annotated[int, Option(help="Most updates."), Field(ge=1)] = 1_000_000
    minutes: Annotated[
        float | None, Option(help="Most minutes of this run; the same command then goes on."), Field(gt=0)
    ] = None
    evaluate_every: Annotated[int, Option(help="Updates between two looks at the validation text."), Field(ge=1)] = (
        1_000
    )
    checkpoint_minutes: Annotated[float, Option(help="Minutes between two checkpoints at most."), Field(gt=0)] = 10.0
    patience: Annotated[int, Option(help="Looks without gain before it ends."), Field(ge=1)] = 10
    longest: Annotated[
        int, Option(help="Most tokens of a side; longer segments are left out."), Field(ge=2, le=1024)
    ] = 512
    window: Annotated[
        int | None,
        Option(help="Most tokens of a side with its context; what is older is left out.", show_default="as --longest"),
        Field(ge=2, le=1024),
    ] = None
    precision: Annotated[
        Precision, Option(help="auto (bfloat16 on a GPU, float32 elsewhere), float32 or bfloat16.")
    ] = "auto"
    seed: Annotated[int, Option(help="Of weights, order, context sizes and dropout."), Field(ge=0)] = 0

    @property
    def most_with_context(self) -> int:
        """The most tokens of a side with its context."""
        return min(self.longest, self.window or self.longest)


@keyed(
    irrelevant={
        "device": "where it is trained; figures agree except for rounding",
        "threads": "how fast it is trained; figures agree except for rounding",
        "fresh": "whether it goes on, not what it makes",
    }
)
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStart:
    """What a training begins with, and where it runs."""

    vocabulary: Path | None = option(None, metavar="FILE", help="SentencePiece model, instead of a new one.")
    new_vocabulary: bool = option(False, help="Train one in spite of --start; embeddings are carried over.")
    start: Path | None = option(None, metavar="DIR", help="Trained model to begin with; with its vocabulary.")
    device: str = option("auto", metavar="NAME", help="auto, cpu or cuda.")
    threads: int = option(0, least=0, help="Of the CPU; 0 takes all cores.")
    fresh: bool = option(False, help="Begin again instead of going on.")


def make_settings(given: Mapping[str, Any], file: Path | None = None) -> TrainingSettings:
    """Return settings from a file and from options, which win; a sentence-level model has no context (E290, E270)."""
    read: dict[str, Any] = {}
    if file is not None:
        try:
            table = load_yaml(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, TreeError) as error:
            cause = f"cannot be read ({first_line(error)})"
            raise InputError(Fault("E290", cause, "a YAML file with a value for each setting", str(file))) from error
        if not isinstance(table, dict | None):
            raise InputError(Fault("E290", "is no table", "write name: value, one a line", str(file)))
        read = {str(name): value for name, value in cast("dict[Any, Any]", table or {}).items()}
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
    for name in ("freeze", "gates"):
        if getattr(settings, name) and settings.architecture is not Architecture.MULTI_ENCODER:
            cause = f"{name}: a {settings.architecture} model has no context encoders"
            raise InputError(Fault("E290", cause, f"--architecture multi-encoder, or no --{name}", f"--{name}"))
    if settings.architecture is Architecture.SENTENCE:
        return settings.model_copy(update={"context_size": 0})
    return settings
