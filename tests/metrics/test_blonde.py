"""BlonDe's options, its reading of texts, BlonD+ and several references, by hand-worked examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_blonde import count, score

from endophora.annotate.records import AnnotatedText, Token
from endophora.errors import InputError
from endophora.languages import load_language
from endophora.metrics import load_document_metric
from endophora.metrics.blonde import BlonDe, BlondeOptions, average, f_measure, make_blonde_plus
from endophora.metrics.blonde_plus import read_annotations, read_errors, write_errors
from endophora.metrics.readings import TextReader, as_columns, clean_name, proper_names
from endophora.metrics.records import Reading

ENGLISH = load_language("en")
NAN = float("nan")


def annotated(text: str, entities: dict[int, str] | None = None) -> AnnotatedText:
    """Return a text of ``form/XPOS/UPOS`` words as tokens; tags may be left out."""
    tokens: list[Token] = []
    position = 0
    for index, word in enumerate(text.split()):
        form, tag, upos = [*word.split("/"), "", ""][:3]
        mark = (entities or {}).get(index, "")
        tokens.append(Token(form, form.lower(), upos or "X", tag, {}, -1, "", mark, position, position + len(form)))
        position += len(form) + 1
    return AnnotatedText(" ".join(token.form for token in tokens), tuple(tokens))


def read(*texts: str) -> list[Reading]:
    reader = TextReader(ENGLISH, typed=True)
    return [reader.read(annotated(text)) for text in texts]


def figures(metric: BlonDe, hypotheses: list[Reading], *references: list[Reading]) -> dict[str, float]:
    sums = metric.statistics(hypotheses, references).sum(axis=0)
    return dict(zip(metric.parts, metric.figures(sums).tolist(), strict=True))


def test_words_are_read_into_tenses_pronouns_by_gender_and_markers_by_sense():
    (reading,) = read("He said/VBD that , on the other hand , she would/MD go/VB when it rains/VBZ .")
    assert reading.classes == (
        ("tense", "VBD"),
        ("tense", "MD"),
        ("tense", "VB"),
        ("tense", "VBZ"),
        ("pronoun", "masculine"),
        ("pronoun", "feminine"),
        ("pronoun", "neuter"),
        ("dm", "comparison"),
        ("dm", "asynchronous"),
    )


def test_a_marker_is_found_across_white_space_and_in_capitals_and_never_within_a_word():
    text = AnnotatedText(
        "AS A  result butter",
        (
            Token("AS", "as", "ADP", "", {}, -1, "", "", 0, 2),
            Token("A", "a", "DET", "", {}, -1, "", "", 3, 4),
            Token("result", "result", "NOUN", "", {}, -1, "", "", 6, 12),
            Token("butter", "butter", "NOUN", "", {}, -1, "", "", 13, 19),
        ),
    )
    assert TextReader(ENGLISH).read(text).classes == (("dm", "cause"),)


def test_of_markers_within_each_other_the_longest_counts():
    # "même si" (even if) is a marker, and so is "si" (if).
    reading = TextReader(load_language("fr")).read(annotated("Même/X/ADV si/X/SCONJ elle part"))
    assert reading.classes[-1] == ("dm", "comparison")
    assert sum(category == "dm" for category, _ in reading.classes) == 1


def test_entities_are_spans_of_a_type_that_counts_without_their_possessive():
    reader = TextReader(ENGLISH, typed=True)
    marks = {0: "B-PERSON", 1: "I-PERSON", 4: "B-GPE", 6: "B-DATE"}
    found = reader.read(annotated("Qiao Lian’s flat in Bonn on Monday", marks)).names
    assert found == (("person", "Qiao Lian"), ("other", "Bonn"))
    assert clean_name("'s") == "'s"


def test_without_named_entities_proper_nouns_that_hang_together_are_names():
    def token(form: str, upos: str, head: int, start: int) -> Token:
        return Token(form, form, upos, "", {}, head, "dep", "", start, start + len(form))

    words = (token("Anna", "PROPN", 2, 0), token("Berg", "PROPN", 0, 5), token("saw", "VERB", -1, 10))
    more = (token("Bonn", "PROPN", 2, 14), token("Monday", "PROPN", 2, 19))
    # Bonn and Monday share a head, the verb, which is no proper noun of the span.
    text = AnnotatedText("Anna Berg saw Bonn Monday", (*words, *more))
    assert proper_names(text)[0] == ("name", "Anna Berg")


def test_weights_of_the_paper_count_neuter_pronouns_and_those_published_do_not():
    reference, hypothesis = read("it he"), read("it she")
    assert figures(BlonDe(ENGLISH), hypothesis, reference)["BlonDe pronoun"] == 0
    paper = BlonDe(ENGLISH, BlondeOptions(variant="paper"))
    assert figures(paper, hypothesis, reference)["BlonDe pronoun"] == pytest.approx(50)


def test_of_several_references_the_larger_count_is_taken_or_all_are_added():
    hypothesis, first, second = read("he he"), read("he"), read("he he he")
    larger = figures(BlonDe(ENGLISH), hypothesis, first, second)["BlonDe pronoun"]
    assert larger == pytest.approx(100 * 2 * 2 / (2 + 3))
    added = BlonDe(ENGLISH, BlondeOptions(aggregate="sum"))
    assert figures(added, hypothesis, first, second)["BlonDe pronoun"] == pytest.approx(100 * 2 * (1 + 2) / (4 + 4))


def test_smoothing_of_orders_without_a_match():
    # Three words, two of them right but apart: no bigram and no trigram matches, and there is no four-gram.
    reference, hypothesis = read("a b c"), read("a x c")
    expected = {
        "exp": [2 / 3, 1 / (2 * 0.5), 1 / (4 * 0.25), 0],  # orders weigh a quarter: two bigrams count .5
        "floor=.1": [2 / 3, 0.1 / 0.5, 0.1 / 0.25, 0],
        "add-k=1": [2 / 3, 1 / 1.5, 1 / 1.25, 1],
        "none": [2 / 3, 0, 0, 0],
    }
    for option, values in expected.items():
        found = figures(BlonDe(ENGLISH, BlondeOptions.parse(option)), hypothesis, reference)
        assert [found[f"BlonDe {n}-grams"] / 100 for n in range(1, 5)] == pytest.approx(values), option


def test_orders_that_a_text_is_too_short_for_may_be_left_out():
    same = read("a b c")
    assert figures(BlonDe(ENGLISH), same, same)["BlonDe"] < 100
    assert figures(BlonDe(ENGLISH, BlondeOptions.parse("effective-order")), same, same)["BlonDe"] == pytest.approx(100)


def test_a_category_may_weigh_more_or_nothing():
    reference, hypothesis = read("he went/VBD home now then"), read("she went/VBD home now then")
    without = BlonDe(ENGLISH, BlondeOptions.parse("weight:pronoun=0"))
    assert figures(without, hypothesis, reference)["BlonD-d"] == pytest.approx(100)
    double = BlonDe(ENGLISH, BlondeOptions.parse("weight:pronoun=2"))
    wanted = 100 * np.exp((2 * np.log(1e-5)) / 4)
    assert figures(double, hypothesis, reference)["BlonD-d"] == pytest.approx(wanted)


@pytest.mark.parametrize("option", ["", "add-k", "effective-order", "script"])
def test_parts_by_themselves_are_those_of_all_figures(option: str):
    metric = BlonDe(ENGLISH, BlondeOptions.parse(option))
    counts = np.random.default_rng(3).integers(0, 3, size=(50, 4, len(metric.columns))).astype(float)
    whole = metric.figures(counts)
    for parts in ([0], [1, 4], [2], [3, 5], [8], [2, 9, 6]):
        np.testing.assert_array_equal(metric.alone(parts)(counts), whole[..., parts])


def test_empty_texts_score_nothing_and_equal_ones_all():
    nothing = figures(BlonDe(ENGLISH), read(""), read(""))
    assert all(np.isnan(value) for value in nothing.values())
    whole = read("He went/VBD home , but she was/VBD late .")
    assert figures(BlonDe(ENGLISH), whole, whole)["BlonDe"] == pytest.approx(100)


WORDS = st.sampled_from(["he/PRP", "She/PRP", "was/VBD", "go/VB", "but", "in", "addition", "it", "x", "y"])
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_categories_are_those_of_the_arithmetic_written_out_plainly(pairs: list[tuple[str, str]]):
    weights = {("pronoun", "masculine"): 0.5, ("pronoun", "feminine"): 0.5}
    weights |= {("pronoun", "neuter"): 0.0, ("pronoun", "epicene"): 0.0}
    sides = [[annotated(pair[side]) for pair in pairs] for side in (0, 1)]
    plain = score(*([count(text, ENGLISH) for text in side] for side in sides), weights)
    metric = BlonDe(ENGLISH, BlondeOptions(smoothing="none", effective_order=True))
    reader = TextReader(ENGLISH, typed=True)
    hypotheses, reference = ([reader.read(text) for text in side] for side in sides)
    sums = metric.statistics(hypotheses, [reference]).sum(axis=0)
    recall, precision = metric.ratios(sums)
    for place, category in enumerate(metric.categories):
        assert (recall[place], precision[place]) == pytest.approx(plain[category], nan_ok=True), category


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.sampled_from(["", "lowercase", "sum"]))
def test_texts_read_together_count_as_texts_read_one_by_one(pairs: list[tuple[str, str]], option: str):
    reader = TextReader(ENGLISH)
    sides = [[annotated(pair[side]) for pair in pairs] for side in (0, 1)]
    together = [reader.read_all(side) for side in sides]
    alone = [[reader.read(text) for text in side] for side in sides]
    assert [list(readings) for readings in together] == alone
    # With two references: the hypotheses themselves are the second one.
    first, second = (
        BlonDe(ENGLISH, BlondeOptions.parse(option)).statistics(hypotheses, [reference, hypotheses])
        for hypotheses, reference in (together, alone)
    )
    np.testing.assert_array_equal(first, second)


def test_a_marker_or_a_name_does_not_reach_into_the_next_text():
    reader = TextReader(ENGLISH, typed=True)
    texts = annotated("Zhang is in", {0: "B-PERSON", 2: "B-GPE"}), annotated("addition Gong", {0: "I-GPE"})
    first, second = reader.read_all(texts)
    assert (first.classes, second.classes) == ((), ())
    assert (first.names, second.names) == ((("person", "Zhang"), ("other", "in")), ())


def test_blond_plus_counts_marked_spans_in_both_texts(tmp_path: Path):
    spans, names = tmp_path / "an.txt", tmp_path / "ner.txt"
    spans.write_text("He watched it.\t1,watch, look <pos/1,4>;seen, saw\t3,her, his <pos/9,11>\t6\nIt rained.\t0\n")
    names.write_text("PERSON: (Qiao Lian’s: 2; )\tNONPERSON: ()\nPERSON: ()\tNONPERSON: (Weibo: 1; )\n")
    metric = make_blonde_plus(ENGLISH, f"spans={spans},names={names}")
    assert metric.name == "BlonD+"
    reference = read("Watch her , watch out , Qiao Lian !", "Weibo")
    hypothesis = read("watch the watchers , qiao lian", "weibo it is")
    found = figures(metric, hypothesis, reference)
    assert found["BlonDe ambiguity"] == pytest.approx(100 * 2 * 1 / (2 + 1))  # watch: two there, one here
    assert found["BlonDe ellipsis"] == 0  # her is missing
    assert found["BlonDe entity"] == pytest.approx(100 * 2 * 1 / (2 + 1))  # annotated twice; other names weigh nothing
    assert found["BlonD+"] != found["BlonDe"]


def test_names_alone_refine_the_entities_of_blonde(tmp_path: Path):
    names = tmp_path / "ner.txt"
    names.write_text("PERSON: (Song Cheng: 1; )\tNONPERSON: ()\n")
    refined = make_blonde_plus(ENGLISH, f"names={names}")
    # The annotator finds no name in either text; the annotation does in both.
    assert figures(refined, read("song cheng left"), read("Song Cheng went"))["BlonDe entity"] == pytest.approx(100)
    assert np.isnan(figures(BlonDe(ENGLISH), read("song cheng left"), read("Song Cheng went"))["BlonDe entity"])
    assert refined.name == "BlonDe"
    assert "names:marked" in refined.signature()


def test_the_published_example_of_annotations_is_read(shared: Path):
    folder = shared / "known-answers/blonde"
    found = read_annotations(folder / "an.txt", folder / "ner.txt")
    assert found.marked is not None
    assert found.names is not None
    assert len(found.marked) == len(found.names) == 30
    assert found.marked[0] == {"ellipsis": ("her",)}
    assert found.marked[3] == {"ambiguity": ("bombarded",)}
    assert found.names[8] == {"person": {"shen liangchuan": 1}, "other": {"shen liangchuan": 1}}


def test_all_faults_of_annotations_are_reported_with_their_lines(tmp_path: Path):
    spans, names = tmp_path / "an.txt", tmp_path / "ner.txt"
    spans.write_text("Text.\nText.\tx7\n")
    names.write_text("PERSON: (A)\tNONPERSON: ()\nnothing\n")
    with pytest.raises(InputError) as caught:
        read_annotations(spans, names)
    found = [(fault.code, fault.line) for fault in caught.value.faults]
    assert found == [("E101", 1), ("E101", 2), ("E102", 1), ("E102", 2)]


def test_annotations_of_other_many_segments_are_refused(tmp_path: Path):
    spans = tmp_path / "an.txt"
    spans.write_text("One.\t0\n")
    metric = make_blonde_plus(ENGLISH, f"spans={spans}")
    with pytest.raises(InputError, match=r"\[E070\]"):
        metric.statistics(read("a", "b"), [read("a", "b")])


@pytest.mark.parametrize("argument", ["nothing", "floor=x", "weight:tens=1", "weight:dm=-1", "floor=-2", "lowercase=2"])
def test_unknown_options_are_refused(argument: str):
    with pytest.raises(InputError, match=r"\[E077\]"):
        load_document_metric(f"blonde:{argument}", ENGLISH)


def test_blond_plus_asks_for_its_files():
    with pytest.raises(InputError, match=r"\[E077\]"):
        load_document_metric("blonde+", ENGLISH)


def test_the_signature_tells_options_and_rules():
    assert (
        BlonDe(ENGLISH, BlondeOptions.parse("paper,lowercase,sum,floor=.2"))
        .signature(references=2)
        .startswith("nrefs:2|variant:paper|case:lc|mean:geometric|smooth:floor[0.2]|refs:sum|eff:no|rules:en-")
    )


def test_a_language_without_discourse_rules_has_no_marker_category():
    rules = ENGLISH.model_copy(update={"discourse": None})
    metric = BlonDe(rules)
    reading = TextReader(rules).read(annotated("but he left"))
    sums = metric.statistics([reading], [[reading]]).sum(axis=0)
    assert np.isnan(metric.figures(sums)[metric.parts.index("BlonDe dm")])


def test_errors_of_bwb_are_read_whole_and_written_as_they_were(tmp_path):
    """The line that the paper's page shows first, and those without a span."""
    lines = [
        "Joe clenched his fist.\t4,Joe <pos/1,3>\t3,her, his <pos/14,16>",
        "In fact, he's right.\t2\t5",
        "Good.\t0",
    ]
    lines.append("Chuan and Joe.\t4,Chuan <pos/1,5>;Joe <pos/11,13>")
    (tmp_path / "an.txt").write_text("\n".join(lines) + "\n")
    read = read_errors(tmp_path / "an.txt")
    assert [write_errors(*one) for one in read] == lines
    assert read[0][1][1] == ("3", "her", "his", 13, 16)
    assert [text[one.start : one.end] for text, errors in read for one in errors if one.wrong] == [
        "Joe",
        "his",
        "Chuan",
        "Joe",
    ]


