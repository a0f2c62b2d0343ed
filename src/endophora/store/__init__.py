"""What is kept between runs: a content-addressed store of bytes with checksums, safe for several processes."""

from endophora.store.place import (
    LIMIT,
    StoreWarning,
    add_troubles,
    default_store_path,
    parse_size,
    store_limit,
    store_warnings,
    take_troubles,
)
from endophora.store.store import ADVICE, Store, Verified, delete_store
from endophora.store.table import Contents

__all__ = [
    "ADVICE",
    "LIMIT",
    "Contents",
    "Store",
    "StoreWarning",
    "Verified",
    "add_troubles",
    "default_store_path",
    "delete_store",
    "parse_size",
    "store_limit",
    "store_warnings",
    "take_troubles",
]
