"""Text in lines of its own is cut into the segments of its source, and nothing of it is lost."""

import re
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, pairwise
from math import log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora import read_parallel, resegment
from endophora.align import guide
from endophora.align import resegment as module
from endophora.align.borders import Habits, bound, end_kind, sentences, start_kind
from endophora.align.coverage import recut
from endophora.align.encoders import load_encoder
from endophora.align.lines import doubt_lines
from endophora.align.outputs import Output
from endophora.align.program import Program
from endophora.align.ratios import Ratios, _largest, split_words
from endophora.align.resegment import Resegmenter, Weights
from endophora.align.vocabulary import Answers
from endophora.corpus.formats import join_outputs
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.suites.outputs import cut_outputs
from endophora.suites.records import Item, Suite

SOURCE = ["A new house", "Mary has bought a house. It has a red door.", "Where is it?", "@user7 In 2019, it was sold"]
TARGET = [
    "Ein neues Haus",
    "Maria hat ein Haus gekauft. Es hat eine rote Tür.",
    "Wo ist es?",
    "@user7 2019 wurde es verkauft",
]
TOOL, CHINESE = Resegmenter("en", "de"), Resegmenter("en", "zh")


def cut(text: str, source=SOURCE, **options) -> list[str]:
    read = TOOL.read(text)
    return [text[start:end].strip() for start, end in TOOL.cut(source, read, **options).spans]


def test_borders_are_found_at_sentence_ends_and_where_no_sign_is():
    assert cut(" ".join(TARGET)) == TARGET


def test_a_reference_helps_where_the_source_says_nothing():
    source, reference = ["xyzzy plugh foo", "bar qux"], ["Katzen schlafen gern", "Mäuse jagen Katzen"]
    assert cut("Katzen schlafen gerne Mäuse jagen Katzen", source, reference=reference)[1] == "Mäuse jagen Katzen"


def test_a_segment_without_translation_is_empty_and_its_neighbours_are_whole():
    source = [*SOURCE[:2], "The mayor of Paris met the president of Russia in Moscow on Friday.", *SOURCE[2:]]
    assert cut(" ".join(TARGET), source) == [*TARGET[:2], "", *TARGET[2:]]
    assert TOOL.cut(source, TOOL.read(" ".join(TARGET))).omissions == (2,)


def test_text_without_source_is_told_and_kept():
    more = "Gern übersetze ich Ihnen den folgenden Text und hoffe sehr, dass Ihnen das Ergebnis zusagt!"
    text = f"{more} {' '.join(TARGET)}"
    found = TOOL.cut(SOURCE, TOOL.read(text))
    assert [text[a:b] for a, b in found.additions] == [more]
    assert [text[a:b].strip() for a, b in found.spans] == [f"{more} {TARGET[0]}", *TARGET[1:]]


def test_scripts_without_spaces_are_cut_between_words():
    text = "我买了一本新书。你今天去北京吗？"
    read = (tool := Resegmenter("en", "zh")).read(text)
    spans = tool.cut(["I bought a new book.", "Are you going to Beijing today?"], read).spans
    assert [text[a:b] for a, b in spans] == ["我买了一本新书。", "你今天去北京吗？"]


