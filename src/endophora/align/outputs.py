"""Outputs of systems whose lines are not the source's: read, cut into its segments, joined to the corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from endophora.align.encoders import Encoder, load_encoder
from endophora.align.lines import find_elsewhere
from endophora.align.resegment import Resegmenter
from endophora.corpus.faults import SPLIT_ADVICE, FaultLog, too_long
from endophora.corpus.formats import join_outputs
from endophora.corpus.lines import PathLike, bare_name, display_name, read_lines
from endophora.corpus.parallel import check_plain, packed_or_not
from endophora.corpus.records import Corpus, Document, Realigned
from endophora.corpus.scripts import in_one_line
from endophora.signature import digest_of

Output = PathLike | Sequence[str]
"""A file or folder; or texts, one for each document."""

_GAP = re.compile(r"\n[^\S\n]*\n\s*")
_LONG = 20
"""Letters from which on a line that comes again is no answer that may be given twice."""
_TWICE = re.compile(r"(?s)(.{10,}).*\1")
"""A source that says something twice."""


@dataclass(frozen=True, slots=True)
class _Read:
    """An output: how many lines it has, and the text of each document; one text where they are not known.

    ``by_line`` are the lines of a ``file`` that may be one for each segment.
    """

    lines: int
    texts: Sequence[str]
    by_line: Sequence[str] = ()
    file: str = ""


def resegment(
    corpus: Corpus, systems: Mapping[str, Output], *, references: bool = True, vectors: str | Encoder | None = None
) -> Corpus:
    """Return the corpus with the outputs of systems cut into its segments (Matusov et al. 2005 do so by a reference).

    A file that has as many lines as the corpus has segments is taken line by line, unless their words clearly speak for
    other segments. Otherwise its documents are a line
    each, or parts between blank lines, where their number is that of the corpus' documents, or files of a folder,
    ``ID.txt``; else the text is cut as a whole. Nothing of an output is lost: what answers to no segment stays with the
    one before it.

    Args:
        corpus: the source, with references or without.
        systems: name → file, folder, or texts of the documents.
        references: whether references help; the source's words alone do otherwise.
        vectors: an encoder of sentences, or its name (``sentence-transformers:NAME``), as further evidence.

    Raises:
        InputError: a file cannot be read (E001–E007) or is clearly no plain text (E385), texts are not one for each
            document (E008), a folder lacks a document (E392), or a segment gets too long (E345); an encoder cannot be
            loaded (E335, E150).
    """
    encoder = load_encoder(vectors) if isinstance(vectors, str) else vectors
    log = FaultLog()
    read = {name: _read(name, output, corpus, log) for name, output in systems.items()}
    log.check()
    tool = Resegmenter(corpus.source_language, corpus.target_language, encoder=encoder)
    source = [segment.source for document in corpus.documents for segment in document.segments]
    outputs, realigned, files = dict[str, list[str]](), list[Realigned](), dict[str, str]()
    for name, one in read.items():
        if len(one.by_line) == len(corpus) and not find_elsewhere(tool.ratios, source, [one.by_line])[0].clear:
            outputs[name], files[name] = list(one.by_line), one.file
            log.remarks.append(f"system “{name}” has as many lines as the source has segments, and was not cut")
            continue
        outputs[name], said = _cut(corpus, name, one, tool, corpus.references if references else (), log)
        realigned.append(said)
        for number, text in enumerate(outputs[name], start=1):
            if cause := too_long(text):
                log.add("E345", f"segment {number}: {cause}", SPLIT_ADVICE, name)
    log.check()
    if realigned and not tool.has_priors:
        pair = f"{corpus.source_language}-{corpus.target_language}"
        log.remarks.append(
            f"no translations of words are known for {pair}: cuts go by names, numbers, signs and lengths"
        )
    return join_outputs(replace(corpus, warnings=(*corpus.warnings, *log.remarks)), outputs, realigned, files)


def _read(name: str, output: Output, corpus: Corpus, log: FaultLog) -> _Read:
    if not isinstance(output, str | Path):
        if len(output) not in (1, documents := len(corpus.documents)):
            advice = "give one text for each document, or the whole as one text"
            log.add("E008", f"{len(output)} texts for {documents} documents", advice, f"system {name}")
        return _Read(sum(text.count("\n") + 1 for text in output), output)
    if Path(output).is_dir():
        return _read_folder(Path(output), corpus.documents, log)
    read = read_lines(output, log)
    check_plain(lines := read.texts, read.file, log)
    filled = [line for line in lines if line.strip()]
    text = "\n".join(lines)
    parts = [part for part in _GAP.split(text) if part.strip()]
    count = len(corpus.documents)
    texts = parts if len(parts) == count else filled if len(filled) == count else [text]
    return _Read(len(lines), texts, lines, read.file)


def _read_folder(folder: Path, documents: Sequence[Document], log: FaultLog) -> _Read:
    texts, count = list[str](), 0
    known = {f"{document.id}.txt".lower() for document in documents}
    if strange := [path.name for path in folder.glob("*.txt*") if bare_name(path) not in known]:
        log.remarks.append(f"{len(strange)} files of {folder} that are of no document were left out: {min(strange)}, …")
    for document in documents:
        name = f"{document.id}.txt"
        # An id with a path in it names no file of the folder.
        path = packed_or_not(folder / name) if Path(name).name == name else None
        if path is None:
            advice = "a folder has one file for each document: ID.txt"
            log.add("E392", f"there is no {name}", advice, display_name(folder))
            continue
        lines = read_lines(path, log).texts
        texts.append("\n".join(lines))
        count += len(lines)
    return _Read(count, texts)


def _cut(
    corpus: Corpus, name: str, read: _Read, tool: Resegmenter, references: Sequence[str], log: FaultLog
) -> tuple[list[str], Realigned]:
    segments = [list(document.segments) for document in corpus.documents]
    by_document = len(read.texts) == len(segments)
    if not by_document:
        segments = [[segment for held in segments for segment in held]]
    texts = list(map(tool.read, read.texts))
    own = [[segment.references[references[0]] for segment in held] for held in segments] if references else ()
    found, doubted, omitted, added = list[str](), list[str](), 0, 0
    cuts = tool.cut_all([[one.source for one in held] for held in segments], texts, own)
    for held, text, cut in zip(segments, texts, cuts, strict=True):
        doubted += [f"{len(found) + a + 1}–{len(found) + b}" for a, b in cut.doubted]
        lines = [text.text[start:end].split("\n") for start, end in cut.spans]
        kept = _without_repeats([one.source for one in held], lines)
        found += [in_one_line("\n".join(each)) for each in kept]
        omitted += len(cut.omissions)
        added += sum(end - start for start, end in cut.additions)
        added += sum(map(len, chain.from_iterable(lines))) - sum(map(len, chain.from_iterable(kept)))
    if doubted:
        log.remarks.append(
            f"system “{name}”: segments {', '.join(doubted)}: far fewer words than elsewhere translate their source; "
            "see whether much text is left out or added there"
        )
    return found, Realigned(
        system=name,
        lines=read.lines,
        by_document=by_document,
        segments=len(found),
        omitted=omitted,
        characters=sum(len(text.text.strip()) for text in texts),
        added=added,
        reference=references[0] if references else "",
        signature=digest_of(tool.signature)[:8],
    )


def _without_repeats(sources: Sequence[str], parts: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the lines of each segment without those that a system wrote twice.

    Words explain a line the second time as well as the first, so that it is cut to a segment. It is twice there if the
    segment has it already, and its source says nothing twice; or if it is all of another segment, whose source is not
    in this one's.
    """
    said = [[line.strip() for line in lines if line.strip()] for lines in parts]
    whole = {lines[0]: index for index, lines in enumerate(said) if len(lines) == 1}
    found: list[Sequence[str]] = []
    for index, (source, lines) in enumerate(zip(sources, parts, strict=True)):
        kept: list[str] = []
        for line in lines:
            other = whole.get(line.strip())
            again = line.strip() in map(str.strip, kept) and not _TWICE.search(source)
            again |= other not in (None, index) and sources[other] not in source
            if not again or len(line.strip()) < _LONG:
                kept.append(line)
        found.append(kept if len(lines) > 1 and any(map(str.strip, kept)) else lines)
    return found
