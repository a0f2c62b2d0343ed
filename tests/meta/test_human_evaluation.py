"""Sheets of relative ranking: blinded, with checks, read back; raters filtered, systems ranked, errors counted."""

import csv
import io
import random
import re
from collections import Counter

import pytest

from command import run
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.meta.people import read_people
from endophora.meta.ranking import JudgedItem, RankingOptions, evaluate_sheets, read_sheets
from endophora.meta.sheets import Item, Key, SheetOptions, make_sheets, spoil
from endophora.report import render
from endophora.report.ranking import rater_page, sheet

SYSTEMS = ("alpha-mt", "beta-mt", "gamma-mt", "delta-mt", "people")
HERE = Location("x", 1)


def corpus(documents=6, segments=12):
    """Every output names its place, so that tests know what is shown, and its system by a word of its own."""
    words = dict(zip(SYSTEMS, ("ein", "zwei", "drei", "vier", "fünf"), strict=True))

    def segment(document, number):
        texts = {name: f"{word} d{document} s{number} a b c d e f g." for name, word in words.items()}
        return Segment(f"source d{document} s{number}", {}, texts, HERE)

    made = (Document(f"d{at}", tuple(segment(at, n) for n in range(segments))) for at in range(documents))
    return Corpus("en", "de", tuple(made), (), SYSTEMS)


@pytest.fixture(scope="module")
def made():
    return make_sheets(corpus(), SheetOptions(items=20, spoiled=0.1, repeated=0.1))


def test_nobody_sees_whose_a_translation_is(made):
    key, sheets = made
    for rater, shown in sheets.items():
        text = sheet(shown, key) + rater_page(rater, shown, key)
        assert not re.search("alpha|beta-mt|people", text.replace("which people", ""))
    assert len({item.order for item in key.items}) > 50


def test_a_rater_has_sentences_of_one_half_and_documents_of_the_other(made):
    """Two raters each of the four conditions of Appendix D; no text in both conditions."""
    key, sheets = made
    assert len(sheets) == 8
    for rater in sheets:
        own = [item for item in key.items if item.rater == rater]
        halves = [{item.document for item in own if item.level == level} for level in ("doc", "seg")]
        assert not halves[0] & halves[1]
    assert Counter(item.criterion for item in key.items) == {"adequacy": 128, "fluency": 128}
    same = [{(i.level, i.document, i.start) for i in key.items if i.rater == f"rater-{n}"} for n in (1, 2, 3)]
    assert same[0] == same[1] != same[2]


def test_documents_come_in_order_with_one_order_of_systems(made):
    for rater in made[1]:
        blocks = [item for item in made[0].items if item.rater == rater and item.level == "doc" and not item.repeats]
        for name in {item.document for item in blocks}:
            own = [item for item in blocks if item.document == name]
            assert [item.start for item in own] == [5 * at for at in range(len(own))]
            assert len({item.order for item in own}) == 1


def test_fluency_is_judged_without_the_source(made):
    for shown in made[1].values():
        assert all(bool(one.source) == (one.criterion == "adequacy") for one in shown)


def test_checks_are_as_many_as_asked(made):
    key = made[0]
    per_rater = Counter(item.rater for item in key.items if item.spoiled)
    assert set(per_rater.values()) == {1 + 2}  # a tenth of nine blocks, and of twenty sentences
    for item in (item for item in key.items if item.repeats):
        first = next(one for one in key.items if one.id == item.repeats)
        assert (first.document, first.start, first.spoiled, first.rater) == (item.document, item.start, "", item.rater)


def test_a_spoiled_text_keeps_its_ends_and_its_words():
    """Words but a tenth at either end; of a block the sentences but the first and the last (Appendix D)."""
    words = " ".join(f"w{n}" for n in range(20))
    (text,) = spoil([words], random.Random(1))
    assert text.split()[:2] == ["w0", "w1"]
    assert text.split()[-2:] == ["w18", "w19"]
    assert sorted(text.split()) == sorted(words.split())
    assert text != words
    block = spoil(["a b c", "b", "c", "d", "e"], random.Random(1))
    assert (block[0], block[-1], sorted(block[1:-1])) == ("a b c", "e", ["b", "c", "d"])
    assert block[1:-1] != ("b", "c", "d")
    assert spoil(["他昨天来了这里吗"], random.Random(1))[0] not in ("他昨天来了这里吗", "")


def item(name, rater="rater-1", level="seg", document="d0", start=0, order="XYZ", **more):
    fields = {"id": name, "rater": rater, "criterion": "adequacy", "level": level, "document": document}
    return Item.model_validate({**fields, "start": start, "stop": start + 1, "order": tuple(order), **more})


def key_of(*items, documents=None):
    return Key(
        source_language="en",
        target_language="de",
        systems=("X", "Y", "Z"),
        documents=documents or {"d0": 3, "d1": 2},
        block=5,
        errors=True,
        items=items,
    )


def judged(one, *ranks, errors=((), (), ())):
    return JudgedItem(one, ranks, errors)


