"""What is read and judged many at a time is what it would be one by one."""

from __future__ import annotations

import gzip
import json
import tempfile
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import JSON, make_item

from endophora.corpus.faults import FaultLog
from endophora.errors import InputError
from endophora.suites import Suite
from endophora.suites.ctxpro import read_ctxpro, write_ctxpro
from endophora.suites.files import read_json
from endophora.suites.matching import MATCHINGS, normalise
from endophora.suites.scoring import SuiteOptions, judge_outputs

TEXT = st.text(max_size=6)
WORDS = st.lists(
    st.sampled_from(
        ["sie", "Sie.", "ist", "Er", "!", "„Sie“", "\u00a0", "  ", "\t", "是。", "z.", "ΑΣ", "’s", "d'elle", "-"]
    ),
    max_size=7,
)


ALL = {"document id": TEXT, "src segment": TEXT, "ref segment": TEXT, "rule": TEXT, "expected": TEXT}
HEADS = ("head", "head gender", "head lemma", "head morpho", "head pos", "head number", "phrase", "segment")
SEGMENTS = ("src ante segment", "ref ante segment")
SHAPES: dict[str, dict[str, st.SearchStrategy[str]]] = {
    "gender": {"src pronoun": TEXT, **{f"{side} ante {head}": TEXT for side in ("src", "ref") for head in HEADS}},
    "formality": {"src pronoun": TEXT},
    "auxiliary": dict.fromkeys(
        ("src verb", "src verb lemma", "ref verb lemma", "src ante verb lemma", *SEGMENTS), TEXT
    ),
    "inflection": dict.fromkeys(("src noun", "ref noun case", "src ante noun case", *SEGMENTS), TEXT),
}
NUMBERS = {"segment id": st.integers(0, 99)}
DISTANCE = {"ante distance": st.integers(0, 9)}
OTHERS = st.fixed_dictionaries({}, optional={"year": st.integers(1900, 2018)})


@given(st.sampled_from(list(SHAPES)), st.data())
def test_a_file_of_ctxpro_is_written_as_it_was_read(shape: str, data: st.DataObject) -> None:
    numbers = NUMBERS if shape == "formality" else NUMBERS | DISTANCE
    plain = st.fixed_dictionaries({**ALL, **SHAPES[shape], **numbers})
    value = st.tuples(plain, OTHERS).map(lambda both: both[0] | both[1])
    objects = data.draw(st.lists(value, min_size=1, max_size=3))
    if shape == "gender":
        objects = [one | {"intrasegmental": one["ante distance"] == 0} for one in objects]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.en-de.json"
        path.write_text(json.dumps(objects), encoding="utf-8")
        write_ctxpro(read_ctxpro(path), path)
        assert json.loads(path.read_text(encoding="utf-8")) == objects


@given(JSON | st.text().map(lambda text: "\ufeff" + text) | st.floats(), st.booleans(), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(value: object, plain: bool, packed: bool) -> None:
    body = json.dumps(value, ensure_ascii=not plain).encode("utf-8", "surrogatepass")
    log = FaultLog()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_bytes(gzip.compress(body) if packed else body)
        found = read_json(path, log)
    if not log:
        assert json.dumps(found) == json.dumps(json.loads(body))


@pytest.mark.parametrize("body", ["null", "[]", "3", '"x"', "[3]", "[null]"])
def test_json_that_is_no_list_of_objects_is_refused(tmp_path: Path, body: str) -> None:
    (tmp_path / "x.json").write_text(body, encoding="utf-8")
    with pytest.raises(InputError, match="E170"):
        read_ctxpro(tmp_path / "x.json")


def plainly(text: str, name: str) -> str:
    """Return a text as it is compared, character by character."""
    matching, text = MATCHINGS[name], text.replace("\n", " ").lower()
    ascii_symbols = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    instead = " " if matching.spaced else ""
    others = matching.symbols != "ascii"
    return "".join(
        instead if one in ascii_symbols or (others and unicodedata.category(one)[0] == "P") else one for one in text
    )


@given(st.lists(st.text()), st.sampled_from(list(MATCHINGS)))
def test_texts_are_normalised_as_character_by_character(texts: list[str], name: str) -> None:
    assert normalise(texts, MATCHINGS[name]) == [plainly(text, name) for text in texts]


@given(
    st.lists(st.tuples(st.lists(WORDS.map(" ".join), min_size=1, max_size=2), WORDS.map(" ".join)), max_size=4),
    st.sampled_from(list(MATCHINGS)),
    st.sampled_from(["de", "zh", ""]),
)
def test_outputs_are_judged_together_as_they_are_alone(
    pairs: list[tuple[list[str], str]], name: str, language: str
) -> None:
    items = tuple(make_item(expected=tuple(forms)) for forms, _ in pairs)
    suite, options = Suite("x", "en", language, items), SuiteOptions(matching=name)
    outputs = [output for _, output in pairs]
    alone = [
        judge_outputs(replace(suite, items=(item,)), [output], options)
        for item, output in zip(items, outputs, strict=True)
    ]
    assert judge_outputs(suite, outputs, options) == [outcome for (outcome,) in alone]
