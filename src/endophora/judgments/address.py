"""What a target text shows of its levels of address, and where words of address stand that have lost their link."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.judgments.addressees import Counted
from endophora.judgments.records import POSSIBLE, RESPECT, Choice, Choices, Place
from endophora.judgments.speech import conversations, translated_conversations
from endophora.languages.schema import PluralAddress, Words
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.records import AnnotatedDocument, group_of, sources_of, subjects, verb_group

PLURAL = "plural"
"""What a plural shows that may be that of any level: nothing else."""

_OBJECTS = ("obj", "iobj", "obl")
_MARGIN = 3
"""Target tokens by which a word may stand outside of what its neighbours are linked to: clitics move."""
_THROUGHOUT = 0.75
"""Part of the words of address that have one level if that is the register of the text."""
_NEAR = 6
"""Source tokens on either side of a word whose links say where its translation stands."""


def levels(document: AnnotatedDocument, tagger: FormalityTagger) -> Iterator[Choice]:
    """Yield the words of address of a document, and those that would be some if someone were addressed."""
    quoted = conversations(document.source)
    spoken, told, second = translated_conversations(document, quoted), set[Place](), tagger.persons.second
    counted = Counted(document, tagger.source, quoted) if tagger.polite_plural else None

    def choice(
        name: str, segment: int, index: int, level: str, linked: tuple[int, ...], about: str, *, title: str = ""
    ) -> Choice:
        token = document.target[segment].tokens[index]
        number = _number(token.form.lower(), level, tagger.plural)
        if counted is not None and level == tagger.polite_plural and not title:
            number = counted.number(segment, index) or "either"
        number = RESPECT if level in tagger.respect else number
        near = {*_near(document.source[segment].tokens, linked, second)} if linked else set[int]()
        near |= _ordered(document.source[segment], linked, tagger)
        near |= _addressed(document, segment, index, second) - {*linked}
        found = tuple(sorted(near)) or _governed(document, segment, index, second, subject=bool(linked))
        return Choice(name, segment, linked, (index,), level, about, title, number=number, near=found)

    found: list[Choice] = []
    for segment, index, level, linked, tagged in tagger.words(document, evident=True):
        told.add((segment, index))
        # *Sir* is a title; no noun that stands for *you* is (*pan*, *o senhor*), nor a verb that models take for one.
        title = "" if tagged or document.target[segment].tokens[index].upos != "NOUN" else "NOUN"
        about = str(spoken[segment][index] or "")
        found.append(choice("formality", segment, index, level, linked, about, title=title))
    shown = {(one.segment, one.target_tokens[0]): one.shown for one in found}
    for segment, index, level, linked in tagger.possible(document):
        if (segment, index) not in told and not _is_taken(
            document.target[segment].tokens, segment, index, level, shown
        ):
            found.append(choice(POSSIBLE, segment, index, level, linked, ""))
    known = [one for one in found if one.number in ("Sing", "Plur") and one.phenomenon == "formality"]
    for one in _doubled(document, found):
        yield one if one.number or not tagger.plural else one._replace(number=_nearest(one, known))


def _doubled(document: AnnotatedDocument, found: Sequence[Choice]) -> Iterator[Choice]:
    """Yield words of address; two pronouns of one level and verb (*te pasa a ti*) are near each other's source."""
    pairs: defaultdict[tuple[int, int, str], list[Choice]] = defaultdict(list)
    keys: list[tuple[int, int, str] | None] = []
    for one in found:
        token = document.target[one.segment].tokens[one.target_tokens[0]]
        paired = (
            one.phenomenon == "formality" and token.upos == "PRON" and "Nom" not in token.features.get("Case", "Nom")
        )
        keys.append((one.segment, token.head, one.shown) if paired else None)
        if paired:
            pairs[one.segment, token.head, one.shown].append(one)
    for one, key in zip(found, keys, strict=True):
        others = (
            {at for other in pairs.get(key, ()) if other is not one for at in other.source_tokens}
            if key
            else set[int]()
        )
        yield one._replace(near=tuple(sorted({*one.near, *others} - {*one.source_tokens}))) if others else one


def _is_taken(tokens: Sequence[Token], segment: int, index: int, level: str, shown: Mapping[Place, str]) -> bool:
    """Return whether what could be a word of address is none, by a word of address of its own verb.

    A pronoun beside a verb of another level stands for something else (*lo sabes*), and so does the subject of a verb
    that has its addressee as an object (*te ayudará*).
    """
    token = tokens[index]
    if token.upos not in VERBS:
        group = verb_group(tokens, token.head) if token.head >= 0 else []
        return any(shown.get((segment, at), level) != level for at in group)
    if token.features.get("Person") != "3":
        return False
    group = verb_group(tokens, index)
    return any(
        one.head in group and one.upos == "PRON" and (segment, at) in shown and _is_object(one)
        for at, one in enumerate(tokens)
    )


def _is_object(token: Token) -> bool:
    case = token.features.get("Case", "")
    return "Nom" not in case and not token.relation.startswith("nsubj") and bool(case)


