"""The names of tabs in a shared store whose connection breaks at the worst moment."""

from __future__ import annotations

import pg
import pytest

from director_ctx.browser import tab_names
from director_ctx.memory.store.postgres import Postgres
from director_ctx.memory.store.store import Store, new_id


@pytest.mark.parametrize("when", ["before", "after"])
def test_names_whose_writing_is_cut_at_its_commit_are_settled_all_the_same(
    when: str, server: pg.Server
) -> None:
    url = server.database()
    with Store(pg.migrated(url), new_id()) as store:
        with (
            pg.Proxy(url, cut=when) as proxy,
            Store(Postgres(proxy.url), store.workflow) as through,
        ):
            names = tab_names.keep_names(through, "b", {"1": "Mail", "2": "Shop"}, {"2": "Inbox"})
            assert proxy.cuts == 1
        assert names == tab_names.read_names(store, "b") == {"1": tab_names.FIRST, "2": "Inbox"}
