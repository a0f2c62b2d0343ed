"""The window: context beyond it is left out on both sides alike, in use as in training."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("transformers")
from tiny_models import make_vocabulary

from endophora.models.layout import Architecture, Layout, beyond_training
from endophora.models.loading import trained_parts
from endophora.models.options import ModelOptions
from endophora.training.translation.examples import ExamplePlace, Examples, TokenDocument, TokenText
from endophora.training.translation.settings import TrainingSettings

END, SEPARATOR = 0, 2
LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=7)


def layout(window: int | None, architecture: Architecture = Architecture.CONCATENATION) -> Layout:
    return Layout(architecture, (SEPARATOR,), (END,), 1024, window=window)


def sentence(length: int) -> tuple[int, ...]:
    return tuple(range(10, 10 + length))


@pytest.mark.parametrize(
    ("window", "kept"),
    [(None, 3), (18, 3), (17, 2), (13, 2), (12, 1), (8, 1), (7, 0), (1, 0)],
)
def test_whole_sentences_are_left_out_the_oldest_first_on_both_sides_alike(window: int | None, kept: int):
    # Target: 3 + 1, then backwards 3 + 1, 4 + 1, 4 + 1 tokens with the separators: 4, 8, 13, 18. Source: 3, 6, 8, 10.
    context = [sentence(1), sentence(1), sentence(2)], [sentence(4), sentence(4), sentence(3)]
    laid = layout(window).lay_out(sentence(2), sentence(3), *context)
    assert (laid.context.source.kept, laid.context.target.kept) == (kept, kept)
    assert laid.source.count(SEPARATOR) == laid.prefix.count(SEPARATOR) == kept
    assert laid.source[-3:] == (*sentence(2), END)
    assert len(laid.prefix) + len(laid.target) == [4, 8, 13, 18][kept]


def test_context_of_one_side_alone_has_the_window_for_itself():
    assert layout(10).lay_out(sentence(2), sentence(3), [sentence(6)]).context.state == "whole"
    assert layout(9).lay_out(sentence(2), sentence(3), [sentence(6)]).context.state == "lost"
    assert layout(10).lay_out(sentence(2), None, (), [sentence(6)]).context.state == "whole"


@given(sources=LENGTHS, targets=LENGTHS, window=st.integers(2, 60), context=st.integers(0, 6))
def test_a_model_reads_what_it_was_trained_on(sources: list[int], targets: list[int], window: int, context: int):
    count = min(len(sources), len(targets))
    document = TokenDocument(tuple(map(sentence, sources[:count])), tuple(map(sentence, targets[:count])))
    settings = TrainingSettings(window=window, context_size=context, dynamic=False)
    examples = Examples(TokenText([document]), layout(window), settings)
    for place in examples.draw(None).places:
        before = slice(max(0, place.segment - context), place.segment)
        read = layout(window).lay_out(
            document.sources[place.segment],
            document.targets[place.segment],
            document.sources[before],
            document.targets[before],
        )
        assert read.context.given == 2 * min(context, place.segment)
        assert (read.context.source.kept, read.context.target.kept) == (place.context, place.context)
        assert (read.source, read.prefix, read.target) == (lambda one: (one.source, one.prefix, one.target))(
            examples.example(ExamplePlace(place.document, place.segment, place.context))
        )
        longer = max(len(read.source), len(read.prefix) + len(read.target))
        assert longer <= window or place.context == 0


def test_a_segment_longer_than_the_window_is_learned_without_context():
    document = TokenDocument((sentence(3), sentence(30)), (sentence(3), sentence(30)))
    examples = Examples(TokenText([document]), layout(20), TrainingSettings(window=20, context_size=1, dynamic=False))
    drawn = examples.draw(None)
    assert [place.context for place in drawn.places] == [0, 0]
    assert (drawn.shortened, drawn.left_out) == (1, 0)


def test_the_window_is_that_of_training_unless_another_is_asked_for(tmp_path: Path):
    make_vocabulary(tmp_path / "source.spm")
    for trained, asked, window in ((None, None, None), (96, None, 96), (96, 40, 40)):
        options = ModelOptions(window=asked)
        _, layout = trained_parts(tmp_path, Architecture.CONCATENATION, 512, trained, None, options)
        assert layout.window == window


class Standing:
    """A model as far as its training is concerned."""

    def __init__(self, trained: int | None, architecture: Architecture = Architecture.CONCATENATION) -> None:
        self.layout = Layout(architecture, (SEPARATOR,), (END,), 1024, trained=trained)


def test_more_context_than_a_model_knows_is_told_but_not_of_models_that_know_none():
    models = {
        "two": Standing(2),
        "five": Standing(5),
        "of the Hub": Standing(None),
        "sentence": Standing(0, Architecture.SENTENCE),
        "service": object(),
    }
    assert beyond_training(models, 2) == []
    assert beyond_training(models, 3) == [
        "two was trained with at most 2 segments of context and is given 3",
    ]
