"""What a rule file may say: one strict model for each part of it.

A rule file holds all that the taggers know of a language, and worked examples that show it. Every rule names its
``source``: the paper's table, a grammar, or what was measured.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field, model_validator

from endophora.languages.base import Features, Pattern, Strict, Text, Words
from endophora.languages.discourse import DiscourseRules
from endophora.languages.extraction import ExtractionRules
from endophora.languages.verbs import Times, TimeSigns, VerbFormRule
from endophora.registry import outside_names

R = TypeVar("R", bound=BaseModel)

PHENOMENA = ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")
"""The phenomena that are tagged unless others are named, in the order of the paper's tables."""

EXTRACTION = ("gender", "animacy", "formality_cases", "auxiliary", "inflection")
"""The phenomena of which test sets are made (Wicks and Post 2023); tagged where they are asked for by name."""

INTO_ENGLISH = ("dropped_subjects",)
"""Phenomena of pairs into English that need no rules of their own; tagged where they are asked for by name."""


def _with_tagger(name: str) -> str:
    """Refuse the name of a phenomenon for which neither this package nor an installed one has a tagger."""
    known = (*PHENOMENA, *EXTRACTION, *INTO_ENGLISH, *outside_names("tagger"))
    if name not in known:
        raise ValueError(f"no phenomenon of this name; known: {', '.join(known)}")
    return name


def _with_schema(name: str) -> str:
    """Refuse the name of rules that no installed package registers."""
    if name not in outside_names("rules"):
        raise ValueError("no installed package registers rules of this name, as an entry point of endophora.rules")
    return name


Phenomenon = Annotated[str, AfterValidator(_with_tagger)]
"""The name of a phenomenon of this package, or of one that an installed package adds."""


class Declension(Strict):
    """The endings that names of one declension have in each number, an empty text for none.

    Attributes:
        nominative: those of them that are of the nominative.
        after: letters of which a stem ends in one; without them in any.
    """

    nominative: Words
    singular: Words
    plural: Words = frozenset()
    after: str = ""


class ContentWords(Strict):
    """Which words carry content, for lexical cohesion.

    Attributes:
        stop_lemmas: lemmas of these parts of speech that carry no content, lower case.
        boundary: what parts the morphemes of a lemma, where the annotator writes all of them (Korean *의회+는*): what
            follows it, a particle or an ending, is no part of the word; empty where a lemma is a word.
        name_endings: the declensions of names. By them forms of one name are separated from other spellings of it,
            where no annotator knows the lemma; without them its end may differ.
    """

    upos: Words
    stop_lemmas: Words = frozenset()
    boundary: str = ""
    name_endings: tuple[Declension, ...] = ()
    source: Text


class Persons(Strict):
    """Pronouns and possessives that name the person spoken to, and those that name others; lower case.

    Attributes:
        urging: lemmas of the auxiliaries that an imperative may have (*do come*, *don't go*).
    """

    second: Words
    third: Words
    urging: Words = frozenset()
    source: Text


class Addressees(Strict):
    """By what a source says how many it addresses, where a target language has one form for a polite one and several.

    Attributes:
        several: forms of the second person that name several (*yourselves*).
        one: forms that name one (*yourself*).
        beside: forms beside one of the second person that say it names several (*you all*, *both of you*).
        of: lemmas of the words between one of them and a word of the second person.
        telling: lemmas of verbs of saying; who hears is an indirect object or has ``to``.
        asking: those of them whose object is who hears (*he asked the men*).
        to: lemmas of the words before those who hear.
        collective: lemmas of singulars that name several persons (*crowd*).
    """

    several: Words
    one: Words
    beside: Words
    of: Words
    telling: Words
    asking: Words
    to: Words
    collective: Words
    source: Text


