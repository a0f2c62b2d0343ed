"""Every kind of model says how much context it was given, and how much it read after cutting."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from endophora.models.options import ModelOptions
from endophora.models.records import ContextRead, Decoding, Fitter, ModelInput, SideRead, read_whole
from endophora.models.specs import open_model

OPTIONS = ModelOptions(device="cpu", languages=("en", "de"))
NEAR = "The cat sat."
FAR = "The cat sat on the mat, and the dog did not. " * 60
LONG = ModelInput("It was raining.", (FAR, NEAR), (FAR, "Die Katze."))
KINDS = (
    *("sentence", "concatenation", "source-concatenation", "multi-encoder", "hf:marian", "hf:nllb"),
    *("lm:llama", "lm:chat"),
)


def opened(folders: dict[str, Path], name: str, more: str = ""):
    kind, colon, folder = name.rpartition(":")
    return open_model(f"{kind}{colon}{folders[folder]}{more}", OPTIONS)


@pytest.mark.parametrize("name", KINDS)
def test_given_and_kept_context_is_told_of_scores_translations_and_beforehand(folders: dict[str, Path], name: str):
    model = opened(folders, name)
    assert isinstance(model, Fitter)
    target = name != "source-concatenation"
    inputs = [LONG, ModelInput("It was raining."), ModelInput("It", (FAR,)), ModelInput("It", (NEAR,))]
    scored = [one.context for one in model.score(inputs, ["Es regnete."] * 4)]
    assert scored == [one.context for one in model.fit(inputs, ["Es regnete."] * 4)]
    states = ["cut", "none", "lost", "whole"]
    assert [one.state for one in scored] == states
    long = scored[0]
    assert (long.source.given, long.source.kept, long.target.given, long.target.kept) == (2, 1, 2 * target, target)
    assert long.source.kept_tokens == model.length(NEAR) == scored[3].source.given_tokens
    assert long.source.given_tokens == model.length(FAR) + model.length(NEAR)
    translated = [one.context for one in model.translate(inputs, Decoding(beam=1, longest=0.1))]
    assert [one.state for one in translated] == states
    assert translated == [one.context for one in model.fit(inputs, None, Decoding(beam=1, longest=0.1))]


def test_source_context_counts_as_not_given_where_target_context_alone_is_read(folders: dict[str, Path]):
    model = opened(folders, "target-concatenation")
    inputs = [LONG, ModelInput("It was raining.", (NEAR,)), ModelInput("It", (NEAR,), ("Die Katze.",))]
    scored = model.score([*inputs, ModelInput("It", (), ("Die Katze.",))], ["Es regnete."] * 4)
    assert [one.context.state for one in scored if one.context] == ["cut", "none", "whole", "whole"]
    assert all(one.context and one.context.source == SideRead() for one in scored)
    assert scored[2].logprobs == pytest.approx(scored[3].logprobs, abs=1e-5)  # of batches of other widths
    translated = model.translate(inputs, Decoding(beam=1, longest=0.1))
    assert [one.context.state for one in translated if one.context] == ["cut", "none", "whole"]


def test_a_blank_source_has_read_nothing(folders: dict[str, Path]):
    for name in ("concatenation", "lm:llama"):
        (found,) = opened(folders, name).translate([ModelInput(" ", (NEAR,))])
        assert found.context == ContextRead()


def test_a_segment_that_is_too_long_is_told_beforehand(folders: dict[str, Path]):
    for name in ("hf:marian", "lm:llama"):
        model = opened(folders, name)
        found = model.fit([ModelInput("It"), ModelInput(FAR)], ["Es", "Es"])
        assert [bool(one.excess) for one in found] == [False, True]
        assert "the model takes" in found[1].excess
        assert [bool(one.excess) for one in model.fit([ModelInput("It"), ModelInput(FAR)])] == [False, True]


def test_cut_context_gives_no_count_of_sentences_below_zero(folders: dict[str, Path]):
    model = opened(folders, "concatenation")
    given = ModelInput("It", (FAR, FAR))
    task = model._task(0, given, model.encode([given])[0], Decoding())
    assert task.separators == 0


def test_what_a_model_does_not_tell_counts_as_read():
    assert read_whole(ModelInput("a")).state == "none"
    found = read_whole(ModelInput("a", ("b",), ("c", "d")))
    assert (found.state, found.target) == ("whole", SideRead(2, 2, None, None))
