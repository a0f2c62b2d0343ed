"""What the readers make of well-formed input: the records, the warnings, and what counts as a line."""

from __future__ import annotations

import gzip
import io
from functools import partial
from pathlib import Path

import pytest

from endophora.corpus.codes import parse_languages
from endophora.corpus.formats import FORMATS, read_corpus, read_parallel
from endophora.corpus.parallel import parse_named, write_text, write_wmt
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.tabular import write_jsonl, write_tsv
from endophora.errors import InputError

read_tsv = partial(read_corpus, format="tsv", languages=("en", "de"))
read_jsonl = partial(read_corpus, format="jsonl", languages=("en", "de"))
read_wmt = partial(read_corpus, format="wmt")


def texts(corpus: Corpus) -> list[str]:
    return [segment.source for document in corpus.documents for segment in document.segments]


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))


def corpus(*rows: tuple[str, str, str, str]) -> Corpus:
    """Rows of document, source, reference, output; the file is unknown."""
    documents: dict[str, list[Segment]] = {}
    for name, source, reference, output in rows:
        segment = Segment(source, {"refA": reference}, {"mt": output}, Location("", 0))
        documents.setdefault(name, []).append(segment)
    made = tuple(Document(name, tuple(segments)) for name, segments in documents.items())
    return Corpus("en", "de", made, ("refA",), ("mt",))


def test_parallel_makes_documents_of_runs_of_ids(tmp_path: Path) -> None:
    source = put(tmp_path / "s", "one\ntwo\nthree\n")
    read = read_parallel(source, [put(tmp_path / "r.de", "eins\nzwei\ndrei\n")], put(tmp_path / "d", "x\nx\ny z\n"))
    assert [(document.id, len(document.segments)) for document in read.documents] == [("x", 2), ("y z", 1)]
    assert read.documents[1].segments[0] == Segment("three", {"r": "drei"}, {}, Location(str(source), 3))
    assert (len(read), read.references, read.systems, read.warnings) == (3, ("r",), (), ())


def test_parallel_without_ids_is_one_document_with_a_warning(tmp_path: Path) -> None:
    read = read_parallel(put(tmp_path / "s", "one\ntwo"), [put(tmp_path / "r", "eins\nzwei")])
    assert [len(document.segments) for document in read.documents] == [2]
    assert len(read.warnings) == 1
    assert "one document" in read.warnings[0]


def test_empty_outputs_are_kept_and_counted(tmp_path: Path) -> None:
    paths = [
        put(tmp_path / name, content) for name, content in (("s", "a\nb\nc\n"), ("r", "A\nB\nC\n"), ("m", "\n\nC\n"))
    ]
    read = read_parallel(paths[0], [paths[1]], paths[1], [f"mt={paths[2]}"])
    assert [segment.outputs["mt"] for document in read.documents for segment in document.segments] == ["", "", "C"]
    (warning,) = read.warnings
    assert warning.startswith(f"[E391] {paths[2]} – system “mt” left 2 of 3 segments blank: lines 1, 2 – ")


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r\ufeff\t")
def test_only_line_feeds_end_a_line(character: str, tmp_path: Path) -> None:
    read = read_parallel(put(tmp_path / "s", f"one{character}more\r\ntwo"), [put(tmp_path / "r", "eins\nzwei\n")])
    assert texts(read) == [f"one{character}more", "two"]


def test_one_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    assert texts(read_parallel(put(tmp_path / "s", "\ufeff\ufeffone\n"), [])) == ["\ufeffone"]


def test_gzip_is_read_by_content_not_by_name(tmp_path: Path) -> None:
    zipped = gzip.compress(b"one\n") + gzip.compress(b"two\n")
    assert texts(read_parallel(put(tmp_path / "a.gz", zipped), [put(tmp_path / "b.txt", zipped)])) == ["one", "two"]


