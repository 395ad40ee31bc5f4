"""One line of the run record: what an agent was told, in numbers and hashes."""

from __future__ import annotations

from director_ctx.base.record import Record, as_dict

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # a Python whose json has no helper in C
    from json import dumps as _quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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


def growths(runs: Sequence[Run]) -> list[int | None]:
    """For each run, how many tokens more it has than the one before it of the same agent, counted
    the same way.
    """
    last: dict[tuple[str, str], int] = {}
    growth: list[int | None] = []
    for run in runs:
        # Numbers of two counters do not compare.
        kind = (run.agent, run.counter)
        before = last.get(kind)
        growth.append(None if before is None else run.used - before)
        last[kind] = run.used
    return growth


def history_json(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The shape of `dctx budget --history --json`."""
    pairs = zip(runs, growths(runs), strict=True)
    return [{**run_json(run), "growth": growth} for run, growth in pairs]


def run_json(run: Run) -> dict[str, Any]:
    """A run as every door shows it, which is how it stands in the record."""
    return {
        **as_dict(run),
        "percent": run.percent,
        "sections": [as_dict(section) for section in run.sections],
        "reductions": list(run.reductions),
    }


def run_line(run: Run) -> str:
    """JSON without `json`, which costs more to import than everything here."""
    sections = (
        f'{{"tag":{_quoted(section.tag)},"tokens":{section.tokens},"sha256":"{section.sha256}"}}'
        for section in run.sections
    )
    fields = [f'"id":"{run.id}"']
    fields += [f'"{name}":{_quoted(getattr(run, name)[:LONGEST])}' for name in _TEXTS]
    fields += [f'"{name}":{getattr(run, name)}' for name in (*_NUMBERS, "percent")]
    for name in (*_OCCASION, "account"):
        if text := getattr(run, name)[:LONGEST]:
            fields.append(f'"{name}":{_quoted(text)}')
    fields += (
        f'"sections":[{",".join(sections)}]',
        f'"reductions":[{",".join(map(_quoted, run.reductions))}]',
        f'"prefix":"{run.prefix}"',
        f'"sha256":"{run.sha256}"',
    )
    return f"{{{','.join(fields)}}}\n"


def parse_run(line: str | bytes) -> Run | None:
    """The run of a line, or None where it is no line of ours: the file may have been anywhere."""
    import json

    try:
        data = json.loads(line)
        fields: dict[str, Any] = {name: _text(data[name]) for name in _TEXTS}
        fields |= {name: _number(data[name]) for name in _NUMBERS}
        fields |= {name: _text(data.get(name, "")) for name in _OCCASION}
        if "account" in data:
            fields["account"] = _hash(data["account"])
        # `percent` is not read: it follows from the numbers.
        return Run(
            id=_hex(data["id"], "r", 7),
            **fields,
            sections=tuple(
                RunSection(_text(item["tag"]), _number(item["tokens"]), _hash(item["sha256"]))
                for item in _list(data["sections"])
            ),
            reductions=tuple(map(_text, _list(data["reductions"]))),
            prefix=_hash(data["prefix"]),
            sha256=_hash(data["sha256"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


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
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**12:
        raise ValueError
    return value


def _hash(value: object) -> str:
    """Texts are found on disk by their hash, so it is one and nothing else."""
    return _hex(value, "", 64)


def _hex(value: object, start: str, length: int) -> str:
    text = _text(value)
    is_hex = _HEX.issuperset(text.removeprefix(start))
    if len(text) != length or not text.startswith(start) or not is_hex:
        raise ValueError
    return text
