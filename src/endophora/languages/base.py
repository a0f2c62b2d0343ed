"""What the parts of a rule file share: strict models, and the types of their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Words = frozenset[str]
Features = dict[str, str | tuple[str, ...]]
Text = Annotated[str, Field(min_length=1)]


def _regular(text: str) -> str:
    """Hold a text against the grammar of regular expressions."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from error
    return text


Pattern = Annotated[str, AfterValidator(_regular)]


class Strict(BaseModel):
    """Base of all parts of a rule file: no coercion, no unknown field, no change after reading."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def matches(features: Mapping[str, str], wanted: Features) -> bool:
    """Return whether a token's morphological features have the value that a rule wants, or one of its values."""
    for name, value in wanted.items():
        found = features.get(name)
        if found is None or (found != value if isinstance(value, str) else found not in value):
            return False
    return True
