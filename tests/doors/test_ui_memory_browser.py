"""Variables, tabs and the health of a folder in a real browser: by keyboard, without JavaScript, live."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import chromium, needs_chromium, needs_playwright
from pages import Pages, pages, tab

from director_ctx import load_project
from director_ctx.memory.variables.variables import set_variable, value_of

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]


@pytest.fixture
def root(example: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(example, tmp_path / "reading"))
    project = load_project(folder)
    set_variable(project, "node7.emails", [{"subject": "x" * 90}] * 14, "A long word: " + "x" * 120)
    set_variable(project, "api_key", "sk-1234567890", "From the vault")
    return folder


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def opened(site: Pages, address: str) -> str:
    return f"{site.base}/reading/{address}{'&' if '?' in address else '?'}token={site.token}"


def test_a_secret_is_set_by_keys_alone_and_stays_in_no_field(site: Pages, root: Path) -> None:
    with tab(opened(site, "now")) as page:
        page.keyboard.press("g")
        page.keyboard.press("v")
        page.wait_for_url("**/variables")
        page.wait_for_selector("html.scripted")
        page.keyboard.press("n")
        page.keyboard.type("friend_token")
        page.keyboard.press("Tab")
        page.keyboard.type("abc-98765")
        page.keyboard.press("Tab")
        page.keyboard.type("For the feed")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/variable?name=friend_token")
        page.wait_for_selector("h1:text('friend_token')")
        assert page.input_value("#set textarea") == ""
        assert not page.is_checked("[name=secret]")
        assert "abc-98765" not in page.content()
    assert value_of(load_project(root), "friend_token", reveal=True) == "abc-98765"


def test_a_change_elsewhere_shows_and_a_value_that_is_being_typed_stays(
    site: Pages, root: Path
) -> None:
    with tab(opened(site, "variables")) as page:
        page.fill("#set textarea", '{"half": ')
        set_variable(load_project(root), "count", 7, "Counted")
        page.wait_for_selector(".variables :text('count')")
        assert page.input_value("#set textarea") == '{"half": '


def test_everything_is_done_without_scripts(site: Pages, root: Path) -> None:
    with tab(opened(site, "variables"), java_script_enabled=False) as page:
        page.fill("[name=name]", "count")
        page.fill("#set textarea", "[1,\n2]")
        page.click("#set button")
        assert "count is [1, 2]." in page.inner_text(".notice")
        page.fill("#clear [name=reason]", "Counted wrong")
        page.click("#clear button")
        assert "count is cleared." in page.inner_text(".notice")
        assert "Counted wrong" in page.inner_text("#changes")
        state = root / ".director/STATE.md"
        state.write_text(state.read_text().replace("Task 2", "Task 1"))
        page.goto(f"{site.base}/reading/health")
        page.click("text=Mend this")
        assert "brought in line" in page.inner_text(".notice")
        assert page.locator("#mend").count() == 0


def test_tabs_of_the_browser_show_as_they_come_and_go(root: Path, tmp_path: Path) -> None:
    with (
        chromium(tmp_path / "profile") as browser,
        pages(root, DCTX_CDP=browser.url) as site,
        tab(opened(site, "variables")) as page,
    ):
        page.wait_for_selector("#browser :text('1 tab open')")
        browser.open("data:text/html,<title>Friends</title>")
        page.wait_for_selector("#browser :text('2 tabs open')")
        assert "Friends" in page.inner_text("#browser")