LETTERS = st.text(st.sampled_from('Aa b1.。!?\n“”"」）(レ一二\u200b') | st.characters(), max_size=80)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), LETTERS, st.sampled_from([TOOL, CHINESE]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_segments_are_the_whole_text_in_order(source, text, tool, with_reference):
    read = tool.read(text)
    reference = [*source[1:], text] if with_reference else ()
    found = tool.cut(source, read, reference)
    ends = [place for span in found.spans for place in span]
    assert ends[0] == 0
    assert ends == sorted(ends)
    assert ends[1:-1:2] == ends[2::2]
    joined = "".join(text[start:end] for start, end in found.spans)
    assert joined == text or not read.words or not text[ends[-1] :].strip()
    assert all(0 <= start < end <= len(text) for start, end in found.additions)
    assert tool.cut(source, read, reference, tool.learn(source, [read], reference)) == found


def test_the_day_of_a_month_is_a_number_however_it_is_written():
    source, target = ["DETONATION", "JANUARY 19th, 2:34 PM"], ["DETONATION", "19. JANUAR, 14:34 Uhr"]
    assert cut(" ".join(target), source) == target


def test_a_word_that_neither_source_nor_reference_explains_counts_once():
    source = ["He sold the house. Zork blatz mumble snarf gnip gnop vrum quop drib yoyo zap blub.", "Where is it?"]
    reference = ["Er verkaufte das Haus. Hopp dopp lopp kopp mopp ropp sopp topp wopp zopp bopp jopp.", "Wo ist es?"]
    strange = "Thum bump plom crump slump tromp fromp gromp plugh xyzzy quux corgo zot wob fred thud flob wib gart nug."
    found = TOOL.cut(source, TOOL.read(f"Er verkaufte das Haus. {strange} Wo ist es?"), reference)
    assert not found.additions
    assert not found.omissions


def test_a_refusal_is_the_text_of_the_segment_that_it_stands_for():
    source = [SOURCE[1], "The alarms here are loud. And nobody ever sleeps.", SOURCE[2]]
    refusal = "Ich verstehe Ihre Bitte, aber leider darf ich dergleichen nicht wiedergeben. Gern fasse ich es zusammen."
    assert cut(f"{TARGET[1]} {refusal} {TARGET[2]}", source) == [TARGET[1], refusal, TARGET[2]]


def test_a_sign_without_translation_takes_no_word_of_the_next_segment():
    source = ["I bought a house. \U0001f64f", "Nobody knows where the mayor lives"]
    target = ["Ich habe ein Haus gekauft.", "Keiner weiß, wo der Bürgermeister wohnt"]
    assert cut(" ".join(target), source) == target


def test_no_text_ends_behind_the_number_of_a_day():
    source = ["I did not want a higher chance to–", "JANUARY 14th, 9:15 PM, 1998."]
    target = ["Ich wollte keine höhere Wahrscheinlichkeit", "14. Januar, 9:15 Uhr, 1998."]
    assert cut(" ".join(target), source) == target


def test_a_quotation_mark_between_spaces_goes_where_the_source_has_one():
    assert 19 in bound('" Nein ", sagte er." Das weiß ich. " Er ging.')[0]
    source = ['"Well, thanks," he shrugged. "So, are we done here?"', "Mary shrugged and took her camera."]
    target = [
        '"Nun, danke... "Er zuckte die Schultern." Also, sind wir fertig? "',
        "Maria zuckte und nahm ihre Kamera.",
    ]
    assert cut(" ".join(target), source) == target


def test_a_quotation_mark_alone_begins_and_ends_as_the_words_beside_it():
    borders = TOOL.read('Wir gehen. " - Nein').borders
    assert borders == [("", "low"), ("stop", 'cap"'), ('stop"', 'cap"'), ("comma", "cap")]


def test_the_more_signs_of_the_source_texts_lack_the_less_a_border_needs_one():
    documents = [["I sold the old house.", "The tree is green."]] * 20
    texts = [TOOL.read("Ich verkaufte das Der Baum ist")] * 20
    source = [segment for document in documents for segment in document]
    less, whole, one = (
        TOOL.learn(source, some).weights for some in (texts, [TOOL.read(" ".join(TARGET))] * 20, texts[:1])
    )
    assert less.border < TOOL.weights.border
    assert less.spread > TOOL.weights.spread
    assert whole == one == TOOL.weights
    spans = TOOL.cut_all(documents, texts)[0].spans
    assert [texts[0].text[a:b].strip() for a, b in spans] == ["Ich verkaufte das", "Der Baum ist"]


def test_words_of_a_language_without_priors_are_learned_from_what_was_cut():
    nouns = re.findall(
        r"\w+", "cat dog house tree river mountain bread water king queen ship road horse bird fish stone"
    )
    random = np.random.default_rng(3)
    picked = [random.choice(nouns, size=5, replace=False).tolist() for _ in range(120)]
    own = {
        noun: "".join(chr(97 + (ord(letter) * 7 + place) % 26) for place, letter in enumerate(noun)) for noun in nouns
    }
    ends = [("." if number % 3 else "") for number in range(120)]
    lines = [" ".join(words) + end for words, end in zip(picked, ends, strict=True)]
    others = [" ".join(own[word] for word in words) + end for words, end in zip(picked, ends, strict=True)]
    documents, outputs = ([held[at : at + 6] for at in range(0, 120, 6)] for held in (lines, others))
    tool = Resegmenter("en", "xx")
    texts = [tool.read(" ".join(held)) for held in outputs]

    def whole(cuts) -> int:
        found = [text.text[a:b].strip() for text, one in zip(texts, cuts, strict=True) for a, b in one.spans]
        return sum(map(str.__eq__, found, others))

    known = tool.learn(lines, texts)
    once = whole([tool.cut(held, text, known=known) for held, text in zip(documents, texts, strict=True)])
    assert whole(tool.cut_all(documents, texts)) >= once + 10


def test_where_hardly_any_word_is_known_no_segment_swallows_its_neighbours(monkeypatch):
    """Words of no language, one of 25 as in the source; each segment is cut off somewhere."""
    random = np.random.default_rng(3)

    def word() -> str:
        size = int(random.integers(4, 9))
        return "".join(random.choice(list("aeiou" if place % 2 else "bdfgklmnprstvz")) for place in range(size))

    lines, others = list[str](), list[str]()
    for _ in range(60):
        own = [[word() for _ in range(random.integers(8, 16))] for _ in range(3)]
        other = [[form if random.random() < 0.04 else word() for form in words] for words in own]
        line, text = (" ".join(f"{' '.join(words).capitalize()}." for words in held) for held in (own, other))
        lines.append(line)
        others.append(text[: int(len(text) * random.uniform(0.3, 0.95))].rsplit(" ", 1)[0])
    documents, outputs = ([held[at : at + 6] for at in range(0, 60, 6)] for held in (lines, others))
    texts = [Resegmenter("en", "xx").read(" ".join(held)) for held in outputs]

    def found(enough: float) -> list[str]:
        monkeypatch.setattr(module, "ENOUGH", enough)
        cuts = Resegmenter("en", "xx").cut_all(documents, texts)
        return [text.text[a:b].strip() for text, one in zip(texts, cuts, strict=True) for a, b in one.spans]

    after, before = found(module.ENOUGH), found(1e-9)
    assert sum(map(str.__eq__, after, others)) >= sum(map(str.__eq__, before, others)) + 4
    assert after.count("") < before.count("")


def test_a_word_in_katakana_is_one_word_and_is_not_cut():
    assert [word[0] for word in Resegmenter("en", "ja").read("がヴヌクゾゲーが").words] == ["が", "ヴヌクゾゲー", "が"]


def test_letters_that_often_follow_each_other_are_not_parted():
    habits = Habits([list("波波卡上波波卡下波波卡中北")])
    often, once = habits.together(list("波卡上")).tolist()
    assert often > once == 0


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), min_size=1, max_size=12),
    st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 9), max_size=9),
)
@settings(max_examples=30, deadline=None)
def test_each_pair_has_its_largest_ratio(few, many):
    found = tuple(np.array(column) for column in zip(*few, strict=True))
    others = np.array([(*pair, ratio) for pair, ratio in many.items()], dtype=np.int64).reshape(-1, 3).T
    rows, columns, ratios = _largest([found], tuple(others), 5)
    known = dict(many)
    for row, column, ratio in few:
        known[row, column] = max(ratio, known.get((row, column), 0))
    got = {(int(a), int(b)): int(c) for a, b, c in zip(rows, columns, ratios, strict=True)}
    assert got == known
    assert len(rows) == len(got)