def test_ranks_by_hand():
    """Of four comparisons each X has three and a half, Y one, and Z one and a half."""
    one, two = item("1"), item("2", document="d1", start=1, order="ZYX")
    key = key_of(one, two)
    result, (people,) = evaluate_sheets(
        [judged(one, 1, 2, 3), judged(two, 2, 3, 2)], {}, key, RankingOptions(resamples=0)
    )
    shares = {each.system: (each.value, each.wins, each.ties, each.losses, each.items) for each in result.scores}
    assert shares == {"X": (87.5, 3, 1, 0, 2), "Y": (25.0, 1, 0, 3, 2), "Z": (37.5, 1, 1, 2, 2)}
    values = people.levels["seg"].values
    assert values[:, 0].tolist() == [100, 50, 0]
    assert values[:, 4].tolist() == [75, 0, 75]
    assert people.name == "adequacy"


@pytest.mark.parametrize(("documents", "resamples", "said"), [(2, 99, True), (6, 99, False), (2, 0, False)])
def test_two_documents_decide_nothing(documents, resamples, said):
    """The first system is always first, in 24 segments of a few documents."""
    items = [item(f"{n}", document=f"d{n % documents}", start=n // documents) for n in range(24)]
    key = key_of(*items, documents={f"d{n}": 24 // documents for n in range(documents)})
    options = RankingOptions(resamples=resamples, baseline="X")
    result, _ = evaluate_sheets([judged(one, 1, 2, 2) for one in items], {}, key, options)
    warning = "adequacy of segments: with 2 documents no difference can be significant at .05"
    assert result.warnings == ([warning] if said else [])
    page = render(result, "html")
    assert ("Too few documents for a significant difference." in page) is said
    assert ("Significantly worse than X: Y and Z." in page) is (documents == 6)
    assert [one.significant for one in result.comparisons] == [documents == 6] * (2 * bool(resamples))


def test_five_documents_may_decide_at_a_higher_level():
    """The smallest p of five documents is 1/16, of two tests 1/8."""
    items = [item(f"{n}", document=f"d{n % 5}", start=n // 5) for n in range(20)]
    key = key_of(*items, documents={f"d{n}": 4 for n in range(5)})
    options = RankingOptions(resamples=99, baseline="X", alpha=0.15)
    result, _ = evaluate_sheets([judged(one, 1, 2, 2) for one in items], {}, key, options)
    assert [one.p_adjusted for one in result.comparisons] == [0.125, 0.125]
    page = render(result, "html")
    assert "Too few documents" not in page
    assert "Significantly worse than X: Y and Z." in page


def test_a_rater_who_finds_nonsense_as_good_does_not_count():
    items = [item(f"{rater}{n}", rater, start=n, spoiled="Y" if n else "") for rater in ("a", "b") for n in (0, 1)]
    ranks = {"a0": (1, 2, 3), "a1": (1, 3, 2), "b0": (3, 2, 1), "b1": (1, 2, 2)}
    found = [judged(one, *ranks[one.id]) for one in items]
    result, _ = evaluate_sheets(found, {}, key_of(*items), RankingOptions(resamples=0))
    assert {one.name: (one.spoiled, one.failed, one.counted) for one in result.raters} == {
        "a": (1, 0, True),
        "b": (1, 1, False),
    }
    assert [one.value for one in result.scores] == [100, 50, 0]
    assert result.warnings == ["b does not count: 1 of 1 spoiled items failed, kappa of 0 repeated ones –"]
    both, _ = evaluate_sheets(found, {}, key_of(*items), RankingOptions(resamples=0, failed=1.0))
    assert [one.value for one in both.scores] == [50, 50, 50]
    with pytest.raises(InputError, match="E359"):
        evaluate_sheets(found[2:], {}, key_of(*items), RankingOptions(resamples=0))


def test_kappa_within_and_between_raters_by_hand():
    """Over the pairs XY, XZ, YZ of two items one has 1 1 1 -1 -1 -1, the other 1 1 0 -1 -1 -1.

    Observed 5/6, chance (3 · 2 + 3 · 3) / 36 = 15/36: kappa (30 - 15) / 21 = 5/7.
    """
    a, again, b = item("a"), item("a2", repeats="a"), item("b", "rater-2")
    a2, b2 = item("a3", start=1), item("b3", "rater-2", start=1)
    found = [judged(a, 1, 2, 3), judged(again, 2, 3, 1), judged(b, 1, 2, 2), judged(a2, 3, 2, 1), judged(b2, 3, 2, 1)]
    result, _ = evaluate_sheets(found, {}, key_of(a, again, b, a2, b2), RankingOptions(resamples=0))
    (pair,) = result.agreements
    assert (pair.first, pair.second, pair.verdicts) == ("rater-1", "rater-2", 6)
    assert pair.kappa == pytest.approx(5 / 7)
    verdicts = [(1, 1), (1, -1), (1, -1)]
    assert result.raters[0].repeated == 1
    assert result.raters[0].kappa == pytest.approx(_plain_kappa(verdicts))
    strict = RankingOptions(resamples=0, least_kappa=0.5)
    assert [one.counted for one in evaluate_sheets(found, {}, key_of(a, again, b, a2, b2), strict)[0].raters] == [
        False,
        True,
    ]


def _plain_kappa(pairs):
    chance = sum(sum(a == c for a, _ in pairs) * sum(b == c for _, b in pairs) for c in (-1, 0, 1)) / len(pairs) ** 2
    return (sum(a == b for a, b in pairs) / len(pairs) - chance) / (1 - chance)


def test_errors_count_for_all_that_they_are_part_of():
    one, two = item("1"), item("2", start=1)
    errors = ("sentence", "document/inconsistency/tense"), ("none",), ("document/ellipsis/pronoun",)
    again = ("document/inconsistency/entity", "document/inconsistency/tense"), (), ("document",)
    found = [JudgedItem(one, (1, 1, 1), errors), JudgedItem(two, (), again)]
    result, _ = evaluate_sheets(found, {}, key_of(one, two), RankingOptions(resamples=0))
    counts = {(each.system, each.error): (each.outputs, each.judged) for each in result.errors}
    assert counts["X", "document"] == counts["X", "document/inconsistency"] == (2, 2)
    assert counts["X", "document/inconsistency/entity"] == (1, 2)
    assert counts["X", "sentence"] == (1, 2)
    assert counts["Y", "none"] == (1, 1)
    assert counts["Z", "document"] == (2, 2)
    assert counts["Z", "document/ellipsis"] == (1, 2)
    for form in ("text", "csv", "latex", "html", "json", "markdown"):
        assert "X" in render(result, form)
    assert "the highest share of comparisons won in " in render(result, "html")


def test_from_sheets_to_human_scores(tmp_path, capsys):
    """Sheets made and filled in by commands; a meta-evaluation reads what comes out, by segments and by blocks."""
    lines = [f"source {d} {n}" for d in range(4) for n in range(10)]
    for name in ("src", *SYSTEMS):
        (tmp_path / f"{name}.txt").write_text(
            "".join(f"{name} {line} has some words more.\n" for line in lines), "utf-8"
        )
    (tmp_path / "ids.txt").write_text("".join(f"doc{d}\n" for d in range(4) for _ in range(10)))
    outputs = [part for name in SYSTEMS for part in ("-y", f"{name}={tmp_path / name}.txt")]
    folder = tmp_path / "sheets"
    given = ["-l", "en-de", "-s", f"{tmp_path}/src.txt", "-d", f"{tmp_path}/ids.txt", *outputs, "-o", str(folder), "-q"]
    assert run("human", "sheets", *given, "--items", "10") == 0
    key = Key.read(folder / "key.json")
    orders, filled = {item.id: item for item in key.items}, []
    for path in sorted(folder.glob("rater-*.csv")):
        rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
        for row in rows:
            one = orders[row["item"]]
            for letter, name in zip("ABCDE", one.order, strict=True):
                row[f"rank {letter}"] = 5 if name == one.spoiled else min(4, 1 + SYSTEMS.index(name))
        filled.append(tmp_path / path.name)
        with filled[-1].open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0], delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
    out = tmp_path / "out"
    assert run("human", "results", str(folder / "key.json"), *map(str, filled), "-o", str(out), "-q") == 0
    assert re.search(r"alpha-mt +100\.0", capsys.readouterr().out)
    people = read_people(out, "en-de", name="fluency")
    assert people.scores.levels["seg"].values.shape == (5, 40)
    blocks = read_people(out, "en-de", name="fluency-blocks", block=5)
    assert blocks.scores.levels["doc"].values.shape == (5, 8)
    assert blocks.scores.levels["sys"].values[:, 0].tolist() == [100.0, 75.0, 50.0, 12.5, 12.5]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("item,rank A\n", "E352"),
        ("item,rank A,rank B,rank C\n9,1,2,3\n", "E353"),
        ("item,rank A,rank B,rank C\n1,1,2,3\n1,1,2,3\n", "E353"),
        ("item,rank A,rank B,rank C\n1,1,2,4\n", "E354"),
        ("item,rank A,rank B,rank C,errors A\n1,1,2,3,tense\n", "E354"),
    ],
)
def test_what_is_no_judgement_is_refused_with_its_line(tmp_path, text, code):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=code):
        read_sheets([tmp_path / "a.csv"], key_of(item("1")))


def test_items_without_all_ranks_are_counted(tmp_path):
    (tmp_path / "a.csv").write_text("item,rank A,rank B,rank C\n1,1,,3\n2,1,2,3\n")
    found, unjudged = read_sheets([tmp_path / "a.csv"], key_of(item("1"), item("2", start=1)))
    assert (len(found), unjudged) == (1, {"rater-1": 1})


@pytest.mark.parametrize("options", [{"criterion": ("beauty",)}, {"level": ("book",)}])
def test_what_sheets_cannot_ask_is_refused(options):
    with pytest.raises(InputError, match="E351"):
        make_sheets(corpus(2, 2), SheetOptions(**options))
    with pytest.raises(InputError, match="E351"):
        make_sheets(corpus(1, 2))
