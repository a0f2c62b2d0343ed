"""The rules of test sets, held against ctxpro's published tables, and what their notation refuses."""

from __future__ import annotations

import json

import pytest
from tests.phenomena import handmade

from ctxpro_codes import AUXILIARY_CODES, INFLECTION_CODES, PRONOUN_CODES
from endophora.annotate.records import AnnotatedText, Token
from endophora.errors import InputError
from endophora.languages import language_codes, load_language
from endophora.languages.extraction import Impersonal, PronounTable
from endophora.languages.load import parse_rules, review
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.impersonal import ImpersonalPronouns, normal
from endophora.phenomena.verdicts import Reason

LANGUAGES = ("de", "es", "fr", "it", "pl", "pt", "ru")
COUNTS = {"de": 9, "es": 13, "fr": 42, "it": 42, "pl": 38, "pt": 56, "ru": 67}
# Published conditions that contradict the rule's own label, or the paper's own table: (language, label).
OTHER_ENGLISH = {("es", "ACC.MASC.PLUR"), ("es", "ACC.FEM.PLUR"), *(("it", f"GEN.{key}.2P") for key in (
    "FEM.SING", "MASC.SING", "FEM.PLUR", "MASC.PLUR"))}  # fmt: skip
OTHER_AGREEMENT = {("es", "ACC.MASC.PLUR"), ("es", "ACC.FEM.PLUR"), ("it", "NOM.FEM.SING")}
OTHER_CASE = {("pl", "INS.INFORM.SING")}


def table(shared, code, kind):
    return json.loads((shared / "known-answers/ctxpro/rules" / code / f"{code}_{kind}.json").read_text("utf-8"))


def cases(code, kind):
    return {case.label: case for each in getattr(load_language(code).extraction, kind) for case in each.cases()}


def forms(case):
    key = case.label
    for one in case.table.forms:
        if case.table.label.replace("*", one) == case.label:
            key = one
    return {words[-1] for words in case.words} | {case.table.misprints.get(key, "")}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", ["gender", "formality"])
def test_every_published_pronoun_rule_is_there(shared, code, kind):
    ours, theirs = cases(code, kind), table(shared, code, kind)
    assert kind != "gender" or len(theirs) == COUNTS[code]
    for label, rule in theirs.items():
        case = ours[label]
        assert normal(rule["aligned_form"]) in forms(case), label
        if (code, label) not in OTHER_ENGLISH:
            assert rule["english_form"] in case.english, label
        if (code, label) not in OTHER_CASE:
            assert (case.english_case or "*", case.case or "*") == (rule["english_case"], rule["aligned_case"]), label
        if kind == "gender" and (code, label) not in OTHER_AGREEMENT:
            assert (case.gender or "*", case.number) == (rule["aligned_coref_gender"], rule["aligned_coref_number"])
        if "expected" in rule:
            assert rule["expected"].split() in [list(words) for words in case.words], label


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", ["gender", "formality"])
def test_rules_as_published_are_those_of_the_tables(shared, code, kind):
    theirs = table(shared, code, kind)
    ours = {case.label: case for case in load_language(code).extracted.cases(kind, published=True)}
    assert ours.keys() == theirs.keys()
    for label, rule in theirs.items():
        case = ours[label]
        assert normal(rule["aligned_form"]) in {words[-1] for words in case.words}, label
        assert rule["english_form"] in case.english, label
        if (code, label) not in OTHER_CASE:
            assert (case.english_case or "*", case.case or "*") == (rule["english_case"], rule["aligned_case"]), label
        if kind == "gender":
            assert (case.gender or "*", case.number) == (rule["aligned_coref_gender"], rule["aligned_coref_number"])


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_published_auxiliary_is_there(shared, code):
    ours = {rule.label: rule for rule in load_language(code).extraction.auxiliary}
    for label, rule in table(shared, code, "auxiliary").items():
        assert ours[label].lemma == rule["english_lemma"]
        assert ours[label].forbidden >= {lemma.lower() for lemma in rule["disallowed_aligned_lemmas"]}


