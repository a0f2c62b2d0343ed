"""Which side's pronouns are resolved for marks of mentions."""

from __future__ import annotations

import pytest

from endophora.evaluation.setup import Setup
from endophora.extraction import mentions


@pytest.mark.parametrize(
    ("pair", "side", "kind"),
    [(("en", "de"), 0, "ranker"), (("zh", "en"), 1, "ranker"), (("de", "fr"), 1, "salience")],
)
def test_the_side_with_a_trained_resolver_is_resolved_else_the_target(pair, side, kind):
    found, resolver = mentions._resolver(Setup(*pair, store=None).load())
    assert (found, resolver.signature.partition("-")[0]) == (side, kind)
