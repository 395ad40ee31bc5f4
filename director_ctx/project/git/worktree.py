"""What of a folder is not on disk as a revision has it: files that are changed, new or missing.

Texts are compared as an agent would see them, so that line endings that git changes are no
difference. Git's own `status` would refresh its index and run the filters that a repository names.
"""

from __future__ import annotations

import os

from director_ctx.base.text import decode, whole_characters
from director_ctx.project.git.revision import MOST_ENTRIES, GitEntry, contents, entries, entry_at
from director_ctx.project.reading.read import LARGEST_FILE, Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHANGED, NEW, MISSING, ELSEWHERE = "changed", "new", "missing", "outside the repository"
_OURS = ".dctx"
_PLANNED = "goals/"
_STEP_DEPTH = 2
"""How many folders a step is in, below that of the project."""


def folder_differences(
    root: str,
    commit: str,
    folder: str,
    place: str,
) -> dict[str, str]:
    """Paths below the folder that are not as in the commit, and how. Raises ValueError where that
    cannot be known.
    """
    start = f"{folder}/"
    committed: dict[str, GitEntry] = {}
    for entry in entries(root, commit, [folder]):
        if entry.path != folder:
            committed[entry.path.removeprefix(start)] = entry
    on_disk = set(_paths_on_disk(place))

    differences = dict.fromkeys(on_disk, NEW)
    in_both: list[GitEntry] = []
    for path, entry in committed.items():
        if path in on_disk:
            del differences[path]
            in_both.append(entry)
        else:
            differences[path] = MISSING

    for entry, data in contents(root, in_both, LARGEST_FILE + 1):
        path = entry.path.removeprefix(start)
        location = os.path.join(place, *path.split("/"))
        if not _is_alike(entry, data, location):
            differences[path] = CHANGED
    return dict(sorted(differences.items()))


def file_difference(
    root: str,
    commit: str,
    path: str,
    place: str,
) -> str:
    """The same for one file of the repository; an empty string if it is as the revision has it."""
    entry = entry_at(root, commit, path)
    if entry is None:
        return NEW
    difference = ""
    for _, data in contents(root, [entry], LARGEST_FILE + 1):
        if not _is_alike(entry, data, os.path.realpath(place)):
            difference = CHANGED
    return difference


def _is_alike(entry: GitEntry, data: bytes, place: str) -> bool:
    if os.path.islink(place):
        return entry.link and os.fsencode(os.readlink(place)) == data
    try:
        document = read_document(place, entry.path)
    except (OSError, Unreadable):
        return False
    is_large = document.size > LARGEST_FILE
    was_large = len(data) > LARGEST_FILE
    if is_large != was_large or entry.link:
        return False
    if not was_large:
        text, _ = decode(data)
        return text == document.text
    # Beyond what is ever read, a difference is none; of that, the last line may have been cut.
    text, _ = decode(whole_characters(data[:LARGEST_FILE]))
    return text.startswith(document.text)


def _paths_on_disk(place: str) -> Iterator[str]:
    """Every file and link, and every goal or step that is an empty folder: git knows nothing of those."""
    waiting = [("", False)]
    number = 0
    while waiting:
        folder, is_known = waiting.pop()
        inside = _directory_entries(os.path.join(place, *folder.split("/")))
        # An empty folder in a step that has files, such as one for tasks, is as good as none.
        if not inside and folder.startswith(_PLANNED) and not is_known:
            yield folder
        has_files = any(entry.is_file() for entry in inside)
        is_step = folder.count("/") == _STEP_DEPTH and folder.startswith(_PLANNED)
        for entry in inside:
            number += 1
            if number > MOST_ENTRIES:
                raise ValueError(f"there are more than {MOST_ENTRIES:,} files")
            path = entry.name
            if folder:
                path = f"{folder}/{path}"
            # What dctx keeps for itself, and another repository, are not of this revision.
            if entry.name == ".git" or path == _OURS:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((path, is_known or (is_step and has_files)))
            elif entry.is_symlink() or entry.is_file():
                yield path


def _directory_entries(place: str) -> Sequence[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []
