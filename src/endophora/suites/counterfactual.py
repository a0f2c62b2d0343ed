"""Suites of one source in two translations, of levels of address or of sexes: CoCoA-MT and MT-GenEval.

- CoCoA-MT (Nadejde et al., 2022): formality. ``NAME.en-de``, ``NAME.en-de.formal.annotated`` and
  ``NAME.en-de.informal.annotated``, where the phrases that carry it stand between ``[F]`` and ``[/F]``. An output is
  right if it has a phrase of the wanted level and none of the other.
- MT-GenEval (Currey et al., 2022): the gender of people. An output is right if it has no word that only the
  counterfactual reference has. Two parts: ``context``, where the gender is in the segment before (joined by
  ``<sep>``), and ``sentences``, where each sentence has its counterpart.
"""

from __future__ import annotations

import re
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.errors import Fault, InputError
from endophora.suites.files import rows_together
from endophora.suites.matching import MATCHINGS, normalise
from endophora.suites.records import Item, Pair, Suite, Variant, suite_name

# CoCoA-MT.

_COCOA = re.compile(
    r"^((?:.*\.)?([a-z]{2})-([a-z]{2})(?:[a-z]{2})?)(?:\.(formal|informal)(?:\.annotated)?)?(?:\.[a-z]{2})?$"
)
_PHRASE = re.compile(r"\[F\](.*?)\[/F\]")
_COCOA_TAG = re.compile(r"\[/?F\]")
_LEVELS = ("formal", "informal")
_OTHER = {"formal": "informal", "informal": "formal", "feminine": "masculine", "masculine": "feminine"}


def read_cocoa(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read CoCoA-MT, or the sets of IWSLT's tasks, in the level of the reference that is named, or in both.

    Files may end in their language (``NAME.en-de.en``, ``NAME.en-de.formal.annotated.de``, as IWSLT's do) or not. Where
    the source is named, the items of the formal level come first, then those of the informal one.
    """
    file = Path(path)
    found = _COCOA.match(file.name)
    if not found:
        raise InputError(Fault("E171", "this is none of CoCoA-MT's files", "name NAME.en-de", str(path)))
    stem, source, target, named = found.groups()
    ended = any(file.with_name(f"{stem}.{level}.annotated.{target}").exists() for level in _LEVELS)
    parts = {"source": source, **{f"{level}.annotated": target for level in _LEVELS}}
    names = {part: stem if part == "source" else f"{stem}.{part}" for part in parts}
    paths = {part: file.with_name(f"{name}.{parts[part]}" if ended else name) for part, name in names.items()}
    levels = (named,) if named else _LEVELS
    rows = list(rows_together(paths, FaultLog()))
    items = [
        Item(
            id=number if named else f"{number}.{level}",
            document=number,
            segment=0,
            source=text,
            reference=_COCOA_TAG.sub("", right),
            phenomenon="formality",
            rule=level,
            expected=tuple(dict.fromkeys(_PHRASE.findall(right))),
            forbidden=tuple(dict.fromkeys(_PHRASE.findall(wrong))),
            criterion="matched",
            before=(),
            variants=(Variant(_COCOA_TAG.sub("", wrong), label=_OTHER[level]),),
        )
        for level in levels
        for number, (text, *marked) in rows
        for right, wrong in [marked if level == "formal" else marked[::-1]]
    ]
    order = "Both levels: the outputs are those asked to be formal, then those asked to be informal."
    notes = () if named else (order,)
    name = f"{suite_name(stem)}.{named}" if named else suite_name(stem)
    return Suite(name, *(languages or (source, target)), tuple(items), notes)


# MT-GenEval.

_CONTEXT = re.compile(r"^(geneval-context-\w+)-(?:\dto\d|original|flipped)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_SENTENCES = re.compile(r"^(geneval-sentences)-(feminine|masculine)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_GENEVAL_SEPARATOR = re.compile(r"\s*<sep>\s*")
_GENEVAL_TAGS = re.compile(r"</?[FM]>")


def read_mt_geneval(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a part of MT-GenEval, of which the path is any file.

    Such are ``geneval-context-wikiprofessions-2to1-test.en_de.en``, and ``geneval-sentences-feminine-test.en_de.en``,
    which chooses the feminine sentences.
    """
    file = Path(path)
    if found := _CONTEXT.match(file.name):
        stem, split, source, target = found.groups()
        rule, right, wrong = "context", "original", "flipped"
        texts = sorted(file.parent.glob(f"{stem}-?to?-{split}.{source}_{target}.{source}"))
        text = texts[0].name.removeprefix(f"{stem}-")[:4] if texts else "2to1"
    elif found := _SENTENCES.match(file.name):
        stem, rule, split, source, target = found.groups()
        text, right, wrong = rule, rule, _OTHER[rule]
    else:
        raise InputError(Fault("E171", "this is none of MT-GenEval's files", "name them as published", str(path)))
    named = {"source": (text, source), "reference": (right, target), "other": (wrong, target)}
    paths = {
        name: file.with_name(f"{stem}-{part}-{split}.{source}_{target}.{code}") for name, (part, code) in named.items()
    }
    items = tuple(
        _geneval_item(number, rule, *(_GENEVAL_TAGS.sub("", line) for line in row))
        for number, row in rows_together(paths, FaultLog())
    )
    return Suite(suite_name(paths["source"]), *(languages or (source, target)), items)


def _geneval_item(number: str, rule: str, source: str, reference: str, other: str) -> Item:
    *context, segment = _GENEVAL_SEPARATOR.split(source)
    right, wrong = (dict.fromkeys(text.split()) for text in normalise([reference, other], MATCHINGS["spaced"]))
    return Item(
        id=number,
        document=number,
        segment=len(context),
        source=segment,
        reference=reference,
        phenomenon="natural_gender",
        rule=rule,
        expected=tuple(word for word in right if word not in wrong),
        forbidden=tuple(word for word in wrong if word not in right),
        criterion="absent",
        distance=1 if context else 0,
        before=tuple(map(Pair, context)),
        variants=(Variant(other),),
    )
