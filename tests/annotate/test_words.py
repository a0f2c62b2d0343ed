"""What a form alone decides: signs and numbers in every language, and each language's own forms."""

from __future__ import annotations

import pytest

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Token
from endophora.annotate.words import Words, unvowelled, word_rules


def token(form: str, upos: str, head: int = -1, relation: str = "", **features: str) -> Token:
    return Token(form, form, upos, "", features, head, relation, "", 0, len(form))


def corrected(language: str, *tokens: Token, own: bool = False) -> tuple[Token, ...]:
    return Words(language, own=own).correct(AnnotatedText("", tokens)).tokens


@pytest.mark.parametrize("language", ["de", "he", "ko", "pt", "sv"])
@pytest.mark.parametrize(
    ("form", "said", "upos"),
    [
        ("“", "ADJ", "PUNCT"),
        ("»", "PROPN", "PUNCT"),
        ('"', "SYM", "PUNCT"),
        ("……", "NOUN", "PUNCT"),
        ("%", "NOUN", "SYM"),
        ("٪", "PUNCT", "SYM"),
        ("€", "PUNCT", "SYM"),
        ("=", "VERB", "SYM"),
        ("`", "NOUN", "PUNCT"),
        ("🙂", "NOUN", "SYM"),
        ("👍🏽", "NOUN", "SYM"),
        ("1.250,50", "PROPN", "NUM"),
        ("٣٫٥", "X", "NUM"),
        ("10:30", "NOUN", "NUM"),
    ],
)
def test_signs_and_numbers_are_no_words(language: str, form: str, said: str, upos: str):
    (found,) = corrected(language, token(form, said, Case="Nom"))
    assert (found.upos, found.lemma, "Case" in found.features) == (upos, form, False)


@pytest.mark.parametrize(
    ("language", "form", "said"),
    [
        ("en", "&", "CCONJ"),  # and
        ("en", ":-)", "SYM"),
        ("en", "-", "SYM"),  # 1990 - 2000
        ("pl", "1998", "ADJ"),  # an ordinal, as Polish and Russian read years
        ("de", "3.", "ADJ"),
        ("de", "2b", "PROPN"),
        ("en", "'s", "PART"),
        ("en", "’", "PART"),  # the parents’ house
        ("en", "", "X"),
    ],
)
def test_what_the_annotator_can_tell_better_is_left(language: str, form: str, said: str):
    assert corrected(language, token(form, said))[0].upos == said


def test_a_mark_that_was_a_subject_hangs_as_punctuation_with_nothing_on_it():
    mark, article, verb = token("”", "NOUN", 2, "nsubj"), token("o", "DET", 0, "det"), token("vem", "VERB", -1, "root")
    found = corrected("pt", mark, article, verb)
    assert [(each.head, each.relation) for each in found] == [(2, "punct"), (2, "det"), (-1, "root")]


def test_a_text_without_parts_of_speech_stays_without():
    text = AnnotatedText("", (token(".", ""), token("7", "")))
    assert Words("en").correct(text) is text


def test_rules_of_forms_are_for_our_own_pipelines():
    said = token("就", "SCONJ", -1, "mark")
    assert corrected("zh", said)[0] is said
    (found,) = corrected("zh", said, own=True)
    assert (found.upos, found.relation) == ("ADV", "advmod")


@pytest.mark.parametrize("form", ["أيضاً", "أيضًا", "ايضا", "عادةً", "أَيْضًا"])
def test_arabic_adverbs_in_an(form: str):
    (found,) = corrected("ar", token(form, "NOUN", Case="Acc"), own=True)
    assert (found.upos, found.features) == ("ADV", {})
    assert corrected("ar", token("عادة", "NOUN"), own=True)[0].upos == "NOUN"  # a habit


