"""Files and folders, read as contexts read them, and counted."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.base.text import CONTROLS, OTHER_ENCODING
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.base.text import Remark

SKIPPED_FOLDERS = (".git", ".dctx")
_PEEK = 8_000
LARGEST_TEXT = 200_000_000
"""Bytes. It has to fit into memory several times over."""


class CountedText(Record):
    """One text and its count."""

    path: str
    tokens: int
    chars: int


class Skipped(Record):
    """Something that was not counted, and why."""

    path: str
    why: str


def count_files(
    paths: Sequence[str], count: Callable[[str], int]
) -> tuple[list[CountedText], list[Skipped]]:
    """Every text file among these files and folders, each once, in order."""
    counted: list[CountedText] = []
    skipped: list[Skipped] = []
    # By its location: a file may be named itself and lie in a folder that is named.
    by_location: dict[str, str] = {}
    for named in paths:
        for path in _files(named, skipped):
            location = os.path.abspath(path)
            by_location.setdefault(location, path)

    for path in by_location.values():
        text = _text(path, skipped)
        if text is None:
            continue
        tokens = count(text)
        counted.append(CountedText(path, tokens, len(text)))
    return counted, skipped


def _files(path: str, skipped: list[Skipped]) -> Iterator[str]:
    """The file itself, or what is below the folder."""
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        top = os.path.realpath(path)
        yield from _below(path, top, skipped)
    else:
        yield path


def _below(
    folder: str,
    top: str,
    skipped: list[Skipped],
) -> Iterator[str]:
    """No link is followed into a folder, and none out of the one that was named."""
    try:
        with os.scandir(folder) as unsorted:
            entries = sorted(unsorted, key=lambda entry: entry.name)
    except OSError as error:
        skipped.append(Skipped(folder, error.strerror or "cannot be listed"))
        return

    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            is_skipped = entry.name in SKIPPED_FOLDERS
            if not is_skipped:
                yield from _below(entry.path, top, skipped)
        elif entry.is_symlink() and not _stays(entry.path, top):
            skipped.append(Skipped(entry.path, "a link that is not followed"))
        else:
            yield entry.path


def _stays(link: str, top: str) -> bool:
    try:
        target = os.path.realpath(link)
    except OSError:
        return False  # where it leads may not be looked at, as in another's `/proc`
    if not os.path.isfile(target):
        return False
    return target.startswith(os.path.join(top, ""))


def _text(path: str, skipped: list[Skipped]) -> str | None:
    try:
        if os.stat(path).st_size > LARGEST_TEXT:
            raise Unreadable(f"larger than {LARGEST_TEXT:,} bytes")
        document = read_document(path, path, LARGEST_TEXT)
        why = _unfit(path, document.notes)
    except FileNotFoundError:
        why = "there is no such file"
    except OSError as error:
        why = error.strerror or str(error)
    except (Unreadable, ValueError) as error:
        why = str(error)
    if why:
        skipped.append(Skipped(path, why))
        return None
    return document.text


def _unfit(path: str, notes: Sequence[Remark]) -> str:
    """Text has no NUL, unless it is UTF-16."""
    kinds = [note.kind for note in notes]
    if CONTROLS not in kinds or OTHER_ENCODING in kinds:
        return ""
    with open(path, "rb") as file:
        begins = file.read(_PEEK)
    if b"\0" in begins:
        return "not text"
    return ""
