"""What each key of a rule of formality asks for: one rule, one sentence, and the words that show a level."""

from __future__ import annotations

from functools import cache

import pytest
from handmade import document, rules

from endophora.languages import load_language
from endophora.phenomena.formality import FormalityTagger

EN = load_language("en")
parsed = cache(rules)


def tagger(words: str = "", verbs: str = "", honorifics: str = "") -> FormalityTagger:
    """A tagger with the rules of a language, in YAML's flow style; *ty* is informal, *Pan* formal if written so."""
    own = "{level: informal, forms: [ty], source: x}, {level: formal, forms: [Pan], cased: true, source: x}"
    lists = f"formality: [{own}, {words}]\nformality_verbs: [{verbs}]\nhonorifics: [{honorifics}]\n"
    return FormalityTagger(EN, parsed(lists))


def shown(made: FormalityTagger, source: str, target: str, links: str = "", *, evident: bool = False) -> list[str]:
    """The words that show a level; those that cannot be tagged in brackets."""
    doc = document([(source, target, links)])
    found = made.words(doc, evident=evident)
    forms = ((doc.target[0].tokens[index].form, tagged) for _, index, _, _, tagged in found)
    return [form if tagged else f"({form})" for form, tagged in forms]


YOU = "you/PRON >1 :nsubj | see/VERB"
OBJECT = "source_relations: [obj], linked: always"
THEY = "they/PRON >1 :nsubj | see/VERB"


@pytest.mark.parametrize(
    ("rule", "target", "expected"),
    [
        ("features: {Person: '2'}", "wiesz/AUX Person=2", ["wiesz"]),
        ("features: {Person: '2'}", "wiesz/NOUN Person=2", []),  # features without parts of speech ask for a verb
        ("features: {Person: '2'}", "wiesz/VERB Person=1", []),
        ("forms: [wiesz]", "Wiesz/NOUN", ["Wiesz"]),
        ("forms: [wiesz]", "wie/VERB", []),
        ("upos: [ADV], forms: [wiesz]", "wiesz/VERB", []),
        ("lemmas: [wiedzieć]", "wiesz/VERB lemma=Wiedzieć", ["wiesz"]),
        ("lemmas: [wiedzieć]", "wiesz/VERB lemma=wie", []),
        ("endings: [sz], unless_forms: [wiesz]", "wiesz/VERB | nosisz/VERB", ["nosisz"]),
        ("endings: [sz], unless_endings: [esz]", "wiesz/VERB | nosisz/VERB", ["nosisz"]),
        ("pattern: i.sz", "wiesz/VERB | nosisz/VERB", ["wiesz"]),
        ("lemma_pattern: ^no", "noszą/VERB lemma=nosić | znoszą/VERB lemma=znosić", ["noszą"]),
        ("forms: [wiesz], unless_relations: [amod]", "wiesz/VERB :amod | wiesz/VERB :root", ["wiesz"]),
        ("forms: [wiesz], unless_governs: [aux]", "ma/AUX >1 :aux | wiesz/VERB", []),
        ("forms: [wiesz], unless_governs: [aux]", "ma/AUX >2 :aux | wiesz/VERB | być/VERB", ["wiesz"]),
        ("forms: [wiesz], unless_governs: [aux]", "ma/AUX >1 :obj | wiesz/VERB", ["wiesz"]),
        ("forms: [wiesz], before: ^a", "a/X | wiesz/VERB", ["wiesz"]),
        ("forms: [wiesz], before: a", "wiesz/VERB | a/X", []),
        ("forms: [wiesz], after: ' a'", "wiesz/VERB | a/X", ["wiesz"]),
        ("forms: [wiesz], after: a", "wiesz/VERB | a/X", []),  # it must follow at once
        ("forms: [wiesz], unless_next: [Co]", "wiesz/VERB | Co/PRON", []),
        ("forms: [wiesz], unless_next: [Co]", "wiesz/VERB | co/PRON", ["wiesz"]),
        ("forms: [wiesz], unless_next: [Co]", "a/X | wiesz/VERB", ["wiesz"]),
    ],
)
def test_a_verb_rule_asks_for_all_that_it_gives(rule, target, expected):
    made = tagger(verbs=f"{{level: informal, {rule}, addressed: any, source: x}}")
    assert shown(made, "see/VERB", target) == expected


