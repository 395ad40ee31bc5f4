"""`dctx chat` as people and scripts use it: processes of their own, at a terminal and without one."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from chats import KEY, keys, project_in
from conftest import ROOT, Result, process
from keeping_provider import KeepingProvider
from terminals import talk_on_terminal

from director_ctx.doors.cli.chat.menu import COMMANDS

Json = dict[str, Any]
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keys(monkeypatch)
    return Path(project_in(tmp_path))


def set_chat(root: Path, **settings: object) -> None:
    """As `dctx.yaml` has it."""
    (root / ".director/dctx.yaml").write_text(json.dumps({"chat": settings}))


def chat(
    provider: KeepingProvider, root: Path, *words: str, stdin: bytes = b"", **env: str
) -> Result:
    url = f"{provider.url}/v1"
    return process("chat", "--base-url", url, *words, cwd=root, stdin=stdin, env=env)


def status_once(asked: Json, number: int) -> list[Part]:
    return (
        [Say("Let me look."), Call("status", goal="1")]
        if number == 1
        else [Say("**Step 2** is next.")]
    )


def test_the_answer_is_the_result_and_everything_else_is_said_beside_it(root: Path) -> None:
    with KeepingProvider(status_once) as provider:
        done = chat(provider, root, "What is next?")
    assert done.code == 0 and done.out == "**Step 2** is next.\n"
    assert done.err == "dctx: status goal=1\n"


def test_a_script_is_given_json_and_may_pipe_the_message_in(root: Path) -> None:
    with KeepingProvider(status_once) as provider:
        done = chat(provider, root, "--json", stdin="Grüße,\nwhat is next?".encode())
        asked = provider.asked[0]
    told = json.loads(done.out)
    assert (told["text"], told["ended"]) == ("**Step 2** is next.", "answered")
    assert told["calls"] == [{"tool": "status", "arguments": '{"goal": "1"}', "error": False}]
    assert told["usage"]["requests"] == 2
    assert asked["input"][0]["content"] == "Grüße,\nwhat is next?"


def test_a_chat_goes_on_in_another_process(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        first = json.loads(chat(provider, root, "one", "--json").out)["chat"]
        chat(provider, root, "another one")
        chat(provider, root, "two", "--id", first[:8])
        last = json.loads(chat(provider, root, "three", "--continue", "--json").out)
        assert last["chat"] == first
        stood_on = [asked.get("previous_response_id") for asked in provider.asked]
        assert stood_on == [None, None, "resp_1", "resp_3"]
    shown = process("history", "show", "store", cwd=root).out
    assert "another one" in shown and "answer 4" in shown


def test_each_way_tells_the_model_another_amount(root: Path) -> None:
    sizes = {}
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        for way in ("push", "pull", "hybrid"):
            set_chat(root, context=way)
            chat(provider, root, "Hi")
            sizes[way] = len(provider.asked[-1]["instructions"])
        set_chat(root)
        chat(provider, root, "Hi", CLEAN_CONTEXT_ENABLED="false")
        assert provider.asked[-1]["instructions"].startswith("(1) SYSTEM PROMPT")
    assert sizes["pull"] < sizes["hybrid"] < sizes["push"]


def test_what_goes_wrong_is_a_sentence_without_the_key(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [], lambda number: "401") as provider:
        done = chat(provider, root, "Hi")
        assert KEY.encode() in provider.heads[0]
    assert done.code == 1 and not done.out
    assert (
        done.err.startswith("dctx: The provider answered with an error (401)")
        and "hint: Look at the key" in done.err
    )
    assert KEY not in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Hi", "--continue"), "no chat yet"),
        (("Hi", "--id", "abc"), "no chat 'abc'"),
        (("Hi", "--id", "abc", "--continue"), "two chats"),
        (("Hi", "--base-url", "file:///etc"), "is no address"),
        (("Hi", "--reset", "all"), "no reset 'all'"),
        (("Hi", "--write", "disk"), "nothing that can be changed"),
        ((), "nothing to say"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_sent(
    root: Path, words: tuple[str, ...], said: str
) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        done = chat(provider, root, *words)
        assert done.code in (1, 2) and said in done.err and not provider.bodies


def test_what_is_rare_stands_in_dctx_yaml(root: Path) -> None:
    settings = {"provider_keeps": False, "tools": "seed", "limit": 9_000, "reset": "checkpoint"}
    with KeepingProvider(status_once) as provider:
        set_chat(root, **settings)
        told = json.loads(chat(provider, root, "What is next?", "--json").out)
        assert [asked["store"] for asked in provider.asked] == [False, False]
        names = [tool["name"] for tool in provider.asked[0]["tools"]]
        assert "get_current_plan" in names and told["limit"] == 9_000
        for wrong, said in (
            ({"limit": 12}, "too small"),
            ({"tools": "3"}, "chat.tools: '3' is unknown; known are few, seed, all"),
            ({"held": "client"}, "chat.held: unknown"),
        ):
            set_chat(root, **wrong)
            done = chat(provider, root, "Hi")
            assert done.code in (1, 2) and said in done.err
        assert len(provider.bodies) == 2


def test_without_a_standard_input_the_hint_is_what_a_chat_can_do(root: Path) -> None:
    words = [sys.executable, "-m", "director_ctx", "chat", "--json"]
    line = f"exec {shlex.join(words)} <&-"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["sh", "-c", line], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "nothing to say" in done.stderr
    assert "file" not in done.stderr and "dctx chat 'What is next?'" in done.stderr


def test_a_model_of_ones_own_needs_no_key_and_a_foreign_address_gets_none(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        done = chat(provider, root, "Hi", "--model", "qwen3", OPENAI_API_KEY="")
        assert done.code == 0 and b"Bearer none" in provider.heads[0]
    from director_ctx.chat.providers.provider import key_for, provider_for

    os.environ["OPENAI_API_KEY"] = KEY
    assert key_for(provider_for("m", "http://model.example/v1")) == "none"
    assert key_for(provider_for("m", "https://model.example/v1")) == KEY


def test_outside_of_a_project_it_is_a_plain_conversation(tmp_path: Path, root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        done = chat(provider, tmp_path, "Hi")
        assert done.code == 0 and done.out == "a\n"
        assert "tools" not in provider.asked[0]


def test_every_example_in_the_help_works(root: Path) -> None:
    """With a provider here in the place of the vendor's."""
    with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
        chat(provider, root, "first")
        examples = [example for command in COMMANDS for example in command.examples]
        for example in examples:
            line, _, tail = example.partition("<")
            words = shlex.split(line)[2:]
            if "--base-url" in words:
                words[words.index("--base-url") + 1] = f"{provider.url}/v1"
            stdin = b"What is next?"
            url = f"{provider.url}/v1"
            done = process("chat", *words, cwd=root, stdin=stdin, env={"OPENAI_BASE_URL": url})
            assert done.code == 0, done
            assert not tail or json.loads(done.out)["text"] == "a"


