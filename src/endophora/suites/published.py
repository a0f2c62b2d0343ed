"""Published suites besides ctxpro's: JSON and lines with wrong translations, and several files of lines.

- ContraPro (Müller et al., 2018, en–de; JSON), which the large en–fr set has too (Lopes et al., 2020): objects with
  wrong translations under ``errors``. Context is not in the file: an item names its document and segment in
  OpenSubtitles, en–de from 1, en–fr from 0.
- GenPro (Post & Junczys-Dowmunt, 2023): the same sets with context, to be translated. Tab-separated: index of the
  segment among those joined (newer files only), distance of the antecedent, ``correct`` or ``contrastive``, pronoun,
  source and reference, each with its context joined by ``<eos>``. Contrastive lines follow the correct one of their
  item. An output is right if the pronoun is in the segment's own place, a word as a tokenizer has it: *elle* is
  found in *qu'elle*.
- DiscEvalMT (Bawden et al., 2018, en–fr; JSON): numbered blocks with one segment of context. Anaphora: one source and
  several targets, each with a right (or half right) and a wrong translation; lexical choice: two examples of one
  ambiguous sentence. Scores are in the order of the blocks' numbers, the right translation first.
- The consistency sets of Voita et al. (2019, en–ru; JSON): groups of four tokenised sentences joined by ``_eos``:
  ``src``, several ``dst`` of which ``true_ind`` is right, and the distance ``ctx_dist`` of what decides. Scores are
  in the order of ``dst``.
- SCAT (Yin et al., 2021, en–fr): ``NAME.en``, ``NAME.fr``, ``NAME.context.en``, ``NAME.context.fr``. The pronoun
  stands between ``<p>`` and ``</p>``, a word that people marked as its context between ``<hon>`` and ``<hoff>``, with
  one space more on either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from endophora.corpus.faults import FaultLog, too_long, whole_number
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.errors import Fault, InputError
from endophora.suites.files import (
    SHORTEN_ADVICE,
    Fields,
    check_texts,
    languages_in,
    read_items,
    read_json,
    rows_together,
    write_objects,
)
from endophora.suites.records import Antecedent, Item, Json, Pair, Suite, Variant, suite_name

# ContraPro.

_HEAD = {"head": "", "gender": " gender", "lemma": " lemma", "features": " morpho", "pos": " pos"}
_KIND = "pronominal coreference"


def read_contrapro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of ContraPro or of the large en–fr set."""
    items = read_items(path, _contrapro_item)
    pair = str(items[0].extra.get("corpus", "")).rpartition("-")[2]
    named = (pair[:2], pair[2:]) if len(pair) == 4 and pair.isalpha() else languages_in(display_name(path))
    # What is generated is compared as GenPro does it (Post & Junczys-Dowmunt, 2023).
    return Suite(suite_name(path), *(languages or named), items, matching="spaced")


def write_contrapro(suite: Suite, path: PathLike) -> None:
    """Write a suite as ContraPro's JSON; what is not known of an antecedent is null."""
    check_texts(suite, "ContraPro's JSON", expected=True, variants=True)
    pair = f"{suite.source_language}{suite.target_language}"
    write_objects(path, [_contrapro_object(item, pair) for item in suite.items])


def _contrapro_item(fields: Fields, index: int) -> Item:
    distance = fields.number("ante distance")
    form, pronoun = fields.text("ref pronoun"), fields.text("src pronoun")
    variants = tuple(
        Variant(
            error.text("contrastive"),
            form=error.text("replacement", default=""),
            label=error.text("replacement gender", default=""),
            kind=error.text("type", default=""),
        )
        for error in fields.objects("errors")
    )
    known = distance is None or distance >= 0
    item = Item(
        id=str(index),
        document=fields.text("document id"),
        segment=fields.number("segment id") or 0,
        source=fields.text("src segment"),
        reference=fields.text("ref segment"),
        phenomenon="gender",
        rule=f"{pronoun.lower()}:{form.lower()}",
        expected=(form,),
        source_form=pronoun,
        source_antecedent=_contrapro_antecedent(fields, "src"),
        target_antecedent=_contrapro_antecedent(fields, "ref"),
        distance=distance if known else None,
        variants=variants,
        extra=fields.rest() | ({} if known else {"ante distance": distance}),
    )
    if not variants and fields.sound:
        fields.fault("there is no wrong translation in “errors”")
    return item


def _contrapro_antecedent(fields: Fields, side: str) -> Antecedent | None:
    if not any(fields.has(f"{side} ante {key}") for key in ("head", "phrase")):
        return None
    head = {name: fields.text(f"{side} ante head{key}", default="") for name, key in _HEAD.items()}
    return Antecedent(**head, phrase=fields.text(f"{side} ante phrase", default=""))


