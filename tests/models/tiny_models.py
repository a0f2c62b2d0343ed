"""Tiny models with random weights, one of each kind, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from endophora.models.layout import NEVER, Architecture, marian_config, preset
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.models.tokenization import Vocabulary, train_vocabulary

SENTENCES = (
    "The cat sat on the mat, and the dog did not.",
    "It was raining; she had no umbrella!",
    "Der Hund lag auf der Matte – die Katze nicht.",
    "Es regnete, und sie hatte keinen Schirm.",
    "Do you see the house? Siehst du das Haus?",
    "Well, 17 people came… 17 Leute kamen.",
)

SIZES = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
HEADS = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
HUB = ("marian", "marian-two", "m2m100", "nllb", "mbart", "mbart50", "t5")


def make_vocabulary(path: Path, size: int = 400) -> Vocabulary:
    """Train a vocabulary of a few sub-words on a few sentences."""
    return train_vocabulary(SENTENCES * 20, path, size)


def enliven(model: Any, eos: int | None = None, seed: int = 1) -> None:
    """Give a model random weights that are large enough for it to have preferences, and an inclination to end."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() > 1 and "embed_positions" not in name:
                value.normal_(std=0.25)
        if eos is not None:
            model.final_logits_bias[0, eos] = 5.0


def two_layers(vocabulary: int, hidden: int, intermediate: int) -> Any:
    """Return a Llama of two layers with random weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
    )
    return LlamaForCausalLM(config)


def make_own(folder: Path, architecture: Architecture, seed: int = 1, *, gates: bool = False) -> Path:
    """Write a model as training does, with random weights."""
    from transformers import MarianMTModel

    folder.mkdir(parents=True)
    vocabulary = make_vocabulary(folder / "source.spm")
    config = marian_config(preset("tiny"), vocabulary, architecture, 3, gates=gates)
    kind = MultiEncoderForTranslation if architecture is Architecture.MULTI_ENCODER else MarianMTModel
    model = kind(config)
    enliven(model, vocabulary.eos, seed)
    with torch.no_grad():
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
    model.save_pretrained(folder)
    vocabulary.save(folder, "en", "de")
    return folder


def make_hub(folder: Path, kind: str) -> Path:
    """Write a model of the Hub's, of one of the kinds of :data:`HUB`."""
    folder.mkdir(parents=True)
    makers = {
        "marian": _marian,
        "marian-two": _marian_two,
        "m2m100": _m2m100,
        "nllb": _nllb,
        "mbart": _mbart,
        "mbart50": _mbart,
        "t5": _t5,
    }
    model, tokenizer = makers[kind](folder, kind)
    enliven(model)
    if kind == "marian":
        # As in models of the Hub: the decoder starts with an embedding of zero.
        with torch.no_grad():
            model.model.shared.weight[model.config.pad_token_id] = 0
    model.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def unigram(first: tuple[str, ...]) -> list[tuple[str, float]]:
    """Return a unigram vocabulary: special pieces, then every character of the sentences and a few words."""
    letters = sorted({character for sentence in SENTENCES for character in sentence if character != " "})
    words = [f"▁{word}" for word in ("the", "cat", "der", "Hund", "die", "It", "was")]
    rest = [(piece, -2.0 - 0.01 * number) for number, piece in enumerate(("▁", *words, *letters))]
    return [*((piece, 0.0) for piece in first), *rest]


def _marian(folder: Path, kind: str) -> tuple[Any, Any]:
    from transformers import MarianConfig, MarianMTModel

    vocabulary = make_vocabulary(folder / "source.spm")
    vocabulary.save(folder, "en", "de")
    size = vocabulary.size
    special = {"pad_token_id": size - 1, "eos_token_id": 0, "decoder_start_token_id": size - 1, "bos_token_id": None}
    model = MarianMTModel(MarianConfig(vocab_size=size, max_position_embeddings=256, **SIZES, **HEADS, **special))
    model.final_logits_bias[0, size - 1] = NEVER
    return model, None


