"""Suites that are several files of lines: SCAT, CoCoA-MT, MT-GenEval.

- SCAT (Yin et al., 2021, en–fr): ``NAME.en``, ``NAME.fr``, ``NAME.context.en``, ``NAME.context.fr``. The pronoun
  stands between ``<p>`` and ``</p>``, a word that people marked as its context between ``<hon>`` and ``<hoff>``, with
  one space more on either side.
- CoCoA-MT (Nadejde et al., 2022): formality. ``NAME.en-de``, ``NAME.en-de.formal.annotated`` and
  ``NAME.en-de.informal.annotated``, where the phrases that carry it stand between ``[F]`` and ``[/F]``.
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
from endophora.suites.files import read_together
from endophora.suites.matching import MATCHINGS, normalise
from endophora.suites.records import Item, Json, Pair, Suite, Variant, suite_name

_SCAT = re.compile(r"^(.+?)(?:\.context)?\.([a-z]{2})(\.gz)?$")
_SCAT_TAG = re.compile(r" ?<hon>|</?hoff> ?|</?p>")


def read_scat(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read SCAT. Lines whose marks do not match, of which the published files have some, are left out with a warning.

    Args:
        path: any of its four files, such as ``highlighted.test.en``.
    """
    found = _SCAT.match(Path(path).name)
    if not found:
        raise InputError(Fault("E171", "this is none of SCAT's files", "name NAME.en", str(path)))
    source, target = languages or ("en", "fr")
    stem, log = f"{found[1]}", FaultLog()
    suffix = found[3] or ""
    paths = {
        f"{part}{code}": Path(path).with_name(f"{stem}{part}.{code}{suffix}")
        for part in ("", ".context")
        for code in (source, target)
    }
    lines = read_together(paths, log)
    log.check()
    items, malformed = list[Item](), 0
    for index, texts in enumerate(zip(*lines.values(), strict=True)):
        marked = [one for one in map(_unmark, texts) if one is not None]
        if len(marked) == len(texts) and marked[0].pronoun and marked[1].pronoun:
            items.append(_scat_item(index, *marked))
        else:
            malformed += 1
    if not items:
        log.add("E172", "no line has a pronoun between <p> and </p>", "name SCAT's own files", str(paths[source]))
    log.check()
    note = f"{malformed} lines of SCAT whose marks do not match are left out; each item's id is its line, from 0."
    warnings = (note,) if malformed else ()
    return Suite(suite_name(stem), source, target, tuple(items), warnings, matching="spaced")


class _Marked:
    """A text without its marks: the place of the pronoun, and of what people marked, as offsets in the text."""

    def __init__(self) -> None:
        self.text = ""
        self.place: tuple[int, int] | None = None
        self.spans: list[Json] = []

    @property
    def pronoun(self) -> str:
        """The pronoun; empty where none is marked."""
        return self.text[slice(*self.place)] if self.place else ""


def _unmark(text: str) -> _Marked | None:
    """Return a text without its marks; ``None`` if one has no other half."""
    found, start, opened = _Marked(), 0, list[tuple[str, int]]()
    for tag in _SCAT_TAG.finditer(text):
        found.text += text[start : tag.start()]
        start, name = tag.end(), tag.group().strip(" </>").removesuffix("n").removesuffix("ff")
        opening = tag.group().strip() in ("<hon>", "<p>")
        if opening:
            opened.append((name, len(found.text)))
            continue
        if not opened or opened[-1][0] != name:
            return None
        begun = opened.pop()[1]
        if name == "p":
            found.place = found.place or ((begun, len(found.text)) if begun < len(found.text) else None)
        else:
            found.spans.append([begun, len(found.text)])
    found.text += text[start:]
    return None if opened else found


def _scat_item(index: int, source: _Marked, target: _Marked, source_context: _Marked, target_context: _Marked) -> Item:
    sides = {
        "source": source,
        "target": target,
        "source_context": source_context,
        "target_context": target_context,
    }
    highlights: dict[str, Json] = {name: side.spans for name, side in sides.items() if side.spans}
    # The form may stand in the segment more than once.
    places: dict[str, Json] = {name: list(side.place) for name, side in sides.items() if side.place}
    context = (Pair(source_context.text, target_context.text),) if source_context.text or target_context.text else ()
    return Item(
        id=str(index),
        document=str(index),
        segment=len(context),
        source=source.text,
        reference=target.text,
        phenomenon="gender",
        rule=f"{source.pronoun.lower()}:{target.pronoun.lower()}",
        expected=(target.pronoun,),
        source_form=source.pronoun,
        before=context,
        extra={"pronoun": places} | ({"highlights": highlights} if highlights else {}),
    )


