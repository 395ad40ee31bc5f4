"""One line of the run record: what an agent was told, in numbers and hashes."""

from __future__ import annotations

from director_ctx.base.record import Record

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # a Python whose json has no helper in C
    from json import dumps as _quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST = 200
"""Characters of any one text in a line, so that a line is short whatever a project calls its
agents.
"""
_HEX = frozenset("0123456789abcdef")
_TEXTS = ("time", "agent", "task", "status", "counter")
_OCCASION = ("by", "client", "session", "call")
"""Texts that a line of a run that nobody asked for does not have."""
_NUMBERS = ("window", "limit", "used")


COMMAND, HOOK, TOOL, PROGRAM = "command", "hook", "tool", "program"


class RunOccasion(Record):
    """By what an agent was told, and in whose session."""

    by: str = ""
    """A command that was typed, a hook of a client, a tool that was called, or a program."""
    client: str = ""
    session: str = ""
    """Of whoever spawned the agent, as its client calls it."""
    call: str = ""
    """The call that spawned the agent, or the agent itself, by the id that its client gave it."""


class RunSection(Record):
    """One section as it was told."""

    tag: str
    tokens: int
    sha256: str


class Run(Record):
    """One context that was given to an agent."""

    id: str
    time: str
    agent: str
    task: str
    window: int
    limit: int
    used: int
    status: str
    counter: str
    sections: tuple[RunSection, ...]
    reductions: tuple[str, ...]
    prefix: str
    """The hash of what stands before anything that depends on task or time."""
    sha256: str
    by: str = ""
    client: str = ""
    session: str = ""
    call: str = ""
    account: str = ""
    """The hash of what was cut and what was not chosen; empty where that is not on record."""

    @property
    def percent(self) -> float:
        """Of the window, to one decimal."""
        return round(self.used * 100 / max(1, self.window), 1)


def run_line(run: Run) -> str:
    """JSON without `json`, which costs more to import than everything here."""
    sections: list[str] = []
    for section in run.sections:
        tag = _quoted(section.tag)
        sections.append(f'{{"tag":{tag},"tokens":{section.tokens},"sha256":"{section.sha256}"}}')

    fields = [f'"id":"{run.id}"']
    for name in _TEXTS:
        text = getattr(run, name)[:LONGEST]
        fields.append(f'"{name}":{_quoted(text)}')
    for name in (*_NUMBERS, "percent"):
        fields.append(f'"{name}":{getattr(run, name)}')
    for name in (*_OCCASION, "account"):
        text = getattr(run, name)[:LONGEST]
        if text:
            fields.append(f'"{name}":{_quoted(text)}')
    rungs = map(_quoted, run.reductions)
    fields += (
        f'"sections":[{",".join(sections)}]',
        f'"reductions":[{",".join(rungs)}]',
        f'"prefix":"{run.prefix}"',
        f'"sha256":"{run.sha256}"',
    )
    return f"{{{','.join(fields)}}}\n"


def parse_run(line: str | bytes) -> Run | None:
    """The run of a line, or None where it is no line of ours: the file may have been anywhere."""
    import json

    try:
        data = json.loads(line)
        return _checked_run(data)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _checked_run(data: Any) -> Run:
    fields: dict[str, Any] = {}
    for name in _TEXTS:
        fields[name] = _text(data[name])
    for name in _NUMBERS:
        fields[name] = _number(data[name])
    for name in _OCCASION:
        fields[name] = _text(data.get(name, ""))
    if "account" in data:
        fields["account"] = _hash(data["account"])
    # `percent` is not read: it follows from the numbers.
    return Run(
        id=_id(data["id"]),
        **fields,
        sections=tuple(_sections(data["sections"])),
        reductions=tuple(map(_text, _list(data["reductions"]))),
        prefix=_hash(data["prefix"]),
        sha256=_hash(data["sha256"]),
    )


def _sections(items: object) -> Iterator[RunSection]:
    for item in _list(items):
        yield RunSection(
            tag=_text(item["tag"]),
            tokens=_number(item["tokens"]),
            sha256=_hash(item["sha256"]),
        )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list) or len(value) > LONGEST:
        raise ValueError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError
    return value


def _number(value: object) -> int:
    # To Python, true is a number as well.
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError
    if not 0 <= value < 10**12:
        raise ValueError
    return value


def _id(value: object) -> str:
    text = _text(value)
    if len(text) != 7 or text[0] != "r" or not _HEX.issuperset(text[1:]):
        raise ValueError
    return text


def _hash(value: object) -> str:
    """Texts are found on disk by their hash, so it is one and nothing else."""
    text = _text(value)
    if len(text) != 64 or not _HEX.issuperset(text):
        raise ValueError
    return text
