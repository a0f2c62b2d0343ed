"""A target word that may show a level of address: what it is linked to, and whether it is rather a name."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from unicodedata import combining, normalize

from endophora.align.records import Link
from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.phenomena.pronoun_pairs import EXPLETIVE
from endophora.phenomena.records import dependents, group_of, remembered, sources_of, subjects, targets_of, verb_group

_NOMINAL_PLACES = ("nsubj", "obj", "obl", "nmod")
REACH = 40
"""Characters of text around a word that a rule may look at."""
_OBJECTS = frozenset({"obj", "iobj", "obl"})
_STOPS = frozenset(".!?;…()")
_ADJUNCTS = ("obl", "advmod", "discourse")
_OF_NOUNS = ("det", "case", "flat")


def _plain(form: str) -> str:
    """Return a word without its accents."""
    return form if form.isascii() else "".join(one for one in normalize("NFD", form) if not combining(one))


@remembered
def _plain_forms(tokens: Sequence[Token]) -> Set[str]:
    return {_plain(token.form) for token in tokens}


@dataclass(frozen=True, slots=True)
class TargetWord:
    """A target token in its segment."""

    source: AnnotatedText
    target: AnnotatedText
    links: Sequence[Link]
    index: int

    @property
    def token(self) -> Token:
        """The token."""
        return self.target.tokens[self.index]

    def linked(self) -> list[int]:
        """Return the linked source tokens."""
        return sources_of(self.index, self.links)

    def linked_verb(self) -> list[int]:
        """Return the source tokens that say whom the word is said of; of an auxiliary linked to no verb, its verb's.

        Aligners link auxiliaries to adverbs or to nothing (*¿ha jugado?*, have you ever played?).
        """
        linked = self.linked()
        main = group_of(self.target.tokens, self.index)
        if main == self.index or any(self.source.tokens[one].upos in VERBS for one in linked[:1]):
            return linked
        return sources_of(main, self.links) or linked

    def is_object(self, index: int) -> bool:
        """Return whether a target word, whatever the parser takes it for, translates an object."""
        return any(self.source.tokens[one].relation in {"obj", "iobj"} for one in sources_of(index, self.links)[:1])

    def is_adjunct(self, index: int) -> bool:
        """Return whether a target word translates an adverb or oblique, of a verb without an object before it.

        With one, the verb may have what the source calls so as its subject (*¿le preocupa?*, are you worried by it?).
        """
        below = dependents(self.target.tokens).get(index, ())
        linked = [found[0] for one in (index, *below) if (found := sources_of(one, self.links))][:1]
        placed = any(self.source.tokens[one].relation.startswith(_ADJUNCTS) for one in linked)
        verb = group_of(self.target.tokens, self.index)
        own = (one for one in self.target.tokens[: self.index] if one.head in {self.index, verb} and one.upos == "PRON")
        dative = (one for one in own if one.features.get("Case") != "Acc")  # *¿lo ha visto alguna vez?*
        return placed and not any(one.relation.startswith(("obj", "iobj", "obl")) for one in dative)

    def translates(self, parts: Set[str]) -> bool:
        """Return whether the word is linked to one of some parts of speech, if any are asked for."""
        return not parts or any(self.source.tokens[index].upos in parts for index in self.linked())

    def subjects(self) -> list[int]:
        """Return the target words that parsers take for subjects of the word, without those of another sentence."""
        tokens = self.target.tokens
        own = subjects(tokens, (self.index, group_of(tokens, self.index)))
        # Of *¿sigue usted enfadada?* parsers give the subject to what is said of it.
        below = [at for at in dependents(tokens).get(self.index, ()) if tokens[at].relation == "xcomp"]
        own += [at for at in subjects(tokens, below) if at == self.index + 1]
        return [place for place in own if not any(one.form in _STOPS for one in self._between(place))]

    def _between(self, place: int) -> Sequence[Token]:
        first, last = sorted((place, self.index))
        return self.target.tokens[first + 1 : last]

    def heads_object(self, second: Token, verb: int) -> bool:
        """Return whether a word of the second person tells who an object of a source verb is (*all of you*)."""
        if second.head < 0 or second.relation == "nmod:poss":
            return False
        head = self.source.tokens[second.head]
        own = second.relation.startswith(("nmod", "det", "appos", "flat", "compound"))
        return own and head.head == verb and head.relation.partition(":")[0] in _OBJECTS

    def is_mistaken(self, subject: int) -> bool:
        """Return whether what a parser takes for the subject is an object, by its person or by what it translates.

        Where subjects are left out, parsers make one of the object (*Conosce Tom?*, *¿qué sección desea?*).
        """
        person = self.target.tokens[subject].features.get("Person", "3")
        if person in {"1", "2"} and self.token.features.get("Person") == "3":
            return self.target.tokens[subject].features.get("Case") != "Nom"
        return self.is_object(subject) or self.is_adjunct(subject)

    def leads(self) -> bool:
        """Return whether the word begins a sentence, or is its predicate, and not of the past."""
        root = self.token.relation == "root" and self.token.upos in VERBS
        return self.initial() or (root and self.token.features.get("Tense") != "Past")

    def is_copied(self) -> bool:
        """Return whether the source has the same word, whatever its accents, or a name for it, or it is a name."""
        named = any(self.source.tokens[index].upos == "PROPN" for index in self.linked())
        copied = _plain(self.token.form) in _plain_forms(self.source.tokens)
        return copied or (named and not self.initial()) or self.is_name()

    def is_name(self) -> bool:
        """Return whether the word is a proper noun in a noun's place, which no verb that is taken for a name has."""
        own = (token.relation for token in self.target.tokens if token.head == self.index)
        placed = self.token.relation.startswith(_NOMINAL_PLACES) or any(one.startswith(_OF_NOUNS) for one in own)
        return self.token.upos == "PROPN" and placed

    def is_capitalized(self) -> bool:
        """Return whether the word has a capital because it is a noun or a name, not by its place."""
        return self.token.form[0].isupper() and not self.initial() and not self.target.text.isupper()

    def has_verb(self, pattern: str) -> bool:
        """Return whether the word belongs to a verb, or its auxiliary, of some form."""
        tokens, head = self.target.tokens, self.token.head
        return any(
            re.search(pattern, tokens[at].form.lower()) for at in (verb_group(tokens, head) if head >= 0 else ())
        )

    def has_rival(self) -> bool:
        """Return whether a linked source word is an object of the third person, which the word translates."""
        linked = (self.source.tokens[index] for index in self.linked())
        return any(token.features.get("Person") == "3" and not token.relation.startswith("nsubj") for token in linked)

    def is_beside_possessed(self, possessor: Token) -> bool:
        """Return whether a dative is whose a noun beside it is: *le duele la garganta*, your throat hurts."""
        if not possessor.relation.startswith("nmod") or not self.token.relation.startswith(("iobj", "obl")):
            return False
        return any(self.target.tokens[one].head == self.token.head for one in targets_of(possessor.head, self.links))

    def has_bare_infinitive(self, head: int) -> bool:
        """Return whether a target word has an infinitive without a particle as another complement."""
        tokens = self.target.tokens
        marked = {token.head for token in tokens if token.relation == "mark"}
        own = (token for index, token in enumerate(tokens) if token.head == head and index not in marked)
        return any(token.relation == "xcomp" and token.features.get("VerbForm") == "Inf" for token in own)

    def initial(self) -> bool:
        """Return whether the word would be written with a capital in any case."""
        if self.index == 0 or self.index in self.target.sentences:
            return True
        before = self.target.tokens[self.index - 1]
        return before.upos == "PUNCT" and before.form != ","

    def has_own_subject(self, *, before: bool) -> bool:
        """Return whether a verb has the subject *I* or any before it; what else follows it parsers mistake."""
        tokens = self.target.tokens
        own = dependents(tokens).get(self.index, ())
        if before and any(tokens[index].relation == "expl:subj" for index in own):
            return True  # *il faut*
        for index in self.subjects():
            person = tokens[index].features.get("Person")
            free = index > self.index or person in {"1", "2"}  # not *ça suffit*
            if before and 0 < self.index - 1 != index and tokens[self.index - 1].form == ",":
                continue  # *gracias, juega*: of the clause before
            if ((before and index < self.index) or person == "1") and not (free and self.is_object(index)):
                return True  # and no object: *donne-moi*, *mi dia*
        return False

    def is_place(self, following: str) -> bool:
        """Return whether an expletive is an adverb of place, by what follows it or by its verb's number."""
        token, target = self.token, self.target
        if not token.relation.startswith(EXPLETIVE):
            return False
        if re.match(following, target.text[token.end : token.end + REACH], re.IGNORECASE):
            return True
        person, number = token.features.get("Person"), token.features.get("Number")
        return any(
            one.features.get("Person") == person and one.features.get("Number") != number
            for one in (target.tokens[index] for index in verb_group(target.tokens, token.head))
        )