def _marian_two(folder: Path, kind: str) -> tuple[Any, Any]:
    """A model with a vocabulary for each language, of which the target's has more sub-words."""
    from transformers import MarianConfig, MarianMTModel

    settings = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "separate_vocabs": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    sizes: list[int] = []
    for name, written, lines in (
        ("source.spm", "vocab.json", SENTENCES[:2]),
        ("target.spm", "target_vocab.json", SENTENCES[2:4]),
    ):
        vocabulary = train_vocabulary(lines * 20, folder / name, 320)
        (folder / written).write_text(json.dumps({vocabulary.piece(one): one for one in range(vocabulary.size)}))
        sizes.append(vocabulary.size)
    source, target = sizes
    special = {"pad_token_id": source - 1, "eos_token_id": 0, "decoder_start_token_id": target - 1}
    own = {"decoder_vocab_size": target, "share_encoder_decoder_embeddings": False, "tie_word_embeddings": False}
    config = MarianConfig(vocab_size=source, max_position_embeddings=256, **SIZES, **HEADS, **special, **own)
    model = MarianMTModel(config)
    model.final_logits_bias[0, target - 1] = NEVER
    return model, None


def _m2m100(folder: Path, kind: str) -> tuple[Any, Any]:
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    vocabulary = make_vocabulary(folder / "m2m100.spm")
    (folder / "m2m100.spm").rename(folder / "sentencepiece.bpe.model")
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *(vocabulary.piece(index) for index in vocabulary.ordinary)]
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    tokenizer = M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"))
    config = M2M100Config(vocab_size=len(pieces) + 108, max_position_embeddings=256, **SIZES, **HEADS)
    config.decoder_start_token_id = 2
    return M2M100ForConditionalGeneration(config), tokenizer


def _nllb(folder: Path, kind: str) -> tuple[Any, Any]:
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    pieces = [piece for piece, _ in unigram(("<s>", "<pad>", "</s>", "<unk>"))]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys((*pieces, *"thecar")))}
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("c", "a")]
    for one in ("th", "the", "ca"):
        vocabulary.setdefault(one, len(vocabulary))
    tokenizer = NllbTokenizer(vocab=vocabulary, merges=merges, legacy_behaviour=False)
    config = M2M100Config(vocab_size=len(tokenizer), max_position_embeddings=256, **SIZES, **HEADS)
    config.decoder_start_token_id = 2
    return M2M100ForConditionalGeneration(config), tokenizer


def _mbart(folder: Path, kind: str) -> tuple[Any, Any]:
    from transformers import MBart50Tokenizer, MBartConfig, MBartForConditionalGeneration, MBartTokenizer

    chosen = MBartTokenizer if kind == "mbart" else MBart50Tokenizer
    tokenizer = chosen(vocab=unigram(("<s>", "<pad>", "</s>", "<unk>")), src_lang="en_XX", tgt_lang="de_DE")
    config = MBartConfig(vocab_size=len(tokenizer), max_position_embeddings=256, **SIZES, **HEADS)
    if kind == "mbart50":
        config.decoder_start_token_id = 2
    return MBartForConditionalGeneration(config), tokenizer


def _t5(folder: Path, kind: str) -> tuple[Any, Any]:
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    tokenizer = T5Tokenizer(vocab=unigram(("<pad>", "</s>", "<unk>", "<2de>")), extra_ids=2)
    tokenizer.add_tokens(["<2de>"])
    config = T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
    return T5ForConditionalGeneration(config), tokenizer


def make_language_model(folder: Path, kind: str, chat: bool = False) -> Path:
    """Write a decoder-only model, ``llama`` or ``gpt2``, with a byte-level tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder.mkdir(parents=True)
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(SENTENCES, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", eos_token="</s>")
    if chat:
        tokenizer.chat_template = (
            "{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}"
            "{% if add_generation_prompt %}<s>assistant: {% endif %}"
        )
    tokenizer.save_pretrained(folder)
    size = len(tokenizer)
    if kind == "llama":
        model = two_layers(size, 32, 48)
    else:
        model = GPT2LMHeadModel(
            GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=4, n_positions=512, bos_token_id=0, eos_token_id=1)
        )
    enliven(model)
    model.save_pretrained(folder)
    return folder
