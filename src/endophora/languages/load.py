"""Rule files: the package's, by language code; any other by its path; the template of a new one; what is doubtful.

The last is what a file says against itself beyond what its schema forbids: forms that can never match, and gaps.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from endophora.corpus.trees import TreeError, compose_yaml, load_yaml
from endophora.errors import Fault, InputError
from endophora.languages.base import Strict
from endophora.languages.discourse import SENSES, DiscourseRules
from endophora.languages.schema import EXTRACTION, PHENOMENA, LanguageRules, WorkedExample
from endophora.registry import Registry

M = TypeVar("M", bound=BaseModel)

PLACEHOLDER = "TODO"
"""What is in the template where the language is to be filled in."""

_ROOM = files("endophora.languages")
_DATA = _ROOM / "data"


@dataclass(frozen=True, slots=True)
class Extension:
    """The rules of one phenomenon of an outside package, an entry point ``endophora.rules`` of the phenomenon's name.

    They are in a rule file, under ``extensions`` and that name, or in files of the package, one a language.

    Attributes:
        model: what the rules of one language may say; a subclass of :class:`~endophora.languages.base.Strict` refuses
            what it does not know.
        folder: where the package has rules itself, ``xx.yaml`` for the language ``xx``, each as :class:`ExtensionFile`
            says; a rule file that has the section takes their place.
    """

    model: type[BaseModel]
    folder: Traversable | None = None


class ExtensionFile(Strict):
    """A file of an outside package: the rules of one phenomenon in one language, and worked examples of it."""

    rules: dict[str, Any]
    examples: tuple[WorkedExample, ...] = ()


EXTENSIONS: Registry[Extension] = Registry("rules", {}, check=lambda found: isinstance(found, Extension))
"""Phenomenon → the rules of an outside package."""


def language_codes() -> tuple[str, ...]:
    """Return the codes of the languages that have a rule file, in alphabetical order."""
    names = (entry.name for entry in _DATA.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


@lru_cache(maxsize=64)
def load_language(code: str) -> LanguageRules:
    """Return the rules of a language, read once (E030, with the nearest codes)."""
    known = language_codes()
    if code not in known:
        near = difflib.get_close_matches(code, known, n=3, cutoff=0.4)
        advice = f"did you mean {' or '.join(near)}? " if near else f"known: {', '.join(known)}; "
        advice += "evaluate --phenomenon none has the text metrics, all but blonde "
        advice += f"(with --annotator {code}=blank where no annotator is embedded); "
        advice += f"endophora languages new {code} begins a rule file, --rules takes it"
        raise InputError(Fault("E030", f"no rules for the language “{code}”", advice))
    return parse_rules((_DATA / f"{code}.yaml").read_bytes(), f"{code}.yaml")


def read_language(path: Path) -> LanguageRules:
    """Read a rule file that does not come with the package: E031, E032, or E033 for each fault against the schema."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(Fault("E031", error.strerror or "cannot be read", "check the path", str(path))) from error
    return parse_rules(data, str(path))


def parse_rules(data: bytes, file: str) -> LanguageRules:
    """Parse the bytes of a rule file, with the rules of outside packages for its language.

    The hash is that of the bytes, and of those of the outside packages' files that are used.
    """
    tree = _tree(data, file)
    rules = _validated(LanguageRules, tree, data, file)
    extensions = {
        name: _validated(EXTENSIONS.get(name).model, section, data, file, ("extensions", name))
        for name, section in rules.extensions.items()
    }
    examples, contents = dict(rules.examples), [data]
    for name, extension in ((name, EXTENSIONS.get(name)) for name in EXTENSIONS if name not in extensions):
        path = None if extension.folder is None else extension.folder / f"{rules.language}.yaml"
        if path is not None and path.is_file():
            contents.append(path.read_bytes())
            found = _validated(ExtensionFile, _tree(contents[-1], str(path)), contents[-1], str(path))
            extensions[name] = _validated(extension.model, found.rules, contents[-1], str(path), ("rules",))
            examples.setdefault(name, found.examples)
    digest = hashlib.sha256(b"".join(contents)).hexdigest()[:12]
    return rules.model_copy(update={"extensions": extensions, "examples": examples, "hash": digest})


def _tree(data: bytes, file: str) -> object:
    """Return the YAML of a file's bytes as plain types that JSON has, too."""
    try:
        tree = load_yaml(data.decode("utf-8"))
        json.dumps(tree)
    except TreeError as error:
        advice = "correct the line" if error.line else "correct the file"
        raise InputError(Fault("E032", f"no YAML: {error}", advice, file, error.line)) from error
    except (UnicodeDecodeError, TypeError) as error:
        raise InputError(Fault("E032", f"no YAML: {error}", "correct the file", file)) from error
    return tree


