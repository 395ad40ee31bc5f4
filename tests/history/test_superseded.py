"""Which readings of files a later call has overtaken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from director_ctx.history.messages.message import CALL, RESULT, TEXT, TOOL, Block, Message, measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.signals.files import superseded
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.shrink import shrink

ASSISTANT = "assistant"


def run(*steps: tuple[str, Any] | tuple[str, Any, bool]) -> list[Message]:
    """Calls of tools, each answered; the third says that it went wrong."""
    made = []
    for number, (tool, given, *wrong) in enumerate(steps):
        name, text = f"c{number}", given if isinstance(given, str) else json.dumps(given)
        made.append(Message(ASSISTANT, [Block(CALL, text, call=name, tool=tool)]))
        made.append(Message(TOOL, [Block(RESULT, "text", call=name, tool=tool, error=bool(wrong))]))
    return made


def found(*steps: Any) -> list[int]:
    messages = run(*steps)
    gone = superseded(messages)
    return [
        number for number in range(len(steps)) if id(messages[2 * number + 1].blocks[0]) in gone
    ]


READ = ("Read", {"file_path": "/a.py"})
FILE = ("read_file", {"path": "/a"})
EDIT = ("Edit", {"file_path": "/a.py", "old_string": "x", "new_string": "y"})


def lines(offset: int, limit: int) -> tuple[str, dict[str, Any]]:
    return ("Read", {"file_path": "/a.py", "offset": offset, "limit": limit})


SOME = lines(10, 20)


def part(**more: int) -> tuple[str, dict[str, Any]]:
    return ("read_file", {"path": "/a", **more})


def editor(command: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("editor", {"command": command, "path": "/a", **more})


def bash(command: str) -> tuple[str, dict[str, str]]:
    return ("Bash", {"command": command})


@pytest.mark.parametrize(
    ("steps", "gone"),
    [
        ([READ, READ], [0]),
        ([READ, EDIT], [0]),
        ([EDIT, READ], []),
        ([SOME, READ], [0]),
        ([READ, SOME], []),
        ([SOME, lines(12, 5)], []),
        ([READ, ("Read", {"file_path": "/b.py"})], []),
        ([READ, ("Write", {"file_path": "/a.py", "content": ""})], [0]),
        ([READ, (*EDIT, True)], []),
        ([READ, (*READ, True)], []),
        ([bash("cat a.py"), bash("sed -i 's/x/y/' a.py")], [0]),
        ([bash("cat ./a.py"), bash("echo x >> a.py")], [0]),
        ([bash("cd /srv && cat a.py"), ("Write", {"file_path": "/srv/a.py"})], [0]),
        ([bash("sed -n '5,9p' a.py"), bash("cat a.py")], [0]),
        ([bash("nl -ba a.py | sed -n '1,99p'"), bash("sed -n '5,9p' a.py")], []),
        ([bash("grep -n x a.py"), bash("cat a.py")], []),
        ([bash("cat a.py"), ("apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n*** End Patch")], [0]),
        ([editor("view"), editor("create")], [0]),
        ([FILE, ("list_files", {"path": "/a"})], []),
        ([editor("view"),
          editor("view", view_range=[1, 3])], []),
        ([editor("view", view_range=[4, 9]),
          editor("view", view_range=[1, -1])], [0]),
        ([FILE, part(start_line=1, end_line=5)], []),
        ([("Read", {"file_path": "/a.pdf", "pages": "1-2"}), ("Read", {"file_path": "/a.pdf", "pages": "9"})], []),
        ([FILE, ("locate", {"path": "/a"}), ("duplicate_file", {"path": "/a"})], []),
        ([("shell", {"command": ["bash", "-lc", "cat a.py"]}), bash("cat a.py")], [0]),
        ([("mcp__files__read_text_file", {"path": "/a"}), ("mcp__files__edit_file", {"path": "/a"})], [0]),
        # What reads another part, another file, or changes nothing overtakes nothing.
        ([FILE, part(head=5)], []),
        ([FILE, part(offset=-20)], []),
        ([("Read", {"file_path": "/a", "cell_id": "1"}), ("Read", {"file_path": "/a", "cell_id": "2"})], []),
        ([("shell", {"cmd": "cat a.py", "workdir": "/x"}), ("shell", {"cmd": "cat a.py", "workdir": "/y"})], []),
        ([("read_file", {"path": "a", "repo": "one"}), ("read_file", {"path": "a", "repo": "two"})], []),
        ([READ, ("edit_file", {"path": "/a.py", "dryRun": True})], []),
        ([READ, ("read_file_outline", {"path": "/a.py"})], []),
        ([READ, ("create_thread_about", {"path": "/a.py"})], []),
        ([bash("cat b.py"), bash("git log --format='%h -> b.py'")], []),
        ([bash("cat 10"), bash("awk '$1 > 10' x")], []),
        # A name means another file after a move into another folder.
        ([bash("cat a.py"), bash("cd /y"), bash("cat a.py")], []),
        ([READ, bash("cd /y"), READ], [0]),
        ([bash("cat a.py"), bash("cd /y && ls"), bash("cat a.py")], [0]),
        ([("Read", "{"), ("Read", "[1]"), ("Read", "7"), READ, READ], [3]),
    ],
)  # fmt: skip
def test_a_reading_is_overtaken_by_a_later_one_of_the_same_lines_and_by_a_change(
    steps: list[Any], gone: list[int]
) -> None:
    assert found(*steps) == gone


@pytest.mark.parametrize(
    "said", ["No replacement was performed, old_str `x` did not appear.", "Error: not there."]
)
def test_an_edit_that_came_to_nothing_overtakes_nothing(said: str) -> None:
    messages = run(READ, EDIT)
    messages[3].blocks[0].text = said
    assert superseded(messages) == set()


def test_of_very_many_readings_of_a_file_the_newest_are_forgotten_first() -> None:
    between = [lines(100 * n, 9) for n in range(1, 33)]
    assert found(SOME, *between[1:], SOME) == [0]
    assert found(SOME, *between, SOME) == []
    assert found(between[0], SOME, *between, SOME) == [0]


def test_a_second_reading_that_only_says_that_nothing_has_changed_overtakes_none() -> None:
    messages = run(READ, READ)
    messages[1].blocks[0].text = "line\n" * 100
    assert superseded(messages) == set()


def test_calls_without_ids_cannot_be_told_apart_so_their_results_hold() -> None:
    messages = run(READ, READ)
    for message in messages:
        message.blocks[0].call = ""
    assert superseded(messages) == set()


def test_clearing_keeps_a_result_that_holds_beside_one_that_does_not() -> None:
    reads = [
        Block(CALL, json.dumps({"file_path": f"/{name}"}), call=name, tool="Read") for name in "ab"
    ]
    shown = [Block(RESULT, "line\n" * 100, call=name, tool="Read") for name in "ab"]
    edit = run(("Edit", {"file_path": "/a"}))
    old = run(("Read", {"file_path": "/c"}))
    old[1].blocks[0].text = "line\n" * 100
    for number, block in enumerate((old[0].blocks[0], old[1].blocks[0])):
        block.call, block.at = "old", number
    messages = [
        *old,
        Message(ASSISTANT, reads),
        Message(TOOL, shown),
        *edit,
        Message(ASSISTANT, [Block(TEXT, "Done.")]),
    ]
    measure(messages, len)
    made = shrink(messages, "clear", Aim(len, ContextConfig(keep_results=2)))
    actions = [block.action for one in made for block in one.blocks if block.kind == RESULT]
    assert actions == ["cleared", "", "", ""]
