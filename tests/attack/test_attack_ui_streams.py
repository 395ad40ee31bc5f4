"""Open pages of `dctx ui` that do not behave: many at once, deaf, half gone, or of a project that
turned into something else.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import plan, task, write
from folders import CANARY
from pages import Pages, pages

from director_ctx.doors.ui.serving.open_pages import MOST_OPEN

TURNED = ("now", "plan", "project", "told", "conversations", "budget", "health", "now.json")
pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="counts in /proc")


def named(name: str) -> dict[str, str]:
    vision = f"# Vision\n\n## Project Name\n\n{name}\n"
    return {"VISION.md": vision, **plan({"01-one.md": task("One")})}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "all" / "p0", named("Number 0"))


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def line(site: Pages, address: str) -> socket.socket:
    """A connection on which a page was asked for, and nothing was read yet."""
    connection = socket.create_connection(("127.0.0.1", site.port), 20)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    said = (
        f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
        f"Authorization: Bearer {site.token}\r\n\r\n"
    )
    connection.sendall(said.encode())
    return connection


def heard(connection: socket.socket, *ends: bytes) -> bytes:
    """What comes until one of these."""
    data = b""
    while not any(end in data for end in ends):
        more = connection.recv(4_096)
        if not more:
            break
        data += more
    return data


def open_files(site: Pages) -> int:
    return len(os.listdir(f"/proc/{site.process.pid}/fd"))


def megabytes(site: Pages) -> float:
    status = Path(f"/proc/{site.process.pid}/statm").read_text().split()
    return int(status[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def lets_go(site: Pages) -> bool:
    """Of all connections, within a while."""
    deadline = time.monotonic() + 20
    while (left := open_files(site)) >= 30 and time.monotonic() < deadline:
        time.sleep(0.1)
    return left < 30


def test_of_many_pages_at_once_none_is_cut_off_and_some_come_later(site: Pages) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(line(site, "/p0/events")) for _ in range(MOST_OPEN + 100)]
        told = [heard(each, b"event: changed", b"retry:", b"Too many") for each in lines]
        later = [text for text in told if b"event: changed" not in text]
        assert len(told) - len(later) == MOST_OPEN
        assert all(b"retry:" in text or b"retry-after" in text for text in later)
        assert site.ask("/p0/now").status == 200
    assert lets_go(site)


def test_whoever_never_reads_costs_no_memory_and_keeps_nobody_else_from_hearing(
    site: Pages, root: Path
) -> None:
    note = root / ".director" / "IDEAS.md"
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(line(site, "/p0/events"))
        events = stack.enter_context(site.events("/p0/events"))
        assert next(events)[0] == "changed"
        before = megabytes(site)
        for number in range(20):
            note.write_text(f"- {number}\n")
            assert next(events)[0] == "changed"
        assert megabytes(site) < before + 20
    assert lets_go(site)


def test_hundreds_of_pages_that_come_and_go_leave_nothing(site: Pages) -> None:
    site.ask("/p0/now")
    for number in range(400):
        with line(site, "/p0/events?talk=all") as connection:
            if number % 2:
                heard(connection, b"\r\n")
    assert lets_go(site)
    before = megabytes(site)
    for number in range(400):
        line(site, f"/p0/events?talk=x{number}").close()
    assert lets_go(site)
    assert megabytes(site) < before + 20
    assert site.ask("/p0/now").status == 200


def test_a_page_that_is_half_gone_is_let_go(site: Pages) -> None:
    with ExitStack() as stack:
        for _ in range(50):
            connection = stack.enter_context(line(site, "/p0/events"))
            heard(connection, b"event: changed")
            connection.shutdown(socket.SHUT_WR)
        assert lets_go(site)


def test_open_pages_keep_no_server_from_its_end(root: Path) -> None:
    with ExitStack() as stack:
        site = stack.enter_context(pages(root))
        deaf = [stack.enter_context(line(site, "/p0/events")) for _ in range(50)]
        heard(deaf[0], b"event: changed")
        begin = time.monotonic()
        code, said = site.end()
        assert (code, "Traceback" in said) == (0, False)
        assert time.monotonic() - begin < 15


@pytest.mark.parametrize("folder", ["assets", "a b", "<script>alert(1)"])
def test_any_name_of_a_folder_makes_an_address(folder: str, tmp_path: Path) -> None:
    with pages(write(tmp_path / folder, named(folder))) as site:
        page = site.ask(site.ask("/").headers["location"])
        assert page.status == 200 and "<script>alert" not in page.text
        assert page.text.count("<h1")
        assert site.ask("/assets/page.css").headers["content-type"].startswith("text/css")


@pytest.mark.parametrize("how", ["gone", "led away", "linked", "a file"])
def test_a_project_that_turns_into_something_else_is_not_shown(
    how: str, root: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path / "outside", named(CANARY))
    folder = root / ".director"
    with pages(root) as site:
        assert site.ask("/p0/now").status == 200
        shutil.rmtree(folder if how in ("linked", "a file") else root)
        if how == "led away":
            root.symlink_to(outside)
        elif how == "linked":
            folder.symlink_to(outside / ".director")
        elif how == "a file":
            folder.write_text(CANARY)
        for address in TURNED:
            answer = site.ask(f"/p0/{address}")
            assert answer.status in (404, 409), address
            assert CANARY not in answer.text


def test_pipes_loops_and_endless_files_that_come_while_a_page_is_open_hold_nobody_up(
    root: Path,
) -> None:
    with pages(root) as site, site.events("/p0/events?talk=1") as events:
        assert next(events)[0] == "changed"
        director = root / ".director"
        corner = director / ".dctx"
        corner.mkdir()
        (director / "VISION.md").unlink()
        pipes = (director / "VISION.md", root / "dctx.yaml")
        kept = [corner / name for name in ("runs.jsonl", "copies.json", "hooks.log", "store.db")]
        for place in (*pipes, *kept):
            os.mkfifo(place)
        (director / "goals" / "02-again").symlink_to(director / "goals")
        endless = director / "codebase" / "STACK.md"
        endless.parent.mkdir()
        with endless.open("wb") as file:
            file.truncate(5_000_000_000)
        before = megabytes(site)
        for address in (*TURNED, "tasks/1/1/1", "places.json"):
            assert site.ask(f"/p0/{address}").status < 500, address
        assert megabytes(site) < before + 200
        assert site.ask("/").status == 303
        (director / "IDEAS.md").write_text("- Now\n")
        assert next(event for event, _ in events if event == "changed") == "changed"
