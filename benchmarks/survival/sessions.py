"""Claude Code sessions out of coding runs: tasks in one repository one after the other, in that
client's tools.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.survival.runs import CLAUDE, Run
from benchmarks.survival.transcript import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.survival.reading import Chat

HOME = "/testbed"
LEAST = 110_000
"""Tokens, at four characters each, that a session has at least."""
_OUTPUT = re.compile(
    r"<returncode>(-?\d+)</returncode>\n<output>\n?(.*?)\n?</output>\s*$", re.DOTALL
)
_TASK = re.compile(r"<pr_description>\n?(.*?)</pr_description>", re.DOTALL)
_RANGE = re.compile(r"(?:cat (?:-n )?(\S+) \| )?sed -n '(\d+),(\d+)p'(?: (\S+))?")
_CAT = re.compile(r"cat (?:-n )?([\w./-]+)(?: \| head -n? ?-?(\d+))?")
_HEAD = re.compile(r"head -n? ?-?(\d+) ([\w./-]+)")
_GREP = re.compile(
    r"grep ((?:-\w+ (?:\d+ )?)*)(\"[^\"]+\"|'[^']+'|[\w.]+) ([\w./*-]+)"
    r"((?: -[ABC] ?\d+| --include=\S+)*)(?: \| head -\d+)?"
)
_FIND = re.compile(r"find (\S+) (?:-type f )?-name \"([^\"]+)\"(?: -type f)?(?: \| head -\d+)?")
_WRITE = re.compile(r"cat > (\S+) << ?'?\"?(\w+)'?\"?\n(.*?)\n\2\n?(.*)", re.DOTALL)
_SWAP = re.compile(r"sed -i '(?:\d+)?s([/|#])([^\n]*?)\1([^\n]*?)\1g?' ([\w./-]+)")
_NUMBERED = re.compile(r"^\s*\d+\t")
_PLAIN = re.compile(r"[^\\*\[\]^$]+")

Call = tuple[str, dict[str, Any], str, bool]
"""A tool, what it is given, what it answers, and whether it calls that an error."""


def sessions(runs: Sequence[Run], each: int = 2, least: int = LEAST) -> Iterator[Run]:
    """For each repository with runs enough, a few sessions of so many tokens, in different orders."""
    by: dict[str, list[Run]] = {}
    for run in runs:
        by.setdefault(run.repository, []).append(run)
    for repository, these in sorted(by.items()):
        orders: list[list[str]] = []
        for number in range(each):
            order = sorted(these, key=lambda run: run.name)
            Random(f"{repository} {number}").shuffle(order)
            chat: Chat = []
            for place, run in enumerate(order):
                chat.extend(_translated(run.chat, place * 10_000))
            names = [run.name for run in order]
            if _tokens(chat) >= least and names not in orders:
                orders.append(names)
                yield Run(
                    CLAUDE,
                    f"{repository.replace('/', '__')}-{number}",
                    repository,
                    chat,
                    "claude-code",
                    written,
                )


def _tokens(chat: Chat) -> int:
    return (
        sum(
            len(one["content"] or "")
            + sum(len(c["function"]["arguments"]) for c in one.get("tool_calls") or ())
            for one in chat
        )
        // 4
    )


def _translated(chat: Chat, number: int) -> Iterator[dict[str, Any]]:
    """The same task in that client's words; its calls are numbered from `number`."""
    answers = {one["tool_call_id"]: one["content"] for one in chat if one.get("role") == "tool"}
    for message in chat:
        if message["role"] == "user":
            task = _TASK.search(message["content"])
            yield {"role": "user", "content": (task[1] if task else message["content"]).strip()}
        elif message["role"] == "assistant":
            calls = [
                one
                for call in message.get("tool_calls") or ()
                if call["id"] in answers
                for one in as_tools(_command(call), answers[call["id"]])
            ]
            made = [_call(call, number + place) for place, call in enumerate(calls)]
            number += len(calls)
            if message.get("content") or made:
                yield {
                    "role": "assistant",
                    "content": message.get("content") or "",
                    **({"tool_calls": made} if made else {}),
                }
            for (_, _, answer, wrong), one in zip(calls, made, strict=True):
                yield {
                    "role": "tool",
                    "tool_call_id": one["id"],
                    "content": answer,
                    "is_error": wrong,
                }


