"""Verb form on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, rules, text

from endophora.languages import load_language
from endophora.phenomena.verb_form import VerbFormTagger, main_verb, shown_form, source_form, verb_rule

EN, DE, FR = load_language("en"), load_language("de"), load_language("fr")
FIN = "VerbForm=Fin Mood=Ind"
SANG = f"sang/VERB lemma=sing {FIN} Tense=Past"
IMPARFAIT = (SANG, f"chantait/VERB lemma=chanter {FIN} Tense=Imp", "0-0")


def tags(rules, *segments, **options):
    found = VerbFormTagger(EN, rules, **options).tag(document(segments))
    return [(occurrence.segment, occurrence.expected, occurrence.rule) for occurrence in found]


@pytest.mark.parametrize(("person", "label"), [("1", "Perf"), ("3", "Pres.Sub")])
def test_a_verb_without_a_subject_has_that_of_the_verb_it_is_joined_to(person: str, label: str):
    """*Ich kam und habe es gesehen*: the form is that of Konjunktiv I."""
    came = f"x/PRON Person={person} >1 :nsubj | kam/VERB lemma=kommen {FIN} Tense=Past"
    seen = "gesehen/VERB lemma=sehen VerbForm=Part >1 :conj"
    read = text(f"{came} | habe/AUX lemma=haben VerbForm=Fin Mood=Sub Tense=Pres Person=3 >3 :aux | {seen}")
    found = verb_rule(sorted(DE.verb_forms, key=lambda rule: not rule.auxiliaries), read, 2)
    assert found is not None
    assert found[0].label == label


def test_first_verb_of_a_form_is_not_tagged():
    assert tags(FR, IMPARFAIT) == []
    assert tags(FR, IMPARFAIT, IMPARFAIT) == [(1, "chantait", "Imp")]


@pytest.mark.parametrize(
    ("form", "tense", "expected"),
    [
        ("montèrent", "Pres", "Past"),
        ("préfèrent", "Pres", "Ind.Pres"),
        ("préférèrent", "Pres", "Past"),
        ("finirent", "Pres", "Past"),
        ("respirent", "Pres", "Ind.Pres"),
        ("vinrent", "Pres", "Past"),
        ("chanta", "Pres", "Past"),
        ("va", "Pres", "Ind.Pres"),
        ("montra", "Fut", "Past"),
        ("chantera", "Fut", "Ind.Fut"),
        ("répondit", "Pres", "Past"),
        ("grandit", "Pres", "Ind.Pres"),
        ("reçut", "Pres", "Past"),
        ("peut", "Pres", "Ind.Pres"),
        ("chantaient", "Pres", "Imp"),
        ("essaient", "Pres", "Ind.Pres"),
        ("disait", "Pres", "Imp"),
        ("connait", "Pres", "Ind.Pres"),
        ("occupèrent", "Pres", "Past"),
        ("possédèrent", "Pres", "Past"),
        ("avertirent", "Pres", "Past"),
        ("admit", "Pres", "Past"),
        ("étaient", "Pres", "Imp"),
        ("préfèrent", "Past", "Ind.Pres"),
        ("acquièrent", "Past", "Ind.Pres"),
        ("tirent", "Past", "Ind.Pres"),
        ("virent", "Past", "Past"),
        ("virent", "Pres", "Ind.Pres"),
        ("tait", "Imp", "Ind.Pres"),
        ("plaît", "Past", "Ind.Pres"),
        ("paient", "Imp", "Ind.Pres"),
        ("payaient", "Pres", "Imp"),
    ],
)
def test_a_french_form_of_one_tense_is_of_that_tense_whatever_its_features(form: str, tense: str, expected: str):
    forms = sorted(FR.verb_forms, key=lambda rule: not rule.auxiliaries)
    assert shown_form(forms, text(f"{form}/VERB lemma=x {FIN} Tense={tense}"), 0) == expected


@pytest.mark.parametrize(("form", "expected"), [("wurde", "Past"), ("sagte", "Past"), ("setze", "Ind.Past")])
def test_a_german_form_in_e_that_no_past_has_is_none_whatever_its_features(form: str, expected: str):
    forms = sorted(DE.verb_forms, key=lambda rule: not rule.auxiliaries)
    assert shown_form(forms, text(f"{form}/VERB lemma=x {FIN} Tense=Past"), 0) == expected


def test_pluperfect_is_read_from_its_auxiliary():
    pqp = (SANG, f"avait/AUX lemma=avoir {FIN} Tense=Imp >1 :aux:tense | chanté/VERB VerbForm=Part Tense=Past", "0-1")
    assert tags(FR, pqp, pqp) == [(1, "avait chanté", "Pqp")]
    assert tags(FR, IMPARFAIT, pqp) == []


def test_passive_participle_is_not_a_past_tense():
    passive = (
        f"is/AUX lemma=be {FIN} Tense=Pres >1 :aux:pass | sung/VERB VerbForm=Part Tense=Past",
        f"est/AUX lemma=être {FIN} Tense=Pres >1 :aux:pass | chantée/VERB lemma=chanter VerbForm=Part Tense=Past",
        "0-0 1-1",
    )
    assert tags(FR, passive, passive) == []
    assert tags(FR, passive, passive, variant="tense") == [(1, "chantée", "Past")]


def test_perfect_with_be_is_known_by_the_verb_or_the_reflexive():
    went = f"went/VERB lemma=go {FIN} Tense=Past"
    est_allé = f"est/AUX lemma=être {FIN} Tense=Pres >1 :aux:tense | allé/VERB lemma=aller VerbForm=Part Tense=Past"
    s_est_lavé = (
        f"s'/PRON | est/AUX lemma=être {FIN} Tense=Pres >2 :aux:tense | lavé/VERB lemma=laver VerbForm=Part Tense=Past"
    )
    found = tags(FR, (went, est_allé, "0-1"), (went, s_est_lavé, "0-2"))
    assert found == [(1, "est lavé", "Perf")]


def test_perfect_passive_pairs_the_auxiliary_with_the_inner_participle():
    was_sung = f"was/AUX lemma=be {FIN} Tense=Past >1 :aux:pass | sung/VERB VerbForm=Part Tense=Past"
    a_été_chanté = (
        f"a/AUX lemma=avoir {FIN} Tense=Pres >2 :aux:tense | été/AUX lemma=être VerbForm=Part Tense=Past >2 :aux:pass"
        " | chantée/VERB lemma=chanter VerbForm=Part Tense=Past"
    )
    pair = (was_sung, a_été_chanté, "0-1 1-2")
    assert tags(FR, pair, pair) == [(1, "a été", "Perf")]


def test_form_that_the_source_forces_is_not_tagged():
    has_sung = f"has/AUX lemma=have {FIN} Tense=Pres >1 :aux | sung/VERB VerbForm=Part Tense=Past"
    a_chanté = f"a/AUX lemma=avoir {FIN} Tense=Pres >1 :aux:tense | chanté/VERB VerbForm=Part Tense=Past"
    assert tags(FR, (SANG, a_chanté, "0-1"), (has_sung, a_chanté, "0-0 1-1")) == []
    assert tags(FR, (has_sung, a_chanté, "0-0 1-1"), (SANG, a_chanté, "0-1")) == [(1, "a chanté", "Perf")]


def test_german_simple_past_of_full_verbs_only():
    sang = (SANG, f"sang/VERB lemma=singen {FIN} Tense=Past", "0-0")
    war = (f"was/AUX lemma=be {FIN} Tense=Past", f"war/AUX lemma=sein {FIN} Tense=Past", "0-0")
    assert tags(DE, sang, sang, war, war) == [(1, "sang", "Past")]


def test_german_perfect_over_the_sentence_bracket_is_ordered_by_its_first_word():
    hat_gesungen = (
        SANG,
        f"hat/AUX lemma=haben {FIN} Tense=Pres >2 :aux | gestern/ADV | gesungen/VERB lemma=singen VerbForm=Part",
        "0-2",
    )
    weil_gesungen_hat = (
        SANG,
        f"weil/SCONJ | gesungen/VERB lemma=singen VerbForm=Part | hat/AUX lemma=haben {FIN} Tense=Pres >1 :aux",
        "0-1",
    )
    assert tags(DE, hat_gesungen, weil_gesungen_hat) == [(1, "gesungen hat", "Perf")]
    found = VerbFormTagger(EN, DE).tag(document([hat_gesungen, hat_gesungen]))
    assert found[0].target_tokens == (0, 2)


def test_german_reported_speech():
    sei = (f"is/AUX lemma=be {FIN} Tense=Pres", "sei/AUX lemma=sein VerbForm=Fin Mood=Sub Tense=Pres Person=3", "0-0")
    assert tags(DE, sei, sei) == [(1, "sei", "Pres.Sub")]


def test_german_has_no_form_in_the_variant_of_the_paper():
    sang = (SANG, f"sang/VERB lemma=singen {FIN} Tense=Past", "0-0")
    assert tags(DE, sang, sang, variant="tense") == []


@pytest.mark.parametrize(
    ("written", "index", "label"),
    [
        (f"goes/VERB lemma=go {FIN} Tense=Pres", 0, "Pres"),
        (f"went/VERB lemma=go {FIN} Tense=Past", 0, "Past"),
        (f"did/AUX lemma=do {FIN} Tense=Past >1 :aux | go/VERB lemma=go VerbForm=Inf", 1, "Past"),
        (f"was/AUX lemma=be {FIN} Tense=Past >1 :aux | going/VERB lemma=go VerbForm=Ger Tense=Pres", 1, "Past"),
        (f"has/AUX lemma=have {FIN} Tense=Pres >1 :aux | gone/VERB lemma=go VerbForm=Part Tense=Past", 0, "Perf"),
        (f"had/AUX lemma=have {FIN} Tense=Past >1 :aux | gone/VERB lemma=go VerbForm=Part Tense=Past", 1, "Pqp"),
        ("would/AUX lemma=would VerbForm=Fin >1 :aux | go/VERB lemma=go VerbForm=Inf", 1, "Modal"),
        (f"was/AUX lemma=be {FIN} Tense=Past >1 :cop | ill/ADJ", 1, "Past"),
        ("going/VERB lemma=go VerbForm=Ger", 0, ""),
    ],
)
def test_english_forms_are_told_by_their_verb_group(written, index, label):
    rules = sorted(EN.verb_forms, key=lambda rule: not rule.auxiliaries)
    assert source_form(rules, text(written), index) == label


def test_pattern_tells_forms_that_have_the_same_features():
    features = "features: {VerbForm: Fin, Tense: Past}, source: grammar}"
    parts = ["verb_forms:", f"  - {{label: Pqp, name: a, pattern: 'm[ıi]şt[ıi]$', {features}"]
    parts += [f"  - {{label: Past, name: b, {features}"]
    language = rules("\n".join(parts))
    past, pluperfect = ((SANG, f"{form}/VERB {FIN} Tense=Past", "0-0") for form in ("geldi", "gelmişti"))
    assert tags(language, past, pluperfect, pluperfect, past) == [(2, "gelmişti", "Pqp"), (3, "geldi", "Past")]


def test_auxiliary_that_has_only_a_person_is_finite():
    perfect = rules(
        """\
