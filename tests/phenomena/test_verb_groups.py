"""Verb forms and subjects in single sentences written by hand: what a group shows, and where its source would be."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from handmade import document, resolution, rules, text

from endophora.languages import load_language
from endophora.languages.schema import LanguageRules
from endophora.phenomena.dropped_subjects import DroppedSubjectTagger
from endophora.phenomena.published import published_rules
from endophora.phenomena.verb_form import VerbFormTagger, main_verb, shown_form

EN, DE = load_language("en"), load_language("de")


@cache
def forms(*written: str) -> LanguageRules:
    """The rules of a language with these verb forms, in YAML's flow style."""
    lists = ", ".join(f"{{name: x, source: x, {form}}}" for form in written)
    return rules(f"tenses: {{values: [Past], source: x}}\nverb_forms: [{lists}]")


PAST = "label: Past, features: {Tense: Past}, except_lemmas: [can]"
PERFECT = "label: Perf, features: {VerbForm: Part}, auxiliaries: [{lemmas: [have], features: {Tense: Pres}}]"


@pytest.mark.parametrize(
    ("written", "index", "shown"),
    [
        ("went/VERB VerbForm=Fin Tense=Past", 0, "Past"),
        (
            "could/AUX lemma=can VerbForm=Fin Tense=Past >1 :aux | go/VERB VerbForm=Inf",
            1,
            "Past",
        ),  # left out, but shown
        ("go/VERB VerbForm=Fin Mood=Sub Tense=Pres", 0, "Sub.Pres"),
        ("goes/VERB VerbForm=Fin Mood=Ind Tense=Pres", 0, "Ind.Pres"),
        ("goes/VERB VerbForm=Fin Tense=Pres", 0, "Ind.Pres"),
        ("go/VERB VerbForm=Fin Mood=Cnd", 0, "Cnd"),
        ("go/VERB VerbForm=Fin Mood=Ind", 0, ""),  # without a tense nothing is shown
        ("go/VERB VerbForm=Fin", 0, ""),
        ("go/VERB VerbForm=Inf Tense=Past", 0, ""),
        ("gone/VERB VerbForm=Part Tense=Past", 0, ""),
        ("go/VERB Mood=Sub Tense=Pres", 0, "Sub.Pres"),  # finite by its mood
        ("go/VERB Mood=Imp Tense=Pres", 0, ""),
        ("go/VERB Person=3 Tense=Pres", 0, "Ind.Pres"),  # finite by its person
        ("go/VERB Tense=Past", 0, ""),
        ("went/NOUN VerbForm=Fin Tense=Past", 0, ""),
        ("has/AUX lemma=have VerbForm=Fin Tense=Pres >1 :aux | gone/VERB VerbForm=Part", 0, "Perf"),
        ("has/AUX lemma=have VerbForm=Fin Tense=Pres >1 :aux | gone/VERB VerbForm=Part", 1, "Perf"),
        ("had/AUX lemma=have VerbForm=Fin Tense=Past >1 :aux | gone/VERB VerbForm=Part", 1, "Past"),
        ("is/AUX lemma=be VerbForm=Fin Tense=Pres >1 :aux | gone/VERB VerbForm=Part", 1, "Ind.Pres"),
        ("has/AUX lemma=Have VerbForm=Fin Tense=Pres >1 :aux | gone/VERB VerbForm=Part", 1, "Perf"),
        ("has/AUX lemma=have VerbForm=Fin Tense=Pres >1 :obj | gone/VERB VerbForm=Part", 0, "Ind.Pres"),
    ],
)
def test_a_group_shows_the_form_of_its_finite_verb(written, index, shown):
    made = VerbFormTagger(EN, forms(PAST, PERFECT))
    assert shown_form(made.rules, text(written), index) == shown


@pytest.mark.parametrize(
    ("rule", "written", "shown"),
    [
        ("main_lemmas: [go]", "is/AUX lemma=be VerbForm=Fin >1 :aux | gone/VERB lemma=Go VerbForm=Part", "Perf"),
        ("main_lemmas: [go]", "is/AUX lemma=be VerbForm=Fin >1 :aux | seen/VERB lemma=see VerbForm=Part", ""),
        (
            "main_lemmas: [go], reflexives: [se]",
            "Se/PRON | is/AUX lemma=be VerbForm=Fin >2 :aux | seen/VERB VerbForm=Part",
            "Perf",
        ),
        (
            "main_lemmas: [go], reflexives: [se]",
            "Se/PRON | a/ADV | is/AUX lemma=be VerbForm=Fin >3 :aux | seen/VERB VerbForm=Part",
            "",
        ),
        (
            "main_lemmas: [go], reflexives: [se]",
            "is/AUX lemma=be VerbForm=Fin >1 :aux | seen/VERB VerbForm=Part | se/PRON",
            "",
        ),
    ],
)
def test_an_auxiliary_makes_a_form_with_its_verbs_or_with_a_reflexive_before_it(rule, written, shown):
    perfect = f"label: Perf, features: {{VerbForm: Part}}, auxiliaries: [{{lemmas: [be], {rule}}}]"
    assert shown_form(forms(perfect).verb_forms, text(written), written.count("|")) == shown


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("only_subjects: {Person: '1'}", "Past"),
        ("only_subjects: {Person: '3'}", "Ind.Past"),
        ("except_subjects: {Person: '3'}", "Past"),
    ],
)
def test_a_rule_may_ask_for_the_subject_of_the_verb(rule, shown):
    made = forms(f"label: Past, features: {{Mood: Sub}}, {rule}", "label: Ind.Past, features: {}")
    assert shown_form(made.verb_forms, text("I/PRON Person=1 >1 :nsubj | was/VERB VerbForm=Fin Mood=Sub"), 1) == shown