def _command(call: dict[str, Any]) -> str:
    try:
        return str(json.loads(call["function"]["arguments"]).get("command", ""))
    except ValueError:
        return str(call["function"]["arguments"])


def _call(call: Call, number: int) -> dict[str, Any]:
    function = {"name": call[0], "arguments": json.dumps(call[1], ensure_ascii=False)}
    return {"id": f"toolu_{number:024d}", "type": "function", "function": function}


def as_tools(command: str, answer: str) -> list[Call]:
    """The calls that Claude Code would have made for one command of a shell."""
    found = _OUTPUT.search(answer)
    status, output = (int(found[1]), found[2]) if found else (0, answer)
    command = re.sub(rf"^cd {HOME} && ", "", command.strip())
    if status:
        return [_bash(command, f"Exit code {status}\n{output}", True)]
    if (write := _WRITE.fullmatch(command)) and not write[1].startswith("$"):
        return _written(write, output)
    return [
        _read(command, output)
        or _search(command, output)
        or _edit(command, output)
        or _bash(command, output, False)
    ]


def _bash(command: str, output: str, wrong: bool) -> Call:
    return "Bash", {"command": command}, output, wrong


def _written(write: re.Match[str], output: str) -> list[Call]:
    path = absolute(write[1])
    made: list[Call] = [
        (
            "Write",
            {"file_path": path, "content": write[3]},
            f"File created successfully at: {path}",
            False,
        )
    ]
    rest = write[4].strip().removeprefix("&&").strip()
    return [*made, _bash(rest, output, False)] if rest else made


def _read(command: str, output: str) -> Call | None:
    if not output.strip():
        return None
    if (found := _RANGE.fullmatch(command)) and (found[1] or found[4]):
        first, last = int(found[2]), int(found[3])
        given = {
            "file_path": absolute(found[1] or found[4]),
            "offset": first,
            "limit": last - first + 1,
        }
        return "Read", given, numbered(output, first), False
    if found := _CAT.fullmatch(command):
        limit = {"limit": int(found[2])} if found[2] else {}
        return "Read", {"file_path": absolute(found[1]), **limit}, numbered(output, 1), False
    if found := _HEAD.fullmatch(command):
        return (
            "Read",
            {"file_path": absolute(found[2]), "limit": int(found[1])},
            numbered(output, 1),
            False,
        )
    return None


def _search(command: str, output: str) -> Call | None:
    if found := _GREP.fullmatch(command):
        given: dict[str, Any] = {
            "pattern": found[2].strip("\"'"),
            "path": absolute(found[3]),
            "output_mode": "content",
        }
        for flag, lines in re.findall(r"(-[ABC]) ?(\d+)", f"{found[1]} {found[4]}"):
            given[flag] = int(lines)
        if kind := re.search(r"--include=(\S+)", found[4]):
            given["glob"] = kind[1].strip("\"'")
        return "Grep", given, output or "No matches found", False
    if found := _FIND.fullmatch(command):
        given = {"pattern": f"**/{found[2]}", "path": absolute(found[1])}
        return "Glob", given, "\n".join(map(absolute, output.split())) or "No files found", False
    return None


def _edit(command: str, output: str) -> Call | None:
    """Only where what is replaced is a plain string."""
    found = _SWAP.fullmatch(command)
    if output.strip() or not found or not _PLAIN.fullmatch(found[2]) or "\\" in found[3]:
        return None
    path = absolute(found[4])
    given = {"file_path": path, "old_string": found[2], "new_string": found[3]}
    return "Edit", given, f"The file {path} has been updated.", False


def absolute(path: str) -> str:
    path = path.removeprefix("./")
    if path in (".", ""):
        return HOME
    return path if path.startswith(("/", "~")) else f"{HOME}/{path}"


def numbered(text: str, first: int) -> str:
    bare = (_NUMBERED.sub("", line) for line in text.split("\n"))
    return "\n".join(f"{number:6d}→{line}" for number, line in enumerate(bare, first))
