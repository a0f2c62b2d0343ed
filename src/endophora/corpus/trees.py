"""JSON and YAML that a user wrote, read with limits: no file costs more than its size or ends in a traceback.

PyYAML's family builds nested collections by recursion, in time that grows with the square of the depth, and an anchor
that is used many times is one line in the file and gigabytes where the tree is written out. Both are refused while the
text is composed. JSON is limited by the parser itself; here its failures get one name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import Node

DEEPEST = 64
"""Collections within collections that a file may have."""

LARGEST = 1_000_000
"""Keys and values that a YAML file may have, an alias counted as all that it stands for."""


class TreeError(ValueError):
    """A text is no JSON or YAML, or breaks a limit; ``line`` counts from 1, and is ``None`` where it is not known."""

    def __init__(self, cause: str, line: int | None = None) -> None:
        super().__init__(cause)
        self.line = line


def load_yaml(text: str) -> object:
    """Return the value of a YAML text of plain types, within the limits."""
    return cast("object", _with_limits(lambda yaml: yaml.load(text)))


def compose_yaml(text: str) -> Node | None:
    """Return the nodes of a YAML text, which know their lines; ``None`` for an empty text."""
    return cast("Node | None", _with_limits(lambda yaml: yaml.compose(text)))


def load_json(text: str | bytes, **hooks: Callable[..., object]) -> object:
    """Return the value of a JSON text; ``hooks`` as of :func:`json.loads`, whose ValueErrors become causes."""
    try:
        return cast("object", json.loads(text, **cast("dict[str, Any]", hooks)))
    except json.JSONDecodeError as error:
        raise TreeError(f"malformed JSON at column {error.colno}: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise TreeError("the JSON is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise TreeError(f"not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        cause = "a number has too many digits" if "integer string conversion" in str(error) else str(error)
        raise TreeError(cause) from error


class _LimitedComposer(Composer):
    """Composes nodes, and stops where they are nested too deeply or too many."""

    def __init__(self, loader: Any = None) -> None:
        cast("Any", super()).__init__(loader)
        self._depth = self._total = 0
        self._weights: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; see the class."""
        event = cast("Any", self).parser.peek_event()
        line = int(event.start_mark.line) + 1
        if isinstance(event, AliasEvent):
            node = cast("Any", super()).compose_node(parent, index)
            if id(node) not in self._weights:
                raise TreeError("an alias within what it stands for", line)
            self._total += self._weights[id(node)]
        else:
            before = self._total
            self._depth += 1
            if self._depth > DEEPEST:
                raise TreeError(f"nested more than {DEEPEST} deep", line)
            node = cast("Any", super()).compose_node(parent, index)
            self._depth -= 1
            self._total += 1
            self._weights[id(node)] = self._total - before
        if self._total > LARGEST:
            raise TreeError(f"more than {LARGEST:,} keys and values, aliases written out", line)
        return node


def _with_limits(read: Callable[[Any], Any]) -> Any:
    yaml = cast("Any", YAML(typ="safe", pure=True))
    yaml.Composer = _LimitedComposer
    try:
        return read(yaml)
    except MarkedYAMLError as error:
        marked = cast("Any", error)
        mark = marked.problem_mark
        raise TreeError(str(marked.problem or error), None if mark is None else int(mark.line) + 1) from error
    except YAMLError as error:
        raise TreeError(" ".join(str(error).split())) from error
    except TreeError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        # What makes dates, numbers and tagged values raises what Python's own types do: 2024-13-45, 5,000 digits.
        raise TreeError(f"a value that cannot be read ({' '.join(str(error).split())})") from error
