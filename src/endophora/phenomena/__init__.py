"""Phenomena: the taggers that find the words which need context."""

from endophora.phenomena.tagging import PHENOMENA, TAGGERS, TaggerOptions, make_taggers, tag_document

__all__ = ["PHENOMENA", "TAGGERS", "TaggerOptions", "make_taggers", "tag_document"]
