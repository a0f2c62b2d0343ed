"""Pronouns that stand for nothing: what their parse and the words after them show.

A parser that takes *it is clear that …* for a pronoun with a referent errs in the relations; the words stay. The
predicate is sought behind auxiliaries and adverbs, the clause by the word that opens it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from endophora.annotate.records import NOUNS
from endophora.corefer.mentions import Discourse, Idiom, Lexicon, Mention, role_of

# How many words after the pronoun are looked at, and how many after the predicate a clause may open.
SIGHT, CLAUSE = 16, 8
LIGHT = frozenset({"AUX", "ADV", "PART", "INTJ"})
BEFORE_NOUN = frozenset({"DET", "NUM", "ADJ", "PRON"})
PREDICATE = frozenset({"ADJ", "NOUN", "PROPN", "NUM"})
FOCUS = NOUNS | {"PRON", "ADV", "ADP", "NUM"}
SURFACE = "~"
"""What the features begin with that no parse is needed for."""
CLOCK = re.compile(r"\d{1,2}([:.]\d\d)?")


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found after a pronoun.

    Attributes:
        place: ``"obj"`` after a verb or a preposition, ``"inv"`` after an auxiliary, otherwise ``"sub"``.
        copular: whether a copula or auxiliary *be* stands between.
        marked: whether it is negated, and whether a modal verb stands between.
        first: the first word behind auxiliaries and adverbs; ``-1`` if there is none.
        predicate: the head of the predicate, behind determiners and adjectives.
        opener: what opens a clause after it: a word, ``"ing"``, ``"S"`` for a bare clause, or empty.
        distance: words between the predicate and that: 0, 1 for one or two, 2 for more.
        later: those of the words after the predicate that are looked at.
    """

    place: str
    copular: bool
    marked: tuple[bool, bool]
    first: int
    predicate: int
    opener: str
    distance: int
    later: tuple[int, ...]


def surface_features(row: Discourse, mention: Mention, lexicon: Lexicon) -> list[str]:
    """Return the features of a pronoun that may be non-referential, as far as words and parts of speech give them."""
    scan = _scan(row, mention.index, lexicon)
    found = [f"S{scan.place}end"] if scan.first < 0 else _predicate(row, scan, lexicon)
    if scan.first >= 0 and scan.place != "obj":
        near = _until_punctuation(row, (scan.first, *scan.later))[:4]
        weather = [row.tokens[index].upos for index in near if row.lemma(index) in lexicon.cues["weather"]]
        found += [f"Xweather{scan.copular}{upos}" for upos in weather[:1]] + ["Xweather"] * bool(weather)
    if scan.first >= 0 and scan.copular:
        found += _circumstance(row, scan, lexicon) + _cleft(row, scan, lexicon)
    idioms = [idiom.text for idiom in lexicon.idioms if _matches(row, mention.index, idiom)]
    # One feature for all idioms, so that those never learned from tell something as well.
    found += [f"I{text}" for text in idioms] + ["I"] * bool(idioms)
    return [SURFACE + feature for feature in found]


def _predicate(row: Discourse, scan: Scan, lexicon: Lexicon) -> list[str]:
    token, lemma = row.tokens[scan.predicate], row.lemma(scan.predicate)
    at = f"{scan.place}{'b' if scan.copular else 'v'}"
    inner = row.tokens[scan.first].upos if scan.first < scan.predicate else ""
    negated, modal = scan.marked
    cues = _cues(lemma, lexicon)
    return [
        f"S{at}{token.upos}",
        f"Sl{at}{lemma}",
        f"So{at}{token.upos}{scan.opener}",
        f"So{at}{token.upos}{scan.opener}{scan.distance}",
        f"Sd{at}{inner}{token.upos}",
        f"Sm{modal}{negated}{at[-1]}{scan.opener}",
        *(f"Sc{cue}{at}" for cue in cues),
        *(f"Sc{cue}{at}{scan.opener}" for cue in cues),
        *(f"Sn{cue}{scan.opener}{scan.distance}" for cue in cues),
    ]


def _circumstance(row: Discourse, scan: Scan, lexicon: Lexicon) -> list[str]:
    """Return the features of weather, time and surroundings: *it is windy*, *it was 4:50*, *it's crazy in here*."""
    lemma, upos = row.lemma(scan.predicate), row.tokens[scan.predicate].upos
    words = [*range(scan.first, scan.predicate + 1), *scan.later][:7]
    found: list[str] = []
    if any(row.lemma(index) in lexicon.cues["surroundings"] for index in words):
        found.append(f"Xplace{scan.place}")
    clock = any(CLOCK.fullmatch(row.tokens[index].form) for index in words[:3])
    calendar = upos in NOUNS and lemma in lexicon.cues["time"]
    found += ["Xclock"] if clock else []
    found += [f"Xtime{scan.first < scan.predicate}"] if calendar else []
    # What names a point of time, and does not count or describe one (*it is Monday*, not *it is our last day*).
    if clock or (calendar and (upos == "PROPN" or scan.first == scan.predicate)):
        found.append("Xpoint")
    return found


