"""The tokenizer of each language: spaCy's, adjusted to Universal Dependencies by ``tokenisation.yaml``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from endophora.errors import Fault, InputError, MissingModelError

if TYPE_CHECKING:
    from spacy.language import Language


def blank(language: str) -> Language:
    """Return a pipeline that only tokenises.

    Args:
        language: any ISO code that spaCy knows.

    Raises:
        InputError: spaCy does not know the language (E042).
        MissingModelError: its tokenizer needs a library that is not installed (E040).
    """
    import spacy

    config: dict[str, Any] = {}
    if language == "zh" and find_spec("jieba"):
        config = {"nlp": {"tokenizer": {"segmenter": "jieba"}}}
    try:
        nlp = spacy.blank(language, config=config)
    except ImportError as error:
        cause = str(error).splitlines()[0]
        if "E048" in cause:
            raise InputError(Fault("E042", f"unknown language “{language}”", "use its ISO 639-1 code")) from error
        raise MissingModelError(Fault("E040", cause, "install what the tokenizer needs")) from error
    return nlp
