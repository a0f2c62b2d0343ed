"""What the ranker sees of a pronoun and a candidate: named features, each there or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from endophora.annotate.records import NOUNS, VERBS
from endophora.corefer.entities import entities_of
from endophora.corefer.mentions import UNKNOWN, Discourse, Lexicon, Mention, NounTypes

CLAUSAL = frozenset({"root", "ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis"})
STEPS = (0, 1, 2, 3, 3, 4, 4, 4, *[5] * 5, *[6] * 8, 7)


def step(count: int) -> int:
    """Return the bucket of a count: 0, 1, 2, 3–4, 5–7, 8–12, 13–20, more."""
    return STEPS[min(count, 21)]


LAST = 1 << 30
_BEFORE, _BEHIND = frozenset({"amod", "compound", "nummod"}), frozenset({"nmod", "acl"})


@dataclass(slots=True, eq=False)
class Facts:
    """What is said of a mention once, for all that it is compared with.

    Attributes:
        form: how it is put: ``"def"``, ``"indef"``, ``"proper"``, … or the pronoun's group.
        number: ``"Sing"``, ``"Plur"``, ``"coll"`` for a singular collective, or ``"?"``.
        clause: document-wide index of its clause's head; ``depth`` counts the clauses above that.
        quoted: number of the quotation it is in; 0 if in none.
        rank: how many mentions stand before it in its sentence.
        before, count: earlier nouns of the same lemma, and all in the document.
        predicate: entity type of the noun that is said of it, as in *it is a **car***; empty if there is none.
        said: earlier mentions of its entity, itself among them; ``opened`` is the sentence of the first.
        next: rank among the document's mentions of the next noun of its entity; a large number if there is none.
        use: what it does beside its role: ``"pred"``, ``"there"``, a preposition, or empty.
        weight: whether it has a modifier before it, and a clause or a phrase behind it.
    """

    mention: Mention
    lemma: str
    kind: str
    form: str
    number: str
    clause: int
    depth: int
    slot: str
    quoted: int
    rank: int
    before: int
    count: int
    predicate: str
    said: int = 1
    opened: int = 0
    next: int = LAST
    use: str = ""
    weight: str = ""


def gather(row: Discourse, mentions: Sequence[Mention], lexicon: Lexicon, types: NounTypes) -> list[Facts]:
    """Return the facts of all mentions of a document."""
    quotes = _quotes(row, lexicon)
    totals = Counter(row.lemma(m.index) for m in mentions if m.nominal and not m.coordinated)
    seen: Counter[str] = Counter()
    found: list[Facts] = []
    rank, sentence = 0, -1
    for mention in mentions:
        rank = rank + 1 if mention.sentence == sentence else 0
        sentence = mention.sentence
        lemma = row.lemma(mention.index)
        label = row.tokens[mention.index].entity.partition("-")[2]
        clause, depth = _clause(row, mention.index)
        found.append(
            Facts(
                mention=mention,
                lemma=lemma,
                kind="person" if mention.person else types.of(lemma, label) if mention.nominal else UNKNOWN,
                form=_form(row, mention, lexicon),
                number=_number(mention, lemma, lexicon),
                clause=clause,
                depth=depth,
                slot=slot_of(row, mention),
                quoted=quotes[mention.index],
                rank=rank,
                before=seen[lemma],
                count=totals[lemma],
                predicate=_predicate(row, mention, types),
                use=_use(row, mention),
                weight=_weight(row, mention),
            )
        )
        if mention.nominal and not mention.coordinated:
            seen[lemma] += 1
    _count_entities(found, entities_of(row, mentions, lexicon))
    return found


def _count_entities(facts: Sequence[Facts], entities: Sequence[int]) -> None:
    """Fill in what is known of the entities of nouns."""
    last: dict[int, Facts] = {}
    for fact, entity in zip(facts, entities, strict=True):
        if not fact.mention.nominal:
            continue
        before = last.get(entity)
        if before is None:
            fact.opened = fact.mention.sentence
        else:
            fact.said, fact.opened = before.said + 1, before.opened
            before.next = fact.mention.order
        last[entity] = fact


def _use(row: Discourse, mention: Mention) -> str:
    children = row.children[mention.index]
    if any(row.relation[child] == "cop" for child in children):
        return "pred"
    head = mention.governor
    if mention.role == "subj" and head >= 0:
        there = any(row.relation[child] == "expl" and row.lemma(child) == "there" for child in row.children[head])
        return "there" if there else ""
    case = (row.lemma(child) for child in children if row.relation[child] == "case")
    return next(case, "")


def _weight(row: Discourse, mention: Mention) -> str:
    relations = {row.relation[child] for child in row.children[mention.index]}
    return f"{int(not _BEFORE.isdisjoint(relations))}{int(not _BEHIND.isdisjoint(relations))}"


def slot_of(row: Discourse, mention: Mention) -> str:
    """Return the slot a mention fills: its governor's lemma and its role, with the preposition of an oblique."""
    role = {"pass": "obj"}.get(mention.role, mention.role)
    if role in {"obl", "nmod"}:
        case = (row.lemma(child) for child in row.children[mention.index] if row.relation[child] == "case")
        role = f"{role} {next(case, '')}"
    return f"{row.lemma(mention.governor)} {role}"


