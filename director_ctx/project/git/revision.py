"""Files as a revision has them, straight from git's objects, and put into an empty folder of ours."""

from __future__ import annotations

import os
import posixpath

from director_ctx.base.record import Record
from director_ctx.project.git.log import answer, chunks
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FILE_MODES, LINK_MODE = ("100644", "100755", "100664"), "120000"
MOST_ENTRIES = 50_000
MOST_BYTES = 1_000_000_000
_AS_IT_IS = ("--no-replace-objects", "--literal-pathspecs")


class Revision(Record):
    """A commit, and where a project stands in its repository."""

    commit: str
    top: str
    """The repository's working tree, as a real path."""
    project: str
    """The project's root below it, with forward slashes; empty if it is the top."""
    folder: str
    """The real `.director/` below it."""


class Entry(Record):
    """A file or link of a revision. Other things, such as submodules, have no entry."""

    path: str
    object: str
    size: int
    link: bool = False


def head(root: str, folder: str) -> Revision:
    """What is checked out around a project. Raises ValueError with the reason if nothing is."""
    top = os.path.realpath(
        os.fsdecode(ask(root, "rev-parse", "--show-toplevel").removesuffix(b"\n"))
    )
    return Revision(commit_id(root, "HEAD"), top, below(root, top), below(folder, top))


def below(path: str, top: str) -> str:
    """Where something is below a folder, with forward slashes. Raises ValueError if it is
    elsewhere.
    """
    found = os.path.relpath(os.path.realpath(path), top)
    if found == os.pardir or found.startswith(os.pardir + os.sep) or os.path.isabs(found):
        raise ValueError("it lies outside the repository")
    return "" if found == os.curdir else found.replace(os.sep, "/")


