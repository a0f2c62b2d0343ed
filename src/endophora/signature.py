"""What a kept value or a resumable run depends on, composed from the fields of its setup: no key is written by hand.

A class whose instances go into a key is declared with :func:`keyed`. Every field of it counts unless the declaration
says that it is irrelevant, and why; a field that is added later counts by itself. An instance of any other class is
refused, so that nothing can be forgotten. Paths count by the content of what they name, loaded tools by their
signature, and the code by its version or, in a checkout, by its files (:mod:`endophora.provenance`).

A signature that people read is ``key:value|key:value`` as sacreBLEU's (Post, 2018, “A Call for Clarity”). A value with
a bar, a brace or a backslash in it is put in braces, where braces and backslashes have a backslash before them; so are
keys with a colon.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NewType, TypeVar, cast

from endophora.provenance import code_of, code_of_class, content_of
from endophora.version import __version__

Kind = TypeVar("Kind", bound=type)

StoreKey = NewType("StoreKey", bytes)
"""A key of the store: 16 bytes. Only this module makes them."""

Signature = NewType("Signature", str)
"""All that a run depends on, as text. Only this module makes them."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a class says of its fields; ``irrelevant`` is field → why nothing that is kept depends on it."""

    irrelevant: Mapping[str, str]
    names: frozenset[str]
    code: bool


KEYED: dict[type, Declaration] = {}
"""All classes that go into keys."""

APART: dict[type, str] = {}
"""Setup and options classes that go into no key, and why."""


def keyed(
    *, irrelevant: Mapping[str, str] | None = None, names: Collection[str] = (), code: bool = True
) -> Callable[[Kind], Kind]:
    """Declare a dataclass or pydantic model whose instances go into keys; it stands above the other decorators.

    ``irrelevant`` is field → why nothing that is kept depends on it, ``names`` are the fields whose texts name files or
    tools, ``code`` is whether what is kept depends on the code too.
    """
    declared = Declaration(dict(irrelevant or {}), frozenset(names), code)

    def declare(kind: Kind) -> Kind:
        known = set(_names(kind))
        if unknown := {*declared.irrelevant, *declared.names} - known:
            raise TypeError(f"{kind.__qualname__} has no field {', '.join(sorted(unknown))}")
        if not all(declared.irrelevant.values()):
            raise TypeError(f"{kind.__qualname__}: say why a field is irrelevant")
        KEYED[kind] = declared
        return kind

    return declare


def unkeyed(reason: str) -> Callable[[Kind], Kind]:
    """Declare a setup or options class on which nothing that is kept depends."""

    def declare(kind: Kind) -> Kind:
        APART[kind] = reason
        return kind

    return declare


class Keys:
    """Makes the keys of what one setup computes; TypeError for what is not keyed, or has something unknown in it."""

    def __init__(self, setup: object) -> None:
        self._base = hashlib.blake2b(_encoded(_whole(setup)), digest_size=16)

    def __call__(self, *data: object) -> StoreKey:
        """Return the key of what is computed from some data: texts, numbers, sequences of them, keyed records."""
        digest = self._base.copy()
        for each in data:
            encoded = _encoded(plain(each))
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
        return StoreKey(digest.digest())


def digest_of(value: object) -> str:
    """Return the hash of a value, 32 hexadecimal digits; signatures that people read have the first eight."""
    return hashlib.blake2b(_encoded(plain(value)), digest_size=16).hexdigest()


def digest_of_name(name: str) -> str:
    """Return the hash of a name, 32 hexadecimal digits; files that it has in it count by their content."""
    return hashlib.blake2b(_encoded(_by_content(name)), digest_size=16).hexdigest()


def run_signature(setup: object) -> Signature:
    """Return all that a run depends on besides its documents, as text that is equal if and only if the setups are."""
    whole = _whole(setup)
    shown = cast("dict[str, Any]", whole["setup"])
    items = [(name, value) for name, value in shown.items() if name != "is"]
    digest = hashlib.blake2b(_encoded(whole), digest_size=16).hexdigest()
    return Signature(write_signature([*items, ("code", whole["code"]), ("digest", digest)]))


def fields_of(setup: object) -> dict[str, Any]:
    """Return all that a run depends on besides its documents, field by field, as JSON has it."""
    whole = _whole(setup)
    return {"code": whole["code"], **{name: value for name, value in whole["setup"].items() if name != "is"}}


