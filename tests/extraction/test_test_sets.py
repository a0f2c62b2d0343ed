"""Test sets from rows: the same as from items in memory, whatever the year pattern."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.annotate.records import AnnotatedText, Token
from endophora.corpus.records import Location, Segment
from endophora.errors import InputError
from endophora.extraction import TestSetOptions
from endophora.extraction.rows import count_rules, item_rows, items_of, schema
from endophora.extraction.testsets import FOLDER, plan, write_test_sets
from endophora.files import Output
from endophora.phenomena.records import Occurrence, Support
from endophora.suites.formats import read_suite
from endophora.suites.records import Antecedent, Item, Pair, Variant
from endophora.suites.splits import SplitOptions, split_items

SMALL = SplitOptions(least=7, most=10)


def item(document: str, number: int, rule: str) -> Item:
    return Item(
        id=f"{document}:{number}",
        document=document,
        segment=number,
        source="It is here.",
        reference="Sie ist hier.",
        phenomenon="gender",
        rule=rule,
        expected=("sie",),
        source_form="it",
        source_antecedent=Antecedent(head="lamp", lemma="lamp", phrase="the lamp", segment="Where is the lamp?"),
        target_antecedent=Antecedent(head="Lampe", gender="Fem", segment="Wo ist die Lampe?"),
        distance=1,
        before=(Pair("Where is the lamp?", "Wo ist die Lampe?"),),
        variants=(Variant("Er ist hier.", "Er", "Masc", "pronominal coreference"),),
        extra={"intrasegmental": False},
    )


def rows_of(items: list[Item]) -> list[dict[str, object]]:
    text = AnnotatedText("It is here.", (Token("It", "it", "PRON", "", {}, -1, "root", "", 0, 2),))
    found: list[dict[str, object]] = []
    for one in items:
        occurrence = Occurrence(one.document, 0, "gender", one.rule, (0,), (0,), "sie", Support((), (), 1, 0.75))
        segments = [Segment("It is here.", {}, {}, Location("corpus.tsv", 7))]
        found += item_rows([one], [occurrence], ([text], [text]), segments, ("en", "de"))
    return found


def write(items: list[Item], path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(rows_of(items), schema=schema()), path)
    return path


def test_an_item_comes_back_from_its_row():
    items = [item("d1", 3, "NOM.FEM.SING"), Item("a", "d", 0, "s", "r", "formality", "NOM", expected=("du",))]
    table = pa.Table.from_pylist(rows_of(items), schema=schema()).to_pylist()
    assert items_of(table, "rows.parquet") == items
    assert (table[0]["file"], table[0]["line"], table[0]["source_spans"]) == ("corpus.tsv", 7, [[0, 2]])
    assert table[0]["probability"] == 0.75
    assert json.loads(table[0]["extra"]) == {"intrasegmental": False}


NAMES = st.sampled_from([f"{year}/{number}" for year in (1999, 2004, 2017) for number in range(6)])
RULES = st.sampled_from(["A", "B", "C"])


@given(st.lists(st.tuples(NAMES, RULES), min_size=1, max_size=60), st.integers(0, 3))
def test_the_plan_from_counts_takes_what_a_split_of_all_items_takes(pairs: list[tuple[str, str]], seed: int):
    split = SplitOptions(least=5, most=6, seed=seed)
    items = [item(document, number, rule) for number, (document, rule) in enumerate(sorted(pairs))]
    counts: dict[str, Counter[str]] = {}
    for one in items:
        counts.setdefault(one.document, Counter())[one.rule] += 1
    quotas = plan(counts, TestSetOptions(split=split))
    taken: dict[str, list[Item]] = {"dev": [], "devtest": [], "test": []}
    seen = Counter[tuple[str, str]]()
    for one in items:
        seen[one.document, one.rule] += 1
        if seen[one.document, one.rule] <= quotas[one.document].items[one.rule]:
            taken[quotas[one.document].split].append(one)
    assert taken == split_items(items, split)


def test_files_are_written_in_every_format_and_read_back(tmp_path: Path):
    items = [item(f"{year}/{n}", n, "NOM.FEM.SING") for year in (2001, 2010) for n in range(10)]
    options = TestSetOptions(formats=("jsonl", "ctxpro", "contrapro", "huggingface"), split=SMALL)
    files = write_test_sets(write(items, tmp_path / "rows.parquet"), tmp_path, ("en", "de"), options)
    counts = {(file.format, file.split): file.items for file in files}
    assert counts["jsonl", "test"] == counts["huggingface", "test"] == 10
    assert len(files) == 12
    kept = {one for split in split_items(items, SMALL).values() for one in (i.id for i in split)}
    read = [one.id for file in files if file.format == "jsonl" for one in read_suite(tmp_path / file.path).items]
    assert sorted(read) == sorted(kept)


def test_recent_years_are_found_by_a_pattern():
    names = [f"1990-{year}-{number}" for year in (1998, 2011, 2005) for number in range(3)]
    options = TestSetOptions(split=SplitOptions(least=1, most=5), year=r"-(\d{4})-")
    assert [name[5:9] for name in plan({name: {"R": 1} for name in names}, options)] == [
        *["2011"] * 3,
        *["2005"] * 3,
        *["1998"] * 3,
    ]


@pytest.mark.parametrize("pattern", ["(", r"\d{4}", r"(\d)(\d)"])
def test_a_pattern_without_one_group_is_refused(pattern: str):
    with pytest.raises(InputError, match="E205"):
        TestSetOptions(year=pattern)


def test_a_format_that_cannot_be_written_is_refused():
    with pytest.raises(InputError, match="E171"):
        TestSetOptions(formats=("scat",))


def test_rules_are_counted(tmp_path: Path):
    items = [item("d1", 0, "A"), item("d1", 1, "A"), item("d2", 0, "A"), item("d2", 1, "B")]
    first, second = count_rules(write(items, tmp_path / "rows.parquet"), segments=2_000)
    assert (first.rule, first.occurrences, first.documents, first.per_million) == ("A", 3, 2, 1500.0)
    assert (first.between, first.distances, first.forms, first.with_variants) == (3, {"1": 3}, {"sie": 3}, 3)
    assert second.rule == "B"


def test_test_sets_of_an_earlier_run_do_not_stay(tmp_path: Path):
    rows = write([item(f"{year}/{n}", n, "A") for year in (2001, 2010) for n in range(10)], tmp_path / "rows.parquet")
    for options, there in ((TestSetOptions(split=SMALL), True), (TestSetOptions(), False)):
        with Output(tmp_path, [FOLDER]).writing(instead_of=FOLDER) as folder:
            write_test_sets(rows, folder, ("en", "de"), options)
        assert (tmp_path / "suites/jsonl/gender.en-de.dev.jsonl").exists() == there
    assert [path.name for path in (tmp_path / "suites/jsonl").iterdir()] == ["gender.en-de.test.jsonl"]
