"""A server in a TOML text, as a table of its own: which is there, how it gets in, how it gets out.
Pure.
"""

from __future__ import annotations

import json
import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Keys = tuple[str, ...]


class NotToml(Exception):
    """What is wrong, and where."""


class TomlNotChanged(Exception):
    """Why a text cannot be changed for certain."""


def server_in(text: str, keys: Keys, name: str) -> object | None:
    """How it is described there; None where it is not there."""
    table: object = _read(text)
    for key in keys:
        assert isinstance(table, dict)
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise NotToml(f"`{key}` in it is not a table")
    assert isinstance(table, dict)
    return table.get(name)


def with_server(text: str | None, keys: Keys, name: str, description: dict[str, Any]) -> str:
    """The text with a table at its end."""
    before = text or ""
    line_end = "\r\n" if "\r\n" in before else "\n"
    lines = [_header(keys, name)]
    for key, value in description.items():
        lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    between = ""
    if before.strip("\ufeff \t\r\n"):
        between = line_end if before.endswith("\n") else 2 * line_end
    after = before + between + line_end.join((*lines, ""))
    if not _is_same(after, _without(before, keys, name), keys, name):
        raise TomlNotChanged(f"the servers in it are not written as [{'.'.join(keys)}.NAME]")
    return after


def without_server(text: str, keys: Keys, name: str) -> str:
    """The text without the table, and without the empty line before it."""
    wanted = _without(text, keys, name)
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.strip() != _header(keys, name):
            continue
        start = index
        if start and not lines[start - 1].strip():
            start -= 1
        # Behind its last value: what is said before the next table belongs to that one.
        end = index + 1
        for number, following in enumerate(lines[end:], end + 1):
            said = following.strip()
            if said.startswith("["):
                break
            if said and not said.startswith("#"):
                end = number
        rest = "".join(lines[:start] + lines[end:])
        # A line in a text of many lines may look like the head of a table.
        if _is_same(rest, wanted, keys, name) and server_in(rest, keys, name) is None:
            return rest
    raise TomlNotChanged("the server dctx in it is not written as dctx writes it")


def _header(keys: Keys, name: str) -> str:
    return f"[{'.'.join((*keys, name))}]"


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise NotToml(str(error)) from None


def _is_same(text: str, others: dict[str, Any], keys: Keys, name: str) -> bool:
    """Whether everything but the server is as it was."""
    try:
        return _without(text, keys, name) == others
    except NotToml:
        return False


def _without(text: str, keys: Keys, name: str) -> dict[str, Any]:
    """Everything but the server; what it leaves empty is not there either."""
    whole = _read(text)
    tables = [whole]
    for key in keys:
        tables.append(tables[-1].get(key, {}))
    tables[-1].pop(name, None)
    for index in reversed(range(len(keys))):
        if not tables[index + 1]:
            tables[index].pop(keys[index], None)
    return whole
