"""Sequence-to-sequence models on torch that translate and score: those trained here, and those of the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from endophora.models.coding import Coder
from endophora.models.forward import encode
from endophora.models.layout import LaidOut, Layout
from endophora.models.records import Decoding
from endophora.models.scoring import target_logprobs
from endophora.models.search import search
from endophora.models.sequence_model import Advance, Found, SequenceModel, Task
from endophora.models.stepping import TorchSteps


class TorchModel(SequenceModel):
    """A model on torch."""

    def __init__(
        self, model: Any, coder: Coder, layout: Layout, signature: str, batch_tokens: int = 512, weights: str = ""
    ) -> None:
        super().__init__(coder, layout, signature, batch_tokens, weights)
        self.model: Any = model

    def _logprobs(self, examples: Sequence[LaidOut], advance: Advance) -> list[NDArray[np.float64]]:
        return target_logprobs(
            self.model,
            examples,
            start=self.coder.start,
            pad=self.coder.pad,
            batch_tokens=self.batch_tokens,
            advance=advance,
        )

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        with torch.inference_mode():
            encoded = encode(self.model, [task.example for task in tasks], self.coder.pad)
            return search(
                TorchSteps(self.model, encoded),
                [(self.coder.start, *task.example.prefix) for task in tasks],
                [task.limit for task in tasks],
                self.layout.closing[:1],
                (self.coder.pad,),
                decoding,
                self.model.device,
            )
