"""What CXMI is measured on: pairs of an input and its gold output, with all the context that may be given.

Nothing in the measure is about translation: a sample is a segment of a parallel document with the segments before it,
or one line of any conditional generation task (dialogue, summaries, questions about a passage), whose context is
all that the model conditions on besides its input.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from itertools import accumulate
from typing import Literal, NoReturn, TypeAlias, cast

import numpy as np

from endophora.annotate.records import AnnotatedText, Annotator, Token
from endophora.annotate.store import AnnotationStore
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.records import Corpus, Location
from endophora.corpus.tabular import is_sound
from endophora.corpus.trees import TreeError, load_json, load_yaml
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import reference_text
from endophora.evaluation.setup import Setup
from endophora.evaluation.tagging import TaggedDocument, tag_targets, target_texts
from endophora.models.records import ModelInput, ScoredTarget, contextual_inputs
from endophora.statistics.units import FloatArray


@cache
def label_features() -> Mapping[str, tuple[str, ...]]:
    """Return part of speech → the features that are named behind it."""
    read = load_yaml(files("endophora.context").joinpath("labels.yaml").read_text(encoding="utf-8"))
    return {upos: tuple(features) for upos, features in cast("dict[str, list[str]]", read).items()}


def labels_of(token: Token) -> tuple[str, ...]:
    """Return a token's part of speech, alone and with each further feature: ``PRON``, ``PRON.3``, ``PRON.3.Plur``."""
    if not token.upos:
        return ()
    named = (token.features.get(name, "") for name in label_features().get(token.upos, ()))
    return tuple(accumulate((token.upos, *filter(None, named)), lambda label, value: f"{label}.{value}"))


Span: TypeAlias = tuple[int, int]

_PLAIN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a target text; its lemma is the form where nothing annotated it.

    ``labels`` are its part of speech, alone and with features (``PRON.3.Plur``), ``tags`` the phenomena found, sorted.
    """

    start: int
    end: int
    form: str
    lemma: str
    labels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def annotated_words(text: AnnotatedText, tags: Sequence[frozenset[str]] | None = None) -> tuple[Word, ...]:
    """Return the words of an annotated text, with the phenomena that each token is an occurrence of."""
    found = tags if tags is not None else [frozenset[str]()] * len(text.tokens)
    return tuple(
        Word(token.start, token.end, token.form, token.lemma, labels_of(token), tuple(sorted(names)))
        for token, names in zip(text.tokens, found, strict=True)
    )


def plain_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text of any language: runs of letters and digits, and each other character by itself."""
    return tuple(Word(*found.span(), found[0], found[0]) for found in _PLAIN.finditer(text))


def share_out(pieces: Sequence[Span], words: Sequence[Span]) -> FloatArray:
    """Return which share of each sub-word, (T,), goes to which word, (W,): (T, W + 1), rows sum to 1.

    1. A sub-word that spells characters of words goes to these words, in proportion to the characters.
    2. One that spells none (the mark of a beginning word that stands alone, a blank, one byte of a character whose span
       is empty) goes to the word in which it stands or, between words, to the next, and after the last to the last.
    3. The end of the sentence, which is the last sub-word, is no word. It goes to the last column, and so does all
       where there are no words.
    """
    shares = np.zeros((len(pieces), len(words) + 1))
    if not pieces:
        return shares
    if words:
        edges, cuts = np.asarray(words, dtype=np.intp), np.asarray(pieces, dtype=np.intp)
        first = np.maximum(cuts[:, None, 0], edges[None, :, 0])
        last = np.minimum(cuts[:, None, 1], edges[None, :, 1])
        shares[:, :-1] = np.maximum(last - first, 0)
        for silent in np.flatnonzero(shares.sum(axis=1) == 0):
            # The first word that ends behind the sub-word holds it or follows it.
            behind = np.flatnonzero(edges[:, 1] > cuts[silent, 0])
            shares[silent, behind[0] if len(behind) else len(words) - 1] = 1
    else:
        shares[:, -1] = 1
    shares[-1] = 0
    shares[-1, -1] = 1
    return shares / shares.sum(axis=1, keepdims=True)


def word_logprobs(scored: ScoredTarget, words: Sequence[Word]) -> FloatArray:
    """Return the log-probability of each word of a scored target, and last that of its end: (W + 1,)."""
    return scored.logprobs @ share_out(scored.spans, [(word.start, word.end) for word in words])


