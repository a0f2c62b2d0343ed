"""Which segments of a document are parsed: those that a look at the surface cannot rule out, and their windows.

A segment is a candidate of a phenomenon if its text has the words without which no rule holds: an English pronoun of a
rule and a form of the other language (gender, animacy, formality by case), a form of an auxiliary. Of auxiliaries and
inflection the source alone, parsed, rules out most of what is left (another verb), before anything else is parsed. A
candidate needs the segments before it that its antecedent may stand in. What is parsed of a document is thus the
union of the windows before its candidates; segments that no candidate needs have no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from endophora.annotate.annotator import SpacyAnnotator, encodable
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corpus.records import Document
from endophora.corpus.streams import REFERENCE
from endophora.extraction.setup import ExtractionTools
from endophora.languages.extraction import ExtractionRules, PronounTable
from endophora.languages.schema import LanguageRules
from endophora.phenomena import auxiliary, inflection
from endophora.phenomena.pronoun_cases import normal
from endophora.phenomena.reasons import Reason, Verdict
from endophora.phenomena.records import AnnotatedDocument

REACH = 2
"""Windows of the resolver before a candidate pronoun: its antecedents, and those of the pronouns among them."""

_SOURCE_RESOLVED = frozenset({"gender", "pronouns"})
_TARGET_RESOLVED = frozenset({"animacy"})
_LETTER = r"[^\W\d_]"

_BY_SOURCE: Mapping[str, frozenset[Reason]] = {
    "auxiliary": frozenset({Reason.NO_AUXILIARY, Reason.OTHER_VERB}),
    "inflection": frozenset({Reason.SOURCE_VERB}),
}
"""Phenomenon → what the parsed source alone says against a segment."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a document.

    Attributes:
        source: source texts, as :func:`surface_text` has them.
        target: target texts, likewise.
        written: source texts as they are written.
    """

    source: Sequence[str]
    target: Sequence[str]
    written: Sequence[str]


_STRESS = "\u0301"


def surface_text(text: str) -> str:
    """Return a text as the tables' forms are looked for in it.

    That is in lower case and without stress marks; a text with such marks stands there twice, the second time with
    blanks in their place, since a tokenizer may cut a word at them.
    """
    once = normal(text)
    return f"{once} {normal(text.replace(_STRESS, ' '))}" if _STRESS in text else once


Surface = Callable[[Texts], list[int]]
"""Returns the indices of a document's candidate segments."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be done of a document.

    Attributes:
        parsed: indices of the segments to parse, in order.
        resolve_source: whether source pronouns are to be resolved.
        resolve_target: whether target pronouns are to be resolved.
    """

    parsed: tuple[int, ...]
    resolve_source: bool = False
    resolve_target: bool = False


class PronounSurface:
    """Finds segments with an English pronoun of a table and a form of the other language of one of its rules.

    Args:
        tables: the tables.
        reverse: English is the target side.
    """

    def __init__(self, tables: Iterable[PronounTable], *, reverse: bool = False) -> None:
        self._reverse = reverse
        forms: dict[str, set[str]] = {}
        for table in tables:
            for case in table.cases():
                for english in case.english:
                    # An ending needs no word of its own; it is written with a hyphen or mark before it, or as it is.
                    forms.setdefault(english, set()).update(
                        f"…{words[-1].lstrip('-')}" if table.endings else words[-1] for words in case.words
                    )
        self._pairs = [(_starting([english]), _standing(others)) for english, others in sorted(forms.items())]
        self._any = _starting(sorted(forms)) if forms else None

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
    """Finds source segments with a form of an auxiliary.

    Args:
        rules: rules of the target language, which name the lemmas.
        english: rules of English, which have their forms.
        tokenize: cuts a text into the words that the annotator will have, where that is known beforehand; many words
            end like a clitic.
    """

    def __init__(
        self, rules: ExtractionRules, english: ExtractionRules, tokenize: Callable[[str], Iterable[str]] | None = None
    ) -> None:
        lemmas = {rule.lemma for rule in rules.auxiliary}
        forms = {normal(form) for lemma in lemmas for form in (lemma, *english.auxiliary_forms.get(lemma, ()))}
        self._forms = frozenset(forms)
        self._pattern = re.compile("|".join(map(_anywhere, sorted(forms)))) if forms else None
        self._tokenize = tokenize

    def __call__(self, texts: Texts) -> list[int]:
        """Return the indices of the candidate segments."""
        pattern, tokenize = self._pattern, self._tokenize
        found = [] if pattern is None else [index for index, text in enumerate(texts.source) if pattern.search(text)]
        if tokenize is None:
            return found
        return [index for index in found if not self._forms.isdisjoint(tokenize(texts.written[index]))]


def _tokenizer(annotator: Annotator) -> Callable[[str], Iterable[str]] | None:
    """Return what cuts texts as an annotator does, if it is a pipeline, in which the tokenizer alone decides."""
    if not isinstance(annotator, SpacyAnnotator):
        return None
    cut = annotator.nlp.make_doc
    return lambda text: (normal(token.text) for token in cut(encodable(text)))


def _starting(forms: Sequence[str]) -> re.Pattern[str]:
    """Match forms where a word begins: tokenizers cut clitics off its end (*itll*), and nothing off its beginning."""
    return re.compile(rf"(?<!{_LETTER})(?:{'|'.join(map(re.escape, forms))})")


def _standing(forms: Collection[str]) -> re.Pattern[str]:
    """Match forms that are whole words, and where “…” stands before them, ends of words."""
    return re.compile("|".join(map(_word, sorted(forms))))


def _word(form: str) -> str:
    # A word without its vowel ends in an apostrophe, which the next word follows at once (*je t'aime*).
    begins = "" if form.startswith("…") else rf"(?<!{_LETTER})"
    ends = rf"(?!{_LETTER})" if form[-1].isalpha() else ""
    return begins + re.escape(form.removeprefix("…")) + ends


def _anywhere(form: str) -> str:
    """Match a form of an auxiliary: a clitic wherever it stands, a word where a word begins."""
    clitic = len(form) < 3 or not form[0].isalpha()
    return rf"{re.escape(form)}(?!{_LETTER})" if clitic else rf"(?<!{_LETTER}){re.escape(form)}"


def _everything(texts: Texts) -> list[int]:
    return list(range(len(texts.source)))


class Selector:
    """Chooses what to parse of documents.

    Args:
        tools: the tools of the extraction.
        reach: windows of the resolver that are parsed before a candidate pronoun.
    """

    def __init__(self, tools: ExtractionTools, reach: int = REACH) -> None:
        self._tools = tools
        setup = tools.extraction
        source, target = (_rules(rules) for rules in (tools.source_rules, tools.target_rules))
        self._surfaces: dict[str, Surface] = dict.fromkeys(setup.phenomena, _everything)
        self._windows: dict[str, int | None] = dict.fromkeys(setup.phenomena)
        if not setup.prefilter:
            return
        known: dict[str, tuple[Surface, int]] = {
            "gender": (PronounSurface(target.gender), reach * setup.window),
            "animacy": (PronounSurface(source.gender, reverse=True), reach * setup.window),
            "formality_cases": (PronounSurface(target.formality), 0),
            "auxiliary": (AuxiliarySurface(target, source, _tokenizer(tools.source_annotator)), auxiliary.LOOK_BACK),
            "inflection": (_everything, inflection.LOOK_BACK),
        }
        for name in self._surfaces.keys() & known.keys():
            self._surfaces[name], self._windows[name] = known[name]

    def candidates(self, document: Document) -> dict[str, list[int]]:
        """Return the candidate segments of each phenomenon, as the surface has them.

        Args:
            document: a document of a stream.
        """
        written = [segment.source for segment in document.segments]
        texts = Texts(
            [surface_text(text) for text in written],
            [surface_text(segment.references[REFERENCE]) for segment in document.segments],
            written,
        )
        return {name: surface(texts) for name, surface in self._surfaces.items()}

    def first(self, candidates: Mapping[str, Sequence[int]]) -> list[int]:
        """Return the segments whose source is parsed first, since it may rule them out.

        Args:
            candidates: what :meth:`candidates` returned.
        """
        staged = (name for name in candidates if name in _BY_SOURCE and self._windows[name] is not None)
        return sorted({index for name in staged for index in candidates[name]})

    def select(
        self, document: Document, candidates: Mapping[str, Sequence[int]], sources: Mapping[str, AnnotatedText]
    ) -> Selection:
        """Return what is to be done of a document.

        Args:
            document: the document.
            candidates: what :meth:`candidates` returned.
            sources: source text → its annotation, of the segments of :meth:`first` at least.
        """
        parsed: set[int] = set()
        resolved: set[str] = set()
        for name, found in candidates.items():
            window = self._windows[name]
            if window is None:
                parsed.update(range(len(document.segments)))
                resolved.add(name)
                continue
            left = self._possible(name, document, found, sources) if name in _BY_SOURCE else found
            if left:
                resolved.add(name)
            for index in left:
                parsed.update(range(max(0, index - window), index + 1))
        return Selection(tuple(sorted(parsed)), bool(resolved & _SOURCE_RESOLVED), bool(resolved & _TARGET_RESOLVED))

    def _possible(
        self, name: str, document: Document, found: Iterable[int], sources: Mapping[str, AnnotatedText]
    ) -> list[int]:
        """Return the candidates that the parsed source does not rule out."""
        verdicts = self._verdicts(name)
        against = _BY_SOURCE[name]
        return [
            index
            for index in found
            if any(
                verdict.reason not in against
                for verdict in verdicts(_alone(sources[document.segments[index].source]), 0).values()
            )
        ]

    def _verdicts(self, name: str) -> Callable[[AnnotatedDocument, int], Mapping[str, Verdict]]:
        tagger = next(tagger for tagger in self._tools.taggers if tagger.phenomenon == name)
        assert isinstance(tagger, auxiliary.AuxiliaryTagger | inflection.InflectionTagger)  # noqa: S101
        return tagger.verdicts


def _alone(source: AnnotatedText) -> AnnotatedDocument:
    return AnnotatedDocument("", (source,), (AnnotatedText("", ()),), ((),))


def _rules(rules: LanguageRules) -> ExtractionRules:
    return rules.extraction or ExtractionRules()
