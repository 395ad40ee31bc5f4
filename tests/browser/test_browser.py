"""Real pages in a real Chromium: looked into, and used."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, needs_chromium, needs_playwright, served, shared
from conftest import Result, write
from loading import loaded_by

from director_ctx import assemble, load_project
from director_ctx.browser.act import MORE
from director_ctx.browser.actions import perform
from director_ctx.browser.errors import PageTrouble
from director_ctx.browser.requests import Action
from director_ctx.browser.session import in_browser
from director_ctx.browser.state import browser_state, find_browser, open_tabs

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]
Run = Callable[..., Result]
KEY = "sk-ant-api03-" + "a1B2" * 12
SHOP = """<!doctype html><title>Shop</title><h1>Welcome</h1><h2>Sign in</h2>
<form><label>E-mail <input id="email" name="email" type="email" required></label>
<label>Password <input type="password" name="pw" value="hunter22"></label>
<input type="hidden" name="csrf" value="c5rf7oken">
<label><input type="checkbox" name="stay" checked> Stay</label>
<button type="button" id="next" onclick="out.textContent='clicked'; document.title='Next'">Next</button>
<button type="button" disabled>Later</button></form>
<select name="size"><option>Small<option selected>Large</select><a href="/two.html">Second page</a>
<a href="/reset?token=abcdef123456789">Reset</a><div role="button" aria-label="Open menu">=</div>
<div style="position:relative"><button id="covered">Under</button><div style="position:absolute;inset:0"></div></div>
<button hidden>Never seen</button><p id="out"></p><script>var out = document.getElementById('out');</script>
<style>p { color: red }</style><p>My key is KEY</p>""".replace("KEY", KEY)
PAGES = {
    "shop.html": SHOP,
    "two.html": "<!doctype html><title>Two</title><h1>Two</h1><a href='/shop.html' target='_blank'>Shop</a>",
    "slow.html": "<!doctype html><title>Slow</title><button onclick='for(;;);'>Hang</button>"
                 "<button onclick='alert(1)' id='ask'>Ask</button>",
    "ask.html": f"<!doctype html><title>Ask</title><button onclick='out.textContent = confirm(`Delete {KEY}?`)'>Ask"
                "</button><p id='out'></p><script>onbeforeunload = e => e.preventDefault()</script>",
}  # fmt: skip


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Chromium:
    return shared(request, tmp_path_factory)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("site"), PAGES) as url:
        yield url


@pytest.fixture
def run(
    browser: Chromium, site: str, tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """`dctx browser …` in a project, with one tab at the shop."""
    write(tmp_path, {})
    monkeypatch.setenv("DCTX_CDP", browser.url)
    browser.only(f"{site}/shop.html")
    browser.wait_for("Shop")

    def call(*words: str) -> Result:
        return dctx("browser", *words, cwd=tmp_path)

    return call


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what will not come however long it is waited for."""
    monkeypatch.setattr("director_ctx.browser.actions.SECONDS", 1.0)
    monkeypatch.setattr("director_ctx.browser.actions.GRACE", 1.0)
    monkeypatch.setattr("director_ctx.browser.session.SECONDS_TO_CONNECT", 1.0)


@pytest.fixture
def batch(run: Run, tmp_path: Path) -> Run:
    """`dctx browser act --batch` with some steps."""

    def call(steps: list[dict[str, str]], *more: str) -> Result:
        (tmp_path / "steps.json").write_text(json.dumps(steps))
        return run("act", "--batch", "steps.json", "--reason", "all", *more)

    return call


def logged(root: Path) -> list[tuple[str, str, dict[str, Any]]]:
    with sqlite3.connect(root / ".director" / ".dctx" / "store.db") as store:
        rows = store.execute(
            "SELECT role, content, metadata FROM conversations ORDER BY timestamp"
        ).fetchall()
    return [(role, content, json.loads(more)) for role, content, more in rows]


def test_the_tabs_are_shown_with_names_and_the_active_one(
    run: Run, browser: Chromium, site: str
) -> None:
    assert run("show").out == f"1 tab open:\n- Main Tab (Active) = {site}/shop.html\n"
    two = browser.open(f"{site}/two.html")
    browser.wait_for("Two")
    assert (
        run("show").out
        == f"2 tabs open:\n- Main Tab = {site}/shop.html\n- Two (Active) = {site}/two.html\n"
    )
    main = next(one["id"] for one in browser.pages() if one["id"] != two)
    browser.ask(f"/json/activate/{main}")
    assert (
        run("show").out
        == f"2 tabs open:\n- Main Tab (Active) = {site}/shop.html\n- Two = {site}/two.html\n"
    )
    assert [tab["active"] for tab in json.loads(run("show", "--json").out)["tabs"]] == [True, False]


