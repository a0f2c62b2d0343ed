"""What the target side tells: forms of two numbers, names, nouns linked elsewhere, and links that the parse belies."""

import pytest
from build import BOOKS, IT_BROKE, LAMP, SEEMS, THEY_FELL, build

from endophora.align.records import Link
from endophora.corefer import load_resolver

# German: die Lampe (feminine), der Tisch (masculine); der Lastwagen (masculine), die Bücher (neuter, plural).
LAMPE = build(
    "Die/DET/1/det Lampe/NOUN/2/nsubj/Gender=Fem/Number=Sing stand/VERB/-/root auf/ADP/5/case dem/DET/5/det "
    "Tisch/NOUN/2/obl/Gender=Masc/Number=Sing ./PUNCT/2/punct"
)
LASTWAGEN = build(
    "Der/DET/1/det Lastwagen/NOUN/2/nsubj/Gender=Masc/Number=Sing trug/VERB/-/root "
    "Bücher/NOUN/2/obj/Gender=Neut/Number=Plur ./PUNCT/2/punct"
)
WHOLE = tuple(Link(i, i, 1.0) for i in range(7))
SHORT = tuple(Link(i, i, 1.0) for i in range(3))


@pytest.fixture(scope="module")
def ranker():
    """The ranker without the encoder, whose surety leaves the target little to say of one lamp and one table."""
    return load_resolver("features")


def broke(form, features):
    return build(f"{form}/PRON/1/nsubj/{features} zerbrach/VERB/-/root ./PUNCT/1/punct")


def chance(texts, resolution, noun):
    return sum(a.probability for a in resolution.antecedents if texts[a.segment].tokens[a.head].form == noun)


def resolved(ranker, texts, target, links=None):
    return ranker.resolve(texts, target, links or [WHOLE, *[SHORT] * (len(texts) - 1)])[-1]


def test_a_form_of_both_numbers_has_the_number_of_the_source(ranker):
    texts = [BOOKS, THEY_FELL]
    links = [tuple(Link(i, i, 1.0) for i in range(4)), SHORT]
    taken_for_one = resolved(ranker, texts, [LASTWAGEN, broke("sie", "Gender=Fem/Number=Sing")], links)
    taken_for_many = resolved(ranker, texts, [LASTWAGEN, broke("sie", "Number=Plur")], links)
    assert taken_for_one == taken_for_many


@pytest.mark.parametrize("features", ["Gender=Fem/Number=Sing", "Number=Plur", "Person=2"])
def test_a_form_of_both_numbers_shows_its_gender_for_a_singular(ranker, features):
    texts = [LAMP, IT_BROKE]
    without = chance(texts, ranker.resolve(texts)[0], "lamp")
    assert chance(texts, resolved(ranker, texts, [LAMPE, broke("Sie", features)]), "lamp") > without


@pytest.mark.parametrize(("article", "sign"), [("Gender=Fem", 1), ("Gender=Masc", -1), ("Case=Nom", 0)])
def test_a_name_has_the_gender_of_its_article_and_no_other(ranker, article, sign):
    texts = [LAMP, IT_BROKE]
    links = [SHORT, SHORT]

    def lamp(article, guessed):
        name = build(f"Die/DET/1/det/{article} Lampe/PROPN/2/nsubj/{guessed} stand/VERB/-/root")
        return chance(texts, resolved(ranker, texts, [name, broke("jene", "Gender=Fem/Number=Sing")], links), "lamp")

    change = lamp(article, "Gender=Fem/Number=Sing") - lamp("Case=Nom", "Number=Sing")
    assert (change > 0.01) - (change < -0.01) == sign


def test_a_noun_that_is_not_linked_has_the_gender_of_its_other_mentions(ranker):
    texts = [LAMP, LAMP, IT_BROKE]
    target = [LAMPE, build("Sie/PRON/1/nsubj stand/VERB/-/root"), broke("jener", "Gender=Masc/Number=Sing")]
    unknown = ranker.resolve(texts, target, [(), (), SHORT])[-1]
    known = ranker.resolve(texts, target, [(Link(1, 1, 1.0),), (), SHORT])[-1]
    assert chance(texts, known, "lamp") < chance(texts, unknown, "lamp")