def _predicate(row: Discourse, mention: Mention, types: NounTypes) -> str:
    head = mention.governor
    said = mention.role == "subj" and head >= 0 and row.tokens[head].upos in NOUNS
    return types.of(row.lemma(head)) if said else ""


def _quotes(row: Discourse, lexicon: Lexicon) -> list[int]:
    opening, closing, both = (lexicon.words[name] for name in ("quotes_open", "quotes_close", "quotes_both"))
    found: list[int] = []
    number = inside = 0
    for token in row.tokens:
        opens = token.form in opening or (token.form in both and not inside)
        if opens:
            number += 1
            inside = number
        elif token.form in closing or token.form in both:
            inside = 0
        found.append(inside)
    return found


def _clause(row: Discourse, index: int) -> tuple[int, int]:
    """Return the head of a word's clause, and how many clauses stand above it."""
    clause, depth = -1, -1
    for _ in range(len(row.tokens)):
        relation = row.relation[index]
        verbal = relation in CLAUSAL or (relation == "conj" and row.tokens[index].upos in VERBS)
        if verbal or row.head[index] < 0:
            clause = index if clause < 0 else clause
            depth += 1
        if row.head[index] < 0:
            break
        index = row.head[index]
    return clause, depth


def _form(row: Discourse, mention: Mention, lexicon: Lexicon) -> str:
    if mention.pronoun is not None:
        return mention.pronoun.group
    if mention.person:
        return "person"
    if mention.coordinated:
        return "coord"
    if mention.proper:
        return "proper"
    for child in row.children[mention.index]:
        if row.tokens[child].relation == "nmod:poss":
            return "poss"
        if row.relation[child] in {"det", "nummod"}:
            lemma = row.lemma(child)
            for name in ("definite", "indefinite_articles", "quantifiers"):
                if lemma in lexicon.words[name]:
                    return name
            return "other"
    return "bare"


def _number(mention: Mention, lemma: str, lexicon: Lexicon) -> str:
    if mention.number == "Sing" and mention.nominal and lemma in lexicon.words["collective"]:
        return "coll"
    return mention.number or UNKNOWN


def pair_features(
    row: Discourse,
    facts: Sequence[Facts],
    anaphor: int,
    candidate: int,
    lexicon: Lexicon,
    types: NounTypes,
    nearer: int,
) -> list[str]:
    """Return the features of a pronoun with one candidate; ``nearer`` ones that agree in number stand between."""
    p, c = facts[anaphor], facts[candidate]
    pm, cm = p.mention, c.mention
    group, kind, plural = pm.group, pm.kind, pm.number
    away = min(pm.sentence - cm.sentence, 6)
    noun = "n" if cm.nominal else "p"
    between = step(anaphor - candidate - 1)
    match = f"{plural}{c.number}"
    quoted = f"{int(p.quoted > 0)}{int(c.quoted > 0)}"
    if p.quoted == c.quoted:
        quoted = "same" if p.quoted else "out"
    found = [
        f"d{away}{noun}",
        f"d{away}{noun}{cm.role}",
        f"d{away}{noun}{kind}",
        f"b{between}{noun}",
        f"b{between}{noun}{kind}",
        f"k{step(nearer)}{noun}",
        f"k{step(nearer)}{noun}{plural}{min(away, 2)}",
        f"r{pm.role}{cm.role}{noun}",
        f"r{pm.role}{cm.role}{min(away, 2)}",
        f"R{cm.role}{noun}{group}",
        f"n{match}{noun}",
        f"n{match}{noun}{group}",
        f"f{c.form}{group}",
        f"f{c.form}{min(away, 2)}",
        f"o{min(c.rank, 3)}{noun}{min(away, 2)}",
        f"D{min(c.depth, 3)}{noun}{min(away, 2)}",
        f"q{quoted}{noun}",
    ]
    if cm.nominal:
        liking = types.preference(p.slot, c.kind)
        found += [
            f"t{c.kind}{group}",
            f"t{c.kind}{plural}{c.number}",
            f"c{min(c.before, 4)}",
            f"C{min(c.count, 6)}{plural}",
            f"C{min(c.count, 6)}{min(away, 2)}",
            f"l{max(-4, min(4, round(liking * 2)))}",
            f"l{max(-4, min(4, round(liking * 2)))}{kind}",
        ]
        later = c.next < anaphor
        fresh = min(pm.sentence - c.opened, 6)
        found += [
            f"E{min(c.said, 4)}{later}{min(away, 2)}",
            f"E{min(c.said, 4)}{kind}",
            f"F{fresh}{min(c.said, 3)}",
            f"F{fresh == away}{later}{c.form}",
            f"U{c.use}",
            f"U{c.use}{min(away, 2)}{plural}",
            f"W{c.weight}{c.form}",
            f"P{p.slot} {c.kind}",
            f"p{min(p.rank, 1)}{pm.role}{cm.role}{min(away, 2)}",
            f"T{c.lemma in lexicon.cues['time']}{plural}",
            f"z{c.kind}{cm.role}{min(away, 2)}",
        ]
        found += _role_features(row, p, c, away, nearer)
        found += [f"w{name}{plural}" for name in ("indefinite", "uncounted") if c.lemma in lexicon.words[name]]
        if cm.role == "obj" and c.form == "bare" and cm.number == "Sing":
            found.append(f"B{row.lemma(cm.governor) in lexicon.cues['light']}")
    else:
        found += [f"Q{cm.group}{group}{min(away, 2)}", f"Q{cm.role}{pm.role}{cm.group == group}{min(between, 2)}"]
        found.append(f"e{row.relation[cm.index] == 'expl'}{min(c.rank, 1)}")
    if c.slot == p.slot:
        found.append(f"s{noun}")
    if row.lemma(pm.governor) == row.lemma(cm.governor) and pm.governor >= 0:
        found.append(f"g{noun}{pm.role == cm.role}")
    if away == 0:
        found += _near_features(row, p, c, kind, noun)
    return found


