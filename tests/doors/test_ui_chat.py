"""A chat in `dctx ui`, as plain requests see it: said by a form, told by events, stopped, taken back."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from chats import KEY, keys, project_in, talk
from keeping_provider import KeepingProvider
from pages import pages
from starlette.testclient import TestClient

from director_ctx import DirectorConversation
from director_ctx.doors.ui.serving.application import Application
from director_ctx.doors.ui.serving.entrance import EntranceRules

Json = dict[str, Any]
TOKEN = "t" * 40
NEW = "/list/chats/new"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


class Site:
    """The page, in this process."""

    def __init__(self, root: str, read_only: bool = False) -> None:
        rules = EntranceRules(frozenset(("here",)), TOKEN, read_only, 80)
        self.rules = rules
        allowed = {"authorization": f"Bearer {TOKEN}"}
        application = Application(root, rules)
        application.name = "list"
        self.client = TestClient(
            application.app(), base_url="http://here", headers=allowed, follow_redirects=False
        )

    def send(self, address: str, **form: str) -> Any:
        return self.client.post(address, data={"form_token": self.rules.form_token, **form})

    def say(self, message: str, address: str = NEW, **form: str) -> str:
        """The address of the chat, after it was answered."""
        answer = self.send(f"{address}/say", message=message, **form)
        assert answer.status_code == 303, answer.text
        chat = str(answer.headers["location"])
        self.heard(chat)
        return chat

    def heard(self, chat: str) -> list[tuple[str, Any]]:
        """Every event of an answer, to its end."""
        events: list[tuple[str, Any]] = []
        name = ""
        for line in self.client.get(f"{chat}/stream").text.splitlines():
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                events.append((name, json.loads(value)))
        return events

    def data(self, chat: str) -> Json:
        told: Json = self.client.get(f"{chat}.json").json()
        return told

    def page(self, address: str) -> str:
        answer = self.client.get(address)
        assert answer.status_code == 200
        return answer.text


@pytest.fixture
def site(root: str) -> Iterator[Site]:
    site = Site(root)
    with site.client:
        yield site


def at(provider: KeepingProvider, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")


def looks_once(asked: Json, number: int) -> list[Part]:
    return [Say("Let me look."), Call("status")] if number == 1 else [Say("**Step 2** <b>is</b>.")]


def test_what_is_said_is_answered_and_stands_on_the_page(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KeepingProvider(looks_once) as provider:
        at(provider, monkeypatch)
        assert "<textarea" in site.page(NEW)
        chat = site.say("What is next?\r\nAnd why?")
        assert provider.asked[0]["input"][0]["content"] == "What is next?\nAnd why?"
        (turn,) = site.data(chat)["turns"]
    roles = [entry["role"] for entry in turn["entries"]]
    assert roles == ["user", "assistant", "tool_call", "assistant"]
    assert "Reading List" in turn["entries"][2]["result"]
    assert turn["usage"]["requests"] == 2
    page = site.page(chat)
    assert "<strong>Step 2</strong> &lt;b&gt;is&lt;/b&gt;." in page
    assert page.count('<details class="entry"') == 1 and "from the cache" in page
    assert chat in site.page("/list/conversations") and chat in site.page(
        "/list/conversations/store"
    )


def test_a_chat_goes_on_from_where_another_program_left_it(
    site: Site, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        at(provider, monkeypatch)
        with talk(provider, root) as conversation:
            conversation.say("one")
        chat = site.say("two", f"/list/chats/{conversation.id}")
        assert provider.asked[1]["previous_response_id"] == "resp_1"
        assert [len(turn["entries"]) for turn in site.data(chat)["turns"]] == [2, 2]
        site.send(f"{chat}/undo")
        assert [turn["entries"][0]["text"] for turn in site.data(chat)["turns"]] == ["one"]


def test_an_answer_is_told_paragraph_by_paragraph_and_can_be_stopped(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "A *first* paragraph.\n\nThe second, which is longer than that by some words."
    with KeepingProvider(lambda asked, number: [Say(words)]) as provider:
        at(provider, monkeypatch)
        provider.second_half = threading.Event()
        chat = site.send(f"{NEW}/say", message="Hi").headers["location"]
        page = site.page(chat)
        assert "The model is at work." in page and "Stop" in page
        assert "<p>Hi</p>" in page
        again = site.send(f"{chat}/say", message="And?")
        assert again.status_code == 409 and "still answering" in again.text

        heard: list[list[tuple[str, Any]]] = []
        listener = threading.Thread(target=lambda: heard.append(site.heard(chat)))
        listener.start()
        while not provider.asked:
            pass
        assert site.send(f"{chat}/stop").status_code == 303
        listener.join(30)
        provider.second_half.set()
        ((*_, last),) = heard
        assert last[0] == "over"
        told = site.data(chat)
        assert told["notices"] == ["Stopped. What was said before is kept."]
        assert not told["running"] and told["turns"][0]["entries"][0]["text"] == "Hi"
        assert site.send(f"{chat}/stop").status_code == 409

        provider.second_half = None
        site.say("And?", chat)
        # Between the two is what was shown of the answer that was stopped, if it was anything.
        entries = [entry for turn in site.data(chat)["turns"] for entry in turn["entries"]]
        said = [entry["text"] for entry in entries if entry["role"] == "user"]
        assert said == ["Hi", "And?"] and not provider.refusals


def test_pieces_of_an_answer_come_as_html_and_the_rest_as_it_is() -> None:
    import asyncio

    from director_ctx.doors.ui.running_chats import RunningTurn
    from director_ctx.doors.ui.serving.application import chat_lines

    async def told() -> list[str]:
        turn = RunningTurn("Hi")
        turn.take("One *word* <i>.\n\nAnd **mo")
        lines = chat_lines(turn)
        first = await anext(lines)
        turn.is_over = True
        return [first, *[line async for line in lines]]

    first, over = asyncio.run(told())
    news = json.loads(first.partition("data: ")[2])
    assert news["blocks"] == ["<p>One <em>word</em> &lt;i&gt;.</p>\n"]
    assert news["rest"] == "And **mo" and over.startswith("event: over")


def test_what_goes_wrong_is_said_on_the_page_without_the_key(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.chat.conversation.RETRIES", 0)
    with KeepingProvider(lambda asked, number: [], lambda number: "401") as provider:
        at(provider, monkeypatch)
        chat = site.say("Hi")
        notices = site.data(chat)["notices"]
        assert (
            notices[0].startswith("The provider answered with an error (401)")
            and "Look at the key" in notices[1]
        )
        assert KEY not in site.page(chat) + site.client.get(f"{chat}.json").text


def test_without_a_key_or_the_library_the_page_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    page = site.page(NEW)
    assert "There is no key for openai." in page and "<textarea" not in page
    answer = site.send(f"{NEW}/say", message="Hi")
    assert answer.status_code == 409 and "There is no key for openai." in answer.text
    monkeypatch.setattr("director_ctx.chat.providers.provider.find_spec", lambda name: None)
    assert "The library openai is not installed." in site.page(NEW)
    assert site.data("/list/conversations")["chats"] == []


def test_with_read_only_nothing_can_be_said(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with KeepingProvider(looks_once) as provider:
        at(provider, monkeypatch)
        with talk(provider, root) as conversation:
            conversation.say("one")
        site = Site(root, read_only=True)
        with site.client:
            chat = f"/list/chats/{conversation.id}"
            page = site.page(chat)
            assert "**" not in page and "<textarea" not in page and "--read-only" in page
            for action in ("say", "stop", "undo"):
                assert site.send(f"{chat}/{action}", message="Hi").status_code == 403
        assert len(provider.asked) == 2


def test_what_was_said_goes_to_another_provider_only_if_somebody_agrees(
    site: Site, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as one,
        KeepingProvider(lambda asked, number: [Say("b")]) as two,
    ):
        with talk(one, root) as conversation:
            conversation.say("secret")
        at(two, monkeypatch)
        chat = f"/list/chats/{conversation.id}"
        assert f"So far this chat was with openai {one.url}/v1" in site.page(chat)
        answer = site.send(f"{chat}/say", message="on")
        assert answer.status_code == 400 and not two.asked
        site.say("on", chat, agreed=f"openai {two.url}/v1")
        assert [item["content"] for item in two.asked[0]["input"]] == ["secret", "a", "on"]


def test_what_a_summary_says_goes_to_another_provider_only_if_somebody_agrees(
    site: Site, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as one,
        KeepingProvider(lambda asked, number: [Say("b")]) as two,
    ):
        with talk(one, root) as conversation:
            conversation.say("secret")
            conversation.compress()
        at(two, monkeypatch)
        chat = f"/list/chats/{conversation.id}"
        assert f"So far this chat was with openai {one.url}/v1" in site.page(chat)
        assert site.send(f"{chat}/say", message="on").status_code == 400 and not two.asked


@pytest.mark.parametrize(
    ("form", "status"),
    [({"message": "  "}, 400), ({"message": "Hi", "form_token": "no"}, 403), ({}, 400)],
)
def test_a_form_that_is_not_ours_or_says_nothing_is_refused(
    site: Site, form: dict[str, str], status: int
) -> None:
    assert site.send(f"{NEW}/say", **form).status_code == status
    assert site.client.get("/list/chats/nobody").status_code == 404
    assert site.client.get("/list/chats/nobody/stream").status_code == 404


def test_a_server_that_ends_ends_what_is_being_answered(root: str) -> None:
    """Without a traceback, and what was said is kept."""
    with KeepingProvider(lambda asked, number: [Say("A long answer.")]) as provider:
        provider.second_half = threading.Event()
        with pages(Path(root), OPENAI_BASE_URL=f"{provider.url}/v1") as running:
            chat = running.send("/project/chats/new/say", {"message": "Hi"}).headers["location"]
            while not provider.asked:
                pass
        provider.second_half.set()
    with DirectorConversation(root, go_on=str(chat).rpartition("/")[2]) as conversation:
        said, *heard = [row.text for row in conversation.state.rows]
        assert said == "Hi" and "A long answer.".startswith("".join(heard))


def test_another_provider_can_be_chosen_where_one_has_no_key(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    page = site.page(f"{NEW}?model=openai:")
    assert "There is no key for openai." in page
    assert "<code>keyring set dctx OPENAI_API_KEY</code>" in page
    assert "start <code>dctx ui</code> again" in page
    (other,) = re.findall('<option value="(anthropic:[^"]*)">', page)
    assert "<textarea" in site.page(f"{NEW}?model={other}")
