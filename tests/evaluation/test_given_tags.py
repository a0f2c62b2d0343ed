"""Tags made elsewhere: MuDA's tags give its published figures, and what is written is read back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import run
from endophora.errors import InputError
from endophora.evaluation.columns import TargetSide
from endophora.evaluation.tagging import DocumentTexts, tagged_as_given
from endophora.metrics.word_f import WordF
from endophora.phenomena.export import Tagging, label_lines, muda_text
from endophora.phenomena.given_tags import read_tags, spans_of
from endophora.phenomena.records import Occurrence


def test_the_published_word_f_of_published_tags(shared: Path) -> None:
    """Of the first of two systems; the whole command with both is in docs/papers.md."""
    folder, system = shared / "known-answers" / "muda", "sys1"
    packed = {name: (folder / f"multited.{name}.jpn.gz").read_bytes() for name in ("ref", system)}
    texts = {name: gzip.decompress(one).decode().split("\n")[:-1] for name, one in packed.items()}
    tags = read_tags({name: folder / f"multited.{name}.jpn.tag.gz" for name in texts}, texts)
    sides = {
        name: TargetSide(name, documents, tagged_as_given(documents, tags.segments[name]))
        for name, lines in texts.items()
        for documents in [[DocumentTexts("talks", tuple(lines), tuple(lines))]]
    }
    known = json.loads((folder / "multited_expected.json").read_text("utf-8"))
    names = {"lexical": "lexical_cohesion"}
    for variant, figures in (("paper", known["compare_mt_multilabel_fmeas"]), ("muda", known["muda"])):
        metric = WordF(tags.phenomena, variant)
        sums = metric.statistics(sides[system].tokens(), sides["ref"].tokens()).sum(axis=0)
        found = dict(zip(metric.tags, metric.score(sums).tolist(), strict=True))
        for tag, value in figures[system].items():
            if tag == "other":
                continue
            wanted = value if variant == "paper" else value[2]
            assert found[names.get(tag, tag)] == pytest.approx(wanted, abs=5e-5)


WORDS = st.lists(st.text("abcé.", min_size=1, max_size=4), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_what_tag_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, segments, data) -> None:
    folder = tmp_path_factory.mktemp("tags")
    names = ("formality", "lexical_cohesion", "mine")
    occurrences = [
        Occurrence("d", segment, name, "", (), (place,), words[place])
        for segment, words in enumerate(segments)
        for place in range(len(words))
        for name in sorted(data.draw(st.sets(st.sampled_from(names))))
    ]
    tagging = Tagging("d", tuple(map(tuple, segments)), tuple(occurrences))
    (folder / "muda").write_text(muda_text([tagging]), "utf-8")
    (folder / "labels").write_text("".join(label_lines(tagging)), "utf-8")
    texts = [" ".join(words) for words in segments]
    wanted = [list(zip(*pair, strict=True)) for pair in zip(segments, tagging.tags(), strict=True)]
    for name in ("muda", "labels"):
        found = read_tags({"ref": folder / name}, {"ref": texts})
        assert found.segments["ref"] == wanted
        assert found.phenomena == tuple(sorted({one.phenomenon for one in occurrences}, key=ORDER))


def ORDER(name: str) -> int:
    return ("lexical_cohesion", "formality", "mine").index(name)


def test_words_are_found_in_their_text_in_order() -> None:
    assert spans_of([("don", ()), ("'t", ()), ("d", ())], "Do don't d") == [(3, 6), (6, 8), (9, 10)]
    assert spans_of([("b", ()), ("a", ())], "a b") is None


@pytest.mark.parametrize(
    ("written", "cause"),
    [
        ("other\n", "tags of 1 segments for 2"),
        ("other other\nother\n", "segment 1"),
        ('[[["x"]]]', "no JSON of MuDA"),
        ('[[[{"token": "x", "tags": []}], [{"token": "b", "tags": []}]]]', "segment 1"),
        ("[[", "no JSON of MuDA"),
    ],
)
def test_tags_of_another_text_are_faults(tmp_path: Path, written: str, cause: str) -> None:
    (tmp_path / "tags").write_text(written, "utf-8")
    with pytest.raises(InputError, match=rf"E367.*{cause}"):
        read_tags({"ref": tmp_path / "tags"}, {"ref": ["a", "b"]})


def test_every_text_needs_tags_and_metrics_of_annotations_are_refused(tmp_path: Path, capsys) -> None:
    for name in ("s", "r", "h"):
        with gzip.open(tmp_path / f"{name}.gz", "wt", encoding="utf-8") as stream:
            stream.write("Das ist gut .\n")
    (tmp_path / "t").write_text("other other formality other\n", "utf-8")
    files = {name: str(tmp_path / f"{name}.gz") for name in ("s", "r", "h")}
    command = ["evaluate", "-l", "en-de", "-s", files["s"], "-r", f"ref={files['r']}", "-y", f"mine={files['h']}"]
    tags = ["--tags", f"ref={tmp_path / 't'}", "--judge", "wording", "-o", str(tmp_path / "out")]
    for more, said in (
        ((), "there are no tags of mine"),
        (("--tags", f"mine={tmp_path / 't'}", "-m", "blonde"), "blonde reads annotations"),
        (("--tags", f"your={tmp_path / 't'}"), "there is no text “your”"),
    ):
        assert run(*command, *tags, *more) == 2
        assert said in capsys.readouterr().err


def test_labels_of_tag_are_read_with_its_tokens_and_default_metrics_that_need_annotations_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    Path("s").write_text("Can you help me?\nYou have my lamp.\n", "utf-8")
    Path("r").write_text("Können Sie mir helfen?\nSie haben meine Lampe.\n", "utf-8")
    texts = ("-l", "en-de", "-s", "s", "-r", "ref=r")
    assert run("tag", *texts, "-f", "compare-mt", "-q", "-o", "tags") == 0
    Path("labels").write_text(capsys.readouterr().out, "utf-8")
    assert Path("tags/tokens.txt").read_text("utf-8").splitlines()[1] == "Sie haben meine Lampe ."
    given = ("--tags", "ref=labels,tags/tokens.txt", "--tags", "mine=labels,tags/tokens.txt")
    more = ("--fail-if", "formality < 100", "-f", "json", "-o", "out")
    assert run("evaluate", *texts, "-y", "mine=r", *given, "--judge", "wording", *more) == 0
    shown = capsys.readouterr()
    assert "blonde is left out: it reads annotations" in shown.err
    (words,) = [one["value"] for one in json.loads(shown.out)["scores"] if one["column"] == "formality"]
    assert words == 1.0
    without = ("--judge", "wording", "--fail-if", "blonde < 100", "-o", "out")
    assert run("evaluate", *texts, "-y", "mine=r", *given, *without) == 2
    assert "E376" in capsys.readouterr().err
    assert run("evaluate", *texts, "-y", "mine=r", "--tags", "ref=labels", "--tags", "mine=labels", "-o", "out") == 2
    assert "one a token of LABELS,TOKENS" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tokens", "said"),
    [(None, r"^\[E001\][^\n]*no[^\n]*$"), ("a\n", r"E367.*tokens.*1 lines of tokens for 2 of labels")],
)
def test_tokens_that_are_missing_or_too_few_are_the_one_fault(tmp_path: Path, tokens: str | None, said: str) -> None:
    (tmp_path / "labels").write_text("mine\nother\n", "utf-8")
    place = tmp_path / ("no" if tokens is None else "tokens")
    if tokens is not None:
        place.write_text(tokens, "utf-8")
    with pytest.raises(InputError, match=said):
        read_tags({"ref": f"{tmp_path / 'labels'},{place}"}, {"ref": ["a", "b"]})


def test_a_blank_within_a_token_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("other mine other\n", "utf-8")
    (tmp_path / "tokens").write_text("les 10_000 a_b\n", "utf-8")
    found = read_tags({"ref": f"{tmp_path / 'labels'},{tmp_path / 'tokens'}"}, {"ref": ["les 10\u00a0000a_b"]})
    assert found.segments["ref"] == [[("les", ()), ("10\u00a0000", ("mine",)), ("a_b", ())]]


def test_tag_with_outputs_asks_whose_tags(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tag", "-l", "en-de", "-s", "no", "-r", "no", "-y", "mine=no") == 2
    assert "add --of NAME" in capsys.readouterr().err
