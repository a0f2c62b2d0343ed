"""MT-GenEval (Currey et al., 2022): the gender of people, with a counterfactual reference for each sentence.

An output is right if it has no word that only the counterfactual has. Two parts, of files of lines: ``context``, where
the gender is in the segment before (joined by ``<sep>``), and ``sentences``, where each sentence has its counterpart.
"""

from __future__ import annotations

import re
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.errors import Fault, InputError
from endophora.suites.matching import MATCHINGS, normalise
from endophora.suites.records import Item, Pair, Suite, Variant, suite_name
from endophora.suites.together import read_together

_CONTEXT = re.compile(r"^(geneval-context-\w+)-(?:\dto\d|original|flipped)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_SENTENCES = re.compile(r"^(geneval-sentences)-(feminine|masculine)-(\w+)\.([a-z]{2})_([a-z]{2})\.[a-z]{2}$")
_SEPARATOR = re.compile(r"\s*<sep>\s*")
_TAGS = re.compile(r"</?[FM]>")
_OTHER = {"feminine": "masculine", "masculine": "feminine"}


def read_mt_geneval(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a part of MT-GenEval.

    Args:
        path: any file of the part: ``geneval-context-wikiprofessions-2to1-test.en_de.en``, or
            ``geneval-sentences-feminine-test.en_de.en``, which chooses the feminine sentences.
        languages: ISO 639-1 codes, in place of those in the file's name.

    Raises:
        InputError: the file's name is not so (E171), or files are missing or of different length (E179).
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
            "other": file.with_name(f"{stem}-{_OTHER[rule]}-{pair}.{target}"),
        }
    else:
        raise InputError(Fault("E171", "this is none of MT-GenEval's files", "name them as published", str(path)))
    lines = read_together(paths, log)
    log.check()
    rows = zip(lines["source"], lines["reference"], lines["other"], strict=True)
    items = tuple(_item(index, *(_TAGS.sub("", text) for text in row), rule=rule) for index, row in enumerate(rows))
    return Suite(suite_name(paths["source"]), *(languages or (source, target)), items)


def _item(index: int, source: str, reference: str, other: str, *, rule: str) -> Item:
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
