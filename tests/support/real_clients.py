"""Real agent clients, run offline against a scripted model: where they are, and what a run of one
leaves.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, plan, process, task, write
from proofs import belongs_to_a_proof

from director_ctx.clients.entries import shell_line
from director_ctx.clients.program import program
from director_ctx.clients.verify.offline_clients import Bench
from director_ctx.clients.verify.run import (
    ClientOutcome,
    command_offline,
    prepare_home,
    run_offline,
)
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest, ScriptedModel

ENVIRONMENT = {"PYTHONPATH": str(ROOT)}
"""With which a client starts the program and the server of this checkout."""
CLIENTS = Path(os.environ.get("DCTX_CLIENTS") or ROOT / ".clients")
NPM = CLIENTS / "node_modules" / ".bin"
PROGRAMS = {
    "claude 2.1.197": NPM / "claude",
    "claude 2.1.326": CLIENTS / "sdk" / "claude_agent_sdk" / "_bundled" / "claude",
    "codex 0.169.0": NPM / "codex",
    "gemini 0.61.0": NPM / "gemini",
    "copilot 1.0.102": NPM / "copilot",
}
WITHOUT_HOOKS = {
    "opencode 1.18.33": CLIENTS / "opencode" / "node_modules" / ".bin" / "opencode",
}
"""Clients that dctx only puts its server into."""


def found(name: str) -> str:
    """Where a client is; without it the test is skipped."""
    belongs_to_a_proof("a real client")
    program = {**PROGRAMS, **WITHOUT_HOOKS}[name]
    if not program.exists() or not shutil.which(program):
        pytest.skip(
            f"{name} is not in {CLIENTS}: `make clients` fetches it where npm and a network are"
        )
    return str(program)


class Place:
    """A project and a home beside it, in which a client is run."""

    def __init__(self, name: str, folder: Path, files: Path | None = None) -> None:
        self.client, self.program = name.split(maxsplit=1)[0], found(name)
        folder = folder.resolve()
        self.root, self.home = folder / "project", folder / "home"
        if files:
            shutil.copytree(files, self.root)
        else:
            (self.root / ".director").mkdir(parents=True)
        self.home.mkdir()
        self.asked: list[ModelRequest] = []
        self.ran: list[ClientOutcome] = []

    def dctx(self, *words: str, path: str = "") -> Result:
        """The program, in this project and with this home; `path` names a client that it can find,
        if any.
        """
        env = {"HOME": str(self.home)}
        if path:
            env["PATH"] = os.pathsep.join((os.path.dirname(path), os.environ["PATH"]))
        return process(*words, cwd=self.root, env=env)

    def own_program(self) -> str:
        """How settings on this machine call dctx."""
        return shell_line(program())

    def command(self, *words: str) -> str:
        """What a command of the client prints that asks no model."""
        nobody = "http://127.0.0.1:9"
        bench = Bench(self.client, (self.program,), str(self.home), str(self.root), nobody)
        prepare_home(bench)
        ran = command_offline(bench, words)
        assert ran.code == 0, ran
        # Gemini CLI says on stderr what others print.
        return ran.out or ran.err

    def install(self, *words: str, what: str = "hooks,agents", client: str = "") -> None:
        to = ("--client", client or self.client)
        done = self.dctx("setup", "--what", what, *to, "--no-verify", "--yes", *words)
        assert done.code == 0, done

    def knows_server(self) -> tuple[str, ...]:
        """The server, written where the client looks for one; the words that its command line
        needs.
        """
        command, *words = (*program(), "mcp")
        server = {"command": command, "args": words, "env": ENVIRONMENT}
        if self.client == "codex":
            variables = f"{{PYTHONPATH={json.dumps(str(ROOT))}}}"
            return (
                "-c", f"mcp_servers.dctx.command={json.dumps(command)}",
                "-c", f"mcp_servers.dctx.args={json.dumps(words)}",
                "-c", f"mcp_servers.dctx.env={variables}",
                "-c", 'mcp_servers.dctx.default_tools_approval_mode="approve"',
            )  # fmt: skip
        file = self.root / ".mcp.json"
        file.write_text(json.dumps({"mcpServers": {"dctx": server}}))
        if self.client == "claude":
            return ("--mcp-config", str(file), "--strict-mcp-config", "--allowedTools", "mcp__dctx")
        return ()

    def settings(self, value: Mapping[str, Any]) -> None:
        """Settings of Claude Code, written by hand."""
        path = self.root / ".claude" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))

    def run(
        self,
        prompts: Sequence[str],
        rules: Sequence[AnswerRule],
        kinds: Sequence[str] = (),
        more: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        before: Sequence[Sequence[str]] = (),
    ) -> list[ModelRequest]:
        """One run for each prompt, the later ones in the same session; what the model was asked.
        Commands of the client that set something up come `before`.
        """
        with ScriptedModel(rules) as model:
            bench = Bench(self.client, (self.program,), str(self.home), str(self.root), model.url)
            prepare_home(bench, *kinds)
            for words in before:
                done = command_offline(bench, words)
                assert done.code == 0, done
            for prompt in prompts:
                resumed = ("--resume", self.session) if self.ran else ()
                self.ran.append(
                    run_offline(
                        bench,
                        prompt,
                        (*more, *resumed),
                        {**ENVIRONMENT, **(environment or {})},
                        seconds=90,
                    )
                )
        self.asked += model.conversations
        return model.conversations

    @property
    def session(self) -> str:
        return str(json.loads(self.ran[-1].out)["session_id"])

    def first(self, *texts: str, without: Sequence[str] = ()) -> str:
        """The first request that has these texts and none of the others."""
        for asked in self.asked:
            if all(text in asked.said for text in texts) and not any(
                text in asked.said for text in without
            ):
                return asked.said
        raise AssertionError(f"the model was never asked {texts}")


NEXT_TASK = "Task [0-9/]+, .*: the next one that is ready and free"
NAMED_TASK = "Task [0-9/]+, .*: your prompt names it"


def sent_whole(said: str, result: Result, prompt: str, head: str, *, behind: bool = False) -> None:
    """Everything that was printed is in what was said, in one piece: after the line that says which
    task it is and why, and before the prompt, or `behind` it.
    """
    text = result.out.rstrip("\n")
    assert result.code == 0 and len(text) > 1_000, result
    before, found, after = said.partition(text)
    assert found and before[-2:] == "\n\n"
    line = before.rstrip("\n").rpartition("\n")[2]
    assert re.match(f"{head}\\. Where your prompt and this context disagree", line), line
    assert prompt in (before if behind else after)


NEXT = "Do the next task."
SEARCH = "Search the repository for PORT."
NAMED = "task 3: Paint the door"


def four_tasks(root: Path, **what: str) -> None:
    """A plan in which every task is ready; what each is about may be told by its number."""
    titles = ("Lay the keel", "Caulk the seams", "Paint the door", "Hang the bell")
    tasks = {}
    for number, title in enumerate(titles, 1):
        about = what.get(f"task_{number}", "Build it.")
        tasks[f"{number:02}-task.md"] = task(title, "Nothing", what=about)
    write(root, {"VISION.md": "# Vision\n\nA boat.\n", **plan(tasks)})


def each_has_its_task(place: Place, ask: str) -> None:
    """Of those that were spawned two were to do the next task, one was to search, and one was given
    a task by its title.
    """
    lines: set[str] = set()
    for asked in place.asked:
        if ask in asked.said:
            assert "<instructions>" not in asked.said
        else:
            lines |= set(re.findall("Task 1/1/[0-9], .*", asked.said))
    assert [line.partition(". ")[0] for line in sorted(lines)] == [
        "Task 1/1/1, Lay the keel: the next one that is ready and free",
        "Task 1/1/2, Caulk the seams: the next one that is ready and free",
        "Task 1/1/3, Paint the door: your prompt names it",
    ]
    assert all("You have it (claim " in line for line in lines)
    search = place.first(SEARCH, without=[ask])
    assert "<instructions>" not in search and "dctx gives you" not in search
    assert place.ran[-1].code == 0, place.ran[-1]


def in_progress(place: Place) -> list[str]:
    found = json.loads(place.dctx("next", "--json").out)["in_progress"]
    return [row["ref"] for row in found]
