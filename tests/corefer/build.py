"""Annotated texts written by hand: ``form/UPOS/head/relation/Features``, heads counted from 0 in the sentence."""

from __future__ import annotations

from endophora.annotate.records import AnnotatedText, Token


def build(written: str) -> AnnotatedText:
    """Return the annotated text of tokens parted by spaces; sentences are parted by ``|``."""
    tokens: list[Token] = []
    sentences: list[int] = []
    start = 0
    for sentence in filter(None, map(str.strip, written.split("|"))):
        first = len(tokens)
        sentences.append(first)
        for part in sentence.split():
            form, upos, head, relation, *rest = part.split("/")
            form, _, lemma = form.partition("~")
            features = dict(pair.split("=") for pair in rest)
            governor = -1 if head == "-" else first + int(head)
            lemma = lemma or (form if upos == "PROPN" else form.lower())
            tokens.append(Token(form, lemma, upos, "", features, governor, relation, "", start, start + len(form)))
            start += len(form) + 1
    return AnnotatedText(" ".join(token.form for token in tokens), tuple(tokens), tuple(sentences))


EMPTY = AnnotatedText("", (), ())
BOOKS = build(
    "The/DET/1/det truck/NOUN/2/nsubj/Number=Sing carried~carry/VERB/-/root books~book/NOUN/2/obj/Number=Plur "
    "./PUNCT/2/punct"
)
THEY_FELL = build("They/PRON/1/nsubj/Number=Plur fell~fall/VERB/-/root ./PUNCT/1/punct")
RAIN = build("It/PRON/1/nsubj/Number=Sing rained~rain/VERB/-/root ./PUNCT/1/punct")
SEEMS = build(
    "It/PRON/1/expl/Number=Sing seems~seem/VERB/-/root that/SCONJ/4/mark prices~price/NOUN/4/nsubj/Number=Plur "
    "rose~rise/VERB/1/ccomp ./PUNCT/1/punct"
)
LAMP = build(
    "The/DET/1/det lamp/NOUN/2/nsubj/Number=Sing stood~stand/VERB/-/root on/ADP/5/case the/DET/5/det "
    "table/NOUN/2/obl/Number=Sing ./PUNCT/2/punct"
)
IT_BROKE = build("It/PRON/1/nsubj/Number=Sing broke~break/VERB/-/root ./PUNCT/1/punct")
GREETING = build("Hello/INTJ/-/root !/PUNCT/0/punct")
