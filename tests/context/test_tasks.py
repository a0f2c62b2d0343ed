"""Any conditional generation task as JSON Lines: what is read, and what is reported of bad lines."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.annotate.loading import load_annotator
from endophora.annotate.store import AnnotationStore
from endophora.context.samples import read_tasks, with_annotation
from endophora.errors import EndophoraError, InputError
from endophora.models.records import ModelInput
from endophora.store import Store

GOOD = {"input": "How are you?", "context": "Hello.", "output": "Fine, thanks."}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def faults(path: Path) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        read_tasks(path)
    return [(fault.code, fault.line) for fault in caught.value.faults]


def test_a_line_is_an_input_with_context_and_an_output(tmp_path: Path):
    path = write(tmp_path / "t.jsonl", GOOD, {**GOOD, "context": ["One.", "", "Two."]}, {**GOOD, "context": []})
    material = read_tasks(path)
    assert [sample.whole for sample in material.samples] == [
        ModelInput("How are you?", ("Hello.",)),
        ModelInput("How are you?", ("One.", "Two.")),
        ModelInput("How are you?"),
    ]
    assert [word.form for word in material.samples[0].words] == ["Fine", ",", "thanks", "."]
    assert material.kind == "tasks"


def test_lines_are_resampled_by_document_if_they_name_one_and_else_by_themselves(tmp_path: Path):
    named = read_tasks(write(tmp_path / "a", *({**GOOD, "document": name} for name in "xxy")))
    assert [(one.document, one.segment) for one in named.samples] == [("x", 0), ("x", 1), ("y", 0)]
    assert len({one.document for one in read_tasks(write(tmp_path / "b", GOOD, GOOD)).samples}) == 2


def test_keys_that_are_not_used_are_told(tmp_path: Path):
    material = read_tasks(write(tmp_path / "t.jsonl", {**GOOD, "score": 3}))
    assert "score" in material.warnings[0]


def test_all_bad_lines_are_told_at_once_with_their_numbers(tmp_path: Path):
    path = write(
        tmp_path / "t.jsonl",
        GOOD,
        "",
        "{",
        "[1]",
        '{"input": "a", "input": "b"}',
        {"input": 3, "context": ["x", None], "output": ["y"]},
        {"input": " ", "context": "", "output": ""},
        {"output": "x"},
        '{"input": "a", "context": NaN, "output": "b"}',
        '{"input": "a\\u0000", "context": "\\ud800", "output": "b"}',
    )
    assert faults(path) == [
        ("E310", 2),
        ("E310", 3),
        ("E310", 4),
        ("E310", 5),
        ("E312", 6),
        ("E312", 6),
        ("E312", 6),
        ("E313", 7),
        ("E313", 7),
        ("E312", 8),
        ("E312", 8),
        ("E310", 9),
        ("E007", 10),
        ("E006", 10),
    ]


def test_documents_are_named_in_all_lines_and_stay_together(tmp_path: Path):
    assert faults(write(tmp_path / "a", {**GOOD, "document": "x"}, GOOD)) == [("E314", 2)]
    assert faults(write(tmp_path / "b", GOOD, {**GOOD, "document": "x"})) == [("E314", 2)]
    assert faults(write(tmp_path / "c", *({**GOOD, "document": name} for name in "xyx"))) == [("E314", 3)]


def test_an_empty_file_and_none_are_told(tmp_path: Path):
    (tmp_path / "empty").write_text("", "utf-8")
    assert faults(tmp_path / "empty") == [("E005", None)]
    assert faults(tmp_path / "absent") == [("E001", None)]


def test_an_annotator_gives_its_own_words(tmp_path: Path):
    material = read_tasks(write(tmp_path / "t.jsonl", {**GOOD, "output": "I don't."}))
    assert [word.form for word in material.samples[0].words] == ["I", "don", "'", "t", "."]
    with Store() as store:
        annotated = with_annotation(material, load_annotator("en", "blank"), AnnotationStore(store))
    assert [word.form for word in annotated.samples[0].words] == ["I", "do", "n't", "."]


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
lines = st.fixed_dictionaries({"input": texts, "context": texts | st.lists(texts, max_size=3), "output": texts})


@settings(max_examples=50)
@given(st.lists(lines, min_size=1, max_size=5), st.booleans())
def test_what_is_written_is_read(tmp_path_factory, rows, escaped):
    path = tmp_path_factory.mktemp("tasks") / "t.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows), "utf-8", newline="\n")
    samples = read_tasks(path).samples
    assert [(one.whole.source, one.target) for one in samples] == [(row["input"], row["output"]) for row in rows]
    contexts = [row["context"] if isinstance(row["context"], list) else [row["context"]] for row in rows]
    assert [list(one.whole.source_context) for one in samples] == contexts
    for one in samples:
        assert all(one.target[word.start : word.end] == word.form for word in one.words)


@settings(max_examples=100)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_file_gives_a_traceback(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("tasks") / "t.jsonl"
    path.write_bytes(data)
    with suppress(EndophoraError):
        assert read_tasks(path).samples