# At a terminal


ANSWER = """\
# Next

Step **two**, because:

- one is done
- nobody waits for `three`

```python
x = 1

y = 2
```
"""


def at_terminal(provider: KeepingProvider, root: Path, *lines: str, **env: str) -> tuple[int, str]:
    words = ("chat", "--base-url", f"{provider.url}/v1")
    return talk_on_terminal(root, *words, answers="\n".join([*lines, "/quit"]) + "\n", env=env)


@pytest.mark.parametrize("env", [{"COLUMNS": "40"}, {"NO_COLOR": "1", "COLUMNS": "80"}])
def test_at_a_terminal_an_answer_is_laid_out(root: Path, env: dict[str, str]) -> None:
    with KeepingProvider(lambda asked, number: [Say(ANSWER)]) as provider:
        code, seen = at_terminal(provider, root, "Hello \\", "there", **env)
        assert provider.asked[0]["input"][0]["content"] == "Hello \nthere"
    assert code == 0
    text = ANSI.sub("", seen)
    assert "• one is done" in text and "x = 1" in text and "**" not in text
    if env["COLUMNS"] == "40":
        assert max(len(line) for line in text.splitlines()) <= 40
    if "NO_COLOR" in env:
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", seen)


def test_words_before_a_call_stand_before_it(root: Path) -> None:
    with KeepingProvider(status_once) as provider:
        _, seen = at_terminal(provider, root, "What is next?", COLUMNS="80")
    lines = [line.strip() for line in ANSI.sub("", seen).splitlines()]
    first = lines.index("Let me look.")
    rest = [line for line in lines[first:] if line]
    assert rest[1:3] == ["dctx: status goal=1", "Step 2 is next."]


