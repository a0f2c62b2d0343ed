"""MQM annotations: the errors that people marked in translations, as TSV with a header (Freitag et al., 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.trees import load_yaml
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError


class Weights(BaseModel):
    """What errors cost.

    Attributes:
        values: ``severity``, ``severity/category`` or ``severity/category/subcategory`` → weight.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    values: dict[str, float]

    def weight(self, category: str, severity: str) -> float | None:
        """Return what an error costs by the longest key that fits, nothing if none does; case does not matter."""
        table = _folded(tuple(self.values.items()))
        parts = [severity, *category.split("/")]
        keys = ("/".join(parts[:length]).casefold() for length in range(len(parts), 0, -1))
        return next((table[key] for key in keys if key in table), None)


class MqmFormat(BaseModel):
    """What the package's own data say of MQM files.

    Attributes:
        columns: our name of a column → the names that files give it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    columns: dict[str, list[str]]
    optional: list[str]
    marks: tuple[str, str]
    weights: dict[str, Weights]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One error, or the verdict that there is none.

    Attributes:
        segment: of the segment in the test set, as the file counts; 0 if it does not say.
        line: in the file, from 1.
    """

    system: str
    document: str
    position: int
    segment: int
    rater: str
    source: str
    target: str
    category: str
    severity: str
    line: int


@cache
def mqm_format() -> MqmFormat:
    """Return the package's own data on MQM files, read once."""
    text = (files("endophora.meta") / "data" / "mqm.yaml").read_text(encoding="utf-8")
    return MqmFormat.model_validate(load_yaml(text))


def read_mqm(path: PathLike) -> tuple[Annotation, ...]:
    """Read a file of MQM annotations; its fields have no quotes and no escapes.

    Raises:
        InputError: with all faults: the file cannot be read (E001–E007), the header lacks a column or has one twice
            (E118), or a line has another number of fields, no number where one is expected, or an empty name (E119).
    """
    log, file = FaultLog(), display_name(path)
    lines = each_line(path, log)
    header = (next(lines, (1, ""))[1] or "").split("\t")
    log.check()
    places = _places(header, file, log)
    log.check()
    found: list[Annotation] = []
    for number, text in lines:
        fields = (text or "").split("\t")
        if text is None:
            continue
        if len(fields) != len(header):
            cause = f"{len(fields)} fields where the header has {len(header)}"
            log.add("E119", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)
            continue
        _add(found, {name: fields[place] for name, place in places.items()}, file, number, log)
    if not found and not log:
        log.add("E119", "there is no annotation", "was the file written to its end?", file)
    log.check()
    return tuple(found)


def write_mqm(annotations: Sequence[Annotation], path: PathLike) -> None:
    """Write annotations as TSV; what :func:`read_mqm` gives is read back the same but for the lines.

    Raises: InputError: a text has a tab or a line end (E115), or the file cannot be written (E026).
    """
    columns = mqm_format().columns
    log = FaultLog()
    rows = [[str(getattr(annotation, name)) for name in columns] for annotation in annotations]
    for annotation, row in zip(annotations, rows, strict=True):
        if any(character in cell for cell in row for character in "\t\n\0") or row[-1].endswith("\r"):
            cause = f"an annotation of “{annotation.system}” has a tab or a line end"
            log.add("E115", cause, "replace it", display_name(path))
    log.check()
    write_lines(path, ("\t".join(row) for row in ([names[0] for names in columns.values()], *rows)))


def read_weights(path: PathLike) -> Weights:
    """Read weights of one's own: a YAML file with ``title`` and ``values``.

    Raises: InputError: the file cannot be read (E001–E007) or is not of this form (E120).
    """
    log, file = FaultLog(), display_name(path)
    text = "\n".join(line or "" for _, line in each_line(path, log))
    log.check()
    try:
        return Weights.model_validate(load_yaml(text))
    except ValueError as error:
        cause = f"no weights: {' '.join(str(error).split())}"
        raise InputError(Fault("E120", cause, "write title: TEXT and values: {Major: 5, …}", file)) from error


def load_weights(name: str) -> Weights:
    """Return weights by name, or from a file if the name is one of a YAML file.

    Raises: InputError: the name is unknown (E120), or the file is faulty.
    """
    known = mqm_format().weights
    if name in known:
        return known[name]
    if name.endswith((".yaml", ".yml")):
        return read_weights(name)
    raise InputError(Fault("E120", f"there are no weights “{name}”", f"known: {', '.join(known)}, or a FILE.yaml"))


def _places(header: Sequence[str], file: str, log: FaultLog) -> dict[str, int]:
    """Return our name of a column → its place."""
    written = [name.casefold() for name in header]
    data, places = mqm_format(), dict[str, int]()
    for name, names in data.columns.items():
        found = [place for place, text in enumerate(written) if text in {other.casefold() for other in names}]
        if len(found) > 1:
            log.add("E118", f"{len(found)} columns are “{names[0]}”", "keep one", file, 1)
        elif found:
            places[name] = found[0]
        elif name not in data.optional:
            log.add("E118", f"the header has no column “{names[0]}”", f"it has {', '.join(header)}", file, 1)
    return places


def _add(found: list[Annotation], row: Mapping[str, str], file: str, number: int, log: FaultLog) -> None:
    """Add the annotation of a line, or note what is wrong with it (E119)."""
    names = mqm_format().columns
    faults = [f"“{row[key]}” is no number in {names[key][0]}" for key in _NUMBERS if not _is_number(row.get(key, "0"))]
    faults += [
        f"{names[key][0]} is empty" for key in ("system", "document", "rater", "severity") if not row[key].strip()
    ]
    for cause in faults:
        log.add("E119", cause, "correct the line", file, number)
    if not faults:
        numbers = {key: int(row.get(key, "0")) for key in _NUMBERS}
        texts = {key: value for key, value in row.items() if key not in _NUMBERS}
        found.append(Annotation(**texts, **numbers, line=number))  # pyright: ignore[reportArgumentType]


_NUMBERS = ("position", "segment")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16


@cache
def _folded(values: tuple[tuple[str, float], ...]) -> dict[str, float]:
    return {key.casefold(): weight for key, weight in values}
