"""Clauses that are left out whole or in part: sluicing, gapping and fragments."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.phenomena.ellipsis_rules import EllipsisRules
from endophora.phenomena.ellipsis_view import NOMINALS, VERBS, EllipsisSite, Sentence

_REACH = 4


def sluices(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find questions that are left out but for the question word (*I don't know why*; *Why?*).

    Args:
        sentence: the sentence.
        rules: the words of its language.
    """
    words = rules.sluicing
    if (alone := _lone_question(sentence, rules)) is not None:
        yield EllipsisSite("sluicing", (alone,))
        return
    for index, word, _ in sentence:
        if word not in words.words or sentence.in_phrase(index, words.fixed):
            continue
        after = index + 1
        while sentence.word(after) in words.tails:
            after += 1
        if not sentence.is_end(after):
            continue
        start = index - 1 if sentence.upos(index - 1) == "ADP" else index
        for back in range(start - 1, max(sentence.start, start - _REACH) - 1, -1):
            if sentence.lemma(back) in words.licensing:
                yield EllipsisSite("sluicing", tuple(range(start, after)), back)
                break


def _lone_question(sentence: Sentence, rules: EllipsisRules) -> int | None:
    """Return the question word of a sentence that is nothing else but particles and prepositions."""
    words = rules.sluicing
    found: int | None = None
    asked = False
    for index, word, token in sentence:
        if word in words.alone and found is None:
            found = index
        elif token.upos in ("PUNCT", "INTJ", "CCONJ"):
            asked = asked or word == "?"
        elif token.upos not in ("ADP", "PART") and word not in words.tails:
            return None
    return found if asked and found is not None and not sentence.in_phrase(found, words.fixed) else None


def gaps(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find clauses that share the verb of the clause before (*Emma ordered the fish, and Paul the lamb*).

    Args:
        sentence: the sentence.
        rules: the words of its language.
    """
    for index, word, token in sentence:
        if token.relation == "orphan":
            yield EllipsisSite("gapping", (index,))
            return
        if word not in rules.gapping.coordinators or not _has_clause(sentence, index):
            continue
        rest = _rest(sentence, index, rules)
        if not rest or any(sentence.upos(other) in (*VERBS, "SCONJ") for other in rest):
            continue
        if _has_two_remnants(sentence, rest, index, rules):
            yield EllipsisSite("gapping", tuple(rest))
            return


def _has_clause(sentence: Sentence, index: int) -> bool:
    """Tell whether a subject and a verb stand before."""
    before = range(sentence.start, index)
    return any(sentence.upos(other) in VERBS for other in before) and any(
        sentence.tokens[other].relation.startswith("nsubj") or sentence.upos(other) in NOMINALS for other in before
    )


def _rest(sentence: Sentence, index: int, rules: EllipsisRules) -> list[int]:
    """Return the tokens after a coordinator up to the next one or the sentence's end."""
    rest: list[int] = []
    for other in range(index + 1, sentence.end):
        if sentence.word(other) in rules.gapping.coordinators or sentence.is_break(other):
            break
        rest.append(other)
    return rest


def _has_two_remnants(sentence: Sentence, rest: list[int], index: int, rules: EllipsisRules) -> bool:
    """Tell whether a stretch without a verb is two phrases of a clause rather than one."""
    first, second = rest[0], rest[1] if len(rest) > 1 else sentence.end
    if sentence.word(first) in rules.gapping.subjects:
        return len(rest) > 1 and sentence.upos(second) in ("DET", "NOUN", "PROPN", "ADP", "PRON", "NUM", "ADJ")
    head = next((other for other in rest if sentence.upos(other) in NOMINALS), None)
    while head is not None and head + 1 in rest and sentence.tokens[head].relation in ("compound", "flat", "nummod"):
        head += 1
    if head is None or head + 1 not in rest:
        return False
    following = head + 1
    if sentence.upos(first) == "ADP":
        return _is_parallel(sentence, first, index) and sentence.upos(following) in (*NOMINALS, "DET")
    if sentence.upos(following) in ("DET", "PRON", "PROPN", "ADJ") and sentence.tokens[following].head != head:
        return sentence.tokens[following].relation not in ("flat", "compound", "appos")
    return sentence.upos(following) == "ADP" and _is_parallel(sentence, following, index)


def _is_parallel(sentence: Sentence, preposition: int, index: int) -> bool:
    """Tell whether the clause before has a phrase of the verb with the same preposition."""
    for other in range(sentence.start, index):
        if sentence.word(other) == sentence.word(preposition) and sentence.upos(other) == "ADP":
            head = sentence.tokens[other].head
            if sentence.tokens[head].relation.startswith("obl"):
                return True
    return False


def fragments(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find answers and afterthoughts that lack a verb or a main clause (*To the station.* *Because it rained.*).

    Args:
        sentence: the sentence.
        rules: the words of its language.
    """
    content = [index for index, _, token in sentence if token.upos not in ("PUNCT", "INTJ")]
    if not content or sentence.word(sentence.end - 1) not in (".", "?", "!", "…"):
        return
    words = [sentence.word(index) for index in content]
    whole = EllipsisSite("fragment", tuple(content))
    if words[0] in rules.fragment.causes:
        root = next((index for index, _, token in sentence if token.relation == "root"), content[0])
        if sentence.tokens[content[0]].head == root:
            yield whole
        return
    if len(content) > rules.fragment.longest or any(sentence.upos(index) in VERBS for index in content):
        return
    replies = words[-1] in rules.fragment.replies and len(words) <= 3
    opening = next((index for index in content if sentence.upos(index) not in ("ADV", "CCONJ", "PART")), content[0])
    preposition = sentence.upos(opening) == "ADP" and opening < content[-1]
    if (replies or preposition) and not sentence.in_phrase(opening, rules.fragment.formulas):
        yield whole
