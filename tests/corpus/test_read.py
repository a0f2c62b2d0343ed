"""``read`` takes one file with everything, or a source with files beside it, and both are the same corpus."""

from pathlib import Path

import pytest

import endophora as e
from endophora.corpus.tabular import write_tsv


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"en": "A cat.\nIt slept.\n", "de": "Eine Katze.\nSie schlief.\n", "out": "Eine Katze.\nEs schlief.\n"}
    for name, text in {**texts, "ids": "one\ntwo\n"}.items():
        Path(f"test.{name}").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_one_file_and_files_side_by_side_are_one_corpus():
    apart = e.read("test.en", "en-de", references={"ref": "test.de"}, documents="test.ids", systems={"mt": "test.out"})
    assert repr(apart) == "<Corpus en-de: 2 documents, 2 segments, references ref, systems mt>"
    write_tsv(apart, Path("test.tsv"))
    together = e.read("test.tsv", ("en", "de"))
    for one in (apart, together):
        found = [
            (each.source, each.references["ref"], each.outputs["mt"]) for d in one.documents for each in d.segments
        ]
        assert found == [("A cat.", "Eine Katze.", "Eine Katze."), ("It slept.", "Sie schlief.", "Es schlief.")]
    assert e.read("test.tsv", "en-de", systems=[]).systems == ()
    more = e.read("test.tsv", "en-de", systems={"second": "test.out"})
    assert "second" in more.systems


@pytest.mark.usefixtures("files")
def test_plain_text_without_languages_is_refused():
    with pytest.raises(e.InputError, match="E014"):
        e.read("test.en", references="test.de")