def test_standard_input_may_be_any_one_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"eins\n")
    read = read_parallel(put(tmp_path / "s", "one\n"), ["-"])
    assert read.documents[0].segments[0].references == {"stdin": "eins"}
    stdin(monkeypatch, gzip.compress(b"one\n"))
    assert read_parallel("-", []).documents[0].segments[0].location == Location("<stdin>", 1)


def test_formats_are_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b'{"source": "one"}\n')
    assert texts(read_corpus("-", "jsonl", ("en", "de"))) == ["one"]
    stdin(monkeypatch, b"source\none\n")
    assert texts(read_corpus("-", "tsv", ("en", "de"))) == ["one"]


def test_named_files(tmp_path: Path) -> None:
    odd = put(tmp_path / "a=b.txt", "x")
    names = [parse_named(text)[0] for text in ("A=x/y.txt", "x/y.de.txt.gz", "out", "-", "A=-", odd)]
    assert names == ["A", "y.de", "out", "stdin", "A", "a=b"]
    assert parse_named("A=x=y")[1] == "x=y"


def test_language_pairs() -> None:
    assert parse_languages("en-de") == ("en", "de")
    assert parse_languages("EN-De") == ("en", "de")
    for wrong in ("en", "ende", "en-xx", "eng-deu", ""):
        with pytest.raises(InputError, match="E014"):
            parse_languages(wrong)


def test_tsv_columns_in_any_order_and_with_others(tmp_path: Path) -> None:
    path = put(tmp_path / "in.tsv", "system:B\tdomain\tsource\treference\r\nzwei\tnews\ttwo\tzwo\r\n")
    read = read_tsv(path)
    assert read.documents[0].segments == (Segment("two", {"reference": "zwo"}, {"B": "zwei"}, Location(str(path), 2)),)
    assert any("domain" in warning for warning in read.warnings)


def test_tsv_takes_quotes_as_text(tmp_path: Path) -> None:
    assert texts(read_tsv(put(tmp_path / "in.tsv", 'source\n"one\n'))) == ['"one']


def test_the_column_target_of_parallel_text_is_a_reference(tmp_path: Path):
    read = read_tsv(put(tmp_path / "in.tsv", "document\tsource\ttarget\nd\tone\teins\n"))
    assert read.references == ("target",)
    assert not read.warnings


def test_json_lines_with_other_keys(tmp_path: Path) -> None:
    path = put(tmp_path / "in.jsonl", '{"source": "one\\ntwo", "domain": 3, "outputs": {"A": ""}, "document": "x"}\n')
    read = read_jsonl(path)
    assert read.documents[0].segments == (Segment("one\ntwo", {}, {"A": ""}, Location(str(path), 1)),)
    assert [warning.split(" ")[0] for warning in read.warnings] == ["Keys", "[E391]"]


def test_selection_keeps_the_order_asked_for(tmp_path: Path) -> None:
    path = put(tmp_path / "in.tsv", "source\tsystem:A\tsystem:B\tsystem:C\none\ta\tb\tc\n")
    assert read_corpus(path, languages=("en", "de"), systems=["C", "A"]).systems == ("C", "A")
    assert read_corpus(path, languages=("en", "de"), systems=[]).systems == ()


def test_wmt_skips_canary_lines_and_keeps_line_numbers(tmp_path: Path) -> None:
    put(tmp_path / "sources/en-de.txt", "CANARY GUID 12\nCanary\nA canary sings.\n")
    put(tmp_path / "documents/en-de.docs.gz", gzip.compress(b"canary\tcanary\ncanary\tcanary\nnews\td 1\n"))
    put(tmp_path / "references/en-de.refA.txt", "CANARY GUID 12\nCanary\nEin Kanarienvogel singt.\n")
    put(tmp_path / "references/en-fr.refA.txt", "Un canari chante.\n")
    read = read_corpus(tmp_path)
    assert (read.source_language, read.target_language, read.references) == ("en", "de", ("refA",))
    assert read.documents[0].id == "d 1"
    assert read.documents[0].segments[0].location == Location(str(tmp_path / "sources/en-de.txt"), 3)


