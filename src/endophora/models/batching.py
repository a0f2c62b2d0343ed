"""Batches of sequences of like length, so that little is padding."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def batches(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Share sequences out to batches, longest first.

    Args:
        lengths: (N,) tokens of each sequence.
        most: tokens of a batch, padding included; a longer sequence is a batch of its own.
    """
    made: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        # The first of a batch is its longest, and says what one more costs.
        if made and (len(made[-1]) + 1) * lengths[made[-1][0]] <= most:
            made[-1].append(number)
        else:
            made.append([number])
    return made


def padded(sequences: Sequence[Sequence[int]], filler: int, device: torch.device | str = "cpu") -> Tensor:
    """Return sequences as one tensor (N, longest), filled up at the end."""
    width = max((len(sequence) for sequence in sequences), default=0)
    rows = [[*sequence, *[filler] * (width - len(sequence))] for sequence in sequences]
    return torch.tensor(rows, dtype=torch.long, device=device).reshape(len(sequences), width)


def masked(sequences: Sequence[Sequence[int]], device: torch.device | str = "cpu") -> Tensor:
    """Return the mask (N, longest) of sequences: 1 where a token stands, 0 where it is padding."""
    return padded([[1] * len(sequence) for sequence in sequences], 0, device)
