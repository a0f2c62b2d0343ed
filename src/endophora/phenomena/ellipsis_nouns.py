"""Noun phrases without their noun: possessives, quantifiers, numerals, ordinals, adjectives and genitives alone."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.annotate.records import Token
from endophora.corpus.faults import whole_number
from endophora.phenomena.ellipsis_rules import EllipsisRules
from endophora.phenomena.ellipsis_view import ARGUMENTS, VERBS, EllipsisSite, Sentence

_LARGEST = 100
_SCORE_MARKS = frozenset("-–—:")
_MODIFIABLE = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET", "PRON"})


def noun_phrases(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find noun phrases whose noun is left out.

    What is followed by its noun's phrase (*two of them*) is none: nothing is missing there. Nor is *one* with an
    adjective (*the red one*), which stands for the noun.
    """
    for index, word, token in sentence:
        if sentence.in_phrase(index, rules.fixed_noun_phrases):
            continue
        if (
            _is_possessive(sentence, index, word, rules)
            or _is_genitive(sentence, index, word, rules)
            or _is_question_word(sentence, index, word, rules)
        ):
            yield EllipsisSite("noun_phrase", (index,))
        elif _stands_alone(sentence, index, rules) and (
            _is_quantifier(sentence, index, word, token, rules)
            or _is_numeral(sentence, index, token, rules)
            or _is_adjective(sentence, index, word, token, rules)
        ):
            start = index - 1 if sentence.upos(index - 1) == "DET" else index
            yield EllipsisSite("noun_phrase", tuple(range(start, index + 1)))


def _is_possessive(sentence: Sentence, index: int, word: str, rules: EllipsisRules) -> bool:
    """*mine* and *one of mine*, but not *a friend of mine*."""
    if word not in rules.possessives or sentence.upos(index + 1) in ("NOUN", "PROPN"):
        return False
    return sentence.word(index - 1) not in rules.completing or sentence.upos(index - 2) in ("NUM", "DET")


def _is_genitive(sentence: Sentence, index: int, word: str, rules: EllipsisRules) -> bool:
    """*Peter's* before a finite verb or a clause end, but not *at the baker's*."""
    if word not in rules.genitive or sentence.upos(index - 1) not in ("PROPN", "NOUN") or index + 1 >= sentence.end:
        return False
    following = index + 1
    finite = sentence.upos(following) == "AUX" and sentence.tokens[following].features.get("VerbForm") == "Fin"
    left = sentence.left(index)
    # Firms and churches have such names: as a subject, a genitive has to be set against another one.
    finite = finite and sentence.upos(index - len(left) - 1) == "CCONJ"
    predicate = sentence.is_break(following) and any(sentence.upos(other) in VERBS for other in left)
    return (finite or predicate) and not any(sentence.word(other) in rules.place_prepositions for other in left[:3])


def _is_question_word(sentence: Sentence, index: int, word: str, rules: EllipsisRules) -> bool:
    """*Which do you prefer?*: at the start of a question, before an auxiliary (not *Which is why we left*)."""
    opens = all(sentence.upos(other) in ("CCONJ", "INTJ", "PUNCT", "ADP") for other in range(sentence.start, index))
    asks = any(sentence.word(other) == "?" for other in range(index, sentence.end))
    return word in rules.question_words and opens and asks and sentence.upos(index + 1) == "AUX"


def _stands_alone(sentence: Sentence, index: int, rules: EllipsisRules) -> bool:
    """Tell whether nothing follows to which the word could belong: a noun, *of*, or a relative clause."""
    following = index + 1
    if sentence.word(following) in rules.completing:
        return False
    token = sentence.tokens[index]
    if any(sentence.tokens[child].relation == "acl:relcl" for child in sentence.children(index)):
        return False
    noun_follows = following <= token.head < sentence.end and sentence.upos(token.head) not in VERBS
    modifies = noun_follows and token.relation not in ARGUMENTS
    adjacent = sentence.upos(following) in _MODIFIABLE and token.relation not in ("iobj", "obj")
    return not modifies and not adjacent


