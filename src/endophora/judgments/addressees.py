"""How many persons a text addresses, by its source: a plural of address may be the polite form to one (*vous*, *вы*).

No form tells the two apart. What the source says does: *you all*, *yourselves*, a call to several (*boys, come*), what
is said of the addressees (*you are liars*), and to whom something is said (*he told the men*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from endophora.annotate.records import NOUNS, Token
from endophora.languages.schema import Addressees, LanguageRules
from endophora.phenomena.records import AnnotatedDocument, sources_of

Number = Literal["several", "one", ""]
"""How many are addressed; empty where nothing tells."""

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_SUBJECT = "nsubj"
_MAIN = frozenset({"root", "conj", "parataxis"})


class _Told(NamedTuple):
    """To how many something is said, in which conversation that is written, and whether it needs no quotation marks."""

    number: Number
    conversation: int
    open: bool = False


class Counted:
    """How many persons each source word of a document speaks to, as far as the source tells.

    Args:
        document: source, target and links.
        source: rules of the source language.
        spoken: the number of the conversation of each source token (:func:`~endophora.judgments.speech.conversations`).
    """

    def __init__(self, document: AnnotatedDocument, source: LanguageRules, spoken: Sequence[Sequence[int]]) -> None:
        self._document, self._rules = document, source.addressees
        self._second = source.persons.second
        gender = source.natural_gender
        self._persons = gender.persons | gender.feminine | gender.masculine if gender else frozenset[str]()
        self._spoken = spoken
        self._told = list(self._find_told())

    def number(self, segment: int, target: int) -> Number:
        """Return how many a target word of address speaks to, by the source words that it is linked to."""
        rules, tokens = self._rules, self._document.source[segment].tokens
        if rules is None or not tokens:
            return ""
        links = self._document.links[segment]
        near = sorted(links, key=lambda link: (abs(link.target - target), link.target))
        at = next(iter(sources_of(target, links)), near[0].source if near else 0)
        start, end = self._sentence(segment, at)
        numbers = self._spoken[segment]
        said = self._said(rules, tokens, [one for one in range(start, end) if numbers[one] == numbers[at]])
        return said or ("several" if self._told[segment][at] == "several" else "")

    def _sentence(self, segment: int, at: int) -> tuple[int, int]:
        """Return the first token of a token's sentence, and the one after its last."""
        text = self._document.source[segment]
        starts = [0, *text.sentences, len(text.tokens)]
        return max(one for one in starts if one <= at), min(one for one in starts if one > at)

    def _said(self, rules: Addressees, tokens: Sequence[Token], places: Sequence[int]) -> Number:
        """Return what words of a sentence say of those whom it addresses; several counts before one."""
        found: set[Number] = set()
        for index in places:
            if _is_called(tokens, index):
                found.add(self._size(rules, tokens, index))
            elif tokens[index].form.lower() in self._second:
                found |= {self._own(rules, tokens, index), self._predicate(rules, tokens, index)}
        return "several" if "several" in found else "one" if "one" in found else ""

    def _own(self, rules: Addressees, tokens: Sequence[Token], index: int) -> Number:
        """Return how many a word of the second person names, by itself and the words beside it (*all of you*)."""
        token, form = tokens[index], tokens[index].form.lower()
        if form in rules.several or form in rules.one:
            return "several" if form in rules.several else "one"
        own = [one for one in tokens if one.head == index and one.relation in ("case", "det", "nummod")]
        following = [
            one
            for at, one in enumerate(tokens[index + 1 : index + 2], index + 1)
            if one.head == index or token.head == at or one.upos in ("NOUN", "NUM")  # not *you all right*
        ]
        whole = [tokens[token.head]] if token.head >= 0 and any(one.lemma in rules.of for one in own) else []
        beside = {one.form.lower() for one in (*own, *following, *whole)}
        return "" if beside.isdisjoint(rules.beside) else "several"

    def _predicate(self, rules: Addressees, tokens: Sequence[Token], index: int) -> Number:
        """Return how many the noun names that is said of a word of the second person (*you are a doctor*)."""
        head = tokens[index].head
        if head < 0 or not tokens[index].relation.startswith(_SUBJECT) or tokens[head].upos != "NOUN":
            return ""
        copula = any(one.head == head and one.relation == "cop" for one in tokens)
        led = any(one.head == head and one.relation == "case" for one in tokens)
        if not copula or led or tokens[head].lemma.lower() not in self._persons:
            return ""
        return self._size(rules, tokens, head)

    def _size(self, rules: Addressees, tokens: Sequence[Token], index: int) -> Number:
        """Return how many a noun or pronoun names, with what is joined to it."""
        token = tokens[index]
        joined = any(one.head == index and one.relation == "conj" and one.upos in _NOMINAL for one in tokens)
        plural = token.features.get("Number") == "Plur"
        if joined or plural or {token.lemma.lower(), token.form.lower()} & (rules.collective | rules.beside):
            return "several"
        return "one" if token.features.get("Number") == "Sing" else ""

    def _find_told(self) -> Iterator[list[Number]]:
        """Yield for each source token how many hear it, by a verb before it, or else after its quotation.

        What is said has quotation marks that begin or end in the segment, or else follows the verb. It goes on
        into the next segments, until somebody says something else or the quotation ends.
        """
        state = _Told("", 0)
        for text, numbers in zip(self._document.source, self._spoken, strict=True):
            told = {
                at: one._replace(conversation=numbers[at], open=one.open and {numbers[at]} == {*numbers[at:]})
                for at, one in self._recipients(text.tokens).items()
            }
            row: list[Number] = []
            for at, number in enumerate(numbers):
                behind = next((told[one] for one in told if one > at and told[one].conversation != number), state)
                used = behind if number and not any(one < at for one in told) else state
                row.append(used.number if used.open or used.conversation != number else "")
                state = told.get(at, state)
            yield row

    def _recipients(self, tokens: Sequence[Token]) -> dict[int, _Told]:
        """Return the verbs of saying, and how many hear what is said.

        A verb without a subject of its own has the hearers of the one before (*he spoke to them and said*). What is
        said needs quotation marks where the subject is addressed itself, or there is none (*did you tell them?*), and
        in indirect speech.
        """
        rules, found = self._rules, dict[int, _Told]()
        if rules is None:
            return found
        for index, token in enumerate(tokens):
            if token.lemma.lower() not in rules.telling or token.upos != "VERB":
                continue
            own = [(place, one) for place, one in enumerate(tokens) if one.head == index]
            subject = [one.form.lower() for _, one in own if one.relation.startswith(_SUBJECT)]
            said = [place for place, one in own if one.relation == "ccomp"]
            marked = any(one.head in said and one.relation == "mark" for one in tokens)
            told = [place for place, one in own if self._is_told(rules, tokens, token, place, one)]
            if told:
                narrated = bool(subject) or token.features.get("Mood") == "Ind"
                spoken = narrated and self._second.isdisjoint(subject) and not marked
                found[index] = _Told(self._size(rules, tokens, told[0]), 0, spoken)
            elif found and not subject:
                found[index] = found[max(found)]
            elif subject and token.relation in _MAIN:
                found[index] = _Told("", 0)
        return found

    def _is_told(self, rules: Addressees, tokens: Sequence[Token], verb: Token, place: int, token: Token) -> bool:
        """Return whether a dependent of a verb names those who hear: a pronoun, a name, a person, several."""
        if token.form.lower() in self._second or token.upos not in {*_NOMINAL, "DET"}:
            return False
        person = token.upos == "PRON" and "Person" in token.features and token.features.get("Gender") != "Neut"
        person |= token.upos == "PROPN" or token.lemma.lower() in self._persons | rules.collective
        if token.relation in ("obj", "iobj"):
            return person and (token.relation == "iobj" or verb.lemma.lower() in rules.asking)
        led = any(one.head == place and one.lemma in rules.to for one in tokens)
        return led and token.relation.startswith("obl") and (person or token.features.get("Number") == "Plur")


def _is_called(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a noun calls somebody: it has no article, and signs part it and its words from the rest."""
    token = tokens[index]
    if token.relation != "vocative" or token.upos not in NOUNS:
        return False
    own = {index}
    while more := {at for at, one in enumerate(tokens) if one.head in own} - own:
        own |= more
    article = any(one.head == index and one.features.get("PronType") == "Art" for one in tokens)
    first, last = min(own), max(own)
    before, after = tokens[max(0, first - 1) : first + 1], tokens[last : last + 2]
    parted = (first == 0 or _has_sign(before)) and (last + 1 == len(tokens) or _has_sign(after))
    return parted and not article


def _has_sign(tokens: Sequence[Token]) -> bool:
    return any(token.upos == "PUNCT" for token in tokens)
