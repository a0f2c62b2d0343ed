"""Shards: whole documents in order, cut from a stream by the number of their segments.

A document is written as one line of JSON. The same bytes are hashed, to see whether an input has changed, and sent to
the workers, wherever they run: a worker needs no access to the corpus, and no executor sees other text than another.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from endophora.corpus.records import Document, Location, Segment

_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class Shard:
    """What a shard is, without its documents: number from 0, ids of first and last document, counts, hash."""

    number: int
    first: str
    last: str
    documents: int
    segments: int
    input_hash: str


@dataclass(frozen=True, slots=True)
class FullShard:
    """A shard with its documents, one line of UTF-8 each; the lines of all shards are those of the input, in order."""

    shard: Shard
    text: bytes

    def payload(self) -> bytes:
        """Return the documents as they are sent: compressed, about a third of the text."""
        return zlib.compress(self.text, _COMPRESSION)


def read_payload(payload: bytes) -> list[Document]:
    """Return the documents of a shard from what :meth:`FullShard.payload` made."""
    lines = zlib.decompress(payload).split(b"\n")
    return [decode_document(line) for line in lines if line]


def cut(documents: Iterable[Document], segments: int) -> Iterator[FullShard]:
    """Yield a stream of documents as shards, with one shard in memory.

    A shard ends before the document with which it would have more than ``segments`` segments; a document that has more
    of them is a shard by itself.
    """
    number, count, ids, lines = 0, 0, list[str](), list[bytes]()

    def shard() -> FullShard:
        """Return the documents gathered so far as a shard."""
        text = b"".join(lines)
        digest = hashlib.blake2b(text, digest_size=16).hexdigest()
        return FullShard(Shard(number, ids[0], ids[-1], len(ids), count, digest), text)

    for document in documents:
        size = len(document.segments)
        if ids and count + size > segments:
            yield shard()
            number, count, ids, lines = number + 1, 0, [], []
        ids.append(document.id)
        lines.append(encode_document(document) + b"\n")
        count += size
    if ids:
        yield shard()


def encode_document(document: Document) -> bytes:
    """Return a document as one line of JSON in UTF-8, without the line's end; all that it holds is in it."""
    segments: list[list[object]] = []
    file = None
    for segment in document.segments:
        # Segments of a document mostly stand in one file: its name is written where it changes.
        same = segment.location.file == file
        file = segment.location.file
        segments.append(
            [
                segment.source,
                dict(segment.references),
                dict(segment.outputs),
                segment.location.line,
                *([] if same else [file]),
            ]
        )
    text = json.dumps([document.id, segments], ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def decode_document(line: bytes) -> Document:
    """Return the document that :func:`encode_document` wrote."""
    name, rows = cast("tuple[str, list[list[Any]]]", json.loads(line.decode("utf-8", "surrogatepass")))
    segments: list[Segment] = []
    file = ""
    for source, references, outputs, number, *rest in rows:
        file = rest[0] if rest else file
        segments.append(Segment(source, references, outputs, Location(file, number)))
    return Document(name, tuple(segments))
