"""Conversations in a real browser: read, searched, compressed and taken back, by mouse, by keyboard
alone and without JavaScript.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from chromium import needs_chromium, needs_playwright
from client_sessions import ONE, TIME, Claude
from conftest import ROOT, Result, plan, task, write
from pages import Pages, pages, tab

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]

Dctx = Callable[..., Result]
SESSION = f"conversations/{ONE}"
COPY = re.compile(r"claude --resume ([0-9a-f-]{36})")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "reading", plan({"01-one.md": task("One")}))


@pytest.fixture
def session(root: Path) -> Path:
    lines = Claude(root).user("Fix the list of links, with a word as long as " + "x" * 150)
    for number in range(30):
        name = f"{root}/src/a_folder_with_a_long_name/page_{number}.py"
        lines.called(f"c{number}", "Read", f"line {number}\n" * 200, file_path=name)
        lines.said(f"Page {number} reads the list.", tokens=1_000 + 5_000 * number)
    lines.compacted("Summary: the list was fixed.")
    for number in range(30):
        lines.called(f"d{number}", "Bash", f"ok {number}\n" * 200, command=f"pytest -k {number}")
    return lines.said("It is done.", tokens=40_000).write()


@pytest.fixture
def site(root: Path, session: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def opened(site: Pages, address: str) -> str:
    where, mark, fragment = address.partition("#")
    between = "&" if "?" in where else "?"
    return f"{site.base}/reading/{where}{between}token={site.token}{mark}{fragment}"


def test_what_is_folded_is_fetched_when_it_is_opened_and_stays_open(
    site: Pages, session: Path
) -> None:
    with tab(opened(site, SESSION)) as page:
        entry = page.locator(".entry", has_text="pytest").first
        row = entry.locator("a.fold")
        assert entry.locator("pre").count() == 0
        row.click()
        entry.locator("pre").nth(1).wait_for()
        assert "ok 0\nok 0" in entry.inner_text()
        assert row.get_attribute("aria-expanded") == "true"

        # Somebody goes on in it, and the page says so without losing what is opened.
        lines = Claude(session.parent).user("And now the form.").lines
        last = json.loads(session.read_text().splitlines()[-1])
        new = {**lines[0], "uuid": "new", "parentUuid": last["uuid"], "cwd": last["cwd"]}
        with open(session, "a") as file:
            file.write(json.dumps(new) + "\n")
        page.wait_for_selector(".by-user :text('And now the form.')", timeout=15_000)
        assert "ok 0\nok 0" in entry.inner_text()
        assert row.get_attribute("aria-expanded") == "true"

        row.focus()
        page.keyboard.press("Enter")
        assert "ok 0\nok 0" not in entry.inner_text()
        assert row.get_attribute("aria-expanded") == "false"


def test_a_click_on_the_picture_shows_the_messages_of_that_part(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        page.locator(".icicle a", has_text="Bash").first.click()
        page.wait_for_url("**/*part=tools*")
        assert "Tools › Bash" in page.inner_text("#said-title")
        assert page.locator(".entry").count() == 30
        page.fill("#said [name=q]", "pytest -k 7")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelectorAll('.entry').length === 1")


def test_an_address_of_a_message_leads_to_it_however_far_down_it_is(site: Pages) -> None:
    with tab(opened(site, f"{SESSION}#m145")) as page:
        page.wait_for_function(
            "() => { const top = document.getElementById('m145').getBoundingClientRect().top;"
            " return 0 <= top && top < innerHeight; }"
        )


HIT_IS_SEEN = (
    "() => { const mark = document.querySelector('mark#hit'); if (!mark) return false;"
    " const { top, bottom } = mark.getBoundingClientRect();"
    " const header = document.querySelector('header').getBoundingClientRect().bottom;"
    " return header < top && bottom < innerHeight; }"
)


def test_a_hit_of_a_search_is_in_sight_wherever_it_stands(site: Pages) -> None:
    with tab(opened(site, "conversations?q=ok+17")) as page:
        link = page.locator("#lines a.row")
        assert link.locator("mark").first.inner_text() == "ok 17"
        link.click()
        page.wait_for_function(HIT_IS_SEEN)
        row = page.locator("details.entry[open]")
        assert "ok 17\nok 17" in row.inner_text()
        # What is opened by the server is not fetched again, and stays marked.
        page.wait_for_timeout(500)
        assert page.locator("mark#hit").inner_text() == "ok 17"
        page.go_back()
        page.fill("[name=q]", "Page 9 reads")
        page.keyboard.press("Enter")
        page.wait_for_selector("#lines :text('Page 9 reads')")
        page.locator("#lines a.row").click()
        page.wait_for_function(HIT_IS_SEEN)


def test_the_window_is_read_with_a_slider_and_by_pointing(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        page.wait_for_selector("html.scripted")
        says = page.locator(".reader a")
        assert says.inner_text().endswith("40,005")
        page.focus(".reader input")
        page.keyboard.press("Home")
        page.wait_for_function("() => document.querySelector('.chart a.chosen')")
        first = says.inner_text()
        assert first.startswith("Message 1: ")
        assert page.get_attribute(".reader input", "aria-valuetext") == first
        page.locator(".chart a").nth(60).hover()
        page.wait_for_function(
            "(was) => document.querySelector('.reader a').innerText !== was", arg=first
        )
        number = says.inner_text().partition(":")[0].removeprefix("Message ")
        assert says.get_attribute("href").endswith(f"#m{number}")


def test_from_far_down_a_key_and_a_link_lead_back_to_the_top(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        page.wait_for_selector("html.scripted")
        page.keyboard.press("e")
        page.wait_for_function("() => scrollY > 1000")
        page.keyboard.press("t")
        page.wait_for_function("() => scrollY < 100")
        page.keyboard.press("e")
        page.wait_for_function("() => scrollY > 1000")
        page.click("a:text-is('Top')")
        page.wait_for_function("() => scrollY < 100")


def test_on_a_small_screen_names_of_files_and_numbers_are_in_sight(site: Pages) -> None:
    size = {"width": 375, "height": 800}
    with tab(opened(site, SESSION), viewport=size) as page:
        page.click("#spent-table summary")
        number = page.locator("#spent-table td.number").last
        box = number.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 375
        file = page.locator(".entry .file", has_text="page_7.py").first
        box = file.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 375
        assert file.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")


def test_a_session_is_compressed_and_taken_back_by_mouse(site: Pages, session: Path) -> None:
    before = session.read_bytes()
    with tab(opened(site, SESSION)) as page:
        page.click("a:text('Compress')")
        page.wait_for_selector("dialog[open] #compress")
        first = page.inner_text("dialog p:first-of-type")
        page.select_option("dialog select", "20")
        page.wait_for_function(
            "(was) => document.querySelector('dialog p').innerText !== was", arg=first
        )
        page.click("dialog button.main")
        page.wait_for_selector(".notice")
        assert page.locator(".entry.cut").count() > 10
        assert page.locator("a[data-dialog]").count() == 0
        (name,) = set(COPY.findall(page.inner_text("main")))
        assert (session.parent / f"{name}.jsonl").exists()

        page.click("button:text('Undo')")
        page.wait_for_selector(".notice:has-text('taken away')")
        assert page.locator(".entry.cut").count() == 0
        assert list(session.parent.glob("*.jsonl")) == [session]
    assert session.read_bytes() == before


def test_a_page_that_slides_under_the_mouse_moves_no_slider(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        slider, says = page.locator("[data-reads]"), page.locator(".reader a")
        last = says.inner_text()
        page.locator(".chart").scroll_into_view_if_needed()
        chart = page.locator(".chart").bounding_box()
        # What a browser tells of a mouse that rests where the picture comes to stand.
        page.mouse.move(chart["x"], chart["y"] - 20)
        page.evaluate(
            "([clientX, clientY]) => ['pointerover', 'pointermove'].forEach((name) =>"
            " document.querySelector('.chart a').dispatchEvent("
            " new PointerEvent(name, {bubbles: true, clientX, clientY})))",
            [chart["x"], chart["y"] - 20],
        )
        assert (says.inner_text(), slider.input_value()) == (last, slider.get_attribute("max"))

        chart = page.locator(".chart").bounding_box()
        page.mouse.move(chart["x"] + chart["width"] / 4, chart["y"] + 60)
        page.mouse.move(chart["x"] + chart["width"] / 5, chart["y"] + 60)
        chosen = says.inner_text()
        assert chosen != last
        # Somebody goes on: what was chosen is still what the slider says.
        page.evaluate("document.dispatchEvent(new Event('page:swapped'))")
        assert says.inner_text() == chosen
        assert slider.get_attribute("aria-valuetext") == chosen


def test_an_undo_that_is_refused_is_told_where_it_was_pressed(site: Pages, session: Path) -> None:
    with tab(opened(site, SESSION), expected="409") as page:
        page.click("a:text('Compress')")
        page.click("dialog[open] button.main")
        page.wait_for_selector(".notice")
        (name,) = set(COPY.findall(page.inner_text("main")))
        page.route("**/events*", lambda route: route.abort())
        copy = session.parent / f"{name}.jsonl"
        copy.write_text(copy.read_text() + copy.read_text().splitlines()[-1] + "\n")
        page.click("button:text('Undo')")
        page.wait_for_selector("#trouble :text('Somebody went on in the shorter copy')")
        assert page.url.endswith(SESSION)
        page.wait_for_selector(":text('Somebody went on in it, so it stays.')")
        assert page.locator("button:text('Undo')").count() == 0


def test_a_session_is_compressed_by_keys_alone(site: Pages, session: Path) -> None:
    with tab(opened(site, "conversations")) as page:
        page.wait_for_selector("html.scripted")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{SESSION}")
        page.wait_for_selector("html.scripted")
        page.keyboard.press("c")
        page.wait_for_selector("dialog[open] #compress")
        page.keyboard.press("Escape")
        assert page.locator("dialog[open]").count() == 0
        page.keyboard.press("c")
        page.wait_for_selector("dialog[open] #compress")
        for _ in range(20):
            page.keyboard.press("Tab")
            if "Compress" in page.evaluate("document.activeElement.innerText || ''"):
                break
        page.keyboard.press("Enter")
        page.wait_for_selector(".notice:has-text('A copy with')")
        for _ in range(5):
            page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('main') !== null")


def test_everything_can_be_done_without_scripts(site: Pages, session: Path) -> None:
    with tab(opened(site, "conversations"), java_script_enabled=False) as page:
        page.fill("[name=q]", "page_3.py")
        page.click("button:text('Search')")
        page.click("#lines a.row")
        assert page.url.endswith("#hit")
        assert page.text_content("mark#hit") == "page_3.py"
        page.locator(".entry a", has_text="page_4.py").click()
        assert "/messages/" in page.url
        page.go_back()
        page.click("a:text('Compress')")
        assert page.url.endswith("/compress")
        page.select_option("[name=keep]", "30")
        page.click("button:text('Preview')")
        assert "keep=30" in page.url
        page.click("button.main")
        assert "A copy with" in page.inner_text(".notice")
        page.click("button:text('Undo')")
        assert "as it was" in page.inner_text(".notice")
    assert list(session.parent.glob("*.jsonl")) == [session]


WATCH = """() => {
  window.parts = [];
  const look = () => {
    const shown = document.querySelector("main > [data-progress] progress[value]");
    if (shown && shown.value !== window.parts.at(-1)) window.parts.push(shown.value);
  };
  new MutationObserver(look).observe(document.body, {subtree: true, attributes: true, childList: true});
}"""
"""Keeps what the bar of a page said."""


def test_two_windows_see_the_same_copy(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        other = page.context.new_page()
        other.goto(f"{site.base}/reading/{SESSION}")
        for each in (page, other):
            each.wait_for_selector("html.scripted")
            each.evaluate(WATCH)
        page.click("a:text('Compress')")
        page.click("dialog button.main")
        other.wait_for_selector(".entry.cut", timeout=15_000)
        page.wait_for_selector(".notice:has-text('A copy with')")
        for each in (page, other):
            each.wait_for_function("() => window.parts.at(-1) === 100")
            parts = each.evaluate("() => window.parts")
            assert len(set(parts)) > 4 and parts == sorted(parts)
            assert each.locator("[data-progress]:visible, dialog[open]").count() == 0


def test_twenty_thousand_messages_load_and_scroll(
    site: Pages, root: Path, session: Path, figure: Any
) -> None:
    lines = Claude(root).user("Begin.")
    for number in range(10_000):
        lines.called(
            f"c{number}", "Read", f"line {number} " * 40, file_path=f"src/{number % 50}.py"
        )
    lines.write()
    with tab(opened(site, "now")) as page:
        page.goto(f"{site.base}/reading/{SESSION}")
        load, nodes = page.evaluate(
            "() => [performance.getEntriesByType('navigation')[0].duration,"
            " document.querySelectorAll('.entry').length]"
        )
        frame = page.evaluate(
            "() => new Promise((done) => { const times = []; let last = performance.now();"
            " const step = () => { const now = performance.now(); times.push(now - last); last = now;"
            " scrollBy(0, 1500); if (times.length < 60) requestAnimationFrame(step);"
            " else done(times.sort((a, b) => a - b)[30]); }; requestAnimationFrame(step); })"
        )
    figure("20,000 messages", f"{load:,.0f} ms to load, {frame:.0f} ms a frame")
    assert nodes == 10_001
    # A page that lays out all of it takes a second a frame on any machine.
    assert frame < 300


WORK = (
    ("Read", "routes", 9), ("Read", "list_page", 14), ("Bash", "pytest -q tests", 5), ("Edit", "list_page", 3),
    ("Read", "add_form", 11), ("Grep", "saved_by", 6), ("Bash", "git diff", 12), ("Edit", "savers", 4),
    ("Task", "Look at how friends are kept.", 8), ("Read", "server", 7), ("Bash", "pytest -q tests", 16),
)  # fmt: skip
"""What is done again and again, and how many hundred tokens come back."""


def work_on_the_example(root: Path) -> None:
    """A day of somebody's work, with a compaction in the middle."""
    day = Claude(root).user("Give each friend a page with the links that they saved.")
    tokens = 19_000
    for number in range(240):
        tool, what, hundreds = WORK[number * 7 % len(WORK)]
        given = {"command": what, "file_path": f"{root}/reading_list/{what}.py", "prompt": what}
        kept = {"Bash": "command", "Read": "file_path", "Edit": "file_path", "Task": "prompt"}
        name = kept.get(tool, "pattern")
        call = {"type": "tool_use", "id": f"t{number}", "name": tool}
        day.answer({**call, "input": {name: given.get(name, what)}}, tokens=tokens)
        text = "links\n" * (hundreds * 67 + number % 90)
        day.user([{"type": "tool_result", "tool_use_id": f"t{number}", "content": text}])
        tokens += len(text) // 4 + 60
        day.said("Next I look at how the page names whoever saved a link. " * 4, tokens=tokens)
        if number % 31 == 30:
            day.user("Show the newest link first, and say it when there is none. " * 9)
        if tokens > 168_000:
            day.compacted("The pages of friends are there; the order of their links is open.")
            tokens = 24_000
    path = day.said("Each friend has a page now.", tokens=tokens).write()
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    path.write_text(path.read_text().replace(TIME[:10], today))


