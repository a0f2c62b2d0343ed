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


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="needs the shared documents")
@pytest.mark.parametrize("language", sorted(path.stem for path in (ROOT / "benchmarks" / "recall").glob("*.tsv")))
def test_every_listed_word_and_its_support_are_words_of_documents_that_were_read(recall, language):
    words, documents = recall.read_gold(DOCUMENTS, language)
    corpora = recall.texts(DOCUMENTS, language)
    assert {row["phenomenon"] for row in words} <= set(recall.PHENOMENA)
    for row in words:
        text, index = corpora[row["corpus"]], int(row["line"]) - 1
        assert (row["corpus"], text.documents[index]) in documents
        word = text.target[index][int(row["start"]) : int(row["end"])]
        assert word
        assert word == word.strip()
        if row["support_line"]:
            support = int(row["support_line"]) - 1
            assert support <= index
            assert text.documents[support] == text.documents[index]
            assert text.target[support][int(row["support_start"]) : int(row["support_end"])].strip()
