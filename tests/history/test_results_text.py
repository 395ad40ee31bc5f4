"""Single results made shorter: what stays of a long text, and of what a console said."""

from __future__ import annotations

from director_ctx.history.results.console import grouped
from director_ctx.history.results.long_text import shortened


def test_of_lines_that_signal_something_the_last_ones_stay_as_far_as_there_is_room() -> None:
    filler = ["plain"] * 100
    long_line = "error: " + "x" * 150
    last_line = "error: " + "y" * 100
    middle = ["error: old", *filler, long_line, *filler, last_line]
    text = "\n".join([*filler, *middle, *filler])

    lines = shortened(text, 1000).split("\n")
    signals = [line for line in lines if line.startswith("error")]
    # The long one has no room, and what came before it is not told without it.
    assert signals == [last_line]
    assert lines.count("…") == 2

    roomy = shortened(text, 1500).split("\n")
    assert [line for line in roomy if line.startswith("error")] == [
        "error: old",
        long_line,
        last_line,
    ]


def test_what_a_console_said_to_debug_is_only_counted() -> None:
    said = [f"[debug] step {number}" for number in range(4)]
    said += [f"[info] part {number}" for number in range(4)]
    assert grouped("\n".join(said)).split("\n") == [
        "info: 4",
        "  part 0",
        "  part 1",
        "  … 2 more",
        "debug: 4",
    ]
