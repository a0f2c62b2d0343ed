"""The check that a format can hold a suite, so that nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import is_cut
from endophora.suites.records import Item, Suite


def check_texts(
    suite: Suite, form: str, *, expected: bool = False, variants: bool = False, lines: bool = False
) -> None:
    """Check that every item of a suite can be held by a format.

    Args:
        suite: what is to be written.
        form: name of the format, for messages.
        expected: the format needs an expected form.
        variants: the format needs a wrong translation.
        lines: the format is lines of text, so that no text may hold a tab or a line end.

    Raises:
        InputError: with all faults (E176).
    """
    log = FaultLog()

    def fault(item: Item, cause: str) -> None:
        """Note what a format cannot do with an item."""
        log.add("E176", f"item {item.id}: {cause}", "write our JSON Lines, or leave the item out", form)

    if not suite.items:
        log.add("E176", "the suite has no items", "there is nothing to write", form)
    for item in suite.items:
        if expected and not item.expected:
            fault(item, "it has no expected form")
        if variants and not item.variants:
            fault(item, "it has no wrong translation")
        texts = list(_texts(item))
        if any(map(is_cut, texts)):
            fault(item, "half of a surrogate pair")
        if lines and any(mark in text for text in texts for mark in "\t\n\r"):
            fault(item, "a text has a tab or a line end")
    log.check()


def _texts(item: Item) -> Iterator[str]:
    for name in item.__slots__:
        yield from _within(getattr(item, name))


def _within(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _within(inner)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple | list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _within(inner)  # pyright: ignore[reportUnknownArgumentType]
    elif value is not None and hasattr(value, "__slots__"):
        for name in value.__slots__:  # pyright: ignore
            yield from _within(getattr(value, name))  # pyright: ignore
