"""How variables are shown: hidden first, then arrays by their count and first element, then cut to
a line.
"""

from __future__ import annotations

from director_ctx.base.secrets import HIDDEN, hides_name, hides_value, redact
from director_ctx.base.secrets.names import words_of
from director_ctx.base.secrets.phrases import is_phrase_of
from director_ctx.base.secrets.values import elements, members, without_hidden
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from director_ctx.memory.variables.entries import Variable, VariableChange

    Pieces = Iterator[str]

SECRET = "dctx:secret"
"""The only key around a stored value that somebody wants to be hidden."""
SEALED = "dctx:sealed"
"""The only key of what stands in a stored value for something that was sealed."""
LONGEST = 100
LONGEST_NAME = 200
_MOST_DIGITS = 18
"""Of one number in a name; Python refuses to read one of thousands."""
DOTS = "..."
ARRAY = "[Array of "
_WINDOW = 4000
"""Whatever begins in the part of a text that is shown has ended by then, or is hidden anyway."""
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_KINDS = {
    "str": "text",
    "bool": "boolean",
    "int": "number",
    "float": "number",
    "list": "array",
    "dict": "object",
}
_UNREADABLE = "[cannot be shown]"


def read_json(text: str) -> Any:
    """A stored value; raises `ValueError` for what is no JSON, and `RecursionError`."""
    # An assembly imports this module before it knows whether there is a variable, and `json`
    # costs 5 ms.
    import json

    return json.loads(text)


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def listing(variables: Iterable[Variable]) -> str:
    """A line for each, in order."""
    return "\n".join(
        f"- {shown_name(variable.name)} = {shown(variable.name, variable.stored)}"
        for variable in in_order(variables)
    )


def in_order(variables: Iterable[Variable]) -> list[Variable]:
    """By name, numbers in it by what they count: node4 comes before node10."""
    # The name itself comes last: node1 and node01 count the same.
    return sorted(variables, key=lambda variable: (_counted(variable.name), variable.name))


def _counted(name: str) -> list[tuple[str, int]]:
    """The texts of a name, each with the number behind it."""
    pieces: list[tuple[str, int]] = []
    text = digits = ""
    for char in f"{name} ":
        is_digit = char.isascii() and char.isdecimal()
        if is_digit and len(digits) < _MOST_DIGITS:
            digits += char
            continue
        if digits:
            pieces.append((text, int(digits)))
            text = digits = ""
        text += char
    # Behind a name without a number comes the same name with one.
    return [*pieces, (text[:-1], -1)]


def shown_name(name: str) -> str:
    """A name may come from another program, so it gets one short line too."""
    name = redact(plain(name))
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."


def shown(name: str, stored: str) -> str:
    """A value as it is stored, in one line of at most 100 characters and three dots. No key is
    needed.

    The quotes around a text are not counted.
    """
    try:
        value = read_json(stored)
        if value in ([], {}, ""):
            return f"{_json(value)} (empty)"
        if isinstance(value, list) and not hides_name(name, value):
            return _array(name, value)
        return _cut(_any(name, value, bare=True), quoted=isinstance(value, str))
    except RecursionError:
        return _UNREADABLE
    except ValueError:
        # Another program may have written a bare text.
        return _cut(_text("", stored), quoted=True)


def is_cut(text: str) -> bool:
    """Whether what `shown` gave is less than the value."""
    return text.endswith(DOTS) or text.startswith(ARRAY)


def kind(stored: str) -> str:
    """What sort of value it is: text, number, boolean, null, array, object, or hidden."""
    try:
        value = read_json(stored)
    except (ValueError, RecursionError):
        return "text"
    return "hidden" if is_marked(value) else _KINDS.get(type(value).__name__, "null")


def hides(name: str, stored: str) -> bool:
    """Whether there is something hidden in it."""
    try:
        return bool(visible(name, stored) != read_json(stored))
    except (ValueError, RecursionError):
        return hides_value(stored)