def test_a_name_stays_when_the_page_changes_and_is_forgotten_with_the_tab(run: Run, browser: Chromium, site: str,
                                                                          tmp_path: Path) -> None:  # fmt: skip
    run("open", f"{site}/two.html", "--name", "Debug Tab", "-r", "compare")
    assert (
        run("open", f"{site}/shop.html", "--tab", "debug tab", "-r", "go").out.count(
            "- Debug Tab (Active)"
        )
        == 1
    )
    assert run("show", "Debug Tab", "--name", "Main Tab").out.count("Main Tab 2") == 1
    assert "- Main Tab 2 (Active) = " in browser_state(load_project(tmp_path), browser.url)
    assert (
        run("act", "close", "Main Tab 2", "-r", "done").out
        == f"1 tab open:\n- Main Tab (Active) = {site}/shop.html\n"
    )
    with sqlite3.connect(tmp_path / ".director" / ".dctx" / "store.db") as store:
        assert store.execute("SELECT name FROM dctx_tabs").fetchall() == [("Main Tab",)]


def test_inspect_shows_what_can_be_used_and_hides_what_is_secret(run: Run, site: str) -> None:
    done = run("inspect", "Main Tab")
    assert done.code == 0
    for line in (
        "Main Tab: Shop", f"{site}/shop.html", "# Welcome", "## Sign in", '- input email "E-mail" [required]: #email',
        '- input password "Password" = [hidden]: input[name="pw"]',
        '- input checkbox "Stay" [checked]: input[name="stay"]',
        '- button "Next": #next', '- select = Large: select[name="size"]',
        '- link "Second page" -> /two.html: a[href="/two.html"]', '- button "Open menu": div[aria-label="Open menu"]',
    ):  # fmt: skip
        assert line in done.out.splitlines(), done.out
    assert '- button "Later" [disabled]: ' in done.out
    for secret in ("hunter22", "c5rf7oken", KEY, "abcdef123456789", "Never seen"):
        assert secret not in done.out


def test_inspect_with_an_instruction_shows_what_it_is_about(run: Run) -> None:
    found = json.loads(
        run("inspect", "--instruction", "Which login fields are there?", "--json").out
    )
    assert {"E-mail", "Password"} <= {one["label"] for one in found["elements"]}
    assert "Second page" not in {one["label"] for one in found["elements"]}
    assert found["matched"] < found["total"]
    assert "None of the" in run("inspect", "--instruction", "zebra").out


@pytest.mark.parametrize("kind", ["--dom", "--accessibility"])
def test_a_whole_page_has_no_script_style_or_secret_and_keeps_its_limit(
    kind: str, run: Run
) -> None:
    done = run("inspect", kind)
    assert "Second page" in done.out
    for hidden in ("hunter22", "c5rf7oken", KEY, "getElementById", "color: red", "abcdef123456789"):
        assert hidden not in done.out
    small = run("inspect", kind, "--limit", "20")
    assert 0 < len(small.out) <= 80
    assert "longer than 20 tokens" in small.err


def test_clicking_typing_waiting_and_going_change_the_page(
    run: Run, batch: Run, browser: Chromium, site: str, tmp_path: Path
) -> None:
    steps = [
        {"action": "type", "selector": "#email", "text": "me@example.org"},
        {"action": "type", "selector": "select", "text": "Small"},
        {"action": "click", "selector": "#next"},
        {"action": "wait", "selector": "text=clicked"},
        {"action": "wait", "selector": "0.01"},
    ]
    assert batch(steps).code == 0
    assert browser.pages()[0]["title"] == "Next"
    seen = run("inspect").out
    assert '"E-mail" = me@example.org' in seen and "- select = Small" in seen
    done = run("act", "click", "#next", "--reason", "Test if the selector works")
    assert done.out == f"1 tab open:\n- Main Tab (Active) = {site}/shop.html\n"
    assert f"= {site}/two.html" in run("act", "click", 'a[href="/two.html"]', "-r", "go").out


def test_a_tab_that_a_click_opens_gets_a_name(run: Run, site: str) -> None:
    run("open", f"{site}/two.html", "--tab", "Main Tab", "-r", "x")
    assert run("act", "click", "text=Shop", "-r", "x").code == 0
    run("act", "wait", "#next", "--tab", "Shop", "-r", "x")
    assert (
        run("show").out
        == f"2 tabs open:\n- Main Tab = {site}/two.html\n- Shop (Active) = {site}/shop.html\n"
    )


