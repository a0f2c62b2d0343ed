"""The records of a test suite: an item is one word (or span) that needs context, with what is right in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

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
    """What decides the form, on one side; what is not known is empty."""

    head: str = ""
    lemma: str = ""
    pos: str = ""
    features: str = ""  # morphological features of the head, as Gender=Fem|Number=Sing
    gender: str = ""
    number: str = ""
    phrase: str = ""
    segment: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """A wrong translation that differs from the right one in what the item tests."""

    target: str
    form: str = ""
    label: str = ""
    kind: str = ""
    before: tuple[str, ...] | None = None  # the target context, where it differs from that of the right translation


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a suite.

    An output is right, by ``criterion``,

    - ``present``: if one of the expected forms is in it (Wicks & Post, 2023, §5.1);
    - ``absent``: if none of the forbidden words is in it (Currey et al., 2022);
    - ``matched``: if an expected phrase does and no forbidden one; it is wrong the other way round, and not counted
      otherwise (Nadejde et al., 2022, matched accuracy).

    Attributes:
        document: id of its document; items of one document are resampled together.
        segment: index of the segment in the document, as the suite counts it.
        expected: the forms that are right, the reference's own first.
        distance: segments between the item and its antecedent; ``None`` if not known.
        before: segments before the item, in order; ``None`` if the suite does not hold them.
        correct: the place of the reference among reference and variants in files of scores.
        extra: what the suite's format says in addition to all this.
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
        items: in the order of the file, which is the order of outputs and scores.
        warnings: what the reader noticed and the user should know, each one sentence.
        matching: how outputs and expected forms are compared where the user does not say; empty for the usual way.
        cut: what the cuts of outputs that came in lines of their own depend on.
    """

    name: str
    source_language: str
    target_language: str
    items: Sequence[Item]
    warnings: tuple[str, ...] = ()
    matching: str = ""
    cut: str = ""

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)


def suite_name(path: PathLike) -> str:
    """Return the name of the suite in a file: the file's, less ``.gz`` and its last suffix."""
    name = str(path).rstrip("/").replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
    for suffix in (".jsonl", ".json", ".tsv"):
        name = name.removesuffix(suffix)
    return name
