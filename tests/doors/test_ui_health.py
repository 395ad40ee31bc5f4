"""The health of the folder on the page: told by remedy, and mended as it was shown."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import plan, task, write
from pages import Pages, pages

STATE = """# State

**Status:** In progress
**Current task:** Two
**Position:** Goal 1, Step 1, Task 2
"""
FILES = {
    "VISION.md": "# Vision\n",
    "STATE.md": STATE,
    **plan({"01-one.md": task("One"), "02-two.md": task("Two")}),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def field(text: str, name: str) -> str:
    known = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert known
    return known[1]


def test_what_is_wrong_is_told_by_its_remedy_and_what_would_be_mended_line_by_line(
    site: Pages,
) -> None:
    data = site.ask("/links/health.json").json
    remedies = {remedy["advice"]: remedy for remedy in data["problems"]}
    assert "`dctx doctor --fix` writes what the files say" in remedies
    changed = {line["new"] for file in data["mend"]["changed"] for line in file["lines"]}
    assert "**Position:** Goal 1, Step 1, Task 1" in changed
    page = site.ask("/links/health").text
    assert "**Position:** Goal 1, Step 1, Task 2" in page
    assert "**Position:** Goal 1, Step 1, Task 1" in page


def test_a_click_mends_what_was_shown(site: Pages, root: Path) -> None:
    shown = site.ask("/links/health").text
    form = {"at": field(shown, "at"), "digest": field(shown, "digest")}
    done = site.send("/links/health/mend", form)
    said = site.ask(done.headers["location"]).text
    assert "brought in line with the files" in said
    assert "Mend this" not in said
    assert "Goal 1, Step 1, Task 1" in (root / ".director/STATE.md").read_text()


def test_nothing_is_mended_that_is_not_what_was_shown(site: Pages, root: Path) -> None:
    shown = site.ask("/links/health").text
    form = {"at": field(shown, "at"), "digest": field(shown, "digest")}
    (root / ".director/STATE.md").write_text(STATE.replace("Two", "Three"))
    late = site.send("/links/health/mend", form)
    assert late.status == 409
    assert "not what the page showed any more" in late.text
    assert "Three" in (root / ".director/STATE.md").read_text()
    assert site.send("/links/health/mend", {}).status == 409


def test_read_only_shows_it_and_mends_nothing(root: Path) -> None:
    with pages(root, "--read-only") as site:
        page = site.ask("/links/health").text
        assert "Goal 1, Step 1, Task 1" in page
        assert "Mend this" not in page
        form = {"at": "", "digest": ""}
        assert site.send("/links/health/mend", form).status == 403


def test_notes_are_shown_with_the_commits_that_made_them_stale(
    example: Path, tmp_path: Path
) -> None:

    root = Path(shutil.copytree(example, tmp_path / "reading"))
    (root / "app.py").write_text("print('anew')\n")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(("git", *who, "commit", "-qam", "Read <b>feeds</b>"), cwd=root, check=True)
    with pages(root) as site:
        page = site.ask("/reading/health").text
    assert ".director/codebase/ARCHITECTURE.md" in page
    assert "Read &lt;b&gt;feeds&lt;/b&gt;" in page


def test_hooks_that_are_broken_and_hooks_that_failed_are_named_with_what_to_do(
    site: Pages, root: Path
) -> None:
    empty = site.ask("/links/health").text
    assert "dctx setup" in empty
    settings = root / ".claude/settings.local.json"
    settings.parent.mkdir()
    hook = '{"type": "command", "command": "/gone/dctx hook --client claude"}'
    settings.write_text(
        f'{{"hooks": {{"PreToolUse": [{{"matcher": "Agent|Task", "hooks": [{hook}]}}]}}}}'
    )
    log = root / ".director/.dctx/hooks.log"
    log.parent.mkdir(exist_ok=True)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    log.write_text(f"{now} claude PreToolUse: <b>it broke</b>\n")
    page = site.ask("/links/health").text
    assert "What it calls is not there: /gone/dctx." in page
    assert "dctx setup --what hooks" in page
    assert "&lt;b&gt;it broke&lt;/b&gt;" in page


def test_a_folder_in_order_says_so(tmp_path: Path) -> None:
    with pages(write(tmp_path / "bare", {})) as site:
        page = site.ask("/bare/health")
    assert page.status == 200
    assert "Nothing disagrees" in page.text
    assert "None is left in the documents." in page.text


def test_nothing_is_said_twice_and_what_is_amber_is_on_now_too(site: Pages, root: Path) -> None:
    page = site.ask("/links/health").text
    assert page.count("Nothing disagrees") <= 1
    assert page.count("out of date") == 1
    assert page.index('id="questions"') < page.index('class="side-column"')
    says = "No client hands contexts on yet: <code>dctx setup</code>"
    assert says in page
    now = site.ask("/links/now").text
    assert f'<a href="/links/health#clients">{says}' in now