def test_a_rule_looks_at_forty_characters_on_either_side():
    for gap, expected in ((38, ["wiesz"]), (39, [])):
        before = tagger(verbs="{level: informal, forms: [wiesz], before: z, addressed: any, source: x}")
        assert shown(before, "see/VERB", f"z{'a' * gap}/X | wiesz/VERB") == expected
        after = tagger(verbs="{level: informal, forms: [wiesz], after: '.*z', addressed: any, source: x}")
        assert shown(after, "see/VERB", f"wiesz/VERB | {'a' * gap}z/X") == expected


@pytest.mark.parametrize(
    ("rule", "source", "target", "links", "expected"),
    [
        ("linked: ignored, features: {Case: Acc}", THEY, "cię/NOUN", "0-0", ["cię"]),
        ("features: {Case: Acc}", YOU, "cię/PRON Case=Acc", "0-0", ["cię"]),
        ("features: {Case: Acc}", YOU, "cię/PRON Case=Gen", "0-0", []),
        ("unless_after: [za]", YOU, "Za/ADP | cię/PRON", "0-1", []),
        ("unless_after: [za]", YOU, "cię/PRON | za/ADP", "0-0", ["cię"]),
        ("unless_after: [za]", YOU, "za/ADP | o/ADP | cię/PRON", "0-2", ["cię"]),
        ("next_upos: [VERB]", YOU, "cię/PRON | widzę/VERB", "0-0", ["cię"]),
        ("next_upos: [VERB]", YOU, "cię/PRON | dom/NOUN | widzę/VERB", "0-0", []),
        ("next_upos: [VERB]", YOU, "widzę/VERB | cię/PRON", "0-1", []),
        ("source_forms: [thee], linked: always", YOU, "cię/PRON", "0-0", []),
        ("source_forms: [thee], linked: always", "Thee/PRON", "cię/PRON", "0-0", ["cię"]),
        ("source_relations: [nsubj], linked: always", YOU.replace("nsubj", "nsubj:pass"), "cię/PRON", "0-0", ["cię"]),
        (OBJECT, YOU, "cię/PRON", "0-0", []),
        (f"{OBJECT}, governors: [lubić]", YOU, "cię/PRON >1 | x/VERB lemma=Lubić", "0-0", ["cię"]),
        (f"{OBJECT}, governors: [lubić]", YOU, "cię/PRON >1 | x/VERB lemma=nosić", "0-0", []),
        (f"{OBJECT}, governors: [lubić]", YOU, "x/VERB lemma=lubić | cię/PRON >0", "0-1", ["cię"]),
        (f"{OBJECT}, governors: [lubić]", YOU, "cię/PRON | x/VERB lemma=lubić", "0-0", []),
        ("upos: [PRON]", "see/VERB", "cię/NOUN", "", []),
        ("upos: [PRON]", "see/VERB", "cię/PRON", "", ["cię"]),
        ("upos: [PRON]", YOU, "cię/NOUN", "0-0", ["cię"]),  # the link tells it, whatever the model takes it for
        ("upos: [PRON], linked: always", YOU, "cię/NOUN", "0-0", []),
        ("linked: always", "see/VERB", "cię/PRON", "0-0", []),
        ("linked: never", THEY, "cię/PRON", "0-0", []),
        ("linked: never", THEY, "cię/PRON Person=2", "0-0", ["cię"]),  # its own features say more than a link
        ("linked: initial", THEY, "cię/PRON Person=2", "0-0", []),
        ("linked: never", "cię/X", "cię/PRON", "0-0", []),  # left as it was
        ("linked: initial", "see/VERB", "a/X | cię/PRON", "", ["cię"]),
        ("linked: initial", "see/VERB", "cię/PRON", "", []),
        ("linked: initial", YOU, "cię/PRON", "", ["cię"]),
        ("linked: initial", f"{YOU} | they/PRON", "cię/PRON", "", []),
        ("linked: spoken", YOU, "cię/PRON", "", ["cię"]),
        ("linked: spoken", "see/VERB Mood=Imp :root", "cię/PRON", "", []),  # an imperative alone says too little
        ("linked: spoken, source_forms: [thee]", YOU, "cię/PRON", "", []),
        ("linked: spoken", "she/PRON >1 :nsubj | sees/VERB Mood=Ind :root", "cię/PRON", "", []),
        ("linked: segment", YOU, "cię/PRON | Anna/PROPN", "", []),
        ("linked: segment", YOU, "Anna/PROPN | cię/PRON", "", ["cię"]),
        ("linked: segment", f"{YOU} | Sir/PROPN", "cię/PRON | a/X", "2-0", []),
        ("linked: segment", f"{YOU} | man/NOUN", "cię/PRON | a/X", "2-0", []),
        ("linked: segment", f"{YOU} | old/ADJ", "cię/PRON | dom/NOUN", "2-0", ["cię"]),
        ("linked: segment", "see/VERB", "cię/PRON", "", []),
        ("linked: segment, source_forms: [thee]", YOU, "cię/PRON", "", []),
    ],
)  # fmt: skip
def test_a_rule_of_words_asks_for_all_that_it_gives(rule, source, target, links, expected):
    assert shown(tagger(f"{{level: informal, forms: [cię], {rule}, source: x}}"), source, target, links) == expected


