"""What is said of an installation, with its parts made up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from endophora.errors import Fault, InputError
from endophora.evaluation import installation as module
from endophora.evaluation.installation import (
    Check,
    _aligner_figures,
    _annotator_name,
    _attempt,
    _language_row,
    _row,
    _size,
    _store_state,
    known_languages,
    run_checks,
)
from endophora.store import Store


def test_installation_checks_that_fail_are_broken_and_files_that_are_read_are_there():
    def fail(error: Exception) -> Any:
        def check() -> str:
            raise error

        return check

    assert _attempt("a", lambda: "opened") == Check("a", "ok", "opened")
    assert _attempt("a", fail(OSError("gone")), lambda: "2 MB") == Check("a", "there", "2 MB")
    for error in (OSError("gone"), ValueError("odd"), InputError(Fault("E001", "no", "look"))):
        found = _attempt("a", fail(error))
        assert (found.state, found.detail) == ("broken", str(error))
        assert _attempt("a", lambda: "", fail(error)).state == "broken"
    with pytest.raises(KeyError):
        _attempt("a", fail(KeyError("a fault of ours")))


def test_installation_sizes_are_of_files_and_of_folders_with_all_below(tmp_path: Path):
    (tmp_path / "one").write_bytes(b"x" * 1_500_000)
    assert _size(tmp_path / "one") == "1.5 MB"
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "two").write_bytes(b"x" * 500_000)
    assert _size(tmp_path) == "2.0 MB"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="nothing in"):
        _size(tmp_path / "empty")
    assert _row("kind", "name", 2_340_000, "MIT", "texts") == {
        "kind": "kind", "name": "name", "size": "2.3 MB", "licence": "MIT", "trained on": "texts",
    }  # fmt: skip


def test_installation_tells_the_store_and_makes_none(tmp_path: Path):
    path = tmp_path / "store.db"
    assert _store_state(path) == f"{path}, not made yet"
    assert not path.exists()
    with Store(path) as store:
        store.put_many({b"key": b"value"})
    assert _store_state(path).startswith(f"{path}, 1 entries, ")


def made_up(monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
    parts: dict[str, Any] = {
        "language_codes": lambda: ("de", "en"),
        "embedded_languages": lambda: ("en",),
        "preferences": dict,
        "outside_pipelines": dict,
        "pairs_with_priors": lambda: (("en", "cs"), ("en", "de")),
        "default_card": lambda code: SimpleNamespace(scores={"UPOS": 97.26, "LEMMA": 95.0}, licence="MIT"),
        "default_name": lambda code: "embedded",
        "tokenizer_extra": lambda code: None,
        "alignment_card": lambda one, other: None,
        "installable": dict,
        "load_language": lambda code: SimpleNamespace(
            name=f"rules of {code}", phenomena=("formality",), time_signs=None, hash="h"
        ),
    }
    for name, value in (parts | more).items():
        monkeypatch.setattr(module, name, value)


def test_installation_lists_all_languages_that_anything_is_known_of(monkeypatch: pytest.MonkeyPatch):
    made_up(monkeypatch, outside_pipelines=lambda: {"xx": None}, preferences=lambda: {"ab": None})
    assert known_languages() == ("ab", "cs", "de", "en", "xx")


def test_installation_has_a_row_of_a_language_with_rules_and_of_one_without(monkeypatch: pytest.MonkeyPatch):
    card = SimpleNamespace(error_rate=12.34, reading=SimpleNamespace(precision=91.25, recall=None))
    made_up(monkeypatch, alignment_card=lambda one, other: card if (one, other) == ("en", "de") else None)
    row = _language_row("de")
    assert (row["language"], row["name"], row["phenomena"]) == ("de", "rules of de", ["formality"])
    assert (row["annotator"], row["licence"], row["UPOS"], row["lemma"], row["LAS"]) == (
        "embedded",
        "MIT",
        97.3,
        95.0,
        None,
    )
    assert (row["aligned with"], row["AER"]) == (["en"], 12.3)
    assert (row["links read right"], row["links read found"]) == (91.2, None)
    assert (row["extra"], row["extra installed"], row["note"]) == (None, None, "")
    other = _language_row("cs")
    assert (other["name"], other["phenomena"], other["AER"], other["aligned with"]) == ("Czech", [], None, ["en"])
    assert _language_row("en")["aligned with"] == ["cs", "de"]
    assert set(_aligner_figures(None).values()) == {None}


def test_installation_names_what_brings_a_better_annotator(monkeypatch: pytest.MonkeyPatch):
    better = SimpleNamespace(annotator="stanza", extra="stanza", installed=True)
    made_up(monkeypatch, preferences=lambda: {"de": better}, default_name=lambda code: "stanza")
    assert _annotator_name("de") == "stanza (extra stanza)"
    assert (_language_row("de")["extra"], _language_row("de")["extra installed"]) == ("stanza", True)
    needs = SimpleNamespace(extra="zh", missing=[])
    made_up(monkeypatch, tokenizer_extra=lambda code: needs)
    assert _annotator_name("de") == "embedded (extra zh)"
    assert (_language_row("de")["extra"], _language_row("de")["extra installed"]) == ("zh", True)
    outside = SimpleNamespace(name="pipes", version="1.2")
    made_up(monkeypatch, default_name=lambda code: "research", outside_pipelines=lambda: {"de": outside})
    assert _annotator_name("de") == "pipes 1.2"


@pytest.mark.parametrize("thorough", [False, True])
def test_installation_opens_one_of_each_kind_and_all_where_it_is_thorough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, thorough: bool
):
    made_up(
        monkeypatch,
        _libraries=tuple,
        languages_with_annotator=lambda: ("de", "en"),
        pipeline_path=lambda code: None,
        _size=lambda path: "read",
        _annotator_state=lambda code: f"{code} opened",
        _aligner_state=lambda *pair: "opened",
        load_resolver=lambda name, language: SimpleNamespace(signature=f"resolver of {language}"),
    )
    found = list(run_checks(tmp_path / "s.db", thorough=thorough))
    assert [one.name for one in found] == [
        "endophora", "rules de", "rules en", "annotator de", "annotator en", "aligner en-cs", "aligner en-de",
        "resolver en", "store",
    ]  # fmt: skip
    read = {one.name for one in found if one.state == "there"}
    assert read == (set() if thorough else {"rules de", "annotator de", "aligner en-cs"})
    details = {one.name: one.detail for one in found}
    assert details["rules en"] == "rules of en, h"
    assert details["annotator en"] == "en opened"
    assert details["annotator de"] == ("de opened" if thorough else "embedded")
    assert details["resolver en"] == "resolver of en"
    assert {one.state for one in found} <= {"ok", "there"}
