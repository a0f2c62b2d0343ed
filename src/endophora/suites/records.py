"""The records of a test suite: an item is one word (or span) that needs context, with what is right in its place.

Many records of one kind may be kept as columns and made when one is asked for (:class:`RecordTable`): a frozen
dataclass sets each field through ``object.__setattr__``, which for an item costs more than reading the file it came
from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from itertools import repeat
from typing import Any, Literal, TypeAlias, TypeVar, cast, overload

from endophora.corpus.lines import PathLike

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""What JSON can say."""

Criterion: TypeAlias = Literal["present", "absent", "matched"]
"""When an output is right; see :class:`Item`."""

CRITERIA: tuple[Criterion, ...] = ("present", "absent", "matched")


@dataclass(frozen=True, slots=True)
class Pair:
    """A segment of context, in both languages; a text that the suite does not hold is empty."""

    source: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Antecedent:
    """What decides the form, on one side; what is not known is empty.

    Attributes:
        features: morphological features of the head, as ``Gender=Fem|Number=Sing``.
        phrase: the whole phrase.
        segment: the text of the segment in which it stands.
    """

    head: str = ""
    lemma: str = ""
    pos: str = ""
    features: str = ""
    gender: str = ""
    number: str = ""
    phrase: str = ""
    segment: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """A wrong translation that differs from the right one in what the item tests.

    Attributes:
        form: the wrong form that stands in it; may be empty.
        label: what the wrong form is, such as its gender.
        before: the target context, where it differs from that of the right translation.
    """

    target: str
    form: str = ""
    label: str = ""
    kind: str = ""
    before: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a suite.

    An output is right, by ``criterion``,

    - ``present``: if one of the expected forms stands in it (Wicks & Post, 2023, §5.1);
    - ``absent``: if none of the forbidden words stands in it (Currey et al., 2022);
    - ``matched``: if an expected phrase does and no forbidden one; it is wrong the other way round, and not counted
      otherwise (Nadejde et al., 2022, matched accuracy).

    Attributes:
        document: id of its document; items of one document are resampled together.
        segment: index of the segment in the document, as the suite counts it.
        rule: what made the item, such as ``NOM.FEM.SING``.
        expected: the forms that are right, the reference's own first.
        source_form, source_lemma: the source word that needs context.
        distance: segments between the item and its antecedent; ``None`` if not known.
        before: segments before the item, in order; ``None`` if the suite does not hold them.
        correct: the place of the reference among reference and variants in files of scores.
        extra: what the suite's format says beside all this.
    """

    id: str
    document: str
    segment: int
    source: str
    reference: str
    phenomenon: str
    rule: str
    expected: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    criterion: Criterion = "present"
    source_form: str = ""
    source_lemma: str = ""
    reference_lemma: str = ""
    reference_features: str = ""
    source_antecedent: Antecedent | None = None
    target_antecedent: Antecedent | None = None
    distance: int | None = None
    before: tuple[Pair, ...] | None = None
    after: tuple[Pair, ...] = ()
    variants: tuple[Variant, ...] = ()
    correct: int = 0
    extra: Mapping[str, Json] = field(default_factory=dict[str, "Json"])


@dataclass(frozen=True, slots=True)
class Suite:
    """A test suite.

    Attributes:
        name: what reports call it.
        source_language, target_language: ISO 639-1 codes; empty where neither file nor user said.
        items: in the order of the file, which is the order of outputs and scores; a tuple, or a
            :class:`RecordTable`, which makes them when they are asked for.
        warnings: what the reader noticed and the user should know, each one sentence.
        matching: how outputs and expected forms are compared where the user does not say; empty for the usual way.
    """

    name: str
    source_language: str
    target_language: str
    items: Sequence[Item]
    warnings: tuple[str, ...] = ()
    matching: str = ""

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)


def suite_name(path: PathLike) -> str:
    """Return the name of the suite in a file: the file's, less ``.gz`` and its last suffix."""
    name = str(path).rstrip("/").replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
    for suffix in (".jsonl", ".json", ".tsv"):
        name = name.removesuffix(suffix)
    return name


_Record = TypeVar("_Record")


class RecordTable(Sequence[_Record]):
    """Records of one kind, as if made one by one; it is equal to any sequence of equal records.

    Args:
        columns: field → its value in each record; a field that is not here has its default. They are kept as they are.
    """

    def __init__(self, kind: type[_Record], count: int, columns: Mapping[str, Sequence[object]]) -> None:
        own: tuple[Field[Any], ...] = fields(cast("Any", kind))
        if unknown := columns.keys() - {one.name for one in own}:
            raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
        if "__slots__" not in vars(kind) or hasattr(kind, "__post_init__"):
            raise TypeError(f"{kind.__name__} cannot be made from columns")
        for one in own:
            if one.name in columns and len(columns[one.name]) != count:
                raise ValueError(f"{len(columns[one.name])} values of {one.name} for {count} records")
            if one.name not in columns and one.default is MISSING and one.default_factory is MISSING:
                raise ValueError(f"{one.name} has neither values nor a default")
        self._kind, self._count, self._columns, self._fields = kind, count, columns, own
        self._made: tuple[_Record, ...] | None = None

    def column(self, name: str) -> Sequence[Any]:
        """Return the value of a field in each record."""
        if name in self._columns:
            return self._columns[name]
        (field,) = (field for field in self._fields if field.name == name)
        if field.default is not MISSING:
            return [field.default] * self._count
        return [getattr(record, name) for record in self]

    def __len__(self) -> int:
        """Return the number of records."""
        return self._count

    @overload
    def __getitem__(self, place: int) -> _Record: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Record, ...]: ...

    def __getitem__(self, place: int | slice) -> _Record | tuple[_Record, ...]:
        """Return a record, or a tuple of some."""
        return self._records()[place]

    def __iter__(self) -> Iterator[_Record]:
        """Yield the records."""
        return iter(self._records())

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is a sequence of equal records."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return self._records() == tuple(cast("Sequence[object]", other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the records as a tuple shows them."""
        return repr(self._records())

    def _records(self) -> tuple[_Record, ...]:
        if self._made is None:
            new = cast("Callable[[type[_Record]], _Record]", object.__new__)
            made = tuple(map(new, repeat(self._kind, self._count)))
            for field in self._fields:
                # One slot of all records, then the next: the slot's own descriptor, which what makes the class frozen
                # does not stand before.
                fill = cast("Callable[[_Record, object], None]", getattr(self._kind, field.name).__set__)
                deque(map(fill, made, self._values(field)), maxlen=0)
            self._made = made
        return self._made

    def _values(self, field: Field[Any]) -> Sequence[object] | repeat[object]:
        if field.name in self._columns:
            return self._columns[field.name]
        if field.default is not MISSING:
            return repeat(field.default, self._count)
        factory = cast("Callable[[], object]", field.default_factory)
        return [factory() for _ in range(self._count)]


def column(records: Sequence[_Record], name: str) -> Sequence[Any]:
    """Return the value of a field in each record, without making the records of a table."""
    if isinstance(records, RecordTable):
        return records.column(name)
    return [getattr(record, name) for record in records]
