"""Where something is written in a `.director/` folder."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.project import DIRECTORY, FILE
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.project.project import Project

ENDING = ".md"
AROUND = 120
"""Characters shown on either side of what was looked for, of a line that is longer."""

SHORTEST = 3
"""Letters of a word that tells something."""


class TextLine(Record):
    """A line that has what was looked for."""

    path: str
    line: int
    text: str


def find_in_folder(project: Project, text: str) -> Iterator[TextLine]:
    """The lines of all documents that have every word, document by document."""
    fits = pattern(text)
    for path in documents(project):
        whole = project.text(path)
        # Most documents lack a word, and are not looked through line by line.
        if not fits(whole):
            continue
        for number, line in enumerate(whole.splitlines(), 1):
            if fits(line):
                yield TextLine(path, number, around(line, text))


def nearest_in_folder(project: Project, text: str) -> Iterator[TextLine]:
    """Of the documents that have the most of the words, two at least: the lines with most of them, the
    best document first.
    """
    words = [pattern(word) for word in _telling_words(text)]
    best = 2
    nearest: list[str] = []
    for path in documents(project):
        count = _count(words, project.text(path))
        if count > best:
            best = count
            nearest = []
        if count == best:
            nearest.append(path)

    ranked = []
    for path in nearest:
        most, lines = _lines_with_most(path, project.text(path), text, words)
        is_about_it = lines[0].text.startswith("# ")
        ranked.append((-most, not is_about_it, path, lines))
    for *_, lines in sorted(ranked):
        yield from lines


def _telling_words(text: str) -> list[str]:
    """Each once, without marks at their ends, and without the shortest, which are in everything."""
    words = dict.fromkeys(word.strip(".,;:!?\"'()") for word in text.split())
    return [word for word in words if len(word) >= SHORTEST]


def _lines_with_most(
    path: str, whole: str, text: str, words: Sequence[Callable[[str], bool]]
) -> tuple[int, list[TextLine]]:
    most = 0
    best: list[TextLine] = []
    for number, line in enumerate(whole.splitlines(), 1):
        count = _count(words, line)
        if count > most:
            most = count
            best = []
        if count and count == most:
            best.append(TextLine(path, number, around(line, text)))
    return most, best


def _count(words: Sequence[Callable[[str], bool]], text: str) -> int:
    return sum(has_word(text) for has_word in words)


def documents(project: Project, folder: str = FOLDER) -> Iterator[str]:
    """The paths of all documents, a folder's own before those of the folders in it."""
    names = project.listing(folder)
    for name, kind in names.items():
        if kind == FILE and name.endswith(ENDING):
            yield f"{folder}/{name}"
    for name, kind in names.items():
        # What begins with a dot is not written for people.
        if kind == DIRECTORY and not name.startswith("."):
            yield from documents(project, f"{folder}/{name}")


def pattern(text: str) -> Callable[[str], bool]:
    """Whether a line has every word; upper and lower case are the same, unless the text has upper
    case in it.
    """
    words = text.split()
    if text != text.lower():
        return lambda line: all(word in line for word in words)
    return lambda line: _has_all(line.lower(), words)


def _has_all(line: str, words: list[str]) -> bool:
    return all(word in line for word in words)


def around(line: str, text: str) -> str:
    """As much of a long line as tells what it is about."""
    words = text.split()
    if len(line) <= 2 * AROUND or not words:
        return line.strip()
    place = line.lower().find(words[0].lower())
    first = max(0, place - AROUND)
    last = place + len(words[0]) + AROUND
    shown = line[first:last].strip()
    if first:
        shown = f"...{shown}"
    if last < len(line):
        shown = f"{shown}..."
    return shown
