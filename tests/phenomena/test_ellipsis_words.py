"""Which words beside an ellipsis come back, and which grammar asks for anyway: on sentences written by hand."""

from __future__ import annotations

import pytest
from handmade import document, text

from endophora.phenomena.ellipsis import EllipsisTagger, load_rule_detector

DETECTOR = load_rule_detector("en")
ALONE = "I/PRON >1 :nsubj | do/AUX :root | n't/PART >1 | ./PUNCT >1"
MINE = "Mine/PRON >1 :nsubj | fell/VERB :root | ./PUNCT >1"
TOWN = "To/ADP >2 :case | the/DET >2 :det | town/NOUN :root | !/PUNCT >2"
KNOWN = ("x/X", "das/PRON lemma=das | das/NOUN lemma=das | das/VERB lemma=das | 12/NOUN", "")


def local(source: str, target: str, links: str) -> list[str]:
    """The words that come back, of those that were there before (*das*)."""
    found = EllipsisTagger(DETECTOR, local=True).tag(document([KNOWN, (source, target, links)]))
    return [one.expected for one in found]


@pytest.mark.parametrize(
    ("target", "links", "found"),
    [
        ("Ich/PRON >1 | weiß/X | das/PRON >1", "0-0 1-1", True),
        ("Ich/PRON >1 | weiß/X | das/PRON PronType=Rel >1", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | das/PRON PronType=Int,Rel >1", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | das/PRON PronType=Dem >1", "0-0 1-1", True),
        ("Ich/PRON >1 | weiß/X | das/NOUN PronType=Rel >1", "0-0 1-1", True),
        ("Ich/PRON >1 | weiß/X | das/PRON Reflex=Yes >1", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | das/PRON >1 :expl:pv", "0-0 1-1", False),
        # A relative opens a clause that depends on a noun.
        ("Haus/X | ,/PUNCT | das/PRON >3 | steht/X >0 :acl:relcl", "1-3", False),
        ("Haus/X | in/ADP | das/PRON >3 | zieht/X >0 :acl", "1-3", False),
        ("Haus/X | so/ADV | das/PRON >3 | steht/X >0 :acl", "1-3", True),
        ("Haus/X | ,/PUNCT | das/PRON >3 | steht/X >0 :conj", "1-3", True),
        (",/PUNCT | das/PRON >2 | steht/X >3 :acl | Haus/X", "1-2", False),
        ("das/PRON >1 | steht/X >2 :acl | Haus/X | ./PUNCT", "1-1", True),  # nothing is before it
        ("steht/X >3 :acl | ,/PUNCT | das/PRON >0 | Haus/X", "1-0", False),
        (",/PUNCT | das/NOUN >2 | steht/X >3 :acl | Haus/X", "1-2", True),
        # What is no word, or stands beyond a clause of its own.
        ("Ich/PRON >1 | weiß/X | 12/NOUN >1", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | das/PRON >1 :conj:and", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | das/PRON >1 :acl", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | so/X >1 | das/PRON >2", "0-0 1-1", False),
        ("Ich/PRON >1 | weiß/X | Ding/NOUN >1 | das/PRON >2", "0-0 1-1", True),  # what comes back brings its own
        ("Ich/PRON >1 | weiß/X | das/ADV >1", "0-0 1-1", False),
    ],
)
def test_a_word_comes_back_unless_grammar_asks_for_it(target, links, found):
    assert local(ALONE, target, links) == (["das"] if found else [])


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        (MINE, "das/NOUN >1 :nsubj | fiel/X", "1-1", True),
        (MINE, "das/VERB >1 :dep | fiel/X", "1-1", False),  # a noun comes back as no verb
        (MINE, "das/PRON Person=1 >1 :obj | fiel/X", "1-1", False),
        (MINE, "das/PRON Person=2 >1 :obj | fiel/X", "1-1", False),
        (MINE, "das/PRON Person=3 >1 :obl | fiel/X", "1-1", True),
        (MINE, "das/PRON Person=3 >1 :iobj | fiel/X", "1-1", False),  # no object that something is given to
        (TOWN, "das/VERB >1 | Stadt/X", "2-1", True),
        (TOWN, "das/NOUN >1 | Stadt/X", "2-1", False),
        (TOWN, "das/PRON >1 :nsubj | Stadt/X", "2-1", False),  # its verb does not come back
        (TOWN, "das/PRON >1 :nsubj | geht/VERB :root | Stadt/X >1 :obl", "2-2", True),
        (TOWN, "das/PRON >1 :obj | Stadt/X", "2-1", False),
        (TOWN, "das/NOUN >1 :nsubj | Stadt/X", "2-1", False),
        (ALONE, "das/PRON >1 :nsubj | weiß/X", "1-1", False),  # the source has its subject
        (ALONE, "das/NOUN >1 :nsubj | weiß/X", "1-1", True),
    ],
)
def test_what_comes_back_is_of_the_kind_that_is_left_out(source, target, links, found):
    assert local(source, target, links) == (["das"] if found else [])


