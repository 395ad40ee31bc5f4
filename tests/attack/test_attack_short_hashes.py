"""Texts that somebody made so that their hashes begin alike: what dctx shows of a hash is no
identity.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Result, write

from director_ctx.history.compress.receipt import identity
from director_ctx.history.compress.restore import receipt_of
from director_ctx.history.messages.stubs import mark
from director_ctx.memory.archive.compressions import CompressionRecord, record, summed
from director_ctx.memory.store.open import open_store
from director_ctx.project.project import load_project

Run = Callable[..., Result]

LONG = "One line of a log that goes on and on, so that it is worth to be cut.\n" * 40
ONE, OTHER = f"{LONG}270e511eb55a", f"{LONG}055f52be6136"
ALIKE = "dctx:f33b51d71958"
LONGER = ("dctx:f33b51d719583004", "dctx:f33b51d719585e39")


def messages(*texts: str) -> list[dict[str, object]]:
    made: list[dict[str, object]] = [{"role": "user", "content": "Look at the logs."}]
    for number, text in enumerate([*texts, *(f"{LONG}{number}" for number in range(6))]):
        name, function = f"c{number}", {"name": "bash", "arguments": "{}"}
        call = {"id": name, "type": "function", "function": function}
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": name, "content": text})
    return [*made, {"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"VISION.md": "# Vision\nHarm nobody.\n"})
    (tmp_path / "long.json").write_text(json.dumps(messages(ONE, OTHER)))
    return tmp_path


def test_two_originals_with_one_locator_are_both_kept_found_and_deleted_one_by_one(
    root: Path, dctx: Run
) -> None:
    assert mark(ONE.encode()) == mark(OTHER.encode()) == ALIKE
    made = dctx("compress", "long.json", "--strategy", "clear", "--set", "keep_results=1", cwd=root)
    assert ALIKE in made.out
    (root / "short.json").write_text(made.out)

    for words in (("restore", ALIKE), ("history", "remove", ALIKE, "--yes")):
        refused = dctx(*words, cwd=root)
        assert refused.code == 1 and all(name in refused.err for name in LONGER)
    got = [dctx("restore", name, cwd=root).out for name in LONGER]
    whole = dctx("restore", "short.json", cwd=root).out
    lost = sum(text not in got for text in (ONE, OTHER))
    assert lost == 0 and whole == (root / "long.json").read_text()

    assert dctx("history", "remove", LONGER[0], "--yes", cwd=root).code == 0
    assert [dctx("restore", name, cwd=root).code for name in LONGER] == [1, 0]


def kept(root: Path, named: str, said: str) -> str:
    """A compression that is called so; its id."""
    name = identity(named)
    content = summed({"id": name, "cuts": []})
    row = CompressionRecord(
        name, "", "", "openai-chat", "clear", "chars/4", None, 9, 1, "", content, ""
    )
    with open_store(load_project(root=str(root)), write=True) as store:
        record(store, row, {"original": said.encode(), "alike": None, "ops": []}, {})
    return name


def test_two_compressions_whose_ids_begin_alike_are_both_kept(root: Path, dctx: Run) -> None:
    ids = [kept(root, ONE, "the first"), kept(root, OTHER, "the second")]
    with closing(sqlite3.connect(root / ".director/.dctx/store.db")) as store:
        rows = store.execute("SELECT receipt FROM dctx_compressions").fetchall()
    assert len(rows) == 2
    assert [dctx("restore", name, cwd=root).out for name in ids] == ["the first", "the second"]

    asked = dctx("restore", ids[0][:12], cwd=root)
    assert asked.code == 1
    assert all(name.removeprefix("dctx:") in asked.err for name in LONGER)
    assert [receipt_of(name, str(root))["id"] for name in ids] == ids
    listed = dctx("restore", "--list", cwd=root).out
    assert all(name.removeprefix("dctx:") in listed for name in LONGER)
