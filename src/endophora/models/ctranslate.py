"""Models in the form of CTranslate2: the same probabilities as on torch, sooner."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.errors import Fault, InputError
from endophora.models.batching import batches
from endophora.models.coding import Coder, OwnCoder
from endophora.models.conversion import TOKENIZER, ConvertedCard, need_ctranslate, read_card
from endophora.models.layout import Ids, LaidOut, Layout, decoder_length, source_length
from endophora.models.loading import batch_tokens, fingerprint, first_line, model_signature, weights_file
from endophora.models.options import ModelOptions
from endophora.models.own import VOCABULARY
from endophora.models.presets import LONGEST, Architecture
from endophora.models.records import Decoding
from endophora.models.sequence_model import Advance, Found, SequenceModel, Task
from endophora.models.vocabulary import Vocabulary


def open_ctranslate(argument: str, options: ModelOptions) -> CTranslateModel:
    """Open a converted model.

    Raises: InputError (E279, E272, E276, E284), MissingModelError (E273).
    """
    library = need_ctranslate()
    folder = Path(argument)
    card = read_card(folder)
    coder, layout = _parts(folder, card, options)
    device = options.device
    if device == "auto":
        device = "cuda" if library.get_cuda_device_count() else "cpu"
    name, _, number = device.partition(":")
    chosen = options.precision if "precision" in options.model_fields_set else "default"
    try:
        model: Any = library.Translator(
            str(folder),
            device=name,
            device_index=int(number or 0),
            compute_type=chosen,
            intra_threads=options.threads or 0,
        )
    except (ValueError, RuntimeError) as error:
        code = "E272" if "compute type" in str(error) else "E284" if "device" in str(error) else "E279"
        raise InputError(
            Fault(code, first_line(error), "name another device or precision, or convert anew", argument)
        ) from error
    tokens = batch_tokens(options, name)
    separator = ",".join(map(coder.piece, layout.separator))
    precision = card.precision if chosen == "default" else chosen
    says = f"{layout.architecture.value},separator={separator}"
    signature = model_signature(("ct2", fingerprint(argument)), says, precision, options, ("ctranslate2",))
    return CTranslateModel(model, coder, layout, signature, tokens, weights_file(argument))


def _parts(folder: Path, card: ConvertedCard, options: ModelOptions) -> tuple[Coder, Layout]:
    if card.kind == "own":
        vocabulary = Vocabulary(folder / VOCABULARY)
        separator = (vocabulary.separator,) if options.separator is None else vocabulary.ids_of(options.separator)
        architecture = options.architecture or card.architecture or Architecture.SENTENCE
        if architecture is Architecture.MULTI_ENCODER:
            raise InputError(Fault("E272", "the model has one encoder", "name another architecture", str(folder)))
        layout = Layout(
            architecture,
            separator,
            (vocabulary.eos,),
            card.longest or LONGEST,
            window=options.window or card.window,
            trained=card.context_size,
        )
        return OwnCoder(vocabulary), layout
    from endophora.models.hub import hub_parts
    from endophora.models.loading import load_tokenizer

    transformers: Any = import_module("transformers")
    place = str(folder / TOKENIZER)
    config = transformers.AutoConfig.from_pretrained(place, trust_remote_code=False)
    coder, layout, _ = hub_parts(config, None, load_tokenizer(place), str(folder), options)
    return coder, layout


class CTranslateModel(SequenceModel):
    """A converted model."""

    def __init__(
        self, model: Any, coder: Coder, layout: Layout, signature: str, batch_tokens: int, weights: str = ""
    ) -> None:
        super().__init__(coder, layout, signature, batch_tokens, weights)
        self.model: Any = model

    def _logprobs(self, examples: Sequence[LaidOut], advance: Advance) -> list[NDArray[np.float64]]:
        found: list[NDArray[np.float64]] = [np.zeros(0)] * len(examples)
        lengths = [max(source_length(one), decoder_length(one)) for one in examples]
        for batch in batches(lengths, self.batch_tokens):
            chosen = [examples[number] for number in batch]
            # The library adds the end of the target by itself.
            results = self.model.score_batch(
                [self._written(one.source) for one in chosen],
                [self._written((*one.prefix, *one.target[:-1])) for one in chosen],
                max_input_length=0,
            )
            for number, example, result in zip(batch, chosen, results, strict=True):
                found[number] = np.array(result.log_probs[len(example.prefix) :], dtype=np.float64)
            advance(len(batch))
        return found

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        prefixes = [self._written(task.example.prefix) for task in tasks]
        results = self.model.translate_batch(
            [self._written(task.example.source) for task in tasks],
            target_prefix=prefixes if any(prefixes) else None,
            beam_size=decoding.beam,
            num_hypotheses=decoding.beam,
            length_penalty=decoding.length_penalty,
            max_input_length=0,
            min_decoding_length=0,
            max_decoding_length=max(len(task.example.prefix) + task.limit for task in tasks),
            return_scores=True,
            return_end_token=True,
        )
        return [self._found(task, result, decoding) for task, result in zip(tasks, results, strict=True)]

    def _found(self, task: Task, result: Any, decoding: Decoding) -> Found:
        """Return the best hypothesis: the library counts the prefix among the tokens that it divides by."""
        ahead, penalty = len(task.example.prefix), decoding.length_penalty
        hypotheses: list[tuple[float, float, list[str]]] = []
        for pieces, score in zip(result.hypotheses, result.scores, strict=True):
            found = pieces[ahead:]
            logprob = float(score) * len(pieces) ** penalty
            hypotheses.append((logprob / max(1, len(found)) ** penalty, logprob, found))
        _, logprob, found = max(hypotheses, key=lambda one: one[0])
        ids = tuple(self.coder.index(piece) for piece in found)
        # The library has one limit for a batch.
        return Found(ids, logprob) if len(ids) <= task.limit else Found(ids[: task.limit], None)

    def _written(self, ids: Ids) -> list[str]:
        return [self.coder.piece(index) for index in ids]
