"""The engine over one file: what it promises to whoever holds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director_ctx.memory.store.engine import StoreError
from director_ctx.memory.store.sqlite import MEMORY, SQLite, make_file

ADD = "INSERT INTO dctx_meta (name, value) VALUES (?, ?)"


@pytest.fixture(params=["file", "memory"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SQLite]:
    place = str(tmp_path / "store.db") if request.param == "file" else MEMORY
    if place != MEMORY:
        make_file(place)
    engine = SQLite(place)
    yield engine
    engine.close()


def names(engine: SQLite) -> list[str]:
    return [name for (name,) in engine.rows("SELECT name FROM dctx_meta ORDER BY name")]


def test_a_look_inside_a_change_leaves_the_change_alone(engine: SQLite) -> None:
    def work(writer: SQLite) -> list[str]:
        writer.run(ADD, ("a", "1"))
        return engine.look(
            lambda view: [name for name, _ in view.each("SELECT name, value FROM dctx_meta")]
        )

    assert engine.write("", work) == ["a"]
    assert names(engine) == ["a"]


def test_a_look_writes_nothing_that_stays(engine: SQLite) -> None:
    engine.look(lambda view: engine.run(ADD, ("a", "1")))
    assert names(engine) == []


def test_a_store_that_was_closed_says_so(engine: SQLite) -> None:
    engine.close()
    for ask in (lambda: engine.rows("SELECT 1"), lambda: engine.write("", lambda writer: None)):
        with pytest.raises(StoreError, match="was closed"):
            ask()


def test_a_mistake_in_the_words_is_named(engine: SQLite) -> None:
    with pytest.raises(StoreError, match="no such table: nowhere"):
        engine.rows("SELECT * FROM nowhere")


def test_a_file_that_is_there_is_not_made_anew(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    make_file(str(place))
    engine = SQLite(str(place))
    engine.write("", lambda writer: writer.run(ADD, ("a", "1")))
    make_file(str(place))
    assert names(engine) == ["a"]
    engine.close()
    assert [one.name for one in tmp_path.iterdir()] == ["store.db"]


def test_a_place_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="could not be made") as refused:
        make_file(str(tmp_path / "nowhere" / "store.db"))
    assert refused.value.hint