def test_vowel_signs_are_no_part_of_a_form():
    assert unvowelled("كَتَبَ الوَلَدُ") == "كتب الولد"
    assert unvowelled("שָׁלוֹם") == "שלום"
    assert unvowelled("já é ñ") == "já é ñ"
    plain, vowelled = load_annotator("ar").annotate(["كتب الولد الرسالة في البيت .", "كَتَبَ الوَلَدُ الرِّسَالَةَ فِي البَيْتِ ."])
    assert [(t.upos, t.lemma, t.features, t.head) for t in vowelled.tokens] == [
        (t.upos, t.lemma, t.features, t.head) for t in plain.tokens
    ]


@pytest.mark.parametrize(
    ("language", "form", "said", "lemma", "features"),
    [
        ("es", "hablaría", "VERB", "hablar", "Mood=Cnd Number=Sing Person=3"),
        ("es", "tendríamos", "VERB", "tener", "Mood=Cnd Number=Plur Person=1"),
        ("pt", "teríamos", "VERB", "ter", "Mood=Cnd Number=Plur Person=1"),
        ("pt", "fariam", "VERB", "fazer", "Mood=Cnd Number=Plur Person=3"),
        ("pt", "tenhamos", "VERB", "ter", "Mood=Sub Number=Plur Person=1"),
        ("de", "sähen", "VERB", "sehen", "Mood=Sub Number=Plur Person=3"),
        ("de", "bekäme", "ADJ", "bekommen", "Mood=Sub Number=Sing Person=3"),
        ("de", "Geh", "PROPN", "gehen", "Mood=Imp Number=Sing Person=2"),
        ("et", "ostaksin", "VERB", "ostaksin", "Mood=Cnd Number=Sing Person=1"),
        ("cs", "pracuji", "ADV", "pracovat", "Mood=Ind Number=Sing Person=1"),
        ("cs", "nevím", "NOUN", "vědět", "Mood=Ind Number=Sing Person=1"),
        ("cs", "chci", "NOUN", "chtít", "Mood=Ind Number=Sing Person=1"),
    ],
)
def test_verbs_known_by_their_form(language: str, form: str, said: str, lemma: str, features: str):
    (found,) = corrected(language, token(form, said, Tense="Pres"), own=True)
    shown = " ".join(f"{name}={found.features.get(name)}" for name in ("Mood", "Number", "Person"))
    assert (found.upos, found.lemma, shown) == ("VERB", lemma, features)


@pytest.mark.parametrize(
    ("language", "form", "said"),
    [
        ("es", "quería", "VERB"),
        ("es", "batería", "NOUN"),
        ("pt", "preferia", "VERB"),
        ("et", "jooksin", "VERB"),
        ("de", "Stände", "NOUN"),
        ("cs", "muži", "NOUN"),
    ],
)
def test_words_that_only_look_like_such_verbs_are_left(language: str, form: str, said: str):
    said_before = token(form, said)
    assert corrected(language, said_before, own=True)[0] is said_before


@pytest.mark.parametrize(
    ("form", "tense"),
    [
        ("beobachtete", "Past"),
        ("beharrten", "Past"),
        ("verließen", "Past"),
        ("schien", "Past"),
        ("orientierten", "Past"),
        ("grummelte", "Past"),
        ("heulten", "Past"),
        ("verkauften", "Past"),
        ("besuchten", "Past"),
        ("machte", "Past"),
        ("klärte", "Past"),
        ("musstest", "Past"),
        ("warst", "Past"),
    ]
    + [
        (form, "Pres")
        for form in (
            "vergelten",
            "schelte",
            "wollt",
            "arbeite",
            "halten",
            "achten",
            "bewerten",
            "beten",
            "liest",
            "behaupten",
            "kosten",
            "leuchten",
            "schlachten",
            "schmachten",
            "verhärten",
            "verlauten",
            "stiften",
        )
    ],
)
def test_german_past_tense_that_no_present_looks_like(form: str, tense: str):
    (found,) = corrected("de", token(form, "VERB", Mood="Ind", Tense="Pres"), own=True)
    assert found.features["Tense"] == tense


