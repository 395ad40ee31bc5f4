"""Rows of text: aligned and plain in a pipe, a rich table on a terminal."""

from __future__ import annotations

import sys

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RIGHT = ">"
SPACE, LEAST = 3, 12
"""Columns of a terminal that each of a table takes beside its cells; those that are worth having of
the last one.
"""
MOST_SHOWN = 20
"""Rows of a history, unless more are asked for."""


def rows_wanted(last: str | None) -> int:
    """The number that `--last` says; 0 where it was not given."""
    if last is None:
        return 0
    # `isdigit` alone takes digits of other scripts, and Python refuses to read thousands of them.
    is_number = last.isascii() and last.isdigit() and len(last) < 10
    if not is_number or not int(last):
        raise UsageProblem(
            f"--last {last}: that is not a number.", "Say how many of the newest you want to see."
        )
    return int(last)


def most_rows(last: int, as_json: bool) -> int:
    """How many rows of a history are shown; 0 for all of them, which a script gets unasked."""
    if last:
        return last
    return 0 if as_json else MOST_SHOWN


def put_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    total: Sequence[str] = (),
    title: str = "",
) -> None:
    """Prints a table; a column whose name begins with `>` is set to the right.

    On a narrow terminal the last column is shorter, and is left out where little would be left of
    it.
    """
    # Titles and names come out of files that anybody may have written.
    rows = [list(map(plain, row)) for row in rows]
    if sys.stdout and sys.stdout.isatty():
        _rich(columns, rows, total, title)
        return

    lines = plain_lines(columns, rows, total)
    if title:
        lines = [title, *lines]
    put("\n".join(lines) + "\n")


def plain_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str] = ()
) -> list[str]:
    """The table for a pipe: two blanks between columns, none at the end of a line."""
    every_row = _with_ends(columns, rows, total)
    widths = []
    for cells in zip(*every_row, strict=True):
        widths.append(max(map(len, cells)))
    gaps = len(widths) - 1
    rule = "-" * (sum(widths) + 2 * gaps)

    head, *lines = [_line(columns, widths, row) for row in every_row]
    if total:
        lines.insert(-1, rule)
    return [head, rule, *lines]


def _with_ends(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str]
) -> list[Sequence[str]]:
    """The rows below the names of their columns, and above their total if there is one."""
    names = [column.removeprefix(RIGHT) for column in columns]
    every_row = [names, *rows]
    if total:
        every_row.append(total)
    return every_row


def _line(columns: Sequence[str], widths: Sequence[int], row: Sequence[str]) -> str:
    cells = []
    for column, width, cell in zip(columns, widths, row, strict=True):
        if column.startswith(RIGHT):
            cells.append(cell.rjust(width))
        else:
            cells.append(cell.ljust(width))
    return "  ".join(cells).rstrip()


def _rich(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str], title: str
) -> None:
    # Loaded for a terminal alone: it takes longer than most commands, and a pipe does without.
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    _replace_missing_letters()
    console = Console(highlight=False)
    is_wide = _width(columns, rows, total) > console.width
    # Only a list loses its last column; of an account every number counts.
    if is_wide and not total and len(columns) > 4:
        columns, rows = _narrower(columns, rows, console.width)

    table = Table(box=SIMPLE_HEAD, title_justify="left", show_footer=bool(total))
    if title:
        table.title = Text(title, "bold")

    for number, column in enumerate(columns):
        is_number = column.startswith(RIGHT)
        footer = Text("")
        if total:
            footer = Text(total[number], "bold")
        table.add_column(
            column.removeprefix(RIGHT),
            footer,
            justify="right" if is_number else "left",
            # The first is a name or an id that somebody copies, so it stays in one piece.
            no_wrap=is_number or number == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _narrower(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> tuple[Sequence[str], list[list[str]]]:
    """The table with a shorter last column, or without it."""
    others = [list(row[:-1]) for row in rows]
    room = width - _width(columns[:-1], others, ()) - SPACE
    if room < LEAST:
        return columns[:-1], others

    for row, cells in zip(rows, others, strict=True):
        last = row[-1]
        if len(last) > room:
            last = f"{last[: room - 1]}…"
        cells.append(last)
    return columns, others


def _width(columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str]) -> int:
    """How many columns of a terminal a table takes."""
    width = 1
    for cells in zip(*_with_ends(columns, rows, total), strict=True):
        width += max(map(len, cells)) + SPACE
    return width


def put_lines(lines: Sequence[tuple[str, str]], tabs: bool = False) -> None:
    """Lines with a style each; styles show on a terminal only. In a patch tabs stay tabs."""
    clean = plain
    if tabs:
        clean = _with_tabs
    lines = [(clean(text), style) for text, style in lines]
    if sys.stdout and sys.stdout.isatty():
        _rich_lines(lines)
        return

    put("".join(f"{text}\n" for text, _ in lines))


def put_unstyled(lines: Iterable[str]) -> None:
    """Lines as they are."""
    put_lines([(line, "") for line in lines])


def _with_tabs(text: str) -> str:
    return "\t".join(map(plain, text.split("\t")))


def _rich_lines(lines: Sequence[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.text import Text

    _replace_missing_letters()
    console = Console(highlight=False, soft_wrap=True)
    for text, style in lines:
        console.print(Text(text, style))


def _replace_missing_letters() -> None:
    """A terminal that lacks a letter shows a question mark."""
    # Not every stream that says it is a terminal is one of Python's own.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
