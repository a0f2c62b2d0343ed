"""Signatures in sacreBLEU's manner: ordered keys, with a short form (Post, 2018, “A Call for Clarity”)."""

from __future__ import annotations

from collections.abc import Iterable


def format_signature(items: Iterable[tuple[str, str, object]], *, short: bool = False) -> str:
    """Return ``key:value|key:value`` in the order given.

    Args:
        items: (key, short key, value); an item whose value is ``None`` is left out, a truth value reads yes or no.
        short: use the short keys.
    """
    parts: list[str] = []
    for key, abbreviation, value in items:
        if value is None:
            continue
        text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        parts.append(f"{abbreviation if short else key}:{text}")
    return "|".join(parts)
