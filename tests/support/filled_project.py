"""The example with something on every page of `dctx ui`: contexts that were told, a conversation
that was compressed and one that was summed up, variables with secrets, records and notes that lag
behind, and hooks that fail.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import chromium
from client_sessions import ONE, TWO, Claude, codex
from conftest import commit, process
from pages import Pages, pages

from director_ctx import assemble, load_project
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint, ChatRow
from director_ctx.memory.plans.set_task import set_task
from director_ctx.memory.store.open import open_conversation
from director_ctx.memory.variables.variables import set_variable

NAME = "reading"
CHAT = "cccccccc-2222-4000-8000-000000000003"
SECRETS = ("ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "sk-hidden-1234567890", "hunter2-hunter2")
"""None of them may come to a page in any form."""
LONG = "x" * 120
WIDE = f"""
    {LONG} {LONG}

| {" | ".join("a column" for _ in range(12))} |
|{"---|" * 12}
| {" | ".join(LONG[:20] for _ in range(12))} |
"""
"""Code and a table that no screen has room for."""


def filled_project(example: Path, folder: Path) -> Path:
    """Everything but what only a running page does."""
    root = Path(shutil.copytree(example, folder / NAME))
    project = load_project(root)
    set_task(project, "2/1/3", "in_progress", reason="An agent began it")
    set_task(project, "2/1/4", "failed", note=f"A long word: {LONG}", reason=f"Broke {LONG}")
    for agent in ("planner", "builder", "verifier", "builder"):
        assemble(load_project(root), agent, record=True)
    assemble(load_project(root), "builder", budget=900, record=True)

    set_variable(project, "node7.emails", [{"subject": LONG}] * 14, "Extracted by a node")
    set_variable(project, "api_key", SECRETS[1], "From the vault")
    set_variable(project, "login", {"user": "ada", "password": SECRETS[2]}, "For the feed")
    document = next(root.rglob("03-page-for-each-friend.md"))
    document.write_text(document.read_text() + WIDE)
    _lag_behind(root)
    _converse(root)
    _chat(root)
    return root


def _lag_behind(root: Path) -> None:
    state = root / ".director/STATE.md"
    state.write_text(state.read_text().replace("Task 2", "Task 1"))
    commit(root, "feat: read <b>feeds</b>", {"app.py": "print('anew')\n"})
    settings = root / ".claude/settings.local.json"
    settings.parent.mkdir(exist_ok=True)
    hook = {"type": "command", "command": "/gone/dctx hook --client claude"}
    entry = {"matcher": "Agent|Task", "hooks": [hook]}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    log = root / ".director/.dctx/hooks.log"
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    log.write_text(f"{now} claude PreToolUse: <b>it broke</b> {LONG}\n")


def _chat(root: Path) -> None:
    """As `dctx chat` leaves one."""
    rows = (
        ChatRow(1, "user", f"What of <b>{LONG}</b>?"),
        ChatRow(2, "tool_call", f'{{"at": "{LONG}"}}', "look", "c1", usage={"input": 9, "output": 2, "requests": 1}),
        ChatRow(3, "tool", f"TOKEN={SECRETS[0]}\nok", "look", "c1", error=True),
        ChatRow(4, "assistant", f"It is **{LONG}**, with TOKEN={SECRETS[0]}."),
    )  # fmt: skip
    point = ChatPoint(1, "turn", "openai", "gpt-6.1-terra", "resp_1", 11, {"until": 4})
    with open_conversation(load_project(root), write=True) as store:
        chats.keep(store, CHAT, ChatNews(rows, point))


def _converse(root: Path) -> None:
    talk = Claude(root).user(f"Fix the <b>list</b> of links, and {LONG}.")
    talk.called("t", "Bash", f"TOKEN={SECRETS[0]}\nok", command="env")
    for number in range(20):
        file = f"{root}/src/a_folder_with_a_long_name/page_{number}.py"
        talk.called(f"a{number}", "Read", f"line {number}\n" * 200, file_path=file)
        talk.said(f"Page {number} reads the list.", tokens=1_000 + 8_000 * number)
    talk.compacted("Summary: the list was fixed.")
    for number in range(20):
        talk.called(f"b{number}", "Bash", f"ok {number}\n" * 200, command=f"pytest -k {number}")
    talk.said("It is done.", tokens=40_000).write()
    codex(root, "Another <i>one</i>.")


@pytest.fixture
def filled_site(example: Path, tmp_path: Path) -> Iterator[Pages]:
    """Its page, with what only a page does, and a browser whose tabs it shows."""
    root = filled_project(example, tmp_path)
    assert process("history", "import", TWO, cwd=root).code == 0
    with (
        chromium(tmp_path / "profile") as browser,
        pages(root, DCTX_CDP=browser.url) as site,
    ):
        compressed(site)
        yield site


def compressed(site: Pages) -> None:
    """What only a page does: a session and the store's conversation are made shorter."""
    site.send(f"/{NAME}/conversations/{ONE}/compress", {"keep": "30"})
    store = f"/{NAME}/conversations/store"
    last = site.ask(f"{store}/compress.json").json["last"]
    site.send(f"{store}/compress", {"last": last})


def addresses_of_pages(site: Pages) -> dict[str, tuple[str, ...]]:
    """By the name of each page, where something is to be seen of it."""
    compressions = site.ask(f"/{NAME}/compressions.json").json
    (receipt,) = compressions["receipts"]
    (summary,) = compressions["summaries"]
    told = site.ask(f"/{NAME}/told.json").json["contexts"]
    cut, newest = f"told/{told[0]['id']}", f"told/{told[1]['id']}"
    session = f"conversations/{ONE}"
    return {
        "now": ("now",),
        "plan": ("plan", "plan?as=board"),
        "plan_history": ("plan/history",),
        "plan_version": ("plan/versions/2",),
        "project": ("project",),
        "goal": ("goals/2", "goals/2/1"),
        "task": ("tasks/2/1/3", "tasks/2/1/3?at=12", "tasks/2/1/4"),
        "told": ("told", "told?words=friend", "told?agent=builder"),
        "told_context": (cut, newest, f"{newest}?against=now"),
        "conversations": ("conversations", "conversations?q=line+3"),
        "conversation": (session, f"{session}?part=tools%7CBash", "conversations/store"),
        "message": (f"{session}/messages/2",),
        "compress": (f"conversations/{TWO}/compress", f"{session}/compress"),
        "chat": ("chats/new", f"chats/{CHAT}"),
        "compressions": ("compressions",),
        "compression": (f"compressions/{receipt['receipt'][:12]}", f"compressions/{summary['id']}"),
        "budget": ("budget",),
        "variables": ("variables",),
        "variable": ("variable?name=node7.emails", "variable?name=login"),
        "health": ("health",),
    }