GIVE = "I/PRON >1 :nsubj | give/VERB | you/PRON >1 :iobj"


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        (GIVE, "ci/PRON >1 :iobj | daję/VERB", "1-1", ["ci"]),
        (GIVE.replace(":iobj", ":iobj:x"), "ci/PRON >1 :iobj | daję/VERB", "1-1", ["ci"]),
        (GIVE.replace(":iobj", ":obl"), "ci/PRON >1 :iobj | daję/VERB", "1-1", []),
        (GIVE.replace("you/", "them/"), "ci/PRON >1 :iobj | daję/VERB", "1-1", []),
        (GIVE, "ci/PRON >1 :expl:pv | daję/VERB", "1-1", []),
        (GIVE, "ci/PRON >1 :iobj | daję/VERB", "", []),  # its verb translates nothing
        ("give/VERB | you/PRON >0 :iobj", "daję/VERB | ci/PRON >0 :iobj", "0-0", ["ci"]),
        (f"{GIVE} | him/PRON Person=3 >1 :obj", "ci/PRON >1 :iobj | daję/VERB", "1-1 3-0", []),  # it translates him
        (f"{GIVE} | he/PRON Person=3 >4 :nsubj | ran/VERB", "ci/PRON >1 :iobj | daję/VERB", "1-1 3-0", ["ci"]),
        (GIVE, "ci/PRON :root | daję/VERB", "1-1", []),  # it has no verb
        (f"{GIVE} | bread/NOUN >1 :obj", "ci/PRON >1 :iobj | daję/VERB", "1-1 3-0", []),  # it translates a noun
        (GIVE, "ci/PRON >1 :iobj | daję/VERB | ty/PRON", "1-1 2-2", ["ty"]),  # another word translates *you*
        (GIVE, "ci/PRON >1 :iobj | daję/VERB | dom/NOUN", "1-1 2-2", ["ci"]),
    ],
)
def test_a_clitic_is_the_object_that_its_verb_has_in_the_source(source, target, links, expected):
    rule = "{level: informal, forms: [ci], linked: always, source_relations: [iobj], source: x}"
    assert shown(tagger(rule), source, target, links) == expected


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("look/VERB Mood=Imp :root", "patrz/VERB", "0-0", ["patrz"]),
        ("looked/VERB Mood=Ind :root", "patrz/VERB", "0-0", []),
        ("take/VERB Mood=Imp :root | look/NOUN >0 :obj", "patrz/VERB", "1-0", ["patrz"]),  # *take a look*
        ("take/VERB Mood=Imp :root | look/NOUN >0 :obj", "patrz/AUX", "1-0", ["patrz"]),
        ("take/VERB Mood=Imp :root | look/NOUN >0 :obj", "patrz/NOUN", "1-0", []),
        ("go/VERB Mood=Imp :root | look/NOUN >0 :obl", "patrz/VERB", "1-0", []),
        ("take/VERB Mood=Imp :root | it/PRON >0 :obj", "patrz/VERB", "1-0", []),
        ("took/VERB Mood=Ind :root | look/NOUN >0 :obj", "patrz/VERB", "1-0", []),
        ("look/VERB Mood=Imp :root", "patrz/VERB", "", ["patrz"]),  # the only one that no verb translates
        ("look/VERB Mood=Imp :root", "patrz/PROPN", "", ["patrz"]),  # as models take them where a sentence begins
        ("look/VERB Mood=Imp :root", "patrz/ADP", "", []),
        ("look/VERB Mood=Imp :root", "a/X | patrz/VERB", "", []),  # not where a sentence begins
        ("look/VERB Mood=Imp :root", "a/X | !/PUNCT | patrz/VERB", "", ["patrz"]),
        ("look/VERB Mood=Imp :root", "a/X | ,/PUNCT | patrz/VERB", "", []),
        ("look/VERB Mood=Imp :root | go/VERB Mood=Imp >0 :parataxis", "patrz/VERB", "", []),  # which of the two?
        ("look/VERB Mood=Imp :root | go/VERB Mood=Imp >0 :parataxis", "patrz/VERB | idzie/VERB", "1-1", ["patrz"]),
        ("look/VERB Mood=Imp :root", "patrz/VERB | widok/NOUN", "0-1", ["patrz"]),  # no verb translates it
        ("look/VERB Mood=Imp :root", "patrz/VERB | widzi/AUX", "0-1", []),
        ("look/VERB Mood=Imp :root", "on/PRON >1 :nsubj | patrz/VERB", "0-1", []),
        ("look/VERB Mood=Imp :root", "patrz/VERB | ja/PRON Person=1 >0 :nsubj", "0-0", []),
        ("look/VERB Mood=Imp :root", "patrz/VERB | on/PRON Person=3 >0 :nsubj", "0-0", ["patrz"]),
        ("look/VERB Mood=Imp :root", "patrz/VERB | Pan/PRON >0 :nsubj", "0-0", ["Pan"]),
    ],
)
def test_an_imperative_translates_one(source, target, links, expected):
    made = tagger(verbs="{level: informal, forms: [patrz], addressed: imperative, source: x}")
    assert shown(made, source, target, links) == expected


