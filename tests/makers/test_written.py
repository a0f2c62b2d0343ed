"""Written words: what stands between spaces is one token, with what its clitics say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from endophora_makers.conllu import read_conllu
from endophora_makers.label_mapping import Change, Harmony, harmonised
from endophora_makers.orthographic_words import written_rows

# Our own sentence: “and her book is in it” (Hebrew), with ranges.
HEBREW = """
1-2	וספרה	_	_	_	_	_	_	_	_
1	ו	ו	CCONJ	_	_	2	cc	_	_
2	ספר	ספר	NOUN	_	Gender=Masc|Number=Sing	5	nsubj	_	_
3	_ה	הוא	PRON	_	Gender=Fem|Number=Sing|Person=3	2	nmod:poss	_	_
4-5	בו	_	_	_	_	_	_	_	SpaceAfter=No
4	ב	ב	ADP	_	_	5	case	_	_
5	ו	הוא	PRON	_	Gender=Masc|Number=Sing|Person=3	0	root	_	_
6	.	.	PUNCT	_	_	5	punct	_	_
""".replace("1-2", "1-3")

# The same in Arabic (“and her book is here”), where the treebank has no ranges but leaves out the spaces.
ARABIC = """
1	و	و	CCONJ	_	_	4	cc	_	SpaceAfter=No
2	كتاب	كِتَاب	NOUN	_	Gender=Masc|Number=Sing	4	nsubj	_	SpaceAfter=No
3	ها	هُوَ	PRON	_	Gender=Fem|Number=Sing|Person=3	2	nmod	_	_
4	هنا	هُنَا	ADV	_	_	0	root	_	SpaceAfter=No
5	.	.	PUNCT	_	_	4	punct	_	_
"""


def read(text: str):
    return next(iter(read_conllu(text.strip().splitlines(), written=True)))


def test_a_noun_tells_whose_it_is():
    book, in_it, stop = read(HEBREW).words
    assert (book.form, book.lemma, book.upos, book.head) == ("וספרה", "ספר", "NOUN", 1)
    assert book.features == "Gender=Masc|Gender[psor]=Fem|Number=Sing|Number[psor]=Sing|Person[psor]=3"
    assert (in_it.form, in_it.upos, in_it.lemma, in_it.relation) == ("בו", "PRON", "הוא", "root")
    assert stop.form == "."


def test_words_without_spaces_between_are_joined_but_not_marks():
    sentence = read(ARABIC)
    assert [word.form for word in sentence.words] == ["وكتابها", "هنا", "."]
    assert sentence.text == "وكتابها هنا."
    assert sentence.words[0].relation == "nsubj"


@given(st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=7, max_size=7))
def test_joined_words_never_form_a_cycle(heads: list[tuple[int, bool]]):
    rows = [
        [
            str(i),
            "אב",
            "_",
            "NOUN",
            "_",
            "_",
            str(head if head < i else 0),
            "dep",
            "_",
            "SpaceAfter=No" if join else "_",
        ]
        for i, (head, join) in enumerate(heads, start=1)
    ]
    joined = written_rows(rows)
    for row in joined:
        for _ in joined:
            row = joined[int(row[6]) - 1] if row[6] != "0" else row
        assert row[6] == "0"


def test_labels_change_where_all_conditions_hold_and_by_the_first_rule():
    rules = Harmony(
        changes=(
            Change(xpos="CC", governor="NOUN", sets={"upos": "X"}),
            Change(relation="cc", sets={"relation": "dep"}),
        ),
        then=(Change(upos="NOUN", has="Gender=Masc", features={"Number": None, "Case": "Nom"}),),
        unmarked="[ً-ْ]",
    )
    changed = harmonised(next(iter(read_conllu(ARABIC.strip().splitlines()))), rules).words
    assert (changed[0].upos, changed[0].relation) == ("CCONJ", "dep")
    assert (changed[1].features, changed[1].lemma) == ("Case=Nom|Gender=Masc", "كتاب")
