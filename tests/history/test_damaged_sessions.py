"""Sessions with damaged lines in them: all that is left is read, and what is not is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, write
from handed_over import BY_CLIENT, as_bytes, claude

from director_ctx.history.formats import TRAITS
from director_ctx.history.sessions.files import Session
from director_ctx.history.sessions.transcript import WholeTranscript, every_message, transcript_of

Dctx = Callable[..., Result]
Lines = list[dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "proj", {"VISION.md": "# Vision\nA boat.\n"}).resolve()


def said() -> Lines:
    talk = [
        ("user", "Build a boat."),
        "The hull.",
        ("user", "And a mast."),
        "The mast.",
        "The sail.",
    ]
    return claude(*talk)


def cut(data: bytes, number: int, length: int) -> bytes:
    """Of one line only the beginning."""
    lines = data.splitlines(keepends=True)
    lines[number] = lines[number][:length] + b"\n"
    return b"".join(lines)


def transcript(data: bytes) -> WholeTranscript:
    session = Session("damaged", "file", "", "", "", 0, 0, False, "")
    return transcript_of(session, data)


def words(data: bytes) -> list[str]:
    return [message.blocks[0].text for message in every_message(transcript(data))]


@pytest.mark.parametrize("length", (3, 60))
def test_what_stands_before_a_damaged_line_is_read_past_it(length: int) -> None:
    data = cut(as_bytes("claude-code", said()), 2, length)
    whole = transcript(data)
    assert words(data) == ["Build a boat.", "The hull.", "The mast.", "The sail."]
    assert [archived for _, archived in whole.rows] == [True, True, False, False]
    assert whole.damage == (
        "1 line is no JSON and stays as it is: line 3.",
        "2 messages before a damaged line, to which no line leads any more, were read as well.",
    )
    assert [message.blocks[0].text for message in whole.now.messages] == ["The mast.", "The sail."]


def test_any_number_of_gaps_is_passed() -> None:
    data = as_bytes("claude-code", said())
    assert words(cut(cut(data, 3, 3), 1, 3)) == ["Build a boat.", "And a mast.", "The sail."]
    assert words(cut(cut(data, 2, 3), 1, 3)) == ["Build a boat.", "The mast.", "The sail."]


def test_a_branch_that_was_left_and_a_sub_agent_before_the_gap_are_no_part_of_it() -> None:
    lines = said()
    name = lines[1]["uuid"]
    left = {**lines[1], "uuid": "left", "parentUuid": name}
    left["message"] = {"role": "assistant", "content": [{"type": "text", "text": "Left."}]}
    agent = {**left, "uuid": "agent", "isSidechain": True}
    with_others = [*lines[:2], left, agent, *lines[2:]]
    # The damaged line still names its parent.
    raw = json.dumps(lines[2])
    named = raw.replace('{"type"', f'{{"parentUuid": "{name}", "type"')
    data = as_bytes("claude-code", with_others).splitlines(keepends=True)
    data[4] = named.encode()[:80] + b"\n"
    assert words(b"".join(data)) == ["Build a boat.", "The hull.", "The mast.", "The sail."]
    # Where nothing is left of it, the line before it is taken, unless it is a sub-agent's.
    data[4] = b"{\n"
    assert words(b"".join(data)) == [
        "Build a boat.",
        "The hull.",
        "Left.",
        "The mast.",
        "The sail.",
    ]


def test_a_chain_that_was_never_longer_stays_as_it_is() -> None:
    lines = said()
    data = as_bytes("claude-code", [lines[0], *lines[2:]])
    assert words(data) == ["And a mast.", "The mast.", "The sail."]
    assert transcript(data).damage == ()


def test_a_damaged_line_is_told_by_its_number_in_the_file_after_a_compaction_too() -> None:
    lines = said()
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    lines[3]["parentUuid"] = "b"
    data = as_bytes("claude-code", [*lines[:3], boundary, *lines[3:]])
    assert (
        transcript(cut(data, 5, 3)).notes[0]
        == "The last line is only half written; it stays as it is."
    )
    assert "line 2." in transcript(cut(data, 1, 3)).notes[0]
    assert words(cut(data, 1, 3)) == ["Build a boat.", "And a mast.", "The mast.", "The sail."]


@pytest.mark.parametrize("form", [form for form in BY_CLIENT if TRAITS[form].lines])
@pytest.mark.parametrize("command", (("handover",), ("import", "--dry-run"), ("show",)))
def test_each_command_reads_what_is_left_and_says_what_is_not(
    form: str, command: tuple[str, ...], root: Path, dctx: Dctx
) -> None:
    data = as_bytes(form, BY_CLIENT[form]())
    number = data.count(b"\n") - 4
    (root / "talk.jsonl").write_bytes(cut(data, number, 20))
    (root / "whole.jsonl").write_bytes(data)
    damaged = dctx("history", *command, "talk.jsonl", cwd=root)
    whole = dctx("history", *command, "whole.jsonl", cwd=root)
    assert (
        damaged.code == 0
        and f"1 line is no JSON and stays as it is: line {number + 1}." in damaged.err
    )
    assert "no JSON" not in whole.err
    if command == ("handover",):
        assert "Make the hull dry. Never touch the mast." in damaged.out
