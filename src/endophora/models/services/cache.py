"""Answers that were paid for, kept: a store of its own, so that nothing is paid twice, also after a kill."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from endophora.models.services.records import Answer, Question, Usage
from endophora.signature import Keys, StoreKey, keyed
from endophora.store import Store, default_store_path

_ADVICE = (
    "it may hold translations that were paid for: endophora store verify --services saves what is whole of it, "
    "ENDOPHORA_CACHE names another directory"
)


def default_cache_path() -> Path:
    """Return where answers are kept: ``services.sqlite`` beside the store of annotations.

    It is a file apart since what is in it cannot be computed again, and costs money to have again.
    """
    return default_store_path().with_name("services.sqlite")


@keyed(code=False)
@dataclass(frozen=True, slots=True)
class _Answers:
    """What answers depend on besides the question: not on this package, which only asks."""

    place: str


class AnswerCache:
    """Questions to answers, on disk.

    A question's key is the hash of everything that determines the answer: service, address, all parameters, and the
    text. Used by one thread; each answer is on disk when :meth:`put` returns.

    Raises: InputError: the file cannot be used (E092, E093, E094, E154, E365).
    """

    def __init__(self, path: Path | None) -> None:
        # What was paid for is never removed to make room, and nothing more is paid for where it cannot be kept.
        self._store = Store(path, strict=True, limited=False, advice=_ADVICE)

    def key(self, place: str, question: Question) -> StoreKey:
        """Return the key of a question."""
        return _keys(place)(question)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """Return the answers that are there."""
        return {key: _decode(value) for key, value in self._store.get_many(keys).items()}

    def put(self, entries: Sequence[tuple[StoreKey, Answer]]) -> None:
        """Keep answers."""
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        self._store.put_many({key: _encode(answer, today) for key, answer in entries}, "answers of services")

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self._store)

    def close(self) -> None:
        """Close the file."""
        self._store.close()


@cache
def _keys(place: str) -> Keys:
    return Keys(_Answers(place))


def _encode(answer: Answer, day: str) -> bytes:
    data = {
        "text": answer.text,
        "input": answer.usage.input,
        "output": answer.usage.output,
        "note": answer.note,
        "day": day,
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _decode(value: bytes) -> Answer:
    data = cast("dict[str, Any]", json.loads(value.decode("utf-8", "surrogatepass")))
    return Answer(str(data["text"]), Usage(int(data["input"]), int(data["output"])), str(data["note"]))
