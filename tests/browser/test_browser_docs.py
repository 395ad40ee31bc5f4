"""What docs/browser.md and the help of `dctx browser` show is what happens in a real browser."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Chromium, needs_chromium, needs_playwright, served, shared
from conftest import ROOT, Result, write

from director_ctx.doors.cli.shared.menu import commands

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]
LOGIN = """<!doctype html><title>Reading list: sign in</title><h1>Reading list</h1><h2>Sign in</h2>
<form action="links.html"><label>E-mail <input id="email" type="email" required></label>
<label>Password <input type="password" name="password"></label><button id="next">Next</button></form>
<a href="links.html">All links</a>"""
PAGES = {
    "login.html": LOGIN,
    "links.html": "<!doctype html><title>All links</title><h1>All links</h1>",
    "login": LOGIN,
    "index.html": LOGIN,
}
LOCAL = "http://localhost:3000"
EXAMPLES = [(command.name, example) for command in commands() for example in command.examples
            if command.name.startswith("browser ")]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("site"), PAGES) as url:
        yield url


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Chromium:
    return shared(request, tmp_path_factory)


def settled(text: str, site: str) -> str:
    """Without what differs from run to run: ports, processes, and whether this is root."""
    text = re.sub(r"^dctx: As root .*\n?", "", text.replace(site, LOCAL), flags=re.MULTILINE)
    return re.sub(
        r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", re.sub(r"process \d+", "process N", text)
    ).rstrip("\n")


def test_the_page_about_browsers_shows_what_is_printed(site: str, tmp_path: Path) -> None:
    if not shutil.which("jq"):
        pytest.skip("jq is not here, and one of the examples uses it")
    root = write(tmp_path / "project", {})
    (tmp_path / "dctx").write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m director_ctx "$@"\n'
    )
    (tmp_path / "dctx").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    page = (ROOT / "docs" / "browser.md").read_text("utf-8")
    shown = re.findall(r"^```console\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    try:
        for part in re.split(r"^\$ ", "\n".join(shown), flags=re.MULTILINE)[1:]:
            command, _, wanted = part.partition("\n")
            done = subprocess.run(["sh", "-c", f"{command.replace(LOCAL, site)} 2>&1"], cwd=root, env=environment,
                                  capture_output=True, text=True, check=False, timeout=60)  # fmt: skip
            assert settled(done.stdout, site) == settled(wanted, site), command
    finally:
        subprocess.run(
            ["dctx", "browser", "stop"], cwd=root, env=environment, capture_output=True, check=False
        )


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=lambda value: value)
def test_every_example_in_the_help_works(
    name: str, line: str, browser: Chromium, site: str, tmp_path: Path, dctx: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    root = write(tmp_path, {"/steps.json": '[{"action": "click", "selector": "#next"}]'})
    browser.only(f"{site}/login.html")
    browser.wait_for("Reading list: sign in")
    words = [
        word.replace("http://127.0.0.1:9222", browser.url).replace(LOCAL, site)
        for word in shlex.split(line)
    ][1:]
    if name not in ("browser start", "browser stop"):
        monkeypatch.setenv("DCTX_CDP", browser.url)
        dctx("browser", "show", cwd=root)
        second = browser.open(f"{site}/login.html")
        dctx("browser", "show", second, "--name", "Debug Tab", cwd=root)
    words += ["--headless"] if name == "browser start" and "--headless" not in words else []
    try:
        result = dctx(*words, cwd=root)
        assert result.code == 0, result
        assert result.out
    finally:
        if name == "browser start":
            dctx("browser", "stop", cwd=root)
