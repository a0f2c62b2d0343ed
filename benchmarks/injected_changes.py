"""Minimal changes of a human translation, errors and harmless ones; ``injected.py`` judges them.

The other words come from hand-made treebanks and from the corpus itself, with their features, so that grammar is kept;
another noun or verb is another translation of the same source word in the priors that ship.
"""

from __future__ import annotations

import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from random import Random

from endophora.align.priors import Priors
from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.judgments.records import Choices, Place
from endophora.judgments.words import is_same_word
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Occurrence

VOWELS = "aeiouyàâáéèêíóòúùäöüаеиоуыэюяё"
LEAST = 0.05
"""Least share of a source word's links that makes a target word a translation of it."""
Words = Mapping[Place, str]
"""Segment and target token → what is written there instead."""


@dataclass(frozen=True)
class Change:
    """What is done to a document: the text of some segments, and the occurrences that it is judged by."""

    kind: str
    texts: Mapping[int, str]
    occurrences: tuple[Occurrence, ...]


def drawn(draw: str, kind: str, occurrence: Occurrence) -> Random:
    """Return the chance of one kind of change at one place, whatever else is changed; ``draw`` is seed and language."""
    return Random(f"{draw} {kind} {occurrence.document} {occurrence.segment} {occurrence.target_tokens}")  # noqa: S311


Key = tuple[str, str, str, str]


class Lexicon:
    """Forms with their lemmas and features, and how often each occurs."""

    def __init__(self) -> None:
        self.by_form: defaultdict[str, list[Token]] = defaultdict(list)
        self.by_lemma: defaultdict[str, list[Token]] = defaultdict(list)
        self._counts: Counter[Key] = Counter()

    def add(self, tokens: Iterable[Token]) -> None:
        """Add words; the first of a text is left out, since its capital says nothing."""
        for token in list(tokens)[1:]:
            key = _key(token)
            if key not in self._counts and _letters(token.form):
                self.by_form[token.form.lower()].append(token)
                self.by_lemma[token.lemma.lower()].append(token)
            self._counts[key] += 1

    def read(self, archive: Path) -> None:
        """Add the words of a language's treebanks."""
        for sentence in sentences(archive):
            self.add(sentence)

    def count(self, token: Token) -> int:
        """Return how often a word occurs with its features."""
        return self._counts[_key(token)]

    def usual(self, form: str) -> Token | None:
        """Return what a form is most often."""
        return max(self.by_form.get(form.lower(), ()), key=self.count, default=None)

    def inflected(self, token: Token, lemma: str, wanted: Mapping[str, str | None]) -> list[str]:
        """Return the forms of a lemma that have some features, as a word of its part of speech, by frequency."""
        kinds = VERBS if token.upos in VERBS else {token.upos}
        found: Counter[str] = Counter()
        for other in self.by_lemma.get(lemma.lower(), ()):
            if other.upos in kinds and _has(other, wanted):
                found[other.form] += self.count(other)
        return [form for form, _ in found.most_common() if form.lower() != token.form.lower()]


def _key(token: Token) -> Key:
    return token.form, token.lemma, token.upos, str(sorted(token.features.items()))


def _letters(form: str) -> bool:
    return form.strip("-'’").replace("-", "").isalpha()


def _token(row: list[str]) -> Token:
    features = dict(pair.split("=", 1) for pair in row[5].split("|") if "=" in pair)
    return Token(row[1], row[2], row[3], "", features, -1, row[7], "", 0, 0)


def sentences(archive: Path) -> Iterator[list[Token]]:
    """Yield the words of each sentence of a language's treebanks, without their heads."""
    with tarfile.open(archive) as tar:
        for member in tar:
            is_treebank = "-ud-" in member.name and member.name.endswith(".conllu")
            file = tar.extractfile(member) if is_treebank else None
            for sentence in file.read().decode().split("\n\n") if file else ():
                rows = [row.split("\t") for row in sentence.split("\n") if row[:1].isdigit()]
                yield [_token(row) for row in rows if row[0].isdigit()]


def kept(token: Token, *names: str) -> dict[str, str | None]:
    """Return the values of some features of a word."""
    return {name: token.features.get(name) for name in names}


