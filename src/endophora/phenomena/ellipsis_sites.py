"""Where words are left out: stranded auxiliaries and *to*, noun phrases without a noun, clauses without a verb."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from endophora.annotate.records import NOUNS, VERBS, Token
from endophora.corpus.faults import whole_number
from endophora.phenomena.ellipsis_rules import EllipsisRules, EllipsisSite, Sentence, modal_of_pro_verb

_AUXILIARY_RELATIONS = frozenset({"aux", "aux:pass", "cop"})
# Relations in which a noun phrase stands for itself, and parts of speech that can head one.
_ARGUMENTS = frozenset(
    {"nsubj", "nsubj:pass", "nsubj:outer", "obj", "iobj", "obl", "conj", "root", "xcomp", "ccomp", "parataxis"}
)
_NOMINALS = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_OBJECTS = frozenset({"DET", "PRON", "PROPN"})
_DASHES = frozenset({"-", "--", "–", "—", "―"})
_LARGEST = 100
_SCORE_MARKS = frozenset("-–—:")
_MODIFIABLE = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET", "PRON"})
_REACH = 4


def verb_phrases(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find auxiliaries whose verb is left out."""
    for index, word, token in sentence:
        group = rules.group(word)
        if group is None or token.upos not in VERBS or sentence.in_phrase(index, rules.fixed_verb_phrases):
            continue
        after = sentence.past(index + 1, rules.negation)
        if _is_tag_question(sentence, index, after):
            continue
        marker = _comparative_marker(sentence, index, rules)
        modal = modal_of_pro_verb(sentence, index, after, rules) if marker is None else None
        if modal is not None or _is_stranded(sentence, index, after, group, marker is not None, rules):
            tokens = tuple(range(index if modal is None else modal, after))
            yield EllipsisSite(_kind(sentence, index, after, marker, rules), tokens, marker)