def visible(name: str, stored: str) -> Any:
    """The whole value with `[hidden]` for whatever is."""
    try:
        value = unmarked(read_json(stored))
        return without_hidden(name, value, lambda _: HIDDEN)
    except RecursionError:
        return _UNREADABLE
    except ValueError:
        return redact(stored)


def unmarked(value: Any) -> Any:
    """A stored value with `[hidden]` for what is marked as such."""
    if is_marked(value):
        return HIDDEN
    if isinstance(value, list):
        return [unmarked(item) for item in value]
    if isinstance(value, dict):
        return {key: unmarked(inner) for key, inner in value.items()}
    return value


def is_marked(value: Any) -> bool:
    return isinstance(value, dict) and (SECRET in value or SEALED in value)


def _array(name: str, value: list[Any]) -> str:
    """How many there are and the first of them, unless all of them take no more room than that."""
    summary = _cut(_summary(name, value))
    whole = _cut(_any(name, value, bare=False))
    if whole.endswith(DOTS) or len(whole) > len(summary):
        return summary
    return whole


def _summary(name: str, value: list[Any]) -> Pieces:
    # The last word of a name in the plural, such as results for search_results.
    last = ["", *words_of(name)][-1]
    is_plural = last.endswith("s") and not last.endswith("ss") and len(last) > 2
    yield f"{ARRAY}{len(value)} "
    yield "item" if len(value) == 1 else last if is_plural else "items"
    yield " - first: "
    yield from _any("", value[0], bare=False)
    yield "]"


def _any(name: str, value: Any, bare: bool) -> Pieces:
    """The pieces of a value that no cut may go through, one after the other, so that long values
    are not read to their end. Keys of an object have quotes only inside an array, as in the
    original.
    """
    if is_marked(value) or hides_name(name, value) or is_phrase_of(name, value):
        yield f'"{HIDDEN}"'
    elif isinstance(value, str):
        yield from _text(name, value)
    elif isinstance(value, list):
        yield "["
        for index, (item_name, item) in enumerate(elements(value)):
            if index:
                yield ", "
            yield from _any(item_name, item, bare=False)
        yield "]"
    elif isinstance(value, dict):
        yield from _object(value, bare)
    else:
        yield from _json(value)


def _object(value: dict[str, Any], bare: bool) -> Pieces:
    yield "{"
    for index, (key, inner_name, inner) in enumerate(members(value)):
        if index:
            yield ", "
        is_word = key.isascii() and key.isidentifier()
        if bare and is_word and not hides_value(key):
            yield from key
        else:
            yield from _text("", key)
        yield ": "
        yield from _any(inner_name, inner, bare)
    yield "}"


def _text(name: str, text: str) -> Pieces:
    yield '"'
    if hides_value(text[:_WINDOW]):
        yield HIDDEN
    else:
        yield from map(_character, text)
    yield '"'


def _character(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    # JSON has four digits for a character, so any beyond them is written as a pair.
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _cut(pieces: Pieces, quoted: bool = False) -> str:
    """All of it, or as many whole pieces as fit, and three dots. Quotes around it take no room."""
    kept = ""
    length = 0
    for piece in pieces:
        if not quoted or piece != '"':
            length += len(piece)
        if length > LONGEST:
            return kept + DOTS
        kept += piece
    return kept


def variable_json(variable: Variable) -> dict[str, Any]:
    """A variable as every door gives it: shown, never opened."""
    name, stored = variable.name, variable.stored
    return {
        "name": shown_name(name),
        "shown": shown(name, stored),
        "type": kind(stored),
        "hidden": hides(name, stored),
        "updated": variable.updated_at,
    }


def change_json(change: VariableChange) -> dict[str, Any]:
    """A change as every door gives it; nothing is shown where the variable was cleared."""
    return {
        "number": change.number,
        "time": change.changed_at,
        "name": shown_name(change.name),
        "shown": None if change.stored is None else shown(change.name, change.stored),
        # People explain a value by quoting it.
        "reason": redact(plain(change.reason)),
    }
