"""What is read of texts: classes, markers, names and content lemmas, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages import load_language
from endophora.languages.discourse import Classes, Marker, MarkerEnding, MarkerSense, TokenClass
from endophora.metrics.readings import MarkerTable, TextReader, as_columns, clean_name, is_of, name_spans, proper_names

ENGLISH = load_language("en")


def token(form: str, start: int = 0, **given: object) -> Token:
    plain = Token(form, form.lower(), "X", "", {}, -1, "", "", start, start + len(form))
    return plain._replace(**given)


def text_of(*tokens: Token, space: str = " ") -> AnnotatedText:
    """Return a text of tokens with a blank between each two."""
    placed: list[Token] = []
    position = 0
    for each in tokens:
        placed.append(each._replace(start=position, end=position + len(each.form)))
        position += len(each.form) + len(space)
    return AnnotatedText(space.join(each.form for each in tokens), tuple(placed))


def reader(*classes: TokenClass) -> TextReader:
    """Return a reader of English whose pronouns are these classes."""
    assert ENGLISH.discourse is not None
    pronouns = Classes(classes=classes, source="made up")
    discourse = ENGLISH.discourse.model_copy(update={"pronouns": pronouns})
    return TextReader(ENGLISH.model_copy(update={"discourse": discourse}))


def labels(made: TextReader, *tokens: Token) -> list[str]:
    return [label for kind, label in made.read(text_of(*tokens)).classes if kind == "pronoun"]


SEE = TokenClass(label="see", lemmas=frozenset({"see"}))
TOOL = TokenClass(label="tool", upos=frozenset({"NOUN"}))
FORM = TokenClass(label="form", forms=frozenset({"zaw"}))
TAG = TokenClass(label="tag", xpos=frozenset({"QQ"}))
PLURAL = TokenClass(label="plural", features={"Number": "Plur"})


def test_a_class_of_a_lemma_is_asked_for_each_lemma_of_a_form():
    made = reader(SEE, TOOL)
    see = token("saw", lemma="see", upos="VERB")
    tool = token("saw", lemma="saw", upos="NOUN")
    assert labels(made, see, tool, token("saw", lemma="saw", upos="VERB"), see) == ["see", "tool", "see"]


def test_a_class_of_a_form_is_asked_for_each_form_of_a_lemma():
    made = reader(FORM, SEE)
    assert labels(made, token("ZAW", lemma="x"), token("yaw", lemma="x"), token("yaw", lemma="See")) == ["form", "see"]


def test_a_class_of_a_tag_is_asked_for_each_tag():
    made = reader(TAG, SEE)
    assert labels(made, token("q", xpos="QQ"), token("q", xpos="qq"), token("q", xpos="QQ")) == ["tag", "tag"]
    assert labels(reader(TAG), token("q", xpos="QQ"), token("q")) == ["tag"]


def test_a_class_of_features_is_asked_for_each_word():
    made = reader(PLURAL)
    assert labels(
        made, token("w", features={"Number": "Plur"}), token("w"), token("w", features={"Number": "Sing"})
    ) == ["plural"]


def test_the_first_class_that_holds_counts():
    both = token("zaw", lemma="see", upos="NOUN")
    assert labels(reader(SEE, FORM), both) == ["see"]
    assert labels(reader(FORM, SEE), both) == ["form"]
    assert labels(reader(FORM, FORM.model_copy(update={"label": "other"})), both) == ["form"]
    assert labels(reader(TAG, TAG.model_copy(update={"label": "other"})), token("q", xpos="QQ")) == ["tag"]


def test_a_class_by_form_and_tag_needs_both():
    made = reader(TokenClass(label="both", forms=frozenset({"a"}), xpos=frozenset({"QQ"})))
    assert labels(made, token("a"), token("b", xpos="QQ"), token("A", xpos="QQ")) == ["both"]


def test_a_token_is_of_a_class_whose_conditions_it_meets_all():
    given = TokenClass(
        label="all",
        forms=frozenset({"it"}),
        lemmas=frozenset({"he"}),
        upos=frozenset({"PRON"}),
        xpos=frozenset({"PRP"}),
        features={"Gender": "Neut"},
    )
    whole = token("It", lemma="He", upos="PRON", xpos="PRP", features={"Gender": "Neut", "Case": "Nom"})
    assert is_of(whole, given)
    for change in (
        {"form": "he"},
        {"lemma": "it"},
        {"upos": "DET"},
        {"xpos": "NN"},
        {"features": {}},
        {"features": {"Gender": "Masc"}},
    ):
        assert not is_of(whole._replace(**change), given)


def markers(*senses: MarkerSense) -> MarkerTable:
    return MarkerTable(senses, {each.sense: number for number, each in enumerate(senses, start=3)})


def found(table: MarkerTable, *texts: AnnotatedText) -> list[int]:
    forms = [each.form.lower() for text in texts for each in text.tokens]
    known = sorted(set(forms))
    return table.find(texts, known, np.array([known.index(form) for form in forms], np.int64)).tolist()


BUT = MarkerSense(sense="comparison", markers=("but", "even if", "in spite of"), source="made up")
IF = MarkerSense(
    sense="cause", markers=("if", Marker(form="since", upos=frozenset({"SCONJ"})), "of course"), source="made up"
)


def words(text: str) -> AnnotatedText:
    return text_of(*(token(word) for word in text.split()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("but if", [3, 4]),
        ("even if x", [3, -1, -1]),
        ("even x if", [-1, -1, 4]),
        ("in spite of course", [3, -1, -1, -1]),
        ("in spite x of course", [-1, -1, -1, 4, -1]),
        ("in spite", [-1, -1]),
        ("since x", [-1, -1]),
        ("x But", [-1, 3]),
        ("even even if", [-1, 3, -1]),
    ],
)
def test_markers_are_found_from_left_to_right_the_longest_first(text: str, expected: list[int]):
    assert found(markers(BUT, IF), words(text)) == expected


def test_a_marker_with_a_part_of_speech_needs_it_on_its_first_word():
    table = markers(BUT, IF)
    assert found(table, text_of(token("since", upos="SCONJ"), token("x"))) == [4, -1]
    assert found(table, text_of(token("since", upos="ADP"), token("x", upos="SCONJ"))) == [-1, -1]


def test_markers_of_several_texts_keep_to_their_texts():
    assert found(markers(BUT, IF), words("x even"), words("if even if"), words("in spite of")) == [
        *(-1, -1),
        *(4, 3, -1),
        *(3, -1, -1),
    ]


def test_an_ending_counts_with_its_part_of_speech_and_not_alone():
    while_ = MarkerSense(
        sense="synchronous",
        markers=("x",),
        endings=(MarkerEnding(ending="ken", upos=frozenset({"VERB"})),),
        source="made up",
    )
    tokens = (token("Giderken", upos="VERB"), token("ken", upos="VERB"), token("erken", upos="ADV"))
    assert markers(while_).find_endings(tokens).tolist() == [3, -1, -1]
    assert markers(BUT).find_endings(tokens).tolist() == []


def named(*entities: str) -> AnnotatedText:
    return text_of(*(token(f"N{place}", entity=entity) for place, entity in enumerate(entities)))


@pytest.mark.parametrize(
    ("entities", "names"),
    [
        (("B-PERSON", "I-PERSON", ""), [("person", "N0 N1")]),
        (("B-PERSON", "B-PERSON"), [("person", "N0"), ("person", "N1")]),
        (("B-PERSON", "", "I-PERSON"), [("person", "N0")]),
        (("I-PERSON", "B-PERSON"), [("person", "N1")]),
        (("B-PERSON", "I-PERSON", "I-PERSON", "B-GPE"), [("person", "N0 N1 N2"), ("other", "N3")]),
        (("B-NOTHING", "B-PERSON"), [("person", "N1")]),
    ],
)
def test_entities_begin_with_b_and_go_on_with_i(entities: tuple[str, ...], names: list[tuple[str, str]]):
    assert list(TextReader(ENGLISH, typed=True).read(named(*entities)).names) == names


def test_entities_belong_to_their_texts():
    readings = TextReader(ENGLISH, typed=True).read_all(
        [named("", "B-PERSON"), named(), named("I-PERSON", "B-PERSON", "I-PERSON")]
    )
    assert [each.names for each in readings] == [(("person", "N1"),), (), (("person", "N1 N2"),)]
    assert readings.columns.name_rows.tolist() == [0, 2]


def test_entities_count_only_where_they_are_typed():
    assert TextReader(ENGLISH).read(named("B-PERSON")).names == ()
    assert TextReader(ENGLISH, typed=True).read(text_of(token("Ann", upos="PROPN"))).names == ()
    assert TextReader(ENGLISH).read(text_of(token("Ann", upos="PROPN"))).names == (("name", "Ann"),)


def test_the_signature_of_a_reading_has_rules_and_kind_of_names():
    assert TextReader(ENGLISH).signature == f"reading 1|{ENGLISH.hash}|proper nouns"
    assert TextReader(ENGLISH, typed=True).signature == f"reading 1|{ENGLISH.hash}|typed"


def test_content_lemmas_are_lower_case_and_without_stop_words():
    (stop, *_) = sorted(ENGLISH.content_words.stop_lemmas)
    tokens = (
        token("Houses", lemma="House", upos="NOUN"),
        token("the", upos="DET"),
        token("S", lemma=stop.upper(), upos="VERB"),
        token("house", lemma="house", upos="VERB"),
    )
    assert TextReader(ENGLISH).read(text_of(*tokens)).lemmas == (("house", "NOUN"), ("house", "VERB"))


def proper(form: str, head: int, relation: str) -> Token:
    return token(form, upos="PROPN", head=head, relation=relation)


@pytest.mark.parametrize(
    ("tokens", "names"),
    [
        ((proper("Ann", -1, "root"), proper("Lee", 0, "flat")), ["Ann Lee"]),
        ((proper("New", 1, "compound"), proper("York", 2, "obj"), token("saw")), ["New York"]),
        ((proper("A", 2, "compound"), proper("B", 2, "compound"), proper("C", 3, "obj"), token("saw")), ["A B C"]),
        ((proper("Ann", 2, "iobj"), proper("Lee", 3, "obj"), token("saw")), ["Ann", "Lee"]),
        ((proper("Ann", -1, "root"), proper("Lee", -1, "root")), ["Ann", "Lee"]),
        ((proper("Ann", -1, ""), proper("Lee", -1, "")), ["Ann Lee"]),
        ((proper("Ann", -1, "root"), token("x"), proper("Lee", 0, "flat")), ["Ann", "Lee"]),
    ],
)
def test_proper_nouns_are_one_name_where_they_hang_together(tokens: tuple[Token, ...], names: list[str]):
    assert proper_names(text_of(*tokens)) == [("name", name) for name in names]


def test_proper_nouns_with_more_than_a_blank_between_are_two_names():
    tokens = proper("Ann", -1, ""), proper("Lee", -1, "")
    assert name_spans(text_of(*tokens)) == [range(2)]
    assert name_spans(text_of(*tokens, space="  ")) == [range(1), range(1, 2)]
    assert proper_names(text_of(*tokens, space="")) == [("name", "AnnLee")]


@pytest.mark.parametrize(
    ("name", "clean"),
    [("Ann’s", "Ann"), ("Ann's", "Ann"), ("James’", "James"), ("James'", "James"), ("'s", "'s")],
)
def test_a_name_loses_its_possessive(name: str, clean: str):
    assert clean_name(name) == clean


def test_columns_of_single_readings_are_those_of_readings_together():
    made = TextReader(ENGLISH)
    texts = [words("he said but she"), words(""), text_of(token("it"), token("Ann", upos="PROPN"))]
    together = made.read_all(texts)
    apart = as_columns([made.read(text) for text in texts])
    assert len(together) == 3
    assert [tuple(apart.labels[place] for place in apart.classes[apart.class_rows == row]) for row in range(3)] == [
        each.classes for each in together
    ]
    assert [each.classes for each in together] == [
        (("pronoun", "masculine"), ("pronoun", "feminine"), ("dm", "comparison")),
        (),
        (("pronoun", "neuter"),),
    ]
    assert apart.names == [("name", "Ann")]
    assert apart.name_rows.tolist() == [2]
    assert together[0].tokens == ("he", "said", "but", "she")
    assert [each.text for each in together[1:]] == ["", "it Ann"]


def test_a_name_may_stand_anywhere():
    tokens = (token("saw"), proper("Ann", 0, "obj"), proper("Lee", 1, "flat"), token("x"), proper("Bo", 0, "obl"))
    assert name_spans(text_of(*tokens)) == [range(1, 3), range(4, 5)]
