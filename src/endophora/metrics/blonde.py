"""BlonDe, BlonD-d and BlonD+ (Jiang et al., 2022, “BlonDe: An Automatic Evaluation Metric for Document-level MT”, §4).

Words and spans that carry discourse (verb forms, pronouns, names, discourse markers) and n-grams are counted by
category and class in a translation and in its reference; each category has a recall and a precision, and the score is
the F-measure of their means over categories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from endophora.errors import Fault, InputError, refuse
from endophora.languages.schema import LanguageRules
from endophora.metrics.blonde_plus import PLUS, Annotations, read_annotations
from endophora.metrics.ngrams import Flat, NgramTable, index_items, totals
from endophora.metrics.readings import (
    ENTITY,
    MARKER,
    NAME,
    OTHER_NAME,
    PERSON,
    PRONOUN,
    TENSE,
    Columns,
    TextReader,
    as_columns,
)
from endophora.metrics.records import FloatArray, IntArray, Level, Reading, check_sizes, ratio
from endophora.signature import digest_of, format_signature, keyed
from endophora.version import __version__

ORDERS = 4
"""The highest order of n-grams; every order is a category."""

DISCOURSE = (TENSE, PRONOUN, ENTITY, MARKER)
"""The categories of BlonD-d."""
CATEGORIES = (*DISCOURSE, *(str(n) for n in range(1, ORDERS + 1)))
"""The categories of BlonDe."""

_SMOOTHINGS: dict[str, float] = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}
"""How orders without a match are smoothed → the usual constant."""
_CHOICES: dict[str, tuple[str, ...]] = {
    "variant": ("published", "paper", "script"),
    "mean": ("geometric", "arithmetic"),
    "aggregate": ("max", "sum"),
    "smoothing": tuple(_SMOOTHINGS),
}
"""Options that are one of some names."""


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
    """

    variant: Literal["published", "paper", "script"] = "published"
    lowercase: bool = False
    mean: Literal["geometric", "arithmetic"] = "geometric"
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    smoothing_value: float | None = None
    aggregate: Literal["max", "sum"] = "max"
    effective_order: bool = False
    floor: float = 1e-5  # what a category without a match counts in a geometric mean
    # Weight in the means, and what a word counts; 1, and what the rule file says, for those left out.
    category_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    class_weights: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    def __post_init__(self) -> None:
        faults = [
            Fault("E077", f"BlonDe's {name} cannot be “{value}”", f"choose {' or '.join(names)}")
            for name, names in _CHOICES.items()
            if (value := getattr(self, name)) not in names
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
        refuse(faults)

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
                chosen: dict[str, Any] = {option: name for option, names in _CHOICES.items() if name in names}
                if name in ("lowercase", "effective-order"):
                    chosen = {name.replace("-", "_"): True}
                if chosen:
                    return replace(self, **chosen)
        except ValueError:
            pass
        known = ", ".join([*chain(*_CHOICES.values()), "lowercase, effective-order, weight:NAME=1"])
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


_KINDS = (PERSON, OTHER_NAME, NAME)


class Feature(NamedTuple):
    """One class of one category; what is counted."""

    category: str
    name: str
    weight: float


class BlonDe:
    """BlonDe of one language, between 0 and 100.

    A row of statistics holds for each category its weighted matches and its counts in the reference and in the
    hypothesis. With h and r the counts of a class in a segment, min(h, r) match; with several references, r is the
    larger count of each class or n-gram (``max``, as published), or all references are scored and their counts added
    (``sum``).

    ``annotations``: spans that people marked, for BlonD+, and names for the refinement of entities.
    """

    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 100.0
    level: ClassVar[Level] = "segment"

    def __init__(
        self, rules: LanguageRules, options: BlondeOptions | None = None, annotations: Annotations | None = None
    ) -> None:
        self.options = options or BlondeOptions()
        self.language = rules.language
        self._hash = rules.hash
        self._annotations = annotations
        self._plus = PLUS if annotations is not None and annotations.marked is not None else ()
        self.name = "BlonD+" if self._plus else "BlonDe"
        reader = TextReader(rules)
        orders = [str(n) for n in range(1, ORDERS + 1)]
        classes = [
            *((TENSE, each.label, each.weight) for each in reader.tenses.classes),
            *((PRONOUN, each.label, each.weight) for each in reader.pronouns.classes),
            *((ENTITY, kind, float(kind != OTHER_NAME)) for kind in _KINDS),
            *((MARKER, sense, 1.0) for sense in reader.senses),
            *((name, name, 1.0) for name in (*orders, *self._plus)),
        ]
        weigh = self.options.weigh
        self.features = tuple(
            Feature(category, name, weigh(category, name, weight) / (ORDERS if name in orders else 1))
            for category, name, weight in classes
        )
        self.categories = CATEGORIES + self._plus
        self._index = {(each.category, each.name): place for place, each in enumerate(self.features)}
        self._shares = np.array(
            [[each.weight * (each.category == name) for name in self.categories] for each in self.features]
        )
        self._references: list[Sequence[Reading]] = []
        self._prepared: list[_Reference] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the statistics: category by category, weighted matches, counts in reference and hypothesis."""
        kinds = ("matched", "reference", "hypothesis")
        return tuple(f"{category} {kind}" for category in self.categories for kind in kinds)

    @property
    def parts(self) -> tuple[str, ...]:
        """BlonDe (BlonD+ and then BlonDe, where spans are marked), BlonD-d, and every category."""
        wholes = ("BlonD+", "BlonDe", "BlonD-d") if self._plus else ("BlonDe", "BlonD-d")
        return (*wholes, *(f"BlonDe {f'{name}-grams' if name.isdigit() else name}" for name in self.categories))

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, options, rule file and version."""
        items = (
            ("nrefs", "#", references),
            *self.options.items(),
            ("names", "n", "marked" if self._annotations is not None and self._annotations.names is not None else None),
            ("marks", "mk", None if self._annotations is None else digest_of(self._annotations)[:8]),
            ("rules", "r", f"{self.language}-{self._hash}"),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def statistics(
        self,
        hypotheses: Sequence[Reading],
        references: Sequence[Sequence[Reading]],
        documents: Sequence[int] | None = None,  # noqa: ARG002
    ) -> FloatArray:
        """Return the statistics of one system's outputs, (segments, columns)."""
        check_sizes(hypotheses, references)
        first, *others = (each.compare(hypotheses) for each in self.prepare(references))
        counts = sum(others, first) @ self._shares
        return np.moveaxis(counts, 0, 2).reshape(len(hypotheses), -1)

    def prepare(self, references: Sequence[Sequence[Reading]]) -> Sequence[_Reference]:
        """Return what is made once of the references and kept as long as the same ones are asked for."""
        if len(references) != len(self._references) or any(
            known is not new for known, new in zip(self._references, references, strict=True)
        ):
            groups = [references] if self.options.aggregate == "max" else [[each] for each in references]
            self._prepared = [_Reference(self, group) for group in groups]
            self._references = list(references)
        return self._prepared

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the F1 in per cent, (…, columns) → (…); NaN where there is nothing to count."""
        return self.figures(sums)[..., 0]

    def figures(self, sums: FloatArray) -> FloatArray:
        """Return the F1 of every part in per cent, (…, columns) → (…, parts); NaN where there is nothing to count."""
        return self._figures(sums, range(len(self.parts)))

    def _figures(self, sums: FloatArray, parts: Sequence[int]) -> FloatArray:
        recall, precision = (ratios[..., parts] for ratios in self._parts(sums))
        whole = len(self.parts) - len(self.categories)
        floors = np.where(np.array(parts) < whole, self.options.floor, 0.0)
        return 100 * f_measure(recall, precision, floors)

    def alone(self, parts: Sequence[int]) -> Callable[[FloatArray], FloatArray]:
        """Return what computes some parts of :meth:`figures`; categories by themselves take less work than means."""
        whole = len(self.parts) - len(self.categories)
        if min(parts) < whole:
            return lambda sums: self._figures(sums, parts)
        places = [part - whole for part in parts]
        return lambda sums: 100 * f_measure(*(ratios[..., places] for ratios in self.ratios(sums, places)))

    def precision_and_recall(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return precision and recall of every part in per cent, (…, columns) → two of (…, parts)."""
        recall, precision = self._parts(sums)
        return 100 * precision, 100 * recall

    def ratios(self, sums: FloatArray, only: Sequence[int] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return recall and precision of every category, (…, columns) → two of (…, categories), between 0 and 1.

        They are NaN where there is nothing to count, and for places of categories other than ``only``.
        """
        counts = sums.reshape(*sums.shape[:-1], len(self.categories), 3)
        matched, reference, hypothesis = (counts[..., kind] for kind in range(3))
        places = range(len(self.categories)) if only is None else only
        plain = [place for place in places if not self.categories[place].isdigit()]
        # Smoothing looks at all lower orders.
        orders = [place for place, name in enumerate(self.categories) if name.isdigit() and len(plain) < len(places)]
        recall, precision = np.full((2, *matched.shape), np.nan)
        for ratios, below in ((recall, reference), (precision, hypothesis)):
            ratios[..., plain] = ratio(matched[..., plain], below[..., plain])
            if orders:
                ratios[..., orders] = ngram_ratios(matched[..., orders], below[..., orders], self.options)
        return recall, precision

    def _parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the recalls and the precisions of the parts: means over categories, then the categories."""
        recall, precision = (self._with_means(ratios) for ratios in self.ratios(sums))
        return recall, precision

    def _with_means(self, ratios: FloatArray) -> FloatArray:
        weights = np.array([self.options.category_weights.get(name, 1.0) for name in self.categories])
        discourse, ordinary = ([name in names for name in self.categories] for names in (DISCOURSE, CATEGORIES))
        own = average(ratios[..., discourse], weights[discourse], self.options)
        if self.options.variant == "script":
            # The published evaluation script counts BlonD-d as one more category.
            more = np.concatenate((ratios[..., ordinary], own[..., np.newaxis]), axis=-1)
            blonde = average(more, np.append(weights[ordinary], 1.0), self.options)
        else:
            blonde = average(ratios[..., ordinary], weights[ordinary], self.options)
        plus = [average(ratios, weights, self.options)] if self._plus else []
        return np.concatenate((np.stack([*plus, blonde, own], axis=-1), ratios), axis=-1)

    def class_counts(self, columns: Columns) -> FloatArray:
        """Return how often each class of verb form, pronoun and marker is in each text, (texts, classes)."""
        shape = len(columns.tokens.lengths), len(self.features)
        places = np.array([self._index.get(label, -1) for label in columns.labels], np.int64)[columns.classes]
        known = places >= 0
        counts = np.bincount((columns.class_rows * shape[1] + places)[known], minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float64)

    def place(self, category: str, name: str) -> int:
        """Return the index of a class among ``features``."""
        return self._index[category, name]

    def words(self, columns: Columns) -> Flat:
        """Return the words of texts that n-grams are made of."""
        words = columns.tokens
        if not self.options.lowercase:
            return words
        return Flat([word.lower() for word in words.vocabulary], words.items, words.lengths)

    @property
    def span_places(self) -> list[int]:
        """Places of the kinds of names and of marked spans among ``features``, in the order of :meth:`spans`."""
        return [self._index[ENTITY, kind] for kind in _KINDS] + [self._index[name, name] for name in self._plus]

    def spans(self, readings: Sequence[Reading], columns: Columns, *, reference: bool) -> Flat:
        """Return names and marked spans: for each kind one text after the other, as if all were texts of one corpus."""
        given = self._annotations
        if given is not None and given.names is not None:
            find = given.reference_names if reference else given.hypothesis_names
            texts = [text for kind in _KINDS for text in find(kind, readings)]
            return self._with_marked(readings, list(chain.from_iterable(texts)), list(map(len, texts)))
        names: list[str] = []
        lengths: list[int] = []
        for kind in _KINDS:
            chosen = np.array([found == kind for found, _ in columns.names], np.bool_)
            names += [name.lower() if self.options.lowercase else name for _, name in compress(columns.names, chosen)]
            lengths += np.bincount(columns.name_rows[chosen], minlength=len(readings)).tolist()
        return self._with_marked(readings, names, lengths)

    def _with_marked(self, readings: Sequence[Reading], names: list[str], lengths: list[int]) -> Flat:
        given = self._annotations
        texts = [text for name in self._plus for text in given.spans(name, readings)] if given is not None else []
        return index_items([*names, *chain.from_iterable(texts)], np.array([*lengths, *map(len, texts)], np.int64))


class _Reference:
    """What is made once of the references that are compared together: the larger count of each class is taken."""

    def __init__(self, metric: BlonDe, references: Sequence[Sequence[Reading]]) -> None:
        self._metric = metric
        columns = [as_columns(each) for each in references]
        self._words = NgramTable([metric.words(each) for each in columns], ORDERS)
        self._spans = NgramTable(
            [metric.spans(*each, reference=True) for each in zip(references, columns, strict=True)], 1
        )
        self._counts = np.max([metric.class_counts(each) for each in columns], axis=0)
        self._put(self._counts, self._words.counts(), self._spans.counts())

    def compare(self, hypotheses: Sequence[Reading]) -> FloatArray:
        """Return matches, reference counts and hypothesis counts, (3, segments, classes)."""
        metric = self._metric
        columns = as_columns(hypotheses)
        words, spans = metric.words(columns), metric.spans(hypotheses, columns, reference=False)
        found = metric.class_counts(columns)
        matched = np.minimum(found, self._counts)
        self._put(found, totals(words.lengths, ORDERS), spans.lengths)
        self._put(matched, self._words.matches(words), self._spans.matches(spans))
        return np.stack((matched, self._counts, found))

    def _put(self, counts: FloatArray, words: FloatArray, spans: FloatArray | IntArray) -> None:
        """Write counts of n-grams and of spans into their classes' columns of (segments, classes)."""
        first = self._metric.place("1", "1")
        counts[:, first : first + ORDERS] = words
        counts[:, self._metric.span_places] = spans.reshape(-1, len(counts)).T


def make_blonde(rules: LanguageRules, argument: str = "") -> BlonDe:
    """Return the metric of a language; the argument names options (``paper``, ``lowercase,arithmetic``)."""
    return BlonDe(rules, BlondeOptions.parse(argument))


def make_blonde_plus(rules: LanguageRules, argument: str) -> BlonDe:
    """Return BlonD+ of a language."""
    words = [word.strip() for word in argument.split(",")]
    files = {key: Path(value) for key, _, value in (word.partition("=") for word in words) if key in ("spans", "names")}
    if not files:
        advice = "name its files: blonde+:spans=an.txt,names=ner.txt"
        raise InputError(Fault("E077", "BlonD+ needs spans or names that people marked", advice))
    options = BlondeOptions.parse(",".join(word for word in words if word.partition("=")[0] not in files))
    return BlonDe(rules, options, read_annotations(files.get("spans"), files.get("names")))


def ngram_ratios(matched: FloatArray, total: FloatArray, options: BlondeOptions) -> FloatArray:
    """Return the smoothed ratios of the n-gram orders, (…, 4) twice (Chen and Cherry, 2014, methods 1 to 3).

    From the first order on that no text is long enough for, the ratio is 0; NaN if orders are effective.
    """
    if options.smoothing == "add-k":
        added = options.constant * np.array([0.0] + [1.0] * (ORDERS - 1))
        matched, total = matched + added, total + added
    reached = np.cumsum(total <= 0, axis=-1) == 0
    ratios = ratio(matched, total, otherwise=0.0)
    unmatched = (matched == 0) & reached
    if options.smoothing == "exp":
        smoothed = ratio(np.exp2(-np.cumsum(unmatched, axis=-1, dtype=np.float64)), total, otherwise=0.0)
        ratios = np.where(unmatched, smoothed, ratios)
    elif options.smoothing == "floor":
        ratios = np.where(unmatched, ratio(np.full(total.shape, options.constant), total, otherwise=0.0), ratios)
    nothing = np.nan if options.effective_order else 0.0
    ratios = np.where(reached, ratios, nothing)
    # A corpus without any word has no n-gram to find.
    return np.where(total[..., :1] > 0, ratios, np.nan)


def average(ratios: FloatArray, weights: FloatArray, options: BlondeOptions) -> FloatArray:
    """Return the weighted mean over categories, (…, categories) → (…), NaN left out; NaN where nothing is left."""
    defined = ~np.isnan(ratios)
    values = np.where(defined, ratios, 0.0)
    if options.mean == "geometric":
        values = np.log(np.maximum(values, options.floor))
    share = np.where(defined, weights, 0.0)
    mean = ratio((values * share).sum(axis=-1), share.sum(axis=-1))
    return np.exp(mean) if options.mean == "geometric" else mean


def f_measure(recall: FloatArray, precision: FloatArray, floor: float | FloatArray = 0.0) -> FloatArray:
    """Return 2RP / (R + P), elementwise.

    Where only one is defined (one side has nothing of the category), the other counts as ``floor``; where both are 0,
    so is the result; NaN where neither is defined.
    """
    r = np.where(np.isnan(recall) & ~np.isnan(precision), floor, recall)
    p = np.where(np.isnan(precision) & ~np.isnan(recall), floor, precision)
    return np.where(np.isnan(r), np.nan, ratio(2 * r * p, r + p, otherwise=0.0))
