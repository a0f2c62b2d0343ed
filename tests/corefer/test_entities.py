import pytest
from build import IT_BROKE, build

from endophora.corefer import load_resolver
from endophora.corefer.entities import entities_of, evened, gathered
from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse


def entities(*texts):
    """Return the nouns of texts with the number of their entity."""
    row, lexicon = read_discourse(texts), load_lexicon("en")
    mentions = find_mentions(row, lexicon)
    found = entities_of(row, mentions, lexicon)
    return [(row.tokens[m.index].form, found[m.order]) for m in mentions if m.nominal]


GAME = build("A/DET/1/det game/NOUN/2/nsubj/Number=Sing began~begin/VERB/-/root")
THE_GAME = build("The/DET/1/det game/NOUN/2/nsubj/Number=Sing ended~end/VERB/-/root")
GAMES = build("The/DET/1/det games~game/NOUN/2/nsubj/Number=Plur ended~end/VERB/-/root")


def same(first, second):
    [(_, one), (_, other)] = entities(first, second)
    return one == other


def test_a_noun_said_again_is_the_same_thing_unless_number_or_determiner_deny_it():
    assert same(GAME, THE_GAME)
    assert not same(GAME, GAMES)
    assert not same(THE_GAME, GAME)


def test_a_name_is_known_by_its_shorter_form():
    long = build("Anna/PROPN/2/nsubj/Number=Sing Berg/PROPN/0/flat left~leave/VERB/-/root")
    short = build("Berg/PROPN/1/nsubj/Number=Sing slept~sleep/VERB/-/root")
    other = build("Anna/PROPN/2/nsubj/Number=Sing Dahl/PROPN/0/flat slept~sleep/VERB/-/root")
    assert same(long, short)
    assert not same(long, other)


def test_an_apposition_is_its_noun():
    text = build(
        "Pivot/PROPN/4/nsubj/Number=Sing ,/PUNCT/3/punct this/DET/3/det "
        "application/NOUN/0/appos/Number=Sing works/VERB/-/root"
    )
    [(_, one), (_, other)] = entities(text)
    assert one == other


def test_probability_of_an_entity_stands_at_the_nearest_likely_mention():
    assert gathered({0: 0.25, 1: 0.22, 2: 0.1, 3: 0.35}, [0, 0, 0, 3]) == [
        (1, pytest.approx(0.57)),
        (3, 0.35),
        (0, 0.0),
        (2, 0.0),
    ]


def test_two_mentions_of_one_thing_make_it_surer():
    texts = [GAME, THE_GAME, IT_BROKE]
    [it] = load_resolver().resolve(texts)
    assert [(a.segment, a.probability > 0) for a in it.antecedents] == [(1, True), (0, False)]
    [alone] = load_resolver().resolve([GAME, GAMES, IT_BROKE])
    game = next(a for a in alone.antecedents if a.segment == 0)
    assert it.antecedents[0].probability > game.probability


def test_mentions_of_one_thing_share_what_speaks_for_them_by_their_shares():
    # Mentions 0 and 2 are one thing: (3 · 1 + 1 · 5) / 4 = 2.
    ratios = evened({0: 1.0, 1: 7.0, 2: 5.0}, {0: 0.3, 1: 0.2, 2: 0.1}, [0, 1, 0])
    assert ratios == pytest.approx({0: 2.0, 1: 7.0, 2: 2.0})
