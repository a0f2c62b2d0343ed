"""Priors learned from text, the readers of the text, and what is kept out."""

from __future__ import annotations

import gzip
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.shared_parts import write_catalogue
from endophora.align import CompactAligner
from endophora.align.priors import pairs_with_priors
from endophora.errors import InputError
from endophora.training.parallel import TextPair, read_pairs
from endophora_makers.alignment_evaluation import points, tokenised
from endophora_makers.prior_texts import (
    keep_out,
    read_catalogues,
    read_help,
    read_wiktionary,
    read_wordnet,
)
from endophora_makers.priors import PriorsRecipe, train_priors
from endophora_makers.sources import evaluated, load_sources


def toy_pairs(count: int, seed: int = 1) -> list[tuple[list[str], list[str]]]:
    """Sentences of a language whose words are those of the other spelled with digits, in the same order."""
    chance = random.Random(seed)
    foreign = {f"{a}{b}{a}": str(number) * 3 for number, (a, b) in enumerate(product("bdfgk", "aeiou"))}
    sentences = [chance.choices(list(foreign), k=chance.randint(2, 9)) for _ in range(count)]
    return [(sentence, [foreign[word] for word in sentence]) for sentence in sentences]


def test_train_priors_learns_a_toy_lexicon() -> None:
    pairs = toy_pairs(300)
    priors = train_priors(pairs)
    lexicon = {word: other for one, two in pairs for word, other in zip(one, two, strict=True)}
    first, second = np.divmod(priors.words.keys, priors.words.columns)
    best: dict[str, tuple[float, str]] = {}
    for i, j, count in zip(first.tolist(), second.tolist(), priors.words.counts.tolist(), strict=True):
        word = priors.source.words[i]
        best[word] = max(best.get(word, (0.0, "")), (count, priors.target.words[j]))
    assert {word: other for word, (_, other) in best.items()} == lexicon
    assert int(np.argmax(priors.forward)) == 101  # one step forward


def test_priors_make_a_single_sentence_alignable() -> None:
    aligner = CompactAligner(train_priors(toy_pairs(300)))
    fresh = toy_pairs(40, seed=9)
    for one, other in fresh:
        found = aligner.align([tokenised(" ".join(one))], [tokenised(" ".join(other))])[0]
        assert points(found) == [(k, k) for k in range(len(one))]


def test_train_priors_keeps_no_pair_below_its_floor() -> None:
    priors = train_priors(toy_pairs(100), PriorsRecipe(word_floor=3.0, class_floor=2.0))
    assert priors.words.counts.min() >= 3
    assert priors.classes.counts.min() >= 2


def test_train_priors_refuses_text_that_it_cannot_learn_from() -> None:
    with pytest.raises(InputError, match="E082"):
        train_priors([(["a"], [])])


def test_keep_out_ignores_case_and_punctuation_and_drops_repeats() -> None:
    pairs = [TextPair("x", one, other) for one, other in (("A b.", "u"), ("c", "V!"), ("d", "w"), ("D", "w."))]
    assert list(keep_out(pairs, ["“a B”", "v"])) == [TextPair("x", "d", "w")]


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5))), st.lists(st.text(max_size=5)))
def test_keep_out_yields_nothing_that_is_barred(pairs: list[tuple[str, str]], texts: list[str]) -> None:
    kept = list(keep_out([TextPair("x", *pair) for pair in pairs], texts))
    assert not any(side and side in texts for pair in kept for side in (pair.source, pair.target) if side.isalnum())


def test_read_pairs_picks_collections_and_reports_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(b"tatoeba-1\ta\tb\nnews\tc\td\n"))
    assert [(pair.source, pair.target) for pair in read_pairs(path, ["tatoeba"])] == [("a", "b")]
    bad = tmp_path / "y.tsv"
    bad.write_text("a\tb\nc\n", "utf-8")
    with pytest.raises(InputError) as caught:
        list(read_pairs(bad))
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E080", 2)]


def test_read_help_joins_paragraphs_of_one_page_and_id(tmp_path: Path) -> None:
    for name, texts in (("en-US", ("Print", "Close <b>the</b> window.")), ("de", ("Drucken", "Schließt das Fenster."))):
        page = tmp_path / name / "text" / "a.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<h1 id="h">{texts[0]}</h1><p id="p1">{texts[1]}</p><p>x</p>', "utf-8")
    found = [(pair.source, pair.target) for pair in read_help(tmp_path, "en-US", "de")]
    assert found == [("Print", "Drucken"), ("Close the window.", "Schließt das Fenster.")]
    with pytest.raises(InputError, match="E081"):
        list(read_help(tmp_path, "en-US", "fr"))


def test_read_wiktionary_drops_genders_glosses_and_references(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(
        gzip.compress(b"bay {n} (body of water) :: Golf {m}, Bucht {f} [rare]\nbays {n} SEE: bay ::\n# comment\n")
    )
    assert [(pair.source, pair.target) for pair in read_wiktionary(path)] == [("bay", "Golf"), ("bay", "Bucht")]


def test_read_catalogues_reads_the_binary_format(tmp_path: Path) -> None:
    write_catalogue(tmp_path / "x.mo", [("", "header"), ("MENU\x04~Close", "~Schließen")])
    assert [(pair.source, pair.target) for pair in read_catalogues(tmp_path)] == [("Close", "Schließen")]


def test_read_wordnet_joins_the_words_of_a_synset_with_its_translations(tmp_path: Path) -> None:
    for name in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{name}").write_text("  1 a licence\n", "utf-8")
    line = "00000007 00 s 02 big 0 very_large(p) 0 000 | of great size\n"
    (tmp_path / "data.adj").write_text(line, "utf-8")
    table = tmp_path / "x.tab"
    table.write_text("# a wordnet\n00000007-a\test:lemma\tsuur\n00000009-n\test:lemma\tmaja\n", "utf-8")
    found = [(pair.source, pair.target) for pair in read_wordnet(table, tmp_path)]
    assert found == [("big", "suur"), ("very large", "suur")]
    with pytest.raises(InputError, match="E081"):
        list(read_wordnet(table, tmp_path / "none"))


def test_sources_of_shipped_priors_are_named_for_every_pair() -> None:
    sources = load_sources()
    assert set(sources.collections) == {"tatoeba", "tico"}
    assert {f"en-{language}" for language in sources.languages} >= {"-".join(pair) for pair in pairs_with_priors()}


def test_sources_of_shipped_priors_leave_out_what_is_evaluated_on(tmp_path: Path) -> None:
    (tmp_path / "parallel").mkdir()
    rows = b"tatoeba\tHello.\tHallo.\ntatoeba\tOne day.\tEines Tages.\nnewstest\tTwo.\tZwei.\n"
    (tmp_path / "parallel/en-deu.tsv.gz").write_bytes(gzip.compress(rows))
    (tmp_path / "documents/ntrex").mkdir(parents=True)
    (tmp_path / "documents/ntrex/newstest2019.deu.txt").write_text("EINES TAGES\n", "utf-8")
    file = load_sources()
    kept = keep_out(read_pairs(tmp_path / "parallel/en-deu.tsv.gz", file.collections), evaluated(tmp_path))
    assert [pair.source for pair in kept] == ["Hello."]
