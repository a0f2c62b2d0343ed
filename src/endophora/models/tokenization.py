"""Between text and token ids: vocabularies of models trained here, tokenizers of the Hub, spans in the text."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, TypeAlias, cast

from endophora.models.records import ContextSentence

SEPARATOR = "<brk>"
"""The piece between the sentences of a concatenated context."""

_FILES = ("source.spm", "target.spm")


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text cut into sub-words: their ids, how the vocabulary writes them, and where they are in the text.

    Spans are beginning and end in characters, without the blank before a word.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


def _nowhere(ids: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the spans of what was given as ids: it stands nowhere in a text."""
    return ((0, 0),) * len(ids)


class Vocabulary:
    """A SentencePiece model in the layout of Marian models: end of sentence 0, unknown 1, separator 2, padding last.

    It is the coder of models that are trained here: one vocabulary for both languages. The padding token,
    which only ``transformers`` needs, comes after the ids of the SentencePiece model.
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
        self.start = self.pad
        self.ordinary: Sequence[int] = range(3, self.pad)
        self.target_ordinary: Sequence[int] = self.ordinary

    def ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text's sub-words, without special ones."""
        return tuple(self._processor.encode(text))

    def ids_of(self, token: str) -> tuple[int, ...]:
        """Return the id of a token that is written so, or the ids of a text."""
        index: int = self._processor.piece_to_id(token)
        return (index,) if token and index != self.unknown else self.ids(token)

    def source(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence into sub-words with their places in it; ids stay unchanged."""
        if not isinstance(sentence, str):
            return Pieces(tuple(sentence), tuple(map(self.piece, sentence)), _nowhere(sentence))
        found = self._processor.encode(sentence, return_type="offset_mapping")
        return Pieces(tuple(found["ids"]), tuple(found["pieces"]), covering(found["offsets"], sentence))

    target = source

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


def train_vocabulary(texts: Iterable[str], path: Path, size: int) -> Vocabulary:
    """Train a vocabulary on source and target text together, of ``size`` sub-words or what the text has."""
    from sentencepiece import SentencePieceTrainer

    # Written to memory, the model holds no path: the same text gives the same bytes everywhere.
    made = io.BytesIO()
    SentencePieceTrainer.train(
        # SentencePiece cannot take empty text.
        sentence_iterator=(text for text in texts if text.strip()),
        model_writer=made,
        vocab_size=size,
        hard_vocab_limit=False,
        # Rarer characters are written as bytes.
        character_coverage=0.9999,
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


Span = tuple[int, int]
"""Beginning and end in a text, in characters."""

BLANK = "▁"
"""How SentencePiece writes a blank."""


def covering(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Return spans that begin where they did or before, in order, and cover every character that is no blank.

    Characters that a tokenizer has dropped go to the piece before them, or to the first one. Pieces that share a
    character (bytes of one) keep it all, and blanks at the edges are cut off.
    """
    made: list[Span] = []
    # What was covered by the pieces so far, and the piece that the next dropped characters go to.
    covered = 0
    for number, (begin, end) in enumerate(spans):
        begin, end = min(begin, len(text)), min(max(begin, end), len(text))
        if begin > covered and text[covered:begin].strip():
            if number and made[-1][1] > made[-1][0]:
                made[-1] = _trimmed(made[-1][0], begin, text)
            else:
                begin = covered
        made.append(_trimmed(begin, end, text))
        covered = max(covered, end)
    if made and text[covered:].strip():
        last = next((place for place in range(len(made) - 1, -1, -1) if made[place][1] > made[place][0]), len(made) - 1)
        begin = made[last][0] if made[last][1] > made[last][0] else covered
        made[last] = _trimmed(begin, len(text), text)
    return tuple(made)


def _trimmed(begin: int, end: int, text: str) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    return begin, end


def written_spans(pieces: Sequence[str], text: str) -> tuple[Span, ...]:
    """Return the spans of pieces of which only the writing is known.

    Where the text was changed before it was cut (Unicode normalisation, lower case), the longest runs that are the same
    tell what belongs together. A blank is written as :data:`BLANK` or not at all.
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    solid = "".join(text[place] for place in places)
    surfaces = [piece.replace(BLANK, "").replace(" ", "") for piece in pieces]
    joined = "".join(surfaces)
    found = _matched(joined, solid)
    spans: list[Span] = []
    taken = 0
    for surface in surfaces:
        first, last = found[taken], found[taken + len(surface)]
        taken += len(surface)
        at = places[first] if first < len(places) else len(text)
        spans.append((at, places[last - 1] + 1) if last > first else (at, at))
    return covering(spans, text)


def _matched(joined: str, solid: str) -> list[int]:
    """Return for each place between characters of one text the place in the other that it corresponds to."""
    if joined == solid:
        return list(range(len(solid) + 1))
    found = [0] * (len(joined) + 1)
    blocks = SequenceMatcher(None, joined, solid, autojunk=False).get_matching_blocks()
    last, other = 0, 0
    for block in blocks:
        wide, deep = block.a - last, block.b - other
        for step in range(wide):
            # What does not match is shared out evenly.
            found[last + step] = other + deep * step // wide
        for step in range(block.size):
            found[block.a + step] = block.b + step
        last, other = block.a + block.size, block.b + block.size
    found[-1] = len(solid)
    return found


_PROBE = "x"
_SIDES = ("text", "text_target")


class HubCoder:
    """A coder over a tokenizer of ``transformers``, fast or slow."""

    def __init__(self, tokenizer: Any, start: int) -> None:
        self._tokenizer, self._fast = tokenizer, bool(tokenizer.is_fast)
        self.start = start
        self.pad = start if tokenizer.pad_token_id is None else int(tokenizer.pad_token_id)
        # M2M100's tokenizer leaves its languages out of its vocabulary; Marian's ``get_tgt_vocab`` fails in
        # transformers 5, since it has numbers for keywords.
        source = {**tokenizer.get_vocab(), **getattr(tokenizer, "lang_token_to_id", {})}
        apart = getattr(tokenizer, "separate_vocabs", False)
        self._tables: tuple[dict[str, int], ...] = (source, dict(tokenizer.target_encoder) if apart else source)
        self._written = tuple({index: token for token, index in table.items()} for table in self._tables)
        self.ordinary, self.target_ordinary = (self._ordinary(table) for table in self._tables)

    def source(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the source language."""
        return self._cut(sentence, 0)

    def target(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the target language."""
        return self._cut(sentence, 1)

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

    def within(self, before: str, after: str, target: str) -> tuple[Pieces, Pieces, tuple[int, ...]]:
        """Cut a target with the text around it; return the sub-words before it, its own, and the ids after it.

        The blank before the target is a part of it, since it is one of its first token in most vocabularies; a token
        that reaches into the target or out of it is the target's. Slow tokenizers do not say where their tokens stand:
        with them each of the three is cut by itself.
        """
        if not self._fast:
            return self._cut(before, 0), self._cut(target, 0), self._cut(after, 0).ids
        encoded = self._encoded(before + target + after, 0)
        ids, spans = tuple(map(int, encoded["input_ids"])), cast("list[Span]", encoded["offset_mapping"])
        first, last = len(before), len(before) + len(target)
        begin = next((place for place, span in enumerate(spans) if span[1] > len(before.rstrip(" "))), len(ids))
        end = next((place for place in range(begin, len(ids)) if spans[place][0] >= last), len(ids))
        written = tuple(cast("list[str]", self._tokenizer.convert_ids_to_tokens(list(ids[:end]))))
        inner = [(max(0, one - first), max(0, other - first)) for one, other in spans[begin:end]]
        ahead = Pieces(ids[:begin], written[:begin], covering(spans[:begin], before))
        return ahead, Pieces(ids[begin:end], written[begin:], covering(inner, target)), ids[end:]

    def separators(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return for each language the token that is written so, or the tokens of a text; nothing for an empty one."""
        source, target = (
            (table[text],) if text in table else (self._cut(text, side).ids if text else ())
            for side, table in enumerate(self._tables)
        )
        return source, target

    def frame(self, side: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the special tokens before and after a source (0) or a target (1)."""
        whole: list[int] = self._tokenizer(**{_SIDES[side]: _PROBE})["input_ids"]
        inner = list(self._encoded(_PROBE, side)["input_ids"])
        for place in range(len(whole) - len(inner) + 1):
            if whole[place : place + len(inner)] == inner:
                return tuple(whole[:place]), tuple(whole[place + len(inner) :])
        return (), (int(self._tokenizer.eos_token_id),)

    def _ordinary(self, table: dict[str, int]) -> Sequence[int]:
        tokenizer = self._tokenizer
        special = {table.get(token) for token in tokenizer.all_special_tokens}
        return sorted({*table.values()} - special - {*getattr(tokenizer, "id_to_lang_token", ())})

    def _piece(self, index: int, side: int) -> str:
        return self._written[side].get(index, f"<{index}>")

    def _encoded(self, text: str, side: int) -> Any:
        """Return a text as the tokenizer cuts it, without special tokens."""
        settings = {"add_special_tokens": False, "return_attention_mask": False, "return_offsets_mapping": self._fast}
        return self._tokenizer(**{_SIDES[side]: text}, **settings)

    def _cut(self, sentence: ContextSentence, side: int) -> Pieces:
        if not isinstance(sentence, str):
            return Pieces(tuple(sentence), tuple(self._piece(index, side) for index in sentence), _nowhere(sentence))
        encoded = self._encoded(sentence, side)
        ids = tuple(int(index) for index in encoded["input_ids"])
        if self._fast:
            written = tuple(cast("list[str]", self._tokenizer.convert_ids_to_tokens(list(ids))))
            return Pieces(ids, written, covering(encoded["offset_mapping"], sentence))
        written = self._written_pieces(sentence, ids, side)
        return Pieces(ids, written, written_spans(written, sentence))

    def _written_pieces(self, text: str, ids: tuple[int, ...], side: int) -> tuple[str, ...]:
        """Return the pieces of a text as written in it, unknown ones too, where a slow tokenizer gives them."""
        tokenizer = self._tokenizer
        as_target = side and hasattr(tokenizer, "_switch_to_target_mode")
        if as_target:
            tokenizer._switch_to_target_mode()
        pieces = tuple(cast("list[str]", tokenizer.tokenize(text)))
        if as_target:
            tokenizer._switch_to_input_mode()
        return pieces if len(pieces) == len(ids) else tuple(self._piece(index, side) for index in ids)


Coder: TypeAlias = Vocabulary | HubCoder
"""Cuts the sentences of either language into a model's sub-words, and joins them again.

Random text is drawn from the ``ordinary`` tokens of a language: all but the special ones.
"""
