"""Verbs left alone: stranded auxiliaries and *to*, in comparisons and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from endophora.phenomena.ellipsis_rules import (
    AUXILIARY_RELATIONS,
    NOMINALS,
    VERBS,
    EllipsisRules,
    EllipsisSite,
    Sentence,
)

_OBJECTS = frozenset({"DET", "PRON", "PROPN"})
_DASHES = frozenset({"-", "--", "–", "—", "―"})


def verb_phrases(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find auxiliaries whose verb is left out."""
    for index, word, token in sentence:
        group = _group(word, rules)
        if group is None or token.upos not in VERBS or sentence.in_phrase(index, rules.fixed_verb_phrases):
            continue
        after = _skip(sentence, index + 1, rules.negation)
        if _is_tag_question(sentence, index, after):
            continue
        marker = _comparative_marker(sentence, index, rules)
        if _is_stranded(sentence, index, after, group, marker is not None, rules):
            tokens = tuple(range(index, after))
            yield EllipsisSite(_kind(sentence, index, after, marker, rules), tokens, marker)


def infinitives(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find the particle of an infinitive that is left out (*I want to*)."""
    for index, word, token in sentence:
        if word != rules.infinitive.particle or token.upos not in ("PART", "ADP", "SCONJ"):
            continue
        if not sentence.is_end(_skip(sentence, index + 1, rules.closing)):
            continue
        for back in range(index - 1, max(sentence.start, index - 4) - 1, -1):
            if sentence.lemma(back) in rules.infinitive.licensing or sentence.word(back) in rules.infinitive.licensing:
                yield EllipsisSite("infinitive", (index,), back)
                break
            if sentence.upos(back) not in ("PRON", "PART", "DET", "NOUN", "PROPN", "ADV"):
                break


def _group(word: str, rules: EllipsisRules) -> str | None:
    """Return which auxiliary a word is a form of."""
    groups = rules.auxiliaries
    forms = {"modal": groups.modal, "do": groups.do, "have": groups.have, "be": groups.be}
    return next((name for name, words in forms.items() if word in words), None)


def _skip(sentence: Sentence, index: int, words: frozenset[str]) -> int:
    """Return the index of the first token from ``index`` on that is none of the words."""
    while sentence.word(index) in words:
        index += 1
    return index


def _is_tag_question(sentence: Sentence, index: int, after: int) -> bool:
    """Tell whether an auxiliary stands in a tag (*…, don't you?*), whose verb is in the same sentence."""
    return (
        sentence.word(index - 1) == ","
        and any(sentence.upos(other) in VERBS for other in range(sentence.start, index))
        and sentence.upos(after) == "PRON"
        and sentence.word(after + 1) == "?"
    )


def _comparative_marker(sentence: Sentence, index: int, rules: EllipsisRules) -> int | None:
    """Return *than* or *as* if it opens the clause of this verb."""
    for other in sentence.left(index):
        if sentence.word(other) in rules.comparative:
            other_sense = (
                sentence.word(other - 1) in rules.time_comparison or sentence.word(other + 1) in rules.imagined
            )
            return None if other_sense or sentence.upos(other + 1) == "NUM" else other
        if sentence.upos(other) == "VERB":
            return None
    return None


def _is_stranded(sentence: Sentence, index: int, after: int, group: str, compared: bool, rules: EllipsisRules) -> bool:
    token = sentence.tokens[index]
    closing = _skip(sentence, after, rules.closing)
    if _is_inverted(sentence, index, after, rules) or _is_short_question(sentence, index, after, rules):
        return True
    if sentence.upos(index - 1) == "DET" or _has_gap(sentence, index, group, rules):
        return False
    if sentence.word(after) in rules.pro_forms or (not compared and _has_verb(sentence, index)):
        return False
    if sentence.is_end(closing):
        return _ends_there(sentence, index, closing, group)
    alone = token.relation not in AUXILIARY_RELATIONS
    if group == "be":
        adjunct = sentence.upos(after) == "ADP" or after != closing or alone
        return compared and adjunct and _verbless(sentence, after)
    # Without a comparison, *do* with an object is a verb of its own.
    if compared if group == "do" else group == "modal" and (token.upos == "AUX" or compared):
        return _has_subject(sentence, index) and _verbless(sentence, after)
    free = token.upos == "AUX" or sentence.upos(after) in ("ADP", "ADV")
    return group == "have" and compared and free and _verbless(sentence, after)


def _has_verb(sentence: Sentence, index: int) -> bool:
    """Tell whether an auxiliary has what it belongs to on its right, whatever part of speech that is given."""
    token = sentence.tokens[index]
    between = range(index + 1, token.head)
    return token.relation == "aux" and token.head > index and not any(sentence.word(other) == "," for other in between)


def _ends_there(sentence: Sentence, index: int, closing: int, group: str) -> bool:
    """Tell whether a clause that may end after an auxiliary does end there."""
    token = sentence.tokens[index]
    if group == "be" and sentence.upos(closing) == "SCONJ":
        return False
    if sentence.upos(closing) == "CCONJ" and _joins_auxiliaries(sentence, closing):
        return False
    if sentence.word(closing) != ",":
        # Before dots and a last dash a speaker breaks off.
        last = all(sentence.upos(other) == "PUNCT" for other in range(closing, sentence.end))
        return sentence.word(closing) not in (":", "...", "…") and not (last and sentence.word(closing) in _DASHES)
    governed = group == "be" and token.relation in AUXILIARY_RELATIONS and token.head > closing
    return not governed and not _goes_on(sentence, index, closing)


def _joins_auxiliaries(sentence: Sentence, conjunction: int) -> bool:
    """Tell whether two auxiliaries share a verb that follows (*can and must go*)."""
    following = conjunction + 1
    while sentence.upos(following) == "ADV":
        following += 1
    return sentence.upos(following) == "AUX"


def _verbless(sentence: Sentence, index: int) -> bool:
    """Tell whether no verb follows in the clause."""
    return not any(sentence.upos(other) in VERBS for other in sentence.right(index - 1))


def _has_subject(sentence: Sentence, index: int) -> bool:
    """Tell whether a noun phrase stands before the verb in its clause."""
    return any(sentence.upos(other) in NOMINALS for other in sentence.left(index))


def _goes_on(sentence: Sentence, index: int, comma: int) -> bool:
    """Tell whether the verb of an auxiliary comes after an insertion (*can, of course, stay*)."""
    adverb = sentence.upos(comma + 1) == "ADV" and sentence.word(comma + 2) == ","
    if adverb and _is_its_verb(sentence, index, comma + 3):
        return True
    if any(map(sentence.is_subordinator, sentence.left(index))):
        return False
    for other in range(comma, sentence.end):
        token = sentence.tokens[other]
        if sentence.is_break(other) or token.relation.startswith("nsubj") or token.upos in ("CCONJ", "SCONJ"):
            return False
        if token.upos in VERBS:
            governed = sentence.tokens[index].head == other
            return governed or token.features.get("VerbForm") != "Fin" or token.features.get("Mood") == "Imp"
    return False


def _is_its_verb(sentence: Sentence, index: int, verb: int) -> bool:
    """Tell whether an auxiliary hangs on a verb that is no command."""
    commands = sentence.upos(verb) in VERBS and sentence.tokens[verb].features.get("Mood") == "Imp"
    return sentence.tokens[index].head == verb and sentence.upos(verb) in VERBS and not commands


def _is_inverted(sentence: Sentence, index: int, after: int, rules: EllipsisRules) -> bool:
    """Tell whether a clause is *so do I*, *neither could the twins*, *as did others*."""
    before = index - 2 if sentence.word(index - 1) in rules.closing else index - 1
    if sentence.word(before) not in rules.inverters or sentence.is_end(after):
        return False
    return sentence.upos(after) in ("PRON", "DET", "PROPN", "NOUN", "NUM", "ADJ") and _verbless(sentence, after)


def _is_short_question(sentence: Sentence, index: int, after: int, rules: EllipsisRules) -> bool:
    """Tell whether the sentence is a question of auxiliary and pronoun (*Haven't they?*), with an adverb at most."""
    before = range(sentence.start, index)
    opens = all(sentence.upos(other) in ("INTJ", "CCONJ", "PUNCT", "ADV") for other in before)
    asks = any(sentence.word(other) in rules.predicate_words for other in before)
    if not opens or asks or sentence.upos(after) != "PRON":
        return False
    rest = range(after + 1, sentence.end)
    particles = rules.closing | rules.negation
    return all(sentence.upos(other) == "PUNCT" or sentence.word(other) in particles for other in rest) and any(
        sentence.word(other) == "?" for other in rest
    )


def _has_gap(sentence: Sentence, index: int, group: str, rules: EllipsisRules) -> bool:
    """Tell whether the complement is not left out but stands before (*how tall he is*, *all I have*)."""
    if group == "modal":
        return False
    left = list(takewhile(lambda other: sentence.word(other) not in rules.comparative, sentence.left(index)))
    if any(sentence.tokens[child].relation in ("obj", "expl") for child in sentence.children(index) if child < index):
        return sentence.word(index - 1) not in rules.expletives
    token = sentence.tokens[index]
    subject_gap = sentence.tokens[index - 1].xpos in ("WP", "WDT") if index > sentence.start else False
    if token.relation == "acl:relcl" and not subject_gap:
        return True
    words = [sentence.word(other) for other in left]
    if group == "be":
        return any(word in rules.predicate_words for word in words[1:]) or _is_fronted(sentence, index, rules)
    if (
        group == "do"
        and words
        and (words[0] == rules.infinitive.particle or _group(words[0], rules) in ("modal", "do"))
    ):
        return True
    return any(word in rules.extracted for word in words[1:])


def _is_fronted(sentence: Sentence, index: int, rules: EllipsisRules) -> bool:
    """Tell whether the predicate opens the clause (*foolish though he may have been*, *cruel as they were*)."""
    for other in sentence.left(index):
        if sentence.word(other) in rules.fronting and sentence.upos(other - 1) == "ADJ":
            return sentence.upos(other - 2) in ("", "PUNCT", "CCONJ")
    return False


def _kind(sentence: Sentence, index: int, after: int, marker: int | None, rules: EllipsisRules) -> str:
    if (
        _has_subject(sentence, index)
        and sentence.word(index - 1) not in rules.inverters
        and sentence.upos(after) in _OBJECTS
    ):
        return "pseudogapping"
    return "verb_phrase" if marker is None else "comparative"
