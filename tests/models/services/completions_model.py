"""What a server of completions computes and answers, in the form that vLLM documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Model:
    """What a server computes: the log-probability of each token after the first."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def __call__(self, ids: list[int]) -> list[float | None]:
        import torch

        with torch.no_grad():
            scores = self._model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        return [None, *(float(scores[place, index]) for place, index in enumerate(ids[1:]))]

    def answer(self, body: Any) -> Any:
        """Answer a request of completions as vLLM does."""
        ids = body["prompt"]
        values = self(ids)
        choice: dict[str, Any] = {"index": 0, "text": "x", "finish_reason": "length", "logprobs": None}
        words = [self.tokenizer.decode([index]) for index in ids]
        if body.get("echo"):
            choice["logprobs"] = {
                "tokens": [*words, " x"],
                "token_logprobs": [*values, -0.5],
                "text_offset": [0] * (len(ids) + 1),
                "top_logprobs": [None] * (len(ids) + 1),
            }
        if "prompt_logprobs" in body:
            shown = zip(ids, words, values, strict=True)
            choice["prompt_logprobs"] = [
                None if value is None else {str(index): {"logprob": value, "rank": 7, "decoded_token": word}}
                for index, word, value in shown
            ]
        usage = {"prompt_tokens": len(ids), "completion_tokens": 1, "total_tokens": len(ids) + 1}
        return {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
