"""JSON by the helpers in C that the package `json` itself uses: importing the package costs 5 ms,
mostly for `re`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BLANK = " \t\n\r"


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


class _Plain:
    """What the scanner in C asks its decoder for."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_constant)
    memo: dict[str, str] = {}  # noqa: RUF012 - a Python without the scanner in C would fill it


try:
    from _json import encode_basestring_ascii as quoted
    from _json import make_scanner

    _scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Plain())  # type: ignore[arg-type]
except (ImportError, AttributeError):  # a Python whose json has no helpers in C, or others
    from json import JSONDecoder
    from json import dumps as quoted

    _scan = JSONDecoder(parse_constant=_constant).scan_once  # type: ignore[attr-defined]


def parse(text: str) -> Any:
    """The value of a JSON text. Raises ValueError where it is none."""
    text = text.strip(_BLANK)
    try:
        value, end = _scan(text, 0)
    except (
        StopIteration,
        SystemError,
    ):  # Python 3.11 fails to fail where the package is not loaded
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def dump(value: Any) -> str:
    """A value as JSON on one line, in ASCII, so that no reader's encoding matters."""
    if isinstance(value, str):
        return str(quoted(value))
    if isinstance(value, dict):
        members = (f"{quoted(str(key))}:{dump(member)}" for key, member in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dump, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value - value == 0:
        return repr(value)
    raise ValueError(f"{type(value).__name__} is no JSON")