def test_plain_text_with_a_canary_line_is_warned_of(tmp_path: Path) -> None:
    read = read_parallel(put(tmp_path / "s", "CANARY GUID 12\none\n"), [], put(tmp_path / "d", "a\na\n"))
    assert len(read) == 2
    assert "canary" in read.warnings[0]


def test_wmt24(shared: Path) -> None:
    read = read_wmt(shared / "documents" / "wmt24", languages=("en", "de"))
    assert (len(read), len(read.documents), len(read.systems), read.references) == (997, 170, 26, ("refA", "refB"))
    first = read.documents[0]
    assert first.id == "test-en-news_beverly_press.3585"
    assert first.segments[0].source.startswith("Siso's depictions")
    assert first.segments[0].location.line == 2
    assert sum("empty" in warning for warning in read.warnings) == 4


def test_wmt_directory_with_two_pairs_asks_which(shared: Path) -> None:
    with pytest.raises(InputError, match=r"E014.*en-de, en-es"):
        read_corpus(shared / "documents" / "wmt24")


def test_ntrex(shared: Path) -> None:
    ntrex = shared / "documents" / "ntrex"
    read = read_parallel(
        ntrex / "newstest2019.eng.txt",
        [f"ntrex={ntrex / 'newstest2019.fra.txt'}"],
        ntrex / "DOCUMENT_IDS.tsv",
        languages=("en", "fr"),
    )
    assert (len(read), len(read.documents), read.warnings) == (1997, 123, ())
    assert not any(text.endswith("\r") for text in texts(read))


def test_registry_holds_these_formats() -> None:
    tables, texts = ("jsonl", "tsv", "csv", "xlsx"), ("wmt", "text", "parquet")
    assert FORMATS.names() == (
        *tables,
        *texts,
        "tmx",
        "xliff",
        "xliff2",
        "po",
        "wmtxml",
        "sgm",
        "sacrebleu",
        "hf",
        "bwb",
        "opus",
    )


def test_writers_refuse_what_their_format_cannot_hold(tmp_path: Path) -> None:
    line, carriage_return = corpus(("d", "a\nb", "c", "")), corpus(("d", "a", "c\r", ""))
    for write in (write_tsv, write_text, write_wmt):
        for bad in (line, carriage_return):
            with pytest.raises(InputError, match="E022"):
                write(bad, tmp_path / "out")
    with pytest.raises(InputError, match="a tab"):
        write_tsv(corpus(("d", "a\tb", "c", "")), tmp_path / "out")
    segment = Segment("a", {"x/y": "b"}, {}, Location("", 0))
    slash = Corpus("en", "de", (Document("d", (segment,)),), ("x/y",), ())
    for write in (write_text, write_wmt):
        with pytest.raises(InputError, match="a slash"):
            write(slash, tmp_path / "out")
    with pytest.raises(InputError, match="canary"):
        write_wmt(corpus(("d", "CANARY GUID", "b", "c")), tmp_path / "out")
    with pytest.raises(InputError, match="surrogate"):
        write_jsonl(corpus(("d", "\ud800", "b", "c")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_writers_say_where_they_cannot_write(tmp_path: Path) -> None:
    blocked = put(tmp_path / "file", "x")
    good = corpus(("d", "a", "b", "c"))
    for write, path in ((write_jsonl, tmp_path / "no" / "x"), (write_tsv, tmp_path), (write_wmt, blocked)):
        with pytest.raises(InputError, match="E026"):
            write(good, path)


def test_equal_corpora_make_equal_gzip_bytes(tmp_path: Path) -> None:
    good = corpus(("d", "a", "b", "c"))
    write_tsv(good, tmp_path / "x.tsv.gz")
    write_tsv(good, tmp_path / "y.tsv.gz")
    assert (tmp_path / "x.tsv.gz").read_bytes() == (tmp_path / "y.tsv.gz").read_bytes()


def test_writing_to_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_tsv(corpus(("d", "a", "b", "c")), "-")
    assert capsysbinary.readouterr().out == b"document\tsource\treference:refA\tsystem:mt\nd\ta\tb\tc\n"