class FormalityRule(Strict):
    """Pronouns and possessives of one formality level.

    Attributes:
        level: name of the level; also the label of the occurrences.
        cased: whether the words count only in the case that is written here; else they are in lower case.
        upos: universal parts of speech that the word must have where it is not linked to the second person; empty
            for any. Treebanks of written text have few words of the second person, so models often misjudge them.
        linked: whether a link to a word of the second person in the source is needed: ``never``, ``initial`` (only
            where the first word of a sentence is written with a capital anyway), ``spoken`` (the segment must have a
            word of the second person), ``segment`` (a title and noun: without the link, the segment
            must have the second person, no source noun be linked, and no name follow) or
            ``always``; ``ignored`` looks at the word's form alone.
        source_forms: the source words that count for ``linked``; empty for all words of the second person.
        source_relations: relations of these words to their heads, of which subtypes count too; empty for any (an object
            pronoun is no translation of a subject).
        governors: lemmas of verbs of which the word is an object where English has a subject (Spanish *le gusta*, you
            like): beside them every relation of the source word counts.
        unless_after: words before which stands another word (*rendez-vous*).
        next_upos: universal parts of speech that the next word must have; empty for any (Italian *Le dico*, where the
            word is an article before a noun).
        unless_expletive: regular expression that is found at the beginning of the text after a word whose relation is
            expletive: with it, the word is no address (Italian *vi sono*, there are); nor is such a word with a verb
            of its person in another number (*vi troverai*). Empty for none.
        unless_verb: regular expression that is found in the form, lower case, of a verb that the word belongs to, of
            which it is no subject (German *ihr gefällt*, she likes). Empty for none.
    """

    level: Text
    forms: Words
    cased: bool = False
    upos: Words = frozenset()
    features: Features = {}
    linked: Literal["never", "initial", "spoken", "segment", "always", "ignored"] = "never"
    source_forms: Words = frozenset()
    source_relations: Words = frozenset()
    governors: Words = frozenset()
    unless_after: Words = frozenset()
    next_upos: Words = frozenset()
    unless_expletive: Pattern = ""
    unless_verb: Pattern = ""
    source: Text


class FormalityVerb(Strict):
    """Verbs whose form shows the level where no pronoun does; all that is given and not empty must hold.

    Imperatives, verbs of pro-drop languages, and predicates of languages that mark the level in every sentence
    (Japanese, Korean).

    Attributes:
        upos: universal parts of speech that the word must have; if empty, any, or a verb where features are given.
        pattern, lemma_pattern: regular expressions that are found in the form, lower case, and in the lemma.
        before, after: regular expressions that are found in the text before the word, and at the beginning of that
            after it.
        forms: the verbs, lower case. Treebanks of written text have hardly any imperative, and models
            take them for nouns: so they may be given by their form.
        addressed: what the linked source verb must be: an ``imperative`` (and the verb has no subject), one with a
            ``subject`` of the second person, or one with a ``possessor`` or object of the second person, for words
            whose endings are such pronouns (Spanish *ayudarte*); ``any`` where the form shows the level whoever is
            spoken of; ``form`` where it is of the second person alone, unless the source has the same word (a name).
            With ``segment`` it need not be linked: the source segment must have a subject of the second person whose
            verb no other target verb translates or, if the verb is not ``bare``, any word of that person. With
            ``predicate`` it is a copula or an auxiliary of what translates a predicate of the second person.
        linked_upos: universal parts of speech of which a linked source word must be; empty for any. Where models take
            a verb for another word, what it translates says that it is one.
        evident: whether the form is of the second person alone: judgments then count it whatever the source has.
        bare: whether the verb may have no subject (Spanish *trabaja*, of usted where nobody else is named).
        reflexive: whether the pronoun of address beside an imperative is its object (French *asseyez-vous*).
        shares_first: whether the form is also of the first person: joined to a verb with such a subject it shows no
            level (German *ich geh und hol Brot*).
        unless_next: words that may not follow the verb, in the case that is written here (*Kommen Sie*).
        unless_relations: relations of the verb to its head with which it is none (a participle that modifies a noun).
        unless_governs: relations of its dependents with which it is none (the auxiliary of a participle).
        unless_forms: forms that show no level, lower case (German *siehe*).
    """

    level: Text
    upos: Words = frozenset()
    features: Features = {}
    lemmas: Words = frozenset()
    lemma_pattern: Pattern = ""
    pattern: Pattern = ""
    before: Pattern = ""
    after: Pattern = ""
    forms: Words = frozenset()
    addressed: Literal["imperative", "subject", "segment", "possessor", "predicate", "form", "any"]
    linked_upos: Words = frozenset()
    evident: bool = False
    bare: bool = False
    reflexive: bool = False
    shares_first: bool = False
    unless_next: Words = frozenset()
    unless_relations: Words = frozenset()
    unless_governs: Words = frozenset()
    endings: tuple[str, ...] = ()
    unless_endings: tuple[str, ...] = ()
    unless_forms: Words = frozenset()
    source: Text

    @model_validator(mode="after")
    def _some_form(self) -> FormalityVerb:
        """Ask for some condition."""
        given = (self.features, self.forms, self.endings, self.lemmas, self.lemma_pattern, self.pattern)
        if not any(given):
            raise ValueError("give features, forms, endings, lemmas or a pattern")
        return self


class Honorific(Strict):
    """Words of address that go with a formality level; they count as earlier words of it, and are not tagged."""

    level: Text
    forms: Words
    relation: Text = "vocative"
    source: Text


