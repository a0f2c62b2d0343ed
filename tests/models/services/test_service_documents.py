"""``translate --document`` through services: damaged answers end in their places, lost segments are named, and a
broken run asks for nothing twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from command import run
from endophora.errors import InputError
from endophora.models.chunks import Chunk
from endophora.models.records import Sides
from endophora.models.services import open_service
from endophora.models.whole import WholeOptions, translate_whole

from .conftest import USUAL, chat, chat_answer
from .http_server import FakeService, Reply

SOURCE = ["The dog sleeps in the garden.", "It is seven years old.", "My mother buys bread.", "The water is cold."]
TRANSLATED = [line.upper() for line in SOURCE]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "source").write_text("\n".join(SOURCE) + "\n")
    (tmp_path / "ids").write_text("doc\n" * len(SOURCE))
    return tmp_path


@pytest.fixture
def translate(text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Translates the text with options, by a server that answers in a way; returns lines, messages, requests."""
    pytest.importorskip("openai")
    monkeypatch.setenv("ENDOPHORA_CACHE", str(text / "cache"))

    def made(answer: Any, *options: str) -> tuple[list[str], str, int]:
        service = FakeService(answer)
        try:
            inputs = ["-l", "en-de", "-s", str(text / "source"), "-d", str(text / "ids")]
            model = ["-M", f"openai:m,address={service.address},attempts=1", "--yes"]
            assert run("translate", *inputs, *model, *(options or ("--document",))) == 0
        finally:
            service.close()
        out, err = capsys.readouterr()
        return out.splitlines(), err, len(service.asked)

    return made


def _lines(body: Any) -> list[str]:
    return chat_answer(body)["choices"][0]["message"]["content"].split("\n")


def test_a_document_goes_in_one_request(translate: Any):
    lines, said, requests = translate(chat_answer)
    assert (lines, requests) == (TRANSLATED, 1)
    assert "4 segments in 1 requests: 4 by marker, 0 by realignment, 0 in a request of their own, 0 lost" in said
    assert re.search(r"signature: service:openai.*\|request:document\|markers:yes.*\|sent:\w{8}\|kept:\w{8}", said)


