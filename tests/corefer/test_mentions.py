from build import BOOKS, EMPTY, build

from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse, role_of

ENGLISH = load_lexicon("en")


def mentions(*texts):
    row = read_discourse(texts)
    return row, find_mentions(row, ENGLISH)


def words(row, mention):
    return [row.tokens[i].form for i in mention.tokens]


def test_heads_and_sentences_are_counted_through_the_document():
    row, found = mentions(BOOKS, EMPTY, build("It/PRON/1/nsubj fell/VERB/-/root | It/PRON/1/nsubj broke/VERB/-/root"))
    assert row.segment == [0] * 5 + [2] * 4
    assert row.sentence == [0] * 5 + [1] * 2 + [2] * 2
    assert row.head[7] == 8
    assert [m.segment for m in found] == [0, 0, 2, 2]


def test_a_coordination_is_a_mention_of_its_own_and_plural():
    text = build(
        "The/DET/1/det knife/NOUN/5/nsubj/Number=Sing and/CCONJ/4/cc the/DET/4/det "
        "fork/NOUN/1/conj/Number=Sing lay/VERB/-/root"
    )
    row, found = mentions(text)
    assert [(words(row, m), m.number, m.coordinated) for m in found] == [
        (["The", "knife"], "Sing", False),
        (["The", "knife", "and", "the", "fork"], "Plur", True),
        (["the", "fork"], "Sing", False),
    ]


def test_a_conjunct_has_the_role_of_its_coordination():
    row, found = mentions(build("Ann/PROPN/3/nsubj and/CCONJ/2/cc Bo/PROPN/0/conj sang/VERB/-/root"))
    assert [role_of(row, m.index) for m in found] == ["subj", "subj", "subj"]


def test_parts_of_names_and_compounds_are_no_mentions():
    row, found = mentions(build("New/PROPN/1/compound York/PROPN/3/compound city/NOUN/3/compound hall/NOUN/-/root"))
    assert [words(row, m) for m in found] == [["New", "York", "city", "hall"]]


def test_a_relative_clause_is_not_in_the_mention():
    text = build(
        "a/DET/1/det house/NOUN/-/root of/ADP/3/case stone/NOUN/1/nmod "
        "that/PRON/5/nsubj/PronType=Rel burned/VERB/1/acl:relcl"
    )
    row, found = mentions(text)
    assert [words(row, m) for m in found] == [["a", "house", "of", "stone"], ["stone"]]


def test_demonstratives_count_only_where_they_stand_alone():
    text = build("That/DET/1/det car/NOUN/2/nsubj knows/VERB/-/root that/PRON/2/obj/PronType=Dem")
    row, found = mentions(text)
    assert [words(row, m) for m in found] == [["That", "car"], ["that"]]


def test_a_broken_parse_with_a_cycle_does_not_hang():
    _, found = mentions(build("cat/NOUN/1/conj dog/NOUN/0/conj it/PRON/0/nsubj"))
    assert len(found) == 3
