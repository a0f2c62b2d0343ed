"""What the words after a pronoun tell of it, whatever the parse: the predicate, the clause after it, idioms.

A parser that takes *it is clear that …* for a pronoun with a referent errs in the relations; the words stay. The
predicate is sought behind auxiliaries and adverbs, the clause by the word that opens it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from endophora.annotate.records import Token
from endophora.corefer.lexicon import Idiom, Lexicon
from endophora.corefer.mentions import NOMINAL, Discourse, Mention

SIGHT = 16
"""How many words after the pronoun are looked at."""
CLAUSE = 8
"""How many words after the predicate a clause may open."""
LIGHT = frozenset({"AUX", "ADV", "PART", "INTJ"})
BEFORE_NOUN = frozenset({"DET", "NUM", "ADJ", "PRON"})
PREDICATE = frozenset({"ADJ", "NOUN", "PROPN", "NUM"})
FOCUS = NOMINAL | {"PRON", "ADV", "ADP", "NUM"}
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
        first: index of the first word behind auxiliaries and adverbs; ``-1`` if there is none.
        predicate: index of the head of the predicate, behind determiners and adjectives.
        opener: what opens a clause after it: a word, ``"ing"``, ``"S"`` for a bare clause, or empty.
        distance: words between the predicate and that: 0, 1 for one or two, 2 for more.
        later: indices of the words after the predicate, as far as they are looked at.
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
    cues = [name for name, words in lexicon.cues.items() if lemma in words]
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
    calendar = upos in NOMINAL and lemma in lexicon.cues["time"]
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
    place, copula = _place(row, before), lexicon.words["copula"]
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


def _place(row: Discourse, before: int) -> str:
    upos = row.tokens[before].upos if before >= 0 else ""
    return {"VERB": "obj", "ADP": "obj", "AUX": "inv"}.get(upos, "sub")


def _opener(row: Discourse, later: Sequence[int], lexicon: Lexicon) -> tuple[str, int]:
    """Return what opens a clause among the words after the predicate, and the bucket of its distance."""
    words = _until_punctuation(row, later)
    for distance, index in enumerate(words):
        token, lemma = row.tokens[index], row.lemma(index)
        bucket = (distance > 0) + (distance > 2)
        if lemma in lexicon.words["openers"] and (token.upos == "PART" or lemma not in lexicon.words["infinitive"]):
            return lemma, bucket
        if token.upos == "VERB" and token.features.get("VerbForm") in {"Ger", "Part"} and _present(token):
            return "ing", bucket
        if token.upos == "PRON" and distance <= 1 and token.features.get("PronType") == "Prs":
            return "S", bucket
    return "", (len(words) > 0) + (len(words) > 2)


def _present(token: Token) -> bool:
    return token.features.get("Tense") != "Past"


def _matches(row: Discourse, index: int, idiom: Idiom) -> bool:
    """Tell whether an idiom stands around a pronoun; a lemma or a form may match."""
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