def test_an_answer_that_is_cut_off_is_asked_for_in_smaller_chunks(translate: Any):
    def answer(body: Any) -> Any:
        lines = _lines(body)
        whole = "\n".join(lines)
        return chat(whole[: len(whole) // 2], finish_reason="length") if len(lines) > 2 else chat(whole)

    lines, said, requests = translate(answer)
    assert (lines, requests) == (TRANSLATED, 3)
    assert "2 chunks were too long" in said


def test_what_the_service_leaves_out_is_named(translate: Any):
    def answer(body: Any) -> Any:
        lines = [line for line in _lines(body) if "BREAD" not in line]
        return chat("Here it is:\n```\n" + "\n".join(lines) + "\n```")

    lines, said, _ = translate(answer)
    assert lines == [*TRANSLATED[:2], "", TRANSLATED[3]]
    assert "1 segments have no translation (document:segment): doc:3" in said
    assert "answers began with text of no segment" in said


GERMAN = {
    "The lamp is broken again.": "Die Lampe ist wieder kaputt.",
    "It can still be repaired.": "Es kann noch repariert werden.",
    "You can take it to the shop.": "Sie können sie in den Laden bringen.",
    "The shop is open until six.": "",
    "You will find the shop behind the church.": "Du findest den Laden hinter der Kirche.",
}
REFERENCE = [
    *("Die Lampe ist wieder kaputt.", "Sie kann noch repariert werden.", "Sie können sie in den Laden bringen."),
    *("Der Laden ist bis sechs Uhr geöffnet.", "Sie finden den Laden hinter der Kirche."),
]


def _damaged(body: Any) -> Any:
    """Translate into German with a preamble, without the last three markers, and never the fourth segment."""
    lines = re.findall(r"^(\[\[\d+\]\] )(.*)$", body["messages"][1]["content"], re.MULTILINE)
    if len(lines) == 1:
        return chat(GERMAN[lines[0][1]])
    kept = [f"{'' if 'shop' in text else marker}{GERMAN[text]}" for marker, text in lines if GERMAN[text]]
    return chat(
        "Hier ist die Übersetzung des Textes:\n\n" + "\n\n".join(kept) + "\n\nIch hoffe, das hilft Ihnen weiter!"
    )


@pytest.mark.parametrize("raw", [False, True])
def test_a_damaged_document_is_scored_with_its_omissions_named(
    raw: bool, text: Path, translate: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (text / "source").write_text("\n".join(GERMAN) + "\n")
    (text / "ids").write_text("doc\n" * len(GERMAN))
    (text / "reference").write_text("\n".join(REFERENCE) + "\n")
    if raw:  # as a user has it from a window of a chat
        prompt = "".join(f"[[{number}]] {line}\n" for number, line in enumerate(GERMAN, 1))
        answer = _damaged({"messages": [{}, {"content": prompt}]})["choices"][0]["message"]["content"]
        output = re.sub(r"\[\[\d\]\] ", "", answer)
    else:
        lines, said, _ = translate(_damaged)
        output = "\n".join(lines) + "\n"
        assert "1 segments have no translation (document:segment): doc:4" in said
    (text / "output").write_text(output)
    monkeypatch.chdir(text)
    inputs = ["-l", "en-de", "-s", "source", "-r", "reference", "-d", "ids", "-y", "mt=output"]
    assert run("evaluate", *inputs, *(["--resegment"] if raw else [])) == 0
    assert "left 1 of 5 segments blank: line 4" in capsys.readouterr().err
    result = json.loads((text / "endophora-result" / "result.json").read_text())
    assert [one["omitted"] for one in result["realigned"]] == ([1] if raw else [])
    verdicts = {
        (one["segment"], output["written"]): output["verdict"]
        for one in result["examples"]
        for output in one["outputs"]
    }
    assert verdicts == {(1, "Es"): "wrong", (2, "sie"): "right", (4, "Du"): "wrong"}


def test_the_way_of_each_segment_is_in_the_rows(translate: Any):
    lines, _, _ = translate(chat_answer, "--chunk", "3", "-f", "jsonl")
    rows = [json.loads(line) for line in lines]
    assert [(row["segment"], row["translation"], row["by"]) for row in rows] == [
        (number, line, "marker") for number, line in enumerate(TRANSLATED, 1)
    ]
    assert len({row["signature"] for row in rows}) == 1


@pytest.mark.parametrize("options", ["--document --chunk 2", "--no-markers", "--retries 1", "--retries 3"])
def test_options_that_contradict_each_other_or_do_nothing_are_refused(
    options: str, text: Path, capsys: pytest.CaptureFixture[str]
):
    inputs = ["-l", "en-de", "-s", str(text / "source"), "-M", "openai:m", *options.split()]
    assert run("translate", *inputs) == 2
    assert "E272" in capsys.readouterr().err


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("name", ["deepl", "google"])
def test_services_take_documents_with_markers_or_without(name: str, marked: bool):
    pytest.importorskip({"google": "google.cloud.translate_v3"}.get(name, name))
    service = FakeService(USUAL[name])
    try:
        spec = f"{name}:{'project=p,' if name == 'google' else ''}address={service.address},attempts=1"
        translator = open_service(spec, ("en", "de"), cache=None)
        chunk = Chunk(("a <b>", "c"), ("before",), marked=marked)
        (reply,) = translator.translate_chunks([chunk])
        long = translator.translate_chunks([Chunk(("x" * 25_000, "y" * 25_000))])[0]
        translator.close()
    finally:
        service.close()
    (body,) = [asked.body for asked in service.asked]
    assert body.get("context") == ("before" if name == "deepl" else None)
    assert not long.sent
    if marked:
        assert reply.joined is not None
        assert reply.joined.parts(reply.text) == ("", [(1, "A <B>"), (2, "C")])
    else:
        assert reply.text == "A <B>\nC"


def test_a_broken_run_goes_on_where_it_was(tmp_path: Path):
    pytest.importorskip("openai")
    service = FakeService(chat_answer)
    service.script = [*([None] * 12), *([Reply({"error": {"message": "no"}}, status=401)] * 2)]
    documents = [[f"line {number} of {document}" for number in range(6)] for document in range(10)]

    def translated() -> list[list[str]]:
        spec = f"openai:m,address={service.address},parallel=1"
        translator = open_service(spec, ("en", "de"), cache=tmp_path / "cache.sqlite")
        try:
            return translate_whole(translator, documents, ("en", "de"), WholeOptions(chunk=3), (2, Sides.BOTH)).texts
        finally:
            translator.close()

    try:
        with pytest.raises(InputError, match="E243"):
            translated()
        service.script = []
        assert translated() == [[one.upper() for one in document] for document in documents]
    finally:
        service.close()
    asked = Counter(asked.body["messages"][1]["content"] for asked in service.asked)
    assert len(asked) == 20
    assert sum(asked.values()) == 21
