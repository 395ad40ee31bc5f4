"""A context divided over answers that hold only so much: whole sections, in order, or the command
that prints one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.base.record import Record
from director_ctx.base.text import characters
from director_ctx.clients.table import CLIENTS
from director_ctx.context.divide import divide


class Piece(Record):
    tag: str
    text: str
    protected: bool = False


CHARACTERS = st.sampled_from(["a", "b ", "é", "€", "🚤", "\n", "\ud800", "x" * 50, "€" * 60])
TEXTS = st.lists(CHARACTERS, min_size=1, max_size=30).map("".join)
PIECES = st.lists(TEXTS, max_size=12).map(
    lambda texts: [
        Piece(f"tag{place}", f"<tag{place}>{text}</tag{place}>") for place, text in enumerate(texts)
    ]
)
SIZES = {client.name: client.size for client in CLIENTS.values()}
LONGEST_LIST = 1_200
"""Room for the sentence and a line for each of twelve sections."""


def command(tag: str) -> str:
    return f"dctx assemble builder --only {tag}"


def of(*sizes: int) -> list[Piece]:
    return [Piece(f"tag{place}", chr(97 + place) * size) for place, size in enumerate(sizes)]


@pytest.mark.parametrize("client", ["claude", "codex"])
@given(pieces=PIECES, cap=st.integers(LONGEST_LIST, 4_000), most=st.integers(1, 6))
def test_every_section_is_in_one_part_whole_and_in_order_or_is_named(
    client: str, pieces: list[Piece], cap: int, most: int
) -> None:
    size = SIZES[client]
    parts = divide(pieces, cap, most, command, size)
    assert len(parts) <= most
    assert all(part.strip() for part in parts)
    assert all(size(part) <= cap for part in parts)
    places = []
    for number, piece in enumerate(pieces):
        inside = [
            (place, part.index(piece.text))
            for place, part in enumerate(parts)
            if piece.text in part
        ]
        lines = [
            line
            for part in parts
            for line in part.split("\n")
            if line.startswith(f"- tag{number}, ")
        ]
        assert len(inside) + len(lines) == 1
        assert not lines or f"`{command(piece.tag)}`" in lines[0]
        places += inside
    assert places == sorted(places)


def test_a_part_is_filled_to_the_cap_where_there_is_only_one() -> None:
    assert divide(of(1_000), 1_000, 1, command) == ("a" * 1_000,)
    (named,) = divide(of(1_001), 1_000, 1, command)
    assert "aaa" not in named
    assert "- tag0, 1,001 characters: `dctx assemble builder --only tag0`" in named


def test_a_section_that_is_too_large_leaves_the_room_to_the_others() -> None:
    parts = divide(of(600, 5_000, 600, 600), 1_000, 4, command)
    assert [part[:34] for part in parts] == [f"(Part {number} of 3 of one context.)\n\n{first}" for number, first in
                                             ((1, "aaa"), (2, "ccc"), (3, "ddd"))]  # fmt: skip
    assert "- tag1, 5,000 characters" in parts[-1]
    assert "bbb" not in "".join(parts)


def test_a_section_that_does_not_fit_takes_no_other_with_it() -> None:
    parts = divide(of(800, 800, 800, 800, 10), 1_000, 3, command)
    assert len(parts) == 3
    assert parts[1].endswith("b\n\neeeeeeeeee")
    assert "- tag2, 800 characters" in parts[-1]
    assert "- tag3, 800 characters" in parts[-1]
    assert not any("- tag" in part for part in parts[:-1])


def test_what_an_agent_cannot_do_without_comes_before_what_is_large() -> None:
    sizes = {
        "vision": 20_000,
        "gameplan": 8_000,
        "task": 4_000,
        "research_summary": 15_000,
        "project_state": 340,
        "instructions": 2_221,
    }
    pieces = [Piece(tag, f"<{tag}>{'x' * sizes[tag]}", tag != "project_state") for tag in sizes]
    (text,) = divide(pieces, 29_000, 1, command)
    kept = [tag for tag in sizes if f"<{tag}>x" in text]
    assert kept == ["vision", "task", "project_state", "instructions"]
    assert [text.index(f"<{tag}>x") for tag in kept] == sorted(
        text.index(f"<{tag}>x") for tag in kept
    )
    assert "- gameplan, 8,010 characters" in text
    assert "- research_summary, 15,018 characters" in text

    (short,) = divide(pieces, 6_000, 1, command)
    assert [tag for tag in sizes if f"<{tag}>x" in short] == ["task", "project_state"]
    assert "- instructions, 2,235 characters" in short


def test_a_list_of_what_is_named_has_a_part_of_its_own_before_it_drives_a_section_out() -> None:
    first, last = divide(of(850, 5_000), 1_000, 2, command)
    assert first.endswith("a" * 850)
    assert "- tag1, 5,000 characters" in last
    (only,) = divide(of(950, 5_000), 1_000, 1, command)
    assert "- tag0, 950 characters" in only
    assert "- tag1, 5,000 characters" in only


def test_nothing_is_no_part() -> None:
    assert divide([], 1_000, 3, command) == ()
    assert divide(of(0), 1_000, 3, command) == ()


@pytest.mark.parametrize(
    ("client", "text", "size"),
    [
        ("claude", "abc", 3),
        ("claude", "€", 1),
        ("claude", "🚤", 2),
        ("claude", "\ud800", 1),
        ("codex", "abc", 3),
        ("codex", "€", 3),
        ("codex", "🚤", 4),
        ("codex", "\ud800", 3),
    ],
)
def test_each_client_counts_in_its_own_way(client: str, text: str, size: int) -> None:
    counted: Callable[[str], int] = SIZES[client]
    assert counted(text) == size
    assert client == "codex" or characters(text) == size
