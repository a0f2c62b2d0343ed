"""The embedded pipelines' token embedding: hashed word forms, prefixes, suffixes and shapes.

It differs from spaCy's ``MultiHashEmbed`` in two ways: affixes of several lengths, which tell an unseen word's class
and inflection, and each distinct word of a batch is embedded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy import strings
from spacy.lang.lex_attrs import word_shape
from spacy.util import registry
from thinc import api
from thinc.api import Model

if TYPE_CHECKING:
    from spacy.tokens import Doc

Keys = NDArray[np.uint64]

_thinc = cast("Any", api)  # thinc's layers are generic in ways that a strict type checker cannot follow
_uniqued = cast("Any", registry).get("layers", "uniqued.v1")
_hash = cast("Callable[[str], int]", cast("Any", strings).hash_string)

FAST_OPS = _thinc.NumpyOps(use_blis=False)
"""Numpy's own matrix product: three times as fast as the default where numpy's BLAS knows the processor."""


def use_fast_ops(model: Model[Any, Any]) -> None:
    """Let all layers of a model multiply through numpy."""
    for node in cast("Any", model).walk():
        node.ops = FAST_OPS


@registry.architectures("endophora.AffixEmbed.v1")
def affix_embed(
    width: int, form_rows: int, shape_rows: int, prefixes: dict[str, int], suffixes: dict[str, int]
) -> Model[list[Doc], list[Any]]:
    """Build the embedding layer.

    Args:
        shape_rows: rows of the table of shapes (``Xxxx``).
        prefixes: length of a prefix → rows of its table. Lengths are strings, since configuration files want them so.

    Returns:
        A layer from docs to one array a doc, of shape (tokens, width).
    """
    heads = [int(length) for length in prefixes]
    tails = [int(length) for length in suffixes]
    rows = [form_rows, shape_rows, *prefixes.values(), *suffixes.values()]
    tables = [_thinc.HashEmbed(width, count, column=i + 1, seed=i + 8, dropout=0.0) for i, count in enumerate(rows)]
    mix = _thinc.Maxout(width, width * len(tables), nP=3, dropout=0.0, normalize=True)
    each = _thinc.chain(_thinc.concatenate(*tables), mix)
    keys: Model[Any, Any] = Model("affixes", _Keys(heads, tails))
    once = _thinc.with_array(_uniqued(each, column=0))
    layer = _thinc.chain(keys, _thinc.list2ragged(), once, _thinc.ragged2list())
    layer.set_dim("nO", width)
    return cast("Model[list[Doc], list[Any]]", layer)


class _Keys:
    """The forward pass of the bottom layer; remembers the keys of the forms it has seen.

    They are kept as bytes: as lists of numbers they would take four times the memory. Most forms of a large text are
    rare, so that more of them would save little.
    """

    limit = 20_000

    def __init__(self, prefixes: list[int], suffixes: list[int]) -> None:
        self.prefixes, self.suffixes = prefixes, suffixes
        self.seen: dict[int, bytes] = {}

    def __call__(
        self, model: Model[list[Doc], list[Keys]], docs: list[Doc], is_train: bool
    ) -> tuple[list[Keys], Callable[[list[Any]], list[Doc]]]:
        """Return each doc's keys, of shape (tokens, columns)."""
        del model, is_train
        if len(self.seen) > self.limit:
            self.seen.clear()
        columns = 3 + len(self.prefixes) + len(self.suffixes)
        rows = [bytearray(b"".join([self._row(t.orth, t.text) for t in doc])) for doc in docs]
        return [np.frombuffer(row, np.uint64).reshape(-1, columns) for row in rows], lambda _: []

    def _row(self, key: int, form: str) -> bytes:
        row = self.seen.get(key)
        if row is None:
            keys = affix_keys(key, form, self.prefixes, self.suffixes)
            row = self.seen[key] = np.array(keys, np.uint64).tobytes()
        return row


def affix_keys(key: int, form: str, prefixes: list[int], suffixes: list[int]) -> list[int]:
    """Return a form's keys: its own, then the hashes of its lower case, shape, prefixes and suffixes."""
    low = form.lower()
    parts = [low, word_shape(form), *(form[:n] for n in prefixes), *(low[-n:] for n in suffixes)]
    return [key, *(_hash(part) if part else 0 for part in parts)]