def test_the_program_finds_what_trying_all_cuts_finds():
    text = TOOL.read("eins zwei. Drei vier fünf! Sechs sieben")
    gaps = len(text.gaps)
    random = np.random.default_rng(5)
    weights = Weights(addition=1e9, farthest=4.0, omission=3.0)
    for _ in range(20):
        gained = np.cumsum(random.normal(size=(gaps, 3)), axis=0)
        border = random.normal(size=(gaps, 3))
        units = ["one two.", "Three!", "Four five six seven"]
        program = Program(units, text, gained, border, weights, None, np.full(3, weights.omission))
        signs = [
            text.at_borders((end_kind(one), start_kind(other)), weights, 6.0)
            for one, other in zip(units, [*units[1:], ""], strict=True)
        ]

        def worth(ends, gained=gained, border=border, signs=signs, program=program):
            total, at = 0.0, 0
            for unit, end in enumerate(ends):
                if end == at:
                    total -= weights.omission
                    continue
                away = abs(text.length[end] - text.length[at] - program._expected[unit]) * program._slope[unit]
                total += gained[end, unit] - gained[at, unit] + border[end, unit] + signs[unit][end] - min(4.0, away)
                at = end
            return total

        every = [(a, b, gaps - 1) for a, b in combinations_with_replacement(range(gaps), 2)]
        ends, added, strange = program.run()
        assert not added
        assert worth(ends) == pytest.approx(max(map(worth, every)))
        # With the other direction too: ratios of six words of the units to those of the text.
        words, ratios = [[0, 1], [2], [3, 4, 5]], random.exponential(3, size=(6, len(text.words)))
        answers = Answers(ratios.T, np.arange(len(text.words)), text.gaps, words, 0.5, -1e9)

        def answered(ends, ratios=ratios, words=words):
            total, at = 0.0, 0
            for unit, end in zip(words, ends, strict=True):
                inside = ratios[:, text.gaps[at] : text.gaps[end]].sum(axis=1)
                total += sum(0.5 * log(0.5 + 0.5 * inside[word] / 4) for word in unit if end > at)
                at = end
            return total

        ends = recut(ends, {}, frozenset(strange), text.ended(), program.scores, answers)
        best = max(worth(some) + answered(some) for some in every)
        assert worth(ends) + answered(ends) == pytest.approx(best, abs=1e-5)


