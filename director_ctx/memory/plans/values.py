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
    import json

    if len(text) > LARGEST:
        return None, [_too_large()]
    try:
        raw = json.loads(text, object_pairs_hook=_Pairs, parse_int=_whole)
    except json.JSONDecodeError as error:
        return None, [
            Mistake("$", f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})")
        ]
    except RecursionError:
        return None, [_too_deep("$")]
    found: list[Mistake] = []
    return _unpaired(raw, "$", found), found


def _whole(digits: str) -> int | float:
    """A number too long to be whole for everybody is refused later; it need not be read to its last
    digit.
    """
    return int(digits) if len(digits) < 20 else float(digits)


def _unpaired(raw: Any, path: str, found: list[Mistake], depth: int = 1) -> Any:
    """The plain values, and a mistake for each key that is in its object twice."""
    if depth > DEEPEST + 1:
        return None if raw is None else [] if isinstance(raw, list) else raw
    if isinstance(raw, _Pairs):
        whole: dict[str, Any] = {}
        for key, value in raw:
            if key in whole:
                found.append(Mistake(below(path, key), "the key is there twice"))
            whole[key] = _unpaired(value, below(path, key), found, depth + 1)
        return whole
    if isinstance(raw, list):
        return [_unpaired(one, f"{path}[{at}]", found, depth + 1) for at, one in enumerate(raw)]
    return raw


def at_fault(plan: Any) -> Iterator[Mistake]:
    """Every value that cannot be kept as it is, and a plan that is too large or too deep."""
    size, waiting = 0, [("$", plan, 1)]
    while waiting:
        path, value, depth = waiting.pop()
        inside = _inside(path, value)
        size += 1 + (len(value) if isinstance(value, str) else 0)
        if size > LARGEST:
            yield _too_large()
            return
        if inside is None:
            yield from _single(path, value)
        elif depth > DEEPEST:
            yield _too_deep(path)
        else:
            if isinstance(value, dict):
                yield from _keys(path, value)
            waiting += [(where, one, depth + 1) for where, one in reversed(inside)]
    yield from _length(plan)


def texts_in(plan: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Every text of a plan that was found to be good, and where it is."""
    if isinstance(plan, str):
        yield path, plan
    for where, one in _inside(path, plan) or ():
        yield from texts_in(one, where)


def _inside(path: str, value: Any) -> list[tuple[str, Any]] | None:
    if isinstance(value, dict):
        return [(below(path, str(key)), one) for key, one in value.items()]
    return (
        [(f"{path}[{at}]", one) for at, one in enumerate(value)]
        if isinstance(value, list)
        else None
    )


def _keys(path: str, value: dict[Any, Any]) -> Iterator[Mistake]:
    for key in value:
        if not isinstance(key, str):
            yield Mistake(path, f"the key {shown(key)} is not a text")
        elif why := _unwritable(key):
            yield Mistake(path, f"the key {key!r} has {why}")


def _single(path: str, value: Any) -> Iterator[Mistake]:
    if isinstance(value, str):
        if why := _unwritable(value):
            yield Mistake(path, f"the text has {why}")
    elif isinstance(value, (int, float)):
        if not -HIGHEST <= value <= HIGHEST:
            yield Mistake(
                path, f"{_brief(value)} is not a number between -{HIGHEST:,} and {HIGHEST:,}"
            )
    elif value is not None:
        yield Mistake(path, f"a {type(value).__name__} is nothing that JSON has")


def _brief(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "an integer of this size"


def _unwritable(text: str) -> str:
    if "\0" in text:
        return "a NUL character, which PostgreSQL cannot hold"
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
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
    kinds = {
        dict: "an object",
        list: "a list",
        type(None): "null",
        bool: "true" if value is True else "false",
    }
    if type(value) in kinds:
        return kinds[type(value)]
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
