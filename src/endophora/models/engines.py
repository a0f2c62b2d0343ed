"""Scorers whose tokens are read by an engine: what they have in common, and vLLM in this process.

An engine is given the tokens that ``lm:`` would read, and says how probable each token of the target is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.models.layout import Ids, LaidOut
from endophora.models.loading import (
    configured,
    load_tokenizer,
    missing_model,
    need_libraries,
    refuse_options,
    signature,
)
from endophora.models.options import ModelOptions
from endophora.models.prompting import Prompted, Prompts, prompts_of
from endophora.models.sequence_model import LaidOutScorer
from endophora.models.tokenization import HubCoder

Floats = NDArray[np.float64]

_SPARE = 2
"""Tokens of the limit that a prompt cannot have: an engine reads the target's last token too, and writes one."""


class EngineScorer(Prompted):
    """A scorer that lays segments out as ``lm:`` does, and has an engine read them."""

    def __init__(
        self, name: str, tokenizer: Any, prompts: Prompts, signature: str, window: int | None, weights: str
    ) -> None:
        LaidOutScorer.__init__(self, HubCoder(tokenizer, 0), signature, weights)
        self._prepare(configured(name), tokenizer, prompts, window, spare=_SPARE)


def known_tokens(steps: Sequence[Mapping[Any, Any] | None], ids: Ids, first: int) -> list[Any]:
    """Return what an engine says of each token from ``first`` on; LookupError where it has read other tokens.

    ``steps`` has a table by token for each place, as vLLM's ``prompt_logprobs``: keys are numbers, or their texts.
    """
    if len(steps) != len(ids):
        raise LookupError(f"{len(steps)} tokens came back for {len(ids)}")
    found: list[Any] = []
    for place in range(first, len(ids)):
        table = steps[place] or {}
        key = next((key for key in (ids[place], str(ids[place])) if key in table), None)
        if key is None:
            raise LookupError(
                f"token {place + 1} is {ids[place]} here, and {', '.join(map(str, table)) or 'unknown'} there"
            )
        found.append(table[key])
    return found


def check_written(tokens: Sequence[str], ids: Ids, coder: HubCoder) -> None:
    """Check that an engine has read our tokens, of which it tells the writing alone: their letters are the same.

    Raises LookupError; a token that is a part of a character, or is written as a number or not at all, tells what it
    can.
    """
    for place, (said, index) in enumerate(zip(tokens, ids, strict=False)):
        if said.startswith(_NUMBERED):
            same = said == f"{_NUMBERED}{index}"
        elif not said:
            same = True
        else:
            ours = {_letters(coder.text([index])), _letters(coder.piece(index))}
            same = _PARTIAL in said or _letters(said) in ours or not _letters(coder.text([index]))
        if not same:
            raise LookupError(f"token {place + 1} is “{coder.piece(index)}” here, and “{said}” there")


_NUMBERED, _PARTIAL = "token_id:", "\N{REPLACEMENT CHARACTER}"


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def open_vllm(argument: str, options: ModelOptions) -> VllmScorer:
    """Open a decoder-only model in vLLM, in this process (E273, E274, E275, E280, E272)."""
    need_libraries()
    refuse_options(options, ("adapter", "weights", "device_map", "separator", "architecture", "prefix"), argument)
    if find_spec("vllm") is None:
        raise MissingModelError(
            Fault("E273", "the library vllm is not installed", "install it with: pip install 'endophora[vllm]'")
        )
    vllm: Any = import_module("vllm")
    tokenizer = load_tokenizer(argument)
    prompts, says = prompts_of(tokenizer, argument, options)
    try:
        engine = vllm.LLM(
            model=argument,
            dtype=options.precision or "auto",
            enable_prefix_caching=True,
            tensor_parallel_size=options.gpus or 1,
            trust_remote_code=False,
        )
    except OSError as error:
        raise missing_model(argument, error) from error
    except (ValueError, RuntimeError) as error:
        cause, advice = f"vLLM cannot take the model ({first_line(error)})", "name another, or use lm:"
        raise InputError(Fault("E275", cause, advice, argument)) from error
    config, precision = configured(argument).config, options.precision or "auto"
    signed = signature("vllm", argument, says, options, config, precision, ("vllm", "transformers"))
    return VllmScorer(engine, vllm, argument, tokenizer, prompts, signed, options.window)


class VllmScorer(EngineScorer):
    """A model in vLLM: all inputs of a call are given to it at once, and it makes the batches."""

    def __init__(
        self,
        engine: Any,
        library: Any,
        name: str,
        tokenizer: Any,
        prompts: Prompts,
        signature: str,
        window: int | None = None,
    ) -> None:
        super().__init__(name, tokenizer, prompts, signature, window, name)
        self._engine = engine
        self._asked = library.SamplingParams(prompt_logprobs=0, max_tokens=1, temperature=0.0, detokenize=False)

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[Floats]:
        sent = [{"prompt_token_ids": [*one.prefix, *one.target]} for one in examples]
        found: list[Floats] = []
        for one, answer in zip(examples, self._engine.generate(sent, self._asked, use_tqdm=False), strict=True):
            steps = cast("Sequence[Mapping[int, Any] | None]", answer.prompt_logprobs or ())
            try:
                tables = known_tokens(steps, (*one.prefix, *one.target), len(one.prefix))
            except LookupError as error:
                advice = "the version of vLLM may not fit: name the same model as lm:"
                raise InputError(Fault("E283", f"vLLM has read other tokens ({error})", advice)) from error
            found.append(np.array([table.logprob for table in tables], dtype=np.float64))
        return found
