"""What rule files say for document-level metrics: markers that can be found, and classes that words fall into."""

from __future__ import annotations

import unicodedata
from functools import cache

import pytest

from endophora.annotate.loading import load_annotator
from endophora.errors import MissingModelError
from endophora.languages import language_codes, load_language
from endophora.languages.base import matches
from endophora.languages.discourse import SENSES, DiscourseRules, Marker, MarkerEnding, discourse_defaults
from endophora.languages.load import review

CODES = language_codes()

# Sense → sentences, each with the markers that are to be found in it; an ending begins with a hyphen.
SENTENCES = {
    "en": {
        "comparison": [("Although it rained, she went out, but he stayed at home.", "although|but")],
        "cause": [("He stayed because he was ill; as a result, she went alone.", "because|as a result")],
        "conjunction": [("She also sings. In addition, she paints.", "also|in addition")],
        "asynchronous": [("They ate after the film and slept until noon.", "after|until")],
        "synchronous": [("Meanwhile, the soup boiled over.", "meanwhile")],
    },
    "de": {
        "comparison": [("Obwohl es regnete, ging sie aus, aber er blieb zu Hause.", "obwohl|aber")],
        "cause": [("Er blieb, weil er krank war. Aus diesem Grund ging sie allein.", "weil|aus diesem grund")],
        "conjunction": [("Sie singt auch. Darüber hinaus malt sie.", "auch|darüber hinaus")],
        "asynchronous": [("Nachdem sie gegessen hatten, schliefen sie. Danach lasen sie.", "nachdem|danach")],
        "synchronous": [("Inzwischen kochte die Suppe, und gleichzeitig brannte das Brot.", "inzwischen|gleichzeitig")],
    },
    "fr": {
        "comparison": [
            ("Bien qu’il pleuve, elle sort, mais il reste.", "bien qu’|mais"),
            ("Elle sort bien qu'il pleuve.", "bien qu'"),
        ],
        "cause": [("Il reste parce qu’il est malade ; par conséquent, elle part seule.", "parce qu’|par conséquent")],
        "conjunction": [("Elle chante également. De plus, elle peint.", "également|de plus")],
        "asynchronous": [("Lorsqu’ils eurent mangé, ils dormirent. Ensuite, ils lurent.", "lorsqu’|ensuite")],
        "synchronous": [("Pendant ce temps, la soupe bouillait.", "pendant ce temps")],
    },
    "es": {
        "comparison": [("Aunque llueve, ella sale. Sin embargo, él se queda.", "aunque|sin embargo")],
        "cause": [("Se quedó porque estaba enfermo. Por lo tanto, ella salió sola.", "porque|por lo tanto")],
        "conjunction": [("Ella también canta. Además, pinta.", "también|además")],
        "asynchronous": [("Cuando terminó la cena, se fueron. Más tarde llamaron.", "cuando|más tarde")],
        "synchronous": [("Mientras tanto, la sopa hervía. Al mismo tiempo, llovía.", "mientras|al mismo tiempo")],
    },
    "it": {
        "comparison": [("Anche se piove, lei esce, ma lui resta.", "anche se|ma")],
        "cause": [("È rimasto perché era malato; di conseguenza lei è uscita sola.", "perché|di conseguenza")],
        "conjunction": [("Lei canta anche. Inoltre dipinge.", "anche|inoltre")],
        "asynchronous": [("Quando ebbero mangiato, dormirono. In seguito lessero.", "quando|in seguito")],
        "synchronous": [("Nel frattempo la zuppa bolliva.", "nel frattempo")],
    },
    "nl": {
        "comparison": [("Hoewel het regent, gaat ze uit, maar hij blijft thuis.", "hoewel|maar")],
        "cause": [("Hij bleef omdat hij ziek was. Daarom ging zij alleen.", "omdat|daarom")],
        "conjunction": [("Ze zingt ook. Bovendien schildert ze.", "ook|bovendien")],
        "asynchronous": [("Nadat ze gegeten hadden, sliepen ze. Daarna lazen ze.", "nadat|daarna")],
        "synchronous": [("Ondertussen kookte de soep.", "ondertussen")],
    },
    "pl": {
        "comparison": [("Chociaż padało, wyszła, ale on został.", "chociaż|ale")],
        "cause": [("Został, ponieważ był chory. W związku z tym wyszła sama.", "ponieważ|w związku z tym")],
        "conjunction": [("Ona także śpiewa. Ponadto maluje.", "także|ponadto")],
        "asynchronous": [("Gdy zjedli, poszli spać. Następnie czytali.", "gdy|następnie")],
        "synchronous": [("W międzyczasie gotowała się zupa.", "w międzyczasie")],
    },
    "pt": {
        "comparison": [("Embora chova, ela sai, mas ele fica.", "embora|mas")],
        "cause": [("Ele ficou porque estava doente. Por isso, ela saiu sozinha.", "porque|por isso")],
        "conjunction": [("Ela também canta. Além disso, pinta.", "também|além disso")],
        "asynchronous": [("Quando acabaram de comer, dormiram. Mais tarde, leram.", "quando|mais tarde")],
        "synchronous": [("Ao mesmo tempo, a sopa fervia.", "ao mesmo tempo")],
    },
    "ro": {
        "comparison": [("Deși plouă, ea iese, dar el rămâne.", "deși|dar")],
        "cause": [("El a rămas pentru că era bolnav. Prin urmare, ea a plecat singură.", "pentru că|prin urmare")],
        "conjunction": [("De asemenea, ea cântă. În plus, pictează.", "de asemenea|în plus")],
        "asynchronous": [("Când au mâncat, au dormit. Apoi au citit.", "când|apoi")],
        "synchronous": [("Între timp, supa fierbea.", "între timp")],
    },
    "ru": {
        "comparison": [("Хотя шёл дождь, она вышла, но он остался.", "хотя|но")],
        "cause": [("Он остался, потому что был болен. Поэтому она пошла одна.", "потому|поэтому")],
        "conjunction": [("Она также поёт. Кроме того, она рисует.", "также|кроме того")],
        "asynchronous": [("Когда они поели, они уснули. Затем они читали.", "когда|затем")],
        "synchronous": [("Тем временем суп кипел.", "тем временем")],
    },
    "tr": {
        "comparison": [("Yağmur yağıyordu ama o dışarı çıktı. Öte yandan ben evde kaldım.", "ama|öte yandan")],
        "cause": [("Evde kaldı çünkü hastaydı. Bu yüzden o yalnız gitti.", "çünkü|bu yüzden")],
        "conjunction": [("O şarkı söylüyor. Ayrıca resim yapıyor.", "ayrıca")],
        "asynchronous": [("Yemekten sonra uyudular. Eve geldiğinde onu aradı.", "sonra|-diğinde")],
        "synchronous": [("Bu arada çorba kaynadı. Kitap okurken müzik dinledi.", "bu arada|-ken")],
    },
    "ar": {
        "comparison": [("كان الجو ممطرا ولكنها خرجت. ومع ذلك بقي هو في البيت.", "ولكنها|ومع ذلك")],
        "cause": [("بقي في البيت لأنه مريض. لذلك خرجت وحدها.", "لأنه|لذلك")],
        "conjunction": [("هي تغني أيضا. بالإضافة إلى ذلك، ترسم.", "أيضا|بالإضافة إلى ذلك")],
        "asynchronous": [("عندما وصل إلى البيت نام، ثم قرأ كتابا.", "عندما|ثم")],
        "synchronous": [("وفي الوقت نفسه كان المطر يهطل.", "وفي الوقت نفسه")],
    },
    "he": {
        "comparison": [("ירד גשם אבל היא יצאה. עם זאת, הוא נשאר בבית.", "אבל|עם זאת")],
        "cause": [("הוא נשאר בבית בגלל הגשם, ולכן היא יצאה לבד.", "בגלל|ולכן")],
        "conjunction": [("היא גם שרה. כמו כן, היא מציירת.", "גם|כמו כן")],
        "asynchronous": [("לאחר הארוחה הם ישנו, ואחר כך קראו.", "לאחר|ואחר כך")],
        "synchronous": [("בינתיים המרק רתח.", "בינתיים")],
    },
    "zh": {
        "comparison": [("虽然下雨，但是她出去了。", "虽然|但是"), ("雖然下雨，但是她出去了。", "雖然|但是")],
        "cause": [("因为他病了，所以她一个人去了。", "因为|所以")],
        "conjunction": [("她也唱歌。此外，她画画。", "也|此外")],
        "asynchronous": [("吃饭之后他们睡觉了，然后看电视。", "之后|然后")],
        "synchronous": [("与此同时，汤煮开了。", "同时")],
    },
    "ja": {
        "comparison": [("雨が降っていたが、彼女は出かけた。しかし、彼は家にいた。", "が|しかし")],
        "cause": [("雨が降ったので、家にいた。もし晴れれば、出かける。", "ので|もし|ば")],
        "conjunction": [("さらに、彼女は絵を描く。", "さらに")],
        "asynchronous": [("食べた後、寝た。その後、本を読んだ。", "た後|その後")],
        "synchronous": [("音楽を聞きながら本を読んだ。同時に、雨が降った。", "ながら|同時に")],
    },
    "ko": {
        "comparison": [("비가 왔지만 그녀는 나갔다. 그러나 그는 집에 있었다.", "-지만|그러나")],
        "cause": [("비가 왔기 때문에 집에 있었다. 따라서 그녀는 혼자 갔다.", "때문에|따라서")],
        "conjunction": [("또한 그녀는 그림을 그린다.", "또한")],
        "asynchronous": [("밥을 먹은 후에 잤다. 나중에 책을 읽었다.", "후에|나중에")],
        "synchronous": [("음악을 들으면서 책을 읽었다. 동시에 비가 왔다.", "-면서|동시에")],
    },
}