def infinitives(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find the particle of an infinitive that is left out (*I want to*)."""
    for index, word, token in sentence:
        if word != rules.infinitive.particle or token.upos not in ("PART", "ADP", "SCONJ"):
            continue
        if not sentence.is_end(sentence.past(index + 1, rules.closing)):
            continue
        for back in range(index - 1, max(sentence.start, index - 4) - 1, -1):
            if sentence.lemma(back) in rules.infinitive.licensing or sentence.word(back) in rules.infinitive.licensing:
                yield EllipsisSite("infinitive", (index,), back)
                break
            if sentence.upos(back) not in ("PRON", "PART", "DET", "NOUN", "PROPN", "ADV"):
                break


def _is_tag_question(sentence: Sentence, index: int, after: int) -> bool:
    """Return whether an auxiliary is in a tag (*…, don't you?*), whose verb is in the same sentence."""
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
            before, after = sentence.word(other - 1), sentence.word(other + 1)
            other_sense = before in rules.time_comparison or after in rules.imagined
            return None if other_sense or sentence.upos(other + 1) == "NUM" else other
        if sentence.upos(other) == "VERB":
            return None
    return None


def _is_stranded(sentence: Sentence, index: int, after: int, group: str, compared: bool, rules: EllipsisRules) -> bool:
    token = sentence.tokens[index]
    closing = sentence.past(after, rules.closing)
    if _is_inverted(sentence, index, after, rules) or _is_short_question(sentence, index, after, rules):
        return True
    subjects = rules.floating | rules.generic_quantifiers  # *they all do*, *some do*
    if sentence.upos(index - 1) == "DET" and not (group == "do" and sentence.word(index - 1) in subjects):
        return False
    if _has_gap(sentence, index, group, rules):
        return False
    if sentence.word(after) in rules.pro_forms or (not compared and _has_verb(sentence, index)):
        return False
    if sentence.is_end(closing):
        return _ends_there(sentence, index, closing, group, rules)
    alone = token.relation not in _AUXILIARY_RELATIONS
    if group == "be":
        adjunct = sentence.upos(after) == "ADP" or after != closing or alone
        return compared and adjunct and _verbless(sentence, after)
    # Without a comparison, *do* with an object is a full verb.
    if compared if group == "do" else group == "modal" and (token.upos == "AUX" or compared):
        return _has_subject(sentence, index) and _verbless(sentence, after)
    free = token.upos == "AUX" or sentence.upos(after) in ("ADP", "ADV")
    return group == "have" and compared and free and _verbless(sentence, after)


def _has_verb(sentence: Sentence, index: int) -> bool:
    """Return whether an auxiliary has what it belongs to on its right, of any part of speech."""
    token = sentence.tokens[index]
    between = range(index + 1, token.head)
    return token.relation == "aux" and token.head > index and not any(sentence.word(other) == "," for other in between)


def _ends_there(sentence: Sentence, index: int, closing: int, group: str, rules: EllipsisRules) -> bool:
    """Return whether a clause that may end after an auxiliary does end there."""
    token = sentence.tokens[index]
    if group == "be" and sentence.upos(closing) == "SCONJ":
        return False
    following = next((other for other in range(closing + 1, sentence.end) if sentence.upos(other) != "ADV"), -1)
    if sentence.upos(closing) == "CCONJ" and sentence.upos(following) == "AUX":
        return False  # *can and must go*: both share a verb that follows
    if sentence.word(closing) != ",":
        # Before dots and a last dash a speaker breaks off.
        last = all(sentence.upos(other) == "PUNCT" for other in range(closing, sentence.end))
        # … but in *when they do…* the dots leave another clause open.
        opened = group == "do" and any(sentence.tokens[at].xpos in ("IN", "WRB") for at in sentence.left(index))
        dots = sentence.word(closing) in ("...", "…") and not opened
        return sentence.word(closing) != ":" and not dots and not (last and sentence.word(closing) in _DASHES)
    if _is_tag_question(sentence, closing + 1, sentence.past(closing + 2, rules.negation)):
        return True
    governed = group == "be" and token.relation in _AUXILIARY_RELATIONS and token.head > closing
    return not governed and not _goes_on(sentence, index, closing)


def _verbless(sentence: Sentence, index: int) -> bool:
    """Return whether no verb follows in the clause."""
    return not any(sentence.upos(other) in VERBS for other in sentence.right(index - 1))


def _has_subject(sentence: Sentence, index: int) -> bool:
    """Return whether a noun phrase stands before the verb in its clause."""
    return any(sentence.upos(other) in _NOMINALS for other in sentence.left(index))


def _goes_on(sentence: Sentence, index: int, comma: int) -> bool:
    """Return whether the verb of an auxiliary comes after an insertion (*can, of course, stay*)."""
    verb, adverb = comma + 3, sentence.upos(comma + 1) == "ADV" and sentence.word(comma + 2) == ","
    its = sentence.upos(verb) in VERBS and sentence.tokens[index].head == verb
    if adverb and its and sentence.tokens[verb].features.get("Mood") != "Imp":
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


def _is_inverted(sentence: Sentence, index: int, after: int, rules: EllipsisRules) -> bool:
    """Return whether a clause is *so do I*, *neither could the twins*, *as did others*."""
    before = index - 2 if sentence.word(index - 1) in rules.closing else index - 1
    if sentence.word(before) not in rules.inverters or sentence.is_end(after):
        return False
    return sentence.upos(after) in ("PRON", "DET", "PROPN", "NOUN", "NUM", "ADJ") and _verbless(sentence, after)


def _is_short_question(sentence: Sentence, index: int, after: int, rules: EllipsisRules) -> bool:
    """Return whether the sentence is a question of auxiliary and pronoun (*Haven't they?*), with an adverb at most."""
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
    """Return whether the complement is not left out but stands before (*how tall he is*, *all I have*)."""
    if group == "modal":
        return False
    left = list(takewhile(lambda other: sentence.word(other) not in rules.comparative, sentence.left(index)))
    if any(sentence.tokens[child].relation in ("obj", "expl") for child in sentence.children(index) if child < index):
        return sentence.word(index - 1) not in rules.expletives
    token = sentence.tokens[index]
    subject_gap = index > sentence.start and sentence.tokens[index - 1].xpos in ("WP", "WDT")
    if token.relation == "acl:relcl" and not subject_gap:
        return True
    words = [sentence.word(other) for other in left]
    if group == "be":
        return any(word in rules.predicate_words for word in words[1:]) or _is_fronted(sentence, index, rules)
    auxiliary = group == "do" and words and rules.group(words[0]) in ("modal", "do")
    if auxiliary or (group == "do" and words[:1] == [rules.infinitive.particle]):
        return True
    return any(
        sentence.word(other) in rules.extracted and not sentence.tokens[other].relation.startswith("det")
        for other in left[1:]
    )


def _is_fronted(sentence: Sentence, index: int, rules: EllipsisRules) -> bool:
    """Return whether the predicate opens the clause (*foolish though he may have been*, *cruel as they were*)."""
    for other in sentence.left(index):
        if sentence.word(other) in rules.fronting and sentence.upos(other - 1) == "ADJ":
            return sentence.upos(other - 2) in ("", "PUNCT", "CCONJ")
    return False


def _kind(sentence: Sentence, index: int, after: int, marker: int | None, rules: EllipsisRules) -> str:
    subject = _has_subject(sentence, index) and sentence.word(index - 1) not in rules.inverters
    if subject and sentence.upos(after) in _OBJECTS:
        return "pseudogapping"
    return "verb_phrase" if marker is None else "comparative"


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
    if word not in rules.possessives or sentence.upos(index + 1) in NOUNS:
        return False
    return sentence.word(index - 1) not in rules.completing or sentence.upos(index - 2) in ("NUM", "DET")


def _is_genitive(sentence: Sentence, index: int, word: str, rules: EllipsisRules) -> bool:
    """*Peter's* before a finite verb or a clause end, but not *at the baker's*."""
    if word not in rules.genitive or sentence.upos(index - 1) not in NOUNS or index + 1 >= sentence.end:
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
    if word not in rules.question_words or sentence.upos(index + 1) != "AUX":
        return False
    opens = all(sentence.upos(other) in ("CCONJ", "INTJ", "PUNCT", "ADP") for other in range(sentence.start, index))
    return opens and any(sentence.word(other) == "?" for other in range(index, sentence.end))


def _stands_alone(sentence: Sentence, index: int, rules: EllipsisRules) -> bool:
    """Return whether nothing follows to which the word could belong: a noun, *of*, or a relative clause."""
    following = index + 1
    if sentence.word(following) in rules.completing:
        return False
    token = sentence.tokens[index]
    if any(sentence.tokens[child].relation == "acl:relcl" for child in sentence.children(index)):
        return False
    noun_follows = following <= token.head < sentence.end and sentence.upos(token.head) not in VERBS
    modifies = noun_follows and token.relation not in _ARGUMENTS
    adjacent = sentence.upos(following) in _MODIFIABLE and token.relation not in ("iobj", "obj")
    return not modifies and not adjacent


def _is_argument(sentence: Sentence, index: int, token: Token) -> bool:
    """Return whether a word stands where a noun phrase would: by its relation, or after a verb at a clause end."""
    if token.relation in _ARGUMENTS or (token.relation == "det" and sentence.upos(token.head) in VERBS):
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
    """Return whether a word is the first of its clause and a finite verb without another subject follows at once."""
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
    counts = sentence.upos(index + 1) in NOUNS or score
    if not small or counts or sentence.word(index) in rules.other_numerals or sentence.upos(token.head) == "NUM":
        return False
    if sentence.word(index - 1) in rules.time_prepositions or sentence.upos(index - 1) in ("NUM", "SYM", "NOUN"):
        return False
    return token.relation != "conj" or sentence.upos(token.head) in VERBS


def _is_adjective(sentence: Sentence, index: int, word: str, token: Token, rules: EllipsisRules) -> bool:
    """*the yellow*, *the shorter*, *the second*, but not *the old and the new book*."""
    if sentence.word(index - 1) not in rules.determiners or token.relation not in _ARGUMENTS:
        return False
    joined = sentence.upos(index + 1) == "CCONJ" and sentence.word(index + 2) in rules.determiners
    if joined and sentence.upos(sentence.past(index + 3, rules.adjectives | rules.ordinals)) in NOUNS:
        return False
    if word in rules.ordinals:
        return sentence.word(index - 2) not in rules.dates
    return word in rules.adjectives or token.xpos == "JJR" or token.features.get("Degree") == "Cmp"


def sluices(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find questions that are left out except for the question word (*I don't know why*; *Why?*)."""
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
        if not sentence.is_end(after) or sentence.word(after + 1) in words.words or _is_insertion(sentence, after):
            continue
        start = index - 1 if sentence.upos(index - 1) == "ADP" else index
        for back in range(start - 1, max(sentence.start, start - _REACH) - 1, -1):
            if sentence.lemma(back) in words.licensing:
                yield EllipsisSite("sluicing", tuple(range(start, after)), back)
                break


def _is_insertion(sentence: Sentence, index: int) -> bool:
    """Return whether a dash opens an insertion, which another dash closes (*I wonder who — or what — made it*)."""
    dashes = [other for other in range(index, sentence.end) if sentence.word(other)[:1] in ("—", "–")]
    return len(dashes) > 1 and dashes[0] == index


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
    """Find clauses that share the verb of the clause before (*Emma ordered the fish, and Paul the lamb*)."""
    for index, word, token in sentence:
        if token.relation == "orphan":
            yield EllipsisSite("gapping", (index,))
            return
        weak = word == ","
        if not (weak or word in rules.gapping.coordinators) or not _has_clause(sentence, index):
            continue
        following = range(index + 1, sentence.end)
        rest = list(takewhile(lambda other: not _closes(sentence, other, rules), following))
        if not 2 <= len(rest) <= rules.gapping.longest or not sentence.is_end(rest[-1] + 1):
            continue
        if any(sentence.upos(other) in (*VERBS, "SCONJ", "PUNCT") for other in rest):
            continue
        # A bare noun with a preposition after it is the next of a list: "flooding and landslides in the mountains".
        listed = sentence.upos(rest[0]) == "NOUN" and sentence.upos(rest[1]) == "ADP"
        if (weak or listed) and not _is_contrast(sentence, rest, rules):
            continue
        if _has_two_remnants(sentence, rest, index, rules):
            yield EllipsisSite("gapping", tuple(rest))
            return


def _closes(sentence: Sentence, index: int, rules: EllipsisRules) -> bool:
    return sentence.word(index) in rules.gapping.coordinators or sentence.upos(index) == "PUNCT"


def _is_contrast(sentence: Sentence, rest: list[int], rules: EllipsisRules) -> bool:
    """Return whether a comma alone may join two clauses here: *the others …*, *she …*, or two words only."""
    contrasts = rules.gapping.contrasts | rules.gapping.subjects
    pair = len(rest) == 2 and sentence.upos(rest[0]) in NOUNS and sentence.upos(rest[1]) == "ADJ"
    return pair or any(sentence.word(other) in contrasts for other in rest[:2])


def _has_clause(sentence: Sentence, index: int) -> bool:
    """Return whether a subject and a verb stand before."""
    before = range(sentence.start, index)
    return any(sentence.upos(other) in VERBS for other in before) and any(
        sentence.tokens[other].relation.startswith("nsubj") or sentence.upos(other) in _NOMINALS for other in before
    )


def _has_two_remnants(sentence: Sentence, rest: list[int], index: int, rules: EllipsisRules) -> bool:
    """Return whether a stretch without a verb is two phrases of a clause rather than one."""
    first, second = rest[0], rest[1] if len(rest) > 1 else sentence.end
    if sentence.word(first) in rules.gapping.subjects:
        return len(rest) > 1 and sentence.upos(second) in ("DET", "NOUN", "PROPN", "ADP", "PRON", "NUM", "ADJ")
    named = sentence.upos(first) == "ADJ" and sentence.upos(second) == "ADP"
    heads = (other for other in rest if sentence.upos(other) in _NOMINALS)
    head = first if named else next((each for each in heads if sentence.tokens[each].relation != "nmod:poss"), None)
    while head is not None and head + 1 in rest and sentence.tokens[head].relation in ("compound", "flat", "nummod"):
        head += 1
    if head is None or head + 1 not in rest:
        return False
    following = head + 1
    if sentence.upos(first) == "ADP":
        return _is_parallel(sentence, first, index) and sentence.upos(following) in (*_NOMINALS, "DET")
    if sentence.upos(following) == "ADP":
        return _is_parallel(sentence, following, index)
    if sentence.tokens[following].relation in ("flat", "compound", "appos", "obl:unmarked"):
        return False
    if sentence.upos(following) == "ADJ":
        return len(rest) == 2
    # *three cents a share* is one phrase.
    measured = any(sentence.upos(other) == "NUM" for other in rest[: rest.index(following)])
    return sentence.upos(following) == "DET" and not measured


def _is_parallel(sentence: Sentence, preposition: int, index: int) -> bool:
    """Return whether the clause before ends in a phrase of its verb with the same preposition, or begins with one."""
    prepositions = [other for other in range(sentence.start, index) if sentence.upos(other) == "ADP"]
    for other in (prepositions[0], prepositions[-1]) if prepositions else ():
        noun = sentence.tokens[sentence.tokens[other].head]
        same = sentence.word(other) == sentence.word(preposition)
        if same and noun.relation.startswith("obl") and other in (sentence.start, prepositions[-1]):
            return True
    return False


def fragments(sentence: Sentence, rules: EllipsisRules) -> Iterator[EllipsisSite]:
    """Find answers and afterthoughts that lack a verb or a main clause (*To the station.* *Because it rained.*)."""
    content = [index for index, _, token in sentence if token.upos not in ("PUNCT", "INTJ")]
    if not content or sentence.word(sentence.end - 1) not in (".", "?", "!", "…"):
        return
    spoken = rules.fragment.interjections
    if any(token.upos == "INTJ" and word not in spoken for _, word, token in sentence):
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
    skipped = (index for index in content if sentence.word(index) not in rules.fragment.opening)
    opening = next((index for index in skipped if sentence.upos(index) != "CCONJ"), content[0])
    bound = sentence.word(opening) in rules.comparative
    preposition = sentence.upos(opening) == "ADP" and opening < content[-1] and not bound
    if (replies or preposition) and not sentence.in_phrase(opening, rules.fragment.formulas):
        yield whole


RULES = (verb_phrases, infinitives, sluices, gaps, fragments, noun_phrases)
"""In this order: of two rules that claim one token, the first has it."""
