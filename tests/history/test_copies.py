"""Shorter copies of clients' sessions: kept first, written beside, taken back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from client_sessions import Claude, codex
from conftest import plan, task, write
from histories import chars4

from director_ctx.base.errors import DctxError
from director_ctx.history.compress.keep import NotArchived
from director_ctx.history.compress.options import wish_for
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.restore import every_receipt, restored
from director_ctx.history.sessions.copies import (
    ShorterCopy,
    copies_of,
    make_copy,
    plan_copy,
    take_back,
)
from director_ctx.history.sessions.files import Session
from director_ctx.history.sessions.find import folder_of, starting_with


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "p", plan({"01-a.md": task("One")}))


@pytest.fixture
def here(root: Path) -> ProjectHere:
    return ProjectHere(str(root))


def session_of(path: Path, root: Path) -> Session:
    (session,) = starting_with(path.stem[-36:], folder_of(str(root)))
    return session


def long_session(root: Path) -> Path:
    session = Claude(root).user("Fix the list.")
    for number in range(20):
        text = f"line {number}\n" * 200
        session.called(f"c{number}", "Read", text, file_path=f"{root}/src/{number}.py")
    return session.said("Done.").write()


def copy_of(path: Path, root: Path, here: ProjectHere) -> ShorterCopy:
    session = session_of(path, root)
    wish = wish_for({"ratio": 0.3, "count": chars4}, here)
    return make_copy(session, plan_copy(session, wish, here), here)


def test_a_copy_is_shorter_and_beside_the_session_that_stays_as_it_is(
    root: Path, here: ProjectHere
) -> None:
    path = long_session(root)
    before = path.read_bytes()
    copy = copy_of(path, root, here)
    assert path.read_bytes() == before
    assert os.path.dirname(copy.path) == str(path.parent)
    assert copy.resume == f"claude --resume {Path(copy.path).stem}"
    assert copy.tokens_out < copy.tokens_in * 0.4
    assert restored(Path(copy.path).read_bytes(), str(root)).data == before
    assert [head["receipt"] for head in every_receipt(str(root))] == [copy.receipt]
    assert copies_of(str(root), copy.session) == [copy]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such permissions")
def test_nobody_else_can_read_a_copy(root: Path, here: ProjectHere) -> None:
    copy = copy_of(long_session(root), root, here)
    assert os.stat(copy.path).st_mode & 0o077 == 0


def test_taking_a_copy_back_leaves_nothing_of_it(root: Path, here: ProjectHere) -> None:
    path = long_session(root)
    before = sorted(path.parent.iterdir())
    copy = copy_of(path, root, here)
    take_back(copy, here)
    assert sorted(path.parent.iterdir()) == before
    assert copies_of(str(root), copy.session) == []


def test_a_copy_that_somebody_went_on_in_stays(root: Path, here: ProjectHere) -> None:
    copy = copy_of(long_session(root), root, here)
    with open(copy.path, "ab") as file:
        file.write(b'{"type":"user","uuid":"new","message":{"role":"user","content":"More"}}\n')
    with pytest.raises(DctxError, match="went on in the shorter copy"):
        take_back(copy, here)
    assert os.path.exists(copy.path)


def test_a_session_that_is_gone_meanwhile_comes_back_byte_for_byte(
    root: Path, here: ProjectHere
) -> None:
    path = long_session(root)
    before = path.read_bytes()
    copy = copy_of(path, root, here)
    path.unlink()
    take_back(copy, here)
    assert path.read_bytes() == before


def test_without_an_archive_there_is_no_copy(root: Path, here: ProjectHere) -> None:
    path = long_session(root)
    before = sorted(path.parent.iterdir())
    (root / ".director" / ".dctx").write_text("no folder")
    with pytest.raises(NotArchived):
        copy_of(path, root, here)
    assert sorted(path.parent.iterdir()) == before


def test_clients_that_would_not_go_on_in_it_find_no_copy_among_their_sessions(
    root: Path, here: ProjectHere
) -> None:
    path = codex(root, "Fix it.")
    with open(path, "a") as file:
        for number in range(20):
            call = {"type": "function_call", "name": "shell", "call_id": f"c{number}"}
            call["arguments"] = json.dumps({"command": ["cat", f"{number}.py"]})
            came = {"type": "function_call_output", "call_id": f"c{number}"}
            came["output"] = f"line {number}\n" * 200
            for item in (call, came):
                line = {"timestamp": "2026-01-02T04:00:00.000Z", "type": "response_item"}
                file.write(json.dumps({**line, "payload": item}) + "\n")
    session = session_of(path, root)
    wish = wish_for({"ratio": 0.3, "count": chars4}, here)
    cut = plan_copy(session, wish, here)
    before = sorted(path.parent.iterdir())
    copy = make_copy(session, cut, here)
    assert sorted(path.parent.iterdir()) == before
    assert f"{os.sep}.dctx{os.sep}copies{os.sep}" in copy.path
    assert copy.resume == ""


def test_nothing_to_cut_makes_no_copy(root: Path, here: ProjectHere) -> None:
    path = Claude(root).user("Hello.").said("Hello.").write()
    session = session_of(path, root)
    cut = plan_copy(session, wish_for({"ratio": 1.0, "count": chars4}, here), here)
    with pytest.raises(DctxError, match="nothing to cut"):
        make_copy(session, cut, here)
    assert copies_of(str(root), session.id) == []


def test_a_list_that_somebody_else_wrote_is_no_list_of_copies(
    root: Path, here: ProjectHere
) -> None:
    copy_of(long_session(root), root, here)
    kept = root / ".director" / ".dctx" / "copies.json"
    for text in ('{"a": 1}', "[1, 2]", '[{"path": "/etc/passwd"}]', "not json", "[null]"):
        kept.write_text(text)
        assert copies_of(str(root), "any") == []