def rules(code: str) -> DiscourseRules:
    found = load_language(code).discourse
    assert found is not None
    return found


def markers(code: str) -> dict[str, dict[str, frozenset[str]]]:
    """The markers of each sense, and the parts of speech of their first words (none for any)."""
    return {
        sense.sense: {
            (marker if isinstance(marker, str) else marker.form): (
                frozenset() if isinstance(marker, str) else marker.upos
            )
            for marker in sense.markers
        }
        for sense in rules(code).markers
    }


@cache
def annotator(code: str):
    try:
        return load_annotator(code)
    except MissingModelError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # an extra's libraries are not installed


def found(code: str, sense: str, sentence: str) -> set[str]:
    """Return what marks a sense in a sentence: markers as runs of tokens, and endings behind a hyphen."""
    (text,) = annotator(code).annotate([sentence])
    wanted = markers(code)[sense]
    (endings,) = [each.endings for each in rules(code).markers if each.sense == sense]
    result = {
        f"-{ending.ending}"
        for token in text.tokens
        for ending in endings
        if ending.ends(token.form.lower(), token.upos)
    }
    for index, first in enumerate(text.tokens):
        for last in text.tokens[index:]:
            run = " ".join(sentence[first.start : last.end].lower().split())
            if run in wanted and (not wanted[run] or first.upos in wanted[run]):
                result.add(run)
    return result


