"""What no database and no JSON may be asked to hold, wherever in a plan it is; and JSON text read
without guessing.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DEEPEST = 32
"""Levels of objects and lists in each other."""
LARGEST = 1_000_000
"""Characters of a plan as JSON. A context that shows it would not fit any model long before that.
"""
LONGEST_SHOWN = 60
"""Characters of a value in a sentence."""
HIGHEST = 2**53 - 1
"""What every reader of JSON keeps exactly."""


class Mistake(Record):
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


class _Pairs(list["tuple[str, Any]"]):
    """An object as it was written, before a key that is there twice is lost."""


def read_plan(text: str) -> tuple[Any, list[Mistake]]:
    """A plan out of JSON, with what is wrong about the JSON itself."""
    # Completion imports this module for the words of a status, and `json` costs 5 ms.
    import json

    if len(text) > LARGEST:
        return None, [_too_large()]
    try:
        raw = json.loads(text, object_pairs_hook=_Pairs, parse_int=_whole)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return None, [Mistake("$", f"not JSON: {error.msg} ({where})")]
    except RecursionError:
        return None, [_too_deep("$")]
    mistakes: list[Mistake] = []
    plan = _unpaired(raw, "$", mistakes)
    return plan, mistakes


def _whole(digits: str) -> int | float:
    """A number too long to be whole for everybody is refused later; it need not be read to its last
    digit.
    """
    if len(digits) < 20:
        return int(digits)
    return float(digits)


def _unpaired(
    raw: Any,
    path: str,
    mistakes: list[Mistake],
    depth: int = 1,
) -> Any:
    """The plain values, and a mistake for each key that is in its object twice."""
    if depth > DEEPEST + 1:
        # It is refused as too deep; what is left need only be of the same kind.
        return [] if isinstance(raw, list) else raw

    if isinstance(raw, _Pairs):
        plain: dict[str, Any] = {}
        for key, value in raw:
            key_path = below(path, key)
            if key in plain:
                mistakes.append(Mistake(key_path, "the key is there twice"))
            plain[key] = _unpaired(value, key_path, mistakes, depth + 1)
        return plain

    if isinstance(raw, list):
        items = []
        for index, item in enumerate(raw):
            item_path = f"{path}[{index}]"
            items.append(_unpaired(item, item_path, mistakes, depth + 1))
        return items
    return raw


def at_fault(plan: Any) -> Iterator[Mistake]:
    """Every value that cannot be kept as it is, and a plan that is too large or too deep."""
    size = 0
    waiting = [("$", plan, 1)]
    while waiting:
        path, value, depth = waiting.pop()
        # Counted on the way, so that an endless plan is not gone through to its end.
        size += 1
        if isinstance(value, str):
            size += len(value)
        if size > LARGEST:
            yield _too_large()
            return

        inside = _inside(path, value)
        if inside is None:
            yield from _single(path, value)
            continue
        # What is below is not looked at: whoever nests endlessly would be read endlessly.
        if depth > DEEPEST:
            yield _too_deep(path)
            continue
        if isinstance(value, dict):
            yield from _keys(path, value)
        # Backwards, so that the first one is the next to be popped.
        for item_path, item in reversed(inside):
            waiting.append((item_path, item, depth + 1))
    yield from _length(plan)


def texts_in(plan: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Every text of a plan that was found to be good, and where it is."""
    if isinstance(plan, str):
        yield path, plan
    for item_path, item in _inside(path, plan) or ():
        yield from texts_in(item, item_path)


def _inside(path: str, value: Any) -> list[tuple[str, Any]] | None:
    """The values of an object or a list, each with its path; None for anything else."""
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        for key, item in value.items():
            inside.append((below(path, str(key)), item))
        return inside
    if isinstance(value, list):
        for index, item in enumerate(value):
            inside.append((f"{path}[{index}]", item))
        return inside
    return None


def _keys(path: str, value: dict[Any, Any]) -> Iterator[Mistake]:
    for key in value:
        if not isinstance(key, str):
            yield Mistake(path, f"the key {shown(key)} is not a text")
            continue
        why = _unwritable(key)
        if why:
            yield Mistake(path, f"the key {key!r} has {why}")


def _single(path: str, value: Any) -> Iterator[Mistake]:
    if isinstance(value, str):
        why = _unwritable(value)
        if why:
            yield Mistake(path, f"the text has {why}")
    elif isinstance(value, (int, float)):
        if not -HIGHEST <= value <= HIGHEST:
            limits = f"-{HIGHEST:,} and {HIGHEST:,}"
            yield Mistake(path, f"{_brief(value)} is not a number between {limits}")
    elif value is not None:
        yield Mistake(path, f"a {type(value).__name__} is nothing that JSON has")


def _brief(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "an integer of this size"


def _unwritable(text: str) -> str:
    if "\0" in text:
        return "a NUL character, which PostgreSQL cannot hold"
    # Most texts are ASCII, which is known at once.
    if text.isascii():
        return ""
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "half a character (a lone surrogate)"
    return ""


def _length(plan: Any) -> Iterator[Mistake]:
    import json

    try:
        size = len(json.dumps(plan, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return  # what it cannot write was named above
    if size > LARGEST:
        yield _too_large()


def _too_large() -> Mistake:
    return Mistake("$", f"the plan is too large: over {LARGEST:,} characters")


def _too_deep(path: str) -> Mistake:
    return Mistake(path, f"lists and objects are nested deeper than {DEEPEST} levels")


def below(path: str, key: str) -> str:
    """`$.phases`, and `$["two words"]`."""
    import json

    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"


def shown(value: Any) -> str:
    """A value in a sentence: its beginning, or what it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if type(value) is dict:
        return "an object"
    if type(value) is list:
        return "a list"

    text = str(value)
    if isinstance(value, str):
        text = repr(value)
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[: LONGEST_SHOWN - 3]}..."
