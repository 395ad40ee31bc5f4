"""Walks the data of a `dctx.yaml` and collects every mistake, with the path of the key that it is
in.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import DEFAULT_WINDOW, parse_budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_NUMBER = 1_000_000_000
LONGEST_NUMBER = 40


class Checker:
    """Walks the data and collects mistakes with their key paths."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def wrong(self, path: str, message: str) -> None:
        if path:
            message = f"{plain(path[:120])}: {message}"
        self.mistakes.append(message)

    def mapping(
        self,
        path: str,
        value: object,
        known: tuple[str, ...] = (),
    ) -> dict[str, Any]:
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
                key_path = key
                if path:
                    key_path = f"{path}.{key}"
                self.wrong(key_path, unknown(key, known))
            else:
                values[key] = value[key]
        return values

    def texts(self, path: str, value: object) -> tuple[str, ...]:
        """A list of words; one word alone is a list of one."""
        items = value
        if isinstance(value, str):
            items = [value]
        if not isinstance(items, list):
            self.wrong(path, "must be a list of words")
            return ()

        words = []
        for item in items:
            if not isinstance(item, str) or not item.strip():
                self.wrong(path, "must be a list of words")
                return ()
            words.append(item.strip())
        return tuple(words)

    def text(self, path: str, value: object, empty: bool = False) -> str:
        if not isinstance(value, str) or not (empty or value.strip()):
            self.wrong(path, "must be text")
            return ""
        return value.strip()

    def number(self, path: str, value: object) -> int:
        # To Python, true and false are numbers.
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(path, "must be a whole number")
            return 0
        if not 0 <= value <= LARGEST_NUMBER:
            self.wrong(path, "must be a whole number")
            return 0
        return value

    def flag(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True

    def known(
        self,
        path: str,
        values: tuple[str, ...],
        known: tuple[str, ...],
    ) -> None:
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


def unknown(name: str, known: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"unknown; did you mean {near[0]}?"
    return f"unknown; known are {', '.join(known)}"


def budget(check: Checker, value: object, path: str = "budget") -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        check.wrong(path, "must be a share or a number of tokens")
        return ""
    # Any window will do: only the form is checked here, and no window is known yet.
    try:
        parse_budget(number_text(value), DEFAULT_WINDOW)
    except UsageProblem as problem:
        check.wrong(path, f"{problem.message} {problem.hint}")
    return number_text(value)


def number_text(value: int | float | str) -> str:
    """A number as a person would type it; nothing where it is longer than any number that makes
    sense.
    """
    # Python refuses to write a number of many thousand digits.
    if isinstance(value, int):
        text = shown(value)
    else:
        text = str(value)
    if len(text) > LONGEST_NUMBER:
        return ""
    return text
