"""`dctx ui` in a real browser: by mouse, by keyboard alone, without JavaScript, and live."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import needs_chromium, needs_playwright
from conftest import ROOT
from pages import Pages, pages, tab

from director_ctx import assemble, load_project
from director_ctx.memory.plans.plan import plan_history
from director_ctx.memory.plans.set_task import set_task

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]


@pytest.fixture
def root(example: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example, tmp_path / "reading"))


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def opened(site: Pages, address: str) -> str:
    return f"{site.base}/reading/{address}{'&' if '?' in address else '?'}token={site.token}"


def box(page: Any, ref: str) -> Any:
    return page.locator(f'.to-do [data-key="{ref}"] > button')


def test_a_click_on_a_box_finishes_a_task(site: Pages, root: Path) -> None:
    with tab(opened(site, "plan")) as page:
        page.fill("[name=reason]", "Ada tried it")
        box(page, "2/1/3").click()
        page.wait_for_selector(".notice")
        said = "2/1/3 is done, because: Ada tried it (version 4 of the plan)."
        assert said in page.inner_text(".notice")
        assert "completed" in page.get_attribute('.to-do [data-key="2/1/3"]', "class")
        assert page.input_value("#set [name=reason]") == ""
        assert page.url.endswith("/reading/plan")
        # What was said stays although the page is told of the change, too.
        page.wait_for_timeout(1_500)
        assert page.locator(".notice").count() == 1
    assert list(root.rglob("03-page-for-each-friend.done.md"))
    assert plan_history(load_project(root))[-1].reason == "Ada tried it"


def status_button(page: Any, ref: str, status: str) -> Any:
    return page.locator(f'.task[data-key="{ref}"] .moves .{status}')


@pytest.mark.parametrize("pause", [0, 60, 500, 1_200])
def test_a_second_click_on_the_same_spot_changes_nothing_more(
    site: Pages, root: Path, pause: int
) -> None:
    with tab(opened(site, "plan")) as page:
        page.hover('.task[data-key="2/1/3"]')
        spot = status_button(page, "2/1/3", "failed").bounding_box()
        where = (spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        if pause:
            page.mouse.click(*where)
            page.wait_for_timeout(pause)
            page.mouse.click(*where)
        else:
            page.mouse.dblclick(*where)
        page.wait_for_selector('.to-do .failed[data-key="2/1/3"]')
        page.wait_for_timeout(400)
        assert status_button(page, "2/1/3", "failed").get_attribute("aria-pressed") == "true"
        assert page.locator("#trouble p").count() == 0
    assert len(plan_history(load_project(root))) == 4
    assert list(root.rglob("03-page-for-each-friend.md"))


@pytest.mark.parametrize("pause", [150, 400, 900])
def test_a_card_that_slides_under_the_mouse_is_not_what_was_meant(
    site: Pages, root: Path, pause: int
) -> None:
    with tab(opened(site, "plan?as=board")) as page:
        spot = status_button(page, "2/1/3", "in_progress").bounding_box()
        where = (spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        page.mouse.click(*where)
        page.wait_for_timeout(pause)
        page.mouse.click(*where)
        page.wait_for_selector('.column.in_progress [data-key="2/1/3"]')
        page.wait_for_timeout(400)
        assert page.locator(".column.in_progress .task").count() == 1
        # Who moves the mouse means what is there.
        status_button(page, "2/1/4", "in_progress").click(position={"x": 3, "y": 3})
        page.wait_for_selector('.column.in_progress [data-key="2/1/4"]')
    assert len(plan_history(load_project(root))) == 5


def test_every_status_has_its_key_on_a_task_that_is_done(site: Pages) -> None:
    with tab(opened(site, "plan")) as page:
        page.focus('[data-key="2/1/2"] [data-item]')
        page.keyboard.press("3")
        page.wait_for_timeout(200)
        assert page.locator(".notice").count() == 0
        for key, status in (("4", "failed"), ("2", "in_progress"), ("1", "pending")):
            page.keyboard.press(key)
            page.wait_for_selector(f'.to-do .{status}[data-key="2/1/2"]')


@pytest.mark.parametrize("scripts", [True, False])
def test_enter_in_a_field_changes_nothing(site: Pages, root: Path, scripts: bool) -> None:
    before = plan_history(load_project(root))
    with tab(opened(site, "plan"), java_script_enabled=scripts) as page:
        page.fill("[name=reason]", "Only typed")
        page.press("[name=reason]", "Enter")
        if scripts:
            page.fill("[type=search]", "friend")
            page.press("[type=search]", "Enter")
        page.goto(f"{site.base}/reading/tasks/2/1/3")
        page.fill("[name=reason]", "Only typed")
        page.press("[name=reason]", "Enter")
        page.wait_for_timeout(300)
        assert page.locator(".notice, #trouble p").count() == 0
    assert plan_history(load_project(root)) == before
    assert list(root.rglob("03-page-for-each-friend.md"))


def test_a_click_is_taken_back_by_another(site: Pages, root: Path) -> None:
    with tab(opened(site, "plan")) as page:
        box(page, "2/1/3").click()
        page.click(".notice button:text('Undo')")
        page.wait_for_selector('.to-do .pending[data-key="2/1/3"]')
        page.click(".notice [aria-label=Close]")
        assert page.locator(".notice").count() == 0
    assert list(root.rglob("03-page-for-each-friend.md"))


def test_a_task_shows_what_became_of_it(site: Pages, root: Path) -> None:
    set_task(load_project(root), "2/1/3", "in_progress", reason="Ada is at it")
    with tab(opened(site, "tasks/2/1/3")) as page:
        assert page.inner_text(".switch [aria-current]") == "In progress"
        page.click("#history summary")
        page.wait_for_selector("#history :text('Ada is at it')")
        page.keyboard.press("3")
        page.wait_for_selector(".switch [aria-current]:text('Done')")


def test_a_card_is_dragged_to_another_column(site: Pages) -> None:
    with tab(opened(site, "plan?as=board")) as page:
        card = page.locator('.column.pending [data-key="2/1/3"]')
        card.drag_to(page.locator(".column.in_progress h2"))
        page.wait_for_selector('.column.in_progress [data-key="2/1/3"]')
        assert page.locator('.column.pending [data-key="2/1/3"]').count() == 0


def test_keys_alone_lead_to_a_task_and_change_it(site: Pages, root: Path) -> None:
    with tab(opened(site, "now")) as page:
        page.keyboard.press("g")
        page.keyboard.press("p")
        page.wait_for_url("**/plan")
        page.wait_for_selector("html.scripted")
        for _ in range(3):
            page.keyboard.press("j")
        assert page.evaluate("document.activeElement.textContent") == "A page for each friend"
        page.keyboard.press("2")
        page.wait_for_selector('.to-do .in_progress[data-key="2/1/3"]')
        assert page.evaluate("document.activeElement.textContent") == "A page for each friend"
        page.keyboard.press("x")
        page.wait_for_selector('.to-do .completed[data-key="2/1/3"]')
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks/2/1/3")
    reasons = [version.reason for version in plan_history(load_project(root))]
    assert reasons[-2:] == ["Task 2/1/3: in_progress", "Task 2/1/3: completed"]


def test_help_and_the_list_of_places_open_by_key(site: Pages) -> None:
    with tab(opened(site, "plan")) as page:
        page.keyboard.press("?")
        assert "next and previous entry" in page.inner_text("#keys")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("spreadsheet")
        page.wait_for_selector("#palette li:only-child")
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks/2/2/2")


def test_search_leaves_what_has_the_words(site: Pages) -> None:
    with tab(opened(site, "plan")) as page:
        page.keyboard.press("/")
        page.keyboard.type("friend")
        shown = page.locator(".to-do .task:visible").all_inner_texts()
        assert len(shown) == 2
        assert all("friend" in text for text in shown)
        # Where everything is done and folded, too; and what has none is not there.
        page.fill("[type=search]", "form to add")
        assert page.locator(".to-do .task:visible").count() == 1
        assert page.locator(".phases:visible, .phase:visible").count() == 2
        page.fill("[type=search]", "zzz")
        assert page.locator("[data-nothing-left]:visible").count() == 1
        page.fill("[type=search]", "")
        assert page.locator("[data-nothing-left]:visible").count() == 0
        assert page.locator("details.folded[open]").count() == 0


def test_words_that_no_place_has_are_searched_in_what_was_said(site: Pages) -> None:
    with tab(opened(site, "now")) as page:
        page.keyboard.press("Control+k")
        page.keyboard.type("rollback")
        page.wait_for_selector("#palette li:has-text('Search conversations')")
        page.keyboard.press("Enter")
        page.wait_for_url("**/conversations?q=rollback")


def test_everything_can_be_done_without_scripts(site: Pages, root: Path) -> None:
    with tab(opened(site, "plan"), java_script_enabled=False) as page:
        page.fill("[name=reason]", "By hand")
        box(page, "2/1/3").click()
        assert "2/1/3 is done" in page.inner_text(".notice")
        page.click("a:text('History')")
        page.click(".timeline a")
        assert "To do → Done" in page.inner_text(".diff")
        page.goto(f"{site.base}/reading/tasks/2/1/4?tokens=6000")
        page.select_option("[name=agent]", "verifier")
        page.click("button:text('Show')")
        assert "agent=verifier" in page.url
    assert list(root.rglob("03-page-for-each-friend.done.md"))


def test_what_one_window_does_the_other_shows_and_nothing_typed_is_lost(
    site: Pages, root: Path
) -> None:
    with tab(opened(site, "plan")) as page:
        other = page.context.new_page()
        other.goto(f"{site.base}/reading/plan")
        other.fill("[name=reason]", "half a sen")
        box(page, "2/1/3").click()
        other.wait_for_selector('.to-do .completed[data-key="2/1/3"]')
        assert other.input_value("[name=reason]") == "half a sen"

        other.goto(f"{site.base}/reading/tasks/2/1/4")
        other.click("#section-task summary")
        file = next(root.rglob("04-count-unread-per-friend.md"))
        file.write_text(file.read_text() + "\nA line that came later.\n")
        other.wait_for_selector("#document :text('A line that came later.')")
        assert other.get_attribute("#section-task", "open") is not None
        assert "came later" in other.inner_text("#section-task pre")


def test_a_click_on_what_has_changed_is_refused_in_words(site: Pages, root: Path) -> None:
    # A browser itself says which requests went wrong.
    with tab(opened(site, "plan"), expected="Failed to load resource") as page:
        # Nobody tells this page that something changed.
        page.route("**/events", lambda route: route.abort())
        page.reload()
        set_task(load_project(root), "2/1/3", "failed", reason="It broke")
        box(page, "2/1/3").click()
        page.wait_for_selector("#trouble p")
        assert "stands at “Failed” by now, no longer at “To do”" in page.inner_text("#trouble")
        page.wait_for_selector('.to-do .failed[data-key="2/1/3"]')
        assert page.locator(".notice").count() == 0


def test_a_slider_shows_what_goes_at_that_window(site: Pages) -> None:
    with tab(opened(site, "tasks/2/1/3")) as page:
        assert "Nothing is cut" in page.inner_text("#budget")
        page.evaluate(
            "() => { const slider = document.querySelector('[type=range]'); slider.value = 12;"
            " slider.dispatchEvent(new Event('input', {bubbles: true})); }"
        )
        page.wait_for_selector(".sections .gone")
        assert page.locator(".rungs .taken").count() > 0
        assert "tokens=6900" in page.url

        page.fill("[name=tokens]", "1000000")
        page.wait_for_url("**tokens=1000000**")
        page.wait_for_function("document.querySelector('[type=range]').value === '60'")


def test_a_page_goes_on_when_its_server_comes_back(root: Path) -> None:
    first = Pages(root)
    with tab(opened(first, "plan"), expected="ERR_") as page:
        first.process.kill()
        first.process.communicate()
        page.wait_for_selector("#live:text('Not connected')")
        set_task(load_project(root), "2/1/3", "in_progress")
        page.keyboard.press("Control+k")
        page.wait_for_selector("#trouble code:text('dctx ui')")
        with pages(root, port=first.port):
            page.wait_for_selector('.to-do .in_progress[data-key="2/1/3"]', timeout=15_000)
            assert page.inner_text("#live") == ""
            assert page.locator("#trouble p").count() == 0


def test_a_long_title_leaves_room_for_the_others(site: Pages, root: Path) -> None:
    file = next(root.rglob("03-page-for-each-friend.md"))
    _, _, rest = file.read_text().partition("\n")
    file.write_text(f"# {'Long words ' * 450}\n{rest}")
    lengths = {"now": 1_400, "plan": 1_400, "plan?as=board": 2_200, "project": 1_800}
    for width in (1440, 375):
        with tab(opened(site, "now"), viewport={"width": width, "height": 900}) as page:
            for address, length in lengths.items():
                page.goto(f"{site.base}/reading/{address}")
                height = page.evaluate("document.documentElement.scrollHeight")
                assert height < length * (1 if width > 400 else 2.5), (address, width)
            page.keyboard.press("Control+k")
            page.wait_for_selector("#palette li")
            heights = "[...document.querySelectorAll('#palette li')].map((row) => row.offsetHeight)"
            assert max(page.evaluate(heights)) < 80


def test_a_fold_is_filled_when_it_is_opened_and_stays_filled(site: Pages, root: Path) -> None:
    with tab(opened(site, "plan")) as page:
        page.evaluate(
            "() => { const fold = document.createElement('details');"
            " fold.id = 'fold'; fold.dataset.from = '/reading/plan/versions/2';"
            " fold.append(document.createElement('summary'));"
            " document.body.append(fold); }"
        )
        assert page.locator("#fold h1").count() == 0
        page.click("#fold summary")
        page.wait_for_selector("#fold .fetched h1:text('Version 2')")


@pytest.mark.parametrize(
    ("name", "address", "shows"),
    [
        ("now", "now", "Told to agents"),
        ("board", "plan?as=board", "In progress"),
        ("task", "tasks/2/1/3?tokens=7700", "What an agent would be told"),
    ],
)
def test_the_pictures_of_the_documents_show_the_example(
    site: Pages, root: Path, tmp_path: Path, name: str, address: str, shows: str
) -> None:
    project = load_project(root)
    set_task(project, "2/1/3", "in_progress", reason="An agent began it")
    for agent in ("planner", "builder", "verifier"):
        assemble(project, agent, record=True)
    folder = tmp_path
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        folder = ROOT / "docs" / "pictures"
    picture = folder / f"ui-{name}.png"
    with tab(opened(site, address), viewport={"width": 1200, "height": 700}) as page:
        assert shows in page.inner_text("main")
        page.screenshot(path=picture, animations="disabled")
    assert picture.read_bytes().startswith(b"\x89PNG")
