"""With whom a chat was is remembered with it: what was said goes nowhere else unless somebody asks for that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from asking_models import Say
from chats import KEY, keys, project_in, talk
from conftest import Result, process
from keeping_provider import KeepingProvider
from proxied import Upstream
from terminals import talk_on_terminal

from director_ctx import DirectorConversation
from director_ctx.base.errors import DctxError
from director_ctx.chat.providers.provider import provider_for
from director_ctx.memory.conversations.chat_records import ChatNews
from director_ctx.memory.conversations.chats import keep, points_of
from director_ctx.memory.store.open import open_conversation, project_here


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def a_provider() -> KeepingProvider:
    return KeepingProvider(lambda asked, number: [Say(f"answer {number}")])


def dctx(root: str, *words: str, **env: str) -> Result:
    return process("chat", *words, cwd=Path(root), stdin=b"", env=env)


def test_a_chat_goes_on_with_its_model_and_at_its_address(root: str) -> None:
    """By the very command that it names at its end."""
    with a_provider() as provider, Upstream() as elsewhere:
        url = f"{provider.url}/v1"
        _, seen = talk_on_terminal(
            Path(root), "chat", "--base-url", url, "--model", "qwen3", answers="private\n/quit\n"
        )
        found = re.search(r"`dctx (chat --id \w+)` goes on", " ".join(seen.split()))
        assert found, seen
        words = found[1].split()[1:]
        done = dctx(root, *words, "on", HTTPS_PROXY=elsewhere.url)
        assert done.code == 0 and done.out == "answer 2\n" and not done.err
        assert dctx(root, "--continue", "on", ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY="").code == 0
        assert [asked["model"] for asked in provider.asked] == ["qwen3"] * 3
        assert not elsewhere.heads


def test_a_chat_with_the_other_vendor_stays_there(root: str) -> None:
    with a_provider() as provider, a_provider() as other:
        words = ("--base-url", provider.url, "--model", "claude-sonnet-5-5", "one")
        assert dctx(root, *words).code == 0
        assert dctx(root, "-c", "two", OPENAI_BASE_URL=f"{other.url}/v1").code == 0
        assert len(provider.asked) == 2 and not other.asked


def test_another_model_is_asked_where_the_chat_was(root: str) -> None:
    """A server of one's own has models of any name."""
    with a_provider() as provider:
        dctx(root, "--base-url", provider.url, "--model", "anthropic:mine", "one")
        dctx(root, "-c", "--model", "qwen3", "two")
        assert [asked["model"] for asked in provider.asked] == ["mine", "qwen3"]


def test_an_address_that_only_the_environment_names_is_told_nothing(root: str) -> None:
    with a_provider() as one, a_provider() as two:
        first, second = f"{one.url}/v1", f"{two.url}/v1"
        dctx(root, "--base-url", first, "secret")
        done = dctx(root, "-c", "on", OPENAI_BASE_URL=second)
        assert done.code == 1 and not two.heads
        assert f"This chat was with {first}, and OPENAI_BASE_URL names {second}." in done.err
        assert f"--base-url {second}" in done.err and f"--base-url {first}" in done.err

        kept = dctx(root, "-c", "on", "--base-url", first, OPENAI_BASE_URL=second)
        assert kept.code == 0 and not kept.err and not two.heads

        asked = dctx(root, "-c", "on", "--base-url", second)
        assert asked.code == 0 and f"So far this chat was with openai {first}" in asked.err
        assert "secret" in [item["content"] for item in two.asked[0]["input"]]


def test_at_its_end_a_chat_names_its_address_where_the_environment_has_another(root: str) -> None:
    with a_provider() as one, a_provider() as two:
        _, seen = talk_on_terminal(
            Path(root), "chat", "--base-url", f"{one.url}/v1", answers="Hi\n/quit\n",
            env={"OPENAI_BASE_URL": f"{two.url}/v1", "COLUMNS": "200"},
        )  # fmt: skip
        assert f"--base-url {one.url}/v1` goes on with this chat." in seen


def test_another_vendor_is_said_and_told_everything_where_its_model_is_named(root: str) -> None:
    with a_provider() as one, a_provider() as two:
        notices: list[str] = []
        with talk(one, root) as chat:
            chat.say("Hi")
            chat.compress()
        with talk(two, root, go_on="", model="claude-sonnet-5-5", on_notice=notices.append) as chat:
            chat.say("on")
        assert len(two.asked) == 1
        assert notices[0].endswith(f"anthropic {two.url} is told what was said before.")


def test_the_vendors_own_address_is_the_same_however_it_is_named() -> None:
    for url in (None, "https://api.openai.com/v1", "https://api.openai.com/v1/"):
        provider = provider_for("gpt-6.1-terra", url)
        assert provider.identity == "openai" and provider.url == "https://api.openai.com/v1"


def test_a_password_in_an_address_is_neither_shown_nor_kept() -> None:
    provider = provider_for("m", "https://me:hidden@model.example/v1")
    assert provider.identity == "openai https://model.example/v1" == f"openai {provider.place}"
    assert "hidden" in provider.url


def test_an_address_that_others_wrote_into_a_store_is_given_neither_key_nor_words(
    root: str,
) -> None:
    with a_provider() as provider, talk(provider, root) as chat:
        chat.say("secret")
    project = project_here(root)
    with open_conversation(project, write=True) as store:
        (*_, last) = points_of(store, chat.id)
        evil = last.replace(number=last.number + 1, provider="openai https://evil.example/v1")
        keep(store, chat.id, ChatNews((), evil))
    with pytest.raises(DctxError) as refused:
        DirectorConversation(root, go_on="")
    assert "which you have not named on this machine" in refused.value.message
    assert "--base-url https://evil.example/v1" in refused.value.hint

    with DirectorConversation(root, go_on="", base_url="https://evil.example/v1"):
        pass
    with DirectorConversation(root, go_on="") as conversation:
        assert conversation.provider.url == "https://evil.example/v1"


def test_a_provider_that_nobody_knows_has_to_be_named(root: str) -> None:
    with a_provider() as provider, talk(provider, root) as chat:
        chat.say("Hi")
    with open_conversation(project_here(root), write=True) as store:
        (*_, last) = points_of(store, chat.id)
        keep(store, chat.id, ChatNews((), last.replace(number=last.number + 1, provider="odd")))
    with pytest.raises(DctxError, match="was with odd"):
        DirectorConversation(root, go_on="")
