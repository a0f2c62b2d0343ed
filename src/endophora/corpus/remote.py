"""Files elsewhere: ``s3://``, ``gs://``, ``hf://``, ``https://`` and whatever else fsspec knows.

What an address names, a file or a folder, is fetched once for a process, into a folder that goes with it; then it is
read as any file on the disk is, twice where a reader needs it. Messages call it by its address.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from endophora.errors import Fault, InputError, MissingModelError, first_line

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_KNOWN: dict[str, str] = {}


def is_remote(path: str | Path) -> bool:
    """Return whether a path is an address."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def address(path: str | Path) -> str:
    """Return the address from which a file, or a file of a folder, was fetched; another path as it is."""
    text = str(path)
    return next((text.replace(place, known, 1) for place, known in _KNOWN.items() if text.startswith(place)), text)


def fetched(path: str | Path) -> str | Path:
    """Return a path of the disk for an address; any other path as it is.

    Raises:
        InputError: there is nothing there (E001), or it cannot be fetched (E003).
        MissingModelError: fsspec, or what it needs for this kind of address, is not installed (E150).
    """
    return _fetched(str(path)) if is_remote(path) else path


@cache
def _fetched(path: str) -> Path:
    if find_spec("fsspec") is None:
        raise MissingModelError(_missing("fsspec is not installed", path))
    place = _folder() / str(len(_KNOWN)) / (path.partition("?")[0].rstrip("/").rpartition("/")[2] or "file")
    try:
        place.parent.mkdir(exist_ok=True)
        system, name = cast("Any", import_module("fsspec.core")).url_to_fs(path)
        system.get(name, str(place), recursive=system.isdir(name))
    except FileNotFoundError as error:
        raise InputError(Fault("E001", "no such file or directory", "check the address", path)) from error
    except ImportError as error:
        raise MissingModelError(_missing(str(error), path)) from error
    except Exception as error:  # of fsspec's many systems, which have no class in common
        cause = f"cannot be fetched ({first_line(error)})"
        raise InputError(Fault("E003", cause, "check the address, the network and your rights there", path)) from error
    _KNOWN[str(place)] = path.rstrip("/")
    return place


def _missing(cause: str, path: str) -> Fault:
    return Fault("E150", cause, "install it with: pip install 'endophora[remote]'", path)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="endophora-fetched-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
