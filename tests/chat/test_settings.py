"""What a program gives a conversation, and cannot mean, is refused before anything is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asking_models import Say
from chats import LOOK, keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx import DirectorConversation, OwnTool
from director_ctx.base.errors import UsageProblem
from director_ctx.chat.exchange import TurnLimits

Json = dict[str, Any]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def named(name: str) -> OwnTool:
    return OwnTool({**LOOK, "name": name}, str)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"own_tools": [looking(), looking()]}, "two tools 'look'"),
        ({"own_tools": [named("status")]}, "two tools 'status'"),
        ({"own_tools": [named("bad name")]}, "'bad name' is no name"),
        ({"own_tools": [named("n" * 65)]}, "is no name"),
        ({"own_tools": [OwnTool({"type": "web_search"}, str)]}, "is no name"),
        ({"write": "foo"}, "'foo' is nothing that can be changed"),
        ({"write": ["plan", "foo"]}, "'foo' is nothing that can be changed"),
        ({"retries": -1}, "retries is -1"),
        ({"every": 0}, "every is 0"),
        ({"limits": TurnLimits(rounds=0)}, "limits.rounds is 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(root: str, options: Json, said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        DirectorConversation(root, model="gpt-6.1-terra", **options)


@pytest.mark.parametrize("write", ["plan,variables", ["plan", "variables"], ("plan", "variables")])
def test_what_may_be_changed_is_a_list_or_has_commas_between(root: str, write: Any) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as provider,
        talk(provider, root, write=write) as chat,
    ):
        assert chat._tools._service.writable == ("plan", "variables")
        assert chat.say("Hi").ended == "answered"
