"""Agreement: the words of a nominal group choose case, number and gender together.

A morphologizer labels each word by itself: *der* dative, *Bank* nominative. Here relation and form first say which part
of speech they expect. Then each word of a group (a noun, its determiners and adjectives, the finite verb of a subject)
says how probable it finds every combination of case, number and gender, preposition or relation says which case it asks
for, and all but the verb take the combination with the best sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.annotate.annotator import parse_features
from endophora.record import Fixed

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]

FEATURES = ("Case", "Number", "Gender")
"""What a group agrees in."""
_NEEDED = ("Case", "Number")
POS = "POS"
"""The name under which a morphologizer's label holds the part of speech."""
_NEVER = -1e9
_RARE = -6.0
_LEAST = 1e-30
_BLOCK = 256


class Agreement(Fixed):
    """What is known of a language's words and nominal groups; probabilities are natural logarithms.

    ``roots`` are the parts of speech that groups are built on, ``member_upos`` those of other members; ``members`` is
    relation → weight of a dependent that agrees with its head, ``within`` the relations that hand on membership to a
    word of the same part of speech (*amod* + *conj*), ``auxiliaries`` those by which a finite verb hangs on the
    predicate. ``cases`` has adpositions in lower case, or relation and side (``nsubj<`` stands before its head), → Case
    → probability; ``chains`` relation → weight of having the governing group's case; ``upos`` and ``forms`` relation,
    or class of a form, → UPOS → probability. ``gender_weight`` and ``lexicon_weight`` are how much less probable other
    genders and labels are than the lexicons'; ``floor`` is the least that a word says of a combination.
    """

    roots: tuple[str, ...] = ()
    member_upos: tuple[str, ...] = ()
    members: dict[str, float] = {}
    within: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    auxiliaries: tuple[str, ...] = ()
    joins: str = "conj"
    marks: str = "case"
    cases: dict[str, dict[str, float]] = {}
    chains: dict[str, float] = {}
    upos: dict[str, dict[str, float]] = {}
    forms: dict[str, dict[str, float]] = {}
    case_weight: float = 1.0
    verb_weight: float = 1.0
    gender_weight: float = 6.0
    upos_weight: float = 0.0
    form_weight: float = 0.0
    lexicon_weight: float = 0.0
    floor: float = -8.0

    @property
    def decide(self) -> bool:
        """Whether anything but the network decides."""
        return bool(self.roots or self.lexicon_weight or self.form_weight)

    @property
    def reads_trees(self) -> bool:
        """Whether heads and relations decide, and not forms alone."""
        return bool(self.roots or self.upos)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of some texts, one after the other; arrays are of shape (words,).

    ``heads`` are indices, its own for a root; ``gender`` returns what a lexicon decides for a noun in lower case;
    ``kinds`` are the classes of the forms in a lexicon.
    """

    heads: Numbers
    relations: Sequence[str]
    forms: Sequence[str]
    classes: Sequence[str]
    gender: Callable[[str], str | None] = lambda _: None
    kinds: Numbers | None = None


class Decoder:
    """Chooses labels; ``fits`` says whether a label fits a class of forms, of shape (classes, labels)."""

    def __init__(self, labels: Sequence[str], rules: Agreement, fits: Truths | None = None) -> None:
        self._rules = rules
        self._fits = fits
        split = [parse_features(label) for label in labels]
        upos = [values.get(POS, "") for values in split]
        self._names = sorted(set(upos))
        self._upos = np.array([self._names.index(name) for name in upos])
        self._is = np.eye(len(self._names), dtype=np.float32)[self._upos]
        values = [sorted({v[name] for v in split if "," not in v.get(name, ",")}) or [""] for name in FEATURES]
        self._combinations = list(product(*values))
        self._bears = np.array([any(name in v for name in FEATURES) for v in split])
        self._families = _Families(split, self._combinations)
        self._relations = _Relations(rules)
        self._roots, self._members, self._verbs = (
            np.array([name in known for name in self._names]) for known in (rules.roots, rules.member_upos, rules.verbs)
        )
        self._by_relation = _Opinions(rules.upos, self._names, rules.upos_weight)
        self._by_form = _Opinions(rules.forms, self._names, rules.form_weight)
        cases = [combination[0] for combination in self._combinations]
        self._cases = {
            key: np.array([rules.case_weight * row.get(case, _RARE) for case in cases], np.float32)
            for key, row in rules.cases.items()
        }
        self._same_case = {case: np.array([case == other for other in cases], np.float32) for case in set(cases)}
        genders = [combination[2] for combination in self._combinations]
        self._other_gender = {gender: np.array([gender != other for other in genders]) for gender in set(genders)}

    def decode(self, scores: Floats, words: Words) -> Numbers:
        """Return the number of each word's label, from the scores before the softmax, of shape (words, labels)."""
        if not len(scores):
            return np.zeros(0, np.int64)
        if self._fits is not None and words.kinds is not None:
            scores = np.where(self._fits[words.kinds], scores, scores - np.float32(self._rules.lexicon_weight))
        chosen = self._likeliest(scores, words)
        group, weight = self._groups(self._upos[chosen], words)
        members = np.flatnonzero((group >= 0) & self._bears[chosen])
        if not len(members):
            return chosen
        said, label = self._families.said(scores, chosen, members, self._rules.floor)
        roots, place = np.unique(group[members], return_inverse=True)
        total = np.zeros((len(roots), len(self._combinations)), np.float32)
        np.add.at(total, place, said * weight[members][:, None])
        self._add_knowledge(total, roots, chosen, words)
        best = self._best(total, roots, words)
        picked = label[np.arange(len(members)), best[place]]
        picked = np.where((picked < 0) | self._verbs[self._upos[chosen[members]]], chosen[members], picked)
        result = chosen.copy()
        result[members] = picked
        return result

    def _likeliest(self, scores: Floats, words: Words) -> Numbers:
        """Choose the part of speech by network, relation and form, and the network's best label for it."""
        chosen, opinions = np.zeros(len(scores), np.int64), np.zeros((len(scores), len(self._names)), np.float32)
        for start in range(0, len(scores), _BLOCK):  # small enough for the processor's cache
            block = scores[start : start + _BLOCK]
            best = block.argmax(axis=1)
            shares = block - block[np.arange(len(block)), best][:, None]
            np.exp(shares, out=shares)
            chosen[start : start + _BLOCK], opinions[start : start + _BLOCK] = best, np.log(shares @ self._is + _LEAST)
        opinions += self._by_relation.rows(words.relations)
        by_form = self._by_form.rows(words.classes)
        opinions += by_form
        upos = opinions.argmax(axis=1)
        other = self._upos[chosen] != upos
        if self._rules.forms and not self._rules.upos:  # where no table has an opinion, the best label stays
            other &= by_form.any(axis=1)
        other = np.flatnonzero(other)
        allowed = np.where(self._upos[None, :] == upos[other][:, None], scores[other], _NEVER)
        chosen[other] = allowed.argmax(axis=1)
        return chosen

    def _groups(self, upos: Numbers, words: Words) -> tuple[Numbers, Floats]:
        """Return the root of each word's group, -1 for none, and the weight of what the word says."""
        known, index = self._relations, np.arange(len(upos))
        relation, heads = known.codes(words.relations), words.heads
        through = known.within[relation] & (upos[heads] == upos) & (heads[heads] != heads) & (heads != index)
        relation, above = np.where(through, relation[heads], relation), np.where(through, heads[heads], heads)
        root = self._roots[upos]
        group = np.where(root, index, -1)
        member = (root | self._members[upos]) & known.member[relation] & root[above] & (above != index)
        group[member] = above[member]
        for _ in range(2):  # a member of a member
            group[member] = group[group[member]]
        weight = np.where(member, known.weight[relation], 1.0).astype(np.float32)
        relation = known.codes(words.relations)
        self._add_verbs(group, weight, relation, upos, heads)
        return group, weight

    def _add_verbs(self, group: Numbers, weight: Floats, relation: Numbers, upos: Numbers, heads: Numbers) -> None:
        """Let finite verbs join the groups of their subjects, unless these are several."""
        known, index = self._relations, np.arange(len(upos))
        subjects = np.flatnonzero(known.subject[relation] & (group == index) & (heads != index))[::-1]
        subject = np.full(len(upos), -1)
        subject[heads[subjects]] = subjects
        several = np.zeros(len(upos), bool)
        several[heads[known.joins[relation]]] = True
        found = subject[np.where(known.auxiliary[relation], heads, index)]
        joined = self._verbs[upos] & (group < 0) & (found >= 0) & ~several[found]
        group[joined] = found[joined]
        weight[joined] = self._rules.verb_weight

    def _add_knowledge(self, total: Floats, roots: Numbers, chosen: Numbers, words: Words) -> None:
        """Add what adposition or relation and the lexicon of genders say to each group's sum."""
        marked = [i for i, relation in enumerate(words.relations) if relation == self._rules.marks]
        marks = {int(words.heads[i]): words.forms[i] for i in reversed(marked)}
        common = {i for i, name in enumerate(self._names) if name == "NOUN"}
        upos = _integers(self._upos[chosen[roots]])
        for number, (root, kind) in enumerate(zip(_integers(roots), upos, strict=True)):
            side = "<" if root < words.heads[root] else ">"
            form = marks.get(root)
            row = self._cases.get(words.relations[root] + side if form is None else form)
            if row is None and form is not None:
                row = self._cases.get(self._rules.marks)
            if row is not None:
                total[number] += row
            gender = words.gender(words.forms[root]) if kind in common else None
            if gender is not None and gender in self._other_gender:
                total[number, self._other_gender[gender]] -= self._rules.gender_weight

    def _best(self, total: Floats, roots: Numbers, words: Words) -> Numbers:
        """Return the best combination of each group, where chained groups prefer the case of the one above."""
        best = np.asarray(total.argmax(axis=1))
        place = {root: number for number, root in enumerate(_integers(roots))}
        for root, number in place.items():
            weight = self._rules.chains.get(words.relations[root])
            above = place.get(int(words.heads[root])) if weight else None
            if above is not None and weight and above != number:
                total[number] += weight * self._same_case[self._combinations[best[above]][0]]
                best[number] = total[number].argmax()
        return best


