"""A small copy of the shared data, for commands of pages that learn from it: the beginning of every text."""

from __future__ import annotations

import gzip
import io
import re
import struct
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

SENTENCES = 40
"""Of each file of a treebank."""
FILES = 20
"""CoNLL-U files of each folder."""
ROWS = 150
"""Of each collection of a parallel text, and of a list of words."""


def cut_archive(archive: Path, copy: Path, cut: Callable[[PurePosixPath, str], str]) -> None:
    """Write an archive of what a function leaves of the text of each file; nothing leaves the file out."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as whole, tarfile.open(copy, "w:xz", preset=0) as part:
        for member in whole:
            file = whole.extractfile(member) if member.isfile() else None
            data = cut(PurePosixPath(member.name), file.read().decode()).encode() if file else b""
            if data:
                member.size = len(data)
                part.addfile(member, io.BytesIO(data))


def cut_treebank(archive: Path, copy: Path) -> None:
    """Write the first sentences of the first CoNLL-U files of each folder of an archive, and other files whole."""
    seen = Counter[PurePosixPath]()

    def cut(path: PurePosixPath, text: str) -> str:
        if path.suffix != ".conllu":
            return text
        seen[path.parent] += 1
        return "".join(sentences(text)) if seen[path.parent] <= FILES else ""

    cut_archive(archive, copy, cut)


def cut_documents(archive: Path, copy: Path, every: int) -> None:
    """Write every so manieth document of a corpus of coreference whose files are named by document, and other files."""
    with tarfile.open(archive) as whole:
        names = sorted({PurePosixPath(name).name.partition(".")[0] for name in whole.getnames() if ".conll" in name})
    kept = set(names[::every])
    cut_archive(archive, copy, lambda path, text: text if path.stem.partition(".")[0] not in {*names} - kept else "")


def sentences(text: str, start: int = 0) -> Iterator[str]:
    """Yield some sentences of CoNLL-U, from one on."""
    blocks = re.findall(r"(?:.+\n)+", text)
    yield from (f"{block}\n" for block in blocks[start : start + SENTENCES])


def later_sentences(archive: Path, wanted: str) -> str:
    """Return sentences for a file that an archive does not have: of its treebank if it can be, not the first ones."""
    with tarfile.open(archive) as whole:
        names = [name for name in whole.getnames() if name.endswith(".conllu") and "/unimorph/" not in name]
        bank = wanted.partition("-ud-")[0]
        likely = (f"*{bank}*-dev*", f"*{bank}*-train*", f"*{bank}*", "*-dev*", "*")
        name = next(name for pattern in likely for name in names if fnmatch(name, pattern))
        file = whole.extractfile(name)
        assert file is not None
        return "".join(sentences(file.read().decode(), SENTENCES))


def cut_rows(packed: Path, copy: Path) -> None:
    """Write the first rows of each collection of a parallel text; a list of words is one collection."""
    seen = Counter[str]()
    copy.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(packed, "rt", encoding="utf-8") as whole, gzip.open(copy, "wt", encoding="utf-8") as part:
        for line in whole:
            name = line.partition("\t")[0] if "\t" in line else ""
            seen[name] += 1
            if seen[name] <= ROWS:
                part.write(line)


def write_catalogue(path: Path, messages: Sequence[tuple[str, str]]) -> None:
    """Write messages and their translations in the binary format of gettext."""
    tables, body, at = b"", b"", 28 + 2 * 8 * len(messages)
    for side in (0, 1):
        for text in (message[side].encode() for message in messages):
            tables += struct.pack("<2I", len(text), at + len(body))
            body += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(messages), 28, 28 + 8 * len(messages), 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + tables + body)