def test_a_masculine_is_marked_only_where_there_is_a_neuter(ranker):
    texts, target = [LAMP, SEEMS], broke("er", "Gender=Masc/Number=Sing")
    neuter = build("Das/DET/1/det/Gender=Neut Licht/NOUN/-/root/Gender=Neut")
    links = [(), (Link(0, 0, 1.0),)]
    romance = ranker.resolve(texts, [build("La/DET/1/det/Gender=Fem lampe/NOUN/-/root/Gender=Fem"), target], links)[0]
    german = ranker.resolve(texts, [neuter, target], links)[0]
    assert german.non_referential < romance.non_referential


def test_a_gender_that_agrees_tells_nothing_where_the_number_does_not(ranker):
    texts = [LAMP, IT_BROKE]
    many = build("Die/DET/1/det Lampen/NOUN/2/nsubj/Gender=Fem/Number=Plur standen/VERB/-/root")
    links = [(Link(1, 1, 1.0),), SHORT]
    found = resolved(ranker, texts, [many, broke("jene", "Gender=Fem/Number=Sing")], links)
    one = resolved(ranker, texts, [LAMPE, broke("jene", "Gender=Fem/Number=Sing")], links)
    assert chance(texts, found, "lamp") < chance(texts, one, "lamp")


def test_a_link_that_the_parse_belies_is_weaker_evidence(ranker):
    texts = [LAMP, IT_BROKE]
    elsewhere = build("Er/PRON/2/nsubj/Gender=Masc/Number=Sing zerbrach/VERB/-/root sah/VERB/1/conj ./PUNCT/1/punct")
    straight = resolved(ranker, texts, [LAMPE, broke("er", "Gender=Masc/Number=Sing")], [WHOLE, SHORT[:2]])
    astray = resolved(ranker, texts, [LAMPE, elsewhere], [WHOLE, SHORT[:2]])
    assert chance(texts, astray, "table") < chance(texts, straight, "table")


def test_a_possessive_determiner_is_no_article(ranker):
    texts = [LAMP, build("Its/PRON/1/nmod:poss leg/NOUN/2/nsubj/Number=Sing broke~break/VERB/-/root")]
    french = build("Son/DET/1/det/Poss=Yes/Number=Sing table/NOUN/2/nsubj/Gender=Fem/Number=Sing cassa/VERB/-/root")
    target = [
        build("La/DET/1/det lampe/NOUN/-/root/Gender=Fem sur/ADP/4/case la/DET/4/det table/NOUN/1/nmod/Gender=Fem"),
        french,
    ]
    found = ranker.resolve(texts, target, [(Link(1, 1, 1.0), Link(5, 4, 1.0)), (Link(0, 0, 1.0),)])[0]
    assert chance(texts, found, "table") == pytest.approx(chance(texts, ranker.resolve(texts)[0], "table"))


def test_what_a_pronoun_leaves_outside_its_next_one_leaves_outside_too(ranker):
    texts = [LAMP, *[IT_BROKE] * 3]
    target = [LAMPE, *[broke("er", "Gender=Masc/Number=Sing")] * 3]
    found = ranker.resolve(texts, target, [WHOLE, *[SHORT] * 3])
    assert found[2].outside >= 0.5 * found[0].outside


