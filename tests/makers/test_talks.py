import pytest

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.mentions import load_lexicon
from endophora.errors import InputError
from endophora_makers.litbank import read_litbank
from endophora_makers.parcorfull import beside, read_talks, talk_pronouns

WORDS = ["The", "lamp", "fell", ".", "It", "broke", ".", "It", "rains", "."]
COREF = (
    '<markable id="a" span="word_1..word_2" coref_class="set_1" mention="np" />\n'
    '<markable id="b" span="word_5" coref_class="set_1" type="anaphoric" mention="pronoun" />\n'
    '<markable id="c" span="word_8" coref_class="empty" type="pleonastic" mention="pronoun" />\n'
)


@pytest.fixture
def corpus(tmp_path):
    base = tmp_path / "TED" / "EN"
    for name in ("Basedata", "Markables", "Source"):
        (base / name).mkdir(parents=True)
    (tmp_path / "TED" / "DE" / "Source").mkdir(parents=True)
    words = "".join(f'<word id="word_{n}">{form}</word>\n' for n, form in enumerate(WORDS, 1))
    (base / "Basedata" / "0_words.xml").write_text(words)
    spans = ("1..word_4", "5..word_7", "8..word_10")
    (base / "Markables" / "0_sentence_level.xml").write_text(
        "".join(f'<markable span="word_{span}" />\n' for span in spans)
    )
    (base / "Markables" / "0_coref_level.xml").write_text(COREF)
    (base / "Source" / "0.txt").write_text("The lamp fell.\nIt broke.\nIt rains.\n")
    (tmp_path / "TED" / "DE" / "Source" / "0.txt.de").write_text("Die Lampe fiel.\nSie brach.\nEs regnet.\n")
    return tmp_path


def annotated(text):
    """Return a text whose first word, or second after an article, is the subject of the next."""
    tokens, start = [], 0
    words = text.replace(".", " .").split()
    verb = 2 if words[0] == "The" else 1
    for index, word in enumerate(words):
        start = text.index(word, start)
        upos = {"The": "DET", "It": "PRON", "lamp": "NOUN", ".": "PUNCT"}.get(word, "VERB")
        head = -1 if index == verb else 1 if word == "The" else verb
        tokens.append(Token(word, word.lower(), upos, "", {}, head, "dep", "", start, start + len(word)))
    return AnnotatedText(text, tuple(tokens), (0,))


def test_talks_are_read_with_their_nouns_and_what_is_pleonastic(corpus):
    [talk] = read_talks(corpus)
    assert talk.target == ("Die Lampe fiel.", "Sie brach.", "Es regnet.")
    it, rains = talk_pronouns(talk, [annotated(text) for text in talk.source], load_lexicon("en"))
    assert (it.segment, it.token, it.nouns, it.non_referential) == (1, 0, {(0, 1, False)}, False)
    assert (rains.segment, rains.nouns, rains.non_referential) == (2, frozenset(), True)


def test_no_noun_beyond_the_window_is_right_in_talks(corpus):
    [talk] = read_talks(corpus)
    it, _ = talk_pronouns(talk, [annotated(text) for text in talk.source], load_lexicon("en"), window=0)
    assert it.nouns == frozenset()


def test_a_folder_without_talks_or_novels_is_a_coded_error(tmp_path):
    for read in (read_talks, read_litbank):
        with pytest.raises(InputError, match="E062"):
            read(tmp_path)


def test_two_sentences_may_stand_beside_one():
    long = "A rather long sentence that goes on for quite a while and then goes on."
    target = [
        "Ein ziemlich langer Satz, der eine Weile geht.",
        "Und dann geht er noch weiter.",
        "Kurz.",
    ]
    assert beside([long, "Short."], target) == [" ".join(target[:2]), "Kurz."]


def test_novels_are_read_as_running_text_with_nested_spans(tmp_path):
    folder = tmp_path / "coref" / "conll"
    folder.mkdir(parents=True)
    rows = [("The", "(1"), ("dog", "_"), ("'s", "1)"), ("(", "_"), ("it", "(1)"), (")", "_"), (".", "_")]
    lines = [f"a\t0\t{n}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\t{mark}" for n, (form, mark) in enumerate(rows)]
    (folder / "a.conll").write_text("#begin document (a); part 0\n" + "\n".join(lines) + "\n\n#end document\n")
    [novel] = read_litbank(tmp_path)
    assert novel.segments == ("The dog's (it).",)
    assert [("The dog's (it)."[m.start : m.end], m.chain) for m in novel.marked] == [("The dog's", "1"), ("it", "1")]
