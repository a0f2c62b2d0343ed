"""Tags made elsewhere: MuDA's JSON and compare-mt's labels, read as occurrences.

MuDA's JSON has documents, segments, and tokens with their tags, as :func:`~endophora.phenomena.export.muda_text` writes
them. Labels are a line a segment, as many as it has words between spaces, or as a file of its tokens has, several
joined by ``+``. Each tag of a token is an occurrence: nothing is known of source words, rules or support.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.phenomena.export import NO_TAG, SHORT_NAMES
from endophora.phenomena.tagging import PHENOMENA

NO_TAGS = frozenset({NO_TAG, "no_tag", ""})
"""What stands for no tag."""

Labelled: TypeAlias = list[tuple[str, tuple[str, ...]]]
"""The tokens of a segment, each with the phenomena of its tags."""

_MUDA = TypeAdapter(list[list[list[dict[str, str | list[str]]]]])
_LONG_NAMES = {short: name for name, short in SHORT_NAMES.items()}


@dataclass(frozen=True, slots=True)
class GivenTags:
    """The tags of a reference and of outputs: name → segment → tokens with their tags; ``key`` is for signatures."""

    segments: Mapping[str, Sequence[Labelled]]
    key: str

    @property
    def phenomena(self) -> tuple[str, ...]:
        """The phenomena that there are, those of the package first, in their order."""
        there = {name for some in self.segments.values() for segment in some for _, tags in segment for name in tags}
        return (*(name for name in PHENOMENA if name in there), *sorted(there - set(PHENOMENA)))


def read_tags(files: Mapping[str, PathLike], texts: Mapping[str, Sequence[str]]) -> GivenTags:
    """Read the tags of target texts.

    Args:
        files: name of a reference or system → its file; of labels also ``LABELS,TOKENS``, with their tokens.
        texts: name → the text of each segment.

    Raises:
        InputError: a file cannot be read (E001–E007), or its tags are not of these texts (E367).
    """
    log, found, digest = FaultLog(), dict[str, Sequence[Labelled]](), hashlib.sha256()
    for name, path in files.items():
        labels, _, tokens = (str(path), "", "") if Path(path).exists() else str(path).partition(",")
        lines = read_lines(labels, log)
        own = read_lines(tokens, log) if tokens else None
        if not lines.readable or (own and not own.readable):
            continue
        if own and len(own.texts) != len(lines.texts):
            cause = f"{len(own.texts)} lines of tokens for {len(lines.texts)} of labels"
            log.add("E367", cause, "give the tokens of the same text, one line a segment", own.file)
            continue
        words = own.texts if own else texts[name]
        joined = "\n".join((*lines.texts, *(words if tokens else ())))
        digest.update(f"{name}\x1f{joined}\x1e".encode(errors="surrogatepass"))
        parsed = _of_json(joined) if joined.lstrip().startswith("[") else _of_labels(lines.texts, words, texts[name])
        if parsed is None:
            log.add(
                "E367", "this is no JSON of MuDA", "documents, segments, tokens with “token” and “tags”", lines.file
            )
        elif len(parsed) != len(texts[name]):
            cause = f"tags of {len(parsed)} segments for {len(texts[name])}"
            log.add("E367", cause, "give tags of the same text, one line or list a segment", lines.file)
        else:
            _check_fit(parsed, texts[name], lines.file, log)
            found[name] = parsed
    log.check()
    return GivenTags(found, f"tags:{digest.hexdigest()[:8]}|")


def spans_of(labelled: Labelled, text: str) -> list[tuple[int, int]] | None:
    """Return where the tokens are in their text, one after the other; ``None`` where one does not."""
    spans, end = list[tuple[int, int]](), 0
    for form, _ in labelled:
        start = text.find(form, end)
        if start < 0 or not form:
            return None
        end = start + len(form)
        spans.append((start, end))
    return spans


def _check_fit(parsed: Sequence[Labelled], texts: Sequence[str], file: str, log: FaultLog) -> None:
    for number, (labelled, text) in enumerate(zip(parsed, texts, strict=True), start=1):
        if spans_of(labelled, text) is None or (not labelled and text.strip()):
            cause = f"segment {number}: tags and words do not go together: “{text[:40]}”"
            advice = "give tags of the same text; labels are one a word between spaces, or one a token of LABELS,TOKENS"
            log.add("E367", cause, advice, file, number)


def _of_json(text: str) -> list[Labelled] | None:
    try:
        documents = _MUDA.validate_python(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        return None
    return [
        [(str(token.get("token", "")), _names(token.get("tags", ()))) for token in segment]
        for document in documents
        for segment in document
    ]


def _of_labels(lines: Sequence[str], words: Sequence[str], texts: Sequence[str]) -> list[Labelled]:
    # A line with another number of labels gives no token, and so a fault.
    rows = [(line.split(), one.split(), text) for line, one, text in zip(lines, words, texts, strict=False)]
    found = [
        [(_written(word, text), _names(label.split("+"))) for label, word in zip(labels, tokens, strict=True)]
        if len(labels) == len(tokens)
        else []
        for labels, tokens, text in rows
    ]
    return found + [[] for _ in lines[len(found) :]]


def _written(token: str, text: str) -> str:
    """Return a token as it stands in its text: what is ``_`` may be a blank there."""
    found = re.search(re.escape(token).replace("_", r"[\s_]"), text) if "_" in token else None
    return found[0] if found else token


def _names(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(_LONG_NAMES.get(tag, tag) for tag in tags if tag not in NO_TAGS)
