"""Many segments in one request: whatever an answer looks like, each segment has its own text, or is named as lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.models.chunks import Chunk, Reply, read_reply
from endophora.models.records import Fit, ModelInput, Sides, Translation
from endophora.models.services.options import known_services
from endophora.models.services.records import join_segments
from endophora.models.whole import Whole, WholeOptions, planned_chunks, report_lines, translate_whole

MARKERS = known_services()["openai"].markers
Lines = list[tuple[int, str]]
"""Number and translation; what has no number is 0."""


class Model:
    """Translates by capitals, and damages every answer to more than one segment."""

    signature = "model"
    uses_target_context = True

    def __init__(self, damage: Callable[[Lines], str | Reply] | None = None) -> None:
        self.damage = damage
        self.asked: list[Chunk] = []

    def translate(self, inputs: Sequence[ModelInput], decoding: object = None) -> list[Translation]:
        raise AssertionError

    def translate_chunks(self, chunks: Sequence[Chunk], decoding: object = None) -> list[Reply]:
        self.asked += chunks
        return [self._reply(chunk) for chunk in chunks]

    def _reply(self, chunk: Chunk) -> Reply:
        joined = join_segments(chunk.segments, MARKERS)
        lines = [(number, source.upper()) for number, source in enumerate(chunk.sources, 1)]
        if not chunk.marked:
            return Reply("[[1]] " + " ".join(text for _, text in lines) + " [[2]]", joined)
        damaged = self.damage(lines) if self.damage and len(lines) > 1 else written(lines)
        return Reply(damaged, joined) if isinstance(damaged, str) else Reply(damaged.text, joined, damaged.cut_off)


def written(lines: Lines) -> str:
    return "\n".join(f"[[{number}]] {text}" if number else text for number, text in lines)


def translated(model: Model, count: int = 8, context: tuple[int, Sides] = (0, Sides.NONE), **options: object) -> Whole:
    documents = [[f"this is segment {100 + place}." for place in range(count)]]
    options = options or {"document": True}
    return translate_whole(model, documents, ("en", "de"), WholeOptions(**options), context)


RIGHT = [f"THIS IS SEGMENT {100 + place}." for place in range(8)]


@pytest.mark.parametrize(
    ("damage", "requests"),
    [
        pytest.param(written, 1, id="right"),
        pytest.param(lambda lines: "Sure! Here it is:\n\n```text\n" + written(lines) + "\n```\nBye!", 1, id="fence"),
        # Segments 3 and 4 may stand behind one marker, and what is behind 5 may be of both: these are asked for.
        pytest.param(lambda lines: written([(0, t) if n == 4 else (n, t) for n, t in lines]), 2, id="lost-marker"),
        pytest.param(lambda lines: Reply(written(lines)[:-10], cut_off=True), 2, id="cut-off"),
        pytest.param(lambda lines: "\n".join(text for _, text in lines), 1, id="no-markers"),
    ],
)
def test_answers_are_put_in_their_places(damage: Callable[[Lines], str | Reply], requests: int):
    found = translated(Model(damage))
    assert found.texts == [RIGHT]
    assert found.report.requests == requests
    assert not found.report.lost


def test_what_was_left_out_is_counted_and_said():
    found = translated(Model(lambda lines: f"Here:\n{written(lines)}\n\nNote: all of it."))
    assert (found.report.preambles, found.report.behind) == (1, 1)
    said = report_lines(found.report, ["doc"])
    assert said[0] == ("8 segments in 1 requests: 8 by marker, 0 by realignment, 0 in a request of their own, 0 lost")
    assert "1 answers began with text of no segment, which was left out" in said


def test_a_line_that_introduces_an_answer_without_markers_is_no_translation():
    class Chatty(Model):
        def _reply(self, chunk: Chunk) -> Reply:
            reply = super()._reply(chunk)
            kept = [source.upper() for source in chunk.sources if "SEGMENT 100" not in source.upper()]
            return Reply("Here is the translation:\n\n" + " ".join(kept) if kept else "", reply.joined)

    found = translated(Chatty())
    assert found.texts[0] == ["", *RIGHT[1:]]
    assert (found.report.lost, found.report.preambles > 0) == ([(0, 0)], True)


def test_a_segment_that_never_comes_is_named():
    class Silent(Model):
        def _reply(self, chunk: Chunk) -> Reply:
            reply = super()._reply(chunk)
            lines = [line for line in reply.text.split("\n") if "SEGMENT 104" not in line]
            return Reply("\n".join(lines), reply.joined)

    found = translated(Silent())
    assert found.report.lost == [(0, 4)]
    assert found.texts[0] == [*RIGHT[:4], "", *RIGHT[5:]]
    assert "1 segments have no translation (document:segment): doc:5" in report_lines(found.report, ["doc"])


def test_lines_of_one_segment_are_joined_and_named():
    found = translated(
        Model(lambda lines: written([(n, t.replace(" IS", "\nIS")) if n == 2 else (n, t) for n, t in lines]))
    )
    assert found.texts == [RIGHT]
    assert found.report.folded == [(0, 1)]


def test_without_markers_the_answer_is_cut_by_its_words():
    found = translated(Model(), document=True, markers=False)
    assert found.texts == [RIGHT]
    assert set(found.by[0]) == {"words"}


def test_chunks_wait_for_the_translations_before_them():
    model = Model()
    assert translated(model, context=(2, Sides.BOTH), chunk=3).texts == [RIGHT]
    assert [len(chunk.sources) for chunk in model.asked] == [3, 3, 2]
    assert model.asked[1].target_context == tuple(RIGHT[1:3])


def test_blank_segments_are_not_sent():
    model = Model()
    found = translate_whole(model, [["a", " ", "b"], []], ("en", "de"), WholeOptions(document=True))
    assert (found.texts, found.by) == ([["A", "", "B"], []], [["marker", "blank", "marker"], []])
    assert [chunk.sources for chunk in model.asked] == [("a", "b")]


def test_a_translator_without_markers_is_given_one_text_that_it_has_room_for():
    class Small:
        signature = "small"

        def fit(self, inputs: Sequence[ModelInput], targets: object = None, decoding: object = None) -> list[Fit]:
            return [Fit(excess="long" if len(one.source) > 60 else "") for one in inputs]

        def translate(self, inputs: Sequence[ModelInput], decoding: object = None) -> list[Translation]:
            assert all(len(one.source) <= 60 for one in inputs)
            return [Translation(one.source.upper()) for one in inputs]

    documents = [[f"this is segment {100 + place}." for place in range(8)]]
    found = translate_whole(Small(), documents, ("en", "de"), WholeOptions(document=True))
    assert found.texts == [RIGHT]
    assert found.report.cut_off == 3


def test_text_under_anothers_marker_is_noticed_by_its_words():
    sources = ["The dog sleeps in the garden.", "My mother buys bread.", "We go to school on Monday.",
               "The water is cold.", "He reads a book.", "She works in a hospital."]  # fmt: skip
    right = ["Der Hund schläft im Garten.", "Meine Mutter kauft Brot.", "Wir gehen am Montag in die Schule.",
             "Das Wasser ist kalt.", "Er liest ein Buch.", "Sie arbeitet in einem Krankenhaus."]  # fmt: skip

    class Shifting(Model):
        def _reply(self, chunk: Chunk) -> Reply:
            texts = [right[sources.index(source)] for source in chunk.sources]
            if len(texts) > 4:
                texts = [texts[0], *texts[2:], "Das ist alles."]
            return Reply(written(list(enumerate(texts, 1))), join_segments(chunk.segments, MARKERS))

    found = translate_whole(Shifting(), [sources], ("en", "de"), WholeOptions(document=True))
    assert found.texts == [right]
    assert found.report.doubted >= 3


def test_the_plan_has_the_chunks_and_what_they_may_be_asked_again_in():
    (plan,) = planned_chunks([["a", "b", "c"]], WholeOptions(document=True, retries=2), (0, Sides.NONE))
    assert [chunk.sources for chunk in plan] == [("a", "b", "c"), ("a", "b"), ("c",), ("a",), ("b",)]


def test_the_signature_tells_what_was_sent_and_what_was_kept():
    signatures = {translated(Model(), count).signature for count in (7, 8)}
    signatures |= {translated(Model(), document=True, retries=1).signature, translated(Model(written)).signature}
    assert len(signatures) == 3


@st.composite
def damages(draw: st.DrawFn) -> Callable[[Lines], str | Reply]:
    """Damage of an answer by which text may come under another marker than its own.

    A model that drops or moves text, counts again and still ends with the right number is noticed by words alone.
    """
    renumbered = draw(st.booleans())
    steps = draw(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99)), min_size=1, max_size=3))
    steps = [(kind, at) for kind, at in steps if not (renumbered and kind in ("twice", "swap", "cut"))]

    def damage(lines: Lines) -> str | Reply:
        cut = False
        for kind, at in steps:
            place = at % len(lines) if lines else 0
            if kind == "unmark":
                lines = [(0, t) if i == place else (n, t) for i, (n, t) in enumerate(lines)]
            elif kind == "drop" and len(lines) > 1:
                lines = lines[:place] + lines[place + 1 :]
            elif kind == "twice":
                lines = [*lines[: place + 1], *lines[place:]]
            elif kind == "swap" and place + 1 < len(lines):
                lines[place : place + 2] = lines[place : place + 2][::-1]
            elif kind == "blank" and place + 1 < len(lines):
                (n, t), (m, u) = lines[place : place + 2]
                lines[place : place + 2] = [(n, f"{t} {u}"), (m, "")] if at % 2 else [(n, ""), (m, f"{t} {u}")]
            elif kind == "cut":
                cut = True
        if renumbered:
            lines = [(number, text) for number, (_, text) in enumerate(lines, 1)]
        text = written(lines)
        return Reply(text[: max(1, len(text) * 2 // 3)], cut_off=True) if cut else text

    return damage


STEPS = ("unmark", "drop", "twice", "swap", "blank", "cut")


@settings(max_examples=40, deadline=None)
@given(damages(), st.integers(2, 7))
def test_no_damage_shifts_text_that_counts_as_marked(damage: Callable[[Lines], str | Reply], count: int):
    found = translated(Model(lambda lines: damage(list(lines))), count)
    (texts,), (ways,) = found.texts, found.by
    assert len(texts) == len(ways) == count
    for text, way, right in zip(texts, ways, RIGHT, strict=False):
        if way == "marker":
            assert text == right
    assert {place for _, place in found.report.lost} == {place for place, way in enumerate(ways) if way == "lost"}


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("[]0123 a\n`x"), max_size=60), st.integers(1, 4), st.booleans(), st.booleans())
def test_every_segment_is_vouched_for_or_left_over(text: str, count: int, marked: bool, cut_off: bool):
    chunk = Chunk(tuple(f"s{number}" for number in range(count)), marked=marked)
    found = read_reply(chunk, Reply(text, join_segments(chunk.segments, MARKERS), cut_off))
    places = [*found.texts, *(place for start, stop, _ in found.left for place in range(start, stop))]
    assert sorted(places) == list(range(count))
