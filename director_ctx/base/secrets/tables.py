"""Tables in a text: what stands under a title such as Password, in Markdown, in columns, or between
commas.
"""

from __future__ import annotations

import re

from director_ctx.base.secrets.code import is_code
from director_ctx.base.secrets.find_shapes import HIDDEN
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
    index = 0
    while index < len(lines):
        index = _after_table(lines, index)
    return "".join(lines)


def _after_table(lines: list[str], top: int) -> int:
    """Hides what is to be hidden in the table that begins there; where it ends, or the next line if
    there is none.
    """
    titles = lines[top]
    if len(titles) > _LONGEST_TITLES or not _TWO_CELLS.search(titles):
        return top + 1

    if titles.lstrip(" ").startswith("|"):
        titles = _without_pair(titles)
        lines[top] = titles

    for separator in _SEPARATORS:
        columns = _secret_columns(titles, separator)
        if columns and not _has_row_above(lines, top, separator):
            return _below(lines, top, separator, columns)
    return top + 1


def _has_row_above(lines: list[str], index: int, separator: re.Pattern[str]) -> bool:
    """Whether the line is a row like the one before it, and so has no titles."""
    above = index - 1
    if above >= 0 and _RULE.fullmatch(lines[above].strip()):
        above -= 1
    if above < 0:
        return False
    width_above = len(cells(lines[above], separator))
    width = len(cells(lines[index], separator))
    return 1 < width_above == width


def _without_pair(line: str) -> str:
    """A row of a name and its value: | Password | hunter2 |."""
    bar = _SEPARATORS[0]
    spans: Spans = []
    for start, end in cells(line, bar):
        if line[start:end].strip():
            spans.append((start, end))
    if len(spans) != 2:
        return line

    title, value = _titles(line, spans)
    if not _TITLE.fullmatch(title) or not hides_name(title):
        return line
    if not any(map(str.isdigit, value)):
        return line
    return _without(line, spans, {1: title})


def _secret_columns(line: str, separator: re.Pattern[str]) -> dict[int, str]:
    """The numbers of the columns that name a secret, with their titles; none where the line is no
    row of titles.
    """
    if separator.search(line.strip()) is None:
        return {}

    titles = _titles(line, cells(line, separator))
    # Commas and semicolons stand in sentences, too: there every title is one word.
    form = _TITLE
    if separator.pattern in ",;":
        form = _ONE_WORD
        if " " in line.strip():
            return {}
    written = list(filter(None, titles))
    if len(written) < 2 or not all(map(form.fullmatch, written)):
        return {}

    secret: dict[int, str] = {}
    for column, title in enumerate(titles):
        if title and hides_name(title):
            secret[column] = title
    return secret


def _titles(line: str, spans: Spans) -> list[str]:
    """What stands in the cells, without blanks, stars and quotes around it."""
    return [line[start:end].strip(_DRESSING) for start, end in spans]


def _below(lines: list[str], top: int, separator: re.Pattern[str], columns: dict[int, str]) -> int:
    """Hides the cells of some columns in the rows that follow."""
    width = len(cells(lines[top], separator))
    for index in range(top + 1, len(lines)):
        line = lines[index]
        if index - top > _MOST_ROWS:
            lines[index:] = [HIDDEN]
            return len(lines)
        if _RULE.fullmatch(line.strip()):
            continue
        spans = cells(line, separator)
        if len(spans) != width:
            return index
        lines[index] = _without(line, spans, columns)
    return len(lines)


def cells(line: str, separator: re.Pattern[str]) -> Spans:
    """From where to where each cell goes. Blanks around a line of columns, and signs at its ends,
    make none.
    """
    end = len(line.rstrip())
    start = len(line) - len(line.lstrip(" "))
    spans: Spans = []
    for sign in separator.finditer(line, start, end):
        spans.append((start, sign.start()))
        start = sign.end()
    spans.append((start, end))
    return spans


def _without(line: str, spans: Spans, columns: dict[int, str]) -> str:
    pieces: list[str] = []
    done = 0
    for column, (start, end) in enumerate(spans):
        cell = line[start:end]
        value = cell.strip(_DRESSING)
        if column in columns and _is_secret(value, columns[column]):
            value_start = start + cell.index(value)
            pieces.append(line[done:value_start])
            pieces.append(HIDDEN)
            done = value_start + len(value)
    pieces.append(line[done:])
    return "".join(pieces)


def _is_secret(value: str, title: str) -> bool:
    """Whether a cell holds the secret itself, and not a word about it."""
    if len(value) < 4 or any(map(str.isspace, value)):
        return False
    if value == HIDDEN or value.casefold() in _NO_SECRETS:
        return False
    if _DATE.match(value) or _TYPE.fullmatch(value) or is_code(value, 0):
        return False

    if _names_password(words_of(title)):
        return True
    has_digit = any(map(str.isdigit, value))
    has_letter = any(map(str.isalpha, value))
    return len(value) >= 8 and has_digit and has_letter


def _names_password(words: Sequence[str]) -> bool:
    return not _PASSWORDS.isdisjoint(words)
