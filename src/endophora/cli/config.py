"""``--config FILE``: options of any command in a TOML or YAML file; what is typed wins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import typer

from endophora.errors import Fault, InputError, refuse


def take_config(context: typer.Context, path: Path | None) -> Path | None:
    """Let the options of a command that are not typed be those of a file.

    Keys are long options without their dashes. Those at the top are of the command that runs; a table that is named as
    a command, ``[evaluate]`` or ``[context.cxmi]``, has that command's own, and they win over those at the top. Faults,
    all at once: the file cannot be read (E103), an option that the command lacks or a value that is none of it (E104).
    """
    if path is not None and not context.resilient_parsing:
        text, table = _read(path)
        config = _Config(path, text, context)
        cast("Any", context).default_map = dict(config.values(table))
        refuse(config.faults)
    return path


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and its table (E103)."""
    line, cause = None, ""
    try:
        text = path.read_text("utf-8")
        if path.suffix in (".yaml", ".yml"):
            from endophora.corpus.trees import TreeError, load_yaml

            try:
                table = cast("Any", load_yaml(text) or {})
            except TreeError as error:
                raise InputError(_unread(path, str(error), error.line)) from error
        else:
            from tomllib import loads

            table = cast("Any", loads(text))
        if isinstance(table, dict):
            return text, cast("dict[str, Any]", _with_text_keys(table))
        cause = "it is no table"
    except OSError as error:
        cause = error.strerror or str(error)
    except ValueError as error:
        # Of tomllib and of the decoder of UTF-8.
        cause = str(error)
        line = int(found[1]) if (found := re.search(r"at line (\d+)", cause)) else None
    raise InputError(_unread(path, cause, line))


def _with_text_keys(value: Any) -> Any:
    """Return tables with all keys as text: YAML also has numbers and truth values there."""
    if isinstance(value, list):
        return [_with_text_keys(one) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {str(name): _with_text_keys(one) for name, one in cast("dict[Any, Any]", value).items()}


def _unread(path: Path, cause: str, line: int | None) -> Fault:
    advice = "write options as TOML (seed = 3) or, in a .yaml file, as YAML (seed: 3)"
    return Fault("E103", f"the file of options cannot be read: {cause}", advice, str(path), line)


@dataclass
class _Config:
    """A file of options for a command."""

    path: Path
    text: str
    context: typer.Context

    def __post_init__(self) -> None:
        """Note the options and the names of all commands."""
        command, self.root = cast("Any", self.context.command), cast("Any", self.context.find_root().command)
        self.faults: list[Fault] = []
        self.name = self.context.command_path.removeprefix("endophora").strip()
        self.known: dict[str, tuple[Any, bool]] = {
            flag[2:]: (one, flag in one.opts)
            for one in command.params
            for flag in (*one.opts, *one.secondary_opts)
            if flag.startswith("--") and one.name != "config"
        }

    def _inner(self, path: str) -> Mapping[str, Any]:
        """Return the commands of a group, or those of the top."""
        node = self.root
        for name in path.split():
            node = _commands_of(node)[name]
        return _commands_of(node)

    def values(self, table: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, Any]]:
        """Yield the options of a table as they would be typed, those of the command's own table after the others."""
        inner: list[tuple[str, Mapping[str, Any]]] = []
        for key, value in table.items():
            place = f"{section} {key}".strip()
            if isinstance(value, dict) and key in self._inner(section) and not self._takes_names(key):
                if f"{self.name} ".startswith(f"{place} "):
                    inner.append((place, cast("dict[str, Any]", value)))
            elif section and self.name != section:
                above, _, name = section.rpartition(" ")
                if hasattr(self._inner(above)[name], "built"):  # a group that is a command itself (``store``)
                    continue
                self._note(section, key, f"“{section}” is a group of commands", f"name the command: [{section}.NAME]")
            elif key not in self.known:
                names = [*self.known, *(self._inner(section) if isinstance(value, dict) else ())]
                near = get_close_matches(key, names, 1, 0.7)
                advice = f"did you mean {near[0]}?" if near else f"endophora {self.name} --help has them all"
                self._note(section, key, f"{self.name} has no option “{key}”", advice)
            else:
                yield from self._typed(section, key, value)
        for place, rest in inner:
            yield from self.values(rest, place)

    def _takes_names(self, key: str) -> bool:
        """Return whether the table of a key has values of an option, not options of a command."""
        return key in self.known and "=" in str(self.known[key][0].metavar)

    def _typed(self, section: str, key: str, value: Any) -> Iterator[tuple[str, Any]]:
        option, positive = self.known[key]
        if option.is_flag:
            if isinstance(value, bool):
                yield option.name, value is positive
            else:
                self._note(section, key, f"{key} is a switch", "write true or false")
            return
        named = cast("dict[str, Any]", value if isinstance(value, dict) and self._takes_names(key) else {})
        values = list(named.values()) or cast("list[Any]", value if isinstance(value, list) else [value])
        wrong = any(each is None or isinstance(each, bool | list | dict) for each in values)
        if wrong or not values or (len(values) != 1 and not option.multiple):
            takes = "one value or more" if option.multiple else "one value"
            self._note(section, key, f"{key} takes {takes}", "write it as it would be typed, or leave the key out")
            return
        text = [f"{name}={each}" for name, each in named.items()] or [str(each) for each in values]
        given = text if option.multiple else text[0]
        try:
            option.process_value(self.context, given)
        except typer.BadParameter as error:
            self._note(section, key, f"{key}: {error.message}", f"endophora {self.name} --help says what it takes")
            return
        yield option.name, given

    def _note(self, section: str, key: str, cause: str, advice: str) -> None:
        """Note a fault at the line of a key, or of the head of its table."""
        name = rf"[\"']?{re.escape(key)}[\"']?"
        lines = self.text.splitlines()
        head = section.replace(" ", ".")
        first = next((at for at, line in enumerate(lines) if line.strip() in (f"[{head}]", f"{head}:")), 0)
        pattern = re.compile(rf"\s*(?:{name}\s*[:=.]|\[{name}[\].])")
        at = next((at for at in range(first, len(lines)) if pattern.match(lines[at])), None)
        self.faults.append(Fault("E104", cause, advice, str(self.path), None if at is None else at + 1))


def _commands_of(node: Any) -> Mapping[str, Any]:
    """Return the commands of a group; a command that is read when it runs knows them under another name."""
    return getattr(node, "commands", None) or getattr(node, "_commands", None) or {}
