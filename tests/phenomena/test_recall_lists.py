"""The readers' lists of words that need context name words of the texts that were read."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = Path(os.environ.get("ENDOPHORA_SHARED", ROOT.parent / "shared")) / "documents"


@pytest.fixture(scope="module")
def recall():
    spec = importlib.util.spec_from_file_location("recall_benchmark", ROOT / "benchmarks" / "recall.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_a_word_is_found_by_its_number_among_whole_words_and_an_ending_by_its_hyphen(recall):
    line = "la sala, la lámpara: dímelo"
    assert [recall.place(line, "la", number) for number in (1, 2)] == [(0, 2), (9, 11)]
    assert recall.place(line, "-lo", 1) == (25, 27)
    with pytest.raises(ValueError, match="substring"):
        recall.place(line, "la", 3)


def test_a_list_for_one_phenomenon_is_added_to_what_was_read_before(recall, tmp_path, monkeypatch):
    text = recall.Text(["You know.", "I see you."], ["Vous savez.", "Je vous vois."], ["a", "a"])
    monkeypatch.setattr(recall, "texts", lambda _directory, _language: {"ntrex": text})
    monkeypatch.setattr(recall, "GOLD", tmp_path)
    (tmp_path / "fr.tsv").write_text(
        "\t".join((*recall.HEAD, *recall.SUPPORT)) + "\nntrex\t1\t\tdocument\tb\n", "utf-8"
    )
    reading = tmp_path / "reading"
    word = ("ntrex", "2", "formality", "formal", "vous", "1", "you", "1", "1", "Vous", "1")
    reading.write_text("# a formality complete.\n" + "\t".join(word) + "\n", "utf-8")
    assert recall.compile_reading(reading, tmp_path, "fr") == 1
    assert recall.compile_reading(reading, tmp_path, "fr") == 1  # nothing is listed twice
    words, documents = recall.read_gold(tmp_path, "fr")
    assert [(row["line"], row["start"], row["end"]) for row in words] == [("2", "3", "7")]
    assert documents == {("ntrex", "a"): {"formality"}, ("ntrex", "b"): set(recall.PHENOMENA)}


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="needs the shared documents")
@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks" / "recall").rglob("*.tsv")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_every_listed_word_and_its_support_are_words_of_documents_that_were_read(recall, path):
    language, folder = path.stem, path.parent.relative_to(recall.GOLD)
    words, documents = recall.read_gold(DOCUMENTS, language, folder)
    corpora = recall.texts(DOCUMENTS, language)
    assert {row["phenomenon"] for row in words} <= set(recall.PHENOMENA)
    for row in words:
        text, index = corpora[row["corpus"]], int(row["line"]) - 1
        assert row["phenomenon"] in documents[row["corpus"], text.documents[index]]
        word = text.target[index][int(row["start"]) : int(row["end"])]
        assert word
        assert word == word.strip()
        if row["support_line"]:
            support = int(row["support_line"]) - 1
            assert support <= index
            assert text.documents[support] == text.documents[index]
            assert text.target[support][int(row["support_start"]) : int(row["support_end"])].strip()
