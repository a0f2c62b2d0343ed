"""Which tool a setup loads for which language, and with what: the tools are made up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from endophora import align, corefer, languages
from endophora.annotate import loading
from endophora.errors import InputError
from endophora.evaluation import setup as module
from endophora.evaluation.columns import choice_columns
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena import tagging as tagging_module
from endophora.statistics.units import each_row


def taking(found: list[Any]) -> Any:
    def take(*given: Any, **named: Any) -> Any:
        found.append((given, named))
        return SimpleNamespace(signature=f"tool{len(found)}")

    return take


def test_a_setup_loads_each_tool_for_its_language_once(monkeypatch: pytest.MonkeyPatch):
    annotators, aligners, resolvers = list[Any](), list[Any](), list[Any]()
    monkeypatch.setattr(loading, "load_annotator", taking(annotators))
    monkeypatch.setattr(align, "load_aligner", taking(aligners))
    monkeypatch.setattr(corefer, "load_resolver", taking(resolvers))
    tools = Setup("en", "de", annotators={"de": "mine"}, aligner="a", resolver="r", window=3).load()
    for _ in range(2):
        _ = tools.source_annotator, tools.target_annotator, tools.aligner, tools.resolver, tools.target_resolver
    assert annotators == [(("en", None), {}), (("de", "mine"), {})]
    assert aligners == [(("a", "en", "de"), {"rules": {}})]
    assert resolvers == [(("r",), {"language": code, "window": 3}) for code in ("en", "de")]


def test_a_setup_keeps_what_it_computes_where_it_is_told_or_in_memory(tmp_path: Path):
    assert not (tmp_path / "s.db").exists()
    _ = Setup("en", "de", store=tmp_path / "s.db").load().store
    _ = Setup("en", "de").load().annotations
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("s.db")]


def test_a_setup_refuses_rules_that_are_given_twice_or_of_a_third_language(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(languages, "read_language", lambda path: SimpleNamespace(language=path.stem[:2]))

    def own(*names: str) -> Any:
        return Setup("en", "de", rules=tuple(Path(name) for name in names)).load().own_rules

    assert {code: rules.language for code, rules in own("de.yaml", "en.yaml").items()} == {"de": "de", "en": "en"}
    assert own() == {}
    with pytest.raises(InputError) as raised:
        own("de.yaml", "de2.yaml", "fr.yaml")
    assert [(one.code, one.file, one.cause) for one in raised.value.faults] == [
        ("E035", "de2.yaml", "the rules of “de” are given twice"),
        ("E035", "fr.yaml", "the rules are of “fr”, and the pair is en-de"),
    ]


def loaded(**more: Any) -> Any:
    """What a toolbox has loaded, each tool with its name for a signature."""
    names = ("source", "target", "aligner", "resolver", "target_resolver", "reader")
    known: dict[str, Any] = {name: SimpleNamespace(signature=name.upper()) for name in names}
    taggers = [SimpleNamespace(phenomenon=name, signature=f"of {name}") for name in ("pronouns", "ellipsis")]
    return SimpleNamespace(**(known | {"taggers": taggers} | more))


def test_a_setup_signs_the_tools_that_it_has_in_a_fixed_order(monkeypatch: pytest.MonkeyPatch):
    signed: list[tuple[str, str]] = []
    monkeypatch.setattr(module, "write_signature", lambda pairs: signed.extend(pairs) or "signature")
    tools = Setup("en", "de").load()
    tools.__dict__["loaded"] = loaded()
    assert tools.signature == "signature"
    assert signed[:-1] == [
        ("pair", "en-de"), ("source", "SOURCE"), ("target", "TARGET"), ("align", "ALIGNER"), ("corefer", "RESOLVER"),
        ("corefer of target", "TARGET_RESOLVER"), ("pronouns", "of pronouns"), ("ellipsis", "of ellipsis"),
        ("reading", "READER"),
    ]  # fmt: skip
    assert signed[-1][0] == "version"
    signed.clear()
    tools = Setup("en", "de").load()
    tools.__dict__["loaded"] = loaded(source=None, aligner=None, resolver=None, target_resolver=None, taggers=())
    _ = tools.signature
    assert [name for name, _ in signed] == ["pair", "target", "reading", "version"]


def toolbox(*phenomena: str) -> Any:
    tools = Setup("en", "de", taggers=TaggerOptions(phenomena=phenomena)).load()
    parts = ("source_annotator", "target_annotator", "aligner", "resolver", "target_resolver", "reader")
    tools.__dict__.update({name: name for name in parts}, priors=SimpleNamespace(hash="h"))
    tools.__dict__["taggers"] = list(phenomena)
    return tools.loaded


def test_a_setup_has_no_tool_of_the_source_where_nothing_is_looked_for():
    none = toolbox()
    assert (none.source, none.target, none.aligner, none.resolver, none.target_resolver, none.taggers) == (
        None, "target_annotator", None, None, None, (),
    )  # fmt: skip
    assert (none.reader, none.priors) == ("reader", "h")


def test_a_setup_resolves_pronouns_of_the_side_that_a_phenomenon_asks_of():
    [backwards, *_] = sorted(tagging_module.REVERSED)
    [unresolved, *_] = sorted(tagging_module.UNRESOLVED - tagging_module.REVERSED)
    assert (toolbox("pronouns").resolver, toolbox("pronouns").target_resolver) == ("resolver", None)
    assert (toolbox(unresolved).resolver, toolbox(unresolved).source) == (None, "source_annotator")
    assert (toolbox(backwards).target_resolver, toolbox(unresolved, "pronouns").resolver) == (
        "target_resolver",
        "resolver",
    )


def test_a_setup_without_phenomena_or_rules_has_neither_taggers_nor_a_reader():
    tools = Setup("en", "xx", taggers=TaggerOptions(phenomena=())).load()
    assert tools.taggers == []
    assert tools.reader is None
    kept = Setup("en", "de", taggers=TaggerOptions(phenomena=("pronouns", "lexical_cohesion"))).load().taggers
    assert [one.phenomenon for one in kept] == ["pronouns", "lexical_cohesion"]
    options = TaggerOptions(phenomena=("pronouns",))
    assert [one.signature for one in make_taggers("de", options, "en", {})] == [kept[0].signature]


def test_columns_of_judgments_are_named_for_our_choice_unless_another_judges():
    counts, documents = np.ones((1, 1, 1, 4)), each_row(1, "documents")

    def signature(*more: Any) -> str:
        (made,), _ = choice_columns(["pronouns"], counts, documents, EvaluationOptions(), (), *more)
        return made.signature.rpartition("|version:")[0]

    assert signature() == "judge:choice|support:inter"
    assert signature("alone") == "judge:alone|support:inter"
