"""One and the same session as three clients write it down, with every kind that a hand-over has."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

Line = dict[str, Any]

SESSION = "cccccccc-0000-4000-8000-000000000003"
FOLDER = "/home/ada/boat"
ADDRESS = "https://github.com/ada/boat/pull/7"
PATCH = (
    "*** Begin Patch\n*** Update File: src/hull.py\n@@\n-old\n+new\n"
    "*** Add File: src/keel.py\n+keel\n*** Delete File: src/raft.py\n*** End Patch\n"
)
COMMIT = "git commit -m \"$(cat <<'EOF'\nfix: close the hull\n\nIt leaked.\nEOF\n)\" && git push -u origin dry"
COMMITTED = (
    "[dry 1a2b3c4] fix: close the hull\n 2 files changed\n"
    "To github.com:ada/boat.git\n   9f8e7d6..1a2b3c4  dry -> dry"
)
FAILED = "tests/test_hull.py F\nE   AssertionError: it leaks\nFAILED tests/test_hull.py::test_dry\n1 failed"
REASON = "The hull leaked because the planks were cut across the grain."
QUESTION = "Shall I caulk the seams with oakum or with tar?"


class Did(NamedTuple):
    """A call with what came of it."""

    tool: str
    arguments: Any
    result: str
    failed: bool = False


def claude(*said: str | Did | tuple[str, str]) -> list[Line]:
    """Lines of Claude Code: a text is the assistant's, a pair says whose it is."""
    lines: list[Line] = []

    def add(kind: str, content: Any, **more: Any) -> None:
        parent = lines[-1]["uuid"] if lines else None
        message: Line = {"role": kind, "content": content}
        if kind == "assistant":
            message["id"] = f"msg_{len(lines)}"
        about = {"sessionId": SESSION, "cwd": FOLDER, "uuid": f"u{len(lines)}"}
        lines.append({
            "type": kind, "message": message, "parentUuid": parent,
            "timestamp": "2026-01-02T03:04:05.000Z", **about, **more,
        })  # fmt: skip

    for number, one in enumerate(said):
        if isinstance(one, str):
            add("assistant", [{"type": "text", "text": one}])
        elif isinstance(one, Did):
            name = f"toolu_{number}"
            call = {"type": "tool_use", "id": name, "name": one.tool, "input": one.arguments}
            result = {"type": "tool_result", "tool_use_id": name, "content": one.result}
            add("assistant", [call])
            add("user", [{**result, "is_error": one.failed}])
        else:
            add(*one)
    return lines


def codex(*said: str | Did | tuple[str, str]) -> list[Line]:
    """Lines of a rollout of Codex."""
    meta = {"id": SESSION, "timestamp": "2026-01-02T03:04:05.000Z", "cwd": FOLDER}
    lines: list[Line] = [{"type": "session_meta", "payload": meta}]

    def add(payload: Line) -> None:
        moment = "2026-01-02T03:04:05.000Z"
        lines.append({"timestamp": moment, "type": "response_item", "payload": payload})

    def message(role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        add({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    for number, one in enumerate(said):
        if isinstance(one, str):
            message("assistant", one)
        elif isinstance(one, Did):
            name = f"call_{number}"
            is_free = isinstance(one.arguments, str)
            kind = "custom_tool_call" if is_free else "function_call"
            given = one.arguments if is_free else json.dumps(one.arguments)
            key = "input" if is_free else "arguments"
            code = int(one.failed)
            output = f"Chunk ID: 1\nProcess exited with code {code}\nOutput:\n{one.result}"
            add({"type": kind, "name": one.tool, "call_id": name, key: given})
            add({"type": f"{kind}_output", "call_id": name, "output": output})
        else:
            message(*one)
    return lines


def chat(*said: str | Did | tuple[str, str]) -> list[Line]:
    """Messages of the OpenAI chat interface."""
    messages: list[Line] = []
    for number, one in enumerate(said):
        if isinstance(one, str):
            messages.append({"role": "assistant", "content": one})
        elif isinstance(one, Did):
            name = f"call_{number}"
            function = {"name": one.tool, "arguments": json.dumps(one.arguments)}
            call = {"id": name, "type": "function", "function": function}
            result = f"Exit code 1\n{one.result}" if one.failed else one.result
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": name, "content": result})
        else:
            messages.append({"role": one[0], "content": one[1]})
    return messages


WORDS = (
    ("user", "Make the hull dry. Never touch the mast."),
    REASON,
)
PLAN = [
    {"content": "Caulk the seams", "status": "in_progress"},
    {"content": "Paint the hull", "status": "pending"},
    {"content": "Cut the planks", "status": "completed"},
]
STEPS = [{"step": item["content"], "status": item["status"]} for item in PLAN]


def by_claude() -> list[Line]:
    return claude(
        *WORDS,
        Did("Edit", {"file_path": f"{FOLDER}/src/hull.py"}, "The file has been updated."),
        Did("Write", {"file_path": f"{FOLDER}/src/keel.py"}, "File created successfully at: keel.py"),
        Did("Bash", {"command": f"cd {FOLDER} && rm src/raft.py"}, ""),
        Did("Bash", {"command": COMMIT}, COMMITTED),
        Did("Bash", {"command": 'gh pr create --title "Dry hull"'}, ADDRESS),
        Did("TodoWrite", {"todos": PLAN}, "Todos have been modified"),
        Did("Bash", {"command": "pytest tests/test_hull.py"}, f"Exit code 1\n{FAILED}", True),
        QUESTION,
    )  # fmt: skip


def by_codex() -> list[Line]:
    here = {"workdir": FOLDER}
    return codex(
        *WORDS,
        Did("apply_patch", PATCH.replace("src/", f"{FOLDER}/src/"), "Success"),
        Did("exec_command", {"cmd": COMMIT, **here}, COMMITTED),
        Did("exec_command", {"cmd": 'gh pr create --title "Dry hull"', **here}, ADDRESS),
        Did("update_plan", {"plan": STEPS}, "Plan updated"),
        Did("exec_command", {"cmd": "pytest tests/test_hull.py", **here}, FAILED, True),
        QUESTION,
    )


def by_chat() -> list[Line]:
    return chat(
        *WORDS,
        Did("edit_file", {"path": f"{FOLDER}/src/hull.py", "text": "b"}, "ok"),
        Did("create_file", {"path": f"{FOLDER}/src/keel.py", "text": "keel"}, "ok"),
        Did("bash", {"command": f"rm {FOLDER}/src/raft.py"}, ""),
        Did("bash", {"command": COMMIT}, COMMITTED),
        Did("bash", {"command": 'gh pr create --title "Dry hull"'}, ADDRESS),
        Did("todo_write", {"todos": PLAN}, "ok"),
        Did("bash", {"command": "pytest tests/test_hull.py"}, FAILED, True),
        QUESTION,
    )


BY_CLIENT = {"claude-code": by_claude, "codex": by_codex, "openai-chat": by_chat}


def as_bytes(form: str, lines: list[Line]) -> bytes:
    """As it stands in a file."""
    if form == "openai-chat":
        return json.dumps(lines).encode()
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()
