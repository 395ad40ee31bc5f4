"""Sessions whose clients do not say how large they are, and those that only a summary was written
in.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from client_sessions import ONE, TWO, Claude, Dctx, codex, listed
from conftest import process, write
from real_clients import found

from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.run import prepare_home
from director_ctx.clients.verify.scripted_model import AnswerRule, ScriptedModel
from director_ctx.history.messages.message import Block, Message
from director_ctx.history.sessions.files import OPENING
from director_ctx.history.summaries.summarize import SummaryJob, prompt_for


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return write(tmp_path / "proj", {"VISION.md": "# Vision\n"}).resolve()


def untold(root: Path, texts: int, size: int) -> Claude:
    """A session whose client writes no numbers."""
    made = Claude(root)
    for number in range(texts):
        (made.said if number % 2 else made.user)(f"{number:04} " + "word " * (size // 5))
    for line in made.lines:
        line["message"].pop("usage", None)
    return made


@pytest.mark.parametrize(("texts", "size"), [(6, 400), (40, 35_000), (3_000, 500)])
def test_the_list_estimates_what_no_client_says_by_both_ends_of_a_file(
    dctx: Dctx, root: Path, texts: int, size: int
) -> None:
    made = untold(root, texts, size)
    made.write()
    assert listed(dctx, root)[0]["tokens"] == pytest.approx(texts * (size + 5) / 4, rel=0.1)
    made.compacted("s" * 400).write()
    assert listed(dctx, root)[0]["tokens"] == 100


# Sessions that a command left which wrote a summary


def summing_up(root: Path, client: str, length: int) -> str:
    """A session in which a client was given a prompt of ours."""
    prompt = prompt_for(
        SummaryJob([Message("user", [Block("text", "word " * length)])], "", 20_000, len)
    )
    if client == "claude":
        made = Claude(root, "dddd4444-0000-4000-8000-000000000000")
        made.lines.append({"type": "queue-operation", "operation": "enqueue", "content": prompt})
        path = made.user(prompt).said("What was said, in short. ZEBRA").write()
    else:
        path = codex(root, prompt)
    os.utime(path, (2e9, 2e9))
    return str(path)


@pytest.mark.parametrize("length", [10, 60_000])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_session_that_only_wrote_a_summary_is_nobodys_conversation(
    dctx: Dctx, root: Path, client: str, length: int
) -> None:
    name = "talk-of-mine"
    Claude(root, name).user("Build the boat, please.").said("There is a keel.").write()
    path = summing_up(root, client, length)
    named = {"claude": "dddd4444", "codex": TWO}[client]
    assert [one["id"] for one in listed(dctx, root)] == [name]
    everything = {one["id"]: one["title"] for one in listed(dctx, root, "--all")}
    assert len(everything) == 2 and any(title.startswith(OPENING) for title in everything.values())
    assert "Build the boat" in dctx("history", "show", cwd=root).out
    assert json.loads(dctx("history", "import", "--json", cwd=root).out)["session"] == name
    assert (
        "Nothing was found" in dctx("history", "search", "COMPRESSION INSTRUCTIONS", cwd=root).err
    )
    assert "word word" in dctx("history", "show", named, cwd=root).out
    for words in ((named,), (named, "--dry-run"), (path,)):
        done = dctx("history", "import", *words, cwd=root)
        assert done.code == 1 and ("is no conversation" in done.err or "no session" in done.err), (
            done
        )
    assert (
        len(json.loads(dctx("history", "show", "store", "--json", cwd=root).out)["messages"]) == 2
    )


def test_a_session_that_speaks_of_such_a_prompt_is_a_conversation(dctx: Dctx, root: Path) -> None:
    made = Claude(root).user("Why does dctx write this?")
    made.called(
        "c1", "Bash", OPENING + " history while " + "x" * 90_000, command="cat prompt.txt"
    ).write()
    assert [one["id"] for one in listed(dctx, root)] == [ONE]
    assert dctx("history", "import", cwd=root).code == 0


@pytest.mark.proof
@pytest.mark.parametrize("version", ["claude 2.1.197", "claude 2.1.326"])
def test_what_claude_code_leaves_of_a_summary_is_nobodys_conversation(
    root: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = found(version)
    (root / "talk.json").write_text(json.dumps([{"role": "user", "content": "word " * 40_000}] * 3))
    summary = "A summary of all that was said, word for word where it matters. " * 20
    with ScriptedModel([AnswerRule(summary)]) as model:
        bench = Bench("claude", (program,), os.environ["HOME"], str(root), model.url)
        prepare_home(bench)
        for name, value in WAYS["claude"].environment(bench).items():
            monkeypatch.setenv(name, value)
        assert process("history", "import", "talk.json", cwd=root).code == 0
        done = process("history", "summarize", "--using", f"'{program}' -p", "--yes", cwd=root)
    assert done.code == 0 and "3 messages are archived" in done.out, done
    assert [
        one["client"] for one in json.loads(process("history", "list", "--json", cwd=root).out)
    ] == ["store"]
    everything = json.loads(process("history", "list", "--json", "--all", cwd=root).out)
    assert [one["client"] for one in everything if one["title"].startswith(OPENING)] == ["claude"]
    assert process("history", "import", cwd=root).code == 1


def test_instructions_of_a_client_are_no_title(dctx: Dctx, root: Path) -> None:
    path = codex(root, "Paint it")
    text = "# AGENTS.md instructions for /x"
    first, *others = path.read_text().splitlines()
    told = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }
    path.write_text(
        "\n".join([first, json.dumps({"type": "response_item", "payload": told}), *others])
    )
    assert [one["title"] for one in listed(dctx, root)] == ["Paint it"]
