"""GiNZA's Japanese pipeline by name, in the terms of Universal Dependencies (the package ``ja-ginza``).

Tokens are Sudachi's short units (mode A), as in the treebanks; GiNZA's own default is the long ones. What its tokenizer
says of inflection is in features: ``InflClass`` (五段-ラ行) and ``InflForm`` (連用形-促音便), in UniDic's terms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from spacy.language import Language

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.records import Annotator
from endophora.errors import Fault, InputError, MissingModelError

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

LANGUAGE = "ja"
"""The only language of the model."""

SPLIT_MODE = "A"
"""Sudachi's mode: its shortest units."""

_NEEDS = ("ja_ginza", "sudachipy", "sudachidict_core")
_UNUSED = ("compound_splitter",)
_PLAIN = "endophora_plain_japanese"
_PUNCTUATION = "PUNCT"
_LONGEST = 12_000
_STOP = "。"


def load(language: str) -> Annotator:
    """Load GiNZA; another language is E041, a missing library E040."""
    if language != LANGUAGE:
        raise InputError(Fault("E041", f"GiNZA is for “{LANGUAGE}”, not “{language}”", "name another annotator"))
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        cause = f"GiNZA needs {' and '.join(missing)}"
        raise MissingModelError(Fault("E040", cause, "install it with: pip install 'endophora[ja]'"))
    return _load()


@lru_cache(maxsize=1)
def _load() -> Annotator:
    import spacy
    from spacy.lang.ja import JapaneseTokenizer

    nlp = spacy.load("ja_ginza", exclude=list(_UNUSED))
    short = JapaneseTokenizer(nlp.vocab, split_mode=SPLIT_MODE)
    nlp.tokenizer = partial(_tokenised, short)
    nlp.add_pipe(_PLAIN)
    names = (("ja-ginza", "ginza"), ("sudachipy", "sudachi"), ("sudachidict-core", "core"), ("spacy", "spacy"))
    signature = "-".join(f"{short}-{version(name)}" for name, short in names)
    return SpacyAnnotator(nlp, LANGUAGE, f"{signature}-{SPLIT_MODE}")


def _tokenised(tokenizer: Callable[[str], Doc], text: str) -> Doc:
    """Tokenise a text of any length: longer ones than Sudachi takes at once (49,149 bytes) are cut at a stop."""
    from spacy.tokens import Doc

    docs: list[Doc] = []
    start = 0
    while len(text) - start > _LONGEST:
        end = text.rfind(_STOP, start, start + _LONGEST) + 1 or start + _LONGEST
        docs.append(tokenizer(text[start:end]))
        start = end
    last = tokenizer(text[start:])
    return Doc.from_docs([*docs, last], ensure_whitespace=False) or last if docs else last


@Language.component(_PLAIN)
def plain(doc: Doc) -> Doc:
    """Give a doc of GiNZA's the features and entity types that ours have.

    Inflection becomes two features, readings go, a mark's lemma is its form, entity types are OntoNotes'.
    """
    for token in doc:
        infl_class, _, infl_form = "".join(cast("list[str]", cast("Any", token).morph.get("Inflection"))).partition(";")
        named = {"InflClass": infl_class, "InflForm": infl_form}
        cast("Any", token).set_morph({name: value for name, value in named.items() if value})
        if token.pos_ == _PUNCTUATION:
            token.lemma_ = token.text
    doc.set_ents([entity for entity in map(_renamed, doc.ents) if entity is not None])
    return doc


def _renamed(entity: Span) -> Span | None:
    """Return an entity with OntoNotes' type; none if that has no such type."""
    from spacy.tokens import Span

    kind = _types().get(entity.label_)
    return Span(entity.doc, entity.start, entity.end, label=kind) if kind else None


@lru_cache(maxsize=1)
def _types() -> dict[str, str]:
    import ginza

    table = cast("dict[str, str]", cast("Any", ginza).ENE_ONTONOTES_MAPPING)
    return {kind: name for kind, name in table.items() if name and name != "OTHERS"}
