from build import BOOKS, IT_BROKE, LAMP, SEEMS, THEY_FELL

from endophora.corefer import load_resolver


def heads(texts):
    return [
        [texts[a.segment].tokens[a.head].form for a in r.antecedents] for r in load_resolver("nearest").resolve(texts)
    ]


def test_the_nearest_noun_of_the_number_is_taken():
    assert heads([LAMP, BOOKS, THEY_FELL, IT_BROKE]) == [["books"], ["truck"]]


def test_expletives_and_pronouns_without_noun_have_none():
    assert heads([LAMP, SEEMS, THEY_FELL]) == [[], ["prices"]]
    assert load_resolver("nearest").resolve([SEEMS])[0].non_referential == 1
