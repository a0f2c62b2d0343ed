"""Bring a source's labels to the convention of the others, by rules of the recipe."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, cast

from endophora.annotate.annotator import parse_features
from endophora.record import Fixed
from endophora_makers.conllu import Sentence, Word, join_features

_ENDING = 2


class Change(Fixed):
    """New labels for words whose old ones match; all conditions are regular expressions for the whole.

    Attributes:
        has: some feature, found anywhere in FEATS.
        features: feature → value, or nothing if the word does not bear it.
    """

    form: str | None = None
    upos: str | None = None
    xpos: str | None = None
    relation: str | None = None
    lemma: str | None = None
    has: str | None = None
    governor: str | None = None
    sets: dict[str, str] = {}
    features: dict[str, str | None] = {}

    def applies(self, word: Word, governor: str) -> bool:
        """Return whether a word's labels match."""
        pairs = (
            (self.form, word.form),
            (self.upos, word.upos),
            (self.xpos, word.xpos),
            (self.relation, word.relation),
            (self.lemma, word.lemma),
            (self.governor, governor),
        )
        return (self.has is None or bool(re.search(self.has, word.features))) and all(
            pattern is None or re.fullmatch(pattern, value) for pattern, value in pairs
        )


class Harmony(Fixed):
    """How a source's labels are brought to the convention of the others.

    Attributes:
        script: OpenCC's conversion of the characters (``t2s``: from traditional to simplified).
        forms: form → the form to use for it.
        changes: new labels; the first change that applies to a word is made.
        then: further changes of the words so changed; all that apply are made, in order.
        lemmas: whether the source's lemmas are used.
        unmarked: characters to leave out of lemmas, a regular expression.
        take: part of speech → features to take from MISC, where they stand as ``Gender[lex]`` or ``Number[ctxt]``.
        form_lemmas: parts of speech whose lemma is the form.
        joint: what parts the members of a compound's lemma (Dutch *speel_stijl*); it is dropped, and the whole lemma is
            unknown where its members do not simply make up the form.
    """

    script: str | None = None
    forms: dict[str, str] = {}
    changes: tuple[Change, ...] = ()
    then: tuple[Change, ...] = ()
    lemmas: bool = True
    unmarked: str | None = None
    take: dict[str, tuple[str, ...]] = {}
    drop: tuple[str, ...] = ()
    form_lemmas: tuple[str, ...] = ()
    joint: str = ""


def harmonised(sentence: Sentence, rules: Harmony) -> Sentence:
    """Return a sentence with its forms and labels changed by rules."""
    old = sentence.words
    governors = ["" if w.head is None or w.head < 0 else old[w.head].upos for w in old]
    words = (_changed(word, governor, rules) for word, governor in zip(old, governors, strict=True))
    words = (_converted(_harmonised(word, rules), rules) for word in words)
    return replace(sentence, words=tuple(words))


def _changed(word: Word, governor: str, rules: Harmony) -> Word:
    first = next((change for change in rules.changes if change.applies(word, governor)), None)
    word = _made(first, word) if first else word
    for change in rules.then:
        word = _made(change, word) if change.applies(word, governor) else word
    return word


def _made(change: Change, word: Word) -> Word:
    values = {**parse_features(word.features), **change.features}
    features = join_features({name: value for name, value in values.items() if value is not None})
    upos, relation = change.sets.get("upos", word.upos), change.sets.get("relation", word.relation)
    return replace(word, upos=upos, relation=relation, features=features)


def _harmonised(word: Word, rules: Harmony) -> Word:
    values = {name: value for name, value in parse_features(word.features).items() if name not in rules.drop}
    misc = {name.partition("[")[0]: value for name, value in parse_features(word.misc).items() if name.endswith("]")}
    for name in rules.take.get(word.upos, ()):
        if name in misc:
            values.setdefault(name, misc[name])
    lemma = word.form if word.upos in rules.form_lemmas else _joined(word, rules.joint) if rules.lemmas else "_"
    if rules.unmarked:
        lemma = re.sub(rules.unmarked, "", lemma) or "_"
    return replace(word, features=join_features(values), lemma=lemma)


def _joined(word: Word, joint: str) -> str:
    """Return a lemma whose members are joined; ``_`` if the form does not begin so."""
    if not joint or joint not in word.lemma.strip("_"):
        return word.lemma
    lemma = word.lemma.replace(joint, "")
    return lemma if word.form.lower().startswith(lemma.lower()[: max(len(lemma) - _ENDING, 1)]) else "_"


def _converted(word: Word, rules: Harmony) -> Word:
    form, lemma = rules.forms.get(word.form, word.form), rules.forms.get(word.lemma, word.lemma)
    if rules.script:
        convert = _converter(rules.script)
        form, lemma = convert(form), convert(lemma)
    return replace(word, form=form, lemma=lemma)


@cache
def _converter(script: str) -> Callable[[str], str]:
    """Return OpenCC's conversion; the extra ``zh`` brings the library."""
    import opencc

    return cast("Callable[[str], str]", cast("Any", opencc).OpenCC(script).convert)
