"""What bars a noun, and which words without a pronoun stand for one: the edges of each rule, worked by hand."""

from __future__ import annotations

import pytest
from handmade import document, resolution, rules, text

from endophora.phenomena.binding import cannot_stand_for, role_of
from endophora.phenomena.pronouns import PronounTagger

IT = "it/PRON Number=Sing Person=3"
ITS = "its/PRON Poss=Yes Number=Sing Person=3"


@pytest.mark.parametrize(
    ("sentence", "pronoun", "noun", "barred"),
    [
        (f"dog/NOUN >1 :nsubj | saw/VERB | {IT} >1 :iobj", 2, 0, True),
        (f"saw/VERB | dog/NOUN >0 :nsubj | {IT} >0 :obj", 2, 1, True),  # the verb is the first word
        (f"dog/NOUN >1 :nsubj:pass | saw/VERB | {IT} >1 :obj:x", 2, 0, True),
        (f"dog/NOUN >1 :obj | gave/VERB | {IT} >1 :iobj", 2, 0, True),
        (f"dog/NOUN >1 :obl | saw/VERB | {IT} >1 :obj", 2, 0, False),
        (f"dog/NOUN >1 :nsubj | saw/VERB | {IT} >1 :advmod", 2, 0, False),
        (f"dog/NOUN >1 :nsubj | saw/VERB | {IT} :obj", 2, 0, False),
        ("dog/NOUN >1 :nsubj | saw/VERB | that/PRON PronType=Dem >1 :obj", 2, 0, False),
        (f"house/NOUN | {IT} >0 :nmod", 1, 0, True),  # it depends on the noun itself
        (f"saw/VERB | house/NOUN >0 :obj | {IT} >0 :nsubj", 2, 1, True),
        (f"saw/VERB | house/NOUN >0 :iobj | {IT} >0 :nsubj", 2, 1, True),
        (f"saw/VERB | house/NOUN >0 :obl:x | {IT} >0 :nsubj", 2, 1, True),
        (f"saw/VERB | house/NOUN >0 :vocative | {IT} >0 :nsubj", 2, 1, False),
        (f"saw/VERB | seeing/VERB >0 :advcl | house/NOUN >1 :nsubj | {IT} >0 :nsubj", 3, 2, False),
        (f"saw/VERB | seeing/VERB >0 :ccomp | house/NOUN >1 :obj | {IT} >0 :nsubj", 3, 2, False),
        (f"saw/VERB | a/X >0 :advcl | seeing/VERB >1 :advcl | house/NOUN >2 :obj | {IT} >0 :nsubj", 4, 3, False),
        (f"a/DET >1 | child/NOUN >3 :advcl | {IT} >3 :nsubj | cried/VERB", 2, 1, True),  # *as a child it cried*
        (f"she/PRON >1 :nsubj | child/NOUN >3 :advcl | {IT} >3 :nsubj | cried/VERB", 2, 1, False),
        # Whose noun it is.
        (f"{ITS} >1 :nmod:poss | price/NOUN >2 :nsubj | fell/VERB | {IT} >4 :nsubj | paid/VERB >2 :conj", 3, 1, True),
        (f"price/NOUN | {ITS} >0 :det | fell/VERB | {IT} >4 :nsubj | paid/VERB >2 :conj", 3, 0, True),
        (
            f"{ITS.replace('Sing', 'Plur')} >1 | price/NOUN >2 :nsubj | fell/VERB | {IT} >4 :nsubj | paid/VERB >2",
            3,
            1,
            False,
        ),
        (
            f"{ITS.replace(' Person=3', '')} >1 :nmod | price/NOUN >2 :nsubj | fell/VERB"
            " | it/PRON Number=Sing >4 :nsubj | paid/VERB >2",
            3,
            1,
            False,
        ),
        (
            f"{ITS.replace('Poss=Yes', '')} >1 | price/NOUN >2 :nsubj | fell/VERB | {IT} >4 :nsubj | paid/VERB >2",
            3,
            1,
            False,
        ),
        (f"{IT} >1 :nsubj | paid/VERB | {ITS} >3 :nmod:poss | price/NOUN >1 :dep", 0, 3, False),  # it comes after
        # A clause that belongs to the noun.
        (f"fact/NOUN | that/SCONJ >3 | {IT} >3 :nsubj | has/VERB >0 :ccomp", 2, 0, True),
        (f"fact/NOUN | {IT} >2 :nsubj | has/VERB >0 :advcl", 1, 0, False),
        (f"fact/NOUN | {IT} >2 :nsubj | has/VERB VerbForm=Inf >0 :acl", 1, 0, False),
        (f"plan/NOUN | fact/NOUN >0 :conj | {IT} >3 :nsubj | has/VERB >0 :acl", 2, 1, True),
        (f"plan/NOUN | fact/NOUN >0 :nmod | {IT} >3 :nsubj | has/VERB >0 :acl", 2, 1, False),
        (f"plan/NOUN | keeping/VERB VerbForm=Ger >0 :acl | {IT} >1 :obj", 2, 0, True),
        (f"plan/NOUN | kept/VERB VerbForm=Fin >0 :acl | {IT} >1 :obj", 2, 0, False),
        # Who does what a verb without a subject says.
        (f"men/NOUN >1 :nsubj | came/VERB | left/VERB >1 :conj | {IT} >2 :obl", 3, 0, True),
        (f"men/NOUN >1 :nsubj | came/VERB | he/PRON >3 :nsubj | left/VERB >1 :conj | {IT} >3 :obl", 4, 0, False),
        (f"men/NOUN >1 :nsubj | came/VERB | left/VERB >1 :parataxis | {IT} >2 :obl", 3, 0, False),
        (f"came/VERB | men/NOUN >0 :nsubj | left/VERB >0 :conj | {IT} >2 :obl", 3, 1, True),
        (f"men/NOUN >1 :nsubj | came/VERB | left/VERB >1 :conj | told/VERB >2 :advcl | {IT} >3 :obl", 4, 0, True),
        (
            f"men/NOUN >1 :nsubj | made/VERB | plan/NOUN >1 :obj | save/VERB VerbForm=Inf >2 :acl | {IT} >3 :obj",
            4,
            0,
            True,
        ),
        (
            f"men/NOUN >1 :nsubj | made/VERB | plan/NOUN >1 :obj | saving/VERB VerbForm=Fin >2 :acl | {IT} >3 :obj",
            4,
            0,
            False,
        ),
        (f"men/NOUN >1 :nsubj | saw/VERB | boy/NOUN >1 :obj | ran/VERB >1 :advcl | {IT} >3 :obl", 4, 2, False),
        # What somebody else says.
        (
            "deal/NOUN >2 :obj | bank/NOUN Number=Sing >2 :nsubj | said/VERB"
            f" | {IT} >5 :nsubj | if/SCONJ | pays/VERB >6 :advcl | wins/VERB >2 :ccomp",
            3,
            0,
            True,
        ),
        (
            f"deal/NOUN >2 :obj | banks/NOUN Number=Plur >2 :nsubj | said/VERB | {IT} >4 :nsubj | pays/VERB >2 :ccomp",
            3,
            0,
            False,
        ),
        (
            f"deal/NOUN >2 :obj | she/PRON Number=Sing >2 :nsubj | said/VERB | {IT} >4 :nsubj | pays/VERB >2 :ccomp",
            3,
            0,
            False,
        ),
        (
            f"deal/NOUN >2 :obj | Eva/PROPN Number=Sing >2 :nsubj | said/VERB | {IT} >4 :nsubj | pays/VERB >2 :ccomp",
            3,
            0,
            True,
        ),
        (
            f"deal/NOUN >2 :obj | Eva/PROPN Number=Sing >2 :nsubj | said/VERB | {IT} >4 :nsubj | pays/VERB >2 :conj",
            3,
            0,
            False,
        ),
        (
            f"bank/NOUN Number=Sing >2 :nsubj | deal/NOUN >2 :obj | won/VERB | said/VERB >2 :conj"
            f" | {IT} >5 :nsubj | pays/VERB >3 :ccomp",
            4,
            1,
            True,
        ),
    ],
)
def test_the_edges_of_what_grammar_bars(sentence, pronoun, noun, barred):
    assert cannot_stand_for(text(sentence), pronoun, noun) is barred