class PronounRule(Strict):
    """A source pronoun with several translations.

    Attributes:
        alternatives: target forms by the value of ``agreement`` that they stand for, lower case. A form may stand
            under several values.
        target_relations: relations of the target form to its head; empty for any.
        target_governs: relations of dependents that the target form must have (German *auf dem*).
        unmarked: target forms that also stand for nothing or for what was said as a whole (*es*, *il*), so that their
            antecedent must be more certain.
        verbs: features of a verb without a subject that shows the choice where the language leaves the pronoun out, by
            its own value of ``agreement``; empty for none.
        verb_pattern: regular expression that is found in the form of such a verb, lower case, where its features do not
            tell the person; empty for any.
        verb_upos: universal parts of speech of such words: a predicate adjective shows it too (Spanish *es cara*).
        unless_auxiliaries: lemmas of auxiliaries with which such a verb does not agree with its subject (Italian
            *avere*).
        unmarked_values: values that such a verb, or such an ending (Spanish *hacerlo*), also has where it stands for
            nothing or for what was said.
        endings: endings of a noun or verb that stand for a possessor or an object, by the value that they show (Arabic
            *-hu*, *-hā*); empty for none.
        agreement: the feature in which the target form agrees with its antecedent; empty for none.
        antecedent: ``noun`` where the choice depends on the antecedent, ``none`` where it depends on earlier choices
            (French *nous* and *on*).
        unless_governs: relations of dependents with which the source pronoun looks forward (*those who*).
        unless_predicate: universal parts of speech of a predicate with which a subject agrees instead (Italian
            *questa è la prima volta*, this is the first time).
        aligned: whether aligners take the words for translations of each other; false for a shift of number (*they*,
            *il*), which is rarer than an impersonal *il* beside *they*.
        variants: the variants of the tagger that read the rule.
    """

    label: Text
    source_forms: Words
    source_upos: Words = frozenset({"PRON"})
    alternatives: dict[str, Words]
    target_upos: Words = frozenset()
    target_relations: Words = frozenset()
    target_governs: Words = frozenset()
    unmarked: Words = frozenset()
    target_features: Features = {}
    verbs: Features = {}
    verb_pattern: Pattern = ""
    verb_upos: Words = frozenset({"VERB", "AUX"})
    unless_auxiliaries: Words = frozenset()
    unmarked_values: Words = frozenset()
    endings: dict[str, tuple[str, ...]] = {}
    ending_upos: Words = frozenset({"NOUN"})
    ending_features: Features = {}
    agreement: str = "Gender"
    antecedent: Literal["noun", "none"] = "noun"
    unless_governs: Words = frozenset()
    unless_predicate: Words = frozenset()
    aligned: bool = True
    variants: frozenset[Literal["window", "sentence"]] = frozenset({"window", "sentence"})
    source: Text


class PluralAddress(Strict):
    """The plural of address of a language, where it may be that of two levels (American Spanish *ustedes*).

    It shows a level only in a text that has a plural of another level, too (*vosotros*).

    Attributes:
        level: the level that the rules of formality give it.
        pattern: regular expression that is found in its words, lower case, whatever the annotator says.
        either: the same for words of that level that may address one person or several (*su*).
        other: the same for words of another level that address several (*vosotros*); empty for none.
    """

    level: Text
    pattern: Pattern
    either: Pattern = ""
    other: Pattern = ""
    source: Text


class EllipsisWords(Strict):
    """Lemmas of the target language that do not say what the source leaves out, lower case.

    They are formal nouns, light and existential verbs, which grammar asks for. So are pro-forms, given by their form
    (``except_forms``): French *le* in *je le peux* stands for what is left out without saying it. ``pro_verbs``
    (lemmas) stand for a verb with one of ``pro_forms`` (forms: *das tue ich*). After ``stranded`` verbs (lemmas), and
    with ``particles`` (forms: *ich auch*), the verb may be left out as in the source. ``mutations`` are pairs of
    letters that end one stem (Russian *тч*: *заботиться*, *забочусь*).
    """

    except_lemmas: Words = frozenset()
    except_forms: Words = frozenset()
    pro_verbs: Words = frozenset()
    pro_forms: Words = frozenset()
    stranded: Words = frozenset()
    particles: Words = frozenset()
    mutations: Words = frozenset()
    source: Text


class Tenses(Strict):
    """Values of the feature ``Tense`` that the variant ``tense`` tags; none where the paper lists no form."""

    values: Words
    source: Text


class Expected(Strict):
    """An occurrence that an example must yield: segment from 1, tagged words blanks apart, an empty rule for any."""

    segment: Annotated[int, Field(ge=1)]
    words: Text
    rule: str = ""


