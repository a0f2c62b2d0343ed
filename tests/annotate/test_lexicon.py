"""The table of a dictionary's labels says of each form what it was made of, and restrains the network by it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from endophora.annotate.agreement import Agreement, Decoder, Words
from endophora.annotate.forms import NAME, WORD, LabelLexicon

LABELS = ["POS=NOUN", "POS=VERB", "POS=PROPN"]
TABLE = LabelLexicon.of(
    {
        WORD + "gra": frozenset({0, 1}),
        WORD + "mam": frozenset({1}),
        WORD + "ewa": frozenset({0}),
        NAME + "Ewa": frozenset({0, 2}),
        NAME + "Wisła": frozenset({2}),
    },
    len(LABELS),
)


def fits(form: str, *, opens: bool = False) -> set[int]:
    return set(np.flatnonzero(TABLE.fits[TABLE.find([form], [opens])[0]]).tolist())


def test_a_form_has_the_labels_of_its_entry_and_an_unknown_one_has_all():
    assert fits("gra") == fits("Gra") == {0, 1}
    assert fits("mam") == {1}
    assert fits("xyz") == fits("12") == fits("!") == {0, 1, 2}


def test_a_capital_makes_a_name_unless_the_word_opens_a_sentence():
    assert fits("Ewa") == fits("EWA") == {0, 2}
    assert fits("Ewa", opens=True) == fits("ewa") == {0}
    assert fits("Wisła", opens=True) == fits("WISŁA") == {2}


def test_a_dictionary_without_names_says_nothing_of_capitals_within_a_sentence():
    table = LabelLexicon.of({WORD + "porta": frozenset({1})}, len(LABELS))
    table.names = False
    with tempfile.TemporaryDirectory() as folder:
        table.to_disk(Path(folder))
        again = LabelLexicon().from_disk(Path(folder))
    forms, opens = ["Porta", "Porta", "porta"], [False, True, False]
    assert table.find(forms, opens).tolist() == again.find(forms, opens).tolist() == [0, 1, 1]


def test_an_empty_table_restrains_nothing():
    assert LabelLexicon().find(["gra", "Ewa"], [True, False]).tolist() == [0, 0]


@given(st.dictionaries(st.text(max_size=6), st.frozensets(st.integers(0, 2), min_size=1), max_size=30))
def test_what_is_written_is_read(entries: dict[str, frozenset[int]]):
    table = LabelLexicon.of({WORD + form: each for form, each in entries.items()}, len(LABELS))
    with tempfile.TemporaryDirectory() as folder:
        table.to_disk(Path(folder))
        again = LabelLexicon().from_disk(Path(folder))
    small = [form for form in entries if form[:1].isalpha() and form == form.lower() and not form[:1].isupper()]
    found = again.fits[again.find(small, [False] * len(small))]
    assert [frozenset(np.flatnonzero(row).tolist()) for row in found] == [entries[form] for form in small]


def decoded(weight: float, *forms: str) -> list[str]:
    decoder = Decoder(LABELS, Agreement(lexicon_weight=weight), TABLE.fits)
    scores = np.tile(np.array([3.0, 0.0, 1.0], np.float32), (len(forms), 1))
    kinds = TABLE.find(forms, [False] * len(forms))
    words = Words(np.arange(len(forms)), ["dep"] * len(forms), forms, [""] * len(forms), kinds=kinds)
    return [LABELS[number] for number in decoder.decode(scores, words)]


def test_a_label_that_the_dictionary_does_not_have_must_be_surer_by_the_weight():
    assert decoded(9.0, "mam", "xyz") == ["POS=VERB", "POS=NOUN"]
    assert decoded(2.0, "mam", "xyz") == ["POS=NOUN", "POS=NOUN"]
