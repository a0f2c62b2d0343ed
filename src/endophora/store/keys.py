"""Where the store lies."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path


def default_store_path() -> Path:
    """Return where the store lies: ``$ENDOPHORA_CACHE`` or the user's cache directory, ``store.sqlite`` in it."""
    directory = os.environ.get("ENDOPHORA_CACHE")
    return (Path(directory) if directory else user_cache_path("endophora")) / "store.sqlite"