@pytest.mark.parametrize("code", ["pl", "ru"])
def test_every_published_case_of_nouns_is_there(shared, code):
    ours = {rule.label: rule.case for rule in load_language(code).extraction.inflection}
    assert ours == {label: rule["case"] for label, rule in table(shared, code, "inflection").items()}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_auxiliary_has_its_forms_in_english(code):
    known = load_language("en").extraction.auxiliary_forms
    assert {rule.lemma for rule in load_language(code).extraction.auxiliary} <= known.keys()


@pytest.mark.parametrize("code", LANGUAGES)
def test_forms_are_compared_as_they_are_written(code):
    for kind in ("gender", "formality"):
        for case in cases(code, kind).values():
            assert all(word == normal(word) for words in case.words for word in words), case.label
            assert all(form == normal(form) for form in case.english)


def test_only_seven_languages_have_rules():
    assert tuple(code for code in language_codes() if load_language(code).extractable) == LANGUAGES


def test_label_without_star_and_misprint_of_no_form_are_refused():
    with pytest.raises(ValueError, match="one “\\*”"):
        PronounTable(label="NOM", english=frozenset({"it"}), forms={"FEM.SING": "sie"}, source="grammar")
    with pytest.raises(ValueError, match="misprints of no form: X"):
        PronounTable(label="*", english=frozenset({"it"}), forms={"A": "b"}, misprints={"X": "y"}, source="grammar")


def test_label_given_twice_is_refused():
    rule = "{label: NOM.*, english: [it], forms: {FEM.SING: sie}, source: grammar}"
    text = (
        "language: xx\nname: Example\npro_drop: false\ncontent_words: {upos: [NOUN], source: grammar}\n"
        "persons: {second: [tu], third: [il], source: grammar}\ntenses: {values: [], source: grammar}\n"
        f"extraction: {{gender: [{rule}, {rule}]}}\n"
    )
    with pytest.raises(InputError, match=r"two rules have the label NOM\.FEM\.SING"):
        parse_rules(text.encode(), "xx.yaml")


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [("en", "nl", "gender"), ("de", "en", "gender"), ("en", "de", "animacy"), ("en", "de", "inflection")],
)
def test_phenomenon_without_rules_for_the_pair_is_refused(source, target, name):
    with pytest.raises(InputError, match="E190"):
        make_taggers(target, TaggerOptions(phenomena=(name,)), source)


@pytest.mark.parametrize("code", LANGUAGES)
def test_review_has_nothing_against_the_rules_and_asks_for_examples(code):
    rules = load_language(code)
    assert [remark for remark in review(rules, load_language("en")) if "extraction" in remark] == []
    bare = rules.model_copy(update={"examples": {}})
    remarks = review(bare, load_language("en"))
    assert "gender: 0 worked examples, and 4 are asked for" in remarks
    table = rules.extraction.gender[0].model_copy(update={"forms": {"FEM.SING": "SIE"}})
    extraction = rules.extraction.model_copy(update={"gender": (table,)})
    remarks = review(rules.model_copy(update={"extraction": extraction}), load_language("en"))
    assert any(remark.startswith("extraction.gender.0.FEM.SING: ") and "SIE" in remark for remark in remarks)


def test_every_reason_has_a_number_or_is_our_own():
    numbered = {*PRONOUN_CODES, *AUXILIARY_CODES, *INFLECTION_CODES}
    assert set(Reason) - numbered == {Reason.EXPLETIVE, Reason.VERB_NUMBER}
    for codes in (PRONOUN_CODES, AUXILIARY_CODES, INFLECTION_CODES):
        assert len(set(codes.values())) == len(codes)


def test_a_rule_for_pronouns_that_stand_for_nothing_asks_for_something():
    with pytest.raises(ValueError, match="stands for nothing"):
        Impersonal(forms=frozenset({"it"}), source="grammar")
    with pytest.raises(ValueError, match="no regular expression"):
        Impersonal(forms=frozenset({"it"}), after=("(",), source="grammar")


def test_parts_of_a_rule_are_whole_words_and_may_be_missing():
    rule = Impersonal(
        forms=frozenset({"it"}), after=(("is", "'s"), ("", "not"), "clear", ("that", "if")), source="grammar"
    )
    rules = ImpersonalPronouns([rule])
    for text, holds in (
        ("It is clear that", True),
        ("It’s not clear if", True),
        ("It is clearly that", False),
        ("It isclear that", False),
        ("It is clear thatch", False),
        ("Is it clear that", False),
    ):
        start = text.lower().index("it")
        token = Token(text[start : start + 2], "it", "PRON", "PRP", {}, -1, "root", "", start, start + 2)
        assert rules.hold(AnnotatedText(text, (token,), (0,)), 0) is holds, text


