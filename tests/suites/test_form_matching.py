"""Whether an output has the form that is expected, by each way of comparing and each criterion."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from hypothesis import given
from suite_items import TEXT, make_item

from endophora.errors import InputError
from endophora.suites.matching import MATCHINGS, RIGHT, UNDECIDED, WRONG, Matching, find_matching, judge
from endophora.suites.records import CRITERIA, Criterion


def compared(name: str) -> dict[Criterion, Matching]:
    """The same way of comparing for all criteria."""
    return dict.fromkeys(CRITERIA, MATCHINGS[name])


@pytest.mark.parametrize(
    ("form", "output", "right"),
    [
        ("sie", "Sie ist hier.", {"unicode", "ascii", "spaced", "substring"}),
        ("sie", "Ist „sie“ hier?", {"unicode", "spaced", "substring"}),
        ("sie", "Ist (sie) hier?", {"unicode", "ascii", "spaced", "substring"}),
        ("elle", "parce qu'elle dort", {"spaced", "substring"}),
        ("elle", "parce qu’elle dort", {"spaced", "substring"}),
        ("sie", "Diesieger", {"substring"}),
        ("la nôtre", "C'est la nôtre !", {"unicode", "ascii", "spaced", "substring"}),
        ("la nôtre", "C'est la - nôtre !", {"unicode", "spaced", "substring"}),
        ("vous-même", "C'est vous-même.", {"unicode", "spaced", "substring"}),
        ("-Fühlst", "Fühlst du?", {"unicode", "spaced", "substring"}),
        ("彼", "彼は来た。", {"substring"}),
        ("…", "Ja …", {"ascii"}),
        ("es", "", set()),
    ],
)
def test_each_way_of_comparing(form: str, output: str, right: set[str]) -> None:
    item = make_item(expected=(form,))
    found = {name for name in MATCHINGS if judge([item], [output], compared(name)) == [RIGHT]}
    assert found == right


def test_any_of_several_forms_is_right() -> None:
    item = make_item(expected=("sie", "diese"))
    assert judge([item, item], ["Diese ist da.", "Er ist da."], compared("unicode")) == [RIGHT, WRONG]


def test_forbidden_words_make_an_output_wrong_and_nothing_else_does() -> None:
    item = make_item(criterion="absent", expected=("lehrerin",), forbidden=("lehrer", "der"))
    outputs = ["Die Lehrerin ging.", "Der Lehrer ging.", "Man ging.", "der-die"]
    assert judge([item] * 4, outputs, compared("spaced")) == [RIGHT, WRONG, RIGHT, WRONG]


def test_matched_accuracy_counts_only_what_is_decided() -> None:
    """The scorer of Nadejde et al. (2022): phrases as sets of words, capitals and punctuation as they stand."""
    item = make_item(criterion="matched", expected=("Wissen Sie", "Ihre"), forbidden=("Weißt du", "deine"))
    outputs = [
        "Wissen Sie es?",
        "Es Sie Wissen",
        "Weißt du es?",
        "Wissen sie es?",
        "Wissen Sie deine Nummer",
        "Weiß man es?",
    ]
    wanted = [RIGHT, RIGHT, WRONG, UNDECIDED, UNDECIDED, UNDECIDED]
    assert judge([item] * 6, outputs, compared("unicode")) == wanted


def test_scripts_without_spaces_match_phrases_anywhere() -> None:
    item = make_item(criterion="matched", expected=("です",), forbidden=("だよ",))
    assert judge([item] * 2, ["そうです。", "そうだよ。"], compared("substring")) == [RIGHT, WRONG]


def published(form: str, output: str) -> bool:
    """The plain arithmetic of ctxpro's scorer for one sentence."""
    bare = "".join(character for character in output.lower() if character not in string.punctuation)
    return f" {form.lower()} " in f" {bare} "


@given(TEXT.filter(lambda text: text.split() != []), TEXT.filter(lambda text: "\n" not in text))
def test_the_way_called_ascii_is_the_published_one(form: str, output: str) -> None:
    (word, *_) = form.split()
    outputs = [output, f"{output} {word}", f"{word}, {output}", f"{output}.{word}"]
    item = replace(make_item(), expected=(word,))
    found = judge([item] * len(outputs), outputs, compared("ascii"))
    assert found == [int(published(word, text)) for text in outputs]


def test_an_unknown_way_of_comparing_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"E181.*spaced"):
        find_matching("fuzzy")
