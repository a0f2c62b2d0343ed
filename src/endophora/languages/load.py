"""Rule files: those that come with the package, by language code; any other by its path; the template of a new one."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable
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
from endophora.languages.schema import LanguageRules, WorkedExample
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
