"""Treebanks are read as surface tokens, and no test sentence gets into training."""

from __future__ import annotations

import io
import tarfile
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora_makers import annotators
from endophora_makers.annotators import gather
from endophora_makers.conllu import Sentence, Word, join_features, read_conllu
from endophora_makers.label_mapping import Harmony, harmonised
from endophora_makers.recipe import RECIPES, load_recipe
from endophora_makers.treebanks import Archive, Source, keys, read_source, sentence_key, without_leaks


def row(number: str, form: str, upos: str, head: object, relation: str, misc: str = "_") -> str:
    return "\t".join((number, form, form.lower(), upos, "_", "_", str(head), relation, "_", misc))


CONTRACTED = [
    "# newdoc id = d1",
    "# sent_id = s1",
    row("1", "Wir", "PRON", 2, "nsubj"),
    row("2", "gehen", "VERB", 0, "root"),
    row("3-4", "zum", "_", "_", "_"),
    row("3", "zu", "ADP", 5, "case"),
    row("4", "dem", "DET", 5, "det"),
    row("5", "Arzt", "NOUN", 2, "obl", "SpaceAfter=No"),
    row("5.1", "leer", "X", "_", "_"),
    row("6", ".", "PUNCT", 2, "punct"),
]


def test_a_contraction_becomes_one_word_with_its_heads_analysis():
    (sentence,) = read_conllu(CONTRACTED)
    assert [(w.form, w.upos, w.head, w.relation) for w in sentence.words] == [
        ("Wir", "PRON", 1, "nsubj"),
        ("gehen", "VERB", -1, "root"),
        ("zum", "ADP", 3, "case"),
        ("Arzt", "NOUN", 1, "obl"),
        (".", "PUNCT", 1, "punct"),
    ]
    assert (sentence.text, sentence.id, sentence.document) == ("Wir gehen zum Arzt.", "s1", "d1")


def test_a_word_written_together_is_split_where_its_parts_stand_in_it():
    lines = [row("1-2", "don't", "_", "_", "_"), row("1", "do", "AUX", 0, "root"), row("2", "n't", "PART", 1, "advmod")]
    (sentence,) = read_conllu(lines)
    assert [(w.form, w.space, w.head) for w in sentence.words] == [("do", False, -1), ("n't", True, 0)]


def test_clitics_are_parted_at_their_hyphens_and_others_merged_where_asked():
    hyphened = [
        row("1-2", "Fazê-lo", "_", "_", "_"),
        row("1", "Fazer", "VERB", 0, "root"),
        row("2", "lo", "PRON", 1, "obj"),
    ]
    (sentence,) = read_conllu(hyphened, merge=True)
    assert [(w.form, w.lemma, w.space) for w in sentence.words] == [("Fazê", "fazer", False), ("-lo", "lo", True)]
    joined = [row("1-2", "darle", "_", "_", "_"), row("1", "dar", "VERB", 0, "root"), row("2", "le", "PRON", 1, "obj")]
    assert [[(w.form, w.upos) for w in s.words] for s in read_conllu(joined, merge=True)] == [[("darle", "VERB")]]
    assert [[w.form for w in s.words] for s in read_conllu(joined)] == [["dar", "le"]]


def test_merging_brings_no_cycle():
    lines = [
        row("1-2", "do", "_", "_", "_"),
        row("1", "de", "ADP", 3, "case"),
        row("2", "o", "PRON", 0, "root"),
        row("3", "que", "PRON", 2, "nmod"),
    ]
    (sentence,) = read_conllu(lines)
    assert [(w.form, w.upos, w.head) for w in sentence.words] == [("do", "PRON", -1), ("que", "PRON", 0)]


def test_all_bad_lines_are_reported_at_once():
    with pytest.raises(InputError) as caught:
        list(read_conllu(["1\ttoo\tfew", row("2", "a", "X", "x", "_"), row("3", "b", "X", 0, "root")], "f.conllu"))
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E080", 1), ("E080", 2)]


FORMS = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(FORMS, st.booleans()), min_size=1, max_size=12), st.data())
def test_what_is_written_as_conllu_is_read(words: list[tuple[str, bool]], data: st.DataObject):
    heads = [data.draw(st.integers(0, len(words))) for _ in words]
    lines = [
        row(str(i), form, "X", head, "dep", "_" if space else "SpaceAfter=No")
        for i, ((form, space), head) in enumerate(zip(words, heads, strict=True), start=1)
    ]
    (sentence,) = read_conllu(lines)
    assert [(w.form, w.space) for w in sentence.words] == words
    assert [w.head for w in sentence.words] == [head - 1 for head in heads]


