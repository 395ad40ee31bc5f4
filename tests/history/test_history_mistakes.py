"""What is said where the proxy was given a client, or words that it does not know."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Result

Dctx = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "hint"),
    (
        (("claude", "-p", "say hi"), "dctx history proxy -- claude -p 'say hi'"),
        (("--limit", "90%", "codex", "--no"), "dctx history proxy --limit 90% -- codex --no"),
        (("--limit=90%", "agent", "-x"), "dctx history proxy --limit=90% -- agent -x"),
    ),
)
def test_a_client_with_words_of_its_own_is_told_of_the_dashes_before_it(
    words: tuple[str, ...], hint: str, dctx: Dctx
) -> None:
    result = dctx("history", "proxy", *words)
    assert result.code == 2 and f"hint: Put -- before the client: {hint}\n" in result.err


@pytest.mark.parametrize("words", (("--no-such",), ("--limit", "90%", "--no-such"), ("--limit",)))
def test_a_mistake_in_its_own_words_is_not_taken_for_a_client(
    words: tuple[str, ...], dctx: Dctx
) -> None:
    assert "Put --" not in dctx("history", "proxy", *words).err