def test_every_language_has_a_sentence():
    assert set(SENTENCES) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_all_senses_are_marked(code):
    assert tuple(sense.sense for sense in rules(code).markers) == SENSES
    assert all(len(found) >= 3 for found in markers(code).values())
    assert rules(code).comparable or code == "en"


@pytest.mark.parametrize("code", CODES)
def test_no_marker_stands_under_two_senses(code):
    seen: dict[str, str] = {}
    for sense, forms in markers(code).items():
        for form in forms:
            assert seen.setdefault(form, sense) == sense, form
    endings = [ending.ending for sense in rules(code).markers for ending in sense.endings]
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize("code", CODES)
def test_markers_are_as_texts_are_compared(code):
    forms = [form for each in markers(code).values() for form in each]
    forms += [ending.ending for sense in rules(code).markers for ending in sense.endings]
    for form in forms:
        assert form == " ".join(unicodedata.normalize("NFC", form).lower().split())


@pytest.mark.parametrize(
    ("code", "sense", "sentence", "expected"),
    [
        pytest.param(code, sense, sentence, expected, id=f"{code}-{sense}-{expected}")
        for code, senses in SENTENCES.items()
        for sense, sentences in senses.items()
        for sentence, expected in sentences
    ],
)
def test_markers_of_a_sentence_are_found(code, sense, sentence, expected):
    assert set(expected.split("|")) <= found(code, sense, sentence)