def commit_id(root: str, revision: str) -> str:
    """The whole id of a commit. Raises ValueError with the reason if there is none."""
    if revision.startswith("-") or not revision.strip():
        raise ValueError("that is no revision")
    said = ask(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    return said.decode("ascii", "replace").strip()


def is_shallow(root: str) -> bool:
    try:
        return ask(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
    except ValueError:
        return False


def entries(root: str, commit: str, paths: Sequence[str]) -> tuple[Entry, ...]:
    """Every file at and below some paths of the repository. Names that lead elsewhere are not
    there.
    """
    wanted = [os.fsencode(path) for path in paths]
    listed = ask(root, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *wanted)
    lines = [line for line in listed.split(b"\0") if line]
    if len(lines) > MOST_ENTRIES:
        raise ValueError(f"there are more than {MOST_ENTRIES:,} files")
    return tuple(entry for line in lines if (entry := _entry(line)))


def _entry(line: bytes) -> Entry | None:
    about, _, name = line.partition(b"\t")
    mode, kind, name_of_object, size = about.decode("ascii", "replace").split()
    path = os.fsdecode(name)
    if kind != "blob" or mode not in (*FILE_MODES, LINK_MODE) or not is_plain_path(path):
        return None
    return Entry(path, name_of_object, int(size) if size.isdigit() else 0, mode == LINK_MODE)


def is_plain_path(path: str) -> bool:
    """Whether a path goes straight down: relative, without `..`, and without what other systems
    take for a way.
    """
    parts = path.split("/")
    odd = "\0" in path or (os.name == "nt" and (":" in path or "\\" in path))
    return not odd and all(part and part.strip(". ") != "" for part in parts)


def contents(root: str, wanted: Sequence[Entry], most: int) -> Iterator[tuple[Entry, bytes]]:
    """Each entry with the beginning of its content, at most so many bytes."""
    if sum(min(entry.size, most) for entry in wanted) > MOST_BYTES:
        raise ValueError("the files are too large")
    if not wanted:
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as asked:
        asked.write("".join(f"{entry.object}\n" for entry in wanted).encode("ascii"))
        asked.seek(0)
        said = _Said(chunks(*_AS_IT_IS, "-C", root, "cat-file", "--batch", given=asked))
        for entry in wanted:
            yield entry, _content(said, entry, most)


def _content(said: _Said, entry: Entry, most: int) -> bytes:
    """The beginning of one; the rest, and the end of its last line, are passed over."""
    _, _, size = said.line().decode("ascii", "replace").partition(" blob ")
    if not size.strip().isdigit():
        raise ValueError(f"the repository lacks the content of {entry.path}")
    data = said.taken(min(int(size), most))
    left = int(size) - len(data) + 1
    while left > 0:
        left -= len(said.taken(min(left, 1_000_000)))
    return data


class _Said:
    """What git prints, in lines and in pieces of a known length."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, bytearray()

    def line(self) -> bytes:
        while (end := self._rest.find(b"\n")) < 0:
            self._more()
        return self.taken(end + 1)

    def taken(self, length: int) -> bytes:
        while len(self._rest) < length:
            self._more()
        data = bytes(self._rest[:length])
        del self._rest[:length]
        return data

    def _more(self) -> None:
        piece = next(self._pieces, b"")
        if not piece:
            raise ValueError("git ended early")
        self._rest += piece


def ask(root: str, *arguments: str | bytes) -> bytes:
    """What git prints. Raises ValueError with the reason if it fails."""
    return answer(*_AS_IT_IS, "-C", root, *arguments)


def commit_at(root: str, moment: str) -> str:
    """The newest commit of what is checked out that is not younger than a time. Raises ValueError
    if there is none.
    """
    said = (
        ask(root, "rev-list", "-1", f"--before={moment}", "HEAD", "--")
        .decode("ascii", "replace")
        .strip()
    )
    if not said:
        raise ValueError("there was no commit yet")
    return said


def commits_of(root: str, paths: Sequence[str], most: int) -> list[dict[str, str]]:
    """The newest commits that touched some paths below a folder, newest first."""
    from director_ctx.project.git.log import clean_line

    form = "--format=%H%x09%cI%x09%s"
    said = ask(
        root,
        "log",
        f"-{most}",
        "--no-show-signature",
        "--encoding=UTF-8",
        form,
        "HEAD",
        "--",
        *paths,
    )
    lines = [
        line.split("\t", 2)
        for line in said.decode("utf-8", "replace").split("\n")
        if line.count("\t") >= 2
    ]
    return [
        {"commit": id, "time": time, "subject": clean_line(subject)} for id, time, subject in lines
    ]


_NEW = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


def unpack(root: str, commit: str, folder: str, place: str) -> None:
    """Everything below a folder of the repository, as far as it may be read. Raises ValueError with
    the reason.

    Links come last, so that no file is written through one, and only those that stay in the folder.
    """
    os.mkdir(place, 0o700)
    start = f"{folder}/"
    found = [entry for entry in entries(root, commit, [folder]) if entry.path.startswith(start)]
    links = []
    for entry, data in contents(root, found, LARGEST_FILE + 1):
        path = entry.path.removeprefix(start)
        if entry.link:
            links.append((path, os.fsdecode(data)))
        else:
            write_new(os.path.join(place, *path.split("/")), data)
    for path, target in links:
        if stays(path, target):
            _link(os.path.join(place, *path.split("/")), target)


def unpack_file(root: str, commit: str, path: str, place: str) -> bool:
    """One file of the repository; False if the revision has no such file."""
    found = [
        entry for entry in entries(root, commit, [path]) if entry.path == path and not entry.link
    ]
    for _, data in contents(root, found, LARGEST_FILE + 1):
        write_new(place, data)
    return bool(found)


def write_new(place: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        with open(os.open(place, _NEW, 0o600), "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{os.path.basename(place)} cannot be written here: {why}") from error


def stays(path: str, target: str) -> bool:
    """Whether a link leads to something in the same folder."""
    if (
        not target
        or "\0" in target
        or posixpath.isabs(target)
        or (os.name == "nt" and (":" in target or "\\" in target))
    ):
        return False
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return found != ".." and not found.startswith("../")


def _link(place: str, target: str) -> None:
    """A system without links goes without, as git does there."""
    try:
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        os.symlink(target, place)
    except OSError:
        pass
