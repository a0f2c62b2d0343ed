"""Phenomena: the taggers that find the words which need context."""

from endophora.phenomena.options import PHENOMENA, TaggerOptions
from endophora.phenomena.tagging import TAGGERS, make_taggers, tag_document

__all__ = ["PHENOMENA", "TAGGERS", "TaggerOptions", "make_taggers", "tag_document"]
