"""What files and code are, independent of their names: the content of a path, and the code that computes.

A file or folder counts by its content, never by its path. The code counts by its version where it is installed from a
release, and by the content of its files where it can be edited: in a checkout, or installed from one.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

PACKAGE = Path(__file__).resolve().parent

_ORDER = """
    corpus languages annotate align corefer phenomena metrics judgments statistics suites engine models training
    evaluation context extraction meta report cli
"""
ROOMS = tuple(_ORDER.split())
"""The rooms of the package. Imports run down this list only, so what a room computes depends on no later one."""

_BY_THEMSELVES = frozenset({"pipelines"})
"""Folders of weights, large; what is made with them names the content of those that it read."""

_NO_CODE = frozenset({"__pycache__", ".git"})
_STARTED = time.time_ns()
_DIGITS = 12


def content_of(path: Path) -> str:
    """Return the hash of a file's bytes, or of all files of a folder with their names in it; hexadecimal.

    The folder's own name and place have no part in it. What is not there has the content ``missing``: whoever reads it
    says so.
    """
    if path.is_dir():
        return _hash(sorted(_files(path, frozenset())))
    return _content(path) if path.is_file() else "missing"


@cache
def code_of(module: str) -> str:
    """Return what a module's results depend on besides its input: the version, and in a checkout the code.

    The code of a module of this package is that of its room, of the rooms before it and of the foundation. What
    outside packages add through entry points belongs to it.
    """
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else ""
    later = ROOMS[ROOMS.index(room) + 1 :] if room in ROOMS else ()
    own = __version__ if _is_released() else f"{__version__}+{_edited(PACKAGE, frozenset(later))}"
    return ",".join((own, *_outside(tuple(sys.path))))


@cache
def code_of_class(kind: type) -> str:
    """Return the content of the file that an outside class is written in; of this package's own classes nothing.

    A class that was typed in has no file: it counts as different from every other, in every process.
    """
    if kind.__module__.partition(".")[0] == "endophora":
        return ""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return content_of(Path(file)) if file else os.urandom(16).hex()


def _is_released() -> bool:
    """Return whether the package was installed from a release: not from a folder, an archive or a repository."""
    if not _is_installed(PACKAGE):
        return False
    # Loaded when a key is made: commands that make none start without it.
    from importlib.metadata import distributions

    found = next(iter(distributions(name="endophora", path=[str(PACKAGE.parent)])), None)
    return found is not None and found.read_text("direct_url.json") is None


def _is_installed(package: Path) -> bool:
    return package.parent.name in ("site-packages", "dist-packages")


@lru_cache(maxsize=8)
def _outside(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distributions that add to this package, each with its version, and its code where it can be edited."""
    del path
    from importlib.metadata import distributions

    found: dict[str, str] = {}
    for each in distributions():
        points = [point for point in each.entry_points if point.group.startswith("endophora.")]
        if points and each.name not in found:
            found[each.name] = f"{each.name}-{each.version}" + _code_of_points(each, points)
    return tuple(found[name] for name in sorted(found))


def _code_of_points(distribution: Distribution, points: list[EntryPoint]) -> str:
    from importlib.util import find_spec

    tops = sorted({point.module.partition(".")[0] for point in points})
    specs = [spec for top in tops if (spec := find_spec(top)) is not None]
    places = [Path(place) for spec in specs for place in (spec.submodule_search_locations or [spec.origin or ""])]
    if distribution.read_text("direct_url.json") is None and all(map(_is_installed, places)):
        return ""
    digests = [_edited(place, frozenset()) if place.is_dir() else content_of(place) for place in places]
    return "+" + "".join(digests)


def _edited(folder: Path, left_out: frozenset[str]) -> str:
    """Return the hash of the code in a folder; a separate one for this process, if a file is younger than it.

    What this process runs is then of before the edit or of after it, and nobody knows which.
    """
    found = sorted(_files(folder, left_out | _BY_THEMSELVES))
    now = time.time_ns()
    if any(_STARTED < path.stat().st_mtime_ns <= now for _, path in found):
        return f"edited-{_run()}"
    return _hash(found)[:_DIGITS]


@cache
def _run() -> str:
    return os.urandom(_DIGITS // 2).hex()


def _files(folder: Path, left_out: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder with their names in it; ``left_out`` names folders."""
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name not in left_out | _NO_CODE]
        for name in files:
            path = Path(place, name)
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path


def _hash(files: list[tuple[str, Path]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, path in files:
        data = os.fsencode(name)
        digest.update(len(data).to_bytes(8, "little") + data + bytes.fromhex(_content(path)))
    return digest.hexdigest()


def _content(path: Path) -> str:
    known = path.stat()
    return _read(path, known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino)


@lru_cache(maxsize=100_000)
def _read(path: Path, *state: int) -> str:
    """Return the hash of a file's bytes; it is read again when its size or one of its times is another."""
    del state
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
