import tarfile
from types import SimpleNamespace

import pytest

from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse
from endophora_makers.antecedents import CLAUSE, NOTHING, UNNAMED, UNSURE, Place, kept, read_readings, subtitle_texts
from endophora_makers.askers import Asked, read_asker
from endophora_makers.gum import read_sentences
from endophora_makers.resolver import Settings, read_further

# Written for this test: the lamp is it twice, a thing that no noun names is it twice, and one stands for nothing.
TREEBANK = """\
# text = The lamp fell .
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2\tlamp\tlamp\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\t_
3\tfell\tfall\tVERB\tVBD\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# text = It broke it .
1\tIt\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t_\t_
2\tbroke\tbreak\tVERB\tVBD\t_\t0\troot\t_\t_
3\tit\tit\tPRON\tPRP\tNumber=Sing\t2\tobj\t_\t_
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
HEAD = "# a comment\ncorpus\tdocument\tmentions\n"


def test_places_and_what_they_name_are_read(tmp_path):
    (tmp_path / "readings.tsv").write_text(HEAD + "ewt\tletter\t1.4=1 1.4&=2 2.0=1 2.9=c 3.0=0 3.4=x 3.9=u\n")
    assert read_readings(tmp_path / "readings.tsv") == {
        ("ewt", "letter"): {
            Place(0, 4): "1",
            Place(0, 4, coordinated=True): "2",
            Place(1, 0): "1",
            Place(1, 9): CLAUSE,
            Place(2, 0): NOTHING,
            Place(2, 4): UNNAMED,
            Place(2, 9): UNSURE,
        }
    }


def asked(tmp_path, reading):
    (tmp_path / "letter.conllu").write_text(TREEBANK)
    lexicon = load_lexicon("en")
    row = read_discourse(read_sentences(tmp_path / "letter.conllu"))
    return read_asker(reading, lexicon, 5)(row, find_mentions(row, lexicon))


LAMP, FIRST, SECOND = Place(0, 4), Place(1, 0), Place(1, 9)


def test_a_pronoun_and_its_noun_are_of_one_chain_and_a_clause_is_of_none(tmp_path):
    chains, known = asked(tmp_path, {LAMP: "1", FIRST: "1", SECOND: CLAUSE})
    assert chains == {(1, False): {"1"}, (4, False): {"1"}}
    assert known == {4: Asked(frozenset({"1"})), 6: Asked(frozenset())}


def test_nothing_is_learned_of_what_was_unsure_and_of_a_second_thing_without_a_noun(tmp_path):
    _, known = asked(tmp_path, {FIRST: UNSURE, SECOND: NOTHING})
    assert known == {6: Asked(frozenset(), empty=True)}
    _, known = asked(tmp_path, {FIRST: UNNAMED, SECOND: UNNAMED})
    assert known == {4: Asked(frozenset())}


def test_documents_that_were_read_and_have_no_text_are_counted(tmp_path, monkeypatch, capsys):
    (tmp_path / "letter.conllu").write_text(TREEBANK)
    readings = {("ewt", "letter"): {LAMP: "1", FIRST: "1"}, ("ewt", "mail"): {}, ("contrastive", "7"): {}}
    monkeypatch.setattr("endophora_makers.resolver.read_readings", lambda: readings)
    parses = {text.text: text for text in read_sentences(tmp_path / "letter.conllu")}
    parser = SimpleNamespace(annotate=lambda texts: map(parses.__getitem__, texts))
    [learned] = read_further(parser, Settings(), treebank=tmp_path, litbank=None, subtitles=None)
    assert [text.text for text in learned.texts] == ["The lamp fell .", "It broke it ."]
    assert capsys.readouterr().err == "ewt: nothing is learned of 1 documents that were read: no text\n"


def test_every_place_that_ships_is_a_word_of_its_text(shared):
    readings = read_readings()
    web, items = shared / "treebanks" / "en.tar.xz", shared / "contrastive" / "pronouns-en-fr.tsv.xz"
    if not (web.is_file() and items.is_file()):
        pytest.skip("the texts are absent")
    texts = dict(subtitle_texts(items))
    with tarfile.open(web) as archive:
        for member in archive:
            if member.name.startswith("en/EWT/") and member.isfile():
                lines = archive.extractfile(member).read().decode().splitlines()
                name = member.name.removeprefix("en/EWT/").removesuffix(".conllu")
                texts["ewt", name] = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    assert readings.keys() <= texts.keys()
    pronouns = load_lexicon("en").pronouns
    for key, reading in readings.items():
        for place, said in reading.items():
            before, word = texts[key][place.segment][: place.start], texts[key][place.segment][place.start :]
            assert not word[0].isspace(), (key, place)
            if not said.isdigit():
                assert any(word.lower().startswith(form) for form in pronouns), (key, place, before)


def test_two_in_seven_items_are_kept(shared):
    assert sum(kept(f"It fell {number} times.") for number in range(7000)) == pytest.approx(2000, abs=100)
