"""Where we write: a bad place is found before the work, only what was written here is replaced, and files are whole.

The one place in which files are written so that a reader sees the old one or the new one, also after a crash or a loss
of power (:func:`replacing`). A directory that is written into has a list of what was written there, :data:`LIST`: the
name, size and SHA-256 of each file, noted before the file takes its name. A file that is in the way and not as the list
says is somebody else's, or was changed: the command ends with an error before it works.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from endophora.errors import EngineError, Fault, InputError

TEMPORARY = ".part"
"""The ending of a file that is not whole yet."""

LIST = ".endophora-files"
"""The list of the files that were written into a directory: JSON Lines."""

_HEAD = {"endophora": "what was written here; nothing else is replaced or deleted"}
_PREFIX = ".endophora-"
_OWNER = "owner"
_SHOWN = 5
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

Known = tuple[int, str]
"""Size and SHA-256 of a file."""


@contextmanager
def disk_faults(place: Path) -> Generator[None, None, None]:
    """Turn errors of the disk into coded ones: no space left (E154), or a place that cannot be written (E155)."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        if error.errno in _FULL:
            advice = "make room and run the same command again: what is finished is kept"
            raise EngineError(Fault("E154", f"there is no space left ({cause})", advice, str(place))) from error
        advice = "check permissions and the file system, and run the same command again"
        raise EngineError(Fault("E155", f"cannot be read or written ({cause})", advice, str(place))) from error


