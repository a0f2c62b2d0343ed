"""Services over real HTTP: what is sent, what happens to answers, failures and waits; alike for all three."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endophora.errors import InputError
from endophora.models.records import ModelInput, Translator
from endophora.models.services import ServiceProgress, ServiceTranslator

from .conftest import KEY, USUAL
from .http_server import FakeService, Reply

Open = Callable[..., ServiceTranslator]
ONE = [ModelInput("It is red & <new>.", ("I have a car.",), ("Ich habe ein Auto.",))]
LONG = "word " * 900  # with it no two inputs fit into one request of any service
BUSY = Reply({"message": "come again"}, 429, {"Retry-After": "0.3"})


def test_each_input_has_its_translation_in_order(opened: Open, server: FakeService):
    translator = opened()
    inputs = [ModelInput(f"line {number}") for number in range(7)]
    found = translator.translate([*inputs, ModelInput("  "), inputs[0]])
    assert [one.text for one in found] == [*(f"LINE {number}" for number in range(7)), "", "LINE 0"]
    assert all(not one.warning and one.logprob is None for one in found)
    assert isinstance(translator, Translator)


def test_special_characters_come_through(opened: Open):
    assert opened().translate(ONE)[0].text == "IT IS RED & <NEW>."


def test_the_key_is_sent_and_seen_nowhere_else(
    opened: Open, server: FakeService, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    server.script = [Reply({"error": {"message": f"bad {KEY}"}, "message": f"bad {KEY}"}, 500)]
    translator = opened()
    translator.translate(ONE)
    assert any(KEY in value for value in server.asked[-1].headers.values())
    server.script = [Reply({"error": {"message": f"bad {KEY}"}, "message": f"bad {KEY}"}, 403)]
    with pytest.raises(InputError) as caught:
        translator.translate([ModelInput("other")])
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert KEY not in translator.signature + repr(vars(translator))
    assert KEY not in str(translator.estimate(ONE))
    assert KEY not in caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_a_busy_service_is_asked_again_when_it_says(opened: Open, server: FakeService):
    server.script = [BUSY]
    assert opened().translate(ONE)[0].text
    first, second = server.asked
    assert second.moment - first.moment >= 0.3


def test_a_date_is_as_good_as_seconds(opened: Open, server: FakeService):
    server.script = [Reply("{}", 503, {"Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"})]
    assert opened().translate(ONE)[0].text
    assert len(server.asked) == 2


def test_a_wait_that_is_too_long_is_not_waited_for(opened: Open, server: FakeService):
    server.script = [Reply({"message": "later"}, 429, {"Retry-After": "3600"})]
    with pytest.raises(InputError, match=r"E244.*3600 seconds"):
        opened().translate(ONE)
    assert len(server.asked) == 1


def test_errors_of_the_server_are_got_over(opened: Open, server: FakeService):
    server.script = [Reply("oops", 500), Reply({"message": "oops"}, 503)]
    seen: list[ServiceProgress] = []
    assert opened().translate(ONE, progress=seen.append)[0].text
    assert len(server.asked) == 3
    assert (seen[-1].done, seen[-1].total, seen[-1].requests, seen[-1].retries) == (1, 1, 1, 2)


def test_a_service_that_stays_away_is_given_up(opened: Open, server: FakeService):
    server.script = [Reply({"message": "oops"}, 500)] * 9
    with pytest.raises(InputError, match="E244"):
        opened().translate(ONE)
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_final(opened: Open, server: FakeService, kind: str, status: int):
    server.script = [Reply({"message": "no", "error": {"message": "no", "code": status}}, status)] * 3
    with pytest.raises(InputError, match="E243"):
        opened().translate(ONE)
    # Google's library asks for new credentials when they are not accepted, and tries them.
    assert len(server.asked) == (3 if (kind, status) == ("google", 401) else 1)


@pytest.mark.parametrize("body", ["{broken", "", "[]", "null", "{}", '{"translations": [], "choices": []}', "<html>"])
def test_an_answer_that_cannot_be_read_is_an_error(opened: Open, server: FakeService, body: str):
    server.script = [Reply(body)] * 9
    with pytest.raises(InputError, match="E245"):
        opened().translate(ONE)
    assert len(server.asked) == 2


def test_silence_is_not_waited_for(opened: Open, server: FakeService):
    server.usual = lambda body: Reply({}, delay=0.6)
    begin = time.monotonic()
    with pytest.raises(InputError, match="E244"):
        opened("timeout=0.1,attempts=2").translate(ONE)
    assert time.monotonic() - begin < 5
    assert len(server.asked) == 2


def test_no_server_is_an_error(opened: Open, server: FakeService):
    translator = opened("attempts=2")
    server.close()
    with pytest.raises(InputError, match="E244"):
        translator.translate(ONE)


def test_nothing_is_asked_twice(opened: Open, server: FakeService):
    first = opened().translate([*ONE, *ONE])
    count = len(server.asked)
    assert count == 1
    again = opened()
    assert again.translate(ONE) == first[:1]
    assert len(server.asked) == count
    estimate = again.estimate(ONE)
    assert (estimate.requests, estimate.cached, estimate.usage.input) == (0, 1, 0)


def test_answers_are_kept_when_a_later_request_fails(opened: Open, server: FakeService, kind: str):
    usual = server.usual
    server.usual = lambda body: Reply({"message": "no"}, 400) if "poison" in str(body) else usual(body)
    inputs = [ModelInput(f"line {number}", (f"{LONG}{number}",)) for number in range(5)]
    with pytest.raises(InputError, match=r"E243.*in the cache"):
        opened("parallel=1").translate([*inputs, ModelInput("poison", (LONG,))])
    count = len(server.asked)
    server.usual = usual
    opened().translate(inputs)
    assert len(server.asked) == count


def test_requests_at_once_are_bounded(opened: Open, server: FakeService):
    usual = server.usual
    server.usual = lambda body: Reply(usual(body), delay=0.03)
    inputs = [ModelInput(f"line {number}", (f"{LONG}{number}",)) for number in range(9)]
    opened("parallel=3").translate(inputs)
    assert len(server.asked) == 9
    assert 1 < server.most_at_once <= 3


def test_token_ids_are_no_context_for_a_service(opened: Open, server: FakeService):
    with pytest.raises(InputError) as caught:
        opened().translate([ModelInput("a", ((1, 2),)), ModelInput("b"), ModelInput("c", (), ((3,),))])
    assert [fault.code for fault in caught.value.faults] == ["E249", "E249"]
    assert not server.asked


def test_a_limit_on_the_cost_needs_a_price(opened: Open, server: FakeService):
    with pytest.raises(InputError, match=r"E246.*no price"):
        opened("limit=1").translate(ONE)
    assert not server.asked


def test_a_limit_on_the_cost_refuses_to_begin(opened: Open, server: FakeService, kind: str, tmp_path: Path):
    prices = tmp_path / "prices.yaml"
    unit = "tokens" if kind == "openai" else "characters"
    entry = f"{{unit: {unit}, input: 1000000, output: 0, currency: EUR, looked_up: 2026-11-20}}"
    prices.write_text(f"{kind}: {entry}\n")
    translator = opened("limit=10", prices=prices)
    inputs = [ModelInput("eleven char")]
    estimate = translator.estimate(inputs)
    assert estimate.amount == estimate.usage.input >= 11
    with pytest.raises(InputError, match=r"E246.*nothing was sent"):
        translator.translate(inputs)
    assert not server.asked
    assert opened("limit=10000", prices=prices).translate(inputs)[0].text == "ELEVEN CHAR"


def test_the_limit_holds_over_all_runs_of_a_translator(opened: Open, server: FakeService, kind: str, tmp_path: Path):
    prices = tmp_path / "prices.yaml"
    unit = "tokens" if kind == "openai" else "characters"
    prices.write_text(f"{kind}: {{unit: {unit}, input: 1000000, output: 0, currency: EUR, looked_up: 2026-11-20}}\n")
    translator = opened(prices=prices)
    once = translator.estimate([ModelInput("a b c d")]).usage.input
    translator = opened(f"limit={once * 1.5}", prices=prices)
    translator.translate([ModelInput("a b c d")])
    assert translator.spent
    with pytest.raises(InputError, match="E246"):
        translator.translate([ModelInput("d c b a")])


def test_requests_a_minute_are_kept(opened: Open, server: FakeService, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.models.services.asking._WINDOW", 0.4)
    begin = time.monotonic()
    inputs: list[Any] = [ModelInput(f"line {number}", (f"{LONG}{number}",)) for number in range(5)]
    opened("requests_a_minute=2").translate(inputs)
    assert time.monotonic() - begin >= 0.8


def test_a_run_that_is_interrupted_keeps_what_was_answered(opened: Open, server: FakeService):
    usual = server.usual
    server.usual = lambda body: Reply(usual(body), delay=0.05)
    inputs = [ModelInput(f"line {number}", (f"{LONG}{number}",)) for number in range(8)]

    def interrupt(progress: ServiceProgress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened("parallel=3").translate(inputs, progress=interrupt)
    assert len(server.asked) < 8
    opened("parallel=3").translate(inputs)
    assert len(server.asked) == 8


def test_a_key_in_an_answer_is_not_kept(opened: Open, server: FakeService, kind: str, tmp_path: Path):
    server.usual = lambda body: USUAL[kind](body, lambda text: f"{text} {KEY}")
    (found,) = opened().translate([ModelInput("a")])
    assert KEY not in found.text
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


CUT = {"Content-Length": "9999", "Connection": "close"}
"""Of an answer that ends too early."""


@pytest.mark.parametrize("kind", ["google-basic"], indirect=True)
@pytest.mark.parametrize(("status", "code", "times"), [(200, "E245", 2), (403, "E243", 1), (500, "E244", 3)])
def test_an_answer_that_is_cut_short_has_a_code(opened: Open, server: FakeService, status: int, code: str, times: int):
    server.script = [Reply("{", status, CUT)] * 9
    with pytest.raises(InputError, match=code):
        opened().translate(ONE)
    assert len(server.asked) == times


@pytest.mark.parametrize("kind", ["google-basic"], indirect=True)
@pytest.mark.parametrize(
    "body", [{"error": {"code": 403, "message": "The caller is unknown"}}, "The caller is unknown"]
)
def test_a_refusal_has_the_words_of_the_service(opened: Open, server: FakeService, body: Any):
    server.script = [Reply(body, 403)]
    with pytest.raises(InputError, match=r"E243.*403 The caller is unknown"):
        opened().translate(ONE)
