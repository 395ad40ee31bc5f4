"""The arguments of a call, checked against what the tool takes, before anything is done."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.tools.needed import listed
from director_ctx.tools.tool import (
    ANYTHING,
    NAME,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    choices_of,
    offered,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from director_ctx.tools.tool import Parameter, Tool

LONGEST_SHOWN = 60
MOST_NUMBER = 1_000_000_000


def checked(tool: Tool, given: dict[str, Any], writable: Collection[str]) -> dict[str, Any]:
    """Every parameter with its value, None where none was given; an error names the first mistake."""
    known = {parameter.name: parameter for parameter in tool.parameters}
    for name in given:
        if name not in known:
            takes = ", ".join(parameter.name for parameter in offered(tool, writable))
            raise UsageProblem(
                f"{tool.name} has no argument {_short(name)}.", f"It takes: {takes or 'none'}."
            )

    _expect_required(tool, given)
    values = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is not None:
            _check(parameter, value, writable)
        if parameter.kind == NAME and value is not None:
            value = str(value)
        values[name] = value
    return values


def _expect_required(tool: Tool, given: dict[str, Any]) -> None:
    missing = []
    for parameter in tool.parameters:
        if parameter.required and given.get(parameter.name) is None:
            missing.append(parameter)
    if missing:
        names = listed([parameter.name for parameter in missing])
        meanings = [parameter.says for parameter in missing if parameter.says]
        raise UsageProblem(f"{tool.name} needs {names}.", " ".join(meanings))


def _check(parameter: Parameter, value: object, writable: Collection[str]) -> None:
    if not _fits(parameter.kind, value):
        raise UsageProblem(f"{parameter.name} has to be {_in_words(parameter.kind)}.")
    choices = choices_of(parameter, writable)
    if choices and value not in choices:
        _refuse_choice(parameter, value, writable)


def _refuse_choice(parameter: Parameter, value: object, writable: Collection[str]) -> None:
    for area, more in parameter.writing:
        if value in more:
            raise NotWritable(area, writable)
    choices = choices_of(parameter, writable)
    raise UsageProblem(
        f"{parameter.name} cannot be {_short(str(value))}.", f"One of: {', '.join(choices)}."
    )


class NotWritable(UsageProblem):
    """Somebody changes something although the tools are served without it."""

    def __init__(self, area: str, writable: Collection[str]) -> None:
        super().__init__(f"This server may not change the {area}.")
        self.area = area
        self.areas = ",".join((*writable, area))
        """What would have to be allowed."""


def _fits(kind: str, value: object) -> bool:
    if kind == TEXT:
        return isinstance(value, str) and is_whole(value)
    if kind == NUMBER:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return is_number and 0 <= value <= MOST_NUMBER  # type: ignore[operator]
    if kind == NAME:
        return _fits(TEXT, value) or _fits(NUMBER, value)
    if kind == TEXTS:
        return isinstance(value, list) and all(_fits(TEXT, text) for text in value)
    if kind == OBJECT:
        return isinstance(value, dict)
    return kind == ANYTHING


def is_whole(text: str) -> bool:
    """Whether every character of a text is one: half of a pair cannot be written to a file."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _in_words(kind: str) -> str:
    words = {
        TEXT: "a text",
        NUMBER: "a whole number from 0 on",
        NAME: "a text",
        TEXTS: "a list of texts",
        OBJECT: "an object",
    }
    return words[kind]


def _short(text: str) -> str:
    return repr(plain(text[:LONGEST_SHOWN]))
