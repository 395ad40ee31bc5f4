"""Reads the usage numbers in Claude Code's transcripts: how a request's input grew over that of the
one before.

The format is not documented and grows with every version, so known kinds of lines are read and all
others passed over. A conversation is a tree of lines: each names its parent, a rewind leaves a dead
branch, a compaction a new root.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    Estimate = Callable[[str], int]

INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
LONGEST_LINE = 50_000_000
_BREAKS = ("compact_boundary", "microcompact_boundary")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Every line that is not absurdly long; of such a one only a piece is ever in memory."""
    whole = True
    while raw := file.readline(LONGEST_LINE):
        ends = raw.endswith(b"\n")
        if whole and (ends or len(raw) < LONGEST_LINE):
            yield raw
        whole = ends


def read_lines(path: str) -> Iterator[dict[str, Any]]:
    """The objects in a file of JSON lines; what is none is passed over."""
    from json import loads

    with open(path, "rb") as file:
        for raw in _lines(file):
            try:
                line = loads(raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict):
                yield line


class Growth(Record):
    """From one request to the next: the model, the tokens that came, and the known text that
    brought them.
    """

    model: str
    tokens: int
    estimate: int
    blocks: int


class Size(Record):
    """Text that was added to a conversation; not clear if some of it cannot be seen."""

    estimate: int = 0
    blocks: int = 0
    clear: bool = True

    def plus(self, other: Size) -> Size:
        return Size(
            self.estimate + other.estimate, self.blocks + other.blocks, self.clear and other.clear
        )


UNCLEAR = Size(clear=False)


class _Message:
    """One answer of the model, gathered from all the lines that share its id."""

    def __init__(self, model: str, parent: str | None) -> None:
        self.model, self.parent = model, parent
        self.input = 0
        self.size = Size()
        self.calls: list[str] = []


def default_folder() -> str:
    """Where Claude Code keeps them."""
    base = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(base, "projects")


def transcripts(folder: str) -> list[str]:
    """Every transcript below a folder, those of sub-agents too; no link is followed, and no pipe
    waited for.
    """
    found = [os.path.join(around, name) for around, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if path.endswith(".jsonl") and _is_own_file(path))


def _is_own_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


class Transcript:
    """One file, read line by line; only sizes are kept, never text."""

    def __init__(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._lines: dict[str, tuple[str | None, str | None, Size]] = {}
        """By id: the parent, the message it is a part of if it is an answer, and what it adds if it
        is none.
        """
        self._messages: dict[str, _Message] = {}
        self._results: dict[str, Size] = {}
        self._last: dict[object, str] = {}

    def read(self, path: str) -> None:
        for line in read_lines(path):
            self.take(line)

    def take(self, line: dict[str, Any]) -> None:
        """One line of the file, if it is one of a conversation."""
        name = line.get("uuid")
        message = line.get("message")
        if not isinstance(name, str):
            if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
                return
            name = f"line {len(self._lines)}"
        if name in self._lines:
            return
        lane = (line.get("agentId"), bool(line.get("isSidechain")))
        parent = line["parentUuid"] if "parentUuid" in line else self._last.get(lane)
        parent = parent if isinstance(parent, str) and line.get("subtype") not in _BREAKS else None
        self._last[lane] = name
        answer = self._answer(line, message, parent) if line.get("type") == "assistant" else None
        self._lines[name] = (parent, answer, Size() if answer else self._added(line, message))

    def _answer(self, line: dict[str, Any], message: object, parent: str | None) -> str | None:
        """The id of the message that this line is a part of; errors of the client are none."""
        if not isinstance(message, dict) or line.get("isApiErrorMessage"):
            return None
        name, model, total = message.get("id"), message.get("model"), _total(message.get("usage"))
        if not isinstance(name, str) or not isinstance(model, str) or model.startswith("<"):
            return None
        found = self._messages.setdefault(name, _Message(model, parent))
        found.input = total or found.input
        found.size = found.size.plus(self._measured(message.get("content"), found.calls))
        return name

    def _added(self, line: dict[str, Any], message: object) -> Size:
        """What a line that is no answer adds to the next request."""
        if line.get("type") == "attachment":
            return self._attached(line.get("attachment"))
        if line.get("type") == "user" and isinstance(message, dict):
            return self._measured(message.get("content"), [])
        return Size()

    def _attached(self, attachment: object) -> Size:
        rendered = attachment.get("rendered") if isinstance(attachment, dict) else None
        parts = (
            [part.get("content") for part in rendered if isinstance(part, dict)]
            if isinstance(rendered, list)
            else []
        )
        texts = [part for part in parts if isinstance(part, str)]
        return Size(sum(map(self._estimate, texts)), len(texts))

    def _measured(self, content: object, calls: list[str]) -> Size:
        """The blocks of a message. Results of tools are put aside: they belong to the call,
        wherever their line is.
        """
        if isinstance(content, str):
            return Size(self._estimate(content), 1)
        whole = Size()
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result":
                self._results[str(block.get("tool_use_id"))] = self._result(block.get("content"))
                continue
            if block.get("type") == "tool_use":
                calls.append(str(block.get("id")))
            whole = whole.plus(self._block(block))
        return whole

    def _result(self, content: object) -> Size:
        if content is None:
            return Size(0, 1)
        size = self._measured(content, [])
        return Size(size.estimate, 1, size.clear)

    def _block(self, block: dict[str, Any]) -> Size:
        """Text and calls can be seen; thoughts, pictures and documents are not what is sent."""
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str):
            return Size(self._estimate(text), 1)
        if kind == "tool_use":
            from json import dumps

            return Size(
                self._estimate(
                    f"{block.get('name')} {dumps(block.get('input'), ensure_ascii=False)}"
                ),
                1,
            )
        return UNCLEAR

    def growths(self) -> Iterator[tuple[str, Growth]]:
        """Each answer whose request can be compared with the one before it, by its id."""
        for name, message in self._messages.items():
            before, added = self._walk(message.parent, name)
            if before is None or before.model != message.model or not before.input:
                continue
            size = added.plus(before.size)
            for call in before.calls:
                size = size.plus(self._results.get(call, UNCLEAR))
            if size.clear and size.estimate and message.input > before.input:
                yield (
                    name,
                    Growth(message.model, message.input - before.input, size.estimate, size.blocks),
                )

    def _walk(self, line: str | None, own: str) -> tuple[_Message | None, Size]:
        """Upwards to the answer before, with everything that was added since."""
        added, seen = Size(), set()
        while line is not None and line not in seen:
            seen.add(line)
            parent, answer, size = self._lines.get(line, (None, None, UNCLEAR))
            if answer is not None and answer != own:
                return self._messages[answer], added
            added, line = added.plus(size), parent
        return None, added


def _total(usage: object) -> int:
    """Everything that went in, cached or not; zero if it is not said."""
    if not isinstance(usage, dict):
        return 0
    parts = [usage.get(name) or 0 for name in INPUTS]
    return sum(parts) if all(type(part) is int and part >= 0 for part in parts) else 0