def test_the_signature_of_blonde_names_what_differs_from_the_default_and_nothing_else():
    def said(short: bool = False, **options: object) -> list[str]:
        made = BlonDe(ENGLISH, BlondeOptions(**options))  # pyright: ignore[reportArgumentType]
        return made.signature(short=short).split("|")

    usual = said()
    assert usual[:6] == [
        "nrefs:1", "variant:published", "case:mixed", "mean:geometric", "smooth:exp", "refs:max",
    ]  # fmt: skip
    assert [one.partition(":")[0] for one in usual[6:]] == ["eff", "rules", "version"]
    assert usual[6] == "eff:no"
    assert [one.partition(":")[0] for one in said(short=True)] == ["#", "va", "c", "m", "s", "ag", "e", "r", "v"]
    assert [one for one in said(floor=0.25) if one not in usual] == ["floor:0.25"]
    assert [one for one in said(short=True, floor=0.25) if one.startswith("f:")] == ["f:0.25"]
    assert [one for one in said(effective_order=True) if one not in usual] == ["eff:yes"]
    assert [one for one in said(smoothing="add-k") if one not in usual] == ["smooth:add-k[1]"]
    assert [one for one in said(smoothing="floor") if one not in usual] == ["smooth:floor[0.1]"]
    assert [one for one in said(smoothing="none") if one not in usual] == ["smooth:none"]
    weighed = {"category_weights": {"tense": 2.0}, "class_weights": {("pronoun", "neuter"): 0.5}}
    assert [one for one in said(**weighed) if one not in usual] == ["weights:pronoun.neuter=0.5,tense=2"]
    assert "w:tense=2" in said(short=True, category_weights={"tense": 2.0})