@contextmanager
def replacing(path: Path, folder: Path | None = None) -> Generator[Path, None, None]:
    """Give a temporary path; what is written there takes the place of a file when the block ends well (E154, E155).

    The temporary file is synced and renamed, and the directory synced. If the block fails, the old file stays.
    ``folder``, on the same disk, is where the temporary file is made, by default where the file is.
    """
    temporary = (folder or path.parent) / f".{path.name}.{secrets.token_hex(6)}{TEMPORARY}"
    with disk_faults(path):
        try:
            yield temporary
            sync(temporary, os.O_RDWR)
            temporary.replace(path)
            sync(path.parent, os.O_RDONLY)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_whole(path: Path, data: bytes) -> None:
    """Write bytes as a file that is there whole or not at all (E154, E155)."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def sync(path: Path, flags: int) -> None:
    """Write what the system still holds of a file or directory, opened with these flags, to the disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Output:
    """A directory that files are to be written into, checked before the work (E355, E356).

    ``files`` are names from the directory with ``/``; a name that ends in ``/`` is a folder, all of whose files must be
    ours. ``held`` are names of what is written all the time, so that no list could say what they hold: they are ours
    from when :meth:`hold` is called.
    """

    def __init__(self, root: Path, files: Iterable[str] = (), held: Iterable[str] = ()) -> None:
        self.root = root
        self._held = tuple(held)
        check_directory(root)
        with disk_faults(root):
            known, mine = _read_list(root)
            unknown = [name for name in self._held if name not in mine]
            self._refuse([*_foreign(root, files, known), *_foreign(root, unknown, {})])

    def _refuse(self, names: Iterable[str], kept: Path | None = None) -> None:
        strange = sorted(dict.fromkeys(names))
        if not strange:
            return
        shown = ", ".join(strange[:_SHOWN]) + (f" and {len(strange) - _SHOWN} more" if strange[_SHOWN:] else "")
        cause = f"in the way, and not as endophora wrote it: {shown}"
        advice = "move it away, or name another directory"
        if kept is not None:
            advice += f"; what was to be written is in {kept}"
        raise InputError(Fault("E356", cause, advice, str(self.root)))

    def hold(self) -> None:
        """Make the directory, and note that the names that are held are ours, before they are created (E154, E155)."""
        with disk_faults(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            mine = _read_list(self.root)[1]
            _append(self.root, [{"held": name} for name in self._held if name not in mine])

    def note(self, name: str, size: int, checksum: str) -> None:
        """Note a file that is about to take its name, with its size and SHA-256; what is in the way is E356."""
        with disk_faults(self.root):
            known = _read_list(self.root)[0]
            self._refuse(_foreign(self.root, [name], known))
            if (size, checksum) not in known.get(name, ()):
                _append(self.root, [{"file": name, "bytes": size, "sha256": checksum}])

    @contextmanager
    def writing(self, instead_of: str = "") -> Generator[Path, None, None]:
        """Yield a new folder; what is written there takes its place in the directory when the block ends well.

        If the block fails, nothing changes. Of the folder ``instead_of`` (a name with a ``/``) what earlier runs have
        written there and this one has not is deleted, if it is as it was written. If a file has come in the way
        meanwhile (E356), the new ones are kept.
        """
        with disk_faults(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            stage = _new_stage(self.root)
        try:
            folder = stage / (self.root.resolve().name or "output")
            folder.mkdir()
            with disk_faults(self.root):
                yield folder
                self._publish(folder, instead_of)
        finally:
            if (stage / _OWNER).exists():
                shutil.rmtree(stage, ignore_errors=True)

    def _publish(self, folder: Path, instead_of: str) -> None:
        made = {name: _known(folder / name) for name in _files(folder)}
        known = _read_list(self.root)[0]
        if strange := _foreign(self.root, made, known):
            # The work is not lost for a file that somebody has put there since: without its owner the folder stays.
            (folder.parent / _OWNER).unlink()
            self._refuse(strange, folder)
        _append(
            self.root,
            [
                {"file": name, "bytes": size, "sha256": checksum}
                for name, (size, checksum) in made.items()
                if (size, checksum) not in known.get(name, ())
            ],
        )
        for name in made:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            sync(folder / name, os.O_RDWR)
            (folder / name).replace(target)
        if instead_of:
            _delete(self.root, (name for name in known if name.startswith(instead_of) and name not in made), known)
        for parent in {(self.root / name).parent for name in made}:
            sync(parent, os.O_RDONLY)


@contextmanager
def written_file(path: str | Path) -> Generator[Path, None, None]:
    """Yield a new path; what is written there takes the place of a file that the user named, when the block ends well.

    Standard output (``-``), devices and pipes are yielded unchanged. The directory is made if absent (E154, E155).
    """
    place = Path(path)
    if str(path) == "-" or (place.exists() and not place.is_file()):
        yield place
        return
    place = place.resolve() if place.is_symlink() else place
    with disk_faults(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        stage = _new_stage(place.parent)
    try:
        # Of the same name, since formats go by its ending; some make several files of it.
        yield stage / place.name
        with disk_faults(place):
            (stage / _OWNER).unlink()
            for path in sorted(stage.iterdir()):
                _take_place(path, place.parent / path.name)
            sync(place.parent, os.O_RDONLY)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _take_place(path: Path, place: Path) -> None:
    sync(path, os.O_RDWR)
    if place.exists():
        path.chmod(stat.S_IMODE(place.stat().st_mode))
    path.replace(place)


def check_new(path: Path) -> None:
    """Check, before the work, that a directory can be made (E355), or is there and empty (E356)."""
    check_directory(path)
    with disk_faults(path):
        if path.exists() and any(path.iterdir()):
            advice = "name another, or move it away"
            raise InputError(Fault("E356", "the directory is not empty", advice, str(path)))


def check_directory(path: Path) -> None:
    """Check, before the work, that a directory is there or can be made, and can be written into (E355)."""
    _probe(path, path, "name a directory that you may write to")


def check_file(path: str | Path) -> None:
    """Check, before the work, that a file can be written (E355); ``-`` is standard output."""
    place, advice = Path(path), "name a file that you may write to"
    if str(path) == "-":
        return
    with _coded(place, place, advice):
        _check_name(place)
        if place.is_dir():
            raise InputError(Fault("E355", "it is a directory", advice, str(path)))
        if place.exists() and not os.access(place, os.W_OK):
            raise InputError(Fault("E355", "it is there and may not be written", advice, str(path)))
        regular = not place.exists() or place.is_file()
    if regular:
        _probe(place.resolve().parent if place.is_symlink() else place.parent, place, advice)


def _probe(directory: Path, named: Path, advice: str) -> None:
    place = directory
    with _coded(place, named, advice):
        _check_name(named)
        while not os.path.lexists(place) and place != place.parent:
            place = place.parent
    if not place.is_dir():
        what = "a file" if place.exists() else "a link to nothing"
        raise InputError(Fault("E355", f"{place} is {what}, where a directory is needed", advice, str(named)))
    # A file without a name, which only shows whether there could be one.
    with _coded(place, named, advice), tempfile.TemporaryFile(dir=place):
        pass


@contextmanager
def _coded(place: Path, named: Path, advice: str) -> Generator[None, None, None]:
    try:
        yield
    except OSError as error:
        cause = f"nothing can be written to {place} ({error.strerror or error})"
        raise InputError(Fault("E355", cause, advice, str(named))) from error


def _check_name(path: Path) -> None:
    """Raise what the system has against a name, but that there is nothing of that name."""
    try:
        path.lstat()
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise


def _foreign(root: Path, names: Iterable[str], known: Mapping[str, set[Known]]) -> list[str]:
    """Return what is at some names and is not as it was written."""
    found: list[str] = []
    for name in names:
        place = root / name
        above = [root / parent for parent in list(PurePosixPath(name).parents)[:-1]]
        found += [path.relative_to(root).as_posix() for path in above if os.path.lexists(path) and not path.is_dir()]
        if not os.path.lexists(place):
            continue
        whole = name.endswith("/") and place.is_dir()
        inside = [f"{name}{one}" for one in _files(place)] if whole else [name.rstrip("/")]
        found += [one for one in inside if not _is_known(root / one, known.get(one, set()))]
    return found


def _is_known(path: Path, known: set[Known]) -> bool:
    return path.is_file() and path.stat().st_size in {size for size, _ in known} and _known(path) in known


def _known(path: Path) -> Known:
    with path.open("rb") as stream:
        return path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest()


def _files(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if not path.is_dir() or path.is_symlink():
            yield path.relative_to(folder).as_posix()


def _delete(root: Path, names: Iterable[str], known: Mapping[str, set[Known]]) -> None:
    for name in names:
        path = root / name
        if not _is_known(path, known[name]):
            continue
        path.unlink()
        # Folders that are empty then go too; what others have put there stays.
        with suppress(OSError):
            for parent in list(PurePosixPath(name).parents)[:-1]:
                (root / parent).rmdir()


def _read_list(root: Path) -> tuple[dict[str, set[Known]], set[str]]:
    """Return file → what it may hold, and the names that are held."""
    path = root / LIST
    known: dict[str, set[Known]] = {}
    held: set[str] = set()
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return known, held
    for line in lines:
        # A line that a crash has cut says nothing.
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            row = json.loads(line)
            if "held" in row:
                held.add(str(row["held"]))
            elif "file" in row:
                known.setdefault(str(row["file"]), set()).add((int(row["bytes"]), str(row["sha256"])))
    return known, held


def _append(root: Path, rows: list[dict[str, object]]) -> None:
    """Add lines to the list, on the disk when this returns; runs that write at once add one after the other."""
    if not rows:
        return
    path = root / LIST
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    head = "\n" if path.exists() else json.dumps(_HEAD) + "\n"
    with path.open("ab") as stream:
        stream.write((head + text).encode("utf-8", "surrogatepass"))
        stream.flush()
        os.fsync(stream.fileno())


def _new_stage(root: Path) -> Path:
    """Make a folder for files that are not whole yet, whose name no other file can have; those of dead runs go."""
    for path in root.glob(f"{_PREFIX}*/{_OWNER}"):
        if _is_dead(path):
            shutil.rmtree(path.parent, ignore_errors=True)
    stage = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
    (stage / _OWNER).write_text(f"{socket.gethostname()} {os.getpid()}\n", "utf-8")
    return stage


def _is_dead(owner: Path) -> bool:
    """Return whether the process that an owner's file names was on this machine and has ended."""
    if os.name != "posix":
        return False
    try:
        host, number = owner.read_text("utf-8").split()
        if host == socket.gethostname():
            os.kill(int(number), 0)
    except (OSError, ValueError, OverflowError) as error:
        return isinstance(error, ProcessLookupError)
    return False
