"""An older version of a treebank, in labels of another convention, brought to that of the present one.

What the old labels say for certain is kept: the part of speech or the few that it may be now, and the values of
features. A teacher, trained on text in the present convention, decides the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from endophora.annotate.annotator import parse_features
from endophora.record import Fixed
from endophora_makers.conllu import Sentence, Word
from endophora_makers.labelling import Facts, Labeller

if TYPE_CHECKING:
    from spacy.language import Language


class TagRule(Fixed):
    """What a tag of the treebank's own says.

    Attributes:
        xpos: the whole tag, a regular expression.
        upos: parts of speech that such a word may have; as by its old one if empty.
        allows: feature → values that the word may have, if it bears the feature at all.
    """

    xpos: str
    upos: tuple[str, ...] = ()
    allows: dict[str, tuple[str, ...]] = {}


class Relabelling(Fixed):
    """How old labels are read.

    Attributes:
        upos: old part of speech → those that the word may have now; others stay.
        fixed: features that a word must bear with its old value, if it has one.
        tags: rules for tags; all that match apply, in order.
        syntax: whether heads and relations are kept.
    """

    upos: dict[str, tuple[str, ...]] = {}
    keep: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    tags: tuple[TagRule, ...] = ()
    syntax: bool = True

    def facts(self, word: Word) -> Facts:
        """Return what a word's old label says."""
        upos = self.upos.get(word.upos, (word.upos,))
        values = {name: (value,) for name, value in parse_features(word.features).items() if name in self.keep}
        for rule in self.tags:
            if re.fullmatch(rule.xpos, word.xpos):
                upos = rule.upos or upos
                values |= rule.allows
        return Facts(frozenset(upos), values, frozenset(self.fixed))


def relabelled(sentences: Iterable[Sentence], teacher: Language, rules: Relabelling) -> Iterator[Sentence]:
    """Give sentences labels of the present convention.

    Args:
        teacher: a pipeline with a morphologizer, trained on the present one.

    Yields:
        The sentences, words with spaces parted (*taip pat*): the first keeps head and relation, the others are its
        ``fixed`` dependents. Lemmas stay, tags of the treebank's own do not.
    """
    whole = [parted(sentence) for sentence in sentences]
    labelled = Labeller(teacher).label([s.words for s in whole], [[rules.facts(w) for w in s.words] for s in whole])
    for sentence, words in zip(whole, labelled, strict=True):
        pairs = zip(words, sentence.words, strict=True)
        kept = (
            replace(new, xpos="_", head=old.head, relation=old.relation) if rules.syntax else replace(new, xpos="_")
            for new, old in pairs
        )
        yield replace(sentence, words=tuple(kept))


def parted(sentence: Sentence) -> Sentence:
    """Return a sentence without words that hold spaces; the parts of such a word have no lemma."""
    if not any(len(word.form.split()) > 1 for word in sentence.words):
        return sentence
    starts: list[int] = []
    count = 0
    for word in sentence.words:
        starts.append(count)
        count += len(word.form.split())
    words: list[Word] = []
    for word, start in zip(sentence.words, starts, strict=True):
        head = word.head if word.head is None or word.head < 0 else starts[word.head]
        first, *others = word.form.split()
        if not others:
            words.append(replace(word, head=head))
            continue
        words.append(replace(word, form=first, lemma="_", space=True, head=head))
        follower = Word("", upos=word.upos, head=None if head is None else start, relation="fixed")
        words.extend(replace(follower, form=form) for form in others)
        words[-1] = replace(words[-1], space=word.space)
    return replace(sentence, words=tuple(words))
