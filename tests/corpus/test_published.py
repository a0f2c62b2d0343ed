"""Corpora by public name: sacreBLEU's own data in its folder, data sets on the disk as ``datasets`` keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.dataset import DATASETS

from endophora.corpus.formats import read_corpus
from endophora.errors import InputError

PAIR = ("en", "de")
XML = """<dataset id="t"><collection id="general">
<doc origlang="en" id="lamp" domain="news"><src lang="en"><p>
<seg id="1">The  lamp.</seg><seg id="2">It broke.</seg></p></src>
<ref lang="de" translator="refA"><p><seg id="1">Die Lampe.</seg><seg id="2">Sie ist kaputt.</seg></p></ref>
<ref lang="de" translator="refB"><p><seg id="1">Lampe.</seg><seg id="2">Kaputt.</seg></p></ref>
<hyp system="mt" language="de"><p><seg id="1">Die Lampe.</seg><seg id="2">Es brach.</seg></p></hyp></doc>
<doc origlang="en" id="key" domain="news"><src lang="en"><p><seg id="1">My key.</seg></p></src>
<ref lang="de" translator="refA"><p><seg id="1">Mein Schlüssel.</seg></p></ref>
<ref lang="de" translator="refB"><p><seg id="1">Schlüssel.</seg></p></ref>
<hyp system="mt" language="de"><p><seg id="1">Der Schlüssel.</seg></p></hyp></doc></collection></dataset>
"""
SGM = '<srcset setid="n" srclang="any">\n<doc docid="{0}" origlang="en">\n<seg id="1">{1}</seg>\n</doc>\n</srcset>\n'


def _downloaded(name: str, files: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay a test set out as sacreBLEU does when it has fetched it, in ``folder``."""
    data = DATASETS[name]
    monkeypatch.setattr(data, "_outdir", str(folder / name))
    monkeypatch.setattr(data, "_rawdir", str(folder / name / "raw"))
    for file, text in files.items():
        path = folder / name / "raw" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / name / "raw").mkdir(parents=True, exist_ok=True)
    for url in data.data:
        # The archive is there, so that nothing is fetched; what it held is beside it.
        (folder / name / "raw" / data._get_tarball_filename(url)).write_bytes(b"fetched")


def test_a_test_set_of_sacrebleu_has_its_documents_references_and_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    _downloaded("wmt24", {"xml/wmttest2024.en-de.all.xml": XML}, tmp_path, monkeypatch)
    for path in ("sacrebleu:wmt24/en-de", "sacrebleu:wmt24"):
        read = read_corpus(path, None, PAIR)
        assert [(one.id, len(one.segments)) for one in read.documents] == [("lamp", 2), ("key", 1)]
        # sacreBLEU scores this pair by refA alone.
        assert (read.references, read.systems) == (("refA",), ("mt",))
        assert [one.source for one in read.documents[0].segments] == ["The lamp.", "It broke."]
    assert read_corpus("sacrebleu:wmt24/en-de").source_language == "en"
    both = read_corpus("sacrebleu:wmt24/en-de", None, PAIR, references=["refA", "refB"], systems=[])
    assert both.documents[1].segments[0].references == {"refA": "Mein Schlüssel.", "refB": "Schlüssel."}


def test_older_test_sets_have_documents_and_no_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {
        "test/newstest2018-ende-src.en.sgm": SGM.format("bild.1", "A &amp; B."),
        "test/newstest2018-ende-ref.de.sgm": SGM.format("bild.1", "A &amp; B!"),
    }
    _downloaded("wmt18", files, tmp_path, monkeypatch)
    read = read_corpus("sacrebleu:wmt18/en-de", None, PAIR)
    # The texts are those that sacreBLEU scores, entities and all.
    assert (read.documents[0].id, read.documents[0].segments[0].source, read.systems) == ("bild.1", "A &amp; B.", ())


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("sacrebleu:wmt2", "E258", "there is no test set “wmt2”"),
        ("sacrebleu:wmt24/en-fr", "E258", "wmt24 has no pair en-fr; there are: cs-uk"),
        ("sacrebleu:wmt24/en-es", "E232", "of en-es, not of en-de"),
        ("sacrebleu:wmt24/en-de", "E258", "its folder is $SACREBLEU"),
    ],
)
def test_what_sacrebleu_does_not_have_is_refused(
    path: str, code: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    _downloaded("wmt24", {}, tmp_path, monkeypatch)
    with pytest.raises(InputError, match=said.replace("$", r"\$")) as caught:
        read_corpus(path, None, PAIR)
    assert [fault.code for fault in caught.value.faults] == [code]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))


def test_data_sets_are_read_by_split_from_the_disk_and_as_folders_of_files(tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    rows = {"doc": ["a", "b"], "translation": [{"en": "One.", "de": "Eins."}, {"en": "Two.", "de": "Zwei."}]}
    splits = datasets.DatasetDict({name: datasets.Dataset.from_dict(rows) for name in ("train", "test")})
    splits.save_to_disk(tmp_path / "kept")
    read = read_corpus(f"hf:{tmp_path / 'kept'}:test", None, PAIR)
    assert [one.references for one in read.documents[0].segments] == [{"target": "Eins."}, {"target": "Zwei."}]
    with pytest.raises(InputError, match="several splits; there are: train, test"):
        read_corpus(f"hf:{tmp_path / 'kept'}", None, PAIR)
    (tmp_path / "files").mkdir()
    table = datasets.Dataset.from_dict({"document": [1, 2], "en": ["One.", "Two."], "system:mt": ["Eins.", None]})
    table.to_parquet(tmp_path / "files" / "train.parquet")
    read = read_corpus(f"hf:{tmp_path / 'files'}:train", None, PAIR)
    assert [(one.id, one.segments[0].source, one.segments[0].outputs["mt"]) for one in read.documents] == [
        ("1", "One.", "Eins."),
        ("2", "Two.", ""),
    ]


def test_a_data_set_that_cannot_be_had_or_is_no_text_is_refused(tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"source": [[1], [2]]}).save_to_disk(tmp_path / "x")
    with pytest.raises(InputError) as caught:
        read_corpus(f"hf:{tmp_path / 'x'}", None, PAIR)
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E200", 1)]
    with pytest.raises(InputError, match="E258"):
        read_corpus(f"hf:{tmp_path / 'nothing'}", None, PAIR)
