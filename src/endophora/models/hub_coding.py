"""Between text and the token ids of a model of the Hugging Face Hub, by its own tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from endophora.models.coding import given_pieces
from endophora.models.records import ContextSentence
from endophora.models.spans import covering, written_spans
from endophora.models.vocabulary import Pieces

_PROBE = "x"


class HubCoder:
    """A coder over a tokenizer of ``transformers``, fast or slow."""

    def __init__(self, tokenizer: Any, start: int) -> None:
        self._tokenizer = tokenizer
        self.start = start
        self.pad = start if tokenizer.pad_token_id is None else int(tokenizer.pad_token_id)
        self._tables = (source_table(tokenizer), target_table(tokenizer))
        self._written = tuple({index: token for token, index in table.items()} for table in self._tables)
        self.ordinary, self.target_ordinary = (self._ordinary(table) for table in self._tables)

    def source(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the source language, without special tokens; ids stay as they are."""
        return self._cut(sentence, self._plain, 0)

    def target(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the target language, without special tokens; ids stay as they are."""
        return self._cut(sentence, self._as_target, 1)

    def piece(self, index: int) -> str:
        """Return how a token of the target language is written."""
        return self._piece(index, 1)

    def index(self, piece: str) -> int:
        """Return the token of the target language that is written so."""
        return self._tables[1][piece]

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens of the target language, special ones left out."""
        settings: dict[str, Any] = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
        if getattr(self._tokenizer, "separate_vocabs", False):
            settings["use_source_tokenizer"] = False
        return str(self._tokenizer.decode(list(ids), **settings))

    def separator(self, text: str) -> tuple[int, ...]:
        """Return the token that is written so, or the tokens of a text; nothing for an empty one."""
        if text in self._tables[1]:
            return (self._tables[1][text],)
        return self.target(text).ids if text else ()

    def source_separator(self, text: str) -> tuple[int, ...]:
        """Return the same of the source language."""
        if text in self._tables[0]:
            return (self._tables[0][text],)
        return self.source(text).ids if text else ()

    def source_frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the special tokens before and after a source."""
        return self._frame(self._tokenizer(_PROBE)["input_ids"], self._plain(_PROBE))

    def target_frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the special tokens before and after a target."""
        return self._frame(self._tokenizer(text_target=_PROBE)["input_ids"], self._as_target(_PROBE))

    def _ordinary(self, table: dict[str, int]) -> Sequence[int]:
        tokenizer = self._tokenizer
        special = {table.get(token) for token in tokenizer.all_special_tokens}
        return sorted({*table.values()} - special - {*getattr(tokenizer, "id_to_lang_token", ())})

    def _piece(self, index: int, side: int) -> str:
        return self._written[side].get(index, f"<{index}>")

    def _frame(self, whole: list[int], encoded: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        inner = list(encoded["input_ids"])
        for place in range(len(whole) - len(inner) + 1):
            if whole[place : place + len(inner)] == inner:
                return tuple(whole[:place]), tuple(whole[place + len(inner) :])
        return (), (int(self._tokenizer.eos_token_id),)

    def _plain(self, text: str) -> Any:
        return self._tokenizer(
            text, add_special_tokens=False, return_attention_mask=False, return_offsets_mapping=self._fast
        )

    def _as_target(self, text: str) -> Any:
        return self._tokenizer(
            text_target=text, add_special_tokens=False, return_attention_mask=False, return_offsets_mapping=self._fast
        )

    @property
    def _fast(self) -> bool:
        return bool(self._tokenizer.is_fast)

    def _cut(self, sentence: ContextSentence, encode: Callable[[str], Any], side: int) -> Pieces:
        if not isinstance(sentence, str):
            return given_pieces(sentence, [self._piece(index, side) for index in sentence])
        encoded = encode(sentence)
        ids = tuple(int(index) for index in encoded["input_ids"])
        if self._fast:
            written = tuple(cast("list[str]", self._tokenizer.convert_ids_to_tokens(list(ids))))
            return Pieces(ids, written, covering(encoded["offset_mapping"], sentence))
        written = self._written_pieces(sentence, ids, side)
        return Pieces(ids, written, written_spans(written, sentence))

    def _written_pieces(self, text: str, ids: tuple[int, ...], side: int) -> tuple[str, ...]:
        """Return the pieces of a text as they stand in it, unknown ones too, where a slow tokenizer tells them."""
        tokenizer = self._tokenizer
        as_target = side and hasattr(tokenizer, "_switch_to_target_mode")
        if as_target:
            tokenizer._switch_to_target_mode()
        pieces = tuple(cast("list[str]", tokenizer.tokenize(text)))
        if as_target:
            tokenizer._switch_to_input_mode()
        return pieces if len(pieces) == len(ids) else tuple(self._piece(index, side) for index in ids)


def target_table(tokenizer: Any) -> dict[str, int]:
    """Return written token → id of the target language."""
    # Marian's ``get_tgt_vocab`` fails in transformers 5: it has numbers for keywords.
    return dict(tokenizer.target_encoder) if getattr(tokenizer, "separate_vocabs", False) else source_table(tokenizer)


def source_table(tokenizer: Any) -> dict[str, int]:
    """Return written token → id of the source language."""
    # M2M100's tokenizer leaves its languages out of its vocabulary.
    return {**tokenizer.get_vocab(), **getattr(tokenizer, "lang_token_to_id", {})}
