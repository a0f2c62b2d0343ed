"""Any conditional generation task as samples: JSON Lines of ``input``, ``context`` and ``output``.

Dialogue, summaries with earlier ones, questions about a passage: whatever the model conditions on besides its input is
the context, one text or a list of them, the oldest first. Lines of one ``document`` are resampled together; without the
key every line stands for itself.
"""

from __future__ import annotations

from endophora.context.json_lines import Rows
from endophora.context.samples import Material, task_samples
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.corpus.records import Location

_KEYS = ("input", "context", "output", "document")


def read_tasks(path: PathLike) -> Material:
    """Read a task.

    Args:
        path: the file, gzipped or not, or ``-``.

    Returns:
        The samples, with words of letters and single signs; :func:`~endophora.context.samples.with_annotation` gives
        them the words of an annotator.

    Raises:
        InputError: with all faults of the file: those of files (E001–E007), a line that is no JSON object (E310), a key
            that is missing or of the wrong kind (E312), an empty input or output (E313), and documents that are named
            in some lines only, or come back after another (E314).
    """
    log = FaultLog()
    rows = Rows(path, log)
    read: list[tuple[str, str, tuple[str, ...], str, Location]] = []
    unused: set[str] = set()
    documents = _Documents(rows)
    for number, value in rows:
        source, context = rows.text(value, "input", number), rows.texts(value, "context", number)
        target, document = rows.text(value, "output", number), documents.name(value, number)
        unused.update(key for key in value if key not in _KEYS)
        for key, text in (("input", source), ("output", target)):
            if text is not None and not text.strip():
                log.add("E313", f"the {key} is empty", "write it, or delete the line", rows.file, number)
        if source is not None and context is not None and target is not None and document is not None:
            # An empty text is no context.
            given = tuple(text for text in context if text.strip())
            read.append((document, source, given, target, Location(rows.file, number)))
    log.check()
    warnings = (f"Keys of {rows.file} that were not used: {', '.join(sorted(unused))}.",) if unused else ()
    return Material("tasks", ("", ""), task_samples(read), (), "plain words", warnings)


class _Documents:
    """Names the document of each line, and notes where the names do not go together (E314)."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._named: bool | None = None
        self._seen: set[str] = set()
        self._last: str | None = None

    def name(self, value: dict[str, object], number: int) -> str | None:
        """Return the id of a line's document: that it gives, or the line's number where no line gives one."""
        named = "document" in value
        if self._named is None:
            self._named = named
        elif named != self._named:
            cause = "the line names a document, and the first does not" if named else "the line names no document"
            self._wrong(cause, "name it in every line, or in none", number)
            return None
        if not named:
            return str(number)
        name = self._rows.text(value, "document", number)
        if name is not None and name != self._last and name in self._seen:
            self._wrong(f"document “{name}” comes back after another", "bring its lines together", number)
        if name is not None:
            self._last = name
            self._seen.add(name)
        return name

    def _wrong(self, cause: str, advice: str, number: int) -> None:
        self._rows.log.add("E314", cause, advice, self._rows.file, number)