def test_names_of_blonde_are_compared_with_case_or_without_and_kinds_apart():
    reader = TextReader(ENGLISH, typed=True)
    (reference,) = reader.read_all([annotated("Anna met ANNA in Bonn", {0: "B-PERSON", 2: "B-PERSON", 4: "B-GPE"})])
    (hypothesis,) = reader.read_all([annotated("anna met Bonn", {0: "B-PERSON", 2: "B-PERSON"})])

    def spans(option: str, reading: Reading) -> tuple[list[str], list[int]]:
        metric = BlonDe(ENGLISH, BlondeOptions.parse(option))
        found = metric.spans([reading], as_columns([reading]), reference=True)
        return [found.vocabulary[item] for item in found.items], list(found.lengths)

    # Two persons, one other name, and none of no kind.
    assert spans("", reference) == (["Anna", "ANNA", "Bonn"], [2, 1, 0])
    assert spans("lowercase", reference) == (["anna", "anna", "bonn"], [2, 1, 0])
    for option, matched in (("", 0), ("lowercase", 1)):
        metric = BlonDe(ENGLISH, BlondeOptions.parse(option))
        (sums,) = metric.statistics([hypothesis], [[reference]])
        counts = dict(zip(metric.columns, sums.tolist(), strict=True))
        # Bonn is a person here and none there; an other name weighs nothing.
        assert [counts[f"entity {kind}"] for kind in ("matched", "reference", "hypothesis")] == [matched, 2, 2]


