"""What is read and judged many at a time is what it would be one by one."""

from __future__ import annotations

import gzip
import json
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import JSON, make_item

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import read_lines
from endophora.errors import InputError
from endophora.suites import Antecedent, Item, Suite
from endophora.suites.ctxpro import item_from_ctxpro, read_ctxpro
from endophora.suites.files import Fields, read_json, whole_lines
from endophora.suites.matching import MATCHINGS, judge, normalise
from endophora.suites.outputs import parts
from endophora.suites.records import RecordTable, column
from endophora.suites.scoring import SuiteOptions, judge_outputs

TEXT = st.text(max_size=6)
WORDS = st.lists(
    st.sampled_from(
        ["sie", "Sie.", "ist", "Er", "!", "„Sie“", "\u00a0", "  ", "\t", "是。", "z.", "ΑΣ", "’s", "d'elle", "-"]
    ),
    max_size=7,
)


def test_a_table_is_the_records_that_it_would_be_made_of_one_by_one() -> None:
    table = RecordTable(Antecedent, 2, {"head": ["Lampe", "Hund"], "gender": ["Fem", "Masc"]})
    assert table == (Antecedent("Lampe", gender="Fem"), Antecedent("Hund", gender="Masc"))
    assert (len(table), table[1].head, table[:1]) == (2, "Hund", (Antecedent("Lampe", gender="Fem"),))
    assert (column(table, "gender"), column(table, "pos")) == (["Fem", "Masc"], ["", ""])
    assert column(tuple(table), "gender") == ["Fem", "Masc"]


def test_records_of_a_table_do_not_share_what_can_change() -> None:
    names = ("id", "document", "source", "reference", "phenomenon", "rule")
    table = RecordTable(Item, 2, {**{name: ["a", "b"] for name in names}, "segment": [1, 2]})
    assert table[0].extra == table[1].extra == {}
    assert table[0].extra is not table[1].extra
    assert table[0] == Item("a", "a", 1, "a", "a", "a", "a")


@dataclass(frozen=True)
class Slotless:
    """A record whose fields no column can fill."""

    name: str


@pytest.mark.parametrize(
    ("kind", "columns", "error"),
    [
        (Antecedent, {"head": ["a"]}, ValueError),
        (Antecedent, {"tail": ["a", "b"]}, TypeError),
        (Item, {"id": ["a", "b"]}, ValueError),
        (Slotless, {"name": ["a", "b"]}, TypeError),
    ],
)
def test_columns_that_make_no_records_are_refused(
    kind: type[object], columns: dict[str, list[str]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        RecordTable(kind, 2, columns)


ALL = {"document id": TEXT, "src segment": TEXT, "ref segment": TEXT, "rule": TEXT, "expected": TEXT}
HEADS = ("head", "head gender", "head lemma", "head morpho", "head pos", "head number", "phrase", "segment")
SEGMENTS = ("src ante segment", "ref ante segment")
SHAPES: dict[str, dict[str, st.SearchStrategy[str]]] = {
    "gender": {"src pronoun": TEXT, **{f"{side} ante {head}": TEXT for side in ("src", "ref") for head in HEADS}},
    "formality": {"src pronoun": TEXT},
    "auxiliary": dict.fromkeys(
        ("src verb", "src verb lemma", "ref verb lemma", "src ante verb lemma", *SEGMENTS), TEXT
    ),
    "inflection": dict.fromkeys(("src noun", "ref noun case", "src ante noun case", *SEGMENTS), TEXT),
}
NUMBERS = {"segment id": st.integers(0, 99), "ante distance": st.integers(0, 9)}
OTHERS = st.fixed_dictionaries({}, optional={"intrasegmental": st.booleans(), "year": st.integers(1900, 2018)})


@given(st.sampled_from(list(SHAPES)), st.booleans(), st.data())
def test_a_file_of_ctxpro_is_its_objects_one_by_one(shape: str, alike: bool, data: st.DataObject) -> None:
    plain = st.fixed_dictionaries({**ALL, **SHAPES[shape], **NUMBERS})
    value = st.tuples(plain, OTHERS).map(lambda both: both[0] | both[1])
    extra = data.draw(OTHERS)
    objects = data.draw(st.lists(plain.map(lambda one: one | extra) if alike else value, min_size=1, max_size=4))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.en-de.json"
        path.write_text(json.dumps(objects), encoding="utf-8")
        items = read_ctxpro(path).items
    log = FaultLog()
    assert items == tuple(item_from_ctxpro(Fields(one, "", "", log), index) for index, one in enumerate(objects))
    assert not log
    assert isinstance(items, RecordTable) or not alike


@given(JSON | st.text().map(lambda text: "\ufeff" + text) | st.floats(), st.booleans(), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(value: object, plain: bool, packed: bool) -> None:
    body = json.dumps(value, ensure_ascii=not plain).encode("utf-8", "surrogatepass")
    log = FaultLog()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_bytes(gzip.compress(body) if packed else body)
        found = read_json(path, log)
    if not log:
        assert json.dumps(found) == json.dumps(json.loads(body))


@pytest.mark.parametrize("body", ["null", "[]", "3", '"x"', "[3]", "[null]"])
def test_json_that_is_no_list_of_objects_is_refused(tmp_path: Path, body: str) -> None:
    (tmp_path / "x.json").write_text(body, encoding="utf-8")
    with pytest.raises(InputError, match="E170"):
        read_ctxpro(tmp_path / "x.json")


@given(
    st.lists(
        st.sampled_from([b"a", b"\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xc3\xa4", b"\xff", b"\xe2\x80\xa8", b" "])
    ),
    st.sampled_from(["x.txt", "x.gz"]),
    st.booleans(),
)
def test_lines_are_those_read_one_by_one(pieces: list[bytes], name: str, packed: bool) -> None:
    body, logs = b"".join(pieces), (FaultLog(), FaultLog())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(gzip.compress(body) if packed else body)
        assert whole_lines(path, logs[0]) == read_lines(path, logs[1])
    assert logs[0].faults() == logs[1].faults()


def plainly(text: str, name: str) -> str:
    """Return a text as it is compared, character by character."""
    matching, text = MATCHINGS[name], text.replace("\n", " ").lower()
    ascii_symbols = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    instead = " " if matching.spaced else ""
    others = matching.symbols != "ascii"
    return "".join(
        instead if one in ascii_symbols or (others and unicodedata.category(one)[0] == "P") else one for one in text
    )


@given(st.lists(st.text()), st.sampled_from(list(MATCHINGS)))
def test_texts_are_normalised_as_character_by_character(texts: list[str], name: str) -> None:
    assert normalise(texts, MATCHINGS[name]) == [plainly(text, name) for text in texts]


@given(
    st.lists(st.tuples(st.lists(WORDS.map(" ".join), min_size=1, max_size=2), WORDS.map(" ".join)), max_size=4),
    st.sampled_from(list(MATCHINGS)),
    st.sampled_from(["de", "zh", ""]),
)
def test_no_output_is_passed_over_whose_last_sentence_has_a_form(
    pairs: list[tuple[list[str], str]], name: str, language: str
) -> None:
    items = tuple(make_item(expected=tuple(forms)) for forms, _ in pairs)
    suite, outputs = Suite("x", "en", language, items), [output for _, output in pairs]
    found = judge_outputs(suite, outputs, SuiteOptions(matching=name))
    assert found == judge(items, parts(suite, outputs), MATCHINGS[name])
