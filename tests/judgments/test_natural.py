"""Pronouns into English, tagged and judged on documents written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.phenomena.handmade import document, resolution, text

from endophora.corefer import salience
from endophora.corefer.natural import kinds_of
from endophora.corefer.salience import Salience
from endophora.judgments.alone import LoneText
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers

HE = "he/PRON Case=Nom Person=3 Number=Sing Gender=Masc PronType=Prs lemma=he >1 :nsubj | left/VERB"
SHE, IT = (HE.replace("he/", f"{form}/").replace("Masc", gender) for form, gender in (("she", "Fem"), ("it", "Neut")))
THEY = HE.replace("he/", "they/").replace("Sing Gender=Masc", "Plur")
ER = "er/PRON Person=3 Number=Sing Gender=Masc PronType=Prs >1 :nsubj | ging/VERB Person=3 VerbForm=Fin"


def noun(source: str, english: str, gender: str = "Masc", number: str = "Sing") -> tuple[str, str, str]:
    return f"{source}/NOUN Gender={gender} Number={number}", f"{english}/NOUN Number={number}", "0-0"


def occurrences(first, second, code="de", likely=0.8):
    made = document([first, second])
    made = replace(made, target_resolutions=(resolution(1, 0, (0, 0, likely)),))
    (tagger,) = make_taggers("en", TaggerOptions(phenomena=("pronouns",)), code)
    return tagger, made, tagger.tag(made)


def verdict(first, second, other, other_first=None, code="de", links=""):
    tagger, made, (found,) = occurrences(first, second, code)
    system = document([other_first or first, (second[0], other, links or second[2])])
    sides = [read_choices(one, [tagger]) for one in (made, system)]
    pairs = [[(link.source, link.target) for link in some] for some in system.links]
    return JudgedText(*sides, pairs, [len(text.tokens) for text in system.source]).judge(found).verdict


@pytest.mark.parametrize(
    ("first", "said", "shown", "expected"),
    [
        (noun("Wagen", "car"), IT, IT, "right"),
        (noun("Wagen", "car"), IT, HE, "wrong"),
        (noun("Mutter", "mother", "Fem"), SHE, HE, "wrong"),
        (noun("Lehrerin", "teacher", "Fem"), SHE, HE, "wrong"),  # the source's noun says that it is a woman
        (noun("Kunde", "client"), SHE, HE, "other"),  # nothing tells who
        (noun("Geisel", "hostage", "Fem"), SHE, HE, "other"),  # *die Geisel* may be a man
        (noun("Figur", "character", "Fem"), SHE, HE, "other"),
        (noun("Kunde", "client"), HE, THEY, "other"),
        (noun("Firma", "company", "Fem"), IT, THEY, "other"),
        (noun("Wagen", "car"), IT, THEY, "wrong"),
        (noun("Hund", "dog"), IT, HE, "other"),
        (("Wagen/NOUN Gender=Masc", "car/NOUN", "0-0"), IT, THEY, "other"),  # nothing tells how many
    ],
)
def test_a_pronoun_is_judged_by_what_its_antecedent_is(first, said, shown, expected):
    assert verdict(first, (ER, said, "0-0 1-1"), shown) == expected


@pytest.mark.parametrize(("entity", "expected"), [("I-LOC", {"it", "they"}), ("B-ORG", {"it", "they"}), ("", {"they"})])
def test_a_country_or_company_with_a_plural_for_its_name_is_one_thing(entity, expected):
    states = text("United/PROPN >1 | States/PROPN lemma=State Number=Plur").tokens
    assert kinds_of(load_language("en")).pronouns([states[0], states[1]._replace(entity=entity)], 1) == expected


def test_another_number_of_the_noun_in_the_text_itself_allows_another_pronoun():
    trousers = noun("Hose", "trousers", "Fem", "Plur")
    first = ("Hose/NOUN Gender=Fem Number=Sing", trousers[1], "0-0")
    garment = ("Hose/NOUN Gender=Fem Number=Sing", "garment/NOUN Number=Sing lemma=object", "0-0")
    assert verdict(first, (ER, THEY, "0-0 1-1"), IT, garment) == "other"


@pytest.mark.parametrize(
    ("code", "source", "links", "count"),
    [
        ("zh", "他/PRON Person=3 >1 :nsubj | 离开/VERB", "0-0 1-1", 0),  # 他 is *he*
        ("zh", "离开/VERB", "0-1", 1),  # the subject is left out
        ("de", "sie/PRON Person=3 Number=Plur PronType=Prs >1 :nsubj | gingen/VERB", "0-0 1-1", 1),
        ("es", "ella/PRON Person=3 Number=Sing Gender=Fem PronType=Prs >1 :nsubj | salió/VERB", "0-0 1-1", 1),
        ("de", "Mann/NOUN >1 :nsubj | ging/VERB", "0-0 1-1", 0),  # a noun, said otherwise
    ],
)
def test_what_the_source_tells_is_no_choice(code, source, links, count):
    _, _, found = occurrences(("x/NOUN", "man/NOUN Number=Sing", "0-0"), (source, HE, links), code)
    assert len(found) == count


def test_the_one_translation_of_the_source_pronoun_is_no_error():
    first = ("车/NOUN", "car/NOUN Number=Sing", "0-0")
    they = "它们/PRON Person=3 Number=Plur >1 :nsubj | 开/VERB"
    assert verdict(first, (they, IT, "0-0 1-1"), THEY, code="zh") == "other"


def test_a_pronoun_without_a_link_stands_in_the_place_of_the_reference_s():
    first = noun("Mutter", "mother", "Fem")
    assert verdict(first, (ER, SHE, "0-0 1-1"), HE, links="1-1") == "wrong"


@pytest.mark.parametrize(("shown", "expected"), [(HE, "right"), (SHE, "wrong"), (HE.replace("nsubj", "obl"), "other")])
def test_a_subject_that_the_source_leaves_out_is_that_of_the_same_verb(shown, expected):
    """*对他们说*: an aligner gives *he* of *he said to them* to 他们."""
    to_them = "说/VERB | 他们/PRON Person=3 Number=Plur >0 :obl"
    them = f"{shown} | them/PRON Case=Acc Person=3 Number=Plur PronType=Prs lemma=they >1 :obl"
    first = ("男人/NOUN", "man/NOUN Number=Sing", "0-0")
    assert verdict(first, (to_them, HE, "0-1 1-0"), them, code="zh", links="0-1 1-2") == expected


def test_persons_are_found_in_the_sentence_before_and_within_one_it_is_no_context():
    mary = ("x/PROPN", "Mary/PROPN Number=Sing >1 :nsubj | came/VERB", "0-0")
    (_, _, (found,)) = occurrences(mary, (ER, SHE, "0-0 1-1"))
    assert (found.rule, found.support.target_tokens, found.support.distance) == ("she", ((0, 0),), 1)
    same = "Anna/PROPN Number=Sing >1 :nsubj | said/VERB | " + SHE.replace(">1", ">3")
    assert not occurrences(("x/NOUN", "car/NOUN", "0-0"), (f"x/X | y/X | {ER}".replace(">1", ">3"), same, "2-2 3-3"))[2]


def test_a_source_without_natural_gender_has_antecedents_by_gender_and_number():
    first = "Lampe/NOUN Gender=Fem Number=Sing >2 :nsubj | Tisch/NOUN Gender=Masc Number=Sing >2 :obl | war/VERB"
    made = document([(first, "x/X", ""), (ER, "x/X", "")])
    (found,) = Salience(language="de").resolve(made.source)
    assert [(one.segment, one.head) for one in found.antecedents] == [(0, 1)]
    assert load_language("de").natural_gender is None


class Counted(list):
    """A list that counts what is taken of it."""

    taken = 0

    def __iter__(self):
        for each in super().__iter__():
            self.taken += 1
            yield each

    def __getitem__(self, index):
        self.taken += 1
        return super().__getitem__(index)


@pytest.mark.parametrize("code", ["en", "de"])
def test_nouns_beyond_the_window_are_not_looked_at_for_each_pronoun(code, monkeypatch):
    segment = text(f"{SHE} | and/CCONJ | Anna/PROPN Number=Sing Gender=Fem >1 :obj")
    counts, find = list[int](), salience.find_mentions
    for size in (40, 80, 160):
        mentions = Counted()
        with monkeypatch.context() as patched:
            patched.setattr(
                salience, "find_mentions", lambda *given, found=mentions: found.extend(find(*given)) or found
            )
            assert len(Salience(language=code).resolve([segment] * size)) == size
        counts.append(mentions.taken)
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


SMITH, JONES = (f"{name}/PROPN Number=Sing" for name in ("Smith", "Jones"))


@pytest.mark.parametrize(("speaker", "meant"), [(SMITH, "Jones"), (JONES, "Smith")])
def test_who_is_quoted_does_not_speak_of_himself_as_he(speaker, meant):
    first = f"{SMITH} >1 :nsubj | met/VERB | {JONES} >1 :obj | ./PUNCT >1 :punct"
    quote = HE.replace(">1", ">2").replace("left/VERB", "left/VERB >5 :ccomp")
    second = f'"/PUNCT >2 | {quote} | "/PUNCT >2 | {speaker} >5 :nsubj | said/VERB lemma=say'
    found, *_ = Salience(language="en").resolve(document([("x/X", first, ""), ("x/X", second, "")]).target)
    best = found.antecedents[0]
    assert (found.segment, best.segment, ["Smith", "", "Jones"][best.head]) == (1, 0, meant)


def test_what_belongs_to_the_named_subject_of_its_clause_has_its_owner_there():
    his = HE.replace("he/PRON Case=Nom", "his/PRON Poss=Yes").partition(" >")[0]
    lost = f"Woods/PROPN Number=Sing >1 :nsubj | lost/VERB | {his} >3 :nmod:poss | match/NOUN Number=Sing >1 :obj"
    sein = "verlor/VERB | sein/DET Person=3 Poss=Yes Gender=Masc Number=Sing >2 :det | Spiel/NOUN Number=Sing"
    tagger, made, _ = occurrences(noun("Mann", "man"), (sein, lost, "0-1 1-2 2-3"))
    (found,) = tagger.tag(replace(made, target_resolutions=(resolution(1, 2, (0, 0, 0.8)),)))[:1] or [None]
    assert found is None
    they = lost.replace("Woods/PROPN", "They/PRON")
    (found,) = tagger.tag(document([noun("Mann", "man"), (sein, they, "0-1 1-2 2-3")]))
    assert found.support.source_tokens == ((0, 0),)


def test_without_a_reference_pronouns_into_english_are_not_judged():
    made = document([noun("Wagen", "car"), (ER, HE, "0-0 1-1")])
    (tagger,) = make_taggers("en", TaggerOptions(phenomena=("pronouns",)), "de")
    resolved = Salience(language="de").resolve(made.source)
    judged = list(LoneText("d", read_choices(made, [tagger], resolved)).judgments())
    assert [(one.verdict, one.why) for _, one in judged] == [("", "antecedent not known")]


@pytest.mark.parametrize(("code", "written", "shown"), [("fr", "C’", IT), ("ko", "그것은", IT), ("zh", "牠們", THEY)])
def test_pronouns_with_one_translation_are_known_however_they_are_written(code, written, shown):
    tagger, made, found = occurrences(noun("x", "car"), (f"{written}/PRON Person=3 >1 | x/VERB", shown, "0-0"), code)
    assert [(one.told, one.shown) for one in tagger.pronouns(made)] == [(shown[: shown.index("/")],) * 2]
    assert not found


@pytest.mark.parametrize(("code", "article", "hands"), [("es", "las", "manos"), ("fr", "les", "mains")])
@pytest.mark.parametrize("links", ["1-0 2-2", "0-1 1-0 2-2"])
def test_an_article_is_no_pronoun_and_leaves_the_owner_out(code, article, hands, links):
    their = THEY.partition(" >")[0].replace("they/PRON Case=Nom", "their/PRON Poss=Yes")
    source = f"{article}/DET PronType=Art Number=Plur >2 :det | x/VERB | {hands}/NOUN Number=Plur >1 :obj"
    raised = f"raised/VERB | {their} >2 :nmod:poss | hands/NOUN Number=Plur >0 :obj"
    tagger, made, _ = occurrences(noun("x", "man"), (source, raised, links), code)
    (found,) = tagger.pronouns(made)
    assert (found.source, found.told) == ((2,), "")


def test_romanian_ei_may_be_hers():
    hers = "Ei/DET Person=3 Poss=Yes Number[psor]=Sing >1 :nsubj | carte/VERB"
    assert verdict(noun("mamă", "mother", "Fem"), (hers, SHE, "0-0 1-1"), THEY, code="ro") == "wrong"


def test_nouns_of_a_rule_file_of_one_s_own_are_those_that_count():
    rules = load_language("en")
    gender = rules.natural_gender.model_copy(update={"either": frozenset({"car"})})
    own = {"en": rules.model_copy(update={"natural_gender": gender})}
    (tagger,) = make_taggers("en", TaggerOptions(phenomena=("pronouns",)), "de", own)
    assert tagger.kinds.pronouns(text("car/NOUN Number=Sing").tokens, 0) == {"he", "she", "it"}
