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
    folder = os.path.join(here, ".git")
    while not os.path.lexists(folder):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
        folder = os.path.join(here, ".git")

    if not os.path.isdir(folder):
        pointer = small_text(folder).strip()
        if not pointer.startswith(_POINTER):
            return None
        folder = os.path.join(here, pointer.removeprefix(_POINTER))

    shared = folder
    common = small_text(os.path.join(folder, "commondir")).strip()
    if common:
        shared = os.path.join(folder, common)
    return Repository(here, folder, shared)


def small_text(location: str) -> str:
    """A small file, whatever it is; `.git` belongs to the user, but may have come from anywhere."""
    try:
        return read_document(location, location).text
    except (OSError, Unreadable):
        return ""


_SIGNATURE = b"DIRC"
_FORMATS = (2, 3, 4)
_COMPRESSED = 4
_HEAD = 12
"""Bytes before the first entry."""
_FIXED = 40
"""Bytes of an entry before the id of its content."""
_LONGEST = 0xFFF
"""The length of a name in its flags; a longer name has this one."""
_IS_EXTENDED = 0x40
"""In the first byte of the flags: two more bytes of them follow."""
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
        above = "/".join(parts[:depth])
        if self._one_spelling(above) != self._one_spelling("/".join(self.parts)):
            return None
        return "/".join(parts[depth:])

    def may_be_in(self, data: bytes) -> bool:
        """Whether bytes that have all names in them have such a one. One look spares reading every
        entry.
        """
        last = b""
        if self.parts:
            last = os.fsencode(self.parts[-1])
        if self.any_case:
            return last.lower() in data.lower()
        return last in data

    @property
    def last(self) -> bytes:
        """Behind this no name of the folder comes, as names are sorted; empty where that is not
        certain.
        """
        path = "/".join(self.parts)
        if self.any_case or not path.isascii():
            return b""
        # `0` is the character after the slash.
        return os.fsencode(f"{path}0")

    def _one_spelling(self, path: str) -> str:
        """The same for all spellings that this disk takes for one."""
        if path.isascii():
            if self.any_case:
                return path.lower()
            return path
        # Names beyond ASCII are rare, and the table of their forms is large.
        from unicodedata import normalize

        if self.any_case:
            path = path.casefold()
        return normalize("NFC", path)


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
        # Nothing was added yet.
        return ()

    known = _known.get(real)
    if known and known[0] == identity:
        return known[1]
    sought = _sought(real, git.top)
    names = tuple(_names_below(git, index, sought))
    _known[real] = (identity, names)
    return names


def _identity(index: str) -> Identity:
    status = os.stat(index)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _sought(folder: str, top: str) -> Sought:
    path = os.path.relpath(folder, top)
    parts: tuple[str, ...] = ()
    if path != os.curdir:
        parts = tuple(path.split(os.sep))
    any_case = os.path.lexists(os.path.join(top, ".GIT"))
    return Sought(parts, any_case)


def _names_below(git: Repository, index: str, sought: Sought) -> Iterator[str]:
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
    # Compressed names lack what they have in common with the one before: no look can find them.
    has_whole_names = version != _COMPRESSED and not may_be_split
    if has_whole_names and not sought.may_be_in(data):
        return []

    id_size = _id_size(git)
    last = sought.last
    if may_be_split:
        # What names the other part stands behind all entries.
        last = b""
    try:
        names, end = _entries(data, version, id_size, last)
    except (IndexError, ValueError) as error:
        raise UnknownIndex("damaged") from error
    if may_be_split:
        # The index ends with its own hash.
        shared = _shared(data[end:-id_size], id_size)
        if shared:
            shared_index = os.path.join(git.folder, f"sharedindex.{shared}")
            names += _names(git, shared_index, sought)
    return [name for name in names if sought.may_be_in(name)]


def _id_size(git: Repository) -> int:
    config = small_text(os.path.join(git.shared, "config"))
    config = config.lower()
    if "objectformat" in config and "sha256" in config:
        return 32
    return 20


def _read(place: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError as error:
        raise UnknownIndex(str(error)) from error


def _entries(
    data: bytes,
    version: int,
    id_size: int,
    last: bytes,
) -> tuple[list[bytes], int]:
    """The names, up to the last one that matters, and where the entries end."""
    names: list[bytes] = []
    name = b""
    at = _HEAD
    number = int.from_bytes(data[8:_HEAD], "big")
    for _ in range(number):
        begin = at
        flags_at = begin + _FIXED + id_size
        flags = int.from_bytes(data[flags_at : flags_at + 2], "big")
        at = flags_at + 2
        if data[flags_at] & _IS_EXTENDED:
            at += 2
        common = b""
        if version == _COMPRESSED:
            dropped, at = _number(data, at)
            common = name[: len(name) - dropped]

        end = data.index(b"\0", at)
        name = common + data[at:end]
        if flags & _LONGEST != min(len(name), _LONGEST):
            raise ValueError("not where an entry is")
        names.append(name)
        if last and name > last:
            break
        at = end + 1
        if version != _COMPRESSED:
            # An entry is padded to a multiple of eight with one NUL or more.
            at = begin + (end - begin + 8 & ~7)
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
            shared = extensions[begin : begin + id_size]
            # Nothing but NULs stands for no other part.
            if not shared.strip(b"\0"):
                return ""
            return shared.hex()
        at = begin + int.from_bytes(extensions[at + 4 : begin], "big")
    return ""
