"""Word alignment: links between the tokens of a segment's source and of its target, each with a confidence."""

from endophora.align.aligners import ALIGNERS, load_aligner
from endophora.align.compact import CompactAligner
from endophora.align.records import Aligner, Link

__all__ = ["ALIGNERS", "Aligner", "CompactAligner", "Link", "load_aligner"]
