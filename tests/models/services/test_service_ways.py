"""How each service is given the context, and what is done about answers with the wrong number of segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from endophora.errors import InputError
from endophora.models.records import ModelInput
from endophora.models.services import ServiceTranslator, open_service

from .conftest import USUAL, chat, chat_answer
from .http_server import FakeService, Reply

ITEM = ModelInput("It is red.", ("I have a car.", "It is new."), ("Ich habe ein Auto.", "Es ist neu."))


@pytest.fixture
def services() -> Iterator[dict[str, FakeService]]:
    found = {name: FakeService(usual) for name, usual in USUAL.items()}
    yield found
    for service in found.values():
        service.close()


def _open(services: dict[str, FakeService], name: str, options: str = "", **more: Any) -> ServiceTranslator:
    pytest.importorskip({"google": "google.cloud.translate_v3"}.get(name, name))
    model = {"openai": "m,", "google": "project=p,"}.get(name, "")
    spec = f"{name}:{model}address={services[name].address},attempts=1,{options}"
    return open_service(spec, more.pop("languages", ("en", "de")), cache=None, **more)


def test_deepl_is_given_the_context_as_its_parameter(services: dict[str, FakeService]):
    translator = _open(services, "deepl", "formality=prefer_less", languages=("pt", "en"))
    assert translator.translate([ITEM])[0].text == "IT IS RED."
    body = services["deepl"].asked[0].body
    assert body["text"] == ["It is red."]
    assert body["context"] == "I have a car.\nIt is new."
    assert (body["source_lang"], body["target_lang"], body["formality"]) == ("PT", "EN-US", "prefer_less")
    assert not translator.uses_target_context
    assert translator.estimate([ModelInput("abc", ("a long context",))]).usage.input == 3


def test_deepl_translates_segments_without_context_in_one_request(services: dict[str, FakeService]):
    _open(services, "deepl").translate([ModelInput(f"line {number}") for number in range(60)])
    assert sorted(len(asked.body["text"]) for asked in services["deepl"].asked) == [10, 50]


@pytest.mark.parametrize("name", ["deepl", "google"])
def test_context_with_markers_is_cut_off_again(services: dict[str, FakeService], name: str):
    found = _open(services, name, "context=markers").translate([ITEM, ModelInput("a <b> & c", ("d",))])
    assert [one.text for one in found] == ["IT IS RED.", "A <B> & C"]
    assert not any(one.warning for one in found)
    bodies = [asked.body for asked in services[name].asked]
    sent = [text for body in bodies for text in body.get("text", body.get("contents"))]
    assert len(sent) == 2
    assert "I have a car." in sent[0]


@pytest.mark.parametrize("name", ["deepl", "google"])
def test_a_wrong_number_of_segments_is_warned_of_and_asked_again(services: dict[str, FakeService], name: str):
    wrong = '<m id="1"/> A <m id="2"/> B C' if name == "deepl" else '<hr id="1"> A <hr id="2"> B C'
    body = {"deepl": {"translations": [{"text": wrong, "billed_characters": 9}]},
            "google": {"translations": [{"translatedText": wrong}]}}  # fmt: skip
    services[name].script = [Reply(body[name])]
    (found,) = _open(services, name, "context=markers").translate([ITEM])
    assert found.text == "IT IS RED."
    assert found.warning.startswith("of 3 segments 2 came back; asked again")
    last = services[name].asked[-1].body
    assert last.get("text", last.get("contents")) == ["It is red."]
    assert ("context" in last) == (name == "deepl")


def test_google_can_leave_the_context_out(services: dict[str, FakeService]):
    _open(services, "google", "context=none", languages=("zh", "en")).translate([ITEM])
    body = services["google"].asked[0].body
    assert body["contents"] == ["It is red."]
    assert (body["sourceLanguageCode"], body["mimeType"]) == ("zh-CN", "text/plain")
    assert body["model"] == "projects/p/locations/global/models/general/nmt"


def test_projects_share_answers_of_googles_models_but_not_of_their_own(
    services: dict[str, FakeService], tmp_path: Path
):
    pytest.importorskip("google.cloud.translate_v3")
    for model in ("general/nmt", "TRL1"):
        for project in ("one", "two"):
            spec = f"google:project={project},model={model},address={services['google'].address}"
            open_service(spec, ("en", "de"), cache=tmp_path / "cache.sqlite").translate([ITEM])
    assert len(services["google"].asked) == 3


def test_a_language_model_is_shown_context_and_previous_translations(services: dict[str, FakeService]):
    translator = _open(services, "openai", "seed=3")
    assert translator.translate([ITEM])[0].text == "IT IS RED."
    body = services["openai"].asked[0].body
    system, user = (message["content"] for message in body["messages"])
    assert "English into German" in system
    assert all(text in user for text in (*ITEM.source_context, *ITEM.target_context, "[[1]] It is red."))
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 3)
    assert translator.uses_target_context


def test_a_language_model_translates_all_segments_with_markers(services: dict[str, FakeService]):
    (found,) = _open(services, "openai", "context=markers,temperature=default").translate([ITEM])
    assert (found.text, found.warning) == ("IT IS RED.", "")
    body = services["openai"].asked[0].body
    assert "[[1]] I have a car.\n[[2]] It is new.\n[[3]] It is red." in body["messages"][1]["content"]
    assert "temperature" not in body


def _asked(service: FakeService) -> list[str]:
    return [asked.body["messages"][1]["content"] for asked in service.asked]


def test_a_wrong_answer_is_asked_for_once_more_in_the_same_form(services: dict[str, FakeService]):
    services["openai"].script = [Reply(chat("[[1]] A\n[[2]] B"))]
    (found,) = _open(services, "openai", "context=markers").translate([ITEM])
    assert found.text == "IT IS RED."
    assert found.warning == "of 3 segments 2 came back; asked again (in the same way)"
    first, second = _asked(services["openai"])
    assert second.endswith(first)
    assert "[[1]] to [[3]]" in second.removesuffix(first)
    assert found.context.state == "whole"


def test_text_before_the_marker_costs_no_second_request(services: dict[str, FakeService]):
    """A polite model: its text behind the marker is whole, and its context is the one that was given."""
    services["openai"].usual = lambda body: chat("Sure! Here is the translation:\n\n" + _text(chat_answer(body)))
    found = _open(services, "openai").translate([ITEM, ModelInput("Alone.")])
    assert [one.text for one in found] == ["IT IS RED.", "ALONE."]
    assert len(services["openai"].asked) == 2
    assert found[0].warning == "text before the first segment was left out"


def test_thoughts_do_not_come_into_the_translation(services: dict[str, FakeService]):
    services["openai"].usual = lambda body: chat(
        "<think>\nWhat is red? [[1]] sie\n</think>\n\n" + _text(chat_answer(body))
    )
    (found,) = _open(services, "openai").translate([ITEM])
    assert (found.text, found.warning) == ("IT IS RED.", "")
    assert len(services["openai"].asked) == 1


def test_a_second_line_that_stays_is_kept_with_its_context(services: dict[str, FakeService]):
    services["openai"].usual = lambda body: chat(_text(chat_answer(body)) + "\nNote: a car.")
    (found,) = _open(services, "openai").translate([ITEM])
    assert found.text == "IT IS RED. Note: a car."
    assert found.warning.count("the answer has more than one line") == 2
    assert all(ITEM.source_context[0] in text for text in _asked(services["openai"]))
    assert len(services["openai"].asked) == 2
    assert found.context.state == "whole"


def test_what_is_answered_without_context_is_known_to_be(services: dict[str, FakeService]):
    """Segments are wrong in every way that shows the context: twice with markers, twice as a prompt."""
    wrong = Reply(chat("[[7]] A"))
    services["openai"].script = [wrong] * 4
    translator = _open(services, "openai", "context=markers")
    (found,) = translator.translate([ITEM])
    assert found.text == "IT IS RED."
    assert found.warning.count("asked again") == 4
    assert ITEM.source_context[0] not in _asked(services["openai"])[-1]
    assert found.context.state == "lost"
    (alone,) = translator.translate([ModelInput("Alone.")])
    assert alone.context.state == "none"


def test_google_without_context_counts_as_such(services: dict[str, FakeService]):
    (found,) = _open(services, "google", "context=none").translate([ITEM])
    assert found.context.state == "lost"
    (found,) = _open(services, "deepl").translate([ITEM])
    assert found.context.state == "whole"


def _text(answer: Any) -> str:
    return answer["choices"][0]["message"]["content"]


def test_costs_are_named_in_the_unit_that_they_are(services: dict[str, FakeService]):
    """No price is known of such a model: its usage is tokens all the same."""
    assert "tokens; the price is not known" in str(_open(services, "openai").estimate([ITEM]))
    assert "characters" in str(_open(services, "deepl").estimate([ITEM]))


@pytest.mark.parametrize(
    ("answer", "warning"),
    [
        (chat("cut", finish_reason="length"), "cut the translation off"),
        (chat(None, finish_reason="content_filter"), "refused"),
        (chat(None, message={"refusal": "I will not"}), "I will not"),
    ],
)
def test_what_a_language_model_leaves_out_is_warned_of(services: dict[str, FakeService], answer: Any, warning: str):
    services["openai"].script = [Reply(answer)]
    (found,) = _open(services, "openai").translate([ITEM])
    assert warning in found.warning
    assert len(services["openai"].asked) == 1


def test_text_is_no_template(services: dict[str, FakeService]):
    item = ModelInput("{{ text }}{% raw %}", ("{{ 1 / 0 }}",))
    _open(services, "openai").translate([item])
    assert "[[1]] {{ text }}{% raw %}" in services["openai"].asked[0].body["messages"][1]["content"]


def test_no_money_is_a_refusal_and_a_full_minute_is_not(services: dict[str, FakeService]):
    error = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota", "type": "x"}}
    services["openai"].script = [Reply(error, 429)]
    with pytest.raises(Exception, match=r"E243.*exceeded your quota"):
        _open(services, "openai").translate([ITEM])
    services["google"].script = [Reply({"error": {"message": "User Rate Limit Exceeded", "code": 403}}, 403)]
    with pytest.raises(Exception, match="E244"):
        _open(services, "google").translate([ITEM])
    services["deepl"].script = [Reply({"message": "Quota exceeded"}, 456)]
    with pytest.raises(Exception, match=r"E243.*[Qq]uota"):
        _open(services, "deepl").translate([ITEM])


def test_another_setting_is_another_question(services: dict[str, FakeService], tmp_path: Path):
    def ask(options: str, item: ModelInput = ITEM, languages: tuple[str, str] = ("en", "de")) -> str:
        spec = f"deepl:address={services['deepl'].address},{options}"
        translator = open_service(spec, languages, cache=tmp_path / "cache.sqlite")
        translator.translate([item])
        translator.close()
        return translator.signature

    ask("")
    ask("parallel=2,timeout=5,target=DE")
    ask("", ModelInput(ITEM.source, ITEM.source_context))
    assert len(services["deepl"].asked) == 1
    signatures = {ask("formality=more"), ask("context=markers"), ask("model_type=latency_optimized")}
    signatures |= {ask("", languages=("en", "fr")), ask("", ModelInput(ITEM.source))}
    assert len(services["deepl"].asked) == 6
    assert len(signatures) == 5


def test_a_run_that_turns_out_dearer_ends_at_the_limit_and_goes_on_later(
    services: dict[str, FakeService], tmp_path: Path
):
    prices = tmp_path / "prices.yaml"
    prices.write_text("deepl: {unit: characters, input: 1000000, currency: EUR, looked_up: 2026-11-20}\n")
    inputs = [ModelInput(f"number {number}", (f"context {number}",)) for number in range(5)]
    services["deepl"].usual = lambda body: {"translations": [{"text": "A", "billed_characters": 20}]}
    spec = f"deepl:address={services['deepl'].address},parallel=1"
    cache = tmp_path / "cache.sqlite"
    translator = open_service(spec, ("en", "de"), cache=cache, prices=prices, limit=50)
    assert translator.estimate(inputs).amount == 40
    with pytest.raises(InputError, match=r"E246.*60\.0000 EUR are spent.*in the cache"):
        translator.translate(inputs)
    assert len(services["deepl"].asked) == 3
    assert translator.spent == 60
    more = open_service(spec, ("en", "de"), cache=cache, prices=prices, limit=60)
    assert len(more.translate(inputs)) == 5
    assert len(services["deepl"].asked) == 5


def test_context_that_a_prompt_of_the_users_leaves_out_was_not_read(services: dict[str, FakeService], tmp_path: Path):
    (file := tmp_path / "prompt.yaml").write_text(
        "system: a\nprompt: '{% for one in source_context %}{{ one }}\n\n{% endfor %}{{ text }}'\n"
        "markers: '{{ text }}'\nalone: '{{ text }}'"
    )
    for way, kept in (("prompt", (2, 0)), ("markers", (2, 0))):
        (found,) = _open(services, "openai", f"prompt={file},context={way}").translate([ITEM])
        assert found.context
        assert (found.context.source.given, found.context.target.given) == (2, 2)
        assert (found.context.source.kept, found.context.target.kept) == kept
    file.write_text("system: a\nprompt: '{{ text }}'\nmarkers: '{{ text }}'\nalone: '{{ text }}'")
    (found,) = _open(services, "openai", f"prompt={file},context=prompt").translate([ITEM])
    assert found.context
    assert found.context.state == "lost"
