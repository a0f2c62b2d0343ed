"""Slovnet's Russian models by name, behind a spaCy ``Language``: tagging and heads; lemmas are pymorphy3's.

The models (trained on news) come in the package ``natasha``, of which nothing is imported: it wants a library that no
longer runs. Tokens are those of our own tokenizer, sentences those of ``razdel``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.records import Annotator
from endophora.annotate.tokenisation import blank
from endophora.errors import Fault, InputError, MissingModelError
from endophora.record import Record

if TYPE_CHECKING:
    from spacy.tokens import Doc

LANGUAGE = "ru"
"""The only language of the models."""

_NEEDS = ("slovnet", "navec", "razdel", "pymorphy3", "natasha")
_VECTORS = "emb/navec_news_v1_1B_250K_300d_100q.tar"
_MORPHOLOGY, _SYNTAX = "model/slovnet_morph_news_v1.tar", "model/slovnet_syntax_news_v1.tar"
_BATCH = 64
_TABLE = Path(__file__).with_suffix(".yaml")


class _Pronouns(Record):
    upos: tuple[str, ...]
    lemmas: tuple[str, ...]
    gives: dict[str, str]


class Tables(Record):
    """What the tags of the dictionary mean, and the kinds of pronouns.

    ``classes`` is UPOS → the dictionary's classes, ``values`` feature and value → its tags; ``pronouns`` gives the
    features of closed classes.
    """

    classes: dict[str, tuple[str, ...]]
    values: dict[str, tuple[str, ...]]
    pronouns: tuple[_Pronouns, ...]

    @classmethod
    def read(cls) -> Tables:
        """Read the tables that ship."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(_TABLE.read_text("utf-8")))

    def agreement(self, upos: str, features: Iterable[str], tags: frozenset[str]) -> int:
        """Return how well a reading of the dictionary fits a label; its class counts more than all else."""
        fits = not tags.isdisjoint(self.classes.get(upos, ()))
        return 100 * fits + sum(not tags.isdisjoint(self.values.get(feature, ())) for feature in features)

    def kind(self, upos: str, lemma: str) -> dict[str, str]:
        """Return what is known of a pronoun or determiner by its lemma."""
        found = [rule.gives for rule in self.pronouns if upos in rule.upos and lemma in rule.lemmas]
        return found[0] if found else {}


def load(language: str) -> Annotator:
    """Load the models; nothing is downloaded. Another language is E041, a missing library or package of models E040."""
    if language != LANGUAGE:
        advice = f"name it as {LANGUAGE}=slovnet, or name another annotator"
        raise InputError(Fault("E041", f"the models of Slovnet are for “{LANGUAGE}”, not “{language}”", advice))
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        advice = "install them with: pip install 'endophora[ru]'"
        raise MissingModelError(Fault("E040", f"Slovnet's models need {', '.join(missing)}", advice))
    return _load()


@lru_cache(maxsize=1)
def _load() -> Annotator:
    from spacy.language import Language

    spec = find_spec("natasha")
    data = Path(cast("Any", spec).submodule_search_locations[0]) / "data"
    files = [data / name for name in (_VECTORS, _MORPHOLOGY, _SYNTAX)]
    nlp = cast("Any", blank(LANGUAGE))
    name = "endophora_slovnet"
    cast("Any", Language).component(name, func=SlovnetComponent(*files))
    nlp.add_pipe(name)
    digest = hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=4).hexdigest()
    return SpacyAnnotator(nlp, LANGUAGE, f"slovnet-{version('slovnet')}-pymorphy3-{version('pymorphy3')}-{digest}")


class SlovnetComponent:
    """A spaCy component that fills UPOS, features, lemmas, heads and sentences."""

    def __init__(self, vectors: Path, morphology: Path, syntax: Path) -> None:
        slovnet: Any = import_module("slovnet")
        navec: Any = import_module("navec").Navec.load(vectors)
        self._tagger, self._parser = slovnet.Morph.load(morphology), slovnet.Syntax.load(syntax)
        self._tagger.navec(navec)
        self._parser.navec(navec)
        self._sentences: Any = import_module("razdel").sentenize
        self._tables = Tables.read()
        self._readings = cache(cast("Any", import_module("pymorphy3")).MorphAnalyzer().parse)
        self._lemma = cache(self._find_lemma)

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one doc in place."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = _BATCH) -> Iterator[Doc]:
        """Annotate docs in place, many at a time."""
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            spans = [(doc, span) for doc in docs for span in self._spans(doc)]
            words = [[doc[index].text for index in span] for doc, span in spans]
            tagged, parsed = (list(model.map(words)) if words else [] for model in (self._tagger, self._parser))
            for doc, span in spans:
                for index in range(span[0], span[-1] + 1):  # to be said before there are heads
                    cast("Any", doc[index]).is_sent_start = index == span[0]
            for (doc, span), tags, tree in zip(spans, tagged, parsed, strict=True):
                self._fill(doc, span, tags.tokens, tree.tokens)
            yield from docs

    def _spans(self, doc: Doc) -> Iterator[list[int]]:
        """Yield the tokens of each sentence, without those of white space."""
        starts = [int(sentence.start) for sentence in self._sentences(doc.text)]
        current: list[int] = []
        for token in doc:
            if current and len(starts) > 1 and token.idx >= starts[1]:
                yield current
                current = []
            while len(starts) > 1 and token.idx >= starts[1]:
                del starts[0]
            if not token.is_space:
                current.append(token.i)
        if current:
            yield current

    def _fill(self, doc: Doc, span: Sequence[int], tags: Sequence[Any], tree: Sequence[Any]) -> None:
        place = {str(node.id): index for node, index in zip(tree, span, strict=True)}
        for index, tag, node in zip(span, tags, tree, strict=True):
            token = doc[index]
            features = {str(name): str(value) for name, value in tag.feats.items()}
            upos = str(tag.pos)
            lemma = self._lemma(token.text, upos, tuple(f"{name}={value}" for name, value in features.items()))
            features |= self._tables.kind(upos, lemma)
            token.pos_ = upos
            token.lemma_ = lemma
            cast("Any", token).set_morph(features)
            root = str(node.head_id) not in place or str(node.head_id) == str(node.id)
            token.head = token if root else doc[place[str(node.head_id)]]
            token.dep_ = "ROOT" if root else str(node.rel)

    def _find_lemma(self, form: str, upos: str, features: tuple[str, ...]) -> str:
        """Return the lemma of the reading that agrees best with a label; a name keeps its capital."""
        readings = [(str(r.normal_form), r.tag) for r in self._readings(form)] if any(map(str.isalpha, form)) else []
        if not readings or upos in ("X", "SYM", "PUNCT"):
            return form
        best = max(readings, key=lambda r: self._tables.agreement(upos, features, frozenset(r[1].grammemes)))
        return best[0].capitalize() if upos == "PROPN" and form[:1].isupper() else best[0]
