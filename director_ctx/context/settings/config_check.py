"""How values of a `dctx.yaml` are read: each form checks a value, collects mistakes with the path of
their key, and says the same as JSON Schema.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import DEFAULT_WINDOW, parse_budget, parse_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from director_ctx.context.settings.profiles import Profile

    Schema = dict[str, Any]
    Read = Callable[["Checker", str, object], Any]

LARGEST_NUMBER = 1_000_000_000
LONGEST_NUMBER = 40


class Form(Record):
    """How a value is written."""

    read: Read
    schema: Schema


class Key(Record):
    """One key of a mapping, and all that is known of it."""

    name: str
    form: Form
    meaning: str = ""
    variable: str = ""
    """A variable of the environment that goes before the file."""

    @property
    def schema(self) -> Schema:
        described = {"description": self.meaning} if self.meaning else {}
        return {**described, **self.form.schema}


class Checker:
    """Collects mistakes, and the profiles that other keys may name."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self.mistakes: list[str] = []
        self.profiles = profiles

    def wrong(self, path: str, message: str) -> None:
        if path:
            message = f"{plain(path[:120])}: {message}"
        self.mistakes.append(message)

    def mapping(self, path: str, value: object, known: Sequence[str] = ()) -> dict[str, Any]:
        """What is under text keys; under those that are known, where they have to be."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.wrong(path, "must be a mapping of keys to values")
            return {}

        values = {}
        for key in value:
            if not isinstance(key, str):
                self.wrong(path, f"the key {shown(key)!r} must be text")
            elif known and key not in known:
                self.wrong(f"{path}.{key}" if path else key, unknown(key, known))
            else:
                values[key] = value[key]
        return values

    def keys(self, path: str, value: object, keys: Sequence[Key]) -> dict[str, Any]:
        """The values of a mapping that has these keys and no others, each as its form reads it."""
        fields = self.mapping(path, value, [key.name for key in keys])
        read = {}
        for key in keys:
            if key.name in fields:
                own_path = f"{path}.{key.name}" if path else key.name
                read[key.name] = key.form.read(self, own_path, fields[key.name])
        return read

    def texts(self, path: str, value: object) -> tuple[str, ...]:
        """A list of words; one word alone is a list of one."""
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(
            isinstance(item, str) and item.strip() for item in items
        ):
            return tuple(item.strip() for item in items)
        self.wrong(path, "must be a list of words")
        return ()

    def text(self, path: str, value: object, empty: bool = False) -> str:
        if not isinstance(value, str) or not (empty or value.strip()):
            self.wrong(path, "must be text")
            return ""
        return value.strip()

    def number(self, path: str, value: object) -> int:
        # To Python, true and false are numbers.
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not isinstance(value, int) or not is_whole or not 0 <= value <= LARGEST_NUMBER:
            self.wrong(path, "must be a whole number")
            return 0
        return value

    def flag(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True

    def known(self, path: str, values: Sequence[str], known: Sequence[str]) -> None:
        for value in values:
            if value not in known:
                self.wrong(path, f"{shown(value)!r} is {unknown(value, known)}")


def shown(value: object) -> str:
    """A value as it can stand in a message: short, and not made in full if it is huge."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "a huge number"
    if isinstance(value, str | int | float):
        return str(value)[:60]
    return type(value).__name__


def unknown(name: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"unknown; did you mean {near[0]}?"
    return f"unknown; known are {', '.join(known)}"


def mapping_schema(keys: Sequence[Key], **more: object) -> Schema:
    """A mapping with these keys and no others; one that is left empty says nothing."""
    properties = {key.name: key.schema for key in keys}
    kind = ["object", "null"]
    return {"type": kind, "properties": properties, "additionalProperties": False, **more}


def table_schema(row: Schema, **more: object) -> Schema:
    """A mapping from names to rows of one kind."""
    return {"type": ["object", "null"], "additionalProperties": row, **more}


def words_among(known: Sequence[str]) -> Form:
    def read(check: Checker, path: str, value: object) -> tuple[str, ...]:
        words = check.texts(path, value)
        check.known(path, words, known)
        return words

    word: Schema = {"type": "string", "enum": list(known)}
    return Form(read, {"anyOf": [word, {"type": "array", "items": word}]})


def one_among(known: Sequence[str]) -> Form:
    def read(check: Checker, path: str, value: object) -> str:
        word = check.text(path, value)
        check.known(path, (word,), known)
        return word

    return Form(read, {"type": "string", "enum": list(known)})


def _read_budget(check: Checker, path: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        check.wrong(path, "must be a share or a number of tokens")
        return ""
    # Any window will do: only the form is checked here, and no window is known yet.
    try:
        parse_budget(_number_text(value), DEFAULT_WINDOW)
    except UsageProblem as problem:
        check.wrong(path, f"{problem.message} {problem.hint}")
    return _number_text(value)


def _read_window(check: Checker, path: str, value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        check.wrong(path, "must be a number of tokens")
        return None
    try:
        return parse_window(_number_text(value))
    except UsageProblem as problem:
        check.wrong(path, problem.message)
        return None


def _number_text(value: int | float | str) -> str:
    """A number as a person would type it; nothing where it is longer than any number that makes
    sense.
    """
    # Python refuses to write a number of many thousand digits.
    text = shown(value) if isinstance(value, int) else str(value)
    return "" if len(text) > LONGEST_NUMBER else text


def _read_maybe_empty(check: Checker, path: str, value: object) -> str:
    return check.text(path, value, empty=True)


TEXT = Form(Checker.text, {"type": "string", "pattern": r"\S"})
MAYBE_EMPTY = Form(_read_maybe_empty, {"type": "string"})
FLAG = Form(Checker.flag, {"type": "boolean"})
NUMBER = Form(Checker.number, {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER})
WORDS = Form(Checker.texts, {"anyOf": [TEXT.schema, {"type": "array", "items": TEXT.schema}]})
BUDGET = Form(
    _read_budget,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            {"type": "integer", "minimum": 101},
            {"type": "string", "pattern": r"^\s*[0-9.][0-9._, ]*[%kKmM]?\s*$"},
        ]
    },
)
WINDOW = Form(
    _read_window,
    {
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": LARGEST_NUMBER},
            {"type": "string", "pattern": r"^\s*[0-9][0-9._,]*[kKmM]?\s*$"},
        ]
    },
)