def test_a_compound_whose_head_is_not_linked_has_the_gender_of_its_parts_translation(ranker):
    lamp = build(
        "The/DET/2/det desk/NOUN/2/compound lamp/NOUN/3/nsubj stood/VERB/-/root on/ADP/6/case the/DET/6/det "
        "table/NOUN/3/obl ./PUNCT/3/punct"
    )
    texts, tied = [lamp, IT_BROKE], [(0, 0), (1, 1), (3, 2), (4, 3), (5, 4), (6, 5)]
    links = [tuple(Link(i, j, 1.0) for i, j in tied), SHORT]

    form = {"Masc": "Er", "Fem": "Sie"}

    def chance_with(gender):
        return chance(
            texts, resolved(ranker, texts, [LAMPE, broke(form[gender], f"Gender={gender}/Number=Sing")], links), "lamp"
        )

    without = chance(texts, ranker.resolve(texts)[0], "lamp")
    assert chance_with("Masc") < without
    assert chance_with("Masc") < chance_with("Fem")


def test_a_form_that_may_be_a_demonstrative_tells_no_gender(ranker):
    texts = [LAMP, IT_BROKE]
    light = build("Das/DET/1/det/Gender=Neut Licht/NOUN/2/nsubj/Gender=Neut/Number=Sing stand/VERB/-/root")
    links = [(Link(1, 1, 1.0),), SHORT]

    def lamp(kinds):
        return chance(texts, resolved(ranker, texts, [light, broke("das", f"Gender=Neut{kinds}")], links), "lamp")

    assert lamp("/PronType=Dem,Rel") == pytest.approx(lamp("/PronType=Dem"))
    assert lamp("/PronType=Dem,Rel") < lamp("")


def test_a_capital_inside_a_sentence_speaks_to_the_listener(ranker):
    texts = [LAMP, build("There/ADV/2/advmod it/PRON/2/nsubj broke~break/VERB/-/root ./PUNCT/2/punct")]

    def lamp(form):
        told = build(f"Da/ADV/2/advmod {form}/PRON/2/nsubj/Gender=Fem/Number=Sing zerbrach/VERB/-/root ./PUNCT/2/punct")
        return chance(texts, resolved(ranker, texts, [LAMPE, told]), "lamp")

    assert lamp("Sie") == pytest.approx(chance(texts, ranker.resolve(texts)[0], "lamp"))
    assert lamp("sie") > lamp("Sie")


def test_the_article_of_a_noun_that_translates_another_word_tells_nothing(ranker):
    texts = [LAMP, build("It/PRON/1/nsubj hit/VERB/-/root tables~table/NOUN/1/obj ./PUNCT/1/punct")]
    target = [LAMPE, build("Der/DET/1/det/Gender=Masc Tisch/NOUN/2/nsubj/Gender=Masc fiel/VERB/-/root ./PUNCT/2/punct")]
    without = chance(texts, ranker.resolve(texts)[0], "table")

    def table(*links):
        return chance(texts, resolved(ranker, texts, target, [WHOLE, (Link(0, 0, 1.0), *links)]), "table")

    assert table() > without
    assert table(Link(2, 1, 1.0)) == pytest.approx(without)


@pytest.mark.parametrize(("second", "gender"), [("Fem", "Fem"), ("Masc", "Masc")])
def test_a_coordination_has_the_gender_of_all_its_nouns_or_that_of_whatever_is_meant(ranker, second, gender):
    both = build(
        "The/DET/1/det lamp/NOUN/4/nsubj/Number=Sing and/CCONJ/3/cc chair/NOUN/1/conj/Number=Sing fell~fall/VERB/-/root"
    )
    texts, names = [both, THEY_FELL], ("La/DET/1/det lampe/NOUN/-/root/Gender=Fem/Number=Sing", "et/CCONJ/3/cc")
    french = build(f"{names[0]} {names[1]} chaise/NOUN/1/conj/Gender={second}/Number=Sing")
    links = [(Link(1, 1, 1.0), Link(3, 3, 1.0)), (Link(0, 0, 1.0),)]

    def together(shown):
        target = [french, build(f"X/PRON/1/nsubj/Gender={shown}/Number=Plur tombèrent/VERB/-/root")]
        found = resolved(ranker, texts, target, links)
        return sum(one.probability for one in found.antecedents if len(one.tokens) > 3)

    other = "Masc" if gender == "Fem" else "Fem"
    assert together(gender) > together(other)
