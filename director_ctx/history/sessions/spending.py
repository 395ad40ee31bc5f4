"""Where the tokens of a conversation went: by who said it, by tool, by file; as a tree, and as the
picture of one.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from director_ctx.base.claude_code_lines import is_summary
from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.base.secrets import redact
from director_ctx.base.text import cleaned
from director_ctx.history.messages.message import CALL
from director_ctx.history.sessions.render import (
    ANSWERED,
    CALLED,
    SUMMARY,
    THOUGHT,
    is_context,
)
from director_ctx.history.signals.files import touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block
    from director_ctx.history.sessions.render import Row

    Json = dict[str, Any]

TOOLS, CLIENT, BESIDE, UNEXPLAINED = "tools", "client", "beside", "unexplained"
TITLES = {
    "user": "User",
    "assistant": "Model",
    THOUGHT: "Thinking",
    TOOLS: "Tools",
    CLIENT: "Put in by the client",
    SUMMARY: "Summary",
    BESIDE: "Instructions and tools of its client",
    UNEXPLAINED: "Not explained by the text",
}
"""Who speaks, as people are told; everybody else has the name that the conversation gives."""
LONGEST_NAME = 120
NARROWEST = 0.25
"""Percent of the whole; what is narrower cannot be seen, and stands in the table alone."""
_NEARLY_ALL = 0.8
_COMMAND = re.compile(r'"(?:command|cmd|script)":\s*(?:\[[^\]]*"-\w*c",\s*)?\[?"((?:[^"\\]|\\.)*)')
_ASIDE = re.compile(r"^(?:cd|export|set|source) [^&;|]*(?:&&|;)\s*")
_PROGRAM = re.compile(r"[\w./@+-]+(?: [a-z][\w-]*)?")


class Subjects:
    """What each call of a conversation is about, known to its result, too."""

    def __init__(self, *folders: str) -> None:
        """Names of files in these folders are said without them."""
        self._folders = [folder.rstrip("/") for folder in folders if folder.rstrip("/")]
        self._by_call: dict[str, tuple[str, str]] = {}

    def path(self, row: Row) -> tuple[str, ...]:
        """Where a row stands in the tree: who, and of a tool which one and about what."""
        if row.role in (CALLED, ANSWERED):
            return (TOOLS, *self._tool(row))
        raw = row.source.raw if row.source else None
        if isinstance(raw, dict) and is_summary(raw):
            return (SUMMARY,)
        return (CLIENT,) if row.role != SUMMARY and is_context(row) else (row.role,)

    def _tool(self, row: Row) -> tuple[str, ...]:
        block = row.block
        if block is None:
            return ("",)
        known = (_shown(block.tool), self._about(block) if block.kind == CALL else "")
        if block.kind != CALL:
            known = self._by_call.get(block.call, known)
        elif block.call:
            self._by_call[block.call] = known
        return known if known[1] else known[:1]

    def _short(self, name: str) -> str:
        """As people call it who are in the folder of the session."""
        path, _, where = name.partition(" in ")
        for folder in self._folders:
            path = path.removeprefix(f"{folder}/")
        if where and where.rstrip("/") not in self._folders:
            path = f"{path} in {where}"
        return _shown(path)

    def _about(self, call: Block) -> str:
        """The first file that it touches, else the program that it runs."""
        for name, _ in touches(call):
            return self._short(name)
        command = _COMMAND.search(call.text)
        text = command[1].replace("\\n", " ").lstrip() if command else ""
        program = _PROGRAM.match(_ASIDE.sub("", text))
        return _shown(program[0]) if program else ""


def common_folder(rows: Iterable[Row], folder: str) -> str:
    """The folder that nearly all files are in, where that is not the session's: it was moved, or
    worked elsewhere. Empty where there is none.
    """
    inside = 0
    elsewhere: list[list[str]] = []
    for row in rows:
        if row.block is None or row.block.kind != CALL:
            continue
        for name, _ in touches(row.block):
            if not name.startswith("/"):
                continue
            if folder and name.startswith(f"{folder.rstrip('/')}/"):
                inside += 1
            else:
                elsewhere.append(name.split("/")[:-1])
            break
    if len(elsewhere) <= max(1, inside):
        return ""
    # Name by name, as long as nearly all go on alike.
    enough = len(elsewhere) * _NEARLY_ALL
    shared: list[str] = []
    while True:
        place = len(shared)
        names = Counter(folder[place] for folder in elsewhere if len(folder) > place)
        [(name, times)] = names.most_common(1) or [("", 0)]
        if not times or times < enough:
            return "/".join(shared)
        elsewhere = [folder for folder in elsewhere if folder[place : place + 1] == [name]]
        shared.append(name)


@lru_cache(maxsize=4096)
def _shown(name: str) -> str:
    return redact(cleaned(line(name, LONGEST_NAME)))


def spending_of(paths: Iterable[tuple[Row, Sequence[str]]]) -> Json:
    """The tree of rows whose blocks were measured, with what each is about; the largest first on each level."""
    root = _node("")
    for row, path in paths:
        if row.block is None:
            continue
        nodes = [root]
        for name in path:
            nodes.append(nodes[-1]["parts"].setdefault(name, _node(name)))
        for node in nodes:
            node["tokens"] += row.block.tokens
            node["blocks"] += 1
            node["first"] = node["first"] or row.message
    return _sorted(root)


def title(path: Sequence[str]) -> str:
    """As people are told who or what it is."""
    if not path:
        return "Everything"
    if len(path) == 1:
        return TITLES.get(path[0], path[0])
    return path[-1] or "a tool without a name"


def _node(name: str) -> Json:
    return {"name": name, "tokens": 0, "blocks": 0, "first": 0, "parts": {}}


def _sorted(node: Json) -> Json:
    parts = [_sorted(part) for part in node["parts"].values()]
    parts.sort(key=lambda part: (-part["tokens"], part["name"]))
    return {**node, "parts": parts}


# The picture: each level a row, each part as wide as its share


class IcicleCell(Record):
    """A part of the tree, in percent of the width."""

    path: tuple[str, ...]
    level: int
    left: float
    width: float
    tokens: int
    blocks: int
    first: int

    @property
    def title(self) -> str:
        return title(self.path)

    @property
    def short(self) -> str:
        """Of a file its name: most parts are narrow, and the whole path is in the title."""
        path, _, _ = self.title.partition(" in ")
        return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def cells(tree: Json) -> list[IcicleCell]:
    """From left to right, a part before what it is made of."""
    return list(_below(tree, (), 0.0, max(1, tree["tokens"])))


def _below(node: Json, path: tuple[str, ...], left: float, whole: int) -> Iterator[IcicleCell]:
    width = node["tokens"] * 100 / whole
    if width < NARROWEST:
        return
    numbers = node["tokens"], node["blocks"], node["first"]
    yield IcicleCell(path, len(path), round(left, 3), round(width, 3), *numbers)
    for part in node["parts"]:
        yield from _below(part, (*path, part["name"]), left, whole)
        left += part["tokens"] * 100 / whole
