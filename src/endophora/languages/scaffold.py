"""A new language's rule file: a template with everything to be filled in."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from string import Template

from endophora.errors import Fault, InputError
from endophora.languages.load import parse_rules

PLACEHOLDER = "TODO"
"""What stands in the template where the language is to be filled in."""


def scaffold(code: str, name: str) -> str:
    """Return the text of a rule file for a language: the template, which keeps to the schema.

    Args:
        code: ISO 639-1 code of the language.
        name: its name in English.

    Raises:
        InputError: the code is no language code, or the name is empty (E033).
    """
    template = (files("endophora.languages") / "template.yaml").read_text(encoding="utf-8")
    quoted = name if re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)*", name) else json.dumps(name, ensure_ascii=False)
    text = Template(template).substitute(code=code, name=quoted)
    parse_rules(text.encode(), f"{code}.yaml")
    return text


def write_scaffold(code: str, name: str, directory: Path) -> Path:
    """Write the rule file of a new language, ``xx.yaml``, into a directory and return its path.

    Raises:
        InputError: the file is there already (E034), cannot be written (E026), or code or name are wrong (E033).
    """
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
