"""Make small COMET models with random weights, and score texts with them in other ways than the worker does.

Run by the python of COMET's environment: ``python tiny_comet.py FOLDER`` writes the models and ``expected.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import sentencepiece
import torch
import yaml
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric
from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast

SOURCES = [
    "The bridge still holds.",
    "It is old.",
    "Who built it?",
    "A train passes at half past seven.",
    "It is late.",
]
REFERENCE = [
    "Die Brücke trägt noch.",
    "Sie ist alt.",
    "Wer hat sie gebaut?",
    "Um halb acht fährt ein Zug.",
    "Er ist spät.",
]
SECOND = [
    "Noch hält die Brücke.",
    "Alt ist sie.",
    "Wer baute sie?",
    "Ein Zug fährt um halb acht.",
    "Der ist verspätet.",
]
OUTPUT = ["Die Brücke hält noch.", "Er ist alt.", "Wer baute es?", "Ein Zug kommt um halb acht vorbei.", "Es ist spät."]
BEFORE = [[], [0], [0, 1], [], [3]]  # of two documents, the first of three segments
SMALL = {"hidden_sizes": [16, 8], "encoder_model": "XLM-RoBERTa", "load_pretrained_weights": False, "dropout": 0.1}


def make_encoder(folder: Path, positions: int = 66) -> None:
    """Write a tokenizer trained on the texts, and the configuration of a two-layer encoder."""
    folder.mkdir(parents=True)
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join([*SOURCES, *REFERENCE, *SECOND, *OUTPUT] * 5), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "sentencepiece.bpe"), vocab_size=120, hard_vocab_limit=False
    )
    tokenizer = XLMRobertaTokenizerFast(str(folder / "sentencepiece.bpe.model"))
    tokenizer.save_pretrained(folder)
    XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=positions,
        type_vocab_size=1,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    ).save_pretrained(folder)


def make_model(kind: type, name: str, folder: Path, encoder: Path, **settings: object):
    """Write a model as COMET does, and return it."""
    torch.manual_seed(sum(map(ord, name)))
    model = kind(pretrained_model=str(encoder), **{**SMALL, **settings}).eval()
    for parameter in model.parameters():
        # Larger than the usual start, so that scores differ well above rounding.
        torch.nn.init.normal_(parameter, std=0.3)
    (folder / name / "checkpoints").mkdir(parents=True)
    state = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": "2.0.0",
    }
    torch.save(state, folder / name / "checkpoints" / "model.ckpt")
    (folder / name / "hparams.yaml").write_text(yaml.safe_dump(dict(model.hparams)), encoding="utf-8")
    return model


def library_scores(model, reference: list[str] | None = None) -> list[float]:
    """Return the scores that COMET's own ``predict`` gives."""
    samples = [{"src": source, "mt": output} for source, output in zip(SOURCES, OUTPUT, strict=True)]
    if reference is not None:
        samples = [{**sample, "ref": text} for sample, text in zip(samples, reference, strict=True)]
    return model.predict(samples, batch_size=2, gpus=0, progress_bar=False, num_workers=0)["scores"]


def pooled(model, before: list[str], text: str) -> torch.Tensor:
    """Return a sentence's embedding by hand: tokens of each sentence by itself, layers mixed, then the mean."""
    tokenizer = model.encoder.tokenizer
    ids = [tokenizer.bos_token_id]
    for sentence in before:
        ids += [*tokenizer(sentence, add_special_tokens=False)["input_ids"], tokenizer.sep_token_id]
    start = len(ids)
    ids += [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    with torch.inference_mode():
        layers = model.encoder(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long))["all_layers"]
    layers = np.stack([layer[0].numpy() for layer in layers])
    if model.layerwise_attention is None:
        mixed = layers[model.hparams.layer]
    else:
        weights = np.exp([float(weight) for weight in model.layerwise_attention.scalar_parameters])
        mixed = float(model.layerwise_attention.gamma) * np.tensordot(weights / weights.sum(), layers, axes=1)
    # The paper's code keeps the first token, which begins the whole sequence, and leaves out the context after it.
    return torch.tensor(mixed[[0, *range(start, len(ids))]].mean(axis=0), dtype=torch.float32)[None]


def scores_by_hand(model, reference: list[str] | None) -> list[float]:
    """Return the scores with two sentences of context."""
    scores = []
    for k, rows in enumerate(BEFORE):
        context = OUTPUT if reference is None else reference
        source = pooled(model, [SOURCES[i] for i in rows], SOURCES[k])
        output = pooled(model, [context[i] for i in rows], OUTPUT[k])
        with torch.inference_mode():
            if reference is None:
                features = torch.cat((output, source, output * source, (output - source).abs()), dim=1)
                scores.append(float(model.estimator(features)))
            else:
                wanted = pooled(model, [reference[i] for i in rows], reference[k])
                scores.append(float(model.estimate(source, output, wanted).score))
    return scores


def main(folder: Path) -> None:
    """Write everything."""
    encoder = folder / "encoder"
    make_encoder(encoder)
    plain = {"layer_norm": False}
    with_reference = make_model(RegressionMetric, "reference", folder, encoder, **plain)
    without = make_model(ReferencelessRegression, "source", folder, encoder, layer=1, **plain)
    make_model(RegressionMetric, "largest", folder, encoder, pool="max", **plain)
    unified = make_model(UnifiedMetric, "unified", folder, encoder, input_segments=["mt", "src", "ref"], **plain)
    scores = {
        "reference": library_scores(with_reference, REFERENCE),
        "second": library_scores(with_reference, SECOND),
        "source": library_scores(without),
        "unified": library_scores(unified, REFERENCE),
        "reference in context": scores_by_hand(with_reference, REFERENCE),
        "source in context": scores_by_hand(without, None),
    }
    texts = {"source": SOURCES, "reference": REFERENCE, "second": SECOND, "output": OUTPUT}
    expected = {"texts": texts, "scores": scores}
    (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
