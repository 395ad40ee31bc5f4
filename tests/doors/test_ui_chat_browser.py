"""A chat in a real browser: an answer as it comes, stopped and gone on with, and without JavaScript."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from axe import broken_rules, skip_unless_judged, too_wide
from chats import keys, project_in
from chromium import needs_chromium, needs_playwright
from conftest import ROOT
from keeping_provider import KeepingProvider
from pages import Pages, pages, tab

pytestmark = [pytest.mark.proof, needs_chromium, needs_playwright]

Json = dict[str, Any]
ANSWER = """\
The next task is **2/1/3**, *A page for each friend*{more}. It waits for nothing:

- the list of friends is done
- nobody waits for `three`

```python
def page(friend):
    return [link for link in links if link.friend == friend]
```
"""
LONG = f", with a word as long as {'x' * 120}"


def script(asked: Json, number: int) -> list[Part]:
    if number == 1:
        return [Say("Let me look."), Call("status"), Call("context", sections=["task"])]
    return [Say(ANSWER.format(more=LONG if number > 2 else ""))]


@pytest.fixture
def provider() -> Iterator[KeepingProvider]:
    with KeepingProvider(script) as provider:
        yield provider


@pytest.fixture
def site(
    provider: KeepingProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Pages]:
    keys(monkeypatch)
    root = Path(project_in(tmp_path))
    with pages(root, OPENAI_BASE_URL=f"{provider.url}/v1") as running:
        yield running


def keep_picture(page: Any) -> None:
    """For the documents."""
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        page.set_viewport_size({"width": 1200, "height": 760})
        picture = ROOT / "docs" / "pictures" / "ui-chat.png"
        page.screenshot(path=picture, animations="disabled")


def new_chat(site: Pages) -> str:
    return f"{site.base}/project/chats/new?token={site.token}"


def test_an_answer_is_seen_as_it_comes_and_everybody_can_read_it(
    site: Pages, provider: KeepingProvider
) -> None:
    with tab(new_chat(site)) as page:
        assert broken_rules(page) == []
        page.keyboard.press("m")
        page.keyboard.type("What is next?")
        page.keyboard.press("Control+Enter")
        page.get_by_text("tokens read").wait_for()
        assert page.locator("details.entry").count() == 2
        page.locator("details.entry summary").first.click()
        assert "Reading List" in page.locator("details.entry pre").first.inner_text()
        page.locator("details.entry summary").first.click()
        keep_picture(page)
        page.locator("details.entry summary").first.click()

        provider.second_half = threading.Event()
        page.locator("textarea").fill("And then?")
        page.get_by_role("button", name="Say").click()
        page.locator("#answering .rest", has_text="The next").wait_for()
        # Meanwhile the next thing can be written, and what is opened stays so.
        page.locator("textarea").fill("not yet")
        assert page.get_by_role("button", name="Say").is_disabled()
        assert page.locator("details.entry pre").first.is_visible()
        provider.second_half.set()
        page.locator(".chat-turn").nth(1).get_by_text("nobody waits for").wait_for()
        page.locator("#answering").wait_for(state="detached")
        assert page.locator("textarea").input_value() == "not yet"

        for width in (1440, 375):
            for scheme in ("light", "dark"):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                assert (broken_rules(page), too_wide(page)) == ([], 0), (width, scheme)
    skip_unless_judged()


def test_an_answer_is_stopped_and_the_last_turn_taken_back(
    site: Pages, provider: KeepingProvider
) -> None:
    provider.second_half = threading.Event()
    with tab(new_chat(site)) as page:
        page.locator("textarea").fill("What is next?")
        page.get_by_role("button", name="Say").click()
        page.locator("#answering .rest", has_text="Let").wait_for()
        # A page that is loaded meanwhile sees the same.
        page.reload()
        page.locator("#answering .rest", has_text="Let").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopped.").wait_for()
        provider.second_half.set()
        page.get_by_role("button", name="Take the last turn back").click()
        page.get_by_text("The last turn is taken back").wait_for()
        assert page.locator(".chat-turn").count() == 0


def test_without_scripts_it_is_a_form(site: Pages) -> None:
    with tab(new_chat(site), java_script_enabled=False) as page:
        page.locator("textarea").fill("What is next?")
        page.get_by_role("button", name="Say").click()
        again = page.get_by_role("link", name="Load this page again")
        for _ in range(100):
            if again.count():
                again.click()
                page.reload()
        assert page.get_by_text("nobody waits for").is_visible()
