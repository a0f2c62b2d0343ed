"""eflomal behind the aligner's interface; where it is not installed, the error that says how to get it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from toy import joined, texts, toy_pairs

from endophora.align import load_aligner
from endophora.errors import MissingModelError
from endophora_makers.alignment_evaluation import points


@pytest.mark.skipif(find_spec("eflomal") is not None, reason="eflomal is installed")
def test_eflomal_names_the_command_that_installs_it() -> None:
    with pytest.raises(MissingModelError, match=r"E056.*pip install 'endophora\[eflomal\]'"):
        load_aligner("eflomal", "en", "de")


@pytest.mark.skipif(find_spec("eflomal") is None, reason="eflomal is not installed")
@pytest.mark.parametrize("languages", [("en", "de"), ("xx", "yy")])
def test_eflomal_aligns_a_toy_language_with_and_without_priors(languages: tuple[str, str]) -> None:
    pairs = toy_pairs(80)
    aligner = load_aligner("eflomal", *languages)
    links = aligner.align(*joined(pairs))
    right = sum((k, k) in points(found) for (one, _), found in zip(pairs, links, strict=True) for k in range(len(one)))
    assert right / sum(len(one) for one, _ in pairs) > 0.8
    assert {link.confidence for found in links for link in found} <= {0.5, 1.0}
    assert aligner.signature.startswith("eflomal ")
    assert aligner.align(texts("", "a"), texts("x", "")) == [(), ()]
    assert [bool(one) for one in aligner.align(texts("the dog", ""), texts("der Hund", "x"))] == [True, False]