def _role_features(row: Discourse, p: Facts, c: Facts, away: int, nearer: int) -> list[str]:
    """Return the features of a noun's role beside its type, form and distance, and of what is said of the pronoun."""
    pm, cm = p.mention, c.mention
    found = [
        f"G{c.kind}{cm.role}{pm.role}",
        f"H{c.form}{c.kind}{pm.number}",
        f"I{c.form}{cm.role}{min(away, 2)}{pm.kind}",
        f"J{step(nearer)}{cm.role}{min(away, 2)}",
        f"K{away}{cm.role}{pm.role}",
    ]
    if c.form == "proper":
        found.append(f"L{c.kind}{pm.group}{row.tokens[cm.index].entity.partition('-')[2]}")
    if p.predicate:
        found.append(f"y{p.predicate == c.kind}{pm.kind}{c.lemma == row.lemma(pm.governor)}")
    return found


def _near_features(row: Discourse, p: Facts, c: Facts, kind: str, noun: str) -> list[str]:
    """Return the features of two mentions of one sentence: who governs whom, and how their clauses lie."""
    pm, cm = p.mention, c.mention
    found = [f"x{p.clause == c.clause}{kind}{noun}", f"X{max(-2, min(2, p.depth - c.depth))}{kind}{noun}"]
    if row.head[p.clause] == c.clause:
        found.append(f"m{row.relation[p.clause]}{kind}{cm.role}{noun}")
    elif row.head[c.clause] == p.clause:
        found.append(f"M{row.relation[c.clause]}{kind}{cm.role}{noun}")
    if pm.governor == cm.governor:
        found.append(f"a{kind}{cm.role}")
    if cm.index == pm.governor or cm.governor == pm.index:
        found.append(f"h{kind}{noun}")
    if dominates(row, cm.index, pm.index):
        found.append(f"u{kind}{noun}{c.clause == p.clause}")
    if dominates(row, cm.governor, pm.index):
        found.append(f"v{kind}{cm.role}")
    if cm.index in pm.tokens or pm.index in cm.tokens:
        found.append(f"i{kind}")
    if row.relation[pm.index] == "conj" or row.relation[cm.index] == "conj":
        found.append(f"j{kind}{noun}")
    return found


def dominates(row: Discourse, above: int, below: int) -> bool:
    """Return whether a word stands above another in the parse."""
    if above < 0:
        return False
    for _ in range(len(row.tokens)):
        below = row.head[below]
        if below < 0 or below == above:
            break
    return below == above


def outside_features(row: Discourse, facts: Sequence[Facts], anaphor: int, candidates: int) -> list[str]:
    """Return the features of a pronoun whose antecedent is none of the ``candidates`` that agree in number."""
    p = facts[anaphor]
    mention = p.mention
    group = mention.group
    governor = row.lemma(mention.governor)
    copula = any(row.relation[child] == "cop" for child in row.children[mention.governor]) if governor else False
    return [
        "O",
        f"O{group}",
        f"O{group}{mention.role}",
        f"O{group}c{step(candidates)}",
        f"O{group}r{min(p.rank, 2)}",
        f"O{group}s{min(mention.sentence, 3)}",
        f"O{group}g{row.tokens[mention.governor].upos if governor else ''}{copula}",
        f"Og{p.slot}",
        f"O{group}q{p.quoted > 0}",
        f"O{group}d{min(p.depth, 2)}",
    ]


def nearer_counts(facts: Sequence[Facts], anaphor: int, candidates: Sequence[int]) -> dict[int, int]:
    """Return, for each candidate, how many candidates that agree in number stand between it and the pronoun."""
    number = facts[anaphor].number
    found: dict[int, int] = {}
    count = 0
    for candidate in sorted(candidates, reverse=True):
        found[candidate] = count
        count += facts[candidate].number == number
    return found
