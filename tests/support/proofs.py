"""Proofs: tests with a real client, browser or PostgreSQL server. They are marked `proof` and run by
`make proof`, so that `make test` fetches none of these and stays short.
"""

from __future__ import annotations

import pytest

GIVES_A_SERVER = "server"
"""The fixture by which a test is handed a PostgreSQL server, in whichever file."""

_running: list[pytest.Item] = []


def mark(items: list[pytest.Item]) -> None:
    """Whoever is handed a server is a proof; what uses a client or a browser says so itself."""
    for item in items:
        if GIVES_A_SERVER in getattr(item, "fixturenames", ()):
            item.add_marker("proof")


def begin(item: pytest.Item) -> None:
    _running[:] = [item]


def running_item() -> pytest.Item:
    """The test that runs now."""
    (item,) = _running
    return item


def belongs_to_a_proof(what: str) -> None:
    """No test starts one of them unmarked: `make test` would begin to need it."""
    is_unmarked = [item.get_closest_marker("proof") is None for item in _running]
    if is_unmarked == [True]:
        pytest.fail(f"This test uses {what}: mark it with @pytest.mark.proof.", pytrace=False)