@pytest.mark.parametrize(
    ("form", "features", "past"),
    [
        ("verhalf", {}, True),
        ("ergriff", {}, True),
        ("ergriffen", {}, False),  # a participle, too
        ("gelitten", {"VerbForm": "Part"}, False),
        ("spendeten", {"VerbForm": "Part"}, True),
        ("arbeiteten", {"VerbForm": "Inf"}, True),
        ("gespendeten", {"VerbForm": "Part"}, False),
        ("beantworteten", {"VerbForm": "Part"}, False),  # die beantworteten Fragen
        ("gebeten", {"VerbForm": "Part"}, False),
        ("kneten", {"VerbForm": "Inf"}, False),
    ],
)
def test_german_past_forms_without_a_tense(form: str, features: dict[str, str], past: bool):
    (found,) = corrected("de", token(form, "VERB", **features), own=True)
    assert (found.features.get("Tense") == "Past") is past
    assert (found.features.get("VerbForm") == "Fin") is past


@pytest.mark.parametrize(
    ("form", "lemma"),
    [("entgangen", "entgehen"), ("hierhergekommen", "hierherkommen"), ("runtergefallen", "runterfallen")],
)
def test_german_participles_of_compound_verbs(form: str, lemma: str):
    (found,) = corrected("de", token(form, "VERB", VerbForm="Inf"), own=True)
    assert (found.lemma, found.features) == (lemma, {"VerbForm": "Part"})


@pytest.mark.parametrize(
    ("form", "mood"), [("teilte", "Ind"), ("zeigten", "Ind"), ("hielte", "Sub"), ("wüsste", "Sub")]
)
def test_a_weak_german_verb_has_one_form_for_two_moods(form: str, mood: str):
    (found,) = corrected("de", token(form, "VERB", Mood="Sub", Tense="Past"), own=True)
    assert found.features["Mood"] == mood


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("was passiert war", "Part"),
        ("es ist passiert .", "Part"),
        ("wie viel kostet das", "Fin"),
        ("er gehört ihm", "Fin"),
    ],
)
def test_a_german_participle_stands_beside_its_auxiliary(words: str, form: str):
    tokens = [token(word, "VERB" if word[-2:] in ("rt", "et") else "X", VerbForm="Fin") for word in words.split()]
    (verb,) = (one for one in corrected("de", *tokens, own=True) if one.upos == "VERB")
    assert verb.features["VerbForm"] == form


def test_german_habe_that_begins_its_clause_is_a_first_person():
    (found, _) = corrected("de", token("Habe", "AUX", Mood="Sub", Person="3"), token("gegessen", "VERB"), own=True)
    assert (found.features["Mood"], found.features["Person"]) == ("Ind", "1")


def test_the_subject_beside_it_tells_the_person():
    words = corrected("es", token("yo", "PRON"), token("hablaría", "VERB", Person="3"), own=True)
    assert words[1].features["Person"] == "1"


@pytest.mark.parametrize(("before", "upos"), [("dio", "NOUN"), ("darse", "NOUN"), ("en", "NOUN"), ("me", "VERB")])
def test_spanish_cuenta_is_a_noun_behind_dar(before: str, upos: str):
    words = corrected("es", token(before, "X"), token("cuenta", "VERB", Tense="Pres", VerbForm="Fin"), own=True)
    assert (words[1].upos, "Tense" in words[1].features) == (upos, upos == "VERB")


def test_lemmas_are_no_placeholders():
    number = token("125", "NUM")._replace(lemma="&camount;")
    assert corrected("cs", number)[0].lemma == "125"


def test_every_rule_fits_something_and_changes_it():
    for rules in word_rules().languages.values():
        for rule in rules:
            assert rule.forms or rule.pattern or rule.endings
            assert rule.to or rule.lemma or rule.gives or rule.drops or rule.xpos