def _governed(
    document: AnnotatedDocument, segment: int, index: int, second: Words, *, subject: bool
) -> tuple[int, ...]:
    """Return the source words of the verb that a word belongs to, or of the noun or pronoun that says what it does.

    Of *te diste cuenta* (you realized) only these have a link. With ``subject`` none for what is no subject.
    """
    source, tokens, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    if subject and not (tokens[index].upos == "PRON" and tokens[index].relation.startswith("nsubj")):
        return ()
    head = index if tokens[index].upos in VERBS else tokens[index].head
    group = verb_group(tokens, head) if head >= 0 else []
    own = {one for at in group for one in sources_of(at, links)}
    beside = {
        one
        for at, token in enumerate(tokens)
        if token.head in group and token.upos in {"NOUN", "PRON"} and at != index
        for one in sources_of(at, links)
        if source[one].upos in VERBS or (token.upos == "PRON" and source[one].form.lower() in second)
    }
    return tuple(sorted(own or beside))


def _addressed(document: AnnotatedDocument, segment: int, index: int, second: Words) -> set[int]:
    """Return the source's objects of the second person, of what the verb of an object translates, or of its object.

    Of *te gasto una broma* (I am making a joke with you), where *te* may be linked to *I*.
    """
    source, tokens, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    token = tokens[index]
    if token.upos != "PRON" or not _is_object(token) or token.head < 0:
        return set()
    heads = {one for at in verb_group(tokens, token.head) for one in sources_of(at, links)}
    return {
        at
        for at, one in enumerate(source)
        if one.form.lower() in second
        and one.relation.startswith((*_OBJECTS, "nmod"))
        and not one.relation.startswith("nmod:poss")
        and not heads.isdisjoint((one.head, source[one.head].head if one.head >= 0 else -1))
    }


def _ordered(source: AnnotatedText, linked: Sequence[int], tagger: FormalityTagger) -> set[int]:
    """Return the imperative, and its complement, that a subject's verb depends on: *make sure you have*."""
    tokens, second = source.tokens, tagger.persons.second
    verbs = [tokens[at].head for at in linked if tokens[at].form.lower() in second and tokens[at].relation == "nsubj"]
    heads = [tokens[group_of(tokens, verb)].head for verb in verbs if verb >= 0]
    heads += [tokens[head].head for head in heads if head >= 0]
    return (
        set[int]() if tagger.addressee.imperatives(tokens).isdisjoint(heads) else {head for head in heads if head >= 0}
    )


def _nearest(choice: Choice, known: Sequence[Choice]) -> str:
    """Return the number of the nearest word of address of one level in the segment, for one that tells none (*su*)."""
    alike = [one for one in known if (one.segment, one.shown) == (choice.segment, choice.shown)]
    return min(((abs(one.target_tokens[0] - choice.target_tokens[0]), one.number) for one in alike), default=(0, ""))[1]


def _number(form: str, level: str, rule: PluralAddress | None) -> str:
    if rule is None or (level == rule.level and rule.either and re.search(rule.either, form)):
        return ""
    if level == rule.level:
        return "Plur" if re.search(rule.pattern, form) else "Sing"
    return "Own" if rule.other and re.search(rule.other, form) else "Sing"


def _near(tokens: Sequence[Token], linked: Sequence[int], second: Words) -> tuple[int, ...]:
    """Return the other source words that tell whom some words address; none for what is linked to an object."""
    found: set[int] = set()
    for index in linked:
        token = tokens[index]
        if token.form.lower() in second:
            found.update(
                verb_group(tokens, token.head) if token.relation.startswith("nsubj") and token.head >= 0 else ()
            )
            continue
        group = verb_group(tokens, index)
        told = [at for at in subjects(tokens, group) if tokens[at].form.lower() in second]
        found.update((*told, *group) if told else ())
        found.update(
            at
            for at, one in enumerate(tokens)
            if not told and one.head == index and one.form.lower() in second and one.relation.startswith(_OBJECTS)
        )
    return tuple(sorted(found - set(linked)))


def in_clause(choices: Choices, asked: Choice) -> list[Choice]:
    """Return a text's words of address for another text's word, by the verb and the person that it belongs to."""
    place = asked.segment, asked.near
    own = set(asked.source_tokens or asked.near)
    found = choices.of("formality", *place) or (choices.of(POSSIBLE, *place) if asked.source_tokens else [])
    return found or [
        one for one in choices.by_segment.get(("formality", asked.segment), ()) if not own.isdisjoint(one.near)
    ]


def is_near(token: int, source_tokens: Sequence[int], links: Sequence[tuple[int, int]]) -> bool:
    """Return whether a target word stands between the translations of what is around some source words.

    Where nothing around them is translated, no place is near.
    """
    first, last = min(source_tokens), max(source_tokens)
    before = max((link for link in links if first - _NEAR <= link[0] < first), default=None)
    after = min((link for link in links if last < link[0] <= last + _NEAR), default=None)
    places = [link[1] for link in (before, after) if link is not None]
    return bool(places) and min(places) - _MARGIN <= token <= max(places) + _MARGIN


def shown_level(choice: Choice, choices: Choices) -> str:
    """Return the level that a word of address of a text shows; :data:`PLURAL` for a plural of any level."""
    return PLURAL if choice.number == "Plur" and not choices.tells_plurals else choice.shown


def in_places(choices: Sequence[Choice], some: Sequence[int], *, together: bool) -> list[list[int]]:
    """Return some of the choices of a segment, those of neighbouring words in one place if they are ``together``."""
    found: list[list[int]] = []
    for at in some:
        beside = found and choices[at].target_tokens[0] - choices[found[-1][-1]].target_tokens[-1] == 1
        if together and beside:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def throughout(levels: Counter[str]) -> str:
    """Return the level of nearly all words of address, empty if there is none."""
    return next((level for level, count in levels.items() if count >= _THROUGHOUT * levels.total()), "")
