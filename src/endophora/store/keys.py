"""Where the store lies, and the keys under which its values are found."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from platformdirs import user_cache_path


def default_store_path() -> Path:
    """Return where the store lies: ``$ENDOPHORA_CACHE`` or the user's cache directory, ``store.sqlite`` in it."""
    directory = os.environ.get("ENDOPHORA_CACHE")
    return (Path(directory) if directory else user_cache_path("endophora")) / "store.sqlite"


def content_key(*parts: str) -> bytes:
    """Return the key of some texts: a 16-byte hash in which no two lists of parts run together."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()
