"""Where a command keeps what can be computed again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.stopping import keeping

_KEPT = Fault("E362", "what was computed is kept in the store", "run the same command again: it goes on from there")


@contextmanager
def store_file(named: Path | None, no_store: bool) -> Generator[Path | None]:
    """Yield the store's path, of a file that can be opened; ``None`` where nothing can be kept.

    Args:
        named: as the user named it; ``None`` takes the default one.
        no_store: keep nothing; a file that lives as long as the command lets its processes share what they compute.

    Raises:
        InputError: the one that the user named cannot be used (E092, E093, E094, E154, E365).
    """
    from endophora.store import Store, default_store_path

    if no_store:
        temporary = _temporary()
        try:
            yield temporary and usable(temporary / "store.sqlite")
        finally:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
        return
    if named is not None:
        Store(named).close()
    path = named or usable(default_store_path())
    with keeping(_KEPT) if path else nullcontext():
        yield path


def usable(path: Path) -> Path | None:
    """Return the path of a store that nobody named, or ``None`` and a warning: the command can do without.

    Raises:
        InputError: the limit is no size (E366).
    """
    from endophora.store import Store, add_troubles, store_limit

    store_limit()
    try:
        Store(path).close()
    except InputError as error:
        (fault,) = error.faults
        told = replace(fault, cause=f"{fault.cause}; the command keeps nothing")
        add_troubles({str(path): (0, str(told))})
        return None
    return path


def _temporary() -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix="endophora-"))
    except OSError:
        # There is no place for temporary files that can be written.
        return None
