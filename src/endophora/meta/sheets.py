"""What people judge: outputs ranked relative to each other, blinded, with checks (BlonDe, Appendix D).

The protocol is that of Läubli et al. (2018, 2020). A rater gets isolated sentences of one half of the documents, and
blocks of the other half's in their order, never a text twice except for the repeated items. In a spoiled item one
output is made nonsense. The key, which raters do not get, knows which output is whose.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast

from pydantic import ValidationError

from endophora.corpus.records import Corpus, Segment
from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError, first_line
from endophora.options import option
from endophora.record import Record, WrittenRecord
from endophora.signature import unkeyed

LETTERS = "ABCDEFGHIJ"
CRITERIA = ("adequacy", "fluency")
ItemLevel = Literal["seg", "doc"]
LEVELS: tuple[ItemLevel, ...] = ("doc", "seg")
_KEPT = 0.1
"""Share of a sentence's words at either end that are not shuffled in a spoiled item."""
_LEAST = 4


@unkeyed("sheets are made once, and their key is kept with them")
@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOptions:
    """What raters get."""

    criterion: tuple[str, ...] = option(
        CRITERIA, metavar="NAME", help="adequacy (beside the source) or fluency. Repeatable. [default: both]"
    )
    level: tuple[str, ...] = option(LEVELS, metavar="NAME", help="seg or doc. Repeatable. [default: both]")
    options: int = option(5, least=2, most=len(LETTERS), help="Outputs in an item; of more systems so many are drawn.")
    items: int = option(180, least=1, help="Items of a level that a rater gets, spoiled ones among them.")
    block: int = option(5, least=1, help="Segments of a document that are judged at a time.")
    raters: int = option(2, least=1, help="Raters who judge the same items.")
    spoiled: float = option(0.1, least=0, most=0.5, help="Share of items with a spoiled output.")
    repeated: float = option(0.05, least=0, most=0.5, help="Share of items that come a second time.")
    errors: bool = option(False, help="Ask for the errors of each output too (BlonDe, Table 2).")
    references: bool = option(False, "--with-references", help="References are judged among the systems.")
    seed: int = option(1, least=0, help="Of all that is drawn.")


class Item(Record):
    """What is judged at a time; ``order`` has the systems as they are shown, ``document`` and segments the corpus's."""

    id: str
    rater: str
    criterion: str
    level: ItemLevel
    document: str
    start: int
    stop: int
    order: tuple[str, ...]
    spoiled: str = ""
    repeats: str = ""


