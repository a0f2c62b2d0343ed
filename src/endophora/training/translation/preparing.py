"""Makes training text: documents of any kind, dealt to three parts, and sentence pairs as documents of one sentence."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from endophora.errors import Fault, refuse
from endophora.files import Output
from endophora.options import named, option
from endophora.training.parallel import TextPair, letters_and_digits
from endophora.training.translation.card import FILE, SourceList, described

_END = re.compile(r"""(?<=[.!?…。！？])(["”’»“)\]]*)\s+(?=["“‘«„»(\[]*[^\W\d_a-zß-öø-ÿа-я])""")
"""Between a sentence's last sign and a capital letter, or one of a script without capitals."""

_MOST = 1.1
"""Difference of the logarithms of two lengths (each with ten more characters) above which sentences are no pair."""


def sentence_pairs(pair: TextPair) -> Iterator[TextPair]:
    """Yield a paragraph's sentences in pairs; the paragraph whole where its sides have not as many sentences.

    Abbreviations end no sentence, but look so: numbers or lengths then differ, and the paragraph stays whole.
    """
    sides = [_END.sub(r"\1\n", text).split("\n") for text in (pair.source, pair.target)]
    alike = len(sides[0]) == len(sides[1]) and all(
        abs(math.log((len(source) + 10) / (len(target) + 10))) < _MOST for source, target in zip(*sides, strict=True)
    )
    if not alike:
        yield pair
        return
    for source, target in zip(*sides, strict=True):
        yield TextPair(pair.collection, source, target)


PARTS = ("train", "validation", "test")
"""The parts, each a file ``NAME.tsv``."""


def _read_licences(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple(named(values, "--licence").items())


@dataclass(frozen=True, slots=True)
class TextPlan:
    """How text is shared out and what is left out.

    The parts have shares of the documents, in hundredths, by the hash of their ids: more documents move none of the
    others. A paragraph of at least ``telling`` letters and digits is not learned if it is in the held-out text as well;
    shorter ones (headings, single words) stand everywhere. Paragraphs are divided where both sides divide alike.
    """

    validation: float = option(0.02, least=0, most=0.5, help="Share of the documents.")
    test: float = option(0.04, least=0, most=0.5, help="Share of the documents.")
    longest: int = option(800, least=1, help="Most characters of a segment.")
    telling: int = 20
    licences: tuple[tuple[str, str], ...] = option(
        (),
        "--licence",
        metavar="NAME=LICENCE",
        help="Of the collections whose name begins so. Repeatable.",
        read=_read_licences,
    )
    sentences: bool = option(
        True, "--paragraphs", help="Leave paragraphs of documents whole instead of dividing them.", inverted=True
    )


@dataclass(frozen=True, slots=True)
class PreparedText:
    """What has been made."""

    documents: dict[str, int]
    segments: dict[str, int]
    sources: SourceList


PairDocument = tuple[str, Sequence[TextPair]]
"""A document: its id and its pairs in order."""


def prepare_text(
    pages: Iterable[PairDocument], pairs: Iterable[TextPair], folder: Path, plan: TextPlan, away: Iterable[str] = ()
) -> PreparedText:
    """Write ``train.tsv``, ``validation.tsv``, ``test.tsv`` (document, source, target) and ``sources.json``.

    Raises: InputError (E299, E355, E356), EngineError (E154, E155).
    """
    place = text_output(folder)
    notes: Counter[str] = Counter()
    parts: dict[str, list[PairDocument]] = {name: [] for name in PARTS}
    for name, paragraphs in pages:
        rows = chain.from_iterable(map(sentence_pairs, paragraphs)) if plan.sentences else paragraphs
        if kept := list(_sound(rows, plan, notes)):
            parts[_part(name, plan)].append((name, kept))
    held_out = [pair for part in PARTS[1:] for _, rows in parts[part] for pair in rows]
    barred = {letters_and_digits(text) for pair in held_out for text in (pair.source, pair.target)}
    barred = {key for key in barred if len(key) >= plan.telling} | {letters_and_digits(text) for text in away}
    barred.discard("")
    learned = [(name, list(_learnable(rows, barred, notes))) for name, rows in parts["train"]]
    singles: dict[tuple[str, str], TextPair] = {}
    for pair in _learnable(_sound(pairs, plan, notes), barred, notes):
        if singles.setdefault((pair.source, pair.target), pair) is not pair:
            notes["sentence pairs that are there twice"] += 1
    learned += [(f"{pair.collection}-{number}", [pair]) for number, pair in enumerate(singles.values(), 1)]
    parts["train"] = [(name, rows) for name, rows in learned if rows]
    wanted = {"train": 1.0, "validation": plan.validation, "test": plan.test}
    refuse(
        Fault("E299", f"{part}.tsv would be empty", "more documents, or larger shares", str(folder))
        for part, share in wanted.items()
        if share and not parts[part]
    )
    counts = Counter(pair.collection for documents in parts.values() for _, rows in documents for pair in rows)
    sources = SourceList(
        sources=tuple(described(name, count, dict(plan.licences)) for name, count in counts.items()), notes=dict(notes)
    )
    with place.writing() as new:
        for part, documents in parts.items():
            lines = ["document\tsource\ttarget"]
            lines += ["\t".join((name, pair.source, pair.target)) for name, rows in documents for pair in rows]
            (new / f"{part}.tsv").write_bytes(("\n".join(lines) + "\n").encode())
        (new / FILE).write_bytes((sources.model_dump_json(indent=1) + "\n").encode())
    return PreparedText(
        {part: len(documents) for part, documents in parts.items()},
        {part: sum(len(rows) for _, rows in documents) for part, documents in parts.items()},
        sources,
    )


def text_output(folder: Path) -> Output:
    """Return the output of :func:`prepare_text`, checked before the work (E355, E356)."""
    return Output(folder, [*(f"{part}.tsv" for part in PARTS), FILE])


def _sound(pairs: Iterable[TextPair], plan: TextPlan, notes: Counter[str]) -> Iterator[TextPair]:
    """Yield pairs without tabs and line ends; leave out those that are empty, too long, or not translated."""
    for pair in pairs:
        source, target = (" ".join(text.split()) for text in (pair.source, pair.target))
        if not source or not target:
            notes["segments empty on a side"] += 1
        elif max(len(source), len(target)) > plan.longest:
            notes[f"segments of more than {plan.longest} characters"] += 1
        elif len(key := letters_and_digits(source)) >= plan.telling and key == letters_and_digits(target):
            notes["segments that are not translated"] += 1
        else:
            yield TextPair(pair.collection, source, target)


def _learnable(pairs: Iterable[TextPair], barred: set[str], notes: Counter[str]) -> Iterator[TextPair]:
    for pair in pairs:
        if letters_and_digits(pair.source) in barred or letters_and_digits(pair.target) in barred:
            notes["training segments that are also in held-out text"] += 1
        else:
            yield pair


def _part(name: str, plan: TextPlan) -> str:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    drawn = int.from_bytes(digest, "big") % 100 / 100
    return "validation" if drawn < plan.validation else "test" if drawn < plan.validation + plan.test else "train"
