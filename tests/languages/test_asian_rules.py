"""Rules of Japanese, Korean, Chinese and Turkish: the paper's lists, and what patterns find and leave."""

from __future__ import annotations

import re

import pytest

from endophora.languages import load_language

JA, KO, ZH, TR = (load_language(code) for code in ("ja", "ko", "zh", "tr"))


def words(rules, level):
    return {form for rule in rules.formality if rule.level == level for form in rule.forms}


def verbs(rules, level):
    return [rule for rule in rules.formality_verbs if rule.level == level]


def first_level(rules, form):
    """Return the level of the first rule without lemmas whose pattern finds a form."""
    for rule in rules.formality_verbs:
        if rule.pattern and not rule.lemma_pattern and re.search(rule.pattern, form):
            if rule.unless_endings and form.endswith(rule.unless_endings):
                continue
            return rule.level
    return ""


def test_words_of_formality_in_table_10():
    assert {"sen", "senin"} <= words(TR, "informal")
    assert {"siz", "sizin"} <= words(TR, "formal")
    assert "你" in words(ZH, "informal")
    assert "您" in words(ZH, "formal")
    assert {"제가", "저", "저희"} <= words(KO, "humble")
    assert "나" in words(KO, "plain")
    assert {"댁에", "성함", "생신", "연세", "병환", "약주", "자제분"} <= words(KO, "honorific")
    assert "ご覧" in words(JA, "honorific")


def test_japanese_verbs_of_table_10_are_known_by_their_lemma():
    lemmas = {lemma for rule in verbs(JA, "honorific") for lemma in rule.lemmas}
    assert {"いらっしゃる", "ござる", "伺う"} <= lemmas
    assert {"です", "ます"} <= {lemma for rule in verbs(JA, "polite") for lemma in rule.lemmas}


def test_pronouns_of_table_11():
    (speaker,) = (rule for rule in JA.pronouns if rule.label == "I")
    assert {"私", "僕", "俺"} <= {form for forms in speaker.alternatives.values() for form in forms}
    assert "i" in speaker.source_forms
    assert speaker.antecedent == "none"
    assert KO.pronouns == TR.pronouns == ()


def test_verb_forms_of_table_12():
    assert TR.tenses.values == {"Pqp"}
    assert "Pqp" in {rule.label for rule in TR.verb_forms}
    assert not JA.verb_forms
    assert not KO.verb_forms
    assert not ZH.verb_forms


@pytest.mark.parametrize(
    ("form", "level"),
    [
        ("합니다", "formal"),
        ("갔습니까", "formal"),
        ("오십시오", "formal"),
        ("아니다", "plain"),
        ("가요", "polite"),
        ("그렇죠", "polite"),
        ("했다", "plain"),
        ("이다", "plain"),
        ("한다", "plain"),
        ("계신다", "honorific"),
        ("드립니다", "formal"),
        ("뵙고", "humble"),
        ("먹었어", "intimate"),
        ("말하고", ""),
        ("했다고", ""),
        ("간다는", ""),
        ("니까", ""),
    ],
)
def test_korean_ending_shows_the_speech_level(form, level):
    assert first_level(KO, form) == level


@pytest.mark.parametrize(
    ("form", "label"),
    [
        ("gelmişti", "Pqp"),
        ("okumuştum", "Pqp"),
        ("almışlardı", "Pqp"),
        ("görmüştünüz", "Pqp"),
        ("geliyordu", "Imp"),
        ("yapıyorlardı", "Imp"),
        ("çalışmaktaydı", "Imp"),
        ("olmazdı", "Hab.Past"),
        ("ederdi", "Hab.Past"),
        ("gelmiş", "Nfh"),
        ("yapılmıştır", "Nfh"),
        ("geldi", "Past"),
        ("verdi", "Past"),
        ("gördünüz", "Past"),
        ("geliyor", "Prog"),
        ("yapmaktadır", "Prog"),
        ("gelecek", ""),
        ("gelsin", ""),
    ],
)
def test_turkish_ending_shows_the_verb_form(form, label):
    found = [rule.label for rule in TR.verb_forms if rule.pattern and re.search(rule.pattern, form)]
    assert (found[0] if found else "") == label


def test_japanese_plain_predicate_ends_its_sentence():
    familiar, rule, particles, within, adjectives, requests = verbs(JA, "plain")
    for after, ends in (
        ("けど、", True),
        ("のだが、", True),
        ("けど。", False),
        ("から、", False),
    ):  # polite speech has から too
        assert bool(re.match(within.after, after)) == ends
    for after, ends in (("？", True), ("なの？", True), ("だ？", False), ("。", False)):
        assert bool(re.match(adjectives.after, after)) == ends
    assert not re.match(familiar.after, "う。")  # でしょう is polite
    assert re.match(familiar.after, "？")
    for after, ends in (("の？", True), ("けど。", True), ("けど、", False), ("のは本だ。", False)):
        assert bool(re.match(particles.after, after)) == ends
    for after, ends in (("。", True), ("！", True), ("", False), ("、本を", False)):
        assert bool(re.match(requests.after, after)) == ends
    assert re.search(rule.pattern, "行く")
    assert not re.search(rule.pattern, "学校")
    for after, ends in (
        ("。", True),
        ("よ。", True),
        ("かい？", True),
        ("よw", True),
        ("」。", True),
        ("", True),
        ("と言った。", False),
        ("本です。", False),
    ):
        assert bool(re.match(rule.after, after)) is ends, after
    assert not re.search(rule.before, "行きまし")
    assert re.search(rule.before, "行っ")
