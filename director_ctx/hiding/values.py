"""Where the hidden parts of a value are: by the names inside it, and by what its texts look like."""

from __future__ import annotations

from director_ctx.hiding.code import is_name
from director_ctx.hiding.names import hides_name
from director_ctx.hiding.running import hides_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NAMED_BY = ("name", "key", "field", "header", "id", "type", "label")
"""In `{"name": "API_KEY", "value": ...}` the first names the second."""


def without_hidden(name: str, value: Any, instead: Callable[[Any], Any]) -> Any:
    """The value, with something instead of each part that is hidden, or of all of it."""
    if hides_name(name, value):
        return instead(value)
    if isinstance(value, str):
        return instead(value) if hides_value(value) else value
    if isinstance(value, list):
        return [without_hidden(within, one, instead) for within, one in elements(value)]
    if isinstance(value, dict):
        if any(map(hides_value, value)):
            return instead(value)
        return {key: without_hidden(named(key, value), one, instead) for key, one in value.items()}
    return value


def elements(value: list[Any]) -> list[tuple[str, Any]]:
    """What is in a list, each with its name: in `["Authorization", "Basic ..."]` the first names the second."""
    if len(value) == 2 and all(isinstance(one, str) for one in value) and not is_name(value[1]):
        return [("", value[0]), (value[0], value[1])]
    return [("", one) for one in value]


def named(key: str, within: dict[str, Any]) -> str:
    """What the value of a key is called, which is what a neighbour says where the key is just `value`."""
    if key.casefold() != "value":
        return key
    names = [one for name in _NAMED_BY if isinstance(one := within.get(name), str)]
    return next(filter(hides_name, names), key)
