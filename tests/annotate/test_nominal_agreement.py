"""Words of a nominal group take one case, number and gender; words outside keep what the network says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.annotate.agreement import Agreement, Decoder, Words

CASES, GENDERS = ("Nom", "Dat"), ("Fem", "Masc")
NOMINAL = [
    f"Case={case}|Gender={gender}|Number=Sing|POS={upos}"
    for upos in ("DET", "NOUN", "ADJ")
    for case in CASES
    for gender in GENDERS
]
LABELS = [
    *NOMINAL,
    "Case=Nom|Gender=Fem|Number=Plur|POS=NOUN",
    "POS=NOUN",
    "POS=ADP",
    "POS=ADJ",
    "Number=Plur|POS=VERB|VerbForm=Fin",
    "Number=Sing|POS=VERB|VerbForm=Fin",
]
RULES = Agreement(
    roots=("NOUN",),
    member_upos=("DET", "ADJ"),
    members={"det": 1.0, "amod": 1.0},
    within=("conj",),
    subjects=("nsubj",),
    verbs=("VERB",),
    chains={"conj": 3.0},
    cases={"in": {"Dat": -0.1, "Nom": -4.0}, "nsubj<": {"Nom": -0.1, "Dat": -4.0}},
)


def scored(*words: dict[str, float]) -> np.ndarray:
    """Return scores of words: label → score, −20 elsewhere."""
    return np.array([[word.get(label, -20.0) for label in LABELS] for word in words], np.float32)


def label(upos: str, case: str, gender: str) -> str:
    return f"Case={case}|Gender={gender}|Number=Sing|POS={upos}"


def words(heads: Sequence[int], relations: Sequence[str], forms: Sequence[str] = (), **genders: str) -> Words:
    given_forms = forms or ["x"] * len(heads)
    return Words(np.array(heads), relations, given_forms, [""] * len(heads), genders.get)


def decoded(scores: np.ndarray, given_words: Words, rules: Agreement = RULES) -> list[str]:
    return [LABELS[number] for number in Decoder(LABELS, rules).decode(scores, given_words)]


DER = {label("DET", "Nom", "Masc"): 2.0, label("DET", "Dat", "Fem"): 1.5}
BANK = {label("NOUN", "Nom", "Fem"): 1.0, label("NOUN", "Dat", "Fem"): 0.8}


def test_an_article_and_its_noun_agree_where_each_alone_would_not():
    text = words([1, 1], ["det", "ROOT"], bank="Fem")
    assert decoded(scored(DER, BANK), text) == [label("DET", "Dat", "Fem"), label("NOUN", "Dat", "Fem")]


def test_the_adposition_says_which_case():
    said = {label("NOUN", "Nom", "Fem"): 2.0, label("NOUN", "Dat", "Fem"): 0.0}
    heads, relations = [1, 1], ["case", "obl"]
    marked = words([1, 1], relations, ["in", "stadt"])
    assert decoded(scored({"POS=ADP": 5.0}, said), marked) == ["POS=ADP", label("NOUN", "Dat", "Fem")]
    unknown = words(heads, relations, ["xyz", "stadt"])
    assert decoded(scored({"POS=ADP": 5.0}, said), unknown)[1] == label("NOUN", "Nom", "Fem")


def test_the_lexicon_decides_the_gender_of_a_noun_for_its_article_too():
    der = {label("DET", "Nom", "Masc"): 2.0, label("DET", "Nom", "Fem"): 1.0}
    bank = {label("NOUN", "Nom", "Masc"): 2.0, label("NOUN", "Nom", "Fem"): 1.0}
    text = words([1, 1], ["det", "nmod"], ["der", "bank"], bank="Fem")
    assert decoded(scored(der, bank), text) == [label("DET", "Nom", "Fem"), label("NOUN", "Nom", "Fem")]


def test_the_verb_votes_on_its_subjects_number_and_keeps_its_label():
    plural = "Case=Nom|Gender=Fem|Number=Plur|POS=NOUN"
    noun = {label("NOUN", "Nom", "Fem"): 1.0, plural: 0.5}
    many, one = "Number=Plur|POS=VERB|VerbForm=Fin", "Number=Sing|POS=VERB|VerbForm=Fin"
    text = words([1, 1], ["nsubj", "ROOT"])
    assert decoded(scored(noun, {many: 5.0, one: 0.0}), text) == [plural, many]
    assert decoded(scored({plural: 9.0}, {many: 0.0, one: 0.1}), text) == [plural, one]


def test_a_second_conjunct_prefers_the_case_of_the_first():
    first = {label("NOUN", "Dat", "Fem"): 5.0}
    second = {label("NOUN", "Nom", "Masc"): 1.0, label("NOUN", "Dat", "Masc"): 0.0}
    assert decoded(scored(first, second), words([0, 0], ["ROOT", "conj"]))[1] == label("NOUN", "Dat", "Masc")
    assert decoded(scored(first, second), words([0, 0], ["ROOT", "dep"]))[1] == label("NOUN", "Nom", "Masc")


def test_an_adjective_joined_to_another_belongs_to_the_same_noun():
    noun = {label("NOUN", "Dat", "Fem"): 9.0}
    adjective = {label("ADJ", "Nom", "Fem"): 1.0, label("ADJ", "Dat", "Fem"): 0.0}
    text = words([2, 0, 2], ["amod", "conj", "ROOT"])
    assert decoded(scored(adjective, adjective, noun), text)[:2] == [label("ADJ", "Dat", "Fem")] * 2


def test_a_label_without_case_and_number_does_not_stand_in_for_a_fitting_one():
    noun = {label("NOUN", "Nom", "Fem"): 2.0, "POS=NOUN": 1.9, label("NOUN", "Dat", "Fem"): 0.0}
    text = words([1, 1], ["case", "obl"], ["in", "x"])
    assert decoded(scored({"POS=ADP": 5.0}, noun), text)[1] == label("NOUN", "Dat", "Fem")


@pytest.mark.parametrize(("weight", "expected"), [(0.0, "POS=ADJ"), (1.0, "POS=ADP")])
def test_relation_and_form_speak_on_the_part_of_speech(weight: float, expected: str):
    table = {"case": {"ADP": -0.1, "ADJ": -5.0}}
    rules = RULES.model_copy(update={"upos": table, "upos_weight": weight})
    assert decoded(scored({"POS=ADJ": 2.0, "POS=ADP": 1.0}), words([0], ["case"]), rules) == [expected]
    forms = RULES.model_copy(update={"forms": table, "form_weight": weight})
    text = Words(np.array([0]), ["dep"], ["in"], ["case"])
    assert decoded(scored({"POS=ADJ": 2.0, "POS=ADP": 1.0}), text, forms) == [expected]


@given(st.lists(st.lists(st.floats(-5, 5, width=32), min_size=len(LABELS), max_size=len(LABELS)), max_size=6))
def test_without_groups_the_parts_of_speech_are_those_with_the_greatest_share(rows: list[list[float]]):
    scores = np.array(rows, np.float32).reshape(-1, len(LABELS))
    chosen = Decoder(LABELS, Agreement()).decode(scores, words(range(len(rows)), ["dep"] * len(rows)))
    parts = np.array([name.rpartition("POS=")[2].partition("|")[0] for name in LABELS])
    for row, number in zip(scores, chosen, strict=True):
        shares = {part: float(np.exp(row[parts == part]).sum()) for part in set(parts)}
        assert shares[parts[number]] == pytest.approx(max(shares.values()), rel=1e-4)
        assert row[number] == row[parts == parts[number]].max()


@given(st.data())
def test_any_tree_is_decoded_and_members_take_the_case_of_their_root(data: st.DataObject):
    size = data.draw(st.integers(1, 7))
    order = data.draw(st.permutations(range(size)))
    heads = list(range(size))
    for place, word in enumerate(order):  # its own head, or one that stands before it in the order: no circles
        heads[word] = order[data.draw(st.integers(0, place))]
    relations = [data.draw(st.sampled_from(["det", "amod", "conj", "nsubj", "case", "ROOT"])) for _ in range(size)]
    rows = [[data.draw(st.floats(-5, 5, width=32)) for _ in LABELS] for _ in range(size)]
    found = decoded(np.array(rows, np.float32), words(heads, relations))
    for index, name in enumerate(found):
        root = found[heads[index]]
        member = relations[index] == "det" and heads[index] != index and "POS=DET" in name
        if member and "POS=NOUN" in root and "Case" in root:
            assert name.split("|")[:3] == root.split("|")[:3] or "Number=Plur" in root
