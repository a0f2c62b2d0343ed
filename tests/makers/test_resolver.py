import pytest

from endophora.annotate.records import AnnotatedText
from endophora.corefer.mentions import load_lexicon
from endophora.corefer.ranker import Ranker
from endophora.corefer.resolvers import load_resolver
from endophora.errors import InputError
from endophora_makers.coreference_evaluation import Score, gold_pronouns
from endophora_makers.gum import read_gum
from endophora_makers.logistic_fit import Instance, fit_binary, fit_choices
from endophora_makers.resolver import annotate_gold, evaluate_resolver, opened, train_resolver

# Two sentences written for this test, in GUM's own notation.
HEAD = "# newdoc id = GUM_news_test\n# text = The lamp fell .\n"
LAMP = (
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\tEntity=({}\n"
    "2\tlamp\tlamp\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\tEntity={})\n"
    "3\tfell\tfall\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_\n\n"
)
IT = (
    "# text = It broke , it seems .\n"
    "1\tIt\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t_\tEntity=({})\n"
    "2\tbroke\tbreak\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "3\t,\t,\tPUNCT\t,\t_\t2\tpunct\t_\t_\n"
    "4\tit\tit\tPRON\tPRP\tNumber=Sing\t5\texpl\t_\t_\n"
    "5\tseems\tseem\tVERB\tVBZ\t_\t2\tparataxis\t_\t_\n"
    "6\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "dep").mkdir()
    (tmp_path / "coref" / "ontogum" / "conllu").mkdir(parents=True)
    (tmp_path / "splits.md").write_text("## test\n\n  * GUM_news_test\n")
    gum = HEAD + LAMP.format("7-object-new-n-cf1-1-coref", "7") + IT.format("7-object-giv-n-cf1-1-ana")
    ontogum = HEAD + LAMP.format("1", "1") + IT.format("1")
    (tmp_path / "dep" / "GUM_news_test.conllu").write_text(gum)
    (tmp_path / "coref" / "ontogum" / "conllu" / "GUM_news_test.conllu").write_text(ontogum)
    return tmp_path


def test_gum_is_read_with_entities_chains_and_split(corpus):
    [document] = read_gum(corpus)
    assert (document.genre, document.split, len(document.texts)) == ("news", "test", 2)
    assert [(s.chain, s.kind, s.link, s.head) for s in document.entities] == [
        ("7", "object", "coref", 4),
        ("7", "object", "ana", 0),
    ]
    assert [(s.chain, s.segment) for s in document.mentions] == [("1", 0), ("1", 1)]


def test_gold_pronouns_know_their_nouns_and_expletives(corpus):
    [document] = read_gum(corpus)
    it, seems = gold_pronouns(document, document.texts, load_lexicon("en"))
    assert (it.non_referential, it.nouns) == (False, {(0, 1, False)})
    assert (seems.non_referential, seems.nouns) == (True, frozenset())


def test_gold_is_found_in_other_tokens_by_character(corpus):
    [document] = read_gum(corpus)
    first = document.texts[0]
    joined = AnnotatedText(first.text, first.tokens[1:], (0,))
    it, _ = gold_pronouns(document, [joined, document.texts[1]], load_lexicon("en"))
    assert it.nouns == {(0, 0, False)}


def test_no_noun_beyond_the_window_is_right(corpus):
    [document] = read_gum(corpus)
    it, _ = gold_pronouns(document, document.texts, load_lexicon("en"), window=0)
    assert it.nouns == frozenset()


def test_a_folder_that_is_no_gum_is_a_coded_error(tmp_path):
    with pytest.raises(InputError, match="E062") as error:
        read_gum(tmp_path)
    assert len(error.value.faults) == 3


def test_scores_count_by_hand(corpus):
    documents = read_gum(corpus)
    score = evaluate_resolver(load_resolver("nearest"), documents, annotate_gold(documents, "gold"))
    # "lamp" is right for the first "it", the second is known by its relation.
    assert (score.right, score.non_referential) == (100.0, 100.0)
    assert score.answered[0.6].right == score.answered[0.6].total == 1
    assert Score().right == 0.0


def test_choices_learn_the_feature_that_tells_right_from_wrong():
    instances = [Instance([["near", "a"], ["far", "b"]], [True, False])] * 20
    weights = fit_choices(instances, least=1, penalty=0.1)
    assert weights["near"] > 1 > -1 > weights["far"]
    assert weights["near"] == pytest.approx(weights["a"], abs=1e-3)


def test_logistic_regression_reaches_the_log_odds():
    # 30 of 40 with one feature and next to no penalty: log(3).
    weights = fit_binary([["x"]] * 40, [True] * 30 + [False] * 10, least=1, penalty=1e-6)
    assert weights["x"] == pytest.approx(1.0986, abs=1e-3)


def test_training_is_deterministic_and_learns_the_corpus(corpus):
    documents = read_gum(corpus) * 5
    annotations = annotate_gold(documents, "gold")
    first = train_resolver(documents, annotations)
    assert first == train_resolver(documents, annotations)
    score = evaluate_resolver(Ranker(weights=first), documents, annotations)
    assert (score.right, score.known.right) == (100.0, 5)


@pytest.fixture(scope="module")
def gum(shared):
    archive = shared / "coreference" / "gum.tar.xz"
    if not archive.is_file():
        pytest.skip("GUM is absent")
    with opened(archive) as folder:
        yield read_gum(folder)


def test_gum_has_the_documents_of_its_splits(gum):
    splits = [document.split for document in gum]
    assert [splits.count(name) for name in ("train", "dev", "test", "test2")] == [177, 30, 30, 26]


def test_the_shipped_weights_beat_the_nearest_noun_on_gold_parses(gum):
    test = [document for document in gum if document.split == "test"]
    annotations = annotate_gold(test, "gold")
    nearest = evaluate_resolver(load_resolver("nearest"), test, annotations)
    ranker = evaluate_resolver(load_resolver(), test, annotations)
    assert nearest.right == pytest.approx(34.7, abs=0.1)
    assert ranker.right >= 55
    assert ranker.answerable[0.6].percent >= 78
    assert ranker.non_referential >= 60
