"""Which nouns of a document mean one thing: a noun repeated, a name in its shorter forms, an apposition.

A pronoun's probability is spread over all mentions of what it stands for; counted together they say how sure it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endophora.corefer.mentions import Discourse, Lexicon, Mention

_NAME = frozenset({"flat", "compound"})
_NEW = ("indefinite_articles", "quantifiers")
_AS_GOOD = 0.8
"""Least part of the most likely mention's probability that a nearer one must have to stand for the entity."""


def entities_of(row: Discourse, mentions: Sequence[Mention], lexicon: Lexicon) -> list[int]:
    """Return the number of each mention's entity; a mention that is no noun, or of a thing said once, has its own."""
    found = list(range(len(mentions)))
    nouns: dict[tuple[str, str], int] = {}
    names: dict[str, list[tuple[frozenset[str], int]]] = {}
    singles: dict[int, int] = {}
    for mention in mentions:
        order = mention.order
        if not mention.nominal:
            continue
        if mention.coordinated:
            key = "+".join(sorted(_conjuncts(row, mention))), "+"
            found[order] = nouns.setdefault(key, order)
            continue
        singles[mention.index] = order
        head = row.head[mention.index]
        if mention.role == "appos" and head in singles and mentions[singles[head]].number == mention.number:
            found[order] = found[singles[head]]
        elif mention.proper:
            found[order] = _named(row, mention, names, order)
        else:
            key = row.lemma(mention.index), mention.number
            found[order] = order if _is_new(row, mention, lexicon) else nouns.get(key, order)
        if mention.proper:
            words = _words(row, mention)
            for word in words:
                names.setdefault(word, []).append((words, found[order]))
        else:
            nouns[row.lemma(mention.index), mention.number] = found[order]
    return found


def _named(
    row: Discourse, mention: Mention, names: Mapping[str, Sequence[tuple[frozenset[str], int]]], order: int
) -> int:
    """Return the entity of the last name that is a longer or a shorter form of this one."""
    words = _words(row, mention)
    last = row.tokens[max(_parts(row, mention))].form.lower()
    for some, entity in reversed(names.get(last, ())):
        if words <= some or some <= words:
            return entity
    return order


def _parts(row: Discourse, mention: Mention) -> list[int]:
    inside = [child for child in row.children[mention.index] if row.relation[child] in _NAME]
    return [mention.index, *(child for child in inside if row.tokens[child].upos == "PROPN")]


def _words(row: Discourse, mention: Mention) -> frozenset[str]:
    return frozenset(row.tokens[index].form.lower() for index in _parts(row, mention))


def _conjuncts(row: Discourse, mention: Mention) -> list[str]:
    conjuncts = (child for child in row.children[mention.index] if row.relation[child] == "conj")
    return [row.lemma(index) for index in (mention.index, *conjuncts)]


def _is_new(row: Discourse, mention: Mention, lexicon: Lexicon) -> bool:
    """Return whether a noun's determiner says that it has not been spoken of (*another game*, *some water*)."""
    new = frozenset[str]().union(*(lexicon.words[name] for name in _NEW))
    determiners = (child for child in row.children[mention.index] if row.relation[child] in {"det", "nummod"})
    return any(row.lemma(child) in new for child in determiners)


def gathered(shares: Mapping[int, float], entities: Sequence[int]) -> list[tuple[int, float]]:
    """Return each noun with its probability, the most likely first; that of an entity is given to one of its mentions.

    It is the nearest of those nearly as likely as the most likely; the entity's other mentions have 0.
    """
    groups: dict[int, list[int]] = {}
    for order in shares:
        groups.setdefault(entities[order], []).append(order)
    found: list[tuple[int, float, float]] = []
    for group in groups.values():
        top = max(shares[order] for order in group)
        chosen = max(order for order in group if shares[order] >= _AS_GOOD * top)
        mass = sum(shares[order] for order in group)
        found.extend((order, mass if order == chosen else 0.0, shares[order]) for order in group)
    found.sort(key=lambda item: (-item[1], -item[2], -item[0]))
    return [(order, mass) for order, mass, _ in found]


def evened(ratios: Mapping[int, float], shares: Mapping[int, float], entities: Sequence[int]) -> dict[int, float]:
    """Return each noun's likelihood ratio, that of its entity: the mean over the mentions by their shares.

    So the evidence weighs things against each other and leaves the choice among mentions of one as it was.
    """
    whole: dict[int, float] = {}
    weighed: dict[int, float] = {}
    for order, share in shares.items():
        entity = entities[order]
        whole[entity] = whole.get(entity, 0.0) + share
        weighed[entity] = weighed.get(entity, 0.0) + share * ratios[order]
    return {
        order: weighed[entities[order]] / whole[entities[order]] if share else 1.0 for order, share in shares.items()
    }
