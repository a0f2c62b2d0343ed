"""Servers that tell log-probabilities of a prompt give the figures of ``lm:``, and what they may get wrong is an error.

The server answers in the form that vLLM documents and that its users show (v0.16.0: ``echo`` with ``logprobs``, and
``prompt_logprobs``), over HTTP; a small model with random weights computes what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("openai")

from families import make_family  # noqa: E402

from endophora.errors import InputError  # noqa: E402
from endophora.models.engines import (  # noqa: E402
    CompletionsScorer,
    VllmScorer,
    open_completions,
)
from endophora.models.options import ModelOptions  # noqa: E402
from endophora.models.prompting import prompts_of  # noqa: E402
from endophora.models.records import ModelInput, Scorer, Translator  # noqa: E402
from endophora.models.specs import open_model, open_scorer  # noqa: E402

from .completions_model import Model  # noqa: E402
from .conftest import KEY  # noqa: E402
from .http_server import FakeService, Reply  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"))
INPUTS = [
    ModelInput("She had no umbrella!", ("It was raining.",), ("Es regnete.",)),
    ModelInput("It was raining."),
    ModelInput("It was raining.", ("She had no umbrella!", "It was raining."), ("Sie hatte keinen Schirm.",)),
]
TARGETS = ["Sie hatte keinen Schirm.", "Es regnete.", "Es regnete. Ü"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_family(tmp_path_factory.mktemp("engine"), "qwen-3")


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return Model(folder)


@pytest.fixture
def server(model: Model) -> Iterator[FakeService]:
    service = FakeService(model.answer)
    yield service
    service.close()


@pytest.fixture
def opened(server: FakeService, folder: Path, tmp_path: Path) -> Iterator[Callable[..., CompletionsScorer]]:
    scorers: list[CompletionsScorer] = []

    def _open(options: str = "", given: ModelOptions = PAIR, cache: Path | None = None) -> CompletionsScorer:
        spec = f"m,address={server.address}/v1,tokenizer={folder},first_wait=0.01,attempts=2,{options}"
        scorers.append(open_completions(spec, given, cache=cache or tmp_path / "cache.sqlite"))
        return scorers[-1]

    yield _open
    for scorer in scorers:
        scorer.close()


@pytest.mark.parametrize("way", ["prompt", "echo"])
@pytest.mark.parametrize("form", ["chat", "turns", "plain"])
def test_a_server_gives_the_figures_of_the_model_that_runs_here(opened, folder: Path, way: str, form: str):
    scorer = opened(f"logprobs={way},form={form}")
    here = open_scorer(f"lm:{folder},form={form}", PAIR)
    for one, other in zip(scorer.score(INPUTS, TARGETS), here.score(INPUTS, TARGETS), strict=True):
        assert (one.pieces, one.spans, one.context) == (other.pieces, other.spans, other.context)
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)
    assert isinstance(scorer, Scorer)
    assert not isinstance(scorer, Translator)


def test_what_was_answered_is_not_asked_again(opened, server: FakeService):
    first = opened().score(INPUTS, TARGETS)
    asked = len(server.asked)
    assert asked == len(INPUTS)
    again = opened()
    assert [one.total for one in again.score(INPUTS, TARGETS)] == [one.total for one in first]
    assert len(server.asked) == asked
    assert again.estimate(INPUTS, TARGETS).requests == 0


def test_a_server_is_sent_tokens_and_the_key_alone(opened, server: FakeService):
    opened().score(INPUTS[:1], TARGETS[:1])
    (asked,) = server.asked
    assert asked.path == "/v1/completions"
    assert f"Bearer {KEY}" in asked.headers.values()
    assert set(asked.body) == {"model", "prompt", "max_tokens", "temperature", "prompt_logprobs"}
    assert all(isinstance(index, int) for index in asked.body["prompt"])


def without(choice: Callable[[dict[str, Any]], None]) -> Callable[[Model], Callable[[Any], Any]]:
    """Answer as the model does, except for what is done to the choice."""

    def made(model: Model) -> Callable[[Any], Any]:
        def answer(body: Any) -> Any:
            found = model.answer(body)
            choice(found["choices"][0])
            return found

        return answer

    return made


FAULTS = {
    "no prompt_logprobs": ("prompt", without(lambda one: one.pop("prompt_logprobs")), "E282"),
    "no logprobs": ("echo", without(lambda one: one.update(logprobs=None)), "E282"),
    "null for the target": (
        "echo",
        without(lambda one: one["logprobs"].update(token_logprobs=[None] * len(one["logprobs"]["tokens"]))),
        "E282",
    ),
    "one token less": ("prompt", without(lambda one: one["prompt_logprobs"].pop()), "E283"),
    "two tokens more": (
        "echo",
        without(lambda one: [one["logprobs"][name].append(0) for name in ("tokens", "token_logprobs")]),
        "E283",
    ),
    "other tokens": (
        "prompt",
        without(lambda one: one["prompt_logprobs"].__setitem__(-1, {"3": {"logprob": -1.0}})),
        "E283",
    ),
    "other words": (
        "echo",
        without(lambda one: one["logprobs"].update(tokens=["word"] * len(one["logprobs"]["tokens"]))),
        "E283",
    ),
    "the same numbers of other words": (
        "prompt",
        without(
            lambda one: [next(iter(step.values())).update(decoded_token="zebra") for step in one["prompt_logprobs"][1:]]
        ),
        "E283",
    ),
    "minus infinity": (
        "prompt",
        without(lambda one: [next(iter(step.values())).update(logprob=-9999.0) for step in one["prompt_logprobs"][1:]]),
        "E370",
    ),
    "a refusal": ("prompt", lambda _: lambda body: Reply({"error": {"message": "maximum length is 8"}}, 400), "E243"),
    "a fault of the server": ("prompt", lambda _: lambda body: Reply("{}", 500), "E244"),
    "another form": ("prompt", lambda _: lambda body: {"choices": []}, "E245"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_with_an_answer_is_an_error_and_no_score(opened, server: FakeService, model: Model, name: str):
    way, answers, code = FAULTS[name]
    server.usual = answers(model)
    with pytest.raises(InputError, match=code):
        opened(f"logprobs={way}").score(INPUTS[:1], TARGETS[:1])


def test_a_server_that_does_not_write_its_tokens_is_taken_by_their_numbers(
    opened, server: FakeService, model: Model, tmp_path: Path
):
    told = opened().score(INPUTS[:1], TARGETS[:1])[0]
    server.usual = without(
        lambda one: [next(iter(step.values())).update(decoded_token=None) for step in one["prompt_logprobs"][1:]]
    )(model)
    untold = opened(cache=tmp_path / "other.sqlite")
    assert untold.score(INPUTS[:1], TARGETS[:1])[0].total == pytest.approx(told.total)


def test_infinity_is_no_answer_that_is_kept(opened, server: FakeService, model: Model):
    server.usual = without(
        lambda one: [next(iter(step.values())).update(logprob=-1e999) for step in one["prompt_logprobs"][1:]]
    )(model)
    with pytest.raises(InputError, match="E245"):
        opened().score(INPUTS[:1], TARGETS[:1])
    server.usual = model.answer
    assert np.isfinite(opened().score(INPUTS[:1], TARGETS[:1])[0].total)


@pytest.mark.parametrize("option", ["adapter=x", "weights=4bit", "prefix=x"])
def test_vllm_refuses_options_that_it_has_no_use_for(folder: Path, option: str):
    with pytest.raises(InputError, match="E272"):
        open_scorer(f"vllm:{folder},{option}", PAIR)


def test_a_server_that_does_not_answer_in_time_is_an_error(opened, server: FakeService):
    server.usual = lambda body: Reply({}, delay=0.4)
    with pytest.raises(InputError, match="E244"):
        opened("timeout=0.1").score(INPUTS[:1], TARGETS[:1])


def test_the_limit_holds_where_a_price_is_known(opened, server: FakeService, tmp_path: Path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("completions: {unit: tokens, input: 1000, currency: EUR, looked_up: 2026-11-23}")
    with pytest.raises(InputError, match="E246"):
        opened(f"prices={prices},limit=0.01").score(INPUTS, TARGETS)
    assert not server.asked
    scorer = opened(f"prices={prices},limit=10")
    scorer.score(INPUTS[:1], TARGETS[:1])
    assert scorer.spent == pytest.approx(len(server.asked[0].body["prompt"]) / 1000)


@pytest.mark.parametrize("missing", ["address", "tokenizer"])
def test_an_address_and_a_tokenizer_have_to_be_named(folder: Path, missing: str):
    parts = {"address": "http://127.0.0.1:1/v1", "tokenizer": str(folder)}
    spec = ",".join(["completions:m", *(f"{name}={value}" for name, value in parts.items() if name != missing)])
    with pytest.raises(InputError, match=f"E240.*{missing}="):
        open_model(spec, PAIR)


def test_vllm_is_given_tokens_and_gives_the_figures_of_the_model_that_runs_here(folder: Path, model: Model):
    """A stand-in of vLLM's interface, as documented: the library itself is not in the tests."""
    from transformers import AutoTokenizer

    class Engine:
        def generate(self, prompts: list[dict[str, list[int]]], params: Any, use_tqdm: bool) -> list[Any]:
            assert params == {"prompt_logprobs": 0, "max_tokens": 1, "temperature": 0.0, "detokenize": False}
            assert not use_tqdm
            return [self._one(one["prompt_token_ids"]) for one in prompts]

        def _one(self, ids: list[int]) -> Any:
            pairs = zip(ids, model(ids), strict=True)
            steps = [None if value is None else {index: SimpleNamespace(logprob=value)} for index, value in pairs]
            return SimpleNamespace(prompt_logprobs=steps)

    tokenizer = AutoTokenizer.from_pretrained(folder)
    prompts, _ = prompts_of(tokenizer, str(folder), PAIR)
    library = SimpleNamespace(SamplingParams=dict)
    scorer = VllmScorer(Engine(), library, str(folder), tokenizer, prompts, "s")
    here = open_scorer(f"lm:{folder}", PAIR).score(INPUTS, TARGETS)
    for one, other in zip(scorer.score(INPUTS, TARGETS), here, strict=True):
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)
    assert isinstance(scorer, Scorer)
