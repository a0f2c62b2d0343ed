"""Test sets from a corpus of any size: occurrences through the engine, statistics by rule, suites."""

from endophora.extraction.extract import Extraction, ExtractOptions, extract, output_of
from endophora.extraction.rows import ExtractionStatistics
from endophora.extraction.setup import ExtractionSetup, default_phenomena
from endophora.extraction.task import ExtractionTask
from endophora.extraction.testsets import TestSetOptions

__all__ = [
    "ExtractOptions",
    "Extraction",
    "ExtractionSetup",
    "ExtractionStatistics",
    "ExtractionTask",
    "TestSetOptions",
    "default_phenomena",
    "extract",
    "output_of",
]
