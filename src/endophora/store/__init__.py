"""What is kept between runs: a content-addressed store of bytes with checksums, safe for several processes."""

from endophora.store.keys import default_store_path
from endophora.store.sizes import LIMIT, parse_size, store_limit
from endophora.store.store import ADVICE, Store, Verified, delete_store
from endophora.store.table import Contents
from endophora.store.troubles import StoreWarning, add_troubles, store_warnings, take_troubles

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
