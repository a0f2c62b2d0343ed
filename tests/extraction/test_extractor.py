"""The task: rows of documents, whatever the shard; the look at the surface loses nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import spacy

import endophora
from endophora.annotate.annotator import SpacyAnnotator
from endophora.corpus.formats import open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import DocumentStream, ReadOptions
from endophora.engine import EngineError, EngineOptions, RunSummary, run
from endophora.errors import InputError
from endophora.extraction import ExtractionSetup, default_phenomena
from endophora.extraction.extract import prepared_task
from endophora.extraction.select import Selector
from endophora.extraction.setup import ExtractionTools
from endophora.extraction.task import Extractor, needless


def named(rows: object) -> list[tuple[object, ...]]:
    return [(row["document"], row["segment"], row["rule"], row["expected"]) for row in rows]  # type: ignore


def test_occurrences_are_found_with_their_antecedents(lamps: Path, tools: ExtractionTools):
    documents = list(open_stream([lamps], ReadOptions(languages=("en", "de"))))
    rows = list(Extractor(tools)(documents))
    gender = [row for row in rows if row["phenomenon"] == "gender"]
    assert {(row["source_antecedent"]["head"], row["expected"][0], row["distance"]) for row in gender} == {  # type: ignore
        ("lamp", "sie", 1),
        ("table", "er", 1),
        ("letter", "er", 1),
    }
    assert [row["segment"] for row in rows if row["phenomenon"] == "formality"] == [2] * 12
    assert all(row["before"] for row in rows)


def test_rows_of_documents_do_not_depend_on_the_others(documents: list[Document], tools: ExtractionTools):
    work = Extractor(tools)
    together = list(work(documents))
    alone = [row for document in documents for row in work([document])]
    assert together == alone
    assert together


def test_the_look_at_the_surface_loses_no_occurrence(
    documents: list[Document], setup: ExtractionSetup, tools: ExtractionTools
):
    everything = replace(setup, prefilter=False).load()
    whole = named(Extractor(everything)(documents))
    assert whole
    assert named(Extractor(tools)(documents)) == whole


@pytest.fixture(scope="module")
def whole(stream: DocumentStream, setup: ExtractionSetup, tmp_path_factory: pytest.TempPathFactory) -> RunSummary:
    """The rows of one shard, made in this process."""
    options = EngineOptions(executor="serial", shard_segments=10_000)
    return run(prepared_task(setup, "serial"), lambda: iter(stream), tmp_path_factory.mktemp("whole"), options)


@pytest.mark.parametrize("options", [EngineOptions(executor="serial", shard_segments=11), EngineOptions(workers=2)])
def test_the_bytes_are_the_same_for_any_executor_and_size_of_shards(
    tmp_path: Path,
    stream: DocumentStream,
    setup: ExtractionSetup,
    whole: RunSummary,
    options: EngineOptions,
):
    done = run(prepared_task(setup, options.executor), lambda: iter(stream), tmp_path, options)
    assert done.checksum == whole.checksum
    assert done.rows > 0


def test_the_signature_names_what_decides(setup: ExtractionSetup, tools: ExtractionTools):
    assert prepared_task(setup, "process").signature == tools.signature
    assert replace(setup, context=3).load().signature != tools.signature


def test_what_is_wrong_with_a_setup_is_told_from_another_process(setup: ExtractionSetup):
    with pytest.raises(InputError, match="E190"):
        prepared_task(replace(setup, phenomena=("animacy",)), "process")
    with pytest.raises(InputError, match="E090"):
        prepared_task(replace(setup, phenomena=("gander",)), "serial")


def test_a_pair_has_the_phenomena_of_its_direction():
    assert default_phenomena("en", "de") == ("gender", "formality_cases", "auxiliary")
    assert default_phenomena("de", "en") == ("animacy",)
    assert "inflection" in default_phenomena("en", "ru")
    assert default_phenomena("zh", "en") == ("dropped_subjects",)
    with pytest.raises(InputError, match="E202"):
        default_phenomena("de", "fr")


def test_animacy_is_found_into_english(tmp_path: Path):
    lines = ["document\tsource\ttarget"]
    lines += ["d\tWo ist die Lampe?\tWhere is the lamp?", "d\tSie ist in der Küche.\tIt is in the kitchen."]
    path = tmp_path / "x.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tools = ExtractionSetup(source_language="de", target_language="en", phenomena=("animacy",)).load()
    rows = list(Extractor(tools)(list(open_stream([path], ReadOptions(languages=("de", "en"))))))
    assert [(row["segment"], row["phenomenon"], row["expected"]) for row in rows] == [(1, "animacy", ["it"])]


def test_a_document_without_candidates_is_not_parsed(tools: ExtractionTools, lamps: Path):
    document = next(iter(open_stream([lamps], ReadOptions(languages=("en", "de")))))
    selector = Selector(tools)
    segment = replace(document.segments[0], source="Where?", references={"reference": "Wo?"})
    plain = replace(document, segments=(segment,))
    found = selector.candidates(plain)
    assert not any(found.values())
    assert selector.select(plain, found, {}).parsed == ()


def test_words_without_trees_are_the_words_with_them(documents: list[Document], tools: ExtractionTools):
    annotator = tools.source_annotator
    texts = [segment.source for document in documents for segment in document.segments]
    assert set(needless(annotator)) == {"parser", "ner"}
    whole = list(annotator.annotate(texts))
    with annotator.nlp.select_pipes(disable=list(needless(annotator))):  # type: ignore[attr-defined]
        bare = list(annotator.annotate(texts))
    words = [
        [[(token.form, token.lemma, token.upos) for token in text.tokens] for text in some] for some in (whole, bare)
    ]
    assert words[0] == words[1]
    assert not any(token.relation for text in bare for token in text.tokens)


def test_a_component_that_may_read_trees_keeps_them():
    nlp = spacy.blank("en")
    for name in ("tok2vec", "parser", "tagger"):
        nlp.add_pipe(name)
    assert needless(SpacyAnnotator(nlp, "en", "own")) == ("parser",)
    nlp.add_pipe("attribute_ruler")
    assert needless(SpacyAnnotator(nlp, "en", "own")) == ()


def test_handing_out_the_work_needs_no_pipeline():
    """The parent's memory is that of the interpreter and pyarrow: spaCy would add half of it."""
    code = "import sys; import endophora.extraction; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_rows_of_another_resolver_are_not_taken_over(setup: ExtractionSetup, lamps: Path, tmp_path: Path):
    stream = open_stream([lamps], ReadOptions(languages=("en", "de")))
    options = EngineOptions(executor="serial")
    run(prepared_task(setup, "serial"), lambda: iter(stream), tmp_path / "out", options)
    other = prepared_task(replace(setup, resolver="nearest"), "serial")
    with pytest.raises(EngineError, match=r"E152.*nearest"):
        run(other, lambda: iter(stream), tmp_path / "out", options)


def test_rules_at_another_place_go_on_with_the_rows_of_the_same_content(setup: ExtractionSetup, tmp_path: Path):
    rules = (Path(endophora.__file__).parent / "languages" / "data" / "de.yaml").read_text("utf-8")
    files = [tmp_path / name for name in ("one.yaml", "two.yaml", "three.yaml")]
    for file, text in zip(files, (rules, rules, f"{rules}# edited\n"), strict=True):
        file.write_text(text, encoding="utf-8")
    one, two, three = (replace(setup, rules=(file,)).load().signature for file in files)
    assert one == two != three
