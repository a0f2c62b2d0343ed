"""A morphologizer whose labels agree: it decodes its network's scores by :mod:`endophora.annotate.agreement`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from spacy.language import Language
from thinc.api import Model

from endophora.annotate.agreement import Agreement, Decoder, Numbers, Words
from endophora.annotate.forms import FIRST, FormClasses
from endophora.annotate.genders import NounGenders
from endophora.annotate.lexicon import Lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc
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

_COLUMNS = ["HEAD", "DEP", "LOWER", "ORTH", "SENT_START"]
_RULES = "agreement.json"


class AgreeingMorphologizer(_Morphologizer):
    """Comes after the parser; without rules it labels as spaCy's does.

    Args:
        nlp: the pipeline; its ``endophora_genders``, if there is one, decides the genders of nouns.

    Attributes:
        rules: what is known of the language.
        lexicon: which labels a dictionary has for forms.
    """

    def __init__(self, nlp: Language, model: Model[Any, Any], name: str) -> None:
        super().__init__(nlp.vocab, model, name, overwrite=True, extend=False, scorer=None)
        self._nlp = nlp
        self.rules = Agreement()
        self.forms = FormClasses()
        self.lexicon = Lexicon()
        self._decoder: Decoder | None = None
        self._table: tuple[Any, Any] | None = None

    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """Return the labels' numbers of each doc."""
        texts = list(docs)
        if not any(map(len, texts)) or not (self.rules.roots or self.rules.lexicon_weight):
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
        return Words(
            np.arange(len(rows)) + rows[:, 0].astype(np.int64),
            [names[key] for key in rows[:, 1].tolist()],
            [names[key] for key in rows[:, 2].tolist()],
            [
                classes[key] + FIRST if opens and classes[key] else classes[key]
                for key, opens in zip(rows[:, 3].tolist(), first.tolist(), strict=True)
            ],
            self._gender(),
            self._kinds([names[key] for key in rows[:, 3].tolist()], first.tolist()),
        )

    def _kinds(self, forms: Sequence[str], opens: Sequence[bool]) -> Numbers | None:
        """Return the class of each form in the lexicon, if there is one."""
        return self.lexicon.find(forms, opens) if len(self.lexicon.keys) else None

    def _gender(self) -> Callable[[str], str | None]:
        """Return what decides the gender of a noun."""
        if "endophora_genders" not in self._nlp.pipe_names:
            return lambda _: None
        return cast("NounGenders", self._nlp.get_pipe("endophora_genders")).known

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


def make_morphologizer(nlp: Language, name: str, model: Model[Any, Any]) -> AgreeingMorphologizer:
    """Build the component, its rules still empty."""
    return AgreeingMorphologizer(nlp, model, name)


cast("Any", Language).factory(
    "endophora_morphologizer",
    assigns=["token.morph", "token.pos"],
    default_config={"model": None},
    func=make_morphologizer,
)
