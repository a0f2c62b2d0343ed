"""What can be chosen of BlonDe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from endophora.errors import Fault, InputError
from endophora.metrics.readings import ENTITY, MARKER, PRONOUN, TENSE
from endophora.signature import keyed

ORDERS = 4
"""The highest order of n-grams; every order is a category."""

DISCOURSE = (TENSE, PRONOUN, ENTITY, MARKER)
"""The categories of BlonD-d."""
CATEGORIES = (*DISCOURSE, *(str(n) for n in range(1, ORDERS + 1)))
"""The categories of BlonDe."""
PLUS = ("ambiguity", "ellipsis")
"""The categories that BlonD+ adds: spans that people marked (§4.3)."""

_VARIANTS = ("published", "paper", "script")
_MEANS = ("geometric", "arithmetic")
_SMOOTHINGS: dict[str, float] = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}
_AGGREGATES = ("max", "sum")


@keyed()
@dataclass(frozen=True, slots=True)
class BlondeOptions:
    """Variant, weights, smoothing and means; the defaults are those that gave the paper's figures.

    Attributes:
        variant: ``published`` weighs the classes as the published code does (of pronouns masculine and feminine, of
            names persons); ``paper`` weighs all alike, as the text has it; ``script`` is ``published`` with BlonD-d
            as one more category, as the published evaluation script reports it (sBlonDe).
        smoothing: of n-gram orders without a match: ``exp`` (1/2ᵏ of one, k the number of such orders so far),
            ``floor`` (a constant), ``add-k`` (added above and below from bigrams on) or ``none``.
        smoothing_value: the constant of ``floor`` (.1) and ``add-k`` (1); ``None`` is the default of each.
        effective_order: leave out orders for which a text is too short, instead of counting them as nothing found;
            for scores of single segments.
        category_weights: category → its weight in the means; 1 for those left out.
        class_weights: (category, class) → what a word of the class counts; the rule file's for those left out.
    """

    variant: Literal["published", "paper", "script"] = "published"
    lowercase: bool = False
    mean: Literal["geometric", "arithmetic"] = "geometric"
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    smoothing_value: float | None = None
    aggregate: Literal["max", "sum"] = "max"
    effective_order: bool = False
    floor: float = 1e-5  # what a category without a match counts in a geometric mean
    category_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    class_weights: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    def __post_init__(self) -> None:
        known = (
            ("variant", self.variant, _VARIANTS),
            ("mean", self.mean, _MEANS),
            ("smoothing", self.smoothing, tuple(_SMOOTHINGS)),
            ("aggregate", self.aggregate, _AGGREGATES),
        )
        faults = [
            Fault("E077", f"BlonDe's {name} cannot be “{value}”", f"choose {' or '.join(names)}")
            for name, value, names in known
            if value not in names
        ]
        weights = {**self.category_weights, **{" ".join(key): value for key, value in self.class_weights.items()}}
        faults += [
            Fault("E077", f"BlonDe's weight of “{name}” is {value:g}", "give 0 or more")
            for name, value in weights.items()
            if not value >= 0
        ]
        faults += [
            Fault("E077", f"BlonDe has no category “{name}”", f"categories: {', '.join((*CATEGORIES, *PLUS))}")
            for name in self.category_weights
            if name not in (*CATEGORIES, *PLUS)
        ]
        if not 0 < self.floor < 1:
            faults.append(Fault("E077", f"BlonDe's floor is {self.floor:g}", "give a small number above 0, as 1e-5"))
        if self.smoothing_value is not None and not self.smoothing_value >= 0:
            faults.append(Fault("E077", f"BlonDe's smoothing value is {self.smoothing_value:g}", "give 0 or more"))
        if faults:
            raise InputError(faults)

    @classmethod
    def parse(cls, text: str) -> BlondeOptions:
        """Return the options that a comma-separated list names: ``paper,lowercase,arithmetic``.

        Values of smoothing, floor and weights are written ``floor=.1``, ``add-k=1``, ``weight:entity=2``.
        """
        options = cls()
        for word in filter(None, (part.strip() for part in text.split(","))):
            options = options._with(word)
        return options

    def _with(self, word: str) -> BlondeOptions:
        name, _, value = word.partition("=")
        try:
            number = float(value) if value else None
            if name.startswith("weight:") and number is not None:
                return replace(self, category_weights={**self.category_weights, name.removeprefix("weight:"): number})
            if name in _SMOOTHINGS:
                return replace(self, smoothing=name, smoothing_value=number)
            if number is None:
                for attribute, names in (("variant", _VARIANTS), ("mean", _MEANS), ("aggregate", _AGGREGATES)):
                    if name in names:
                        return replace(self, **{attribute: name})
                if name in ("lowercase", "effective-order"):
                    return replace(self, **{name.replace("-", "_"): True})
        except ValueError:
            pass
        known = ", ".join(
            (*_VARIANTS, *_MEANS, *_AGGREGATES, *_SMOOTHINGS, "lowercase, effective-order, weight:NAME=1")
        )
        raise InputError(Fault("E077", f"BlonDe has no option “{word}”", f"known: {known}"))

    def weigh(self, category: str, name: str, weight: float) -> float:
        """Return what a word of a class counts, given the rule file's weight."""
        given = self.class_weights.get((category, name))
        if given is not None:
            return given
        return 1.0 if self.variant == "paper" else weight

    @property
    def constant(self) -> float:
        """The constant of the smoothing."""
        return _SMOOTHINGS[self.smoothing] if self.smoothing_value is None else self.smoothing_value

    def items(self) -> Iterator[tuple[str, str, object]]:
        """Yield what a signature says of the options: (key, short key, value)."""
        default = BlondeOptions()
        yield "variant", "va", self.variant
        yield "case", "c", "lc" if self.lowercase else "mixed"
        yield "mean", "m", self.mean
        constant = f"[{self.constant:g}]" if self.smoothing in ("floor", "add-k") else ""
        yield "smooth", "s", self.smoothing + constant
        yield "refs", "ag", self.aggregate
        yield "eff", "e", self.effective_order
        yield "floor", "f", None if self.floor == default.floor else f"{self.floor:g}"
        weights = {**self.category_weights, **{".".join(key): value for key, value in self.class_weights.items()}}
        listed = ",".join(f"{name}={value:g}" for name, value in sorted(weights.items()))
        yield "weights", "w", listed or None