BARE = "look/VERB VerbForm=Inf"


@pytest.mark.parametrize(
    ("source", "index", "is_one"),
    [
        (f"{BARE} :root", 0, True),
        (f"said/VERB | {BARE} >0 :parataxis", 1, True),
        (f"said/VERB | {BARE} >0 :ccomp", 1, True),
        (f"word/NOUN | {BARE} >0 :appos", 1, True),
        (f"went/VERB | {BARE} >0 :advcl", 1, False),
        (f"went/VERB | {BARE} >0 :xcomp", 1, False),
        ("look/VERB :root", 0, False),  # a model that says nothing of the form
        ("look/NOUN :root", 0, True),  # what models take for a noun where a clause begins: *Press here*
        ("well/ADV | ,/PUNCT | look/NOUN :parataxis", 2, True),
        ("the/DET >1 :det | look/NOUN :root", 1, False),
        ("a/ADJ | look/NOUN :root", 1, False),
        ("looks/NOUN lemma=look :root", 0, False),
        ("look/NOUN >1 :nsubj | helps/VERB", 0, False),
        (f"to/PART >1 :mark | {BARE} :root", 1, False),
        (f"is/AUX >1 :cop | {BARE} :root", 1, False),
        (f"you/PRON >1 :nsubj | {BARE} :root", 1, False),  # *did you look*
        ("you/PRON >1 :nsubj | look/VERB Mood=Imp :root", 1, True),
        ("he/PRON >1 :nsubj | look/VERB Mood=Imp :root", 1, False),
        ("dad/NOUN >1 :nsubj | look/VERB Mood=Imp :root", 1, False),
        ("Anna/PROPN >1 :nsubj | look/VERB Mood=Imp :root", 1, True),  # a name that is called
        (f"do/AUX Mood=Imp >1 :aux | {BARE} :advcl", 1, True),
        (f"does/AUX Person=3 >1 :aux | {BARE} :root", 1, False),  # *doesn't matter*
        (f"did/AUX Tense=Past >1 :aux | {BARE} :root", 1, False),
        (f"do/AUX Tense=Pres >1 :aux | {BARE} :root", 1, True),
        (f"may/AUX VerbForm=Fin >1 :aux | {BARE} :root", 1, False),  # *may contain nuts*
        (f"May/AUX VerbForm=Fin lemma=may >2 :aux | do/AUX >2 :aux | {BARE} :root", 2, False),
        (f"do/AUX Mood=Imp >1 :obj | {BARE} :advcl", 1, False),
        (f"go/VERB Mood=Imp :root | {BARE} >0 :conj", 1, True),
        (f"went/VERB Mood=Ind :root | {BARE} >0 :conj", 1, False),
        (f"go/VERB Mood=Imp :root | will/AUX >2 :aux | {BARE} >0 :conj", 2, False),
        (f"{BARE} >1 :conj | go/VERB Mood=Imp :root", 0, False),  # what is joined follows
    ],
)
def test_an_imperative_is_known_by_its_mood_or_as_a_bare_verb(source, index, is_one):
    made = tagger(verbs="{level: informal, forms: [patrz], addressed: imperative, source: x}")
    assert shown(made, source, "patrz/VERB", f"{index}-0") == (["patrz"] if is_one else [])


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("sees/VERB", "wiesz/VERB", "0-0", ["wiesz"]),
        ("sees/VERB", "wiesz/VERB", "", ["wiesz"]),
        ("wiesz/X", "wiesz/VERB", "", []),  # the source has the same word
        ("sees/VERB", "a/DET | Wiesz/VERB", "0-1", []),  # a noun or a name has a capital inside a sentence
        ("sees/VERB", "A/DET | WIESZ/VERB", "0-1", ["WIESZ"]),  # all is in capitals
        ("sees/VERB", "a/X | :/PUNCT | Wiesz/VERB", "0-2", ["Wiesz"]),
        ("sees/VERB", "Wiesz/VERB", "0-0", ["Wiesz"]),
        ("Wish/PROPN", "a/X | wiesz/VERB", "0-1", []),  # a name inside a sentence
        ("Wish/PROPN", "wiesz/VERB", "0-0", ["wiesz"]),
        ("sees/VERB", "wiesz/VERB | ja/PRON Person=1 >0 :nsubj", "0-0", []),
        ("sees/VERB", "on/PRON Person=3 >1 :nsubj | wiesz/VERB", "0-1", ["wiesz"]),
        (YOU, "ty/PRON >1 :nsubj | wiesz/VERB", "0-0 1-1", ["ty"]),
    ],
)
def test_a_form_of_the_second_person_alone_needs_no_you(source, target, links, expected):
    made = tagger(verbs="{level: informal, forms: [wiesz], addressed: form, source: x}")
    assert shown(made, source, target, links) == expected


