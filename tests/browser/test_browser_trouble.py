"""A real browser that crashes, is killed, or ends while somebody waits for it; one that is started
and stopped.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chromium import Chromium, chromium, needs_chromium, needs_playwright, served
from conftest import ROOT, Result, write

from director_ctx import load_project
from director_ctx.browser.launch import is_ours
from director_ctx.browser.started import Started, keep_started, own_folder, read_started
from director_ctx.browser.state import browser_state
from director_ctx.memory.store.open import open_store

pytestmark = [pytest.mark.proof, needs_chromium]
Run = Callable[..., Result]


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    with chromium(tmp_path / "profile") as found:
        yield found


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "project", {}))
    return tmp_path / "project"


@contextmanager
def waiting(root: Path, browser: Chromium, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """`dctx browser …` in the background, and no longer than the block, whatever happens in it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", "browser", *words],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DCTX_CDP": browser.url}, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        end_all(process)


def end_all(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.communicate()


def once_clicked(root: Path) -> None:
    """Until the first action is written down, and the second one has begun."""
    end = time.monotonic() + 20
    while not said(root):
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.3)


def said(root: Path) -> list[str]:
    with open_store(load_project(root)) as store:
        return [
            row[0]
            for row in store.engine.rows("SELECT content FROM conversations ORDER BY timestamp")
        ]


@needs_playwright
def test_a_browser_that_is_killed_in_mid_call_is_said_so_and_what_was_done_is_kept(
    browser: Chromium, root: Path, tmp_path: Path
) -> None:
    with served(
        tmp_path / "site",
        {"a.html": "<title>A</title><button onclick='document.title=`Begun`'>Go</button>"},
    ) as url:
        browser.only(f"{url}/a.html")
        steps = [{"action": "click", "selector": "button"}, {"action": "wait", "selector": "40"},
                 {"action": "wait", "selector": "1"}]  # fmt: skip
        (root / "steps.json").write_text(json.dumps(steps))
        started = time.monotonic()
        with waiting(root, browser, "act", "--batch", "steps.json", "--reason", "try") as process:
            once_clicked(root)
            browser.kill()
            out, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 30
    assert process.returncode == 1
    assert b"The browser ended in the middle of it. 1 of 3 actions were done." in err
    assert b"Traceback" not in err
    assert out.splitlines()[0] == b"1. click button in Main Tab: ok"
    assert [one.rpartition("-> ")[2] for one in said(root)] == [
        "ok", "failed: The browser ended in the middle of it."]  # fmt: skip
    assert browser_state(load_project(root), browser.url) == ""


@needs_playwright
@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN, reason="Ctrl-C is ignored here"
)
def test_ctrl_c_ends_it_without_a_word_and_what_was_done_is_kept(
    browser: Chromium, root: Path
) -> None:
    steps = [{"action": "wait", "selector": "0"}, {"action": "wait", "selector": "40"}]
    (root / "steps.json").write_text(json.dumps(steps))
    with waiting(root, browser, "act", "--batch", "steps.json", "--reason", "try") as process:
        once_clicked(root)
        os.killpg(
            process.pid, signal.SIGINT
        )  # a terminal sends it to whatever was started from there, Playwright too
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert said(root) == ["debug_action wait 0 in Main Tab: try -> ok"]


