"""Errors put into human translations, one at a time, and harmless changes: what the verdict says of each.

    python benchmarks/injected.py ../shared [-l de -l fr …] [--sample 60] [--long] [--show "another tense"]

Human translations (NTREX-128; both references of WMT 2024; sentences of CoCoA-MT, which has each in both registers;
dialogues of Voita et al. 2019) are judged on themselves, with one occurrence that is judged right changed. Errors:

- a pronoun takes another gender, and its predicate with it;
- a word of address takes the other level, a subject with its verb; or one segment, as people translated it otherwise;
- a verb takes another tense, or is another translation of the source verb in the other aspect;
- a repeated noun is another translation of the source noun; a repeated name is spelt with another vowel;
- a verb that the source leaves out is left out again, or is one that was not said.

Harmless: another case, another verb in the same form, another noun or the other register throughout the document.
``injected_changes.py`` makes them. ``--long`` prints a row a language with all verdicts, ``--show`` each change.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from injected_changes import Change, Changes, Lexicon, drawn, written

from endophora.align.priors import shipped_priors
from endophora.annotate.records import AnnotatedText
from endophora.corefer.records import Resolution
from endophora.evaluation.setup import Setup, Toolbox
from endophora.judgments.address import PLURAL
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import VERDICTS, Choices, Judgment
from endophora.languages import load_language
from endophora.phenomena.records import AnnotatedDocument, Occurrence

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "ru": "rus"}
OMITTED = "restored verb left out"
"""An omission: *missing* is its verdict, which counts as *wrong* beyond a tenth of the occurrences."""
ERRORS = (
    "another gender of a pronoun",
    "the other level of a word of address",
    "the other level of a subject and its verb",
    "the other level in one segment",
    "another tense",
    "another aspect",
    "another noun for a repeated one",
    "another spelling of a name",
    OMITTED,
    "another verb restored",
)
REGISTERS = "the other register throughout"
HARMLESS = ("another case of a pronoun", "another verb in the same form", "another noun throughout", REGISTERS)
REGISTER, TOGETHER = 160, 8
"""Sentences of each part of CoCoA-MT, each from a dialogue of its own; so many are judged as one document."""


@dataclass(frozen=True)
class Text:
    """A document's segments, its human translation, and another one in the other register, if there is one."""

    name: str
    source: Sequence[str]
    target: Sequence[str]
    other: Sequence[str] = ()


@dataclass(frozen=True)
class Annotated:
    """A text with all that is known of it before it is changed."""

    document: AnnotatedDocument
    other: Sequence[str]
    alone: Sequence[Resolution]  # the pronouns by the source alone
    choices: Choices


def lines(path: Path) -> list[str]:
    """Return the lines of a file, without the canary at the top of those of WMT 2024."""
    text = path.read_text("utf-8").removesuffix("\n").split("\n")
    return text[1:] if "canary" in text[0].lower() else text


