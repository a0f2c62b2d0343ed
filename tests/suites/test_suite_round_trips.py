"""What is written of a suite is read back the same."""

from __future__ import annotations

import gzip
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import NUMBER, READ, SUITE, TEXT, WRITTEN, make_item, make_suite

from endophora.errors import InputError
from endophora.suites import Antecedent, Item, Suite, Variant
from endophora.suites.formats import SUITE_FORMATS, read_suite, recognise_suite, write_suite


def check_round_trip(suite: Suite, form: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_suite(suite, path, form)
        read = SUITE_FORMATS.get(form).read(path, languages=("en", "de"))
        assert read.items == suite.items


@given(SUITE, st.sampled_from(["x.jsonl", "x.jsonl.gz"]))
def test_json_lines_lose_nothing(suite: Suite, name: str) -> None:
    check_round_trip(suite, "jsonl", name)


@given(SUITE)
def test_data_sets_of_parquet_lose_nothing(suite: Suite) -> None:
    pytest.importorskip("pyarrow")
    check_round_trip(suite, "huggingface", "x")


@given(SUITE)
def test_data_sets_of_json_lines_lose_nothing(suite: Suite) -> None:
    check_round_trip(suite, "huggingface-jsonl", "x")


EXTRA = st.dictionaries(TEXT.map(lambda key: f"own {key}"), TEXT, max_size=2)
BASE = {"document": TEXT, "segment": NUMBER, "source": TEXT, "reference": TEXT, "rule": TEXT, "source_form": TEXT}
FORM = st.tuples(TEXT)
SEGMENT = st.builds(Antecedent, segment=TEXT)
HEADS = {
    "distance": NUMBER,
    "target_antecedent": st.builds(Antecedent, *[TEXT] * 8),
}
GENDER = st.builds(
    Item,
    id=st.just("0"),
    phenomenon=st.just("gender"),
    expected=FORM,
    source_antecedent=st.builds(Antecedent, *[TEXT] * 4, st.just(""), *[TEXT] * 3),
    extra=st.builds(lambda extra, inside: {**extra, "intrasegmental": inside}, EXTRA, st.booleans()),
    **BASE,
    **HEADS,
)
FORMALITY = st.builds(Item, id=st.just("0"), phenomenon=st.just("formality"), expected=FORM, extra=EXTRA, **BASE)
AUXILIARY = st.builds(
    Item,
    id=st.just("0"),
    phenomenon=st.just("auxiliary"),
    expected=FORM,
    source_lemma=TEXT,
    reference_lemma=TEXT,
    source_antecedent=st.builds(Antecedent, lemma=TEXT, segment=TEXT),
    target_antecedent=SEGMENT,
    distance=NUMBER,
    extra=EXTRA,
    **BASE,
)
INFLECTION = st.builds(
    Item,
    id=st.just("0"),
    phenomenon=st.just("inflection"),
    expected=FORM,
    reference_features=TEXT.map(lambda case: f"Case={case}"),
    source_antecedent=st.builds(Antecedent, features=TEXT.map(lambda case: f"Case={case}"), segment=TEXT),
    target_antecedent=SEGMENT,
    distance=NUMBER,
    extra=EXTRA,
    **BASE,
)


@given(st.one_of(GENDER, FORMALITY, AUXILIARY, INFLECTION))
def test_the_four_shapes_of_ctxpro_lose_nothing(item: Item) -> None:
    check_round_trip(make_suite(item), "ctxpro", "x.json")


ERROR = st.builds(Variant, TEXT, TEXT, TEXT, TEXT.filter(bool))


@given(GENDER, st.lists(ERROR, min_size=1, max_size=2))
def test_contrapro_loses_nothing_that_it_has_keys_for(item: Item, errors: list[Variant]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        suite, path = make_suite(replace(item, variants=tuple(errors))), Path(folder) / "x.json"
        write_suite(suite, path, "contrapro")
        once = read_suite(path, "contrapro", ("en", "de"))
        assert (once.items[0].variants, once.items[0].expected) == (tuple(errors), item.expected)
        write_suite(once, path, "contrapro")
        assert read_suite(path, "contrapro", ("en", "de")).items == once.items


@pytest.mark.parametrize(
    "name", ["auxiliary.opensubtitles.en-de.test.json.gz", "mini.animacy.opensubtitles.pl-en.test.json.gz"]
)
def test_a_published_suite_is_written_as_it_was_read(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "known-answers" / "ctxpro" / name
    suite = read_suite(path)
    write_suite(suite, tmp_path / "x.json", "ctxpro")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        published = stream.read()
    assert (tmp_path / "x.json").read_text("utf-8").rstrip("\n") == published.rstrip("\n")
    assert {item.phenomenon for item in suite.items} == {name.removeprefix("mini.").split(".")[0]}


@pytest.mark.parametrize("form", WRITTEN)
def test_what_a_writer_wrote_is_recognised(form: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "toy.en-de.x"
    write_suite(make_suite(make_item()), path, form)
    found = recognise_suite(path)
    assert found == form.removesuffix("-jsonl")
    suite = read_suite(path)
    assert (suite.items[0].reference, suite.items[0].expected) == ("Sie ist hier.", ("sie",))
    assert (suite.source_language, suite.target_language) == ("en", "de")


def test_a_data_card_has_a_header_that_names_each_split(tmp_path: Path) -> None:
    from ruamel.yaml import YAML

    write_suite(make_suite(make_item(0), make_item(1, rule="a|b")), tmp_path / "set", "huggingface-jsonl")
    _, header, body = (tmp_path / "set" / "README.md").read_text("utf-8").split("---\n", 2)
    card = YAML(typ="safe").load(header)
    assert card["language"] == ["de", "en"]
    assert card["configs"][0]["data_files"] == [{"split": "test", "path": "data/test.jsonl"}]
    assert "| gender | NOM.FEM.SING | 1 |" in body
    assert "a\\|b" in body
    first = json.loads((tmp_path / "set" / "data" / "test.jsonl").read_text("utf-8").splitlines()[0])
    assert first["languages"] == "en-de"


@pytest.mark.parametrize(
    ("form", "item", "words"),
    [
        ("contrapro", make_item(variants=()), "no wrong translation"),
        ("ctxpro", make_item(expected=()), "no expected form"),
        ("jsonl", make_item(source="\ud800"), "surrogate"),
        ("huggingface-jsonl", make_item(extra={"a": ["\ud800"]}), "surrogate"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(form: str, item: Item, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words) as refused:
        write_suite(make_suite(item), tmp_path / "x", form)
    assert refused.value.faults[0].code == "E176"


def test_no_format_is_lost() -> None:
    assert set(READ) <= set(SUITE_FORMATS)


def test_a_format_that_is_only_read_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"E171.*only be read"):
        write_suite(make_suite(make_item()), tmp_path / "x", "scat")
