"""The list of error codes for users is complete; what other libraries say becomes a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from endophora.errors import first_line

REPOSITORY = Path(__file__).resolve().parent.parent


def test_every_code_in_the_source_is_documented_and_no_other():
    sources = [path for root in ("src", "makers/src") for path in (REPOSITORY / root).rglob("*.py")]
    pattern = re.compile(r"\"(E[0-3]\d\d)\"")
    # E048 is spaCy's own code for a language that it does not know, which is caught and reported as E042.
    used = {code for path in sources for code in pattern.findall(path.read_text("utf-8"))}
    text = (REPOSITORY / "docs" / "errors.md").read_text("utf-8")
    documented = {code for row in re.findall(r"^\| (E[^|]*) \|", text, re.M) for code in row.split(", ")}
    assert used - {"E048"} == documented


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(), "OSError"), (ValueError("\n a\nb"), "a"), (KeyError("x"), "'x'")],
    ids=["no words", "blank first", "a key"],
)
def test_an_error_of_another_library_is_said_in_a_line_even_where_it_says_nothing(error: Exception, said: str):
    assert first_line(error) == said
