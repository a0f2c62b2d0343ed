"""The list of error codes for users is complete."""

from __future__ import annotations

import re

from conftest import REPOSITORY


def test_every_corpus_code_in_the_source_is_documented_and_no_other() -> None:
    sources = (REPOSITORY / "src" / "endophora" / "corpus").glob("*.py")
    used = {code for path in sources for code in re.findall(r'"(E0[0-2]\d)"', path.read_text(encoding="utf-8"))}
    documented = set(re.findall(r"^\| (E0[0-2]\d) ", (REPOSITORY / "docs" / "errors.md").read_text("utf-8"), re.M))
    assert used == documented