@needs_playwright
def test_a_page_that_crashes_while_it_is_waited_for_is_said_so_and_the_tab_can_be_closed(
    browser: Chromium, root: Path, tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_CDP", browser.url)
    with served(
        tmp_path / "site",
        {
            "a.html": "<title>Server page</title><button onclick='document.title=`Begun`'>Go</button>"
        },
    ) as url:
        browser.only(f"{url}/a.html")
        browser.wait_for("Server page")
        browser.open("about:blank")
        steps = [{"action": "click", "selector": "button", "tab": "Busy"},
                 {"action": "wait", "selector": "40", "tab": "Busy"}]  # fmt: skip
        (root / "steps.json").write_text(json.dumps(steps))
        assert dctx("browser", "show", "Server page", "--name", "Busy").code == 0
        with waiting(root, browser, "act", "--batch", "steps.json", "--reason", "try") as process:
            once_clicked(root)
            crasher = _crasher(browser, f"{url}/a.html")
            try:
                _, err = process.communicate(timeout=30)
            finally:
                end_all(crasher)
    assert process.returncode == 1
    assert b"The page crashed. 1 of 2 actions were done." in err
    done = dctx("browser", "inspect", "Busy")
    assert done.code == 1
    assert "may have crashed" in done.err
    assert dctx("browser", "act", "close", "Busy", "-r", "it crashed").code == 0
    assert dctx("browser", "inspect").code == 0
    assert len(browser.pages()) == 1


def _crasher(browser: Chromium, url: str) -> subprocess.Popen[bytes]:
    """A process that makes the page crash, and may never hear of it."""
    target = next(one["id"] for one in browser.pages() if one["url"] == url)
    script = (
        "import sys\nfrom playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p:\n"
        "    b = p.chromium.connect_over_cdp(sys.argv[1])\n"
        "    for page in b.contexts[0].pages:\n"
        "        s = page.context.new_cdp_session(page)\n"
        "        if s.send('Target.getTargetInfo')['targetInfo']['targetId'] == sys.argv[2]:\n"
        "            s.send('Page.crash')\n"
    )
    return subprocess.Popen([sys.executable, "-c", script, browser.url, target], stderr=subprocess.DEVNULL,
                            start_new_session=True)  # fmt: skip


def test_a_stopped_browser_does_not_hold_up_a_context(browser: Chromium, root: Path) -> None:
    os.kill(browser.process.pid, signal.SIGSTOP)
    try:
        assert browser_state(load_project(root), browser.url) == ""
    finally:
        os.kill(browser.process.pid, signal.SIGCONT)


def test_a_browser_is_started_found_again_and_stopped(
    root: Path, dctx: Run, tmp_path: Path
) -> None:
    with served(tmp_path / "site", {"a.html": "<title>A</title>"}) as url:
        first = dctx("browser", "start", f"{url}/a.html", "--headless")
        try:
            assert first.code == 0, first
            assert first.out.startswith("Started: http://127.0.0.1:")
            assert dctx("browser", "start").out == first.out.replace("Started", "Already running")
            assert browser_state(load_project(root)).endswith(f"- Main Tab (Active) = {url}/a.html")
            assert dctx("browser", "show").out.startswith("1 tab open:\n- Main Tab (Active)")
            pid = json.loads(dctx("browser", "start", "--json").out)["pid"]
        finally:
            stopped = dctx("browser", "stop")
        assert stopped.out == f"Stopped: process {pid}.\n"
        assert not is_ours(str(root), pid)
        assert browser_state(load_project(root)) == ""
        assert dctx("browser", "stop").out == "No browser of dctx is running here.\n"
    assert not any(".director" in str(path) for path in (root / ".director").rglob("browser*")), (
        "nothing in the project"
    )


def test_a_browser_is_started_at_the_port_that_was_named(root: Path, dctx: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    try:
        done = dctx("browser", "start", "--headless", "--port", str(port))
        assert done.code == 0, done
        assert done.out.startswith(f"Started: http://127.0.0.1:{port} ")
        assert browser_state(load_project(root)) == "1 tab open:\n- Main Tab (Active) = about:blank"
    finally:
        dctx("browser", "stop")


def test_two_who_start_at_once_get_one_browser(root: Path, dctx: Run) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def one(_: int) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "director_ctx", "browser", "start", "--headless", "--json"],
            cwd=root, capture_output=True, check=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return done.stdout.decode()

    try:
        with ThreadPoolExecutor(2) as pool:
            found = [json.loads(text) for text in pool.map(one, range(2))]
        assert found[0]["pid"] == found[1]["pid"]
        assert sorted(one["started"] for one in found) == [False, True]
    finally:
        dctx("browser", "stop")


def test_only_the_process_that_was_started_is_ended(root: Path, dctx: Run) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        Path(own_folder(str(root))).mkdir(parents=True)
        keep_started(str(root), Started(9, other.pid, "x"))
        assert dctx("browser", "stop").out == "No browser of dctx is running here.\n"
        assert other.poll() is None
        assert read_started(str(root)) is None
    finally:
        other.kill()
        other.wait()


def test_a_browser_that_cannot_start_says_why(root: Path, dctx: Run, tmp_path: Path) -> None:
    assert "nope is not a program" in dctx("browser", "start", "--browser", "nope").err
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'ERROR: no luck' >&2\nexit 1\n")
    broken.chmod(0o755)
    done = dctx("browser", "start", "--browser", str(broken))
    assert done.code == 1
    assert "The browser ended at once: ERROR: no luck." in done.err
    with served(tmp_path / "site", {}) as url:
        port = url.rpartition(":")[2]
        assert f"Port {port} is taken" in dctx("browser", "start", "--port", port).err