@pytest.mark.parametrize(
    ("written", "index", "main"),
    [
        ("has/AUX >2 :aux | been/AUX VerbForm=Part >2 :aux:pass | seen/VERB VerbForm=Part", 0, 1),
        ("has/AUX >2 :aux | been/AUX VerbForm=Fin >2 :aux:pass | seen/VERB VerbForm=Part", 0, 2),
        ("has/AUX VerbForm=Inf >1 :aux | seen/VERB VerbForm=Part", 0, 1),  # it is not its own main verb
        ("has/AUX >1 :dep | seen/VERB", 0, None),
        ("has/AUX :aux | seen/VERB", 0, None),  # nothing is its head
        ("was/AUX >1 :cop | playing/VERB", 0, 1),
        ("was/AUX >1 :cop | ill/ADJ", 0, None),
        ("seen/VERB VerbForm=Part | has/AUX >0 :aux", 1, 0),
    ],
)
def test_the_main_verb_is_the_inner_auxiliary_or_the_head(written, index, main):
    assert main_verb(text(written), index) == main


SAW, SEES = "saw/VERB VerbForm=Fin Tense=Past", "sees/VERB VerbForm=Fin Tense=Pres"
SOURCE = forms("label: S.Past, features: {Tense: Past}", "label: S.Pres, features: {Tense: Pres}")
TARGET = forms("label: Imp, features: {Tense: Imp}, from_forms: [S.Past]")
BYLO = "bylo/VERB VerbForm=Fin Tense=Imp"


@pytest.mark.parametrize(
    ("source", "target", "links", "tagged"),
    [
        (SAW, BYLO, "0-0", True),
        (SEES, BYLO, "0-0", False),
        (f"{SEES} | a/X | b/X | {SAW}", f"a/X | {BYLO} | b/X", "2-2", True),  # a link after it alone
        (f"{SAW} | a/X | b/X | {SEES}", f"a/X | {BYLO} | b/X", "1-0 2-2", True),  # 1.5 is as near to both
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"a/X | {BYLO} | b/X", "2-0 3-2", False),
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"a/X | {BYLO} | b/X", "1-0 2-2", True),
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"a/X | b/X | {BYLO}", "1-0 3-1", False),  # the nearer of two before
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"{BYLO} | a/X | b/X", "1-1 3-2", True),  # the nearer of two after
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"a/X | b/X | {BYLO}", "1-1 3-0", True),  # where links cross, too
        (f"{SAW} | a/X | b/X | c/X | {SEES}", f"{BYLO} | a/X | b/X", "3-1 1-2", False),
        (f"{SAW} | a/X | b/X | c/X | d/X | {SEES}", f"a/X | {BYLO} | b/X", "2-0 4-1 2-2", True),  # not its own link
        (f"{SAW} | he/PRON >0 :nsubj | {SEES}", f"{BYLO} | on/PRON >0 :nsubj", "1-1", True),
        (f"{SEES} | he/PRON >0 :nsubj | {SAW}", f"{BYLO} | on/PRON >0 :nsubj", "1-1", False),
        (f"{SAW} | {SEES}", BYLO, "", True),  # without links, at its own place
        (f"{SAW} | {SEES}", f"a/X | {BYLO}", "", False),
        (f"{SEES} | {SAW}", f"a/X | {BYLO}", "", True),
        ("a/X", BYLO, "", False),
        (f"he/PRON >1 :nsubj | {SAW}", f"on/PRON >1 :nsubj | {BYLO}", "0-0", True),
        (f"him/PRON >1 :obj | {SAW} | {SEES}", f"on/PRON >1 :nsubj | {BYLO}", "0-0 1-0:.1", True),
        ("running/VERB VerbForm=Ger | saw/VERB VerbForm=Fin Tense=Past", BYLO, "0-0", False),
    ],
)
def test_the_source_of_a_verb_without_a_link_is_the_free_verb_at_its_place(source, target, links, tagged):
    first = (SAW, BYLO, "0-0")
    found = VerbFormTagger(SOURCE, TARGET).tag(document([first, (source, target, links)]))
    assert bool(found) is tagged