def _cleft(row: Discourse, scan: Scan, lexicon: Lexicon) -> list[str]:
    """Return the features of a cleft: *it was the managers who …*, *it is because …*."""
    first, upos = row.tokens[scan.first].upos, row.tokens[scan.predicate].upos
    word = row.lemma(scan.first)
    found = [f"L{word}"] if word in lexicon.words["focus"] else []
    if (upos in FOCUS or first == "ADP") and scan.opener not in lexicon.words["no_cleft"]:
        for index in _until_punctuation(row, scan.later):
            relative = row.lemma(index)
            if relative in lexicon.words["relatives"]:
                return [*found, f"L{upos}{relative}", f"L{relative}", f"LP{first}"]
    return found


def _until_punctuation(row: Discourse, indices: Sequence[int]) -> Sequence[int]:
    stop = next((place for place, index in enumerate(indices) if row.tokens[index].upos == "PUNCT"), len(indices))
    return indices[:stop]


def _scan(row: Discourse, index: int, lexicon: Lexicon) -> Scan:
    sentence = row.sentence[index]
    rest = [i for i in range(index + 1, min(len(row.tokens), index + SIGHT)) if row.sentence[i] == sentence]
    before = index - 1 if index and row.sentence[index - 1] == sentence else -1
    place = {"VERB": "obj", "ADP": "obj", "AUX": "inv"}.get(row.tokens[before].upos if before >= 0 else "", "sub")
    copula = lexicon.words["copula"]
    skipped: list[str] = [row.lemma(before)] if place == "inv" else []
    count = 0
    while count < len(rest) and (row.tokens[rest[count]].upos in LIGHT or row.lemma(rest[count]) in copula):
        skipped.append(row.lemma(rest[count]))
        count += 1
    head = count
    while (
        head + 1 < len(rest)
        and row.tokens[rest[head]].upos in BEFORE_NOUN
        and row.tokens[rest[head + 1]].upos in PREDICATE
    ):
        head += 1
    marked = tuple(any(word in lexicon.words[name] for word in skipped) for name in ("negation", "modals"))
    copular = any(word in copula for word in skipped)
    if head >= len(rest):
        return Scan(place, copular, (marked[0], marked[1]), -1, -1, "", 0, ())
    later = tuple(rest[head + 1 : head + 1 + CLAUSE])
    opener, distance = _opener(row, later, lexicon)
    return Scan(place, copular, (marked[0], marked[1]), rest[count], rest[head], opener, distance, later)


def _opener(row: Discourse, later: Sequence[int], lexicon: Lexicon) -> tuple[str, int]:
    """Return what opens a clause among the words after the predicate, and the bucket of its distance."""
    words = _until_punctuation(row, later)
    for distance, index in enumerate(words):
        token, lemma = row.tokens[index], row.lemma(index)
        bucket = (distance > 0) + (distance > 2)
        if lemma in lexicon.words["openers"] and (token.upos == "PART" or lemma not in lexicon.words["infinitive"]):
            return lemma, bucket
        participle = token.upos == "VERB" and token.features.get("VerbForm") in {"Ger", "Part"}
        if participle and token.features.get("Tense") != "Past":
            return "ing", bucket
        if token.upos == "PRON" and distance <= 1 and token.features.get("PronType") == "Prs":
            return "S", bucket
    return "", (len(words) > 0) + (len(words) > 2)


def _matches(row: Discourse, index: int, idiom: Idiom) -> bool:
    """Return whether an idiom stands around a pronoun; a lemma or a form may match."""
    sentence = row.sentence[index]
    for offset, words in idiom.words:
        place = index + offset
        inside = 0 <= place < len(row.tokens) and row.sentence[place] == sentence
        if not words:
            if inside and row.tokens[place].upos != "PUNCT":
                return False
        elif not inside or not (row.lemma(place) in words or row.tokens[place].form.lower() in words):
            return False
    return True


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
    of any parse (:func:`surface_features`).
    """
    index = mention.index
    head = mention.governor
    # What the parser says of it is a separate feature, so that the others hold where the parser errs.
    role = {"expl": "subj" if index < head else "obj", "pass": "subj"}.get(role_of(row, index), role_of(row, index))
    found = [ALWAYS, f"r{role}"]
    found += [PARSED] if row.relation[index] == "expl" else []
    found += _window(row, index, lexicon)
    if head >= 0:
        found += _governor(row, index, head, role, lexicon)
    found += surface_features(row, mention, lexicon)
    return list(dict.fromkeys(found))


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
    found += [f"H{name}{role}{end}" for end in (first, "") for name in _cues(lemma, lexicon)]
    found += [f"e{kind}{row.relation[child]}" for child in row.children[head] if child > index]
    found += [f"x{role}{row.lemma(child)}" for name, child in relations.items() if name in {"xcomp", "obl"}]
    return found


def _marker(row: Discourse, clause: int) -> str:
    """Return the word that opens a clause: its marker, or how its verb stands."""
    for child in row.children[clause]:
        if row.relation[child] == "mark":
            return f" {row.lemma(child)}"
    return f" {row.tokens[clause].features.get('VerbForm', '')}"


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
    # After a verb the pronoun is likely its object, however it is parsed.
    governed = index > 0 and row.tokens[index - 1].upos == "VERB"
    found.append(f"Z{' '.join(near)}{'obj' if governed else ''}")
    found.append("P" + " ".join(row.tokens[i].upos for i in later[:3]))
    return found
