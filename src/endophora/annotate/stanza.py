"""Stanza's models by name, behind a spaCy ``Language`` whose tokenizer makes fully annotated docs.

Stanza's tokens are those of the treebanks. A multi-word token (*zum*, *dárselo*, *don't*) becomes surface tokens: those
that our own tokenizer of the language sees in it, if it sees one for each word, else a single one with the analysis of
its head. So a text has like tokens, whichever annotator is named.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from endophora.annotate.annotator import SpacyAnnotator, encodable
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.annotate.tokenisation import blank
from endophora.errors import EndophoraError, Fault, MissingModelError

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse", "ner")
"""Stanza's processors that are run, where the language has a model for them."""

_BATCH = 64
_SHARED = ("pretrain", "forward_charlm", "backward_charlm")  # models that processors take their embeddings from
_ENTITY = {"S": "B", "B": "B", "I": "I", "E": "I"}  # from Stanza's marks of a span's ends to spaCy's


def load(language: str, argument: str = "") -> Annotator:
    """Load Stanza's models of a language; nothing is downloaded. What is missing is E040, with the command.

    ``argument`` stands after ``stanza:``: a package of Stanza's (``gsd``), or a directory: one that Stanza downloads
    to, or one of models trained by the user, with a folder a processor (``tokenize``, ``pos``, …, and ``pretrain``
    where they need it) that holds one ``.pt`` file. By default they are Stanza's own.
    """
    version = str(_module("stanza").__version__)
    directory = Path(argument) if argument and Path(argument).is_dir() else None
    package = "default" if directory is not None or not argument else argument
    if directory is not None and not (directory / "resources.json").is_file():
        pipeline = _trained_by_user(language, directory)
    else:
        pipeline = _downloaded(language, directory, package)
    config = cast("Mapping[str, object]", pipeline.config)
    signature = f"stanza-{language}-{package}-{version}-{_digest(config)}"
    return StanzaAnnotator(pipeline, language, signature)