def test_a_likely_noun_is_what_a_pronoun_beside_an_event_stands_for():
    rule = Impersonal(forms=frozenset({"it"}), after=("happened",), unless_likely=0.9, source="grammar")
    token = Token("It", "it", "PRON", "PRP", {}, -1, "root", "", 0, 2)
    text = AnnotatedText("It happened.", (token,), (0,))
    assert [ImpersonalPronouns([rule]).hold(text, 0, likely) for likely in (0, 0.8, 0.95)] == [True, True, False]
    always = ImpersonalPronouns([rule.model_copy(update={"unless_likely": 0})])
    assert always.hold(text, 0, 1.0)


@pytest.mark.parametrize(
    ("written", "holds"),
    [
        ("Er schaffte es nicht.", True),
        ("Hat sie es endlich geschafft?", True),
        ("Wenn er es schafft, feiern wir.", True),
        ("Man schaffte es ab.", False),
        ("Sie schafft es bald an.", False),
        ("Der Schaffner sah es sofort.", False),
    ],
)
def test_german_es_schaffen_is_an_idiom_and_verbs_with_a_prefix_are_none(written, holds):
    start = written.index(" es ") + 1
    token = Token("es", "es", "PRON", "PPER", {}, -1, "root", "", start, start + 2)
    rules = ImpersonalPronouns(load_language("de").extracted.impersonal)
    assert rules.hold(AnnotatedText(written, (token,), (0,)), 0) is holds


@pytest.mark.parametrize(
    ("written", "holds"),
    [
        # A plural verb beside a plural; a pronoun in the singular is no subject of it.
        ("Es/PRON >1 :nsubj | kamen/VERB Number=Plur | Leute/NOUN Number=Plur >1 :obj", True),
        ("Es/PRON >1 :nsubj | kam/VERB Number=Sing | Leute/NOUN Number=Plur >1 :obj", False),
        ("wir/PRON >2 :nsubj | es/PRON >2 :obj | sehen/VERB Number=Plur | Leute/NOUN Number=Plur >2 :obj", False),
        # A nominative that is no other case.
        ("Es/PRON >1 :nsubj | kam/VERB | Brief/NOUN Case=Nom Gender=Masc Number=Sing >1 :obj", True),
        ("Es/PRON >1 :nsubj | hat/VERB | Motor/NOUN Case=Acc Gender=Masc Number=Sing >1 :obj", False),
        ("Es/PRON >1 :nsubj | hat/VERB | Tür/NOUN Case=Nom Gender=Fem Number=Sing >1 :obj", False),
        # A predicate that has no object.
        ("Es/PRON >3 :nsubj | ist/AUX >3 :cop | alles/PRON >3 :nsubj | still/ADJ", True),
        ("Es/PRON >3 :nsubj:pass | wird/AUX >3 :aux:pass | Tür/NOUN >3 :nsubj:pass | geöffnet/VERB", True),
        ("Es/PRON >3 :nsubj | hat/AUX >3 :aux | Tür/NOUN >3 :nsubj | geöffnet/VERB", False),
        ("Es/PRON >2 :nsubj | ist/AUX >2 :cop | still/ADJ", False),
        # Verbs of being and appearing.
        ("Es/PRON >1 | fehlt/VERB | eine/DET | Schraube/NOUN", True),
        ("Es/PRON >1 | könnte/AUX | hier/ADV | eine/DET | Bombe/NOUN | explodieren/VERB", True),
        ("Es/PRON >1 | hält/VERB | eine/DET | Schraube/NOUN", False),
    ],
)
def test_german_es_stands_for_nothing_before_a_subject_after_the_verb(written, holds):
    made = handmade.text(written)
    rules = ImpersonalPronouns(load_language("de").extracted.impersonal)
    place = next(at for at, token in enumerate(made.tokens) if token.lemma == "es")
    assert rules.hold(made, place) is holds