_NOWHERE = Location("", 0)


@dataclass(frozen=True, slots=True)
class Sample:
    """One output to score, and where it stands; samples of one document are resampled together."""

    document: str
    segment: int
    whole: ModelInput
    target: str
    words: tuple[Word, ...]
    location: Location = _NOWHERE


@dataclass(frozen=True, slots=True)
class Material:
    """All samples of a measurement; languages are empty where unknown, and so are phenomena if none were tagged."""

    kind: Literal["documents", "tasks"]
    languages: tuple[str, str]
    samples: tuple[Sample, ...]
    phenomena: tuple[str, ...]
    signature: str
    warnings: tuple[str, ...] = ()


def corpus_material(
    corpus: Corpus, setup: Setup, size: int, workers: int = 1, progress: Callable[[int], None] | None = None
) -> Material:
    """Return the segments of a corpus, each with the segments before it and the words of its first reference.

    Args:
        corpus: documents with a reference, which is the gold output.
        setup: annotators and taggers; without phenomena the reference is annotated and nothing is tagged.
        size: most segments of context.
        workers: processes that tag.
        progress: called with numbers of segments as they are annotated and tagged.

    Raises:
        InputError: there is no reference (E107), a language has no rules, or an option of the setup is wrong.
        MissingModelError: a tool of the setup is not installed.
    """
    if not corpus.references:
        raise InputError(Fault("E107", "the corpus has no reference", "it is what the model scores: give it"))
    name = corpus.references[0]
    text_of = reference_text(name)
    tools = setup.load()
    tagged: list[TaggedDocument] | None = None
    if setup.taggers.phenomena:
        (tagged,) = tag_targets(setup, [target_texts(corpus, text_of)], workers, progress)
    texts = [text_of(segment) for document in corpus.documents for segment in document.segments]
    annotated = iter(tools.annotations.annotate(tools.target_annotator, texts))
    samples: list[Sample] = []
    for number, document in enumerate(corpus.documents):
        sources = [segment.source for segment in document.segments]
        targets = [text_of(segment) for segment in document.segments]
        words = [next(annotated) for _ in targets]
        tags = _tags(tagged[number], words) if tagged is not None else [None] * len(words)
        samples.extend(
            Sample(document.id, index, whole, target, annotated_words(text, tag), document.segments[index].location)
            for index, (whole, target, text, tag) in enumerate(
                zip(contextual_inputs(sources, targets, size), targets, words, tags, strict=True)
            )
        )
    signature = tools.signature if tagged is not None else f"target:{tools.target_annotator.signature}"
    pair = (corpus.source_language, corpus.target_language)
    return Material("documents", pair, tuple(samples), setup.taggers.phenomena, signature, corpus.warnings)


def with_annotation(material: Material, annotator: Annotator, store: AnnotationStore) -> Material:
    """Return the same samples with the words that an annotator finds in the outputs."""
    texts = store.annotate(annotator, [sample.target for sample in material.samples])
    samples = tuple(
        replace(sample, words=annotated_words(text)) for sample, text in zip(material.samples, texts, strict=True)
    )
    return replace(material, samples=samples, signature=f"target:{annotator.signature}")


def _tags(document: TaggedDocument, texts: Sequence[AnnotatedText]) -> list[list[frozenset[str]]]:
    """Return for each segment, for each of its tokens, the phenomena that it is an occurrence of."""
    found: list[list[set[str]]] = [[set() for _ in text.tokens] for text in texts]
    for occurrence in document.occurrences:
        for token in occurrence.target_tokens:
            found[occurrence.segment][token].add(occurrence.phenomenon)
    return [[frozenset(names) for names in segment] for segment in found]


