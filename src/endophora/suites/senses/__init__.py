"""Word senses: MuCoW's suites (Raganato, Scherrer and Tiedemann, 2019) read, written, scored, and built."""

from __future__ import annotations

from endophora.suites.senses.figures import SenseOptions
from endophora.suites.senses.items import WORD_SENSE, is_sense_suite
from endophora.suites.senses.result import SenseResult
from endophora.suites.senses.scoring import score_sense_outputs, score_sense_scores

__all__ = [
    "WORD_SENSE",
    "SenseOptions",
    "SenseResult",
    "is_sense_suite",
    "score_sense_outputs",
    "score_sense_scores",
]