def _is_argument(sentence: Sentence, index: int, token: Token) -> bool:
    """Tell whether a word stands where a noun phrase would: by its relation, or right after a verb at a clause end."""
    if token.relation in ARGUMENTS or (token.relation == "det" and sentence.upos(token.head) in VERBS):
        return True
    return sentence.upos(index - 1) == "VERB" and sentence.is_end(index + 1) and token.relation != "advmod"


def _is_quantifier(sentence: Sentence, index: int, word: str, token: Token, rules: EllipsisRules) -> bool:
    """*several*, *none*, *a few*; not people in general (*many believe*)."""
    if word not in rules.quantifiers or sentence.word(index - 1) in rules.adverbial_before:
        return False
    if word in rules.floating and sentence.upos(index - 1) in ("PRON", "NOUN", "PROPN"):
        return False
    if {"cop", "nsubj"} <= {sentence.tokens[child].relation for child in sentence.children(index)}:
        return False  # *they are few*: as a predicate it says how many
    if word in rules.measures and not sentence.is_end(index + 1):
        return False
    if sentence.word(index + 1) in rules.comparative or sentence.upos(index - 1) == "NUM":
        return False
    subject = _opens_clause(sentence, index) and not (word in rules.inverters and sentence.upos(index + 1) == "AUX")
    if not subject and (not _is_argument(sentence, index, token) or token.upos in ("CCONJ", "PART")):
        return False
    generic = word in rules.generic_quantifiers and sentence.lemma(token.head) in rules.generic_verbs
    return not (generic and (subject or token.relation.startswith("nsubj")))


def _opens_clause(sentence: Sentence, index: int) -> bool:
    """Tell whether a word is the first of its clause and a finite verb without another subject follows at once."""
    verb = sentence.tokens[index + 1] if index + 1 < sentence.end else None
    if verb is None or verb.upos not in VERBS or verb.features.get("VerbForm") != "Fin" or sentence.left(index):
        return False
    heads = {index + 1, verb.head}
    subjects = (other for head in heads for other in sentence.children(head))
    return not any(sentence.tokens[other].relation.startswith("nsubj") and other > index for other in subjects)


def _is_numeral(sentence: Sentence, index: int, token: Token, rules: EllipsisRules) -> bool:
    """*two*, *12*; no dates, hours, ages, page numbers and scores (*1-0*), and not *one*."""
    if token.upos != "NUM" or token.relation not in ("obj", "nsubj", "nsubj:pass", "conj", "iobj"):
        return False
    digits = token.form.replace(",", "")
    value = whole_number(digits)
    small = (value is not None and value <= _LARGEST) or token.form.isalpha()
    score = sentence.word(index + 1) in _SCORE_MARKS and sentence.upos(index + 2) == "NUM"
    counts = sentence.upos(index + 1) in ("NOUN", "PROPN") or score
    if not small or counts or sentence.word(index) in rules.other_numerals or sentence.upos(token.head) == "NUM":
        return False
    before = [sentence.word(index - 1), sentence.word(index - 2)]
    if any(word in rules.time_prepositions for word in before[:1]) or sentence.upos(index - 1) in (
        "NUM",
        "SYM",
        "NOUN",
    ):
        return False
    return token.relation != "conj" or sentence.upos(token.head) in VERBS


def _is_adjective(sentence: Sentence, index: int, word: str, token: Token, rules: EllipsisRules) -> bool:
    """*the yellow*, *the shorter*, *the second*: a determiner, then a word that says which."""
    if sentence.word(index - 1) not in rules.determiners or token.relation not in ARGUMENTS:
        return False
    if word in rules.ordinals:
        return sentence.word(index - 2) not in rules.dates
    return word in rules.adjectives or token.xpos == "JJR" or token.features.get("Degree") == "Cmp"
