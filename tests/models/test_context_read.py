"""Every kind of model says how much context it was given, and how much it read after cutting."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from endophora.errors import InputError
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


@pytest.mark.parametrize("name", KINDS)
def test_a_blank_sentence_is_no_context_that_was_given(folders: dict[str, Path], name: str):
    model = opened(folders, name)
    blank, some = ModelInput("It", ("", ""), ("",)), ModelInput("It", (NEAR, ""), ("", ""))
    for found in (
        model.score([blank, some], ["Es", "Es"]),
        model.translate([blank, some], Decoding(beam=1, longest=0.1)),
    ):
        assert [one.context.state for one in found if one.context] == ["none", "whole"]
        assert [one.context.source.given for one in found if one.context] == [0, 1]


def test_a_cut_by_what_was_read_leaves_filled_sentences_where_they_are():
    given = ModelInput("x", ("a", "", "b", " "), ((), (1,), (2,)))
    assert given.filled(2, 3) == given
    assert given.filled(1, 1) == ModelInput("x", ("b", " "), ((2,),))
    assert given.filled(0, 0) == ModelInput("x")


def test_joined_sentences_are_counted_with_blank_ones_for_the_answer_has_them_too(folders: dict[str, Path]):
    model = opened(folders, "concatenation")
    given = ModelInput("It", (NEAR, "", NEAR))
    task = model._task(0, given, model.encode([given])[0], Decoding())
    assert task.separators == 3
    assert task.example.context.source.given == 2


BARE = "chat: '{{ source }}'\nplain: '{{ source }} ='"
SOURCE_ALONE = """
chat: '{% for one in context %}{{ one.source }} {% endfor %}{{ source }}'
plain: '{% for one in context %}{{ one.source }} {% endfor %}{{ source }} ='
"""


@pytest.mark.parametrize("name", ["lm:llama", "lm:chat"])
@pytest.mark.parametrize(("template", "kept"), [(BARE, (0, 0)), (SOURCE_ALONE, (2, 0))])
def test_context_that_the_prompt_does_not_show_was_not_read(
    folders: dict[str, Path], tmp_path: Path, name: str, template: str, kept: tuple[int, int]
):
    (file := tmp_path / "prompt.yaml").write_text(template)
    model = opened(folders, name, f",template={file}")
    given = ModelInput("It was raining.", (NEAR, NEAR), ("Die Katze.",))
    (scored,), (written,) = model.score([given], ["Es"]), model.translate([given], Decoding(beam=1, longest=0.1))
    for found in (scored.context, written.context):
        assert found
        assert (found.source.given, found.target.given) == (2, 1)
        assert (found.source.kept, found.target.kept) == kept
        assert found.target.kept_tokens == 0
    # Where nothing is shown, nothing is different.
    without = model.score([ModelInput("It was raining.")], ["Es"])[0].logprobs
    assert (scored.logprobs.tolist() == without.tolist()) is (kept == (0, 0))


def test_a_prompt_that_shows_the_oldest_context_alone_is_refused(folders: dict[str, Path], tmp_path: Path):
    (file := tmp_path / "prompt.yaml").write_text(
        "chat: '{{ source }}'\nplain: '{% if context %}{{ context[0].source }} {% endif %}{{ source }} ='"
    )
    with pytest.raises(InputError, match=r"E280.*not the last one"):
        opened(folders, "lm:llama", f",template={file}")


def test_what_a_model_does_not_tell_counts_as_read():
    assert read_whole(ModelInput("a")).state == "none"
    found = read_whole(ModelInput("a", ("b",), ("c", "d")))
    assert (found.state, found.target) == ("whole", SideRead(2, 2, None, None))
