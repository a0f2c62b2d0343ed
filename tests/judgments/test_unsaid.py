"""Which source words have nothing in their place that is known to translate them."""

import numpy as np
import pytest
from tests.phenomena.handmade import document

from endophora.align.priors import PairCounts, Priors, PriorSide
from endophora.judgments.translations import known_translations, may_translate
from endophora.judgments.unsaid import garbled

WORDS = [f"word{number}" for number in range(9)]
KNOWN = [f"mot{number}" for number in range(9)]


def _priors() -> Priors:
    """Each source word was translated ten times, always by the word of its number."""
    ones, uses = np.ones(9, np.float32), np.full(9, 10.0, np.float32)
    pairs = PairCounts(np.arange(9) * 10, uses, 9)
    return Priors(PriorSide(WORDS, ones, uses), PriorSide(KNOWN, ones, uses), pairs)


def _lost(targets: list[str], pairs: str) -> tuple[int, ...]:
    source, target = (" | ".join(f"{word}/NOUN" for word in words) for words in (WORDS, targets))
    return tuple(at for one in garbled(document([(source, target, pairs)]), _priors()) for at in one.source_tokens)


@pytest.mark.parametrize(
    ("targets", "pairs", "lost"),
    [
        (KNOWN, " ".join(f"{at}-{at}" for at in range(9)), ()),
        (["bla"] * 9, " ".join(f"{at}-{at}" for at in range(9)), tuple(range(9))),  # words that are none
        (["mot0"], "0-0", tuple(range(9))),  # broken off after its first word
        (KNOWN[:3] + ["bla"] * 6, " ".join(f"{at}-{at}" for at in range(9)), ()),  # free, but a translation
    ],
)
def test_a_place_is_lost_where_hardly_any_word_is_a_known_translation(targets, pairs, lost):
    assert _lost(targets, pairs) == lost


def test_a_short_segment_tells_nothing():
    source = " | ".join(f"{word}/NOUN" for word in WORDS[:4])
    assert not list(garbled(document([(source, "bla/NOUN", "0-0")]), _priors()))


def test_what_is_known_of_a_word_is_that_of_its_own_priors():
    known, others = _priors(), Priors()
    assert known_translations(known, ("Word3", "word3")) == {"mot3"}
    assert known_translations(others, ("Word3", "word3")) is None
    assert may_translate(known, ("word3",), ("Mot3", "mots"))
    assert not may_translate(known, ("word3",), ("bla",))
    assert may_translate(others, ("word3",), ("bla",))  # nothing is known that speaks against it
