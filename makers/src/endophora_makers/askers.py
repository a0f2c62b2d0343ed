"""What is known of the pronouns of a text to learn from: by GUM, by LitBank, and by our own readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from endophora.annotate.records import AnnotatedText
from endophora.corefer.mentions import Discourse, Lexicon, Mention
from endophora_makers.antecedents import CLAUSE, NOTHING, UNNAMED, UNSURE, Place, Reading
from endophora_makers.coreference_evaluation import gold_pronouns, token_at
from endophora_makers.gum import GoldDocument
from endophora_makers.litbank import Opening
from endophora_makers.parcorfull import head_of


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of one pronoun: the chains that it belongs to, and whether it refers to nothing."""

    chains: frozenset[str]
    empty: bool = False


Asker = Callable[[Discourse, Sequence[Mention]], tuple[Mapping[tuple[int, bool], Set[str]], Mapping[int, Asked]]]
"""Gives, of a text and its mentions, the chains of each mention (its token, and whether it is a coordination), and what
is known of pronouns, by token."""


def gold_asker(document: GoldDocument, texts: Sequence[AnnotatedText], lexicon: Lexicon, window: int) -> Asker:
    """Return what GUM says of a document."""

    def asked_of(row: Discourse, _: Sequence[Mention]) -> tuple[dict[tuple[int, bool], set[str]], dict[int, Asked]]:
        chains: dict[tuple[int, bool], set[str]] = {}
        for span in document.mentions:
            token = token_at(texts[span.segment], span.head)
            if token >= 0:
                chains.setdefault((row.first[span.segment] + token, span.coordinated), set()).add(span.chain)
        pronouns = gold_pronouns(document, texts, lexicon, window)
        known = {
            row.first[gold.segment] + gold.token: Asked(
                frozenset({gold.chain} if gold.chain else ()), gold.non_referential
            )
            for gold in pronouns
            if gold.token >= 0
        }
        return chains, known

    return asked_of


def novel_asker(opening: Opening, texts: Sequence[AnnotatedText]) -> Asker:
    """Return what LitBank says of a novel's opening; of things that it does not mark nothing is known."""

    def asked_of(
        row: Discourse, mentions: Sequence[Mention]
    ) -> tuple[dict[tuple[int, bool], set[str]], dict[int, Asked]]:
        chains: dict[tuple[int, bool], set[str]] = {}
        for marked in opening.marked:
            noun = head_of(texts[marked.segment], marked.start, marked.end)
            if noun is not None:
                chains.setdefault((row.first[marked.segment] + noun[0], noun[1]), set()).add(marked.chain)
        known = {
            mention.index: Asked(frozenset(chains[mention.index, False]))
            for mention in mentions
            if mention.kind not in {"", "demonstrative"} and (mention.index, False) in chains
        }
        return chains, known

    return asked_of


def read_asker(reading: Reading, lexicon: Lexicon, window: int) -> Asker:
    """Return what a reader said of a text."""

    def asked_of(
        row: Discourse, mentions: Sequence[Mention]
    ) -> tuple[dict[tuple[int, bool], set[str]], dict[int, Asked]]:
        chains: dict[tuple[int, bool], set[str]] = {}
        known: dict[int, Asked] = {}
        unnamed: dict[str, int] = {}
        for mention in mentions:
            place = Place(mention.segment, row.tokens[mention.index].start, mention.coordinated)
            said = reading.get(place)
            if said is None or said == UNSURE:
                continue
            if said not in {CLAUSE, NOTHING, UNNAMED}:
                chains.setdefault((mention.index, mention.coordinated), set()).add(said)
            if not mention.group:
                continue
            # Of two pronouns of things that no noun names, nobody has said whether the thing is the same.
            if said != UNNAMED or mention.segment - unnamed.get(mention.number, -window - 1) > window:
                own = chains.get((mention.index, mention.coordinated), set())
                empty = said == NOTHING and mention.group in lexicon.expletive_groups
                known[mention.index] = Asked(frozenset(own), empty)
            if said == UNNAMED:
                unnamed[mention.number] = mention.segment
        return chains, known

    return asked_of
