"""The histories of real clients, written by them here and now: read, shortened, and taken up by the
same client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from real_clients import PROGRAMS, Place

from director_ctx.clients.verify import run
from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest, ScriptedModel
from director_ctx.clients.verify.scripted_wires import ScriptedCall
from director_ctx.history.compress.compress import compress
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import (
    RESULT,
    TEXT,
    USER,
    Conversation,
    Message,
    measure,
    said,
)
from director_ctx.history.messages.turns import turns
from director_ctx.history.valid.check import check

pytestmark = pytest.mark.proof

FILES = {
    "claude": ".claude/projects/*/*.jsonl",
    "codex": ".codex/sessions/*/*/*/*.jsonl",
}
FORMS = {"claude": "claude-code", "codex": "codex"}
CLAUDES = [name for name in PROGRAMS if name.startswith("claude")]
EARLY, READ, MORE, LAST = "EARLY WORDS", "READ THE FILE", "AND SOME MORE", "A LAST QUESTION"
SECRET = "alphabetical"
SUMMARY = AnswerRule("A summary of what was said.", when="create a detailed summary")


def reading(place: Place) -> tuple[ScriptedCall, ...]:
    """Calls that read the file, as each client knows them; several at once where it can do that."""
    path = str(place.root / "a.txt")
    return {
        "claude": (
            ScriptedCall("Read", {"file_path": path}),
            ScriptedCall("Bash", {"command": "cat a.txt; exit 3", "description": "c"}),
        ),
        "codex": (ScriptedCall("exec_command", {"cmd": "cat a.txt"}),),
    }[place.client]


def again(client: str, prompt: str) -> Sequence[str]:
    """The arguments that go on with the newest session."""
    if client == "codex":
        return (
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--json",
            "resume",
            "--last",
            prompt,
        )
    return (*WAYS[client].arguments(prompt), "--continue")


class Talk:
    """A session of a client that goes on, and what its model is asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.place = Place(name, folder)
        self.client = self.place.client
        (self.place.root / "a.txt").write_text(f"{SECRET}\nbeta\n")
        self.model = ScriptedModel(
            [
                SUMMARY,
                AnswerRule("Looking.", reading(self.place), READ, RESULTS[self.client]),
                AnswerRule("done"),
            ]
        )
        self.bench = Bench(
            self.client,
            (self.place.program,),
            str(self.place.home),
            str(self.place.root),
            self.model.url,
        )
        run.prepare_home(self.bench)
        self.begun = False

    def say(self, prompt: str) -> list[ModelRequest]:
        way, before = WAYS[self.client], len(self.model.conversations)
        more = ("--allowedTools", "Bash Read") if self.client == "claude" else ()
        words = again(self.client, prompt) if self.begun else way.arguments(prompt)
        ran = run.command_offline(self.bench, (*words, *more), seconds=90)
        assert ran.code == 0, ran
        self.begun = True
        return self.model.conversations[before:]

    @property
    def path(self) -> Path:
        return max(self.place.home.glob(FILES[self.client]), key=lambda path: path.stat().st_size)


RESULTS = {client: way.result for client, way in WAYS.items()}


@pytest.fixture(scope="module", params=[*CLAUDES, "codex 0.169.0"])
def talk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Talk]:
    made = Talk(str(request.param), tmp_path_factory.mktemp("talk"))
    with made.model:
        for prompt in (EARLY, READ, MORE):
            made.say(prompt)
        yield made


def texts(conversation: Conversation) -> list[str]:
    return [block.text for message in conversation.messages for block in message.blocks]


def shorter(conversation: Conversation) -> list[Message]:
    """Without the turn that answers the first prompt, and without what was in the file."""
    measure(conversation.messages, len)
    made: list[Message] = []
    for row in turns(conversation.messages):
        first = conversation.messages[row[0]]
        if first.role == USER and EARLY in first.blocks[0].text:
            made.append(said("What was said early is in the archive.", USER, len))
            continue
        for place in row:
            message = conversation.messages[place]
            blocks = [
                one.changed("[cut dctx:123456789abc]", "cut", len)
                if one.kind == RESULT and SECRET in one.text
                else one
                for one in message.blocks
            ]
            made.append(message if blocks == list(message.blocks) else message.with_blocks(blocks))
    return made


