"""Lines that a client wrote behind a shortened history: behind what is put back they go on as well."""

from __future__ import annotations

from director_ctx.base.claude_code_lines import PARENT, SESSION, UUID, uuid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def adapted(restored: list[Any], shortened: list[Any]) -> list[Any]:
    """Lines that a client wrote behind a shortened history follow what is there again. Where it gave
    all lines the name of another session, those that come back get it, too.
    """
    # By identity: what came in is the same object still, and an original may be its equal.
    came_in = set(map(id, shortened))
    names, last = _sessions(shortened)
    whole: list[Any] = []
    for element in restored:
        if id(element) in came_in:
            whole.append(element)
        else:
            whole.append(_in_session(element, names, last))

    # A line without a parent stays one.
    there: set[str | None] = {None}
    for element in whole:
        if _is_line(element):
            there.add(element[0][UUID])
    parent_of: dict[str, str] = {}
    newest = ""
    for element in whole:
        if not _is_line(element):
            continue
        line = element[0]
        if id(element) not in came_in:
            newest = line[UUID]
        elif newest and line.get(PARENT) not in there:
            parent_of[line[UUID]] = newest
            newest = line[UUID]
    return [_with_parent(element, parent_of) for element in whole]


def _with_parent(element: Any, parent_of: Mapping[str, str]) -> Any:
    if not _is_line(element):
        return element
    line = element[0]
    parent = parent_of.get(line[UUID])
    if parent is None:
        return element
    return [{**line, PARENT: parent}]


def _sessions(elements: Sequence[Any]) -> tuple[set[str], str]:
    """The names of all sessions in a history, and the last of them."""
    names: set[str] = set()
    last = ""
    for element in elements:
        if _has_session(element):
            last = element[0][SESSION]
            names.add(last)
    return names, last


def _in_session(element: Any, names: set[str], last: str) -> Any:
    if not names or not _has_session(element):
        return element
    line = element[0]
    if line[SESSION] in names:
        return element
    return [{**line, SESSION: last}]


def _has_session(element: Any) -> bool:
    return _is_object(element) and isinstance(element[0].get(SESSION), str)


def _is_object(element: Any) -> bool:
    """Whether it is one object, as a line of a client is."""
    if not isinstance(element, list):
        return False
    return len(element) == 1 and isinstance(element[0], dict)


def _is_line(element: Any) -> bool:
    if not _is_object(element):
        return False
    return uuid_of(element[0]) is not None
