"""The file that `store export` writes: one JSON object in a line, a header first and a sum last."""

from __future__ import annotations

import json
from datetime import datetime

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.schema import BY_TABLE, DATA, MOMENT, NUMBER, PARTS, TRUTH
from director_ctx.memory.store.store import is_id
from director_ctx.memory.transfer.rows import Item, lacking, weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Object = dict[str, Any]

FORMAT, FORMAT_VERSION = "dctx-store", 1
LONGEST = 64 * 1024 * 1024
"""Bytes in a line."""


def _wrong(line: int, what: str, between: str = ": ") -> DctxError:
    hint = "Nothing was imported; give a file that `dctx store export` wrote."
    return DctxError(f"Line {line}{between}{what}.", hint)


def written(workflow: str, items: Iterable[Item]) -> Iterator[bytes]:
    """The lines of a file."""
    yield _line({"format": FORMAT, "version": FORMAT_VERSION, "workflow": workflow})
    count = total = 0
    for item in items:
        count += 1
        total += weight(item.part, item.values)
        yield _line({"table": item.part.table, **item.values})
    yield _line(_end(count, total))


def _end(count: int, total: int) -> Object:
    """What the last line says: whoever reads the file counts and adds up what came before it."""
    return {"end": count, "sum": f"{total % (1 << 256):064x}"}


def _line(data: Object) -> bytes:
    # Half a character goes as its escape, which a file in UTF-8 can hold.
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def header(first: bytes) -> str:
    """The workflow that the header names; whatever else the line may be is refused."""
    data = _object(first, 1)
    if data.get("format") != FORMAT:
        raise _wrong(1, "this file was not written by `dctx store export`")
    if data.get("version") != FORMAT_VERSION:
        version = str(data.get("version"))[:20]
        raise DctxError(f"Line 1: the file is of version {version}.", "Upgrade dctx to read it.")
    workflow = data.get("workflow")
    if not isinstance(workflow, str) or not is_id(workflow):
        raise _wrong(1, "workflow is no UUID")
    return workflow


def rows(lines: Iterable[bytes]) -> Iterator[Item]:
    """What follows the header. The last line tells whether it is all there, and unchanged."""
    total = 0
    earliest = 0
    """The index of the table that came last: none comes before it any more."""
    number = 1
    for number, line in enumerate(lines, 2):
        data = _object(line, number)
        if "end" in data:
            count = number - 2  # the lines between the header and this one
            if data != _end(count, total):
                raise _wrong(number, f"the sum is not that of the {count:,} rows before it")
            break
        item = _item(data, number)
        index = PARTS.index(item.part)
        if index < earliest:
            raise _wrong(number, f"{item.part.table} comes too late")
        earliest = index
        total += weight(item.part, item.values)
        yield item
    else:
        raise DctxError(
            f"The file ends in line {number}, before its end.",
            "Nothing was imported; get the whole file.",
        )
    if next(iter(lines), b""):
        raise _wrong(number + 1, "something follows the end")


def _object(line: bytes, number: int) -> Object:
    if len(line) > LONGEST:
        raise _wrong(number, "is too long", " ")
    try:
        data = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _wrong(number, "is no JSON", " ") from None
    if not isinstance(data, dict):
        raise _wrong(number, "is no JSON object", " ")
    return data


def _refuse(word: str) -> None:
    raise ValueError(word)


def _item(data: Object, line: int) -> Item:
    table = data.pop("table", None)
    part = BY_TABLE.get(table) if isinstance(table, str) else None
    if part is None:
        raise _wrong(line, "there is no such table")
    for name in sorted(set(data) ^ set(part.columns))[:1]:
        has = "has an unknown" if name in data else "has no"
        raise _wrong(line, f"{part.table} {has} {name[:60]}")

    for name, kind in part.columns.items():
        if data[name] is not None and not _fits(data[name], kind):
            raise _wrong(line, f"{name} is no {kind}")
    values = {name: data[name] for name in part.columns}
    if empty := lacking(part, values):
        raise _wrong(line, f"{empty} is empty")
    return Item(part, values, line)


def _fits(value: object, kind: str) -> bool:
    if kind == TRUTH:
        return isinstance(value, bool)
    if kind == NUMBER:
        # Python counts true as a number, and an integer of PostgreSQL has 32 bits.
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return abs(value) < 1 << 31
    if not isinstance(value, str):
        return False
    try:
        value.encode()
        if kind == DATA:
            json.loads(value, parse_constant=_refuse)
        elif kind == MOMENT:
            datetime.fromisoformat(value)
    except (ValueError, RecursionError):
        return False
    # As every row has it: 2026-11-18T20:31:52.000001Z.
    return kind != MOMENT or (len(value) == 27 and value[10] == "T" and value[-1] == "Z")
