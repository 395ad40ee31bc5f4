"""Values as people type them: JSON where it is some, else the text itself."""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def typed_value(text: str) -> Any:
    """JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
    except RecursionError:
        raise DctxError("The value is nested too deeply.", "--string keeps it as text.") from None


def as_typed(value: object) -> str:
    """What is read as the same value when it comes back out of a field of a form."""
    if isinstance(value, str) and typed_value(value) == value and _survives_a_form(value):
        return value
    return json.dumps(value, indent=2, ensure_ascii=not _is_whole(value))


def _survives_a_form(text: str) -> bool:
    """A field drops its first line end and has its own idea of the others."""
    return (
        bool(text)
        and _is_whole(text)
        and text.strip() == text
        and "\r" not in text
        and "\0" not in text
    )


def _is_whole(value: object) -> bool:
    """Whether it can be written in UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def from_form(text: str) -> str:
    """A text as it was typed; forms send line ends as two characters."""
    return text.replace("\r\n", "\n")


def whole_text(value: object) -> str:
    """A value for people: a text as it is, anything else as JSON that can be read."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")
