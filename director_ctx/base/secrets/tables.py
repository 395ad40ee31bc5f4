"""Tables in a text: what stands under a title such as Password, in Markdown, in columns, or between
commas.
"""

from __future__ import annotations

import re

from director_ctx.base.secrets.code import is_code
from director_ctx.base.secrets.formats import HIDDEN
from director_ctx.base.secrets.names import hides_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Spans = list[tuple[int, int]]

_BLANKS = re.compile(r"[ ]{2,}")
_SEPARATORS = (re.compile(r"\|"), re.compile(r"\t"), _BLANKS, re.compile(","), re.compile(";"))
_TWO_CELLS = re.compile(r"[^\s|,;] {0,80}[|\t,;][ \t]{0,80}[^\s|,;]|\S {2,80}\S")
_TITLE = re.compile(r"\w[\w /.()-]{0,40}")
_ONE_WORD = re.compile(r"[\w-]{1,40}")
_RULE = re.compile(r"[-+|: =]+")
_DRESSING = " `*\"'"
_LONGEST_TITLES = 2_000
_MOST_ROWS = 20_000
"""Rows of one table. Nobody writes that many; from there on everything is hidden, so that it takes
no time.
"""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TYPE = re.compile(r"[a-z]+\(\d+\)")
_NO_SECRETS = frozenset(
    "none null nil unset empty true false required optional never always hidden redacted".split()
)
_PASSWORDS = frozenset(
    "password passwords passwd pwd passphrase passcode passwort kennwort".split()
)
"""What may be a word of letters alone; a token or a key has a digit in it."""


def without_columns(text: str) -> str:
    """The text with each cell hidden that stands under a title which names a secret."""
    lines = text.splitlines(keepends=True)
    place = 0
    while place < len(lines):
        place = _after_table(lines, place)
    return "".join(lines)


def _after_table(lines: list[str], place: int) -> int:
    """Hides what is to be hidden in the table that begins there; where it ends, or the next line if
    there is none.
    """
    titles = lines[place]
    if len(titles) > _LONGEST_TITLES or not _TWO_CELLS.search(titles):
        return place + 1
    if titles.lstrip(" ").startswith("|"):
        lines[place] = titles = _without_pair(titles)
    for separator in _SEPARATORS:
        columns = _secret_columns(titles, separator)
        if columns and not _has_row_above(lines, place, separator):
            return _below(lines, place, separator, columns)
    return place + 1


def _has_row_above(lines: list[str], place: int, separator: re.Pattern[str]) -> bool:
    """Whether the line is a row like the one before it, and so has no titles."""
    above = place - 1
    if above >= 0 and _RULE.fullmatch(lines[above].strip()):
        above -= 1
    if above < 0:
        return False
    return 1 < len(cells(lines[above], separator)) == len(cells(lines[place], separator))


def _without_pair(line: str) -> str:
    """A row of a name and its value: | Password | hunter2 |."""
    spans = [(start, end) for start, end in cells(line, _SEPARATORS[0]) if line[start:end].strip()]
    if len(spans) != 2:
        return line
    (start, end), (_, last) = spans
    title = line[start:end].strip(_DRESSING)
    value = line[spans[1][0] : last].strip(_DRESSING)
    if not _TITLE.fullmatch(title) or not hides_name(title) or not any(map(str.isdigit, value)):
        return line
    return _without(line, spans, {1: title})


def _secret_columns(line: str, separator: re.Pattern[str]) -> dict[int, str]:
    """The places of the columns that name a secret, with their titles; none where the line is no
    row of titles.
    """
    if separator.search(line.strip()) is None:
        return {}
    titles = [line[start:end].strip(_DRESSING) for start, end in cells(line, separator)]
    form = _ONE_WORD if separator.pattern in ",;" else _TITLE
    written = [title for title in titles if title]
    if len(written) < 2 or not all(form.fullmatch(title) for title in written):
        return {}
    if separator.pattern in ",;" and " " in line.strip():
        return {}
    return {place: title for place, title in enumerate(titles) if title and hides_name(title)}


def _below(
    lines: list[str], place: int, separator: re.Pattern[str], columns: dict[int, str]
) -> int:
    """Hides the cells of some columns in the rows that follow."""
    width = len(cells(lines[place], separator))
    for row in range(place + 1, len(lines)):
        line = lines[row]
        if row - place > _MOST_ROWS:
            lines[row:] = [HIDDEN]
            return len(lines)
        if _RULE.fullmatch(line.strip()):
            continue
        spans = cells(line, separator)
        if len(spans) != width:
            return max(row, place + 1)
        lines[row] = _without(line, spans, columns)
    return len(lines)


def cells(line: str, separator: re.Pattern[str]) -> Spans:
    """From where to where each cell goes. Blanks around a line of columns, and signs at its ends,
    make none.
    """
    end = len(line.rstrip())
    start = len(line) - len(line.lstrip(" "))
    spans: Spans = []
    for found in separator.finditer(line, start, end):
        spans.append((start, found.start()))
        start = found.end()
    spans.append((start, end))
    return spans


def _without(line: str, spans: Spans, columns: dict[int, str]) -> str:
    pieces: list[str] = []
    done = 0
    for place, (start, end) in enumerate(spans):
        cell = line[start:end]
        value = cell.strip(_DRESSING)
        if place in columns and _is_secret(value, columns[place]):
            at = start + cell.index(value)
            pieces += [line[done:at], HIDDEN]
            done = at + len(value)
    return "".join([*pieces, line[done:]])


def _is_secret(value: str, title: str) -> bool:
    """Whether a cell holds the secret itself, and not a word about it."""
    if len(value) < 4 or any(map(str.isspace, value)) or value == HIDDEN:
        return False
    if (
        value.casefold() in _NO_SECRETS
        or _DATE.match(value)
        or _TYPE.fullmatch(value)
        or is_code(value, 0)
    ):
        return False
    if _names_password(words_of(title)):
        return True
    return len(value) >= 8 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _names_password(words: Sequence[str]) -> bool:
    return not _PASSWORDS.isdisjoint(words)
