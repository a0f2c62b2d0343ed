"""The example documents that ship with the package: complete, aligned, and typographically sound."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from sacrebleu import corpus_bleu

from endophora.corpus.codes import parse_languages
from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Corpus
from endophora.data import example_directory, example_pairs
from endophora.errors import InputError

PAIRS = ("en-de", "en-fr")
SYSTEMS = {"sentence-level", "context-aware"}
MARKS = {"en": "“”", "de": "„“", "fr": "«»"}


def files(pair: str) -> dict[str, Path]:
    root = example_directory(pair)
    return {
        "documents": root / f"documents/{pair}.docs",
        "source": root / f"sources/{pair}.txt",
        "reference": root / f"references/{pair}.ref.txt",
        **{name: root / f"system-outputs/{pair}/{name}.txt" for name in SYSTEMS},
    }


def lines(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def corpus(pair: str) -> Corpus:
    return read_corpus(example_directory(pair), "wmt", parse_languages(pair))


def test_both_pairs_are_listed():
    assert example_pairs() == PAIRS


def test_an_unknown_pair_is_an_error_that_names_the_known_ones():
    with pytest.raises(InputError, match=r"\[E090\].*“en-xx”.*known: en-de, en-fr"):
        example_directory("en-xx")


def test_there_are_enough_documents_and_segments(corpus: Corpus):
    assert len(corpus.documents) >= 8
    assert len(corpus) >= 150
    assert min(len(document.segments) for document in corpus.documents) >= 10


def test_reference_and_both_systems_are_there_without_a_warning(corpus: Corpus):
    assert corpus.references == ("ref",)
    assert set(corpus.systems) == SYSTEMS
    assert corpus.warnings == ()


def test_all_files_have_the_same_number_of_lines_and_none_is_empty(pair: str):
    columns = {name: lines(path) for name, path in files(pair).items()}
    assert len({len(column) for column in columns.values()}) == 1
    assert not [(name, n) for name, column in columns.items() for n, line in enumerate(column, 1) if not line.strip()]


def test_each_document_is_one_block_of_lines_of_one_domain(pair: str):
    rows = lines(files(pair)["documents"])
    blocks = [row for row, before in zip(rows, ["", *rows], strict=False) if row != before]
    ids = Counter(block.split("\t")[1] for block in blocks)
    assert max(ids.values()) == 1
    assert {block.split("\t")[0] for block in blocks} >= {"dialogue", "news", "story", "help", "letter"}


def test_no_two_documents_have_the_same_text(corpus: Corpus):
    texts = [tuple(segment.source for segment in document.segments) for document in corpus.documents]
    assert len(set(texts)) == len(texts)


def test_the_systems_differ_from_each_other_and_from_the_reference(corpus: Corpus):
    segments = [segment for document in corpus.documents for segment in document.segments]
    same = sum(len(set(segment.outputs.values())) == 1 for segment in segments)
    assert same < 0.1 * len(segments)
    for system in corpus.systems:
        exact = sum(segment.outputs[system] == segment.references["ref"] for segment in segments)
        assert exact < 0.15 * len(segments)


def test_bleu_hardly_tells_the_systems_apart(corpus: Corpus):
    segments = [segment for document in corpus.documents for segment in document.segments]
    references = [[segment.references["ref"] for segment in segments]]
    scores = [
        corpus_bleu([segment.outputs[system] for segment in segments], references).score for system in corpus.systems
    ]
    assert abs(scores[0] - scores[1]) < 4


def test_text_is_composed_unicode_without_stray_spaces_or_typewriter_marks(pair: str):
    for name, path in files(pair).items():
        for number, line in enumerate(lines(path), 1):
            place = f"{name}:{number}: {line}"
            assert unicodedata.is_normalized("NFC", line), place
            assert line == line.strip(), place
            assert "  " not in line, place
            assert not re.search(r"['\"…\u202f]", line), place


def test_quotation_marks_are_those_of_the_language_and_come_in_pairs(pair: str):
    source, target = pair.split("-")
    for name, path in files(pair).items():
        if name == "documents":
            continue
        first, last = MARKS[source if name == "source" else target]
        for number, line in enumerate(lines(path), 1):
            place = f"{name}:{number}: {line}"
            assert line.count(first) == line.count(last), place
            assert not set(line) & (set("“”„«»") - {first, last}), place


def test_french_has_no_break_spaces_exactly_where_they_belong():
    for name in ("reference", *SYSTEMS):
        for number, line in enumerate(lines(files("en-fr")[name]), 1):
            place = f"{name}:{number}: {line}"
            assert not re.search(r"[^\u00a0][;:!?»]|«[^\u00a0]", line), place
            assert not re.search(r"\u00a0[^;:!?»]", line.replace("«\u00a0", "")), place
