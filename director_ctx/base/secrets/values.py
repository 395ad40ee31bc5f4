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
        if hides_value(value):
            return instead(value)
        return value
    if isinstance(value, list):
        return [without_hidden(called, element, instead) for called, element in elements(value)]
    if isinstance(value, dict):
        # A key that is a secret itself cannot be replaced alone.
        if any(map(hides_value, value)):
            return instead(value)
        clear: dict[str, Any] = {}
        for key, called, member in members(value):
            clear[key] = without_hidden(called, member, instead)
        return clear
    return value


def elements(value: list[Any]) -> list[tuple[str, Any]]:
    """What is in a list, each with its name: in `["Authorization", "Basic ..."]` the first names
    the second.
    """
    if has_open_key(value):
        return [(_PRIVATE, element) for element in value]
    if not value:
        return []

    first, *others = value
    if len(value) == 2 and _names_next(first, value[1]):
        return [("", first), (first, value[1])]
    title = secret_title(first, others)
    named = [("", first)]
    for element in others:
        named.append((title, element))
    return named


def members(value: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """What is in an object: each key, what its value is called, and the value."""
    is_private = has_open_key(value.values())
    named: list[tuple[str, str, Any]] = []
    for key, member in value.items():
        called = _PRIVATE
        if not is_private:
            called = _called(key, member, value)
        named.append((key, called, member))
    return named


def has_open_key(parts: Iterable[Any]) -> bool:
    """Whether one of some texts begins a private key that another one ends: all between are parts
    of it.
    """
    for part in parts:
        if not isinstance(part, str):
            continue
        begins = "PRIVATE KEY" in part and "BEGIN " in part
        if begins and "END " not in part:
            return True
    return False


def secret_title(titles: Any, rows: list[Any]) -> str:
    """The title of a table that names a secret, if what follows are its rows."""
    if not rows or not isinstance(titles, list) or len(titles) < 2:
        return ""
    for title in titles:
        if not isinstance(title, str) or not is_name(title):
            return ""
    for row in rows:
        if not isinstance(row, list) or len(row) != len(titles):
            return ""
    for title in titles:
        if hides_name(title, "?"):
            return str(title)
    return ""


def _called(key: str, value: Any, within: dict[str, Any]) -> str:
    """What the value of a key is called, which is what a neighbour says where the key is just
    `value`.
    """
    if key in _WEB_KEY and "kty" in within:
        return _PRIVATE

    if key.casefold() in VALUES:
        neighbours = {name.casefold(): said for name, said in within.items()}
        for name in NAMED_BY:
            said = neighbours.get(name)
            if isinstance(said, str) and hides_name(said):
                return said

    elif key.casefold() in _ROWS and isinstance(value, list):
        for name, said in within.items():
            if name.casefold() not in _TITLES:
                continue
            title = secret_title(said, value)
            if title:
                return title
    return key


def _names_next(name: Any, value: Any) -> bool:
    """Whether the first text of a pair names the second."""
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    return not is_name(value) and len(name.split()) <= _MOST_WORDS
