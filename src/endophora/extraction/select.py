"""Which segments of a document are parsed: those that a look at the surface cannot rule out, and their windows.

A segment is a candidate of a phenomenon if its text has the words without which no rule holds: an English pronoun of a
rule and a form of the other language (gender, animacy, formality by case), a form of an auxiliary. Of auxiliaries and
inflection the source alone, parsed, rules out most of what is left (another verb), before anything else is parsed. A
candidate needs the segments before it that its antecedent may be in. What is parsed of a document is thus the
union of the windows before its candidates; segments that no candidate needs have no tokens.

Rows are the same as if everything were parsed. A segment that is no candidate has none (its words hold no rule), and
those of a candidate depend on nothing outside its window: a text is annotated by itself, a pair of texts is linked by
itself, a pronoun is resolved from its window (an aligner learns from all that it is given, and a resolver counts how
often a noun was said), and the taggers of :data:`WINDOWED` look no further back than the windows here.
Other phenomena, those of MuDA, look at whole documents: where one is asked for, everything is parsed, for it alone.

Whole corpora go through the look at the surface, so the forms of a table are one regular expression that begins with a
letter: where no form has that letter, the search continues without asking what comes before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, cast

from endophora.align.records import Aligner, Link
from endophora.annotate.annotator import SpacyAnnotator, encodable
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corefer.ranker import Ranker
from endophora.corefer.records import Resolution, Resolver
from endophora.corpus.records import Document
from endophora.corpus.streams import REFERENCE
from endophora.extraction.setup import ExtractionTools
from endophora.languages.extraction import ExtractionRules, PronounCase
from endophora.languages.schema import EXTRACTION
from endophora.phenomena import auxiliary, inflection
from endophora.phenomena.impersonal import normal
from endophora.phenomena.records import AnnotatedDocument
from endophora.phenomena.verdicts import LOOK_BACK, Reason

# Pieces of text of which it is remembered whether they hold an auxiliary.
_KNOWN_WORDS = 50_000
_LETTER = r"[^\W\d_]"
_STRESS = "\u0301"
# Length from which a form is no clitic.
_SHORT = 3


class Texts:
    """The texts of a document, and how forms are looked for in them."""

    def __init__(self, written: Sequence[str], written_target: Sequence[str]) -> None:
        self.written = written
        self._written_target = written_target

    @cached_property
    def source(self) -> list[str]:
        """The source texts, as :func:`surface_text` has them."""
        return [surface_text(text) for text in self.written]

    @cached_property
    def target(self) -> list[str]:
        """The target texts, likewise."""
        return [surface_text(text) for text in self._written_target]


def surface_text(text: str) -> str:
    """Return a text as the tables' forms are looked for in it.

    That is in lower case and without stress marks; a text with such marks stands there twice, the second time with
    blanks in their place, since a tokenizer may cut a word at them.
    """
    once = normal(text)
    return f"{once} {normal(text.replace(_STRESS, ' '))}" if _STRESS in text else once


class PronounSurface:
    """Finds segments with an English pronoun of a table and a form of the other language of one of its rules."""

    def __init__(self, cases: Iterable[PronounCase], *, reverse: bool = False) -> None:
        self._reverse = reverse
        forms: dict[str, set[str]] = {}
        for case in cases:
            for english in case.english:
                # An ending needs no separate word; it is written with a hyphen or mark before it, or as it is.
                forms.setdefault(english, set()).update(
                    f"…{words[-1].lstrip('-')}" if case.table.endings else words[-1] for words in case.words
                )
        self._pairs = [(_starting([english]), _standing(others)) for english, others in sorted(forms.items())]
        self._any = _starting(forms) if forms else None

    def __call__(self, texts: Texts) -> list[int]:
        """Return the indices of the candidate segments."""
        english, other = (texts.target, texts.source) if self._reverse else (texts.source, texts.target)
        if self._any is None:
            return []
        found = [index for index, text in enumerate(english) if self._any.search(text)]
        return [
            index
            for index in found
            if any(one.search(english[index]) and form.search(other[index]) for one, form in self._pairs)
        ]


class AuxiliarySurface:
    """Finds source segments with a form of an auxiliary: the target's rules name lemmas, those of English their forms.

    ``tokenize`` cuts a piece of text without blanks into the words that the annotator will have, where that is known
    beforehand; many words end like a clitic.
    """

    def __init__(
        self, rules: ExtractionRules, english: ExtractionRules, tokenize: Callable[[str], Iterable[str]] | None = None
    ) -> None:
        lemmas = {rule.lemma for rule in rules.auxiliary}
        forms = {normal(form) for lemma in lemmas for form in (lemma, *english.auxiliary_forms.get(lemma, ()))}
        self._forms = frozenset(forms)
        self._pattern = _anywhere(forms) if forms else None
        self._tokenize = tokenize
        # Most words have been met before, and then they cost less than any look at their letters.
        self._holds = lru_cache(_KNOWN_WORDS)(self._has_form)

    def __call__(self, texts: Texts) -> list[int]:
        """Return the indices of the candidate segments."""
        pattern, holds = self._pattern, self._holds
        if pattern is None:
            return []
        if self._tokenize is None:
            return [index for index, text in enumerate(texts.source) if pattern.search(text)]
        return [index for index, text in enumerate(texts.written) if any(map(holds, text.split()))]

    def _has_form(self, piece: str) -> bool:
        assert self._pattern is not None and self._tokenize is not None  # noqa: PT018, S101
        return bool(self._pattern.search(surface_text(piece))) and not self._forms.isdisjoint(self._tokenize(piece))


def tokenizer_of(annotator: Annotator) -> Callable[[str], Iterable[str]] | None:
    """Return what cuts pieces without blanks as an annotator does, if it is a pipeline that cuts at blanks."""
    if not isinstance(annotator, SpacyAnnotator):
        return None
    # Imported when used: the process that hands out the work has no pipeline, and not the memory that spaCy takes.
    if type(annotator.nlp.tokenizer) is not cast("Any", import_module("spacy.tokenizer")).Tokenizer:
        return None
    cut = annotator.nlp.make_doc
    return lambda text: (normal(token.text) for token in cut(encodable(text)))


def _starting(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms where a word begins: tokenizers cut clitics off its end (*itll*), and nothing off its beginning."""
    return re.compile("|".join(_branches(forms, begins=True)))


