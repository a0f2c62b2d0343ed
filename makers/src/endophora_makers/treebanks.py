"""The sentences of a recipe: read from the treebank archives, split as their makers split them, without leaks."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Literal

from endophora.errors import Fault, InputError
from endophora.record import Fixed
from endophora_makers.conllu import Sentence, Word, read_conllu


class Source(Fixed):
    """Where sentences come from.

    Attributes:
        archive: a ``.tar.xz``, relative to the treebank directory.
        drop: patterns of file names to leave out.
        split: member file that lists the files to take (one a line), or a Markdown file with a list in ``section``.
        section: heading of the list in ``split``.
        entities: member file in IOB2 with the named entities of the same sentences.
        copies: how often a sentence is seen in a pass.
        convert: ``ud`` for CoNLL-U, ``unimorph`` for SIGMORPHON 2019 files, ``silver`` for a parallel text (``archive``
            is then a ``.tsv.gz`` of name, other side, text, and ``files`` the names), ``relabel`` for CoNLL-U of
            another convention.
        part: which share of the sentences is taken, from where to where in the order of the text.
        multiword: whether multi-word tokens that are their parts joined are split or merged, as the tokenizer has them;
            ``written`` joins all that is written together.
        rules: the rule file of a ``silver`` source, next to the recipes, or the recipe's rules of a ``relabel`` source.
        harmonise: name of the recipe's rules to apply.
    """

    name: str
    archive: str
    files: tuple[str, ...]
    drop: tuple[str, ...] = ()
    split: str | None = None
    section: str | None = None
    entities: str | None = None
    copies: int = 1
    convert: Literal["ud", "unimorph", "silver", "relabel"] = "ud"
    part: tuple[float, float] = (0.0, 1.0)
    multiword: Literal["split", "merge", "written"] = "split"
    rules: str = ""
    harmonise: str | None = None


@dataclass(frozen=True, slots=True)
class Archive:
    """The text files of a treebank archive, by name."""

    files: Mapping[str, str]

    @classmethod
    def read(cls, path: Path, patterns: Sequence[str]) -> Archive:
        """Read those members of a tar archive whose names match a pattern.

        Raises:
            InputError: the archive is missing or is none (E081).
        """
        try:
            with tarfile.open(path) as archive:
                members = [m for m in archive if m.isfile() and any(fnmatch(m.name, p) for p in patterns)]
                texts = ((member.name, archive.extractfile(member)) for member in members)
                return cls({name: text.read().decode("utf-8") for name, text in texts if text})
        except (OSError, tarfile.TarError) as error:
            raise InputError(
                Fault("E081", f"no readable archive: {error}", "name the treebank directory", str(path))
            ) from error


_OTHERS = re.compile(r"[\W_]+")
"""What is neither letter nor digit."""


def sentence_key(text: str) -> bytes:
    """Return a hash of a sentence's letters and digits, in lower case: what makes two sentences the same."""
    letters = _OTHERS.sub("", text.lower())
    return hashlib.blake2b(letters.encode(), digest_size=12).digest()


def read_source(source: Source, treebanks: Path) -> list[Sentence]:
    """Read a source's sentences, in the order of the files' names.

    Raises:
        InputError: the archive cannot be read (E081), or no file of it matches (E082).
    """
    wanted = [*source.files, *filter(None, (source.split, source.entities))]
    archive = Archive.read(treebanks / source.archive, wanted)
    names = sorted(name for name in archive.files if any(fnmatch(name, pattern) for pattern in source.files))
    names = [name for name in names if not any(fnmatch(PurePosixPath(name).name, pattern) for pattern in source.drop)]
    if source.split:
        listed = set(_listed(archive.files.get(source.split, ""), source.section))
        names = [name for name in names if _stem(name) in listed]
    if not names:
        raise InputError(Fault("E082", f"no file for the source “{source.name}”", "check its patterns", source.archive))
    how = {"merge": source.multiword == "merge", "written": source.multiword == "written"}
    sentences = [s for name in names for s in read_conllu(archive.files[name].splitlines(), name, **how)]
    start, end = (round(share * len(sentences)) for share in source.part)
    sentences = sentences[start:end]
    return list(with_entities(sentences, archive.files[source.entities])) if source.entities else sentences


def without_leaks(sentences: Iterable[Sentence], kept_out: set[bytes]) -> Iterator[Sentence]:
    """Leave out sentences whose :func:`sentence_key` is in a set, such as that of all test sentences."""
    return (sentence for sentence in sentences if sentence_key(sentence.text) not in kept_out)


def keys(sentences: Iterable[Sentence]) -> set[bytes]:
    """Return the sentence keys of sentences; empty ones have none."""
    return {sentence_key(sentence.text) for sentence in sentences if any(c.isalnum() for c in sentence.text)}


def _stem(name: str) -> str:
    return PurePosixPath(name).name.removesuffix(".conllu")


def _listed(text: str, section: str | None) -> Iterator[str]:
    """Yield the file stems that a split list names, all or those under a Markdown heading."""
    current: str | None = None
    for line in text.splitlines():
        if line.startswith("## "):
            current = line[3:].strip()
        elif line.strip() and current == section:
            yield _stem(line.strip().lstrip("* "))


def with_entities(sentences: Sequence[Sentence], iob: str) -> Iterator[Sentence]:
    """Add named entities from an IOB2 file of the same words (``id``, form, tag) to the sentences that it has."""
    tags: dict[str, list[str]] = {}
    current: list[str] = []
    for line in iob.splitlines():
        if line.startswith("# sent_id"):
            current = tags.setdefault(line.partition("=")[2].strip(), [])
        elif line and not line.startswith("#"):
            current.append(line.split("\t")[2])
    for sentence in sentences:
        found = tags.get(sentence.id, [])
        if len(found) == len(sentence.words):
            words = (replace(word, entity=tag) for word, tag in zip(sentence.words, found, strict=True))
            yield replace(sentence, words=tuple(words))
        else:
            yield sentence


def words_of(sentences: Iterable[Sentence]) -> Iterator[Word]:
    """Iterate over the words of sentences."""
    return (word for sentence in sentences for word in sentence.words)