def test_a_cut_goes_where_each_word_of_a_sentence_has_an_answer():
    # The second word of the text answers to both sentences; the first sentence has another answer, the second has not.
    ratios = np.array([[40.0, 40.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 40.0]])
    answers = Answers(ratios.T, np.arange(3), np.arange(4), [[0], [1, 2]], 1.0, 0.8)

    def scores(begins, ends):
        return np.where(ends[:, None, :] > begins[:, :, None], 0.0, -np.inf)

    assert recut([2, 3], {}, frozenset(), np.ones(4, dtype=bool), scores, answers) == [1, 3]
    # Of a stretch with one answer, by hand: 1/2 + 1/2 · 40 / 4
    assert answers(0, np.array([0]), np.array([0, 1])).tolist() == [[0.0, pytest.approx(log(5.5))]]
    # Behind an addition, and of a sentence whose text answers to none, nothing is moved.
    assert recut([2, 3], {1: 2}, frozenset(), np.ones(4, dtype=bool), scores, answers) == [2, 3]
    assert recut([2, 3], {}, frozenset({1}), np.ones(4, dtype=bool), scores, answers) == [2, 3]


def test_beside_text_that_is_no_translation_no_sentence_is_left_empty_for_want_of_answers():
    # Two sentences of three words each, of which none but the last of the second has an answer.
    units, answered = [[0, 1, 2], [3, 4, 5]], np.zeros((6, 6))
    answered[5, 5] = 4000.0

    def answers(ratios, least):
        return Answers(ratios, np.arange(6), np.arange(7), units, 1.0, least)

    # By hand, the mean of six words: (5 · log 1/2 + log(1/2 + 1/2 · 4000/4)) / 6 = .46; of the last three 1.61
    assert answers(answered, 0.8).translated([0, 3], [3, 6]).tolist() == [False, False]
    assert answers(answered, 0.8).translated([0, 0], [0, 6]).tolist() == [True, True]

    def scores(begins, ends):
        # Each text is worth 1; three words without an answer are worth less than -2.
        start, end = begins[:, :, None], ends[:, None, :]
        return np.where(end > start, 1.0, np.where(end == start, 0.0, -np.inf))

    given = {}, frozenset(), np.ones(7, dtype=bool), scores
    assert 0 < recut([3, 6], *given, answers(0 * answered, 0.8))[0] < 6
    assert recut([3, 6], *given, answers(0 * answered, -1e9))[0] in (0, 6)


