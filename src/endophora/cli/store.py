"""``endophora store``: what is kept between runs, how much room it takes, and how to make room."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import command
from endophora.cli.console import print_table
from endophora.cli.inputs import Tools
from endophora.errors import Fault, InputError
from endophora.models.services.asking import default_cache_path
from endophora.options import inherited, option
from endophora.store import Store, default_store_path, delete_store, parse_size


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreChoice:
    """Which store."""

    store: Path | None = inherited(Tools, "store")
    services: bool = option(
        False, help="The answers of translation services, which were paid for, instead of the store."
    )

    @property
    def path(self) -> Path:
        """Its file (E098: both are named)."""
        if self.store is not None and self.services:
            raise InputError(Fault("E098", "--services together with --store", "name one of the two", "store"))
        return default_cache_path() if self.services else self.store or default_store_path()

    def open(self) -> Store:
        """Open a store that is there (E001), and can be used (E092, E093, E094, E154, E365)."""
        path = self.path
        if not path.exists():
            advice = "a command that keeps something makes it"
            raise InputError(Fault("E001", "there is no such store", advice, str(path)))
        advice = "set it aside" if self.services else "endophora store clear deletes the default one"
        return Store(path, strict=True, limited=path == default_store_path(), advice=advice)


@command(quiet=False)
def show(context: typer.Context, place: StoreChoice) -> None:
    """Show the file, its size, and for each kind of entry how many there are and when they were last used."""
    if context.invoked_subcommand is not None:
        return
    path = place.path
    if not path.exists():
        sys.stdout.write(f"{path}: not made yet\n")
        return
    with place.open() as opened:
        rows = opened.contents()
    sys.stdout.write(f"{path}: {sum(row.entries for row in rows):,} entries, {_size(path)}\n")
    header = ("kind", "entries", "MB", "oldest use", "last use")
    print_table(header, [(row.kind, f"{row.entries:,}", f"{row.size / 1e6:.1f}", row.first, row.last) for row in rows])


@command(quiet=False)
def prune(
    place: StoreChoice,
    max_size: Annotated[
        str | None, typer.Option("--max-size", metavar="SIZE", help="Bytes that may be left, as 2GB.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="DAYS", help="Remove what was not used for so long, as 30d.")
    ] = None,
) -> None:
    """Remove what was used longest ago, and give the room back."""
    if max_size is None and older_than is None:
        cause = "neither a size nor an age is given"
        raise InputError(Fault("E366", cause, "give --max-size 2GB, --older-than 30d, or both", "store prune"))
    size = None if max_size is None else parse_size(max_size, "--max-size")
    days = re.fullmatch(r"(\d+)\s*(?:d|days?)?", (older_than or "").strip())
    if older_than is not None and days is None:
        raise InputError(Fault("E366", f"“{older_than}” is no age", "write it in days, as 30d", "--older-than"))
    path = place.path
    with place.open() as opened:
        removed, left = opened.prune(size, int(days[1]) if days else None), len(opened)
    sys.stdout.write(f"{path}: {removed:,} entries removed, {left:,} left, {_size(path)}\n")


@command(quiet=False)
def clear(place: StoreChoice) -> None:
    """Remove everything; a store of the default path also where it is too damaged to be opened."""
    path = place.path
    try:
        with place.open() as opened:
            removed = opened.prune(days=-1)
    except InputError as error:
        # A file that was named by mistake, and is something else, is not deleted.
        if place.store is not None or place.services or error.faults[0].code not in {"E092", "E093", "E365"}:
            raise
        delete_store(path)
        sys.stdout.write(f"{path}: deleted, since it is damaged\n")
        return
    sys.stdout.write(f"{path}: {removed:,} entries removed\n")


@command(quiet=False)
def verify(place: StoreChoice) -> None:
    """Read every entry, and remove what is damaged; a damaged file is made again of the rest. Exit 1 if any was."""
    path = place.path
    with place.open() as opened:
        found = opened.verify()
    lost = f"{found.damaged:,} damaged and removed"
    if found.rebuilt:
        lost = "the file was damaged, and was made again of these"
    sys.stdout.write(f"{path}: {found.whole:,} entries whole, {lost}\n")
    if found.damaged or found.rebuilt:
        raise typer.Exit(1)


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"
