"""Opens sequence-to-sequence models of the Hugging Face Hub: Marian, NLLB, M2M100, mBART, MADLAD, T5 and their like."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError
from endophora.models.layout import LONGEST, Architecture
from endophora.models.loading import (
    batch_tokens,
    find_device,
    load,
    load_tokenizer,
    need_libraries,
    signature,
    weights_file,
)
from endophora.models.options import ModelOptions

if TYPE_CHECKING:
    from endophora.models.layout import Layout
    from endophora.models.tokenization import HubCoder
    from endophora.models.torch_model import TorchModel


def open_hub(argument: str, options: ModelOptions) -> TorchModel:
    """Open a sequence-to-sequence model (E275, E272, E284, E276, E273, E274)."""
    need_libraries()
    from endophora.models.torch_model import TorchModel

    model = load(argument, "AutoModelForSeq2SeqLM", options)
    coder, layout, says = hub_parts(model.config, model.generation_config, load_tokenizer(argument), argument, options)
    tokens = batch_tokens(options, find_device(options.device), model)
    signed = signature("hf", argument, says, options, model.config)
    return TorchModel(model, coder, layout, signed, tokens, weights_file(argument))


def hub_parts(
    config: Any, generation: Any, tokenizer: Any, name: str, options: ModelOptions
) -> tuple[HubCoder, Layout, str]:
    """Return how a model's text is coded and its context laid out, and a word of it for the signature."""
    from endophora.models.layout import Layout
    from endophora.models.tokenization import HubCoder

    before_source, says = set_languages(tokenizer, name, options)
    coder = HubCoder(tokenizer, 0)
    source_start, source_end = coder.frame(0)
    target_start, target_end = coder.frame(1)
    coder.start, closing = _start((config, generation), name, target_end, int(tokenizer.eos_token_id))
    if options.prefix:
        source_start = (*source_start, *coder.source(options.prefix).ids)
    elif before_source is not None:
        source_start = (*source_start, before_source)
    architecture = options.architecture or Architecture.CONCATENATION
    if architecture is Architecture.MULTI_ENCODER:
        raise InputError(Fault("E272", "the model has one encoder", "name another architecture", name))
    separator = _separator(coder, config, name, options)
    layout = Layout(
        architecture, separator, source_end, _longest(config), source_start, target_start, closing, options.window
    )
    return coder, layout, f"{architecture.value},separator={','.join(map(coder.piece, separator))}{says}"


def set_languages(tokenizer: Any, name: str, options: ModelOptions) -> tuple[int | None, str]:
    """Set a tokenizer's languages, if it has several (E276); return the token before a source, and a word of it."""
    vocabulary = {**tokenizer.get_vocab(), **getattr(tokenizer, "lang_token_to_id", {})}
    marked = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    for kind in ("additional_special_tokens", "extra_special_tokens"):
        marked |= set(map(str, getattr(tokenizer, kind, None) or ()))
    marked &= vocabulary.keys()

    def code(side: int, given: str | None, needed: bool) -> str | None:
        """Return the token of a language, by the user's code of it or by ours."""
        if given is not None:
            if given not in vocabulary:
                cause = f"“{given}” is no token of the model"
                raise InputError(Fault("E276", cause, "write the code as the model's card does", name))
            return given
        found = None if options.languages is None else find_code(options.languages[side], vocabulary, marked)
        if found is None and needed:
            what = "its languages are not given" if options.languages is None else "it does not know the language"
            cause = f"{what}: {'source' if side == 0 else 'target'}"
            raise InputError(Fault("E276", cause, "--languages en-de, or source_code= and target_code=", name))
        return found

    if hasattr(tokenizer, "src_lang") and hasattr(tokenizer, "tgt_lang"):
        source, target = code(0, options.source_code, True), code(1, options.target_code, True)
        # Tokenizers take M2M100's codes without the underscores around them.
        tokenizer.src_lang, tokenizer.tgt_lang = (re.sub(r"^__(\w+)__$", r"\1", one or "") for one in (source, target))
        return None, f",{source}-{target}"
    if options.prefix:
        return None, f",prefix={options.prefix}"
    several = bool(getattr(tokenizer, "supported_language_codes", ()))
    target = code(1, options.target_code, several)
    return (None, "") if target is None else (vocabulary[target], f",{target}")


def _start(configs: tuple[Any, Any], name: str, target_end: tuple[int, ...], eos: int) -> tuple[int, tuple[int, ...]]:
    """Return what the decoder starts with, and what ends a target."""
    if eos not in target_end:
        return _declared_start(configs, name), (eos,)
    place = target_end.index(eos)
    if place + 1 < len(target_end):
        # The first mBART: what stands behind the end is moved to the beginning.
        return target_end[-1], target_end[: place + 1]
    return _declared_start(configs, name), target_end


def _declared_start(configs: tuple[Any, Any], name: str) -> int:
    for config in configs:
        found = getattr(config, "decoder_start_token_id", None)
        if found is not None:
            return int(found)
    cause = "the model does not say what its decoder starts with (decoder_start_token_id)"
    raise InputError(Fault("E275", cause, "add it to config.json", name))


def _separator(coder: HubCoder, config: Any, name: str, options: ModelOptions) -> tuple[int, ...]:
    wanted = options.separator
    if wanted is None:
        wanted = getattr(config, "context_separator", None) or ""
    source, found = coder.separators(wanted)
    if found != source:
        cause = "source and target have vocabularies of their own, in which the separator is not the same"
        raise InputError(Fault("E272", cause, "name one that is a token of both, or none", name))
    return found


def _longest(config: Any) -> int:
    for key in ("max_position_embeddings", "max_source_positions", "n_positions"):
        found = getattr(config, key, None)
        if isinstance(found, int) and found > 1:
            return found
    return LONGEST


@cache
def _codes() -> tuple[list[str], dict[str, list[str]], dict[str, str]]:
    """Return the forms of codes, the tokens preferred for some languages, and the code of ISO 639-2 of each."""
    table = cast("Any", load_yaml((files("endophora.models") / "language_codes.yaml").read_text("utf-8")))
    rows = (files("endophora.corpus") / "data" / "iso-639-1.tsv").read_text("utf-8").splitlines()[1:]
    return table["forms"], table["preferred"], dict(row.split("\t")[:2] for row in rows)


def find_code(language: str, vocabulary: Iterable[str], marked: Iterable[str]) -> str | None:
    """Return the token by which a model knows a language; ``None`` if there is none; several are E276."""
    tokens, special = set(vocabulary), set(marked)
    forms, preferred, three_letters = _codes()
    for token in preferred.get(language, ()):
        if token in tokens:
            return token
    for form in forms:
        written = form.format(two=language, three=three_letters.get(language, "?"))
        if "*" not in written:
            if written in tokens:
                return written
            continue
        pattern = re.compile(re.escape(written).replace(r"\*", r"[A-Za-z]+"))
        found = sorted(token for token in special if pattern.fullmatch(token))
        if len(found) > 1:
            cause = f"the model knows {language} as {', '.join(found)}"
            raise InputError(Fault("E276", cause, "say which: source_code= or target_code=", "--model"))
        if found:
            return found[0]
    return None
