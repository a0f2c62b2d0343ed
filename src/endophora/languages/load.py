"""Reading rule files: those that come with the package, by language code, and any other by its path."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from endophora.corpus.trees import TreeError, compose_yaml, load_yaml
from endophora.errors import Fault, InputError
from endophora.languages.schema import LanguageRules

_DATA = files("endophora.languages") / "data"


def language_codes() -> tuple[str, ...]:
    """Return the codes of the languages that have a rule file, in alphabetical order."""
    names = (entry.name for entry in _DATA.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


@lru_cache(maxsize=64)
def load_language(code: str) -> LanguageRules:
    """Return the rules of a language.

    Args:
        code: ISO 639-1 code.

    Returns:
        The rules, read once.

    Raises:
        InputError: there is no rule file for the language (E030, with the nearest codes).
    """
    known = language_codes()
    if code not in known:
        near = difflib.get_close_matches(code, known, n=3, cutoff=0.4)
        advice = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        raise InputError(Fault("E030", f"no rules for the language “{code}”", advice))
    return parse_rules((_DATA / f"{code}.yaml").read_bytes(), f"{code}.yaml")


def read_language(path: Path) -> LanguageRules:
    """Read a rule file that does not come with the package.

    Args:
        path: the file.

    Returns:
        Its rules.

    Raises:
        InputError: the file cannot be read (E031), is no YAML (E032), or breaks the schema (E033, all faults at once).
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(Fault("E031", error.strerror or "cannot be read", "check the path", str(path))) from error
    return parse_rules(data, str(path))


def parse_rules(data: bytes, file: str) -> LanguageRules:
    """Parse a rule file.

    Args:
        data: the file's bytes, YAML in UTF-8.
        file: its name, for messages.

    Returns:
        Its rules, with the hash of the bytes.

    Raises:
        InputError: the bytes are no YAML (E032) or break the schema (E033, all faults at once).
    """
    try:
        text = json.dumps(load_yaml(data.decode("utf-8")))
    except TreeError as error:
        advice = "mend the line" if error.line else "mend the file"
        raise InputError(Fault("E032", f"no YAML: {error}", advice, file, error.line)) from error
    except (UnicodeDecodeError, TypeError) as error:
        raise InputError(Fault("E032", f"no YAML: {error}", "mend the file", file)) from error
    try:
        rules = LanguageRules.model_validate_json(text)
    except ValidationError as error:
        root = compose_yaml(data.decode("utf-8"))
        faults = [
            Fault(
                "E033",
                f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}",
                "see docs/add-a-language.md",
                file,
                _line(root, fault["loc"]),
            )
            for fault in error.errors()
        ]
        raise InputError(sorted(faults, key=lambda fault: fault.line or 0)) from error
    return rules.model_copy(update={"hash": hashlib.sha256(data).hexdigest()[:12]})


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
