"""A table on a terminal of any width. No number is cut: texts are broken between words, paths are
shortened in the middle, bars are drawn shorter; and where that is not enough each row is a block of
its own.
"""

from __future__ import annotations

from itertools import zip_longest

from director_ctx.base.record import Record
from director_ctx.doors.cli.shared.output import BAR_WIDTH, shown_bar
from director_ctx.doors.cli.shared.wrapping import (
    cells,
    depth,
    filled,
    narrowest,
    shortened_at_the_end,
    shortened_in_the_middle,
    wrapped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Lines = list[tuple[str, str]]

TEXT, RIGHT, PATH, BAR, EXCERPT = "", ">", "/", "#", "~"
"""Kinds of columns, by the mark before a column's name: text, numbers, paths, bars (their cells are
shares, as in 0.25), and texts of which the beginning is enough.
"""
KINDS = (RIGHT, PATH, BAR, EXCERPT)
GAP, NARROW_GAP = 2, 1
EASILY_READ = 14
NOTHING = "-"
INDENT = "  "
LEAST = {PATH: 16, BAR: 5, EXCERPT: 16}
"""Columns of a terminal below which a cell of this kind is not worth having."""


class TableColumn(Record):
    place: int
    """Of its cell in every row."""
    kind: str
    name: str
    natural: int
    least: int


def column_kind(column: str) -> tuple[str, str]:
    """A column's kind and its name without the mark."""
    for kind in KINDS:
        if column.startswith(kind):
            return kind, column.removeprefix(kind)
    return TEXT, column


def bar_cell(cell: str, width: int = BAR_WIDTH) -> str:
    """A share as a bar; nothing where there is no share."""
    return shown_bar(float(cell), width) if cell else ""


def terminal_lines(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    total: Sequence[str],
    width: int,
) -> Lines:
    """The lines of a table with their styles."""
    names = [column_kind(column)[1] for column in columns]
    every_row = [names, *rows, *([total] if total else [])]
    with_bars = _measured(columns, every_row)
    without = _without_bars(with_bars)
    best: Lines = []
    for shown, gap in ((with_bars, GAP), (without, GAP), (without, NARROW_GAP)):
        widths = _fitted(shown, width - gap * (len(shown) - 1))
        if not widths:
            continue
        best = _table(shown, widths, gap, every_row, bool(total))
        # No text has to be read a word at a time.
        texts = [pair for pair in zip(shown, widths, strict=True) if pair[0].kind == TEXT]
        if all(room >= min(column.natural, EASILY_READ) for column, room in texts):
            break
    return best or _blocks(without, every_row[1:], width)


def terminal_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Rows without a head, each text in one line; a row that is still too long is as long as it is."""
    with_bars = []
    for column in _measured(columns, rows):
        is_text = column.kind == TEXT
        with_bars.append(column.replace(least=column.natural) if is_text else column)
    without = _without_bars(with_bars)
    shown, widths = without, [column.natural for column in without]
    for tried in (with_bars, without):
        fitted = _fitted(tried, width - GAP * (len(tried) - 1))
        if fitted:
            shown, widths = tried, fitted
            break
    return [line for row in rows for line in _row_lines(shown, widths, GAP, row)]


def _without_bars(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """A bar only shows what a number says, so nothing is lost with it."""
    return [column for column in columns if column.kind != BAR]


def _measured(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[TableColumn]:
    """What each column takes, and the least with which it says the same."""
    measured = []
    for number, column in enumerate(columns):
        kind, name = column_kind(column)
        texts = [row[number] for row in rows]
        natural = BAR_WIDTH if kind == BAR else max(map(cells, texts), default=0)
        least = natural
        if kind == TEXT:
            least = max(map(narrowest, texts), default=0)
        elif kind == BAR:
            least = LEAST[BAR]
        elif kind != RIGHT:
            least = min(natural, LEAST[kind] + max(map(depth, texts), default=0))
        measured.append(TableColumn(number, kind, name, natural, least))
    return measured


def _fitted(columns: Sequence[TableColumn], room: int) -> list[int]:
    """The width of each column; nothing where they do not fit."""
    widths = [column.natural for column in columns]
    too_many = sum(widths) - room
    for kinds in ((BAR,), (EXCERPT,), (PATH, TEXT)):
        while too_many > 0:
            # The widest column of these kinds that can be narrower, of several the first.
            can_shrink = [
                number
                for number, column in enumerate(columns)
                if column.kind in kinds and widths[number] > column.least
            ]
            if not can_shrink:
                break
            widths[max(can_shrink, key=widths.__getitem__)] -= 1
            too_many -= 1
    return [] if too_many > 0 else widths


def _table(
    columns: Sequence[TableColumn],
    widths: Sequence[int],
    gap: int,
    every_row: Sequence[Sequence[str]],
    has_total: bool,
) -> Lines:
    """The names of the columns, the rows below them, and their total at the end if there is one."""
    rule = ("-" * (sum(widths) + gap * (len(widths) - 1)), "dim")
    # Above a bar stands its name as text.
    head = [column.replace(kind=TEXT) if column.kind == BAR else column for column in columns]
    lines = [(line, "bold") for line in _row_lines(head, widths, gap, every_row[0])]
    lines.append(rule)
    for number, row in enumerate(every_row[1:], 2):
        is_total = has_total and number == len(every_row)
        if is_total:
            lines.append(rule)
        style = "bold" if is_total else ""
        lines += [(line, style) for line in _row_lines(columns, widths, gap, row)]
    return lines


def _row_lines(
    columns: Sequence[TableColumn], widths: Sequence[int], gap: int, row: Sequence[str]
) -> list[str]:
    """One row: as many lines as its longest text needs."""
    pairs = list(zip(columns, widths, strict=True))
    texts = [_cell_lines(column.kind, row[column.place], width) for column, width in pairs]
    lines = []
    for cells_of_line in zip_longest(*texts, fillvalue=""):
        parts = []
        for (column, width), text in zip(pairs, cells_of_line, strict=True):
            parts.append(filled(text, width, column.kind == RIGHT))
        lines.append((" " * gap).join(parts).rstrip())
    return lines


def _cell_lines(kind: str, cell: str, width: int) -> list[str]:
    if kind == BAR:
        return [bar_cell(cell, width)]
    if kind == EXCERPT:
        return [shortened_at_the_end(cell, width)]
    # What is set below its parent stays there.
    indent = " " * depth(cell)
    if kind == PATH:
        return [indent + shortened_in_the_middle(cell.lstrip(" "), width - len(indent))]
    return wrapped(cell, width, indent)


def _blocks(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int) -> Lines:
    """Each row as a block: its first cell, and below it the others with their names, as many in a line
    as fit, and none of them broken that fits into a line.
    """
    first, *others = columns
    is_number = first.kind == RIGHT
    lines: Lines = []
    if first.name and not is_number:
        lines.append((f"{first.name}:", "dim"))
    for row in rows:
        # A number says nothing without its name.
        heading = f"{first.name} {row[first.place]}" if is_number else row[first.place]
        lines += [(line, "bold") for line in wrapped(heading, width, INDENT)]
        below: list[str] = []
        for column in others:
            cell = row[column.place].strip()
            if not cell or cell == NOTHING:
                continue
            named = f"{column.name}: {cell}".removeprefix(": ")
            if below and cells(f"{below[-1]}; {named}") <= width:
                below[-1] += f"; {named}"
            else:
                below += wrapped(f"{INDENT}{named}", width, INDENT * 2)
        lines += [(line, "") for line in below]
    return lines
