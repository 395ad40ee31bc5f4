"""The file that `store export` writes: one JSON object in a line, a header first and a sum last."""

from __future__ import annotations

import json
from datetime import datetime

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.canonical import DATA, MOMENT, NUMBER, TRUTH, weight
from director_ctx.memory.store.store import is_id
from director_ctx.memory.store.tables import BY_TABLE, PARTS
from director_ctx.memory.transfer.rows import Item, lacking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Object = dict[str, Any]

FORMAT, FORMAT_VERSION = "dctx-store", 1
LONGEST = 64 * 1024 * 1024
"""Bytes in a line."""
_HINT = "Nothing was imported; give a file that `dctx store export` wrote."
_WHOLE = 1 << 256


def written(workflow: str, items: Iterable[Item]) -> Iterator[bytes]:
    """The lines of a file."""
    yield _line({"format": FORMAT, "version": FORMAT_VERSION, "workflow": workflow})

    count = 0
    total = 0
    for item in items:
        count += 1
        total += weight(item.part.columns, item.values)
        yield _line({"table": item.part.table, **item.values})
    yield _line(_end(count, total))


def _end(count: int, total: int) -> Object:
    """What the last line says: whoever reads the file counts and adds up what came before it."""
    return {"end": count, "sum": f"{total % _WHOLE:064x}"}


def _line(data: Object) -> bytes:
    # Half a character goes as its escape, which a file in UTF-8 can hold.
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def header(first: bytes) -> str:
    """The workflow that the header names; whatever else the line may be is refused."""
    data = _object(first, 1)
    if data.get("format") != FORMAT:
        raise DctxError("Line 1: this file was not written by `dctx store export`.", _HINT)
    if data.get("version") != FORMAT_VERSION:
        version = str(data.get("version"))[:20]
        raise DctxError(f"Line 1: the file is of version {version}.", "Upgrade dctx to read it.")
    workflow = data.get("workflow")
    if not isinstance(workflow, str) or not is_id(workflow):
        raise DctxError("Line 1: workflow is no UUID.", _HINT)
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
            _check_end(data, number, count, total)
            break
        item = _item(data, number)
        index = PARTS.index(item.part)
        if index < earliest:
            raise DctxError(f"Line {number}: {item.part.table} comes too late.", _HINT)
        earliest = index
        total += weight(item.part.columns, item.values)
        yield item
    else:
        raise DctxError(
            f"The file ends in line {number}, before its end.",
            "Nothing was imported; get the whole file.",
        )
    if next(iter(lines), b""):
        raise DctxError(f"Line {number + 1}: something follows the end.", _HINT)


def _check_end(
    data: Object,
    line: int,
    count: int,
    total: int,
) -> None:
    if data != _end(count, total):
        raise DctxError(f"Line {line}: the sum is not that of the {count:,} rows before it.", _HINT)


def _object(line: bytes, number: int) -> Object:
    if len(line) > LONGEST:
        raise DctxError(f"Line {number} is too long.", _HINT)
    try:
        data = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise DctxError(f"Line {number} is no JSON.", _HINT) from None
    if not isinstance(data, dict):
        raise DctxError(f"Line {number} is no JSON object.", _HINT)
    return data


def _refuse(word: str) -> None:
    raise ValueError(word)


def _item(data: Object, line: int) -> Item:
    table = data.pop("table", None)
    part = None
    if isinstance(table, str):
        part = BY_TABLE.get(table)
    if part is None:
        raise DctxError(f"Line {line}: there is no such table.", _HINT)

    differing = sorted(set(data) ^ set(part.columns))
    if differing:
        name = differing[0]
        has = "has an unknown" if name in data else "has no"
        raise DctxError(f"Line {line}: {part.table} {has} {name[:60]}.", _HINT)

    values: dict[str, object] = {}
    for name, kind in part.columns.items():
        values[name] = _value(data[name], kind, f"Line {line}: {name}")
    empty = lacking(part, values)
    if empty:
        raise DctxError(f"Line {line}: {empty} is empty.", _HINT)
    return Item(part, values, line)


def _value(value: object, kind: str, where: str) -> object:
    if value is not None and not _fits(value, kind):
        raise DctxError(f"{where} is no {kind}.", _HINT)
    return value


def _fits(value: object, kind: str) -> bool:
    if kind == TRUTH:
        return isinstance(value, bool)
    if kind == NUMBER:
        # Python counts true as a number.
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # An integer of PostgreSQL has 32 bits.
        return abs(value) < 1 << 31
    if not isinstance(value, str) or not _is_text(value):
        return False
    if kind == DATA:
        return _is_json(value)
    if kind == MOMENT:
        return _is_moment(value)
    return True


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _is_moment(text: str) -> bool:
    """As every row has it: 2026-11-18T20:31:52.000001Z."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 27 and text[10] == "T" and text[-1] == "Z"