GOES = "ja/PRON Person=1 >1 :nsubj | idę/VERB :root"


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("go/VERB | getting/VERB", f"{GOES} | wiesz/VERB >1 :conj", "1-2", []),
        ("go/VERB | getting/VERB", f"{GOES} | a/X | wiesz/VERB >1 :conj | wiesz/VERB >3 :conj", "", []),
        ("go/VERB | get/VERB Mood=Imp", f"{GOES} | wiesz/VERB >1 :conj", "1-2", ["wiesz"]),  # an imperative is said
        ("go/VERB | getting/VERB", f"{GOES} | wiesz/VERB >1 :parataxis", "1-2", ["wiesz"]),  # no subject is shared
        ("go/VERB", "on/PRON Person=3 >1 :nsubj | idzie/VERB :root | wiesz/VERB >1 :conj", "", ["wiesz"]),
    ],
)
def test_a_form_that_is_also_of_the_first_person_may_share_such_a_subject(source, target, links, expected):
    rule = "level: informal, forms: [wiesz], addressed: form, source: x"
    assert shown(tagger(verbs=f"{{{rule}, shares_first: true}}"), source, target, links) == expected
    assert "wiesz" in shown(tagger(verbs=f"{{{rule}}}"), source, target, links)


@pytest.mark.parametrize(
    ("source", "target", "links", "evident", "expected"),
    [
        (THEY, "wiesz/VERB", "1-0", "true", ["(wiesz)"]),
        (THEY, "Pan/PRON | pan/NOUN | wiesz/VERB", "1-2", "false", ["Pan"]),  # in the case that the rule has
        (YOU, "wiesz/VERB", "1-0", "true", ["wiesz"]),
        ("Wish/PROPN", "wiesz/VERB", "0-0", "true", []),
        (f"{THEY} | Wish/PROPN", "wiesz/VERB", "1-0", "true", ["(wiesz)"]),
        (THEY, "ty/PRON >1 :nsubj | wiesz/VERB", "0-0 1-1", "true", []),  # left to its pronoun
    ],
)
def test_a_judgment_counts_a_verb_that_is_evident_whatever_the_source_has(source, target, links, evident, expected):
    made = tagger(verbs=f"{{level: informal, forms: [wiesz], addressed: subject, evident: {evident}, source: x}}")
    assert shown(made, source, target, links, evident=True) == expected
    tagged = [form for form in expected if not form.startswith("(")]
    assert shown(made, source, target, links) == tagged


