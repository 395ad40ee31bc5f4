"""A repository that names the workflow of another project sees nothing of it in a store that the
user shares.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pg
import pytest
from conftest import Result, plan, process, task, write
from hook_answers import heard
from kept_plans import keep_plan

from director_ctx.context.settings import consents
from director_ctx.memory.store.store import new_id

Run = Callable[..., Result]
Figure = Callable[[str, str], None]
SECRET = "hunter2-of-the-victim"
COMMANDS = (
    "vars show", "vars show --json", "vars show note", "vars show --history", "vars show note --reveal",
    "plan show", "plan show --json", "plan show --versions", "store export", "store show", "status --nodes",
    "assemble director", "assemble builder --with vars,plan", "history list", "status", f"history search {SECRET}",
    "history list --summaries", "budget director",
)  # fmt: skip
WRITES = (
    "vars set note evil --reason Mine", "vars clear --all --yes --reason Gone",
    "vars set evil evil --reason Mine",
)  # fmt: skip
EVENTS: dict[str, dict[str, Any]] = {
    "begins": {"hook_event_name": "SessionStart", "session_id": "s1", "source": "compact"},
    "compacts": {"hook_event_name": "PreCompact", "session_id": "s1", "trigger": "auto"},
    "spawns": {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Agent",
               "tool_input": {"prompt": "Do it.", "subagent_type": "director:director-director"}},
}  # fmt: skip


@pytest.fixture(params=["file", pg.POSTGRESQL])
def shared(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store that the user exported for all their projects."""
    if request.param == "file":
        url = str(tmp_path / "all.db")
    else:
        url = request.getfixturevalue("server").database()
        pg.migrated(url).close()
    monkeypatch.setenv("DCTX_STORE", url)
    return url


def made(root: Path, workflow: str) -> Path:
    vision = {"VISION.md": "# Vision\n\n## Project Name\nBoat\n\nA boat.\n"}
    return write(
        root,
        {**vision, **plan({"01-one.md": task("One")}), "dctx.yaml": f"workflow_id: {workflow}\n"},
    )


def victim(root: Path, workflow: str, dctx: Run) -> Path:
    """A project that keeps something."""
    made(root, workflow)
    assert dctx("vars", "set", "note", SECRET, "--reason", SECRET, cwd=root).code == 0
    keep_plan(root, SECRET)
    return root


def seen(root: Path, dctx: Run) -> list[str]:
    """Which commands and events show what is kept in the store."""
    shown = [line for line in COMMANDS if told(dctx(*line.split(), cwd=root))]
    return shown + [name for name, event in EVENTS.items() if told(heard(root, event))]


def told(done: Result | str) -> bool:
    """What is hidden is shown by its name, and counts as told."""
    said = done if isinstance(done, str) else done.out + done.err
    return SECRET in said or "note" in said


def test_a_foreign_repository_sees_and_changes_nothing_of_a_workflow_that_it_names(
    shared: str, tmp_path: Path, dctx: Run, figure: Figure
) -> None:
    workflow = new_id()
    mine = victim(tmp_path / "mine", workflow, dctx)
    before = dctx("store", "export", cwd=mine).out
    evil = made(tmp_path / "evil", workflow)
    shown = seen(evil, dctx)
    written = [line for line in WRITES if dctx(*line.split(), cwd=evil).code == 0]
    tried = len(COMMANDS) + len(EVENTS) + len(WRITES)
    kind = "server" if "://" in shared else "file"
    figure(
        f"Another project's workflow in a shared {kind}",
        f"{len(shown) + len(written)} of {tried} come through",
    )
    assert (shown, written) == ([], [])
    assert dctx("store", "export", cwd=mine).out == before


