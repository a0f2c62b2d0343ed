"""The list of error codes for users is what the code raises; what other libraries say becomes a line."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from endophora.errors import first_line

REPOSITORY = Path(__file__).resolve().parent.parent


def _generator() -> Any:
    """Return the module that writes the page."""
    spec = importlib.util.spec_from_file_location("errors_page", REPOSITORY / "packaging" / "site" / "errors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = _generator()
DATA = YAML(typ="safe").load(MADE.DATA.read_text("utf-8"))
TEXTS: dict[str, str | list[str]] = {
    code: text for section in DATA["sections"] for code, text in section["codes"].items()
}


def test_the_page_is_what_the_code_makes_it():
    """After a change of codes or advice: ``python packaging/site/errors.py``."""
    assert MADE.PAGE.read_text("utf-8") == MADE.page()


def test_every_code_in_the_source_is_documented_and_no_other():
    assert set(TEXTS) == MADE.read()[0]
    assert sum(len(section["codes"]) for section in DATA["sections"]) == len(TEXTS)


def test_every_row_says_what_to_do():
    _, _, advices = MADE.read()
    summed = {code: text[1] for code, text in TEXTS.items() if not isinstance(text, str)}
    assert [code for code in TEXTS if not summed.get(code) and not MADE.advised(advices[code])] == []
    # A text that the code has is not kept twice.
    assert [code for code, text in summed.items() if text == MADE.advised(advices.get(code, [[]]))] == []


def test_advice_is_read_where_the_code_raises_the_error():
    _, _, advices = MADE.read()
    assert advices["E010"] == [["give its translation, or delete the line in all files"]]
    assert MADE.advised(advices["E021"]) == "give all but one as files"
    assert MADE.advised(advices["E371"]).startswith("name a directory that `endophora evaluate`")


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([["check it"]] * 3 + [["copy it"], []], "check it"),
        ([["check it"], ["copy it"]], "check it; copy it"),
        ([["check it"], ["copy it"], ["leave it out"]], ""),
        ([["check it"], []], ""),
        ([["known: …"]], "the message has the known ones"),
        ([["set … to it"]], ""),
        ([["give --output DIR"]], "give `--output DIR`"),
    ],
    ids=["most places", "two", "too many", "one composed", "a list", "filled in", "typed"],
)
def test_the_advice_of_a_row(places: list[list[str]], said: str):
    assert MADE.advised(places) == said


def test_what_is_not_installed_ends_with_status_3():
    _, absent, _ = MADE.read()
    assert {"E040", "E150", "E274"} <= absent
    assert "E010" not in absent


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(), "OSError"), (ValueError("\n a\nb"), "a"), (KeyError("x"), "'x'")],
    ids=["no words", "blank first", "a key"],
)
def test_an_error_of_another_library_is_said_in_a_line_even_where_it_says_nothing(error: Exception, said: str):
    assert first_line(error) == said