def test_an_honorific_counts_in_its_relation_and_is_not_tagged():
    made = tagger(honorifics="{level: formal, forms: [panie], source: x}")
    assert shown(made, "sir/NOUN", "Panie/NOUN :vocative", "0-0") == ["(Panie)"]
    assert shown(made, "sir/NOUN", "panie/NOUN :obj", "0-0") == []
    named = tagger(honorifics="{level: formal, forms: [panie], relation: obj, source: x}")
    assert shown(named, "sir/NOUN", "panie/NOUN :obj", "0-0") == ["(panie)"]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("wie/VERB", ["wie"]),
        ("on/PRON Person=3 >1 :nsubj | wie/VERB", []),
        ("on/PRON Number=Plur >1 :nsubj | wie/VERB Number=Sing", ["wie"]),  # it is of another verb
        ("on/PRON Number=Sing >1 :nsubj | wie/VERB Number=Sing", []),
        ("on/PRON Person=3 Case=Acc >1 :nsubj | wie/VERB", ["wie"]),  # an object that models take for a subject
        ("on/PRON Case=Acc,Nom >1 :nsubj | wie/VERB", []),
        ("che/PRON >1 :nsubj | wie/VERB", ["wie"]),  # nothing is known of it
        ("co/PRON PronType=Rel >1 :nsubj | wie/VERB", ["wie"]),
        ("co/PRON PronType=Int >1 :nsubj | wie/VERB", ["wie"]),
        ("dom/NOUN >1 :nsubj | wie/VERB", []),
    ],
)
def test_a_form_that_is_also_of_the_third_person_may_have_no_subject(target, expected):
    made = tagger(verbs="{level: formal, forms: [wie], bare: true, addressed: subject, source: x}")
    assert shown(made, YOU, target, f"1-{target.count('|')}") == expected


