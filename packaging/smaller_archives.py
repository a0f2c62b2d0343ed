"""Write archives of arrays (``.npz``) anew, compressed more thoroughly, with the same content: the wheel has a limit.

After ``pip install zopflipy``: ``python packaging/smaller_archives.py src/endophora/annotate/pipelines/*/*/*.npz``.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import zopfli


def smaller(path: Path) -> int:
    """Write an archive anew if it gets smaller by a kilobyte; return by how many bytes."""
    trial = path.with_suffix(".smaller")
    with zipfile.ZipFile(path) as old, zopfli.ZipFile(trial, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry))
    gained = path.stat().st_size - trial.stat().st_size
    if gained < 1000:
        trial.unlink()
        return 0
    trial.replace(path)
    return gained


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {smaller(Path(name)):,} bytes less")
