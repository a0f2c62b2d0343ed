"""Language models with turns and several segments: what they read, what they answer, what they have no room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.models.chunks import Chunk
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding
from endophora.models.specs import open_model
from endophora.models.whole import WholeOptions, translate_whole

CHUNK = Chunk(("A house.", "It is red."), ("Before.",), ("Davor.",))
SHORT = Decoding(beam=1, longest=0.1)
OPTIONS = ModelOptions(languages=("en", "de"), device="cpu", threads=1)


def test_a_model_with_turns_is_shown_markers_and_answers_greedily(folders: dict[str, Path]):
    pytest.importorskip("torch")
    model = open_model(f"lm:{folders['chat']}", OPTIONS)
    seen: list[str] = []
    fill = model._prompts.templates.fill
    model._prompts.templates.fill = lambda name, values: (
        fill(name, values) if name == "system" else seen.append(fill(name, values)) or seen[-1]
    )
    marked, plain = model.translate_chunks([CHUNK, Chunk(CHUNK.sources, marked=False)], SHORT)
    assert "[[1]] A house.\n[[2]] It is red." in seen[0]
    assert "English: Before.\nGerman: Davor." in seen[0]
    assert "[[1]] A house.\nIt is red.\n[[2]]" in seen[1]
    assert marked.sent
    assert plain.joined is not None
    turns = [{"role": "user", "content": seen[0]}]
    text = model._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    # The blank before the answer is a part of its first token.
    prompt = model._tokenizer(text.rstrip(" "), return_tensors="pt", add_special_tokens=False)["input_ids"]
    length = int(model.length(marked.joined.text) * 0.1) + 10
    found = model.model.generate(prompt, max_new_tokens=length, do_sample=False, num_beams=1)[0][prompt.shape[1] :]
    assert marked.text == model.coder.text([one for one in found.tolist() if one not in model._ends])


def test_a_single_segment_loses_its_context_before_it_is_too_long(folders: dict[str, Path]):
    model = open_model(f"lm:{folders['chat']}", OPTIONS)
    (reply,) = model.translate_chunks([Chunk(("A house.",), ("word " * 400,))], SHORT)
    assert reply.sent


def test_what_there_is_no_room_for_is_not_sent(folders: dict[str, Path]):
    model = open_model(f"lm:{folders['chat']}", OPTIONS)
    long = Chunk(("word " * 60,) * 6)
    assert [reply.sent for reply in model.translate_chunks([long, CHUNK], SHORT)] == [False, True]


@pytest.mark.parametrize("kind", ["lm:chat", "lm:llama", "concatenation"])
def test_every_kind_gives_each_segment_a_line_or_names_it(folders: dict[str, Path], kind: str):
    prefix, _, name = kind.rpartition(":")
    model = open_model(f"{prefix}:{folders[name]}" if prefix else str(folders[name]), OPTIONS)
    documents = [["A house.", "", "It is red."], ["A car."]]
    found = translate_whole(model, documents, ("en", "de"), WholeOptions(document=True), decoding=SHORT)
    assert [len(texts) for texts in found.texts] == [3, 1]
    assert found.by[0][1] == "blank"
    lost = {(number, at) for number, ways in enumerate(found.by) for at, way in enumerate(ways) if way == "lost"}
    assert set(found.report.lost) == lost
    assert all(found.texts[number][at] == "" for number, at in lost)