@pytest.mark.parametrize(
    ("source", "link", "expected"),
    [
        ("your/PRON >1 :nmod:poss | house/NOUN", "1-0", ["domci"]),
        ("your/PRON >1 :det | house/NOUN", "1-0", []),
        ("your/PRON >1 :det | house/NOUN", "0-0", ["domci"]),
        ("help/VERB | you/PRON >0 :iobj", "0-0", ["domci"]),
        ("you/PRON >1 :nsubj | help/VERB", "1-0", []),
        ("her/PRON >1 :nmod:poss | house/NOUN", "1-0", []),
        ("her/PRON >1 :nmod | house/NOUN | your/PRON >3 :nmod | car/NOUN", "1-0", []),
        ("your/PRON >1 :nmod:poss | house/NOUN", "", []),
    ],
)
def test_an_ending_needs_a_possessor_or_object_of_the_second_person(source, link, expected):
    made = tagger(verbs="{level: informal, endings: [ci], addressed: possessor, source: x}")
    assert shown(made, source, "domci/NOUN", link) == expected


@pytest.mark.parametrize(
    ("source", "link", "expected"),
    [
        ("you/PRON >1 :nsubj:pass | seen/VERB", "0-0", ["wiesz"]),
        ("see/VERB | you/PRON >0 :obj", "1-0", []),
        ("you/PRON >1 :nsubj | come/VERB | see/VERB >1 :conj | hear/VERB >2 :conj", "3-0", ["wiesz"]),
        ("you/PRON >1 :nsubj | come/VERB | see/VERB >1 :advcl", "2-0", []),
        ("you/PRON >1 :nsubj | come/VERB | he/PRON >3 :nsubj | sees/VERB >1 :conj", "3-0", []),
        ("see/VERB :conj", "0-0", []),
        ("come/VERB | you/PRON >0 :nsubj | see/VERB >0 :conj", "2-0", ["wiesz"]),
        ("you/PRON >3 :nsubj | may/AUX >3 :aux | have/AUX >3 :aux | seen/VERB", "2-0", ["wiesz"]),
        ("you/PRON >1 :nsubj | see/VERB | him/PRON >1 :obj", "2-0:.4 1-0:.9", ["wiesz"]),  # the surest link counts
        ("you/PRON >1 :nsubj | see/VERB | him/PRON >1 :obj", "2-0:.9 1-0:.4", []),
    ],
)
def test_a_verb_is_addressed_by_the_subject_of_its_surest_link(source, link, expected):
    made = tagger(verbs="{level: informal, forms: [wiesz], addressed: subject, source: x}")
    assert shown(made, source, "wiesz/VERB", link) == expected


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        (YOU, "wie/VERB", "", ["wie"]),
        (YOU, "wie/VERB | śpi/VERB", "0-1", []),  # another verb translates its subject
        (YOU, "wie/VERB | śpi/AUX", "1-1", []),
        (YOU, "wie/VERB | dom/NOUN", "1-1", ["wie"]),
        ("see/VERB | you/PRON >0 :nsubj", "wie/VERB | śpi/VERB", "0-1", []),
        (f"{YOU} | he/PRON >3 :nsubj | ran/VERB", "wie/VERB | śpi/VERB", "3-1", ["wie"]),
        (YOU, "wie/VERB | ty/PRON", "0-1", ["ty"]),  # an address that is tagged already
        ("you/PRON :nsubj", "wie/VERB", "", ["wie"]),
        ("see/VERB | you/PRON >0 :obj", "wie/VERB", "", []),
        (f"{THEY} | {YOU.replace('>1', '>3')}", "wie/VERB", "1-0", []),  # its own verb has another subject
        (f"{THEY} | {YOU.replace('>1', '>3')}", "wie/VERB", "3-0", ["wie"]),
        (f"{THEY} | {YOU.replace('>1', '>3')}", "wie/AUX >1 :aux | mówić/VERB", "1-1", []),  # its verb says whose it is
        (YOU, "wie/AUX >1 :aux | mówić/VERB", "1-1", ["wie"]),
        ("your/PRON >1 :nmod:poss | thoughts/NOUN", "wie/VERB", "1-0", ["wie"]),
        ("your/PRON >1 :nmod:poss | thoughts/NOUN | here/ADV", "wie/VERB", "2-0", []),
    ],
)
def test_a_bare_verb_is_told_by_a_subject_that_no_other_verb_translates(source, target, links, expected):
    made = tagger(verbs="{level: formal, forms: [wie], bare: true, addressed: segment, source: x}")
    assert shown(made, source, target, links) == expected


