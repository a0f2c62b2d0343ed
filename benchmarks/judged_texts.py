"""The texts of which verdicts are read one by one: sources, references, and the texts that are judged on these."""

from __future__ import annotations

import csv
import gzip
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from validity import RUSSIAN, Item, french, lines, russian

from endophora.evaluation.check import PHENOMENA as LONE
from endophora.evaluation.setup import Setup
from endophora.evaluation.tagging import DocumentTexts, TaggedDocument, tag_targets
from endophora.meta.mqm import mqm_corpus, read_mqm

Pair = tuple[TaggedDocument, TaggedDocument]
PHENOMENA = ("pronouns", "formality", "verb_form", "lexical_cohesion", "ellipsis")
REFERENCES = {"de": ("refB", "refA"), "es": ("refA",)}
"""The references that outputs are judged on, each by itself."""
SOURCES = {"en": "zh"}
"""Source languages other than English."""
VERSES = {"de": "4se", "en": "c43k", "es": "49v", "fr": "4lo5", "ru": "4r"}
"""Names of translations in the file of verses: source, reference, and those that are judged, or the reference alone."""
BOOKS, CHAPTERS = (1, 2, 7, 8, 9, 10, 11, 12, 15, 16, 17, 27, 32, 40, 41, 42, 43, 44), 200
"""Books that tell stories, and how many chapters of them are read from."""
PLAIN = dict(zip("áéóú", "aeou", strict=True))
"""Spanish words of one letter as they are written today, and as in 1909."""
SCENE, SCENES = 100, 60
"""Lines of television subtitles that are read together, and how many such scenes are read."""
MORE = (3, 4, 5, 26)
"""Books that tell of things, for pronouns."""


@dataclass(frozen=True)
class Material:
    """Parallel documents: the reference, and the texts that are judged on it."""

    name: str
    source: list[str]
    reference: list[str]
    documents: list[str]
    systems: dict[str, list[str]]
    phenomena: Sequence[str] = PHENOMENA
    alone: bool = False  # whether each is judged by itself

    def spans(self) -> list[slice]:
        """Return the lines of each document; those of one name stand together."""
        starts = [at for at, name in enumerate(self.documents) if at == 0 or self.documents[at - 1] != name]
        return [slice(*pair) for pair in zip(starts, [*starts[1:], len(self.documents)], strict=True)]

    def tag(self, setup: Setup, wanted: Callable[[str, str], bool]) -> Iterator[tuple[int, str, Pair]]:
        """Yield first line, system, and both texts of each document of each system that is wanted."""
        pairs = [
            (span, name) for span in self.spans() for name in self.systems if wanted(name, self.documents[span.start])
        ]
        spans = list({span.start: span for span, _ in pairs}.values())
        asked = [(span, self.reference) for span in spans] + [(span, self.systems[name]) for span, name in pairs]
        asked.sort(key=lambda one: one[0].start)  # stable: the reference first, and what has one source together
        texts = [DocumentTexts(self.documents[s.start], tuple(self.source[s]), tuple(text[s])) for s, text in asked]
        (tagged,) = tag_targets(setup, [texts])
        found = {(span.start, id(text)): one for (span, text), one in zip(asked, tagged, strict=True)}
        for span, name in pairs:
            yield span.start, name, (found[span.start, id(self.reference)], found[span.start, id(self.systems[name])])


def wmt24(shared: Path, language: str, name: str) -> Material:
    """Read WMT 2024: one reference, all systems, and the other reference as one."""
    folder, pair = shared / "documents" / "wmt24", f"en-{language}"
    texts = {path.stem: lines(path) for path in sorted((folder / "system-outputs" / pair).glob("*.txt"))}
    texts |= {p.stem.split(".")[-1]: lines(p) for p in sorted((folder / "references").glob(f"{pair}.*.txt"))}
    reference, first = texts.pop(name), name == REFERENCES[language][0]
    documents = [line.split("\t")[-1] for line in lines(folder / "documents" / f"{pair}.docs")]
    source = lines(folder / "sources" / f"{pair}.txt")
    return Material("wmt24" if first else f"wmt24 {name}", source, reference, documents, texts)


def variants(name: str, items: list[Item]) -> Material:
    """Return a contrastive set: the right variant is the reference, the first wrong one is judged on it."""
    documents = [f"{name}-{at}" for at, item in enumerate(items) for _ in item.source]
    right, wrong = ([text for item in items for text in item.variants[at]] for at in (0, 1))
    return Material(name, [text for item in items for text in item.source], right, documents, {"wrong": wrong})


def ted(shared: Path, reference: str, phenomena: Sequence[str] = PHENOMENA) -> Material:
    """Read the TED talks: one of two references, and all systems."""
    corpus = mqm_corpus(read_mqm(shared / "documents" / "ted-mqm" / "mqm_ted_zhen.tsv"), ("zh", "en"), ["ref", "refB"])
    segments = [(one.id, segment) for one in corpus.documents for segment in one.segments]
    texts = {name: [one.outputs[name] for _, one in segments] for name in corpus.systems}
    source, given = [one.source for _, one in segments], [one.references[reference] for _, one in segments]
    name = "ted" if reference == "ref" else f"ted-{reference}"
    return Material(name, source, given, [name for name, _ in segments], texts, phenomena)


def ntrex(shared: Path, code: str) -> Material:
    """Read a human translation of NTREX."""
    folder = shared / "documents" / "ntrex"
    source, target = (lines(folder / f"newstest2019.{name}.txt") for name in ("eng", code))
    documents = [line.split("\t")[0] for line in lines(folder / "DOCUMENT_IDS.tsv")]
    return Material("ntrex", source, target, documents, {"human": target}, LONE, alone=True)