def grouped(name: str, documents: Sequence[str], source: Sequence[str], target: Sequence[str]) -> Iterator[Text]:
    """Yield the documents of a corpus."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, document in enumerate(documents):
        places[document].append(at)
    for document, some in places.items():
        yield Text(f"{name} {document}", [source[at] for at in some], [target[at] for at in some])


def texts(shared: Path, language: str) -> Iterator[Text]:
    """Yield the human translations into a language."""
    ntrex, wmt, pair = shared / "documents" / "ntrex", shared / "documents" / "wmt24", f"en-{language}"
    source, target = (lines(ntrex / f"newstest2019.{name}.txt") for name in ("eng", FILES[language]))
    yield from grouped("NTREX", [line.split("\t")[0] for line in lines(ntrex / "DOCUMENT_IDS.tsv")], source, target)
    for path in sorted((wmt / "references").glob(f"{pair}.*.txt")):
        names = [line.split("\t")[-1] for line in lines(wmt / "documents" / f"{pair}.docs")]
        yield from grouped(path.stem, names, lines(wmt / "sources" / f"{pair}.txt"), lines(path))
    for path in sorted((shared / "register" / pair).glob(f"*.{pair}.en")):
        sides = [lines(path)]
        sides += [lines(path.with_name(f"{path.stem}.{level}.{language}")) for level in ("formal", "informal")]
        kept = [row for row in zip(*sides, strict=True) if row[1] != row[2]]
        for at in range(0, min(len(kept), REGISTER), TOGETHER):
            source, formal, informal = zip(*kept[at : at + TOGETHER], strict=True)
            yield Text(f"{path.stem} {at} formal", source, formal, informal)
            yield Text(f"{path.stem} {at} informal", source, informal, formal)
    if language == "ru":
        yield from russian(shared / "contrastive")


def russian(directory: Path) -> Iterator[Text]:
    """Yield the right variants of Voita et al. (2019): dialogues in both registers, and such with restored verbs."""
    found: defaultdict[str, list[list[str]]] = defaultdict(list)
    for name in ("deixis_dev", "ellipsis_vp_first_half"):
        with lzma.open(directory / f"{name}.json.xz") as file:
            for one in json.load(file):
                found[one["src"]].append(one["dst"][one["true_ind"]].split(" _eos "))
    for number, (source, some) in enumerate(found.items()):
        for at, target in enumerate(some):
            other = some[1 - at] if len(some) == 2 else ()
            yield Text(f"dialogue {number} {at}", source.split(" _eos "), target, other)


class Language:
    """The human translations into one language, annotated, and the changes that are made of them."""

    def __init__(
        self, shared: Path, language: str, sample: int, english: dict[str, AnnotatedText], seed: int = 1
    ) -> None:
        self.sample, self.draw, self.english = sample, f"{seed} {language}", english
        self.tools: Toolbox = Setup("en", language, store=None).load()
        self.taggers = {tagger.phenomenon: tagger for tagger in self.tools.taggers}
        lexicon = Lexicon()
        lexicon.read(shared / "treebanks" / f"{language}.tar.xz")
        self.changes = Changes(load_language(language), lexicon, shipped_priors("en", language), self.draw)
        self.texts = list(self._annotated(list(texts(shared, language))))

    def _annotated(self, some: list[Text]) -> Iterator[Annotated]:
        new = [
            line for line in dict.fromkeys(line for text in some for line in text.source) if line not in self.english
        ]
        self.english.update(zip(new, self.tools.source_annotator.annotate(new), strict=True))
        targets = self.tools.target_annotator.annotate([line for text in some for line in text.target])
        pairs: list[tuple[tuple[AnnotatedText, ...], tuple[AnnotatedText, ...]]] = [
            (tuple(self.english[line] for line in text.source), tuple(next(targets) for _ in text.target))
            for text in some
        ]
        for text, (source, target), links in zip(some, pairs, self.tools.aligner.align_many(pairs), strict=True):
            for one in target:
                self.changes.learn(one)
            alone = self.tools.resolver.resolve(source)
            resolved = tuple(self.tools.resolver.resolve(source, target, links))
            document = AnnotatedDocument(text.name, source, target, tuple(links), resolved)
            yield Annotated(
                document, text.other, alone, read_choices(document, self.tools.taggers, alone, self.tools.priors)
            )

    def judge(self) -> Iterator[tuple[Change, AnnotatedDocument, AnnotatedDocument, Occurrence, Judgment]]:
        """Yield each change with the document before and after it, and the judgment on an occurrence."""
        chosen = self._chosen()
        changed = self.tools.target_annotator.annotate([text for _, one in chosen for text in one.texts.values()])
        targets: list[tuple[AnnotatedText, ...]] = []
        for text, change in chosen:
            target = list(text.document.target)
            for segment in change.texts:
                target[segment] = next(changed)
            targets.append(tuple(target))
        pairs = [(text.document.source, target) for (text, _), target in zip(chosen, targets, strict=True)]
        linked = self.tools.aligner.align_many(pairs)
        for (text, change), target, links in zip(chosen, targets, linked, strict=True):
            after = replace(text.document, target=target, links=tuple(links))
            for occurrence, judgment in self._judgments(text, after, change.occurrences):
                yield change, text.document, after, occurrence, judgment

    def _judgments(
        self, text: Annotated, after: AnnotatedDocument, occurrences: Sequence[Occurrence]
    ) -> Iterator[tuple[Occurrence, Judgment]]:
        taggers = [self.taggers[name] for name in {occurrence.phenomenon for occurrence in occurrences}]
        links = [[(link.source, link.target) for link in some] for some in after.links]
        lengths = [len(segment.tokens) for segment in after.source]
        choices = (
            text.choices if after is text.document else read_choices(after, taggers, text.alone, self.tools.priors)
        )
        judged = JudgedText(text.choices, choices, links, lengths)
        for occurrence in occurrences:
            yield occurrence, judged.judge(occurrence)

    def _chosen(self) -> list[tuple[Annotated, Change]]:
        """Return a sample of changes of each kind.

        A kind in a language has a stream of its own, in which a place stands by its name: what is judged of one
        phenomenon does not move the samples of the others, and a place that is lost lets only one other in.
        """
        found: defaultdict[str, list[tuple[float, Annotated, Change]]] = defaultdict(list)
        for text in self.texts:
            tagged = [one for tagger in self.tools.taggers for one in tagger.tag(text.document)]
            # A plural that may be that of any level has no other one.
            judged = (pair for pair in self._judgments(text, text.document, tagged) if pair[1].asked != PLURAL)
            for occurrence in (one for one, judgment in judged if judgment.verdict == "right"):
                for change in self._made(text, occurrence):
                    order = drawn(self.draw, change.kind, occurrence).random()
                    found[change.kind].append((order, text, change))
        chosen = [sorted(found[kind], key=lambda one: one[0])[: self.sample] for kind in sorted(found)]
        return [(text, change) for some in chosen for _, text, change in some]

    def _made(self, text: Annotated, occurrence: Occurrence) -> Iterator[Change]:
        for kind, words in self.changes.of(text.document, text.choices, occurrence):
            made = written(text.document, words)
            if made:
                yield Change(kind, made, (occurrence,))
        if occurrence.phenomenon == "formality" and text.other:
            segment = occurrence.segment
            words = text.choices.by_segment.get(("formality", segment), [])
            # The other level is an error only where the document has more words of the first.
            if 2 * len(words) < sum(choice.phenomenon == "formality" for choice in text.choices.shown):
                yield Change("the other level in one segment", {segment: text.other[segment]}, (occurrence,))
            yield Change(REGISTERS, dict(enumerate(text.other)), (occurrence,))


def shown(before: AnnotatedDocument, after: AnnotatedDocument, occurrence: Occurrence, judgment: Judgment) -> str:
    """Return a change and its judgment, for reading."""
    at = occurrence.segment
    words = " ".join(before.source[at].tokens[token].form for token in occurrence.source_tokens)
    new = " ".join(after.target[at].tokens[token].form for token in judgment.target_tokens)
    head = f"{before.id}:{at} {words} → {occurrence.expected} ({occurrence.rule}) → {new}: {judgment.verdict}: "
    head += f"asked {judgment.asked}, shown {judgment.shown}; {judgment.why}"
    return "\n    ".join((head, before.source[at].text, before.target[at].text, after.target[at].text))


def main() -> None:
    """Print, for each kind of change and language, how many are judged how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("-l", "--language", action="append", choices=sorted(FILES))
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the sample; others than 1 are for development")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--show", metavar="KIND", help="print each change of the kinds that have this in their names")
    given = parser.parse_args()
    languages = given.language or list(FILES)
    english: dict[str, AnnotatedText] = {}  # all languages have one source
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    levels: Counter[bool] = Counter()
    for language in languages:
        made = Language(given.shared, language, given.sample, english, given.seed)
        for change, before, after, occurrence, judgment in made.judge():
            found[change.kind, language][judgment.verdict or "none"] += 1
            if given.show is not None and given.show in change.kind:
                print(f"{language} {change.kind}\t{shown(before, after, occurrence, judgment)}", flush=True)
            if change.kind == REGISTERS:
                levels[judgment.shown == occurrence.rule] += 1
    if given.long:
        long(found)
    print("| judged wrong, % (n) | " + " | ".join(languages) + " | all |\n|---" + "|---" * (len(languages) + 1) + "|")
    for kind in (*ERRORS, *HARMLESS):
        some = [found[kind, language] for language in languages]
        bad = ("wrong", "missing") if kind == OMITTED else ("wrong",)
        cells = [cell(counts, bad) for counts in (*some, sum(some, Counter[str]()))]
        name = f"{'*harmless:* ' * (kind in HARMLESS)}{kind}{' (wrong or missing)' * (kind == OMITTED)}"
        print(f"| {name} | " + " | ".join(cells) + " |")
    share = 100 * levels[False] / levels.total() if levels else float("nan")
    print(f"\n{REGISTERS}: {share:.1f} % of {levels.total()} are not at the reference's level (formality level)")


def cell(counts: Counter[str], bad: Sequence[str]) -> str:
    """Return the share with one of the verdicts and the number of changes."""
    n = counts.total()
    return f"{100 * sum(counts[verdict] for verdict in bad) / n:.1f} ({n})" if n else ""


def long(found: defaultdict[tuple[str, str], Counter[str]]) -> None:
    """Print a row a kind and language, with all verdicts."""
    names = (*VERDICTS, "none")
    print("| change | language | n | " + " | ".join(names) + " |\n|---|---" + "|---" * (len(names) + 1) + "|")
    for (kind, language), counts in sorted(found.items()):
        shares = " | ".join(f"{100 * counts[name] / counts.total():.1f}" for name in names)
        print(f"| {kind} | {language} | {counts.total()} | {shares} |")


if __name__ == "__main__":
    main()
