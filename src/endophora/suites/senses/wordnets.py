"""Wordnets as inventories: the synsets that a source word and its translations share.

Tables of the Open Multilingual Wordnet (``.tab``) have the ids of Princeton's synsets; files of WN-LMF and the lexicons
of the library ``wn`` are joined by the interlingual index; BabelNet is asked through its HTTP interface with the user's
key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from endophora.errors import Fault, InputError, MissingModelError
from endophora.metrics.wordnet import read_tab
from endophora.suites.senses.inventory import ADJECTIVE, ADVERB, NOUN, VERB, Sense, SourceWord, folded

_POS = {"n": NOUN, "v": VERB, "a": ADJECTIVE, "s": ADJECTIVE, "r": ADVERB}
_Entries = Iterator[tuple[str, str, str]]
"""Lemma, universal part of speech, id of a synset."""


class Wordnets:
    """Senses from two wordnets."""

    def __init__(
        self, source: Iterable[tuple[str, str, str]], target: Iterable[tuple[str, str, str]], name: str
    ) -> None:
        self.name = name
        self._synsets: dict[SourceWord, list[str]] = {}
        for lemma, upos, synset in source:
            self._synsets.setdefault(SourceWord(folded(lemma), upos), []).append(synset)
        self._words: dict[str, list[str]] = {}
        for lemma, _, synset in target:
            self._words.setdefault(synset, []).append(lemma.replace("_", " "))

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words; see :class:`~endophora.suites.senses.inventory.Inventory`."""
        found: dict[SourceWord, tuple[Sense, ...]] = {}
        for word in words:
            classes = [word.upos] if word.upos else sorted(set(_POS.values()))
            synsets = (id for upos in classes for id in self._synsets.get(SourceWord(folded(word.lemma), upos), ()))
            senses = tuple(
                Sense(id, "", tuple(dict.fromkeys(self._words[id])))
                for id in dict.fromkeys(synsets)
                if id in self._words
            )
            if senses:
                found[word] = senses
        return found


def open_wordnets(argument: str, source_language: str, target_language: str) -> Wordnets:
    """Open two wordnets.

    Args:
        argument: source and target with a comma between: files (``.tab``, ``.tab.gz``, ``.xml``) or lexicons that are
            installed in the library ``wn`` (``oewn:2024``, ``odenet:1.4``).
    """
    del source_language, target_language
    names = argument.split(",")
    if len(names) != 2 or not all(names):
        advice = "wordnet:SOURCE,TARGET, files or lexicons of the library wn"
        raise InputError(Fault("E220", f"“{argument}” names not two wordnets", advice, "--inventory"))
    source, target = (_entries(name) for name in names)
    return Wordnets(source, target, f"wordnet-{Path(names[0]).name}+{Path(names[1]).name}")


def _entries(name: str) -> _Entries:
    if name.endswith((".tab", ".tab.gz")):
        return _table_entries(Path(name))
    return _lmf_entries(Path(name)) if name.endswith(".xml") else _lexicon_entries(name)


def _table_entries(path: Path) -> _Entries:
    for lemma, classes in read_tab(path).lemmas.items():
        for pos, synsets in classes.items():
            for synset in sorted(synsets):
                yield lemma, _POS[pos], synset


def _library() -> Any:
    try:
        import wn

        import_module("wn.lmf")
    except ImportError as error:
        advice = "install it with: pip install 'endophora[wordnet]'"
        raise MissingModelError(Fault("E226", "wordnets need the library wn", advice)) from error
    return wn


def _lmf_entries(path: Path) -> _Entries:
    library = _library()
    if not path.is_file():
        raise InputError(Fault("E001", "no such file", "check the path", str(path)))
    try:
        resource = library.lmf.load(path)
    except Exception as error:  # the library raises many kinds, and its parser's own
        raise InputError(
            Fault("E225", f"it is no WN-LMF ({error})", "give a file of that format", str(path))
        ) from error
    for lexicon in resource["lexicons"]:
        index = {synset["id"]: synset.get("ili") or synset["id"] for synset in lexicon["synsets"]}
        for entry in lexicon["entries"]:
            lemma = entry["lemma"]
            for sense in entry.get("senses", ()):
                if lemma["partOfSpeech"] in _POS and sense["synset"] in index:
                    yield lemma["writtenForm"], _POS[lemma["partOfSpeech"]], index[sense["synset"]]


def _lexicon_entries(name: str) -> _Entries:
    library = _library()
    try:
        lexicon = library.Wordnet(name, expand="")
        words = lexicon.words()
    except library.Error as error:
        advice = f"python -m wn download {name}"
        raise MissingModelError(Fault("E226", f"the lexicon “{name}” is not installed", advice)) from error
    for word in words:
        for synset in word.synsets():
            ili = synset.ili
            if word.pos in _POS:
                yield word.lemma(), _POS[word.pos], str(getattr(ili, "id", ili) or synset.id)


KEY = "ENDOPHORA_BABELNET_KEY"
"""The environment variable that has the key."""
ADDRESS = "https://babelnet.io/v9"
TIMEOUT = 30.0
"""Seconds until a request is given up."""


class BabelNet:
    """Senses from BabelNet; an answer is asked for once."""

    def __init__(self, address: str, key: str, source_language: str, target_language: str) -> None:
        self._address, self._key = address.rstrip("/"), key
        self.name = f"babelnet-{self._address.rpartition('/')[2]}"
        self._source, self._target = source_language.upper(), target_language.upper()
        self._synsets: dict[str, Sense | None] = {}

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words; see :class:`~endophora.suites.senses.inventory.Inventory`.

        Raises: InputError: the service cannot be reached, refuses, or answers what is no answer (E227).
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
    """Open BabelNet, at the address that the argument names or its own."""
    key, address = os.environ.get(KEY, ""), argument or ADDRESS
    if not key:
        raise InputError(Fault("E227", "BabelNet needs a key", f"set {KEY} to yours", "--inventory"))
    if not address.startswith(("http://", "https://")):
        raise InputError(Fault("E227", f"“{address}” is no address", "give one of HTTP", "--inventory"))
    return BabelNet(address, key, source_language, target_language)
