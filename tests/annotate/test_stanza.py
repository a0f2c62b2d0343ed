"""Stanza by name: its documents become surface tokens; a tiny model, trained here, goes all the way."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import names_entities
from endophora.annotate.stanza import StanzaAnnotator
from endophora.errors import MissingModelError

needs_stanza = pytest.mark.skipif(find_spec("stanza") is None, reason="Stanza is an extra")

# A treebank in miniature: form, lemma, UPOS, XPOS, features, head, relation; “3-4 zum” is a multi-word token.
TREEBANK = """
Anna Anna PROPN NE Case=Nom 2 nsubj | geht gehen VERB VVFIN Person=3 0 root | 3-4 zum |
  zu zu ADP APPR _ 5 case | dem der DET ART Case=Dat 5 det | Arzt Arzt NOUN NN Case=Dat 2 obl | . . PUNCT $. _ 2 punct
Paul Paul PROPN NE Case=Nom 2 nsubj | kommt kommen VERB VVFIN Person=3 0 root | 3-4 zum |
  zu zu ADP APPR _ 5 case | dem der DET ART Case=Dat 5 det | Fest Fest NOUN NN Case=Dat 2 obl | . . PUNCT $. _ 2 punct
Der der DET ART Case=Nom 2 det | Arzt Arzt NOUN NN Case=Nom 3 nsubj | sieht sehen VERB VVFIN Person=3 0 root |
  Anna Anna PROPN NE Case=Acc 3 obj | . . PUNCT $. _ 3 punct
Das der DET ART Case=Nom 2 det | Fest Fest NOUN NN Case=Nom 3 nsubj | beginnt beginnen VERB VVFIN Person=3 0 root |
  . . PUNCT $. _ 3 punct
