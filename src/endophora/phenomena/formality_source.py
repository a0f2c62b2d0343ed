"""What a source segment says of the second person: its imperatives and its subjects, for formality."""

from __future__ import annotations

from collections.abc import Sequence

from endophora.annotate.records import Token
from endophora.languages.schema import Words
from endophora.phenomena.records import group_of, remembered, subjects

_PERSONS = frozenset({"PRON", "NOUN"})
_NOMINAL = ("nsubj", "obj", "iobj", "obl", "nmod")


def subjects_of(tokens: Sequence[Token], verb: int) -> list[Token]:
    """Return the subjects of a verb, or of the predicate that it is an auxiliary or copula of."""
    return [tokens[index] for index in subjects(tokens, (verb, group_of(tokens, verb)))]


def _objects(tokens: Sequence[Token], verb: int) -> list[Token]:
    return [one for one in tokens if verb >= 0 and one.head == verb and one.relation == "obj"]


class Addressee:
    """Whom the verbs of source segments address, by the source language's words of the second person.

    Args:
        second: these words.
        urging: lemmas of the auxiliaries that an imperative may have.
    """

    def __init__(self, second: Words, urging: Words) -> None:
        self.second, self.urging = second, urging
        self.imperatives = remembered(self._find_imperatives)

    def has_subject(self, tokens: Sequence[Token], index: int) -> bool:
        """Return whether a source word is a subject of the second person, or belongs to a verb that has one."""
        token = tokens[index]
        if token.form.lower() in self.second:
            return token.relation.startswith("nsubj")
        own = subjects_of(tokens, index)
        group = group_of(tokens, index)
        while not own and tokens[group].relation == "conj" and tokens[group].head >= 0:
            group = tokens[group].head  # *you come and see*: the second verb has the subject of the first
            own = subjects_of(tokens, group)
        if not own and tokens[group].relation in {"xcomp", "ccomp"}:
            own = _objects(tokens, tokens[group].head)  # *they want you to come*
        return any(subject.form.lower() in self.second for subject in own)

    def has_other_subject(self, tokens: Sequence[Token], verb: int) -> bool:
        """Return whether a source verb has another subject, or is for somebody else to do (*want me to*)."""
        own = subjects_of(tokens, verb)
        if own:
            return all(one.form.lower() not in self.second for one in own)
        objects = _objects(tokens, tokens[verb].head)
        other = any(one.upos == "PRON" and one.form.lower() not in self.second for one in objects)
        return tokens[verb].relation == "xcomp" and other

    def is_asked(self, tokens: Sequence[Token]) -> bool:
        """Return whether a source segment has a subject of the second person, and no imperative."""
        second = any(one.form.lower() in self.second and one.relation.startswith("nsubj") for one in tokens)
        return second and not self.imperatives(tokens)

    def may_urge(self, tokens: Sequence[Token], index: int) -> bool:
        """Return whether what is taken for a noun or a name may be an imperative, a bare form that begins a clause.

        That it is one, only a verb that translates it says (*Press here*, *answer inquiries*).
        """
        token = tokens[index]
        named = token.upos == "PROPN" and index == 0 and token.relation == "root"
        bare = token.form.lower() == (token.lemma if index else token.lemma.lower())
        if not (bare and (named or token.upos == "NOUN")) or token.relation.startswith(_NOMINAL):
            return False
        own = (one.relation for one in tokens[:index] if one.head == index)
        first = index == 0 or tokens[index - 1].upos == "PUNCT" or tokens[index - 1].lemma == "please"
        return first and not any(one.startswith(("det", "amod", "nmod", "case", "nummod")) for one in own)

    def _find_imperatives(self, tokens: Sequence[Token]) -> frozenset[int]:
        """Return the imperatives of a source segment, which all targets ask for."""
        return frozenset(index for index in range(len(tokens)) if self._is_imperative(tokens, index))

    def _is_imperative(self, tokens: Sequence[Token], index: int) -> bool:
        """Return whether a source verb is an imperative, by its mood or as a bare form without a subject of its own.

        Annotators take many for infinitives (*follow this, share that*). An auxiliary may have the mood (*don't go*).
        What somebody is let do is none (*let me show*).
        """
        others = [one for one in subjects_of(tokens, index) if one.form.lower() not in self.second]
        token, main = tokens[index], group_of(tokens, index)  # of a copula, the predicate has the helper
        own = [other for other in tokens if other.head == (main if token.relation == "cop" else index)]
        helpers = [one for one in own if one.relation.startswith("aux")]
        if any(one.features.get("Mood") == "Imp" for one in (token, *helpers)):
            return not any(one.upos in _PERSONS for one in others)  # of a name that is called, parsers make a subject
        # A second one may be taken for a present (*drop it and start again*).
        joined = token.relation == "conj" and token.form.lower() == token.lemma
        bare = token.upos == "VERB" and (joined or token.features.get("VerbForm") == "Inf")
        if others or not bare or any(one.relation.startswith(("mark", "nsubj", "cop")) for one in own):
            return False
        if any(
            one.lemma not in self.urging or one.features.get("Person") == "3" or one.features.get("Tense") == "Past"
            for one in helpers
        ):
            return False  # *may contain nuts*, *doesn't matter*
        if token.relation == "conj" and token.head >= 0:
            return not helpers and token.head < index and self._is_imperative(tokens, token.head)
        caused = any(tokens[at].head == token.head and tokens[at].relation == "obj" for at in range(index))
        return token.relation in {"root", "parataxis", "appos"} or (token.relation == "ccomp" and not caused)
