"""The codes by which models of several languages know them: tokens of their vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, cast

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from endophora.errors import Fault, InputError


class _Codes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    forms: tuple[str, ...]
    preferred: dict[str, tuple[str, ...]]


@cache
def _codes() -> _Codes:
    text = (files("endophora.models") / "language_codes.yaml").read_text("utf-8")
    return _Codes.model_validate(cast("Any", YAML(typ="safe", pure=True)).load(text))


@cache
def _three_letters() -> dict[str, str]:
    """Return the code of ISO 639-2 of each language by its code of ISO 639-1."""
    text = (files("endophora.corpus") / "data" / "iso-639-1.tsv").read_text("utf-8")
    return {row.split("\t")[0]: row.split("\t")[1] for row in text.splitlines()[1:]}


def find_code(language: str, vocabulary: Iterable[str], marked: Iterable[str]) -> str | None:
    """Return the token by which a model knows a language; ``None`` if there is none.

    Raises: InputError: there are several, and none is preferred (E276).
    """
    tokens, special = set(vocabulary), set(marked)
    codes = _codes()
    for token in codes.preferred.get(language, ()):
        if token in tokens:
            return token
    for form in codes.forms:
        written = form.format(two=language, three=_three_letters().get(language, "?"))
        if "*" not in written:
            if written in tokens:
                return written
            continue
        pattern = re.compile(re.escape(written).replace(r"\*", r"[A-Za-z]+"))
        found = sorted(token for token in special if pattern.fullmatch(token))
        if len(found) > 1:
            cause = f"the model knows {language} as {', '.join(found)}"
            raise InputError(Fault("E276", cause, "say which: source_code= or target_code=", "--model"))
        if found:
            return found[0]
    return None