"""


def word(id_, text, head, deprel, upos="X", feats=None, lemma=None):
    return SimpleNamespace(
        id=id_, text=text, lemma=lemma or text, upos=upos, xpos=None, feats=feats, head=head, deprel=deprel
    )


def token(text, start, words, ner="O"):
    return SimpleNamespace(text=text, start_char=start, end_char=start + len(text), words=words, ner=ner)


class Pipeline:
    """Stands for Stanza: returns a document that was written out by hand for each text."""

    def __init__(self, documents):
        self.documents = documents
        self.processors = {"tokenize": None, "pos": None, "ner": None}

    def bulk_process(self, texts):
        return [SimpleNamespace(sentences=[SimpleNamespace(tokens=t) for t in self.documents[text]]) for text in texts]


ENGLISH = "She don't  know  Ann Lee. Go!"
SPANISH = "Quiero dárselo"
POLISH = "byłem"
DOCUMENTS = {
    ENGLISH: [
        [
            token("She", 0, [word(1, "She", 4, "nsubj", "PRON", "Number=Sing|Person=3")]),
            token("don't", 4, [word(2, "do", 4, "aux", "AUX"), word(3, "n't", 4, "advmod", "PART")]),
            token("know", 11, [word(4, "know", 0, "root", "VERB")]),
            token("Ann", 17, [word(5, "Ann", 4, "obj", "PROPN")], "B-PERSON"),
            token("Lee", 21, [word(6, "Lee", 5, "flat", "PROPN")], "E-PERSON"),
            token(".", 24, [word(7, ".", 4, "punct", "PUNCT")]),
        ],
        [
            token("Go", 26, [word(1, "Go", 0, "root", "VERB")], "S-ORG"),
            token("!", 28, [word(2, "!", 1, "punct", "PUNCT")]),
        ],
    ],
    SPANISH: [
        [
            token("Quiero", 0, [word(1, "Quiero", 0, "root", "VERB")]),
            token(
                "dárselo",
                7,
                [
                    word(2, "dar", 1, "xcomp", "VERB", "VerbForm=Inf", "dar"),
                    word(3, "se", 2, "iobj", "PRON"),
                    word(4, "lo", 2, "obj", "PRON"),
                ],
            ),
        ]
    ],
    POLISH: [
        [
            token(
                POLISH,
                0,
                [
                    word(1, "był", 0, "root", "VERB", "Gender=Masc|Tense=Past", "być"),
                    word(2, "em", 1, "aux:clitic", "AUX", "Number=Sing|Person=1"),
                ],
            )
        ]
    ],
}


def annotate(language, *texts):
    return list(StanzaAnnotator(Pipeline(DOCUMENTS), language, "by hand").annotate(texts))


def test_a_multi_word_token_is_split_where_our_tokenizer_splits_it():
    (text,) = annotate("en", ENGLISH)
    assert [t.form for t in text.tokens] == ["She", "do", "n't", "know", "Ann", "Lee", ".", "Go", "!"]
    assert [ENGLISH[t.start : t.end] for t in text.tokens] == [t.form for t in text.tokens]
    assert [t.head for t in text.tokens] == [3, 3, 3, -1, 3, 4, 3, -1, 7]
    assert [t.relation for t in text.tokens][:4] == ["nsubj", "aux", "advmod", "root"]
    assert [t.entity for t in text.tokens] == ["", "", "", "", "B-PERSON", "I-PERSON", "", "B-ORG", ""]
    assert text.tokens[0].features == {"Number": "Sing", "Person": "3"}
    assert text.sentences == (0, 7)


def test_a_multi_word_token_stays_whole_where_our_tokenizer_sees_one_and_has_the_heads_analysis():
    (text,) = annotate("es", SPANISH)
    assert [(t.form, t.lemma, t.upos, t.head, t.relation) for t in text.tokens] == [
        ("Quiero", "Quiero", "VERB", -1, "root"),
        ("dárselo", "dar", "VERB", 0, "xcomp"),
    ]


def test_an_auxiliary_that_is_written_together_adds_its_features():
    (text,) = annotate("pl", POLISH)
    assert text.tokens[0].lemma == "być"
    assert text.tokens[0].features == {"Gender": "Masc", "Tense": "Past", "Number": "Sing", "Person": "1"}


def test_texts_without_words_are_not_given_to_stanza():
    blank, spanish, empty = annotate("es", "  ", SPANISH, "")
    assert (blank.tokens, empty.tokens) == ((), ())
    assert len(spanish.tokens) == 2


def test_without_stanza_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingModelError, match=r"pip install 'endophora\[stanza\]'") as caught:
        load_annotator("de", "stanza")
    assert caught.value.exit_code == 3


def treebank():
    """Yield the treebank's sentences: their CoNLL-U rows, and their surface tokens."""
    for block in TREEBANK.strip().replace("\n  ", " ").split("\n"):
        rows, surface, number, covered = [], [], 0, 0
        for fields in (part.split() for part in block.split("|")):
            if len(fields) == 2:
                rows.append([*fields, *"_" * 8])
                surface.append(fields[1])
                covered = int(fields[0].partition("-")[2])
                continue
            number += 1
            rows.append([str(number), *fields, "_", "_"])
            if number > covered:
                surface.append(fields[0])
        yield rows, surface


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of Stanza models that know the treebank by heart."""
    from stanza.models import lemmatizer, mwt_expander, parser, tagger, tokenizer
    from stanza.utils.datasets.prepare_tokenizer_data import main as prepare

    root = tmp_path_factory.mktemp("stanza")
    conllu, raw = root / "train.conllu", root / "train.txt"
    sentences = list(treebank()) * 8
    conllu.write_text("".join("".join("\t".join(row) + "\n" for row in rows) + "\n" for rows, _ in sentences), "utf-8")
    raw.write_text("\n\n".join(" ".join(words).replace(" .", ".") for _, words in sentences), "utf-8")
    (root / "labels").mkdir()
    labels, expansions = str(root / "labels" / "train.toklabels"), str(root / "mwt.json")
    prepare([str(raw), str(conllu), "-o", labels, "-m", expansions])
    plain = ["--lang", "de", "--shorthand", "de_test", "--cpu"]
    files = ["--train_file", str(conllu), "--eval_file", str(conllu)]
    small = ["--hidden_dim", "32", "--char_hidden_dim", "16", "--deep_biaff_hidden_dim", "32", "--word_emb_dim", "16"]
    small += ["--char_emb_dim", "16", "--tag_emb_dim", "8", "--transformed_dim", "16", "--no_pretrain"]
    small += ["--max_steps", "100", "--eval_interval", "50", "--dropout", "0.1", "--word_dropout", "0.1"]

    def place(name: str) -> list[str]:
        return ["--save_dir", str(root / name), "--save_name", f"{name}.pt"]

    raw_files = ["--txt_file", str(raw), "--label_file", labels, "--mwt_json_file", expansions]
    raw_files += ["--dev_txt_file", str(raw), "--dev_label_file", labels, "--dev_conll_gold", str(conllu)]
    tokenizer.main([*plain, *place("tokenize"), *raw_files, "--steps", "200", "--eval_steps", "100"])
    mwt_expander.main([*plain, *place("mwt"), *files, "--gold_file", str(conllu), "--dict_only"])
    tagger.main([*plain, *place("pos"), *files, *small])
    lemmatizer.main(["--shorthand", "de_test", "--cpu", *place("lemma"), *files, "--dict_only"])
    parser.main([*plain, *place("depparse"), *files, *small])
    return root


@needs_stanza
def test_a_trained_model_is_loaded_by_its_directory_and_yields_universal_dependencies(model: Path):
    annotator = load_annotator("de", f"stanza:{model}")
    assert annotator.signature.startswith("stanza-de-default-")
    text = "Anna geht zum Arzt. Das Fest beginnt."
    (found,) = annotator.annotate([text])
    assert [t.form for t in found.tokens] == ["Anna", "geht", "zum", "Arzt", ".", "Das", "Fest", "beginnt", "."]
    assert [t.upos for t in found.tokens[:5]] == ["PROPN", "VERB", "ADP", "NOUN", "PUNCT"]
    assert [t.lemma for t in found.tokens[:4]] == ["Anna", "gehen", "zu", "Arzt"]
    assert [t.relation for t in found.tokens[:4]] == ["nsubj", "root", "case", "obl"]
    assert [t.head for t in found.tokens[:4]] == [1, -1, 3, 1]
    assert found.tokens[1].features == {"Person": "3"}
    assert found.tokens[3].features == {"Case": "Dat"}
    assert found.sentences == (0, 5)


@needs_stanza
def test_models_that_were_not_downloaded_are_an_error_with_the_command(tmp_path: Path):
    (tmp_path / "resources.json").write_text("{}")
    with pytest.raises(MissingModelError, match=r"stanza\.download\('de', model_dir=") as caught:
        load_annotator("de", f"stanza:{tmp_path}")
    assert caught.value.exit_code == 3
    with pytest.raises(MissingModelError, match=r"stanza\.download\('de', package='nosuch'\)"):
        load_annotator("de", "stanza:nosuch")


@needs_stanza
def test_a_directory_without_a_tokenizer_is_refused(tmp_path: Path):
    with pytest.raises(MissingModelError, match="E040"):
        load_annotator("de", f"stanza:{tmp_path}")


def test_an_annotator_tells_whether_it_names_entities():
    pipeline = Pipeline(DOCUMENTS)
    assert names_entities(StanzaAnnotator(pipeline, "en", "x"))
    del pipeline.processors["ner"]
    assert not names_entities(StanzaAnnotator(pipeline, "en", "x"))
