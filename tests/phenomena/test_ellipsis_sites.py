"""Where words are left out, on parses written by hand: what stands where, and what must not be taken for it."""

from __future__ import annotations

import pytest
from handmade import text

from endophora.phenomena.ellipsis import load_rule_detector

DETECTOR = load_rule_detector("en")
FIN = "VerbForm=Fin"

# A parse, and what is found in it: kind, tokens and, where one is named, the word that licenses it.
VERB_PHRASES = {
    "a predicate before though": (
        "Foolish/ADJ >3 | though/SCONJ >3 | he/PRON >3 :nsubj | was/AUX >5 :advcl | we/PRON >5 :nsubj"
        " | stayed/VERB :root | ./PUNCT >5",
        [],
    ),
    "a predicate before though, after another": (
        "Tired/ADJ :root | and/CCONJ >5 | foolish/ADJ >5 | though/SCONJ >5 | he/PRON >5 :nsubj | was/AUX >0 :conj"
        " | ./PUNCT >0",
        [],
    ),
    "an adjective before though that is of another clause": (
        "He/PRON >1 :nsubj | stayed/VERB :root | calm/ADJ >1 :xcomp | though/SCONJ >5 | she/PRON >5 :nsubj"
        " | was/AUX >1 :advcl | n't/PART >5 | ./PUNCT >1",
        [("verb_phrase", (5, 6))],
    ),
    "a noun that looks like an auxiliary": ("The/DET >1 | can/NOUN >2 :nsubj | fell/VERB :root | ./PUNCT >2", []),
    "a noun after a determiner, taken for an auxiliary": ("That/DET >1 | will/AUX :root | ./PUNCT >1", []),
    "what may stand after it": (
        "I/PRON >1 :nsubj | can/AUX :root | too/ADV >1 | ./PUNCT >1",
        [("verb_phrase", (1,))],
    ),
    "what may not stand after it": ("I/PRON >1 :nsubj | do/AUX :root | well/ADV >1 | ./PUNCT >1", []),
    "before another clause": (
        "I/PRON >1 :nsubj | do/AUX :root | because/SCONJ >4 | I/PRON >4 :nsubj | care/VERB >1 :advcl | ./PUNCT >1",
        [("verb_phrase", (1,))],
    ),
    "be before the clause that is its predicate": (
        "It/PRON >1 :nsubj | is/AUX :root | because/SCONJ >4 | I/PRON >4 :nsubj | care/VERB >1 :advcl | ./PUNCT >1",
        [],
    ),
    "with a pronoun for the verb phrase": (
        "He/PRON >1 :nsubj | ate/VERB :root | more/ADV >1 | than/SCONJ >5 | she/PRON >5 :nsubj | did/AUX >1 :advcl"
        " | so/ADV >5 | ./PUNCT >1",
        [],
    ),
    "two that share a verb": (
        "He/PRON >4 :nsubj | can/AUX >4 :conj | and/CCONJ >3 | must/AUX >4 :aux | go/VERB :root | ./PUNCT >4",
        [],
    ),
    "two that share a verb, an adverb between": (
        "He/PRON >5 :nsubj | can/AUX >5 :conj | and/CCONJ >3 | always/ADV >4 | must/AUX >5 :aux | go/VERB :root"
        " | ./PUNCT >5",
        [],
    ),
    "two with subjects of their own": (
        "She/PRON >1 :nsubj | can/AUX :root | and/CCONJ >4 | he/PRON >4 :nsubj | must/AUX >1 :conj | ./PUNCT >1",
        [("verb_phrase", (1,)), ("verb_phrase", (4,))],
    ),
    "before a colon": (
        "You/PRON >1 :nsubj | may/AUX :root | :/PUNCT >1 | we/PRON >4 :nsubj | stay/VERB >1 | ./PUNCT >1",
        [],
    ),
    "before a dash that is not the last": (
        "You/PRON >1 :nsubj | may/AUX :root | —/PUNCT >1 | we/PRON >4 :nsubj | stay/VERB >1 :parataxis | ./PUNCT >1",
        [("verb_phrase", (1,))],
    ),
    "be with its participle behind an insertion": (
        "He/PRON >6 :nsubj | was/AUX >6 :aux:pass | ,/PUNCT >6 | in/ADP >4 | short/ADJ >6 | ,/PUNCT >6"
        f" | beaten/VERB {FIN} :root | ./PUNCT >6",
        [],
    ),
    "with its verb behind an adverb between commas": (
        f"I/PRON >5 :nsubj | do/AUX >5 :aux | ,/PUNCT | however/ADV >5 | ,/PUNCT | know/VERB {FIN} :root | ./PUNCT >5",
        [],
    ),
    "with another clause behind a comma": (
        f"You/PRON >1 :nsubj | can/AUX :root | ,/PUNCT | we/PRON >4 :nsubj | stay/VERB {FIN} >1 :parataxis | ./PUNCT",
        [("verb_phrase", (1,))],
    ),
    "with the infinitive behind a comma": (
        "You/PRON >1 :nsubj | can/AUX :root | ,/PUNCT | now/ADV | stay/VERB VerbForm=Inf >1 | ./PUNCT",
        [],
    ),
    "with a finite verb of its own behind a comma": (
        f"You/PRON >1 :nsubj | can/AUX :root | ,/PUNCT | now/ADV | stays/VERB {FIN} >1 | ./PUNCT",
        [("verb_phrase", (1,))],
    ),
    "in a condition before the main clause": (
        "If/SCONJ >2 | you/PRON >2 :nsubj | can/AUX >4 :advcl | ,/PUNCT | come/VERB VerbForm=Inf :root | ./PUNCT >4",
        [("verb_phrase", (2,))],
    ),
    "with a verb behind what ends the clause": (
        "You/PRON >1 :nsubj | can/AUX :root | ,/PUNCT | maybe/ADV | ;/PUNCT | stay/VERB VerbForm=Inf >1 | ./PUNCT",
        [("verb_phrase", (1,))],
    ),
    "a tag without a pronoun": (
        "You/PRON >1 :nsubj | left/VERB :root | ,/PUNCT >1 | did/AUX >1 :parataxis | n't/PART >3 | ?/PUNCT >1",
        [("verb_phrase", (3, 4))],
    ),
    "a question with nothing before it that it could be a tag of": (
        "Well/INTJ >2 | ,/PUNCT >2 | did/AUX :root | you/PRON >2 :nsubj | ?/PUNCT >2",
        [("verb_phrase", (2,))],
    ),
    "a short question with particles": (
        "Really/ADV >1 | did/AUX :root | you/PRON >1 :nsubj | not/PART >1 | now/ADV >1 | ?/PUNCT >1",
        [("verb_phrase", (1,))],
    ),
    "a short question with more in it": (
        "Did/AUX :root | you/PRON >0 :nsubj | ,/PUNCT >0 | sir/NOUN >0 :vocative | ?/PUNCT >0",
        [],
    ),
    "a short question with a question word": ("How/ADV >1 | do/AUX :root | you/PRON >1 :nsubj | ?/PUNCT >1", []),
    "a pronoun after it and no question": ("Did/AUX :root | you/PRON >0 :nsubj | ./PUNCT >0", []),
    "a noun after it": ("Did/AUX :root | Ann/PROPN >0 :nsubj | ?/PUNCT >0", []),
    "inverted after so too": (
        "So/ADV >2 | too/ADV >2 | did/AUX :root | she/PRON >2 :nsubj | ./PUNCT >2",
        [("verb_phrase", (2,))],
    ),
    "inverted after an adverb that is none": (
        "Now/ADV >2 | too/ADV >2 | did/AUX :root | she/PRON >2 :nsubj | ./PUNCT >2",
        [],
    ),
    "inverted with its verb": (
        "So/ADV >3 | did/AUX >3 :aux | she/PRON >3 :nsubj | leave/VERB :root | ./PUNCT >3",
        [],
    ),
    "there as its subject": (
        "Yes/INTJ | ,/PUNCT | there/PRON >3 :expl | is/VERB :root | ./PUNCT >3",
        [("verb_phrase", (3,))],
    ),
    "its object before it": (
        "I/PRON >1 :nsubj | saw/VERB :root | fish/NOUN >4 :obj | he/PRON >4 :nsubj | has/VERB >1 | ./PUNCT >1",
        [],
    ),
    "a relative clause without its object": (
        "The/DET >1 | lamp/NOUN :root | he/PRON >3 :nsubj | had/VERB >1 :acl:relcl | ./PUNCT >1",
        [],
    ),
    "a relative clause whose pronoun is its subject": (
        "I/PRON >1 :nsubj | saw/VERB :root | Ann/PROPN >1 :obj | who/PRON xpos=WP >4 :nsubj | did/AUX >2 :acl:relcl"
        " | ./PUNCT >1",
        [("verb_phrase", (4,))],
    ),
    "be whose predicate is asked for": (
        "I/PRON >1 :nsubj | know/VERB :root | how/ADV >3 | tall/ADJ >5 | he/PRON >5 :nsubj"
        " | is/AUX >1 :ccomp | ./PUNCT",
        [],
    ),
    "be whose subject is asked for": (
        "I/PRON >1 :nsubj | know/VERB :root | who/PRON >3 :nsubj | is/AUX >1 :ccomp | ./PUNCT >1",
        [("verb_phrase", (3,))],
    ),
    "do for a verb after a modal": (
        "I/PRON >2 :nsubj | could/AUX >2 :aux | do/VERB :root | ./PUNCT >2",
        [("verb_phrase", (1, 2))],
    ),
    "do as the full verb of a modal": (
        "I/PRON >2 :nsubj | could/AUX >2 :aux | do/VERB :root | it/PRON >2 :obj | ./PUNCT >2",
        [],
    ),
    "do after a modal, asked for": (
        "What/PRON xpos=WP >3 :obj | I/PRON >3 :nsubj | could/AUX >3 :aux | do/VERB :root | ./PUNCT >3",
        [],
    ),
    "do after a modal, with what there is to do": (
        "Nothing/PRON >3 :obj | I/PRON >3 :nsubj | could/AUX >3 :aux | do/VERB :root | ./PUNCT >3",
        [],
    ),
    "do as an infinitive": (
        "I/PRON >1 :nsubj | have/VERB :root | to/PART >3 | do/VERB >1 :xcomp | ./PUNCT >1",
        [],
    ),
    "its object as a relative pronoun": (
        "I/PRON >1 :nsubj | like/VERB :root | what/PRON >1 :obj | he/PRON >4 :nsubj | has/VERB >2 :acl | ./PUNCT >1",
        [],
    ),
    "as soon as": (
        "Call/VERB :root | as/ADV >2 | soon/ADV >0 | as/SCONJ >5 | you/PRON >5 :nsubj | can/AUX >2 :advcl | ./PUNCT >0",
        [("verb_phrase", (5,))],
    ),
    "as though": (
        "He/PRON >1 :nsubj | shouts/VERB :root | as/SCONJ >5 | though/SCONJ >5 | he/PRON >5 :nsubj"
        " | could/AUX >1 :advcl"
        " | ./PUNCT >1",
        [("verb_phrase", (5,))],
    ),
    "than before a number": (
        "More/ADJ >2 | than/ADP >2 | two/NUM >3 :nsubj | can/AUX :root | ./PUNCT >3",
        [("verb_phrase", (3,))],
    ),
    "than before another verb": (
        "He/PRON >1 :nsubj | runs/VERB :root | faster/ADV >1 | than/SCONJ >5 | I/PRON >5 :nsubj | think/VERB >1 :advcl"
        " | you/PRON >7 :nsubj | can/AUX >5 :ccomp | ./PUNCT >1",
        [("verb_phrase", (7,))],
    ),
    "be with an adjunct in a comparison": (
        "He/PRON >2 :nsubj | is/AUX >2 :cop | taller/ADJ :root | than/SCONJ >5 | she/PRON >5 :nsubj | is/AUX >2 :advcl"
        " | in/ADP >7 | heels/NOUN >5 :obl | ./PUNCT >2",
        [("comparative", (5,))],
    ),
    "be with an adjunct of time, taken for a copula": (
        "He/PRON >2 :nsubj | is/AUX >2 :cop | taller/ADJ :root | than/SCONJ >7 | he/PRON >7 :nsubj | was/AUX >7 :cop"
        " | yesterday/NOUN >7 | morning/NOUN >2 :advcl | ./PUNCT >2",
        [("comparative", (5,))],
    ),
    "be with its predicate in a comparison": (
        "He/PRON >2 :nsubj | is/AUX >2 :cop | taller/ADJ :root | than/SCONJ >6 | she/PRON >6 :nsubj | is/AUX >6 :cop"
        " | broad/ADJ >2 :advcl | ./PUNCT >2",
        [],
    ),
    "be with an adjunct and no comparison": (
        "She/PRON >1 :nsubj | is/AUX :root | in/ADP >3 | Rome/PROPN >1 :obl | ./PUNCT >1",
        [],
    ),
    "have with an adjunct in a comparison": (
        "He/PRON >1 :nsubj | works/VERB :root | more/ADV >1 | than/SCONJ >5 | I/PRON >5 :nsubj | have/AUX >1 :advcl"
        " | all/DET >7 | year/NOUN >5 | ./PUNCT >1",
        [("pseudogapping", (5,))],
    ),
    "have as a full verb in a comparison": (
        "He/PRON >1 :nsubj | has/VERB :root | more/ADJ >1 | than/SCONJ >5 | I/PRON >5 :nsubj | have/VERB >1 :advcl"
        " | money/NOUN >5 :obj | ./PUNCT >1",
        [],
    ),
    "have as a full verb in a comparison, with an adjunct": (
        "He/PRON >1 :nsubj | has/VERB :root | more/ADJ >1 | than/SCONJ >5 | I/PRON >5 :nsubj | have/VERB >1 :advcl"
        " | in/ADP >7 | May/PROPN >5 :obl | ./PUNCT >1",
        [("comparative", (5,))],
    ),
    "have with an adjunct and no comparison": (
        "I/PRON >1 :nsubj | have/AUX :root | in/ADP >3 | May/PROPN >1 :obl | ./PUNCT >1",
        [],
    ),
    "a modal with an object": (
        "I/PRON >1 :nsubj | might/AUX :root | Ann/PROPN >1 :obj | ./PUNCT >1",
        [("pseudogapping", (1,))],
    ),
    "a modal as a full verb": ("I/PRON >1 :nsubj | will/VERB :root | Ann/PROPN >1 :obj | ./PUNCT >1", []),
    "a modal as a full verb in a comparison": (
        "He/PRON >1 :nsubj | likes/VERB :root | Eva/PROPN >1 :obj | more/ADV >1 | than/SCONJ >6 | I/PRON >6 :nsubj"
        " | will/VERB >1 :advcl | Ann/PROPN >6 :obj | ./PUNCT >1",
        [("pseudogapping", (6,))],
    ),
    "a modal without a subject": ("Might/AUX :root | Ann/PROPN >0 :obj | ./PUNCT >0", []),
    "inverted in a comparison": (
        "I/PRON >1 :nsubj | run/VERB :root | as/SCONJ >3 | does/AUX >1 :advcl | the/DET >5 | cook/NOUN >3 :nsubj"
        " | ./PUNCT >1",
        [("comparative", (3,))],
    ),
}
INFINITIVES = {
    "before what may stand after it": (
        "You/PRON >1 :nsubj | want/VERB :root | to/PART >1 | too/ADV >1 | ./PUNCT >1",
        [("infinitive", (2,), 1)],
    ),
    "before what may not": ("You/PRON >1 :nsubj | want/VERB :root | to/PART >1 | well/ADV >1 | ./PUNCT >1", []),
    "taken for an adverb": ("You/PRON >1 :nsubj | want/VERB :root | to/ADV >1 | ./PUNCT >1", []),
    "licensed by a form": (
        "I/PRON >2 :nsubj | was/AUX >2 :aux | going/VERB lemma=go :root | to/PART >2 | ./PUNCT >2",
        [("infinitive", (3,), 2)],
    ),
    "licensed by a lemma four words before": (
        "I/PRON >1 :nsubj | told/VERB lemma=tell :root | her/PRON >3 | mother/NOUN >1 :obj | then/ADV >1 | to/PART >1"
        " | ./PUNCT >1",
        [("infinitive", (5,), 1)],
    ),
    "five words before": (
        "I/PRON >1 :nsubj | told/VERB lemma=tell :root | all/DET >4 | her/PRON >4 | mothers/NOUN >1 :obj | then/ADV >1"
        " | to/PART >1 | ./PUNCT >1",
        [],
    ),
    "an adjective between": (
        "I/PRON >1 :nsubj | told/VERB lemma=tell :root | old/ADJ >3 | men/NOUN >1 :obj | to/PART >1 | ./PUNCT >1",
        [],
    ),
    "nothing that licenses it": ("He/PRON >1 :nsubj | walked/VERB lemma=walk :root | to/PART >1 | ./PUNCT >1", []),
}
NOUN_PHRASES = {
    "a genitive of a place with an adjective": (
        "I/PRON >1 :nsubj | met/VERB :root | him/PRON >1 :obj | at/ADP >5 | old/ADJ >5 | Tom/PROPN >1 :obl"
        " | 's/PART >5 | ./PUNCT >1",
        [],
    ),
    "a genitive after an infinitive": (
        "I/PRON >1 :nsubj | want/VERB :root | to/PART >3 | see/VERB >1 :xcomp | old/ADJ >5 | Tom/PROPN >3 :obj"
        " | 's/PART >5 | ./PUNCT >1",
        [("noun_phrase", (6,))],
    ),
    "a genitive whose verb says nothing of who has it": (
        f"Tom/PROPN >3 :nsubj | and/CCONJ >2 | Ann/PROPN >0 :conj | 's/PART >2 | left/VERB {FIN} :root | ./PUNCT >4",
        [],
    ),
    "a friend of mine": (
        "A/DET >1 | friend/NOUN >4 :nsubj | of/ADP >3 | mine/PRON >1 :nmod | left/VERB :root | ./PUNCT >4",
        [],
    ),
    "one of mine": (
        "One/NUM >3 :nsubj | of/ADP >2 | mine/PRON >0 :nmod | left/VERB :root | ./PUNCT >3",
        [("noun_phrase", (2,))],
    ),
    "those of hers": (
        "Those/DET >3 :nsubj | of/ADP >2 | hers/PRON >0 :nmod | left/VERB :root | ./PUNCT >3",
        [("noun_phrase", (2,))],
    ),
    "a score": ("They/PRON >1 :nsubj | won/VERB :root | 3/NUM >1 :obj | –/PUNCT >4 | 1/NUM >2 :obl | ./PUNCT >1", []),
    "a number before a dash": (
        "They/PRON >1 :nsubj | took/VERB :root | 3/NUM >1 :obj | –/PUNCT >1 | today/NOUN >1 :obl | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "a number after a sign": (
        "They/PRON >1 :nsubj | took/VERB :root | $/SYM >1 :obj | 3/NUM >1 :obj | ./PUNCT >1",
        [],
    ),
    "a date of an adjective that is no ordinal": (
        "I/PRON >1 :nsubj | sat/VERB :root | on/ADP >4 | the/DET >4 | red/ADJ >1 :obl | ./PUNCT >1",
        [("noun_phrase", (3, 4))],
    ),
    "a possessive before a name": ("Yours/PRON >1 | Eva/PROPN >2 :nsubj | left/VERB :root | ./PUNCT >2", []),
    "a second genitive as a subject": (
        f"Tom/PROPN >5 | 's/PART >0 | and/CCONJ >3 | Ann/PROPN >0 :conj | 's/PART >3 | is/AUX {FIN} >6 :cop"
        " | red/ADJ :root | ./PUNCT >6",
        [("noun_phrase", (4,))],
    ),
    "one genitive as a subject": (
        f"Tom/PROPN >3 :nsubj | 's/PART >0 | is/AUX {FIN} >3 :cop | red/ADJ :root | ./PUNCT >3",
        [],
    ),
    "a genitive at the end of a clause": (
        "I/PRON >1 :nsubj | took/VERB :root | Tom/PROPN >1 :obj | 's/PART >2 | ./PUNCT >1",
        [("noun_phrase", (3,))],
    ),
    "a genitive without a verb": ("Not/PART | Tom/PROPN :root | 's/PART >1 | ./PUNCT >1", []),
    "a genitive of a place": (
        "I/PRON >1 :nsubj | met/VERB :root | him/PRON >1 :obj | at/ADP >4 | Tom/PROPN >1 :obl | 's/PART >4"
        " | ./PUNCT >1",
        [],
    ),
    "a genitive after a pronoun": (
        "I/PRON >1 :nsubj | took/VERB :root | it/PRON >1 :obj | 's/PART >2 | ./PUNCT >1",
        [],
    ),
    "which before an auxiliary": (
        "And/CCONJ >4 | which/PRON >4 :obj | do/AUX >4 :aux | you/PRON >4 :nsubj | want/VERB :root | ?/PUNCT >4",
        [("noun_phrase", (1,))],
    ),
    "which in a statement": (
        "Which/PRON >3 :obj | do/AUX >3 :aux | you/PRON >3 :nsubj | want/VERB :root | ./PUNCT >3",
        [],
    ),
    "which after a noun": (
        "Tom/PROPN | which/PRON >4 :obj | do/AUX >4 :aux | you/PRON >4 :nsubj | want/VERB :root | ?/PUNCT >4",
        [],
    ),
    "which before its noun": (
        "Which/DET >1 | lamp/NOUN >4 :obj | do/AUX >4 :aux | you/PRON >4 :nsubj | want/VERB :root | ?/PUNCT >4",
        [],
    ),
    "a numeral with a relative clause": (
        "I/PRON >1 :nsubj | took/VERB :root | two/NUM >1 :obj | that/PRON >4 :nsubj"
        " | fell/VERB >2 :acl:relcl | ./PUNCT",
        [],
    ),
    "a quantifier before an adjective and its noun": (
        "I/PRON >1 :nsubj | like/VERB :root | some/DET >4 :det | red/ADJ >4 | lamps/NOUN >1 :obj | ./PUNCT >1",
        [],
    ),
    "a quantifier to which something is given": (
        "They/PRON >1 :nsubj | gave/VERB :root | each/DET >1 :iobj | a/DET >4 | lamp/NOUN >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "a quantifier as the determiner of a verb": (
        "I/PRON >1 :nsubj | took/VERB :root | several/ADJ >1 :det | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "a quantifier after a verb at the end": (
        "I/PRON >1 :nsubj | took/VERB :root | several/ADJ >1 :dep | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "a quantifier as an adverb": (
        "I/PRON >1 :nsubj | slept/VERB :root | some/ADV >1 :advmod | ./PUNCT >1",
        [],
    ),
    "a quantifier after an adverb of degree": (
        "I/PRON >1 :nsubj | took/VERB :root | so/ADV >3 | many/ADJ >1 :obj | ./PUNCT >1",
        [],
    ),
    "a quantifier that floats": (
        f"We/PRON >2 :nsubj | all/DET >2 :nsubj | left/VERB lemma=leave {FIN} :root | ./PUNCT >2",
        [],
    ),
    "a quantifier as the first word before its verb": (
        f"Several/ADJ >1 :dep | left/VERB lemma=leave {FIN} :root | ./PUNCT >1",
        [("noun_phrase", (0,))],
    ),
    "a quantifier before a verb with a subject": (
        f"Several/ADJ >1 :dep | left/VERB lemma=leave {FIN} :root | they/PRON >1 :nsubj | ./PUNCT >1",
        [],
    ),
    "a measure at the end of its clause": (
        "I/PRON >1 :nsubj | want/VERB :root | more/ADJ >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "a measure with what follows it": (
        "I/PRON >1 :nsubj | want/VERB :root | more/ADJ >1 :obj | from/ADP >4 | you/PRON >1 :obl | ./PUNCT >1",
        [],
    ),
    "people in general": (
        f"Many/ADJ >1 :nsubj | believe/VERB lemma=believe {FIN} :root | it/PRON >1 :obj | ./PUNCT >1",
        [],
    ),
    "people in general as the subject of a clause": (
        f"There/ADV >3 | ,/PUNCT | many/ADJ >3 :nsubj | believed/VERB lemma=believe {FIN} :root | it/PRON >3 | ./PUNCT",
        [],
    ),
    "the same quantifier as an object": (
        "He/PRON >1 :nsubj | saw/VERB lemma=see :root | many/ADJ >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2,))],
    ),
    "neither before the verb and its subject": (
        f"Neither/CCONJ >1 :cc | does/AUX {FIN} :root | Ann/PROPN >1 :nsubj | ./PUNCT >1",
        [("verb_phrase", (1,))],
    ),
    "the largest number": ("I/PRON >1 :nsubj | took/VERB :root | 100/NUM >1 :obj | ./PUNCT", [("noun_phrase", (2,))]),
    "a number that is too large": ("I/PRON >1 :nsubj | took/VERB :root | 101/NUM >1 :obj | ./PUNCT >1", []),
    "a number with a comma": (
        "I/PRON >1 :nsubj | took/VERB :root | 1,2/NUM >1 :obj | ./PUNCT",
        [("noun_phrase", (2,))],
    ),
    "a number that is not whole": ("I/PRON >1 :nsubj | took/VERB :root | 1.2/NUM >1 :obj | ./PUNCT >1", []),
    "one": ("I/PRON >1 :nsubj | took/VERB :root | one/NUM >1 :obj | ./PUNCT >1", []),
    "a time": ("I/PRON >1 :nsubj | left/VERB :root | at/ADP >3 | two/NUM >1 :obj | ./PUNCT >1", []),
    "a number after a noun": (
        "I/PRON >1 :nsubj | read/VERB :root | part/NOUN >1 :obj | two/NUM >1 :obj | ./PUNCT >1",
        [],
    ),
    "a number that is an adjunct": ("I/PRON >1 :nsubj | left/VERB :root | two/NUM >1 :obl | ./PUNCT >1", []),
    "a number of another noun": (
        "I/PRON >1 :nsubj | took/VERB :root | lamps/NOUN >1 :obj | and/CCONJ >4 | two/NUM >2 :conj | ./PUNCT >1",
        [],
    ),
    "a number of another verb": (
        "I/PRON >1 :nsubj | took/VERB :root | lamps/NOUN >1 :obj | and/CCONJ >4 | two/NUM >1 :conj | ./PUNCT >1",
        [("noun_phrase", (4,))],
    ),
    "a number with its determiner": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | two/NUM >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2, 3))],
    ),
    "an adjective that says which": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | yellow/ADJ >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2, 3))],
    ),
    "another adjective": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | nice/ADJ >1 :obj | ./PUNCT >1",
        [],
    ),
    "a comparative by its tag": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | nicer/ADJ xpos=JJR >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2, 3))],
    ),
    "a comparative by its features": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | nicer/ADJ Degree=Cmp >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2, 3))],
    ),
    "an adjective without a determiner": (
        "I/PRON >1 :nsubj | like/VERB :root | yellow/ADJ >1 :obj | ./PUNCT >1",
        [],
    ),
    "an ordinal": (
        "I/PRON >1 :nsubj | took/VERB :root | the/DET >3 | second/ADJ >1 :obj | ./PUNCT >1",
        [("noun_phrase", (2, 3))],
    ),
    "an ordinal as a date": (
        "I/PRON >1 :nsubj | left/VERB :root | on/ADP >4 | the/DET >4 | second/ADJ >1 :obl | ./PUNCT >1",
        [],
    ),
}
SLUICES = {
    "with its preposition": (
        "I/PRON >1 :nsubj | know/VERB :root | with/ADP >3 | whom/PRON >1 :ccomp | ./PUNCT >1",
        [("sluicing", (2, 3), 1)],
    ),
    "with what may follow": (
        "I/PRON >1 :nsubj | know/VERB :root | why/ADV >1 | not/PART >2 | ./PUNCT >1",
        [("sluicing", (2, 3), 1)],
    ),
    "with its clause": (
        "I/PRON >1 :nsubj | know/VERB :root | why/ADV >4 | he/PRON >4 :nsubj | left/VERB >1 :ccomp | ./PUNCT >1",
        [],
    ),
    "four words after what licenses it": (
        "I/PRON >1 :nsubj | know/VERB :root | it/PRON >1 | very/ADV >4 | well/ADV >1 | why/ADV >1 | ./PUNCT >1",
        [("sluicing", (5,), 1)],
    ),
    "five words after it": (
        "I/PRON >1 :nsubj | know/VERB :root | it/PRON >1 | so/ADV >5 | very/ADV >5 | well/ADV >1"
        " | why/ADV >1 | ./PUNCT",
        [],
    ),
    "before one dash": (
        "I/PRON >1 :nsubj | wonder/VERB :root | who/PRON >1 | —/PUNCT | so/ADV >1 | ./PUNCT >1",
        [("sluicing", (2,), 1)],
    ),
    "before another question word": (
        "I/PRON >1 :nsubj | know/VERB :root | who/PRON >1 | or/CCONJ >4 | why/ADV >2 :conj | ./PUNCT >1",
        [("sluicing", (4,), 1)],
    ),
    "in a set phrase": ("You/PRON >1 :nsubj | know/VERB :root | what/PRON >1 | ./PUNCT >1", []),
    "alone": ("And/CCONJ >2 | then/PART >2 | why/ADV :root | not/PART >2 | ?/PUNCT >2", [("sluicing", (2,), None)]),
    "alone with a preposition": ("With/ADP >1 | whom/PRON :root | ?/PUNCT >1", [("sluicing", (1,), None)]),
    "alone and no question": ("Why/ADV :root | ./PUNCT >0", []),
    "not alone": ("Why/ADV :root | you/PRON >0 | ?/PUNCT >0", []),
    "one that is never alone": ("Or/CCONJ >1 | what/PRON :root | ?/PUNCT >1", []),
}
GAPS = {
    "nine words": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >4 | Tom/PROPN >1 :conj | the/DET >12"
        " | a/ADJ >12 | b/ADJ >12 | c/ADJ >12 | d/ADJ >12 | e/ADJ >12 | f/ADJ >12 | lamb/NOUN >4 | ./PUNCT >1",
        [("gapping", (4, 5, 6, 7, 8, 9, 10, 11, 12))],
    ),
    "ten words": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >4 | Tom/PROPN >1 :conj | the/DET >13"
        " | a/ADJ >13 | b/ADJ >13 | c/ADJ >13 | d/ADJ >13 | e/ADJ >13 | f/ADJ >13 | g/ADJ >13 | lamb/NOUN >4"
        " | ./PUNCT >1",
        [],
    ),
    "a name and a noun phrase": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >4 | Tom/PROPN >1 :conj | the/DET >6"
        " | meat/NOUN >4 | ./PUNCT >1",
        [("gapping", (4, 5, 6))],
    ),
    "the same after a comma": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | ,/PUNCT >4 | Tom/PROPN >1 :conj | the/DET >6"
        " | meat/NOUN >4 | ./PUNCT >1",
        [],
    ),
    "a contrast after a comma": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | ,/PUNCT >4 | others/NOUN >1 :conj | the/DET >6"
        " | meat/NOUN >4 | ./PUNCT >1",
        [("gapping", (4, 5, 6))],
    ),
    "a name and an adjective after a comma": (
        "Eva/PROPN >2 :nsubj | was/AUX >2 :cop | happy/ADJ :root | ,/PUNCT >4 | Tom/PROPN >2 :conj | sad/ADJ >4"
        " | ./PUNCT >2",
        [("gapping", (4, 5))],
    ),
    "a verb in it": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >5 | Tom/PROPN >5 :nsubj | had/VERB >1"
        " | the/DET >7 | meat/NOUN >5 | ./PUNCT >1",
        [],
    ),
    "no clause before": (
        "Eva/PROPN :root | and/CCONJ >2 | Tom/PROPN >0 :conj | the/DET >4 | cook/NOUN >2 | ./PUNCT",
        [],
    ),
    "a list of nouns": (
        "It/PRON >1 :nsubj | brought/VERB :root | rain/NOUN >1 :obj | and/CCONJ >4 | snow/NOUN >2 :conj | in/ADP >6"
        " | May/PROPN >4 | ./PUNCT >1",
        [],
    ),
    "a pronoun that can only be a subject": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >5 | he/PRON >5 | meat/NOUN >1 :conj"
        " | ./PUNCT >1",
        [("gapping", (4, 5))],
    ),
    "such a pronoun before an adverb": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >4 | he/PRON >1 :conj | there/ADV >4"
        " | ./PUNCT >1",
        [],
    ),
    "the preposition of the clause before": (
        "Eva/PROPN >1 :nsubj | went/VERB :root | to/ADP >3 | Rome/PROPN >1 :obl | and/CCONJ >5 | Tom/PROPN >1 :conj"
        " | to/ADP >7 | Paris/PROPN >5 | ./PUNCT >1",
        [("gapping", (5, 6, 7))],
    ),
    "another preposition": (
        "Eva/PROPN >1 :nsubj | went/VERB :root | to/ADP >3 | Rome/PROPN >1 :obl | and/CCONJ >5 | Tom/PROPN >1 :conj"
        " | of/ADP >7 | Paris/PROPN >5 | ./PUNCT >1",
        [],
    ),
    "the preposition of a noun": (
        "Eva/PROPN >1 :nsubj | saw/VERB :root | roads/NOUN >1 :obj | to/ADP >4 | Rome/PROPN >2 :nmod | and/CCONJ >6"
        " | Tom/PROPN >1 :conj | to/ADP >8 | Paris/PROPN >6 | ./PUNCT >1",
        [],
    ),
    "the preposition that opens the clause before": (
        "In/ADP >1 | May/PROPN >3 :obl | we/PRON >3 :nsubj | saw/VERB :root | Rome/PROPN >3 :obj"
        " | and/CCONJ >7 | in/ADP"
        " >7 | June/PROPN >3 :conj | Paris/PROPN >7 | ./PUNCT >3",
        [("gapping", (6, 7, 8))],
    ),
    "a name of two words": (
        "Eva/PROPN >1 :nsubj | ate/VERB :root | fish/NOUN >1 :obj | and/CCONJ >4 | Tom/PROPN >1 :conj | Fox/PROPN >4"
        " :flat | ./PUNCT >1",
        [],
    ),
    "a price": (
        "It/PRON >1 :nsubj | fell/VERB :root | again/ADV >1 | and/CCONJ >5 | three/NUM >5 :nummod | cents/NOUN >1 :conj"
        " | a/DET >7 | share/NOUN >5 | ./PUNCT >1",
        [],
    ),
}
FRAGMENTS = {
    "a phrase with a preposition": (
        "To/ADP >2 | the/DET >2 | town/NOUN :root | ./PUNCT >2",
        [("fragment", (0, 1, 2))],
    ),
    "after an adverb": (
        "Only/ADV >2 | in/ADP >2 | May/PROPN :root | !/PUNCT >2",
        [("fragment", (0, 1, 2))],
    ),
    "after a conjunction and an interjection of the list": (
        "Oh/INTJ >3 | ,/PUNCT | and/CCONJ >3 | in/ADP | May/PROPN :root | ?/PUNCT >3",
        [("fragment", (2, 3, 4))],
    ),
    "after another interjection": ("Hell/INTJ >2 | in/ADP >2 | May/PROPN :root | ./PUNCT >2", []),
    "without a mark at its end": ("To/ADP >2 | the/DET >2 | town/NOUN :root", []),
    "with a verb": ("To/ADP >1 | have/VERB :root | lamps/NOUN >1 :obj | ./PUNCT >1", []),
    "a preposition alone": ("Yes/INTJ >2 | ,/PUNCT | in/ADP :root | ./PUNCT >2", []),
    "a comparison": ("Like/ADP >1 | him/PRON :root | ./PUNCT >1", []),
    "a set phrase": ("By/ADP >2 | the/DET >2 | way/NOUN :root | ./PUNCT >2", []),
    "a cause": (
        "Because/SCONJ >2 | it/PRON >2 :nsubj | rained/VERB :root | ./PUNCT >2",
        [("fragment", (0, 1, 2))],
    ),
    "a cause with its main clause": (
        "Because/SCONJ >2 | it/PRON >2 :nsubj | rained/VERB >5 :advcl | ,/PUNCT | we/PRON >5 :nsubj | left/VERB :root"
        " | ./PUNCT >5",
        [],
    ),
    "a reply of three words": ("And/CCONJ >1 | me/PRON :root | neither/ADV >1 | ./PUNCT", [("fragment", (0, 1, 2))]),
    "a reply of four words": ("And/CCONJ >2 | then/PART | me/PRON :root | neither/ADV >2 | ./PUNCT", []),
    "eight words": (
        "In/ADP >7 | a/DET >7 | b/ADJ >7 | c/ADJ >7 | d/ADJ >7 | e/ADJ >7 | f/ADJ >7 | town/NOUN :root | ./PUNCT >7",
        [("fragment", (0, 1, 2, 3, 4, 5, 6, 7))],
    ),
    "nine words": (
        "In/ADP >8 | a/DET >8 | b/ADJ >8 | c/ADJ >8 | d/ADJ >8 | e/ADJ >8 | f/ADJ >8 | g/ADJ >8 | town/NOUN :root"
        " | ./PUNCT >8",
        [],
    ),
}


