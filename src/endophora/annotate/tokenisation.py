"""The tokenizer of each language: spaCy's, brought nearer to Universal Dependencies by ``tokenisation.yaml``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.errors import Fault, InputError, MissingModelError, first_line

if TYPE_CHECKING:
    from spacy.language import Language

_AFFIX = 200
"""Characters at either end of a word in which its signs are looked for; a run of more is cut in pieces of as many."""

_RULES = Path(__file__).with_suffix(".yaml")
_UNKNOWN_LANGUAGE = "E048"  # spaCy's own code


@dataclass(frozen=True, slots=True)
class TokenizerExtra:
    """What a language's words cannot be found without: modules, and the extra of this package that brings them."""

    modules: tuple[str, ...]
    extra: str

    @property
    def missing(self) -> list[str]:
        """The libraries that are not installed; none is imported."""
        return [module for module in self.modules if find_spec(module) is None]


def tokenizer_extra(language: str) -> TokenizerExtra | None:
    """Return what a language's tokenizer needs besides spaCy; nothing for most."""
    rules = _rules().get(language, {})
    return TokenizerExtra(tuple(rules["needs"]), rules["extra"]) if "needs" in rules else None


def blank(language: str) -> Language:
    """Return a pipeline that only tokenises: an unknown language is E042, a missing library E040."""
    import spacy

    import_module("endophora.annotate.chinese")  # makes its tokenizer known to spaCy
    rules, needs = _rules().get(language, {}), tokenizer_extra(language)
    missing = needs.missing if needs is not None else []
    tokenizer = rules.get("fallback" if missing else "tokenizer")
    if needs is not None and missing and tokenizer is None:
        cause = f"the tokenizer of “{language}” needs {' and '.join(missing)}"
        raise MissingModelError(Fault("E040", cause, f"install it with: pip install 'endophora[{needs.extra}]'"))
    config = {"nlp": {"tokenizer": {"@tokenizers": tokenizer}}} if tokenizer else {}
    try:
        nlp = spacy.blank(language, config=config)
    except ImportError as error:
        cause = first_line(error)
        if _UNKNOWN_LANGUAGE in cause:
            raise InputError(Fault("E042", f"unknown language “{language}”", "use its ISO 639-1 code")) from error
        raise MissingModelError(Fault("E040", cause, "install what the tokenizer needs")) from error
    _adjust(nlp.tokenizer, rules)
    return nlp


@lru_cache(maxsize=1)
def _rules() -> dict[str, dict[str, Any]]:
    return cast("dict[str, dict[str, Any]]", cast("Any", YAML(typ="safe")).load(_RULES))


class _End:
    """A pattern that is looked for at one end of a text, under the name that pipelines save it by.

    spaCy searches a whole word for what stands at its end each time that it has cut off a sign: of 20,000 brackets in a
    row that took more than 40 seconds.
    """

    def __init__(self, pattern: re.Pattern[str], end: slice) -> None:
        self._search, self.pattern, self._end = pattern.search, pattern.pattern, end

    def search(self, text: str) -> re.Match[str] | None:
        """Return what is found there."""
        return self._search(text[self._end])


def look_at_ends(tokenizer: Any) -> None:
    """Let spaCy's tokenizer look for prefixes and suffixes in the first and last characters of a word alone."""
    for name, end in (("prefix_search", slice(_AFFIX)), ("suffix_search", slice(-_AFFIX, None))):
        search = getattr(tokenizer, name, None)
        if isinstance(pattern := getattr(search, "__self__", None), re.Pattern):
            setattr(tokenizer, name, _End(cast("re.Pattern[str]", pattern), end).search)


def _adjust(tokenizer: Any, rules: dict[str, Any]) -> None:
    """Add a language's rules to its tokenizer; a pipeline saves them with its own."""
    if "keep" in rules:
        tokenizer.token_match = re.compile(f"^(?:{rules['keep']})$").match
    if "drop" in rules:
        drop = re.compile(rules["drop"])
        tokenizer.rules = {text: rule for text, rule in tokenizer.rules.items() if not drop.fullmatch(text)}
    for side, template in (("prefix", "^(?:{})"), ("suffix", "(?:{})$")):
        extra = [template.format(part) for part in rules.get(side, [])]
        if extra:
            search = f"{side}_search"
            setattr(
                tokenizer, search, re.compile("|".join([*extra, getattr(tokenizer, search).__self__.pattern])).search
            )
    if "infix" in rules:
        known = tokenizer.infix_finditer.__self__.pattern
        tokenizer.infix_finditer = re.compile("|".join([*rules["infix"], known])).finditer
