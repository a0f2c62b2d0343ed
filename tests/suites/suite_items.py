"""Items of suites for tests: made by hand, and made by hypothesis as nasty as Unicode has them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from endophora.suites import Antecedent, Item, Pair, Suite, Variant

READ = (
    *("jsonl", "ctxpro", "contrapro", "discevalmt", "consistency", "genpro", "scat", "mt-geneval", "cocoa-mt"),
    *("huggingface", "huggingface-jsonl"),
)
"""The formats of suites of words that need context; those of word senses have tests of their own."""
WRITTEN = ("jsonl", "ctxpro", "contrapro", "huggingface", "huggingface-jsonl")

NASTY = st.sampled_from("\t\r\n\x0b\x0c\x1c\x85\u2028\ufeff\u200b\u00a0\"'\\,{}[]<>|\U0001f600e\u0301א")
CHARACTER = st.one_of(NASTY, st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
TEXT = st.text(CHARACTER, max_size=12)
NUMBER = st.integers(-5, 2**40)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=5,
)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
ANTECEDENT = st.builds(Antecedent, *[TEXT] * 8)
PAIRS = st.lists(st.builds(Pair, TEXT, TEXT), max_size=3).map(tuple)
VARIANT = st.builds(Variant, TEXT, TEXT, TEXT, TEXT, st.one_of(st.none(), TEXTS))
ITEM = st.builds(
    Item,
    id=TEXT,
    document=TEXT,
    segment=NUMBER,
    source=TEXT,
    reference=TEXT,
    phenomenon=TEXT,
    rule=TEXT,
    expected=TEXTS,
    forbidden=TEXTS,
    criterion=st.sampled_from(["present", "absent", "matched"]),
    source_form=TEXT,
    source_lemma=TEXT,
    reference_lemma=TEXT,
    reference_features=TEXT,
    source_antecedent=st.one_of(st.none(), ANTECEDENT),
    target_antecedent=st.one_of(st.none(), ANTECEDENT),
    distance=st.one_of(st.none(), NUMBER),
    before=st.one_of(st.none(), PAIRS),
    after=PAIRS,
    variants=st.lists(VARIANT, max_size=2).map(tuple),
    correct=st.integers(0, 5),
    extra=st.dictionaries(TEXT, JSON, max_size=2),
)
SUITE = st.lists(ITEM, min_size=1, max_size=3).map(lambda items: Suite("x", "en", "de", tuple(items)))


def make_item(number: int = 0, **changes: object) -> Item:
    """An item of gender with its context, changed as wanted."""
    item = Item(
        id=str(number),
        document=f"d{number}",
        segment=1,
        source="It is here.",
        reference="Sie ist hier.",
        phenomenon="gender",
        rule="NOM.FEM.SING",
        expected=("sie",),
        source_form="it",
        source_antecedent=Antecedent(head="lamp", lemma="lamp", phrase="the lamp", segment="Where is the lamp?"),
        target_antecedent=Antecedent(head="Lampe", lemma="Lampe", gender="Fem", segment="Wo ist die Lampe?"),
        distance=1,
        before=(Pair("Where is the lamp?", "Wo ist die Lampe?"),),
        variants=(
            Variant("Er ist hier.", "Er", "Masc", "pronominal coreference"),
            Variant("Es ist hier.", "Es", "Neut", "pronominal coreference"),
        ),
    )
    return replace(item, **changes)


def make_suite(*items: Item) -> Suite:
    return Suite("toy", "en", "de", items)
