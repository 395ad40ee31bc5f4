"""An answer that was cut off, refused, or empty says so: in the turn, on stderr, by the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from chats import keys, looking, project_in, talk
from conftest import process
from keeping_provider import KeepingProvider

from director_ctx.chat.exchange import TurnLimits

Json = dict[str, Any]
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"
ENDINGS = (
    (OPENAI, "max_output_tokens", "as many tokens"),
    (OPENAI, "content_filter", "filter"),
    (OPENAI, "refusal", "refused"),
    (CLAUDE, "max_tokens", "as many tokens"),
    (CLAUDE, "refusal", "refused"),
    (CLAUDE, "pause_turn", "paused"),
    (CLAUDE, "something_new", "something new"),
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("model", "reason", "why"), ENDINGS)
def test_an_answer_that_was_cut_off_says_why(
    root: str, model: str, reason: str, why: str, stream: bool
) -> None:
    on_text = (lambda piece: None) if stream else None
    with (
        KeepingProvider(lambda asked, number: [Say("As far as")]) as provider,
        talk(provider, root, model=model) as chat,
    ):
        provider.cut = {1: reason}
        turn = chat.say("Hi", on_text)
        assert (turn.ended, turn.text) == ("incomplete", "As far as")
        assert why in turn.why and turn.hint
        assert chat.say("on", on_text).ended == "answered" and not provider.refusals


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
def test_an_answer_with_nothing_in_it_says_so(root: str, model: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [] if number == 1 else [Say("a")]) as provider,
        talk(provider, root, model=model) as chat,
    ):
        turn = chat.say("Hi")
        assert turn.ended == "incomplete" and "answered nothing" in turn.why
        assert chat.say("on").ended == "answered" and not provider.refusals


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("model", "reason"), [(OPENAI, "max_output_tokens"), (CLAUDE, "max_tokens")]
)
def test_a_call_that_was_cut_off_is_said_and_never_waited_for(
    root: str, model: str, reason: str, stream: bool
) -> None:
    on_text = (lambda piece: None) if stream else None
    parts: list[Part] = [Say("Let me look."), Call("look", at="x")]
    with (
        KeepingProvider(lambda asked, number: parts if number == 1 else [Say("a")]) as provider,
        talk(provider, root, model=model, own_tools=[looking(20)]) as chat,
    ):
        provider.cut = {1: reason}
        turn = chat.say("Hi", on_text)
        assert turn.ended == "incomplete" and "A call of a tool was cut off" in turn.why
        assert not turn.results
        assert chat.say("on", on_text).ended == "answered" and not provider.refusals


def test_calls_before_one_that_was_cut_off_are_carried_out(root: str) -> None:
    parts: list[Part] = [Call("look", at="x"), Call("look", at="y")]
    with (
        KeepingProvider(lambda asked, number: parts if number == 1 else [Say("a")]) as provider,
        talk(provider, root, own_tools=[looking(20)]) as chat,
    ):
        provider.cut = {1: "max_output_tokens"}
        turn = chat.say("Hi")
        assert turn.ended == "answered" and len(turn.results) == 1
        assert not provider.refusals


def on_command_line(provider: KeepingProvider, root: str, *words: str) -> Any:
    return process("chat", "--base-url", f"{provider.url}/v1", *words, cwd=Path(root))


def test_a_script_sees_that_an_answer_is_not_whole(root: str) -> None:
    with KeepingProvider(lambda asked, number: [Say("As far as")]) as provider:
        provider.cut = {1: "max_output_tokens", 2: "content_filter"}
        done = on_command_line(provider, root, "Hi")
        assert done.code == 1 and done.out == "As far as\n"
        assert (
            done.err.startswith("dctx: The answer was cut off") and "hint: Say 'Go on.'" in done.err
        )
        done = on_command_line(provider, root, "Hi", "--json")
        told = json.loads(done.out)
        assert done.code == 1 and "filter" in done.err
        assert told["ended"] == "incomplete" and "filter" in told["why"]


def test_a_script_sees_that_a_turn_was_stopped_at_its_limit(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KeepingProvider(lambda asked, number: [Call("status")]) as provider:
        done = on_command_line(provider, root, "Hi", "--json")
        told = json.loads(done.out)
        assert done.code == 1 and told["ended"] == "limited"
        assert "at most 25 requests" in done.err and "hint: Say 'Go on.'" in done.err
        assert on_command_line(provider, root, "Hi").code == 1


def test_a_turn_at_its_limit_says_how_it_goes_on(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Call("look", at="x")]) as provider,
        talk(provider, root, own_tools=[looking(20)], limits=TurnLimits(rounds=2)) as chat,
    ):
        turn = chat.say("Hi")
        assert turn.ended == "limited" and "Go on." in turn.hint
