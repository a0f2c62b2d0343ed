"""Specifications, options, keys, prices and prompts: what is wrong is reported at once, and keys are not repeated."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from endophora.errors import InputError, MissingModelError
from endophora.models.options import ModelOptions
from endophora.models.records import ModelInput
from endophora.models.services import default_cache_path, open_service
from endophora.models.services.options import Key
from endophora.models.services.records import Usage, find_price
from endophora.models.specs import open_model

PAIR = ("en", "de")


def _codes(spec: str, languages: tuple[str, str] = PAIR) -> list[str]:
    with pytest.raises(InputError) as caught:
        open_service(spec, languages, cache=None)
    assert "sk-" not in str(caught.value)
    return [fault.code for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("spec", "codes"),
    [
        ("azure:", ["E240"]),
        ("deepl", ["E240"]),
        ("openai:", ["E240"]),
        ("openai:temperature=1", ["E240"]),
        ("deepl:sk-123456", ["E240"]),
        ("deepl:key=sk-123456", ["E240"]),
        ("deepl:context=both,parallel=0,colour=red,timeout=", ["E240"] * 4),
        ("deepl:parallel=1,parallel=2", ["E240"]),
        ("deepl:limit=nan", ["E240"]),
        ("openai:m,address=ftp://host", ["E240"]),
        ("openai:m,address=https://user:sk-123456@host/v1", ["E241"]),
        ("openai:m,address=https://host/v1?key=sk-123456", ["E241"]),
        ("google:", ["E241"]),
    ],
)
def test_specifications_that_are_wrong(spec: str, codes: list[str]):
    assert _codes(spec) == codes


def test_languages_are_checked():
    assert _codes("deepl:", ("english", "xx")) == ["E014", "E014"]


def test_the_registry_opens_services_as_specifications_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path))
    options = ModelOptions(languages=PAIR)
    assert (
        open_model("deepl:context=markers", options).signature
        == open_service("deepl:context=markers", PAIR, cache=None).signature
    )
    assert open_model("openai:m,seed=1", options).signature == open_service("openai:m,seed=1,languages=en-de").signature
    with pytest.raises(InputError, match=r"E240.*languages"):
        open_model("deepl:", ModelOptions())
    with pytest.raises(InputError, match="E014"):
        open_service("deepl:languages=en-xx", PAIR)


@pytest.mark.parametrize("spec", ["deepl:", "openai:m", "google:project=p"])
def test_a_key_that_is_not_set_is_named(spec: str, monkeypatch: pytest.MonkeyPatch):
    for name in ("DEEPL_AUTH_KEY", "OPENAI_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match=r"E241.*(DEEPL_AUTH_KEY|OPENAI_API_KEY|GOOGLE_APPLICATION_CREDENTIALS)"):
        open_service(spec, PAIR, cache=None)


def test_a_file_of_credentials_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("google.cloud.translate_v3")
    for content in (None, "{", "{}"):
        file = tmp_path / "account.json"
        if content is not None:
            file.write_text(content)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        with pytest.raises(InputError, match=r"E241.*credentials cannot be read"):
            open_service("google:project=p", PAIR, cache=None)


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")
    translator = open_service("openai:llama3:8b", PAIR, cache=None)
    assert translator.signature.startswith("service:openai@http://127.0.0.1:1/v1|")
    assert "model:llama3:8b" in translator.signature


@pytest.mark.parametrize(("spec", "library"), [("deepl:", "deepl"), ("openai:m", "openai"), ("google:", "google")])
def test_a_missing_library_is_told_with_the_command(spec: str, library: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.models.services.options.find_spec", lambda name: None)
    with pytest.raises(MissingModelError, match=rf"E242.*pip install 'endophora\[{library}\]'"):
        open_service(spec, PAIR, cache=None)


def test_libraries_are_imported_when_used():
    code = (
        "import sys, endophora.models.services; print([m for m in ('deepl', 'openai', 'google') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_key_does_not_show_itself():
    key = Key("VARIABLE", "sk-123456789")
    assert "sk-" not in f"{key} {key!r} {key.redact('it is sk-123456789!')}"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_prices_have_a_day_and_a_source():
    price = find_price(("deepl",), None)
    assert price is not None
    assert price.amount(Usage(1_000_000, 5)) == 20
    assert "looked up on 2026-11-20" in str(price)
    assert find_price(("openai:gpt-4.1",), None).output == 8.0  # type: ignore[union-attr]
    assert find_price(("deepl",), None, elsewhere=True) is None


def test_the_estimate_of_a_service_at_its_own_address():
    translator = open_service("deepl:", PAIR, cache=None)
    estimate = translator.estimate([ModelInput("x" * 1000, ("context",)), ModelInput("x" * 1000, ("context",))])
    assert (estimate.requests, estimate.usage.input, estimate.unit) == (1, 1000, "characters")
    assert estimate.amount == estimate.worst == pytest.approx(0.02)
    assert "EUR" in str(estimate)
    marked = open_service("deepl:context=markers", PAIR, cache=None).estimate([ModelInput("ab", ("cde",))])
    assert marked.worst > marked.amount > 0  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    ["- a", "deepl: {unit: words, input: -1}", "deepl: {unit: characters, input: 1, currency: EUR}", "a: [", "1"],
)
def test_prices_that_are_none(text: str, tmp_path: Path):
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    assert set(_codes(f"deepl:prices={file}")) == {"E247"}
    assert _codes(f"deepl:prices={tmp_path / 'absent.yaml'}") == ["E247"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[]", 4),
        ("system: a\nprompt: b\nmarkers: '{{ text }}'\nalone: '{{ text }}'", 1),
        ("system: a\nprompt: '{{ text'\nmarkers: '{{ text }}{{ colour }}'\nalone: '{{ text }}'\nmore: x", 3),
        ("system: a\nprompt: '{{ text.__class__.__mro__ }}{{ text }}'\nmarkers: '{{ text }}'\nalone: '{{ text }}'", 1),
    ],
)
def test_prompts_that_are_none(text: str, count: int, tmp_path: Path):
    pytest.importorskip("openai")
    file = tmp_path / "prompt.yaml"
    file.write_text(text)
    assert _codes(f"openai:m,prompt={file}") == ["E248"] * count


def test_a_prompt_that_leaves_the_text_out_is_refused_whatever_letters_it_has(tmp_path: Path):
    pytest.importorskip("openai")
    file = tmp_path / "prompt.yaml"
    file.write_text("system: a\nprompt: '{{ text }}'\nmarkers: '{{ text }}'\nalone: a concise translation, c'")
    with pytest.raises(InputError, match=r"E248.*“alone” leaves out the text"):
        open_service(f"openai:m,prompt={file}", PAIR, cache=None)


def test_answers_are_kept_beside_the_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path))
    assert default_cache_path() == tmp_path / "services.sqlite"
    open_service("deepl:", PAIR).close()
    assert default_cache_path().is_file()


def test_a_cache_that_is_none_is_not_to_be_deleted(tmp_path: Path):
    file = tmp_path / "cache.sqlite"
    file.write_text("no database, and long enough to differ from an empty file")
    with pytest.raises(InputError, match=r"E092.*paid for"):
        open_service("deepl:", PAIR, cache=file)


@pytest.mark.parametrize("key", ["sk-12345\nrest-of-it", "sk-12345\x01", "sk-1234é", "sk-1234\u200b5"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOOGLE_API_KEY", key)
    with pytest.raises(InputError, match=r"E241.*GOOGLE_API_KEY") as caught:
        open_service("google-basic:", PAIR, cache=None)
    assert not any(part in str(caught.value) for part in ("sk-", "rest-of-it"))


def test_the_signature_names_no_library_that_is_pythons_own():
    assert "library" not in open_service("google-basic:", PAIR, cache=None).signature
    pytest.importorskip("deepl")
    assert "library:deepl-" in open_service("deepl:", PAIR, cache=None).signature
