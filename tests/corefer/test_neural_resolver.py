from build import GREETING, IT_BROKE, LAMP

from endophora.corefer.resolvers import FastCoref


def chain(text, *words):
    found = []
    for word in words:
        start = text.index(word)
        found.append((start, start + len(word)))
    return [found]


def test_a_pronoun_gets_the_nearest_noun_of_its_chain():
    resolver = FastCoref(predict=lambda text: chain(text, "The lamp", "It"))
    [it] = resolver.resolve([LAMP, GREETING, IT_BROKE])
    [lamp] = it.antecedents
    assert (lamp.segment, lamp.head, lamp.distance, lamp.probability) == (0, 1, 2, 1.0)


def test_a_pronoun_in_no_chain_stands_outside():
    [it] = FastCoref(predict=lambda text: []).resolve([LAMP, IT_BROKE])
    assert (it.antecedents, it.outside) == ((), 1.0)


def test_a_noun_beyond_the_window_is_left_out():
    resolver = FastCoref(window=1, predict=lambda text: chain(text, "The lamp", "It"))
    [it] = resolver.resolve([LAMP, GREETING, IT_BROKE])
    assert it.antecedents == ()
