"""A table on a terminal of any width. No number is cut: texts are broken between words, paths are
shortened in the middle, bars are drawn shorter; and where that is not enough each row is a block of
its own.
"""

from __future__ import annotations

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
    if not cell:
        return ""
    return shown_bar(float(cell), width)


def terminal_lines(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    total: Sequence[str],
    width: int,
) -> Lines:
    """The lines of a table with their styles."""
    names = [column_kind(column)[1] for column in columns]
    every_row = [names, *rows]
    if total:
        every_row.append(total)

    with_bars = _measured(columns, every_row)
    without = _without_bars(with_bars)
    best: Lines = []
    for shown, gap in ((with_bars, GAP), (without, GAP), (without, NARROW_GAP)):
        widths = _fitted(shown, width - gap * (len(shown) - 1))
        if widths:
            best = _table(shown, widths, gap, every_row, bool(total))
        if widths and _is_easily_read(shown, widths):
            break
    return best or _blocks(without, every_row[1:], width)


def _is_easily_read(columns: Sequence[TableColumn], widths: Sequence[int]) -> bool:
    """Whether no text has to be read a word at a time."""
    for column, width in zip(columns, widths, strict=True):
        if column.kind == TEXT and width < min(column.natural, EASILY_READ):
            return False
    return True


def terminal_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Rows without a head; a row that is still too long is as long as it is."""
    with_bars = [_unbroken(column) for column in _measured(columns, rows)]
    without = _without_bars(with_bars)
    for shown in (with_bars, without):
        widths = _fitted(shown, width - GAP * (len(shown) - 1))
        if widths:
            break
    else:
        widths = [column.natural for column in shown]

    lines = []
    for row in rows:
        lines += _row_lines(shown, widths, GAP, row)
    return lines


def _unbroken(column: TableColumn) -> TableColumn:
    """A text stays in one line."""
    if column.kind == TEXT:
        return column.replace(least=column.natural)
    return column


def _without_bars(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """A bar only shows what a number says, so nothing is lost with it."""
    return [column for column in columns if column.kind != BAR]


def _measured(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[TableColumn]:
    measured = []
    for number, column in enumerate(columns):
        kind, name = column_kind(column)
        texts = [row[number] for row in rows]
        natural, least = _room(kind, texts)
        measured.append(TableColumn(number, kind, name, natural, least))
    return measured


def _room(kind: str, texts: Sequence[str]) -> tuple[int, int]:
    """What a column takes, and the least with which it says the same."""
    if kind == BAR:
        return BAR_WIDTH, LEAST[BAR]
    natural = max(map(cells, texts))
    if kind == RIGHT:
        return natural, natural
    if kind == TEXT:
        return natural, max(map(narrowest, texts))
    least = LEAST[kind] + max(map(depth, texts))
    return natural, min(natural, least)


def _fitted(columns: Sequence[TableColumn], room: int) -> list[int]:
    """The width of each column; nothing where they do not fit."""
    widths = [column.natural for column in columns]
    too_many = sum(widths) - room
    for kinds in ((BAR,), (EXCERPT,), (PATH, TEXT)):
        while too_many > 0:
            widest = _widest(columns, widths, kinds)
            if widest is None:
                break
            widths[widest] -= 1
            too_many -= 1
    if too_many > 0:
        return []
    return widths


def _widest(
    columns: Sequence[TableColumn], widths: Sequence[int], kinds: Sequence[str]
) -> int | None:
    """The widest column of these kinds that can be narrower."""
    widest = None
    for number, column in enumerate(columns):
        can_shrink = column.kind in kinds and widths[number] > column.least
        if can_shrink and (widest is None or widths[number] > widths[widest]):
            widest = number
    return widest


def _table(
    columns: Sequence[TableColumn],
    widths: Sequence[int],
    gap: int,
    every_row: Sequence[Sequence[str]],
    has_total: bool,
) -> Lines:
    """The names of the columns, the rows below them, and their total at the end if there is one."""
    rule = ("-" * (sum(widths) + gap * (len(widths) - 1)), "dim")
    names, *rows = every_row
    # Above a bar stands its name as text.
    head = [_as_text(column) for column in columns]

    lines = [(line, "bold") for line in _row_lines(head, widths, gap, names)]
    lines.append(rule)
    for number, row in enumerate(rows, 1):
        style = ""
        if has_total and number == len(rows):
            style = "bold"
            lines.append(rule)
        lines += [(line, style) for line in _row_lines(columns, widths, gap, row)]
    return lines


def _as_text(column: TableColumn) -> TableColumn:
    if column.kind == BAR:
        return column.replace(kind=TEXT)
    return column


def _row_lines(
    columns: Sequence[TableColumn], widths: Sequence[int], gap: int, row: Sequence[str]
) -> list[str]:
    """One row: as many lines as its longest text needs."""
    cell_lines = []
    for column, width in zip(columns, widths, strict=True):
        cell_lines.append(_cell_lines(column.kind, row[column.place], width))

    lines = []
    for number in range(max(map(len, cell_lines))):
        parts = []
        for column, width, texts in zip(columns, widths, cell_lines, strict=True):
            text = ""
            if number < len(texts):
                text = texts[number]
            parts.append(filled(text, width, column.kind == RIGHT))
        lines.append((" " * gap).join(parts).rstrip())
    return lines


def _cell_lines(kind: str, cell: str, width: int) -> list[str]:
    if kind == BAR:
        return [bar_cell(cell, width)]
    # What is set below its parent stays there.
    indent = " " * depth(cell)
    if kind == PATH:
        name = shortened_in_the_middle(cell.lstrip(" "), width - len(indent))
        return [f"{indent}{name}"]
    if kind == EXCERPT:
        return [shortened_at_the_end(cell, width)]
    return wrapped(cell, width, indent)


def _blocks(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int) -> Lines:
    """Each row as a block: its first cell, and below it the others with their names."""
    first, *others = columns
    lines: Lines = []
    if first.kind != RIGHT and first.name:
        lines.append((f"{first.name}:", "dim"))
    for row in rows:
        heading = row[first.place]
        # A number says nothing without its name.
        if first.kind == RIGHT:
            heading = f"{first.name} {heading}"
        lines += [(line, "bold") for line in wrapped(heading, width, INDENT)]
        lines += [(line, "") for line in _named_cells(others, row, width)]
    return lines


def _named_cells(columns: Sequence[TableColumn], row: Sequence[str], width: int) -> list[str]:
    """As many cells in a line as fit, none of them broken that fits into a line."""
    lines: list[str] = []
    for column in columns:
        cell = row[column.place].strip()
        if not cell or cell == NOTHING:
            continue
        named = f"{column.name}: {cell}".removeprefix(": ")
        if lines and cells(f"{lines[-1]}; {named}") <= width:
            lines[-1] += f"; {named}"
        else:
            lines += wrapped(f"{INDENT}{named}", width, INDENT * 2)
    return lines
