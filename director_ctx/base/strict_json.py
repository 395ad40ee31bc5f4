"""JSON that every reader takes. Python reads and writes NaN and Infinity, which are no JSON: a store may
have them, from other programs, and answers say them as text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def strict_json(
    value: Any, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """A value as JSON, in its own letters."""
    # A command line imports this module before it knows whether there is JSON to write.
    import json

    form: dict[str, Any] = {"ensure_ascii": False, "indent": indent, "separators": separators}
    try:
        return json.dumps(value, allow_nan=False, **form)
    except ValueError:
        return json.dumps(strict(value), allow_nan=False, **form)


def strict(value: Any) -> Any:
    """The same, with text for each number that JSON does not have."""
    if isinstance(value, float) and value - value != 0:
        return _name_of(value)
    if isinstance(value, dict):
        return {_strict_name(name): strict(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [strict(member) for member in value]
    return value


def _strict_name(name: Any) -> Any:
    # A number may be a name to Python, and would be written as one.
    if isinstance(name, float):
        return strict(name)
    return name


def _name_of(value: float) -> str:
    """As JavaScript and Python's own JSON call it."""
    if value > 0:
        return "Infinity"
    if value < 0:
        return "-Infinity"
    return "NaN"
