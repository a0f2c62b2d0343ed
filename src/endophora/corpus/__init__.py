"""Documents in two languages: the records, and one reader, with a writer if we write it, for each file format."""

from endophora.corpus.codes import language_names, parse_languages
from endophora.corpus.formats import FORMATS, Format, open_parallel, open_stream, read, read_corpus, read_parallel
from endophora.corpus.parallel import write_text, write_wmt
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.streams import DocumentStream, ReadOptions, Row, TableColumns
from endophora.corpus.tabular import write_jsonl, write_tsv

__all__ = [
    "FORMATS",
    "Corpus",
    "Document",
    "DocumentStream",
    "Format",
    "Location",
    "ReadOptions",
    "Row",
    "Segment",
    "TableColumns",
    "language_names",
    "open_parallel",
    "open_stream",
    "parse_languages",
    "read",
    "read_corpus",
    "read_parallel",
    "write_jsonl",
    "write_text",
    "write_tsv",
    "write_wmt",
]
