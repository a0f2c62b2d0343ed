"""Wordnets: tables of lemmas, WN-LMF, and the library's own database say the same."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError, MissingModelError
from endophora.metrics.wordnet import SynsetTable, Wordnet, load_wordnet, read_lmf, read_tab

LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="toy" label="Toy" language="en" email="a@b.c" license="CC0" version="1">
    <LexicalEntry id="e1"><Lemma writtenForm="ship" partOfSpeech="n"/><Sense id="s1" synset="toy-1-n"/></LexicalEntry>
    <LexicalEntry id="e2"><Lemma writtenForm="Boat" partOfSpeech="n"/><Sense id="s2" synset="toy-2-n"/></LexicalEntry>
    <LexicalEntry id="e3"><Lemma writtenForm="vessel" partOfSpeech="n"/><Sense id="s3" synset="toy-3-n"/></LexicalEntry>
    <LexicalEntry id="e4"><Lemma writtenForm="big" partOfSpeech="a"/><Sense id="s4" synset="toy-4-a">
      <SenseRelation relType="antonym" target="s6"/></Sense></LexicalEntry>
    <LexicalEntry id="e5"><Lemma writtenForm="large" partOfSpeech="a"/><Sense id="s5" synset="toy-4-a"/></LexicalEntry>
    <LexicalEntry id="e6"><Lemma writtenForm="small" partOfSpeech="a"/><Sense id="s6" synset="toy-5-a"/></LexicalEntry>
    <LexicalEntry id="e7"><Lemma writtenForm="deck" partOfSpeech="n"/><Sense id="s7" synset="toy-6-n"/></LexicalEntry>
    <LexicalEntry id="e8"><Lemma writtenForm="huge" partOfSpeech="s"/><Sense id="s8" synset="toy-7-s"/></LexicalEntry>
    <Synset id="toy-1-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="toy-3-n"/>
      <SynsetRelation relType="mero_part" target="toy-6-n"/></Synset>
    <Synset id="toy-2-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="toy-3-n"/></Synset>
    <Synset id="toy-3-n" ili="" partOfSpeech="n"/>
    <Synset id="toy-4-a" ili="" partOfSpeech="a"/>
    <Synset id="toy-5-a" ili="" partOfSpeech="a"/>
    <Synset id="toy-6-n" ili="" partOfSpeech="n"/>
    <Synset id="toy-7-s" ili="" partOfSpeech="s"><SynsetRelation relType="similar" target="toy-4-a"/></Synset>
  </Lexicon>
</LexicalResource>
"""


def _holds_the_toy(wordnet: Wordnet) -> None:
    assert wordnet.senses("boat", "NOUN") == wordnet.senses("boat") == {"toy-2-n"}
    assert wordnet.senses("boat", "VERB") == wordnet.senses("boat", "PROPN") == wordnet.senses("raft") == frozenset()
    assert wordnet.senses("huge", "ADJ") == {"toy-7-s"}
    assert wordnet.related("toy-1-n").above == wordnet.related("toy-2-n").above == {"toy-3-n"}
    assert wordnet.related("toy-1-n").tied == {"toy-6-n"}
    assert wordnet.related("toy-4-a").tied == {"toy-5-a"}
    assert wordnet.related("toy-7-s").near == {"toy-4-a"}
    assert wordnet.related("toy-3-n") == (frozenset(), frozenset(), frozenset())


def test_wordnet_in_lmf_is_read_with_its_relations(tmp_path: Path):
    pytest.importorskip("wn")
    path = tmp_path / "toy.xml"
    path.write_text(LMF, encoding="utf-8")
    wordnet = read_lmf(path)
    _holds_the_toy(wordnet)
    assert wordnet.name == "toy.xml"


def test_wordnet_in_the_librarys_database_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "data")
    path = tmp_path / "toy.xml"
    path.write_text(LMF, encoding="utf-8")
    wn.add(path, progress_handler=None)
    _holds_the_toy(load_wordnet("toy:1"))


def test_a_wordnet_that_is_not_installed_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "data")
    with pytest.raises(MissingModelError, match=r"E141.*wn download nosuch:1"):
        load_wordnet("nosuch:1")
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(MissingModelError, match=r"E141.*endophora\[wordnet\]"):
        load_wordnet("nosuch:2")


@pytest.mark.parametrize("text", ["<a>", "", "<?xml version='1.0'?><a/>", LMF.replace("writtenForm", "form")])
def test_a_file_that_is_no_lmf_is_an_error(text: str, tmp_path: Path):
    pytest.importorskip("wn")
    path = tmp_path / "bad.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="E142"):
        read_lmf(path)
    with pytest.raises(InputError, match="E001"):
        read_lmf(tmp_path / "none.xml")


LEMMA = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z")), min_size=1, max_size=6)
ROWS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("nvasr"), LEMMA), min_size=1, max_size=9)


@given(rows=ROWS, kind=st.sampled_from(["lemma", "eng:lemma"]), zipped=st.booleans())
def test_a_table_of_lemmas_is_read_back(rows: list[tuple[int, str, str]], kind: str, zipped: bool, tmp_path: Path):
    lines = ["# Toy\ten\turl\tCC0"] + [f"{number:08d}-{pos}\t{kind}\t{lemma}" for number, pos, lemma in rows]
    lines.append("00000001-n\teng:def\t0\ta definition")
    data = "\n".join(lines).encode()
    path = tmp_path / ("toy.tab.gz" if zipped else "toy.tab")
    path.write_bytes(gzip.compress(data) if zipped else data)
    table = read_tab(path)
    expected: dict[str, set[str]] = {}
    for number, pos, lemma in rows:
        name = " ".join(lemma.replace("_", " ").lower().split())
        if name:
            expected.setdefault(name, set()).add(f"{number:08d}-{pos}")
    assert {lemma: set(table.senses(lemma)) for lemma in table.lemmas} == expected


def test_faulty_lines_of_a_table_are_all_told(tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text("00000001-n\tlemma\ta\nnonsense\n00000001-x\tlemma\tb\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_tab(path)
    assert [(fault.code, fault.line) for fault in raised.value.faults] == [("E142", 2), ("E142", 3)]


def test_a_table_without_a_lemma_is_an_error(tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="E142"):
        read_tab(path)


def test_the_open_multilingual_wordnet_is_read(shared: Path):
    wordnet = load_wordnet(str(shared / "lexicons" / "omw-wiktionary" / "wn-wikt-deu.tab.gz"))
    assert isinstance(wordnet, SynsetTable)
    assert len(wordnet.lemmas) > 10_000
    assert wordnet.senses("schiff", "NOUN")