def test_a_role_is_a_relation_without_its_subtype():
    assert [role_of(token) for token in text("a/X :nsubj:pass:x | b/X :obj").tokens] == ["nsubj", "obj"]


RULES = """\
pronouns:
  - label: it
    source_forms: [it]
    alternatives: {Masc: [on], Fem: [ona]}
    verbs: {Number: Sing}
    unless_auxiliaries: [mieć]
    source: grammar
  - label: its
    source_forms: [its]
    alternatives: {}
    endings: {Masc: [h, a], Fem: [ha, iha]}
    source: grammar
  - label: this
    source_forms: [this]
    source_upos: [DET]
    alternatives: {Fem: [ta]}
    target_upos: [PRON]
    target_relations: [obj]
    unless_governs: [acl]
    source: grammar
"""
TAGGER = PronounTagger(rules(RULES))
LAMP = ("lamp/NOUN", "lampa/NOUN Gender=Fem Number=Sing", "0-0")
SPADLA = "spadła/VERB Gender=Fem Number=Sing"


def shown(source: str, target: str, links: str) -> list[str]:
    """The words of a target segment that show what *it*, *its* or *this* stands for: the lamp."""
    forms = [word.partition("/")[0] for word in source.split(" | ")]
    place = next(index for index, form in enumerate(forms) if form in ("it", "its", "this"))
    made = document([LAMP, (source, target, links)], [resolution(1, place, (0, 0, 0.9))])
    return [one.expected for one in TAGGER.tag(made)]


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        ("fell/VERB | it/PRON >0 :nsubj", SPADLA, "0-0", True),
        ("it/PRON >1 :nsubj:pass | seen/VERB", SPADLA, "1-0", True),
        ("it/PRON :nsubj | fell/VERB", SPADLA, "1-0", False),
        ("it/PRON >1 :nsubj | came/VERB | fell/VERB >1 :conj", SPADLA, "2-0", True),  # they share the subject
        ("it/PRON >1 :nsubj | came/VERB | he/PRON >3 :nsubj | fell/VERB >1 :conj", SPADLA, "3-0", False),
        ("it/PRON >1 :nsubj | came/VERB | fell/VERB >1 :advcl", SPADLA, "2-0", False),
        ("it/PRON >1 :nsubj | fell/VERB | now/ADV", SPADLA, "1-0:.4 2-0:.9", False),  # the surest link counts
        ("it/PRON >1 :nsubj | fell/VERB", f"ma/AUX lemma=Mieć >1 :aux | {SPADLA}", "1-1", False),
        ("it/PRON >1 :nsubj | fell/VERB", f"jest/AUX lemma=być >1 :aux | {SPADLA}", "1-1", True),
        ("it/PRON >1 :nsubj | fell/VERB", f"ma/VERB lemma=mieć | {SPADLA}", "1-1", True),
        ("it/PRON >1 :nsubj | fell/VERB", f"{SPADLA} >1 :acl | x/X", "1-0", False),  # an attribute
        ("it/PRON >1 :nsubj | fell/VERB", f"{SPADLA} | dom/NOUN Number=Sing >0 :nsubj", "1-0", False),
        ("it/PRON >1 :nsubj | fell/VERB", f"{SPADLA} | domy/NOUN Number=Plur >0 :nsubj", "1-0", True),
        ("it/PRON >1 :nsubj | fell/VERB", f"domy/NOUN Number=Plur >1 :nsubj | {SPADLA}", "1-1", False),
        ("it/PRON >1 :nsubj | fell/VERB", f"{SPADLA} | dom/NOUN >0 :nsubj", "1-0", False),
        ("it/PRON >1 :nsubj | fell/VERB", SPADLA.replace("Fem", "Neut"), "1-0", False),
        ("it/PRON >1 :nsubj | fell/VERB", SPADLA.replace("VERB", "ADJ"), "1-0", False),
        ("it/PRON >1 :nsubj | fell/VERB", SPADLA.replace("Sing", "Plur"), "1-0", False),
    ],
)
def test_a_verb_without_a_subject_shows_what_its_pronoun_stands_for(source, target, links, found):
    assert shown(source, target, links) == (["spadła"] if found else [])


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        ("door/NOUN | its/PRON >0 :nmod:poss", "babiha/NOUN", "0-0", ["babiha"]),
        ("door/NOUN | its/PRON >0 :obl", "babiha/NOUN", "0-0", ["babiha"]),
        ("door/NOUN | its/PRON >0 :iobj", "babiha/NOUN", "0-0", ["babiha"]),
        ("door/NOUN | its/PRON >0 :nsubj", "babiha/NOUN", "0-0", []),
        ("door/NOUN | its/PRON :nmod", "babiha/NOUN", "0-0", []),
        ("door/NOUN | its/PRON >0 :nmod | old/ADJ", "babiha/NOUN", "2-0", []),
        ("door/NOUN | its/PRON >0 :nmod | old/ADJ", "babiha/NOUN", "2-0:.9 0-0:.5", []),
        ("door/NOUN | its/PRON >0 :nmod | old/ADJ", "babiha/NOUN", "2-0:.9 1-0:.5", ["babiha"]),
        ("door/NOUN | its/PRON >0 :nmod", "iha/NOUN", "0-0", ["iha"]),  # the longest that is not all of it
        ("door/NOUN | its/PRON >0 :nmod", "ha/NOUN", "0-0", []),
        ("door/NOUN | its/PRON >0 :nmod", "Babha/NOUN", "0-0", ["Babha"]),
        ("door/NOUN | its/PRON >0 :nmod", "babh/NOUN", "0-0", []),  # a masculine possessor
        ("see/VERB | this/DET >0 :obj", "ta/PRON >1 :obj | x/X", "1-0", ["ta"]),
        ("see/VERB | this/PRON >0 :obj", "ta/PRON >1 :obj | x/X", "1-0", []),
        ("see/VERB | this/DET >0 :obj", "ta/DET >1 :obj | x/X", "1-0", []),
        ("see/VERB | this/DET >0 :obj", "ta/PRON >1 :nsubj | x/X", "1-0", []),
        ("see/VERB | this/DET >0 :obj | who/X >1 :acl", "ta/PRON >1 :obj | x/X", "1-0", []),
        ("see/VERB | this/DET >0 :obj | who/X >0 :acl", "ta/PRON >1 :obj | x/X", "1-0", ["ta"]),
        ("see/VERB | this/DET >0 :expl", "ta/PRON >1 :obj | x/X", "1-0", ["ta"]),  # it shows a gender
    ],
)
def test_an_ending_or_a_form_shows_what_its_pronoun_stands_for(source, target, links, found):
    assert shown(source, target, links) == found