@pytest.mark.usefixtures("impatient")
def test_each_action_is_written_into_the_conversation_and_nowhere_else(
    run: Run, tmp_path: Path, site: str
) -> None:
    run("act", "click", "#next", "--reason", "Test if the selector works")
    run("open", f"{site}/two.html?token=abcdef123456789", "--tab", "Main Tab", "-r", "Look")
    run("open", f"{site}/two.html", "--name", "Debug Tab", "-r", "Compare")
    run("act", "close", "Debug Tab", "-r", "Done")
    run("inspect", "-r", "What is there?")
    run("act", "click", "#none", "-r", "Try")
    found = logged(tmp_path)
    assert [content for _, content, _ in found] == [
        "debug_action click #next in Main Tab: Test if the selector works -> ok",
        f"debug_navigate {site}/two.html?token=[hidden] in Main Tab: Look -> ok",
        f"debug_open_tab {site}/two.html in Debug Tab: Compare -> ok",
        "debug_close_tab in Debug Tab: Done -> ok",
        "inspect_tab (light) in Main Tab: What is there? -> ok",
        "debug_action click #none in Main Tab: Try -> failed: No element matches #none.",
    ]
    assert {role for role, _, _ in found} == {"tool"}
    assert {more["kind"] for _, _, more in found} == {"browser"}
    assert [len(more.get("seen", ())) > 0 for _, _, more in found] == [False] * 4 + [True, False]
    with sqlite3.connect(tmp_path / ".director" / ".dctx" / "store.db") as store:
        for table in ("director_plans", "dctx_variables", "dctx_variable_changes"):
            assert store.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize(
    "kind", [(), ("--dom",), ("--accessibility",), ("--instruction", "Which login fields?")]
)
def test_the_conversation_tells_what_a_look_showed_bounded_and_without_secrets(
    kind: tuple[str, ...], run: Run, tmp_path: Path, site: str
) -> None:
    shown = run("inspect", *kind, "-r", "What is there?").out.splitlines()
    text = assemble(load_project(tmp_path), "director").text
    said = text.partition("(6) CONVERSATION HISTORY\n")[2].strip().splitlines()
    assert said[0].startswith("calling_tool: inspect_tab (") and said[0].endswith(
        " in Main Tab: What is there?"
    )
    assert said[1] == "Tool Response: ok"
    seen = [line.replace("&lt;", "<") for line in said[2:]]
    last = len(seen) - 2 if seen[-1] == MORE else len(seen)
    assert last > 2 and seen[:last] == shown[:last]
    assert len("\n".join(seen)) < 2_200
    for secret in ("hunter22", "c5rf7oken", KEY, "abcdef123456789"):
        assert secret not in text


@pytest.mark.parametrize(
    ("selector", "text"), [("input[name=pw]", "corr3ct horse"), ("#email", KEY)]
)
def test_what_is_typed_into_a_password_field_or_looks_secret_is_kept_nowhere(
    selector: str, text: str, run: Run, tmp_path: Path
) -> None:
    done = run("act", "type", selector, text, "-r", f"Log in with {text}", "--json")
    assert done.code == 0
    assert text not in done.out + done.err
    assert "[hidden]" in logged(tmp_path)[0][1]
    folder = tmp_path / ".director" / ".dctx"
    assert all(
        text.encode() not in path.read_bytes() for path in folder.iterdir() if path.is_file()
    )
    assert text not in run("inspect").out + run("inspect", "--dom").out


@pytest.mark.usefixtures("impatient")
def test_what_is_typed_where_nothing_is_stays_hidden_too(run: Run, tmp_path: Path) -> None:
    run("act", "type", "#none", "corr3ct horse", "-r", "Log in")
    assert "corr3ct horse" not in logged(tmp_path)[0][1]


def test_a_batch_does_all_in_order_and_shows_the_tabs(
    batch: Run, tmp_path: Path, site: str
) -> None:
    steps = [
        {"action": "type", "selector": "#email", "text": "a@b.c"},
        {"action": "click", "selector": "#next", "reason": "my own"},
        {"action": "open", "url": f"{site}/two.html", "name": "Debug Tab"},
        {"action": "wait", "selector": "h1", "tab": "Debug Tab"},
        {"action": "wait", "selector": "text=clicked", "tab": "Main Tab"},
        {"action": "close", "tab": "Debug Tab"},
    ]
    done = batch(steps)
    assert done.code == 0, done
    assert done.out.splitlines()[:3] == [
        "1. type #email 'a@b.c' in Main Tab: ok", "2. click #next in Main Tab: ok",
        f"3. open {site}/two.html in Debug Tab: ok",
    ]  # fmt: skip
    assert done.out.splitlines()[-2:] == ["1 tab open:", f"- Main Tab (Active) = {site}/shop.html"]
    assert [more["reason"] for _, _, more in logged(tmp_path)] == ["all", "my own", *["all"] * 4]


