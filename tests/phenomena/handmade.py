"""Annotated documents written by hand: one token a line of words, so that taggers are tested without a model.

A token is ``form/UPOS``, then in any order ``lemma=…``, ``xpos=…``, ``Feature=Value``, ``>head`` (index from 0),
``:relation``:
``"hatte/AUX lemma=haben Tense=Past >2 :aux"``; tokens are parted by ``|``.
"""

from __future__ import annotations

from collections.abc import Sequence

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
from endophora.languages.load import parse_rules
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument


def text(written: str) -> AnnotatedText:
    """Return the annotated text that is written."""
    tokens: list[Token] = []
    start = 0
    for part in filter(None, map(str.strip, written.split("|"))):
        head, *rest = part.split()
        form, _, upos = head.rpartition("/")
        lemma, xpos, relation, governor = form.lower(), "", "dep", -1
        features: dict[str, str] = {}
        for field in rest:
            if field.startswith(">"):
                governor = int(field[1:])
            elif field.startswith(":"):
                relation = field[1:]
            elif field.startswith("lemma="):
                lemma = field[6:]
            elif field.startswith("xpos="):
                xpos = field[5:]
            else:
                name, _, value = field.partition("=")
                features[name] = value
        tokens.append(Token(form, lemma, upos, xpos, features, governor, relation, "", start, start + len(form)))
        start += len(form) + 1
    return AnnotatedText(" ".join(token.form for token in tokens), tuple(tokens), (0,) if tokens else ())


def links(written: str) -> tuple[Link, ...]:
    """Return links written as ``"0-1 1-0:.5"``: source, target and, if not 1, the confidence."""
    found = []
    for part in written.split():
        pair, _, confidence = part.partition(":")
        source, _, target = pair.partition("-")
        found.append(Link(int(source), int(target), float(confidence or 1)))
    return tuple(sorted(found, key=lambda link: (link.source, link.target)))


def document(
    segments: Sequence[tuple[str, str, str]], resolutions: Sequence[Resolution] = (), name: str = "d"
) -> AnnotatedDocument:
    """Return the document of (source, target, links) triples."""
    return AnnotatedDocument(
        name,
        tuple(text(source) for source, _, _ in segments),
        tuple(text(target) for _, target, _ in segments),
        tuple(links(pairs) for _, _, pairs in segments),
        tuple(resolutions),
    )


def resolution(
    segment: int, token: int, *candidates: tuple[int, int, float], non_referential: float = 0.0
) -> Resolution:
    """Return a resolution with antecedents of one token: (segment, token, probability), the most probable first."""
    antecedents = tuple(
        Antecedent(where, head, (head,), segment - where, probability) for where, head, probability in candidates
    )
    return Resolution(segment, token, antecedents, non_referential, 0.0)


HEAD = """\
language: xx
name: Example
pro_drop: true
content_words: {upos: [NOUN], source: grammar}
persons: {second: [ty], third: [on], source: grammar}
tenses: {values: [], source: grammar}
"""


def rules(own: str) -> LanguageRules:
    """Return the rules of a language of which only these keys, in YAML, matter to a test."""
    given = {line.partition(":")[0] for line in own.splitlines()}
    rest = [line for line in HEAD.splitlines() if line.partition(":")[0] not in given]
    return parse_rules("\n".join([*rest, own]).encode(), "xx.yaml")