def subtitles(shared: Path) -> Material:
    """Read scenes of television series with their Chinese subtitles: a sample of those that have both levels."""
    episodes: dict[str, list[tuple[str, str]]] = {}
    with gzip.open(shared / "training" / "tvsub" / "train.tsv.gz", "rt", encoding="utf-8") as file:
        for name, chinese, english in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            episodes.setdefault(name, []).append((english.strip(), chinese.strip()))
    scenes = [rows[at : at + SCENE] for rows in episodes.values() for at in range(0, len(rows), SCENE)]
    mixed = [rows for rows in scenes if all(any(sign in text for _, text in rows) for sign in "你您")]
    chosen = Random(1).sample(mixed, SCENES)  # noqa: S311 - a sample for reading
    source, target = ([row[at] for rows in chosen for row in rows] for at in (0, 1))
    documents = [f"scene-{at}" for at, rows in enumerate(chosen) for _ in rows]
    return Material("subtitles", source, target, documents, {"human": target}, ("formality",), alone=True)


def tatoeba(shared: Path, code: str) -> Iterator[Material]:
    """Read sentences with two translations or more, and others of those with three: one is the reference.

    Twenty are a document, so that verbs have others of their form before them.
    """
    found: dict[str, dict[str, None]] = {}
    with gzip.open(shared / "parallel" / f"en-{code}.tsv.gz", "rt", encoding="utf-8") as file:
        for name, source, target in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if name.startswith("tatoeba"):
                found.setdefault(source.strip(), {})[target.strip()] = None
    for name, least, (here, there) in (("tatoeba", 2, (0, -1)), ("tatoeba-3", 3, (1, 0))):
        pairs = {source: list(some) for source, some in found.items() if len(some) >= least}
        reference, other = ([some[at] for some in pairs.values()] for at in (here, there))
        documents = [f"{name}-{at // 20}" for at in range(len(pairs))]
        yield Material(name, list(pairs), reference, documents, {"another": other}, ("verb_form",))


def bible(path: Path, language: str) -> Iterator[Material]:
    """Read chapters of the Bible: the World English Bible as the source, and human translations, or into English.

    First a sample of the books that tell stories. For pronouns alone, their other chapters with the books that tell of
    things are a second material, in German, Russian and Spanish, and the books that are left a third, in German. Of the
    last one in German and in Spanish only chapters of odd number are read: the others are for development.
    """
    texts: dict[str, dict[tuple[int, int, int], str]] = {name: {} for name in VERSES[language]}
    for name, *place, text in sqlite3.connect(path).execute(
        "SELECT bbName, bNumber, cNumber, vNumber, vText FROM bible"
    ):
        if name in texts:
            text = re.sub(r"\b[áéóú]\b", lambda one: PLAIN[one[0]], text.replace("`", "'"))
            texts[name][tuple(place)] = text.strip()
    chapters = sorted({place[:2] for place in texts[VERSES[language][0]]})
    told = [chapter for chapter in chapters if chapter[0] in BOOKS]
    first = set(Random(1).sample(told, CHAPTERS))  # noqa: S311 - a sample for reading
    more = {chapter for chapter in chapters if chapter[0] in (*BOOKS, *MORE)} - first
    parts = [("verses", first, PHENOMENA)]
    if language == "de":
        unread = {chapter for chapter in chapters if chapter[0] not in (*BOOKS, *MORE) and chapter[1] % 2}
        parts += [("verses 2", more, ("pronouns",)), ("verses 3", unread, ("pronouns",))]
    elif language == "ru":
        parts += [("verses 2", more, ("pronouns",))]
    elif language == "es":
        parts += [("verses 2", {chapter for chapter in more if chapter[1] % 2}, ("pronouns",))]
    for part, chosen, phenomena in parts:
        places = [
            place
            for place in sorted(texts[VERSES[language][0]])
            if place[:2] in chosen and all(place in one for one in texts.values())
        ]
        source, reference, *others = ([one[place] for place in places] for one in texts.values())
        documents = [f"{book}-{chapter}" for book, chapter, _ in places]
        if others:
            systems = dict(zip(VERSES[language][2:], others, strict=True))
            yield Material(part, source, reference, documents, systems, phenomena)
        else:
            yield Material(part, source, reference, documents, {"human": reference}, LONE, alone=True)


def materials(shared: Path, language: str, verses: Path | None = None) -> list[Material]:
    """Return what there is to read in a language."""
    read = list(bible(verses, language)) if verses is not None and language in VERSES else []
    if language in REFERENCES:
        alone = ntrex(shared, {"de": "deu", "es": "spa"}[language])
        return [*(wmt24(shared, language, name) for name in REFERENCES[language]), alone, *read]
    if language == "en":
        return [ted(shared, "ref"), ted(shared, "refB", ("pronouns",)), *read]
    if language == "zh":
        return [ntrex(shared, "zho"), subtitles(shared)]
    folder, random = shared / "contrastive", Random(1)  # noqa: S311 - a sample for reading
    if language == "fr":
        items = random.sample(list(french(folder / "pronouns-en-fr.tsv.xz")), 500)
        return [variants("pronouns-en-fr", items), *tatoeba(shared, "fra"), ntrex(shared, "fra"), *read]
    sets: list[Material] = []
    for name in RUSSIAN:
        items = list(russian(folder / f"{name}.json.xz"))
        first = random.sample(items, 250)
        sets.append(variants(name, [*first, *(item for item in items if item not in first)]))
    return [*sets, *tatoeba(shared, "rus"), ntrex(shared, "rus"), *read]