def test_words_of_blonde_are_compared_with_case_or_without():
    reference, hypothesis = read("The cat"), read("the cat")
    for option, matched in (("", 1), ("lowercase", 2)):
        metric = BlonDe(ENGLISH, BlondeOptions.parse(option))
        (sums,) = metric.statistics(hypothesis, [reference])
        # Each order weighs a quarter.
        assert sums[metric.columns.index("1 matched")] == matched / 4


def test_f_of_blonde_counts_the_floor_where_one_side_has_nothing():
    """2 · .5 · 1 / 1.5; one side alone is undefined: 2 · .5 · .1 / .6; both are 0; neither is there."""
    recall, precision = np.array([0.5, 0.5, NAN, 0.0, NAN]), np.array([1.0, NAN, 0.5, 0.0, NAN])
    assert f_measure(recall, precision, 0.1) == pytest.approx([2 / 3, 1 / 6, 1 / 6, 0, NAN], nan_ok=True)
    assert f_measure(recall, precision)[1] == 0


def test_means_of_blonde_leave_out_what_is_undefined_and_raise_zeros_to_the_floor():
    ratios, weights = np.array([0.25, 1.0, NAN, 0.0]), np.array([1.0, 1, 5, 2])
    assert average(ratios, weights, BlondeOptions(mean="arithmetic")) == pytest.approx(1.25 / 4)
    found = average(ratios, weights, BlondeOptions(floor=0.01))
    assert found == pytest.approx((0.25 * 0.01**2) ** (1 / 4))
    assert np.isnan(average(np.array([NAN]), np.ones(1), BlondeOptions()))


@pytest.mark.parametrize("options", [
    {"floor": 0}, {"floor": 1}, {"smoothing_value": -0.1}, {"category_weights": {"tense": -1}}, {"mean": "harmonic"},
    {"class_weights": {("pronoun", "neuter"): NAN}}, {"category_weights": {"verbs": 1}},
])  # fmt: skip
def test_each_wrong_option_of_blonde_is_one_fault(options: dict[str, Any]):
    with pytest.raises(InputError) as raised:
        BlondeOptions(**options)
    assert [one.code for one in raised.value.faults] == ["E077"]


def test_the_borders_of_the_options_of_blonde_are_taken():
    assert BlondeOptions(smoothing_value=0, category_weights={"tense": 0}, floor=0.999).constant == 0
    assert BlondeOptions(smoothing="add-k").constant == 1
    assert BlondeOptions(smoothing="floor").constant == 0.1
    parsed = BlondeOptions.parse(" paper , add-k=2,weight:tense=3,weight:dm=0,effective-order,sum,arithmetic")
    assert parsed == BlondeOptions(
        variant="paper", smoothing="add-k", smoothing_value=2, category_weights={"tense": 3, "dm": 0},
        effective_order=True, aggregate="sum", mean="arithmetic",
    )  # fmt: skip