verb_forms:
  - {label: Perf, name: perfect, features: {VerbForm: Part}, auxiliaries: [{lemmas: [avea]}], source: grammar}
"""
    )
    a_cântat = (SANG, "a/AUX lemma=avea Person=3 >1 :aux | cântat/VERB VerbForm=Part", "0-1")
    assert tags(perfect, a_cântat, a_cântat) == [(1, "a cântat", "Perf")]


def test_copula_of_a_verb_is_its_auxiliary():
    sold = "haben/AUX lemma=haben Mood=Ind Tense=Pres VerbForm=Fin >1 :cop | verkauft/VERB VerbForm=Part"
    assert main_verb(text(sold), 0) == 1
    assert main_verb(text(sold.replace("verkauft/VERB", "verkauft/ADJ")), 0) is None


@pytest.mark.parametrize("form", ["sagte", "schrie", "sagten", "ging", "gingst"])
def test_german_preterites_are_known_by_their_endings(form):
    past = (SANG, f"{form}/VERB lemma=x {FIN} Tense=Past", "0-0")
    assert tags(DE, past, past) == [(1, form, "Past")]


@pytest.mark.parametrize("form", ["setze", "weine", "veröffentliche"])
def test_german_present_that_an_annotator_takes_for_a_preterite_is_none(form):
    sagte, present = (f"{each}/VERB lemma=x {FIN} Tense=Past" for each in ("sagte", form))
    assert tags(DE, (SANG, sagte, "0-0"), (SANG, present, "0-0")) == []
    assert tags(DE, (SANG, present, "0-0"), (SANG, sagte, "0-0")) == []  # and supports no other


CHANTAIT = f"chantait/VERB lemma=chanter {FIN} Tense=Imp"


@pytest.mark.parametrize(
    ("source", "links", "tagged"),
    [
        (f"she/PRON >1 :nsubj | {SANG}", "0-0", True),  # by the subject
        (f"she/PRON >1 :nsubj | sings/VERB {FIN} Tense=Pres", "0-0", False),
        (SANG, "", True),  # by the only verb that nothing translates
        (f"{SANG} | sings/VERB {FIN} Tense=Pres", "", False),
        (f"song/NOUN | {SANG}", "0-1", True),
        (f"{SANG} | singing/VERB VerbForm=Ger", "1-1", False),  # a verb that says nothing
        ("sung/VERB VerbForm=Part Tense=Past", "0-1", True),  # regular verbs have one form for both
    ],
)
def test_a_verb_without_a_link_is_that_of_its_subject_or_one_that_nothing_translates(source, links, tagged):
    found = tags(FR, IMPARFAIT, (source, f"elle/PRON >1 :nsubj | {CHANTAIT}", links))
    assert [segment for segment, *_ in found] == ([1] if tagged else [])


def test_a_subjunctive_form_of_the_first_person_is_the_perfect():
    found = f"found/VERB lemma=find {FIN} Tense=Past"
    habe = "habe/AUX lemma=haben VerbForm=Fin Mood=Sub Tense=Pres Person=3 >2 :aux"
    perfect = (found, f"ich/PRON Person=1 >2 :nsubj | {habe} | gefunden/VERB VerbForm=Part", "0-2")
    assert tags(DE, perfect, perfect) == [(1, "habe gefunden", "Perf")]
    reported = (found, f"er/PRON Person=3 >2 :nsubj | {habe} | gefunden/VERB VerbForm=Part", "0-2")
    assert [rule for *_, rule in tags(DE, reported, reported)] == ["Pres.Sub"]


def test_of_two_verbs_that_nothing_translates_the_one_at_the_place_of_the_target_verb_counts():
    sings = f"and/CCONJ | she/PRON >4 :nsubj | sings/VERB {FIN} Tense=Pres"
    source, target = f"{SANG} | song/NOUN | {sings}", f"elle/PRON >1 :nsubj | {CHANTAIT} | chanson/NOUN"
    assert [segment for segment, *_ in tags(FR, IMPARFAIT, (source, target, "1-2"))] == [1]
    assert tags(FR, IMPARFAIT, (source, target, "4-2")) == []


def test_a_participle_that_models_take_for_finite_makes_a_perfect_with_its_auxiliary():
    happened = f"happened/VERB lemma=happen {FIN} Tense=Past"
    passiert = f"passiert/VERB lemma=passieren {FIN} Tense=Pres"
    ist = f"ist/AUX lemma=sein {FIN} Tense=Pres >1 :aux"
    perfect = (happened, f"{ist} | {passiert}", "0-1")
    assert tags(DE, perfect, perfect) == [(1, "ist passiert", "Perf")]


def test_compounds_of_verbs_of_motion_make_their_perfect_with_sein():
    ist = f"ist/AUX lemma=sein {FIN} Tense=Pres >1 :aux"

    def perfect(participle: str, lemma: str) -> tuple[str, str, str]:
        """A past of English, and the participle."""
        return f"went/VERB lemma=go {FIN} Tense=Past", f"{ist} | {participle}/VERB lemma={lemma} VerbForm=Part", "0-1"

    away = perfect("runtergelaufen", "runterlaufen")
    assert tags(DE, away, away) == [(1, "ist runtergelaufen", "Perf")]
    state = perfect("geöffnet", "öffnen")
    assert tags(DE, state, state) == []


@pytest.mark.parametrize("infinitive", ["matar", "ir", "ayudarnos", "ayudaros", "decírmelo", "comérselo", "dárnoslos"])
def test_spanish_ir_before_an_infinitive_with_its_clitics_is_a_future_or_a_conditional(infinitive: str):
    rules = load_language("es").verb_forms
    found = verb_rule(rules, text(f"va/VERB lemma=ir {FIN} Tense=Pres | a/ADP | {infinitive}/VERB VerbForm=Inf"), 0)
    assert found is not None
    assert found[0].label == "Ir"
    found = verb_rule(rules, text(f"iba/VERB lemma=ir {FIN} Tense=Imp | a/ADP | {infinitive}/VERB"), 0)
    assert found is not None
    assert found[0].alike == "Cnd"
    found = verb_rule(rules, text(f"iba/VERB lemma=ir {FIN} Tense=Imp | a/ADP | Madrid/PROPN"), 0)
    assert found is not None
    assert found[0].label == "Imp"


def found_rule(language, written, index):
    return verb_rule(sorted(language.verb_forms, key=lambda rule: not rule.auxiliaries), text(written), index)


HAVE = "habe/AUX lemma=haben VerbForm=Fin Mood=Ind Tense=Pres Person=1"
REMOVED = "entfernt/VERB lemma=entfernen VerbForm=Part"


@pytest.mark.parametrize(
    ("written", "index", "main"),
    [
        (f"{HAVE} >1 :aux | Google/PROPN | {REMOVED} >1 :conj", 0, 2),
        (f"{HAVE} :root | alles/PRON >0 | {REMOVED} >0 :xcomp | und/CCONJ", 0, 2),
        (f"als/SCONJ | {REMOVED} >0 | {HAVE} >0 :cop", 2, 1),
        (f"{HAVE} :root | Angst/NOUN >0 | {REMOVED} >0 :acl | zu/PART | werden/AUX VerbForm=Inf", 0, None),
        (f"{HAVE} :root | Zeit/NOUN >0 | kam/VERB VerbForm=Fin | {REMOVED} >0 :conj", 0, None),
        (f"{HAVE} :root | Zeit/NOUN >0 | ./PUNCT | {REMOVED} >0 :conj", 0, None),
        (f"{HAVE} >2 :aux | eine/DET | besorgt/ADJ lemma=besorgt Degree=Pos", 0, 2),
        (f"{HAVE} >1 :aux | fertig/ADJ lemma=fertig Degree=Pos", 0, None),
    ],
)
def test_german_participle_at_the_end_of_the_clause_belongs_to_the_auxiliary(written, index, main):
    """*Ich habe auch Google entfernt*: parsers join the auxiliary to the name between the two."""
    found = found_rule(DE, written, index)
    assert (found[1] if found and found[0].label == "Perf" else None) == main


@pytest.mark.parametrize(
    ("form", "person", "label"),
    [
        ("sehe", "3", "Pres.Sub"),
        ("sehe", "1", None),
        ("sagte", "3", "Past"),
        ("wurde", "3", "Past"),
        ("käme", "3", None),
    ],
)
def test_german_subjunctive_of_reported_speech_is_known_by_its_form(form, person, label):
    tense = "Past" if label == "Past" else "Pres"
    found = found_rule(DE, f"{form}/VERB lemma=x {FIN} Tense={tense} Person={person} Number=Sing", 0)
    assert (found and found[0].label) == label


@pytest.mark.parametrize(("mood", "label"), [("Ind", "Past"), ("Imp", "Pres")])
def test_english_verbs_with_one_form_may_be_past(mood, label):
    rules = sorted(EN.verb_forms, key=lambda rule: not rule.auxiliaries)
    assert source_form(rules, text(f"quit/VERB lemma=quit VerbForm=Fin Mood={mood} Tense=Pres"), 0) == label


def test_one_of_several_source_verbs_may_show_the_choice():
    """Of a verb linked to a noun that models take for a present, the verb of its subject tells the form."""
    pouches = f"pouches/VERB lemma=pouch {FIN} Tense=Pres >2 :obl"
    source = f"he/PRON >2 :nsubj | {pouches} | walked/VERB lemma=walk {FIN} Tense=Past"
    left = (source, f"er/PRON >1 :nsubj | verließ/VERB lemma=verlassen {FIN} Tense=Past", "0-0 1-1")
    assert tags(DE, left, left) == [(1, "verließ", "Past")]
