"""A server that goes away under load: whoever writes waits for it, nothing is lost, and nothing is
there twice.
"""

from __future__ import annotations

from collections.abc import Iterator

import pg
import pytest
from kept_plans import new_version

from director_ctx.memory.plans import versions
from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.store import Store, new_id


@pytest.fixture(scope="module")
def server() -> Iterator[pg.Server]:
    """One of its own, because it is ended in between."""
    yield from pg.running()


def test_a_server_that_stays_away_is_one_sentence(server: pg.Server) -> None:
    url = server.database()
    with Store(pg.migrated(url), new_id()) as store:
        assert isinstance(store.engine, Postgres)
        new_version(store, {}, "Before")
        store.engine.patience = 0.3
        server.stop()
        try:
            with pytest.raises(StoreError, match="No server answers there") as failure:
                new_version(store, {}, "While it is away")
            assert "Is it running?" in failure.value.hint
            with pytest.raises(StoreError, match="No server answers there"):
                versions.current(store)
        finally:
            server.start()
        assert new_version(store, {}, "After").number == 2
