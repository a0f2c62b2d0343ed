"""MuCoW's formats: what is written reads back the same, the published files are recognised, bad ones are reported."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sense_suites import sense_suites, suite_of_bank

from endophora.errors import InputError
from endophora.suites.formats import read_suite, recognise_suite, write_suite
from endophora.suites.records import Suite
from endophora.suites.senses.items import domain_of, origin_of, sense_of
from endophora.suites.senses.matching import read_lemmas

ONE = settings(max_examples=60)


def view(suite: Suite, *, variants: bool = True, domains: bool = True):
    return [
        (
            item.source_lemma,
            sense_of(item),
            item.source,
            item.reference,
            item.expected,
            item.forbidden,
            origin_of(item),
            domain_of(item) if domains else "",
            item.variants if variants else (),
        )
        for item in suite.items
    ]


@ONE
@given(sense_suites())
def test_json_reads_back_the_same(tmp_path: Path, suite: Suite) -> None:
    path = tmp_path / "en-de.mucow.scoring.json"
    write_suite(suite, path, "mucow")
    assert recognise_suite(path) == "mucow"
    read = read_suite(path)
    assert view(read) == view(suite)
    assert (read.source_language, read.target_language) == ("en", "de")


@ONE
@given(sense_suites())
def test_our_json_lines_hold_all_of_it(tmp_path: Path, suite: Suite) -> None:
    write_suite(suite, tmp_path / "suite.jsonl")
    assert read_suite(tmp_path / "suite.jsonl").items == suite.items


@ONE
@given(sense_suites())
def test_lines_read_back_the_same_in_lower_case(tmp_path: Path, suite: Suite) -> None:
    write_suite(suite, tmp_path / "en-de", "mucow-lines")
    path = tmp_path / "en-de.text.txt"
    assert recognise_suite(path) == "mucow-lines"
    lowered = [
        (word, sense.lower(), source, reference, *(tuple(w.lower() for w in words) for words in entries), *rest)
        for word, sense, source, reference, *entries, origin, domain, _ in view(suite)
        for rest in [(origin, domain, ())]
    ]
    assert view(read_suite(path)) == lowered


@ONE
@given(sense_suites())
def test_the_table_reads_back_the_same(tmp_path: Path, suite: Suite) -> None:
    path = tmp_path / "en-de.test.txt"
    write_suite(suite, path, "mucow-table")
    assert recognise_suite(path) == "mucow-table"
    read = read_suite(path)
    expected = view(suite, variants=False, domains=False)
    assert [row[:5] for row in view(read, variants=False)] == [row[:5] for row in expected]
    assert [set(row[5]) for row in view(read)] == [set(row[5]) for row in expected]


def test_entries_of_several_words_live_in_lines(tmp_path: Path) -> None:
    write_suite(suite_of_bank(1), tmp_path / "en-de", "mucow-lines")
    key = (tmp_path / "en-de.key.txt").read_text("utf-8")
    assert "ufer rand_eines_flusses\tbank kredit-institut" in key
    assert read_suite(tmp_path / "en-de.key.txt").items[0].expected == ("ufer", "rand eines flusses")


def test_a_sense_has_one_name_in_lines_whichever_of_its_words_a_reference_has(tmp_path: Path) -> None:
    suite = suite_of_bank(2)
    first, second = suite.items
    second = replace(second, expected=("Rand eines Flusses", "Ufer"), extra=dict(second.extra) | {"domain": "in"})
    first = replace(first, extra=dict(first.extra) | {"domain": "in"})
    write_suite(replace(suite, items=(first, second)), tmp_path / "en-de", "mucow-lines")
    read = read_suite(tmp_path / "en-de.key.txt")
    assert {item.rule for item in read.items} == {"bank:ufer_rand_eines_flusses"}
    assert (tmp_path / "en-de.domain.txt").read_text("utf-8") == "bank\tufer rand_eines_flusses\tin\t2\t0\n"


def test_the_published_json_is_recognised_and_its_wrong_words_are_of_known_senses(shared: Path) -> None:
    path = shared / "known-answers/mucow/tr-en.mucow.scoring.json.gz"
    assert recognise_suite(path) == "mucow"
    labels = [variant.label for item in read_suite(path).items for variant in item.variants]
    assert labels.count("") / len(labels) < 0.3


def test_the_published_translation_variant_reads_with_its_number(tmp_path: Path) -> None:
    item = {
        "ambig word": "ring",
        "reference": "Rengas ei osu pulloon.",
        "original translation": "rengas",
        "origin": "opensubs",
        "sense": "rengas",
        "source": "You can't get the ring on the bottle.",
        "id": 24172580,
        "errors": [{"contrastive": "rinki ei osu pulloon.", "type": "word_sense", "replacement": "rinki"}],
    }
    path = tmp_path / "en-fi.mucow.tts.json"
    path.write_text(json.dumps([item]), "utf-8")
    suite = read_suite(path)
    assert suite.items[0].id == "24172580"
    write_suite(suite, tmp_path / "again.json", "mucow")
    assert json.loads((tmp_path / "again.json").read_text("utf-8")) == [item]


def test_contrawsd_reads_with_its_senses_and_frequencies(tmp_path: Path) -> None:
    item = {
        "ambig word": "Ton",
        "sense": "sound|tone",
        "origin": "x",
        "source": "Der Ton ist laut.",
        "reference": "The tone is loud.",
        "original translation": "tone",
        "frequency of sense/ambig word in wmt16": "10/30",
        "errors": [{"contrastive": "The clay is loud.", "replacement": "clay", "type": "word_sense"}],
    }
    path = tmp_path / "contrawsd.de-en.json.gz"
    path.write_bytes(gzip.compress(json.dumps([item]).encode()))
    read = read_suite(path).items[0]
    assert (read.expected, read.forbidden) == (("tone", "sound"), ("clay",))
    assert read.extra["frequency of sense/ambig word in wmt16"] == "10/30"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.json", '[{"ambig word": "x", "sense": "y"}]', "E172"),
        ("a.json", '[{"ambig word": "x", "sense": 3}]', "E172"),
        ("en-fi.key.txt", "1\topensubs\tactor\ttoimija\n", "E223"),
        ("en-fi.key.txt", "1\topensubs\tactor\t\tx\n", "E223"),
    ],
)
def test_bad_files_are_told_with_their_code(tmp_path: Path, name: str, text: str, code: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "en-fi.text.txt").write_text("x\n", "utf-8")
    with pytest.raises(InputError, match=code):
        read_suite(tmp_path / name, languages=("en", "fi"))


def test_a_missing_file_of_lines_is_told(tmp_path: Path) -> None:
    (tmp_path / "en-fi.key.txt").write_text("1\tx\ta\tb\tc\n", "utf-8")
    with pytest.raises(InputError, match="E179"):
        read_suite(tmp_path / "en-fi.key.txt")


def test_a_sense_without_domain_is_told(tmp_path: Path) -> None:
    write_suite(suite_of_bank(1), tmp_path / "en-de", "mucow-lines")
    (tmp_path / "en-de.domain.txt").write_text("bank\tbank\tin\n", "utf-8")
    with pytest.raises(InputError, match="E223"):
        read_suite(tmp_path / "en-de.key.txt")


def test_a_table_of_unknown_senses_is_told(tmp_path: Path) -> None:
    (tmp_path / "de-en.test.txt").write_text("ton\t0\tted\tDer Ton\tThe tone\tTon\nton\t7\tted\ta\tb\tTon\n", "utf-8")
    (tmp_path / "senses.de-en.txt").write_text("ton\t0\t1\t1.0\ttone\nx\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(tmp_path / "de-en.test.txt")
    assert [fault.code for fault in caught.value.faults] == ["E224", "E224"]


TABLE = "ton\t0\tted\tDer Ton\tThe tone\tTon\nton\t1\tted\tDer Ton\tThe clay\tTon\n"
SENSES = "ton\t0\t1\t0.5\ttone sound\nton\t1\t1\t0.3\tclay\nton\t2\t1\t0.2\tton\n"


def table_of_ton(folder: Path, distances: str) -> Path:
    (folder / "de-en.test.txt").write_text(TABLE, "utf-8")
    (folder / "senses.de-en.txt").write_text(SENSES, "utf-8")
    (folder / "distances.de-en.txt").write_text(distances, "utf-8")
    return folder / "de-en.test.txt"


def test_distances_are_read_in_both_directions_and_gaps_are_told(tmp_path: Path) -> None:
    suite = read_suite(table_of_ton(tmp_path, "ton\t0-1\t0.75\nton\t0-2\t0.5\n"))
    assert [item.extra["distances"] for item in suite.items] == [{"clay": 0.75, "ton": 0.5}, {"tone_sound": 0.75}]
    assert [warning for warning in suite.warnings if "1 pairs of senses have no distance" in warning]


@ONE
@given(sense_suites(), st.floats(0, 1))
def test_distances_read_back_the_same(tmp_path: Path, suite: Suite, distance: float) -> None:
    items = [
        replace(one, extra=dict(one.extra) | {"distances": {"_".join(one.forbidden): distance}}) for one in suite.items
    ]
    path = tmp_path / "en-de.test.txt"
    write_suite(replace(suite, items=tuple(items)), path, "mucow-table")
    assert [dict(one.extra["distances"]) for one in read_suite(path).items] == [
        dict(one.extra["distances"]) for one in items
    ]


@pytest.mark.parametrize(
    "line", ["ton\t0-1", "ton\t0-1\tx", "ton\t0-1\tnan", "ton\t0-1\t-1", "ton\t0-7\t1", "x\t0-1\t1"]
)
def test_bad_distances_are_told(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match="E224"):
        read_suite(table_of_ton(tmp_path, f"ton\t0-1\t1\n{line}\n"))


def test_only_word_senses_can_be_written(tmp_path: Path) -> None:
    suite = suite_of_bank(1)
    other = replace(suite, items=tuple(replace(item, phenomenon="gender") for item in suite.items))
    for form in ("mucow", "mucow-lines", "mucow-table"):
        with pytest.raises(InputError, match="E222"):
            write_suite(other, tmp_path / "x", form)


def test_lemmas_are_read_from_lines_and_from_conllu(tmp_path: Path) -> None:
    suite = suite_of_bank(2)
    (tmp_path / "lines").write_text("das Ufer\ndie Bank\n", "utf-8")
    rows = "# text = x\n1-2\tam\t_" + "\t_" * 7 + "\n1\ta\tan" + "\t_" * 7 + "\n2\tm\tder" + "\t_" * 7
    (tmp_path / "conllu").write_text(f"{rows}\n\n1\tUfern\tUfer" + "\t_" * 7 + "\n", "utf-8")
    found = read_lemmas(suite, {"A": tmp_path / "lines", "B": tmp_path / "conllu"})
    assert found["A"][0].has(("ufer",))
    assert found["B"][0].has(("an", "der"))
    assert found["B"][1].has(("ufer",))
    (tmp_path / "short").write_text("x\n", "utf-8")
    with pytest.raises(InputError, match="E173"):
        read_lemmas(suite, {"A": tmp_path / "short"})