class WorkedExample(Strict):
    """A worked example: pairs of a source and a target segment, and all occurrences of one phenomenon in them."""

    shows: Text
    text: tuple[tuple[Text, Text], ...]
    occurrences: tuple[Expected, ...] = ()

    @model_validator(mode="after")
    def _within_text(self) -> WorkedExample:
        """Hold every occurrence against the number of segments."""
        for occurrence in self.occurrences:
            if occurrence.segment > len(self.text):
                raise ValueError(f"segment {occurrence.segment} of {len(self.text)}")
        return self


class NaturalGender(Strict):
    """Nouns of a language whose pronouns tell persons from things, lemmas in lower case.

    Attributes:
        feminine, masculine: nouns and titles that say which a person is.
        persons: other nouns of persons, beside those that the resolver knows.
        epicene: nouns of persons whose translations may be feminine of any person (*person*: *la personne*).
        either: what is spoken of as a thing or as he or she (*baby*, *dog*).
    """

    feminine: Words
    masculine: Words
    persons: Words = frozenset()
    epicene: Words = frozenset()
    either: Words = frozenset()
    source: Text


class LanguageRules(Strict):
    """A rule file.

    Attributes:
        name: the language's name in English.
        pro_drop: whether subject pronouns are ordinarily left out.
        plural_address: the plural of address, where it may be that of several levels; ``None`` elsewhere.
        polite_plural: the level whose forms are those of every plural, too (French *vous*); empty for none.
        respect: levels of respect for a person, which go with every style of speech (Japanese *honorific*).
        addressees: how a source tells how many it addresses; ``None`` where that is not known.
        pronouns: source pronouns with several translations into this language.
        times: what the forms of verbs say of time, for pairs from a language without tense; ``None`` elsewhere.
        time_signs: what says when, in a language without tense; ``None`` elsewhere.
        natural_gender: which nouns are persons, where pronouns tell persons from things; ``None`` elsewhere.
        told: pronouns that leave a translator into such a language no choice, by *he*, *she*, *it* and *they*.
        discourse: what document-level metrics count; ``None`` leaves discourse markers out.
        extensions: rules of outside packages, by phenomenon, each an object of the model that the package registers.
        examples: worked examples by phenomenon; those of animacy, and of verb form with ``time_signs``, have English as
            their target.
        hash: the first twelve digits of the SHA-256 of the file.
    """

    language: Annotated[str, Field(pattern="^[a-z]{2,3}(-[a-z]{2,4})?$")]
    name: Text
    pro_drop: bool
    content_words: ContentWords
    persons: Persons
    formality: tuple[FormalityRule, ...] = ()
    formality_verbs: tuple[FormalityVerb, ...] = ()
    honorifics: tuple[Honorific, ...] = ()
    plural_address: PluralAddress | None = None
    polite_plural: Text = ""
    respect: Words = frozenset()
    addressees: Addressees | None = None
    pronouns: tuple[PronounRule, ...] = ()
    verb_forms: tuple[VerbFormRule, ...] = ()
    times: Times | None = None
    time_signs: TimeSigns | None = None
    tenses: Tenses
    ellipsis: EllipsisWords | None = None
    natural_gender: NaturalGender | None = None
    told: dict[Literal["he", "she", "it", "they"], Words] = {}
    discourse: DiscourseRules | None = None
    extraction: ExtractionRules | None = None
    extensions: dict[Annotated[str, AfterValidator(_with_schema)], Any] = {}
    examples: dict[Phenomenon, tuple[WorkedExample, ...]] = {}
    hash: str = ""

    def extension(self, name: str, model: type[R]) -> R | None:
        """Return the rules of an outside package's phenomenon; ``None`` where the language has none."""
        rules = self.extensions.get(name)
        return rules if isinstance(rules, model) else None

    @property
    def extracted(self) -> ExtractionRules:
        """The rules from which test sets are made; empty ones where there are none."""
        return self.extraction or ExtractionRules()

    @property
    def phenomena(self) -> tuple[str, ...]:
        """Names of the package's own phenomena that can be tagged in this language."""
        has = {
            "lexical_cohesion": True,
            "formality": bool(self.formality or self.formality_verbs),
            "pronouns": bool(self.pronouns),
            "verb_form": any(rule.tagged for rule in self.verb_forms),
            "ellipsis": True,
        }
        return tuple(name for name, present in has.items() if present)

    @property
    def extractable(self) -> tuple[str, ...]:
        """Names of the phenomena of which test sets can be made with English as the other language."""
        rules = self.extracted
        has = {
            "gender": bool(rules.gender),
            "animacy": bool(rules.gender),
            "formality_cases": bool(rules.formality),
            "auxiliary": bool(rules.auxiliary),
            "inflection": bool(rules.inflection),
        }
        return tuple(name for name, present in has.items() if present)