def _standing(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms that are whole words, and where “…” stands before them, ends of words.

    A word without its vowel ends in an apostrophe, which the next word follows at once (*je t'aime*).
    """
    groups: defaultdict[tuple[bool, bool], list[str]] = defaultdict(list)
    for form in forms:
        groups[not form.startswith("…"), form[-1].isalpha()].append(form.removeprefix("…"))
    found = (_branches(some, begins=begins, ends=ends) for (begins, ends), some in sorted(groups.items()))
    return re.compile("|".join(branch for branches in found for branch in branches))


def _anywhere(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms of auxiliaries: a clitic wherever it stands, a word where a word begins."""
    words, clitics = list[str](), list[str]()
    for form in forms:
        (clitics if len(form) < _SHORT or not form[0].isalpha() else words).append(form)
    return re.compile("|".join([*_branches(clitics, ends=True), *_branches(words, begins=True)]))


def _branches(forms: Iterable[str], *, begins: bool = False, ends: bool = False) -> list[str]:
    """Return alternatives, one for each first letter.

    What stands before is asked after that letter: a search can look for a letter, and not for the absence of one.
    """
    rests: defaultdict[str, list[str]] = defaultdict(list)
    for form in sorted(forms):
        rests[re.escape(form[0])].append(re.escape(form[1:]))
    found: list[str] = []
    for first, some in rests.items():
        before = rf"(?<!{_LETTER}{first})" if begins else ""
        after = rf"(?!{_LETTER})" if ends else ""
        found.append(f"{first}{before}(?:{'|'.join(some)}){after}")
    return found


REACH = 2
"""Windows of the resolver before a candidate pronoun: its antecedents, and those of the pronouns among them."""

POSSESSED = 5
"""How many segments back the tagger of gender looks for the noun of a possessive, for any window of the resolver."""

WINDOWED = frozenset(EXTRACTION)
"""Phenomena whose occurrences depend on a window before them alone."""

_BY_SOURCE: Mapping[str, frozenset[Reason]] = {
    "auxiliary": frozenset({Reason.NO_AUXILIARY, Reason.OTHER_VERB}),
    "inflection": frozenset({Reason.SOURCE_VERB}),
}
"""Phenomenon → what the source alone says against a segment, by its parts of speech and lemmas."""


Surface = Callable[[Texts], list[int]]
"""Returns the indices of a document's candidate segments."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be done of a document: the segments to parse, and those whose pronouns are to be resolved."""

    parsed: tuple[int, ...]
    resolve_source: tuple[int, ...] = ()
    resolve_target: tuple[int, ...] = ()


def _everything(texts: Texts) -> list[int]:
    return list(range(len(texts.written)))


class Selector:
    """Chooses what to parse of documents.

    A resolver sees ``seen`` segments before a pronoun; of gender and animacy ``window`` segments before an occurrence
    are parsed in any case.
    """

    def __init__(self, tools: ExtractionTools, reach: int = REACH) -> None:
        self._tools = tools
        setup = tools.extraction
        source, target = tools.source_rules.extracted, tools.target_rules.extracted
        self.seen = reach * setup.window
        self.window = max(self.seen, POSSESSED)
        self._surfaces: dict[str, Surface] = dict.fromkeys(setup.phenomena, _everything)
        self._windows: dict[str, int | None] = dict.fromkeys(setup.phenomena)
        if not setup.prefilter:
            return
        published = setup.rules_as == "published"
        known: dict[str, tuple[Surface, int]] = {
            "gender": (PronounSurface(target.cases("gender", published=published)), self.window),
            "animacy": (PronounSurface(source.cases("gender", published=published), reverse=True), self.window),
            "formality_cases": (PronounSurface(target.cases("formality", published=published)), 0),
            "auxiliary": (AuxiliarySurface(target, source, tokenizer_of(tools.source_annotator)), LOOK_BACK),
            "inflection": (_everything, LOOK_BACK),
        }
        for name in self._surfaces.keys() & known.keys():
            self._surfaces[name], self._windows[name] = known[name]

    def candidates(self, document: Document) -> dict[str, list[int]]:
        """Return the candidate segments of each phenomenon, as the surface has them."""
        texts = Texts(
            [segment.source for segment in document.segments],
            [segment.references[REFERENCE] for segment in document.segments],
        )
        return {name: surface(texts) for name, surface in self._surfaces.items()}

    def first(self, candidates: Mapping[str, Sequence[int]]) -> list[int]:
        """Return the segments whose source is parsed first, since it may rule them out."""
        staged = (name for name in candidates if name in _BY_SOURCE and self._windows[name] is not None)
        return sorted({index for name in staged for index in candidates[name]})

    def select(
        self, document: Document, candidates: Mapping[str, Sequence[int]], sources: Mapping[str, AnnotatedText]
    ) -> Selection:
        """Return what is to be done of a document.

        ``sources`` are annotations by text, without trees if need be, of the segments of :meth:`first` at least.
        """
        parsed: set[int] = set()
        for name, found in candidates.items():
            window = self._windows[name]
            if window is None:
                parsed.update(range(len(document.segments)))
                continue
            left = self._possible(name, document, found, sources) if name in _BY_SOURCE else found
            for index in left:
                parsed.update(range(max(0, index - window), index + 1))
        return Selection(
            tuple(sorted(parsed)), tuple(candidates.get("gender", ())), tuple(candidates.get("animacy", ()))
        )

    def _possible(
        self, name: str, document: Document, found: Iterable[int], sources: Mapping[str, AnnotatedText]
    ) -> list[int]:
        """Return the candidates that the parsed source does not rule out."""
        tagger = next(tagger for tagger in self._tools.taggers if tagger.phenomenon == name)
        assert isinstance(tagger, auxiliary.AuxiliaryTagger | inflection.InflectionTagger)  # noqa: S101

        def is_possible(index: int) -> bool:
            source = sources[document.segments[index].source]
            alone = AnnotatedDocument("", (source,), (AnnotatedText("", ()),), ((),))
            return any(verdict.reason not in _BY_SOURCE[name] for verdict in tagger.verdicts(alone, 0).values())

        return list(filter(is_possible, found))


Sides = tuple[tuple[AnnotatedText, ...], tuple[AnnotatedText, ...]]
"""Source and target of one document, one text a segment; what is not parsed has no tokens."""


def align_alone(aligner: Aligner, documents: Sequence[Sides]) -> list[tuple[tuple[Link, ...], ...]]:
    """Link each segment as a document by itself, every distinct pair of texts once; an empty side has no links."""
    pairs = {
        (one.text, other.text): (one, other)
        for document in documents
        for one, other in zip(*document, strict=True)
        if one.tokens and other.tokens
    }
    linked = aligner.align_many([((one,), (other,)) for one, other in pairs.values()])
    known = {pair: links for pair, (links,) in zip(pairs, linked, strict=True)}
    return [
        tuple(
            known[one.text, other.text] if one.tokens and other.tokens else ()
            for one, other in zip(*document, strict=True)
        )
        for document in documents
    ]


def resolve_windows(
    resolver: Resolver, document: AnnotatedDocument, segments: Iterable[int], reach: int
) -> tuple[Resolution, ...]:
    """Resolve the pronouns of some segments, in order, each from the ``reach`` segments before it."""
    found: list[Resolution] = []
    for segment in segments:
        start = max(0, segment - reach)
        window = slice(start, segment + 1)
        seen = resolve(resolver, document.source[window], document.target[window], document.links[window])
        found.extend(_moved(one, start) for one in seen if one.segment == segment - start)
    return tuple(found)


def resolve(
    resolver: Resolver,
    source: Sequence[AnnotatedText],
    target: Sequence[AnnotatedText],
    links: Sequence[Sequence[Link]],
) -> list[Resolution]:
    """Resolve the pronouns of a document's source, and keep nothing of it.

    A ranker would remember hundreds of sources for other targets of them; here each has one.
    """
    if isinstance(resolver, Ranker):
        return resolver.with_target(resolver.prepare(source), target, links)
    return resolver.resolve(source, target, links)


def _moved(resolution: Resolution, start: int) -> Resolution:
    """Return a resolution of a window with its segments counted from the beginning of the document."""
    antecedents = tuple(replace(found, segment=found.segment + start) for found in resolution.antecedents)
    return replace(resolution, segment=resolution.segment + start, antecedents=antecedents)
