"""`dctx agents install`, `remove` and `status` with hooks, skills and rules together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, process, write

from director_ctx.clients.agents_md_section import FILES
from director_ctx.clients.skills.by_client import OPEN, sealed
from director_ctx.clients.skills.files import shipped_names

Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "boat", {"VISION.md": "# Vision\n\n## Project Name\nBoat\n"})


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def status(dctx: Run, root: Path) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(
        dctx("agents", "status", "--json", cwd=root).out
    )
    return found


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "cursor"])
def test_all_of_it_goes_in_and_leaves_no_trace(client: str, root: Path, dctx: Run) -> None:
    before = tree(root)
    words = ("--what", "all", "--client", client, "--yes")
    assert dctx("agents", "install", *words, cwd=root).code == 0
    found = status(dctx, root)
    assert [installed["client"] for installed in found["installed"]] == [client]
    assert [skills["count"] for skills in found["skills"]] == [len(shipped_names())]
    assert found["rules"] == [{"path": FILES[client], "current": True, "problem": ""}]

    assert dctx("agents", "remove", *words, cwd=root).code == 0
    found = status(dctx, root)
    assert found["installed"] == found["skills"] == found["rules"] == []
    left = {name: data for name, data in tree(root).items() if ".dctx" not in name}
    assert left == before


def test_an_installation_brings_agents_and_status_lists_them(root: Path, dctx: Run) -> None:
    assert status(dctx, root)["agent_files"] == []
    assert dctx("agents", "install", "--yes", cwd=root).code == 0
    (listed,) = status(dctx, root)["agent_files"]
    names = ["dctx-builder", "dctx-verifier"]
    assert (listed["folder"], listed["scope"], listed["names"]) == (
        ".claude/agents", "project", names,
    )  # fmt: skip
    assert listed["older"] == listed["changed"] == []
    told = dctx("agents", "status", cwd=root).out
    assert "Agents, this project: .claude/agents\n  dctx-builder, dctx-verifier\n" in told


def test_an_agent_that_somebody_wrote_or_changed_stays_and_is_named(root: Path, dctx: Run) -> None:
    builder, verifier = (
        root / f".claude/agents/dctx-{name}.md" for name in ("builder", "verifier")
    )
    builder.parent.mkdir(parents=True)
    builder.write_text("Mine.\n")
    said = ".claude/agents/dctx-{}.md was written or changed by somebody else, and stays as it is."
    assert said.format("builder") in dctx("agents", "install", "--yes", cwd=root).err
    verifier.write_text(verifier.read_text().replace("Read, ", ""))
    (listed,) = status(dctx, root)["agent_files"]
    assert listed["changed"] == ["dctx-builder", "dctx-verifier"]
    done = dctx("agents", "remove", "--yes", cwd=root)
    assert done.code == 0 and said.format("verifier") in done.err
    assert builder.read_text() == "Mine.\n" and verifier.exists()


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_an_agent_of_another_version_is_brought_up_to_date_and_removed(
    ends: str, root: Path, dctx: Run
) -> None:
    builder = root / ".claude/agents/dctx-builder.md"
    builder.parent.mkdir(parents=True)
    older = sealed(f"---\n# dctx-sha256: {OPEN}\nname: dctx-builder\n---\n\nBuild.\n")
    builder.write_bytes(older.replace("\n", ends).encode())
    (listed,) = status(dctx, root)["agent_files"]
    assert listed["older"] == ["dctx-builder"]
    assert "brings them up to date" in dctx("agents", "status", cwd=root).out
    dctx("agents", "install", "--yes", cwd=root)
    assert "Does one task of the plan" in builder.read_text()
    dctx("agents", "remove", "--yes", cwd=root)
    assert not builder.exists()


def test_for_every_project_agents_are_in_the_users_own_folder(root: Path, dctx: Run) -> None:
    for client, folder in (("claude", ".claude"), ("copilot", ".copilot")):
        words = ("--client", client, "--user", "--yes")
        dctx("agents", "install", *words, cwd=root)
        file = Path.home() / folder / "agents/dctx-builder.md"
        assert file.exists()
        dctx("agents", "remove", *words, cwd=root)
        assert not file.exists()
    assert not (root / ".claude").exists()


def test_all_is_about_one_client_where_none_is_named(root: Path, dctx: Run) -> None:
    assert dctx("agents", "install", "--what", "all", "--yes", cwd=root).code == 0
    assert (root / "CLAUDE.md").exists() and not (root / "AGENTS.md").exists()


def test_for_every_project_there_are_no_rules(root: Path, dctx: Run) -> None:
    done = dctx("agents", "install", "--what", "all", "--user", "--yes", cwd=root)
    assert done.code == 0 and "left out for every project" in done.err
    assert not (root / "CLAUDE.md").exists()
    assert [skills["scope"] for skills in status(dctx, root)["skills"]] == ["user"]
    assert dctx("agents", "install", "--what", "rules", "--user", "--yes", cwd=root).code == 2


@pytest.mark.parametrize("what", ["hooks", "skills", "rules"])
def test_nothing_is_written_before_somebody_agreed(what: str, root: Path) -> None:
    before = tree(root)
    done = process("agents", "install", "--what", what, cwd=root)
    assert done.code == 1 and "nobody can be asked" in done.err and done.out
    assert tree(root) == before


def test_status_says_what_is_older_and_what_somebody_changed(root: Path, dctx: Run) -> None:
    dctx("agents", "install", "--what", "skills", "--yes", cwd=root)
    dctx("agents", "install", "--what", "rules", "--yes", cwd=root)
    skill = root / ".claude" / "skills" / "dctx-build" / "SKILL.md"
    skill.write_text(skill.read_text("utf-8") + "\nMine.\n", "utf-8")
    rules = root / "AGENTS.md"
    rules.write_text(rules.read_text("utf-8").replace("## The plan", "## A plan"), "utf-8")
    (skills,) = status(dctx, root)["skills"]
    assert (skills["changed"], skills["older"]) == (1, 0)
    assert [found["current"] for found in status(dctx, root)["rules"]] == [False]
    told = dctx("agents", "status", cwd=root).out
    assert "1 changed by somebody" in told and "--what rules` brings its section" in told


def test_only_skills_have_names(root: Path, dctx: Run) -> None:
    done = dctx("agents", "install", "build", "--yes", cwd=root)
    assert done.code == 2 and "Only skills have names." in done.err
