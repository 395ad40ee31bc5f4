"""Where git keeps what it knows about a folder, and what it tracks there, read without running git."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Identity = tuple[int, int, int]


_POINTER = "gitdir: "


class Repository(Record):
    """A working tree."""

    top: str
    folder: str
    """Git's own for it."""
    shared: str
    """Git's own for all working trees of this repository; the same one where there is no other
    tree.
    """


def repository(here: str) -> Repository | None:
    """The one around a real path. In another working tree, or a submodule, `.git` is a file that
    names git's folder.
    """
    while not os.path.lexists(place := os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent

    folder = place
    if not os.path.isdir(place):
        pointer = small_text(place).strip()
        if not pointer.startswith(_POINTER):
            return None
        folder = os.path.join(here, pointer.removeprefix(_POINTER))

    shared = small_text(os.path.join(folder, "commondir")).strip()
    return Repository(here, folder, os.path.join(folder, shared) if shared else folder)


def small_text(location: str) -> str:
    """A small file, whatever it is; `.git` belongs to the user, but may have come from anywhere."""
    try:
        return read_document(location, location).text
    except (OSError, Unreadable):
        return ""


_SIGNATURE, _FORMATS, _COMPRESSED = b"DIRC", (2, 3, 4), 4
_HEAD = 12
"""Bytes before the first entry."""
_FIXED = 40
"""Bytes of an entry before the id of its content."""
_LONGEST = 0xFFF
"""The length of a name in its flags; a longer name has this one."""
_SPLIT = b"link\0"
"""How the extension begins that names the other part of a split index; its size is never so large.
"""
_known: dict[str, tuple[Identity, tuple[str, ...]]] = {}


class UnknownIndex(ValueError):
    """An index of a kind that is not known here, or a damaged one."""


class Sought(Record):
    """The folder whose files are looked for."""

    parts: tuple[str, ...]
    """Its path from the top of the working tree."""
    any_case: bool
    """Whether `.Director/` is `.director/` on this disk."""

    def below(self, name: bytes) -> str | None:
        """The rest of a name that is in the folder; empty for the folder itself."""
        parts = os.fsdecode(name).split("/")
        depth = len(self.parts)
        is_below = self._alike("/".join(parts[:depth])) == self._alike("/".join(self.parts))
        return "/".join(parts[depth:]) if is_below else None

    def may_be_in(self, data: bytes) -> bool:
        """Whether bytes that have all names in them have such a one. One look spares reading every
        entry.
        """
        last = os.fsencode(self.parts[-1]) if self.parts else b""
        return last.lower() in data.lower() if self.any_case else last in data

    @property
    def last(self) -> bytes:
        """Behind this no name of the folder comes, as names are sorted; empty where that is not
        certain.
        """
        path = "/".join(self.parts)
        return os.fsencode(f"{path}0") if path.isascii() and not self.any_case else b""

    def _alike(self, path: str) -> str:
        """The same for all spellings that this disk takes for one."""
        if path.isascii():
            return path.lower() if self.any_case else path
        from unicodedata import normalize

        return normalize("NFC", path.casefold() if self.any_case else path)


def tracked_below(folder: str) -> tuple[str, ...]:
    """The paths that git tracks, relative to the folder; an empty one if the folder itself is
    tracked as one thing.
    """
    real = os.path.realpath(folder)
    git = repository(real)
    if git is None:
        return ()
    index = os.path.join(git.folder, "index")
    try:
        identity = _identity(index)
    except OSError:
        return ()  # nothing was added yet

    known = _known.get(real)
    if known is None or known[0] != identity:
        known = identity, tuple(_found(git, index, _sought(real, git.top)))
        _known[real] = known
    return known[1]


def _identity(index: str) -> Identity:
    status = os.stat(index)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _sought(folder: str, top: str) -> Sought:
    path = os.path.relpath(folder, top)
    parts = () if path == os.curdir else tuple(path.split(os.sep))
    return Sought(parts, os.path.lexists(os.path.join(top, ".GIT")))


def _found(git: Repository, index: str, sought: Sought) -> Iterator[str]:
    for name in _names(git, index, sought):
        rest = sought.below(name)
        if rest is not None:
            yield rest


def _names(git: Repository, index: str, sought: Sought) -> list[bytes]:
    """The names in an index; none where there is nothing that is sought. In a split index those of
    both parts.
    """
    data = _read(index)
    version = int.from_bytes(data[4:8], "big")
    if data[:4] != _SIGNATURE or version not in _FORMATS:
        raise UnknownIndex(f"format {version}")
    may_be_split = _SPLIT in data
    if version != _COMPRESSED and not may_be_split and not sought.may_be_in(data):
        return []

    id_size = _id_size(git)
    try:
        names, end = _entries(data, version, id_size, b"" if may_be_split else sought.last)
    except (IndexError, ValueError) as error:
        raise UnknownIndex("damaged") from error
    if may_be_split and (shared := _shared(data[end:-id_size], id_size)):
        names += _names(git, os.path.join(git.folder, f"sharedindex.{shared}"), sought)
    return [name for name in names if sought.may_be_in(name)]


def _id_size(git: Repository) -> int:
    config = small_text(os.path.join(git.shared, "config")).lower()
    return 32 if "objectformat" in config and "sha256" in config else 20


def _read(place: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError as error:
        raise UnknownIndex(str(error)) from error


def _entries(data: bytes, version: int, id_size: int, last: bytes) -> tuple[list[bytes], int]:
    """The names, up to the last one that matters, and where the entries end."""
    names: list[bytes] = []
    name = b""
    at = _HEAD
    for _ in range(int.from_bytes(data[8:_HEAD], "big")):
        begin = at
        flags = begin + _FIXED + id_size
        is_extended = data[flags] & 0x40
        at = flags + (4 if is_extended else 2)
        kept = b""
        if version == _COMPRESSED:
            dropped, at = _number(data, at)
            kept = name[: len(name) - dropped]

        end = data.index(b"\0", at)
        name = kept + data[at:end]
        if int.from_bytes(data[flags : flags + 2], "big") & _LONGEST != min(len(name), _LONGEST):
            raise ValueError("not where an entry is")
        names.append(name)
        if last and name > last:
            break
        # An entry is padded to a multiple of eight with one NUL or more, or ends with the one.
        at = end + 1 if version == _COMPRESSED else begin + (end - begin + 8 & ~7)
    return names, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of git's own kind, seven bits a byte, and where it ends."""
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        value = (value + 1 << 7) + (byte & 0x7F)
    return value, at + 1


def _shared(extensions: bytes, id_size: int) -> str:
    """The id of the other part of a split index, if this is one."""
    at = 0
    while at + 8 <= len(extensions):
        begin = at + 8
        if extensions[at : at + 4] == _SPLIT[:4]:
            found = extensions[begin : begin + id_size]
            return found.hex() if found.strip(b"\0") else ""
        at = begin + int.from_bytes(extensions[at + 4 : begin], "big")
    return ""
