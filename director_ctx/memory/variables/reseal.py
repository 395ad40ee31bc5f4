"""What was said in the clear before somebody called it a secret: the history of a variable, sealed afterwards."""

from __future__ import annotations

from director_ctx.base.secrets import HIDDEN, redact
from director_ctx.memory.variables.sealing import seal, texts_in, was_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from director_ctx.memory.store.engine import Writer

_CHANGES = "SELECT id, value, reason FROM dctx_variable_changes WHERE workflow_id = ? AND name = ? ORDER BY number"
_REPLACE = "UPDATE dctx_variable_changes SET value = ?, reason = ? WHERE id = ?"
_SHORT_SECRET = 4


def seal_earlier(writer: Writer, workflow: str, name: str, key: Callable[[], str], secrets: Iterable[str]) -> None:
    """Seals every value that a variable ever had, and takes it out of the reasons: of its own change and of the next,
    which is where people speak of it. `secrets` is what its new value holds."""
    kept, before = list(secrets), list[str]()
    for change, value, reason in writer.rows(_CHANGES, (workflow, name)):
        sealed, now = value, list[str]()
        if value is not None and not was_asked(value):
            now = list(texts_in(_read(value)))
            sealed = seal(name, _read(value), key, asked=True).text
        said = without(reason, [*kept, *before, *now])
        if (sealed, said) != (value, reason):
            writer.run(_REPLACE, (sealed, said, change))
        before = now


def without(text: str, secrets: Iterable[str]) -> str:
    """What is said about a change, without the secrets that it was about."""
    import re

    for secret in sorted({one.strip() for one in secrets}, key=len, reverse=True):
        if len(secret) >= _SHORT_SECRET:
            text = text.replace(secret, HIDDEN)
        elif secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", lambda _: HIDDEN, text)
    return redact(text)


def _read(value: str) -> Any:
    """What a row holds; other programs may have written no JSON."""
    import json

    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
