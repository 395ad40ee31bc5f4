"""Tables on terminals of any width."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from director_ctx.doors.cli.conversations.history_handover import put_wrapped
from director_ctx.doors.cli.shared.table import aligned, put_lines, put_table
from director_ctx.doors.cli.shared.wrapping import wrapped_columns

COLUMNS = ["Session", "Client", "Last", ">Messages", "~First words"]
ROWS = [
    [
        "690ab7a7",
        "claude",
        "2026-11-18 10:01",
        "1,065",
        "Please mend the parser of the feed, and no more than that",
    ]
]
FILES = [
    [".director/goals/01-a-list-worth-opening/01-saving-links/tasks/01-keep.done.md", "893"],
    [".director/VISION.md", "13,863"],
]


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


Drawn = Callable[[int, Callable[[], None]], list[str]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """What is drawn on a terminal of some width, whose lines are no longer than that."""

    def draw(width: int, put: Callable[[], None]) -> list[str]:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", terminal)
            patch.setenv("COLUMNS", str(width))
            patch.setenv("TERM", "xterm")
            put()
        lines = re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue()).splitlines()
        for line in lines:
            assert len(line) <= width, line
        return lines

    return draw


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (120, "Please mend the parser of the feed, and no more than that"),
        (80, "Please mend the parser of the…"),
        (70, "Please mend the parser…"),
    ],
)
def test_an_excerpt_ends_with_a_whole_word_and_nothing_else_is_broken(
    width: int, said: str, drawn: Drawn
) -> None:
    lines = drawn(width, lambda: put_table(COLUMNS, ROWS))
    (line,) = [line for line in lines if "690ab7a7" in line]
    assert "2026-11-18 10:01" in line and "1,065" in line
    assert line.endswith(f"  {said}")


def test_where_a_row_does_not_fit_it_is_a_block_and_every_cell_has_its_name(
    drawn: Drawn,
) -> None:
    assert drawn(40, lambda: put_table(COLUMNS, ROWS)) == [
        "Session:",
        "690ab7a7",
        "  Client: claude; Last: 2026-11-18 10:01",
        "  Messages: 1,065",
        "  First words: Please mend the parser of",
        "    the feed, and no more than that",
    ]


@pytest.mark.parametrize("width", [30, 40, 80, 120])
def test_no_number_is_ever_cut_and_paths_are_shortened_in_the_middle(
    width: int, drawn: Drawn
) -> None:
    total = ["Total", "14,756"]
    lines = drawn(width, lambda: put_table(["/File", ">Tokens"], FILES, total))
    assert [line.split()[-1] for line in lines if line[:1] not in "-"] == [
        "Tokens", "893", "13,863", "14,756",
    ]  # fmt: skip
    path = lines[2].split()[0]
    head, _, tail = path.partition("…")
    assert FILES[0][0].startswith(head) and FILES[0][0].endswith(tail)
    assert len(lines[2]) == min(width, len(FILES[0][0]) + 8)


def test_texts_are_broken_between_words_and_stay_below_their_beginning(
    drawn: Drawn,
) -> None:
    rows = [["builder", "3,239", "writes the code of one task"]]
    columns = ["Agent", ">Tokens", "Purpose"]
    assert drawn(34, lambda: put_table(columns, rows))[2:] == [
        "builder   3,239  writes the code",
        "                 of one task",
    ]
    # Before a text is read a word at a time the columns stand closer together.
    assert drawn(30, lambda: put_table(columns, rows))[2:] == [
        "builder  3,239 writes the code",
        "               of one task",
    ]


def test_bars_are_shorter_first_and_then_gone_before_anything_else_is_broken(
    drawn: Drawn,
) -> None:
    def put() -> None:
        put_table(["Section", ">Share", "#"], [["Vision", "50%", "0.5"]])

    assert drawn(40, put)[2] == "Vision     50%  ██████████──────────"
    assert drawn(24, put)[2] == "Vision     50%  ████────"
    assert drawn(18, put)[2] == "Vision     50%"


def test_letters_that_take_two_columns_are_counted_as_two(
    drawn: Drawn,
) -> None:
    rows = [["漢字", "1"], ["abcd", "22"]]
    lines = drawn(40, lambda: put_table(["Name", ">Tokens"], rows))
    assert lines[2:] == ["漢字       1", "abcd      22"]


def test_a_long_line_goes_on_below_and_a_command_stays_in_one_piece(
    drawn: Drawn,
) -> None:
    line = ("  3 records disagree: `dctx doctor --fix`", "")
    assert drawn(30, lambda: put_lines([line])) == [
        "  3 records disagree:",
        "    `dctx doctor --fix`",
    ]


def test_in_a_pipe_nothing_is_shortened(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put_table(["/File", ">Share", "#", "~Words"], [[FILES[0][0], "50%", "0.5", ROWS[0][-1]]])
    out = capfdbinary.readouterr().out.decode()
    assert FILES[0][0] in out and ROWS[0][-1] in out
    assert aligned(("~", ">"), [["a" * 300, "1"]]) == [f"{'a' * 300}  1"]


def test_the_last_column_goes_on_below_itself_or_below_the_line() -> None:
    line = "   <vision>   553 tokens  what the project is, and for whom"

    assert wrapped_columns(line, 80) == [line]
    assert wrapped_columns(line, 48) == [
        "   <vision>   553 tokens  what the project is,",
        "                          and for whom",
    ]
    assert wrapped_columns(line, 40) == [
        "   <vision>   553 tokens",
        "     what the project is, and for whom",
    ]
    assert wrapped_columns(line, 23) == [
        "   <vision>  553 tokens",
        "     what the project",
        "     is, and for whom",
    ]


def test_a_line_that_begins_too_far_to_the_right_begins_further_left() -> None:
    line = f"{' ' * 31}Have an agent do the next task."
    assert wrapped_columns(line, 40) == ["   Have an agent do the next task."]
    assert wrapped_columns("one sentence without columns", 20) == [
        "one sentence without",
        "  columns",
    ]


def test_a_hand_over_is_broken_between_words(drawn: Drawn) -> None:
    request = "- " + "Make the hull dry. " * 40
    lines = drawn(40, lambda: put_wrapped(f"## Asked\n\n{request}\n"))
    assert len(lines) > 20 and " ".join(lines[2:]).split() == request.split()