def test_slash_commands_show_and_change_the_conversation(root: Path) -> None:
    lines = (
        "one",
        "/context",
        "/fork",
        "/undo",
        "/compress",
        "/plan",
        "/vars",
        "/nothing",
        "/help",
    )
    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        code, seen = at_terminal(provider, root, *lines)
        assert len(provider.bodies) == 1
    text = ANSI.sub("", seen)
    assert code == 0
    for words in (
        "instructions", "all of it", "stays as it was", "The last turn is taken back", "There is nothing to sum up",
        "There is no /nothing", "take the last turn back",
    ):  # fmt: skip
        assert words in " ".join(text.split()), words


def test_what_a_model_says_does_not_steer_the_terminal(root: Path) -> None:
    with KeepingProvider(lambda asked, number: [Say("\x1b]0;mine\x07red\x1b[2J")]) as provider:
        _, seen = at_terminal(provider, root, "Hi")
    assert "\x1b]0;" not in seen and "\x1b[2J" not in seen and "red" in seen


class Talking:
    """`dctx chat` on a terminal of its own, where somebody types and presses Ctrl-C."""

    def __init__(self, provider: KeepingProvider, root: Path) -> None:
        self._master, slave = pty.openpty()
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "director_ctx", "chat", "--base-url", f"{provider.url}/v1"],
            cwd=root, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        )  # fmt: skip
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def read_until(self, words: str) -> None:
        while words not in self.seen:
            self.seen += os.read(self._master, 65_536).decode()

    def end(self) -> None:
        self.type("two\n/quit\n")
        with contextlib.suppress(OSError):
            self.read_until("\0")
        os.close(self._master)
        assert self.process.wait(timeout=30) == 0


def said_in(asked: Json) -> list[str]:
    return [item["content"] for item in asked["input"]]


def test_ctrl_c_stops_the_turn_and_not_the_program(root: Path) -> None:
    answered = threading.Event()

    def script(asked: Json, number: int) -> list[Part]:
        if number == 1:
            talking.process.send_signal(signal.SIGINT)
            answered.wait(30)
        return [Say("on")]

    with KeepingProvider(script) as provider:
        talking = Talking(provider, root)
        talking.type("one\n")
        talking.read_until("Stopped.")
        answered.set()
        talking.end()
        assert said_in(provider.asked[-1]) == ["one", "two"] and "on" in talking.seen


def test_what_was_shown_before_ctrl_c_is_told_with_the_next_message(root: Path) -> None:
    answer = "The first paragraph.\n\nThe second one, which is longer than the first by some words."
    script = lambda asked, number: [Say(answer if number == 1 else "on")]  # noqa: E731
    with KeepingProvider(script) as provider:
        provider.second_half = threading.Event()
        talking = Talking(provider, root)
        talking.type("one\n")
        talking.read_until("The first paragraph.")
        talking.process.send_signal(signal.SIGINT)
        talking.read_until("Stopped.")
        provider.second_half.set()
        provider.second_half = None
        talking.end()
        one, shown, two = said_in(provider.asked[-1])
    assert (one, two) == ("one", "two")
    assert shown.startswith("The first paragraph.") and answer.startswith(shown)
    history = process("history", "show", "store", cwd=root).out
    assert "The first paragraph." in history
