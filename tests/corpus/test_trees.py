"""YAML and JSON of users: what costs more than its size, or ends in one of Python's own errors, is a TreeError."""

from __future__ import annotations

import json
import time

import pytest
from ruamel.yaml import YAML

from endophora.corpus.trees import DEEPEST, LARGEST, TreeError, compose_yaml, load_json, load_yaml

BOMB = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

BAD = {
    "flow nested 2,000 deep": ("{a: " * 2000 + "1" + "}" * 2000, 1),
    "lists never closed": ("[" * 20_000, 1),
    "blocks nested": ("\n".join(" " * depth + "a:" for depth in range(200)), DEEPEST),
    "aliases that stand for 9 to the 9th": (BOMB, 7),
    "an alias within itself": ("a: &a [*a]", 1),
    "a date that is none": ("2024-13-45", None),
    "a number of 5,000 digits": ("a: " + "1" * 5000, None),
    "a tag that its value does not fit": ("!!int x", None),
    "an object of Python": ("!!python/object/apply:os.system [ls]", 1),
    "a control character": ("a\x01", None),
    "a list as a key": ("? {[1]: 1}\n: 2", None),
    "two documents": ("a\n---\nb", None),
}


@pytest.mark.parametrize("case", BAD)
def test_yaml_that_no_file_of_ours_has(case: str):
    text, line = BAD[case]
    start = time.perf_counter()
    with pytest.raises(TreeError) as caught:
        load_yaml(text)
    assert line is None or caught.value.line == line
    assert "\n" not in str(caught.value)
    assert time.perf_counter() - start < 10  # 2,000 nested maps took 14 s


def test_sound_yaml_is_read_as_by_the_library():
    text = "a: &x {b: [1, 2.5, yes, null, 2024-01-02]}\nc: *x\n" + "d: " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert load_yaml(text) == YAML(typ="safe", pure=True).load(text)  # pyright: ignore[reportUnknownMemberType]
    assert load_yaml("") is None
    assert compose_yaml("") is None
    assert len(text) < LARGEST


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[" * 100_000, "nested"),
        ('{"a": ' + "1" * 5000 + "}", "digits"),
        ('{"a": 1', "column 8"),
        (b'"\xff"', "UTF-8 at byte 1"),
        ("", "column 1"),
    ],
)
def test_json_that_python_cannot_read(text: str | bytes, cause: str):
    with pytest.raises(TreeError, match=cause):
        load_json(text)


def test_a_hook_may_refuse():
    def refuse(name: str) -> object:
        raise ValueError(f"{name} is no number")

    with pytest.raises(TreeError, match="NaN is no number"):
        load_json("[NaN]", parse_constant=refuse)
    assert load_json('{"a": [1, 2]}') == json.loads('{"a": [1, 2]}')
