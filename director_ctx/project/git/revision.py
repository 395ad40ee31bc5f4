"""Files as a revision has them, straight from git's objects, and put into an empty folder of ours."""

from __future__ import annotations

import os
import posixpath

from director_ctx.base.record import Record
from director_ctx.project.git.child import AS_IT_IS, MOST_BYTES, answer, answer_line
from director_ctx.project.git.log import clean_line
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FILE_MODES = ("100644", "100755", "100664")
LINK_MODE = "120000"
MOST_ENTRIES = 50_000
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
    link: bool


def folder_at(root: str, folder: str) -> tuple[str, str]:
    """The repository's working tree, as a real path, and where a folder is below it. Raises ValueError with the
    reason.
    """
    printed = answer(root, *AS_IT_IS, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    top = os.path.realpath(os.fsdecode(printed))
    relative = os.path.relpath(os.path.realpath(folder), top)
    # On Windows a path on another disk stays absolute.
    if relative.split(os.sep)[0] == os.pardir or os.path.isabs(relative):
        raise ValueError("it lies outside the repository")
    return top, "" if relative == os.curdir else relative.replace(os.sep, "/")


def commit_id(root: str, revision: str) -> str:
    """The whole id of a commit. Raises ValueError with the reason if there is none."""
    if revision.startswith("-") or not revision.strip():
        raise ValueError("that is no revision")
    wanted = f"{revision}^{{commit}}"
    return answer_line(root, *AS_IT_IS, "rev-parse", "--verify", "--end-of-options", wanted)


def commit_at(root: str, moment: str) -> str:
    """The newest commit of what is checked out that is not younger than a time. Raises ValueError
    if there is none.
    """
    commit = answer_line(root, *AS_IT_IS, "rev-list", "-1", f"--before={moment}", "HEAD", "--")
    if not commit:
        raise ValueError("there was no commit yet")
    return commit


def commits_of(root: str, paths: Sequence[str], most: int) -> list[dict[str, str]]:
    """The newest commits that touched some paths below a folder, newest first."""
    options = (f"-{most}", "--no-show-signature", "--encoding=UTF-8", _COMMIT_LINE)
    printed = answer(root, *AS_IT_IS, "log", *options, "HEAD", "--", *paths)
    commits: list[dict[str, str]] = []
    for line in printed.decode("utf-8", "replace").split("\n"):
        if line.count("\t") >= 2:
            commit, time, subject = line.split("\t", 2)
            commits.append({"commit": commit, "time": time, "subject": clean_line(subject)})
    return commits


def unpack(root: str, commit: str, folder: str, place: str) -> None:
    """Everything below a folder of the repository, as far as it may be read. Raises ValueError with
    the reason.

    Links come last, so that no file is written through one, and only those that stay in the folder.
    """
    os.mkdir(place, 0o700)
    start = f"{folder}/"
    inside = [entry for entry in _entries(root, commit, folder) if entry.path.startswith(start)]
    targets: dict[str, str] = {}
    for entry, data in _contents(root, inside):
        path = entry.path.removeprefix(start)
        if entry.link:
            targets[path] = os.fsdecode(data)
            continue
        try:
            with open(os.open(_made(place, path), _NEW, 0o600), "wb") as file:
                file.write(data[: LARGEST_FILE + 1])
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"{path} cannot be written here: {why}") from error
    for path, target in targets.items():
        if stays(path, target):
            try:
                os.symlink(target, _made(place, path))
            except OSError:
                # A system without links goes without, as git does there.
                continue


def _made(place: str, path: str) -> str:
    """Where a path goes below a folder of ours, with the folders above it."""
    location = os.path.join(place, *path.split("/"))
    os.makedirs(os.path.dirname(location), 0o700, exist_ok=True)
    return location


def _entries(root: str, commit: str, path: str) -> Iterator[GitEntry]:
    """Every file at and below a path of the repository. Names that lead elsewhere are not there."""
    options = ("-r", "-l", "-z", "--full-tree", commit)
    printed = answer(root, *AS_IT_IS, "ls-tree", *options, "--", os.fsencode(path))
    lines = printed.split(b"\0")[:-1]
    if len(lines) > MOST_ENTRIES:
        raise ValueError(f"there are more than {MOST_ENTRIES:,} files")
    for line in lines:
        about, _, name = line.partition(b"\t")
        mode, kind, object_id, size = about.decode("ascii", "replace").split()
        is_file = kind == "blob" and mode in (*FILE_MODES, LINK_MODE)
        if is_file and is_plain_path(os.fsdecode(name)):
            # Of content that the repository lacks, git says BAD instead of a size.
            length = int(size) if size.isdigit() else 0
            yield GitEntry(os.fsdecode(name), object_id, length, mode == LINK_MODE)


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


def _contents(root: str, wanted: Sequence[GitEntry]) -> Iterator[tuple[GitEntry, bytes]]:
    if sum(entry.size for entry in wanted) > MOST_BYTES:
        raise ValueError("the files are too large")
    if not wanted:
        return
    from tempfile import TemporaryFile

    # In a file: a pipe could fill up while git waits for somebody to read its answers.
    with TemporaryFile() as given:
        given.write("".join(f"{entry.object}\n" for entry in wanted).encode("ascii"))
        given.seek(0)
        printed = answer(root, *AS_IT_IS, "cat-file", "--batch", given=given)
    start = 0
    for entry in wanted:
        line, _, _ = printed[start : start + 200].partition(b"\n")
        _, is_blob, size = line.partition(b" blob ")
        if not is_blob or not size.isdigit():
            raise ValueError(f"the repository lacks the content of {entry.path}")
        body = start + len(line) + 1
        # Git ends each content with a newline of its own.
        start = body + int(size) + 1
        yield entry, printed[body : start - 1]


def stays(path: str, target: str) -> bool:
    """Whether a link leads to something in the same folder."""
    if not target or "\0" in target or _is_odd_on_windows(target) or posixpath.isabs(target):
        return False
    end = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return end != ".." and not end.startswith("../")
