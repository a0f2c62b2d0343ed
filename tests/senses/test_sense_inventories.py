"""Inventories: Wiktionary's lists and the embedded file, wordnets, BabelNet's interface on a local server, tables."""

from __future__ import annotations

import gzip
import json
import lzma
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sense_suites import WORDS

from endophora.errors import EndophoraError, InputError
from endophora.suites.senses.inventory import COLUMNS, KEY, SourceWord, open_inventory, plain, read_gold, read_table
from endophora_makers.wiktionary import compact, read_list, write_compact

BANK = SourceWord("bank", "NOUN")


def words(inventory, word: SourceWord = BANK) -> list[tuple[str, ...]]:
    return [sense.words for sense in inventory.senses([word]).get(word, ())]


def test_lists_of_both_writings_give_the_same_senses(tmp_path: Path) -> None:
    text = "# head\nbank {n} (edge of river, or lake) :: Ufer {n}, Rand [of, a] (rare) {m}\nbank {n} (x) SEE: y ::\n"
    dsl = '#NAME "x"\n\nbank\n\t[b]~[/b] [p]<n>[/p] [c gray]/b/[/c] (edge of river, or lake)\n'
    dsl += "\t[m1]Ufer [p]<n>[/p], \\[archaic\\] Rand [c gray]/ra, nt/[/c][/m]\n"
    (tmp_path / "en-de.txt.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "en-fi.dsl.dz").write_bytes(gzip.compress(dsl.encode("utf-16")))
    first, second = (list(read_list(path)) for path in sorted(tmp_path.iterdir()))
    assert first == second == [("bank", "NOUN", "edge of river, or lake", ("Ufer", "Rand"))]
    assert compact(tmp_path) == [
        *("headword\tbank", "class\tNOUN", "gloss\tedge of river, or lake", "de\tUfer|Rand", "fi\tUfer|Rand")
    ]


def test_a_romanisation_with_a_comma_is_no_translation(tmp_path: Path) -> None:
    (tmp_path / "en-ja.txt.gz").write_bytes(
        gzip.compress("bank {n} (institution) :: 銀行 /ぎんこう, ginkō/, バンク\n".encode())
    )
    assert next(read_list(tmp_path / "en-ja.txt.gz")).words == ("銀行", "バンク")


def test_the_embedded_file_serves_all_directions() -> None:
    from_english = words(open_inventory("wiktionary", "en", "de"))
    assert ("Ufer",) in from_english
    assert from_english.count(("Bank",)) >= 2
    into_english = open_inventory("wiktionary", "de", "en")
    assert {("bank",), ("bench",)} <= set(words(into_english, SourceWord("Bank", "NOUN")))
    pivot = words(open_inventory("wiktionary", "de", "fr"), SourceWord("bank", "NOUN"))
    assert any("banque" in sense for sense in pivot)
    assert any("banc" in sense for sense in pivot)


def test_the_embedded_file_is_small_enough_to_ship() -> None:
    from endophora.suites.senses.inventory import DATA

    assert DATA.stat().st_size < 10_000_000


def test_vowel_points_of_dictionaries_do_not_hide_a_word() -> None:
    assert words(open_inventory("wiktionary", "ar", "en"), SourceWord("حارس", "NOUN"))


def test_a_language_that_the_file_lacks_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E225"):
        open_inventory("wiktionary", "en", "xx")
    (tmp_path / "bad.xz").write_bytes(b"no")
    with pytest.raises(InputError, match="E225"):
        open_inventory(f"wiktionary:{tmp_path / 'bad.xz'}", "en", "de")
    (tmp_path / "bad.xz").write_bytes(lzma.compress(b"bank\n"))
    with pytest.raises(InputError, match="E225"):
        open_inventory(f"wiktionary:{tmp_path / 'bad.xz'}", "en", "de")
    write_compact([*_turned([("bank", ["Ufer"])]), "fr\trive\tbord"], tmp_path / "bad.xz")
    with pytest.raises(InputError, match=r"bad.xz:5.*E225|E225.*bad.xz:5"):
        open_inventory(f"wiktionary:{tmp_path / 'bad.xz'}", "en", "de")
    with pytest.raises(InputError, match="E225"):
        open_inventory(f"wiktionary:{tmp_path / 'none.xz'}", "en", "de")
    with pytest.raises(InputError, match="E090"):
        open_inventory("wictionary", "en", "de")


def _turned(rows: list[tuple[str, list[str]]]) -> list[str]:
    cells = zip(*((word, "NOUN", "", "|".join(listed)) for word, listed in rows), strict=True)
    return ["\t".join((name, *column)) for name, column in zip((*COLUMNS, "de"), cells, strict=True)]


def test_the_compact_file_has_the_same_bytes_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_compact(_turned([("bank", ["Ufer"])]), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert words(open_inventory(f"wiktionary:{tmp_path / 'a'}", "en", "de")) == [("Ufer",)]


def test_tables_of_wordnets_are_joined_by_synset(tmp_path: Path) -> None:
    (tmp_path / "en.tab").write_text("1-n\tlemma\tbank\n2-n\tlemma\tbank\n3-v\tlemma\tbank\n", "utf-8")
    (tmp_path / "de.tab").write_text(
        "1-n\tdeu:lemma\tUfer\n1-n\tdeu:lemma\trand_x\n2-n\tdeu:lemma\tBank\n3-v\tlemma\tx\n"
    )
    inventory = open_inventory(f"wordnet:{tmp_path / 'en.tab'},{tmp_path / 'de.tab'}", "en", "de")
    assert sorted(words(inventory)) == [("bank",), ("ufer", "rand x")]
    assert len(words(inventory, SourceWord("bank"))) == 3


LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
<Lexicon id="{id}" label="{id}" language="{id}" email="x@example.org" license="x" version="1">
<LexicalEntry id="{id}-e1"><Lemma writtenForm="{word}" partOfSpeech="n"/>
<Sense id="{id}-s1" synset="{id}-1"/></LexicalEntry>
<Synset id="{id}-1" ili="i1" partOfSpeech="n"/>
</Lexicon></LexicalResource>"""


def test_files_of_lmf_are_joined_by_the_interlingual_index(tmp_path: Path) -> None:
    pytest.importorskip("wn")
    for id, word in (("en", "bank"), ("de", "Ufer")):
        (tmp_path / f"{id}.xml").write_text(LMF.format(id=id, word=word), "utf-8")
    inventory = open_inventory(f"wordnet:{tmp_path / 'en.xml'},{tmp_path / 'de.xml'}", "en", "de")
    assert words(inventory) == [("Ufer",)]
    (tmp_path / "bad.xml").write_text("<x/>", "utf-8")
    with pytest.raises(EndophoraError, match="E225"):
        open_inventory(f"wordnet:{tmp_path / 'bad.xml'},{tmp_path / 'de.xml'}", "en", "de")


def test_wordnets_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E220"):
        open_inventory("wordnet:one", "en", "de")
    with pytest.raises(InputError, match="E001"):
        open_inventory(f"wordnet:{tmp_path / 'a.tab'},{tmp_path / 'b.tab'}", "en", "de")
    pytest.importorskip("wn")
    with pytest.raises(EndophoraError, match="E226"):
        open_inventory("wordnet:nosuch:1,other:2", "en", "de")


class Handler(BaseHTTPRequestHandler):
    """Answers as BabelNet's interface does."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        address = urlparse(self.path)
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        self.asked.append(address.path)
        if query.get("key") == "refused":
            self.send_error(403)
            return
        body: object = {"message": "Your key is not valid or the daily requests limit has been reached."}
        if query.get("key") == "right" and address.path.endswith("getSynsetIds"):
            assert (query["searchLang"], query["targetLang"], query["pos"]) == ("EN", "DE", "NOUN")
            body = [{"id": "bn:1n"}, {"id": "bn:2n"}, {"id": "bn:1n"}] if query["lemma"] == "bank" else []
        elif query.get("key") == "right":
            lemmas = {"bn:1n": [("DE", "Ufer"), ("DE", "Fluss_rand"), ("EN", "bank")], "bn:2n": [("EN", "bank")]}
            senses = [{"properties": {"language": code, "simpleLemma": lemma}} for code, lemma in lemmas[query["id"]]]
            body = {"senses": senses, "glosses": [{"gloss": "edge of a river"}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *arguments: object) -> None:
        del arguments


@pytest.fixture
def babelnet():
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    Handler.asked.clear()
    yield f"babelnet:http://127.0.0.1:{server.server_port}/v9"
    server.shutdown()
    server.server_close()


def test_babelnet_is_asked_with_the_users_key_and_once_a_synset(babelnet: str, monkeypatch) -> None:
    monkeypatch.setenv(KEY, "right")
    inventory = open_inventory(babelnet, "en", "de")
    assert inventory.name == "babelnet-v9"
    found = inventory.senses([BANK, SourceWord("nothing", "NOUN")])
    assert [(sense.id, sense.gloss, sense.words) for sense in found[BANK]] == [
        ("bn:1n", "edge of a river", ("Ufer", "Fluss rand"))
    ]
    assert len(found) == 1
    inventory.senses([BANK])
    assert [path.rpartition("/")[2] for path in Handler.asked].count("getSynset") == 2


@pytest.mark.parametrize("key", ["wrong", "refused"])
def test_what_babelnet_refuses_is_told(babelnet: str, monkeypatch, key: str) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(InputError, match="E227"):
        open_inventory(babelnet, "en", "de").senses([BANK])


def test_babelnet_without_key_or_server_is_told(monkeypatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(InputError, match="E227"):
        open_inventory("babelnet", "en", "de")
    monkeypatch.setenv(KEY, "x")
    with pytest.raises(InputError, match="E227"):
        open_inventory("babelnet:file:///etc/hostname", "en", "de")
    with pytest.raises(InputError, match="E227"):
        open_inventory("babelnet:http://127.0.0.1:9/v9", "en", "de").senses([BANK])


def test_a_table_of_the_users_is_an_inventory(tmp_path: Path) -> None:
    path = tmp_path / "senses.tsv"
    path.write_text(
        "# mine\nBank\tNOUN\triver\tUfer|Rand eines Flusses\nbank\tNOUN\tmoney\tBank\nrun\t\t\tLauf\n", "utf-8"
    )
    inventory = open_inventory(f"tsv:{path}", "en", "de")
    assert words(inventory) == [("Ufer", "Rand eines Flusses"), ("Bank",)]
    assert words(inventory, SourceWord("run", "VERB")) == [("Lauf",)]
    assert read_gold(path)["bank"] == ({"ufer", "rand eines flusses"}, {"bank"})


TABLES = st.dictionaries(
    WORDS.map(str.lower), st.lists(st.lists(WORDS, min_size=1, max_size=3, unique=True), min_size=1)
)
ONE = settings(max_examples=40)


@ONE
@given(TABLES)
def test_a_table_gives_back_the_senses_written(tmp_path: Path, table: dict[str, list[list[str]]]) -> None:
    path = tmp_path / "senses.tsv"
    lines = [
        f"{word}\tNOUN\t{n}\t{'|'.join(words)}" for word, senses in table.items() for n, words in enumerate(senses)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    inventory = open_inventory(f"tsv:{path}", "en", "de")
    for word, senses in table.items():
        assert words(inventory, SourceWord(word, "NOUN")) == [tuple(one) for one in senses]


@settings(max_examples=20)
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_the_compact_file_gives_back_the_senses_written(rows) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.xz"
        write_compact(_turned(rows), path)
        inventory = open_inventory(f"wiktionary:{path}", "en", "de")
        for word, _ in rows:
            found = words(inventory, SourceWord(word, "NOUN"))
            assert [list(sense) for sense in found] == [listed for other, listed in rows if plain(other) == plain(word)]


def test_a_bad_table_is_told_with_all_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "senses.tsv"
    path.write_text("bank\tUfer\nbank\tNOUN\tx\t|\n\tNOUN\tx\ty\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E225", 1), ("E225", 2), ("E225", 3)]


def test_a_suite_is_a_gold_clustering(shared: Path) -> None:
    gold = read_gold(shared / "known-answers/mucow/tr-en.mucow.scoring.json.gz")
    assert gold["ateş"] == (
        {"burning", "burn", "flaming", "fires", "fiery", "fire", "flame", "flames", "bonfire"},
        {"fever", "fevers"},
    )
