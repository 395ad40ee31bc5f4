"""A conversation that fills its context: said from a mark on, and then a summary takes its place.
Nothing gets lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pg
import pytest
from conftest import Result, plan, process, task, write

from director_ctx import assemble, load_project
from director_ctx.context.ladder import OLDER
from director_ctx.context.settings.filling import PROMPT, SESSION, STORE, advice, sentence
from director_ctx.memory.conversations import messages
from director_ctx.memory.conversations import summaries as rows
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import new_id

Run = Callable[..., Result]
FILES = {"VISION.md": "# Vision\n\nBoats.\n", **plan({"01-one.md": task("Hull")})}
WORDS = "We choose oak instead of ash, because it lasts. " * 166
"""Some 2,000 tokens."""


@pytest.fixture(params=["sqlite", pg.POSTGRESQL])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store is in either database."""
    if request.param == "postgresql":
        url = request.getfixturevalue("server").database()
        pg.migrated(url).close()
        monkeypatch.setenv("DCTX_STORE", url)
    return write(tmp_path / "proj", {**FILES, "dctx.yaml": f"workflow_id: {new_id()}\n"})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project with its own file."""
    return write(tmp_path / "proj", FILES)


def say(root: Path, count: int) -> None:
    """So many messages of 2,000 tokens."""
    said = []
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        said.append((role, f"Number {number}. {WORDS}", {"kind": "said"}))
    with open_store(load_project(root=str(root)), write=True) as store:
        messages.add(store, said)


def stored(root: Path) -> list[messages.StoredMessage]:
    with open_store(load_project(root=str(root))) as store:
        return messages.all_messages(store)


def archived(root: Path) -> int:
    return sum(one.archived for one in stored(root))


def summaries(root: Path) -> list[rows.Compression]:
    with open_store(load_project(root=str(root))) as store:
        return rows.compressions(store)


def test_a_full_context_is_compressed_and_says_so_and_every_word_can_be_had_back(
    root: Path, dctx: Run
) -> None:
    say(root, 96)
    before = stored(root)
    done = dctx("assemble", "director", cwd=root)
    (made,) = summaries(root)
    name = made.id[:8]

    six, _, seven = done.out.partition("(6) CONVERSATION HISTORY\n")[2].partition(
        "\n\n(7) COMPRESSED CONTEXT\n"
    )
    assert six.startswith("User 1: Number 94. ") and "\n\nDirector 1: Number 95. " in six
    line = seven.partition("\n")[0]
    assert line == (
        "(compressed: 94 messages became this summary when the context was full;"
        f" `dctx history show store` shows them, `dctx restore {name}` opens them again)"
    )
    assert "We choose oak instead of ash, because it lasts." in seven and OLDER not in done.out
    (said,) = [one for one in done.err.splitlines() if "archived" in one]
    assert "so 94 messages are archived now" in said and f"`dctx restore {name}` undoes it" in said
    assert (made.created_by, made.summarizer, made.count) == ("automatic", "extractive", 94)
    assert archived(root) == 94 and len(done.out) < 25_000 * 4

    assert dctx("restore", name, cwd=root).code == 0
    assert stored(root) == before


def test_it_is_compressed_once_and_the_next_contexts_are_the_same_bytes(
    own: Path, dctx: Run
) -> None:
    say(own, 96)
    first = dctx("assemble", "director", cwd=own)
    second = dctx("assemble", "director", cwd=own)
    assert first.out == second.out and "archived" not in second.err
    assert len(summaries(own)) == 1


def test_the_next_one_builds_on_it(own: Path, dctx: Run) -> None:
    for _ in range(2):
        say(own, 96)
        assert dctx("assemble", "director", cwd=own).code == 0
    first, second = summaries(own)
    assert second.previous == first.id
    text = dctx("assemble", "director", cwd=own).out
    assert text.count("(compressed: ") == 1 and f"`dctx restore {second.id[:8]}`" in text


def test_who_wants_to_be_asked_is_told_what_was_left_out(root: Path, dctx: Run) -> None:
    settings = root / ".director" / "dctx.yaml"
    settings.write_text(f"{settings.read_text()}compress: false\n")
    say(root, 96)
    done = dctx("assemble", "director", cwd=root)
    assert archived(root) == 0 and summaries(root) == []
    assert done.out.partition("(6) CONVERSATION HISTORY\n")[2].startswith(f"{OLDER}\n\n")
    assert "Number 80." not in done.out and "Number 95." in done.out
    assert "urgent from 180,000 on: it is full. `dctx history summarize` puts a summary" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("assemble", "director", "--no-record"),
        ("assemble", "director", "--explain"),
        ("assemble", "director", "--only", "conversation_history"),
        ("assemble", "director", "--without", "conversation_history"),
        ("assemble", "builder"),
        ("budget", "director"),
        ("budget", "director", "--json"),
        ("budget", "director", "--what-if"),
        ("budget", "--all"),
        ("history", "summarize", "--dry-run"),
    ],
    ids=" ".join,
)
def test_whoever_only_looks_changes_no_conversation(
    words: tuple[str, ...], own: Path, dctx: Run
) -> None:
    say(own, 96)
    assert dctx(*words, cwd=own).code == 0
    assert archived(own) == 0 and summaries(own) == []


def test_the_library_only_says_it(own: Path) -> None:
    say(own, 96)
    made = assemble(load_project(root=str(own)), "director")
    assert archived(own) == 0 and OLDER in made.text
    assert any("urgent from 180,000 on" in one for one in made.warnings) and made.whole > 190_000


def test_a_small_budget_of_its_own_only_cuts_and_says_where_the_rest_is(
    own: Path, dctx: Run
) -> None:
    say(own, 20)
    done = dctx("assemble", "director", "--budget", "9000", cwd=own)
    assert archived(own) == 0
    assert done.out.count(OLDER) == 1 and "Number 19." in done.out and "Number 3." not in done.out


def test_a_larger_budget_of_its_own_has_room(own: Path, dctx: Run) -> None:
    say(own, 96)
    done = dctx("assemble", "director", "--budget", "400k", "--window", "1m", cwd=own)
    assert archived(own) == 0 and "Number 0." in done.out and "urgent from 180,000 on" in done.err


def test_the_marks_are_the_projects_own(own: Path, dctx: Run) -> None:
    write(own, {"dctx.yaml": "hooks: {warn: 9000, urgent: 20000}\n"})
    say(own, 5)
    assert "a warning from 9,000 on" in dctx("assemble", "director", cwd=own).err
    say(own, 6)
    assert dctx("assemble", "director", cwd=own).code == 0
    assert archived(own) == 9


def test_what_is_full_of_other_things_is_not_compressed(own: Path, dctx: Run) -> None:
    say(own, 2)
    write(
        own,
        {"instructions/x.md": "x", "VISION.md": "# Vision\n\n" + "A very long vision. " * 45_000},
    )
    done = dctx("assemble", "director", "--with", "vision", cwd=own)
    assert done.code == 0 and archived(own) == 0 and summaries(own) == []


def test_json_stays_json_and_has_the_word_about_it(own: Path, dctx: Run) -> None:
    say(own, 96)
    done = dctx("assemble", "director", "--format", "json", cwd=own)
    found = json.loads(done.out)
    assert archived(own) == 94 and any("archived now" in one for one in found["warnings"])


def test_a_store_that_only_gives_still_gives_a_context(
    tmp_path: Path, server: pg.Server, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.database()
    pg.migrated(url).close()
    monkeypatch.setenv("DCTX_STORE", url)
    root = write(tmp_path / "proj", {**FILES, "dctx.yaml": f"workflow_id: {new_id()}\n"})
    say(root, 96)
    name, database = f"u{os.urandom(4).hex()}", url.partition("@/")[2].partition("?")[0]
    server.ask(f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")
    server.ask(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}", database)
    monkeypatch.setenv("DCTX_STORE", url.replace("postgres@", f"{name}:secret@", 1))
    assert dctx("store", "migrate", "--yes", cwd=root).code == 0
    done = dctx("assemble", "director", cwd=root)
    assert done.code == 0 and OLDER in done.out
    assert "the conversation fills the context, and could not be compressed: " in done.err
    assert "Traceback" not in done.err and archived(root) == 0


def test_of_several_at_once_one_compresses_and_all_have_its_summary(root: Path) -> None:
    say(root, 96)
    command = [sys.executable, "-m", "director_ctx", "assemble", "director", "--root", str(root)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    for one in running:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0 and b"(7) COMPRESSED CONTEXT" in out, err
        assert b"could not" not in err and OLDER.encode() not in out
    assert len(summaries(root)) == 1 and archived(root) == 94


def spawned(root: Path) -> Result:
    event = {
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(root), "tool_name": "Task",
        "tool_input": {"subagent_type": "leader", "prompt": "Lead the work.", "description": "x"},
    }  # fmt: skip
    return process("hook", "--client", "claude", cwd=root, stdin=json.dumps(event).encode())


def test_a_hook_waits_for_no_summary_and_the_next_one_has_it(own: Path) -> None:
    write(own, {"dctx.yaml": "hooks: {agents: {leader: director}}\n"})
    say(own, 96)
    answer = spawned(own)
    assert OLDER in json.loads(answer.out)["hookSpecificOutput"]["updatedInput"]["prompt"]
    until = time.monotonic() + 60
    while not summaries(own) and time.monotonic() < until:
        time.sleep(0.1)
    assert archived(own) == 94
    later = json.loads(spawned(own).out)["hookSpecificOutput"]["updatedInput"]["prompt"]
    assert OLDER not in later and "(compressed: 94 messages became this summary" in later


def test_a_hook_compresses_nothing_where_the_project_wants_to_be_asked(own: Path) -> None:
    write(own, {"dctx.yaml": "compress: false\nhooks: {agents: {leader: director}}\n"})
    say(own, 96)
    spawned(own)
    time.sleep(2)
    assert archived(own) == 0


@pytest.mark.parametrize(
    ("count", "mark"), [(70, ""), (83, "a warning from 160,000 on"), (95, "urgent from 180,000")]
)
def test_every_way_to_the_stores_conversation_says_how_full_it_is(
    count: int, mark: str, own: Path, dctx: Run, tmp_path: Path
) -> None:
    (own / ".director/dctx.yaml").write_text("compress: false\n")
    talk = [
        {"role": ("assistant" if n % 2 else "user"), "content": f"Number {n}. {WORDS}"}
        for n in range(count)
    ]
    (tmp_path / "talk.json").write_text(json.dumps(talk))
    ways = [
        ("history", "import", str(tmp_path / "talk.json")),
        ("assemble", "director"),
        ("budget", "director"),
    ]
    for words in ways:
        done = dctx(*words, cwd=own)
        said = [line for line in done.err.splitlines() if "Context window: " in line]
        assert len(said) == bool(mark), (words, done.err)
        assert mark in done.err and ("`dctx history summarize`" in done.err) == bool(mark)
        assert "/compact" not in done.err
    told: Any = json.loads(dctx("budget", "director", "--json", cwd=own).out)
    assert any(mark in one for one in told["warnings"]) if mark else told["warnings"] == []


def test_there_is_one_wording_for_every_place() -> None:
    assert sentence(159_999, 160_000, 180_000) == ""
    assert sentence(160_000, 160_000, 180_000) == (
        "Context window: 160,000 tokens are in use, a warning from 160,000 on: it is filling up."
    )
    assert sentence(180_000, 160_000, 180_000) == (
        "Context window: 180,000 tokens are in use, urgent from 180,000 on: it is full."
    )
    texts = {
        advice(place, state) for place in (PROMPT, SESSION, STORE) for state in ("warning", "full")
    }
    assert len(texts) == 6 and all(text.endswith(".") for text in texts)
