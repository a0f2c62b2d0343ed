"""The resolvers by name."""

from __future__ import annotations

from collections.abc import Callable

from endophora.corefer.records import Resolver
from endophora.registry import Registry

DEFAULT = "ranker"

RESOLVERS: Registry[Callable[..., Resolver]] = Registry(
    "resolver",
    {
        "ranker": "endophora.corefer.ranker:Ranker",
        "nearest": "endophora.corefer.nearest:Nearest",
        "fastcoref": "endophora.corefer.neural:FastCoref",
    },
)


def load_resolver(name: str | None = None, *, language: str = "en", window: int = 5) -> Resolver:
    """Return a resolver.

    Raises:
        InputError: the name is unknown (E090), or the resolver does not know the language (E060).
        MissingModelError: the resolver's library or model is not installed (E061).
    """
    return RESOLVERS.get(name or DEFAULT)(language=language, window=window)
