import tarfile

import pytest

from endophora.annotate.records import AnnotatedText
from endophora_makers.expletives import read_expletives, read_verdicts
from endophora_makers.gum import read_sentences

# Written for this test: an extraposition, an idiom that the parse calls an object, a lamp, and one that is left out.
TREEBANK = """\
# text = It is clear that it fell .
1\tIt\tit\tPRON\tPRP\tNumber=Sing\t3\texpl\t_\t_
2\tis\tbe\tAUX\tVBZ\t_\t3\tcop\t_\t_
3\tclear\tclear\tADJ\tJJ\t_\t0\troot\t_\t_
4\tthat\tthat\tSCONJ\tIN\t_\t6\tmark\t_\t_
5\tit\tit\tPRON\tPRP\tNumber=Sing\t6\tnsubj\t_\t_
6\tfell\tfall\tVERB\tVBD\t_\t3\tcsubj\t_\t_
7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# text = You name it , I take it .
1\tYou\tyou\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tname\tname\tVERB\tVBP\t_\t0\troot\t_\t_
3\tit\tit\tPRON\tPRP\tNumber=Sing\t2\tobj\t_\t_
4\t,\t,\tPUNCT\t,\t_\t2\tpunct\t_\t_
5\tI\tI\tPRON\tPRP\t_\t6\tnsubj\t_\t_
6\ttake\ttake\tVERB\tVBP\t_\t2\tparataxis\t_\t_
7\tit\tit\tPRON\tPRP\tNumber=Sing\t6\tobj\t_\t_
8\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


class Same:
    """Returns the treebank's own parse."""

    language = "en"
    signature = "same"

    def __init__(self, texts: list[AnnotatedText]) -> None:
        self._texts = {text.text: text for text in texts}

    def annotate(self, texts):
        return (self._texts[text] for text in texts)


def test_the_parse_and_what_was_read_both_say_what_stands_for_nothing(tmp_path):
    (tmp_path / "letter.conllu").write_text(TREEBANK)
    annotator = Same(read_sentences(tmp_path / "letter.conllu"))
    verdicts = {("letter", 2, 3): "empty", ("letter", 2, 7): "unsure"}
    assert [empty for _, empty in read_expletives(tmp_path, annotator, verdicts)] == [True, False, True]
    assert [empty for _, empty in read_expletives(tmp_path, annotator, {})] == [True, False, False, False]


def test_the_shipped_verdicts_are_two_words_and_in_order():
    verdicts = read_verdicts()
    assert list(verdicts.values()).count("empty") == 189
    assert set(verdicts.values()) == {"empty", "unsure"}
    assert list(verdicts) == sorted(verdicts)
    assert all(sentence > 0 and word > 0 for _, sentence, word in verdicts)


def test_the_shipped_verdicts_name_pronouns_of_the_treebank(shared, tmp_path):
    archive = shared / "treebanks" / "en.tar.xz"
    if not archive.is_file():
        pytest.skip("EWT is absent")
    wanted = {document for document, _, _ in read_verdicts()}
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.removeprefix("en/EWT/").removesuffix(".conllu")
            if name in wanted:
                (tmp_path / f"{name}.conllu").write_bytes(tar.extractfile(member).read())
    for document, sentence, word in read_verdicts():
        token = read_sentences(tmp_path / f"{document}.conllu")[sentence - 1].tokens[word - 1]
        assert (token.form.lower(), token.relation == "expl") == ("it", False)