def _validated(model: type[M], tree: object, data: bytes, file: str, place: tuple[str, ...] = ()) -> M:
    """Return a part of a file as its model, or all faults with the lines of the file; ``place`` leads to the part."""
    try:
        return model.model_validate_json(json.dumps(tree))
    except ValidationError as error:
        root = compose_yaml(data.decode("utf-8"))
        faults = [
            Fault(
                "E033",
                f"{'.'.join(map(str, (*place, *fault['loc'])))}: {fault['msg']}",
                "see docs/add-a-language.md",
                file,
                _line(root, (*place, *fault["loc"])),
            )
            for fault in error.errors()
        ]
        raise InputError(sorted(faults, key=lambda fault: fault.line or 0)) from error


def _line(node: Node | None, path: Iterable[str | int]) -> int | None:
    """Return the line, from 1, of what a path of keys and places leads to, as far as it leads."""
    line = None if node is None else _mark(node)
    for part in path:
        if isinstance(node, MappingNode):
            pairs = cast("list[tuple[Node, Node]]", node.value)
            key, node = next(((key, value) for key, value in pairs if cast("Any", key).value == part), (None, None))
            line = line if key is None else _mark(key)
        elif isinstance(node, SequenceNode) and isinstance(part, int):
            node = next(iter(cast("list[Node]", node.value)[part : part + 1]), None)
            line = line if node is None else _mark(node)
        else:
            break  # what follows is the validator's own: the branch of a union, a key of a mapping
    return line


def _mark(node: Node) -> int:
    return int(cast("Any", node).start_mark.line) + 1


def scaffold(code: str, name: str) -> str:
    """Return the text of a rule file to be filled in, which keeps to the schema (E033 for a wrong code or name)."""
    template = (_ROOM / "template.yaml").read_text(encoding="utf-8")
    quoted = name if re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)*", name) else json.dumps(name, ensure_ascii=False)
    text = Template(template).substitute(code=code, name=quoted)
    parse_rules(text.encode(), f"{code}.yaml")
    return text


def write_scaffold(code: str, name: str, directory: Path) -> Path:
    """Write the rule file of a new language, ``xx.yaml``, into a directory and return its path (E026, E033, E034)."""
    text = scaffold(code, name)
    path = directory / f"{code}.yaml"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        fault = Fault("E034", "the file is there already", "write elsewhere with --output", str(path))
        raise InputError(fault) from error
    except OSError as error:
        fault = Fault("E026", error.strerror or "cannot be written", "check the directory", str(path))
        raise InputError(fault) from error
    return path


# Worked examples that a phenomenon should have at least, and one of which test sets are made.
EXAMPLES, EXTRACTION_EXAMPLES = 8, 4

_OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")
_CLOSED = ("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
_UPOS = frozenset((*_OPEN, *_CLOSED, "PUNCT", "SYM", "X"))


def review(rules: LanguageRules, source: LanguageRules) -> list[str]:
    """Return what is doubtful in a rule file, one sentence each; ``source`` has the verb forms it is made from."""
    left = rules.model_dump_json().count(PLACEHOLDER)
    return [
        *([f"{left} placeholders ({PLACEHOLDER}) are left"] if left else []),
        *_letters(rules),
        *_classes(rules),
        *_verb_forms(rules, source),
        *_example_counts(rules),
        *(() if rules.discourse is None else _discourse(rules.discourse)),
    ]


def _letters(rules: LanguageRules) -> Iterator[str]:
    """Find forms with capitals where forms are compared in lower case."""
    extraction = rules.extracted
    lists = {
        "persons.second": rules.persons.second,
        "persons.third": rules.persons.third,
        **{f"formality.{i}.forms": rule.forms for i, rule in enumerate(rules.formality) if not rule.cased},
        **{f"formality_verbs.{i}.forms": rule.forms for i, rule in enumerate(rules.formality_verbs)},
        **{f"honorifics.{i}.forms": rule.forms for i, rule in enumerate(rules.honorifics)},
        **{
            f"extraction.{kind}.{i}.{key}": frozenset((forms,) if isinstance(forms, str) else forms)
            for kind, tables in (("gender", extraction.gender), ("formality", extraction.formality))
            for i, table in enumerate(tables)
            for key, forms in table.forms.items()
        },
        **{
            f"pronouns.{i}.alternatives.{value}": forms
            for i, rule in enumerate(rules.pronouns)
            for value, forms in rule.alternatives.items()
        },
    }
    for place, forms in lists.items():
        raised = sorted(form for form in forms if form != form.lower() and PLACEHOLDER not in form)
        if raised:
            yield f"{place}: forms are compared in lower case, so these never match: {', '.join(raised)}"


def _classes(rules: LanguageRules) -> Iterator[str]:
    """Find parts of speech that Universal Dependencies does not have."""
    lists = {
        "content_words.upos": rules.content_words.upos,
        **{f"formality.{i}.upos": rule.upos for i, rule in enumerate(rules.formality)},
        **{f"pronouns.{i}.source_upos": rule.source_upos for i, rule in enumerate(rules.pronouns)},
        **{f"pronouns.{i}.target_upos": rule.target_upos for i, rule in enumerate(rules.pronouns)},
    }
    for place, names in lists.items():
        yield from _no_parts_of_speech(place, names)


def _verb_forms(rules: LanguageRules, source: LanguageRules) -> Iterator[str]:
    known = {rule.label for rule in source.verb_forms}
    for rule in rules.verb_forms:
        if rule.from_forms - known:
            names = ", ".join(sorted(rule.from_forms - known))
            yield f"verb_forms.{rule.label}.from_forms: {source.name} has no form {names}"


def _example_counts(rules: LanguageRules) -> Iterator[str]:
    tense = ("verb_form",) if rules.time_signs is not None else ()  # into English
    with_rules = (*rules.phenomena, *tense, *rules.extractable, *rules.extensions)
    for phenomenon in with_rules:
        examples = rules.examples.get(phenomenon, ())
        wanted = EXTRACTION_EXAMPLES if phenomenon in rules.extractable else EXAMPLES
        if len(examples) < wanted:
            yield f"{phenomenon}: {len(examples)} worked examples, and {wanted} are asked for"
        if examples and all(example.occurrences for example in examples):
            yield f"{phenomenon}: no negative example"
        if examples and not any(example.occurrences for example in examples):
            yield f"{phenomenon}: no positive example"
    for phenomenon in rules.examples:
        # A phenomenon of an outside package may need no rules.
        if phenomenon in (*PHENOMENA, *EXTRACTION) and phenomenon not in with_rules:
            yield f"{phenomenon}: it has worked examples, and no rules"


def _discourse(discourse: DiscourseRules) -> Iterator[str]:
    """Find markers that never match or match twice, senses that are not there, and classes that cannot be met."""
    missing = [sense for sense in SENSES if sense not in {each.sense for each in discourse.markers}]
    if missing:
        yield f"discourse.markers: no markers of {', '.join(missing)}"
    seen: dict[str, str] = {}
    for each in discourse.markers:
        place = f"discourse.markers.{each.sense}"
        written = [marker if isinstance(marker, str) else marker.form for marker in each.markers]
        written += [f"-{ending.ending}" for ending in each.endings]
        forms = [form for form in written if PLACEHOLDER not in form]
        never = sorted(form for form in forms if form != _compared(form))
        if never:
            yield f"{place}: markers are compared in lower case, NFC and with single blanks: {', '.join(never)}"
        twice = sorted(form for form in forms if seen.setdefault(form, each.sense) != each.sense)
        if twice:
            yield f"{place}: these stand under another sense too: {', '.join(twice)}"
        limited = (*(marker for marker in each.markers if not isinstance(marker, str)), *each.endings)
        yield from _no_parts_of_speech(place, frozenset[str]().union(*(some.upos for some in limited)))
    for name, classes in (("pronouns", discourse.pronouns), ("tenses", discourse.tenses)):
        labels: set[str] = set()
        for each in () if classes is None else classes.classes:
            place = f"discourse.{name}.{each.label}"
            if each.label in labels:
                yield f"{place}: two classes have this label"
            labels.add(each.label)
            raised = sorted(
                form for form in each.forms | each.lemmas if form != form.lower() and PLACEHOLDER not in form
            )
            if raised:
                yield f"{place}: words are compared in lower case, so these never match: {', '.join(raised)}"
            yield from _no_parts_of_speech(place, each.upos)


def _compared(form: str) -> str:
    return " ".join(unicodedata.normalize("NFC", form).lower().split())


def _no_parts_of_speech(place: str, names: frozenset[str]) -> Iterator[str]:
    if names - _UPOS:
        yield f"{place}: no universal part of speech: {', '.join(sorted(names - _UPOS))}"