@given(st.dictionaries(st.sampled_from(["Case", "Gender", "gender[x]", "Number"]), st.sampled_from(["A", "B"])))
def test_features_are_joined_in_the_order_of_universal_dependencies(values: dict[str, str]):
    names = [pair.partition("=")[0] for pair in join_features(values).split("|")]
    assert names == (sorted(values, key=str.lower) or ["_"])


def test_the_key_of_a_sentence_is_its_letters_and_digits():
    assert sentence_key("It’s 5 o’clock!") == sentence_key("its 5, oclock")
    assert sentence_key("It is 5") != sentence_key("It is 6")


def test_sentences_of_the_test_set_are_left_out():
    one, two = Sentence((Word("Yes"), Word("!"))), Sentence((Word("No"), Word(".")))
    assert list(without_leaks([one, two], keys([Sentence((Word("yes"),))]))) == [two]


def archive(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:xz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))


def test_a_source_takes_the_files_of_its_split(tmp_path: Path):
    one = row("1", "eins", "X", 0, "root") + "\n\n"
    files = {
        "t/GUM_news_a.conllu": one,
        "t/GUM_news_b.conllu": one.replace("eins", "zwei"),
        "t/GUM_fiction_c.conllu": one,
        "t/splits.md": "# Splits\n\n## dev\n\n  * GUM_news_a\n\n## train\n\n  * GUM_news_b\n  * GUM_fiction_c\n",
    }
    archive(tmp_path / "x.tar.xz", files)
    source = Source(
        name="t",
        archive="x.tar.xz",
        files=("t/*.conllu",),
        split="t/splits.md",
        section="train",
        drop=("GUM_fiction_*",),
    )
    assert [s.text for s in read_source(source, tmp_path)] == ["zwei"]
    with pytest.raises(InputError, match="E082"):
        read_source(source.model_copy(update={"section": "test"}), tmp_path)
    with pytest.raises(InputError, match="E081"):
        read_source(source.model_copy(update={"archive": "none.tar.xz"}), tmp_path)


def test_features_of_another_convention_are_brought_over():
    word = Word("année", upos="NOUN", features="Case=Nom", misc="Gender[lex]=Fem|SpaceAfter=No|Number[ctxt]=Sing")
    rules = Harmony(take={"NOUN": ("Gender", "Number")}, drop=("Case",))
    assert harmonised(Sentence((word,)), rules).words[0].features == "Gender=Fem|Number=Sing"


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [
        ("speelstijl", "speel_stijl", "speelstijl"),
        ("betalingsverkeer", "betaling_verkeer", "_"),
        ("kwam", "neer_komen", "_"),
    ],
)
def test_members_of_a_compounds_lemma_are_joined_where_they_make_up_the_form(form: str, lemma: str, expected: str):
    assert harmonised(Sentence((Word(form, lemma),)), Harmony(joint="_")).words[0].lemma == expected


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "it", "nl", "pt", "ro"])
def test_no_test_sentence_is_in_the_training_text_of_a_shipped_pipeline(
    language: str, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    # Treebanks take seconds to unpack and read: archives are unpacked once, and those of the tests read once, for what
    # is tested and for the test.
    read = cache(read_source)
    monkeypatch.setattr(annotators, "read_source", read)
    recipe = load_recipe(language)
    gold = recipe.model_copy(update={"sources": tuple(s for s in recipe.sources if s.convert == "ud")})
    sources = (*gold.sources, *recipe.development, *recipe.tests)
    wanted = [name for s in sources for name in (*s.files, *filter(None, (s.split, s.entities)))]
    unpack = cache(partial(Archive.read, patterns=wanted))
    monkeypatch.setattr(Archive, "read", lambda path, patterns: unpack(path))
    found = gather(gold, shared / "treebanks")
    tests = keys(s for source in recipe.tests for s in read(source, shared / "treebanks"))
    assert len(tests) > 500
    assert all(found.values())
    assert tests.isdisjoint(keys(s for sentences in found.values() for s in sentences))


def test_every_recipe_can_be_read():
    files = [*RECIPES.glob("??.yaml"), *RECIPES.glob("research/??.yaml")]
    assert len(files) > 15
    assert [load_recipe(file.stem, file).language for file in files] == [file.stem for file in files]
    with pytest.raises(InputError, match="E083"):
        load_recipe("qq")


def test_all_faults_of_a_recipe_are_reported(tmp_path: Path):
    (tmp_path / "r.yaml").write_text("language: de\nnonsense: 1\n")
    with pytest.raises(InputError) as caught:
        load_recipe("de", tmp_path / "r.yaml")
    assert len(caught.value.faults) > 2
    assert {fault.code for fault in caught.value.faults} == {"E084"}
