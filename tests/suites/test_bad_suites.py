"""Malformed suites: every fault at once, with its place, and never a traceback."""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import JSON, READ

from endophora.errors import EndophoraError, InputError
from endophora.suites.formats import read_suite
from endophora.suites.outputs import read_outputs
from endophora.suites.records import Item, Suite

NAMES = {
    "scat": "highlighted.test.en",
    "mt-geneval": "geneval-sentences-feminine-test.en_de.en",
    "cocoa-mt": "formality-control.test.x.en-de",
    "huggingface": "x.parquet",
}


def try_to_read(body: bytes, form: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAMES.get(form or "", "suite.json")
        path.write_bytes(body)
        with contextlib.suppress(EndophoraError):
            assert read_suite(path, form).items


@given(st.binary(max_size=60), st.sampled_from([None, *READ]))
def test_any_bytes_are_read_or_refused(body: bytes, form: str | None) -> None:
    try_to_read(body, form)


KEYS = st.sampled_from(
    [
        *("src segment", "ref segment", "rule", "expected", "document id", "segment id", "errors", "contrastive"),
        *("ante distance", "src pronoun", "ref pronoun", "src verb", "src noun", "src ante head", "type", "1"),
        *("dst", "src", "true_ind", "ctx_dist", "trg", "examples", "correct", "incorrect", "id", "document"),
        *("segment", "source", "reference", "phenomenon", "before", "variants", "source_antecedent", "extra"),
    ]
)
OBJECT = st.dictionaries(KEYS, st.one_of(JSON, st.dictionaries(KEYS, JSON, max_size=4)), max_size=12)


@given(st.one_of(OBJECT, st.lists(OBJECT, max_size=3)), st.sampled_from([None, *READ]))
def test_any_json_is_read_or_refused(value: object, form: str | None) -> None:
    try_to_read(json.dumps(value).encode(), form)


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    good = {"src pronoun": "it", "expected": "es", "document id": "d", "segment id": 1, "rule": "R"}
    items = [good | {"src segment": "It.", "ref segment": 3}, good | {"ref segment": "Es."}, good | {"segment id": "x"}]
    path.write_text(json.dumps(items), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_suite(path, "ctxpro")
    told = [fault.cause for fault in refused.value.faults]
    assert told[0] == "item 1: “ref segment” is no text"
    assert "item 2: the key “src segment” is missing" in told
    assert "item 3: “segment id” is no whole number" in told


def test_malformed_json_is_located(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[\n{"rule": "R",}\n]', encoding="utf-8")
    with pytest.raises(InputError, match=r"E170.*x\.json:2.*malformed JSON"):
        read_suite(tmp_path / "x.json", "ctxpro")


def test_what_is_no_suite_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Guten Tag.\n", encoding="utf-8")
    with pytest.raises(InputError, match="E171"):
        read_suite(tmp_path / "x.txt")
    with pytest.raises(InputError, match="E001"):
        read_suite(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ('[{"src segment": "It."}]'.encode("utf-16"), "E006"),
        ('[{"src segment": "It."}]'.encode("utf-16-le"), "E006"),
        ("[Füße]".encode("latin-1"), "E006"),
        (gzip.compress(b"[]")[:-9], "E004"),
        (b"\x1f\x8b", "E004"),
        (b"", "E005"),
    ],
    # A compressed file holds the time of its making: names of tests would differ between processes.
    ids=["utf-16", "utf-16-le", "latin-1", "cut gzip", "head of a gzip", "empty"],
)
def test_a_file_that_is_no_text_is_not_called_an_unknown_format(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(InputError) as refused:
        read_suite(tmp_path / "x.json")
    assert [fault.code for fault in refused.value.faults] == [code]


def test_a_contrastive_line_needs_its_correct_one(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("0\t1\tcontrastive\tes\tIt.\tEs.\n0\tx\tcorrect\tes\tIt.\tEs.\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_suite(tmp_path / "x.tsv", "genpro")
    assert [(fault.code, fault.line) for fault in refused.value.faults] == [("E172", 1), ("E172", 2)]


LONG = "z" * 50_001
EN_DE = {"src pronoun": "it", "expected": "es", "document id": "d", "segment id": 1, "rule": "R", "src segment": "It."}
OURS = {"id": "0", "document": "d", "segment": 0, "phenomenon": "gender", "rule": "R", "languages": "en-de"}
TOO_LONG: dict[str, tuple[str, dict[str, str], list[tuple[str, str, int | None]]]] = {
    "ctxpro": (
        "x.json",
        {"x.json": json.dumps([EN_DE | {"ref segment": "Es."}, EN_DE | {"ref segment": LONG}], indent=2)},
        [("E345", "x.json", 11)],
    ),
    "ctxpro, keys differ": (
        "x.json",
        {"x.json": json.dumps([EN_DE | {"ref segment": LONG}, EN_DE | {"ref segment": "Es.", "more": 1}], indent=2)},
        [("E345", "x.json", 2)],
    ),
    "jsonl": (
        "x.jsonl",
        {
            "x.jsonl": "".join(
                json.dumps(OURS | {"source": "It.", "reference": "Es."} | more) + "\n"
                for more in ({}, {"source": LONG}, {"before": [{"source": LONG}]}, {"variants": [{"target": LONG}]})
            )
        },
        [("E345", "x.jsonl", 2), ("E345", "x.jsonl", 3), ("E345", "x.jsonl", 4)],
    ),
    "consistency": (
        "deixis_test.json",
        {"deixis_test.json": json.dumps([{"src": "a _eos b", "dst": ["c _eos d", LONG], "true_ind": 0}])},
        [("E345", "deixis_test.json", 1)],
    ),
    "genpro": (
        "x.tsv",
        {"x.tsv": f"0\tcorrect\tes\tIt.\tEs.\n1\tcorrect\tes\tIt.<eos>{LONG}\tEs.<eos>Es.\n"},
        [("E345", "x.tsv", 2)],
    ),
    "cocoa-mt": (
        "x.en-de",
        {
            "x.en-de": "You.\nYou.\n",
            "x.en-de.formal.annotated": f"[F]Sie[/F].\n{LONG}\n",
            "x.en-de.informal.annotated": "[F]Du[/F].\n[F]Du[/F].\n",
        },
        [("E345", "x.en-de.formal.annotated", 2)],
    ),
    "mucow-table": (
        "en-de.test.txt",
        {
            "en-de.test.txt": f"bank\t0\tx\tThe bank.\tDie Bank.\tbank\nbank\t0\tx\t{LONG}\tDie Bank.\tbank\n",
            "senses.en-de.txt": "bank\t0\t1\t1\tBank\n",
        },
        [("E345", "en-de.test.txt", 2)],
    ),
}


@pytest.mark.parametrize("case", TOO_LONG)
def test_a_segment_that_is_too_long_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    main, files, wanted = TOO_LONG[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_suite(tmp_path / main, case.partition(",")[0])
    assert [(fault.code, Path(fault.file).name, fault.line) for fault in refused.value.faults] == wanted
    assert all("50,001 characters" in fault.cause for fault in refused.value.faults)


def test_an_output_that_is_too_long_is_refused_with_its_line(tmp_path: Path) -> None:
    item = Item("0", "d", 0, "It.", "Es.", "gender", "R", expected=("es",))
    (tmp_path / "out").write_text(f"Es.\n{LONG}\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_outputs(Suite("x", "en", "de", (item, item)), {"a": tmp_path / "out"})
    assert [(fault.code, fault.line) for fault in refused.value.faults] == [("E345", 2)]


def test_faults_of_a_list_of_objects_have_the_line_where_the_object_begins(tmp_path: Path) -> None:
    text = json.dumps([EN_DE | {"ref segment": "{ Es."}, EN_DE | {"ref segment": 3}, EN_DE], indent=1)
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_suite(tmp_path / "x.json", "ctxpro")
    assert [fault.line for fault in refused.value.faults] == [11, 20]