def _contrapro_object(item: Item, pair: str) -> dict[str, Json]:
    value: dict[str, Json] = {
        "document id": item.document,
        "segment id": item.segment,
        "corpus": item.extra.get("corpus", pair),
        "src pronoun": item.source_form,
        "ref pronoun": item.expected[0],
        "src segment": item.source,
        "ref segment": item.reference,
        "ante distance": item.distance,
        "intrasegmental": None if item.distance is None else item.distance == 0,
        "errors": [
            {
                "contrastive": variant.target,
                "replacement": variant.form,
                "replacement gender": variant.label or None,
                "type": variant.kind or _KIND,
            }
            for variant in item.variants
        ],
    }
    for side, antecedent in (("src", item.source_antecedent), ("ref", item.target_antecedent)):
        if antecedent is not None:
            heads: dict[str, Json] = {
                f"{side} ante head{key}": getattr(antecedent, name) or None for name, key in _HEAD.items()
            }
            value |= heads | {f"{side} ante head id": None, f"{side} ante phrase": antecedent.phrase or None}
    return value | dict(item.extra)


# DiscEvalMT.


def read_discevalmt(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read the anaphora or the lexical-choice set."""
    log, items, file = FaultLog(), list[Item](), display_name(path)
    blocks = read_json(path, log)
    if isinstance(blocks, dict) and blocks and all(whole_number(key) is not None for key in blocks):
        for number in sorted(blocks, key=int):
            block = blocks[number]
            if isinstance(block, dict):
                items += _block_items(Fields(block, f"block {number}", file, log), number)
            else:
                log.add("E172", f"block {number} is no object", "compare it with the suite as published", file)
    elif not log:
        log.add("E170", "this is no object of numbered blocks", "name anaphora.json or lexical-choice.json", file)
    log.check()
    source, target = languages or languages_in(file)
    return Suite(suite_name(path), source or "en", target or "fr", tuple(items))


def _block_items(block: Fields, number: str) -> Iterator[Item]:
    kind = block.text("type", default="")
    if block.has("examples"):
        for index, example in enumerate(block.objects("examples"), start=1):
            if target := example.object("trg"):
                source = example.texts("src", 2)
                yield from _block_item(source, target, f"{number}.{index}", "lexical_choice", kind)
    else:
        source = block.texts("src", 2)
        for index, target in enumerate(block.objects("trg"), start=1):
            rule = target.text("type", default=kind)
            yield from _block_item(source, target, f"{number}.{index}", "anaphora", rule)


def _block_item(source: tuple[str, ...], target: Fields, name: str, phenomenon: str, rule: str) -> Iterator[Item]:
    key = "correct" if target.has("correct") else "semi-correct"
    right, wrong = target.texts(key, 2), target.texts("incorrect", 2)
    if len(source) != 2 or len(right) != 2 or len(wrong) != 2:
        if target.sound:
            target.fault("source and targets are not two segments each")
        return
    yield Item(
        id=name,
        document=name.partition(".")[0],
        segment=1,
        source=source[1],
        reference=right[1],
        phenomenon=phenomenon,
        rule=rule or phenomenon,
        distance=1,
        before=(Pair(source[0], right[0]),),
        variants=(Variant(wrong[1], before=None if wrong[0] == right[0] else (wrong[0],)),),
        extra={"semi-correct": True} if key != "correct" else {},
    )


# Consistency.

_JOINED = re.compile(r"\s*_eos\s*")
_PHENOMENA = {"deixis": "deixis", "lex": "lexical_cohesion", "infl": "inflection", "vp": "auxiliary"}
"""Part of a file's name → phenomenon."""


def read_consistency(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a consistency test set."""
    name = suite_name(path)
    phenomenon = next((found for part, found in _PHENOMENA.items() if part in name), "consistency")
    items = read_items(path, partial(_consistency_item, phenomenon))
    return Suite(name, *(languages or ("en", "ru")), items)


def _consistency_item(phenomenon: str, fields: Fields, index: int) -> Item | None:
    source = _JOINED.split(fields.text("src"))
    targets = [_JOINED.split(text) for text in fields.texts("dst", 2)]
    right = fields.number("true_ind", 0) or 0
    if not fields.sound:
        return None
    if not 0 <= right < len(targets) or any(len(target) != len(source) for target in targets):
        fields.fault("“true_ind” is none of “dst”, or they are not as many sentences as “src”")
        return None
    *before, reference = targets.pop(right)
    return Item(
        id=str(index),
        document=str(index),
        segment=len(source) - 1,
        source=source[-1],
        reference=reference,
        phenomenon=phenomenon,
        distance=fields.number("ctx_dist"),
        rule=fields.text("type", default="") or phenomenon,
        before=tuple(map(Pair, source, before)),
        variants=tuple(
            Variant(wrong[-1], before=None if wrong[:-1] == before else tuple(wrong[:-1])) for wrong in targets
        ),
        correct=right,
        extra=fields.rest(),
    )


# GenPro.

_SEPARATOR = "<eos>"


def read_genpro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read GenPro."""
    log, file = FaultLog(), display_name(path)
    items = list[Item]()
    for number, text in each_line(path, log):
        if text is None:
            continue
        fields = text.split("\t")
        if long := next((cause for part in re.split(rf"\t|{_SEPARATOR}", text) if (cause := too_long(part))), ""):
            log.add("E345", long, SHORTEN_ADVICE, file, number)
        elif problem := _add_genpro(items, fields, str(number - 1)):
            log.add("E172", problem, "make the file again with json2text.py", file, number)
    log.check()
    source, target = languages or languages_in(file)
    return Suite(suite_name(path), source, target, tuple(items), matching="spaced")


def _add_genpro(items: list[Item], fields: list[str], name: str) -> str:
    """Add a line to the items; return what is wrong with it, or nothing."""
    if len(fields) not in (5, 6):
        return f"{len(fields)} fields where 5 or 6 are expected"
    *index, distance, label, pronoun, source, target = fields
    sources, targets = ([part.strip() for part in text.split(_SEPARATOR)] for text in (source, target))
    place = whole_number(index[0]) if index else len(sources) - 1
    away = whole_number(distance.removeprefix("-"))
    if label not in ("correct", "contrastive"):
        return f"“{label}” is neither correct nor contrastive"
    if place is None or away is None:
        return "index or distance is no number"
    if len(sources) != len(targets) or place >= len(sources):
        return f"{len(sources)} source and {len(targets)} target segments, of which the item is number {place}"
    if label == "contrastive":
        if not items or items[-1].source != sources[place]:
            return "a contrastive line without its correct one before it"
        variant = Variant(targets[place], form=pronoun)
        items[-1] = replace(items[-1], variants=(*items[-1].variants, variant))
        return ""
    pairs = tuple(map(Pair, sources, targets))
    items.append(
        Item(
            id=name,
            document=name,
            segment=place,
            source=sources[place],
            reference=targets[place],
            phenomenon="gender",
            rule=pronoun.lower(),
            expected=(pronoun,),
            distance=None if distance.startswith("-") and away else away,
            before=pairs[:place],
            after=pairs[place + 1 :],
        )
    )
    return ""


# SCAT.

_SCAT = re.compile(r"^(.+?)(?:\.context)?\.([a-z]{2})(\.gz)?$")
_SCAT_TAG = re.compile(r" ?<hon>|</?hoff> ?|</?p>")
_SCAT_PARTS = ("source", "target", "source_context", "target_context")


def read_scat(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read SCAT, of which the path is any file, such as ``highlighted.test.en``.

    Lines whose marks do not match, of which the published files have some, are left out with a warning.
    """
    found = _SCAT.match(Path(path).name)
    if not found:
        raise InputError(Fault("E171", "this is none of SCAT's files", "name NAME.en", str(path)))
    pair = languages or ("en", "fr")
    stem, log = found[1], FaultLog()
    names = [f"{stem}{part}.{code}{found[3] or ''}" for part in ("", ".context") for code in pair]
    paths = {part: Path(path).with_name(name) for part, name in zip(_SCAT_PARTS, names, strict=True)}
    items, malformed = list[Item](), 0
    for number, texts in rows_together(paths, log):
        marked = [one for one in map(_unmark, texts) if one is not None]
        if len(marked) == len(texts) and marked[0].pronoun and marked[1].pronoun:
            items.append(_scat_item(number, *marked))
        else:
            malformed += 1
    if not items:
        log.add("E172", "no line has a pronoun between <p> and </p>", "name SCAT's own files", str(paths["source"]))
    log.check()
    note = f"{malformed} lines of SCAT whose marks do not match are left out; each item's id is its line, from 0."
    return Suite(suite_name(stem), *pair, tuple(items), (note,) if malformed else (), matching="spaced")


@dataclass(slots=True)
class _Marked:
    """A text without its marks: the place of the pronoun, and of what people marked, as offsets in the text."""

    text: str = ""
    place: tuple[int, int] | None = None
    spans: list[Json] = field(default_factory=list["Json"])

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
        if tag.group().strip() in ("<hon>", "<p>"):
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


def _scat_item(number: str, *sides: _Marked) -> Item:
    source, target, *contexts = sides
    named = dict(zip(_SCAT_PARTS, sides, strict=True))
    highlights: dict[str, Json] = {name: side.spans for name, side in named.items() if side.spans}
    # The form may be in the segment more than once.
    places: dict[str, Json] = {name: list(side.place) for name, side in named.items() if side.place}
    context = (Pair(*(one.text for one in contexts)),) if any(one.text for one in contexts) else ()
    return Item(
        id=number,
        document=number,
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