def test_a_face_in_brackets_ends_what_is_before_it():
    text = "So sorry to read that. : ( Ready now ( perhaps ) voir : (la maison)"
    before, after = bound(text)
    first, second, third = (match.start() for match in re.finditer(r"\(", text))
    assert first in before
    assert first + 1 not in after
    assert second + 1 in after
    assert {second, third}.isdisjoint(before)
    # Words in brackets behind a colon are no face; words between two faces are not in brackets.
    assert bound("Three colours : ( red, blue ) are left") == ({14, 21, 28}, {17})
    assert bound("Sold out : ( Tomorrow again : )")[0] == {9, 11, 28, 30}


def test_a_long_text_is_cut_as_a_short_one(monkeypatch):
    source = [
        f"{line} {number}." for number in range(40) for line in ("The house has door number", "We met in the year")
    ]
    target = [
        f"{line} {number}."
        for number in range(40)
        for line in ("Das Haus hat die Tür Nummer", "Wir trafen uns im Jahr")
    ]
    monkeypatch.setattr(module, "MOST_CELLS", 1)
    monkeypatch.setattr(module, "WINDOW", 12)
    assert cut(" ".join(target), source) == target


@pytest.fixture
def long_lines(monkeypatch) -> tuple[list[str], list[str]]:
    """Return 300 lines in two languages, with names drawn by chance, and let them be cut in windows."""
    monkeypatch.setattr(module, "MOST_CELLS", 1)
    monkeypatch.setattr(module, "MOST_GUIDED", 1 << 22)
    monkeypatch.setattr(module, "WINDOW", 40)
    random = Random(3)
    source, target = list[str](), list[str]()
    for _ in range(300):
        names = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=8)).title() for _ in range(6)]
        source.append(f"In {', '.join(names[:3])} they saw {' and '.join(names[3:])}.")
        target.append(f"Sie sahen {' und '.join(names[3:])} in {', '.join(names[:3])}.")
    return source, target


@pytest.mark.parametrize(
    ("kept", "right"),
    [
        (slice(120), 118),
        (slice(100, 300), 198),  # its beginning, of more than a window, is not there
        (slice(250, 300), 48),
        (slice(299, 300), 0),
        (slice(7), 5),
    ],
)
def test_a_long_text_that_is_not_whole_is_cut_and_nothing_is_lost(long_lines, kept, right):
    source, target = long_lines
    text = " ".join(target[kept])
    found = TOOL.cut(source, TOOL.read(text))
    assert len(found.spans) == len(source)
    assert "".join(text[a:b] for a, b in found.spans) == text
    assert found.omissions == tuple(number for number, (a, b) in enumerate(found.spans) if a == b)
    cuts = [text[a:b].strip() for a, b in found.spans]
    assert sum(one == other for one, other in zip(cuts[kept], target[kept], strict=True)) >= right


@pytest.mark.parametrize("size", [2, 50, 100])
def test_segments_longer_than_a_window_keep_their_text(long_lines, size):
    source, target = ([" ".join(lines[at : at + size]) for at in range(0, 300, size)] for lines in long_lines)
    assert cut(" ".join(target), source) == target


def test_behind_a_gap_longer_than_a_window_a_long_text_is_cut_as_before_it(long_lines):
    source, target = long_lines
    target[130:210] = [""] * 80
    found = cut(" ".join(filter(None, target)), source)
    assert sum(one == other for one, other in zip(found, target, strict=True)) >= 296


def test_where_far_fewer_words_are_explained_a_long_text_is_doubted(long_lines):
    source, target = long_lines
    target[100:200] = ["Ganz anderes steht hier, was niemand schrieb."] * 100
    corpus = Corpus(
        "en", "de", (Document("d", tuple(Segment(one, {}, {}, Location("s", 1)) for one in source)),), (), ()
    )
    cut_corpus = resegment(corpus, {"mt": [" ".join(target)]})
    (remark,) = (one for one in cut_corpus.warnings if "far fewer words" in one)
    outputs = [segment.outputs["mt"] for segment in cut_corpus.documents[0].segments]
    places = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)–(\d+)", remark)]
    named = {number for first, last in places for number in range(first, last + 1)}
    wrong = {number for number, one in enumerate(outputs, start=1) if "niemand" in one}
    assert len(wrong) > 20
    assert len(wrong - named) <= 20, remark
    assert named <= set(range(81, 221)), remark


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=9, unique=True)
)
def test_the_chain_of_places_is_the_heaviest_that_rises(places):
    places = sorted({row: (row, column, worth) for row, column, worth in places}.values())
    rows, columns = guide._chain(*(np.array(side) for side in zip(*places, strict=True)))
    worth = {(row, column): worth for row, column, worth in places}
    best = max(
        sum(one[2] for one in some)
        for size in range(1, len(places) + 1)
        for some in combinations(places, size)
        if all(one[1] <= other[1] for one, other in pairwise(some))
    )
    assert sum(worth[place] for place in zip(rows.tolist(), columns.tolist(), strict=True)) == best


