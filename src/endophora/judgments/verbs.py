"""What a text translates verbs by: for verb form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from endophora.align.priors import Priors
from endophora.annotate.records import VERBS, Token
from endophora.judgments.records import TENSE, UNSAID_VERB, Choice
from endophora.judgments.translations import around, may_translate, word_of
from endophora.languages.verbs import VerbFormRule
from endophora.phenomena.records import AnnotatedDocument, remembered, sources_of, subjects, targets_of, verb_group
from endophora.phenomena.tense import TenseTagger
from endophora.phenomena.verb_form import VerbFormTagger, shown_form, source_form

_CONTENT = frozenset({"VERB", "NOUN", "ADJ", "ADV"})

Group = tuple[int, ...]
"""The tokens of a verb with its auxiliaries, or of a predicate with its copula."""


def verbs(document: AnnotatedDocument, tagger: VerbFormTagger, priors: Priors) -> Iterator[Choice]:
    """Yield the forms of a document's verbs, each with the source words that it translates, if any are known.

    Source verbs in whose place something else is said are among them, as :data:`UNSAID_VERB`.
    """
    alike = {rule.label: rule for rule in tagger.rules if rule.alike}
    for segment, forms in _translated(document, tagger.rules):
        source = document.source[segment]
        for group, (form, tokens) in forms.items():
            rule = alike.get(form)
            if rule and rule.alike_from:
                told = {source_form(tagger.source_rules, source, index) for index in tokens} - {""}
                other = rule.alike if told and told <= rule.alike_from else ""
                yield Choice("verb_form", segment, tokens, group, form, other)
            else:
                yield Choice("verb_form", segment, tokens, group, rule.alike if rule else form)
        yield from _unsaid(document, segment, forms, priors)


def tenses(document: AnnotatedDocument, tagger: TenseTagger, priors: Priors) -> Iterator[Choice]:
    """Yield what times a document's finite verbs say, as :data:`TENSE`, and what is :data:`UNSAID_VERB`."""
    says = {rule.label: ",".join(rule.says) for rule in tagger.rules}
    for segment, forms in _translated(document, tagger.rules):
        for group, (form, tokens) in forms.items():
            yield Choice(TENSE, segment, tokens, group, says.get(form, ""), form)
        yield from _unsaid(document, segment, forms, priors)


_Forms = Mapping[Group, tuple[str, tuple[int, ...]]]
"""Group of a finite verb → its form, and the source words that it translates."""


def _translated(document: AnnotatedDocument, rules: Sequence[VerbFormRule]) -> Iterator[tuple[int, _Forms]]:
    """Yield each segment's finite verbs with their forms and the source words that they translate.

    A verb that no source verb is linked to translates one that is left: that of the same subject or predicate, or the
    only one of the segment, if the verb is the only one without any link.
    """
    for segment, (source, target, links) in enumerate(
        zip(document.source, document.target, document.links, strict=True)
    ):
        forms = {group: form for group in _groups(target.tokens) if (form := shown_form(rules, target, group[0]))}
        sources = {group: {theirs for index in group for theirs in sources_of(index, links)} for group in forms}
        groups = _groups(source.tokens)
        taken = {link.source for link in links if target.tokens[link.target].upos in VERBS}
        free = [group for group in groups if taken.isdisjoint(group)]
        unlinked = [group for group in forms if not sources[group]]
        found: dict[Group, tuple[str, tuple[int, ...]]] = {}
        for group, form in forms.items():
            own = sources[group]
            if not any(source.tokens[index].upos in VERBS for index in own):
                subject = _of_subject(document, segment, group) if free else set[int]()
                theirs = [other for other in groups if not own.isdisjoint(other)]
                theirs = theirs or [other for other in free if not subject.isdisjoint(other)]
                if not theirs and len(free) == 1 and unlinked == [group]:
                    theirs = free
                own = own.union(*theirs[:1])
            # An auxiliary may be linked instead of its verb (*was supposed to*, *tenía que*).
            own = own.union(at for other in groups if not own.isdisjoint(other) for at in other if at not in taken)
            found[group] = form, tuple(sorted(own))
        yield segment, found


def _unsaid(document: AnnotatedDocument, segment: int, forms: _Forms, priors: Priors) -> Iterator[Choice]:
    said = {token for _, tokens in forms.values() for token in tokens}
    for index, token in enumerate(document.source[segment].tokens):
        if token.upos == "VERB" and index not in said and _is_unsaid(document, segment, index, priors):
            yield Choice(UNSAID_VERB, segment, (index,), (), "")


def _is_unsaid(document: AnnotatedDocument, segment: int, verb: int, priors: Priors) -> bool:
    """Return whether what stands for a source verb and most words around it cannot translate them."""
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]

    def translates(index: int) -> bool:
        word = word_of(source[index])
        return any(may_translate(priors, word, word_of(target[place])) for place in targets_of(index, links))

    if translates(verb):
        return False
    beside = [at for at in around(verb, len(source)) if at != verb and source[at].upos in _CONTENT]
    return 2 * sum(map(translates, beside)) < len(beside)


@remembered
def _groups(tokens: Sequence[Token]) -> Sequence[Group]:
    return list(dict.fromkeys(tuple(verb_group(tokens, at)) for at, one in enumerate(tokens) if one.upos in VERBS))


def _of_subject(document: AnnotatedDocument, segment: int, group: Sequence[int]) -> set[int]:
    """Return the source words whose subject is linked to the subject of a target verb."""
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    linked = {at for subject in subjects(target, group) for at in sources_of(subject, links)}
    return {source[at].head for at in linked if source[at].relation.startswith("nsubj")}
