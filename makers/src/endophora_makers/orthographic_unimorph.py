"""SIGMORPHON 2019 files of languages whose tokens are written words: their parts are joined as the text has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.annotator import parse_features
from endophora_makers.conllu import Sentence, Word, join_features
from endophora_makers.labelling import Facts, Labeller
from endophora_makers.unimorph import unimorph_facts

if TYPE_CHECKING:
    from spacy.language import Language

_TABLE = Path(__file__).parent / "recipes" / "written.yaml"
_PIECES = re.compile(r"(?:[^\W\d_]|[\u064B-\u0652\u0670\u0640])+|\d+(?:[.,]\d+)*|\S")
_WEIGHT: dict[str, int] = {**dict.fromkeys(("V", "N", "ADJ", "PROPN", "NUM"), 3), "PRO": 2, "ADV": 2, "DET": 1}
_NOMINAL = frozenset({"N", "ADJ", "PROPN", "NUM"})
_LAYERED = ("Gender", "Number", "Person")
_LAYERS = frozenset(f"{name}[{layer}]" for name, layer in product(_LAYERED, ("psor", "obj")))
_TEACHERS = frozenset({"VerbForm"})


def convert_written(sentences: Iterable[Sentence], teacher: Language, language: str) -> Iterator[Sentence]:
    """Convert sentences to UD labels of written words, without syntax.

    Args:
        teacher: a pipeline with a morphologizer, trained on written words of UD text.
        language: the code of the language; ``recipes/written.yaml`` says how it changes letters where words meet.
    """
    table = cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_TABLE.read_text("utf-8")))
    spelling = [(re.compile(rule["from"]), str(rule["to"])) for rule in table.get(language, ())]
    found = [(s, words) for s in sentences if (words := written_words(s, s.given_text or s.text, spelling))]
    labelled = Labeller(teacher).label(
        [w for _, w in found], [[_facts(w, language) for w in words] for _, words in found]
    )
    for (sentence, _), words in zip(found, labelled, strict=True):
        yield replace(sentence, words=tuple(replace(word, misc="_") for word in words))


def written_words(sentence: Sentence, text: str, spelling: Sequence[tuple[re.Pattern[str], str]]) -> tuple[Word, ...]:
    """Return a sentence's written words: the bundle of the weightiest part, those of clitic pronouns in MISC.

    Args:
        spelling: what is made the same in text and words before they are compared.
    """
    result: list[Word] = []
    index = 0
    for piece in _PIECES.finditer(text):
        wanted, parts = _plain(piece.group(), spelling), list[Word]()
        while index < len(sentence.words) and (not parts or _plain(_joined(parts), spelling) != wanted):
            parts.append(sentence.words[index])
            index += 1
            if len(_joined(parts)) > len(piece.group()) + len(parts):
                return ()
        if not parts or _plain(_joined(parts), spelling) != wanted:
            return ()
        space = text[piece.end() : piece.end() + 1].isspace()
        result.append(replace(_merged(parts), form=piece.group(), space=space))
    return tuple(result) if index == len(sentence.words) else ()


def _plain(form: str, spelling: Iterable[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in spelling:
        form = pattern.sub(replacement, form)
    return form


def _joined(parts: Iterable[Word]) -> str:
    return "".join(part.form for part in parts)


def _merged(parts: Sequence[Word]) -> Word:
    weights = [max(_WEIGHT.get(tag, 0) for tag in part.features.split(";")) for part in parts]
    weights = [3 if p.features == "_" and p.form.isalpha() else w for w, p in zip(weights, parts, strict=True)]
    best = max(weights)
    word = parts[weights.index(best) if best else len(parts) - 1]
    layer = "obj" if _NOMINAL.isdisjoint(word.features.split(";")) else "psor"
    layers: dict[str, str] = {}
    for part in parts:
        if part is not word and "PRO" in part.features.split(";"):
            values = unimorph_facts(part.features).features
            layers |= {f"{name}[{layer}]": values[name][0] for name in _LAYERED if name in values}
    return replace(word, misc=join_features(layers))


def _facts(word: Word, language: str) -> Facts:
    """Return what a written word's bundle says; the teacher decides what the treebanks mark differently."""
    known = unimorph_facts(word.features, language)
    upos = frozenset[str]() if word.features == "_" and word.form.isalpha() else known.upos
    layers = parse_features(word.misc)
    values = {name: value for name, value in known.features.items() if name not in _TEACHERS}
    return Facts(upos, values, sets=layers, absent=_LAYERS.difference(layers))