def test_only_tagged_forms_make_occurrences_and_each_form_has_its_own_memory():
    made = forms("label: Past, features: {Tense: Past}", "label: Imp, features: {Tense: Imp}, tagged: false")
    segments = [("x/X", SAW, "0-0"), ("x/X", BYLO, "0-0"), ("x/X", BYLO, "0-0"), ("x/X", SAW, "0-0")]
    (found,) = VerbFormTagger(EN, made).tag(document(segments))
    assert (found.segment, found.rule, found.support.distance) == (3, "Past", 3)
    assert (found.source_tokens, found.target_tokens, found.expected) == ((0,), (0,), "saw")


def test_the_variant_of_tenses_takes_every_verb_with_a_listed_value():
    part = "gone/AUX VerbForm=Part Tense=Past"
    segments = [("x/X", part, ""), ("x/X", f"{part} | {SEES} | was/NOUN Tense=Past", "")]
    found = VerbFormTagger(EN, forms(), "tense").tag(document(segments))
    assert [(one.segment, one.expected, one.rule) for one in found] == [(1, "gone", "Past")]


SHE = "She/PRON Person=3 Number=Sing Gender=Fem PronType=Prs >1 :nsubj | left/VERB"
FINITE = "Person=3 Number=Sing VerbForm=Fin"


def dropped(
    source: str, target: str, links: str, *antecedents: tuple[int, int, float], empty: float = 0.0
) -> list[str]:
    """The pronouns of the second segment that the source leaves out."""
    made = document([("coche/NOUN", "car/NOUN Number=Sing", "0-0"), (source, target, links)])
    resolutions = (resolution(1, 0, *antecedents, non_referential=empty),) if antecedents else ()
    made = replace(made, target_resolutions=resolutions)
    return [one.expected for one in DroppedSubjectTagger(load_language("es"), EN).tag(made)]


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        (f"salió/VERB {FINITE}", SHE.replace("nsubj", "nsubj:pass"), "0-1", True),
        (f"salió/VERB {FINITE}", SHE.replace("nsubj", "obj"), "0-1", False),
        (f"salió/VERB {FINITE}", SHE.replace("nsubj", "expl"), "0-1", False),
        (f"salió/VERB {FINITE}", SHE.replace("She/PRON", "Ana/PROPN"), "0-1", False),
        (f"salió/VERB {FINITE}", SHE.replace("PronType=Prs", "PronType=Ind"), "0-1", False),
        (f"salió/VERB {FINITE}", SHE.replace(" PronType=Prs", ""), "0-1", True),
        (f"salió/VERB {FINITE}", SHE.replace("Person=3 ", ""), "0-1", False),
        (f"salió/VERB {FINITE.replace('Sing', 'Plur')}", SHE, "0-1", False),  # *they* shows in the verb
        ("salí/VERB Person=1 Number=Sing VerbForm=Fin", SHE, "0-1", False),
        (f"salió/VERB {FINITE}", SHE.replace("Person=3", "Person=1"), "0-1", False),
        ("salió/VERB VerbForm=Fin", SHE, "0-1", True),  # the verb shows no person
        ("salió/VERB", SHE, "0-1", True),
        ("sal/VERB Mood=Imp VerbForm=Fin", SHE, "0-1", False),
        (f"ha/AUX {FINITE} >1 :aux | salido/VERB VerbForm=Part", SHE, "1-1", True),
        ("saliendo/VERB VerbForm=Ger", SHE, "0-1", False),
        (f"salió/VERB {FINITE}", "left/VERB | " + SHE.split(" | ")[0].replace(">1", ">0"), "0-0", True),
        (f"salió/VERB {FINITE} | Ana/PROPN >0 :nsubj", SHE, "0-1", False),
        (f"vino/VERB | salió/VERB {FINITE} >0 :conj | Ana/PROPN >0 :nsubj", SHE, "1-1", False),
        (f"vino/VERB | salió/VERB {FINITE} >0 :acl | Ana/PROPN >0 :nsubj", SHE, "1-1", True),
        ("vino/VERB | feliz/ADJ >0 :advmod", SHE, "1-1", False),
        (f"que/SCONJ | salió/VERB {FINITE}", SHE, "0-0 1-1", True),
        (f"la/DET | salió/VERB {FINITE}", SHE, "0-0 1-1", False),  # a word of the source stands for it
        (f"feliz/ADJ | casa/NOUN | salió/VERB {FINITE}", SHE, "0-1", True),  # a predicate of its own
        ("feliz/ADJ >1 :conj | salió/VERB", SHE, "0-1", True),
        ("casa/NOUN", SHE, "0-1", False),
        (f"salió/VERB {FINITE} | eso/PRON", SHE, "0-1", False),  # nothing translates it: it may be the subject
        (f"salió/VERB {FINITE} | eso/PRON", f"{SHE} | that/PRON", "0-1 1-2", True),
        (f"salió/VERB {FINITE} | eso/PRON", f"{SHE} | away/ADV", "0-1 1-2", False),
        (f"que/PRON >1 :csubj | salió/VERB {FINITE}", f"{SHE} | that/PRON", "1-1 0-2", False),
        (f"Ana/PROPN >1 :nsubj | vino/VERB | salió/VERB {FINITE} >1 :advcl", SHE, "2-1", False),
        (f"Ana/PROPN >1 :nsubj | vino/VERB | salió/VERB {FINITE} >1 :acl", SHE, "2-1", True),
        (
            f"Ana/PROPN >1 :nsubj | vino/VERB | cantó/VERB >1 :conj | salió/VERB {FINITE} >2 :ccomp",
            SHE,
            "3-1",
            False,
        ),
        (
            f"Ana/PROPN >1 :nsubj | vino/VERB | ha/AUX {FINITE} >3 :aux | salido/VERB VerbForm=Part >1 :conj",
            SHE,
            "3-1",
            False,
        ),
        (
            f"Ana/PROPN >1 :nsubj | vino/VERB | ha/AUX {FINITE} >3 :aux | salido/VERB VerbForm=Part >1 :acl",
            SHE,
            "2-1",
            True,
        ),
        (f"Ana/PROPN >1 :nsubj | cree/VERB | es/AUX {FINITE} >3 :cop | feliz/ADJ >1 :ccomp", SHE, "2-1", False),
    ],
)
def test_a_subject_is_left_out_where_nobody_is_named_and_the_verb_does_not_tell(source, target, links, found):
    assert dropped(source, target, links) == (["She"] if found else [])