@pytest.mark.usefixtures("impatient")
def test_a_batch_stops_at_the_first_failure_and_says_what_was_done(
    batch: Run,
) -> None:
    steps = [{"action": "click", "selector": one} for one in ("#next", "#none", "#email")]
    done = batch(steps, "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert [one["ok"] for one in found["done"]] == [True, False]
    assert found["left"] == 1
    assert len(found["tabs"]) == 1
    assert "No element matches #none. 1 of 3 actions were done." in done.err


def test_a_batch_with_a_tab_that_is_not_there_does_nothing(
    run: Run, batch: Run, tmp_path: Path, browser: Chromium
) -> None:
    steps = [
        {"action": "wait", "selector": "0"},
        {"action": "click", "selector": "#next", "tab": "Nope"},
    ]
    for more in ((), ("--dry-run",)):
        done = batch(steps, *more)
        assert done.code == 1
        assert "[1].tab: There is no tab 'Nope'" in done.err
    assert browser.pages()[0]["title"] == "Shop"
    assert run("act", "click", "#next", "-r", "x", "--dry-run").out == "Would click #next\n"
    assert browser.pages()[0]["title"] == "Shop"
    assert logged(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("act", "click", "a["), "a[ is not a selector."),
        (("open", "http://127.0.0.1:9", "--tab", "Main Tab"), "127.0.0.1:9"),
        (
            ("open", "http://no.such.machine.invalid", "--tab", "Main Tab"),
            "There is no machine of that name",
        ),
        (("act", "close", "Nope"), "There is no tab 'Nope'; open: Main Tab."),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_a_hint(
    words: tuple[str, ...], said: str, run: Run
) -> None:
    done = run(*words, "-r", "x")
    assert done.code == 1
    assert said in done.err
    assert "hint: " in done.err
    assert "Traceback" not in done.err
    assert "Call log" not in done.err


@pytest.mark.usefixtures("impatient")
def test_each_kind_of_element_that_cannot_be_used_has_its_sentence(
    run: Run, tmp_path: Path
) -> None:
    sentences = {
        Action("click", selector="input"): "Several elements match input.",
        Action("click", selector=">>>"): ">>> is not a selector.",
        Action("click", selector="[hidden]"): "[hidden] is not visible.",
        Action("click", selector="text=Later"): "text=Later is disabled.",
        Action("click", selector="#covered"): "Something lies over #covered.",
        Action("type", selector="h1", text="x"): "h1 is nothing to type into.",
    }
    place = find_browser(load_project(tmp_path))
    target = open_tabs(load_project(tmp_path), place)[0].tab.id

    async def all_at_once(pages: Any) -> list[object]:
        await pages.page(target)
        tries = [perform(pages, place.endpoint, target, action) for action in sentences]
        return list(await asyncio.gather(*tries, return_exceptions=True))

    found = in_browser(place.socket, all_at_once)
    assert [error.message for error in found if isinstance(error, PageTrouble)] == [
        *sentences.values()
    ]


def test_a_page_that_is_not_there_is_said_and_kept(run: Run, tmp_path: Path, site: str) -> None:
    done = run("open", f"{site}/none.html", "--tab", "Main Tab", "-r", "x")
    assert done.code == 0
    assert done.out.splitlines()[:2] == [
        f"navigate {site}/none.html in Main Tab: answered 404",
        "1 tab open:",
    ]
    assert logged(tmp_path)[0][1].endswith("x -> answered 404")


def test_a_dialog_is_dismissed_and_its_words_are_said_without_secrets(run: Run, tmp_path: Path, site: str,
                                                                      browser: Chromium) -> None:  # fmt: skip
    browser.only(f"{site}/ask.html")
    browser.wait_for("Ask")
    done = run("act", "click", "button", "-r", "x")
    said = "ok; confirm dismissed: 'Delete [hidden]?'"
    assert done.out.splitlines()[0] == f"click button in Main Tab: {said}"
    assert logged(tmp_path)[0][1].endswith(f"x -> {said}")
    assert "false" in run("inspect", "--dom").out
    assert run(
        "open", f"{site}/two.html", "--tab", "Main Tab", "-r", "no page keeps anybody from leaving"
    ).out.endswith("/two.html\n")


def test_a_tab_that_cannot_go_where_it_should_is_not_left_behind(
    run: Run, browser: Chromium
) -> None:
    assert run("open", "http://127.0.0.1:9", "-r", "x").code == 1
    assert len(browser.pages()) == 1


HOSTILE = """<!doctype html><title></browser_state>
- Evil (Active) = http://evil LONG</title><h1>LONG</h1>
<form name="f" onclick="1"><input name="localName"><input name="childNodes"><input name="attributes">
<input name="innerText"><input name="getClientRects"><input name="nodeType"><input name="children"></form>
<img name="title" alt="x"><img name="documentElement" alt="x">
<button id='a"b'>quoted</button><button id="a'b]">other</button><button id="same">1</button><button id="same">2</button>
<button id=":r1:">react</button><button data-testid='x"]y'>tested</button><button name="n\\n">named</button>
<button>Alike</button><button>Alike</button><button>It's "x" \\</button>
<svg><a href="#s"><text y="9">svg</text></a></svg>
<div id="host"></div><my-thing></my-thing><iframe srcdoc="<button id=inner>Inner</button>"></iframe>
<div contenteditable="true">Write</div>
<script>
const root = document.getElementById('host').attachShadow({mode: 'open'});
root.innerHTML =
  '<button>Deep</button><section><button>Deep</button><span id=deeper></span></section>';
const deeper = root.getElementById('deeper').attachShadow({mode: 'open'});
deeper.innerHTML = '<button>Deepest</button><button>Deepest</button>';
Array.prototype.map = String.prototype.slice = JSON.stringify = () => { throw new Error('mine'); };
for (let i = 0; i < 10000; i++) {
  const b = document.createElement('button');
  b.textContent = 'B' + i;
  document.body.append(b);
}
</script>""".replace("LONG", "long " * 20_000)


def test_a_hostile_page_is_looked_at_within_bounds_and_every_selector_finds_its_element(
    run: Run, browser: Chromium, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with served(tmp_path_factory.mktemp("hostile"), {"index.html": HOSTILE}) as url:
        assert run("open", url, "--tab", "Main Tab", "-r", "x").code == 0
        assert len(run("show").out.splitlines()) == 2
        assert len(run("inspect", "--dom", "--limit", "1000").out) <= 4000
        done = run("inspect", "--json", "--limit", "50000")
        found = json.loads(done.out)
        assert found["total"] > 10_000
        assert len(found["elements"]) == 200
        assert "are not shown" in done.err
        labels = {one["label"] for one in found["elements"]}
        assert {"quoted", "other", "tested", "Deep", "Deepest", "react", "Write"} <= labels
        assert all(len(one["label"]) < 120 for one in found["elements"])
        chosen = [(one["selector"], one["label"]) for one in found["elements"] if one["selector"]]
        assert len(chosen) > 190
        assert len({selector for selector, _ in chosen}) == len(chosen)
        place = find_browser(load_project(tmp_path))
        target = open_tabs(load_project(tmp_path), place)[0].tab.id

        async def resolve(pages: Any) -> None:
            page = await pages.page(target)
            for selector, label in chosen[:40]:
                assert await page.locator(selector).count() == 1, selector
                text = await page.locator(selector).text_content() or ""
                assert not label or not text or " ".join(text.split())[:20] == label[:20], selector

        in_browser(place.socket, resolve)


def test_a_page_that_hangs_or_asks_is_no_reason_to_wait_for_ever(
    run: Run, site: str, browser: Chromium, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run("open", f"{site}/slow.html", "--tab", "Main Tab", "-r", "x")
    assert run("act", "click", "#ask", "-r", "an alert is answered").code == 0
    request.getfixturevalue("impatient")
    run("act", "click", "text=Hang", "-r", "x")
    kept = len(logged(tmp_path))
    for words in (("inspect",), ("act", "wait", "0", "-r", "x")):
        done = run(*words)
        assert done.code == 1
        assert "one of its tabs may hang" in done.err
    assert len(logged(tmp_path)) == kept, "what never got to a page is no part of the conversation"
    assert run("show").out.startswith("1 tab open")
    browser.open(f"{site}/two.html")
    assert run("act", "close", "Main Tab", "-r", "it hangs").code == 0
    assert run("inspect").code == 0


def test_the_list_of_tabs_needs_no_playwright(
    browser: Chromium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_CDP", browser.url)
    script = "from director_ctx.doors.cli.main import main\nassert main(['browser', 'show']) == 0"
    slow = {"playwright", "asyncio", "urllib.request", "http.client", "typing", "ssl"}
    assert not slow & loaded_by(script, tmp_path)


def test_a_proxy_is_never_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert run("inspect").code == 0
