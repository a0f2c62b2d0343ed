"""Services that run here, one for each kind, each with a key that must never be seen again."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from endophora.models.services import ServiceTranslator, open_service

from .http_server import FakeService

KEY = "secret-key-4f9a71c3e2"


def deepl_answer(body: Any, translate: Callable[[str], str] = str.upper) -> Any:
    plain = body.get("tag_handling") is None
    rows = [
        {
            "text": (translate if plain else _keep_tags)(text),
            "detected_source_language": "EN",
            "billed_characters": len(text),
        }
        for text in body["text"]
    ]
    return {"translations": rows}


def google_answer(body: Any, translate: Callable[[str], str] = str.upper) -> Any:
    plain = body["mimeType"] == "text/plain"
    texts = [(translate if plain else _keep_tags)(text) for text in body["contents"]]
    return {"translations": [{"translatedText": text} for text in texts]}


def google_basic_answer(body: Any, translate: Callable[[str], str] = str.upper) -> Any:
    """Answer as the reference of v2 has it (cloud.google.com/translate/docs/reference/rest/v2/translate)."""
    assert set(body) == {"q", "source", "target", "format"}
    plain = body["format"] == "text"
    texts = [(translate if plain else _keep_tags)(text) for text in body["q"]]
    return {"data": {"translations": [{"translatedText": text} for text in texts]}}


def chat_answer(body: Any, translate: Callable[[str], str] = str.upper) -> Any:
    """Translate the lines that begin with a marker, as a model that follows its instructions."""
    lines = [line for line in body["messages"][1]["content"].splitlines() if re.match(r"\[\[\d+\]\] ", line)]
    return chat("\n".join(translate(line) for line in lines))


def chat(text: str | None, **more: Any) -> Any:
    message = {"role": "assistant", "content": text} | more.pop("message", {})
    choice = {"index": 0, "finish_reason": "stop", "message": message} | more
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _keep_tags(text: str, translate: Callable[[str], str] = str.upper) -> str:
    """Translate what is between tags, as services that get the text as markup."""
    parts = re.split(r"(<[^>]*>)", text)
    return "".join(
        part if number % 2 else html.escape(translate(html.unescape(part))) for number, part in enumerate(parts)
    )


USUAL = {"deepl": deepl_answer, "google": google_answer, "google-basic": google_basic_answer, "openai": chat_answer}
SPECS = {"deepl": "deepl:", "google": "google:project=p,", "google-basic": "google-basic:", "openai": "openai:m,"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "ENDOPHORA_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("DEEPL_AUTH_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(params=["deepl", "google", "google-basic", "openai"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each of the services in turn."""
    pytest.importorskip(
        {"google": "google.cloud.translate_v3", "google-basic": "urllib"}.get(request.param, request.param)
    )
    return request.param


@pytest.fixture(scope="session")
def private_key() -> str:
    """A private key for Google's credentials, made for this run of the tests."""
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    from cryptography.hazmat.primitives import serialization

    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(*form).decode()


@pytest.fixture
def server(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeService]:
    service = FakeService(USUAL[kind])
    if kind == "google":
        service.token = KEY
        account = {
            "type": "service_account",
            "project_id": "p",
            "private_key_id": "1",
            "private_key": request.getfixturevalue("private_key"),
            "client_email": "a@b.example",
            "token_uri": f"{service.address}/token",
        }
        file = tmp_path / "account.json"
        file.write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    yield service
    service.close()


@pytest.fixture
def opened(kind: str, server: FakeService, tmp_path: Path) -> Iterator[Callable[..., ServiceTranslator]]:
    """Opens the service at the server's address; options after the specification, cache in a file."""
    translators: list[ServiceTranslator] = []

    def _open(options: str = "", cache: Path | None = tmp_path / "cache.sqlite", **more: Any) -> ServiceTranslator:
        spec = f"{SPECS[kind]}address={server.address},first_wait=0.01"
        if "attempts" not in options:
            spec += ",attempts=3"
        translator = open_service(f"{spec},{options}", ("en", "de"), cache=cache, **more)
        translators.append(translator)
        return translator

    yield _open
    for translator in translators:
        translator.close()
