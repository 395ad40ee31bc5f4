"""Rows of text: aligned and plain in a pipe, a rich table on a terminal."""

from __future__ import annotations

import sys

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if not (last.isascii() and last.isdigit() and len(last) < 10 and int(last)):
        raise UsageProblem(
            f"--last {last}: that is not a number.", "Say how many of the newest you want to see."
        )
    return int(last)


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
    from director_ctx.doors.cli.shared.output import put

    rows = [[plain(cell) for cell in row] for row in rows]

    if sys.stdout and sys.stdout.isatty():
        _rich(columns, rows, total, title)
    else:
        put("\n".join([*([title] if title else []), *plain_lines(columns, rows, total)]) + "\n")


def plain_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str] = ()
) -> list[str]:
    names = [column.removeprefix(RIGHT) for column in columns]
    everything = [names, *rows, *([total] if total else [])]
    widths = [max(len(row[place]) for row in everything) for place in range(len(columns))]
    lines = [_line(columns, widths, row) for row in everything]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return [lines[0], rule, *lines[1 : len(rows) + 1], *([rule, lines[-1]] if total else [])]


def _line(columns: Sequence[str], widths: Sequence[int], row: Sequence[str]) -> str:
    cells = [
        cell.rjust(width) if column.startswith(RIGHT) else cell.ljust(width)
        for column, width, cell in zip(columns, widths, row, strict=True)
    ]
    return "  ".join(cells).rstrip()


def _rich(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str], title: str
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    _forgive()
    console = Console(highlight=False)
    wide = _too_wide(columns, rows, total, console.width)
    if wide and not total and len(columns) > 4:
        columns, rows = _narrower(columns, rows, console.width)
        wide = _too_wide(columns, rows, total, console.width)
    table = Table(
        box=SIMPLE_HEAD,
        title=Text(title, "bold") if title else None,
        title_justify="left",
        show_footer=bool(total),
    )
    for place, column in enumerate(columns):
        footer = Text(total[place], "bold") if total else ""
        table.add_column(
            column.removeprefix(RIGHT),
            footer,
            justify="right" if column.startswith(RIGHT) else "left",
            no_wrap=column.startswith(RIGHT) or place == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _narrower(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> tuple[Sequence[str], list[list[str]]]:
    others = [row[:-1] for row in rows]
    left = width - _wide(columns[:-1], others, ()) - SPACE
    if left < LEAST:
        return columns[:-1], [list(row) for row in others]
    return columns, [
        [*row[:-1], row[-1] if len(row[-1]) <= left else f"{row[-1][: left - 1]}…"] for row in rows
    ]


def _too_wide(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str], width: int
) -> bool:
    return _wide(columns, rows, total) > width


def _wide(columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str]) -> int:
    """How many columns of a terminal a table takes."""
    everything = [
        [column.removeprefix(RIGHT) for column in columns],
        *rows,
        *([total] if total else []),
    ]
    return sum(max(map(len, cells)) + SPACE for cells in zip(*everything, strict=True)) + 1


def put_lines(lines: Sequence[tuple[str, str]], tabs: bool = False) -> None:
    """Lines with a style each; styles show on a terminal only. In a patch tabs stay tabs."""
    lines = [
        ("\t".join(map(plain, text.split("\t"))) if tabs else plain(text), style)
        for text, style in lines
    ]
    if sys.stdout and sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        _forgive()
        console = Console(highlight=False, soft_wrap=True)
        for text, style in lines:
            console.print(Text(text, style))
        return
    from director_ctx.doors.cli.shared.output import put

    put("".join(f"{text}\n" for text, _ in lines))


def _forgive() -> None:
    """A terminal that lacks a letter shows a question mark."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
