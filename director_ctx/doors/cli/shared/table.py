"""Rows of text: aligned and plain in a pipe, fitted to its width on a terminal."""

from __future__ import annotations

import sys

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import is_on_screen, put
from director_ctx.doors.cli.shared.terminal_table import (
    BAR,
    RIGHT,
    bar_cell,
    column_kind,
    terminal_lines,
    terminal_rows,
)
from director_ctx.doors.cli.shared.wrapping import NARROWEST_COLUMN, depth, wrapped, wrapped_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_SHOWN = 20
"""Rows of a history, unless more are asked for."""
USUAL_WIDTH = 80


def rows_wanted(last: str | None) -> int:
    """The number that `--last` says; 0 where it was not given."""
    if last is None:
        return 0
    # `isdigit` alone takes digits of other scripts, and Python refuses to read thousands of them.
    is_number = last.isascii() and last.isdigit() and len(last) < 10
    if not is_number or not int(last):
        raise UsageProblem(
            f"--last {last}: that is no number above 0.",
            "Say how many of the newest you want to see.",
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
    """Prints a table. The mark before a column's name says what it holds: `>` numbers, `/` paths, `#`
    shares that are shown as bars, `~` texts of which the beginning is enough on a terminal.
    """
    # Titles and names come out of files that anybody may have written.
    rows = [list(map(plain, row)) for row in rows]
    if not is_on_screen():
        lines = plain_lines(columns, rows, total)
        put("\n".join([title, *lines] if title else lines) + "\n")
        return
    width = _terminal_width()
    styled = terminal_lines(columns, rows, total, width)
    if title:
        styled = [*((line, "bold") for line in wrapped(title, width, "  ")), *styled]
    _rich_lines(styled)


def plain_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str] = ()
) -> list[str]:
    """The table for a pipe: two blanks between columns, none at the end of a line, nothing cut."""
    kinds = [column_kind(column)[0] for column in columns]
    every_row = [[column_kind(column)[1] for column in columns]]
    for row in (*rows, total) if total else rows:
        pairs = zip(kinds, row, strict=True)
        every_row.append([bar_cell(cell) if kind == BAR else cell for kind, cell in pairs])
    widths = [max(map(len, cells)) for cells in zip(*every_row, strict=True)]
    lines = []
    for row in every_row:
        parts = []
        for kind, width, cell in zip(kinds, widths, row, strict=True):
            parts.append(cell.rjust(width) if kind == RIGHT else cell.ljust(width))
        lines.append("  ".join(parts).rstrip())
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    if total:
        lines.insert(-1, rule)
    return [lines[0], rule, *lines[1:]]


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows without a head, one line each, as wide as the terminal allows: cells under each other,
    for a line among others. Columns as for `put_table`.
    """
    rows = [list(map(plain, row)) for row in rows]
    if is_on_screen():
        return terminal_rows(columns, rows, _terminal_width())
    return plain_lines(columns, rows)[2:] if rows else []


def put_columns(lines: Sequence[tuple[str, str]]) -> None:
    """Lines with a style each, in which two blanks or more set columns apart."""
    if not is_on_screen():
        put_lines(lines)
        return
    width = _terminal_width()
    shorter = []
    for text, style in lines:
        shorter += [(line, style) for line in wrapped_columns(plain(text), width)]
    _rich_lines(shorter)


def put_lines(lines: Iterable[tuple[str, str]], tabs: bool = False) -> None:
    """Lines with a style each; styles show on a terminal only, where a long line is broken between
    words. A patch keeps its tabs and its lines.
    """
    shown = _with_tabs if tabs else plain
    styled = [(shown(text), style) for text, style in lines]
    if is_on_screen() and not tabs:
        # What does not fit goes on below, a little further in than its line.
        width = _terminal_width()
        shorter = []
        for text, style in styled:
            below = " " * (depth(text) + 2)
            shorter += [(line, style) for line in wrapped(text, width, below)]
        styled = shorter
    _put(styled)


def put_unstyled(lines: Iterable[str]) -> None:
    """Lines as they are, which somebody may copy."""
    _put([(plain(line), "") for line in lines])


def _put(lines: Sequence[tuple[str, str]]) -> None:
    if is_on_screen():
        _rich_lines(lines)
    else:
        put("".join(f"{text}\n" for text, _ in lines))


def sentence_lines(text: str, column: int = 0) -> list[str]:
    """A text as lines that all begin in one column; a pipe has lines of any length."""
    if not text or not is_on_screen():
        return [text] if text else []
    return wrapped(text, max(NARROWEST_COLUMN, _terminal_width() - column))


def line_width() -> int:
    """How long a line may be: as the terminal is wide, and in a pipe as most terminals are."""
    return _terminal_width() if is_on_screen() else USUAL_WIDTH


def _with_tabs(text: str) -> str:
    return "\t".join(map(plain, text.split("\t")))


def _terminal_width() -> int:
    from rich.console import Console

    return Console().width


def _rich_lines(lines: Sequence[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.text import Text

    # A terminal that lacks a letter shows a question mark. Not every stream that says it is a
    # terminal is one of Python's own.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    console = Console(highlight=False, soft_wrap=True)
    for text, style in lines:
        console.print(Text(text, style))
