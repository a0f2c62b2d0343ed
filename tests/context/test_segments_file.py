"""P-CXMI of every word is read from disk as it was written, and a file of something else is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.context.pointwise import Pointwise, read_segments, write_segments
from endophora.context.samples import Sample, Word
from endophora.errors import InputError
from endophora.models.records import ContextRead, ModelInput, SideRead

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
values = st.integers(-(10**7), 10**7).map(lambda number: number / 10**6)
names = st.lists(texts, max_size=2).map(tuple)
counts = st.integers(0, 9)
sides = st.builds(SideRead, counts, counts, st.none() | counts, st.none() | counts)
reads = st.builds(ContextRead, sides, sides, st.booleans())
CONDITIONS = 2


@st.composite
def measured(draw: st.DrawFn) -> Pointwise:
    """Draw a sample of which every word is two characters, measured under two conditions."""
    target = draw(texts)
    count = len(target) // 2
    words = tuple(
        Word(2 * place, 2 * place + 2, target[2 * place : 2 * place + 2], draw(texts), draw(names), draw(names))
        for place in range(count)
    )
    whole = ModelInput(draw(texts), draw(names), draw(names))
    gains = np.array(draw(st.lists(values, min_size=CONDITIONS * count, max_size=CONDITIONS * count)))
    end = np.array(draw(st.lists(values, min_size=CONDITIONS, max_size=CONDITIONS)))
    base = np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=np.float64)
    sample = Sample(draw(texts), draw(st.integers(0, 99)), whole, target, words)
    contexts = tuple(draw(reads) for _ in range(CONDITIONS))
    return Pointwise(
        sample, draw(st.integers(1, 9)), draw(values), base, gains.reshape(CONDITIONS, count), end, contexts
    )


@settings(max_examples=60)
@given(st.lists(measured(), min_size=1, max_size=3))
def test_what_is_written_is_read(tmp_path_factory, samples):
    path = tmp_path_factory.mktemp("segments") / "segments.jsonl"
    write_segments(samples, path)
    read = read_segments(path, CONDITIONS)
    assert [one.sample for one in read] == [one.sample for one in samples]
    for one, other in zip(read, samples, strict=True):
        assert (one.pieces, one.base, one.contexts) == (other.pieces, other.base, other.contexts)
        assert np.array_equal(one.words, other.words)
        assert np.array_equal(one.end, other.end)
        assert np.array_equal(one.base_words, other.base_words)
        assert np.allclose(one.totals, other.totals)


@pytest.fixture
def line() -> dict[str, object]:
    word = {"start": 0, "end": 2, "lemma": "ja", "labels": [], "tags": [], "logprob": -1.0, "gain": [0.5, 0.5]}
    side = {"given": 1, "kept": 0, "given_tokens": 4, "kept_tokens": 0}
    context = {"source": side, "target": side, "assumed": False}
    return {
        "document": "d", "segment": 0, "source": "yes", "target": "ja", "source_context": [], "target_context": [],
        "pieces": 2, "logprob": -2.0, "gain": [0.5, 0.5], "end": [0.0, 0.0], "words": [word],
        "contexts": [context, context],
    }  # fmt: skip


def codes(path: Path, text: str, conditions: int = CONDITIONS) -> list[tuple[str, int | None]]:
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_segments(path, conditions)
    return [(fault.code, fault.line) for fault in caught.value.faults]


def test_a_line_by_hand_is_read(tmp_path: Path, line: dict[str, object]):
    (tmp_path / "s").write_text(json.dumps(line) + "\n", "utf-8")
    (one,) = read_segments(tmp_path / "s", CONDITIONS)
    assert one.totals.tolist() == [0.5, 0.5]
    assert one.sample.words[0].form == "ja"
    assert one.contexts[0].state == "lost"


def test_lines_that_are_broken_or_of_another_result_are_told(tmp_path: Path, line: dict[str, object]):
    good = json.dumps(line)
    broken = json.dumps({**line, "pieces": "two"})
    extra = json.dumps({**line, "more": 1})
    outside = json.dumps({**line, "target": "j"})
    nothing = good.replace("0.5", "NaN")
    found = codes(tmp_path / "s", "\n".join((good, broken, "{", outside, extra, nothing)) + "\n")
    assert found == [("E312", 2), ("E310", 3), ("E315", 4), ("E312", 5), ("E310", 6)]
    assert codes(tmp_path / "s", good + "\n", 3) == [("E315", 1)]
