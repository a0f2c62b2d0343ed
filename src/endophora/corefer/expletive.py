"""What tells a non-referential *it* from one that stands for something: named features, each there or not."""

from __future__ import annotations

from endophora.corefer.lexicon import Lexicon
from endophora.corefer.mentions import Discourse, Mention, role_of
from endophora.corefer.surface import SURFACE, surface_features

COMPLEMENT = frozenset({"ccomp", "csubj", "xcomp", "advcl", "acl"})
BEFORE, AFTER = 3, 4
PARSED = "expl"
"""The feature that the parser itself calls the pronoun an expletive."""
ALWAYS = "B"
"""The feature that every pronoun has: its weight is how likely the non-referential is at the outset."""


def expletive_features(row: Discourse, mention: Mention, lexicon: Lexicon) -> list[str]:
    """Return the features of a pronoun that may be non-referential.

    They follow Müller (2006) and Bergsma et al. (2008): its governor and that one's complement clauses, cue words of
    weather, time, report and judgement near it, and the words and parts of speech around it; and what the words tell
    whatever the parse (:mod:`endophora.corefer.surface`).
    """
    index = mention.index
    head = mention.governor
    # What the parser says of it is a feature of its own, so that the others hold where the parser errs.
    role = {"expl": "subj" if index < head else "obj", "pass": "subj"}.get(role_of(row, index), role_of(row, index))
    found = [ALWAYS, f"r{role}"]
    found += [PARSED] if row.relation[index] == "expl" else []
    found += _window(row, index, lexicon)
    if head >= 0:
        found += _governor(row, index, head, role, lexicon)
    found += surface_features(row, mention, lexicon)
    return list(dict.fromkeys(found))


def views(features: list[str]) -> list[list[str]]:
    """Return the ways in which a case is learned: whole, without the parser's own word, and by its surface alone.

    A parser is surer of its own training text than of any other; what is learned from the lesser views holds where it
    errs.
    """
    unsaid = [feature for feature in features if feature != PARSED]
    return [features, unsaid, [feature for feature in features if feature == ALWAYS or feature.startswith(SURFACE)]]


def _cues(lemma: str, lexicon: Lexicon) -> list[str]:
    return [name for name, words in lexicon.cues.items() if lemma in words]


def _governor(row: Discourse, index: int, head: int, role: str, lexicon: Lexicon) -> list[str]:
    lemma, upos = row.lemma(head), row.tokens[head].upos
    relations = {row.relation[child]: child for child in row.children[head] if child != index}
    copula = "cop" in relations
    passive = any(row.tokens[child].relation == "aux:pass" for child in row.children[head])
    clauses = sorted(
        f"{row.tokens[child].relation}{_marker(row, child)}"
        for child in row.children[head]
        if row.relation[child] in COMPLEMENT and child > index
    )
    first = clauses[0] if clauses else "none"
    kind = f"{upos}{'c' if copula else ''}{'p' if passive else ''}"
    found = [
        f"h{role}{lemma}",
        f"k{role}{kind}",
        f"c{role}{kind}{first}",
        f"C{role}{first}",
        f"o{role}{'obj' in relations}{bool(clauses)}{kind}",
        f"R{role}{row.relation[head]}",
    ]
    found += [f"H{name}{role}{first}" for name in _cues(lemma, lexicon)]
    found += [f"H{name}{role}" for name in _cues(lemma, lexicon)]
    found += [f"e{kind}{row.relation[child]}" for child in row.children[head] if child > index]
    found += [f"x{role}{row.lemma(child)}" for name, child in relations.items() if name in {"xcomp", "obl"}]
    return found


def _marker(row: Discourse, clause: int) -> str:
    """Return the word that opens a clause: its marker, or how its verb stands."""
    for child in row.children[clause]:
        if row.relation[child] == "mark":
            return f" {row.lemma(child)}"
    return f" {row.tokens[clause].features.get('VerbForm', '')}"


def _object(row: Discourse, index: int) -> bool:
    """Tell whether the word before is a verb, of which the pronoun is likely the object however it is parsed."""
    return index > 0 and row.tokens[index - 1].upos == "VERB"


def _window(row: Discourse, index: int, lexicon: Lexicon) -> list[str]:
    found: list[str] = []
    sentence = row.sentence[index]
    last = len(row.tokens)
    for away in (*range(-BEFORE, 0), *range(1, AFTER + 1)):
        place = index + away
        inside = 0 <= place < last and row.sentence[place] == sentence
        lemma = row.lemma(place) if inside else "#"
        upos = row.tokens[place].upos if inside else "#"
        found.append(f"W{away}{upos}")
        if abs(away) <= 2:
            found.append(f"w{away}{lemma}")
        if inside and away > 0:
            found += [f"N{name}" for name in _cues(lemma, lexicon)]
    later = [i for i in range(index + 1, min(index + 12, last)) if row.sentence[i] == sentence]
    lemmas = [row.lemma(i) for i in later]
    openers = [word for word in sorted(lexicon.words["complementisers"]) if word in lemmas]
    near = sorted({cue for lemma in lemmas[:5] for cue in _cues(lemma, lexicon)})
    found += [f"T{word}" for word in openers]
    found += [f"V{lemma} {word}" for lemma in lemmas[:1] for word in openers]
    found += [f"K{cue}{word}" for cue in near for word in (*openers, "")]
    found.append(f"Z{' '.join(near)}{'obj' if _object(row, index) else ''}")
    found.append("P" + " ".join(row.tokens[i].upos for i in later[:3]))
    return found
