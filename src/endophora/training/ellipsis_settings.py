"""How a classifier of ellipsis is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.signature import unkeyed
from endophora.training.ellipsis_encoder import SCRATCH

TUNED = "tuned"
"""The threshold that is taken from the validation text."""

_RATE = 2e-5
_SCRATCH_RATE = 5e-4

PRECISIONS = ("auto", "float32", "bfloat16")
"""What activations can be kept in."""


def _read_threshold(text: str) -> float | None:
    """Return a threshold, ``None`` for ``tuned``.

    Raises:
        InputError: it is neither (E256).
    """
    try:
        return None if text == TUNED else float(text)
    except ValueError as error:
        cause = f"“{text}” is no threshold"
        raise InputError(Fault("E256", cause, f"give a probability, or {TUNED}", "--threshold")) from error


@unkeyed("a training that is not taken up again; its card has them")
@dataclass(frozen=True, slots=True, kw_only=True)
class EllipsisSettings:
    """Settings of a training; the weight is the paper's (appendix C.4), which does not tell the others.

    Attributes:
        encoder: a Hugging Face encoder by name or folder; ``scratch`` is a small new one.
        weight: of the loss of elliptical sentences; that of the others is 1.
        threshold: probability from which a sentence is taken for elliptical; ``None`` takes the one with the best F1 on
            the validation text.
        patience: epochs without a better average precision on the validation text after which training stops.
        rate: highest learning rate; ``None`` is 2e-5, and 5e-4 from scratch.
        warmup: share of the steps in which the rate goes up.
        validation, test: shares of the sentences that are held out, by document.
        threads: of the CPU; another number may round otherwise.
        precision: ``float32``, ``bfloat16`` (weights and optimiser stay in single precision), or ``auto``: bfloat16 on
            a GPU.
    """

    encoder: str = option(
        "bert-base-cased", metavar="NAME", help="Hugging Face encoder, by name or directory; or scratch."
    )
    weight: float = option(100.0, help="Of the loss of elliptical sentences.")
    threshold: float | None = option(
        0.5,
        metavar="P",
        help="Probability from which a sentence is elliptical; or tuned.",
        read=_read_threshold,
        write=str,
    )
    epochs: int = option(10, help="The most to run.")
    patience: int = option(3, help="Epochs without gain before it stops.")
    batch: int = option(32, help="Sentences in a step.")
    rate: float | None = option(None, help="Learning rate. [default: 2e-5; 5e-4 from scratch]")
    warmup: float = 0.1
    longest: int = option(256, help="Tokens after which a sentence is cut.")
    validation: float = option(0.1, help="Share of the text, by document.")
    test: float = option(0.1, help="Share of the text that is held out, by document.")
    seed: int = option(0, least=0, help="Of the initial weights and of the order of the text.")
    threads: int = option(1, help="Of the CPU.")
    precision: str = option("auto", metavar="NAME", help="float32, bfloat16, or auto: bfloat16 on a GPU.")
    language: str = option("en", metavar="CODE", help="Of the sentences.")

    @property
    def learning_rate(self) -> float:
        """The highest learning rate."""
        return self.rate if self.rate is not None else _SCRATCH_RATE if self.encoder == SCRATCH else _RATE

    def check(self) -> None:
        """Check the ranges.

        Raises: InputError: settings are out of range (E256, all at once).
        """
        faults: list[Fault] = []

        def ask(name: str, value: float, right: bool, advice: str) -> None:
            """Note a setting that is out of range."""
            if not right:
                faults.append(Fault("E256", f"{name} is {value:g}", advice))

        ask("the weight", self.weight, 0 < self.weight < float("inf"), "give a positive number")
        ask("the learning rate", self.learning_rate, 0 < self.learning_rate < 1, "give a number between 0 and 1")
        if self.threshold is not None:
            ask("the threshold", self.threshold, 0 <= self.threshold <= 1, "give a probability, 0 to 1")
        for name in ("epochs", "patience", "batch", "threads"):
            ask(f"the number “{name}”", getattr(self, name), getattr(self, name) >= 1, "give 1 or more")
        ask("the longest input", self.longest, self.longest >= 8, "give 8 tokens or more")
        ask("the share of warm-up", self.warmup, 0 <= self.warmup <= 1, "give a share, 0 to 1")
        shares = self.validation > 0 and self.test > 0 and self.validation + self.test < 1
        advice = "leave some for training, and some for validation and test each"
        ask("what is held out", self.validation + self.test, shares, advice)
        if self.precision not in PRECISIONS:
            faults.append(Fault("E256", f"the precision is “{self.precision}”", f"one of {', '.join(PRECISIONS)}"))
        if faults:
            raise InputError(faults)

    def half(self, device: str) -> bool:
        """Tell whether activations are in bfloat16 on a kind of device, ``cpu`` or ``cuda``."""
        return self.precision == "bfloat16" or (self.precision == "auto" and device == "cuda")

    def values(self) -> dict[str, str | int | float]:
        """Return all settings by name, with the learning rate that is used."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return {**given, "rate": self.learning_rate, "threshold": given.get("threshold", "tuned")}
