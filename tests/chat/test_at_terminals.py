"""What people at a terminal see of their chats, and how they find them again."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from chats import keys, project_in
from conftest import ROOT, Result, process
from keeping_provider import KeepingProvider
from terminals import talk_on_terminal

Json = dict[str, Any]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keys(monkeypatch)
    return Path(project_in(tmp_path))


def chat(provider: KeepingProvider, root: Path, *words: str) -> Result:
    return process("chat", "--base-url", f"{provider.url}/v1", *words, cwd=root, stdin=b"")


def at_terminal(provider: KeepingProvider, root: Path, *lines: str) -> tuple[int, str]:
    words = ("chat", "--base-url", f"{provider.url}/v1")
    return talk_on_terminal(root, *words, answers="\n".join([*lines, "/quit"]) + "\n")


def test_chats_are_listed_with_what_they_are_gone_on_by(root: Path) -> None:
    assert "no chat yet" in process("chat", "--list", cwd=root).err
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        first = json.loads(chat(provider, root, "one\nand more", "--json").out)["chat"]
        chat(provider, root, "two", "--model", "qwen3")
    listed = json.loads(process("chat", "--list", "--json", cwd=root).out)
    assert [row["began"] for row in listed] == ["two", "one and more"]
    assert listed[1]["id"] == first and listed[0]["model"] == "qwen3"
    assert listed[0]["provider"] == f"openai {provider.url}/v1"
    shown = process("chat", "--list", cwd=root)
    assert shown.code == 0 and first[:8] in shown.out and "qwen3" in shown.out
    assert process("chat", "--list", "Hi", cwd=root).code == 2


def test_at_a_terminal_a_single_answer_names_its_chat(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        url = f"{provider.url}/v1"
        _, seen = talk_on_terminal(root, "chat", "--base-url", url, "Hi")
    (listed,) = json.loads(process("chat", "--list", "--json", cwd=root).out)
    assert f"`dctx chat --id {listed['id'][:8]}` goes on with this chat." in seen


def test_that_a_server_keeps_nothing_is_remembered_with_the_chat(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        provider.keeps = False
        chat(provider, root, "one")
        first = chat(provider, root, "two", "-c")
        assert "keeps no conversations" in first.err and len(provider.refusals) == 1
        again = chat(provider, root, "three", "-c")
        assert again.code == 0 and not again.err and len(provider.refusals) == 1
        said = [item["content"] for item in provider.asked[-1]["input"]]
    assert said == ["one", "a", "two", "a", "three"]


@pytest.mark.parametrize(
    "said",
    ["/plan 2", "/compress x", "/fork 3", "/undo x", "/undo reset x", "/quit now", "/help me"],
)
def test_a_command_refuses_what_it_does_not_take(root: Path, said: str) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        code, seen = at_terminal(provider, root, "one", said, "two")
        assert len(provider.bodies) == 2
    word, _, rest = said.partition(" ")
    assert code == 0 and f"{word} takes no '{rest}'." in seen


def test_the_budget_of_a_chat_counts_no_other_conversation(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        url = f"{provider.url}/v1"
        words = b"boats and harbours " * 20_000
        assert process("chat", "--base-url", url, cwd=root, stdin=words).code == 0
        _, seen = at_terminal(provider, root, "one", "/budget")
    assert "conversation" not in seen.casefold().partition("/budget")[2].replace("reading-list", "")
    assert "full" not in seen and "in use" not in seen


def test_what_is_pasted_is_one_message(root: Path) -> None:
    pasted = "\n".join(f"line {number}" for number in range(5))
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        master, slave = pty.openpty()
        child = subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "chat", "--base-url", f"{provider.url}/v1"],
            cwd=root, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TERM": "xterm"},
        )  # fmt: skip
        os.close(slave)
        seen = ""
        while "\x1b[?2004h" not in seen:
            seen += os.read(master, 65_536).decode()
        os.write(master, f"\x1b[200~{pasted}\x1b[201~\n".encode())
        while "tokens" not in seen or not seen.rstrip(" ").endswith(("\x1b[?2004h", ">")):
            seen += os.read(master, 65_536).decode()
        os.write(master, b"/quit\n")
        with contextlib.suppress(OSError):
            while os.read(master, 65_536):
                pass
        os.close(master)
        assert child.wait(timeout=30) == 0
        assert [asked["input"][0]["content"] for asked in provider.asked] == [pasted]


def test_what_was_typed_before_the_end_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from director_ctx.doors.cli.chat.terminal import _read

    lines = iter(["one \\", "two \\"])

    def typed(prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    monkeypatch.setattr("builtins.input", typed)
    assert (_read(), _read()) == ("one \ntwo ", None)


def test_a_model_is_told_how_its_chat_is_allowed_to_change_something(root: Path) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Call("plan", action="update", plan="x")] if number == 1 else [Say("a")]

    with KeepingProvider(script) as provider:
        chat(provider, root, "Hi", "--write", "tasks")
        told = provider.asked[1]["input"][0]["output"]
    assert told.startswith("This chat may not change the plan.")
    assert "`dctx chat --continue --write tasks,plan`" in told and "setup" not in told


def test_an_answer_that_was_made_in_the_background_is_shown(root: Path) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        words = asked["input"][-1].get("content")
        if words == "one":
            return [Say("Let me look."), Call("status")]
        return [Say(f"An answer to {words}.")]

    (root / ".director/dctx.yaml").write_text("chat: {background: true}")
    with KeepingProvider(script) as provider:
        url = f"{provider.url}/v1"
        code, seen = talk_on_terminal(root, "chat", "--base-url", url, answers="one\ntwo\n/quit\n")
        assert code == 0
        lines = [line.strip() for line in seen.splitlines() if line.strip()]
        first = lines.index("Let me look.")
        assert lines[first + 1 : first + 3] == ["dctx: status", "An answer to None."]
        assert "An answer to two." in lines
        code, seen = talk_on_terminal(root, "chat", "--base-url", url, "three")
        assert code == 0 and "An answer to three." in seen
