"""What agents were told and where their tokens go, in a real browser: by mouse, by keyboard alone,
without JavaScript, and live.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import needs_chromium, needs_playwright
from conftest import process
from pages import Pages, pages, tab

from director_ctx.memory.runs.storage import read_runs

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]


@pytest.fixture
def root(example: Path, tmp_path: Path) -> Path:
    root = Path(shutil.copytree(example, tmp_path / "reading"))
    for words in (("builder",), ("planner",), ("builder", "--window", "8k")):
        assert process("assemble", *words, cwd=root).code == 0
    return root


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def opened(site: Pages, address: str) -> str:
    return f"{site.base}/reading/{address}{'&' if '?' in address else '?'}token={site.token}"


def newest(root: Path) -> str:
    return read_runs(str(root))[-1].id


def test_from_now_to_the_words_that_an_agent_was_told_in_three_clicks(
    site: Pages, root: Path
) -> None:
    with tab(opened(site, "now")) as page:
        page.click("#contexts li:first-child a")
        page.wait_for_url(f"**/told/{newest(root)}")
        page.click("#section-task > summary")
        assert "A page for each friend" in page.inner_text("#section-task pre")
        assert "cut to fit" in page.inner_text("#window")
        page.click("text=Until now")
        page.wait_for_url("**against=now")
        assert "What is different" in page.inner_text("#change")


def test_keys_alone_lead_to_a_context_and_to_the_one_before(site: Pages, root: Path) -> None:
    before = read_runs(str(root))[0].id
    with tab(opened(site, "now")) as page:
        page.wait_for_selector("html.scripted")
        page.keyboard.press("g")
        page.keyboard.press("t")
        page.wait_for_url("**/told")
        page.wait_for_selector("html.scripted")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/told/{newest(root)}")
        page.wait_for_selector("html.scripted")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("#section-vision[open]")
        page.keyboard.press("p")
        page.wait_for_url(f"**/told/{before}")
        page.wait_for_selector("html.scripted")
        page.keyboard.press("g")
        page.keyboard.press("b")
        page.wait_for_url("**/budget")


def test_words_are_searched_and_found_open_without_scripts(site: Pages, root: Path) -> None:
    with tab(opened(site, "told"), java_script_enabled=False) as page:
        page.fill("[name=words]", "each friend")
        page.click("text=Search")
        page.locator("#lines a.row").first.click()
        page.wait_for_url("**/told/*#text-*")
        section = page.url.rpartition("#text-")[2]
        assert page.locator(f"#section-{section}[open]").count() == 1


def test_an_agent_is_chosen_and_nobody_leaves_the_page(site: Pages) -> None:
    with tab(opened(site, "told")) as page:
        page.wait_for_selector("html.scripted")
        page.select_option("[name=agent]", "planner")
        page.wait_for_selector(".told-row >> nth=1", state="detached")
        assert "agent=planner" in page.url


def test_a_new_context_appears_and_what_is_open_stays_so(site: Pages, root: Path) -> None:
    with tab(opened(site, "told")) as page:
        page.fill("[name=words]", "half a sear")
        assert process("assemble", "verifier", cwd=root).code == 0
        page.wait_for_selector(f'[data-key="{newest(root)}"]')
        assert page.input_value("[name=words]") == "half a sear"
    with tab(opened(site, "budget")) as page:
        page.click("#agent-builder > summary")
        (root / ".director/VISION.md").write_text("# Vision\n\nShorter.\n")
        page.wait_for_selector('#agent-builder td:text-is("553")', state="detached")
        assert page.locator("#agent-builder[open]").count() == 1