_COCOA = re.compile(r"^((?:.*\.)?([a-z]{2})-([a-z]{2}))(?:\.(formal|informal)(?:\.\w+)?)?$")
_PHRASE = re.compile(r"\[F\](.*?)\[/F\]")
_COCOA_TAG = re.compile(r"\[/?F\]")
_OTHER_LEVEL = {"formal": "informal", "informal": "formal"}


def read_cocoa(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read CoCoA-MT in one level of formality.

    Args:
        path: a reference of the wanted level, such as ``….en-de.informal.annotated``; for the source it is the formal.
    """
    file, log = Path(path), FaultLog()
    found = _COCOA.match(file.name)
    if not found:
        raise InputError(Fault("E171", "this is none of CoCoA-MT's files", "name NAME.en-de", str(path)))
    stem, source, target = found[1], found[2], found[3]
    level = found[4] or "formal"
    paths = {
        "source": file.with_name(stem),
        "reference": file.with_name(f"{stem}.{level}.annotated"),
        "other": file.with_name(f"{stem}.{_OTHER_LEVEL[level]}.annotated"),
    }
    lines = read_together(paths, log)
    log.check()
    rows = zip(lines["source"], lines["reference"], lines["other"], strict=True)
    items = tuple(_cocoa_item(index, *row, level=level) for index, row in enumerate(rows))
    note = "" if found[4] else f"The formal level is scored; name {stem}.informal.annotated for the informal."
    return Suite(
        f"{suite_name(stem)}.{level}", *(languages or (source, target)), items, warnings=(note,) if note else ()
    )


def _cocoa_item(index: int, source: str, reference: str, other: str, *, level: str) -> Item:
    return Item(
        id=str(index),
        document=str(index),
        segment=0,
        source=source,
        reference=_COCOA_TAG.sub("", reference),
        phenomenon="formality",
        rule=level,
        expected=tuple(dict.fromkeys(_PHRASE.findall(reference))),
        forbidden=tuple(dict.fromkeys(_PHRASE.findall(other))),
        criterion="matched",
        before=(),
        variants=(Variant(_COCOA_TAG.sub("", other), label=_OTHER_LEVEL[level]),),
    )


_CONTEXT = re.compile(r"^(geneval-context-\w+)-(?:\dto\d|original|flipped)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_SENTENCES = re.compile(r"^(geneval-sentences)-(feminine|masculine)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_SEPARATOR = re.compile(r"\s*<sep>\s*")
_GENEVAL_TAGS = re.compile(r"</?[FM]>")
_OTHER_GENDER = {"feminine": "masculine", "masculine": "feminine"}


def read_mt_geneval(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a part of MT-GenEval.

    Args:
        path: any file of the part: ``geneval-context-wikiprofessions-2to1-test.en_de.en``, or
            ``geneval-sentences-feminine-test.en_de.en``, which chooses the feminine sentences.
    """
    file, log = Path(path), FaultLog()
    if found := _CONTEXT.match(file.name):
        stem, split, source, target = found.groups()
        pair, rule = f"{split}.{source}_{target}", "context"
        texts = sorted(file.parent.glob(f"{stem}-?to?-{pair}.{source}"))
        paths = {
            "source": texts[0] if texts else file.with_name(f"{stem}-2to1-{pair}.{source}"),
            "reference": file.with_name(f"{stem}-original-{pair}.{target}"),
            "other": file.with_name(f"{stem}-flipped-{pair}.{target}"),
        }
    elif found := _SENTENCES.match(file.name):
        stem, rule, split, source, target = found.groups()
        pair = f"{split}.{source}_{target}"
        paths = {
            "source": file.with_name(f"{stem}-{rule}-{pair}.{source}"),
            "reference": file.with_name(f"{stem}-{rule}-{pair}.{target}"),
            "other": file.with_name(f"{stem}-{_OTHER_GENDER[rule]}-{pair}.{target}"),
        }
    else:
        raise InputError(Fault("E171", "this is none of MT-GenEval's files", "name them as published", str(path)))
    lines = read_together(paths, log)
    log.check()
    rows = zip(lines["source"], lines["reference"], lines["other"], strict=True)
    items = tuple(
        _geneval_item(index, *(_GENEVAL_TAGS.sub("", text) for text in row), rule=rule)
        for index, row in enumerate(rows)
    )
    return Suite(suite_name(paths["source"]), *(languages or (source, target)), items)


def _geneval_item(index: int, source: str, reference: str, other: str, *, rule: str) -> Item:
    *context, segment = _SEPARATOR.split(source)
    right, wrong = (dict.fromkeys(text.split()) for text in normalise([reference, other], MATCHINGS["spaced"]))
    return Item(
        id=str(index),
        document=str(index),
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
