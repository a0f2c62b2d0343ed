"""Spans and names that people marked: files of a few lines, and what is found of them in texts, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.errors import InputError
from endophora.languages import load_language
from endophora.metrics.blonde import BlonDe, BlondeOptions, make_blonde, make_blonde_plus
from endophora.metrics.blonde_plus import Annotations, MarkedSpan, read_annotations, read_errors, write_errors
from endophora.metrics.records import Reading

ENGLISH = load_language("en")


def reading(text: str, *names: tuple[str, str]) -> Reading:
    return Reading(text, tuple(text.split()), (), names)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "file.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_marked_spans_are_found_as_often_as_they_stand_there_as_whole_words():
    given = Annotations(marked=({"ambiguity": ("the Bank", "bank", "the Bank")}, {"ellipsis": ("he",)}))
    texts = [reading("The bank, the BANK and the banks"), reading("then he, he-man, she")]
    assert given.spans("ambiguity", texts) == [["the bank", "the bank", "bank", "bank"], []]
    assert given.spans("ellipsis", texts) == [[], ["he", "he"]]


def test_a_marked_span_is_taken_letter_by_letter():
    given = Annotations(marked=({"ellipsis": ("a.b", "(x)")},))
    assert given.spans("ellipsis", [reading("a.b axb (x)")]) == [["a.b", "(x)"]]


NAMES = Annotations(names=({"person": {"qiao lian": 2}, "other": {"weibo": 1}}, {"person": {}, "other": {}}))


def test_names_of_the_reference_are_as_often_as_it_says():
    texts = [reading("x", ("person", "Ann")), reading("Weibo")]
    assert NAMES.reference_names("person", texts) == [["qiao lian", "qiao lian"], []]
    assert NAMES.reference_names("other", texts) == [["weibo"], []]
    assert NAMES.reference_names("name", texts) == [[], []]


def test_names_of_a_hypothesis_are_the_annotated_ones_and_what_shares_no_word_with_them():
    first = reading(
        "Qiao Lian met Qiao, Ann and Weibo.",
        ("other", "Qiao Lian"),
        ("person", "Qiao"),
        ("person", "Ann"),
        ("other", "Ann"),
    )
    second = reading("Weibo", ("other", "Weibo"))
    assert NAMES.hypothesis_names("person", [first, second]) == [["qiao lian", "ann"], []]
    assert NAMES.hypothesis_names("other", [first, second]) == [["weibo", "ann"], ["weibo"]]


def test_annotations_have_a_line_for_each_text():
    for given, find in (
        (Annotations(marked=({}, {})), Annotations.spans),
        (NAMES, Annotations.reference_names),
        (NAMES, Annotations.hypothesis_names),
    ):
        with pytest.raises(InputError, match=r"E070.*1 segments, and annotations of 2"):
            find(given, "person", [reading("x")])


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("A b.\t0", {}),
        ("A b.\t1,right, wrong <pos/3,3>", {"ambiguity": ("right",)}),
        ("A b.\t3,He, <pos/1,1>", {"ellipsis": ("He",)}),
        ("A b.\t1,alone <pos/3,3>", {"ambiguity": ("alone",)}),
        ("A b.\t1,r, w <pos/3,3>;s, v <pos/1,1>\t3,t, u <pos/1,1>", {"ambiguity": ("r", "s"), "ellipsis": ("t",)}),
        ("A b.\t2,he, she <pos/1,1>", {}),
        ("A b.\t6", {}),
        ("A b.\t \t4,x, y <pos/1,1>", {}),
        ("A b.\t1", {}),
    ],
)
def test_spans_of_the_kinds_1_and_3_are_read(line: str, marked: dict[str, tuple[str, ...]], tmp_path: Path):
    found = read_annotations(spans=written(tmp_path, line))
    assert found.marked == (marked,)
    assert found.names is None


@pytest.mark.parametrize(
    ("line", "persons", "others"),
    [
        ("PERSON: (Qiao Lian: 1; )\tNONPERSON: (Weibo: 2; )", {"qiao lian": 1}, {"weibo": 2}),
        ("PERSON: ()\tNONPERSON: ()", {}, {}),
        ("PERSON:(A: 1; B: 12)\tNONPERSON:(A:3)", {"a": 1, "b": 12}, {"a": 3}),
        ("PERSON: (Ann's: 1; Ann: 2; )\tNONPERSON: ( )", {"ann": 3}, {}),
        ("PERSON: (A: B: 1)\tNONPERSON: ()", {"a: b": 1}, {}),
    ],
)
def test_names_are_read_with_their_counts(line: str, persons: dict[str, int], others: dict[str, int], tmp_path: Path):
    found = read_annotations(names=written(tmp_path, line))
    assert found.names == ({"person": persons, "other": others},)
    assert found.marked is None


def test_faults_of_both_files_have_their_lines(tmp_path: Path):
    spans, names = tmp_path / "spans", tmp_path / "names"
    spans.write_text("a\t0\nb\nc\tx\tyy\t1,s <pos/1,1>\n", "utf-8")
    names.write_text("PERSON: ()\tNONPERSON: ()\nnothing\nPERSON: (A; B: 1)\tNONPERSON: (C: x)\n", "utf-8")
    with pytest.raises(InputError) as raised:
        read_annotations(spans, names)
    assert [(one.code, Path(one.file or "").name, one.line) for one in raised.value.faults] == [
        *(("E101", "spans", 2), ("E101", "spans", 3), ("E101", "spans", 3)),
        *(("E102", "names", 2), ("E102", "names", 3), ("E102", "names", 3)),
    ]


def test_errors_are_read_with_their_places_and_written_as_they_were(tmp_path: Path):
    lines = [
        "He ran.\t1,walked, ran <pos/4,6>;who <pos/1,2>\t6",
        "He ran.\t0",
        "He ran.\t5\t3,she <pos/1,2>",
    ]
    found = read_errors(written(tmp_path, *lines))
    assert found == [
        ("He ran.", [MarkedSpan("1", "walked", "ran", 3, 6), MarkedSpan("1", "", "who", 0, 2), MarkedSpan("6")]),
        ("He ran.", [MarkedSpan("0")]),
        ("He ran.", [MarkedSpan("5"), MarkedSpan("3", "", "she", 0, 2)]),
    ]
    assert [write_errors(text, errors) for text, errors in found] == lines
    assert write_errors("He ran.", []) == "He ran.\t0"


def test_blond_plus_takes_files_and_options(tmp_path: Path):
    spans = written(tmp_path, "The bank\t1,bank, shore <pos/5,8>")
    made = make_blonde_plus(ENGLISH, f" spans={spans}, arithmetic ,weight:ambiguity=2")
    assert made.name == "BlonD+"
    assert made.options == BlondeOptions(mean="arithmetic", category_weights={"ambiguity": 2.0})
    assert made.parts[:4] == ("BlonD+", "BlonDe", "BlonD-d", "BlonDe tense")
    assert made.parts[-3:] == ("BlonDe 4-grams", "BlonDe ambiguity", "BlonDe ellipsis")
    keys = [one.partition(":")[0] for one in made.signature().split("|")]
    assert "marks" in keys
    assert "names" not in keys
    assert "mk" in [one.partition(":")[0] for one in made.signature(short=True).split("|")]


def test_names_alone_leave_blonde_its_name_and_are_in_the_signature(tmp_path: Path):
    made = make_blonde_plus(ENGLISH, f"names={written(tmp_path, 'PERSON: (A: 1)	NONPERSON: ()')}")
    assert made.name == "BlonDe"
    assert "names:marked" in made.signature().split("|")
    assert "n:marked" in made.signature(short=True).split("|")


def test_a_marked_span_counts_in_both_texts_and_weighs_in_blond_plus_alone():
    given = Annotations(marked=({"ambiguity": ("bank",)}, {"ellipsis": ("he",)}))
    metric = BlonDe(ENGLISH, annotations=given)
    rows = metric.statistics([reading("the bank bank"), reading("she")], [[reading("the bank x"), reading("he")]])
    counts = [dict(zip(metric.columns, row.tolist(), strict=True)) for row in rows]
    kinds = ("matched", "reference", "hypothesis")
    assert [[row[f"ambiguity {kind}"] for kind in kinds] for row in counts] == [[1, 1, 2], [0, 0, 0]]
    assert [[row[f"ellipsis {kind}"] for kind in kinds] for row in counts] == [[0, 0, 0], [0, 1, 0]]


def test_the_signature_of_blonde_has_its_rules():
    said = make_blonde(ENGLISH, "paper").signature(references=3).split("|")
    assert said[:2] == ["nrefs:3", "variant:paper"]
    assert f"rules:en-{ENGLISH.hash}" in said
    assert f"r:en-{ENGLISH.hash}" in make_blonde(ENGLISH).signature(short=True).split("|")


def test_blonde_compares_anew_where_a_reference_is_another():
    metric = make_blonde(ENGLISH)
    output, one, two = [reading("a b")], [reading("a b")], [reading("x y")]
    place = metric.columns.index("1 matched")
    assert [metric.statistics(output, each)[0, place] for each in ([one], [two], [one, two], [two, two])] == [
        *(0.5, 0.0, 0.5, 0.0),
    ]
    assert metric.prepare([one]) is metric.prepare([one])


def test_blonde_of_several_references_takes_the_larger_count_or_adds_them():
    outputs, references = [reading("a a a")], [[reading("a")], [reading("a a b")]]

    def counts(option: str) -> list[float]:
        metric = make_blonde(ENGLISH, option)
        row = metric.statistics(outputs, references)[0]
        return [4 * row[metric.columns.index(f"1 {kind}")] for kind in ("matched", "reference", "hypothesis")]

    assert counts("") == [2, 3, 3]  # a twice, b once
    assert counts("sum") == [3, 4, 6]  # 1 + 2 of 1 + 3; the output twice
