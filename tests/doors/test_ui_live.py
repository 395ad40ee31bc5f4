"""Who has a page open is told of changes, and nobody looks while there is none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from client_sessions import Claude
from conftest import write

from director_ctx.doors.ui.pages.compress import wish
from director_ctx.doors.ui.serving import open_pages
from director_ctx.doors.ui.serving.looking import look_at, look_at_talk
from director_ctx.doors.ui.serving.open_pages import MOST_WAITING, OpenPages, PageEar
from director_ctx.doors.ui.visit import Visit
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.sessions.copies import make_copy, plan_copy
from director_ctx.history.sessions.find import list_sessions
from director_ctx.project.project import Project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "p", {"VISION.md": "# Vision\n"})


def test_a_page_that_is_behind_is_told_the_newest_and_its_list_stays_short() -> None:
    async def heard() -> list[str]:
        ear = PageEar()
        for number in range(1_000):
            ear.tell("changed", str(number))
            ear.tell("progress", number)
        lines = []
        async for line in ear.lines():
            lines.append(line)
            if "progress" in line and "999" in line:
                ear.end()
        return lines

    lines = asyncio.run(heard())
    assert len(lines) <= MOST_WAITING
    assert [line for line in lines if "changed" in line] == ['event: changed\ndata: "999"\n\n']


def test_nobody_looks_once_the_last_page_is_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def looked(place: str) -> str:
        looks.append(place)
        return look_at(place)

    monkeypatch.setattr(open_pages, "look_at", looked)
    monkeypatch.setattr(open_pages, "SECONDS", 0.01)

    async def open_and_close() -> int:
        pages = OpenPages(str(root))
        stream = pages.listen()
        await anext(stream)
        await asyncio.sleep(0.2)
        await stream.aclose()
        counted = len(looks)
        await asyncio.sleep(0.2)
        return len(looks) - counted

    assert asyncio.run(open_and_close()) <= 1
    assert len(looks) > 3


def test_a_look_sees_files_come_change_and_go_and_nothing_that_readers_leave(root: Path) -> None:
    seen = [look_at(str(root))]

    def is_new() -> bool:
        seen.append(look_at(str(root)))
        return seen[-1] not in seen[:-1]

    note = root / ".director/codebase/STACK.md"
    note.parent.mkdir()
    assert not is_new()
    note.write_text("Python")
    assert is_new()
    note.write_text("Python, and SQLite")
    assert is_new()
    note.rename(note.with_name("OTHER.md"))
    assert is_new()

    corner = root / ".director/.dctx"
    corner.mkdir()
    (corner / "store.db-wal").write_text("")
    (corner / "store.db-shm").write_text("x")
    assert not is_new()
    (corner / "store.db").write_text("x")
    assert is_new()

    settings = root / ".claude/settings.local.json"
    settings.parent.mkdir()
    assert not is_new()
    settings.write_text("{}")
    assert is_new()


def test_an_action_in_another_thread_tells_how_far_it_is(root: Path) -> None:
    async def heard() -> str:
        pages = OpenPages(str(root))
        stream = pages.listen()
        await anext(stream)
        visit = Visit(Project(str(root)), "p", tell=pages.teller())
        await asyncio.to_thread(visit.progress, "compress", 3, 10, "3 of 10")
        line = await anext(stream)
        await stream.aclose()
        return line

    line = asyncio.run(heard())
    assert line.startswith("event: progress\n")
    assert '"part": 3, "whole": 10' in line


def test_the_page_of_a_conversation_hears_of_its_shorter_copies(root: Path) -> None:
    lines = Claude(root).user("Fix the list.")
    for number in range(20):
        lines.called(
            f"c{number}", "Read", f"line {number}\n" * 200, file_path=f"{root}/{number}.py"
        )
    session = lines.said("It is done.", tokens=30_000).write()
    here = ProjectHere(str(root))
    (known,) = list_sessions(str(root))
    copy = make_copy(known, plan_copy(known, wish("30", "", here), here), here)
    before = look_at_talk(str(root), lines.session)
    assert before == look_at_talk(str(root), lines.session)
    with open(copy.path, "a") as file:
        file.write(session.read_text().splitlines()[-1] + "\n")
    assert look_at_talk(str(root), lines.session) != before
