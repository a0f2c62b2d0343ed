"""How right an annotator is on a treebank: with the treebank's tokens, and with its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spacy.tokens import Doc

from endophora.annotate.annotator import SpacyAnnotator, parse_features
from endophora.annotate.records import AnnotatedText, Token
from endophora_makers.conllu import Sentence, Word

FEATURES = ("Gender", "Number", "Case", "Person", "Tense", "Mood", "VerbForm")
"""The features that are scored one by one, over the words that have them in the treebank or in the prediction."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of an annotator on a test set, in per cent.

    Attributes:
        gold: figure by name, given the treebank's tokens; accuracy, and for single features F1.
        own: the same F1 figures over words that both tokenise alike, from raw text; ``TOKENS`` is the tokenizer's.
    """

    words: int
    gold: Mapping[str, float]
    own: Mapping[str, float]


@dataclass(slots=True)
class _Tally:
    """Counts of right, predicted and expected values by figure."""

    right: Counter[str] = field(default_factory=Counter[str])
    predicted: Counter[str] = field(default_factory=Counter[str])
    expected: Counter[str] = field(default_factory=Counter[str])

    def add(self, name: str, predicted: object, expected: object) -> None:
        """Count one value; ``None`` stands for no value, which is neither predicted nor expected."""
        self.right[name] += predicted == expected and expected is not None
        self.predicted[name] += predicted is not None
        self.expected[name] += expected is not None

    def figures(self) -> dict[str, float]:
        """Return F1 of each figure that is predicted at all, in per cent (an accuracy where every word has a value)."""
        return {
            name: round(200 * self.right[name] / (self.predicted[name] + total), 2)
            for name, total in self.expected.items()
            if total and self.predicted[name]
        }


def score_annotator(annotator: SpacyAnnotator, sentences: Sequence[Sentence]) -> Scores:
    """Score an annotator on sentences, each a separate text.

    Returns:
        The figures. Unlike the CoNLL 2018 script, surface tokens are compared, multi-word tokens as merged or split.
    """
    gold, own = _Tally(), _Tally()
    for sentence, predicted in zip(sentences, _given_tokens(annotator, sentences), strict=True):
        for index, word in enumerate(sentence.words):
            _compare(gold, predicted.tokens[index], word, predicted.tokens[index].head, word.head)
    for sentence, predicted in zip(sentences, annotator.annotate(s.text for s in sentences), strict=True):
        _compare_spans(own, sentence, predicted)
    _score_entities(gold, sentences, list(_given_tokens(annotator, sentences)))
    return Scores(sum(len(sentence.words) for sentence in sentences), gold.figures(), own.figures())


def _given_tokens(annotator: SpacyAnnotator, sentences: Iterable[Sentence]) -> Iterator[AnnotatedText]:
    """Annotate the treebank's own tokens."""
    nlp = annotator.nlp
    docs = (Doc(nlp.vocab, words=[w.form for w in s.words], spaces=[w.space for w in s.words]) for s in sentences)
    return map(annotator.read, nlp.pipe(docs))


def _compare(tally: _Tally, token: Token | None, word: Word | None, head: object, gold_head: object) -> None:
    """Count one word: predicted, expected, or both."""
    values: Mapping[str, str] = token.features if token else dict[str, str]()
    wanted = parse_features(word.features if word else "_")
    tally.add("UPOS", token and token.upos, word and word.upos)
    if not word or word.xpos != "_":
        tally.add("XPOS", token and (token.xpos or None), word and word.xpos)
    tally.add("FEATS", token and tuple(sorted(values.items())), word and tuple(sorted(wanted.items())))
    for name in FEATURES:
        tally.add(name, values.get(name), wanted.get(name))
    if not word or word.lemma != "_":
        tally.add("LEMMA", token and token.lemma, word and word.lemma)
    if not word or word.head is not None:
        tally.add("UAS", head if token else None, gold_head if word else None)
        relation = (gold_head, _plain(word.relation)) if word else None
        tally.add("LAS", (head, _plain(token.relation)) if token else None, relation)


def _plain(relation: str) -> str:
    """Return a relation without its subtype, as the shared tasks score it."""
    return relation.partition(":")[0]


def _spans(words: Sequence[Word]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for word in words:
        spans.append((start, start + len(word.form)))
        start += len(word.form) + word.space
    return spans


def _compare_spans(tally: _Tally, sentence: Sentence, predicted: AnnotatedText) -> None:
    """Count the words of one sentence as tokenised by the annotator; heads are compared by their offsets."""
    spans = _spans(sentence.words)
    expected = {span: (word, _place(word.head, spans)) for span, word in zip(spans, sentence.words, strict=True)}
    own = [(token.start, token.end) for token in predicted.tokens]
    for span, token in zip(own, predicted.tokens, strict=True):
        word, head = expected.pop(span, (None, None))
        tally.add("TOKENS", span, span if word else None)
        _compare(tally, token, word, _place(token.head, own), head)
    for span, (word, head) in expected.items():
        tally.add("TOKENS", None, span)
        _compare(tally, None, word, None, head)


def _place(head: int | None, spans: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    return None if head is None else (-1, -1) if head < 0 else spans[head]


def _score_entities(tally: _Tally, sentences: Sequence[Sentence], texts: Sequence[AnnotatedText]) -> None:
    """Count entities by exact span, type aside, in the sentences that have entity labels."""
    for sentence, text in zip(sentences, texts, strict=True):
        if all(word.entity == "_" for word in sentence.words):
            continue
        wanted = set(_chunks([word.entity for word in sentence.words]))
        found = set(_chunks([token.entity for token in text.tokens]))
        for chunk in wanted | found:
            tally.add("ENTITIES", chunk if chunk in found else None, chunk if chunk in wanted else None)


def _chunks(tags: Sequence[str]) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for index, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            yield start, index
            start = None
        if tag.startswith("B-"):
            start = index
