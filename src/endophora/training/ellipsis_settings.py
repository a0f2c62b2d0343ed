"""How a classifier of ellipsis is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from endophora.errors import Fault, InputError
from endophora.signature import unkeyed
from endophora.training.ellipsis_encoder import SCRATCH

_RATE = 2e-5
_SCRATCH_RATE = 5e-4

PRECISIONS = ("auto", "float32", "bfloat16")
"""What activations can be kept in."""


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

    encoder: str = "bert-base-cased"
    weight: float = 100.0
    threshold: float | None = 0.5
    epochs: int = 10
    patience: int = 3
    batch: int = 32
    rate: float | None = None
    warmup: float = 0.1
    longest: int = 256
    validation: float = 0.1
    test: float = 0.1
    seed: int = 0
    threads: int = 1
    precision: str = "auto"
    language: str = "en"

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