def test_a_repository_without_an_id_shares_no_file_before_it_is_allowed(
    tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", str(tmp_path / "all.db"))
    mine, evil = (write(tmp_path / name, {"VISION.md": "# V\n"}) for name in ("mine", "evil"))
    assert dctx("vars", "set", "note", SECRET, "--reason", "Why", cwd=mine).code == 0
    refused = dctx("vars", "show", cwd=evil)
    assert refused.code == 1 and not told(refused) and "dctx store migrate" in refused.err
    assert dctx("store", "migrate", "--yes", cwd=evil).code == 0
    assert told(dctx("vars", "show", cwd=evil))


def test_the_user_allows_a_project_once(shared: str, tmp_path: Path, dctx: Run) -> None:
    workflow = new_id()
    victim(tmp_path / "mine", workflow, dctx)
    clone = made(tmp_path / "clone", workflow)
    refused = dctx("vars", "show", cwd=clone)
    assert (
        refused.code == 1
        and workflow in refused.err
        and "hint: `dctx store migrate`" in refused.err
    )
    asked = process("store", "migrate", cwd=clone, stdin=b"y\n")
    assert asked.code == 1 and workflow in asked.err and "nobody can be asked" in asked.err
    shown = dctx("store", "migrate", "--dry-run", cwd=clone)
    assert shown.code == 1 and workflow in shown.err
    assert dctx("vars", "show", cwd=clone).code == 1
    assert dctx("store", "migrate", "--yes", cwd=clone).code == 0
    assert told(dctx("vars", "show", cwd=clone))
    write(clone, {"dctx.yaml": f"workflow_id: {new_id()}\n"})
    assert not told(dctx("vars", "show", cwd=clone))
    assert told(dctx("vars", "show", cwd=tmp_path / "mine"))


def test_who_goes_over_to_the_workflow_of_another_project_is_asked(
    shared: str, tmp_path: Path, dctx: Run
) -> None:
    """A pull may bring another id to a project that the user has worked in for long."""
    workflow = new_id()
    victim(tmp_path / "mine", workflow, dctx)
    pulled = made(tmp_path / "pulled", new_id())
    assert dctx("vars", "set", "own", "1", "--reason", "Why", cwd=pulled).code == 0
    write(pulled, {"dctx.yaml": f"workflow_id: {workflow}\n"})
    assert dctx("vars", "show", cwd=pulled).code == 1


def test_a_look_claims_no_workflow_for_later(shared: str, tmp_path: Path, dctx: Run) -> None:
    workflow = new_id()
    evil = made(tmp_path / "evil", workflow)
    for line in COMMANDS:
        dctx(*line.split(), cwd=evil)
    victim(tmp_path / "mine", workflow, dctx)
    assert seen(evil, dctx) == []


def test_a_store_that_the_repository_names_is_allowed_with_its_workflow_only(
    server: pg.Server, tmp_path: Path, dctx: Run
) -> None:
    url, first, other = server.database(), new_id(), new_id()
    pg.migrated(url).close()
    roots = [made(tmp_path / name, workflow) for name, workflow in (("one", first), ("two", other))]
    for root, workflow in zip(roots, (first, other), strict=True):
        write(root, {"dctx.yaml": f"workflow_id: {workflow}\nstore: {url}\n"})
        assert dctx("store", "migrate", "--yes", cwd=root).code == 0
        assert dctx("vars", "set", "note", SECRET, "--reason", "Why", cwd=root).code == 0
    write(roots[0], {"dctx.yaml": f"workflow_id: {other}\nstore: {url}\n"})
    refused = dctx("vars", "show", cwd=roots[0])
    assert refused.code == 1 and not told(refused)


def test_the_projects_own_file_is_its_own_by_whatever_name(
    tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, {"VISION.md": "# V\n"})
    assert dctx("vars", "set", "note", "1", "--reason", "Why", cwd=root).code == 0
    monkeypatch.setenv("DCTX_STORE", os.path.join(".director", ".dctx", "store.db"))
    assert "note" in dctx("vars", "show", cwd=root).out
    assert not Path(consents.record_path()).exists()


def test_a_project_that_begins_a_workflow_in_several_processes_at_once_is_refused_in_none(
    shared: str, tmp_path: Path
) -> None:
    root = made(tmp_path / "p", new_id())

    def put(number: int) -> Result:
        return process("vars", "set", f"a{number}", "1", "--reason", "Why", cwd=root)

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(put, range(8)))
    assert [result.code for result in done] == [0] * 8, done


def test_what_is_written_down_holds_no_password(
    server: pg.Server, tmp_path: Path, dctx: Run
) -> None:
    url = server.database()
    pg.migrated(url).close()
    root = made(tmp_path / "p", new_id())
    named = url.replace("postgres@", "postgres:hunter2@")
    done = process("vars", "set", "a", "1", "--reason", "Why", cwd=root, env={"DCTX_STORE": named})
    assert done.code == 0, done
    record = Path(consents.record_path()).read_text()
    assert "workflow " in record and "hunter2" not in record
