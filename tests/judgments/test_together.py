"""What several texts say together of the noun that a pronoun stands for."""

import pytest

from endophora.judgments.alone import LoneText
from endophora.judgments.records import Choice, Choices
from endophora.judgments.together import HEARD, heard_together

GENDERS = {"er": "Masc", "sie": "Fem", "es": "Neut"}
LAMP, TABLE, EVEN = (0, 1), (0, 4), (0.4, 0.4)
"""*The lamp stood beside the table. It was old.*"""


def text(
    pronoun: str, lamp: str = "Fem", table: str = "Masc", at: int = 0, p: tuple[float, ...] = (0.4, 0.4)
) -> Choices:
    """A translation with nouns of these genders, and its pronoun at a place of its own."""
    about = "unmarked" if pronoun == "es" else "Sing"
    shown = (Choice("pronouns", 1, (0,), (at,), GENDERS[pronoun], about),)
    nouns = {LAMP: (1, lamp, "Sing"), TABLE: (4, table, "Sing")}
    return Choices(shown, nouns, {(1, 0): tuple(zip((LAMP, TABLE), p, strict=True))})


def verdicts(texts: list[Choices]) -> list[str]:
    return [
        "".join(judgment.verdict[:1] for _, judgment in LoneText("d", one).judgments()) for one in heard_together(texts)
    ]


def others(count: int = HEARD, *, lamp: bool = True) -> list[Choices]:
    """Texts whose pronouns are all of the lamp, or all of the table, at places of their own."""
    return [text("sie" if lamp else "er", at=at + 1) for at in range(count)]


def test_a_noun_that_the_source_leaves_open_is_known_by_the_other_texts():
    assert verdicts([text("sie")]) == [""]  # by itself: lamp and table are as likely
    assert verdicts([text("sie"), *others()])[0] == "r"
    assert verdicts([text("er"), *others()])[0] == "w"
    assert verdicts([text("er"), *others(lamp=False)])[0] == "r"


def test_the_probability_is_the_source_times_the_mean_ratio_of_the_others():
    """By hand: ratios 1.5 and -1.8, times log2(1 + 3) = 2; the rest of .2 has the ratio 0."""
    found = heard_together([text("er"), *others()])[0].antecedents[1, 0]
    whole = 0.4 * 20.0855 + 0.4 * 0.02732 + 0.2
    assert found == ((LAMP, round(0.4 * 20.0855 / whole, 3)),)  # the table has no text with it, and is left out


def test_pronouns_that_follow_the_gender_of_one_noun_are_of_it():
    follow = [text("er", "Masc", "Fem", at=1), text("sie", "Fem", "Masc", at=2), text("er", "Masc", "Neut", at=3)]
    assert verdicts([text("sie"), *follow])[0] == "r"
    assert verdicts([text("er"), *follow])[0] == "w"


@pytest.mark.parametrize("count", [0, 1, HEARD - 1])
def test_few_other_texts_change_nothing(count: int):
    texts = [text("er", p=(0.1, 0.6)), *others(count)]
    assert heard_together(texts) == texts


def test_equal_translations_are_one_text():
    copies = [text("sie", at=1)] * 5
    assert heard_together([text("er"), *copies])[0] == text("er")


def test_a_form_that_is_written_without_context_is_no_evidence():
    neuter = [text("es", at=at + 1, table="Neut") for at in range(5)]
    found = heard_together([text("sie"), *neuter])[0].antecedents[1, 0]
    assert dict(found) == {TABLE: 0.4}  # the lamp, with which none agrees, is left out; the table is no more likely


def test_nothing_is_wrong_where_most_texts_agree_with_no_noun():
    lost = [text("es", at=1), text("es", at=2), text("es", at=3), text("sie", at=4)]
    sure = (0.95, 0.0)
    assert verdicts([text("es", p=sure)]) == ["w"]
    assert verdicts([text("es", p=sure), *(one for one in lost)])[0] == ""
