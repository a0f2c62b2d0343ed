"""Long texts are aligned in windows as they would be at once."""

import random

from endophora.align import long as module
from endophora.align.long import align_long
from endophora.align.sentences import SentenceAligner


def test_windows_give_what_the_whole_gives(monkeypatch):
    """Numbers tell which sentences are pairs; some stand alone, some are two on the other side."""
    rng, source, target, gold = random.Random(3), list[str](), list[str](), set[tuple[int, ...]]()
    for _ in range(240):
        year, kind = rng.randrange(10_000, 99_999), rng.random()
        if kind < 0.1:
            source.append(f"Nobody knew of {year} here.")
        elif kind < 0.2:
            target.append(f"Das war übrigens {year} einmal ganz anders gewesen.")
        else:
            gold.add((len(source), len(target)))
            source.append(f"In {year} he came and saw {year + 1} there.")
            target += [f"In {year} kam er.", f"Er sah dort {year + 1}."]
    tool = SentenceAligner("en", "de")
    whole = tool.align(source, target)
    for name, value in (("WHOLE", 60), ("RUN", 4), ("WINDOW", 40), ("MARGIN", 15)):
        monkeypatch.setattr(module, name, value)
    sizes = list[int]()
    align = tool.align
    monkeypatch.setattr(tool, "align", lambda one, other: sizes.append(max(len(one), len(other))) or align(one, other))
    found = align_long(tool, source, target)
    assert found == whole
    assert max(sizes) < 200
    assert len(sizes) > 4
    assert gold <= {(one.start, other.start) for one, other in found if one and other}


def test_a_text_that_one_side_lacks_is_no_window_of_its_own(monkeypatch):
    """A third of the source has no translation: windows go on behind it."""
    source = [f"He saw {number} {number * 7} of them." for number in range(1000, 1150)]
    target = [f"Er sah {number} {number * 7} davon." for number in (*range(1000, 1050), *range(1100, 1150))]
    for name, value in (("WHOLE", 50), ("RUN", 5), ("WINDOW", 30), ("MARGIN", 10)):
        monkeypatch.setattr(module, name, value)
    found = align_long(SentenceAligner("en", "de"), source, target)
    right = {(at, at if at < 50 else at - 50) for at in (*range(45), *range(120, 150))}
    made = {(one.start, other.start) for one, other in found if len(one) == len(other) == 1}
    assert right <= made
    assert [at for one, _ in found for at in one] == list(range(150))
    assert [at for _, other in found for at in other] == list(range(100))
