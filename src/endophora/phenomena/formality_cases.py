"""Formality by case: every *you* whose translation shows a form of address (Wicks and Post 2023, §2.1.3 and §3).

Unlike :mod:`endophora.phenomena.formality`, it asks for no earlier word of the level, looks at pronouns only, and its
rules are cases (``ACC.INFORM.SING``), so that test sets can be balanced by form; both may be asked for at once.
"""

from __future__ import annotations

from endophora.languages.extraction import ExtractionRules
from endophora.languages.schema import LanguageRules
from endophora.phenomena.options import TaggerSetup, rules_signature
from endophora.phenomena.pronoun_cases import Pair, PronounCases
from endophora.phenomena.reasons import Reason, Verdict, furthest
from endophora.phenomena.records import AnnotatedDocument, Occurrence
from endophora.phenomena.spans import span_text


class FormalityCaseTagger:
    """Finds the translations of *you* that show a form of address."""

    phenomenon = "formality_cases"

    def __init__(self, rules: LanguageRules) -> None:
        self._cases = PronounCases((rules.extraction or ExtractionRules()).formality)
        self._files = rules_signature(rules)

    @property
    def signature(self) -> str:
        """The rule file."""
        return self._files

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token.

        Returns:
            One occurrence a pronoun, of the first rule that holds; it has no support, since none is one word.
        """
        found: dict[tuple[int, tuple[int, ...]], Occurrence] = {}
        for segment in range(len(document.source)):
            for pair in self._cases.pairs(document, segment):
                occurrence = self._verdict(document, pair).occurrence
                if occurrence is not None:
                    found.setdefault((segment, pair.target), occurrence)
        return list(found.values())

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        by_label: dict[str, list[Verdict]] = {case.label: [] for case in self._cases.cases}
        for pair in self._cases.pairs(document, segment):
            by_label[pair.case.label].append(self._verdict(document, pair))
        return {label: furthest(some, Reason.NO_PAIR) for label, some in by_label.items()}

    def _verdict(self, document: AnnotatedDocument, pair: Pair) -> Verdict:
        if pair.reason is not Reason.HIT:
            return Verdict(pair.reason)
        return Verdict(
            Reason.HIT,
            Occurrence(
                document=document.id,
                segment=pair.segment,
                phenomenon=self.phenomenon,
                rule=pair.case.label,
                source_tokens=(pair.source,),
                target_tokens=pair.target,
                expected=span_text(document.target[pair.segment], pair.target),
            ),
        )


def make_tagger(setup: TaggerSetup) -> FormalityCaseTagger:
    """Return the tagger of formality by case."""
    return FormalityCaseTagger(setup.target)
