"""The sub-words of models that are trained here: one SentencePiece model for source and target, with a separator."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endophora.models.spans import covering

SEPARATOR = "<brk>"
"""The piece between the sentences of a concatenated context."""

_FILES = ("source.spm", "target.spm")


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text cut into sub-words.

    Attributes:
        ids: (T,) their ids.
        pieces: (T,) as they are written in the vocabulary.
        spans: (T,) beginning and end in the text, in characters, without the blank before a word.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class Vocabulary:
    """A SentencePiece model in the layout of Marian models: end of sentence 0, unknown 1, separator 2, padding last.

    Args:
        path: the SentencePiece model; its ids are the model's, and the padding token, which only ``transformers``
            needs, comes after them.
    """

    eos = 0
    unknown = 1
    separator = 2
    separator_piece = SEPARATOR

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._processor: Any = SentencePieceProcessor(model_file=str(path))
        self.path = path
        self.pad: int = self._processor.get_piece_size()
        self.size: int = self.pad + 1
        self.ordinary = range(3, self.pad)

    def ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text's sub-words, without special ones."""
        return tuple(self._processor.encode(text))

    def ids_of(self, token: str) -> tuple[int, ...]:
        """Return the id of a token that is written so, or the ids of a text."""
        index: int = self._processor.piece_to_id(token)
        return (index,) if token and index != self.unknown else self.ids(token)

    def cut(self, text: str) -> Pieces:
        """Cut a text into sub-words that know where they stand in it."""
        found = self._processor.encode(text, return_type="offset_mapping")
        return Pieces(tuple(found["ids"]), tuple(found["pieces"]), covering(found["offsets"], text))

    def text(self, ids: Iterable[int]) -> str:
        """Return the text of ids, special ones left out."""
        return self._processor.decode([i for i in ids if i >= self.separator and i < self.pad])

    def piece(self, index: int) -> str:
        """Return how a token is written."""
        return "<pad>" if index == self.pad else self._processor.id_to_piece(index)

    def index(self, piece: str) -> int:
        """Return the token that is written so."""
        return self._processor.piece_to_id(piece)

    def save(self, folder: Path, source_language: str, target_language: str) -> None:
        """Write the files that make ``transformers`` read this vocabulary as a Marian tokenizer."""
        for name in _FILES:
            if not (folder / name).exists() or not (folder / name).samefile(self.path):
                shutil.copyfile(self.path, folder / name)
        table = {self.piece(i): i for i in range(self.size)}
        settings = {
            "tokenizer_class": "MarianTokenizer",
            "source_lang": source_language,
            "target_lang": target_language,
            "separate_vocabs": False,
            "unk_token": "<unk>",
            "eos_token": "</s>",
            "pad_token": "<pad>",
        }
        (folder / "vocab.json").write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", "utf-8")
        (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")


def train_vocabulary(texts: Iterable[str], path: Path, size: int, *, coverage: float = 0.9999) -> Vocabulary:
    """Train a vocabulary on source and target text together.

    Args:
        size: sub-words, special ones included; made smaller where the text has not so many.
        coverage: share of the characters that are kept; the others are written as bytes.
    """
    from sentencepiece import SentencePieceTrainer

    def lines() -> Iterator[str]:
        """Leave out what SentencePiece cannot take: empty text."""
        return (text for text in texts if text.strip())

    # Written to memory, the model holds no path: the same text gives the same bytes everywhere.
    made = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=lines(),
        model_writer=made,
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=coverage,
        byte_fallback=True,
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        pad_id=-1,
        user_defined_symbols=[SEPARATOR],
        normalization_rule_name="identity",
        input_sentence_size=2_000_000,
        shuffle_input_sentence=False,
        num_threads=1,
        minloglevel=2,
    )
    path.write_bytes(made.getvalue())
    return Vocabulary(path)
