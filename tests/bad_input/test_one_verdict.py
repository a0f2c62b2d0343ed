# ruff: noqa: E501 (a file of the table is a line)
"""A file gets one verdict wherever it is read: as a corpus (evaluate, tag) or as a stream (extract, train)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from command import run
from endophora.corpus import streams
from endophora.corpus.formats import FORMATS, Format, open_parallel, open_stream, read_corpus, read_parallel
from endophora.corpus.streams import ReadOptions, Row
from endophora.errors import InputError

LINE = {"document": "a", "source": "One.", "references": {"A": "Eins."}, "outputs": {"x": "Ein."}}
HEADER = "document\tsource\treference:A\tsystem:x\n"
GOOD = "a\tOne.\tEins.\tEin.\n"


def lines(*changed: dict[str, object]) -> str:
    return "".join(json.dumps({**LINE, **change}) + "\n" for change in ({}, *changed))


FILES: dict[str, tuple[str, str | bytes, list[tuple[str, int | None]]]] = {
    "a key twice": ("x.jsonl", lines() + '{"source": "a", "source": "b"}\n', [("E018", 2)]),
    "a name twice": ("x.jsonl", lines() + '{"source": "a", "references": {"A": "a", "A": "b"}}\n', [("E018", 2)]),
    "malformed": ("x.jsonl", lines() + "{\n", [("E018", 2)]),
    "an empty line": ("x.jsonl", lines() + "\n", [("E018", 2)]),
    "a zero that JSON escapes": ("x.jsonl", lines({"source": "o\0ne"}), [("E007", 2)]),
    "half of a pair": ("x.jsonl", lines({"document": "\ud83d"}), [("E006", 2)]),
    "another reference": ("x.jsonl", lines({"references": {"B": "Eins."}}), [("E025", 2)]),
    "one more reference": ("x.jsonl", lines({"references": {"A": "Eins.", "B": "Eins."}}), [("E025", 2)]),
    "another system": ("x.jsonl", lines({"outputs": {"y": "Ein."}}), [("E025", 2)]),
    "no references": ("x.jsonl", lines({"references": {}}), [("E025", 2)]),
    "no id in a line": ("x.jsonl", lines() + '{"source": "Two.", "references": {"A": "Zwei."}, "outputs": {"x": ""}}\n', [("E025", 2)]),
    "an id that is no text": ("x.jsonl", lines({"document": 1}), [("E019", 2)]),
    "an empty id": ("x.jsonl", lines({"document": " "}), [("E023", 2)]),
    "an empty reference": ("x.jsonl", lines({"references": {"A": ""}}), [("E010", 2)]),
    "an id comes back": ("x.jsonl", lines({"document": "b"}, {}), [("E013", 3)]),
    "an id comes back after a faulty line": ("x.jsonl", lines({"document": "b", "source": ""}, {}), [("E009", 2), ("E013", 3)]),
    "a zero": ("x.tsv", HEADER + GOOD + "a\tTw\0o.\tZwei.\tZwo.\n", [("E007", 3)]),
    "no source": ("x.tsv", "document\treference\na\tEins.\n", [("E016", 1)]),
    "ids twice": ("x.tsv", "document\tdocument\tsource\ttarget\na\ta\tOne.\tEins.\n", [("E016", 1)]),
    "a reference twice": ("x.tsv", "document\tsource\treference\treference\na\tOne.\tEins.\tEin.\n", [("E012", 1)]),
    "a system twice": ("x.tsv", "document\tsource\ttarget\tsystem\tsystem\na\tOne.\tEins.\tx\ty\n", [("E011", 1)]),
    "a field too few": ("x.tsv", HEADER + GOOD + "a\tTwo.\tZwei.\n", [("E017", 3)]),
    "an empty id in a table": ("x.tsv", HEADER + GOOD + "\tTwo.\tZwei.\t\n", [("E023", 3)]),
    "a long segment": ("x.tsv", HEADER + GOOD + f"a\tTwo.\t{'z' * 50_001}\tZwo.\n", [("E345", 3)]),
    "a long output": ("x.jsonl", lines({"outputs": {"x": "z" * 50_001}}), []),
    "latin-1": ("x.tsv", (HEADER + GOOD + "a\tTwo.\tZwölf.\tZwo.\n").encode("latin-1"), [("E006", 3)]),
    "cut short": ("x.tsv.gz", gzip.compress((HEADER + GOOD).encode(), mtime=0)[:-4], [("E004", 3)]),
    "empty": ("x.jsonl", "", [("E005", None)]),
}  # fmt: skip


def verdict(read: object) -> list[tuple[str, int | None]]:
    """Codes and lines of what is wrong."""
    assert callable(read)
    try:
        read()
    except InputError as error:
        return [(fault.code, fault.line) for fault in error.faults]
    return []


@pytest.mark.parametrize("case", FILES)
def test_a_corpus_and_a_stream_refuse_the_same_lines(case: str, tmp_path: Path):
    name, content, expected = FILES[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    options = ReadOptions(languages=("en", "de"))
    assert verdict(lambda: list(open_stream([path], options))) == expected
    # The outputs of systems are read by those who want them alone.
    of_outputs = [("E345", 2)] if case == "a long output" else expected
    assert verdict(lambda: read_corpus(path, languages=("en", "de"))) == of_outputs
    assert verdict(lambda: read_corpus(path, languages=("en", "de"), systems=())) == expected


PARALLEL = {
    "a zero": {"ref": "Ei\0ns.\nZwei.\n"},
    "a line less": {"ref": "Eins.\n"},
    "an empty line": {"src": "One.\n\n"},
    "an empty id": {"ids": "a\n \n"},
    "a missing file": {"ref": None},
    "subtitles": {"ref": "1\n00:00:01,000 --> 00:00:02,000\nEins.\n\n2\n00:00:03,000 --> 00:00:04,000\nZwei.\n"},
}


@pytest.mark.parametrize("case", PARALLEL)
def test_files_of_lines_get_one_verdict(case: str, tmp_path: Path):
    files = {"src": "One.\nTwo.\n", "ref": "Eins.\nZwei.\n", "ids": "a\na\n", **PARALLEL[case]}
    for name, content in files.items():
        if content is not None:
            (tmp_path / name).write_text(content, "utf-8")
    source, target, ids = (str(tmp_path / name) for name in ("src", "ref", "ids"))
    found = verdict(lambda: read_parallel(source, [target], ids))
    assert found
    assert verdict(lambda: list(open_parallel(source, target, ids))) == found


@pytest.mark.parametrize("case", ["a key twice", "a zero that JSON escapes", "another reference", "no id in a line"])
def test_the_commands_refuse_what_the_readers_refuse(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    name, content, expected = FILES[case]
    path = tmp_path / name
    path.write_text(str(content), "utf-8")
    shared = ("-l", "en-de", "-i", str(path), "-p", "formality")
    said: list[str] = []
    for command in (("evaluate", "--no-store", "-m", "bleu"), ("extract", "--executor", "serial")):
        assert run(command[0], *shared, *command[1:], "-o", str(tmp_path / command[0])) == 2
        said.append("\n".join(line for line in capsys.readouterr().err.splitlines() if line.startswith("[E")))
    assert said[0] == said[1]
    assert f"[{expected[0][0]}] {path}:2" in said[0]


def test_a_reader_of_an_outside_package_cannot_lose_a_selection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def careless(path, options, log):
        for number, text in enumerate(Path(path).read_text("utf-8").split(), 1):
            yield Row("a", text, {"A": "eins", "B": "zwei"}, {"x": "ein", "y": ""}, str(path), number)

    form = Format("words", lambda path: path.suffix == ".words", careless)
    monkeypatch.setattr(FORMATS, "get", lambda name: form)
    (tmp_path / "a.words").write_text("one two")
    read = read_corpus(tmp_path / "a.words", "words", ("en", "de"), ["B"], ["y"])
    assert (read.references, read.systems) == (("B",), ("y",))
    assert [dict(segment.outputs) for segment in read.documents[0].segments] == [{"y": ""}, {"y": ""}]
    options = ReadOptions(languages=("en", "de"), references=["B"])
    (document,) = open_stream([tmp_path / "a.words"], options, "words")
    assert [dict(segment.references) for segment in document.segments] == [{"reference": "zwei"}] * 2
    for wanted in ({"systems": ["z"]}, {"references": ["C"]}):
        with pytest.raises(InputError, match="E024"):
            read_corpus(tmp_path / "a.words", "words", ("en", "de"), **wanted)


def test_a_stream_wants_a_reference_which_a_corpus_may_lack(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"source": "a", "document": "d"}) + "\n", "utf-8")
    assert verdict(lambda: list(open_stream([path], ReadOptions(languages=("en", "de"))))) == [("E107", None)]
    assert len(read_corpus(path, languages=("en", "de"))) == 1


def test_an_input_without_any_ids_is_one_document_in_doubt_everywhere(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"source": "a", "references": {"A": "b"}}\n' * 3, "utf-8")
    stream = open_stream([path], ReadOptions(languages=("en", "de")))
    (streamed,), (read,) = list(stream), read_corpus(path, languages=("en", "de")).documents
    assert (streamed.id, len(streamed.segments)) == (read.id, len(read.segments)) == ("document-1", 3)
    (warning,) = stream.census.remarks
    assert warning.startswith(f"[E204] {path}")
    assert read_corpus(path, languages=("en", "de")).warnings == (warning,)


def test_no_document_has_more_segments_than_any_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streams, "MOST_WITHOUT_IDS", 3)
    path = tmp_path / "x.tsv"
    for count, expected in ((3, []), (4, [("E204", None)])):
        path.write_text("source\ttarget\n" + "One.\tEins.\n" * count, "utf-8")
        assert verdict(lambda: list(open_stream([path], ReadOptions(languages=("en", "de"))))) == expected
        assert verdict(lambda: read_corpus(path, languages=("en", "de"))) == expected
        skipping = open_stream([path], ReadOptions(languages=("en", "de")), skip_faults=True)
        assert verdict(lambda stream=skipping: list(stream)) == expected, "the file is wrong, not a line of it"


@pytest.mark.parametrize("strict", [False, True])
def test_commands_warn_of_missing_ids_and_refuse_them_where_they_are_strict(
    strict: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "en").write_text("It is here.\n", "utf-8")
    (tmp_path / "de").write_text("Es ist hier.\n", "utf-8")
    shared = ("-l", "en-de", "-s", str(tmp_path / "en"), "-r", str(tmp_path / "de"), "-p", "formality")
    for command in (("tag", "--no-store"), ("extract", "--executor", "serial")):
        given = (*shared, *command[1:], "-o", str(tmp_path / command[0]), *(["--strict"] if strict else []))
        assert run(command[0], *given) == (2 if strict else 0)
        assert "[E204]" in capsys.readouterr().err
        assert (tmp_path / command[0]).exists() is not strict