class Key(WrittenRecord):
    """Which output is whose: never for raters."""

    source_language: str
    target_language: str
    systems: tuple[str, ...]
    documents: dict[str, int]
    block: int
    errors: bool
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An item as raters see it: texts of the source and of each output; items of a document have its number."""

    id: str
    criterion: str
    level: ItemLevel
    document: int
    start: int
    source: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]


def read_key(path: Path) -> Key:
    """Read the key of sheets (E350)."""
    try:
        return Key.read(path)
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        cause = f"is no key of sheets ({first_line(error)})"
        raise InputError(
            Fault("E350", cause, "name the key.json that endophora human sheets wrote", str(path))
        ) from error


@cache
def error_scheme() -> dict[str, str]:
    """Return the errors that outputs can have: path → what raters see."""
    text = files("endophora.meta").joinpath("data", "errors.yaml").read_text("utf-8")
    return cast("dict[str, str]", load_yaml(text))


def make_sheets(corpus: Corpus, options: SheetOptions | None = None) -> tuple[Key, dict[str, list[Shown]]]:
    """Return the key, and what each rater sees, in the order in which it is to be judged (E351)."""
    chosen = options or SheetOptions()
    systems = (*corpus.systems, *(corpus.references if chosen.references else ()))
    unknown = {*chosen.criterion} - {*CRITERIA} | {*chosen.level} - {*LEVELS}
    for wrong, cause, advice in (
        (unknown, f"{', '.join(sorted(unknown))} is no criterion or level", "adequacy, fluency; seg, doc"),
        (len(systems) < 2, f"{len(systems)} outputs to rank", "give two systems, or --with-references"),
        (len(corpus.documents) < 2, "one document", "give document ids: a rater's two levels are of two halves"),
        (len({*systems}) < len(systems), "a reference has the name of a system", "rename one"),
    ):
        if wrong:
            raise InputError(Fault("E351", cause, advice))
    rng = random.Random(chosen.seed)  # noqa: S311 - an order, no secret
    places = list(range(len(corpus.documents)))
    rng.shuffle(places)
    halves = sorted(places[: len(places) // 2]), sorted(places[len(places) // 2 :])
    maker = _Maker(corpus, systems, chosen, rng)
    items, sheets = list[Item](), dict[str, list[Shown]]()
    for criterion in chosen.criterion:
        for half in (0, 1):
            wanted: list[ItemLevel] = [level for level in LEVELS if level in chosen.level]
            drawn = {level: maker.draw(level, halves[half if level == "doc" else 1 - half]) for level in wanted}
            for _ in range(chosen.raters):
                rater = f"rater-{len(sheets) + 1}"
                own = [one for level in wanted for one in maker.items(rater, criterion, level, drawn[level])]
                items += own
                sheets[rater] = [maker.shown(item) for item in own]
    return Key(
        source_language=corpus.source_language,
        target_language=corpus.target_language,
        systems=systems,
        documents={document.id: len(document.segments) for document in corpus.documents},
        block=chosen.block,
        errors=chosen.errors,
        items=tuple(items),
    ), sheets


Place = tuple[int, int, int]
"""A document, and from which to before which of its segments."""


@dataclass(frozen=True, slots=True)
class _Maker:
    corpus: Corpus
    systems: Sequence[str]
    options: SheetOptions
    rng: random.Random

    def draw(self, level: str, documents: Sequence[int]) -> list[list[Place]]:
        """Return what is judged, in groups that keep their order: documents in blocks, or single segments."""
        size, found = self.options.block if level == "doc" else 1, list[list[Place]]()
        for place in documents:
            count = len(self.corpus.documents[place].segments)
            blocks = [(place, start, min(count, start + size)) for start in range(0, count, size)]
            found += [blocks] if level == "doc" else [[block] for block in blocks]
        self.rng.shuffle(found)
        left, kept = self.options.items, list[list[Place]]()
        for group in found:
            kept.append(group[:left])
            left -= len(kept[-1])
        return [group for group in kept if group]

    def items(self, rater: str, criterion: str, level: ItemLevel, groups: Sequence[list[Place]]) -> Iterator[Item]:
        """Yield a rater's items of a level in a new order, the repeated ones at its end."""
        shuffled = self.rng.sample(list(groups), len(groups))
        made = list[Item]()
        for group in shuffled:
            order = self._order()
            for document, start, stop in group:
                name = f"{rater}-{level}-{len(made) + 1:03}"
                own = order if level == "doc" else self._order()
                fields = {"id": name, "rater": rater, "criterion": criterion, "level": level, "order": own}
                document_id = self.corpus.documents[document].id
                made.append(Item.model_validate({**fields, "document": document_id, "start": start, "stop": stop}))
        count = len(made)
        able = [at for at, item in enumerate(made) if self._spoilable(item)]
        spoiled = set(self.rng.sample(able, min(len(able), round(count * self.options.spoiled))))
        sound = [at for at in range(count) if at not in spoiled]
        again = self.rng.sample(sound, min(len(sound), round(count * self.options.repeated)))
        for at, item in enumerate(made):
            named = self.rng.choice(self._spoilable(item)) if at in spoiled else ""
            yield item.model_copy(update={"spoiled": named})
        for number, at in enumerate(again, count + 1):
            order = made[at].order if level == "doc" else self._order(made[at].order)
            name = f"{rater}-{level}-{number:03}"
            yield made[at].model_copy(update={"id": name, "repeats": made[at].id, "order": order})

    def _order(self, systems: Sequence[str] | None = None) -> tuple[str, ...]:
        known = list(self.systems if systems is None else systems)
        return tuple(self.rng.sample(known, min(len(known), self.options.options)))

    def shown(self, item: Item) -> Shown:
        """Return what a rater sees of an item; no source where fluency is judged."""
        number, segments = self._segments(item)
        outputs = [tuple(segment.text_of(name) for segment in segments) for name in item.order]
        if item.spoiled:
            at = item.order.index(item.spoiled)
            outputs[at] = spoil(outputs[at], self.rng)
        source = tuple(segment.source for segment in segments) if item.criterion == "adequacy" else ()
        return Shown(item.id, item.criterion, item.level, number, item.start, source, tuple(outputs))

    def _segments(self, item: Item) -> tuple[int, Sequence[Segment]]:
        number = [document.id for document in self.corpus.documents].index(item.document)
        return number, self.corpus.documents[number].segments[item.start : item.stop]

    def _spoilable(self, item: Item) -> list[str]:
        """Return the systems whose outputs are long enough to be made nonsense."""
        texts = {name: tuple(one.text_of(name) for one in self._segments(item)[1]) for name in item.order}
        return [name for name, text in texts.items() if spoil(text, random.Random(0)) != text]  # noqa: S311


def spoil(texts: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    """Return texts made nonsense: sentences shuffled but the first and the last, of fewer than four the words of each.

    Of words a tenth at either end stays, at least one; in scripts without spaces these are characters.
    """
    if len(texts) >= _LEAST:
        return (texts[0], *_shuffled(list(texts[1:-1]), rng), texts[-1])
    return tuple(_spoiled_words(text, rng) for text in texts)


def _spoiled_words(text: str, rng: random.Random) -> str:
    from endophora.align.ratios import unspaced

    joined = "" if unspaced(text) else " "
    words = text.split() if joined else list(text)
    kept = max(1, round(len(words) * _KEPT))
    return joined.join([*words[:kept], *_shuffled(words[kept : len(words) - kept], rng), *words[len(words) - kept :]])


def _shuffled(parts: list[str], rng: random.Random) -> list[str]:
    """Return parts in another order, if there is one."""
    if len({*parts}) < 2:
        return parts
    order = parts
    while order == parts:
        order = rng.sample(parts, len(parts))
    return order
