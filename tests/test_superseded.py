"""Which readings of files a later call has overtaken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from director_ctx.history.message import CALL, RESULT, TOOL, Block, Message
from director_ctx.history.superseded import superseded

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
    return [number for number in range(len(steps)) if id(messages[2 * number + 1].blocks[0]) in gone]


READ = ("Read", {"file_path": "/a.py"})
SOME = ("Read", {"file_path": "/a.py", "offset": 10, "limit": 20})
EDIT = ("Edit", {"file_path": "/a.py", "old_string": "x", "new_string": "y"})


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
        ([SOME, ("Read", {"file_path": "/a.py", "offset": 12, "limit": 5})], []),
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
        ([("editor", {"command": "view", "path": "/a"}), ("editor", {"command": "create", "path": "/a"})], [0]),
        ([("read_file", {"path": "/a"}), ("list_files", {"path": "/a"})], []),
        ([("editor", {"command": "view", "path": "/a"}),
          ("editor", {"command": "view", "path": "/a", "view_range": [1, 3]})], []),
        ([("editor", {"command": "view", "path": "/a", "view_range": [4, 9]}),
          ("editor", {"command": "view", "path": "/a", "view_range": [1, -1]})], [0]),
        ([("read_file", {"path": "/a"}), ("read_file", {"path": "/a", "start_line": 1, "end_line": 5})], []),
        ([("Read", {"file_path": "/a.pdf", "pages": "1-2"}), ("Read", {"file_path": "/a.pdf", "pages": "9"})], []),
        ([("read_file", {"path": "/a"}), ("locate", {"path": "/a"}), ("duplicate_file", {"path": "/a"})], []),
        ([("shell", {"command": ["bash", "-lc", "cat a.py"]}), bash("cat a.py")], [0]),
        ([("mcp__files__read_text_file", {"path": "/a"}), ("mcp__files__edit_file", {"path": "/a"})], [0]),
    ],
)  # fmt: skip
def test_a_reading_is_overtaken_by_a_later_one_of_the_same_lines_and_by_a_change(
    steps: list[Any], gone: list[int]
) -> None:
    assert found(*steps) == gone


def test_a_second_reading_that_only_says_that_nothing_has_changed_overtakes_none() -> None:
    messages = run(READ, READ)
    messages[1].blocks[0].text = "line\n" * 100
    assert superseded(messages) == set()


def test_arguments_that_are_no_json_or_no_object_say_nothing() -> None:
    assert found(("Read", "{"), ("Read", "[1]"), ("Read", "7"), READ, READ) == [3]