class JsonRows:
    """Reads a JSON Lines file of flat objects."""

    def __init__(self, path: PathLike, log: FaultLog) -> None:
        self.path = path
        self.file = display_name(path)
        self.log = log

    def __iter__(self) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield the number and the object of each line that has one."""
        for number, text in each_line(self.path, self.log):
            value = None if text is None else self._parsed(text, number)
            if value is not None:
                yield number, value

    def text(self, value: dict[str, object], key: str, number: int) -> str | None:
        """Return the text under a key, or note what is wrong with it."""
        return self.sound(value[key], key, number) if self._has(value, key, number, "every line needs it") else None

    def texts(self, value: dict[str, object], key: str, number: int) -> tuple[str, ...] | None:
        """Return the list of texts under a key, a text by itself as a list of one; note what is wrong with it."""
        if not self._has(value, key, number, "every line needs it; [] is none"):
            return None
        given = value[key]
        listed = cast("list[object]", given) if isinstance(given, list) else [given]
        sound = [text for one in listed if (text := self.sound(one, key, number)) is not None]
        return tuple(sound) if len(sound) == len(listed) else None

    def _has(self, value: dict[str, object], key: str, number: int, advice: str) -> bool:
        if key not in value:
            self._wrong(f"the key “{key}” is missing", advice, number)
        return key in value

    def sound(self, text: object, key: str, number: int) -> str | None:
        """Return a text that could be in a UTF-8 file, or note what it is instead."""
        if not isinstance(text, str):
            self._wrong(f"“{key}” has something that is no text", "put it in double quotes", number)
            return None
        return text if is_sound(text, key, partial(self.log.add, file=self.file, line=number)) else None

    def _wrong(self, cause: str, advice: str, number: int) -> None:
        self.log.add("E312", cause, advice, self.file, number)

    def _parsed(self, text: str, number: int) -> dict[str, object] | None:
        try:
            value = load_json(text, object_pairs_hook=_unique, parse_constant=_no_number)
        except TreeError as error:
            cause = str(error) if text.strip() else "the line is empty"
            self.log.add("E310", cause, "write one JSON object a line", self.file, number)
            return None
        if not isinstance(value, dict):
            self.log.add("E310", "the line is no JSON object", "write one JSON object a line", self.file, number)
            return None
        return cast("dict[str, object]", value)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key “{twice}” is there twice")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_KEYS = ("input", "context", "output", "document")


def read_tasks(path: PathLike) -> Material:
    """Read a task; the words are those of :func:`plain_words` (E001–E007, E310, E312, E313, E314)."""
    log = FaultLog()
    rows = JsonRows(path, log)
    samples: list[Sample] = []
    seen = Counter[str]()
    unused: set[str] = set()
    documents = _DocumentNames(rows)
    for number, value in rows:
        source, context = rows.text(value, "input", number), rows.texts(value, "context", number)
        target, document = rows.text(value, "output", number), documents.name(value, number)
        unused.update(key for key in value if key not in _KEYS)
        for key, text in (("input", source), ("output", target)):
            if text is not None and not text.strip():
                log.add("E313", f"the {key} is empty", "write it, or delete the line", rows.file, number)
        if source is not None and context is not None and target is not None and document is not None:
            # An empty text is no context.
            given = tuple(text for text in context if text.strip())
            whole, place = ModelInput(source, given), Location(rows.file, number)
            samples.append(Sample(document, seen[document], whole, target, plain_words(target), place))
            seen[document] += 1
    log.check()
    warnings = (f"Keys of {rows.file} that were not used: {', '.join(sorted(unused))}.",) if unused else ()
    return Material("tasks", ("", ""), tuple(samples), (), "plain words", warnings)


class _DocumentNames:
    """Names the document of each line, and notes where the names do not go together (E314)."""

    def __init__(self, rows: JsonRows) -> None:
        self._rows = rows
        self._named: bool | None = None
        self._seen: set[str] = set()
        self._last: str | None = None

    def name(self, value: dict[str, object], number: int) -> str | None:
        """Return the id of a line's document: that it gives, or the line's number where no line gives one."""
        named = "document" in value
        if self._named is None:
            self._named = named
        elif named != self._named:
            cause = "the line names a document, and the first does not" if named else "the line names no document"
            self._wrong(cause, "name it in every line, or in none", number)
            return None
        if not named:
            return str(number)
        name = self._rows.text(value, "document", number)
        if name is not None and name != self._last and name in self._seen:
            self._wrong(f"document “{name}” comes back after another", "bring its lines together", number)
        if name is not None:
            self._last = name
            self._seen.add(name)
        return name

    def _wrong(self, cause: str, advice: str, number: int) -> None:
        self._rows.log.add("E314", cause, advice, self._rows.file, number)