def test_a_session_of_a_client_is_read_and_taken_up_again_when_it_is_shorter(talk: Talk) -> None:
    data = talk.path.read_bytes()
    conversation = read(data)
    assert conversation.format == FORMS[talk.client] and check(conversation) == []
    assert write(conversation, conversation.messages) == data
    found = texts(conversation)
    assert all(any(prompt in text for text in found) for prompt in (EARLY, READ, MORE))
    assert sum(SECRET in text for text in found) == sum(
        SECRET in block.text for one in conversation.messages for block in one.blocks if block.kind == RESULT
    ) > 0  # fmt: skip
    short = write(conversation, shorter(conversation))
    assert check(read(short)) == []
    talk.path.write_bytes(short)
    sent = json.dumps(next(asked for asked in talk.say(LAST) if LAST in asked.said).body)
    assert (
        "in the archive" in sent
        and "[cut dctx:123456789abc]" in sent
        and READ in sent
        and MORE in sent
    )
    assert EARLY not in sent and SECRET not in sent


@pytest.mark.parametrize("name", CLAUDES)
def test_after_a_compaction_what_is_read_is_what_the_model_is_sent(
    name: str, tmp_path: Path
) -> None:
    talk = Talk(name, tmp_path)
    with talk.model:
        for prompt in (EARLY, READ, "/compact", MORE):
            talk.say(prompt)
        conversation = read(talk.path.read_bytes())
        said_by_model = [
            one.blocks[0].text for one in conversation.messages if one.role == "assistant"
        ]
        sent = "\n".join(one for asked in talk.say(LAST) for one in [asked.said])
    assert check(conversation) == [] and not any(EARLY in text for text in texts(conversation))
    assert EARLY not in sent and said_by_model[-1] == "done"
    plain = [
        block.text for one in conversation.messages for block in one.blocks if block.kind == TEXT
    ]
    assert sum("A summary of what was said." in text for text in plain) == 1 and any(
        MORE in text for text in plain
    )
    for part in "\n".join(plain).splitlines():
        assert part.strip()[:200] in sent, part


@pytest.mark.parametrize("name", CLAUDES)
def test_the_file_of_a_spawned_agent_is_read(name: str, tmp_path: Path) -> None:
    place = Place(name, tmp_path)
    spawn = ScriptedCall(
        "Agent|Task",
        {"description": "Work", "prompt": "COUNT THEM", "subagent_type": "general-purpose"},
    )
    place.run(
        ["SPAWN"], [AnswerRule("I spawn.", (spawn,), "SPAWN", "tool_result"), AnswerRule("done")]
    )
    (path,) = place.home.glob(".claude/projects/*/*/subagents/*.jsonl")
    conversation = read(path.read_bytes())
    assert conversation.format == "claude-code" and texts(conversation)[0] == "COUNT THEM"
    assert texts(conversation)[-1] == "done" and check(conversation) == []
    assert write(conversation, conversation.messages) == path.read_bytes()


@pytest.mark.parametrize("name", CLAUDES)
def test_a_blank_line_in_a_session_is_not_sent_by_its_client_and_not_called_wrong(
    name: str, tmp_path: Path
) -> None:
    talk = Talk(name, tmp_path)
    with talk.model:
        talk.say(EARLY)
        lines = [json.loads(line) for line in talk.path.read_bytes().splitlines()]
        last = next(line for line in reversed(lines) if line.get("type") == "assistant")
        message = {
            **last["message"],
            "id": "msg_blank",
            "content": [{"type": "text", "text": "\n\n"}],
        }
        blank = {
            **last,
            "uuid": "f" * 8 + last["uuid"][8:],
            "parentUuid": last["uuid"],
            "message": message,
        }
        talk.path.write_text("\n".join(map(json.dumps, [*lines, blank])) + "\n")
        conversation = read(talk.path.read_bytes())
        assert check(conversation) == [] and conversation.messages[-1].blocks[0].text == "\n\n"
        body = next(asked.body for asked in talk.say(LAST) if LAST in asked.said)
    sent = [part for one in body["messages"] for part in one["content"] if isinstance(part, dict)]
    assert "done" in [part.get("text") for part in sent]
    assert all(part["text"].strip() for part in sent if part["type"] == "text")


@pytest.mark.parametrize("name", CLAUDES)
def test_a_conversation_of_another_format_is_taken_up_by_a_client(
    name: str, tmp_path: Path
) -> None:
    talk = Talk(name, tmp_path)
    other = [{"role": "system", "content": "BE KIND"}, {"role": "user", "content": "THE TASK"},
             {"role": "assistant", "content": "DONE SO"}]  # fmt: skip
    with talk.model:
        talk.say(EARLY)
        made = compress(json.dumps(other).encode(), to=FORMS[talk.client], archive=False)
        talk.path.write_bytes(made.data)
        sent = json.dumps(next(asked for asked in talk.say(LAST) if LAST in asked.said).body)
    assert EARLY not in sent and 0 < sent.index("BE KIND") < sent.index("THE TASK") < sent.index(
        "DONE SO"
    )
    here = read(talk.path.read_bytes()).messages
    assert "THE TASK" in next(one.blocks[0].text for one in here if one.role == USER)
