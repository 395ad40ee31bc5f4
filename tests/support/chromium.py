"""Debian's real Chromium, started for tests, and pages served on the loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import proofs
import pytest
from proofs import belongs_to_a_proof

from director_ctx.browser.launch import PROGRAMS, QUIET, is_root

PROGRAM = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
needs_chromium = pytest.mark.skipif(
    PROGRAM is None,
    reason="no Chromium is here: `make chromium` installs it where that is allowed (root, apt-get)",
)
needs_playwright = pytest.mark.skipif(
    find_spec("playwright") is None, reason="the extra `browser` is not installed"
)
FLAGS = ("--headless=new", "--disable-gpu", *QUIET, *(("--no-sandbox",) if is_root() else ()))
FOR_TABS = (
    "--hide-scrollbars",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
)
"""With these Playwright starts a browser itself: going back loads a page, and no tab sleeps."""


class Chromium:
    """One running browser."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.port = process, port
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, path: str, method: str = "GET") -> Any:
        """One of the questions that the browser answers by HTTP."""
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.startswith(("{", "[")) else text

    def open(self, url: str) -> str:
        """Opens a tab without dctx, as a person would; its id."""
        return str(self.ask(f"/json/new?{url}", "PUT")["id"])

    def pages(self) -> list[dict[str, Any]]:
        return [one for one in self.ask("/json/list") if one["type"] == "page"]

    def wait_for(self, title: str) -> None:
        end = time.monotonic() + 10
        while all(one["title"] != title for one in self.pages()):
            assert time.monotonic() < end, self.pages()
            time.sleep(0.02)

    def only(self, url: str) -> None:
        """One tab, at this page, and no other."""
        old = [one["id"] for one in self.pages()]
        new = self.open(url)
        for identity in old:
            self.ask(f"/json/close/{identity}")
        end = time.monotonic() + 10
        while [one["id"] for one in self.pages()] != [new] or not self.pages()[0]["url"].startswith(
            url[:20]
        ):
            assert time.monotonic() < end, self.pages()
            time.sleep(0.02)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)


_SHARED = pytest.StashKey[Chromium]()
_FOR_TABS = pytest.StashKey[Chromium]()


@contextmanager
def chromium(folder: Path, *flags: str) -> Iterator[Chromium]:
    """A browser with a profile in a folder, until the end of the block."""
    belongs_to_a_proof("a real browser")
    assert PROGRAM
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        PROGRAM,
        *FLAGS,
        *flags,
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        "about:blank",
    ]
    home = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | {
        "HOME": str(folder)
    }
    process = subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=home,
    )
    try:
        found = Chromium(process, _port(folder / "DevToolsActivePort"))
        found.wait_for("about:blank")
        yield found
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        process.wait()


def shared(request: pytest.FixtureRequest, folders: pytest.TempPathFactory) -> Chromium:
    """One browser for all tests of a worker that leave it alive, ended with the last of them."""
    found = request.config.stash.get(_SHARED, None)
    if found is None or found.process.poll() is not None:
        block = chromium(folders.mktemp("shared"))
        found = request.config.stash[_SHARED] = block.__enter__()
        request.session.addfinalizer(lambda: block.__exit__(None, None, None) and None)
    return found


def for_tabs() -> Chromium:
    """One browser for all tabs of a worker (pages.py), ended with the last of its tests."""
    session = proofs.running_item().session
    found = session.config.stash.get(_FOR_TABS, None)
    if found is None or found.process.poll() is not None:
        ends = ExitStack()
        session.addfinalizer(ends.close)
        folder = ends.enter_context(
            TemporaryDirectory(prefix="dctx-tabs-", ignore_cleanup_errors=True)
        )
        found = session.config.stash[_FOR_TABS] = ends.enter_context(
            chromium(Path(folder), *FOR_TABS)
        )
    return found


def _port(told: Path) -> int:
    end = time.monotonic() + 30
    while not told.exists() or not told.read_text().endswith(tuple("0123456789abcdef")):
        assert time.monotonic() < end, "the browser does not start"
        time.sleep(0.02)
    return int(told.read_text().split("\n")[0])


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map: ClassVar[dict[str, str]] = {
        **SimpleHTTPRequestHandler.extensions_map,
        "": "text/html",
    }

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path, pages: Mapping[str, str]) -> Iterator[str]:
    """The address of a server with these pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
