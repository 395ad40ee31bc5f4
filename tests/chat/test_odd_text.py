"""Bytes and halves of characters that nothing can be sent with: whoever types or answers them, the chat goes on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from asking_models import Call, Part, Say
from chats import LOOK, keys, project_in, talk
from conftest import ROOT
from keeping_provider import Json, KeepingProvider

from director_ctx import AsyncDirectorConversation, OwnTool

MODELS = ("gpt-6.1-terra", "claude-sonnet-5-5")
HALF = "\ud83d"
BOTH = "\ud83d\ude00"
"""Two halves, as some programs hand an emoji over."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def words_in(asked: Json) -> list[str]:
    """What the user said, in either form."""
    words: list[str] = []
    for item in asked.get("input") or asked["messages"]:
        if item.get("role") != "user":
            continue
        content = item["content"]
        words += (
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        )
    return words


@pytest.mark.parametrize("model", MODELS)
def test_half_a_character_spoils_neither_a_message_nor_those_after_it(
    root: str, model: str
) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        with talk(provider, root, model=model, provider_keeps=False) as conversation:
            assert conversation.say(f"one {HALF} {BOTH}").ended == "answered"
            assert conversation.say("two").ended == "answered"

        async def in_loop() -> None:
            url = provider.url if model.startswith("claude") else f"{provider.url}/v1"
            async with AsyncDirectorConversation(root, model=model, base_url=url) as talked:
                assert (await talked.say(HALF)).ended == "answered"

        asyncio.run(in_loop())
        assert words_in(provider.asked[1]) == ["one \ufffd \U0001f600", "two"]


@pytest.mark.parametrize("model", MODELS)
def test_what_a_tool_answers_is_sent_whatever_is_in_it(root: str, model: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Call("look", at="x")] if number == 1 else [Say("done")]

    tool = OwnTool(LOOK, lambda given: f"seen {HALF}")
    with (
        KeepingProvider(script) as provider,
        talk(provider, root, model=model, own_tools=[tool]) as conversation,
    ):
        turn = conversation.say("Hi")
    assert (turn.ended, turn.text) == ("answered", "done")
    assert turn.results[0].text == "seen \ufffd"


def test_bytes_of_another_encoding_are_taken_from_the_command_line(root: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        words = ["chat", "--base-url", f"{provider.url}/v1", b"caf\xe9"]
        done = subprocess.run(
            [sys.executable, "-m", "director_ctx", *words],
            cwd=root, env=env, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert words_in(provider.asked[0]) == ["caf\ufffd"]


def test_bytes_of_another_encoding_are_taken_from_the_prompt(root: str) -> None:
    master, slave = pty.openpty()
    os.write(master, b"caf\xe9\ntwo\n/quit\n")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        child = subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "chat", "--base-url", f"{provider.url}/v1"],
            cwd=root, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        seen = b""
        with contextlib.suppress(OSError):
            while piece := os.read(master, 65_536):
                seen += piece
        os.close(master)
        assert child.wait(timeout=30) == 0, seen
        said = [words_in(asked) for asked in provider.asked]
    # What is left of the odd byte is up to the terminal's own editing.
    assert said[0][0].startswith("caf") and said[1] == ["two"] and b"codec" not in seen
