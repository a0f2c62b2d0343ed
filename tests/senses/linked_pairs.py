"""Linked sentence pairs for tests, from words written ``form/lemma/UPOS``."""

from __future__ import annotations

from endophora.suites.senses.links import LinkedPair, LinkedSide


def side(text: str) -> LinkedSide:
    """Return a side whose tokens stand between blanks; what a token leaves out is its form, and NOUN."""
    tokens = [[*token.split("/"), "", ""][:3] for token in text.split()]
    forms = [form for form, _, _ in tokens]
    starts = [len(" ".join(forms[:index])) + (index > 0) for index in range(len(forms))]
    return LinkedSide(
        " ".join(forms),
        [lemma or form for form, lemma, _ in tokens],
        [upos or "NOUN" for _, _, upos in tokens],
        starts,
        [start + len(form) for start, form in zip(starts, forms, strict=True)],
    )


def pair(source: str, target: str, links: list[tuple[int, int]] | None = None, origin: str = "books", number: int = 0):
    """Return a pair whose words are linked in their order, unless links are given."""
    left, right = side(source), side(target)
    default = [(index, index) for index in range(min(len(left.lemmas), len(right.lemmas)))]
    return LinkedPair(origin, f"{origin}:{number}", left, right, default if links is None else links)