def test_the_source_of_a_level_is_its_you_or_else_its_surest_link():
    made = tagger(verbs="{level: informal, forms: [wiesz], addressed: any, source: x}")
    for source, links, expected in (
        ("you/PRON | do/AUX | your/PRON", "0-0:.2 1-0:.9 2-0:.5", (0, 2)),
        ("he/PRON | sees/VERB", "0-0:.4 1-0:.9", (1,)),
        ("he/PRON | sees/VERB", "", ()),
    ):
        ((_, _, level, sources, tagged),) = made.words(document([(source, "wiesz/VERB", links)]))
        assert (level, sources, tagged) == ("informal", expected, True)


def test_what_would_show_a_level_is_asked_of_no_source():
    verb = "{level: vague, forms: [wie], addressed: any, source: x}"
    known = "{level: formal, forms: [wie], upos: [VERB], features: {Mood: Imp}, addressed: imperative, source: x}"
    made = tagger("{level: plural, forms: [wy], upos: [PRON], source: x}", f"{verb}, {known}")

    def possible(target: str, links: str = "") -> list[tuple[int, str, tuple[int, ...]]]:
        found = made.possible(document([("x/X | y/Y", target, links)]))
        return [(index, level, sources) for _, index, level, sources in found]

    assert possible("wy/PRON", "1-0:.9 0-0:.1") == [(0, "plural", (0, 1))]
    assert possible("wy/NOUN") == []
    assert possible("a/X | wie/VERB") == [(1, "vague", ())]
    assert possible("wie/VERB Mood=Imp") == [(0, "formal", ())]  # the rule that knows it by its features
    assert possible("on/PRON >1 :nsubj | wie/VERB") == []
    assert possible("kto/PRON PronType=Int >1 :nsubj | wie/VERB") == [(1, "vague", ())]
    made = tagger("{level: formal, forms: [Wasz], cased: true, source: x}")
    assert [possible("Wasz/DET"), possible("wasz/DET")] == [[(0, "formal", ())], []]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("want/VERB | you/PRON >0 :obj | see/VERB >0 :xcomp", ["wie"]),  # *I want you to see*
        ("want/VERB | him/PRON >0 :obj | see/VERB >0 :xcomp", []),
        ("want/VERB | you/PRON >0 :obj | see/VERB >0 :advcl", []),
        ("want/VERB | you/PRON >0 :obj | he/PRON >3 :nsubj | see/VERB >0 :ccomp", []),
    ],
)
def test_who_is_let_or_wanted_to_do_it_is_the_subject(source, expected):
    made = tagger(verbs="{level: formal, forms: [wie], addressed: subject, bare: true, source: x}")
    assert shown(made, source, "wie/VERB", f"{source.count('|')}-0") == expected


LOOK = "look/VERB Mood=Imp :root"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("dzięki/NOUN >2 :nsubj | ,/PUNCT | patrz/VERB", ["patrz"]),  # of the clause before the comma
        ("dom/NOUN >1 :nsubj | patrz/VERB", []),
        ("patrz/VERB | twój/DET Poss=Yes >0 :nsubj", ["patrz", "twój"]),  # a possessive is no subject
        ("patrz/VERB | ty/PRON >0 :nsubj", ["ty"]),
    ],
)
def test_an_imperative_has_no_subject_of_its_own(target, expected):
    made = tagger(
        "{level: informal, forms: [twój], source: x}",
        "{level: informal, forms: [patrz], addressed: imperative, source: x}",
    )
    assert shown(made, LOOK, target, f"0-{target.split('patrz')[0].count('|')}") == expected
