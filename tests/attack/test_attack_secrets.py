"""Credentials in every dress: none may be shown where texts and values are, and nothing harmless
may go with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from credentials import FORMS, Form
from harmless_texts import HARMLESS

from director_ctx.base.secrets import HIDDEN, redact
from director_ctx.base.secrets.values import without_hidden
from director_ctx.base.unseen import without_unseen

Figure = Callable[[str, str], None]


def shown(value: Any) -> str:
    """What is left of a text or a value."""
    if isinstance(value, str):
        return redact(value)
    return json.dumps(without_hidden("x", value, lambda _: HIDDEN), ensure_ascii=False)


def is_clear(form: Form) -> bool:
    """Whether half of a secret can be read."""
    left = without_unseen(shown(form.text))
    return any(
        half in left
        for secret in form.secrets
        for half in (secret[: len(secret) // 2], secret[len(secret) // 2 :])
    )


def test_no_credential_stays_clear(figure: Figure) -> None:
    clear = [form.text for form in FORMS if is_clear(form)]
    figure("Credentials", f"{len(FORMS) - len(clear)} of {len(FORMS)} forms hidden")
    assert clear == []
    assert len(FORMS) > 230


def test_nothing_harmless_is_hidden() -> None:
    changed = [value for value in HARMLESS if HIDDEN in shown(value)]
    assert changed == []