class _Relations:
    """The rules' relations as numbers; 0 is any other."""

    def __init__(self, rules: Agreement) -> None:
        lists = (rules.members, rules.within, rules.subjects, rules.auxiliaries, (rules.joins,))
        self._code = {name: i for i, name in enumerate(sorted({name for each in lists for name in each}), start=1)}
        self.member, self.within, self.subject, self.auxiliary, self.joins = (
            np.array([False, *(name in each for name in self._code)]) for each in lists
        )
        self.weight = np.zeros(len(self._code) + 1, np.float32)
        for name, weight in rules.members.items():
            self.weight[self._code[name]] = weight

    def codes(self, relations: Sequence[str]) -> Numbers:
        """Return the number of each relation."""
        code = self._code
        return np.array([code.get(relation, 0) for relation in relations], np.int64)


class _Families:
    """Labels that differ in case, number and gender only."""

    def __init__(self, labels: Sequence[Mapping[str, str]], combinations: Sequence[tuple[str, ...]]) -> None:
        rest = [tuple(sorted((k, v) for k, v in values.items() if k not in FEATURES)) for values in labels]
        number = {name: i for i, name in enumerate(dict.fromkeys(rest))}
        self._of = np.array([number[name] for name in rest])
        self._labels = [np.flatnonzero(self._of == i) for i in range(len(number))]
        self._fits = [self._table([labels[i] for i in _integers(members)], combinations) for members in self._labels]

    @staticmethod
    def _table(labels: Sequence[Mapping[str, str]], combinations: Sequence[tuple[str, ...]]) -> Numbers:
        """Return which labels fit each combination, as columns; the column after the last stands for none."""
        usual = [name for name in FEATURES if 2 * sum(name in values for values in labels) > len(labels)]
        fitting = [
            [
                column
                for column, values in enumerate(labels)
                if all(name in values for name in usual if name in _NEEDED)
                and all(
                    want in values.get(name, want).split(",") for name, want in zip(FEATURES, combination, strict=True)
                )
            ]
            for combination in combinations
        ]
        width = max(map(len, fitting))
        return np.array([row + [len(labels)] * (max(width, 1) - len(row)) for row in fitting])

    def said(self, scores: Floats, chosen: Numbers, words: Numbers, floor: float) -> tuple[Floats, Numbers]:
        """Return what words say of each combination, and the label they would take, -1 for none."""
        families = self._of[chosen[words]]
        shape = (len(words), len(self._fits[0]))
        said, label = np.full(shape, floor, np.float32), np.full(shape, -1)
        for family in _integers(np.unique(families)):
            rows = np.flatnonzero(families == family)
            members, fits = self._labels[family], self._fits[family]
            values = scores[np.ix_(words[rows], members)]
            values = values - values.max(axis=1, keepdims=True)
            values = values - np.log(np.exp(values).sum(axis=1, keepdims=True))
            padded = np.concatenate([values, np.full((len(rows), 1), _NEVER, np.float32)], axis=1)
            candidates = padded[:, fits]
            best = candidates.argmax(axis=2)
            columns = fits[np.arange(len(fits)), best]
            said[rows] = np.maximum(candidates.max(axis=2), floor)
            label[rows] = np.append(members, -1)[columns]
        return said, label


def _integers(numbers: NDArray[np.integer[Any]]) -> list[int]:
    return [int(number) for number in numbers]


class _Opinions:
    """A table's weighted rows (key → UPOS → probability), one value a part of speech; other keys have no opinion."""

    def __init__(self, table: Mapping[str, Mapping[str, float]], names: Sequence[str], weight: float) -> None:
        self._code = {key: number for number, key in enumerate(table, start=1)}
        known = [[weight * row.get(name, _RARE) for name in names] for row in table.values()]
        self._values = np.array([[0.0] * len(names), *known], np.float32)

    def rows(self, keys: Sequence[str]) -> Floats:
        """Return the row of each key, of shape (keys, names)."""
        code = self._code
        return self._values[[code.get(key, 0) for key in keys]]
