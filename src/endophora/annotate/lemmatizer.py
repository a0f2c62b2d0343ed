"""A lemmatizer by edit trees that knows what a capital letter means.

spaCy's learns *Tu* → *toi* and *tu* → *toi* apart. Here a form is put into lower case first, unless its lemma begins
with a capital: at training the lemma tells, afterwards the part of speech or a feature does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from spacy.language import Language
from spacy.pipeline import EditTreeLemmatizer
from thinc.api import Model, SequenceCategoricalCrossentropy

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token
    from spacy.training import Example


@dataclass(frozen=True, slots=True)
class _Form:
    text: str


def folded(form: str, lemma: str) -> str:
    """Return a form as its edit tree sees it: in lower case unless the lemma begins with a capital."""
    return form if lemma[:1].isupper() else form.lower()


class CaseLemmatizer(EditTreeLemmatizer):
    """Predicts edit trees over case-folded forms; comes after the morphologizer.

    Args:
        capitalised: parts of speech and features (``"Polite=Form"``) whose lemmas begin with a capital.
    """

    def __init__(
        self, nlp: Language, model: Model[Any, Any], name: str, capitalised: list[str], min_tree_freq: int, top_k: int
    ) -> None:
        cast("Any", super()).__init__(nlp.vocab, model, name, min_tree_freq=min_tree_freq, top_k=top_k, scorer=None)
        self._capitalised = frozenset(capitalised)
        self._edits = cast("Any", self).trees

    def _form(self, token: Token) -> str:
        known = self._capitalised
        keep = token.pos_ in known or not known.isdisjoint(str(token.morph).split("|"))
        return token.text if keep else token.text.lower()

    def predict(self, docs: Iterable[Doc]) -> list[Any]:
        """Return the tree of each token of each doc."""
        texts = list(docs)
        forms = [[_Form(self._form(token)) for token in doc] for doc in texts]
        model = cast("Any", self).model
        scores: Any = model.predict(texts) if any(map(len, texts)) else [()] * len(texts)
        return cast("Any", self)._scores2guesses_top_k_greater_1(forms, scores)

    def set_annotations(self, docs: Iterable[Doc], batch_tree_ids: Sequence[Any]) -> None:
        """Set each token's lemma: its tree applied to its form, or the form where no tree fits."""
        for doc, trees in zip(docs, batch_tree_ids, strict=True):
            for token, tree in zip(doc, trees, strict=True):
                form = self._form(token)
                token.lemma_ = form if tree == -1 else str(self._edits.apply(tree, form))

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
            """Yield the examples, their forms and lemmas folded."""
            for example in get_examples():
                tokens = [
                    SimpleNamespace(lemma=t.lemma, lemma_=t.lemma_, text=folded(t.text, t.lemma_))
                    for t in example.reference
                ]
                yield SimpleNamespace(reference=tokens)

        super()._labels_from_data(examples)


def make_lemmatizer(
    nlp: Language, name: str, model: Model[Any, Any], capitalised: list[str], min_tree_freq: int, top_k: int
) -> CaseLemmatizer:
    """Build the component from a configuration."""
    return CaseLemmatizer(nlp, model, name, capitalised, min_tree_freq, top_k)


cast("Any", Language).factory(
    "endophora_lemmatizer",
    assigns=["token.lemma"],
    default_config={"model": None, "capitalised": [], "min_tree_freq": 2, "top_k": 3},
    func=make_lemmatizer,
)
