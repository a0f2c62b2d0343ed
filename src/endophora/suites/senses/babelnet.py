"""BabelNet as an inventory, through its HTTP interface with the user's key."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from endophora.errors import Fault, InputError
from endophora.suites.senses.inventory import Sense, SourceWord

KEY = "ENDOPHORA_BABELNET_KEY"
"""The environment variable that has the key."""
ADDRESS = "https://babelnet.io/v9"
TIMEOUT = 30.0
"""Seconds until a request is given up."""


class BabelNet:
    """Senses from BabelNet; an answer is asked for once.

    Args:
        address: of the interface, with its version.
        key: the user's.
        source_language: ISO 639-1 code.
        target_language: ISO 639-1 code.
    """

    def __init__(self, address: str, key: str, source_language: str, target_language: str) -> None:
        self._address, self._key = address.rstrip("/"), key
        self._source, self._target = source_language.upper(), target_language.upper()
        self._synsets: dict[str, Sense | None] = {}

    @property
    def name(self) -> str:
        """Name and version of the interface."""
        return f"babelnet-{self._address.rpartition('/')[2]}"

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words; see :class:`~endophora.suites.senses.inventory.Inventory`.

        Raises:
            InputError: the service cannot be reached, refuses, or answers what is no answer (E227).
        """
        found: dict[SourceWord, tuple[Sense, ...]] = {}
        for word in words:
            query = {"lemma": word.lemma, "searchLang": self._source, "targetLang": self._target}
            rows = self._ask("getSynsetIds", query | ({"pos": word.upos} if word.upos else {}))
            ids = [str(row.get("id", "")) for row in cast("list[dict[str, Any]]", rows)]
            senses = tuple(sense for id in dict.fromkeys(ids) if id and (sense := self._synset(id)))
            if senses:
                found[word] = senses
        return found

    def _synset(self, id: str) -> Sense | None:
        if id not in self._synsets:
            body = cast("dict[str, Any]", self._ask("getSynset", {"id": id, "targetLang": self._target}))
            properties = [sense.get("properties", {}) for sense in body.get("senses", ())]
            words = [
                str(one.get("simpleLemma") or one.get("fullLemma", "")).replace("_", " ")
                for one in properties
                if one.get("language") == self._target
            ]
            glosses = [str(gloss.get("gloss", "")) for gloss in body.get("glosses", ())]
            kept = tuple(dict.fromkeys(filter(None, words)))
            self._synsets[id] = Sense(id, next(iter(glosses), ""), kept) if kept else None
        return self._synsets[id]

    def _ask(self, method: str, query: dict[str, str]) -> list[Any] | dict[str, Any]:
        address = f"{self._address}/{method}?{urlencode(query | {'key': self._key})}"
        request = Request(address, headers={"Accept": "application/json"})  # noqa: S310
        place = f"{self._address}/{method}"
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
                body = json.loads(answer.read())
        except HTTPError as error:
            cause = f"BabelNet answered {error.code} {error.reason}"
            raise InputError(
                Fault("E227", cause, "is the key right, and its daily limit not used up?", place)
            ) from error
        except (URLError, OSError, ValueError) as error:
            raise InputError(Fault("E227", f"BabelNet gave no answer ({error})", "try again later", place)) from error
        if isinstance(body, dict) and "message" in body:
            advice = "is the key right, and its daily limit not used up?"
            raise InputError(Fault("E227", f"BabelNet says: {body['message']}", advice, place))
        if not isinstance(body, list | dict):
            raise InputError(Fault("E227", "BabelNet's answer is not in its form", "try again later", place))
        return cast("list[Any] | dict[str, Any]", body)


def open_babelnet(argument: str, source_language: str, target_language: str) -> BabelNet:
    """Open BabelNet, at the address that the argument names or its own.

    Raises:
        InputError: the key is not set, or the address is none of HTTP (E227).
    """
    key, address = os.environ.get(KEY, ""), argument or ADDRESS
    if not key:
        raise InputError(Fault("E227", "BabelNet needs a key", f"set {KEY} to yours", "--inventory"))
    if not address.startswith(("http://", "https://")):
        raise InputError(Fault("E227", f"“{address}” is no address", "give one of HTTP", "--inventory"))
    return BabelNet(address, key, source_language, target_language)