def found(written: str) -> list[tuple[str, tuple[int, ...], int | None]]:
    """What the detector finds in a parse; every word of it is read, so the parse must have no word too few."""
    return [(site.kind, site.tokens, site.licensor) for site in DETECTOR.detect_many([text(written)])[0]]


@pytest.mark.parametrize("case", VERB_PHRASES)
def test_an_auxiliary_is_stranded_where_its_verb_is_left_out(case: str):
    written, expected = VERB_PHRASES[case]
    assert [(kind, tokens) for kind, tokens, _ in found(written)] == expected


@pytest.mark.parametrize("case", NOUN_PHRASES)
def test_a_noun_phrase_stands_without_its_noun(case: str):
    written, expected = NOUN_PHRASES[case]
    assert [(kind, tokens) for kind, tokens, _ in found(written)] == expected


@pytest.mark.parametrize("case", INFINITIVES)
def test_a_particle_stands_without_its_infinitive(case: str):
    written, expected = INFINITIVES[case]
    assert found(written) == expected


@pytest.mark.parametrize("case", SLUICES)
def test_a_question_word_stands_without_its_clause(case: str):
    written, expected = SLUICES[case]
    assert found(written) == expected


@pytest.mark.parametrize("case", GAPS)
def test_a_clause_shares_the_verb_of_the_one_before(case: str):
    written, expected = GAPS[case]
    assert [(kind, tokens) for kind, tokens, _ in found(written)] == expected


@pytest.mark.parametrize("case", FRAGMENTS)
def test_an_answer_lacks_its_clause(case: str):
    written, expected = FRAGMENTS[case]
    assert [(kind, tokens) for kind, tokens, _ in found(written)] == expected
