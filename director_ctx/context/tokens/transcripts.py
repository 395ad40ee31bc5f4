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
    Json = dict[str, Any]

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


def read_lines(path: str) -> Iterator[Json]:
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
            estimate=self.estimate + other.estimate,
            blocks=self.blocks + other.blocks,
            clear=self.clear and other.clear,
        )


UNCLEAR = Size(clear=False)


class _Line(Record):
    """One line of a conversation."""

    parent: str | None
    answer: str | None
    """The message that it is a part of, if it is an answer."""
    added: Size
    """What it adds to the next request, if it is none."""


_UNKNOWN_LINE = _Line(None, None, UNCLEAR)


class _Message:
    """One answer of the model, gathered from all the lines that share its id."""

    def __init__(self, model: str, parent: str | None) -> None:
        self.model = model
        self.parent = parent
        self.input = 0
        self.size = Size()
        self.calls: list[str] = []


def default_folder() -> str:
    """Where Claude Code keeps them."""
    base = os.environ.get("CLAUDE_CONFIG_DIR")
    if not base:
        base = os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(base, "projects")


def transcripts(folder: str) -> list[str]:
    """Every transcript below a folder, those of sub-agents too; no link is followed, and no pipe
    waited for.
    """
    paths = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if name.endswith(".jsonl") and _is_own_file(path):
                paths.append(path)
    return sorted(paths)


def _is_own_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


class Transcript:
    """One file, read line by line; only sizes are kept, never text."""

    def __init__(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._lines: dict[str, _Line] = {}
        self._messages: dict[str, _Message] = {}
        self._results: dict[str, Size] = {}
        self._last: dict[object, str] = {}

    def read(self, path: str) -> None:
        for line in read_lines(path):
            self.take(line)

    def take(self, line: Json) -> None:
        """One line of the file, if it is one of a conversation."""
        kind = line.get("type")
        message = line.get("message")
        name = line.get("uuid")
        if not isinstance(name, str):
            is_of_conversation = kind in ("user", "assistant")
            if not is_of_conversation or not isinstance(message, dict):
                return
            name = f"line {len(self._lines)}"
        if name in self._lines:
            return

        parent = self._parent_of(line, name)
        answer = None
        if kind == "assistant":
            answer = self._answer(line, message, parent)
        added = Size()
        if not answer:
            added = self._added(line, message)
        self._lines[name] = _Line(parent, answer, added)

    def _parent_of(self, line: Json, name: str) -> str | None:
        """The line above: the one that is named, else the last in the same lane. A compaction begins
        anew.
        """
        lane = (line.get("agentId"), bool(line.get("isSidechain")))
        parent = self._last.get(lane)
        if "parentUuid" in line:
            parent = line["parentUuid"]
        self._last[lane] = name
        if not isinstance(parent, str) or line.get("subtype") in _BREAKS:
            return None
        return parent

    def _answer(
        self,
        line: Json,
        message: object,
        parent: str | None,
    ) -> str | None:
        """The id of the message that this line is a part of; errors of the client are none."""
        if not isinstance(message, dict) or line.get("isApiErrorMessage"):
            return None
        name = message.get("id")
        model = message.get("model")
        if not isinstance(name, str) or not isinstance(model, str):
            return None
        # `<synthetic>`: the client's own words in the model's place.
        if model.startswith("<"):
            return None

        answer = self._messages.setdefault(name, _Message(model, parent))
        total = _total(message.get("usage"))
        if total:
            answer.input = total
        size = self._measured(message.get("content"), answer.calls)
        answer.size = answer.size.plus(size)
        return name

    def _added(self, line: Json, message: object) -> Size:
        """What a line that is no answer adds to the next request."""
        kind = line.get("type")
        if kind == "attachment":
            return self._attached(line.get("attachment"))
        if kind == "user" and isinstance(message, dict):
            content = message.get("content")
            return self._measured(content, [])
        return Size()

    def _attached(self, attachment: object) -> Size:
        rendered = None
        if isinstance(attachment, dict):
            rendered = attachment.get("rendered")
        if not isinstance(rendered, list):
            return Size()

        size = Size()
        for part in rendered:
            if not isinstance(part, dict):
                continue
            text = part.get("content")
            if isinstance(text, str):
                one_block = Size(self._estimate(text), 1)
                size = size.plus(one_block)
        return size

    def _measured(self, content: object, calls: list[str]) -> Size:
        """The blocks of a message. Results of tools are put aside: they belong to the call,
        wherever their line is.
        """
        if isinstance(content, str):
            return Size(self._estimate(content), 1)
        if not isinstance(content, list):
            return Size()

        whole = Size()
        for block in content:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "tool_result":
                call = str(block.get("tool_use_id"))
                self._results[call] = self._result(block.get("content"))
                continue
            if kind == "tool_use":
                call = str(block.get("id"))
                calls.append(call)
            whole = whole.plus(self._block(block))
        return whole

    def _result(self, content: object) -> Size:
        if content is None:
            return Size(0, 1)
        size = self._measured(content, [])
        return Size(size.estimate, 1, size.clear)

    def _block(self, block: Json) -> Size:
        """Text and calls can be seen; thoughts, pictures and documents are not what is sent."""
        kind = block.get("type")
        text = block.get("text")
        if kind == "text" and isinstance(text, str):
            return Size(self._estimate(text), 1)
        if kind != "tool_use":
            return UNCLEAR

        from json import dumps

        name = block.get("name")
        arguments = dumps(block.get("input"), ensure_ascii=False)
        return Size(self._estimate(f"{name} {arguments}"), 1)

    def growths(self) -> Iterator[tuple[str, Growth]]:
        """Each answer whose request can be compared with the one before it, by its id."""
        for name, message in self._messages.items():
            before, added = self._walk(message.parent, name)
            if before is None or not before.input:
                continue
            # Another model counts otherwise.
            if before.model != message.model:
                continue

            size = added.plus(before.size)
            for call in before.calls:
                result = self._results.get(call, UNCLEAR)
                size = size.plus(result)
            tokens = message.input - before.input
            if tokens <= 0 or not size.clear or not size.estimate:
                continue
            growth = Growth(
                model=message.model,
                tokens=tokens,
                estimate=size.estimate,
                blocks=size.blocks,
            )
            yield name, growth

    def _walk(self, line: str | None, own: str) -> tuple[_Message | None, Size]:
        """Upwards to the answer before, with everything that was added since."""
        added = Size()
        # A damaged file may name a line as its own ancestor.
        passed: set[str] = set()
        while line is not None and line not in passed:
            passed.add(line)
            here = self._lines.get(line, _UNKNOWN_LINE)
            if here.answer is not None and here.answer != own:
                return self._messages[here.answer], added
            added = added.plus(here.added)
            line = here.parent
        return None, added


def _total(usage: object) -> int:
    """Everything that went in, cached or not; zero if it is not said."""
    if not isinstance(usage, dict):
        return 0
    total = 0
    for name in INPUTS:
        tokens = usage.get(name) or 0
        # A bool is an int to `isinstance`, and says nothing here.
        if type(tokens) is not int or tokens < 0:
            return 0
        total += tokens
    return total