@pytest.mark.parametrize(
    ("pronoun", "links", "found"),
    [
        ("it/PRON Person=3 >1 :obj", "1-1", False),  # an object without a link may be what the word translates
        ("it/PRON Person=3 >1 :iobj", "1-1", False),
        ("it/PRON Person=3 >1 :obl", "1-1", True),
        ("me/PRON Person=1 >1 :obj", "1-1", True),
        ("it/NOUN Person=3 >1 :obj", "1-1", True),
        ("it/PRON Person=3 :obj", "1-1", True),
    ],
)
def test_an_object_of_the_source_without_a_link_may_be_what_an_object_translates(pronoun, links, found):
    target = "so/X | weiß/X | das/PRON Person=3 >1 :obj"
    assert local(f"{ALONE} | {pronoun}", target, links) == (["das"] if found else [])


@pytest.mark.parametrize("upos", ["PRON", "DET", "PROPN", "NOUN", "NUM", "ADJ", "ADV", "INTJ"])
@pytest.mark.parametrize("opening", ["So", "Neither", "Nor", "Now"])
def test_an_inverted_clause_has_a_subject_of_any_nominal_kind(upos, opening):
    written = f"{opening}/ADV >1 | did/AUX :root | others/{upos} >1 :nsubj | ./PUNCT >1"
    found = [site.tokens for site in DETECTOR.detect_many([text(written)])[0] if site.kind == "verb_phrase"]
    inverted = upos not in ("ADV", "INTJ") and opening != "Now"
    assert ((1,) in found) is inverted


def test_a_signature_names_the_variant_the_detector_and_the_window():
    assert EllipsisTagger(None).signature == "unaligned,document"
    assert EllipsisTagger(None, 3).signature == "unaligned,3"
    assert EllipsisTagger(DETECTOR, 0).signature == f"classifier,{DETECTOR.signature},0"
    assert EllipsisTagger(DETECTOR, local=True).signature == f"local,{DETECTOR.signature},document"
    assert DETECTOR.signature.startswith("rules-en-")


def test_a_source_is_searched_once_for_all_its_targets():
    asked = []

    class Counting:
        signature = "counting"

        def detect_many(self, texts):
            asked.extend(each.text for each in texts)
            return DETECTOR.detect_many(texts)

    source = [text(ALONE), text("Yes/INTJ | ./PUNCT")]
    tagger = EllipsisTagger(Counting(), local=True)
    first = tagger.sites(source)
    assert [[site.tokens for site in each] for each in first] == [[(1, 2)], []]
    assert tagger.sites([source[1], source[0]]) == first[::-1]
    assert asked == [each.text for each in source]


def test_only_the_variant_that_looks_beside_a_site_asks_for_more_than_one():
    both = text(f"{ALONE} | You/PRON >5 :nsubj | can/AUX :root | ./PUNCT >5")
    assert [len(EllipsisTagger(DETECTOR, local=each).sites([both])[0]) for each in (True, False)] == [2, 1]


def test_a_comparison_lacks_what_its_own_sentence_has():
    runs = "He/PRON >1 :nsubj | runs/VERB :root | as/ADP >4 :mark | I/PRON >4 :nsubj | do/AUX >1 :advcl | ./PUNCT >1"
    assert [site.kind for site in DETECTOR.detect_many([text(runs)])[0]] == ["comparative"]
    assert local(runs, "Er/PRON >1 :nsubj | läuft/X | das/VERB >1", "0-0 1-1") == []
    alone = runs.replace("runs/VERB :root", "quick/ADJ :root")
    assert [site.kind for site in DETECTOR.detect_many([text(alone)])[0]] == ["comparative"]
    assert local(alone, "Er/PRON >1 :nsubj | schnell/X | das/VERB >1", "0-0 1-1 4-1") == ["das"]