class StanzaAnnotator(SpacyAnnotator):
    """Annotates with a Stanza pipeline, many texts at a time."""

    def __init__(self, pipeline: Any, language: str, signature: str) -> None:
        from spacy.language import Language

        nlp = Language()
        self._tokenizer = StanzaTokenizer(nlp.vocab, pipeline, language)
        nlp.tokenizer = cast("Any", self._tokenizer)
        super().__init__(nlp, language, signature)
        self._entities = "ner" in pipeline.processors

    @property
    def entities(self) -> bool:
        """Whether the pipeline has Stanza's processor for named entities."""
        return self._entities

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts, in order, one result a text."""
        waiting = iter(texts)
        while batch := list(islice(waiting, _BATCH)):
            for doc, text in zip(self._tokenizer.docs([encodable(text) for text in batch]), batch, strict=True):
                yield self.read(doc, text)


@dataclass(slots=True)
class _Row:
    """One surface token on its way to a doc; ``start`` and ``end`` are offsets, ``head`` a row."""

    start: int
    end: int
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    features: str = ""
    head: int = -1
    relation: str = ""
    entity: str = "O"
    first: bool = False


class StanzaTokenizer:
    """Turns a text into a doc with everything that a Stanza pipeline predicts; spaCy calls it as its tokenizer."""

    def __init__(self, vocab: Vocab, pipeline: Any, language: str) -> None:
        self._vocab = vocab
        self._pipeline = pipeline
        try:
            self._surface = blank(language).tokenizer
        except EndophoraError:
            self._surface = None  # without our tokenizer, multi-word tokens stay whole
        self._pieces: dict[str, list[str]] = {}

    def __call__(self, text: str) -> Doc:
        """Return the doc of one text."""
        return next(self.docs([text]))

    def docs(self, texts: Sequence[str]) -> Iterator[Doc]:
        """Return the docs of texts, in order; the pipeline sees them all at once."""
        filled = [text for text in texts if text.strip()]
        done = iter(cast("list[Any]", self._pipeline.bulk_process(filled)) if filled else ())
        for text in texts:
            rows = self._rows(next(done)) if text.strip() else []
            yield _doc(self._vocab, text, rows)

    def _rows(self, document: Any) -> list[_Row]:
        """Return the surface tokens of a Stanza document."""
        rows: list[_Row] = []
        for sentence in document.sentences:
            first = len(rows)
            groups: list[list[Any]] = []
            for token in sentence.tokens:
                words = list(token.words)
                pieces = self._split(token.text, len(words))
                parts = [[word] for word in words] if len(pieces) == len(words) else [words]
                start = int(token.start_char)
                entity = _entity(getattr(token, "ner", None))
                for part, piece in zip(parts, pieces if len(parts) > 1 else [token.text], strict=True):
                    end = start + len(piece) if len(parts) > 1 else int(token.end_char)
                    rows.append(_Row(start, end, entity=entity))
                    groups.append(part)
                    start = end
                    entity = entity.replace("B-", "I-")
            rows[first].first = True
            place = {word.id: first + index for index, group in enumerate(groups) for word in group}
            for index, group in enumerate(groups, start=first):
                _analyse(rows[index], group, place)
        return rows

    def _split(self, surface: str, words: int) -> list[str]:
        """Return the pieces that our own tokenizer sees in the surface of some words."""
        if words == 1 or self._surface is None:
            return [surface]
        if surface not in self._pieces:
            self._pieces[surface] = [token.text for token in cast("Any", self._surface)(surface)]
        return self._pieces[surface]


def _analyse(row: _Row, words: Sequence[Any], place: Mapping[int, int]) -> None:
    """Give a surface token the analysis of its word, or of the one among its words whose head lies outside."""
    inside = {word.id for word in words}
    word = next((word for word in words if word.head not in inside), words[0])
    auxiliaries = [other.feats for other in words if other is not word and str(other.deprel).startswith("aux")]
    row.lemma = word.lemma or ""
    row.upos = word.upos or ""
    row.xpos = word.xpos or ""
    row.features = _joined([*auxiliaries, word.feats])
    row.head = place.get(word.head, -1) if word.head is not None else -1
    row.relation = ("root" if word.head == 0 else word.deprel) or ""


def _joined(features: Iterable[str | None]) -> str:
    """Return several FEATS as one; of two values of a feature the last holds (Polish *był* + *em*)."""
    pairs = dict(pair.split("=", 1) for text in features if text for pair in text.split("|") if "=" in pair)
    return "|".join(f"{name}={pairs[name]}" for name in sorted(pairs))


def _entity(mark: str | None) -> str:
    """Return Stanza's entity mark (``S-PER``) as spaCy's (``B-PER``)."""
    kind, _, name = (mark or "O").partition("-")
    return f"{_ENTITY[kind]}-{name}" if kind in _ENTITY and name else "O"


def _doc(vocab: Vocab, text: str, rows: Sequence[_Row]) -> Doc:
    """Return a doc of a text and its tokens; white space beyond a single blank becomes separate tokens."""
    from spacy.tokens import Doc

    words: list[str] = []
    spaces: list[bool] = []
    owners: list[int] = []  # the row of each token of the doc; -1 for white space
    end = 0
    for index, row in enumerate(rows):
        _fill(words, spaces, owners, text[end : row.start])
        words.append(text[row.start : row.end])
        spaces.append(False)
        owners.append(index)
        end = row.end
    _fill(words, spaces, owners, text[end:])
    place = {row: token for token, row in enumerate(owners) if row >= 0}
    parsed = any(row.relation for row in rows)
    # White space goes with the token before it, so that it begins no sentence; a root is its own head.
    beside = [max(token - 1, 0) if token or len(owners) == 1 else 1 for token in range(len(owners))]
    heads = [
        beside[token] if row < 0 else place[rows[row].head] if rows[row].head >= 0 else token
        for token, row in enumerate(owners)
    ]
    each = [rows[row] if row >= 0 else _Row(0, 0) for row in owners]
    return Doc(
        vocab,
        words=words,
        spaces=spaces,
        lemmas=[row.lemma for row in each],
        pos=[row.upos for row in each],
        tags=[row.xpos for row in each],
        morphs=[row.features for row in each],
        heads=heads if parsed else None,
        deps=[row.relation or "dep" for row in each] if parsed else None,
        sent_starts=None if parsed else [row.first for row in each],
        ents=[row.entity for row in each],
    )


def _fill(words: list[str], spaces: list[bool], owners: list[int], gap: str) -> None:
    """Add what lies between two tokens: one space belongs to the token before, the rest is a separate token."""
    if gap.startswith(" ") and words:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)
        owners.append(-1)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        advice = "install it with: pip install 'endophora[stanza]'"
        raise MissingModelError(Fault("E040", "Stanza is not installed", advice)) from error


def _downloaded(language: str, directory: Path | None, package: str) -> Any:
    """Return a pipeline of models that Stanza has downloaded."""
    root = Path(_module("stanza.resources.common").DEFAULT_MODEL_DIR) if directory is None else directory
    options = "" if package == "default" else f", package='{package}'"
    options += "" if directory is None else f", model_dir='{directory}'"
    code = f"import stanza; stanza.download('{language}'{options})"
    advice = f'install it with: {Path(sys.executable).name} -c "{code}"'
    has_entities = any((root / language / "ner").glob("*.pt"))
    wanted = {name: package for name in PROCESSORS if name != "mwt" and (name != "ner" or has_entities)}
    try:
        return _module("stanza").Pipeline(
            language, dir=str(root), package=None, processors=wanted, download_method=None, logging_level="ERROR"
        )
    except (FileNotFoundError, ValueError, KeyError) as error:
        kind = "" if package == "default" else f" of the package “{package}”"
        fault = Fault("E040", f"Stanza's models{kind} for “{language}” are not installed", advice)
        raise MissingModelError(fault) from error


def _trained_by_user(language: str, directory: Path) -> Any:
    """Return a pipeline of models that are in folders by processor."""
    found = {name: next(iter(sorted((directory / name).glob("*.pt"))), None) for name in (*PROCESSORS, *_SHARED)}
    if found["tokenize"] is None:
        cause = f"{directory} has neither Stanza's resources.json nor a tokenizer, tokenize/*.pt"
        raise MissingModelError(Fault("E040", cause, "train one, or name another directory"))
    options = {f"{name}_model_path": str(found[name]) for name in PROCESSORS if found[name] is not None}
    for name in ("pos", "depparse", "ner"):
        options |= {f"{name}_{part}_path": str(found[part]) for part in _SHARED if found[part] is not None}
    with tempfile.TemporaryDirectory() as empty:
        resources = Path(empty) / "resources.json"
        resources.write_text("{}", encoding="utf-8")
        return _module("stanza").Pipeline(
            language,
            dir=empty,
            package=None,
            processors={},
            allow_unknown_language=True,
            download_method=None,
            logging_level="ERROR",
            **options,
        )


def _digest(config: Mapping[str, object]) -> str:
    """Return a short hash of the model files that a pipeline's configuration names."""
    digest = hashlib.blake2b(digest_size=4)
    for key in sorted(config):
        value = config[key]
        for path in cast("list[object]", value) if isinstance(value, list) else [value]:
            if key.endswith("_model_path") and isinstance(path, str):
                digest.update(key.encode())
                digest.update(Path(path).read_bytes())
    return digest.hexdigest()