class Changes:
    """Makes the changes of one language."""

    def __init__(self, rules: LanguageRules, lexicon: Lexicon, priors: Priors, draw: str) -> None:
        self.rules, self.lexicon, self.priors, self.draw = rules, lexicon, priors, draw
        self.subjects: defaultdict[str, Counter[tuple[str | None, str | None]]] = defaultdict(Counter)
        self.roles: Counter[tuple[str, str]] = Counter()
        self.levels = {form: rule.level for rule in rules.formality for form in rule.forms}
        # The simple past may stand for the pluperfect (*hatten infiziert*, *haben infiziert*): no error.
        self.either = {rule.label for rule in rules.verb_forms if rule.alike_from}

    def learn(self, text: AnnotatedText) -> None:
        """Learn the relations of words of address, and which person and number verbs have after such a subject."""
        self.lexicon.add(text.tokens)
        for token in text.tokens:
            verb = text.tokens[token.head]
            form = token.form if token.form in self.levels else token.form.lower()
            self.roles[form, token.relation] += 1
            if form in self.levels and token.relation.startswith("nsubj") and "Number" in verb.features:
                self.subjects[form][verb.features.get("Person"), verb.features.get("Number")] += 1

    @cached_property
    def _translations(self) -> Mapping[str, list[str]]:
        """Source word → its translations in the priors, the most likely first."""
        priors, found = self.priors, defaultdict[str, list[tuple[float, str]]](list)
        theirs, ours, columns = priors.source.words, priors.target.words, max(1, priors.words.columns)
        keys: list[int] = priors.words.keys.tolist()
        counts: list[float] = priors.words.counts.tolist()
        for key, count in zip(keys, counts, strict=True):
            source, target = divmod(key, columns)
            if count >= max(1, LEAST * float(priors.source.linked[source])):
                found[theirs[source]].append((count, ours[target]))
        return {word: [target for _, target in sorted(some, reverse=True)] for word, some in found.items()}

    def others(self, source: Token, token: Token, features: Mapping[str, str | None]) -> list[Token]:
        """Return other words by which a source word is translated, of some features and no part in common."""
        vowel = token.form[:1].lower() in VOWELS
        found = [self.lexicon.usual(form) for form in self._translations.get(source.form.lower(), ())]
        return [
            other
            for other in found
            if other
            and other.upos == token.upos
            and _has(other, features)
            and other.form.lower() != token.form.lower()
            and not is_same_word(other.lemma.lower(), token.lemma.lower())
            and (other.form[:1].lower() in VOWELS) == vowel
        ]

    def of(self, document: AnnotatedDocument, choices: Choices, occurrence: Occurrence) -> Iterator[tuple[str, Words]]:
        """Yield the kind and the words of each change that can be made of an occurrence."""
        place = occurrence.segment, occurrence.target_tokens[0]
        text = document.target[place[0]]
        token = text.tokens[place[1]]
        if occurrence.phenomenon == "pronouns":
            yield from self._gender(text, place, token)
        elif occurrence.phenomenon == "formality":
            yield from self._level(text, place, token, occurrence.rule)
        elif occurrence.phenomenon == "verb_form":
            yield from self._verb(document, occurrence)
        elif occurrence.phenomenon == "lexical_cohesion" and occurrence.source_tokens:
            yield from self._word(document, choices, occurrence, token)
        elif occurrence.phenomenon == "ellipsis" and token.upos == "VERB":
            yield "restored verb left out", {place: ""}
            forms = [o.form for some in self.lexicon.by_form.values() for o in some if _alike(o, token)]
            if forms:
                kind = "another verb restored"
                yield kind, {place: drawn(self.draw, kind, occurrence).choice(forms)}

    def _gender(self, text: AnnotatedText, place: Place, token: Token) -> Iterator[tuple[str, Words]]:
        form = token.form.lower()
        for rule in self.rules.pronouns:
            values = {value for value, forms in rule.alternatives.items() if form in forms}
            if not rule.agreement or not values:
                continue
            shows = {
                f: {v for v, listed in rule.alternatives.items() if f in listed}
                for some in rule.alternatives.values()
                for f in sorted(some)
                if f != form
            }
            same = [f for f, own in shows.items() if own == values]
            other = [f for f, own in shows.items() if own.isdisjoint(values)]
            for kind, some in (("another gender of a pronoun", other), ("another case of a pronoun", same)):
                alike = kind == "another gender of a pronoun"
                some = [f for f in some if self._same_case(token, f) == alike and _edges(f) == _edges(form)]
                fit = sorted(some, key=lambda f: -SequenceMatcher(None, f, form).ratio())
                if fit:
                    value = next(v for v, listed in rule.alternatives.items() if fit[0] in listed)
                    yield kind, {place: cased(token, fit[0]), **self._agreeing(text, place, token, value)}
            return

    def _same_case(self, token: Token, form: str) -> bool:
        wanted = kept(token, "Case", "Number", "Poss")
        known = [other for other in self.lexicon.by_form[form] if other.upos == token.upos]
        return any(_has(other, wanted) for other in known)

    def _agreeing(self, text: AnnotatedText, place: Place, token: Token, value: str) -> Words:
        """Return the predicate of a subject, and its auxiliaries, in the gender that the subject takes."""
        if not token.relation.startswith("nsubj"):
            return {}
        found: dict[Place, str] = {}
        for index, word in enumerate(text.tokens):
            with_subject = index == token.head or (word.head == token.head and word.relation.startswith(("aux", "cop")))
            if with_subject and word.upos != "NOUN" and word.features.get("Gender", value) != value:
                wanted = kept(word, "Number", "Tense", "VerbForm", "Case", "Variant") | {"Gender": value}
                forms = self.lexicon.inflected(word, word.lemma, wanted)
                found |= {(place[0], index): cased(word, forms[0])} if forms else {}
        return found

    def _level(self, text: AnnotatedText, place: Place, token: Token, level: str) -> Iterator[tuple[str, Words]]:
        # What both levels write alike (*Ihr*) is no error that anyone could see; a plural of any level is a number.
        own = {form.lower() for form, other in self.levels.items() if other == level}
        forms = [form for form, other in self.levels.items() if other != level and form.lower() not in own]
        if plural := self.rules.plural_address:
            shared = {form for form in forms if self.levels[form] == plural.level and re.search(plural.pattern, form)}
            forms = [form for form in forms if form not in shared]
        wanted = kept(token, "Case", "Gender", "Poss", "Clitic", "PronType")
        wanted |= kept(token, "Number") if "Poss" in token.features else {}
        subject = token.relation.startswith("nsubj")
        if not subject and text.tokens[token.head].features.get("Person") == "2":
            return  # of a reflexive the verb would have to change, too
        same: Counter[str] = Counter()
        for form in forms:
            known = [o for o in self._word_of(form) if o.upos == token.upos and o.form == form and _has(o, wanted)]
            if known and _edges(form) == _edges(token.form):
                same[form] = self.roles[form, token.relation]
        if token.upos in VERBS or not same.total():
            return
        chosen = same.most_common(1)[0][0]
        if not subject:
            yield "the other level of a word of address", {place: cased(token, chosen)}
        elif own := self._verbs_of(text, place, token, chosen):
            yield "the other level of a subject and its verb", {place: cased(token, chosen), **own}

    def _word_of(self, form: str) -> list[Token]:
        return self.lexicon.by_form.get(form.lower(), [])

    def _verbs_of(self, text: AnnotatedText, place: Place, token: Token, subject: str) -> Words:
        """Return the finite verb of a subject in the person and number that another subject asks for."""
        if not self.subjects[subject]:
            return {}
        for index, word in enumerate(text.tokens):
            group = index == token.head or (word.head == token.head and word.relation.startswith(("aux", "cop")))
            if not group or word.features.get("VerbForm") != "Fin":
                continue
            wanted = [
                {"Person": person if "Person" in word.features else None, "Number": number}
                for (person, number), _ in self.subjects[subject].most_common(3)
            ]
            alike = kept(word, "Tense", "Mood", "VerbForm")
            forms = [f for one in wanted for f in self.lexicon.inflected(word, word.lemma, alike | one)]
            return {(place[0], index): cased(word, forms[0])} if forms else {}
        return {}

    def _verb(self, document: AnnotatedDocument, occurrence: Occurrence) -> Iterator[tuple[str, Words]]:
        tokens = document.target[occurrence.segment].tokens
        finite = [i for i in occurrence.target_tokens if tokens[i].features.get("VerbForm") == "Fin"]
        if not finite or "Tense" not in tokens[finite[0]].features:
            return
        token, place = tokens[finite[0]], (occurrence.segment, finite[0])
        person = token.features.get("Person", "3")
        known = self.lexicon.by_lemma.get(token.lemma.lower(), ())
        same_tense = {o.form.lower() for o in known if o.features.get("Tense") == token.features["Tense"]}
        forms: Counter[str] = Counter()
        for other in known:
            if (
                other.upos in VERBS
                and _has(other, kept(token, "VerbForm", "Mood", "Number", "Voice"))
                and other.features.get("Person", person) == person
                and "Tense" in other.features
                and other.form.lower() not in same_tense
                and self._is_usual(other)
            ):
                forms[other.form.lower()] += self.lexicon.count(other)
        if forms and occurrence.rule not in self.either:
            kind = "another tense"
            (form,) = drawn(self.draw, kind, occurrence).choices(list(forms), list(forms.values()))
            yield kind, {place: cased(token, form)}
        main = token.upos == "VERB" and not any(
            word.head == place[1] and word.relation.startswith(("aux", "cop")) for word in tokens
        )
        if not main or not occurrence.source_tokens:
            return
        source = document.source[occurrence.segment].tokens[occurrence.source_tokens[0]]
        aspect = token.features.get("Aspect")
        same = kept(token, "VerbForm", "Mood", "Tense", "Person", "Number", "Gender", "Voice")
        others = self.others(source, token, same)
        if verbs := [o.form.lower() for o in others if o.features.get("Aspect") == aspect]:
            yield "another verb in the same form", {place: cased(token, verbs[0])}
        if partners := [o.form.lower() for o in others if o.features.get("Aspect", aspect) != aspect]:
            yield "another aspect", {place: cased(token, partners[0])}

    def _is_usual(self, token: Token) -> bool:
        usual = self.lexicon.usual(token.form)
        return usual is not None and (usual.lemma, usual.features) == (token.lemma, token.features)

    def _word(
        self, document: AnnotatedDocument, choices: Choices, occurrence: Occurrence, token: Token
    ) -> Iterator[tuple[str, Words]]:
        place = occurrence.segment, occurrence.target_tokens[0]
        source = document.source[occurrence.segment].tokens[occurrence.source_tokens[0]]
        if token.upos == "PROPN" and source.upos == "PROPN":
            inner = [at for at, letter in enumerate(token.form[1:-2], 1) if letter in VOWELS]
            if inner and len(token.form) > 4:
                kind = "another spelling of a name"
                at = drawn(self.draw, kind, occurrence).choice(inner)
                vowels = "ао" if token.form[at] in "аеиоуыэюяё" else "ao"
                other = vowels.replace(token.form[at], "")[0]
                yield kind, {place: token.form[:at] + other + token.form[at + 1 :]}
        if token.upos != "NOUN" or source.upos != "NOUN":
            return
        others = self.others(source, token, kept(token, "Gender", "Number", "Case"))
        if not others:
            return
        yield "another noun for a repeated one", {place: cased(token, others[0].form)}
        places = [(segment, index) for segment, text in enumerate(document.target) for index in range(len(text.tokens))]
        words = [(*at, document.target[at[0]].tokens[at[1]]) for at in places]
        uses = [one for one in words if one[2].lemma.lower() == token.lemma.lower()]
        if any(word.lemma.lower() == others[0].lemma.lower() for _, _, word in words):
            return  # the document has a use for it already
        (about,) = {c.about for c in choices.of("lexical_cohesion", place[0], occurrence.source_tokens)} or {""}
        if any(choice.shown != token.lemma.lower() for choice in choices.by_lemma.get(about, ())):
            return  # only what is one word throughout can be another word throughout
        replaced: dict[Place, str] = {}
        for segment, index, word in uses:
            wanted = kept(word, "Gender", "Number", "Case")
            forms = [others[0].form] if _has(others[0], wanted) and word.upos == "NOUN" else []
            forms = forms or self.lexicon.inflected(word, others[0].lemma, wanted)
            if not forms:
                return
            replaced[segment, index] = cased(word, forms[0])
        yield "another noun throughout", replaced


def _edges(form: str) -> tuple[bool, bool]:
    """Return whether a form is written together with the word before or after it."""
    return form[:1] in "-'’", form[-1:] in "-'’"


def cased(token: Token, form: str) -> str:
    """Return a form with a capital if the word that it replaces has one."""
    return form[:1].upper() + form[1:] if token.form[:1].isupper() else form


def _has(token: Token, features: Mapping[str, str | None]) -> bool:
    return all(token.features.get(name) == value for name, value in features.items())


def _alike(other: Token, token: Token) -> bool:
    return (
        other.upos == token.upos
        and other.features == token.features
        and not is_same_word(other.lemma.lower(), token.lemma.lower())
    )


def written(document: AnnotatedDocument, words: Words) -> dict[int, str] | None:
    """Return the texts of the segments in which words are written otherwise; ``None`` if a word has no place."""
    texts: dict[int, str] = {}
    for (segment, index), form in sorted(words.items(), reverse=True):
        target = document.target[segment]
        token = target.tokens[index]
        if target.text[token.start : token.end] != token.form:
            return None  # a word that is written together with another one
        text = texts.get(segment, target.text)
        texts[segment] = text[: token.start] + form + text[token.end :]
    return {segment: " ".join(text.split()) for segment, text in texts.items()}
