"""From SIGMORPHON 2019 files (lemma and UniMorph features, no syntax) to Universal Dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora_makers.conllu import Sentence, Word
from endophora_makers.labelling import Facts, Labeller
from endophora_makers.silver import SilverRules

if TYPE_CHECKING:
    from spacy.language import Language

_PARTS = (2, 3, 4)
_TABLE = Path(__file__).parent / "recipes" / "unimorph.yaml"


@cache
def _table() -> dict[str, Any]:
    return cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_TABLE))


def unimorph_facts(bundle: str, language: str = "") -> Facts:
    """Return what a UniMorph bundle such as ``N;FEM;SG;DAT`` says; ``_`` is punctuation or a symbol.

    The word class allows some parts of speech; a tag gives a feature its value, if the word bears the feature in UD at
    all; a feature of ``stated`` that the bundle does not give is one that the word does not bear.

    Args:
        language: the code of its language, since some rules hold for some languages.
    """
    table = _table()
    tags = frozenset(bundle.split(";"))
    classes = cast("dict[str, list[str]]", table["classes"])
    found = [frozenset(classes[tag]) for tag in sorted(tags) if tag in classes]
    values: dict[str, tuple[str, ...]] = {}
    for rule in _rules("features", tags, language):
        for name, value in cast("dict[str, str]", rule["gives"]).items():
            values[name] = tuple(str(value).split("/"))
    for rule in _rules("leaves", tags, language):
        values = {name: value for name, value in values.items() if name not in rule["names"]}
    stated = (name for rule in _rules("stated", tags, language) for name in rule["names"])
    unmarked = (name for rule in _rules("unmarked", tags, language) for name in rule["names"])
    absent = frozenset[str](stated).difference(values) | frozenset(unmarked)
    return Facts(
        frozenset[str].intersection(*found) if found else frozenset(), values, frozenset(table["fixed"]), absent
    )


def _rules(kind: str, tags: frozenset[str], language: str) -> list[dict[str, Any]]:
    """Return the rules of a kind that hold for a bundle of a language."""
    rules = cast("list[dict[str, Any]]", _table()[kind])
    return [
        rule
        for rule in rules
        if tags.issuperset(rule.get("tags", ()))
        and language in rule.get("languages", (language,))
        and language not in rule.get("not_in", ())
    ]


def surface_words(sentence: Sentence, text: str, *, merge: bool = False) -> tuple[Word, ...]:
    """Return a sentence's syntactic words as the surface words of its text.

    Words that are not in the text (French *de* + *les* for *des*) are merged into the word that is; it keeps
    the first word's bundle, and a verb's lemma.

    Args:
        merge: whether words written together that are all letters (Spanish *dar* + *le*) are merged too.
    """
    result: list[Word] = []
    words, position, index = sentence.words, 0, 0
    while index < len(words):
        while position < len(text) and text[position].isspace():
            position += 1
        word, count = words[index], 1
        end = position + len(word.form)
        if text[position:end] != word.form or _mid_word(text, end, words, index):
            end = _contraction(text, position, words[index + 1].form if index + 1 < len(words) else "")
            count = next((n for n in _PARTS if _goes_on(text, end, words, index + n)), 0) if end else 0
            if not count:
                return ()
            word = replace(word, form=text[position:end], lemma=word.lemma if _is_verb(word) else "_")
        elif merge and word.form.isalpha():
            while index + count < len(words) and _together(text, end, words[index + count].form):
                end, count = end + len(words[index + count].form), count + 1
            word = replace(word, form=text[position:end])
        result.append(replace(word, space=text[end : end + 1].isspace()))
        position, index = end, index + count
    return tuple(result)


def _goes_on(text: str, end: int, words: Sequence[Word], index: int) -> bool:
    """Return whether the text after a contraction continues with a word; at the end, with none."""
    rest = text[end:].lstrip()
    return rest.startswith(words[index].form) if index < len(words) else index == len(words) and not rest


def _together(text: str, end: int, form: str) -> bool:
    """Return whether a word of letters follows at once, to its full length."""
    return form.isalpha() and text.startswith(form, end)


def _is_verb(word: Word) -> bool:
    return "V" in word.features.split(";")


def _mid_word(text: str, end: int, words: Sequence[Word], index: int) -> bool:
    """Return whether a form that matches is only the beginning of a contraction (*de* in *des* = *de* + *les*)."""
    following = words[index + 1].form if index + 1 < len(words) else ""
    return text[end : end + 1].isalpha() and bool(following) and not text.startswith(following, end)


def _contraction(text: str, start: int, last: str) -> int:
    """Return where the word that begins at ``start`` ends (with its last part's apostrophe); 0 if none does."""
    end = start
    while end < len(text) and text[end].isalpha():
        end += 1
    if not end > start:
        return 0
    return end + 1 if last.endswith(text[end : end + 1] or " ") and not text[end].isspace() else end


def convert(
    sentences: Iterable[Sentence],
    teacher: Language,
    rules: SilverRules | None = None,
    *,
    language: str = "",
    merge: bool = False,
) -> Iterator[Sentence]:
    """Convert SIGMORPHON 2019 sentences to UD labels without syntax.

    Lemmas are kept for open classes; for function words the conventions differ, and they stay empty.

    Args:
        teacher: a pipeline with a morphologizer, trained on UD text of the language.
        rules: rules for closed classes; they add to what the bundles say.
    """
    found = [(s, words) for s in sentences if (words := surface_words(s, s.given_text or s.text, merge=merge))]
    open_classes = frozenset(cast("list[str]", _table()["open"]))
    labelled = Labeller(teacher).label([w for _, w in found], [_facts(w, rules, language) for _, w in found])
    for (sentence, _), words in zip(found, labelled, strict=True):
        kept = (w if w.upos in open_classes and _is_lemma(w, rules) else replace(w, lemma="_") for w in words)
        yield replace(sentence, words=tuple(kept))


def _is_lemma(word: Word, rules: SilverRules | None) -> bool:
    """Return whether a lemma is one, and looks like one of its part of speech (Spanish *situado* is none of a verb)."""
    shape = rules.lemmas.get(word.upos, ".*") if rules else ".*"
    return "|" not in word.lemma and bool(re.fullmatch(shape, word.lemma))


def _facts(words: Sequence[Word], rules: SilverRules | None, language: str) -> list[Facts]:
    facts: list[Facts] = []
    for index, word in enumerate(words):
        known = unimorph_facts(word.features, language)
        more = rules.facts(words, index) if rules else None
        if more and not more.only:
            both = known.upos & more.upos
            values = {name: value for name, value in known.features.items() if name not in more.sets}
            known = replace(
                known, upos=both or more.upos or known.upos, features=values, sets=more.sets, absent=frozenset()
            )
        facts.append(known)
    return facts
