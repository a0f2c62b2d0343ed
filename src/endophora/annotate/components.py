"""The components of our own pipelines: embedding, morphologizer whose labels agree, genders of nouns, lemmatizer.

The embedding differs from spaCy's ``MultiHashEmbed`` in two ways: affixes of several lengths, which tell an unseen
word's class and inflection, and each distinct word of a batch is embedded once.

spaCy's lemmatizer learns *Tu* → *toi* and *tu* → *toi* apart. Here a form is put into lower case first, unless its
lemma begins with a capital: at training the lemma shows this, afterwards the part of speech or a feature does.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy import strings
from spacy.lang.lex_attrs import word_shape
from spacy.language import Language
from spacy.pipeline import EditTreeLemmatizer
from spacy.util import registry
from thinc import api
from thinc.api import Model, SequenceCategoricalCrossentropy

from endophora.annotate.agreement import Agreement, Decoder, Words
from endophora.annotate.forms import FIRST, FormClasses, LabelLexicon
from endophora.annotate.words import unvowelled

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token
    from spacy.training import Example
    from spacy.vocab import Vocab

    class _Morphologizer:
        """What is used of spaCy's, which is compiled and has no types."""

        vocab: Vocab
        model: Any
        cfg: dict[str, Any]
        labels: tuple[str, ...]

        def __init__(self, vocab: Vocab, model: object, name: str, **how: object) -> None: ...

        def predict(self, docs: Iterable[Doc]) -> list[Any]:
            """Return the labels' numbers of each doc."""
            ...

        def to_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> None:
            """Write network and labels."""
            ...

        def from_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> object:
            """Read network and labels."""
            ...

