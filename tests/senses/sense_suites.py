"""Suites of word senses for tests: made by hand, and by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from endophora.suites.records import Suite
from endophora.suites.senses.items import make_item, make_variant

WORDS = st.text("abcdefgäöüßéñ字語कखж-'", min_size=1, max_size=8).filter(lambda word: word.strip("-'") == word and word)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).map(str.strip).filter(bool)


def suite_of_bank(count: int) -> Suite:
    """Sentences of *bank* in the sense of a river's, with a bank of money as the wrong one."""
    items = []
    for number in range(count):
        variants = [
            make_variant("Die Bank", "Bank", "Bank"),
            make_variant("Das Kredit-Institut", "Kredit-Institut", "Bank"),
        ]
        items.append(
            make_item(
                number,
                "bank",
                "Ufer",
                "The bank is steep.",
                "Das Ufer ist steil.",
                expected=["Ufer", "Rand eines Flusses"],
                forbidden=["Bank", "Kredit-Institut"],
                variants=variants,
                extra={"origin": "books"},
            )
        )
    return Suite("bank", "en", "de", tuple(items))


@st.composite
def sense_suites(draw: st.DrawFn) -> Suite:
    """Any suite that MuCoW's formats can hold: words without spaces or underscores, senses that are their words."""
    items = []
    for word in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
        entries = draw(st.lists(WORDS, min_size=2, max_size=6, unique_by=str.lower))
        cut = draw(st.integers(1, len(entries) - 1))
        bare = draw(st.booleans())
        for expected, forbidden in ((entries[:cut], entries[cut:]), (entries[cut:], entries[:cut])):
            domain = draw(st.sampled_from(["in", "out"]))
            for _ in range(draw(st.integers(1, 2))):
                source, reference = draw(TEXTS), draw(TEXTS)
                variants = [make_variant(f"{entry} {reference}", entry, "_".join(forbidden)) for entry in forbidden]
                items.append(
                    make_item(
                        len(items),
                        word,
                        "_".join(expected),
                        source,
                        reference,
                        expected=expected,
                        forbidden=forbidden,
                        variants=() if bare else variants,
                        extra={"origin": draw(st.sampled_from(["books", "ted"])), "domain": domain},
                    )
                )
    return Suite("en-de", "en", "de", tuple(items))
