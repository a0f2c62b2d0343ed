"""The options of ``endophora train model`` that are settings of the training: each has the setting's name.

What is not given on the command line comes from the file of ``--settings``, or else is the setting's default, which the
help names in brackets.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

SETTINGS: dict[str, tuple[type, str]] = {
    "architecture": (str, "sentence, concatenation, source-concatenation or multi-encoder. [concatenation]"),
    "preset": (str, "Size: tiny, mini, small or large. [small]"),
    "context_size": (int, "Most sentences of context. [5]"),
    "dynamic": (bool, "Draw the size of the context for each example, or give all there is. [draw]"),
    "context_loss": (bool, "Learn the target context as well. [yes]"),
    "word_dropout": (float, "Share of the current source that is made unknown (CoWord dropout). [0]"),
    "vocabulary_size": (int, "Sub-words of a vocabulary that is trained. [16000]"),
    "batch_tokens": (int, "Most tokens of a batch: both sides, with padding. [8192]"),
    "accumulate": (int, "Batches for each update, of all devices together. [1]"),
    "peak_learning_rate": (float, "Learning rate at the end of the warm-up. [the preset's]"),
    "warmup": (int, "Updates of linear warm-up; then the inverse square root. [4000]"),
    "label_smoothing": (float, "Share of the probability that goes to all tokens alike. [0.1]"),
    "dropout": (float, "Share of units left out. [the preset's]"),
    "clip": (float, "Largest norm of the gradient; 0 for any. [1]"),
    "epochs": (int, "Most passes over the text. [100]"),
    "updates": (int, "Most updates. [1000000]"),
    "minutes": (float, "Most minutes of this run; the same command then goes on."),
    "evaluate_every": (int, "Updates between two looks at the validation text. [1000]"),
    "checkpoint_minutes": (float, "Minutes between two checkpoints at most. [10]"),
    "patience": (int, "Looks without gain before it ends. [10]"),
    "longest": (int, "Most tokens of a side; longer segments are left out. [512]"),
    "window": (int, "Most tokens of a side with its context; what is older is left out. [as --longest]"),
    "precision": (str, "auto (bfloat16 on a GPU, float32 elsewhere), float32 or bfloat16. [auto]"),
    "seed": (int, "Of weights, order, context sizes and dropout. [0]"),
}
"""Name of a setting → type and help of its option."""

_METAVARS = {str: "NAME", int: "N", float: "X"}
_SWITCHES = {"dynamic": "--dynamic/--static", "context_loss": "--context-loss/--no-context-loss"}


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each setting.

    Args:
        command: takes ``given``, the settings that stand on the command line, among its keyword arguments.
    """

    def run(**values: Any) -> None:
        """Gather the settings, and run the command."""
        named = {name: values.pop(name) for name in SETTINGS}
        command(given={name: value for name, value in named.items() if value is not None}, **values)

    own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "given"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(name))
        for name in SETTINGS
    ]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *added)]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def _annotation(name: str) -> Any:
    kind, text = SETTINGS[name]
    names = _SWITCHES.get(name, f"--{name.replace('_', '-')}")
    return Annotated[kind | None, typer.Option(names, help=text, metavar=_METAVARS.get(kind), show_default=False)]