def plain(value: object) -> Any:
    """Return a value as JSON has it: equal for equal content, and for that only; TypeError for what has none.

    Known are plain values, paths, sequences, sets and mappings of such, keyed classes, and tools with a signature.
    """
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Path):
        return {"content": content_of(value)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {"pairs": sorted(([plain(key), plain(each)] for key, each in pairs), key=_encoded)}
    if isinstance(value, AbstractSet):
        return {"set": sorted(map(plain, cast("AbstractSet[object]", value)), key=_encoded)}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        # Most are the texts of a document, of every system.
        return [each if type(each) is str else plain(each) for each in cast("Sequence[object]", value)]
    return _plain_object(value)


def _plain_object(value: object) -> dict[str, Any]:
    kind = type(value)
    # A script is __mp_main__ in the processes that it starts.
    name = f"{kind.__module__.replace('__mp_main__', '__main__')}.{kind.__qualname__}"
    if (declared := _declaration(kind)) is not None:
        fields = {field: getattr(value, field) for field in _names(kind) if field not in declared.irrelevant}
        return {"is": name} | {
            field: _named(each) if field in declared.names else plain(each) for field, each in fields.items()
        }
    signature = getattr(value, "signature", None)
    if isinstance(signature, str):
        return {"is": name, "signature": signature, "code": code_of_class(kind)}
    raise TypeError(f"a key cannot be made of {name}: it is neither declared with @keyed nor a tool with a signature")


def _whole(setup: object) -> dict[str, Any]:
    """Return a setup with the code that computes from it."""
    declared = _declaration(type(setup))
    if declared is None:
        raise TypeError(f"{type(setup).__qualname__} is not declared with @keyed: no key can be made of it")
    return {"code": code_of(type(setup).__module__) if declared.code else "", "setup": plain(setup)}


def _declaration(kind: type) -> Declaration | None:
    """Return what a class and those above it declare; ``None`` if none of them does."""
    found = [KEYED[each] for each in reversed(kind.__mro__) if each in KEYED]
    if not found:
        return None
    irrelevant = {name: reason for each in found for name, reason in each.irrelevant.items()}
    names = frozenset(name for each in found for name in each.names)
    return Declaration(irrelevant, names, found[-1].code)


def _names(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    # Pydantic models, known by what they have: the library need not be loaded for those who have none.
    if (fields := getattr(cast("object", kind), "model_fields", None)) is not None:
        return tuple(cast("Mapping[str, object]", fields))
    raise TypeError(f"{kind!r} is neither a dataclass nor a pydantic model")


def _named(value: object) -> Any:
    """Return what texts name: files by their content, everything else by its name."""
    if isinstance(value, str):
        return _by_content(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {"pairs": sorted(([plain(key), _named(each)] for key, each in pairs), key=_encoded)}
    if isinstance(value, Sequence):
        return [_named(each) for each in cast("Sequence[object]", value)]
    return plain(value)


_CUTS = (":", ",", "=", "@")


def _by_content(text: str, cuts: Sequence[str] = _CUTS) -> Any:
    """Return a text, with the names of files in it exchanged for their content."""
    if _is_path(text):
        return {"content": content_of(Path(text))}
    for number, cut in enumerate(cuts):
        # The kind of a spec ends at the first colon; a path may have further ones.
        parts = text.split(cut, 1) if cut == ":" else text.split(cut)
        if len(parts) > 1:
            return [cut, *(_by_content(part, cuts[number + 1 :]) for part in parts)]
    return text


def _is_path(text: str) -> bool:
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def format_signature(items: Iterable[tuple[str, str, object]], *, short: bool = False) -> str:
    """Return ``key:value|key:value`` of (key, short key, value) in the order given, as :func:`write_signature`."""
    return write_signature((abbreviation if short else key, value) for key, abbreviation, value in items)


def write_signature(items: Iterable[tuple[str, object]]) -> str:
    """Return ``key:value|key:value`` in the order given; ``None`` is left out, a truth value reads yes or no."""
    shown = ((key, _shown(value)) for key, value in items if value is not None)
    return "|".join(f"{_braced(key, _SPECIAL + ':')}:{_braced(value, _SPECIAL)}" for key, value in shown)


def result_signature(options: object, **items: object) -> str:
    """Return what makes two results of a study comparable: some items, the version, and the hash of all options."""
    return write_signature([*items.items(), ("version", __version__), ("options", digest_of(options)[:8])])


_SPECIAL = "|{}\\"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        content = cast("Mapping[str, object]", value)
        if "signature" in content:
            return str(content["signature"])
        if "content" in content:
            return str(content["content"])[:12]
        if "pairs" in content:
            pairs = cast("list[tuple[object, object]]", content["pairs"])
            return write_signature((_shown(key), each) for key, each in pairs)
        return write_signature((key, each) for key, each in content.items() if key != "is")
    if isinstance(value, list):
        return ",".join(map(_shown, cast("list[object]", value)))
    return str(value)


def _braced(text: str, special: str) -> str:
    if not any(letter in special for letter in text):
        return text
    return "{" + re.sub(r"([\\{}])", r"\\\1", text) + "}"
