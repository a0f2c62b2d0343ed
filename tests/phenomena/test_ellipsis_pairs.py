"""Ellipsis by pairs of sentences that differ in one word or label: in one something is left out, in the other not."""

from __future__ import annotations

import pytest
from handmade import text

from endophora.phenomena.ellipsis import load_rule_detector

DETECTOR = load_rule_detector("en")


def found(written: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(site.kind, site.tokens) for site in DETECTOR.detect_many([text(written)])[0]]


BOOK = "I/PRON >1 :nsubj | read/VERB :root"
PAIRS = {
    # what it shows: (a parse, what is left out, (old, new) replacements that make the other sentence)
    "a genitive at the end of a clause": (
        f"{BOOK} | Eva/PROPN >1 :obj | 's/PART >2 :case | ./PUNCT >1",
        ("noun_phrase", (3,)),
        [
            ("Eva/PROPN >1 :obj", "late/ADV >1"),  # no name
            ("read/VERB", "mine/PRON"),  # no verb: a title
            ("I/PRON >1 :nsubj | read/VERB :root", "stay/VERB :root | at/ADP >2"),  # the firm or the house
            ("| ./PUNCT >1", "| book/NOUN >1 | ./PUNCT >1"),  # its noun follows
        ],
    ),
    "a genitive of a noun": (
        f"{BOOK} | father/NOUN >1 :obj | 's/PART >2 :case | ./PUNCT >1",
        ("noun_phrase", (3,)),
        [("father/NOUN", "fathers/VERB")],
    ),
    "a genitive before a finite auxiliary is set against another one": (
        "it/PRON >1 :nsubj | fell/VERB :root | but/CCONJ >3 | Eva/PROPN >6 :nsubj | 's/PART >3 :case"
        " | has/AUX VerbForm=Fin >6 :aux | held/VERB >1 :conj | ./PUNCT >1",
        ("noun_phrase", (4,)),
        [("but/CCONJ", ",/PUNCT"), ("VerbForm=Fin", "VerbForm=Inf"), ("has/AUX", "shop/NOUN")],
    ),
    "a question word before its auxiliary": (
        "Which/PRON >3 :obj | do/AUX >3 :aux | you/PRON >3 :nsubj | prefer/VERB :root | ?/PUNCT >3",
        ("noun_phrase", (0,)),
        [
            ("?/PUNCT", "./PUNCT"),
            ("do/AUX", "day/NOUN"),
            ("Which", "Who"),
            ("Which/PRON >3", "Tell/VERB | which/PRON >4"),
        ],
    ),
    "a possessive that is counted": (
        f"{BOOK} | one/NUM >1 :obj | of/ADP >4 :case | mine/PRON >2 :nmod | ./PUNCT >1",
        ("noun_phrase", (4,)),
        [("one/NUM", "friend/NOUN")],  # a friend of mine: nothing is left out
    ),
    "a numeral as the subject": (
        "Two/NUM >1 :nsubj | fell/VERB :root | ./PUNCT >1",
        ("noun_phrase", (0,)),
        [(":nsubj", ":obl"), ("Two/NUM", "Two/NUM >1 :nsubj | men/NOUN"), ("Two/NUM", "Millions/NOUN"), ("Two", "One")],
    ),
    "a numeral that receives": (
        "I/PRON >1 :nsubj | gave/VERB :root | two/NUM >1 :iobj | it/PRON >1 :obj | ./PUNCT >1",
        ("noun_phrase", (2,)),
        [(":iobj", ":advmod")],
    ),
    "a numeral in figures": (
        f"{BOOK} | 12/NUM >1 :obj | ./PUNCT >1",
        ("noun_phrase", (2,)),
        [
            ("12/", "1812/"),
            ("12/NUM", "at/ADP >3 | 12/NUM"),
            ("12/NUM", "page/NOUN >1 | 12/NUM"),
            ("| ./PUNCT", "| -/SYM | 3/NUM | ./PUNCT"),
        ],
    ),
    "a numeral that is joined to a verb": (
        "I/PRON >1 :nsubj | won/VERB :root | and/CCONJ >4 | she/PRON >4 | lost/VERB >1 :conj"
        " | two/NUM >4 :conj | ./PUNCT >1",
        ("noun_phrase", (5,)),
        [("two/NUM >4", "two/NUM >3")],
    ),
    "a comparative with its article": (
        f"{BOOK} | the/DET >3 :det | smaller/ADJ Degree=Cmp >1 :obj | ./PUNCT >1",
        ("noun_phrase", (2, 3)),
        [
            ("Degree=Cmp", "Degree=Pos"),
            ("the/DET", "much/ADV"),
            (":obj", ":advmod"),
            ("| ./PUNCT", "| ones/NOUN | ./PUNCT"),
        ],
    ),
    "an ordinal with its article": (
        f"{BOOK} | quickly/ADV >1 | the/DET >4 :det | second/ADJ >1 :obj | ./PUNCT >1",
        ("noun_phrase", (3, 4)),
        [("quickly/ADV", "on/ADP"), ("second", "strange")],
    ),
    "a colour beside another": (
        f"{BOOK} | the/DET >3 :det | old/ADJ >1 :obj | and/CCONJ >6 | the/DET >6 :det"
        " | strange/ADJ >3 :conj | ./PUNCT >1",
        ("noun_phrase", (2, 3)),
        [("strange/ADJ >3 :conj", "new/ADJ >7 :amod | book/NOUN >3 :conj")],  # both are of the book
    ),
    "a colour that receives": (
        "I/PRON >1 :nsubj | gave/VERB :root | the/DET >3 :det | red/ADJ >1 :iobj | paint/NOUN >1 :obj | ./PUNCT >1",
        ("noun_phrase", (2, 3)),
        [("red/ADJ >1 :iobj", "red/ADJ >4 :amod"), ("red/ADJ >1 :iobj", "red/ADJ >1 :nsubj")],
    ),
    "a quantifier with nothing after it": (
        f"{BOOK} | several/ADJ >1 :obj | ./PUNCT >1",
        ("noun_phrase", (2,)),
        [
            ("| ./PUNCT", "| of/ADP | ./PUNCT"),
            ("| ./PUNCT", "| that/PRON >4 | fell/VERB >2 :acl:relcl | ./PUNCT"),
            ("several/ADJ", "very/ADV >3 | several/ADJ"),
            ("| ./PUNCT", "| than/SCONJ | ./PUNCT"),
            ("several", "quick"),
        ],
    ),
    "a quantifier as the subject": (
        "Several/ADJ >1 :nsubj | fell/VERB lemma=fall VerbForm=Fin :root | ./PUNCT >1",
        ("noun_phrase", (0,)),
        [("fell/VERB", "rain/NOUN"), (":nsubj", ":advmod | men/NOUN >2 :nsubj")],
    ),
    "some who did not only say so": (
        "Some/DET >1 :nsubj | fell/VERB lemma=fall VerbForm=Fin :root | ./PUNCT >1",
        ("noun_phrase", (0,)),
        [("lemma=fall", "lemma=believe")],
    ),
    "a question word alone": (
        "And/CCONJ | why/ADV :root | ?/PUNCT",
        ("sluicing", (1,)),
        [("?/PUNCT", "./PUNCT"), ("why/ADV", "fine/ADJ"), ("?/PUNCT", "Tom/PROPN | ?/PUNCT")],
    ),
    "a question word with its preposition": (
        "I/PRON >1 :nsubj | know/VERB lemma=know :root | with/ADP >3 | whom/PRON >1 :ccomp | ./PUNCT >1",
        ("sluicing", (2, 3)),
        [("lemma=know", "lemma=meet"), ("| ./PUNCT", "| came/VERB | ./PUNCT")],
    ),
    "a question word with *else*": (
        "I/PRON >1 :nsubj | know/VERB lemma=know :root | who/PRON >1 :ccomp | else/ADV >2 | ./PUNCT >1",
        ("sluicing", (2, 3)),
        [("else/ADV", "sang/VERB")],
    ),
    "a stranded auxiliary after a subordinator, before a command": (
        "If/SCONJ >2 :mark | you/PRON >2 :nsubj | can/AUX >4 :advcl | ,/PUNCT >4"
        " | stay/VERB Mood=Imp VerbForm=Fin :root | ./PUNCT >4",
        ("verb_phrase", (2,)),
        [(",/PUNCT >4 | stay", "stay")],
    ),
    "an auxiliary whose verb comes after an adverb between commas": (
        "She/PRON >1 :nsubj | can/AUX :root | ,/PUNCT | sadly/ADV | ,/PUNCT | I/PRON >6 :nsubj"
        " | think/VERB VerbForm=Fin >1 :parataxis | ./PUNCT",
        ("verb_phrase", (1,)),
        [
            (
                "can/AUX :root | ,/PUNCT | sadly/ADV | ,/PUNCT | I/PRON >6 :nsubj | think/VERB VerbForm=Fin >1",
                "can/AUX >5 :aux | ,/PUNCT | sadly/ADV | ,/PUNCT | think/VERB VerbForm=Inf >1",
            )
        ],
    ),
    "two phrases of a clause whose verb stands before": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | the/DET >3 | fish/NOUN >1 :obj | and/CCONJ >5"
        " | Tom/PROPN >1 :conj | the/DET >7 | soup/NOUN >5 | ./PUNCT >1",
        ("gapping", (5, 6, 7)),
        [
            ("Tom/PROPN >1 :conj", "Tom/PROPN >1 :compound"),
            ("| the/DET >7 | soup/NOUN >5 |", "| sang/VERB >1 | the/DET >8 | soup/NOUN >5 |"),
            ("and/CCONJ", "with/ADP"),
            ("| the/DET >7 | soup/NOUN >5 |", "|"),
            ("Tom/PROPN >1 :conj", "two/NUM >6 :nummod | cents/NOUN >1 :conj"),
        ],
    ),
    "a second place with the same preposition": (
        "Eva/PROPN >1 :nsubj | went/VERB :root | to/ADP >3 :case | Rome/PROPN >1 :obl | and/CCONJ >5"
        " | Tom/PROPN >1 :conj | to/ADP >7 :case | Paris/PROPN >5 | ./PUNCT >1",
        ("gapping", (5, 6, 7)),
        [("Tom/PROPN >1 :conj | to/ADP", "Tom/PROPN >1 :conj | in/ADP"), ("Rome/PROPN >1 :obl", "Rome/PROPN >1 :nmod")],
    ),
    "a pronoun that can only be a subject, after a comma": (
        "He/PRON >1 :nsubj | took/VERB :root | tea/NOUN >1 :obj | ,/PUNCT | she/PRON >1 :conj | milk/NOUN >4"
        " | ./PUNCT >1",
        ("gapping", (4, 5)),
        [
            ("she/PRON", "her/PRON"),
            ("milk/NOUN", "gladly/ADV"),
            ("He/PRON >1 :nsubj | took/VERB", "Yes/INTJ | tea/NOUN"),
        ],
    ),
    "a comparison with *be* and its adjunct": (
        "It/PRON >2 :nsubj | is/AUX >2 :cop | colder/ADJ :root | than/SCONJ >5 :mark | it/PRON >5 :nsubj"
        " | was/AUX >2 :advcl | in/ADP >7 | May/PROPN >5 | ./PUNCT >2",
        ("comparative", (5,)),
        [
            ("was/AUX >2 :advcl | in/ADP >7 | May/PROPN >5", "was/AUX >6 :cop | wet/ADJ >2 :advcl"),
            ("colder/ADJ :root | than", "looked/VERB :root | as"),
        ],
    ),
    "an inverted clause": (
        "So/ADV >1 | can/AUX :root | Eva/PROPN >1 :nsubj | ./PUNCT >1",
        ("verb_phrase", (1,)),
        [("So/ADV", "Today/NOUN"), ("Eva/PROPN >1 :nsubj", "Eva/PROPN >3 :nsubj | sing/VERB >1")],
    ),
    "a short question": (
        "Oh/INTJ | ,/PUNCT | does/AUX :root | she/PRON >2 :nsubj | ?/PUNCT >2",
        ("verb_phrase", (2,)),
        [("Oh/INTJ", "How/ADV"), ("?/PUNCT", "./PUNCT"), ("she/PRON >2 :nsubj", "she/PRON >2 :nsubj | tea/NOUN")],
    ),
}


@pytest.mark.parametrize(("written", "site", "others"), PAIRS.values(), ids=PAIRS)
def test_a_change_of_one_word_or_label_tells_whether_something_is_left_out(written, site, others):
    assert found(written) == [site]
    for old, new in others:
        assert old in written
        assert site not in found(written.replace(old, new)), new
