"""Figures of a trained model on text that it has not learned from: BLEU and chrF, with and without context.

Documents are translated as they would be: each segment with the source segments before it, and with the model's own
translations of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from endophora.corpus import Document
from endophora.corpus.streams import REFERENCE
from endophora.models.documents import translate_documents
from endophora.models.opening import open_translator
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding
from endophora.training.translation.card import TestScore

DECODING = Decoding(beam=1)
"""The figures of a card are of a greedy search: they say what was learned, and take little time."""


def held_out_scores(
    folder: Path, documents: Iterable[Document], language: str, sizes: Sequence[int], device: str
) -> tuple[TestScore, ...]:
    """Return BLEU and chrF of a trained model.

    Raises: InputError: the model cannot be read.
    """
    held = list(documents)
    model = open_translator(str(folder), ModelOptions(device=device))
    sources = [[segment.source for segment in document.segments] for document in held]
    references = [[segment.references[REFERENCE] for document in held for segment in document.segments]]
    scores: list[TestScore] = []
    for size in sizes:
        translated = translate_documents(model, sources, size, decoding=DECODING)
        outputs = [translation.text for document in translated for translation in document]
        for metric in (BLEU(trg_lang=language), CHRF()):
            score = metric.corpus_score(outputs, references)
            signature = str(metric.get_signature())
            scores.append(TestScore(metric=score.name, context=size, value=score.score, signature=signature))
    return tuple(scores)
