"""Named things that can be plugged in: annotators, aligners, resolvers, taggers, metrics, formats.

Each registry maps names to objects, or to lazy ``"module:attribute"`` strings that are imported when first used, so
that nothing heavy is loaded for ``--help``. A package outside this one adds to a registry through an entry point of
the group ``endophora.<registry>``.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar, cast

from endophora.errors import Fault, InputError

T = TypeVar("T")


class Registry(Generic[T]):
    """Name → object, or ``"module:attribute"`` imported on first use; frozen, and extended by entry points."""

    def __init__(self, kind: str, entries: Mapping[str, T | str], check: Callable[[object], bool] = callable) -> None:
        self.kind = kind
        self._entries: dict[str, T | str] = dict(entries)
        self._check = check

    def names(self) -> tuple[str, ...]:
        """Return all names: our own in their order, then those of outside packages."""
        outside = (point.name for point in self._outside())
        return tuple(dict.fromkeys((*self._entries, *outside)))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        """Return whether a name is registered."""
        return name in self._entries or any(point.name == name for point in self._outside())

    def get(self, name: str) -> T:
        """Return the object of a name (E090, E091)."""
        entry = self._entries.get(name)
        if entry is None:
            entry = self._from_entry_points(name)
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = cast("T", getattr(import_module(module), attribute))
            self._entries[name] = entry
        return entry

    def path_in(self, name: str | None) -> Path | None:
        """Return the file or folder that a name, or its argument after a colon, stands for, if it is there."""
        path = self._parts(name or "")[1]
        return path if (path.parts and path.exists()) else None

    def moved(self, name: str, places: Mapping[Path, Path]) -> str:
        """Return a name with the path in it, as :meth:`path_in` returns it, replaced by its new place."""
        kind, path = self._parts(name)
        return f"{kind}{places[path]}" if path in places else name

    def _parts(self, name: str) -> tuple[str, Path]:
        """Return the registered name with its colon, if there is one, and the rest as a path."""
        kind, colon, argument = name.partition(":")
        return (f"{kind}{colon}", Path(argument)) if kind in self else ("", Path(name))

    def _from_entry_points(self, name: str) -> T:
        for point in (point for point in self._outside() if point.name == name):
            loaded: object = point.load()
            if not self._check(loaded):
                raise InputError(
                    Fault("E091", f"{point.value} is no {self.kind}", "report it to the package that registers it")
                )
            entry = cast("T", loaded)
            self._entries[name] = entry
            return entry
        near = difflib.get_close_matches(name, self.names(), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(self.names())}"
        raise InputError(Fault("E090", f"unknown {self.kind} “{name}”", hint))

    def _outside(self) -> tuple[EntryPoint, ...]:
        return _entry_points(f"endophora.{self.kind}", tuple(sys.path))


def outside_names(kind: str) -> tuple[str, ...]:
    """Return the names that outside packages add to the registry of a kind."""
    return tuple(point.name for point in _entry_points(f"endophora.{kind}", tuple(sys.path)))


@lru_cache(maxsize=64)
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group on a search path; each search reads the metadata of all that is installed."""
    del path
    return tuple(entry_points(group=group))