def test_the_picture_of_the_documents_shows_a_conversation(example: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(example, tmp_path / "reading"))
    work_on_the_example(root)
    folder = tmp_path
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        folder = ROOT / "docs" / "pictures"
    picture = folder / "ui-conversation.png"
    with pages(root) as site:
        size = {"width": 1200, "height": 760}
        with tab(opened(site, SESSION), viewport=size) as page:
            assert "Where the tokens went" in page.inner_text("main")
            page.screenshot(path=picture, animations="disabled")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_request_that_fails_is_told_of_above_what_is_shown(site: Pages) -> None:
    with tab(opened(site, SESSION), expected="Failed to load resource") as page:
        page.click("a[data-dialog]")
        page.wait_for_selector("dialog[open] select")
        page.route(
            "**/compress*", lambda route: route.fulfill(status=500, json={"error": "It broke."})
        )
        page.select_option("dialog[open] select", "30")
        page.wait_for_selector("#trouble p")
        assert "It broke." in page.inner_text("#trouble")
        assert page.locator("dialog[open]").count() == 0


def test_what_is_pressed_is_large_enough_and_what_is_not_has_no_ring(site: Pages) -> None:
    with tab(opened(site, SESSION)) as page:
        heights = page.locator(".switch.small a").evaluate_all(
            "(links) => links.map((link) => link.getBoundingClientRect().height)"
        )
        assert heights and min(heights) >= 24
        page.wait_for_selector("html.scripted")
        page.keyboard.press("e")
        page.wait_for_function("document.activeElement.id === 'end'")
        style = "getComputedStyle(document.getElementById('end')).outlineStyle"
        assert page.evaluate(style) == "none"
