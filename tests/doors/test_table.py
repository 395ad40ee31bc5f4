"""Tables on terminals of any width."""

from __future__ import annotations

import io

import pytest

from director_ctx.doors.cli.shared.table import put_table

COLUMNS = ["Session", "Client", "Last", ">Messages", "First words"]
ROWS = [
    [
        "690ab7a7",
        "claude",
        "2026-11-18 10:01",
        "1,065",
        "Please mend the parser of the feed, and no more than that",
    ]
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (120, "Please mend the parser of the feed, and no more than that"),
        (80, "Please mend the parser of"),
        (60, ""),
    ],
)
def test_the_last_column_is_shortened_and_then_left_out_and_nothing_else_is_broken(
    width: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    put_table(COLUMNS, ROWS)
    (line,) = [line for line in terminal.getvalue().splitlines() if "690ab7a7" in line]
    assert "2026-11-18 10:01" in line and "1,065" in line and len(line.rstrip()) <= width
    assert said in line if said else "Please" not in terminal.getvalue()