def test_words_of_a_script_without_spaces_are_the_longest_known():
    assert [word[0] for word in split_words("我们在北京 OK", frozenset({"我们", "北京"}), 2)] == [
        "我们",
        "在",
        "北京",
        "ok",
    ]


def test_ratios_know_translations_names_and_numbers():
    rows, columns, ratios = Ratios("en", "de").pairs(["house", "siso", "2019"], ["haus", "siso", "2019", "katze"])
    found = {(int(row), int(column)): float(ratio) for row, column, ratio in zip(rows, columns, ratios, strict=True)}
    assert {(0, 0), (1, 1), (2, 2)} <= found.keys()
    assert min(found[0, 0], found[1, 1], found[2, 2]) > 100 * found.get((0, 3), 0.01)


def test_sentences_are_the_text():
    text = "One. “Two?” Three\nfour"
    assert [text[a:b].strip() for a, b in sentences(text)] == ["One.", "“Two?”", "Three", "four"]


@pytest.fixture
def corpus(tmp_path):
    for name, lines in (("s", [*SOURCE, *SOURCE]), ("r", [*TARGET, *TARGET]), ("d", ["a"] * 4 + ["b"] * 4)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    return read_parallel(tmp_path / "s", [f"r={tmp_path / 'r'}"], tmp_path / "d", languages=("en", "de"))


WHOLE = " ".join(TARGET)


@pytest.mark.parametrize(
    ("text", "by_document"),
    [
        (f"{WHOLE}\n{WHOLE}\n", True),
        ("\n".join(TARGET[:2]) + "\n" + " ".join(TARGET[2:]) + "\n\n" + WHOLE, True),
        ("\n".join([" ".join(TARGET[:3]), f"{TARGET[3]} {WHOLE}", ""]).replace("es? ", "es?\n"), False),
    ],
    ids=["a line each", "parted by blank lines", "as one text"],
)
def test_outputs_are_read_by_document_where_they_can_be_told_apart(corpus, tmp_path, text, by_document):
    (tmp_path / "o").write_text(text, "utf-8")
    joined = resegment(corpus, {"mt": tmp_path / "o"})
    assert [one.outputs["mt"] for document in joined.documents for one in document.segments] == [*TARGET, *TARGET]
    assert [(one.by_document, one.omitted, one.added) for one in joined.realigned] == [(by_document, 0, 0)]
    assert "8 segments of the source" in joined.warnings[0]


def test_a_document_id_with_a_path_names_no_file_outside_the_folder(corpus, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "secret.txt").write_text(WHOLE, "utf-8")
    documents = (replace(corpus.documents[0], id="../secret"), *corpus.documents[1:])
    with pytest.raises(InputError, match=r"E392.*secret\.txt"):
        resegment(replace(corpus, documents=documents), {"mt": tmp_path / "out"})


def test_a_folder_has_a_file_for_each_document(corpus, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text(WHOLE, "utf-8")
    with pytest.raises(InputError, match=r"E392.*no b\.txt"):
        resegment(corpus, {"mt": folder})
    (folder / "b.txt").write_text("\n".join(TARGET), "utf-8")
    joined = resegment(corpus, {"mt": folder})
    assert joined.realigned[0].lines == 5
    (folder / "c.txt.gz").touch()
    assert any("1 files" in one and "c.txt.gz" in one for one in resegment(corpus, {"mt": folder}).warnings)
    assert [one.outputs["mt"] for one in joined.documents[1].segments] == TARGET


def test_an_output_line_by_line_is_left_as_it_is(corpus, tmp_path):
    (tmp_path / "o").write_text("\n".join(["x", *TARGET[:3], *TARGET]) + "\n", "utf-8")
    joined = resegment(corpus, {"mt": tmp_path / "o"})
    assert [one.outputs["mt"] for one in joined.documents[0].segments] == ["x", *TARGET[:3]]
    assert not joined.realigned
    assert "system “mt” has as many lines as the source has segments, and was not cut" in joined.warnings


@pytest.mark.parametrize(("pair", "known"), [(("en", "de"), True), (("fr", "de"), True), (("sw", "is"), False)])
def test_a_pair_whose_words_are_not_known_is_told(corpus, pair, known):
    corpus = replace(corpus, source_language=pair[0], target_language=pair[1])
    warnings = resegment(corpus, {"mt": [WHOLE, WHOLE]}).warnings
    assert known is not any(f"known for {'-'.join(pair)}" in one for one in warnings)


@pytest.fixture
def numbered(tmp_path):
    """A corpus of 60 segments whose numbers tell them apart, and the file of their translations."""
    source = [f"In the year {number} we bought a new house." for number in range(1900, 1960)]
    target = [f"Im Jahr {number} kauften wir ein neues Haus." for number in range(1900, 1960)]
    for name, lines in (("s", source), ("o", target)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    return read_parallel(tmp_path / "s", [], None, languages=("en", "de")), tmp_path / "o", target


def test_as_many_lines_that_translate_other_segments_are_cut(numbered):
    corpus, path, target = numbered
    assert not resegment(corpus, {"mt": path}).realigned
    # The first two are in one line, and the last in two.
    wrapped = [" ".join(target[:2]), *target[2:-1], "Im Jahr 1959", "kauften wir ein neues Haus."]
    path.write_text("\n".join(wrapped) + "\n", "utf-8")
    joined = resegment(corpus, {"mt": path})
    assert [one.outputs["mt"] for one in joined.documents[0].segments] == target
    assert [one.lines for one in joined.realigned] == [60]
    assert not doubt_lines(joined)


def test_doubts_about_lines_that_were_not_cut_name_the_file_of_the_output(numbered):
    corpus, path, target = numbered
    path.write_text("\n".join([*target[:40], *(one.source for one in corpus.documents[0].segments[40:])]), "utf-8")
    (doubt,) = [one for one in resegment(corpus, {"mt": path}).warnings if one.startswith("[E382]")]
    assert doubt.startswith(f"[E382] {path} – ")
    assert "lines 41, 42," in doubt


def test_a_line_that_a_system_wrote_twice_is_added(numbered):
    corpus, path, target = numbered
    for written in ([*target[:9], target[8], *target[9:]], [*target[:9], *target[6:9], *target[9:]]):
        path.write_text("\n".join(written) + "\n", "utf-8")
        joined = resegment(corpus, {"mt": path})
        assert [one.outputs["mt"] for one in joined.documents[0].segments] == target
        assert joined.realigned[0].added == sum(map(len, written)) - sum(map(len, target))


@pytest.mark.parametrize("line", ['{"translation": "%s"}', "Im Jahr\t%s"])
def test_what_is_no_plain_text_is_refused_in_lines_of_its_own_too(numbered, line):
    corpus, path, target = numbered
    path.write_text("".join(f"{line}\n" % text for text in target), "utf-8")
    with pytest.raises(InputError) as caught:
        resegment(corpus, {"mt": path})
    assert [fault.code for fault in caught.value.faults] == ["E385"]


def test_lines_that_translate_other_segments_are_doubted(numbered):
    corpus, _, target = numbered
    assert not doubt_lines(join_outputs(corpus, {"mt": target}, ()))
    exchanged = [line for pair in zip(target[1::2], target[::2], strict=True) for line in pair]
    (doubt,) = doubt_lines(join_outputs(corpus, {"mt": exchanged}, ()))
    assert doubt.startswith("[E393]")
    assert "60 of 60 lines" in doubt


PARTS = {
    "a": ("In the year we bought a new house.", "Im Jahr kauften wir ein neues Haus."),
    "b": ("The children play under an old tree.", "Die Kinder spielen unter einem alten Baum."),
    "c": ("Her doctor drinks much cold water.", "Ihr Arzt trinkt viel kaltes Wasser."),
}


def test_documents_in_another_order_are_doubted(tmp_path):
    (tmp_path / "s").write_text("".join(f"{source}\n" * 20 for source, _ in PARTS.values()), "utf-8")
    (tmp_path / "ids").write_text("".join(f"{name}\n" * 20 for name in PARTS), "utf-8")
    corpus = read_parallel(tmp_path / "s", [], tmp_path / "ids", languages=("en", "de"))

    def doubts(order: str) -> list[str]:
        return doubt_lines(join_outputs(corpus, {"mt": [PARTS[name][1] for name in order for _ in range(20)]}, ()))

    assert not doubts("abc")
    (doubt,) = doubts("bac")
    assert doubt.startswith("[E399] mt – hardly any of the 40 lines looked at in 2 of 3 documents (“a”, “b”)")
    (doubt,) = doubts("bca")
    assert "60 lines looked at in all documents of" in doubt


def test_the_priors_by_way_of_english_are_in_the_signature():
    hashes = {Ratios(*pair).hash for pair in (("fr", "de"), ("de", "fr"), ("fr", "es"), ("sw", "is"))}
    assert len(hashes) == 4
    assert Ratios("en", "de").hash == Ratios("en", "de").priors.hash


def test_texts_of_documents_are_taken_and_a_second_output_of_a_name_is_not(corpus):
    texts: Output = [WHOLE, ""]
    joined = resegment(corpus, {"mt": texts})
    assert joined.realigned[0].omitted == 4
    with pytest.raises(InputError, match="E011"):
        resegment(joined, {"mt": texts})


@pytest.mark.parametrize("texts", [["a", "b", "c"], []])
def test_texts_that_are_not_one_for_each_document_are_refused(corpus, texts):
    with pytest.raises(InputError, match=rf"\[E008\] system mt – {len(texts)} texts for 2 documents"):
        resegment(corpus, {"mt": texts})


def test_outputs_of_a_suite_are_cut_into_its_items(tmp_path):
    items = [
        Item(str(number), "d", number, source, target, "gender", "rule")
        for number, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True))
    ]
    (tmp_path / "o").write_text(WHOLE + "\n", "utf-8")
    suite, outputs = cut_outputs(Suite("s", "en", "de", items), {"mt": tmp_path / "o"})
    assert outputs == {"mt": TARGET}
    assert "1 lines were cut into the 4 segments" in suite.warnings[0]
    assert suite.cut.startswith("mt=")


class Dictionary:
    """Vectors by a dictionary: a text and its translation have the same."""

    signature = "made"

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self._numbers = {text: number for number, pair in enumerate(pairs) for text in pair}

    def encode(self, texts):
        assert len(texts)
        return np.eye(9)[[self._numbers.get(text.strip(), 8) for text in texts]]


def test_vectors_tell_which_sentence_is_translated_where_words_do_not():
    source = ["Plugh xyzzy frob.", "Quux wibble corge.", "Grault garply waldo."]
    target = ["Mumble snarf gnip.", "Zork blatz vrum."]
    encoder = Dictionary((source[0], target[0]), (source[1], ""), (source[2], target[1]))
    corpus = Corpus(
        "en", "xx", (Document("d", tuple(Segment(one, {}, {}, Location("s", 1)) for one in source)),), (), ()
    )

    def texts(vectors) -> list[str]:
        cut = resegment(corpus, {"mt": [" ".join(target)]}, vectors=vectors)
        return [segment.outputs["mt"] for segment in cut.documents[0].segments]

    assert texts(encoder) == [target[0], "", target[1]]
    assert texts(Dictionary((source[0], ""), (source[1], target[0]), (source[2], target[1]))) == ["", *target]


@pytest.mark.parametrize(("name", "code"), [("sentence-transformers", "E335"), ("laser:x", "E090")])
def test_an_encoder_that_is_not_known_is_refused(name, code):
    with pytest.raises(InputError, match=rf"\[{code}\]"):
        load_encoder(name)


def test_an_encoder_is_not_asked_for_vectors_of_no_text():
    assert Resegmenter("en", "de", encoder=Dictionary()).cut_all([[""]], [TOOL.read("")])[0].spans == ((0, 0),)


def test_the_encoder_is_in_the_signature():
    tools = [Resegmenter("en", "de", encoder=one) for one in (None, Dictionary())]
    assert tools[1].signature == (*tools[0].signature, "made")
