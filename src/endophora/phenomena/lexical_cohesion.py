"""Lexical cohesion: a content word that was translated in the same way before (Fernandes et al. 2023, §4.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Memory, Occurrence, best_targets, mutual_links, remembered
from endophora.phenomena.tagging import TaggerSetup, rules_signature


class LexicalCohesionTagger:
    """Tags a target content word if its pair with the linked source word has occurred often enough before."""

    phenomenon = "lexical_cohesion"

    def __init__(
        self,
        source: LanguageRules,
        target: LanguageRules,
        variant: Literal["lemma", "surface"] = "lemma",
        repetitions: int = 3,
    ) -> None:
        self.source = source.content_words
        self.target = target.content_words
        self._variant = variant
        self._repetitions = repetitions
        self.signature = f"{variant},{repetitions},{rules_signature(source, target)}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        occurrences: list[Occurrence] = []
        memory: defaultdict[tuple[str, str], Memory] = defaultdict(Memory)
        theirs = document_lemmas(document.source, self.source.boundary)
        ours = document_lemmas(document.target, self.target.boundary)
        for segment, (source, target, links) in enumerate(
            zip(document.source, document.target, document.links, strict=True)
        ):
            here = self._pairs(source, target, links, theirs, ours)
            for pair, source_token, target_token in here:
                known = memory.get(pair)
                if known is not None and known.count >= self._repetitions:
                    place = document.id, segment, self.phenomenon, self._variant
                    form, support = target.tokens[target_token].form, known.support(segment)
                    occurrences.append(Occurrence(*place, (source_token,), (target_token,), form, support))
            for pair, source_token, target_token in here:
                memory[pair].add(segment, (source_token,), (target_token,))
        return occurrences

    def _pairs(
        self,
        source: AnnotatedText,
        target: AnnotatedText,
        links: Sequence[Link],
        source_lemmas: Mapping[str, str],
        target_lemmas: Mapping[str, str],
    ) -> list[tuple[tuple[str, str], int, int]]:
        """Return a segment's linked pairs of content words, ordered by target token: the pair and its two tokens."""
        if self._variant == "lemma":
            linked = sorted(mutual_links(links).items())
        else:
            linked = sorted((target, source) for source, target in best_targets(links).items())
        source_words, target_words = self.source, self.target
        found: list[tuple[tuple[str, str], int, int]] = []
        for j, i in linked:
            theirs, ours = source.tokens[i], target.tokens[j]
            if ours.upos not in target_words.upos or theirs.upos not in source_words.upos:
                continue
            pair = source_lemmas[theirs.form], target_lemmas[ours.form]
            if pair[0] in source_words.stop_lemmas or pair[1] in target_words.stop_lemmas:
                continue
            if not any(map(str.isalpha, pair[1])):
                continue
            found.append((pair if self._variant == "lemma" else (theirs.form, ours.form), i, j))
        return found


def document_lemmas(texts: Sequence[AnnotatedText], boundary: str) -> Mapping[str, str]:
    """Return the lemma of each form of a document, folded: the one that the annotator gave it most often.

    An annotator may give one form several lemmas in different sentences; within a document it is one word. What
    follows a boundary of morphemes is left out.
    """
    folded = _folded_lemmas(texts)
    return {form: lemma.split(boundary)[0] or lemma for form, lemma in folded.items()} if boundary else folded


@partial(remembered, most=2_000)
def _folded_lemmas(texts: Sequence[AnnotatedText]) -> dict[str, str]:
    counts = Counter([token[:2] for text in texts for token in text.tokens])  # form and lemma
    best: dict[str, tuple[int, str]] = {}
    for (form, lemma), count in counts.items():
        if form not in best or count > best[form][0]:
            best[form] = count, lemma
    return {form: lemma.casefold() for form, (_, lemma) in best.items()}


def make_tagger(setup: TaggerSetup) -> LexicalCohesionTagger:
    """Return the tagger of lexical cohesion."""
    options = setup.options
    return LexicalCohesionTagger(setup.source, setup.target, options.lexical_cohesion, options.repetitions)