@pytest.mark.parametrize("code", CODES)
def test_words_of_the_sentences_fall_into_classes(code):
    discourse, defaults = rules(code), discourse_defaults()
    sentences = [sentence for pairs in SENTENCES[code].values() for sentence, _ in pairs]
    tokens = [token for text in annotator(code).annotate(sentences) for token in text.tokens]
    for classes in (discourse.tenses or defaults.tenses, discourse.pronouns or defaults.pronouns):
        assert len({each.label for each in classes.classes}) == len(classes.classes)
        labels = {
            each.label
            for token in tokens
            for each in classes.classes
            if (not each.forms or token.form.lower() in each.forms)
            and (not each.lemmas or token.lemma.lower() in each.lemmas)
            and (not each.upos or token.upos in each.upos)
            and (not each.xpos or token.xpos in each.xpos)
            and matches(token.features, each.features)
        }
        assert labels


@pytest.mark.parametrize("code", CODES)
def test_forms_of_classes_are_lower_case(code):
    discourse = rules(code)
    for classes in (discourse.tenses, discourse.pronouns):
        for each in () if classes is None else classes.classes:
            assert all(form == form.lower() for form in each.forms | each.lemmas), each.label


def test_what_never_matches_or_matches_twice_is_reviewed():
    english = load_language("en")
    tree = {
        "markers": (
            {"sense": "cause", "markers": ("Because", "so", "as  a result"), "source": "grammar"},
            {
                "sense": "conjunction",
                "markers": ("so", {"form": "plus", "upos": frozenset({"CONJ"})}),
                "endings": ({"ending": "too", "upos": frozenset({"ADVERB"})},),
                "source": "grammar",
            },
        ),
        "tenses": {
            "classes": ({"label": "a", "forms": frozenset({"Is"})}, {"label": "a", "upos": frozenset({"V"})}),
            "source": "grammar",
        },
    }
    faulty = english.model_copy(update={"discourse": DiscourseRules.model_validate(tree)})
    said = [line for line in review(faulty, english) if line.startswith("discourse")]
    assert [line.partition(": ")[0].removeprefix("discourse.") + ": " + line.rpartition(": ")[2] for line in said] == [
        "markers: no markers of comparison, asynchronous, synchronous",
        "markers.cause: Because, as  a result",
        "markers.conjunction: so",
        "markers.conjunction: ADVERB, CONJ",
        "tenses.a: Is",
        "tenses.a: two classes have this label",
        "tenses.a: V",
    ]


@pytest.mark.parametrize("code", CODES)
def test_nothing_is_said_against_the_lists_of_the_package(code):
    english = load_language("en")
    assert not [line for line in review(load_language(code), english) if line.startswith("discourse")]


def test_an_ending_is_not_the_whole_word():
    ending = MarkerEnding(ending="ken", upos=frozenset({"ADV"}))
    assert ending.ends("okurken", "ADV")
    assert not ending.ends("ken", "ADV")
    assert not ending.ends("erken", "ADJ")


def test_markers_are_there_with_either_apostrophe_and_behind_proclitics():
    tree = {
        "proclitics": ("w",),
        "markers": (
            {
                "sense": "cause",
                "markers": ("qu'on", {"form": "car", "upos": frozenset({"CCONJ"})}),
                "source": "grammar",
            },
        ),
    }
    (sense,) = DiscourseRules.model_validate(tree).markers
    upos = frozenset({"CCONJ"})
    assert sense.markers == (
        "qu'on",
        "wqu'on",
        "qu’on",
        "wqu’on",
        Marker(form="car", upos=upos),
        Marker(form="wcar", upos=upos),
    )
