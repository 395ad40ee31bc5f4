"""`dctx ui`: what its pages say and change, as plain requests see it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import client_sessions
import pytest
from conftest import ROOT, plan, process, task, write
from pages import COMMAND, Pages, pages
from support.claims import started

from director_ctx import load_project
from director_ctx.doors.ui.serving.application import changed_since
from director_ctx.memory.plans.plan import plan_history
from director_ctx.memory.plans.set_task import set_task

ASSETS = ROOT / "director_ctx/doors/ui/assets"
FILES = {
    "VISION.md": "# Vision\n\n## Project Name\n\nA list of links\n\n## What It Does\n\nKeeps links.\n",
    **plan({"01-one.md": task("One"), "02-two.md": task("Two"), "03-three.done.md": task("Three")}),
}
EVERY_PAGE = (
    "now",
    "plan",
    "plan?as=board",
    "plan/history",
    "project",
    "goals/1",
    "goals/1/1",
    "tasks/1/1/1",
    "told",
    "budget",
    "variables",
    "health",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def test_the_address_leads_to_where_the_project_stands(site: Pages) -> None:
    first = site.ask(f"/?token={site.token}", Authorization=None)
    cookie = first.headers["set-cookie"]
    assert (first.status, first.headers["location"]) == (303, "/")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.casefold()
    home = site.ask("/", Authorization=None, Cookie=cookie.partition(";")[0])
    assert home.headers["location"] == "/links/now"
    page = site.ask("/links/now")
    assert "A list of links" in page.text
    assert '<a href="/links/tasks/1/1/1" data-item>One</a>' in page.text


def test_every_page_has_a_twin_for_programs(site: Pages) -> None:
    for address in EVERY_PAGE:
        page = site.ask(f"/links/{address}")
        where, mark, asked = address.partition("?")
        twin = site.ask(f"/links/{where}.json{mark}{asked}")
        assert (page.status, twin.status) == (200, 200), address
        assert page.headers["content-type"].startswith("text/html"), address
        assert isinstance(twin.json, dict), address


def test_a_click_finishes_a_task_as_a_new_version_and_renames_its_file(
    site: Pages, root: Path
) -> None:
    form = {"change": "1/1/1 pending completed", "version": "0", "reason": "It works"}
    answer = site.send("/links/plan/set", form)
    assert answer.status == 303
    said = "1/1/1 is done, because: It works (version 1 of the plan)."
    assert said in site.ask(answer.headers["location"]).text
    assert said not in site.ask(answer.headers["location"]).text
    assert list(root.rglob("01-one.done.md"))
    assert [version.reason for version in plan_history(load_project(root))] == ["It works"]


def test_a_click_on_what_was_is_refused_and_told_what_happened_since(
    site: Pages, root: Path
) -> None:
    project = load_project(root)
    set_task(project, "1/1/1", "in_progress", reason="An agent began")
    late = site.send("/links/plan/set", {"change": "1/1/1 pending completed", "version": "0"})
    assert late.status == 409
    assert "stands at “In progress” by now, no longer at “To do”" in late.text
    # Who presses twice means one.
    twice = site.send("/links/plan/set", {"change": "1/1/1 pending in_progress", "version": "0"})
    assert "1/1/1 is in progress already." in site.ask(twice.headers["location"]).text

    set_task(project, "1/1/1", "failed")
    other = site.send("/links/plan/set", {"change": "1/1/2 pending completed", "version": "1"})
    assert other.status == 409
    assert "Somebody changed the plan meanwhile (version 2)" in other.text
    assert "1/1/1 One: In progress → Failed" in other.text
    assert "in_progress" not in other.text.partition("<main")[2]
    assert '<a href="/links/plan">Back</a>' in other.text
    script = {"change": "1/1/2 pending completed", "version": "1"}
    asked = site.send("/links/plan/set", script, Accept="application/json")
    assert "version 2" in asked.json["error"]
    assert len(plan_history(load_project(root))) == 2


def test_what_a_click_did_is_taken_back_by_the_next_one_until_somebody_else_changes_the_plan(
    site: Pages, root: Path
) -> None:
    form = {"change": "1/1/1 pending completed", "version": "0", "then": "task"}
    shown = site.ask(site.send("/links/plan/set", form).headers["location"]).text
    undo = hidden_fields(shown.partition('class="notice"')[2].partition("</form>")[0])
    assert undo["then"] == "task"
    back = site.send("/links/plan/set", undo)
    assert back.headers["location"].startswith("/links/tasks/1/1/1")
    assert list(root.rglob("01-one.md"))
    reasons = [version.reason for version in plan_history(load_project(root))]
    assert reasons[-1] == "Taken back: version 1"

    again = site.send("/links/plan/set", undo)
    assert again.status == 409


def hidden_fields(html: str) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', html)
    return {name: unescape(value) for name, value in found if name != "form_token"}


def test_a_task_tells_which_versions_of_the_plan_changed_it_and_why(
    site: Pages, root: Path
) -> None:
    project = load_project(root)
    set_task(project, "1/1/1", "in_progress", reason="An agent began")
    set_task(project, "1/1/2", "in_progress", reason="Another one")
    set_task(project, "1/1/1", "failed", reason="It broke")
    assert "/links/plan/history?task=1%2F1%2F1" in site.ask("/links/tasks/1/1/1").text
    rows = site.ask("/links/plan/history.json?task=1/1/1").json["versions"]
    assert [row["reason"] for row in rows] == ["An agent began", "It broke"]
    rows = site.ask("/links/plan/history.json?task=1/1/2").json["versions"]
    assert [row["reason"] for row in rows] == ["Another one"]


def test_an_earlier_version_is_restored(site: Pages, root: Path) -> None:
    project = load_project(root)
    set_task(project, "1/1/1", "in_progress")
    set_task(project, "1/1/1", "failed", reason="It broke")
    page = site.ask("/links/plan/versions/2")
    assert "In progress → Failed" in page.text
    alone = site.ask("/links/plan/versions/2.json?from=2").json
    assert (alone["from"], alone["changes"]) == (2, [])
    assert site.ask("/links/plan/versions/2?from=9").status == 404
    done = site.send("/links/plan/restore", {"number": "1", "version": "2"})
    assert done.status == 303
    assert "Version 3 is a copy of version 1." in site.ask(done.headers["location"]).text
    assert [one.reason for one in plan_history(project)][-1] == "Back to version 1"


def test_every_page_with_tasks_says_who_has_taken_one(site: Pages, root: Path) -> None:
    addresses = ("now", "project", "goals/1/1", "plan", "plan?as=board", "tasks/1/1/1")
    for address in addresses:
        assert "builder-1" not in site.ask(f"/links/{address}").text
    started(root, "1/1/1", "builder-1 <b>")
    for address in addresses:
        page = site.ask(f"/links/{address}").text
        assert re.search(r"in progress since [\d:]+, builder-1 &lt;b&gt;", page)
        where, mark, asked = address.partition("?")
        assert "builder-1 <b>" in str(site.ask(f"/links/{where}.json{mark}{asked}").json)
    set_task(load_project(root), "1/1/1", "completed", reason="It works")
    for address in addresses:
        assert "in progress since" not in site.ask(f"/links/{address}").text


def test_a_smaller_window_shows_what_is_cut_and_why(example: Path) -> None:
    with pages(example) as site:
        home = site.ask("/").headers["location"].removesuffix("now")
        whole = site.ask(f"{home}tasks/2/1/3.json?agent=builder&tokens=1000000").json
        small = site.ask(f"{home}tasks/2/1/3.json?agent=builder&tokens=7000").json
        page = site.ask(f"{home}tasks/2/1/3?agent=builder&tokens=7000").text
    assert whole["context"]["reductions"] == []
    assert {cut["rung"] for cut in small["context"]["reductions"]} <= {
        rung["rung"] for rung in small["rungs"]
    }
    needed = [rung["below_window"] for rung in small["rungs"]]
    assert needed == sorted(needed, reverse=True)
    assert "left out" in page


def test_a_change_of_a_file_is_told_within_a_second(site: Pages, root: Path) -> None:
    with site.events("/links/events") as events:
        first = next(events)
        (root / ".director/IDEAS.md").write_text("# Ideas\n\n- A footer\n")
        before = time.monotonic()
        second = next(events)
    assert (first[0], second[0]) == ("changed", "changed")
    assert first[1] != second[1]
    # A machine may be busy; the time between two looks is half a second.
    assert time.monotonic() - before < 5


def test_reading_a_page_changes_nothing_that_is_watched(site: Pages, root: Path) -> None:
    set_task(load_project(root), "1/1/1", "in_progress")
    for address in EVERY_PAGE:
        site.ask(f"/links/{address}")
    marks = {mark_of(site.ask(f"/links/{address}").text) for address in EVERY_PAGE}
    assert len(marks) == 1


def mark_of(text: str) -> str:
    return text.partition('data-mark="')[2].partition('"')[0]


def test_the_page_is_about_one_project(tmp_path: Path) -> None:
    one = write(tmp_path / "one", FILES)
    with pages(one) as site:
        assert site.ask("/one/plan").status == 200
        assert site.ask("/two/plan").status == 404
    above = process("ui", "--no-open", cwd=tmp_path)
    assert (above.code, above.out) == (1, "")
    assert "There is no .director/ folder here or above." in above.err


def test_what_is_not_there_says_so(site: Pages) -> None:
    assert site.ask("/links/tasks/9/9/9").status == 404
    assert site.ask("/links/plan/versions/7").status == 404
    assert site.ask("/links/nothing").status == 404
    assert "hint" in site.ask("/links/tasks/9/9/9.json").json


def test_a_project_without_a_plan_says_how_to_get_one(tmp_path: Path) -> None:
    with pages(write(tmp_path / "new", {"VISION.md": "# Vision\n"})) as site:
        for address in ("now", "plan", "project"):
            assert "dctx assemble planner" in site.ask(f"/new/{address}").text


def test_it_ends_with_ctrl_c_although_a_page_is_open(root: Path) -> None:
    site = Pages(root)
    with site.events("/links/events") as events:
        next(events)
        assert site.end(signal.SIGINT)[0] == 0


def test_the_next_server_knows_the_pages_of_the_one_before(root: Path) -> None:
    with pages(root) as first:
        token = first.token
    with pages(root, port=first.port) as second:
        assert (second.token, second.port) == (token, first.port)


def test_a_port_that_is_taken_is_a_sentence(site: Pages, root: Path) -> None:
    words = [*COMMAND, "--port", str(site.port)]
    other = subprocess.run(words, cwd=root, capture_output=True, timeout=20, check=False)
    assert other.returncode == 1
    assert f"Port {site.port} is not available" in other.stderr.decode()


def test_a_hundred_open_pages_are_all_told_the_last_of_many_changes(
    site: Pages, root: Path
) -> None:
    with ExitStack() as stack:
        streams = [stack.enter_context(site.events("/links/events")) for _ in range(100)]
        for stream in streams:
            next(stream)
        for number in range(30):
            (root / ".director/IDEAS.md").write_text(f"# Ideas\n\n- Number {number}\n")
            time.sleep(0.02)
        last = mark_of(site.ask("/links/now").text)
        for stream in streams:
            assert any(told == ("changed", last) for told in stream)


def test_the_longest_conversation_of_today_is_shown_with_its_level(
    site: Pages, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:")
    monkeypatch.setattr(client_sessions, "TIME", today + "{:02}.000Z")
    talk = client_sessions.Claude(root).user("Build the list")
    text = {"type": "text", "text": "Done."}
    talk.answer(text, tokens=170_000).write()
    shown = site.ask("/links/now.json").json["conversation"]
    assert (shown["client"], shown["state"], shown["title"]) == (
        "claude",
        "warning",
        "Build the list",
    )
    assert "of 180,000 tokens" in site.ask("/links/now").text

    with site.events("/links/events?talk=1") as events:
        assert [next(events)[0], next(events)[0]] == ["changed", "talked"]
        talk.answer(text, tokens=181_000).write()
        assert next(events)[0] == "talked"
    assert site.ask("/links/now.json").json["conversation"]["state"] == "full"


def test_conversations_of_other_projects_are_live_where_they_are_shown(
    site: Pages, root: Path, tmp_path: Path
) -> None:
    elsewhere = client_sessions.Claude(tmp_path / "elsewhere", client_sessions.TWO)
    elsewhere.user("Count the birds").write()
    address = f"/links/conversations/{elsewhere.session}"
    subjects = {}
    for page in ("/links/now", "/links/conversations?projects=all", address):
        hears = re.search(r'data-hears="([^"]*)"', site.ask(page).text)
        assert hears
        subjects[page] = hears[1]
    assert subjects["/links/now"] == "talk=1"

    with ExitStack() as stack:
        of_all, of_it, of_here = (
            stack.enter_context(site.events(f"/links/events?{subjects[page]}"))
            for page in ("/links/conversations?projects=all", address, "/links/now")
        )
        for events in (of_all, of_it, of_here):
            assert [next(events)[0], next(events)[0]] == ["changed", "talked"]
        elsewhere.user("And the trees").write()
        assert next(of_all)[0] == next(of_it)[0] == "talked"
        agent = elsewhere.folder / elsewhere.session / "subagents" / "agent-1.jsonl"
        agent.parent.mkdir(parents=True)
        agent.write_text("{}\n")
        assert next(of_it)[0] == "talked"
        # Who shows this project alone is told of its own changes.
        client_sessions.Claude(root).user("Here").write()
        assert next(of_here)[0] == "talked"


@pytest.mark.parametrize("script", sorted(ASSETS.glob("*.js")), ids=lambda path: path.name)
def test_a_script_declares_each_name_once_and_imports_what_is_there(script: Path) -> None:
    declared = names_in(script)
    assert len(declared) == len(set(declared))
    for words, other in re.findall(r"import {(.+?)} from \"\./(\w+\.js)\"", script.read_text()):
        exported = re.findall(
            r"^export (?:async )?function (\w+)", (ASSETS / other).read_text(), re.M
        )
        assert {word.strip() for word in words.split(",")} <= set(exported)


def names_in(script: Path) -> list[str]:
    """Of functions and variables at the top, and of what is imported."""
    text = script.read_text()
    names = re.findall(r"^(?:export )?(?:async )?(?:function|const|let) (\w+)", text, re.MULTILINE)
    for words in re.findall(r"^import {(.+?)}", text, re.MULTILINE):
        names += [word.strip() for word in words.split(",")]
    return names


def test_a_link_to_what_was_cut_opens_it_in_room_for_everything(example: Path) -> None:
    with pages(example) as site:
        home = site.ask("/").headers["location"].removesuffix("now")
        cut = site.ask(f"{home}tasks/2/1/3?agent=builder&tokens=7000").text
        address = "agent=builder&amp;whole=1&amp;open=codebase#section-codebase"
        assert address in cut
        whole = site.ask(f"{home}tasks/2/1/3?agent=builder&whole=1&open=codebase").text
    assert "With room for everything:" in whole
    assert '<details id="section-codebase" open>' in whole
    assert whole.count('" open>') == 1
    assert "of the window of" not in whole
    assert "900,000,000" not in whole


def test_what_does_not_fit_says_how_much_it_needs(example: Path) -> None:
    with pages(example) as site:
        home = site.ask("/").headers["location"].removesuffix("now")
        address = f"{home}tasks/2/1/3"
        used = site.ask(f"{address}.json?tokens=1000").json["context"]["budget"]["used"]
        page = re.sub("<[^>]*>", "", site.ask(f"{address}?tokens=1000").text)
    assert f"at least {used:,} tokens are needed" in page
    assert "given it as it is, with a warning" in page


def test_a_task_says_why_it_was_begun_and_what_is_taken_back(site: Pages, root: Path) -> None:
    set_task(load_project(root), "1/1/2", "in_progress", reason="Another one")
    form = {"change": "1/1/1 pending in_progress", "version": "1", "reason": "Friends asked"}
    begun = site.ask(site.send("/links/plan/set", form).headers["location"]).text
    for address in ("tasks/1/1/1", "now"):
        assert "Friends asked" in site.ask(f"/links/{address}").text
    fields = dict(re.findall(r'name="(change|version|reason|taken_back)" value="([^"]*)"><', begun))
    undone = site.send("/links/plan/set", {**fields, "change": "1/1/1 in_progress pending"})
    page = site.ask(undone.headers["location"]).text
    assert "Version 2 taken back: 1/1/1 is to do again." in page


def test_the_history_speaks_as_the_buttons_do(site: Pages, root: Path) -> None:
    set_task(load_project(root), "1/1/1", "in_progress")
    set_task(load_project(root), "1/1/1", "failed")
    page = site.ask("/links/plan/history").text
    assert "1/1/1 One: In progress → Failed" in page
    assert "Task 1/1/1: Failed" in page
    assert "in_progress" not in page


def test_a_task_that_is_begun_and_next_stands_on_the_page_once(site: Pages, root: Path) -> None:
    set_task(load_project(root), "1/1/1", "in_progress")
    page = site.ask("/links/now").text
    assert ">In progress" in page
    assert page.count('href="/links/tasks/1/1/1"') == 1


def test_what_went_wrong_is_told_as_json_where_that_is_asked_for(site: Pages) -> None:
    lost = site.ask("/links/nowhere/at/all", Accept="text/html, application/json;q=0.9")
    assert (lost.status, lost.json["error"]) == (404, "There is no such page.")
    assert "<h1>" in site.ask("/links/nowhere/at/all", Accept="text/html").text


def test_a_server_whose_files_were_changed_is_known_by_them(tmp_path: Path) -> None:
    file = tmp_path / "pages" / "now.py"
    file.parent.mkdir()
    file.write_text("")
    written = file.stat().st_ctime
    assert changed_since(written - 1, str(tmp_path))
    assert not changed_since(written + 1, str(tmp_path))
    assert not changed_since(written + 1e9)


def test_a_task_stands_on_the_page_once_and_what_waits_is_said(site: Pages, root: Path) -> None:
    set_task(load_project(root), "1/1/2", "in_progress")
    main = site.ask("/links/now").text.partition("<main")[2]
    assert main.count('/tasks/1/1/2"') == 1
    shown = site.ask("/links/plan").text
    assert shown.count(">waits<") == 0

    set_task(load_project(root), "1/1/2", "pending")
    shown = site.ask("/links/plan").text
    assert 'title="Task 1 comes before it and is not done">waits<' in shown
    answer = site.send("/links/plan/set", {"change": "1/1/2 pending completed", "version": "2"})
    said = "It was waiting: task 1 comes before it and is not done."
    assert said in site.ask(answer.headers["location"]).text


def test_a_goal_is_named_once_above_its_steps(example: Path, tmp_path: Path) -> None:
    with pages(Path(shutil.copytree(example, tmp_path / "reading"))) as site:
        shown = site.ask("/reading/plan").text.partition("<main")[2]
        assert shown.count(">Goal 2: A list shared by friends<") == 1
        assert ">Step 1: Who saved what<" in shown
        assert '<a href="/reading/tasks/2/1/3">2/1/3</a>: A page for each friend' in shown


def test_a_page_that_changes_nothing_says_so(root: Path) -> None:
    with pages(root, "--read-only") as site:
        for address in ("plan", "tasks/1/1/1"):
            assert ">read only</span>" in site.ask(f"/links/{address}").text
        assert 'class="moves"' not in site.ask("/links/plan").text


def test_conversations_of_before_yesterday_are_a_link(site: Pages, root: Path) -> None:
    nobody = "Nobody talked to an agent here since yesterday."
    assert f"{nobody}</p>" in site.ask("/links/now").text
    client_sessions.Claude(root).user("Build the list").said("Done.", tokens=1_000).write()
    shown = site.ask("/links/now").text
    assert f'{nobody} <a href="/links/conversations">Earlier conversations</a>' in shown


def test_now_says_of_each_context_what_was_not_in_it_and_why_a_task_can_be_begun(
    example: Path, tmp_path: Path
) -> None:
    unread = shutil.ignore_patterns(".dctx")
    root = Path(shutil.copytree(example, tmp_path / "reading", ignore=unread))
    process("assemble", "builder", cwd=root)
    with pages(root) as site:
        shown = site.ask("/reading/now").text
        (context,) = site.ask("/reading/now.json").json["contexts"]
        assert context["not_chosen"] > 0
        assert f"Nothing cut; {context['not_chosen']} sources not chosen" in shown
        assert "Ready: everything before it is done. What it needs first" in shown
        assert 'data-copy="dctx assemble builder --task 2/1/3"' in shown


def test_what_turns_the_order_of_a_line_around_is_in_no_page(site: Pages, root: Path) -> None:
    turned = "It is \u202ertl\u202c, and \u2067so\u2069 on."
    talk = client_sessions.Claude(root).user(turned).said(turned, tokens=1_000)
    talk.write()
    write(root, plan({"01-one.md": task("One").replace("One", turned, 1)}))
    for address in (f"conversations/{talk.session}", "conversations", "tasks/1/1/1", "plan"):
        text = site.ask(f"/links/{address}").text
        assert "rtl" in text
        assert not set("\u202e\u202c\u2067\u2069") & set(text), address
    assert "--raw" not in site.ask("/links/tasks/1/1/1").text.partition("<main")[2]


def test_a_field_of_a_document_is_a_line_of_its_own_and_a_slider_has_a_scale(
    example: Path, tmp_path: Path
) -> None:
    with pages(Path(shutil.copytree(example, tmp_path / "reading"))) as site:
        page = site.ask("/reading/tasks/2/1/3").text
        assert "<strong>Estimate:</strong> medium<br" in page
        assert "Move it to another window" in page
        assert "Left of each mark, something is cut." in page
        assert re.search(r"</strong> of <span class=\"number\">60,000</span> tokens", page)
