"""The published suites: each reader on a small file of its format, written for this test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from endophora.errors import InputError
from endophora.suites import Pair, Suite, Variant
from endophora.suites.formats import read_suite, recognise_suite, write_suite
from endophora.suites.outputs import targets
from endophora.suites.scoring import SuiteOptions, score_outputs


def read(path: Path, form: str) -> Suite:
    assert recognise_suite(path) == form
    return read_suite(path)


def write_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_files(folder: Path, files: dict[str, list[str]]) -> None:
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


CONTRAPRO = {
    "ante distance": 1,
    "corpus": "opensubs1921-ende",
    "document id": "1921_1_1.de",
    "errors": [
        {
            "contrastive": "Er ist da.",
            "replacement": "er",
            "replacement gender": "Masc",
            "type": "pronominal coreference",
        },
        {
            "contrastive": "Es ist da.",
            "replacement": "es",
            "replacement gender": "Neut",
            "type": "pronominal coreference",
        },
    ],
    "intrasegmental": False,
    "ref ante head": "Lampe",
    "ref ante head gender": "Fem",
    "ref ante head id": 3,
    "ref ante head lemma": "Lampe",
    "ref ante head morpho": "Fem|Nom|Sg",
    "ref ante head pos": "NN",
    "ref ante phrase": "die Lampe",
    "ref pronoun": "Sie",
    "ref segment": "Sie ist da.",
    "segment id": 70,
    "src ante head": "lamp",
    "src ante head gender": None,
    "src ante head id": 3,
    "src ante head lemma": "lamp",
    "src ante head morpho": None,
    "src ante head pos": "NN",
    "src ante phrase": "the lamp",
    "src pronoun": "It",
    "src segment": "It is there.",
}


def test_contrapro(tmp_path: Path) -> None:
    suite = read(write_json(tmp_path / "contrapro.json", [CONTRAPRO]), "contrapro")
    (item,) = suite.items
    assert (suite.source_language, suite.target_language) == ("en", "de")
    assert (item.document, item.segment, item.rule, item.expected) == ("1921_1_1.de", 70, "it:sie", ("Sie",))
    assert targets(item) == ["Sie ist da.", "Er ist da.", "Es ist da."]
    assert item.target_antecedent is not None
    assert (item.target_antecedent.head, item.target_antecedent.gender) == ("Lampe", "Fem")
    assert item.extra["ref ante head id"] == 3


def test_the_large_english_french_set(tmp_path: Path) -> None:
    entry = {
        "segment id": 10,
        "ante distance": -1,
        "errors": [{"type": "pronominal coreference", "replacement": "elle", "contrastive": "Elle dort."}],
        "src pronoun": "it",
        "ref pronoun": "Il",
        "document id": "1993--dp--22",
        "src segment": "It sleeps.",
        "intrasegmental": False,
        "pronoun gender": "Masc",
        "corpus": "UN-enfr",
        "ref segment": "Il dort.",
    }
    suite = read(write_json(tmp_path / "testset-en-fr.json", [entry]), "contrapro")
    (item,) = suite.items
    assert (suite.source_language, suite.target_language) == ("en", "fr")
    assert (item.distance, item.extra["ante distance"]) == (None, -1)
    assert (item.extra["pronoun gender"], item.source_antecedent) == ("Masc", None)


def test_discevalmt_anaphora(tmp_path: Path) -> None:
    block = {
        "src": ["I have a lamp.", "It is there."],
        "trg": [
            {
                "type": "f.sg",
                "correct": ["J'ai une lampe.", "Elle est là."],
                "incorrect": ["J'ai une lampe.", "Il est là."],
            },
            {
                "type": "m.sg",
                "semi-correct": ["J'ai un feu.", "Il est là."],
                "incorrect": ["J'ai un feu.", "Elle est là."],
            },
        ],
    }
    suite = read(write_json(tmp_path / "anaphora.json", {"10": block, "2": block}), "discevalmt")
    assert [item.id for item in suite.items] == ["2.1", "2.2", "10.1", "10.2"]
    first, second, *_ = suite.items
    assert (suite.source_language, suite.target_language) == ("en", "fr")
    assert (first.document, first.rule, first.before) == ("2", "f.sg", (Pair("I have a lamp.", "J'ai une lampe."),))
    assert (first.reference, first.variants) == ("Elle est là.", (Variant("Il est là."),))
    assert second.extra == {"semi-correct": True}


def test_discevalmt_lexical_choice(tmp_path: Path) -> None:
    example = {
        "src": ["Upside down?", "Like a bat?"],
        "trg": {
            "correct": ["À l'envers ?", "Comme une chauve-souris ?"],
            "incorrect": ["A l'envers ?", "Comme une batte ?"],
        },
    }
    suite = read(
        write_json(tmp_path / "lexical-choice.json", {"1": {"type": "disambig", "examples": [example]}}), "discevalmt"
    )
    (item,) = suite.items
    assert (item.phenomenon, item.rule) == ("lexical_choice", "disambig")
    assert item.variants == (Variant("Comme une batte ?", before=("A l'envers ?",)),)


def test_the_consistency_sets(tmp_path: Path) -> None:
    group = {
        "dst": ["А . _eos Ты знал .", "А . _eos Вы знали .", "Б . _eos Ты знал ."],
        "true_ind": 1,
        "src": "A . _eos You knew .",
        "ctx_dist": 1,
    }
    suite = read(write_json(tmp_path / "deixis_test.json", [group]), "consistency")
    (item,) = suite.items
    assert (suite.target_language, item.phenomenon, item.distance) == ("ru", "deixis", 1)
    assert (item.source, item.reference, item.before) == ("You knew .", "Вы знали .", (Pair("A .", "А ."),))
    assert targets(item) == ["Ты знал .", "Вы знали .", "Ты знал ."]
    assert [variant.before for variant in item.variants] == [None, ("Б .",)]


def test_genpro(tmp_path: Path) -> None:
    lines = [
        "1\t1\tcorrect\tsie\tThe lamp. <eos>It is there. <eos>Yes.\tDie Lampe. <eos>Sie ist da. <eos>Ja.",
        "1\t1\tcontrastive\ter\tThe lamp. <eos>It is there. <eos>Yes.\tDie Lampe. <eos>Er ist da. <eos>Ja.",
        "0\t0\tcorrect\tes\tIt rains.\tEs regnet.",
    ]
    write_files(tmp_path, {"genpro.en-de.tsv": lines})
    suite = read(tmp_path / "genpro.en-de.tsv", "genpro")
    first, second = suite.items
    assert (suite.target_language, first.expected, first.source) == ("de", ("sie",), "It is there.")
    assert (first.before, first.after) == ((Pair("The lamp.", "Die Lampe."),), (Pair("Yes.", "Ja."),))
    assert first.variants == (Variant("Er ist da.", "er"),)
    assert (second.before, second.distance) == ((), 0)


def test_genpro_of_older_files_has_no_index(tmp_path: Path) -> None:
    write_files(tmp_path, {"x.en-de.tsv": ["1\tcorrect\tsie\tThe lamp.<eos> It is.\tDie Lampe.<eos> Sie ist."]})
    (item,) = read(tmp_path / "x.en-de.tsv", "genpro").items
    assert (item.source, item.reference) == ("It is.", "Sie ist.")


SCAT = {
    "highlighted.test.en": ["But <p>it</p> is the  <hon>lamp<hoff> .", "<p>They</p> are."],
    "highlighted.test.fr": ["Mais <p>elle</p> est la lampe.", "parce qu'<p>elles</p> sont."],
    "highlighted.test.context.en": ["The  <hon>lamp<hoff>  stood. Yes.", ""],
    "highlighted.test.context.fr": ["La  <hon>lampe<hoff>  était là. Oui.", ""],
}


@pytest.mark.parametrize("name", SCAT)
def test_scat(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, SCAT)
    suite = read_suite(tmp_path / name, "scat")
    first, second = suite.items
    assert (first.source, first.reference) == ("But it is the lamp.", "Mais elle est la lampe.")
    assert (first.rule, first.expected) == ("it:elle", ("elle",))
    assert first.before == (Pair("The lamp stood. Yes.", "La lampe était là. Oui."),)
    spans = first.extra["highlights"]
    assert isinstance(spans, dict)
    assert spans["target_context"] == [[3, 8]]
    assert spans["source"] == [[14, 18]]
    assert first.extra["pronoun"] == {"source": [4, 6], "target": [5, 9]}
    assert (second.before, second.expected) == ((), ("elles",))
    assert second.extra == {"pronoun": {"source": [0, 4], "target": [9, 14]}}
    assert recognise_suite(tmp_path / "highlighted.test.en") == "scat"


def test_scat_says_which_of_several_pronouns_is_meant(tmp_path: Path) -> None:
    changed = {
        "highlighted.test.en": ["It says <p>it</p>  <hon>saw<hoff>  it.", "<p>They</p> are."],
        "highlighted.test.fr": ["Il dit qu'il  <hon>voit<hoff>  qu'<p>il</p> voit.", "<p>Elles</p> sont."],
    }
    write_files(tmp_path, SCAT | changed)
    item = read_suite(tmp_path / "highlighted.test.en", "scat").items[0]
    places = item.extra["pronoun"]
    assert isinstance(places, dict)
    assert places == {"source": [8, 10], "target": [21, 23]}
    assert (item.source, item.reference) == ("It says it saw it.", "Il dit qu'il voit qu'il voit.")


def test_mt_geneval_in_context(tmp_path: Path) -> None:
    stem = "geneval-context-wikiprofessions"
    write_files(
        tmp_path,
        {
            f"{stem}-2to1-test.en_de.en": ["She trained. <sep> The teacher left."],
            f"{stem}-original-test.en_de.de": ["Die Lehrerin ging."],
            f"{stem}-flipped-test.en_de.de": ["Der Lehrer ging."],
        },
    )
    for kind in ("2to1-test.en_de.en", "original-test.en_de.de", "flipped-test.en_de.de"):
        suite = read(tmp_path / f"{stem}-{kind}", "mt-geneval")
        (item,) = suite.items
        assert (suite.source_language, suite.target_language) == ("en", "de")
        assert (item.source, item.before) == ("The teacher left.", (Pair("She trained."),))
        assert (item.expected, item.forbidden) == (("die", "lehrerin"), ("der", "lehrer"))
        assert item.criterion == "absent"


def test_mt_geneval_sentences_have_their_counterpart(tmp_path: Path) -> None:
    stem = "geneval-sentences"
    write_files(
        tmp_path,
        {
            f"{stem}-feminine-test.en_de.en": ["<F>She</F> left."],
            f"{stem}-feminine-test.en_de.de": ["<F>Sie</F> ging."],
            f"{stem}-masculine-test.en_de.de": ["<M>Er</M> ging."],
        },
    )
    (item,) = read(tmp_path / f"{stem}-feminine-test.en_de.en", "mt-geneval").items
    assert (item.source, item.reference, item.rule) == ("She left.", "Sie ging.", "feminine")
    assert (item.forbidden, item.variants) == (("er",), (Variant("Er ging."),))


def test_cocoa_mt_in_the_level_that_the_file_names(tmp_path: Path) -> None:
    stem = "formality-control.test.telephony.en-de"
    write_files(
        tmp_path,
        {
            stem: ["Do you know?"],
            f"{stem}.formal.annotated": ["[F]Wissen Sie[/F] es?"],
            f"{stem}.informal.annotated": ["[F]Weißt du[/F] es?"],
        },
    )
    (item,) = read(tmp_path / f"{stem}.informal.annotated", "cocoa-mt").items
    assert (item.reference, item.expected, item.forbidden) == ("Weißt du es?", ("Weißt du",), ("Wissen Sie",))


def test_cocoa_mt_in_both_levels_where_the_source_is_named(tmp_path: Path) -> None:
    stem = "formality-control.test.en-ja"
    levels = {"formal": ["私は[F]行きます[/F]。", "[F]何ですか[/F]"], "informal": ["私は[F]行く[/F]。", "[F]何[/F]だ"]}
    files = {f"{stem}.{level}.annotated": lines for level, lines in levels.items()}
    write_files(tmp_path, {stem: ["I go.", "What is it?"], **files})
    suite = read(tmp_path / stem, "cocoa-mt")
    assert [(item.rule, item.id, item.document) for item in suite.items] == [
        *(("formal", "0.formal", "0"), ("formal", "1.formal", "1")),
        *(("informal", "0.informal", "0"), ("informal", "1.informal", "1")),
    ]
    # In Japanese a phrase is part of the output, as the published scorer has it with --non_whitespace_delimited.
    outputs = ["明日私は行きます。", "何ですか。", "明日行く。", "いつ行きますか。"]
    result = score_outputs(suite, {"a": outputs}, SuiteOptions(resamples=0))
    assert result.settings.matching == {"matched": "substring"}
    assert result.outcomes == {"a": "r-r-"}  # 何ですか has 何 in it: both levels, not counted
    assert [result.score("a", "rule", level).counted for level in levels] == [1, 1]


@pytest.mark.parametrize("named", ["en", "formal.annotated.pt", "informal.annotated.pt"])
def test_the_files_of_iwslt_end_in_their_language(tmp_path: Path, named: str) -> None:
    """As ``formality-control.train.telephony.en-ptpt.formal.annotated.pt`` of IWSLT 2022 and 2023."""
    stem = "formality-control.train.telephony.en-ptpt"
    write_files(
        tmp_path,
        {
            f"{stem}.en": ["Do you know?"],
            f"{stem}.formal.annotated.pt": ["[F]Sabe[/F]?"],
            f"{stem}.informal.annotated.pt": ["[F]Sabes[/F]?"],
        },
    )
    suite = read(tmp_path / f"{stem}.{named}", "cocoa-mt")
    expected = {"formal": "Sabe", "informal": "Sabes"}
    levels = [named.partition(".")[0]] if "." in named else ["formal", "informal"]
    assert [item.expected for item in suite.items] == [(expected[level],) for level in levels]
    assert (suite.source_language, suite.target_language) == ("en", "pt")
    assert "/".join(suite.name.split(".")[:4]) == "formality-control/train/telephony/en-ptpt"


@pytest.mark.parametrize(
    ("name", "form"), [("highlighted.test.en", "scat"), ("formality-control.test.x.en-de", "cocoa-mt")]
)
def test_a_missing_file_is_named_with_those_that_are_there(tmp_path: Path, name: str, form: str) -> None:
    write_files(tmp_path, {name: ["<p>It</p> is."]})
    with pytest.raises(InputError) as refused:
        read_suite(tmp_path / name, form)
    assert {fault.code for fault in refused.value.faults} == {"E179"}
    assert name in refused.value.faults[0].cause


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, SCAT | {"highlighted.test.context.fr": ["one"]})
    with pytest.raises(InputError, match=r"E179.*1 lines"):
        read_suite(tmp_path / "highlighted.test.en", "scat")


def test_lines_of_scat_whose_marks_do_not_match_are_left_out_and_told(tmp_path: Path) -> None:
    write_files(tmp_path, SCAT | {"highlighted.test.en": ["It <p>is</p>.", "They <p>are."]})
    suite = read_suite(tmp_path / "highlighted.test.en", "scat")
    assert [item.id for item in suite.items] == ["0"]
    assert suite.warnings[0].startswith("1 lines of SCAT")
    write_files(tmp_path, {"highlighted.test.en": ["It is.", "They are."]})
    with pytest.raises(InputError, match=r"E172.*no line has a pronoun"):
        read_suite(tmp_path / "highlighted.test.en", "scat")


def test_genpro_finds_elided_pronouns_in_any_format(tmp_path: Path) -> None:
    """The published evaluation tokenises: ``qu'elle`` has the word ``elle``."""
    write_files(tmp_path, {"x.en-fr.tsv": ["1\tcorrect\telle\tA.<eos> It is.\tA.<eos> Elle est."]})
    suite = read_suite(tmp_path / "x.en-fr.tsv")
    write_suite(suite, tmp_path / "x.en-fr.jsonl")
    for read_again in (suite, read_suite(tmp_path / "x.en-fr.jsonl")):
        result = score_outputs(read_again, {"a": ["A.<eos> parce qu'elle est."]}, SuiteOptions(separator="<eos>"))
        assert result.score("a").correct == 1
        assert result.settings.matching == {"present": "spaced"}
