import pytest
from build import build
from hypothesis import given
from hypothesis import strategies as st

from endophora.corefer import load_resolver
from endophora.corefer.expletive import ALWAYS, PARSED, SURFACE, expletive_features, surface_features
from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse, read_idiom
from endophora_makers.expletives import views

# Every tree is flat and wrong: what is found here is in the words.
CLEAR = "It/PRON/2/nsubj is~be/AUX/2/cop now/ADV/2/dep clear/ADJ/-/root that/SCONJ/2/dep she/PRON/2/dep left/VERB/2/dep"
EASY = "It/PRON/2/nsubj is~be/AUX/2/cop easy/ADJ/-/root ,/PUNCT/2/punct that/PRON/2/dep car/NOUN/2/dep"
CLEFT = "It/PRON/2/dep was~be/AUX/2/cop boys~boy/NOUN/-/root who/PRON/2/dep won~win/VERB/2/dep"
MAKES = "This/PRON/1/nsubj makes~make/VERB/-/root it/PRON/1/obj hard/ADJ/1/dep to/PART/1/dep see/VERB/1/dep"
CLOCK = "It/PRON/2/nsubj is~be/AUX/2/cop 2:25/NUM/-/root a.m./NOUN/2/dep"
MONDAY = "It/PRON/2/nsubj is~be/AUX/2/cop Monday~monday/PROPN/-/root"
LAST_DAY = "It/PRON/2/nsubj is~be/AUX/2/cop our/PRON/2/dep last/ADJ/2/dep day/NOUN/-/root"
COLDER = "It/PRON/1/nsubj gets~get/VERB/-/root colder~cold/ADJ/1/xcomp"
BARE = "It/PRON/-/root"


def features(written):
    lexicon = load_lexicon("en")
    row = read_discourse([build(written)])
    [it] = [mention for mention in find_mentions(row, lexicon) if mention.group == "it"]
    return {feature.removeprefix(SURFACE) for feature in surface_features(row, it, lexicon)}


@pytest.mark.parametrize(
    ("written", "there"),
    [
        (CLEAR, {"Slsubbclear", "SosubbADJthat", "Scmodalsubbthat", "Snmodalthat0"}),
        (CLEFT, {"LNOUNwho", "Lwho", "LPNOUN"}),
        (MAKES, {"Slobjvhard", "SoobjvADJto0"}),
        (CLOCK, {"Xclock", "Xpoint"}),
        (MONDAY, {"XtimeFalse", "Xpoint"}),
        (LAST_DAY, {"XtimeTrue"}),
        (COLDER, {"Xweather"}),
        (BARE, {"Ssubend"}),
    ],
)
def test_the_words_tell_whatever_the_parse(written, there):
    assert there <= features(written)


def test_a_clause_behind_punctuation_is_not_the_predicates_own():
    assert "SosubbADJ" in features(EASY)


def test_a_described_day_is_no_point_of_time():
    assert "Xpoint" not in features(LAST_DAY)


@pytest.mark.parametrize(
    ("written", "idiom"),
    [
        ("We/PRON/1/nsubj made~make/VERB/-/root it/PRON/1/obj to/ADP/4/case town/NOUN/1/obl", "make _ to|back"),
        ("That/PRON/2/nsubj is~be/AUX/2/cop it/PRON/-/root ./PUNCT/2/punct", "that|this be _ ."),
        ("That/PRON/2/nsubj is~be/AUX/2/cop it/PRON/-/root", "that|this be _ ."),
        ("as/SCONJ/2/mark it/PRON/2/nsubj were~be/VERB/-/root", "as _ "),
    ],
)
def test_idioms_match_lemmas_forms_and_the_end_of_a_clause(written, idiom):
    found = features(written)
    assert "I" in found
    assert any(feature.startswith(f"I{idiom}") for feature in found)


def test_an_idiom_does_not_reach_beyond_its_sentence():
    found = features("That/PRON/1/nsubj was~be/VERB/-/root | It/PRON/1/nsubj fell~fall/VERB/-/root")
    assert "I" not in found


def test_an_idiom_is_read_with_places_counted_from_the_pronoun():
    assert read_idiom("take _ for .").words == ((-1, {"take"}), (1, {"for"}), (2, frozenset()))
    with pytest.raises(ValueError, match=r"_|not in list"):  # as of Python 3.14
        read_idiom("no pronoun")


def test_all_idioms_of_the_lexicon_hold_one_pronoun():
    assert all(idiom.text.split().count("_") == 1 for idiom in load_lexicon("en").idioms)


@given(st.lists(st.sampled_from(["Wa", "k", ALWAYS, PARSED, "~Sl", "~I"]), unique=True))
def test_lesser_views_hold_nothing_that_the_whole_does_not(found):
    whole, unsaid, surface = views(found)
    assert whole == found
    assert set(unsaid) == set(found) - {PARSED}
    assert set(surface) == set(found) & {ALWAYS, "~Sl", "~I"}


def test_the_surface_is_part_of_what_the_classifier_sees():
    lexicon = load_lexicon("en")
    row = read_discourse([build(CLEAR)])
    [it] = [mention for mention in find_mentions(row, lexicon) if mention.group == "it"]
    assert set(surface_features(row, it, lexicon)) <= set(expletive_features(row, it, lexicon))


@pytest.mark.parametrize("written", [CLEAR, MAKES, MONDAY])
def test_a_wrong_parse_does_not_hide_the_non_referential(written):
    [it] = [r for r in load_resolver().resolve([build(written)]) if build(written).tokens[r.token].form.lower() == "it"]
    assert it.non_referential > 0.5
