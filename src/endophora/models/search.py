"""Beam search over a batch, each example with its own beginning that is forced upon the decoder.

The search is that of ``transformers`` (its default, with ``early_stopping`` off), but that examples in a batch have
limits and beginnings of different lengths and come out as each does alone. A beginning is read in one pass as far as
all examples of the batch have one, and token by token from there on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import torch
from torch import Tensor

from endophora.models.layout import Ids
from endophora.models.records import Decoding
from endophora.models.sequence_model import Found

if TYPE_CHECKING:
    from endophora.models.torch_model import TorchSteps

_NEVER = -1.0e9

_Beam: TypeAlias = tuple[int, int, float]
"""A token, the beam that it continues, and the log-probability with it."""


@dataclass(slots=True)
class _Finished:
    """The best finished hypotheses of an example, at most as many as beams: (score, −order, ids, log-probability)."""

    kept: list[tuple[float, int, Ids, float]] = field(default_factory=list[tuple[float, int, Ids, float]])
    added: int = 0

    def add(self, score: float, ids: Ids, logprob: float, most: int) -> None:
        """Keep a hypothesis if it is among the best; of equal ones the earlier."""
        self.added += 1
        self.kept.append((score, -self.added, ids, logprob))
        self.kept.sort(reverse=True)
        del self.kept[most:]

    def closed(self, best: float, most: int) -> bool:
        """Whether there are enough, and none that runs, with this score at best, can displace one of them."""
        return len(self.kept) == most and best <= self.kept[-1][0]


class Search:
    """A search for the best continuation of each example: A examples that are not yet done, K beams each.

    Args:
        begins: beginnings, the decoder's start first; they count neither for scores nor for limits.
        ends: tokens that end a translation.
        barred: tokens that are never chosen.
    """

    def __init__(
        self,
        steps: TorchSteps,
        begins: Sequence[Ids],
        limits: Sequence[int],
        ends: Sequence[int],
        barred: Sequence[int],
        decoding: Decoding,
        device: torch.device | str = "cpu",
    ) -> None:
        self._steps, self._begins, self._limits = steps, begins, limits
        self._beams, self._penalty = decoding.beam, decoding.length_penalty
        self._ends, self._device = frozenset(ends), device
        self._barred = torch.tensor(sorted(set(barred)), dtype=torch.long, device=device)
        self._active = list(range(len(begins)))
        self._finished = [_Finished() for _ in begins]
        self._tokens: list[list[Ids]] = [[()] * self._beams for _ in begins]
        self._scores: list[list[float]] = [[0.0] + [_NEVER] * (self._beams - 1) for _ in begins]

    def run(self) -> list[Found]:
        """Search until every example is done; return one hypothesis for each, all NaN if the decoder gives NaN."""
        with torch.inference_mode():
            try:
                return self._run()
            except FloatingPointError:
                return [Found((), math.nan) for _ in self._begins]

    def _run(self) -> list[Found]:
        read = min(len(begin) for begin in self._begins)
        first = torch.tensor([begin[:read] for begin in self._begins], dtype=torch.long, device=self._device)
        logits = self._steps.begin(first)
        if self._beams > 1:
            self._steps.repeat(self._beams)
            logits = logits.repeat_interleave(self._beams, 0)
        while True:
            chosen = self._choose(logits, read)
            read += 1
            tokens = self._leave_done(chosen, read)
            if not self._active:
                return [Found(kept.kept[0][2], kept.kept[0][3]) for kept in self._finished]
            logits = self._steps.step(tokens)

    def _choose(self, logits: Tensor, read: int) -> list[list[_Beam]]:
        """Choose the next token of each beam of each active example, (A, K)."""
        candidates = self._candidates(logits)
        chosen: list[list[_Beam]] = []
        for place, number in enumerate(self._active):
            begin = self._begins[number]
            if read < len(begin):
                old = self._scores[number]
                chosen.append([(begin[read], beam, old[beam]) for beam in range(self._beams)])
            else:
                chosen.append(self._continue(candidates[place], number, read - len(begin) + 1))
        return chosen

    def _candidates(self, logits: Tensor) -> list[list[_Beam]]:
        """Return the best continuations of each active example, the best first, (A, K and more)."""
        beams, count = self._beams, len(self._active)
        logits = logits.float()
        norms = logits.logsumexp(1, keepdim=True)
        if len(self._barred):
            logits = logits.index_fill(1, self._barred, float("-inf"))
        # So many that K go on even if all others end.
        wide = min((1 + min(max(1, len(self._ends)), 3)) * beams, logits.shape[1])
        best, ids = logits.topk(wide, 1)
        before = torch.tensor([self._scores[number] for number in self._active], device=self._device)
        scores = (best - norms).view(count, beams, wide) + before[:, :, None]
        values, places = scores.view(count, -1).topk(wide, 1)
        tokens = ids.view(count, -1).gather(1, places)
        # One transfer from the device for each step.
        packed: Any = torch.stack([tokens.float(), (places // wide).float(), values])
        parts = cast("list[list[list[float]]]", packed.tolist())
        if any(math.isnan(value) for row in parts[2] for value in row):
            raise FloatingPointError
        return [
            [(int(token), int(origin), value) for token, origin, value in zip(*rows, strict=True)]
            for rows in zip(*parts, strict=True)
        ]

    def _continue(self, candidates: list[_Beam], number: int, length: int) -> list[_Beam]:
        """Finish the candidates that end, and return those that go on, the best first."""
        beams, finished = self._beams, self._finished[number]
        over = length >= self._limits[number]
        before = self._tokens[number]
        going: list[_Beam] = []
        for rank, (token, origin, value) in enumerate(candidates):
            if over or token in self._ends:
                if rank < beams and value > _NEVER / 2:
                    finished.add(value / length**self._penalty, (*before[origin], token), value, beams)
            elif len(going) < beams:
                going.append((token, origin, value))
        # A vocabulary of hardly more tokens than beams leaves too few.
        going += [(candidates[0][0], 0, 2 * _NEVER)] * (beams - len(going))
        self._tokens[number] = [(*before[origin], token) for token, origin, _ in going]
        self._scores[number] = [score for _, _, score in going]
        return going

    def _leave_done(self, chosen: list[list[_Beam]], read: int) -> Tensor:
        """Let the decoder go on with the beams of the examples that are not done; return their tokens, (A · K,)."""
        beams = self._beams
        staying = [place for place, number in enumerate(self._active) if not self._done(number, read)]
        rows = [place * beams + origin for place in staying for _, origin, _ in chosen[place]]
        if staying and rows != list(range(len(self._active) * beams)):
            change = self._steps.reorder if len(staying) == len(self._active) else self._steps.keep
            change(torch.tensor(rows, device=self._device))
        self._active = [self._active[place] for place in staying]
        return torch.tensor([token for place in staying for token, _, _ in chosen[place]], device=self._device)

    def _done(self, number: int, read: int) -> bool:
        length = read - len(self._begins[number])
        if length <= 0:
            return False
        best = self._scores[number][0] / length**self._penalty
        return length >= self._limits[number] or self._finished[number].closed(best, self._beams)