def test_the_english_verb_comes_before_its_auxiliary():
    has_left = SHE.replace("left/VERB", "has/AUX >2 :aux | left/VERB").replace(">1 :nsubj", ">2 :nsubj")
    source = f"ha/AUX {FINITE} >1 :aux | salido/VERB VerbForm=Part"
    made = document([(source, has_left, "0-1 1-2")])
    assert [one.source_tokens for one in DroppedSubjectTagger(load_language("es"), EN).tag(made)] == [(1,)]


IT = SHE.replace("She", "It").replace("Fem", "Neut")


@pytest.mark.parametrize(
    ("target", "antecedents", "empty", "found"),
    [
        (IT, [(0, 0, 0.45)], 0.0, True),
        (IT, [(0, 0, 0.44)], 0.0, False),
        (IT, [(0, 0, 0.7)], 0.19, True),
        (IT, [(0, 0, 0.7)], 0.2, False),
        (SHE, [(0, 0, 0.7)], 0.9, True),  # only *it* stands for nothing
        (IT.replace("left/VERB", "is/AUX | clear/ADJ | that/SCONJ"), [(0, 0, 0.7)], 0.0, False),
    ],
)
def test_it_counts_if_it_stands_for_something(target, antecedents, empty, found):
    assert bool(dropped(f"salió/VERB {FINITE}", target, "0-1", *antecedents, empty=empty)) is found


def test_published_lists_take_the_place_of_the_rules():
    made = published_rules(DE)
    assert {rule.level: rule.forms for rule in made.formality} == {"informal": {"du"}, "formal": {"sie"}}
    assert {rule.linked for rule in made.formality} == {"ignored"}
    (it,) = made.pronouns
    assert (it.label, it.source_forms, it.agreement, it.target_upos) == ("it", {"it"}, "", {"PRON"})
    assert it.alternatives == {"": {"er", "sie", "es"}}
    assert it.source == "Fernandes et al. 2023, Table 11"
    assert {rule.source for rule in made.formality} == {"Fernandes et al. 2023, Table 10"}
    assert made.honorifics == ()
    assert made.hash != DE.hash
    assert len(made.hash) == 12
    assert made.verb_forms == DE.verb_forms


def test_published_lists_leave_a_language_without_a_table_empty():
    made = published_rules(forms(PAST))
    assert (made.formality, made.pronouns, made.formality_verbs) == ((), (), ())


def test_published_verbs_are_those_that_the_second_person_decides():
    japanese = load_language("ja")
    assert any(verb.addressed == "any" for verb in japanese.formality_verbs)
    assert all(verb.addressed != "any" for verb in published_rules(japanese).formality_verbs)
    spanish = load_language("es")
    assert published_rules(spanish).formality_verbs == spanish.formality_verbs
