"""Files as a revision has them, straight from git's objects, and put into an empty folder of ours."""

from __future__ import annotations

import os
import posixpath

from director_ctx.base.record import Record
from director_ctx.project.git.ask import AS_IT_IS, answer, answer_line, streamed_answer
from director_ctx.project.git.log import clean_line
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FILE_MODES = ("100644", "100755", "100664")
LINK_MODE = "120000"
MOST_ENTRIES = 50_000
MOST_BYTES = 1_000_000_000
_NEW = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_COMMIT_LINE = "--format=%H%x09%cI%x09%s"
"""Id, time and subject with tabs between; only the subject may have one of its own."""


class GitEntry(Record):
    """A file or link of a revision. Other things, such as submodules, have no entry."""

    path: str
    object: str
    size: int
    link: bool = False


def folder_at(root: str, folder: str) -> tuple[str, str]:
    """The repository's working tree, as a real path, and where a folder is below it. Raises ValueError with the
    reason.
    """
    printed = _answer(root, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    top = os.path.realpath(os.fsdecode(printed))
    return top, below(folder, top)


def below(path: str, top: str) -> str:
    """Where something is below a folder, with forward slashes. Raises ValueError if it is
    elsewhere.
    """
    relative = os.path.relpath(os.path.realpath(path), top)
    first_name = relative.split(os.sep)[0]
    # On Windows a path on another disk stays absolute.
    if first_name == os.pardir or os.path.isabs(relative):
        raise ValueError("it lies outside the repository")
    if relative == os.curdir:
        return ""
    return relative.replace(os.sep, "/")


def commit_id(root: str, revision: str) -> str:
    """The whole id of a commit. Raises ValueError with the reason if there is none."""
    if revision.startswith("-") or not revision.strip():
        raise ValueError("that is no revision")
    wanted = f"{revision}^{{commit}}"
    return answer_line(root, *AS_IT_IS, "rev-parse", "--verify", "--end-of-options", wanted)


def entries(root: str, commit: str, paths: Sequence[str]) -> tuple[GitEntry, ...]:
    """Every file at and below some paths of the repository. Names that lead elsewhere are not
    there.
    """
    names = map(os.fsencode, paths)
    printed = _answer(root, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *names)
    *lines, _ = printed.split(b"\0")
    if len(lines) > MOST_ENTRIES:
        raise ValueError(f"there are more than {MOST_ENTRIES:,} files")
    parsed = map(_entry, lines)
    return tuple(filter(None, parsed))


def _entry(line: bytes) -> GitEntry | None:
    about, _, name = line.partition(b"\t")
    about_text = about.decode("ascii", "replace")
    mode, kind, object_id, size = about_text.split()
    path = os.fsdecode(name)
    if kind != "blob" or mode not in (*FILE_MODES, LINK_MODE):
        return None
    if not is_plain_path(path):
        return None
    # Of content that the repository lacks, git says BAD instead of a size.
    length = 0
    if size.isdigit():
        length = int(size)
    return GitEntry(
        path=path,
        object=object_id,
        size=length,
        link=mode == LINK_MODE,
    )


def is_plain_path(path: str) -> bool:
    """Whether a path goes straight down: relative, without `..`, and without what other systems
    take for a way.
    """
    if "\0" in path or _is_odd_on_windows(path):
        return False
    # Windows drops dots and blanks at the end of a name: there `.. .` is `..`.
    return all(name.strip(". ") for name in path.split("/"))


def _is_odd_on_windows(path: str) -> bool:
    return os.name == "nt" and (":" in path or "\\" in path)


def contents(
    root: str,
    wanted: Sequence[GitEntry],
    most: int,
) -> Iterator[tuple[GitEntry, bytes]]:
    """Each entry with the beginning of its content, at most so many bytes."""
    total = sum(min(entry.size, most) for entry in wanted)
    if total > MOST_BYTES:
        raise ValueError("the files are too large")
    if not wanted:
        return
    from tempfile import TemporaryFile

    # In a file: a pipe could fill up while git waits for somebody to read its answers.
    with TemporaryFile() as given:
        for entry in wanted:
            given.write(f"{entry.object}\n".encode("ascii"))
        given.seek(0)
        answers = streamed_answer(root, *AS_IT_IS, "cat-file", "--batch", given=given)
        printed = _Printed(answers)
        for entry in wanted:
            yield entry, _content(printed, entry, most)


def _content(printed: _Printed, entry: GitEntry, most: int) -> bytes:
    """The beginning of one; the rest, and the end of its last line, are passed over."""
    head = printed.take_line().decode("ascii", "replace")
    _, _, digits = head.partition(" blob ")
    if not digits.strip().isdigit():
        raise ValueError(f"the repository lacks the content of {entry.path}")
    size = int(digits)
    data = printed.take(min(size, most))
    # Git ends each content with a newline of its own.
    left = size - len(data) + 1
    while left > 0:
        left -= len(printed.take(min(left, 1_000_000)))
    return data


class _Printed:
    """What git prints, in lines and in pieces of a known length."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = bytearray()

    def take_line(self) -> bytes:
        end = self._rest.find(b"\n")
        while end < 0:
            self._read_on()
            end = self._rest.find(b"\n")
        return self.take(end + 1)

    def take(self, length: int) -> bytes:
        while len(self._rest) < length:
            self._read_on()
        data = bytes(self._rest[:length])
        del self._rest[:length]
        return data

    def _read_on(self) -> None:
        piece = next(self._pieces, b"")
        if not piece:
            raise ValueError("git ended early")
        self._rest += piece


def _answer(root: str, *words: str | bytes) -> bytes:
    return answer(root, *AS_IT_IS, *words)


def commit_at(root: str, moment: str) -> str:
    """The newest commit of what is checked out that is not younger than a time. Raises ValueError
    if there is none.
    """
    words = ("rev-list", "-1", f"--before={moment}", "HEAD", "--")
    commit = answer_line(root, *AS_IT_IS, *words)
    if not commit:
        raise ValueError("there was no commit yet")
    return commit


def commits_of(
    root: str,
    paths: Sequence[str],
    most: int,
) -> list[dict[str, str]]:
    """The newest commits that touched some paths below a folder, newest first."""
    options = (f"-{most}", "--no-show-signature", "--encoding=UTF-8", _COMMIT_LINE)
    printed = _answer(root, "log", *options, "HEAD", "--", *paths)
    commits: list[dict[str, str]] = []
    for line in printed.decode("utf-8", "replace").split("\n"):
        if line.count("\t") < 2:
            continue
        commit, time, subject = line.split("\t", 2)
        commits.append(
            {
                "commit": commit,
                "time": time,
                "subject": clean_line(subject),
            }
        )
    return commits


def unpack(
    root: str,
    commit: str,
    folder: str,
    place: str,
) -> None:
    """Everything below a folder of the repository, as far as it may be read. Raises ValueError with
    the reason.

    Links come last, so that no file is written through one, and only those that stay in the folder.
    """
    os.mkdir(place, 0o700)
    start = f"{folder}/"
    inside: list[GitEntry] = []
    for entry in entries(root, commit, [folder]):
        if entry.path.startswith(start):
            inside.append(entry)

    targets: dict[str, str] = {}
    for entry, data in contents(root, inside, LARGEST_FILE + 1):
        path = entry.path.removeprefix(start)
        if entry.link:
            targets[path] = os.fsdecode(data)
        else:
            write_new(_location(place, path), data)
    for path, target in targets.items():
        if stays(path, target):
            _link(_location(place, path), target)


def _location(place: str, path: str) -> str:
    return os.path.join(place, *path.split("/"))


def write_new(place: str, data: bytes) -> None:
    folder, name = os.path.split(place)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        descriptor = os.open(place, _NEW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{name} cannot be written here: {why}") from error


def stays(path: str, target: str) -> bool:
    """Whether a link leads to something in the same folder."""
    if not target or "\0" in target or _is_odd_on_windows(target):
        return False
    if posixpath.isabs(target):
        return False
    folder = posixpath.dirname(path)
    end = posixpath.normpath(posixpath.join(folder, target))
    return end != ".." and not end.startswith("../")


def _link(place: str, target: str) -> None:
    """A system without links goes without, as git does there."""
    folder = os.path.dirname(place)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        os.symlink(target, place)
    except OSError:
        pass
