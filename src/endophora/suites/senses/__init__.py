"""Word senses: MuCoW's suites (Raganato, Scherrer and Tiedemann, 2019) read, written, scored, and built."""

from __future__ import annotations

from endophora.suites.result import SenseResult
from endophora.suites.senses.items import WORD_SENSE, is_sense_suite
from endophora.suites.senses.scoring import SenseOptions, score_sense_outputs, score_sense_scores

__all__ = ["WORD_SENSE", "SenseOptions", "SenseResult", "is_sense_suite", "score_sense_outputs", "score_sense_scores"]
