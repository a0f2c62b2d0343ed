"""Documents in two languages: the records, and a reader and a writer for each file format."""

from endophora.corpus.codes import language_names, parse_languages
from endophora.corpus.directories import read_text, read_wmt, write_text, write_wmt
from endophora.corpus.formats import FORMATS, Format, read_corpus
from endophora.corpus.jsonl import read_jsonl, write_jsonl
from endophora.corpus.parallel import NamedFile, parse_named, read_parallel
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.tsv import read_tsv, write_tsv

__all__ = [
    "FORMATS",
    "Corpus",
    "Document",
    "Format",
    "Location",
    "NamedFile",
    "Segment",
    "language_names",
    "parse_languages",
    "parse_named",
    "read_corpus",
    "read_jsonl",
    "read_parallel",
    "read_text",
    "read_tsv",
    "read_wmt",
    "write_jsonl",
    "write_text",
    "write_tsv",
    "write_wmt",
]
