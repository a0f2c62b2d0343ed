"""Terms of a glossary on sentences written by hand: where they are found, and whether a text uses them."""

import pytest
from handmade import text

from endophora.annotate.records import AnnotatedText
from endophora.judgments.terms import Entry, find_terms, judge_terms


def entry(source: str, *targets: str) -> Entry:
    return Entry(text(source), tuple(text(target) for target in targets))


def found(source: AnnotatedText, *sources: str) -> list[tuple[int, tuple[int, ...]]]:
    return find_terms(source, [entry(each, "x/X") for each in sources])


MAY = "May/PROPN"


@pytest.mark.parametrize(
    ("term", "source", "expected"),
    [
        (MAY, "in/ADP | May/PROPN", [1]),
        (MAY, "you/PRON | may/AUX | go/VERB", []),
        (MAY, "May/AUX | I/PRON | go/VERB", []),  # its capital is that of the sentence
        (MAY, "said/VERB | “/PUNCT | May/AUX | I/PRON", []),
        (MAY, "May/PROPN | is/AUX | warm/ADJ", [0]),
        (MAY, "YOU/PRON | MAY/AUX | GO/VERB", []),
        ("may/AUX", "in/ADP | May/PROPN", []),
        ("may/AUX", "May/AUX | I/PRON | go/VERB", [0]),
        ("US/PROPN", "tell/VERB | us/PRON", []),
        ("lamp/NOUN", "two/NUM | lamps/NOUN lemma=lamp", [1]),
        ("lamp/NOUN", "THE/DET | LAMP/NOUN", [1]),
        ("lamps/NOUN lemma=lamp", "a/DET | lamp/NOUN", [1]),
        ("saw/NOUN lemma=see", "I/PRON | see/VERB", []),
        ("power/NOUN | supply/NOUN", "power/NOUN | supplies/NOUN lemma=supply", [0, 1]),
        ("power/NOUN | supply/NOUN", "supply/NOUN | power/NOUN", []),
    ],
)
def test_a_term_is_found_in_any_inflection_and_with_its_case(term: str, source: str, expected: list[int]):
    assert found(text(source), term) == ([(0, tuple(expected))] if expected else [])


@pytest.mark.parametrize(("target", "expected"), [("Wohnung/NOUN", [(0, (1,))]), ("platt/ADJ", [(0, (1,)), (0, (4,))])])
def test_a_term_whose_translations_are_nouns_is_found_as_a_noun(target: str, expected: list[tuple[int, tuple[int]]]):
    source = text("a/DET | flat/NOUN | and/CCONJ | a/DET | flat/ADJ | tyre/NOUN")
    assert find_terms(source, [entry("flat/NOUN", target)]) == expected


def test_of_terms_that_overlap_the_longest_is_found():
    source = text("the/DET | power/NOUN | supply/NOUN | has/VERB | power/NOUN")
    assert found(source, "power/NOUN", "power/NOUN | supply/NOUN") == [(1, (1, 2)), (0, (4,))]


def test_a_term_in_a_placeholder_is_none_of_the_text():
    blank = AnnotatedText("{银行}贷款", (text("贷款/NOUN").tokens[0]._replace(start=4, end=6),))
    assert found(blank, "银行/NOUN") == []


def test_a_script_without_spaces_may_divide_words_otherwise():
    assert found(text("新世界/NOUN | 银行/NOUN"), "世界/NOUN | 银行/NOUN") == []
    joined = AnnotatedText("新世界银行", text("新世界/NOUN | 银行/NOUN").tokens)
    tokens = (joined.tokens[0], joined.tokens[1]._replace(start=3, end=5))
    whole = AnnotatedText("世界银行", text("世界/NOUN | 银行/NOUN").tokens)
    assert find_terms(AnnotatedText(joined.text, tokens), [Entry(whole, ())]) == [(0, (0, 1))]


BANK = entry("World/PROPN | Bank/PROPN", "Weltbank/PROPN", "Bank/NOUN | der/DET | Welt/NOUN")


def test_a_term_is_no_piece_of_a_word_of_a_script_with_spaces():
    # Hebrew *el*, to, begins *elohim*; Arabic *yad*, hand, is within *jadid*, new.
    for term, word in (("אל", "אלוהים"), ("يد", "جديد")):
        assert found(text(f"{word}/NOUN"), f"{term}/NOUN") == []
        assert found(text(f"{term}/NOUN"), f"{term}/NOUN") != []


def verdict(target: str, links: str, *entries: Entry, places: tuple[tuple[int, ...], ...] = ((0, 1),)) -> list[str]:
    pairs = [(int(one), int(other)) for one, other in (pair.split("-") for pair in links.split())]
    chosen = entries or (BANK,)
    judged = judge_terms(
        [(min(at, len(chosen) - 1), place) for at, place in enumerate(places)], chosen, text(target), pairs
    )
    return [judgment.verdict for judgment in judged]


@pytest.mark.parametrize(
    ("target", "links", "expected"),
    [
        ("die/DET | Weltbank/PROPN", "0-1 1-1", "right"),
        ("der/DET | Bank/NOUN | der/DET | Welt/NOUN", "0-3 1-1", "right"),  # the other translation
        ("Weltbanken/NOUN lemma=weltbanke", "0-0", "right"),  # the lemma is wrong, the stem is not
        ("Weltbankchef/NOUN", "0-0", "right"),  # in a compound
        ("Exweltbankchef/NOUN", "0-0", "right"),
        ("sie/PRON | sagt/VERB | Weltbank/PROPN", "0-0", "right"),  # the link is wrong
        ("die/DET | Entwicklungsbank/NOUN", "0-0 1-1", "wrong"),
        ("sie/PRON | sagt/VERB", "1-0", "other"),
        ("das/DET | sagt/VERB", "", "missing"),
        ("das/DET | sagt/VERB", "0-0", "missing"),  # an article alone is nothing of it
    ],
)
def test_a_term_is_used_replaced_taken_up_by_a_pronoun_or_left_out(target: str, links: str, expected: str):
    assert verdict(target, links) == [expected]


def test_a_translation_stands_for_one_occurrence_only():
    target = "Weltbank/PROPN | und/CCONJ | Institut/NOUN"
    assert verdict(target, "0-0 1-0 4-2", places=((0, 1), (4, 5))) == ["right", "wrong"]
    assert verdict(target, "0-2 1-2 4-0", places=((0, 1), (4, 5))) == ["wrong", "right"]


def test_words_that_are_another_terms_translation_are_other_words_and_no_gap():
    account, login = entry("account/NOUN", "Benutzerkonto/NOUN"), entry("login/NOUN", "Anmeldung/NOUN")
    places = ((0,), (2,))
    assert verdict("Anmeldung/NOUN", "0-0 2-0", account, login, places=places) == ["wrong", "right"]
    assert verdict("Benutzerkonto/NOUN", "0-0 2-0", account, places=places) == ["right", "other"]  # said once for both


def test_a_judgment_says_what_is_asked_and_shown():
    (judged,) = judge_terms([(0, (0, 1))], [BANK], text("die/DET | Entwicklungsbank/NOUN"), [(0, 1)])
    assert (judged.asked, judged.shown) == ("Weltbank | Bank der Welt", "Entwicklungsbank")
    assert judged.why == "other words are in its place"
