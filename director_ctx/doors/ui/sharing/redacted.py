"""What a page is made of, without anything that is not to be shown."""

from __future__ import annotations

from director_ctx.base.secrets import HIDDEN, hides_name, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def redacted(value: Any) -> Any:
    """The same form. What a secret name has is hidden whatever it is; elsewhere a text is searched."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _member(name, member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(member) for member in value]
    return value


def _member(name: object, value: Any) -> Any:
    if isinstance(value, str) and hides_name(str(name), value):
        return HIDDEN
    return redacted(value)
