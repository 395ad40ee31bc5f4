"""The file that `store export` writes: one JSON object in a line, a header first and a sum last."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.store.canonical import DATA, MOMENT, NUMBER, TRUTH, weight
from director_ctx.memory.store.store import is_id
from director_ctx.memory.store.tables import BY_TABLE, PARTS
from director_ctx.memory.transfer.rows import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

FORMAT, FORMAT_VERSION, SEALED_VERSION = "dctx-store", 1, 2
"""What follows the header of a sealed file, only its key reads; an older dctx asks for a newer one.
"""
LONGEST = 64 * 1024 * 1024
"""Bytes in a line."""
_HINT = "Nothing was imported; give a file that `dctx store export` wrote."
_WHOLE = 1 << 256


class Header(Record):
    """What the first line says."""

    workflow: str
    sealed: str = ""
    """The fingerprint of the key that opens the other lines, if they are sealed."""


def written(workflow: str, items: Iterable[Item], sealed: str = "") -> Iterator[bytes]:
    """The lines of a file. The header says if the others are going to be sealed."""
    if sealed:
        yield _line(
            {"format": FORMAT, "version": SEALED_VERSION, "workflow": workflow, "sealed": sealed}
        )
    else:
        yield _line({"format": FORMAT, "version": FORMAT_VERSION, "workflow": workflow})
    count = total = 0
    for item in items:
        count, total = count + 1, (total + weight(item.part.columns, item.values)) % _WHOLE
        yield _line({"table": item.part.table, **item.values})
    yield _line({"end": count, "sum": f"{total:064x}"})


def _line(data: dict[str, Any]) -> bytes:
    import json

    return (
        json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    )


def header(first: bytes) -> Header:
    """The header; whatever else the line may be is refused."""
    data = _object(first, 1)
    if data.get("format") != FORMAT:
        raise DctxError("Line 1: this is no file of `dctx store export`.", _HINT)
    sealed = data.get("sealed", "")
    if data.get("version") != (SEALED_VERSION if sealed else FORMAT_VERSION):
        raise DctxError(
            f"Line 1: the file is of version {str(data.get('version'))[:20]}.",
            "Upgrade dctx to read it.",
        )
    workflow = data.get("workflow")
    if not isinstance(workflow, str) or not is_id(workflow):
        raise DctxError("Line 1: workflow is no UUID.", _HINT)
    if not isinstance(sealed, str) or not (sealed == "" or sealed.isalnum()):
        raise DctxError("Line 1: sealed is no fingerprint of a key.", _HINT)
    return Header(workflow, sealed)


def rows(lines: Iterable[bytes]) -> Iterator[Item]:
    """What follows the header. The last line tells whether it is all there, and unchanged."""
    count = total = 0
    place, last = 0, 1
    for last, line in enumerate(lines, 2):
        data = _object(line, last)
        if "end" in data:
            _check_end(data, last, count, total)
            break
        item = _item(data, last)
        if PARTS.index(item.part) < place:
            raise DctxError(f"Line {last}: {item.part.table} comes too late.", _HINT)
        place = PARTS.index(item.part)
        count, total = count + 1, (total + weight(item.part.columns, item.values)) % _WHOLE
        yield item
    else:
        raise DctxError(
            f"The file ends in line {last}, before its end.", "Nothing was imported; get all of it."
        )
    if next(iter(lines), b""):
        raise DctxError(f"Line {last + 1}: something follows the end.", _HINT)


def _check_end(data: dict[str, Any], line: int, count: int, total: int) -> None:
    if data != {"end": count, "sum": f"{total:064x}"}:
        raise DctxError(f"Line {line}: the sum is not that of the {count:,} rows before it.", _HINT)


def _object(line: bytes, number: int) -> dict[str, Any]:
    import json

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


def _item(data: dict[str, Any], line: int) -> Item:
    table = data.pop("table", None)
    part = BY_TABLE.get(table) if isinstance(table, str) else None
    if part is None:
        raise DctxError(f"Line {line}: there is no such table.", _HINT)
    if set(data) != set(part.columns):
        wrong = sorted(set(data) ^ set(part.columns))[0]
        raise DctxError(
            f"Line {line}: {part.table} has {'an unknown' if wrong in data else 'no'} {wrong[:60]}.",
            _HINT,
        )
    values = {
        name: _value(data[name], kind, f"Line {line}: {name}")
        for name, kind in part.columns.items()
    }
    if lacking := [
        name for name, value in values.items() if value is None and name not in part.empty
    ]:
        raise DctxError(f"Line {line}: {lacking[0]} is empty.", _HINT)
    return Item(part, values, line)


def _value(value: object, kind: str, where: str) -> object:
    if value is None:
        return None
    if kind == NUMBER:
        fits = (
            isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1 << 31
        )
    else:
        fits = (
            isinstance(value, bool) if kind == TRUTH else isinstance(value, str) and _is_text(value)
        )
    if fits and kind == DATA:
        fits = _is_json(str(value))
    if fits and kind == MOMENT:
        fits = _is_moment(str(value))
    if not fits:
        raise DctxError(f"{where} is no {kind}.", _HINT)
    return value


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(text: str) -> bool:
    import json

    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _is_moment(text: str) -> bool:
    """As every row has it: 2026-11-18T20:31:52.000001Z."""
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 27 and text[10] == "T" and text[-1] == "Z"
