"""The table of forms says of every entry what it was made of, and nothing of other words."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from endophora.annotate.forms import NAME, NOUN, WORD, FormClasses

TABLE = FormClasses.of(
    {
        NOUN + "bank": "c",
        NOUN + "rom": "t",
        NAME + "Rom": "p",
        NAME + "Peter": "f",
        WORD + "gehe": "f",
        WORD + "gute": "a",
    }
)


def test_small_words_are_known_by_their_kind():
    assert TABLE.find(["gehe", "gute", "xyz", "12", "„"]) == ["l|f", "l|a", "l|", "", ""]


def test_capitalised_words_are_nouns_compounds_of_nouns_names_or_words_that_open_a_sentence():
    assert TABLE.find(["Bank", "Sparbank", "Rom", "Peter", "Peters", "Gehe", "Bankett"]) == [
        "C|c||",
        "C|c||",
        "C|t|p|",
        "C||f|",
        "C||f|",
        "C|||w",
        "C|||",
    ]


def test_a_part_of_less_than_four_letters_decides_no_compound():
    assert TABLE.find(["Lichtrom"]) == ["C|||"]


def test_an_empty_table_knows_nothing():
    assert FormClasses().find(["Bank", "gehe"]) == ["C|||", "l|"]


@given(st.dictionaries(st.text(max_size=6), st.sampled_from(["a", "b", "cv"]), max_size=30))
def test_what_is_written_is_read(entries: dict[str, str]):
    import tempfile

    table = FormClasses.of({WORD + form: kind for form, kind in entries.items()})
    with tempfile.TemporaryDirectory() as folder:
        table.to_disk(Path(folder))
        again = FormClasses().from_disk(Path(folder))
    small = [form for form in entries if form[:1].isalpha() and form == form.lower() and not form[:1].isupper()]
    assert again.find(small) == [f"l|{entries[form]}" for form in small]
