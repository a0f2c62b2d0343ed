"""The three views of the thematic analysis, and the page that shows them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cxmi_example import HOSTILE, measurement

from endophora.context.cxmi import Measurement
from endophora.context.pointwise import SEGMENTS, write_segments
from endophora.context.themes import Limits, Themes, make_themes, read_measurement
from endophora.errors import InputError
from endophora.report.themes import render


@pytest.fixture(scope="module")
def done() -> Measurement:
    return measurement(documents=8)


def words_of(themes: Themes, numbers: tuple[int, ...]) -> list[str]:
    places = [themes.tokens[number] for number in numbers]
    return [themes.measured[place.sample].sample.words[place.word].form for place in places]


def test_each_row_has_its_words_by_falling_gain(done: Measurement):
    themes = make_themes(done.result, done.pointwise)
    rows = {theme.figure.group: theme for theme in themes.groups}
    assert set(words_of(themes, rows["PRON"].tokens)) == {"sie", "Sie"}
    assert set(words_of(themes, rows["pronouns"].tokens)) == {"sie"}
    assert "sie" not in words_of(themes, rows["no tag"].tokens)
    values = [themes.measured[place.sample].words[themes.row, place.word] for place in themes.tokens]
    assert values == sorted(values, reverse=True)
    items = {theme.figure.item: theme for theme in themes.items}
    assert set(words_of(themes, items["kommen"].tokens)) == {"kommen"}
    assert list(items["kommen"].tokens) == sorted(items["kommen"].tokens)


def test_limits_hold_and_every_row_keeps_its_first_words(done: Measurement):
    themes = make_themes(done.result, done.pointwise, limits=Limits(tokens=3, items=2, of_group=2, of_item=1))
    assert themes.top == 3
    assert len(themes.items) == 2
    assert all(len(theme.tokens) <= 2 for theme in themes.groups)
    assert all(len(theme.tokens) == 1 for theme in themes.items)
    assert len(words_of(themes, themes.groups[0].tokens)) == 2


def test_another_condition_has_its_own_items(done: Measurement):
    themes = make_themes(done.result, done.pointwise, "both-1")
    means = {theme.figure.item: theme.figure.mean for theme in themes.items}
    # One segment before it on either side, and not two.
    assert means["Sie"] == pytest.approx(2 * -0.125)
    assert {theme.figure.group: theme.figure.mean for theme in themes.groups}["VERB"] == pytest.approx(1.5 / 2)
    with pytest.raises(InputError, match="E317"):
        make_themes(done.result, done.pointwise, "both-9")


def test_a_measurement_is_read_from_its_directory(done: Measurement, tmp_path: Path):
    with pytest.raises(InputError, match="E317"):
        read_measurement(tmp_path)
    done.result.write(tmp_path / "result.json")
    write_segments(done.pointwise, tmp_path / SEGMENTS)
    result, pointwise = read_measurement(tmp_path)
    assert result == done.result
    assert render(make_themes(result, pointwise)) == render(make_themes(done.result, done.pointwise))
    (tmp_path / "result.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="E317"):
        read_measurement(tmp_path)


class Elements(HTMLParser):
    """Collects the elements of a page and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_asks_for_nothing_and_runs_nothing_from_data():
    done = measurement(documents=8, hostile=True)
    page = render(make_themes(done.result, done.pointwise))
    parser = Elements()
    parser.feed(page)
    tags = [tag for tag, _ in parser.found]
    assert tags.count("script") == 2
    assert not {"img", "iframe", "link", "object"} & set(tags)
    addresses = [attributes.get(name) for _, attributes in parser.found for name in ("src", "href", "action")]
    assert all(address is None or address.startswith("#") for address in addresses)
    assert not any(name.startswith("on") for _, attributes in parser.found for name in attributes)
    assert "default-src 'none'" in page
    assert "\x1b" not in page
    assert "\u202e" not in re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.S)


def test_the_data_of_the_page_are_whole(done: Measurement):
    hostile = measurement(documents=8, hostile=True)
    for each in (done, hostile):
        themes = make_themes(each.result, each.pointwise)
        data = json.loads(re.search(r'id="data">(.*?)</script>', render(themes), re.S)[1])
        assert len(data["tokens"]) == len(themes.tokens)
        for token, place in zip(data["tokens"], themes.tokens, strict=True):
            segment = data["segments"][token["s"]]
            start, end = segment["w"][3 * token["w"] : 3 * token["w"] + 2]
            # Browsers count in UTF-16 units.
            text = data["texts"][segment["t"]].encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
            assert text == themes.measured[place.sample].sample.words[place.word].form
    assert any(text in data["texts"] for text in HOSTILE)
