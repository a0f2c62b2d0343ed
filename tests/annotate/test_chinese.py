"""Chinese words: parted as in the treebank, in both scripts, offsets kept."""

from __future__ import annotations

import pytest

from endophora.annotate import chinese
from endophora.annotate.loading import load_annotator
from endophora.errors import MissingModelError

pytest.importorskip("jieba")
pytest.importorskip("opencc")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("他是一个老师。", ["他", "是", "一", "个", "老师", "。"]),
        ("他是一個老師。", ["他", "是", "一", "個", "老師", "。"]),
        ("我们不知道……", ["我们", "不", "知道", "……"]),
    ],
)
def test_both_scripts_are_parted_as_the_treebank_does(text: str, words: list[str]):
    (found,) = load_annotator("zh", "blank").annotate([text])
    assert [token.form for token in found.tokens] == words


def test_offsets_are_those_of_the_text_with_its_white_space():
    text = "  北京 在\u3000中国，\n是 city  。"
    (found,) = load_annotator("zh", "blank").annotate([text])
    assert "".join(token.form for token in found.tokens) == "".join(text.split())
    assert all(text[token.start : token.end] == token.form for token in found.tokens)


def test_without_its_libraries_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chinese, "_MODULES", ("no_such_module",))
    with pytest.raises(MissingModelError, match="E040") as caught:
        chinese.load_segmenter.__wrapped__()
    assert "endophora[zh]" in caught.value.faults[0].advice
