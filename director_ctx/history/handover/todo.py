"""The list of things to do, as it was written last."""

from __future__ import annotations

import re

from director_ctx.history.formats.parts import read_json
from director_ctx.history.handover.handover import IN_WORK
from director_ctx.history.signals.phases import is_ticked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LISTS = ("todos", "plan", "todoList", "todo_list")
"""What clients call the list in the arguments of a call."""
TEXTS = ("content", "step", "subject", "title", "description", "text", "name")
"""What they call the words of an item."""
GONE = ("deleted", "cancelled", "canceled")
_WORKED_ON = ("in_progress", "in-progress", "doing")
_MAY_BE_LIST = tuple(f'"{name}"' for name in LISTS)
_CREATE, _UPDATE = "TaskCreate", "TaskUpdate"
"""Tools of Claude Code that add one item, and change one."""
_NUMBER = re.compile(r"#(\d+)")

Item = dict[str, "Any"]


class TodoList:
    """Items by their ids, in order."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._is_written = False

    def see_call(self, tool: str, arguments: str) -> None:
        """A call that may write the list anew, or change an item."""
        if tool == _UPDATE:
            self._update(_object(arguments))
        elif any(name in arguments for name in _MAY_BE_LIST):
            self._rewrite(_object(arguments))

    def see_result(self, tool: str, arguments: str, result: str) -> None:
        """An item that was added has its number from the answer."""
        if tool != _CREATE:
            return
        item = _object(arguments)
        number = _NUMBER.search(result)
        name = f"+{len(self._items)}"
        if number:
            name = number[1]
        self._items[name] = item
        self._is_written = True

    def _update(self, change: Item) -> None:
        name = str(change.get("taskId", ""))
        item = self._items.get(name)
        if item is None:
            # It was added before what is known here.
            item = {"subject": f"task {name}"}
        self._items[name] = {**item, **change}
        self._is_written = True

    def _rewrite(self, arguments: Item) -> None:
        items = _list_in(arguments)
        if items is None:
            return
        self._is_written = True
        if not arguments.get("merge"):
            self._items.clear()
        for place, item in enumerate(items):
            name = str(item.get("id", place))
            before = self._items.get(name, {})
            self._items[name] = {**before, **item}

    def still_open(self) -> tuple[str, ...] | None:
        """What is not done; None where nobody wrote a list."""
        if not self._is_written:
            return None
        return tuple(self._not_done())

    def _not_done(self) -> Iterator[str]:
        for item in self._items.values():
            status = str(item.get("status", "")).lower()
            text = _text(item)
            if not text or is_ticked(item) or status in GONE:
                continue
            if status in _WORKED_ON:
                text = f"{IN_WORK}{text}"
            yield text


def _object(arguments: str) -> Item:
    try:
        values = read_json(arguments)
    except (ValueError, RecursionError):
        return {}
    if isinstance(values, dict):
        return values
    return {}


def _list_in(arguments: Item) -> list[Item] | None:
    for name in LISTS:
        items = arguments.get(name)
        if isinstance(items, list):
            return [item for item in items if isinstance(item, dict)]
    return None


def _text(item: Item) -> str:
    for name in TEXTS:
        text = item.get(name)
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""