else:
    from spacy.pipeline.morphologizer import Morphologizer as _Morphologizer


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
    """Build the embedding layer, from docs to arrays of shape (tokens, width).

    ``prefixes`` and ``suffixes`` are length → rows of the table; configuration files want lengths to be strings.
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
    """The forward pass of the bottom layer; remembers the keys of the forms it has seen, as bytes to save memory."""

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
        rows = [bytearray(b"".join(self._rows(doc))) for doc in docs]
        return [np.frombuffer(row, np.uint64).reshape(-1, columns) for row in rows], lambda _: []

    def _rows(self, doc: Doc) -> list[bytes]:
        forms: list[int] = cast("Any", doc).to_array("ORTH").tolist()
        string = cast("Any", doc.vocab.strings)
        for key in set(forms).difference(self.seen):
            keys = affix_keys(key, string[key], self.prefixes, self.suffixes)
            self.seen[key] = np.array(keys, np.uint64).tobytes()
        return [self.seen[key] for key in forms]


def affix_keys(key: int, form: str, prefixes: list[int], suffixes: list[int]) -> list[int]:
    """Return a form's keys: its own, then the hashes of its lower case, shape, prefixes and suffixes.

    Vowel signs are no part of a form: most texts, and those that were learned from, have none.
    """
    if not form.isascii() and (bare := unvowelled(form)) and bare != form:
        key, form = _hash(bare), bare
    low = form.lower()
    parts = [low, word_shape(form), *(form[:n] for n in prefixes), *(low[-n:] for n in suffixes)]
    return [key, *(_hash(part) if part else 0 for part in parts)]


_GENDERS_FILE = "genders.txt.xz"
WHOLE = "^"
"""Stands before an entry that is a whole word and no ending of longer ones."""
_MOST_KNOWN = 20_000
OPEN = "?"
"""Gender of entries that may have several."""


class NounGenders:
    """Comes after the morphologizer; nouns that the table does not decide stay unchanged.

    ``table`` is ending in lower case → Gender; the longest ending of a form counts.
    """

    def __init__(self, nlp: Language | None = None, name: str = "") -> None:
        del nlp, name  # what spaCy gives every component
        self.table: Mapping[str, str] = {}
        self._known: dict[str, str | None] = {}
        self._changed: dict[tuple[int, ...], dict[str, str] | None] = {}

    def find(self, form: str) -> str | None:
        """Return the gender of a form in lower case, if the table decides it."""
        entries = (form[start:] for start in range(len(form)))
        keys = (WHOLE + form, *entries)
        found = next((self.table[key] for key in keys if key in self.table), OPEN)
        return None if found == OPEN else found

    def known(self, form: str) -> str | None:
        """Return what :meth:`find` does, looked up once for each form; the table must be finished."""
        if form not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[form] = self.find(form)
        return self._known[form]

    def __call__(self, doc: Doc) -> Doc:
        """Correct a doc."""
        if len(self._changed) > _MOST_KNOWN:
            self._changed.clear()
        rows = cast("Keys", cast("Any", doc).to_array(["POS", "LOWER", "MORPH"]))
        for index in np.flatnonzero(rows[:, 0] == cast("Any", doc.vocab.strings)["NOUN"]).tolist():
            key = cast("tuple[int, ...]", tuple(rows[index].tolist()))
            if key not in self._changed:
                self._changed[key] = self._features(doc[index])
            if (features := self._changed[key]) is not None:
                cast("Any", doc[index]).set_morph(features)
        return doc

    def _features(self, noun: Token) -> dict[str, str] | None:
        """Return the features of a noun whose gender the table gives, and the network does not."""
        features = noun.morph.to_dict()
        gender = self.known(noun.lower_) if "Gender" in features else None
        return {**features, "Gender": gender} if gender and gender != features["Gender"] else None

    def to_disk(self, path: Path, exclude: object = ()) -> None:
        """Write the table."""
        del exclude
        path.mkdir(parents=True, exist_ok=True)
        text = "\n".join(f"{ending}\t{gender}" for ending, gender in sorted(self.table.items()))
        (path / _GENDERS_FILE).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))

    def from_disk(self, path: Path, exclude: object = ()) -> NounGenders:
        """Read the table."""
        del exclude
        lines = lzma.decompress((Path(path) / _GENDERS_FILE).read_bytes()).decode().splitlines()
        self._known.clear()
        self._changed.clear()
        self.table = dict(cast("tuple[str, str]", tuple(line.split("\t"))) for line in lines)
        return self


cast("Any", Language).factory("endophora_genders", assigns=["token.morph"], func=NounGenders)


def folded(form: str, lemma: str) -> str:
    """Return a form as its edit tree sees it: in lower case unless the lemma begins with a capital."""
    return form if lemma[:1].isupper() else form.lower()


_TREES = "trees.xz"


class CaseLemmatizer(EditTreeLemmatizer):
    """Predicts edit trees over case-folded forms; comes after the morphologizer.

    Lemmas of words with a part of speech or feature (``"Polite=Form"``) in ``capitalised`` begin with a capital.
    """

    def __init__(
        self, nlp: Language, model: Model[Any, Any], name: str, capitalised: list[str], min_tree_freq: int, top_k: int
    ) -> None:
        cast("Any", super()).__init__(nlp.vocab, model, name, min_tree_freq=min_tree_freq, top_k=top_k, scorer=None)
        self._capitalised = frozenset(capitalised)
        self._edits = cast("Any", self).trees
        self._folded: dict[tuple[int, ...], str] = {}
        self._applied: dict[tuple[int, str], str | None] = {}

    def to_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> None:
        """Write the component into a directory, its trees packed by xz: they take a fifth less room in a wheel."""
        cast("Any", super()).to_disk(path, exclude=(*exclude, "trees"))
        (Path(path) / _TREES).write_bytes(lzma.compress(self._edits.to_bytes(), preset=9 | lzma.PRESET_EXTREME))

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> CaseLemmatizer:
        """Read the component; its trees are packed, or as spaCy writes them."""
        packed = Path(path) / _TREES
        cast("Any", super()).from_disk(path, exclude=(*exclude, "trees") if packed.is_file() else exclude)
        if packed.is_file():
            self._edits.from_bytes(lzma.decompress(packed.read_bytes()))
        self._applied.clear()
        return self

    def _forms(self, doc: Doc) -> list[str]:
        """Return the form of each token as its tree sees it."""
        known = self._folded
        if len(known) > _MOST_KNOWN:
            known.clear()
        rows = cast("list[list[int]]", cast("Any", doc).to_array(["ORTH", "POS", "MORPH"]).tolist())
        keys: list[tuple[int, ...]] = [tuple(row) for row in rows]
        for index, key in enumerate(keys):
            if key not in known:
                known[key] = self._form(doc[index])
        return [known[key] for key in keys]

    def _apply(self, tree: int, form: str) -> str | None:
        """Return the lemma of a form by a tree; nothing where the tree does not fit."""
        found = self._applied.get((tree, form), "")
        if found == "":  # no lemma is empty
            if len(self._applied) > _MOST_KNOWN:
                self._applied.clear()
            found = self._applied[tree, form] = self._edits.apply(tree, form)
        return found

    def _form(self, token: Token) -> str:
        known = self._capitalised
        keep = token.pos_ in known or not known.isdisjoint(str(token.morph).split("|"))
        form = unvowelled(token.text)
        return form if keep else form.lower()

    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """Return the tree of each token of each doc."""
        texts = list(docs)
        model = cast("Any", self).model
        scores: Any = model.predict(texts) if any(map(len, texts)) else [np.zeros((0, 1))] * len(texts)
        return [
            np.array(list(map(self._tree, rows, rows.argmax(axis=1).tolist(), self._forms(doc))), np.int64)
            for doc, rows in zip(texts, scores, strict=True)
        ]

    def _tree(self, scores: Any, best: int, form: str) -> int:
        """Return the most likely tree that fits a form, of the first few; -1 if none does."""
        labels = cast("list[int]", self.cfg["labels"])
        if self._apply(labels[best], form) is not None:
            return labels[best]
        likely = cast("list[int]", np.argsort(-scores, kind="stable")[: self.top_k].tolist())
        return next((labels[at] for at in likely if self._apply(labels[at], form) is not None), -1)

    def set_annotations(self, docs: Iterable[Doc], batch_tree_ids: Sequence[Any]) -> None:
        """Set each token's lemma: its tree applied to its form, or the form where no tree fits."""
        add = cast("Any", self).vocab.strings.add
        for doc, trees in zip(docs, batch_tree_ids, strict=True):
            if len(doc):
                pairs = zip(trees.tolist(), self._forms(doc), strict=True)
                lemmas = [form if tree == -1 else self._apply(tree, form) for tree, form in pairs]
                cast("Any", doc).from_array(["LEMMA"], np.array([[add(lemma)] for lemma in lemmas], np.uint64))

    def get_loss(self, examples: Iterable[Example], scores: list[Any]) -> tuple[float, list[Any]]:
        """Return loss and gradient; tokens without lemma count nothing."""
        truths: list[list[int]] = []
        for example in examples:
            lemmas = cast("list[str | None]", cast("Any", example).get_aligned("LEMMA", as_string=True))
            truths.append([self._label(t.text, lemma) for t, lemma in zip(example.predicted, lemmas, strict=True)])
        loss_func = SequenceCategoricalCrossentropy(normalize=False, missing_value=-1)
        gradient, loss = loss_func(scores, cast("Any", truths))
        return float(loss), cast("list[Any]", gradient)

    def _label(self, form: str, lemma: str | None) -> int:
        if not lemma:
            return -1
        return self.tree2label.get(self._edits.add(folded(form, lemma), lemma), 0)

    def _labels_from_data(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        def examples() -> Iterable[Any]:
            for example in get_examples():
                tokens = [
                    SimpleNamespace(lemma=t.lemma, lemma_=t.lemma_, text=folded(t.text, t.lemma_))
                    for t in example.reference
                ]
                yield SimpleNamespace(reference=tokens)

        super()._labels_from_data(examples)


cast("Any", Language).factory(
    "endophora_lemmatizer",
    assigns=["token.lemma"],
    default_config={"model": None, "capitalised": [], "min_tree_freq": 2, "top_k": 3},
    func=CaseLemmatizer,
)


_COLUMNS = ["HEAD", "DEP", "LOWER", "ORTH", "SENT_START"]
_RULES = "agreement.json"


class AgreeingMorphologizer(_Morphologizer):
    """Comes after the parser; without rules it labels as spaCy's does. ``endophora_genders`` decides nouns."""

    def __init__(self, nlp: Language, model: Model[Any, Any], name: str) -> None:
        super().__init__(nlp.vocab, model, name, overwrite=True, extend=False, scorer=None)
        self._nlp = nlp
        self.rules = Agreement()
        self.forms = FormClasses()
        self.lexicon = LabelLexicon()
        self._decoder: Decoder | None = None
        self._table: tuple[Any, Any] | None = None

    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """Return the labels' numbers of each doc."""
        texts = list(docs)
        if not any(map(len, texts)) or not self.rules.decide:
            return super().predict(texts)
        scores = np.concatenate(self.model.predict(texts))
        if self._decoder is None:
            self._decoder = Decoder(self.labels, self.rules, self.lexicon.fits if len(self.lexicon.keys) else None)
        chosen = self._decoder.decode(scores, self._words(texts))
        return np.split(chosen, np.cumsum([len(doc) for doc in texts])[:-1])

    def _words(self, texts: Sequence[Doc]) -> Words:
        rows = np.concatenate([cast("Any", doc).to_array(_COLUMNS) for doc in texts])
        starts = np.cumsum([0, *(len(doc) for doc in texts[:-1])])
        first = rows[:, 4] == 1
        first[[int(start) for start, doc in zip(starts, texts, strict=True) if len(doc)]] = True
        string = cast("Any", self.vocab).strings
        names = {key: str(string[key]) for key in np.unique(rows[:, 1:4]).tolist()}
        forms = np.unique(rows[:, 3]).tolist()
        classes = dict(zip(forms, self.forms.find([names[key] for key in forms]), strict=True))
        spelled = [names[key] for key in rows[:, 3].tolist()]
        genders = NounGenders()
        if "endophora_genders" in self._nlp.pipe_names:
            genders = cast("NounGenders", self._nlp.get_pipe("endophora_genders"))
        return Words(
            np.arange(len(rows)) + rows[:, 0].astype(np.int64),
            [names[key] for key in rows[:, 1].tolist()],
            [names[key] for key in rows[:, 2].tolist()],
            [
                classes[key] + FIRST if opens and classes[key] else classes[key]
                for key, opens in zip(rows[:, 3].tolist(), first.tolist(), strict=True)
            ],
            genders.known,
            self.lexicon.find(spelled, first.tolist()) if len(self.lexicon.keys) else None,
        )

    def set_annotations(self, docs: Iterable[Doc], batch_tag_ids: Sequence[Any]) -> None:
        """Set part of speech and features of each word."""
        if self._table is None:
            add = cast("Any", self.vocab).morphology.add
            morphs = [add(self.cfg["labels_morph"][label]) for label in self.labels]
            parts = [self.cfg["labels_pos"][label] for label in self.labels]
            self._table = (np.array(parts, np.uint64), np.array(morphs, np.uint64))
        for doc, chosen in zip(docs, batch_tag_ids, strict=True):
            if len(doc):
                values = np.stack([column[chosen] for column in self._table], axis=1)
                cast("Any", doc).from_array(["POS", "MORPH"], values)

    def to_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> None:
        """Write network, labels, rules, forms and lexicon."""
        super().to_disk(path, exclude=exclude)
        (Path(path) / _RULES).write_text(self.rules.model_dump_json(exclude_defaults=True) + "\n", encoding="utf-8")
        self.forms.to_disk(Path(path))
        self.lexicon.to_disk(Path(path))

    def from_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> AgreeingMorphologizer:
        """Read network, labels, rules, forms and lexicon."""
        super().from_disk(path, exclude=exclude)
        self.rules = Agreement.model_validate_json((Path(path) / _RULES).read_text("utf-8"))
        self.forms.from_disk(Path(path))
        self.lexicon.from_disk(Path(path))
        self._decoder = self._table = None
        return self


cast("Any", Language).factory(
    "endophora_morphologizer",
    assigns=["token.morph", "token.pos"],
    default_config={"model": None},
    func=AgreeingMorphologizer,
)
