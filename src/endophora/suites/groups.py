"""What the items of a suite are counted by: all, phenomenon, rule, distance of the antecedent."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.suites.columns import column
from endophora.suites.records import Item
from endophora.suites.result import Kind

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of a suite's items.

    Attributes:
        names: (kind, group) of each.
        members: (items, groups), true where an item is in a group.
    """

    names: tuple[tuple[Kind, str], ...]
    members: npt.NDArray[np.bool_]

    def of_kind(self, kind: Kind) -> list[int]:
        """Return the indices of the groups of a kind."""
        return [index for index, (found, _) in enumerate(self.names) if found == kind]


def group_items(items: Sequence[Item]) -> Groups:
    """Return the groups of items.

    A kind with one group only says no more than all items do, and is left out; but phenomena are always there.
    """
    columns: list[tuple[Kind, str]] = [("all", "")]
    members = [np.ones(len(items), dtype=np.bool_)]
    kinds: tuple[tuple[Kind, Sequence[Hashable]], ...] = (
        ("phenomenon", column(items, "phenomenon")),
        ("rule", column(items, "rule")),
        ("distance", column(items, "distance")),
    )
    for kind, values in kinds:
        there = sorted(set(values), key=_order)
        if len(there) < 2 and kind != "phenomenon":
            continue
        numbers = {value: number for number, value in enumerate(there)}
        index = np.array([numbers[value] for value in values], dtype=np.intp)
        for number, value in enumerate(there):
            columns.append((kind, UNKNOWN if value is None else str(value)))
            members.append(index == number)
    return Groups(tuple(columns), np.stack(members, axis=1))


def _order(value: Hashable) -> tuple[bool, int, str]:
    """Sort numbers by size, texts by letters, and what is not known last."""
    return (value is None, value if isinstance(value, int) else 0, str(value))
