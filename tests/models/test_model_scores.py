"""Scores of models: those that ``transformers`` gives to one sentence at a time, whatever the batch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_models import HUB, SENTENCES  # noqa: E402

from endophora.context.perturbation.conditions import Condition, DocumentTexts, Given, Kind, perturbed_inputs  # noqa: E402  # noqa: E402
from endophora.models.layout import Architecture  # noqa: E402
from endophora.models.options import ModelOptions  # noqa: E402
from endophora.models.records import (  # noqa: E402
    ModelInput,
    Scorer,
    Sides,
    Translator,
)
from endophora.models.specs import open_model  # noqa: E402
from endophora.models.torch_model import decoder_logits  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"))
OWN = tuple(Architecture)
MODELS = (*OWN, *(f"hf:{kind}" for kind in HUB), "lm:llama", "lm:gpt2", "lm:chat")
INPUTS = [
    ModelInput(SENTENCES[0]),
    ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3]),
    ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3]),
    ModelInput(SENTENCES[5], SENTENCES[:3], SENTENCES[2:5]),
    ModelInput("It", ((25, 26, 27), (28,)), ((31, 30),)),
    ModelInput("was", SENTENCES[:2]),
]
TARGETS = [SENTENCES[2], SENTENCES[3], "Es regnete.", "", SENTENCES[4], "x"]


def opened(folders, name: str):
    kind, colon, folder = name.rpartition(":")
    return open_model(f"{kind}{colon}{folders[folder]}", PAIR)


def logprobs(logits, labels) -> np.ndarray:
    """Return (T,) log-probabilities of labels under logits (T, vocabulary), in double precision."""
    return logits.double().log_softmax(-1)[range(len(labels)), labels].numpy()


@pytest.mark.parametrize("name", MODELS)
def test_scores_of_a_batch_are_those_of_one_at_a_time(folders, name: str):
    model = opened(folders, name)
    assert isinstance(model, Scorer)
    assert isinstance(model, Translator)
    together = model.score(INPUTS, TARGETS)
    for given, target, one in zip(INPUTS, TARGETS, together, strict=True):
        (alone,) = model.score([given], [target])
        assert one.pieces == alone.pieces
        np.testing.assert_allclose(one.logprobs, alone.logprobs, atol=1e-5)
        assert len(one.logprobs) == len(one.pieces) == len(one.spans)
        assert one.spans[-1] == (len(target), len(target))
        assert np.all(one.logprobs < 0)


@pytest.mark.parametrize("kind", HUB)
def test_scores_without_context_are_those_of_transformers_for_one_sentence(folders, kind: str):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    codes = {"m2m100": ("en", "de"), "nllb": ("eng_Latn", "deu_Latn")}.get(kind, ("en_XX", "de_DE"))
    tokenizer = AutoTokenizer.from_pretrained(folders[kind])
    if kind in ("m2m100", "nllb", "mbart", "mbart50"):
        tokenizer.src_lang, tokenizer.tgt_lang = codes
    plain = AutoModelForSeq2SeqLM.from_pretrained(folders[kind]).eval()
    source = f"<2de> {SENTENCES[1]}" if kind == "t5" else SENTENCES[1]
    given = tokenizer(source, text_target=SENTENCES[3], return_tensors="pt")
    with torch.no_grad():
        logits = plain(input_ids=given["input_ids"], labels=given["labels"]).logits[0]
    labels = given["labels"][0].tolist()
    wanted = logprobs(logits, labels)
    begins = kind in ("m2m100", "nllb", "mbart50")
    (found,) = opened(folders, f"hf:{kind}").score([ModelInput(SENTENCES[1])], [SENTENCES[3]])
    # The language is given, at the beginning or, in the first mBART, at the end.
    wanted = wanted[1:] if begins else wanted[:-1] if kind == "mbart" else wanted
    np.testing.assert_allclose(found.logprobs, wanted, atol=1e-5)


@pytest.mark.parametrize("name", OWN)
def test_scores_with_context_are_those_of_sequences_laid_out_by_hand(folders, name: str):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    import endophora.models.multi_encoder  # noqa: F401

    tokenizer = AutoTokenizer.from_pretrained(folders[name])
    plain = AutoModelForSeq2SeqLM.from_pretrained(folders[name]).eval()
    before, source = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (SENTENCES[0], SENTENCES[1]))
    preceding, target = (
        tokenizer(text, add_special_tokens=False)["input_ids"] for text in (SENTENCES[2], SENTENCES[3])
    )
    eos, brk, start = 0, 2, plain.config.decoder_start_token_id
    labels = [*target, eos]
    arguments = {"input_ids": [*before, brk, *source, eos], "decoder_input_ids": [start, *preceding, brk, *target]}
    if name == "source-concatenation":
        arguments["decoder_input_ids"] = [start, *target]
    if name == "target-concatenation":
        arguments["input_ids"] = [*source, eos]
    if name == "multi-encoder":
        arguments = {"input_ids": [*source, eos], "decoder_input_ids": [start, *target]}
        arguments |= {"source_context_ids": [*before, eos], "target_context_ids": [*preceding, eos]}
    tensors = {key: torch.tensor([ids]) for key, ids in arguments.items()}
    for key in [key for key in tensors if key != "decoder_input_ids"]:
        tensors["attention_mask" if key == "input_ids" else key.replace("_ids", "_mask")] = torch.ones_like(
            tensors[key]
        )
    with torch.no_grad():
        logits = plain(**tensors).logits[0]
    (found,) = opened(folders, name).score([ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3])], [SENTENCES[3]])
    np.testing.assert_allclose(found.logprobs, logprobs(logits[-len(labels) :], labels), atol=1e-5)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "chat"])
def test_scores_of_a_language_model_are_those_of_its_prompt_and_target(folders, kind: str):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, plain = AutoTokenizer.from_pretrained(folders[kind]), AutoModelForCausalLM.from_pretrained(folders[kind])
    text = f"English: {SENTENCES[0]}\nGerman: {SENTENCES[2]}\nEnglish: {SENTENCES[1]}\nGerman:"
    model = opened(folders, f"lm:{kind}")
    given = ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3])
    prompt = tokenizer(text)["input_ids"] if kind != "chat" else list(model.prompt(given))
    assert list(model.prompt(given)) == prompt
    if kind == "chat":
        written = tokenizer.decode(prompt)
        assert written.startswith("<s>user: What comes before")
        assert written.endswith(f"{SENTENCES[1]}</s><s>assistant:")
    end = 1 if kind == "chat" else tokenizer("\n")["input_ids"][-1]
    target = [*tokenizer(f" {SENTENCES[3]}")["input_ids"], end]
    with torch.no_grad():
        logits = plain(torch.tensor([[*prompt, *target]])).logits[0, len(prompt) - 1 : -1]
    (found,) = model.score([given], [SENTENCES[3]])
    np.testing.assert_allclose(found.logprobs, logprobs(logits, target), atol=1e-5)


@pytest.mark.parametrize("name", ["concatenation", "hf:t5"])
def test_equal_sources_are_encoded_once(folders, monkeypatch: pytest.MonkeyPatch, name: str):
    model = opened(folders, name)
    seen: list[int] = []

    def counting(own, ids, *rest):
        seen.append(len(ids))
        return looked_up(own, ids, *rest)

    looked_up = torch.nn.Embedding.forward
    encoder = model.model.get_encoder()
    monkeypatch.setattr(encoder.embed_tokens, "forward", lambda ids: counting(encoder.embed_tokens, ids))
    given = INPUTS[1]
    found = model.score([given, INPUTS[0], given, given], ["a", "b", "c", "dd"])
    assert sum(seen) == 2
    np.testing.assert_allclose(found[2].logprobs, model.score([given], ["c"])[0].logprobs, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_targets_that_share_all_before_them_are_scored_as_if_alone(folders, name: str):
    model = opened(folders, name)
    inputs = [INPUTS[3]] * 3 + [INPUTS[1]] * 3 + INPUTS
    targets = ["Es regnete.", "", SENTENCES[3], "a", "b c", SENTENCES[5], *TARGETS]
    for given, target, one in zip(inputs, targets, model.score(inputs, targets), strict=True):
        np.testing.assert_allclose(one.logprobs, model.score([given], [target])[0].logprobs, atol=1e-5)
    only_ends = model.score([INPUTS[3]] * 2, ["", ""])
    np.testing.assert_allclose(only_ends[0].logprobs, model.score(INPUTS[3:4], [""])[0].logprobs, atol=1e-5)


def test_the_output_layer_sees_the_wanted_places_only(folders):
    model = opened(folders, "hf:m2m100")
    (example,) = model.encode(INPUTS[1:2], TARGETS[1:2])
    assert len(example.prefix) > 5
    seen: list[tuple[int, ...]] = []
    handle = model.model.lm_head.register_forward_hook(lambda layer, given, made: seen.append(tuple(made.shape)))
    model.score(INPUTS[1:2], TARGETS[1:2])
    handle.remove()
    assert [shape[1] for shape in seen] == [len(example.target)]


def test_logits_of_chosen_places_are_those_of_the_whole(folders):
    model = opened(folders, "lm:llama").model
    tokens = torch.arange(3, 13).reshape(2, 5)
    with torch.inference_mode():
        whole = model(tokens).logits.reshape(10, -1)
        some, cache = decoder_logits(model, None, tokens, torch.tensor([1, 7]))
    assert cache is None
    torch.testing.assert_close(some, whole[[1, 7]])


def test_unequal_numbers_of_inputs_and_targets_are_refused(folders):
    for name in ("sentence", "lm:llama"):
        with pytest.raises(ValueError, match="zip"):
            opened(folders, name).score(INPUTS[:2], TARGETS[:1])


def test_target_context_makes_no_difference_to_k_to_one(folders):
    model = opened(folders, "source-concatenation")
    with_target, without = model.score([INPUTS[1], ModelInput(SENTENCES[1], SENTENCES[:1])], TARGETS[1:2] * 2)
    np.testing.assert_array_equal(with_target.logprobs, without.logprobs)
    assert not model.uses_target_context


def test_random_contexts_are_drawn_from_ordinary_tokens(folders):
    model = opened(folders, "hf:m2m100")
    written = {model.coder.piece(index) for index in model.vocabulary}
    assert "</s>" not in written
    assert "__de__" not in written
    assert model.length("It was") == len(model.coder.source("It was").ids)
    assert model.length((5, 6)) == 2


def test_random_contexts_of_two_vocabularies_have_the_length_and_the_tokens_of_their_own_side(folders):
    model = opened(folders, "hf:marian-two")
    text = DocumentTexts(SENTENCES[:2], SENTENCES[2:4])
    given = Given([text], [text.references], 2, Sides.BOTH, 1)
    (*_, random), (*_, correct) = (
        perturbed_inputs(given, Condition(kind), model) for kind in (Kind.RANDOM, Kind.CORRECT)
    )
    tokenizer = model.coder._tokenizer
    for side, cut, table, other in (
        ("source_context", model.coder.source, tokenizer.encoder, tokenizer.target_encoder),
        ("target_context", model.coder.target, tokenizer.target_encoder, tokenizer.encoder),
    ):
        (drawn,), (sentence,) = getattr(random, side), getattr(correct, side)
        assert len(drawn) == len(cut(sentence).ids)
        # The names tell of which vocabulary a sub-word is.
        assert cut(drawn).pieces == tuple({index: piece for piece, index in table.items()}[index] for index in drawn)
        assert set(cut(drawn).pieces) <= table.keys() - {"</s>", "<unk>", "<pad>"}
        assert len(other) != len(table)
    assert set(model.vocabulary) == set(tokenizer.encoder.values()) - {0, 1, len(tokenizer.encoder) - 1}
    assert set(model.target_vocabulary) == set(tokenizer.target_encoder.values()) - {
        0,
        1,
        len(tokenizer.target_encoder) - 1,
    }
    assert model.score([random], ["Der Hund."])[0].total < 0
