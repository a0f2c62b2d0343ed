"""Beam search over a batch, each example with a beginning of its own that is forced upon the decoder.

The search is that of ``transformers`` (its default, with ``early_stopping`` off), but that examples in a batch have
limits and beginnings of different lengths and come out as each does alone. A beginning is read in one pass as far as
all examples of the batch have one, and token by token from there on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from endophora.models.layout import Ids
from endophora.models.records import Decoding

_NEVER = -1.0e9


class Steps(Protocol):
    """A decoder that reads a batch token by token and remembers what it has read."""

    def begin(self, tokens: Tensor) -> Tensor:
        """Read the first tokens, (B, T), and return the logits of the next one, (B, vocabulary)."""
        ...

    def repeat(self, times: int) -> None:
        """Make each example of the batch so many, one after the other."""
        ...

    def step(self, tokens: Tensor) -> Tensor:
        """Read one more token of each, (N,), and return the logits of the next one, (N, vocabulary)."""
        ...

    def reorder(self, rows: Tensor) -> None:
        """Let each row, (N,), go on from another one of the same example."""
        ...

    def keep(self, rows: Tensor) -> None:
        """Forget all but some rows, (M,)."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """The best hypothesis of an example.

    Attributes:
        ids: its tokens after the forced ones; the end is the last, unless the limit came first.
        logprob: natural logarithm of their probability.
    """

    ids: Ids
    logprob: float


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


def search(
    steps: Steps,
    begins: Sequence[Ids],
    limits: Sequence[int],
    ends: Sequence[int],
    barred: Sequence[int],
    decoding: Decoding,
    device: torch.device | str = "cpu",
) -> list[Found]:
    """Search for the best continuation of each example.

    Args:
        steps: the decoder, over B examples.
        begins: B beginnings, the decoder's start first; they count neither for scores nor for limits.
        limits: B numbers: most tokens of each continuation.
        ends: tokens that end a continuation.
        barred: tokens that are never chosen.
        decoding: number of beams and length penalty.
        device: where the decoder is.
    """
    with torch.inference_mode():
        return _Search(steps, begins, limits, ends, barred, decoding, device).run()


class _Search:
    """The state of a search: A examples that are not yet done, K beams each."""

    def __init__(
        self,
        steps: Steps,
        begins: Sequence[Ids],
        limits: Sequence[int],
        ends: Sequence[int],
        barred: Sequence[int],
        decoding: Decoding,
        device: torch.device | str,
    ) -> None:
        self._steps, self._begins, self._limits = steps, begins, limits
        self._beams, self._penalty = decoding.beam, decoding.length_penalty
        self._ends, self._device = frozenset(ends), device
        self._barred = torch.tensor(sorted(set(barred)), dtype=torch.long, device=device)
        self._active = list(range(len(begins)))
        self._finished = [_Finished() for _ in begins]
        count = len(begins)
        # Tokens and scores are kept on the processor: one transfer a step, and the rest is little.
        self._tokens: list[list[Ids]] = [[()] * self._beams for _ in range(count)]
        self._scores = torch.full((count, self._beams), _NEVER, device=device)
        self._scores[:, 0] = 0

    def run(self) -> list[Found]:
        """Search until every example is done."""
        shared = min(len(begin) for begin in self._begins)
        first = torch.tensor([begin[:shared] for begin in self._begins], dtype=torch.long, device=self._device)
        logits = self._steps.begin(first)
        if self._beams > 1:
            self._steps.repeat(self._beams)
            logits = logits.repeat_interleave(self._beams, 0)
        read = shared
        while self._active:
            tokens, rows = self._choose(logits, read)
            self._leave_done(read + 1, tokens, rows)
            read += 1
            if self._active:
                logits = self._steps.step(self._next)
        return [Found(kept.kept[0][2], kept.kept[0][3]) for kept in self._finished]

    def _choose(self, logits: Tensor, read: int) -> tuple[Tensor, Tensor]:
        """Choose the next token of each beam; return tokens (A, K) and the beams that they go on from (A, K)."""
        beams, count = self._beams, len(self._active)
        logits = logits.float()
        norms = logits.logsumexp(1, keepdim=True)
        if len(self._barred):
            logits = logits.index_fill(1, self._barred, float("-inf"))
        wide = min((1 + max(1, len(self._ends))) * beams, logits.shape[1])
        best, ids = logits.topk(wide, 1)
        scores = (best - norms).view(count, beams, wide) + self._scores[:, :, None]
        values, places = scores.view(count, -1).topk(min(wide, beams * wide), 1)
        origins, chosen = places // wide, ids.view(count, -1).gather(1, places)
        self._candidates = (values.tolist(), origins.tolist(), chosen.tolist())
        tokens: list[list[int]] = []
        rows: list[list[int]] = []
        running: list[list[float]] = []
        old = self._scores.tolist() if any(read < len(self._begins[number]) for number in self._active) else []
        for place, number in enumerate(self._active):
            begin = self._begins[number]
            if read < len(begin):
                tokens.append([begin[read]] * beams)
                rows.append(list(range(beams)))
                running.append(old[place])
                continue
            token, row, score = self._continue(place, number, read - len(begin) + 1)
            tokens.append(token)
            rows.append(row)
            running.append(score)
        self._scores = torch.tensor(running, device=self._device)
        return torch.tensor(tokens, device=self._device), torch.tensor(rows, device=self._device)

    def _continue(self, place: int, number: int, length: int) -> tuple[list[int], list[int], list[float]]:
        """Finish the candidates that end, and return tokens, origins and scores of the others, the best first."""
        beams, finished = self._beams, self._finished[number]
        values, origins, chosen = (part[place] for part in self._candidates)
        over = length >= self._limits[number]
        before = self._tokens[place]
        going: list[tuple[int, int, float]] = []
        for rank, (value, origin, token) in enumerate(zip(values, origins, chosen, strict=True)):
            if over or token in self._ends:
                if rank < beams and value > _NEVER / 2:
                    finished.add(value / length**self._penalty, (*before[origin], token), value, beams)
            elif len(going) < beams:
                going.append((token, origin, value))
        # A vocabulary of hardly more tokens than beams leaves too few.
        going += [(next(iter(self._ends), 0), 0, 2 * _NEVER)] * (beams - len(going))
        self._tokens[place] = [(*before[origin], token) for token, origin, _ in going]
        tokens, rows, scores = (list(part) for part in zip(*going, strict=True))
        return tokens, rows, scores  # type: ignore[return-value]

    def _leave_done(self, read: int, tokens: Tensor, rows: Tensor) -> None:
        """Let the decoder go on with the chosen beams of the examples that are not done."""
        beams = self._beams
        best = self._scores[:, 0].tolist()
        staying = [place for place, number in enumerate(self._active) if not self._done(number, read, best[place])]
        offsets = torch.arange(len(self._active), device=self._device)[:, None] * beams
        flat = (rows + offsets).view(len(self._active), beams)
        moved = beams > 1 and bool((rows != torch.arange(beams, device=self._device)).any())
        if len(staying) < len(self._active):
            kept = torch.tensor(staying, dtype=torch.long, device=self._device)
            if staying:
                self._steps.keep(flat[kept].view(-1))
            tokens, self._scores = tokens[kept], self._scores[kept]
            self._active = [self._active[place] for place in staying]
            self._tokens = [self._tokens[place] for place in staying]
        elif moved:
            self._steps.reorder(flat.view(-1))
        self._next = tokens.reshape(-1)

    def _done(self, number: int, read: int, best: float) -> bool:
        length = read - len(self._begins[number])
        if length <= 0:
            return False
        finished = self._finished[number]
        return length >= self._limits[number] or finished.closed(best / length**self._penalty, self._beams)
