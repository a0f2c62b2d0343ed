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
