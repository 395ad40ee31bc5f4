"""Where the hidden parts of a value are: by the names inside it, and by what its texts look like."""

from __future__ import annotations

from director_ctx.base.secrets.code import is_name
from director_ctx.base.secrets.names import hides_name
from director_ctx.base.secrets.neighbours import NAMED_BY, VALUES
from director_ctx.base.secrets.phrases import is_phrase_of
from director_ctx.base.secrets.running_text import hides_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_PRIVATE = "private_key"
_WEB_KEY = frozenset("d p q dp dq qi oth k".split())
"""The private members of a JSON web key."""
_TITLES = frozenset("columns cols headers header fields titles names".split())
_ROWS = frozenset("rows data records values items results".split())
"""What a table calls its titles, and what is below them."""
_MOST_WORDS = 3
"""Of a text that names its neighbour."""


def without_hidden(name: str, value: Any, instead: Callable[[Any], Any]) -> Any:
    """The value, with something instead of each part that is hidden, or of all of it."""
    if hides_name(name, value) or is_phrase_of(name, value):
        return instead(value)
    if isinstance(value, str):
        return instead(value) if hides_value(value) else value
    if isinstance(value, list):
        return [without_hidden(within, one, instead) for within, one in elements(value)]
    if isinstance(value, dict):
        if any(map(hides_value, value)):
            return instead(value)
        return {key: without_hidden(within, one, instead) for key, within, one in members(value)}
    return value


def elements(value: list[Any]) -> list[tuple[str, Any]]:
    """What is in a list, each with its name: in `["Authorization", "Basic ..."]` the first names
    the second.
    """
    if has_open_key(value):
        return [(_PRIVATE, one) for one in value]
    if len(value) == 2 and all(isinstance(one, str) for one in value) and _names_next(*value):
        return [("", value[0]), (value[0], value[1])]
    title = secret_title(value[0], value[1:]) if value else ""
    return [(title if place else "", one) for place, one in enumerate(value)]


def members(value: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """What is in an object: each key, what its value is called, and the value."""
    if has_open_key(value.values()):
        return [(key, _PRIVATE, one) for key, one in value.items()]
    return [(key, _called(key, one, value), one) for key, one in value.items()]


def has_open_key(parts: Iterable[Any]) -> bool:
    """Whether one of some texts begins a private key that another one ends: all between are parts
    of it.
    """
    begun = [
        one for one in parts if isinstance(one, str) and "PRIVATE KEY" in one and "BEGIN " in one
    ]
    return any("END " not in one for one in begun)


def secret_title(titles: Any, rows: list[Any]) -> str:
    """The title of a table that names a secret, if what follows are its rows."""
    if not rows or not isinstance(titles, list) or len(titles) < 2:
        return ""
    if not all(isinstance(one, str) and is_name(one) for one in titles):
        return ""
    if not all(isinstance(row, list) and len(row) == len(titles) for row in rows):
        return ""
    return next((one for one in titles if hides_name(one, "?")), "")


def _called(key: str, one: Any, within: dict[str, Any]) -> str:
    """What the value of a key is called, which is what a neighbour says where the key is just
    `value`.
    """
    if key in _WEB_KEY and "kty" in within:
        return _PRIVATE
    if key.casefold() in VALUES:
        named = {name.casefold(): said for name, said in within.items()}
        names = [said for name in NAMED_BY if isinstance(said := named.get(name), str)]
        return next(filter(hides_name, names), key)
    if key.casefold() in _ROWS and isinstance(one, list):
        titles = [
            secret_title(said, one) for name, said in within.items() if name.casefold() in _TITLES
        ]
        return next(filter(None, titles), key)
    return key


def _names_next(name: str, value: str) -> bool:
    return not is_name(value) and len(name.split()) <= _MOST_WORDS
