"""The word lists of Fernandes et al. 2023, Tables 10 and 11, in place of a rule file's own."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import cast

from endophora.corpus.trees import load_yaml
from endophora.languages.schema import FormalityRule, LanguageRules, PronounRule

_LISTS = files("endophora.phenomena") / "data" / "published.yaml"
_TABLES = {"formality": "Fernandes et al. 2023, Table 10", "pronouns": "Fernandes et al. 2023, Table 11"}


def published_rules(rules: LanguageRules) -> LanguageRules:
    """Return the rules of a language with the paper's lists for formality and pronouns in place of its own.

    A word of Table 10 counts by its form alone, a pair of Table 11 where both words are pronouns. Of the verbs that
    show a level only those remain that the source's second person decides (§4.2). A language that a table does not
    have gets an empty list.
    """
    data = _LISTS.read_bytes()
    tables = cast("dict[str, dict[str, dict[str, list[str]]]]", load_yaml(data.decode()))
    formality = tuple(
        FormalityRule(level=level, forms=frozenset(forms), linked="ignored", source=_TABLES["formality"])
        for level, forms in tables["formality"].get(rules.language, {}).items()
    )
    pronouns = tuple(
        PronounRule(
            label=source,
            source_forms=frozenset({source}),
            alternatives={"": frozenset(forms)},
            agreement="",
            target_upos=frozenset({"PRON"}),
            source=_TABLES["pronouns"],
        )
        for source, forms in tables["pronouns"].get(rules.language, {}).items()
    )
    verbs = tuple(verb for verb in rules.formality_verbs if verb.addressed != "any") if formality else ()
    digest = hashlib.sha256(rules.hash.encode() + data).hexdigest()[:12]
    changed = {"formality": formality, "formality_verbs": verbs, "honorifics": (), "pronouns": pronouns}
    return rules.model_copy(update={**changed, "hash": digest})
