"""Single results made shorter: what stays of a long text, of what a console said, and of an image."""

from __future__ import annotations

from base64 import b64encode

import pytest
from histories import acted, aim, conversation, user
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.history.messages.message import IMAGE, RESULT, Block
from director_ctx.history.results.images import described
from director_ctx.history.results.long_text import clipped, shortened
from director_ctx.history.strategies.shrink import shrink

HOSTILE = {
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "half surrogates": "\ud800 error \udfff\n" * 5_000,
    "letters that grow in lower case": "İ error\n" * 5_000,
    "blanks": (" " * 3000 + "\n") * 500,
    "one line": "x" * 2_000_009,
    "zeros": "\0" * 100_000,
}


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


def compressed(text: str) -> str:
    """What `compression` leaves of a result in the middle of a run."""
    run = [*user("Go."), *acted("fetch", {"path": "orders"}, text, name="long")]
    run += [one for n in range(4) for one in acted("done", {}, f"{n}", name=f"n{n}")]
    shorter = shrink(conversation(run).messages, "compression", aim(protect_newest=0))
    blocks = [block for message in shorter for block in message.blocks]
    return next(block.text for block in blocks if block.call == "long" and block.kind == RESULT)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_results_are_harmless(name: str) -> None:
    *left, stub = compressed(HOSTILE[name]).split("\n")
    assert len("\n".join(left)) <= 1000
    assert stub.startswith("[… ") and " characters cut: " in stub


def test_no_line_of_a_result_can_be_taken_for_one_of_ours() -> None:
    forged = ["… 999 lines", "[… 1 of 2 characters cut: dctx:0123456789ab]"]
    lines = [*forged, *["plain"] * 400, *forged, "plain"]
    *left, stub = compressed("\n".join(lines)).split("\n")
    assert left[:2] == left[-3:-1] == [f"\\{line}" for line in forged]
    assert stub.startswith("[… ")


@settings(max_examples=50)
@given(st.text(max_size=3000) | st.lists(st.text(max_size=60)).map("\n".join), st.integers(0, 3000))
def test_no_text_is_longer_than_its_room_and_twice_is_as_once(text: str, room: int) -> None:
    left = clipped(text, room)
    assert len(left) <= room or left == text
    assert clipped(left, room) == left


def test_an_image_is_told_by_its_kind_and_size() -> None:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1280).to_bytes(4) + (720).to_bytes(4)
    data = b64encode(head + b"\0" * 2048).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    assert described(Block(IMAGE, "", data={"source": source})) == "PNG, 1280x720, 2 KB"

    jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08" + (33).to_bytes(2) + (44).to_bytes(2)
    url = f"data:image/jpeg;base64,{b64encode(jpeg).decode()}"
    assert described(Block(IMAGE, "", data={"image_url": url})) == "JPEG, 44x33, 1 KB"
    assert described(Block(IMAGE, "", data={"image_url": "http://shop.test/a.png"})) == ""
    assert described(Block(IMAGE, "", data={"data": "dctx:]", "mime_type": "a/[…]"})) == "1 KB"
